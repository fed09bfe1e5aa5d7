"""Where the parts of `simulation` stand in their document."""

from __future__ import annotations

from momlint.findings import Place


def wrap(document: int) -> Place:
    """How sequence numbers of the recovery protocol are compared."""
    return Place(document, ("simulation", "pcrt", "wrap"), "value")
