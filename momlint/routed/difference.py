"""What changes for users from one state of an estate to the next, in every failure that both speak of.

Next hops are compared as matrices, a failure at a time, over the names of the brokers; walks are followed where they
differ. The walks that are told are followed once more, entry by entry, by the replay of witnesses.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from momlint.changes import KINDS, Change, Circumstances, Comparison, Kind, Way
from momlint.errors import InternalError
from momlint.routed.overlay.build import build
from momlint.routed.overlay.following import walk
from momlint.routed.overlay.form import NO_HOP, Overlay
from momlint.routed.overlay.keys import Keys
from momlint.routed.overlay.needs import Needs
from momlint.routed.recovery.colours import Failure, count_tolerated, groups_of, tolerated

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.estate.resolved import Estate

#: So many promised failures are compared one by one.
MOST_PROMISED = 2_000
#: What has failed, by kind and name: the same in both estates.
_Names: TypeAlias = frozenset[tuple[str, str]]
#: No live next hop.
_STOP = -1


def compare(old: Estate, new: Estate) -> Comparison:
    """What becomes of the messages of `old` in `new`. Failures are the same where the same names have failed."""
    before, after = _Side(old), _Side(new)
    too_many = max(before.too_many, after.too_many)
    wanted: dict[_Names, None] = {frozenset(): None}
    for side in (after, before):
        wanted.update(dict.fromkeys(side.said))
    if not too_many:
        for side in (after, before):
            wanted.update(dict.fromkeys(side.promised()))
    common = [names for names in wanted if before.can(names) and after.can(names)]
    told = {names: _circumstances(names, before, after) for names in wanted}
    before.build(common)
    after.build(common)
    changes = _Pairs(before, after).changes([told[names] for names in common])
    names = list(dict.fromkeys((*after.brokers, *before.brokers)))
    left_out = tuple(told[one] for one in wanted if one not in set(common))
    pairs = int(np.count_nonzero(before.needed(names) | after.needed(names)))
    return Comparison(old.name, new.name, pairs, len(common), left_out, too_many, changes)


def _circumstances(failed: _Names, before: _Side, after: _Side) -> Circumstances:
    side = after if all(one in after.ids for one in failed) else before
    names = sorted(failed, key=lambda one: (one[0] == "broker", side.ids.get(one, -1)))
    colour = after.colour_names.get(failed) or before.colour_names.get(failed)
    return Circumstances(tuple(name for _, name in names), colour)


class _Side:
    """One of the two estates."""

    def __init__(self, estate: Estate) -> None:
        self.estate = estate
        self.brokers = [broker.id for broker in estate.brokers]
        self.ids: dict[tuple[str, str], int] = {}
        for index, link in enumerate(estate.links):
            self.ids.setdefault(("link", link.id), index)
        self.ids.update({("broker", name): index for index, name in enumerate(self.brokers)})
        self.said: dict[_Names, int] = {}
        self.colour_names: dict[_Names, str] = {}
        for index, colour in enumerate(estate.colours):
            if not colour.incomplete:
                names = self.names(Failure(tuple(colour.failed_links), tuple(colour.failed_brokers)))
                self.said.setdefault(names, index)
                if estate.colours_declared:
                    self.colour_names.setdefault(names, colour.name)
        if not estate.colours:
            self.said[frozenset()] = 0
        promise = estate.tolerate
        number = 0
        if promise is not None and estate.recovery_rows is None:
            number = count_tolerated(len(estate.links), len(self.brokers), promise, len(estate.groups))
        self.too_many = number if number > MOST_PROMISED else 0
        self._colour: list[int] = []

    def names(self, failure: Failure) -> _Names:
        """What has failed, by name."""
        links = {("link", self.estate.links[link].id) for link in failure.links}
        return frozenset(links | {("broker", self.brokers[broker]) for broker in failure.brokers})

    def promised(self) -> Iterator[_Names]:
        """The failures that the estate promises to survive, where its next hops in them can be known."""
        promise = self.estate.tolerate
        if promise is None or self.estate.recovery_rows is not None:
            return
        for failure in tolerated(len(self.estate.links), len(self.brokers), promise, groups_of(self.estate)):
            yield self.names(failure)

    def can(self, failed: _Names) -> bool:
        """Whether it says what next hops are then: recovery rows speak of their colours only."""
        return failed in self.said or (self.estate.recovery_rows is None and all(one in self.ids for one in failed))

    def build(self, failures: Sequence[_Names]) -> None:
        """Make the overlay, with a colour for each of `failures`."""
        beyond: list[Failure] = []
        first = max(1, len(self.estate.colours))
        for failed in failures:
            if failed in self.said:
                self._colour.append(self.said[failed])
                continue
            self._colour.append(first + len(beyond))
            links = sorted(self.ids[one] for one in failed if one[0] == "link")
            brokers = sorted(self.ids[one] for one in failed if one[0] == "broker")
            beyond.append(Failure(tuple(links), tuple(brokers)))
        self.overlay: Overlay = build(self.estate, self.needs, beyond)[0]

    @cached_property
    def needs(self) -> Needs:
        """Of its topics."""
        return Needs.of(len(self.brokers), self.estate.topics)

    def needed(self, names: Sequence[str]) -> NDArray[np.bool_]:
        """bool[names, names]: whether messages of the first broker are needed at the second."""
        place = self.places(names)
        found = np.zeros((len(names), len(names)), np.bool_)
        if self.estate.topics:
            source, dest = Keys(len(self.brokers)).split_pair(self.needs.pairs)
            found[place[source], place[dest]] = True
        else:
            found[np.ix_(place, place)] = True
        np.fill_diagonal(found, False)
        return found

    def places(self, names: Sequence[str]) -> NDArray[np.int64]:
        """int64[brokers]: where each of its brokers stands in `names`."""
        index = {name: place for place, name in enumerate(names)}
        return np.array([index[name] for name in self.brokers], np.int64)

    def next_hops(self, number: int, names: Sequence[str]) -> NDArray[np.int64]:
        """int64[dest, loc] over `names`: the live next hop in a failure, by its number, or `_STOP`.

        A broker that has failed, or that there is not, has none; `loc` itself where a message stays.
        """
        overlay, colour = self.overlay, self._colour[number]
        n = overlay.n
        hops = overlay.base.astype(np.int64)
        keys = overlay.keys.pack(np.array((colour, colour + 1)), 0, 0)
        begin, end = np.searchsorted(overlay.delta_key, keys)
        hops.ravel()[overlay.delta_key[begin:end] - keys[0]] = overlay.delta_next[begin:end]
        up = ~overlay.failed_broker[colour]
        arcs = ~overlay.failed_link[colour][overlay.arc_link]
        arcs &= up[overlay.arc_tail] & up[overlay.arc_head]
        joined = np.zeros((n, n), np.bool_)
        joined[overlay.arc_tail[arcs], overlay.arc_head[arcs]] = True
        np.fill_diagonal(joined, up)
        loc = np.arange(n)
        hops[(hops == NO_HOP) | ~joined[loc, hops]] = _STOP
        place = self.places(names)
        found = np.full((len(names), len(names)), _STOP, np.int64)
        found[np.ix_(place, place)] = np.where(hops == _STOP, _STOP, place[hops])
        return found

    def down(self, number: int, names: Sequence[str]) -> NDArray[np.bool_]:
        """bool[names]: the brokers that have failed, or that there are not."""
        found = np.ones(len(names), np.bool_)
        found[self.places(names)] = self.overlay.failed_broker[self._colour[number]]
        return found

    def way(self, number: int, source: str, dest: str) -> Way:
        """The replay of one message."""
        if ("broker", source) not in self.ids or ("broker", dest) not in self.ids:
            return Way((), "absent")
        start, goal = self.ids["broker", source], self.ids["broker", dest]
        colour = self._colour[number]
        if self.overlay.failed_broker[colour, [start, goal]].any():
            return Way((), "failed")
        taken = walk(self.overlay, colour, start, goal)
        return Way(tuple(self.brokers[one] for one in taken.brokers), taken.end)

    def topics(self, source: str, dest: str) -> tuple[str, ...]:
        """The topics that need messages of one broker at another."""
        if not self.estate.topics or ("broker", source) not in self.ids or ("broker", dest) not in self.ids:
            return ()
        pair = self.ids["broker", source] * len(self.brokers) + self.ids["broker", dest]
        return tuple(self.estate.topics[topic].name for topic in self.needs.topics_of_pair(pair).tolist())


class _Told(NamedTuple):
    """A kind of change, and for which pairs: int64 each, places in the names."""

    kind: Kind
    source: NDArray[np.int64]
    dest: NDArray[np.int64]


class _Pairs:
    """The pairs of both estates, over the names of all brokers: those of the new one first."""

    def __init__(self, before: _Side, after: _Side) -> None:
        self.before = before
        self.after = after
        self.names = list(dict.fromkeys((*after.brokers, *before.brokers)))
        self.old = before.needed(self.names)
        self.new = after.needed(self.names)

    def changes(self, failures: Sequence[Circumstances]) -> tuple[Change, ...]:
        """All of them."""
        numbers: dict[tuple[Kind, int, int], list[int]] = {}
        for number in range(len(failures)):
            for told in self._in(number):
                for pair in zip(told.source.tolist(), told.dest.tolist(), strict=True):
                    numbers.setdefault((told.kind, *pair), []).append(number)
        found = []
        for (kind, source, dest), where in sorted(
            numbers.items(), key=lambda one: (KINDS.index(one[0][0]), *one[0][1:])
        ):
            found.append(self._change(kind, source, dest, where, failures))
        return tuple(found)

    def _change(
        self, kind: Kind, source: int, dest: int, where: Sequence[int], failures: Sequence[Circumstances]
    ) -> Change:
        names = self.names[source], self.names[dest]
        old, new = self.before.way(where[0], *names), self.after.way(where[0], *names)
        arrived = old.end == "arrived", new.end == "arrived"
        fits = {
            "broken": not arrived[1],
            "mended": arrived == (False, True),
            "moved": arrived == (True, True) and old != new,
            "added": arrived[1],
            "dropped": True,
        }
        if not fits[kind]:
            raise InternalError(f"a change did not replay: {kind} from {names[0]} to {names[1]}; please report it")
        topics = tuple(dict.fromkeys((*self.after.topics(*names), *self.before.topics(*names))))
        return Change(kind, *names, topics, tuple(failures[number] for number in where), old, new)

    def _in(self, number: int) -> Iterator[_Told]:
        """What changes in one failure."""
        old_hops, new_hops = (side.next_hops(number, self.names) for side in (self.before, self.after))
        old_down, new_down = (side.down(number, self.names) for side in (self.before, self.after))
        differs = (old_hops != new_hops).any(axis=1) | (old_down != new_down).any()
        wanted = (self.old | self.new) & (differs[None, :] | (self.old != self.new))
        # What has failed itself sends nothing and takes nothing, which is no fault of anyone's.
        wanted &= ~(new_down[:, None] | new_down[None, :]) | ~self.new
        source, dest = np.nonzero(wanted)
        if not source.size:
            return
        old_end, new_end, same = _followed(old_hops, new_hops, source, dest)
        old_end &= ~(old_down[source] | old_down[dest])
        new_end &= ~(new_down[source] | new_down[dest])
        before, after = self.old[source, dest], self.new[source, dest]
        kinds: dict[Kind, NDArray[np.bool_]] = {
            "broken": after & ~new_end & (old_end | ~before),
            "mended": after & before & new_end & ~old_end,
            "moved": after & before & new_end & old_end & ~same,
            "added": after & ~before & new_end,
            "dropped": before & ~after & ~(old_down[source] | old_down[dest]),
        }
        for kind, found in kinds.items():
            if found.any():
                yield _Told(kind, source[found], dest[found])


def _followed(
    old: NDArray[np.int64], new: NDArray[np.int64], source: NDArray[np.int64], dest: NDArray[np.int64]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_], NDArray[np.bool_]]:
    """For each pair: whether it arrives by the old and by the new next hops, and whether both take the same way."""
    n = len(old)
    places = [source.copy(), source.copy()]
    same = np.ones(source.size, np.bool_)
    for _ in range(n):
        moving = False
        for place, hops in zip(places, (old, new), strict=True):
            on = np.flatnonzero((place != dest) & (place != _STOP))
            if on.size:
                moving = True
                place[on] = hops[dest[on], place[on]]
        same &= places[0] == places[1]
        if not moving:
            break
    return places[0] == dest, places[1] == dest, same
