"""Which disciplines there are. A new one is a folder, and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momlint.discipline import Discipline, FleetServices

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate


def disciplines() -> tuple[Discipline, ...]:
    """Every discipline; the first that claims an estate has it."""
    from momlint.routed.discipline import ROUTED

    return (ROUTED,)


def discipline_of(loaded: LoadedEstate) -> Discipline | None:
    """The discipline that claims the estate, if one does."""
    return next((one for one in disciplines() if one.claims(loaded)), None)


def complete(loaded: LoadedEstate, services: FleetServices = FleetServices()) -> str | None:  # noqa: B008 - it is a tuple
    """`Discipline.complete` of the estate's discipline; the hook for `momlint.estate.opening`."""
    discipline = discipline_of(loaded)
    return None if discipline is None else discipline.complete(loaded, services)
