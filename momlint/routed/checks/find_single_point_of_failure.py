"""MOM501: one link, broker or shared-risk group whose failure alone cuts a needed pair."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.findings import Draft
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.wording import needed_by

_HELP = {
    "link": "a second way between its two sides would mend it; in a tree every link is one, and a tree may be meant",
    "broker": "a way that goes round it would mend it; where it is meant to be the only way, ignore this note",
    "group": "lead one of its links another way, or move one of its brokers elsewhere",
}


def find(context: Context) -> Iterator[Draft]:
    """One draft for each link or broker, and for each group that cuts a pair which none of its members cuts alone."""
    cutting = context.cutting
    if not cutting.can_tell:
        return
    for cut in cutting.survey:
        kind = cutting.elements.kind(cut.element)
        failed = (cut.element,)
        if kind == "group":
            pairs = cutting.beyond_members(cut.element, cutting.cutting)
            if not pairs.any():
                continue
            witness, affected = cutting.shown(failed, pairs)
        else:
            witness, affected = cutting.shown_alone(cut)
        yield Draft(
            "MOM501",
            cutting.place(cut.element),
            f"without {cutting.words(failed)} no path is left for {needed_by(affected, witness)}",
            help=_HELP[kind],
            witness=witness,
            affected=affected,
        )
