"""MOM301: no path of links exists from a publisher's broker to a subscriber's."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator

import numpy as np

from momlint.findings import Draft, Witness
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.topology import strong_parts


def find(context: Context) -> Iterator[Draft]:
    """One draft for each part of the overlay that lacks needed paths to or from larger ones (or earlier ones)."""
    if not context.is_whole("brokers", "links"):
        return
    keys = context.causes.unreachable
    if not len(keys):
        return
    keys_of = context.overlay.keys
    part = strong_parts(context.overlay)
    # Of two parts the smaller one is what is missing: so there are never more findings than parts.
    size = Counter(part)
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for key in keys.tolist():
        _, dest, source = keys_of.split(key)
        groups[min(part[source], part[dest], key=lambda one: (size[one], -one))].append(key)
    for members in groups.values():
        mine = np.array(members, dtype=np.int64)
        pairs = context.pairs_of(mine)
        affected = context.affected(mine)
        source, dest = keys_of.split_pair(int(pairs[0]))
        colour = keys_of.colour_of(int(mine[0]))
        context.confirm_cut(keys_of.pack(colour, dest, source))
        witness = Witness(context.colour_name(colour), context.name(source), context.name(dest))
        if affected.topics:
            topic = int(context.needs.topics_of(pairs[:1])[0])
            place = context.subscriber_place(topic, dest)
        else:
            place = context.broker_place(dest)
        yield Draft(
            "MOM301",
            place,
            f"no path leads from broker `{witness.source}` to broker `{witness.destination}`",
            label=f"cannot be reached from `{witness.source}`",
            help=f"declare links that lead from `{witness.source}` to `{witness.destination}`"
            + (" (a one-way link leads only one way)" if any(x.one_way for x in context.estate.links) else ""),
            witness=witness,
            affected=affected,
            data={"source": context.name(source), "destination": context.name(dest)},
        )
