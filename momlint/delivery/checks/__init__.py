"""One file a rule: from a `momlint.delivery.ways.Case` to drafts."""
