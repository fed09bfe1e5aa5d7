"""Tables of text, and the spread of numbers, for all reports of simulations."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median


def columns(rows: Sequence[Sequence[str]], left: int) -> list[str]:
    """In columns: the first `left` to the left, the others, numbers, to the right."""
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return [
        "  ".join(
            word.ljust(width) if column < left else word.rjust(width)
            for column, (word, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def spread_of(values: Sequence[float | None]) -> dict[str, float] | None:
    """The least, the median and the most of what is known; None where nothing is."""
    known = [value for value in values if value is not None]
    if not known:
        return None
    return {"least": min(known), "median": round(median(known), 6), "most": max(known)}
