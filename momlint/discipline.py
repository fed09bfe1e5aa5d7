"""What a discipline is to the rest of momlint: a way in which messages get on, and how its estates are judged.

`momlint.lint`, the fleet and the commands know disciplines by these protocols alone; `momlint.disciplines` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeAlias

from momlint.errors import ReplayError
from momlint.findings import Draft, Proof, Section, Summary
from momlint.records import dataclass

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.policies.form import Policy

EngineChoice: TypeAlias = Literal["auto", "graph", "smt", "nusmv"]
#: Recovery tables by address: what was read there, in the form that the discipline gives it.
Tables: TypeAlias = Mapping[str, Any]


class FleetServices(NamedTuple):
    """What others do for the check of a file (`momlint.fleet`); a discipline that has no use for it lets it be.

    `spread`: who may take parts of the questions. `read_pieces`: who may read pieces of recovery tables. `tables`:
    those that were fetched from addresses so far, None where nobody fetches. The first two are in the terms of the
    discipline that they help (see `momlint.routed.questions.spread`, `momlint.routed.recovery`).
    """

    spread: Any = None
    read_pieces: Any = None
    tables: Tables | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """What is wanted of a discipline. `selects`: whether findings of a code are wanted at all.

    `timeout`: seconds for each solver question, None for the engine's own limit; `nusmv`: that program, None to look
    for it; `solver`: who answers for smt. `sections`: what else to explain. `certificate_folder`: where a certificate
    will stand, None where none is asked for. `spread`: see `FleetServices`. `policies`: rules of users' own. `bound`:
    how far checks within a bound go, by name, where that was said: `events`, `publishers`, `crashes` of take-overs,
    `brokers`, `failures`, `losses` of the recovery protocol; `protocol`: whether that is checked.
    """

    selects: Callable[[str], bool]
    engine: EngineChoice = "auto"
    timeout: float | None = None
    nusmv: str | None = None
    solver: str = "z3"
    sections: tuple[str, ...] = ()
    certificate_folder: str | None = None
    spread: Any = None
    policies: Sequence[Policy] = ()
    bound: tuple[tuple[str, int], ...] = ()
    protocol: bool = False


@dataclass(slots=True)
class Outcome:
    """What is left to say of an estate when its drafts are known.

    `verdicts`: MOM901 and MOM902. `summary`, `proof`: what this estate adds to a report's. `certificates`: records,
    `uncertified`: sentences that say why there is none.
    """

    summary: Summary
    proof: Proof
    verdicts: list[Draft] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    certificates: list[str] = field(default_factory=list)
    uncertified: list[str] = field(default_factory=list)


class Judgement(Protocol):
    """One estate under judgement."""

    def drafts(self) -> Iterator[Draft]:
        """What the selected checks find."""
        ...

    def disagreed(self, code: str, error: ReplayError) -> None:
        """A draft of this rule did not replay when it was looked at again: it becomes a MOM902."""
        ...

    def outcome(self, found: Collection[str]) -> Outcome:
        """What is left to say; to be asked once, last. `found`: the codes of all drafts, whatever is told of them."""
        ...


class Discipline(Protocol):
    """A way in which messages get on."""

    @property
    def name(self) -> str:
        """What it is called, as ``routed``."""
        ...

    @property
    def section(self) -> str:
        """What it judges, as the section of an estate: ``brokers`` where messages travel from broker to broker."""
        ...

    def claims(self, loaded: LoadedEstate) -> bool:
        """Whether the section of the estate, which has been read as far as that goes, is of this discipline."""
        ...

    def complete(self, loaded: LoadedEstate, services: FleetServices) -> str | None:
        """Read what else belongs to the estate (tables in files of their own), into `loaded`.

        Returns the address of what somebody has to fetch first; then nothing was read.
        """
        ...

    def judge(self, loaded: LoadedEstate, request: Request) -> Judgement:
        """Begin to judge the estate; `loaded` has one, and is complete."""
        ...
