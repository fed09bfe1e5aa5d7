"""``momlint lsp``: what an editor asks of estates while they are written. Only `server` knows the protocol."""
