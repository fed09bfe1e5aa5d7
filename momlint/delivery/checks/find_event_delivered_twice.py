"""MOM828: a subscriber gets an event twice, after a take-over or a false suspicion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from momlint.delivery.telling import drafts

if TYPE_CHECKING:
    from momlint.delivery.asking import Asked
    from momlint.findings import Draft


def find(case: Asked) -> Iterator[Draft]:
    """One draft for each safeguard that is missing, with a story that was replayed."""
    yield from drafts(case, "MOM828")
