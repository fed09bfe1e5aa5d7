"""What may be read: regular files below a root, of a limited size. Imports nothing of momlint but its patterns.

Estates come from strangers. A name in one of them must not reach what was not given to momlint, and nothing that is
opened may hang it: a named pipe waits for ever, a device has no end.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from io import BufferedReader
from typing import BinaryIO

from momlint.patterns import matches_name

#: Megabytes (10⁶ bytes) of one file, unless the user says otherwise: what is made of a file takes many times its size.
MOST_MEGABYTES = 100
MEGABYTE = 1_000_000
#: Names in folders that all patterns of one estate may look at together.
MOST_LOOKED_AT = 100_000

#: What a configuration may be called, and how many bytes it may have.
CONFIGURATIONS = ("momlint.toml", "pyproject.toml")
MOST_OF_CONFIGURATION = MEGABYTE

_PIECE = 1 << 20
_MAGIC = frozenset("*?[")
_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
    (stat.S_ISSOCK, "a socket"),
)
#: Where the system shows itself as files, be they regular by their looks.
_SYSTEM = ("/proc", "/sys", "/dev")
_NONBLOCKING = (
    getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
)


class Refused(OSError):
    """A file that is not read: `strerror` is a clause for the user, `help` what to do."""

    def __init__(self, why: str, help_: str = "name a regular file") -> None:
        super().__init__(errno.EACCES, why)
        self.help = help_


def open_regular(path: str) -> BufferedReader:
    """Open a regular file, whatever waits behind other names. Raises `Refused`, and `OSError` as `open` does."""
    seen = os.stat(path)
    _check_kind(seen.st_mode, path)
    # Between the two looks it may have become something else: opening must not wait for anyone.
    descriptor = os.open(path, os.O_RDONLY | _NONBLOCKING)
    try:
        opened = os.fstat(descriptor)
        if not os.path.samestat(seen, opened):
            _check_kind(opened.st_mode, path)
        return os.fdopen(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_regular(path: str, most: int | None = MOST_MEGABYTES * MEGABYTE) -> bytes:
    """The content of a regular file of at most so many bytes. Raises as `open_regular` does."""
    with open_regular(path) as stream:
        if most is None:
            return stream.read()
        size = os.fstat(stream.fileno()).st_size
        if size > most:
            raise too_large(most)
        return read_stream(stream, most, size)


def read_stream(stream: BinaryIO | BufferedReader, most: int, expected: int = 0) -> bytes:
    """All of a stream of at most so many bytes; `expected`: how many it seems to have. Raises `Refused`."""
    # In pieces: reading at most so many bytes would reserve as many.
    pieces = [stream.read(expected + 1)]
    size = len(pieces[0])
    while size <= most and pieces[-1]:
        pieces.append(stream.read(_PIECE))
        size += len(pieces[-1])
    if size > most:
        raise too_large(most)
    return b"".join(pieces) if len(pieces) > 2 else pieces[0]


def reason(error: OSError) -> str:
    """Why a file was not read, as a clause."""
    words = error.strerror or str(error)
    return f"it cannot be read: {words}" if isinstance(error, Refused) else words


def too_large(most: int) -> Refused:
    """What to say of a file of more than so many bytes."""
    return Refused(f"it is larger than {most / MEGABYTE:,g} MB", "split it, or allow more with `--max-file-mb`")


def _check_kind(mode: int, path: str) -> None:
    for is_kind, words in _KINDS:
        if is_kind(mode):
            raise Refused(f"it is {words}, not a regular file")
    if os.path.realpath(path).startswith(tuple(f"{folder}/" for folder in _SYSTEM)):
        raise Refused("it holds system state, not a regular file")


def configured_folder(file: str) -> str | None:
    """The folder of the configuration that governs `file`, None where there is none."""
    folder = os.path.dirname(os.path.abspath(file))
    while True:
        for name in CONFIGURATIONS:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and (name != "pyproject.toml" or b"[tool.momlint" in _start_of(path)):
                return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _start_of(path: str) -> bytes:
    try:
        return read_regular(path, MOST_OF_CONFIGURATION)
    except OSError:
        return b""  # `momlint check` says why not


class Access:
    """What one estate may read: below `root`, and at most so many bytes of a file. Links are resolved first.

    Without a root, whatever is a regular file: where the names come from whoever runs momlint.
    """

    def __init__(self, root: str | None, most: int = MOST_MEGABYTES * MEGABYTE) -> None:
        self.most = most
        self._root = None if root is None else os.path.realpath(root)
        self._looked_at = 0
        self._identities: dict[str, str] = {}
        self._instead: Mapping[str, bytes] = {}

    @classmethod
    def of(cls, file: str, root: str | None = None, most: int = MOST_MEGABYTES * MEGABYTE) -> Access:
        """For the estate in `file`: `root` if the file is below it, else the folder of the file."""
        if root is not None:
            access = cls(root, most)
            if access.has(file):
                return access
        return cls(os.path.dirname(file) or os.curdir, most)

    def instead(self, contents: Mapping[str, bytes]) -> Access:
        """The same, with `contents` in place of what the files of these identities hold."""
        access = Access(self._root, self.most)
        access._instead = contents
        return access

    def anew(self) -> Access:
        """The same root, with nothing remembered of names: since they were looked up, one may have become a link."""
        access = Access(None, self.most)
        access._root = self._root
        return access

    def content_instead(self, file: str) -> bytes | None:
        """What is to be read in place of a file, None for the file itself."""
        return self._instead.get(self.identity(file)) if self._instead else None

    def identity(self, file: str) -> str:
        """The same for two names of one file. Raises `ValueError` for what can be no name."""
        found = self._identities.get(file)
        if found is None:
            found = self._identities[file] = os.path.realpath(file)
        return found

    def has(self, file: str) -> bool:
        """Whether the file lies below the root, once all links are followed."""
        if self._root is None:
            return True
        real = self.identity(file)
        return real == self._root or real.startswith(self._root.rstrip(os.sep) + os.sep)

    def check(self, file: str) -> None:
        """Raise `Refused` where the file is outside, whether or not it is there."""
        if not self.has(file):
            raise Refused(
                "it is outside the root",
                "momlint reads only files below the configuration's folder (or the estate's, without one); `--root` "
                "names a wider one",
            )

    def read(self, file: str) -> bytes:
        """The content of a regular file below the root. Raises `Refused`, `OSError`."""
        self.check(file)
        if self._instead and (content := self._instead.get(self.identity(file))) is not None:
            return content
        return read_regular(file, self.most)

    def check_table(self, path: str) -> None:
        """As `check`, of a file of tables or a folder of them; also raises `Refused` for what is neither."""
        self.check(path)
        if not os.path.isdir(path):
            if os.path.exists(path):
                _check_kind(os.stat(path).st_mode, path)
            return
        for name, _, is_link in self._names(path):
            if is_link:
                self.check(os.path.join(path, name))

    def find(self, pattern: str) -> list[str]:
        """The files below the root that a pattern with wildcards matches, sorted; see `names`."""
        return [name for name in self.names(pattern) if os.path.isfile(name)]

    def names(self, pattern: str) -> list[str]:
        """The files and folders below the root that it matches, sorted; ``**`` goes into folders.

        As `glob.glob` has it: hidden names only where the pattern says so; but ``**`` follows no links. Raises
        `Refused` where it would look outside, or at too many names.
        """
        parts = pattern.split("/")
        first = next(index for index, part in enumerate(parts) if not _MAGIC.isdisjoint(part))
        if os.pardir in parts[first:]:
            raise Refused("`..` follows a wildcard", "name the folder")
        fixed = "/".join(parts[:first]) or ("/" if pattern.startswith("/") else "")
        self.check(fixed or os.curdir)
        return sorted(set(self._glob(fixed, [part for part in parts[first:] if part not in ("", os.curdir)])))

    def _glob(self, folder: str, parts: list[str]) -> Iterator[str]:
        part, rest = parts[0], parts[1:]
        while part == "**" and rest and rest[0] == "**":
            rest = rest[1:]
        for name, is_folder, is_link in self._names(folder):
            path = f"{folder.rstrip('/')}/{name}" if folder else name
            if part == "**":
                if name.startswith("."):
                    continue
                if not rest:
                    yield path
                if is_folder and not is_link:
                    yield from self._glob(path, parts)
            elif _hidden_alike(part, name) and matches_name(part, name):
                if not rest:
                    yield path
                elif is_folder:
                    yield from self._glob(path, rest)
        if part == "**" and rest:
            yield from self._glob(folder, rest)

    def _names(self, folder: str) -> list[tuple[str, bool, bool]]:
        found = []
        try:
            with os.scandir(folder or os.curdir) as entries:
                for entry in entries:
                    self._looked_at += 1
                    if self._looked_at > MOST_LOOKED_AT:
                        raise Refused(
                            f"the patterns of this estate search more than {MOST_LOOKED_AT:,} names",
                            "name the folder the files are in",
                        )
                    found.append((entry.name, entry.is_dir(), entry.is_symlink()))
        except (NotADirectoryError, FileNotFoundError, PermissionError):
            return []
        return sorted(found)


def _hidden_alike(part: str, name: str) -> bool:
    return not name.startswith(".") or part.startswith(".")
