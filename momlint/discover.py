"""From what stands on the command line to the files to check.

A file that is named is checked, whatever it is called. A folder is searched for estates: ``*.mom.yaml``,
``topology.yaml``, any YAML file whose top level has the key ``momlint``, and brokers' own configuration files; hidden
folders, ``node_modules`` and virtual environments are passed over. What is named and is not there, and a folder
without a single estate, are failures and not silence: a slip in a path must not look like a clean result.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Callable, Iterator, Sequence

from momlint.access import MEGABYTE, MOST_MEGABYTES, Access, open_regular, reason
from momlint.escaping import plain_path
from momlint.native.kinds import LOOKED_AT, kind_of, may_be_native

#: The name for standard input.
STDIN = "-"

_ESTATE_NAMES = ("topology.yaml", "topology.yml")
_ESTATE_ENDINGS = (".mom.yaml", ".mom.yml")
_YAML_ENDINGS = (".yaml", ".yml")
_PASSED_OVER = {"node_modules", "__pycache__", "venv", "site-packages"}

# The first line with something in it, and with it the indentation of the top level.
_FIRST = re.compile(rb"^([ ]*)(?!---(?:\s|$)|%|#)[^\s#]", re.MULTILINE)
_BOM = b"\xef\xbb\xbf"
_KEY = rb"(?:momlint|'momlint'|\"momlint\")[ \t]*:(?:\s|$)"
_FLOW = re.compile(rb"^(?:---)?[ \t]*\{\s*" + _KEY, re.MULTILINE)
# Keys by which a file that lacks `momlint:` is an estate of ours all the same, with one mistake.
_OURS = rb"['\"]?(?:momlint|brokers|links|topics|routing|failures|groups|specs|include)['\"]?[ \t]*:(?:\s|$)"


class Found:
    """The files to check, sorted and without repeats, and sentences about what could not be found or read.

    `notes`: sentences about files that were passed over and are no fault.
    """

    def __init__(self) -> None:
        self.files: list[str] = []
        self.failures: list[str] = []
        self.notes: list[str] = []


def discover(
    paths: Sequence[str],
    excluded: Callable[[str], bool] = lambda _path: False,
    *,
    force: bool = False,
    estates_only: bool = False,
    most: int = MOST_MEGABYTES * MEGABYTE,
) -> Found:
    """Find the estates that `paths` (files, folders, globs, `STDIN`) name.

    `excluded` says of a path met in a folder or a glob, file or folder, whether to pass it over; a file
    named in full is passed over only with `force`, and, with `estates_only`, where it is none that would be found in a
    folder. Files are looked into for `most` bytes.
    Paths come back with ``/`` as separator.
    """
    found = Found()
    seen: set[str] = set()
    candidates: list[str] = []
    for path in paths:
        if path == STDIN or _is_there(path):
            if path != STDIN and ((force and excluded(path)) or (estates_only and _is_of_no_estate(path, most))):
                continue
            candidates += _one(path, excluded, found, most)
        elif any(sign in path for sign in "*?["):
            try:
                matched = [name for name in Access(None).names(path.replace(os.sep, "/")) if not excluded(name)]
            except OSError as error:
                found.failures.append(f"{path}: {reason(error)}")
                continue
            if not matched:
                found.failures.append(f"{path}: no file matches this pattern")
            for name in matched:
                # What `**` brings in besides files is in it by its files anyway.
                if not os.path.isdir(name):
                    candidates.append(name)
                elif not any(other != name and other.startswith(name + os.sep) for other in matched):
                    candidates += _one(name, excluded, found, most)
        else:
            found.failures.append(f"{path}: no such file or folder")
    for candidate in sorted(_slashed(candidate) for candidate in candidates):
        identity = candidate if candidate == STDIN else os.path.realpath(candidate)
        if identity not in seen:
            seen.add(identity)
            found.files.append(candidate)
    return found


def _is_there(path: str) -> bool:
    try:
        return os.path.lexists(path)
    except ValueError:  # a null character: no file can be called that
        return False


def _is_of_no_estate(path: str, most: int) -> bool:
    """Whether it is a file, and none that would be found in a folder."""
    try:
        return not os.path.isdir(path) and not is_estate(path, most)
    except OSError:
        return False  # whoever reads it will say what is wrong


def is_estate(path: str, most: int = MOST_MEGABYTES * MEGABYTE) -> bool:
    """Whether the file is an estate by its name, or by a top-level key ``momlint`` in its first `most` bytes.

    So is a broker's own configuration file, by its name and content (`momlint.native.kinds`).

    May raise `OSError`.
    """
    name = os.path.basename(path).lower()
    if name in _ESTATE_NAMES or name.endswith(_ESTATE_ENDINGS):
        return True
    native = may_be_native(name)
    if not name.endswith(_YAML_ENDINGS) and not native:
        return False
    if not stat.S_ISREG(os.stat(path).st_mode):  # reading a pipe would wait for ever
        return False
    with open_regular(path) as stream:
        size = min(most, os.fstat(stream.fileno()).st_size)
        if native:
            return kind_of(name, stream.read(min(size, LOOKED_AT))) is not None
        data = stream.read(size).removeprefix(_BOM)
    return b"momlint" in data and _has_key(data)


def is_estate_text(path: str, data: bytes) -> bool:
    """As `is_estate`, of a file that holds `data`, whatever is on the disk."""
    name = os.path.basename(path).lower()
    if name in _ESTATE_NAMES or name.endswith(_ESTATE_ENDINGS):
        return True
    if may_be_native(name):
        return kind_of(name, data) is not None
    return name.endswith(_YAML_ENDINGS) and b"momlint" in data and _has_key(data.removeprefix(_BOM))


def is_of_another_tool(path: str, most: int = MOST_MEGABYTES * MEGABYTE) -> bool:
    """Whether a file by the name ``topology.yaml`` has keys at its top level, and none of an estate's.

    May raise `OSError`.
    """
    if os.path.basename(path).lower() not in _ESTATE_NAMES or not stat.S_ISREG(os.stat(path).st_mode):
        return False
    with open_regular(path) as stream:
        data = stream.read(min(most, os.fstat(stream.fileno()).st_size)).removeprefix(_BOM)
    first = _FIRST.search(data)
    if first is None or first.group()[-1:] in b"{[!&*|>":
        return False
    top = rb"^(?:--- )?[ ]{%d}" % len(first.group(1))
    return bool(re.search(top + rb"[^\s#:]+:(?:\s|$)", data, re.MULTILINE)) and not re.search(
        top + _OURS, data, re.MULTILINE
    )


def looked_at(paths: Sequence[str]) -> Iterator[str]:
    """The files that `discover` would look into for `paths`, whatever is in them."""
    for path in paths:
        if _is_there(path) and os.path.isdir(path):
            yield from (name for name in _walk(path, lambda _: False, Found()) if _may_be_estate(name))
        elif not _is_there(path) and any(sign in path for sign in "*?["):
            with contextlib.suppress(OSError):
                yield from Access(None).names(path.replace(os.sep, "/"))
        else:
            yield path


def _may_be_estate(path: str) -> bool:
    name = os.path.basename(path).lower()
    return name.endswith(_YAML_ENDINGS) or may_be_native(name)


def _has_key(data: bytes) -> bool:
    if _FLOW.search(data):
        return True
    first = _FIRST.search(data)
    indent = len(first.group(1)) if first else 0
    return re.search(rb"^(?:--- )?[ ]{%d}" % indent + _KEY, data, re.MULTILINE) is not None


def _one(path: str, excluded: Callable[[str], bool], found: Found, most: int) -> list[str]:
    if path == STDIN:
        return [path]
    if not os.path.isdir(path):
        return [] if _passed_over(path, found, most) else [path]
    failures, notes = len(found.failures), len(found.notes)
    estates = []
    for name in _walk(path, excluded, found):
        try:
            if is_estate(name, most) and not _passed_over(name, found, most):
                estates.append(name)
        except OSError as error:
            found.failures.append(f"{_slashed(name)}: cannot be read: {error.strerror or error}")
    if estates or len(found.failures) > failures:
        return estates
    hidden = _excluded_estates(path, most)
    if hidden:
        what = "the only estate in this folder is" if hidden == 1 else f"all {hidden} estates in this folder are"
        found.failures.append(f"{path}: {what} excluded, so nothing is checked")
    elif len(found.notes) == notes:
        found.failures.append(
            f"{path}: no estates found in this folder: momlint looks for *.mom.yaml, topology.yaml and YAML "
            "files whose top level has the key `momlint`, and for configuration files of brokers"
        )
    return estates


def _passed_over(path: str, found: Found, most: int) -> bool:
    """Whether a ``topology.yaml`` is somebody else's, which is noted."""
    try:
        foreign = is_of_another_tool(path, most)
    except OSError:
        return False  # whoever reads it will say what is wrong
    if foreign:
        found.notes.append(
            f"{_slashed(path)}: skipped: this is not an estate (no `momlint:` key and none of its sections)"
        )
    return foreign


def _excluded_estates(folder: str, most: int) -> int:
    """How many estates a folder has that are excluded, where it has no others."""
    number = 0
    for name in _walk(folder, lambda _: False, Found()):
        with contextlib.suppress(OSError):
            number += is_estate(name, most) and not is_of_another_tool(name, most)
    return number


def _walk(folder: str, excluded: Callable[[str], bool], found: Found) -> Iterator[str]:
    def fault(error: OSError) -> None:
        where = _slashed(error.filename or folder)
        found.failures.append(f"{where}: the folder cannot be read: {error.strerror or error}")

    for where, folders, files in os.walk(folder, onerror=fault):
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in _PASSED_OVER and not excluded(os.path.join(where, name))
        )
        for name in sorted(files):
            path = os.path.join(where, name)
            if (name.lower().endswith(_YAML_ENDINGS) or may_be_native(name)) and not excluded(path):
                yield path


def _slashed(path: str) -> str:
    if path == STDIN:
        return path
    path = os.path.normpath(path).replace(os.sep, "/")
    return plain_path(path)
