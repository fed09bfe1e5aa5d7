"""The rows of ``recovery: {file: …}``, brought into an estate as if they stood in it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from momlint.access import read_regular
from momlint.estate.files import is_address
from momlint.findings import Draft, Problem
from momlint.routed.overlay.super_tables import FileRows
from momlint.routed.recovery.parquet import Fetched, PieceReader
from momlint.routed.recovery.read import Recovery, read_fetched, read_recovery
from momlint.source import Source
from momlint.source.decoding import decode
from momlint.source.rows import RowsDocument

if TYPE_CHECKING:
    from momlint.estate import LoadedEstate

#: The text of a larger file is not kept to show the lines that findings are at.
_MOST_SHOWN = 1 << 25


def attach_recovery(
    loaded: LoadedEstate, fetched: Mapping[str, Fetched] | None = None, read_pieces: PieceReader | None = None
) -> Recovery | None:
    """Read the file that the estate's ``recovery`` names, if it names one; `loaded` and its estate are changed.

    `fetched`: address → what Spark has read there, where ``recovery`` names an address and not a path. `read_pieces`:
    who may read the pieces of Parquet, where it names a path.

    ``estate.recovery_rows`` becomes `FileRows` (also where the file could not be read: then there are none),
    ``loaded.sources`` and ``loaded.documents`` get the file, so that ``loaded.locate`` finds its rows, and
    ``loaded.problems`` what is wrong with it. Where something was left out, ``estate.incomplete`` says so.
    """
    estate = loaded.estate
    if estate is None or estate.recovery_file is None or estate.recovery_rows is not None:
        return None
    path = estate.recovery_file
    if not estate.colours_declared:
        place = estate.section_places["failures.recovery"]
        message = "`recovery` names colours, but the estate declares none"
        help_ = "list them under `failures.colours`: colour → what has failed; `momlint plan` prints them"
        loaded.problems.append(loaded.problem(Draft("MOM102", place, message, help_)))
        estate.incomplete |= {"failures.recovery"}
        return None
    brokers, colours = [one.id for one in estate.brokers], [one.name for one in estate.colours]
    if is_address(path):
        found = read_fetched(path, (fetched or {}).get(path), brokers, colours)
    else:
        found = read_recovery(path, brokers, colours, read_pieces, loaded.access)
    # Nothing is shown of a file that may not be read.
    source = (
        _source(path, found, loaded.access.content_instead(path))
        if found.readable
        else Source(path, decode(b"")[0], [], [], [], 0)
    )
    document = RowsDocument(source.lines)
    number = len(loaded.documents)
    loaded.sources.append(source)
    loaded.documents.append((source, document))
    estate.recovery_rows = FileRows(found.table, number)
    if not found.complete:
        estate.incomplete |= {"failures.recovery"}
    for problem in found.problems:
        message = problem.message
        if problem.places > 1:
            message += f" (in {problem.places} {found.unit}s)"
        if problem.position is None:
            place = estate.section_places["failures.recovery.file"]
            loaded.problems.append(loaded.problem(Draft(problem.code, place, message, problem.help)))
        else:
            span = document.locate((problem.position,)).span
            loaded.problems.append(Problem(problem.code, span, message, problem.help, file=path))
    return found


def _source(path: str, found: Recovery, instead: bytes | None) -> Source:
    data = b"" if instead is None else instead
    if found.unit == "line" and instead is None:
        try:
            data = read_regular(path, _MOST_SHOWN)
        except (OSError, ValueError):
            data = b""  # too large, or `read_recovery` has said why not
    text, _, _ = decode(data)
    return Source(path, text, [], [], [], 0)
