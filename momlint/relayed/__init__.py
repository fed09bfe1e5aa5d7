"""Relayed overlays: a broker passes a message on over every link whose filter matches, unless a guard stops it."""
