"""MOM829: the order that was asked for does not hold after a take-over."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from momlint.delivery.telling import drafts

if TYPE_CHECKING:
    from momlint.delivery.asking import Asked
    from momlint.findings import Draft


def find(case: Asked) -> Iterator[Draft]:
    """One draft for each safeguard that is missing, with a story that was replayed."""
    yield from drafts(case, "MOM829")
