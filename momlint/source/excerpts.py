"""Pieces of the user's text for messages."""

from __future__ import annotations

_LONGEST_EXCERPT = 40


def excerpt(text: str) -> str:
    """A piece of the user's text for a message: one line, printable, not too long."""
    shown = "".join(c if c.isprintable() else " " for c in text[: _LONGEST_EXCERPT * 2]).strip()
    shown = " ".join(shown.split())
    return shown if len(shown) <= _LONGEST_EXCERPT else shown[: _LONGEST_EXCERPT - 1] + "…"
