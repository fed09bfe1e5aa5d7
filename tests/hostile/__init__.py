"""Input from strangers: what is read, printed and left behind, and what it may cost."""
