"""The picture of a routed overlay: the walk of every pair in every state, by momlint's own replay of messages.

A walk is followed anew only in states that touch it: where nothing on it has failed and no entry on it is another one,
it is the same walk.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from momlint.routed.overlay import NO_HOP, NO_ROW, Overlay, walk
from momlint.routed.overlay.build import build
from momlint.routed.overlay.following import reached_from
from momlint.routed.overlay.needs import Needs
from momlint.routed.recovery.colours import Failure, count_tolerated, groups_of, tolerated
from momlint.routed.walk_ends import end_of, have_failed, link_of
from momlint.view.drawing import add_topics, drawn
from momlint.view.form import Fare, Pair, Picture, Places, Sight, State, Way

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.estate.load import LoadedEstate
    from momlint.estate.resolved import Estate

#: So many pairs have their walks in a page, and so many pairs times states.
MOST_PAIRS = 4_000
MOST_FARES = 6_000_000
#: So many next hops, pairs of brokers times states, are computed anew.
MOST_ENTRIES = 600_000_000
#: Where there are so few, pairs that no topic needs have theirs, too.
FEW_FARES = 60_000
#: Where they are followed at every change, a part as large as this of what is followed then.
FEW_AT_ONCE = 3
#: So many promised failures are looked at one by one.
MOST_PROMISED = 2_000


def draw(
    loaded: LoadedEstate,
    witnessed: Collection[tuple[str, str]],
    places: Places,
    sight: Sight = Sight(),  # noqa: B008 - it is a tuple
) -> Picture:
    """The picture of an estate; `witnessed`: pairs of brokers, by name, that findings speak of.

    The failure of `sight` has a state unless recovery rows say nothing of it.
    """
    estate = loaded.estate
    assert estate is not None
    picture = drawn(loaded, "routed", places, sight.spots)
    add_topics(picture, loaded, estate.topics, places)
    needs = Needs.of(len(estate.brokers), estate.topics)
    supposed = None if sight.failure is None else Failure(*sight.failure)
    states, beyond, start = _states(loaded, picture, needs, places, supposed, sight.most)
    # The first state of the picture is the usual one.
    order = [start, *(number for number in range(len(states)) if number != start)]
    picture.states = [states[number] for number in order]
    picture.needed = bool(estate.topics)
    if sight.most is not None and len(states) * _most_pairs(estate, needs) > sight.most:
        chosen = (one for one in order[1:] if supposed == Failure(states[one].links, states[one].brokers))
        followed = [start, *([one] if (one := next(chosen, None)) is not None else [])]
        picture.states = [
            one._replace(is_open=at not in followed) for at, one in zip(order, picture.states, strict=True)
        ]
        if estate.recovery_rows is None:
            # Next hops are computed in no other colour.
            estate = replace(estate, colours=(), colours_declared=False)
            overlay = build(estate, needs, [] if len(followed) == 1 else [Failure(*states[followed[1]][2:4])])[0]
            colours = [followed.index(number) if number in followed else -1 for number in order]
        else:
            overlay = build(estate, needs)[0]
            colours = [number if number in followed else -1 for number in order]
    else:
        overlay, colours = build(estate, needs, beyond)[0], order
    _Walks(loaded, picture, overlay, needs, colours, places, sight.most).run(witnessed, sight.before)
    return picture


def _most_pairs(estate: Estate, needs: Needs) -> int:
    return max(1, min(MOST_PAIRS, len(needs.pairs) if estate.topics else len(estate.brokers) ** 2))


def _states(
    loaded: LoadedEstate,
    picture: Picture,
    needs: Needs,
    places: Places,
    supposed: Failure | None,
    most: int | None,
) -> tuple[list[State], list[Failure], int]:
    """All states in the order of the overlay's colours, those failures that are no colours, and the usual one."""
    estate = loaded.estate
    assert estate is not None
    states = [
        State(
            colour.name,
            "colour",
            tuple(colour.failed_links),
            tuple(colour.failed_brokers),
            places.of(loaded, colour.place.key),
        )
        for colour in (estate.colours if estate.colours_declared else ())
    ] or [State("", "supposed", (), ())]
    known = {Failure(one.links, one.brokers) for one in states}
    extra: list[Failure] = []
    if estate.recovery_rows is None:
        if supposed is not None and supposed not in known:
            known.add(supposed)
            extra.append(supposed)
            states.append(State(_named(estate, supposed), "supposed", *supposed))
        fares = MOST_FARES if most is None else most
        most_states = min(fares // _most_pairs(estate, needs), MOST_ENTRIES // max(1, len(estate.brokers)) ** 2)
        promised = [one for one in _promised(estate, picture) if one not in known]
        if Failure() in promised or Failure() not in known:
            extra.append(Failure())
            states.append(State("", "supposed", (), ()))
            promised = [one for one in promised if one != Failure()]
        single = [Failure((link,)) for link in range(len(estate.links))]
        single += [Failure((), (broker,)) for broker in range(len(estate.brokers))]
        for kind, failures in (
            ("promised", promised),
            ("supposed", [one for one in single if one not in {*known, *promised}]),
        ):
            if len(states) + len(failures) > most_states:
                what = (
                    "failures that the estate promises to survive"
                    if kind == "promised"
                    else "failures of single links and brokers"
                )
                instead = "" if most is None else " Make one fail to see what it does."
                picture.notes.append(f"{len(failures):,} {what} are left out here: there are too many.{instead}")
                continue
            extra += failures
            states += [
                State(_named(estate, one), "promised" if kind == "promised" else "supposed", *one) for one in failures
            ]
    usual = next((number for number, one in enumerate(states) if not one.links and not one.brokers), 0)
    return states, extra, usual


def _promised(estate: Estate, picture: Picture) -> list[Failure]:
    promise = estate.tolerate
    if promise is None:
        return []
    number = count_tolerated(len(estate.links), len(estate.brokers), promise, len(estate.groups))
    if number > MOST_PROMISED:
        picture.notes.append(
            f"{number:,} failures that the estate promises to survive are left out here: there are too many."
        )
        return []
    return list(tolerated(len(estate.links), len(estate.brokers), promise, groups_of(estate)))


def _named(estate: Estate, failure: Failure) -> str:
    return " + ".join(
        [estate.links[one].id for one in failure.links] + [estate.brokers[one].id for one in failure.brokers]
    )


class _Walks:
    """The walks of a picture. `order`: the overlay's colours in the order of the picture's states; -1 for open ones."""

    def __init__(
        self,
        loaded: LoadedEstate,
        picture: Picture,
        overlay: Overlay,
        needs: Needs,
        order: list[int],
        places: Places,
        most: int | None,
    ) -> None:
        assert loaded.estate is not None
        self.loaded = loaded
        self.estate = loaded.estate
        self.picture = picture
        self.overlay = overlay
        self.needs = needs
        self.order = order
        self.places = places
        self.most = most
        self._lines: dict[tuple[int, int], int] = {}
        self._reached: dict[tuple[int, int], set[int]] = {}

    def run(self, witnessed: Collection[tuple[str, str]], before: Picture | None) -> None:
        """Every pair in the usual state, and in those others that touch its walk. `before`: as `Sight` has it."""
        if before is not None:
            self.picture.pairs = [self._known(before, pair) for pair in before.pairs]
        else:
            self.picture.pairs = [self._pair(tail, head) for tail, head in self._pairs(witnessed)]
        for state, colour in [one for one in enumerate(self.order) if one[1] >= 0][1:]:
            for number in self._touched(colour):
                pair = self.picture.pairs[number]
                fare = self._fare(colour, pair.tail, pair.head, pair.usual)
                if fare != pair.usual:
                    pair.others[state] = fare

    def _pairs(self, witnessed: Collection[tuple[str, str]]) -> list[tuple[int, int]]:
        """Those that are needed, as many as fit, and all where there are few."""
        n, states = self.overlay.n, len(self.order)
        most = max(1, min(MOST_PAIRS, MOST_FARES // states))
        needed = self.overlay.pair_source.size
        ends = (self.overlay.pair_source[:most].tolist(), self.overlay.pair_dest[:most].tolist())
        pairs = list(zip(*ends, strict=True))
        if needed > most:
            self.picture.notes.append(
                f"{most:,} of {needed:,} pairs have their walks here; `momlint trace` shows those of the others."
            )
        seen = set(pairs)
        index = {broker.id: number for number, broker in enumerate(self.estate.brokers)}
        for source, dest in sorted(witnessed):
            pair = (index.get(source, -1), index.get(dest, -1))
            if -1 not in pair and pair[0] != pair[1] and pair not in seen:
                seen.add(pair)
                pairs.append(pair)
        is_few = n * (n - 1) * states <= FEW_FARES
        if is_few and (self.most is None or n * (n - 1) * states <= self.most // FEW_AT_ONCE):
            pairs += [(a, b) for a in range(n) for b in range(n) if a != b and (a, b) not in seen]
        return pairs

    def _pair(self, tail: int, head: int) -> Pair:
        topics = self.needs.topics_of_pair(tail * self.overlay.n + head).tolist() if self.estate.topics else []
        shown = tuple(topic for topic in topics if topic < len(self.picture.topics))
        return Pair(tail, head, "", shown, self._fare(self.order[0], tail, head, None))

    def _known(self, before: Picture, pair: Pair) -> Pair:
        """A pair of a picture of the same estate, with its usual walk and without others."""
        ways = tuple(self.picture.way(before.ways[way]) for way in pair.usual.ways)
        return Pair(pair.tail, pair.head, pair.label, pair.topics, Fare(pair.usual.status, ways))

    def _touched(self, colour: int) -> Iterator[int]:
        """The pairs whose usual walk may be another one in this colour."""
        overlay, usual = self.overlay, self.order[0]
        if overlay.failed_link[usual].any() or overlay.failed_broker[usual].any():
            # What is alive again may be used.
            yield from range(len(self.picture.pairs))
            return
        owner, dest, tail, link = self._steps
        dead = np.append(overlay.failed_link[colour], False)[link]
        dead |= overlay.failed_broker[colour][tail]
        dead |= overlay.failed_broker[colour][dest]
        for_colour = overlay.keys.pack(colour, dest, tail)
        if overlay.delta_key.size:
            at = np.minimum(np.searchsorted(overlay.delta_key, for_colour), overlay.delta_key.size - 1)
            dead |= overlay.delta_key[at] == for_colour
        # What does not arrive may have no path any more, or have one again.
        astray = [number for number, pair in enumerate(self.picture.pairs) if pair.usual.status != "ok"]
        yield from sorted({*owner[dead].tolist(), *astray})

    @cached_property
    def _steps(self) -> tuple[NDArray[np.int64], ...]:
        """Every hop of the usual walks, and where one stops: its pair, destination, broker and link (or -1)."""
        rows = []
        for number, pair in enumerate(self.picture.pairs):
            for way in pair.usual.ways:
                one = self.picture.ways[way]
                rows += [(number, pair.head, *step) for step in zip(one.stops, (*one.cables, -1), strict=False)]
        return tuple(np.array(rows, np.int64).reshape(len(rows), 4).T)

    def _fare(self, colour: int, tail: int, head: int, usual: Fare | None) -> Fare:
        """How a message fares, and whether that is other than usual."""
        overlay = self.overlay
        down = [self.estate.brokers[one].id for one in (tail, head) if overlay.failed_broker[colour, one]]
        if down:
            # No table speaks for it: a broker that has failed sends nothing and takes nothing.
            return Fare("cut", (self.picture.way(Way((), (), (), f"no walk: {have_failed(down)}", False)),))
        taken = walk(overlay, colour, tail, head)
        stops = (*taken.brokers, taken.refused) if taken.refused != NO_HOP else taken.brokers
        cables = tuple(
            link_of(overlay, colour, one, other)[0] for one, other in zip(taken.brokers, stops[1:], strict=False)
        )
        lines = tuple(self._line(row, head) for row in taken.rows[: len(cables)])
        says = end_of(self.estate, overlay, colour, taken, head)
        way = self.picture.way(Way(stops, cables, lines, says, taken.end == "arrived", taken.refused != NO_HOP))
        if taken.end != "arrived":
            return Fare("lost" if head in self._reach(colour, tail) else "cut", (way,))
        before = None if usual is None else self.picture.ways[usual.ways[0]]
        same = before is None or (before.arrives and before.stops == stops)
        return Fare("ok" if same else "moved", (way,))

    def _reach(self, colour: int, source: int) -> set[int]:
        key = (colour, source)
        if key not in self._reached:
            self._reached[key] = reached_from(self.overlay, *key)
        return self._reached[key]

    def _line(self, row: int, goal: int) -> int:
        if row == NO_ROW:
            return -1
        if (row, goal) not in self._lines:
            if self.estate.recovery_rows is not None:
                place = self.estate.recovery_rows[row].place
            else:
                place = self.estate.table_rows[row].destination_place(goal)
            self._lines[row, goal] = self.places.of(self.loaded, place)
        return self._lines[row, goal]
