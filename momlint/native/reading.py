"""From the bytes of native files to their parts, each by the reader of its kind."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import NamedTuple, cast

from momlint.access import Access, Refused
from momlint.native.form import FAMILY_OF, Family, Kind, NativeFile
from momlint.native.kinds import kind_of, may_be_native

#: Files that one folder may bring in.
_MOST_INCLUDED = 1_000


class Named(NamedTuple):
    """A file's name, as it is told, its kind and its content."""

    file: str
    kind: Kind
    data: bytes


def known_kind(name: str, data: bytes) -> Kind | None:
    """See `kind_of`."""
    kind = kind_of(name, data)
    return None if kind is None else cast("Kind", kind)


def families_of(files: Sequence[tuple[str, Kind]]) -> dict[Family, list[str]]:
    """The files of each family, in the order of their names."""
    found: dict[Family, list[str]] = {}
    for file, kind in sorted(files):
        found.setdefault(FAMILY_OF[kind], []).append(file)
    return found


def kinds() -> tuple[Kind, ...]:
    """What can be read."""
    return tuple(_READERS)


def readable(kind: str) -> Kind | None:
    """The kind of this name, None where there is no reader for it."""
    return next((one for one in _READERS if one == kind), None)


def read_natives(files: Sequence[Named], access: Callable[[str], Access]) -> list[NativeFile]:
    """Read files of one family, sorted by their names; those that others include are parts of these alone."""
    read = [read_native(named, access(named.file)) for named in sorted(files)]
    included = {os.path.normpath(file) for native in read for file, _ in native.texts[1:]}
    kept = [native for native in read if os.path.normpath(native.file) not in included]
    return kept or read


def read_native(named: Named, access: Access) -> NativeFile:
    """Read one file, and what it includes as far as `access` allows. Raises nothing on account of the bytes."""
    return _READERS[named.kind](named, access)


def _mosquitto(named: Named, access: Access) -> NativeFile:
    from momlint.native.mosquitto import read_mosquitto

    return read_mosquitto(named.data, named.file, _folder_reader(named.file, access))


def _nats(named: Named, access: Access) -> NativeFile:
    from momlint.native.nats import read_nats

    return read_nats(named.data, named.file, _file_reader(access))


def _vernemq(named: Named, access: Access) -> NativeFile:
    del access  # it includes nothing
    from momlint.native.vernemq import read_vernemq

    return read_vernemq(named.data, named.file)


def _activemq(named: Named, access: Access) -> NativeFile:
    del access  # it includes nothing
    from momlint.native.activemq import read_activemq

    return read_activemq(named.data, named.file)


def _artemis(named: Named, access: Access) -> NativeFile:
    del access  # what it includes is not read
    from momlint.native.artemis import read_artemis

    return read_artemis(named.data, named.file)


def _rabbitmq(named: Named, access: Access) -> NativeFile:
    del access  # it includes nothing
    from momlint.native.rabbitmq import read_rabbitmq

    return read_rabbitmq(named.data, named.file)


def _mirrormaker(named: Named, access: Access) -> NativeFile:
    del access  # it includes nothing
    from momlint.native.mirrormaker import read_mirrormaker

    return read_mirrormaker(named.data, named.file)


def _emqx(named: Named, access: Access) -> NativeFile:
    from momlint.native.emqx import read_emqx

    return read_emqx(named.data, named.file, named.kind, _file_reader(access))


_READERS: dict[Kind, Callable[[Named, Access], NativeFile]] = {
    "mosquitto": _mosquitto,
    "vernemq": _vernemq,
    "emqx": _emqx,
    "nanomq": _emqx,
    "nats": _nats,
    "activemq": _activemq,
    "artemis": _artemis,
    "rabbitmq": _rabbitmq,
    "mm2": _mirrormaker,
}


def _file_reader(access: Access) -> Callable[[str, str], tuple[str, bytes]]:
    """What reads a file that another one names, and its name as it is told. It raises `OSError` and `ValueError`."""

    def read(parent: str, name: str) -> tuple[str, bytes]:
        path = os.path.join(os.path.dirname(parent), name).replace(os.sep, "/")
        path = os.path.normpath(path)
        return path, access.read(path)

    return read


def _folder_reader(file: str, access: Access) -> Callable[[str], list[tuple[str, bytes]]]:
    """What reads the ``*.conf`` of a folder that a file names, in the order of their names.

    It raises `OSError` and `ValueError`.
    """
    parent = os.path.dirname(file)

    def read(folder: str) -> list[tuple[str, bytes]]:
        where = os.path.join(parent, folder)
        # A path of the machine where the broker runs; its last folder often stands beside the file.
        beside = os.path.join(parent, os.path.basename(os.path.normpath(folder)))
        if os.path.isabs(folder) and not os.path.isdir(where) and os.path.isdir(beside):
            where = beside
        access.check(where)
        names = sorted(name for name in os.listdir(where) if name.endswith(".conf") and not name.startswith("."))
        if len(names) > _MOST_INCLUDED:
            raise Refused(f"it has more than {_MOST_INCLUDED:,} files")
        return [
            (os.path.join(where, name).replace(os.sep, "/"), access.read(os.path.join(where, name))) for name in names
        ]

    return read


__all__ = ["Named", "families_of", "kinds", "known_kind", "may_be_native", "read_native", "read_natives", "readable"]
