"""Which disciplines there are. A new one is a folder, and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momlint.discipline import Discipline, FleetServices

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate


def disciplines() -> tuple[Discipline, ...]:
    """Every discipline; of those that judge the same section, the first that claims an estate has it."""
    from momlint.routed.discipline import ROUTED

    return (ROUTED,)


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
