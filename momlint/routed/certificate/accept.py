"""From a certificate file to a verdict: its records, the files they name, their digests, the checker."""

from __future__ import annotations

import os
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from momlint.access import Access, read_regular
from momlint.digests import digest as digest_of
from momlint.digests import seen_from
from momlint.errors import UsageError
from momlint.routed.certificate.form import MOST_LEVEL, Potentials, Refused, Shown, read, read_record
from momlint.routed.certificate.given import NO_HOP, Given, Ints, States
from momlint.routed.certificate.verify import verify

if TYPE_CHECKING:
    from momlint.estate import LoadedEstate
    from momlint.estate.resolved import Estate


@dataclass(frozen=True, slots=True)
class Accepted:
    """An estate whose record was checked, the file it stands in, and what was shown of it."""

    file: str
    estate: str
    shown: Shown


def verify_file(path: str) -> list[Accepted]:
    """Read the certificate at `path` and the estates it names, and check every claim.

    Raises `Refused`, whose text says what is wrong, `OSError` where the certificate itself cannot be read, and
    `UsageError` where it takes Parquet, which cannot be read here.
    """
    records = read_records(path)
    folder = os.path.dirname(path)
    return [accept(record, folder) for record in records]


def read_records(path: str) -> list[dict[str, Any]]:
    """The records of the certificate at `path`. Raises `Refused` and `OSError`."""
    # A certificate is as large as the estates are; that it is one file of a limited size, nobody promised.
    return read(read_regular(path, None))


def accept(record: Mapping[str, Any], folder: str) -> Accepted:
    """Check the claims of a record of a certificate in `folder`, about routed overlays. Raises as `verify_file`."""
    main, loaded = opened(record, folder)
    estate = loaded.estate
    assert estate is not None
    try:
        return Accepted(main, estate.name, check_record(estate, record))
    except Refused as error:
        raise Refused(f"{main}: `{estate.name}`: {error}") from error


def opened(record: Mapping[str, Any], folder: str) -> tuple[str, LoadedEstate]:
    """The file and the estate that a record names, where nothing has changed. Raises as `verify_file`."""
    file, sources, document = record.get("file"), record.get("sources"), record.get("document")
    if not isinstance(file, str) or not isinstance(sources, list) or type(document) is not int:
        raise Refused("a record does not name its estate")
    for entry in sources:
        match entry:
            case [str(name), str(wanted)]:
                if digest(_from(folder, name)) != wanted:
                    raise Refused(f"`{_from(folder, name)}` has changed: its SHA-256 is different")
            case _:
                raise Refused("a record does not name its files")
    named = [entry[0] for entry in sources]
    main = _from(folder, file)
    if not named or named[0] != file:
        raise Refused(f"a record does not say what `{main}` was")
    loaded = _load(main, document)
    estate = loaded.estate
    if estate is None:
        raise Refused(f"`{main}` holds no estate there")
    used = list(dict.fromkeys(seen_from(folder, source.file) for source in loaded.sources))
    if used != named:
        raise Refused(f"`{main}` now uses other files: {', '.join(used)}")
    return main, loaded


def check_record(estate: Estate, data: Mapping[str, Any]) -> Shown:
    """Check a record's claims about `estate`, whatever file that came from. Raises `Refused`.

    Which claims an estate needs: with recovery rows, potentials of walks by them in every colour. Without,

    * distances where next hops are computed: with ``shortest-path`` in every state, or while nothing has failed where
      next hops stay as they are afterwards; with ``tables`` that heal, where something has failed;
    * potentials of walks where something else than the shortest paths of what is left is followed: with tables in
      every state, or while nothing has failed where they heal; with ``shortest-path`` in every state, if there are
      static rows or next hops do not react to failures.
    """
    states = States.of(estate)
    record = read_record(data, len(estate.brokers), len(states.failed))
    given = Given.of(estate, states, record.unit)
    everywhere = np.arange(len(states.failed))
    is_intact = np.array([not any(failed) for failed in states.failed])
    intact, failing = everywhere[is_intact], everywhere[~is_intact]
    levels = np.full(given.n, MOST_LEVEL)
    cut = np.zeros(everywhere.size, np.int64)
    if estate.recovery_rows is not None:
        from momlint.routed.overlay.super_tables import table_of_rows

        hops = given.recovery_hops(table_of_rows(estate.recovery_rows, everywhere.size))
        followed = everywhere
    else:
        hops, by_links = given.table_hops(), estate.protocol == "shortest-path"
        if by_links:
            measured = everywhere if estate.heals else intact
            followed = everywhere if (hops.base != NO_HOP).any() or (failing.size and not estate.heals) else intact[:0]
        else:
            measured, followed = (failing, intact) if estate.heals else (intact[:0], everywhere)
        if measured.size:
            # With nothing failed they are the base, which is what computed next hops are read from.
            distances = _only(record.distances, np.intersect1d(measured, failing), "distances")
            cut[measured], computed = verify(given, distances, None, np.ones_like(levels), measured)
            if by_links:
                hops = given.rows_beside(hops, computed)
    if followed.size:
        walks = _only(record.walks, followed, "potentials of walks")
        if record.levels is None:
            raise Refused("it does not say how good the walks are")
        levels = record.levels
        cut[followed], _ = verify(given, walks, hops, levels, followed)
    shown = Shown(
        given.n,
        states.colours,
        states.intact,
        states.promised,
        states.unspoken,
        int(given.needed.sum()),
        int(cut[intact].sum()),
        int(cut[failing[failing < states.colours]].sum()),
        int(cut[failing[failing >= states.colours]].sum()),
        int((levels > 0).sum()),
        int((levels > 1).sum()),
    )
    for name, value in zip(Shown._fields[:-2], shown, strict=False):
        claimed = record.claims.get(name, "nothing")
        if claimed != value:
            raise Refused(f"it claims {reprlib.repr(claimed)} for `{name}`, and shows {value}")
    return shown


def _only(found: Potentials | None, states: Ints, what: str) -> Potentials:
    """`found`, if it is there and differs from its base in none but `states`. Raises `Refused`."""
    if found is None:
        raise Refused(f"it has no {what}")
    others = np.ones(found.bounds.size - 1, bool)
    others[states] = False
    if np.diff(found.bounds)[others].any():
        raise Refused(f"it has {what} for a state for which there are none")
    return found


def _load(file: str, document: int) -> LoadedEstate:
    from momlint.estate.opening import open_file

    # What it may read, the certificate says: nothing whose digest was not compared counts.
    estates: Sequence[LoadedEstate] = open_file(file, Access(None)).estates
    if not 0 <= document < len(estates):
        raise Refused(f"`{file}` has no document {document}")
    loaded = estates[document]
    if loaded.estate is not None and loaded.estate.recovery_file is not None:
        from momlint.routed.recovery.arrow import INSTALL, is_parquet, why_no_parquet
        from momlint.routed.recovery.attach import attach_recovery

        path = loaded.estate.recovery_file
        reason = why_no_parquet() if is_parquet(path) else None
        if reason is not None:  # that says nothing of the certificate
            raise UsageError(f"{file}: `{path}` cannot be read: {reason}; {INSTALL}")
        attach_recovery(loaded)
    return loaded


def digest(file: str) -> str:
    """The SHA-256 of a file's bytes, in hexadecimal. Raises `Refused` for what is no file or cannot be read."""
    try:
        return digest_of(file)
    except FileNotFoundError as error:
        raise Refused(f"there is no file `{file}`") from error
    except (OSError, ValueError) as error:
        raise Refused(f"`{file}` cannot be read: {error}") from error


def _from(folder: str, name: str) -> str:
    return os.path.normpath(os.path.join(folder, name)).replace(os.sep, "/")
