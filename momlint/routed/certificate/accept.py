"""From a certificate file to a verdict: its records, the files they name, their digests, the checker."""

from __future__ import annotations

import hashlib
import os
import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from momlint.access import Access, open_regular, read_regular
from momlint.errors import UsageError
from momlint.routed.certificate.form import MOST_LEVEL, Potentials, Record, Refused, Shown, read, read_record
from momlint.routed.certificate.given import NO_HOP, Given, Ints
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
    # A certificate is as large as the estates are; that it is one file of a limited size, nobody promised.
    records = read(read_regular(path, None))
    folder = os.path.dirname(path)
    return [_accept(record, folder) for record in records]


def _accept(record: Mapping[str, Any], folder: str) -> Accepted:
    file, sources, document = record.get("file"), record.get("sources"), record.get("document")
    if not isinstance(file, str) or not isinstance(sources, list) or type(document) is not int:
        raise Refused("a record does not say which estate it is of")
    for entry in sources:
        match entry:
            case [str(name), str(wanted)]:
                if digest(_from(folder, name)) != wanted:
                    raise Refused(f"`{_from(folder, name)}` is not what it was: its SHA-256 is another")
            case _:
                raise Refused("a record does not say which files it is of")
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
        raise Refused(f"`{main}` is made of other files than it was: {', '.join(used)}")
    try:
        return Accepted(main, estate.name, check_record(estate, record))
    except Refused as error:
        raise Refused(f"{main}: `{estate.name}`: {error}") from error


def _refuse_what_is_not_claimed(estate: Estate) -> None:
    """Raises `Refused` where what next hops do is nothing that claims speak of."""
    if any(not broker.transit for broker in estate.brokers):
        raise Refused("certificates do not speak of brokers that pass nothing on (`transit: false`)")
    if any(link.cost_back is not None for link in estate.links):
        raise Refused("certificates do not speak of links with a cost for each direction")
    fails = any(colour.failed_links or colour.failed_brokers for colour in estate.colours)
    if estate.recovery_rows is not None or not fails:
        return
    if not estate.heals:
        raise Refused("its next hops stay as they are in colours in which something has failed")
    if estate.protocol == "shortest-path" and estate.table_rows:
        raise Refused("its static rows stay in force in colours in which something has failed")


def check_record(estate: Estate, data: Mapping[str, Any]) -> Shown:
    """Check a record's claims about `estate`, whatever file that came from. Raises `Refused`.

    Which claims an estate needs: with recovery rows, potentials of walks by them in every colour. Without, distances
    for the colours whose next hops are computed (those in which something has failed, and with ``shortest-path``
    all), and potentials of walks for those whose next hops stand in ``routing.tables`` (the others, if it has rows or
    nothing is computed); ``shortest-path`` fills the gaps between rows.
    """
    _refuse_what_is_not_claimed(estate)
    record = read_record(data, len(estate.brokers), max(len(estate.colours), 1))
    given = Given.of(estate, record.unit)
    everywhere = np.arange(len(given.failed))
    is_calm = np.array([not any(failed) for failed in given.failed])
    calm, failing = everywhere[is_calm], everywhere[~is_calm]
    levels = np.full(given.n, MOST_LEVEL)
    cut = np.zeros(everywhere.size, np.int64)
    if estate.recovery_rows is not None:
        from momlint.routed.overlay.super_tables import table_of_rows

        rows = table_of_rows(estate.recovery_rows, everywhere.size)
        walks, levels = _walks(record)
        cut[:], _ = verify(given, walks, given.recovery_hops(rows), levels, everywhere)
    else:
        hops, by_links = given.table_hops(), estate.protocol == "shortest-path"
        if by_links or failing.size:
            computed = everywhere if by_links else failing
            if record.distances is None or np.diff(record.distances.bounds)[calm].any():
                raise Refused("it has no distances for the next hops that are computed")
            cut[computed], nearest = verify(given, record.distances, None, np.ones_like(levels), computed)
            if by_links:
                filled = np.where(hops.base == NO_HOP, nearest, hops.base)
                by_links = not (hops.base != NO_HOP).any()
                hops = hops._replace(base=filled)
        if calm.size and not by_links:
            walks, levels = _walks(record)
            cut[calm], _ = verify(given, walks, hops, levels, calm)
    shown = Shown(
        given.n,
        everywhere.size,
        int(given.needed.sum()),
        int(cut[calm].sum()),
        int(cut[failing].sum()),
        int((levels > 0).sum()),
        int((levels > 1).sum()),
    )
    for name, value in zip(Shown._fields[:5], shown, strict=False):
        if record.claims.get(name) != value:
            raise Refused(f"it claims {reprlib.repr(record.claims.get(name))} for `{name}`, and shows {value}")
    return shown


def _walks(record: Record) -> tuple[Potentials, Ints]:
    if record.walks is None or record.levels is None:
        raise Refused("it has no potentials for walks by the rows of the tables")
    return record.walks, record.levels


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
        # A device or a pipe might never end.
        if not os.path.isfile(file):
            raise Refused(f"there is no file `{file}`")
        with open_regular(file) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        raise Refused(f"`{file}` cannot be read: {error}") from error


def seen_from(folder: str, file: str) -> str:
    """`file` as named from `folder`, with ``/``; the whole path where there is no way from one to the other."""
    try:
        return os.path.relpath(file, folder or ".").replace(os.sep, "/")
    except ValueError:  # on another drive
        return os.path.abspath(file).replace(os.sep, "/")


def _from(folder: str, name: str) -> str:
    return os.path.normpath(os.path.join(folder, name)).replace(os.sep, "/")
