"""The picture of a relayed overlay: for every class of topics the ways of its copies, by the engine graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momlint.clock import limited
from momlint.errors import ReplayError
from momlint.relayed.classes import Passed, Rewritten
from momlint.relayed.fates import Fates, Told
from momlint.relayed.form import relay_of
from momlint.relayed.patterns import TooLarge
from momlint.view.drawing import MOST_TOPICS, drawn
from momlint.view.form import Fare, Pair, Picture, Places, State, Status, Subject, Way
from momlint.words import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from momlint.estate.load import LoadedEstate
    from momlint.findings import Finding

#: So many (class, broker) have their ways in a page.
MOST_PAIRS = 4_000


def draw(loaded: LoadedEstate, findings: Sequence[Finding], seconds: float, places: Places) -> Picture:
    """The picture of an estate; `findings`: those that may say that a message does not arrive."""
    estate = loaded.estate
    assert estate is not None
    picture = drawn(loaded, "relayed", places)
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
    _Copies(loaded, picture, fates, places).run(findings)
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
            if broker == origin or not self._is_wanted(one, broker, topic):
                continue
            reached.append(broker)
            called = fates.name(one.found, topic)
            label = name if called == name else f"{name} as {called}"
            picture.pairs.append(Pair(origin, broker, label, (number,), self._fare(one, broker, topic)))
        picture.topics.append(Subject(name, (origin,), tuple(dict.fromkeys(reached)), -1))

    def _is_wanted(self, one: Told, broker: int, topic: Rewritten) -> bool:
        if not self.fates.relay.wanted:
            return True
        return any(
            need.broker == broker and (need.pattern is None or self.fates.classes.meets(one.found, topic, need))
            for need in self.fates.relay.wanted
        )

    def _fare(self, one: Told, broker: int, topic: Rewritten) -> Fare:
        names = self.fates.relay.names
        copies = one.fate.arrivals.get((broker, topic), 0)
        if (broker, topic) in one.fate.endless:
            status: Status = "endless"
            says = f"comes to {names[broker]} again and again"
            arcs = self.fates.relay.arcs
            steps = [cycle for cycle in one.fate.cycles if any(arcs[step.arc].head == broker for step in cycle)][:1]
            ways = [self._way(arcs[cycle[0].arc].tail, cycle, says) for cycle in steps]
        else:
            status = "many" if copies > 1 else "ok"
            says = f"arrives at {names[broker]}" + (f", {counted(copies, 'copy', 'copies')}" if copies > 1 else "")
            ways = [self._way(one.found.origin, steps, says) for steps in one.fate.ways.get((broker, topic), ())]
        return Fare(status, tuple(self.picture.way(way) for way in ways))

    def _way(self, origin: int, steps: Sequence[Passed], says: str) -> Way:
        arcs = [self.fates.relay.arcs[step.arc] for step in steps]
        stops = (origin, *(arc.head for arc in arcs))
        lines = tuple(
            self.places.of(self.loaded, arc.entries[step.entry].place) for arc, step in zip(arcs, steps, strict=True)
        )
        return Way(stops, tuple(arc.link for arc in arcs), lines, says, True)
