"""What is asked of the recovery protocol of an estate, within a bound, and how it was answered."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from momlint.clock import unhurried
from momlint.errors import ReplayError, UsageError
from momlint.findings import Place
from momlint.routed.flooding.explore import explore
from momlint.routed.flooding.parts import Part, parts
from momlint.routed.flooding.replay import Ending, Told, replay
from momlint.routed.flooding.world import FAULTS, Bound, Fault, Manners, Story, World
from momlint.solving.limits import GaveUp, SolverLimits

if TYPE_CHECKING:
    from momlint.discipline import Request
    from momlint.estate.load import LoadedEstate
    from momlint.estate.resolved import Estate
    from momlint.estate.simulation_model import SimulationEntry
    from momlint.routed.recovery.colours import Failure

#: Seconds for all that is asked of an estate, where `--timeout` does not say otherwise.
SECONDS: Final = 60.0
#: z3 resource units for a question, and for a second opinion; that is asked where at most so many orders of failures
#: and recoveries are to be gone through.
RLIMIT: Final = 1_000_000_000
SECOND_RLIMIT: Final = 20_000_000
FEW: Final = 20
#: The share of the time after which there are no more second opinions: they must not cost the first one.
SPARE: Final = 1 / 3
EXPLORER: Final = "graph"
SOLVER: Final = "smt"


class OutOfTime(Exception):
    """The time for the question is over."""


class Setting(NamedTuple):
    """What the section `simulation` says of the protocol: how numbers are compared, and where that says naively."""

    naive: bool
    place: Place | None


def setting_of(loaded: LoadedEstate) -> Setting:
    """As the estate says it; serial where it says nothing."""
    from momlint.estate import simulation_places

    for document, checked in enumerate(loaded.checked):
        section: SimulationEntry | None = None if checked.model is None else checked.model.simulation
        if section is not None and section.pcrt is not None:
            naive = section.pcrt.wrap == "naive"
            return Setting(naive, simulation_places.wrap(document) if naive else None)
    return Setting(False, None)


class Wrong(NamedTuple):
    """What goes wrong in a part: a story that was replayed, what it told, and how it ended."""

    part: Part
    story: Story
    told: tuple[Told, ...]
    ending: Ending


@dataclass(slots=True)
class Settling:
    """The recovery protocol of an estate. `undecided`, `disagreements`: (subject, why)."""

    estate: Estate
    setting: Setting
    request: Request
    undecided: list[tuple[str, str]] = field(default_factory=list)
    disagreements: list[tuple[str, str]] = field(default_factory=list)
    engines: set[str] = field(default_factory=set)
    questions: int = 0
    decided_twice: int = 0
    _wrongs: list[Wrong] | None = None
    _colours: tuple[list[str], list[Failure]] | None = None
    _deadline: float = 0.0
    _spare: float = 0.0

    @property
    def bound(self) -> Bound:
        """Up to what is looked."""
        return Bound()._replace(**{name: most for name, most in self.request.bound if name in Bound._fields})

    @property
    def is_whole(self) -> bool:
        """Whether all of the overlay is looked at, and not its small parts."""
        return len(self.estate.brokers) <= self.bound.brokers

    def colours(self) -> tuple[list[str], list[Failure]]:
        """Names and failures of the colours: declared ones, and where no rows go by these, those of a plan.

        Raises `UsageError` where a plan would have too many.
        """
        if self._colours is None:
            self._colours = self._read_colours()
        return self._colours

    def _read_colours(self) -> tuple[list[str], list[Failure]]:
        from momlint.routed.recovery.colours import Failure, planned_colours

        estate = self.estate
        if estate.recovery_rows is not None or estate.recovery_file is not None:
            failures = [Failure(tuple(one.failed_links), tuple(one.failed_brokers)) for one in estate.colours]
            return [one.name for one in estate.colours], failures
        planned = planned_colours(estate, named=True)
        return [one.name for one in planned], [one.failure for one in planned]

    def unjudged(self) -> str | None:
        """Why nobody has looked; None where somebody has."""
        if any(link.one_way for link in self.estate.links):
            return "a link goes one way, and a broker could not tell that it is dead"
        if self.estate.incomplete:
            return "part of the estate could not be read"
        if not self.estate.colours_declared and self.estate.tolerate is None:
            return "there are no colours; declare some, or say what to `tolerate`"
        try:
            _, failures = self.colours()
        except UsageError:
            return None  # what is wrong with them is told as undecided
        return None if any(map(any, failures)) else "no colour is of a failure"

    def within(self) -> str:
        """The bound in words."""
        brokers, failures, losses = self.bound
        where = "" if self.is_whole else f"in every part of up to {brokers:,} connected brokers by itself, "
        several = f"{failures:,} failure{'s' * (failures != 1)} or recover{'y' if failures == 1 else 'ies'}"
        lost = f"{losses:,} lost message{'s' * (losses != 1)}" if losses else "no lost message"
        return f"{where}with up to {several} and {lost}"

    def subject(self) -> str:
        """What is asked."""
        return f"whether the recovery protocol settles {self.within()}"

    def wrongs(self) -> list[Wrong]:
        """What was found, asked once: of each fault the first."""
        if self._wrongs is None:
            self._wrongs = []
            if self.unjudged() is None:
                unhurried(self._ask)
        return self._wrongs

    def _ask(self) -> None:
        seconds = self.request.timeout or SECONDS
        now = time.monotonic()
        self._deadline, self._spare = now + seconds, now + seconds * SPARE
        assert self._wrongs is not None
        manners = Manners(wrap="naive" if self.setting.naive else "serial")
        try:
            _, failures = self.colours()
            brokers, links = len(self.estate.brokers), self.estate.links
            for part in parts(brokers, links, failures, manners, self.bound, self._tick):
                self._wrongs += self._told(part, self._decide(part.world))
                if self._wrongs:
                    break
        except OutOfTime:
            self.undecided.append((self.subject(), f"it takes more than {seconds:g} s"))
        except (GaveUp, UsageError) as error:
            self.undecided.append((self.subject(), str(error)))

    def _tick(self) -> None:
        if time.monotonic() > self._deadline:
            raise OutOfTime

    def _decide(self, world: World) -> dict[Fault, Story]:
        """What goes wrong, by one engine or by both; told by the same stories whichever is asked."""
        self.questions += 1
        if self.request.engine == SOLVER:
            self.engines.add(SOLVER)
            return self._retold(world, self._solve(world, RLIMIT, self._deadline))
        self.engines.add(EXPLORER)
        found = explore(world, FAULTS, self._tick, first=True)
        if self.request.engine == "auto" and len(world.sequences()) <= FEW:
            self._second(world, found)
        return found

    def _retold(self, world: World, solved: dict[Fault, Story]) -> dict[Fault, Story]:
        """What a solver has found, by the story that the search tells of it: a model is any run, and no short one.

        Its own are told where there is no time for that.
        """
        if not solved:
            return {}
        try:
            found = explore(world, FAULTS, self._tick, first=True)
        except OutOfTime:
            return solved
        if not found:
            self.disagreements.append((self.subject(), f"{EXPLORER} finds nothing, {SOLVER} {_listed(solved)}"))
        return found or solved

    def _solve(self, world: World, rlimit: int, deadline: float) -> dict[Fault, Story]:
        from momlint.routed.flooding.smt import decide

        limits = SolverLimits(rlimit, deadline, self.request.timeout or SECONDS)
        return decide(world, FAULTS, limits, self.request.solver, first=True)

    def _second(self, world: World, found: dict[Fault, Story]) -> None:
        """Ask a solver as well, whether anything goes wrong."""
        try:
            other = self._solve(world, SECOND_RLIMIT, self._spare)
        except GaveUp:
            return  # one engine has decided
        self.engines.add(SOLVER)
        self.decided_twice += 1
        if bool(other) != bool(found):
            here, there = _listed(found), _listed(other)
            self.disagreements.append((self.subject(), f"{EXPLORER} finds {here}, {SOLVER} {there}"))
        for story in other.values():
            try:
                replay(world, story)
            except ReplayError as error:
                self.disagreements.append((self.subject(), f"the trace of {SOLVER} does not replay: {error}"))

    def _told(self, part: Part, found: dict[Fault, Story]) -> list[Wrong]:
        wrongs = []
        for story in found.values():
            try:
                told, ending = replay(part.world, story)
            except ReplayError as error:
                self.disagreements.append((self.subject(), f"the trace does not replay: {error}"))
                continue
            wrongs.append(Wrong(part, story, tuple(told), ending))
        return wrongs


def _listed(found: dict[Fault, Story]) -> str:
    return " and ".join(sorted(found)) or "nothing"
