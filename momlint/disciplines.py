"""Which disciplines there are. A new one is a folder, and a line here; one with a section of its own is `Sectional`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from momlint.discipline import Discipline, FleetServices, Judgement, Request
from momlint.records import dataclass

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate


@dataclass(frozen=True, slots=True)
class Sectional:
    """A discipline that judges a section of its own, and is imported only for an estate that has it."""

    name: str
    section: str
    load: Callable[[], Discipline]
    #: Sections that mean it as well.
    others: tuple[str, ...] = ()

    def claims(self, loaded: LoadedEstate) -> bool:
        """Every estate with the section, or one of the others."""
        if loaded.estate is None:
            return False
        return any(section in loaded.estate.section_places for section in (self.section, *self.others))

    def complete(self, loaded: LoadedEstate, services: FleetServices) -> str | None:
        """As the discipline does."""
        return self.load().complete(loaded, services)

    def judge(self, loaded: LoadedEstate, request: Request) -> Judgement:
        """As the discipline does."""
        return self.load().judge(loaded, request)


def _pubsub() -> Discipline:
    from momlint.pubsub.discipline import PUBSUB

    return PUBSUB


def _delivery() -> Discipline:
    from momlint.delivery.discipline import DELIVERY

    return DELIVERY


def disciplines() -> tuple[Discipline, ...]:
    """Every discipline; of those that judge the same section, the first that claims an estate has it."""
    from momlint.relayed.discipline import RELAYED
    from momlint.routed.discipline import ROUTED

    return (
        Sectional("pubsub", "pubsub", _pubsub),
        Sectional("delivery", "sites", _delivery, ("delivery", "clients")),
        RELAYED,
        ROUTED,
    )


def disciplines_of(loaded: LoadedEstate) -> tuple[Discipline, ...]:
    """The disciplines that have the estate, one for each section that is judged by itself.

    An estate may have brokers that route messages and, beside them, clients that follow automata.
    """
    found: dict[str, Discipline] = {}
    for one in disciplines():
        if one.section not in found and one.claims(loaded):
            found[one.section] = one
    return tuple(found.values())


def complete(loaded: LoadedEstate, services: FleetServices = FleetServices()) -> str | None:  # noqa: B008 - it is a tuple
    """`Discipline.complete` of the estate's disciplines; the hook for `momlint.estate.opening`."""
    for discipline in disciplines_of(loaded):
        address = discipline.complete(loaded, services)
        if address is not None:
            return address
    return None
