"""Mending estates: the fewest rows that have to change, as patches of the text, offered only where they are proved."""
