"""Estates as pictures: a page that stands for itself, and plain SVG.

Everything that a picture says is taken from the engines and from the check, here; the page's script only draws it.
"""
