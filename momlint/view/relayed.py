"""The picture of a relayed overlay: for every class of topics the ways of its copies, by the engine graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momlint.clock import limited
from momlint.errors import ReplayError
from momlint.relayed.classes import Passed, Rewritten
from momlint.relayed.fates import Fates, Told
from momlint.relayed.form import relay_of
from momlint.relayed.patterns import Constrained, Tokens, TooLarge
from momlint.relayed.resilience import Element, failing, taken, without
from momlint.view.drawing import MOST_TOPICS, drawn
from momlint.view.form import Fare, Pair, Picture, Places, Sight, State, Status, Subject, Way
from momlint.words import counted, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from momlint.estate.load import LoadedEstate
    from momlint.findings import Finding

#: So many (class, broker) have their ways in a page.
MOST_PAIRS = 4_000


def draw(
    loaded: LoadedEstate,
    findings: Sequence[Finding],
    seconds: float,
    places: Places,
    sight: Sight = Sight(),  # noqa: B008 - it is a tuple
) -> Picture:
    """The picture of an estate; `findings`: those that may say that a message does not arrive.

    The failure of `sight` has a state if it can be followed.
    """
    estate = loaded.estate
    assert estate is not None
    picture = drawn(loaded, "relayed", places, sight.spots)
    picture.states = [State("", "supposed", (), ())]
    picture.needed = False
    fates = Fates(relay_of(estate), "graph")
    try:
        done = limited(seconds, lambda: _work_out(fates))
    except (TooLarge, ReplayError):
        done = None
    if done is None:
        picture.notes.append("What becomes of messages is not drawn: there is too much to look at.")
        return picture
    copies = _Copies(loaded, picture, fates, places)
    copies.run(findings)
    if sight.failure is not None and any(sight.failure):
        copies.fail(*sight.failure, seconds)
    return picture


def _work_out(fates: Fates) -> bool:
    fates.work_out()
    return True


class _Copies:
    def __init__(self, loaded: LoadedEstate, picture: Picture, fates: Fates, places: Places) -> None:
        self.loaded = loaded
        self.picture = picture
        self.fates = fates
        self.places = places
        #: What each pair is about: a class, and what it is called at the broker that it comes to.
        self.told: list[tuple[Told, Rewritten]] = []

    def run(self, findings: Sequence[Finding]) -> None:
        """A topic for each class, a pair for each broker at which it is wanted and arrives; then what does not."""
        picture, names = self.picture, self.fates.relay.names
        told = self.fates.told
        for one in told[:MOST_TOPICS]:
            self._class(one)
        if len(told) > MOST_TOPICS or len(picture.pairs) > MOST_PAIRS:
            picture.notes.append(f"{counted(len(told), 'class', 'classes')} of topics are too many to show all ways.")
            del picture.pairs[MOST_PAIRS:]
        index = {name: number for number, name in enumerate(names)}
        topics = {(subject.name, subject.publishers): number for number, subject in enumerate(picture.topics)}
        for finding in findings:
            witness = finding.witness
            if (
                finding.code != "MOM803"
                or witness is None
                or witness.source not in index
                or witness.destination not in index
            ):
                continue
            tail, head = index[witness.source], index[witness.destination]
            topic = topics.get((witness.topic or "", (tail,)), -1)
            way = picture.way(Way((tail,), (), (), finding.message, False))
            picture.pairs.append(
                Pair(tail, head, witness.topic or "", (topic,) if topic >= 0 else (), Fare("lost", (way,)))
            )

    def _class(self, one: Told) -> None:
        picture, fates, origin = self.picture, self.fates, one.found.origin
        number = len(picture.topics)
        name = fates.name(one.found)
        reached = []
        for broker, topic in sorted({*one.fate.arrivals, *one.fate.endless}):
            if broker == origin or not self._is_wanted(fates, one, broker, topic):
                continue
            reached.append(broker)
            called = fates.name(one.found, topic)
            label = name if called == name else f"{name} as {called}"
            fare = self._fare(self.fates, one, broker, topic)
            picture.pairs.append(Pair(origin, broker, label, (number,), fare))
            self.told.append((one, topic))
        picture.topics.append(Subject(name, (origin,), tuple(dict.fromkeys(reached)), -1))

    def _is_wanted(self, fates: Fates, one: Told, broker: int, topic: Rewritten) -> bool:
        if not fates.relay.wanted:
            return True
        return any(
            need.broker == broker and (need.pattern is None or fates.classes.meets(one.found, topic, need))
            for need in fates.relay.wanted
        )

    def _fare(self, fates: Fates, one: Told, broker: int, topic: Rewritten) -> Fare:
        names = fates.relay.names
        copies = one.fate.arrivals.get((broker, topic), 0)
        if (broker, topic) in one.fate.endless:
            status: Status = "endless"
            says = f"comes to {names[broker]} again and again"
            arcs = fates.relay.arcs
            steps = [cycle for cycle in one.fate.cycles if any(arcs[step.arc].head == broker for step in cycle)][:1]
            ways = [self._way(fates, arcs[cycle[0].arc].tail, cycle, says) for cycle in steps]
        else:
            status = "many" if copies > 1 else "ok"
            says = f"arrives at {names[broker]}" + (f", {counted(copies, 'copy', 'copies')}" if copies > 1 else "")
            ways = [self._way(fates, one.found.origin, steps, says) for steps in one.fate.ways.get((broker, topic), ())]
        return Fare(status, tuple(self.picture.way(way) for way in ways))

    def _way(self, fates: Fates, origin: int, steps: Sequence[Passed], says: str) -> Way:
        arcs = [fates.relay.arcs[step.arc] for step in steps]
        stops = (origin, *(arc.head for arc in arcs))
        lines = tuple(
            self.places.of(self.loaded, arc.entries[step.entry].place) for arc, step in zip(arcs, steps, strict=True)
        )
        return Way(stops, tuple(arc.link for arc in arcs), lines, says, True)

    # -- what fails ---------------------------------------------------------------------------------------------------

    def fail(self, links: tuple[int, ...], brokers: tuple[int, ...], seconds: float) -> None:
        """A state in which these have failed, each link with its connection, unless there is too much to look at."""
        relay = self.fates.relay
        failed = failing(relay, links, brokers)
        try:
            found = limited(seconds, lambda: self._failed(failed, set(brokers))) if self.fates.whole else None
        except (TooLarge, ReplayError):
            found = None
        if found is None:
            return
        lost, fares = found
        told = tuple((source, relay.wanted[number].broker, relay.wanted[number].name) for source, number in lost)
        state = len(self.picture.states)
        # Where nobody says what is wanted, pairs tell what is lost.
        name = " + ".join(one.name for one in failed)
        self.picture.states.append(State(name, "supposed", links, brokers, -1, told if relay.wanted else None))
        for pair, fare in zip(self.picture.pairs, fares, strict=False):
            if fare != pair.usual:
                pair.others[state] = fare

    def _failed(self, failed: Sequence[Element], down: set[int]) -> tuple[list[tuple[int, int]], list[Fare]]:
        """Who no longer gets what, and how each pair fares."""
        left = Fates(without(self.fates.relay, failed), "graph")
        left.work_out()
        parts = _Parts(self.fates, left)
        fares = [
            self._left(left, parts.of(one), pair, topic, down)
            for pair, (one, topic) in zip(self.picture.pairs, self.told, strict=False)
        ]
        return taken(self.fates, left, failed), fares

    def _left(
        self, left: Fates, parts: Sequence[tuple[Told, Tokens]] | None, pair: Pair, topic: Rewritten, down: set[int]
    ) -> Fare:
        """How a class fares in what is left: as the part that fares worst. `parts`: None for one that is as ever."""
        names = left.relay.names
        failed = [names[broker] for broker in (pair.tail, pair.head) if broker in down]
        if failed:
            says = f"no walk: {joined(failed)} {'has' if len(failed) == 1 else 'have'} failed"
            return Fare("cut", (self.picture.way(Way((), (), (), says, False)),))
        if parts is None:
            return pair.usual
        fares = [
            self._part(left, other, pair, (*topic.add, *example[topic.cut :]), example) for other, example in parts
        ]
        return max(fares, key=lambda one: _RANKS.index(one.status), default=pair.usual)

    def _part(self, left: Fates, other: Told, pair: Pair, called: Tokens, example: Tokens) -> Fare:
        """`example`: a topic of the part; `called`: what it is called usually where it comes to."""
        for broker, topic in sorted({*other.fate.arrivals, *other.fate.endless}):
            if broker != pair.head:
                continue
            same = (*topic.add, *example[topic.cut :]) == called
            if same or (left.relay.wanted and self._is_wanted(left, other, broker, topic)):
                fare = self._fare(left, other, broker, topic)
                return fare._replace(status="moved") if fare.status == "ok" and fare != pair.usual else fare
        names = left.relay.names
        is_cut = pair.head not in _reached(left, pair.tail)
        says = f"no links lead to {names[pair.head]} any more" if is_cut else f"does not come to {names[pair.head]}"
        way = Way((pair.tail,), (), (), says, False)
        return Fare("cut" if is_cut else "lost", (self.picture.way(way),))


class _Parts:
    """The classes of what is left that hold topics of a class as it usually is."""

    def __init__(self, fates: Fates, left: Fates) -> None:
        self.left = left
        self._known: dict[int, list[tuple[Told, Tokens]] | None] = {}
        self._classes: dict[int, list[Told]] = {}
        for one in left.told:
            self._classes.setdefault(one.found.origin, []).append(one)
        before, after = fates.relay, left.relay
        alive = {number for several in after.outs for number in several}
        # What no longer carries, or carries between other brokers.
        self._other = {
            number for number, arc in enumerate(before.arcs) if number not in alive or after.arcs[number] != arc
        }
        self._tails = {after.arcs[number].tail for number in self._other & alive}

    def of(self, one: Told) -> list[tuple[Told, Tokens]] | None:
        """Each with a topic that both have; None where nothing that the class crosses is other than usual."""
        if id(one) not in self._known:
            self._known[id(one)] = self._found(one) if self._is_touched(one) else None
        return self._known[id(one)]

    def _is_touched(self, one: Told) -> bool:
        if self.left.relay.asks:
            return True  # what is wanted elsewhere decides, too
        steps = one.found.steps
        return any(broker in self._tails for broker, _ in steps) or any(
            passed.arc in self._other for several in steps.values() for passed in several
        )

    def _found(self, one: Told) -> list[tuple[Told, Tokens]]:
        found = []
        mine = one.found.topics
        for other in self._classes.get(one.found.origin, ()):
            theirs = other.found.topics
            if any(left != right for left, right in zip(mine.beginning, theirs.beginning, strict=False)):
                continue
            both = Constrained((*mine.inside, *theirs.inside), (*mine.outside, *theirs.outside))
            example = self.left.classes.sets.example(both)
            if example is not None:
                found.append((other, example))
        return found


#: From what is as usual to what is not.
_RANKS: tuple[Status, ...] = ("ok", "moved", "many", "endless", "lost", "cut")


def _reached(fates: Fates, source: int) -> set[int]:
    """The brokers to which links lead, whatever these let pass."""
    found, waiting = {source}, [source]
    while waiting:
        broker = waiting.pop()
        for number in fates.relay.outs[broker]:
            head = fates.relay.arcs[number].head
            if head not in found:
                found.add(head)
                waiting.append(head)
    return found
