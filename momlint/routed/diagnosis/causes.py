"""From blamed entries to root causes: one wrong row, one broken hop or one broken broker is one cause.

Layered as the source papers do it (thesis 5.2.7): the entry, then the hop that broken walks share, then the broker
when every hop at it is broken. `find_*` checks turn causes into drafts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from momlint.records import dataclass
from momlint.routed.diagnosis.blame import Blamed, TableEntry, blame
from momlint.routed.diagnosis.evidence import Evidence
from momlint.routed.overlay.arcs import unconnected
from momlint.routed.overlay.following import walk
from momlint.routed.overlay.form import NO_HOP
from momlint.routed.overlay.ragged import among, distinct, without
from momlint.routed.questions.question import Question

if TYPE_CHECKING:
    from numpy.typing import NDArray

#: ``row``: one given row is wrong. ``hop``: rows that use one hop are wrong or missing. ``broker``: every hop at it is.
Scope = Literal["row", "hop", "broker"]
Kind = Literal["loop", "black-hole", "missing", "not-neighbour", "failed-hop"]


@dataclass(slots=True)
class Cause:
    """One root cause.

    `subject` is the row id for the scope ``row``, the two brokers for ``hop`` (as the first entry uses it), the
    broker for ``broker``. `keys` are the broken keys of needed pairs it explains (sorted), `latent` those that no
    topic needs. `rows` are all given rows concerned, ascending.
    """

    kind: Kind
    scope: Scope
    subject: tuple[int, ...]
    entries: list[TableEntry] = field(default_factory=list)
    keys: list[int] = field(default_factory=list)
    latent: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)

    @property
    def key_array(self) -> NDArray[np.int64]:
        """`keys`, sorted, as int64."""
        return np.array(sorted(self.keys), dtype=np.int64)

    @property
    def latent_array(self) -> NDArray[np.int64]:
        """`latent`, sorted, as int64."""
        return np.array(sorted(self.latent), dtype=np.int64)


_Group = tuple[str, tuple[int, ...]]


class Causes:
    """The root causes of one context, needed and latent, each worked out once on demand."""

    def __init__(self, context: Evidence) -> None:
        self.context = context

    @property
    def blamed(self) -> list[Blamed]:
        """Entries to blame for needed pairs that fail although a path exists, or at a hop that is no link."""
        return self._blamed[0]

    @cached_property
    def missing(self) -> dict[tuple[int, int, int], Blamed]:
        """(broker, destination, hop that would be right) of the missing entries among those to blame."""
        return {
            (one.entry.location, one.entry.dest, one.entry.hop): one
            for one in self.blamed
            if one.entry.fault == "missing"
        }

    @property
    def pathless(self) -> set[int]:
        """Rows over hops that are no links, of needed pairs that a link there would not join either."""
        return self._blamed[1]

    @cached_property
    def _blamed(self) -> tuple[list[Blamed], set[int]]:
        context = self.context
        # Where no path is left there is no right entry to compare with: that is MOM301, or 501 and 502. Only an entry
        # that names no neighbour is to blame all the same, if a link to it would make a path.
        cut = context.cut if len(context.broken) else np.empty(0, np.int64)
        if not self._any_non_neighbour:
            return blame(context.overlay, np.setdiff1d(context.broken, cut, assume_unique=True)), set()
        found = blame(context.overlay, context.broken)
        for blamed in found:
            if blamed.entry.fault == "not-neighbour" and blamed.entry.hop == NO_HOP:
                # The next hop passes nothing on, so that no entry names it: the row does.
                blamed.entry = replace(blamed.entry, hop=context.row_hop(blamed.entry.row)[1])
        strays = [blamed for blamed in found if blamed.entry.fault == "not-neighbour"]
        keys = np.array(sorted(key for blamed in strays for key in blamed.keys), np.int64)
        hops = sorted({(blamed.entry.location, blamed.entry.hop) for blamed in strays})
        lost = set(cut.tolist()) - set(self.joined_by_links(keys[among(keys, cut)], hops).tolist())
        for blamed in found:
            blamed.keys = [key for key in blamed.keys if key not in lost]
        return [one for one in found if one.keys], {one.entry.row for one in strays if not one.keys}

    def joined_by_links(self, keys: NDArray[np.int64], hops: list[tuple[int, int]]) -> NDArray[np.int64]:
        """Those of `keys` (without a path), int64, whose ends links at all of `hops` would join."""
        o = self.context.overlay
        ends = np.array(hops, np.int32).reshape(-1, 2)
        tail, head = np.concatenate([ends, ends[:, ::-1]]).T
        link = np.tile(o.links + np.arange(len(hops), dtype=np.int32), 2)
        arcs = [
            np.concatenate([there, more])
            for there, more in (
                (o.arc_tail, tail),
                (o.arc_head, head),
                (o.arc_cost, np.ones(tail.size)),
                (o.arc_latency, np.zeros(tail.size)),
                (o.arc_link, link),
            )
        ]
        order = np.lexsort((arcs[4], arcs[2], arcs[1], arcs[0]))
        declared = replace(
            o,
            arc_tail=arcs[0][order],
            arc_head=arcs[1][order],
            arc_cost=arcs[2][order],
            arc_latency=arcs[3][order],
            arc_link=arcs[4][order],
            failed_link=np.concatenate([o.failed_link, np.zeros((o.colours, len(hops)), np.bool_)], axis=1),
        )
        joined = [np.empty(0, np.int64)]
        for colour in distinct(o.keys.colour_of(keys)):
            in_colour = keys[o.keys.colour_of(keys) == colour]
            _, dest, source = o.keys.split(in_colour)
            ((_, apart),) = unconnected(declared, np.array([colour]), source, dest)
            joined.append(in_colour[~apart])
        return np.concatenate(joined)

    @cached_property
    def needed(self) -> list[Cause]:
        """Causes that break a needed pair, and rows whose next hop is no neighbour whether needed or not."""
        groups: dict[_Group, Cause] = {}
        for blamed in self.blamed:
            cause = _cause_of(groups, blamed.entry)
            cause.entries.append(blamed.entry)
            cause.keys.extend(blamed.keys)
        self._add_unused_non_neighbours(groups)
        causes = self._merge_brokers(groups)
        for cause in causes:
            cause.rows = self._rows(cause)
        return sorted(causes, key=lambda cause: (cause.rows or [-1], cause.kind, cause.subject))

    @cached_property
    def of_rows(self) -> dict[int, list[Cause]]:
        """For each row by which needed pairs are lost over links that exist: its causes, one a kind, worst first.

        A row may loop in one colour, end nowhere in another and use what has failed in a third; what comes first in
        the order of keys comes first here.
        """
        found: defaultdict[int, list[Cause]] = defaultdict(list)
        for cause in self.needed:
            if cause.scope == "row" and cause.keys:
                found[cause.subject[0]].append(cause)
        return {row: sorted(causes, key=lambda cause: min(cause.keys)) for row, causes in found.items()}

    def lost_by(self, row: int) -> NDArray[np.int64]:
        """All keys of needed pairs that are lost by a row, in whatever way (sorted int64)."""
        return np.array(sorted(key for cause in self.of_rows.get(row, ()) for key in cause.keys), np.int64)

    def _add_unused_non_neighbours(self, groups: dict[_Group, Cause]) -> None:
        context = self.context
        n, adjacent = context.overlay.n, self._adjacent
        table = context.recovery_table
        transit = context.overlay.transit
        stub = np.zeros(n, np.bool_) if transit is None else ~transit
        if table is not None:
            astray = ~adjacent[table.broker, table.via] | (stub[table.via] & (table.via != table.to))
            astray &= (table.broker != table.via) & (table.broker != table.to)
            wrong = [
                (row, int(table.broker[row]), int(table.via[row]), int(table.to[row]))
                for row in np.flatnonzero(astray).tolist()
            ]
        else:
            wrong = [
                (index, row.location, row.via, dest)
                for index, row in enumerate(context.estate.table_rows)
                if row.via != row.location and (stub[row.via] or not adjacent[row.location, row.via])
                # For itself a broker that passes nothing on is as good a neighbour as any.
                if (own := row.via if adjacent[row.location, row.via] else n) is not None
                if (dest := next((d for d in row.destinations if d not in (row.location, own)), n)) < n
            ]
        for index, location, via, dest in wrong:
            entry = TableEntry(0, dest, location, via, index, "not-neighbour", "stop", location, index)
            _cause_of(groups, entry).rows.append(index)

    @cached_property
    def hops_without_link(self) -> list[tuple[int, int]]:
        """The hops that MOM304 names."""
        rows = {row for cause in self.needed if cause.kind == "not-neighbour" for row in cause.rows}
        return sorted({self.context.row_hop(row) for row in rows})

    @cached_property
    def _any_non_neighbour(self) -> bool:
        """Whether any entry names a broker that is no neighbour, or one that passes nothing on."""
        if self.context.overlay.transit is not None:
            return True
        o, adjacent = self.context.overlay, self._adjacent
        loc = np.broadcast_to(np.arange(o.n), o.base.shape)
        for at, hop in ((loc, o.base), (o.keys.loc_of(o.delta_key), o.delta_next)):
            astray = (hop != NO_HOP) & (hop != at)
            astray &= ~adjacent[at, np.maximum(hop, 0)]
            if astray.any():
                return True
        return False

    @cached_property
    def _adjacent(self) -> NDArray[np.bool_]:
        o = self.context.overlay
        adjacent = np.zeros((o.n, o.n), dtype=np.bool_)
        adjacent[o.arc_tail, o.arc_head] = True
        return adjacent

    def is_adjacent(self, at: int, to: int) -> bool:
        """Whether a link leads from one broker to the other: where MOM304 names such a hop, the other passes nothing
        on."""
        return bool(self._adjacent[at, to])

    def _rows(self, cause: Cause) -> list[int]:
        """The given rows that a cause concerns: those blamed and, for hops, every row over the same hops."""
        rows = {entry.row for entry in cause.entries if self.context.has_row(entry.row)} | set(cause.rows)
        return sorted(rows)

    # -- the papers' re-test of one-hop paths -------------------------------------------------------------------

    def hop_is_broken(self, at: int, to: int) -> bool:
        """Whether the one-hop sub-path from one broker to another fails."""
        o = self.context.overlay
        colour = int(np.argmax(self.context.without_failure))
        found = walk(o, colour, at, to)
        return found.end != "arrived" or len(found.brokers) > 2

    def every_hop_is_broken(self, kind: Kind, broker: int, *, out: bool) -> bool:
        """Whether all hops out of a broker, or into it, that a link or a base table has are broken in the same way:
        there is no link at all in that direction, or a link each and no row that takes it."""
        o = self.context.overlay
        linked = self._adjacent[broker] if out else self._adjacent[:, broker]
        if kind == "not-neighbour":
            return not linked.any()
        used = o.base[:, broker] if out else np.nonzero(o.base == broker)[1]
        joined = linked.copy()
        joined[distinct(used[used != NO_HOP])] = True
        joined[broker] = False
        others = np.flatnonzero(joined).tolist()
        return all(
            linked[other] and self.hop_is_broken(*((broker, other) if out else (other, broker))) for other in others
        )

    def _merge_brokers(self, groups: dict[_Group, Cause]) -> list[Cause]:
        """Name the broker where every hop out of it, into it or both is broken, and several causes of these meet.

        With rows at `a` and `c` that go to `hub`, and no link there: the hops a–hub and c–hub are two causes, and one
        at the broker `hub` if no other hop leads to it.
        """
        at_broker: defaultdict[tuple[Kind, int], list[_Group]] = defaultdict(list)
        for group, cause in groups.items():
            if cause.scope == "hop":
                for broker in cause.subject:
                    at_broker[cause.kind, broker].append(group)
        remaining = dict(groups)
        merged: list[Cause] = []
        # The broker where most causes meet first, so that a failed hub is named and not its neighbours.
        for kind, broker in sorted(at_broker, key=lambda place: (-len(at_broker[place]), place[1], place[0])):
            parts = [group for group in at_broker[kind, broker] if group in remaining]
            if len(parts) > 1:
                parts = self._of_broker(kind, broker, {group: groups[group] for group in parts})
            if len(parts) > 1:
                merged.append(_joined(kind, broker, [remaining.pop(group) for group in parts]))
        return merged + list(remaining.values())

    def _of_broker(self, kind: Kind, broker: int, causes: Mapping[_Group, Cause]) -> list[_Group]:
        """Those whose entries go only in a direction, out of `broker` or into it, of which every hop is broken.

        A cause without entries is one of rows that nobody needs; it goes with any direction.
        """
        broken = {out for out in (True, False) if self.every_hop_is_broken(kind, broker, out=out)}
        if not broken:
            return []
        return [
            group for group, cause in causes.items() if {entry.location == broker for entry in cause.entries} <= broken
        ]

    # -- what no topic needs ------------------------------------------------------------------------------------

    @cached_property
    def latent(self) -> list[Cause]:
        """Causes that break only pairs no topic needs, where a given row leads into them.

        What one table lacks is one cause.

        A pair whose very first entry is missing is no fault of a row: tables may be as sparse as the topics are.
        """
        context = self.context
        o = context.overlay
        if not len(context.estate.topics) or not context.has_rows:
            return []
        source, dest = o.keys.split_pair(np.arange(o.keys.cells))
        unneeded = (source != dest) & ~among(o.keys.pair(source, dest), o.keys.pair(o.pair_source, o.pair_dest))
        question = Question(
            "arrive",
            source[unneeded].astype(np.int32),
            dest[unneeded].astype(np.int32),
            np.flatnonzero(context.without_failure).astype(np.int32) if context.keeps else context.all_colours,
        )
        subject = "whether rows that no topic needs today lead to their destination"
        broken = context.refuted(question, subject)
        if not broken.size:
            return []
        cut = context.refuted(
            Question("connected", question.sources, question.dests, question.colours),
            "whether a path exists for pairs that no topic needs",
        )
        # Without a path there is no right entry, but a row that loops or ends nowhere is latent all the same only
        # where the destination could be reached: rows towards what is cut off are the cut's business.
        blamed = blame(o, without(broken, cut))
        groups: dict[_Group, Cause] = {}
        for one in blamed:
            if one.entry.fault == "missing":
                one.keys = [key for key in one.keys if o.keys.loc_of(key) != one.entry.location]
            if one.keys and one.entry.fault != "not-neighbour":
                if one.entry.fault == "missing":
                    # Whichever hops they would take, rows are missing in one table.
                    at = (one.entry.location,)
                    cause = groups.setdefault(("missing", at), Cause("missing", "broker", at))
                else:
                    cause = _cause_of(groups, one.entry)
                cause.entries.append(one.entry)
                cause.latent.extend(one.keys)
        causes = _one_a_row(groups.values())
        for cause in causes:
            cause.rows = self._rows(cause)
        return sorted(causes, key=lambda cause: (cause.rows or [-1], cause.kind, cause.subject))


def _one_a_row(causes: Iterable[Cause]) -> list[Cause]:
    """`causes` with one for each row: a row may loop for some pairs and end nowhere for others."""
    found: dict[tuple[str, tuple[int, ...]], Cause] = {}
    for cause in sorted(causes, key=lambda cause: min(cause.latent)):
        first = found.setdefault(("row" if cause.scope == "row" else cause.kind + cause.scope, cause.subject), cause)
        if first is not cause:
            first.entries += cause.entries
            first.latent += cause.latent
    return list(found.values())


def _joined(kind: Kind, broker: int, parts: list[Cause]) -> Cause:
    """One cause at `broker` for several at its hops."""
    return Cause(
        kind,
        "broker",
        (broker,),
        [entry for part in parts for entry in part.entries],
        [key for part in parts for key in part.keys],
        [],
        [row for part in parts for row in part.rows],
    )


def _cause_of(groups: dict[_Group, Cause], entry: TableEntry) -> Cause:
    """The cause that `entry` belongs to, made where it is the first."""
    kind: Kind
    scope: Scope = "row"
    subject: tuple[int, ...] = (entry.row,)
    if entry.fault == "not-neighbour" or entry.fault == "missing":  # noqa: PLR1714 (mypy narrows only this)
        kind, scope, subject = entry.fault, "hop", (entry.location, entry.hop)
    elif entry.fault == "failed-hop":
        kind = "failed-hop"
    else:
        kind = "loop" if entry.end == "loop" else "black-hole"
    group: _Group = (kind, tuple(sorted(subject)))
    if group not in groups:
        groups[group] = Cause(kind, scope, subject)
    return groups[group]
