"""One file a rule of publish/subscribe clients; `momlint.pubsub.asking.Ask` is what they look at."""
