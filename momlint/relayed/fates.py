"""What becomes of every class, by one engine or by both: the questions of a relayed overlay, each asked once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

from momlint.errors import ReplayError
from momlint.relayed.classes import Classes, Rewritten, TopicClass
from momlint.relayed.form import Need, Relay
from momlint.relayed.graph import Fate, Guards, fate
from momlint.relayed.patterns import TooLarge
from momlint.solving.limits import GaveUp
from momlint.words import joined

if TYPE_CHECKING:
    from momlint.discipline import EngineChoice
    from momlint.relayed.smt import Answer

#: So many classes of an overlay get a second opinion, the first ones.
MOST_SECOND = 60
#: So many brokers are named of which not all classes are known.
_MOST_NAMED = 5
#: Why they are not.
TOO_MANY = "filters and prefixes tell too many topics apart"


class Told(NamedTuple):
    """A class with its fate."""

    found: TopicClass
    fate: Fate


@dataclass
class Fates:
    """Of every class, in the order of the brokers. `engine`: who decides. `timeout`: seconds for a solver question."""

    relay: Relay
    engine: EngineChoice = "auto"
    solver: str = "z3"
    timeout: float | None = None
    classes: Classes = field(init=False)
    told: list[Told] = field(default_factory=list)
    undecided: list[tuple[str, str]] = field(default_factory=list)
    decided_twice: int = 0
    #: What smt said to each question: of many exchanges that are federated alike, all ask the same.
    _answers: dict[object, Answer] = field(default_factory=dict, init=False, repr=False)
    #: Whether every class is among `told`. Until then nothing can be said of what never comes or is never used.
    whole: bool = False

    def __post_init__(self) -> None:
        self.classes = Classes(self.relay)

    def work_out(self) -> None:
        """All fates. Raises `ReplayError` where the engines disagree.

        Where one broker's classes are too many, the others are still worked out, and it is kept in `undecided`.
        """
        open_ones: list[str] = []
        for origin in dict.fromkeys(need.broker for need in self.relay.published):
            if self.relay.estate.brokers[origin].external:
                continue
            try:
                for found in self.classes.of(origin):
                    one = fate(self.relay, found)
                    self.told.append(Told(found, one))
                    if self.engine in ("smt", "auto"):
                        self._again(found, one)
            except TooLarge:
                open_ones.append(f"`{self.relay.names[origin]}`")
        if open_ones:
            more = [f"{len(open_ones) - _MOST_NAMED:,} more"] if len(open_ones) > _MOST_NAMED else []
            what = f"what becomes of all that is published at {joined([*open_ones[:_MOST_NAMED], *more])}"
            self.undecided.append((what, TOO_MANY))
        self.whole = not open_ones

    def _again(self, found: TopicClass, one: Fate) -> None:
        """A second opinion, where it costs little or smt was asked for; not on a topic that gets longer for ever."""
        from momlint.relayed.smt import SMALL_COPIES, SMALL_STEPS, decide

        steps = sum(map(len, found.steps.values()))
        small = steps <= SMALL_STEPS and sum(one.arrivals.values()) <= SMALL_COPIES
        if one.growth or not (self.engine == "smt" or (small and self.decided_twice < MOST_SECOND)):
            return
        question = _question(found)
        answer = self._answers.get(question)
        if answer is None:
            try:
                answer = self._answers[question] = decide(self.relay, found, self.solver, self.timeout)
            except GaveUp as reason:
                if self.engine == "smt":
                    self.undecided.append((f"what becomes of `{self.name(found)}`", str(reason)))
                return
        self.decided_twice += 1
        agree = answer.loops == bool(one.cycles) and (answer.loops or answer.arrivals == one.arrivals)
        if not agree:
            raise ReplayError(f"graph and smt differ on `{self.name(found)}` from `{self.relay.names[found.origin]}`")

    def name(self, found: TopicClass, topic: Rewritten = Rewritten()) -> str:  # noqa: B008 - it is a tuple
        """The example of a class, as it is called by now."""
        return self.relay.language.text(found.called(topic))

    def unguarded(self, *, hops: bool, visited: bool) -> Iterator[Told]:
        """The fates without some guards; what then gets longer for ever is left out.

        Classes depend on limits on hops, and on no other guard: with these they are those that are known already.
        """
        if hops or not self.relay.most_hops:
            for one in self.told:
                yield Told(one.found, fate(self.relay, one.found, Guards(hops, visited)))
            return
        arcs = self.relay.arcs if hops else tuple(arc._replace(max_hops=None) for arc in self.relay.arcs)
        relay = replace(self.relay, arcs=arcs, most_hops=self.relay.most_hops if hops else 0)
        classes = Classes(relay)
        for origin in dict.fromkeys(need.broker for need in relay.published):
            for found in classes.of(origin):
                yield Told(found, fate(relay, found, Guards(hops, visited)))

    def arrives(self, one: Told, need: Need) -> bool:
        """Whether the class comes to a need under a name that it means, the publisher's own broker included."""
        places = {*one.fate.arrivals, *one.fate.endless, (one.found.origin, Rewritten())}
        return any(
            broker == need.broker and self.classes.meets(one.found, topic, need) for broker, topic in sorted(places)
        )


def _question(found: TopicClass) -> object:
    """All that an answer depends on: which arcs let the class pass and as what, whatever its topics are."""
    steps = tuple((place, tuple((one.arc, one.topic) for one in several)) for place, several in found.steps.items())
    return found.origin, steps, frozenset(found.deep)
