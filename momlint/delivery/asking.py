"""What is asked of the protocol of a design, within a bound, and how it was answered.

Each safeguard that a design does without is looked at by itself, with all others in place: what goes wrong then has one
cause. Those that do no harm by themselves are then looked at together.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final, NamedTuple

from momlint.delivery.explore import explore
from momlint.delivery.form import Safeguards
from momlint.delivery.replay import Told, replay
from momlint.delivery.ways import Case
from momlint.delivery.world import FAULTS, Bound, Fault, Member, Story, World
from momlint.errors import ReplayError
from momlint.solving.limits import GaveUp, SolverLimits

if TYPE_CHECKING:
    from momlint.discipline import Request

#: Seconds for all that is asked of a design, where `--timeout` does not say otherwise.
SECONDS: Final = 60.0
#: z3 resource units for a question, and for a second opinion; that is asked for designs of at most this `size`.
RLIMIT: Final = 400_000_000
SECOND_RLIMIT: Final = 20_000_000
SMALL: Final = 12
#: Ticks of a search that nobody waits for, and what it looks for, in this order.
_LOOK: Final = 50
_TELLING: Final[tuple[Fault, ...]] = ("number", "order", "twice", "lost")
EXPLORER: Final = "graph"
SOLVER: Final = "smt"

#: A safeguard that may be missing: its name, and how `Safeguards` has it then.
_MISSING: Final = {
    "counters": {"counters": False},
    "subscriptions": {"subscriptions": False},
    "seen": {"seen": False},
    "acknowledge": {"early": True},
    "retransmit": {"retransmit": False},
}
#: Which rule speaks of a fault, by what is missing; where nothing is, or several together, see `_code`.
_BY_CAUSE: Final = {
    "counters": "MOM826",
    "subscriptions": "MOM826",
    "acknowledge": "MOM827",
    "retransmit": "MOM827",
}
_BY_FAULT: Final[dict[Fault, str]] = {"number": "MOM826", "lost": "MOM827", "twice": "MOM828", "order": "MOM829"}


class OutOfTime(Exception):
    """The time for a question is over."""


class _Enough(Exception):
    """A search that nobody waits for has taken long enough."""


class Wrong(NamedTuple):
    """What goes wrong, and why: `causes`, the safeguards that are missing; a story that was replayed."""

    code: str
    causes: tuple[str, ...]
    world: World
    story: Story
    told: tuple[Told, ...]


@dataclass(slots=True)
class Asked(Case):
    """A case, and what was asked about its protocol. `undecided`, `disagreements`: (subject, why)."""

    request: Request | None = None
    undecided: list[tuple[str, str]] = field(default_factory=list)
    disagreements: list[tuple[str, str]] = field(default_factory=list)
    engines: set[str] = field(default_factory=set)
    questions: int = 0
    decided_twice: int = 0
    _wrongs: list[Wrong] | None = None
    _deadline: float = 0.0

    @property
    def bound(self) -> Bound:
        """Up to what is looked: what was asked for, else three events, two publishers, what `tolerate` promises."""
        asked = self.request.bound if self.request is not None else ()
        given = {name: most for name, most in asked if name in Bound._fields}
        promised = self.design.promise.brokers if self.design.promise is not None else 0
        default = Bound(crashes=promised)
        return default._replace(**given)

    def world(self, safeguards: Safeguards | None = None) -> World | None:
        """What the protocol is checked on; None where something that it takes is not known, or nothing is to check."""
        design, tree, way = self.design, self.tree, self.design.way
        starved = self.starved()
        if tree is None or way is None or design.promise is None or starved is None:
            return None
        if not self.publishers or not self.subscribers:
            return None
        hungry = {one.subscriber.name for one in starved}
        bound = self.bound
        members = tuple(
            Member(client.site, client.publishes, frozenset(client.subscribes), client.name not in hungry)
            for client in design.clients or ()
        )
        # A site that may lose all its brokers is the affair of MOM825.
        spare = tuple(min(design.promise.brokers, bound.crashes, len(site.brokers) - 1) for site in tree.sites)
        parents = tuple(-1 if site.parent is None else site.parent for site in tree.sites)
        sequencer = tree.root if way.sequencer is None else way.sequencer
        own = way.safeguards if safeguards is None else replace(safeguards, ordered=way.safeguards.ordered)
        return World(parents, spare, members, way.filtering, way.order, way.numbering, sequencer, own, bound)

    def missing(self) -> list[str]:
        """The safeguards that the design does without, by name."""
        assert self.design.way is not None
        safe = self.design.way.safeguards
        has = {
            "counters": safe.counters,
            "subscriptions": safe.subscriptions,
            "seen": safe.seen,
            "acknowledge": not safe.early,
            "retransmit": safe.retransmit,
        }
        return [name for name, there in has.items() if not there]

    def wrongs(self) -> list[Wrong]:
        """Everything that was found, asked once."""
        if self._wrongs is None:
            self._wrongs = []
            seconds = (self.request.timeout if self.request is not None else None) or SECONDS
            self._deadline = time.monotonic() + seconds
            try:
                self._ask(self._wrongs)
            except OutOfTime:
                self.undecided.append((self.subject(), f"it takes more than {seconds:g} s"))
            except GaveUp as error:
                self.undecided.append((self.subject(), str(error)))
        return self._wrongs

    def found(self) -> list[Wrong]:
        """What was found so far: nothing where no rule has asked."""
        return self._wrongs or []

    def subject(self) -> str:
        """What is asked, within which bound."""
        return f"whether events are lost, doubled or out of order {self.within()}"

    def within(self) -> str:
        """The bound in words."""
        events, publishers, crashes = self.bound
        failing = f"{crashes:,} crash{'es' * (crashes != 1)} or false suspicion{'s' * (crashes != 1)}"
        of = f" of {publishers:,} publisher{'s' * (publishers != 1)}"
        return f"with up to {events:,} event{'s' * (events != 1)}{of} and {failing if crashes else 'no crash'}"

    def _ask(self, wrongs: list[Wrong]) -> None:
        world = self.world()
        if world is None:
            return
        missing = self.missing()
        harmless = []
        for name in missing:
            found = self._without((name,))
            wrongs += found
            if not found:
                harmless.append(name)
        if len(harmless) > 1 or not missing:
            wrongs += self._without(tuple(harmless))

    def _without(self, causes: tuple[str, ...]) -> list[Wrong]:
        """What goes wrong without these safeguards, with all others in place."""
        world = self.world(replace(Safeguards(), **{k: v for one in causes for k, v in _MISSING[one].items()}))
        assert world is not None
        return self._told(causes, world, self._decide(causes, world))

    def _tick(self) -> None:
        if time.monotonic() > self._deadline:
            raise OutOfTime

    def _decide(self, causes: tuple[str, ...], world: World) -> dict[Fault, Story]:
        """What goes wrong, by one engine or by both; told by the same stories whichever is asked."""
        assert self.request is not None
        self.questions += 1
        if self.request.engine == SOLVER:
            self.engines.add(SOLVER)
            return self._retold(causes, world, self._solve(world, FAULTS, RLIMIT))
        self.engines.add(EXPLORER)
        found = self._explore(causes, world)
        if self.request.engine == "auto" and size(world) <= SMALL:
            self._second(world, found)
        return found

    def _explore(self, causes: tuple[str, ...], world: World) -> dict[Fault, Story]:
        """What the search finds first, and what else it finds soon."""
        found = explore(world, FAULTS, self._tick, first=True)
        # That something is wrong is known; what else is worth a look, and no more.
        for fault in _TELLING if found else ():
            told = {_code(one, causes) for one in found if one != "lost"}
            if fault not in found and may_be(world, fault) and _code(fault, causes) not in told:
                left = iter(range(_LOOK))

                def tick(left: Iterator[int] = left) -> None:
                    self._tick()
                    if next(left, None) is None:
                        raise _Enough

                with contextlib.suppress(_Enough):
                    found |= explore(world, (fault,), tick, first=True)
        return found

    def _retold(self, causes: tuple[str, ...], world: World, solved: dict[Fault, Story]) -> dict[Fault, Story]:
        """What a solver has found, by the stories that the search tells of it: a model is any run, and no short one.

        Its own are told of what the search has not come to.
        """
        if not solved:
            return {}
        try:
            found = self._explore(causes, world)
        except OutOfTime:
            return solved
        if not found or not found.keys() <= solved.keys():
            self._differ(found, solved)
        told = {_code(fault, causes) for fault in found}
        return found | {fault: story for fault, story in solved.items() if _code(fault, causes) not in told}

    def _solve(self, world: World, wanted: Collection[Fault], rlimit: int) -> dict[Fault, Story]:
        """What a solver finds. Raises `OutOfTime`, and `GaveUp` where it is the solver's own limit."""
        from momlint.delivery.smt import decide

        assert self.request is not None
        limits = SolverLimits(rlimit, self._deadline, self.request.timeout or SECONDS)
        return decide(world, wanted, limits, self.request.solver)

    def _second(self, world: World, found: dict[Fault, Story]) -> None:
        """Ask a solver as well: for what was found, or for anything where nothing was."""
        try:
            other = self._solve(world, tuple(found) or FAULTS, SECOND_RLIMIT)
        except GaveUp:
            return  # one engine has decided
        self.engines.add(SOLVER)
        self.decided_twice += 1
        if set(other) != set(found):
            self._differ(found, other)
        for story in other.values():
            try:
                replay(world, story)
            except ReplayError as error:
                self.disagreements.append((self.subject(), f"the trace of {SOLVER} does not replay: {error}"))

    def _differ(self, found: dict[Fault, Story], solved: dict[Fault, Story]) -> None:
        here, there = (" and ".join(sorted(one)) or "nothing" for one in (found, solved))
        self.disagreements.append((self.subject(), f"{EXPLORER} finds {here}, {SOLVER} {there}"))

    def _told(self, causes: tuple[str, ...], world: World, found: dict[Fault, Story]) -> list[Wrong]:
        """One for each rule, replayed; a MOM902 where that fails."""
        wrongs: dict[str, Wrong] = {}
        for fault in FAULTS:
            code = _code(fault, causes)
            if fault not in found or code in wrongs:
                continue
            try:
                told = replay(world, found[fault])
            except ReplayError as error:
                self.disagreements.append((self.subject(), f"the trace does not replay: {error}"))
                continue
            wrongs[code] = Wrong(code, causes, world, found[fault], tuple(told))
        return list(wrongs.values())


def size(world: World) -> int:
    """How many brokers may be active, times how many events there may be: what a solver's question grows with."""
    return sum(spare + 1 for spare in world.spare) * world.bound.events


def may_be(world: World, fault: Fault) -> bool:
    """Whether a fault is worth a look: where what prevents it is kept, there is none.

    With `fifo` an event without counters comes late or never: of 67 random designs none breaks the order.
    """
    safe = world.safeguards
    if fault == "number":
        return not safe.counters and world.numbering not in (None, "publisher")
    if fault == "order":
        return not safe.counters and world.order == "total"
    return not safe.seen if fault == "twice" else True


def _code(fault: Fault, causes: tuple[str, ...]) -> str:
    if fault in ("lost", "number") and len(causes) == 1:
        return _BY_CAUSE.get(causes[0], _BY_FAULT[fault])
    return _BY_FAULT[fault]
