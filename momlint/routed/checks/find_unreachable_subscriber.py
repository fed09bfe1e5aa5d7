"""MOM301: no path of links exists from a publisher's broker to a subscriber's."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from momlint.findings import Draft, Witness
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.subjects import hop
from momlint.routed.diagnosis.topology import strong_parts
from momlint.routed.overlay.ragged import without

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.findings import Subject


def find(context: Context) -> Iterator[Draft]:
    """One draft for each part of the overlay that lacks needed paths to or from larger ones (or earlier ones)."""
    if not context.is_whole("brokers", "links"):
        return
    if not len(context.cut_without_failure):
        return
    keys_of = context.overlay.keys
    part = strong_parts(context.overlay)
    # Of two parts the smaller one is what is missing: so there are never more findings than parts.
    size = Counter(part)
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for key in context.cut_without_failure.tolist():
        _, dest, source = keys_of.split(key)
        groups[min(part[source], part[dest], key=lambda one: (size[one], -one))].append(key)
    for members in groups.values():
        keys = np.array(members, dtype=np.int64)
        yield replace(_draft(context, keys), without=partial(_left, context, keys))


def _left(context: Context, keys: NDArray[np.int64], is_told: Callable[[Subject], bool]) -> Draft | None:
    """What no wrong hop explains that is told already."""
    explained = [
        key
        for blamed in context.causes.blamed
        if blamed.entry.fault == "not-neighbour" and is_told(hop(blamed.entry.location, blamed.entry.hop))
        for key in blamed.keys
    ]
    left = without(keys, np.array(explained, dtype=np.int64))
    return _draft(context, left) if len(left) else None


def _draft(context: Context, keys: NDArray[np.int64]) -> Draft:
    keys_of = context.overlay.keys
    pairs = context.pairs_of(keys)
    affected = context.affected(keys)
    source, dest = keys_of.split_pair(int(pairs[0]))
    colour = keys_of.colour_of(int(keys[0]))
    context.confirm_cut(keys_of.pack(colour, dest, source))
    witness = Witness(context.colour_name(colour), context.name(source), context.name(dest))
    if affected.topics:
        topic = int(context.needs.topics_of(pairs[:1])[0])
        place = context.subscriber_place(topic, dest)
    else:
        place = context.broker_place(dest)
    return Draft(
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
