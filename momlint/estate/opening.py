"""From a path to its estates: the one way by which check, inventory, plan, trace, render and certificates come in."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, TypeAlias

from momlint.access import Access
from momlint.estate.load import LoadedEstate, load_natives, load_source
from momlint.native.kinds import kind_of
from momlint.records import dataclass
from momlint.source import Source
from momlint.source.readers import Reader, read_any

if TYPE_CHECKING:
    from momlint.native.reading import Named

#: Brings in what belongs to an estate beside its text, and returns an address that has to be fetched first, or None.
#: What there can be, only its discipline knows (`momlint.disciplines.complete`).
Complete: TypeAlias = Callable[[LoadedEstate], str | None]


@dataclass(slots=True)
class Opened:
    """A file and its estates. `wanted`: addresses that have to be fetched before the rest can be read."""

    source: Source
    estates: list[LoadedEstate]
    wanted: list[str] = field(default_factory=list)


def open_file(path: str, access: Access, complete: Complete | None = None) -> Opened:
    """`open_bytes` of a regular file that `access` lets be read. Raises `OSError` where it cannot be read."""
    return open_bytes(access.read(path), path, access, complete)


def open_bytes(
    data: bytes, file: str, access: Access, complete: Complete | None = None, reader: Reader = read_any
) -> Opened:
    """The estates of a file's content, with all that they include.

    `file`: its name, where paths in it start from. `access`: what they may read. `complete`: called for each estate.
    `reader`: who reads it and what it includes, if they are no native files.
    What is wrong is in `Source.problems` and `LoadedEstate.problems`; nothing raises on account of it. A native file of
    a broker is an estate by itself.
    """
    if kind_of(file, data) is not None:
        from momlint.native.reading import Named, known_kind

        kind = known_kind(file, data)
        assert kind is not None
        return open_natives([Named(file, kind, data)], lambda _: access, complete)
    source = reader(data, file)
    estates = load_source(source, lambda name: reader(access.read(name), name), access=access)
    return _completed(Opened(source, estates), complete)


def open_natives(files: Sequence[Named], access: Callable[[str], Access], complete: Complete | None = None) -> Opened:
    """The one estate of several native files of a family, in the order of their names; at least one.

    `access`: what each of them may read.
    """
    loaded = load_natives(files, access)
    return _completed(Opened(loaded.source, [loaded]), complete)


def _completed(opened: Opened, complete: Complete | None) -> Opened:
    for loaded in opened.estates if complete is not None else ():
        assert complete is not None
        address = complete(loaded)
        if address is not None:
            opened.wanted.append(address)
    return opened
