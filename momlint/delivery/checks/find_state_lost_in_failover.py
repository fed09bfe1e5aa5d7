"""MOM826: two events with one number, or a subscriber forgotten, because a successor does not know."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from momlint.delivery.telling import drafts

if TYPE_CHECKING:
    from momlint.delivery.asking import Asked
    from momlint.findings import Draft


def find(case: Asked) -> Iterator[Draft]:
    """One draft for each safeguard that is missing, with a story that was replayed."""
    yield from drafts(case, "MOM826")
