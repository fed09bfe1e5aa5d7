"""From an estate to its `Overlay`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from momlint.routed.overlay.form import NO_HOP, NO_ROW, Overlay
from momlint.routed.overlay.healing import healed_deltas
from momlint.routed.overlay.keys import Keys
from momlint.routed.overlay.needs import Needs
from momlint.routed.overlay.paths import ShortestPaths, solve

if TYPE_CHECKING:
    from momlint.estate.resolved import Estate, Link
    from momlint.routed.overlay.uncondensing import Entries

#: Keys held at once while tables are compared colour by colour.
_BLOCK = 1 << 22


def build_overlay(estate: Estate) -> Overlay:
    """The `Overlay` of an estate; see `build`."""
    return build(estate)[0]


def build(
    estate: Estate, needs: Needs | None = None, beyond: Sequence[tuple[Sequence[int], Sequence[int]]] = ()
) -> tuple[Overlay, Entries | None]:
    """The `Overlay` of an estate, and what its recovery rows leave open or say twice (None without such rows).

    `needs`: those of its topics, where they have been worked out already. `beyond`: failures (links, brokers) that get
    a colour each behind the estate's own ones; for estates without recovery rows.

    Next hops:

    * with recovery rows, the base is what they say for the first colour in which nothing has failed (else for
      the first colour), and the other colours' entries are deltas where next hop or row differ; a colour
      without an entry that the base has gets a delta to `NO_HOP`. ``base_row`` and ``delta_row`` index
      ``estate.recovery_rows`` (see `momlint.routed.recovery.uncondense` for the one exception);
    * else the base is the table rows, over shortest paths if the protocol is ``shortest-path``; ``base_row``
      indexes ``estate.table_rows``. In a colour in which something has failed they stay as they are, or the overlay
      heals itself (see `Estate.heals`): next hops are then the shortest paths of what is left, as deltas to the base
      that stand in no row. Rows beside computed next hops (static ones) stay in force all the same, or are withdrawn
      while their link or next hop is down; rows of ``protocol: tables`` do not, where it is said to heal.

    Of two rows for one entry the first counts. A row whose destination is its own location is left out. A
    link from a broker to itself carries nothing and has no arc. Needed pairs: those of the topics,
    publisher's and subscriber's broker, where they differ; all ordered pairs if the estate declares no topic.
    """
    n = len(estate.brokers)
    arcs = _arcs(estate.links)
    failures = [(colour.failed_links, colour.failed_brokers) for colour in estate.colours] or [((), ())]
    failures += [(tuple(links), tuple(brokers)) for links, brokers in beyond]
    failed_link = np.zeros((len(failures), len(estate.links)), bool)
    failed_broker = np.zeros((len(failures), n), bool)
    for index, (links, brokers) in enumerate(failures):
        failed_link[index, list(links)] = True
        failed_broker[index, list(brokers)] = True
    intact: NDArray[np.bool_] = np.logical_not(failed_link.any(axis=1) | failed_broker.any(axis=1))

    through = np.array([broker.transit for broker in estate.brokers], np.bool_)
    transit = None if through.all() else through

    entries: Entries | None = None
    if estate.recovery_rows is not None:
        # Imported late, with all that belongs to recovery: most estates have none.
        from momlint.routed.overlay.super_tables import table_of_rows
        from momlint.routed.overlay.uncondensing import uncondense

        rows = table_of_rows(estate.recovery_rows, failed_link.shape[0])
        entries = uncondense(rows, n, int(intact.argmax()))
        base, base_row = entries.base, entries.base_row
        key, hop, delta_row = entries.delta_key, entries.delta_next, entries.delta_row
    else:
        base, base_row = _table_entries(estate)
        key, hop = np.zeros(0, np.int64), np.zeros(0, np.int32)
        computed = estate.protocol == "shortest-path"
        heals = estate.heals and not intact.all()
        if computed or heals:
            solved = solve(n, arcs.tail, arcs.head, arcs.cost, transit)
            if heals:
                key, hop = healed_deltas(solved, arcs.link, failed_link, failed_broker)
            if computed:
                withdrawn = _withdrawn(estate, arcs, base, base_row, failed_link, failed_broker)
                key, hop = _beside_rows(solved, key, hop, base_row, withdrawn)
                base = np.where(base_row == NO_ROW, solved.next, base)
            elif heals:
                key, hop = rebased(solved, key, hop, base, np.flatnonzero(~intact))
        delta_row = np.full(key.size, NO_ROW, np.int32)

    if transit is not None:
        base, hop = _followed(base, key, hop, transit)
    pair_source, pair_dest = _needed_pairs(estate, needs)
    overlay = Overlay(
        n=n,
        arc_tail=arcs.tail,
        arc_head=arcs.head,
        arc_cost=arcs.cost,
        arc_latency=arcs.latency,
        arc_link=arcs.link,
        links=len(estate.links),
        base=base,
        base_row=base_row,
        delta_key=key,
        delta_next=hop,
        delta_row=delta_row,
        failed_link=failed_link,
        failed_broker=failed_broker,
        pair_source=pair_source,
        pair_dest=pair_dest,
        transit=transit,
    )
    return overlay, entries


class _Arcs(NamedTuple):
    tail: NDArray[np.int32]
    head: NDArray[np.int32]
    cost: NDArray[np.float64]
    latency: NDArray[np.float64]
    link: NDArray[np.int32]


def _arcs(links: Sequence[Link]) -> _Arcs:
    ends = [(link.tail, link.head) for link in links]
    forth = [index for index, (tail, head) in enumerate(ends) if tail != head]
    back = [index for index in forth if not links[index].one_way]
    link = np.array(forth + back, np.int32)
    backwards = np.arange(link.size) >= len(forth)
    tail = np.array([ends[index][0] for index in forth] + [ends[index][1] for index in back], np.int32)
    head = np.array([ends[index][1] for index in forth] + [ends[index][0] for index in back], np.int32)
    cost = np.array([item.cost for item in links], np.float64)[link]
    latency = np.array([item.latency_ms for item in links], np.float64)[link]
    if any(item.cost_back is not None or item.latency_ms_back is not None for item in links):
        cost_back = [item.cost if item.cost_back is None else item.cost_back for item in links]
        latency_back = [item.latency_ms if item.latency_ms_back is None else item.latency_ms_back for item in links]
        cost = np.where(backwards, np.array(cost_back, np.float64)[link], cost)
        latency = np.where(backwards, np.array(latency_back, np.float64)[link], latency)
    order = np.lexsort((link, cost, head, tail))
    return _Arcs(tail[order], head[order], cost[order], latency[order], link[order])


def _table_entries(estate: Estate) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Next hop and row of every entry of ``routing.tables``; int32[dest, loc] each."""
    n, rows = len(estate.brokers), estate.table_rows
    times = np.array([len(row.destinations) for row in rows], np.int64)
    dest = np.fromiter(chain.from_iterable(row.destinations for row in rows), np.int64, int(times.sum()))
    row = np.repeat(np.arange(len(rows), dtype=np.int32), times)
    loc = np.array([item.location for item in rows], np.int64)[row]
    via = np.array([item.via for item in rows], np.int32)[row]
    kept = np.flatnonzero(loc != dest)[::-1]  # backwards, so that the first row is the one that stays
    base = np.full((n, n), NO_HOP, np.int32)
    base_row = np.full((n, n), NO_ROW, np.int32)
    base[dest[kept], loc[kept]] = via[kept]
    base_row[dest[kept], loc[kept]] = row[kept]
    return base, base_row


def _followed(
    base: NDArray[np.int32], key: NDArray[np.int64], hop: NDArray[np.int32], transit: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """`base` and the deltas' `hop` without the next hops that would have to pass a message on and do not."""
    n = transit.size
    at = np.arange(n, dtype=np.int32)
    stub = ~transit
    dest = Keys(n).dest_of(key)
    through_stub = (base != NO_HOP) & stub[np.maximum(base, 0)] & (base != at[:, None]) & (base != at[None, :])
    late = (hop != NO_HOP) & stub[np.maximum(hop, 0)] & (hop != dest) & (hop != Keys(n).loc_of(key))
    return np.where(through_stub, np.int32(NO_HOP), base), np.where(late, np.int32(NO_HOP), hop).astype(np.int32)


def _withdrawn(
    estate: Estate,
    arcs: _Arcs,
    base: NDArray[np.int32],
    base_row: NDArray[np.int32],
    failed_link: NDArray[np.bool_],
    failed_broker: NDArray[np.bool_],
) -> NDArray[np.int64]:
    """Sorted keys ``(colour * n + dest) * n + loc`` of the entries whose row is taken back in the colour."""
    n = len(estate.brokers)
    if not estate.withdraws_rows:
        return np.zeros(0, np.int64)
    dest, loc = np.nonzero(base_row != NO_ROW)
    via = base[dest, loc]
    arcs_of: dict[tuple[int, int], list[int]] = {}
    for tail, head, link in zip(arcs.tail.tolist(), arcs.head.tolist(), arcs.link.tolist(), strict=True):
        arcs_of.setdefault((tail, head), []).append(link)
    keys = []
    for d, at, to in zip(dest.tolist(), loc.tolist(), via.tolist(), strict=True):
        down = failed_broker[:, to].copy()
        if (at, to) in arcs_of:
            down |= failed_link[:, arcs_of[at, to]].all(axis=1)
        keys.append(Keys(n).pack(np.flatnonzero(down), d, at))
    return np.sort(np.concatenate(keys)).astype(np.int64) if keys else np.zeros(0, np.int64)


def _beside_rows(
    solved: ShortestPaths,
    key: NDArray[np.int64],
    hop: NDArray[np.int32],
    base_row: NDArray[np.int32],
    withdrawn: NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The deltas `key`, `hop` to ``solved.next`` without the entries that rows hold, but with those `withdrawn`."""
    keys = Keys(solved.n)
    kept = base_row.ravel()[keys.cell_of(key)] == NO_ROW
    if withdrawn.size:
        computed = solved.next.ravel()[keys.cell_of(withdrawn)].copy()
        if key.size:
            at = np.minimum(np.searchsorted(key, withdrawn), key.size - 1)
            computed = np.where(key[at] == withdrawn, hop[at], computed)
        key, hop = np.concatenate((key[kept], withdrawn)), np.concatenate((hop[kept], computed))
        order = np.argsort(key, kind="stable")
        return key[order], hop[order]
    return key[kept], hop[kept]


def rebased(
    solved: ShortestPaths,
    key: NDArray[np.int64],
    hop: NDArray[np.int32],
    base: NDArray[np.int32],
    colours: NDArray[np.intp],
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """The deltas `key`, `hop` to ``solved.next``, restated as deltas to `base`, for `colours` (ascending)."""
    packing = Keys(solved.n)
    planned, given = solved.next.ravel(), base.ravel()
    differing = np.flatnonzero(planned != given)
    if not differing.size:
        return key, hop
    rank = np.full(packing.cells, -1, np.int64)
    rank[differing] = np.arange(differing.size)
    place = rank[packing.cell_of(key)]
    keys, hops = [key[place < 0]], [hop[place < 0]]
    step = max(1, _BLOCK // differing.size)
    for first in range(0, colours.size, step):
        block = colours[first : first + step].astype(np.int64)
        value = np.tile(planned[differing], (block.size, 1))
        begin, end = np.searchsorted(key, packing.in_colour(np.array((block[0], block[-1] + 1)), 0))
        inside = begin + np.flatnonzero(place[begin:end] >= 0)
        value[np.searchsorted(block, packing.colour_of(key[inside])), place[inside]] = hop[inside]
        which, where = np.nonzero(value != given[differing])
        keys.append(packing.in_colour(block[which], differing[where]))
        hops.append(value[which, where])
    all_keys = np.concatenate(keys)
    order = np.argsort(all_keys, kind="stable")
    return all_keys[order], np.concatenate(hops)[order]


def _needed_pairs(estate: Estate, needs: Needs | None) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    n = len(estate.brokers)
    if estate.topics:
        source, dest = Keys(n).split_pair((needs or Needs.of(n, estate.topics)).pairs)
    else:
        source, dest = Keys(n).split_pair(np.arange(Keys(n).cells))
    kept = source != dest
    return source[kept].astype(np.int32), dest[kept].astype(np.int32)
