"""What to change in the tables of a routed overlay, by what was found in it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from momlint.findings import Finding, Place
from momlint.mending.tables import Change, Mender, Row, Tables
from momlint.routed.overlay.towards import Column, Towards
from momlint.solving.limits import GaveUp, SolverLimits

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.estate.resolved import Estate
    from momlint.routed.overlay.form import Overlay

#: What rows are blamed for, wherever they stand; what a change of rows can mend.
ROW_CODES = frozenset(f"MOM{number}" for number in (302, 303, 304, 305, 306, 403, 404, 405, 406, 408))
#: Sections that must be read whole: a mend that something unread could spoil is none.
_NEEDED = frozenset(("brokers", "links", "topics", "routing.tables", "failures.colours", "failures.recovery", "groups"))
#: z3's steps for one destination.
_RLIMIT = 200_000_000


class Mend(NamedTuple):
    """The changes of rows for one destination (dense id)."""

    dest: int
    changes: tuple[Change, ...]


class Proposals:
    """What could be changed in one estate. `notes`: sentences on what could not be worked out."""

    def __init__(
        self,
        loaded: LoadedEstate,
        findings: Sequence[Finding],
        selects: Callable[[str], bool],
        is_silenced: Callable[[str, int], bool],
        seconds: float,
    ) -> None:
        """`findings`: those that are reported. `is_silenced`: whether a comment silences rules of rows on that line.

        `seconds`: for one destination.
        """
        self.loaded = loaded
        self.notes: list[str] = []
        self._findings = [finding for finding in findings if finding.code in ROW_CODES]
        self._shortest = selects("MOM305") and selects("MOM406")
        self._is_silenced = is_silenced
        self._seconds = seconds

    def mends(self) -> Iterator[Mend]:
        """One for each destination that findings speak of, if a change of rows will do."""
        estate = self.loaded.estate
        if estate is None or not self._findings or not _is_whole(estate):
            return
        dests = sorted(self._destinations(estate))
        if not dests:
            return
        overlay = _overlay(estate)
        rows = _Rows(self.loaded, estate, self._findings, self._is_silenced)
        towards = Towards(overlay)
        ways: dict[int, dict[int, Column]] = {dest: {} for dest in dests}
        for colour in range(overlay.colours):
            for dest in dests:
                ways[dest][colour] = towards.column(colour, dest)
        for dest in dests:
            for only_shortest in (True, False) if self._shortest else (False,):
                changes = self._mend(estate, overlay, rows, ways[dest], dest, only_shortest=only_shortest)
                if changes is not None:
                    if changes:
                        yield Mend(dest, tuple(changes))
                    break

    def _destinations(self, estate: Estate) -> set[int]:
        ids = {broker.id: dense for dense, broker in enumerate(estate.brokers)}
        names: set[str] = set()
        hops: set[tuple[object, object]] = set()
        for finding in self._findings:
            told = finding.data.get("destinations")
            names.update(told if isinstance(told, tuple) else ())
            if finding.witness is not None and finding.witness.destination is not None:
                names.add(finding.witness.destination)
            if not told and "broker" not in finding.data:
                # It is about all tables: a colour in which nobody has a row.
                ends = {broker for topic in estate.topics for broker in topic.subscribers}
                names.update(broker.id for number, broker in enumerate(estate.brokers) if not ends or number in ends)
            elif not told:
                # It is about a hop, whatever it is for.
                hops.add((finding.data.get("broker"), finding.data.get("via")))
        found = {ids[name] for name in names if name in ids}
        brokers = estate.brokers
        for row in estate.table_rows if hops else ():
            if (brokers[row.location].id, brokers[row.via].id) in hops:
                found.update(row.destinations)
        for one in (estate.recovery_rows or ()) if hops else ():
            if (brokers[one.location].id, brokers[one.via].id) in hops:
                found.add(one.destination)
        return found

    def _mend(
        self,
        estate: Estate,
        overlay: Overlay,
        rows: _Rows,
        columns: dict[int, Column],
        dest: int,
        *,
        only_shortest: bool,
    ) -> list[Change] | None:
        computed = estate.recovery_rows is None and estate.protocol == "shortest-path"
        besides: list[Column] = []
        if estate.recovery_rows is None:
            # Given rows have no colours: they are judged while nothing has failed, static ones in every failure.
            failed = np.logical_or(overlay.failed_link.any(axis=1), overlay.failed_broker.any(axis=1))
            calm = int(failed.argmin())
            if failed.all():
                return None
            besides = [column for colour, column in columns.items() if colour != calm] if estate.heals else []
            columns = {calm: columns[calm]}
        own = rows.of(dest, tuple(columns))
        if computed:
            # A static row that nothing is said of is what its author wants, unless another fault hides the detour.
            (now,) = columns.values()
            own = [
                row._replace(fixed=row.fixed or (not row.is_blamed and now.is_shortest(row.location, row.via)))
                for row in own
            ]
        tables = Tables(
            dest,
            own,
            columns,
            {colour: frozenset(overlay.failed_broker[colour].nonzero()[0].tolist()) for colour in columns},
            frozenset(overlay.pair_source[overlay.pair_dest == dest].tolist()),
            only_shortest or computed,
            computed,
            besides if computed else (),
            estate.withdraws_rows,
        )
        limits = SolverLimits(_RLIMIT, time.monotonic() + self._seconds, self._seconds)
        try:
            return Mender(tables).changes(limits)
        except GaveUp as reason:
            name = estate.brokers[dest].id
            self.notes.append(f"{self.loaded.source.file}: no mend was found for messages to `{name}`: {reason}")
            return None


class _Rows:
    """The given rows by destination, each with the number that it has in the estate."""

    def __init__(
        self,
        loaded: LoadedEstate,
        estate: Estate,
        findings: Iterable[Finding],
        is_silenced: Callable[[str, int], bool],
    ) -> None:
        self._loaded = loaded
        self._estate = estate
        self._blamed = {(finding.file, finding.span) for finding in findings}
        self._silenced = is_silenced

    def of(self, dest: int, colours: tuple[int, ...]) -> list[Row]:
        """Those for `dest`; `colours`: that are judged, and all in which given rows hold."""
        estate = self._estate
        if estate.recovery_rows is None:
            return [
                self._row(index, row.place, row.location, row.via, colours)
                for index, row in enumerate(estate.table_rows)
                if dest in row.destinations and row.location != dest
            ]
        found = []
        for index, one in enumerate(estate.recovery_rows):
            if one.destination == dest and one.location != dest:
                held = tuple(c for c in colours if (c in one.colours) != one.inverted)
                found.append(self._row(index, one.place, one.location, one.via, held))
        return found

    def _row(self, index: int, place: Place, location: int, via: int, colours: tuple[int, ...]) -> Row:
        file, span, _ = self._loaded.locate(place)
        fixed = self._silenced(file, span.start.line)
        return Row(index, location, via, colours, fixed, (file, span) in self._blamed)


def _is_whole(estate: Estate) -> bool:
    if estate.recovery_file is not None and not estate.recovery_file.lower().endswith(".csv"):
        return False
    return not (estate.incomplete & _NEEDED) and not any(colour.incomplete for colour in estate.colours)


def _overlay(estate: Estate) -> Overlay:
    from momlint.routed.overlay.build import build
    from momlint.routed.recovery.implied import implied_failures

    beyond = implied_failures(estate)[0] if estate.colours_declared or estate.tolerate is not None else ()
    return build(estate, None, beyond)[0]
