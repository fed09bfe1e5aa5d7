"""What drafts of root causes are about (`momlint.findings.Draft.about`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momlint.routed.diagnosis.subjects import broker, hop, missing, row

if TYPE_CHECKING:
    from momlint.findings import Subject
    from momlint.routed.diagnosis.causes import Cause
    from momlint.routed.diagnosis.context import Context


def rows_of(context: Context, cause: Cause) -> list[frozenset[Subject]]:
    """The rows of a cause, each with its hop and, where the cause is a broker, with that."""
    shared = {broker(cause.subject[0])} if cause.scope == "broker" else set()
    return [frozenset({row(one), hop(*context.row_hop(one)), *shared}) for one in cause.rows]


def missing_of(cause: Cause) -> list[frozenset[Subject]]:
    """The missing entries of a cause, each with the hop that would be right and, where the cause is a broker, that."""
    shared = {broker(cause.subject[0])} if cause.scope == "broker" else set()
    return [frozenset({*missing(one), *shared}) for one in cause.entries]


def latent_of(context: Context, cause: Cause) -> list[frozenset[Subject]]:
    """What a latent cause is about: its rows, or its missing entries, which a broker at either end may explain."""
    if cause.scope == "row":
        return rows_of(context, cause)
    return [frozenset({*missing(one), broker(one.location), broker(one.hop)}) for one in cause.entries]
