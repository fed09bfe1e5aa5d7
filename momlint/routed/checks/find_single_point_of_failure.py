"""MOM501: one link, broker or shared-risk group whose failure alone cuts a needed pair."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.findings import Draft
from momlint.routed.diagnosis.context import Context

_HELP = {
    "link": "add a second path between its two sides, or ignore this note if a tree is intended",
    "broker": "add a path around it, or ignore this note if it is meant to be the only one",
    "group": "route one of its links elsewhere, or move one of its brokers",
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
            f"if {cutting.words(failed)} fails, no path leads from `{witness.source}` to `{witness.destination}`",
            label="the only way",
            help=_HELP[kind],
            data={"kind": kind, "element": cutting.name(cut.element)},
            witness=witness,
            affected=affected,
            about=[frozenset({("element", cut.element)})],
        )
