"""MOM204: brokers that have links, and no path between them."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.findings import Draft, RelatedDraft
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.topology import weak_parts
from momlint.words import counted, listed


def find(context: Context) -> Iterator[Draft]:
    """One draft for each part that is cut off from the largest one, at the part's first broker."""
    if not context.is_whole("links"):
        return
    o = context.overlay
    linked = set(o.arc_tail.tolist()) | set(o.arc_head.tolist())
    parts: dict[int, list[int]] = {}
    for broker, part in enumerate(weak_parts(o)):
        if broker in linked:
            parts.setdefault(part, []).append(broker)
    if len(parts) < 2:
        return
    main = max(parts.values(), key=lambda members: (len(members), -members[0]))
    for members in parts.values():
        if members is main:
            continue
        names = context.names(members)
        yield Draft(
            "MOM204",
            context.broker_place(members[0]),
            f"no path joins {listed(names)} to the largest part of the overlay ({counted(len(main), 'broker')})",
            label=f"this part has {counted(len(members), 'broker')}",
            help="add a link between the parts, or describe them as two estates",
            data={"brokers": names, "largest": len(main)},
            related=[RelatedDraft(context.broker_place(main[0]), "the largest part begins here")],
        )
