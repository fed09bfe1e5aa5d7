"""MOM410: brokers can end under different colours, or wait for an acknowledgement that never comes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from momlint.findings import Draft
    from momlint.routed.diagnosis.context import Context


def find(context: Context) -> Iterator[Draft]:
    """One draft for the estate, where ``--protocol`` asks for it; see `momlint.routed.flooding`."""
    if context.settling is not None:
        from momlint.routed.flooding.telling import drafts

        yield from drafts(context.settling)
