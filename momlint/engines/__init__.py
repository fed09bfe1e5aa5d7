"""Engines: each decides a `Question` on an `Overlay`."""
