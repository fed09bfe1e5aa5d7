"""MOM301: no path of links exists from a publisher's broker to a subscriber's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from momlint.checks.context import Context
from momlint.checks.topology import strong_parts
from momlint.checks.wording import counted, listed
from momlint.findings import Draft, Witness


def find(context: Context) -> Iterator[Draft]:
    """One draft for each two parts of the overlay between which needed paths are missing."""
    if not context.is_whole("brokers", "links"):
        return
    keys = context.causes.unreachable
    if not len(keys):
        return
    n = context.overlay.n
    part = strong_parts(context.overlay)
    groups: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for key in keys.tolist():
        dest, source = divmod(key % (n * n), n)
        low, high = sorted((part[source], part[dest]))
        groups[low, high].append(key)
    for members in groups.values():
        mine = np.array(members, dtype=np.int64)
        pairs = context.pairs_of(mine)
        affected = context.affected(mine)
        source, dest = divmod(int(pairs[0]), n)
        context.confirm_cut((int(mine[0]) // (n * n) * n + dest) * n + source)
        witness = Witness(context.colour_name(int(mine[0]) // (n * n)), context.name(source), context.name(dest))
        pair = f"no path exists from `{witness.source}` to `{witness.destination}`"
        more = f", nor for {counted(len(pairs) - 1, 'other pair')}" if len(pairs) > 1 else ""
        if affected.topics:
            topic = int(context.needs.topics_of(pairs[:1])[0])
            place = context.subscriber_place(topic, dest)
            who = f"{'topic' if len(affected.topics) == 1 else 'topics'} {listed(affected.topics)}: "
        else:
            place, who = context.broker_place(dest), ""
        yield Draft(
            "MOM301",
            place,
            f"{who}{pair}{more}",
            help=f"declare links that lead from `{witness.source}` to `{witness.destination}`"
            + (" (a one-way link leads only one way)" if any(x.one_way for x in context.estate.links) else ""),
            witness=witness,
            affected=affected,
        )
