"""``check --watch``: check, and check again when something changes that the check rests on.

By looking at names, times and sizes three times a second, and not by a library that the system tells of changes: what
is watched is a few files and folders, which costs next to nothing to look at, and it works the same on network drives,
in containers and in virtual machines, where the system tells nothing (docs/adr/0030).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NoReturn, TypeAlias

from momlint import discover
from momlint.access import CONFIGURATIONS

#: Seconds between two looks; more where a look takes long, so that no more than a tenth of the time goes into it.
PAUSE = 0.3
_SHARE = 10
#: Subfolders of a folder with watched files that are looked at for names.
_MOST_FOLDERS = 200

#: What a look sees of a file (time of change, size, number on the disk), or of a folder (names); None where it is gone.
Seen: TypeAlias = "tuple[int, int, int] | tuple[str, ...] | None"


@dataclass(slots=True)
class Watched:
    """What is to be looked at.

    `paths`: as the command line names them. `files`: what the last check read. `written`: what it writes, whose changes
    are nobody's.
    """

    paths: tuple[str, ...]
    named: tuple[str, ...] = ()
    written: frozenset[str] = frozenset()
    files: set[str] = field(default_factory=set)

    def look(self) -> dict[str, Seen]:
        """Everything with what is seen of it."""
        files = {*self.files, *self.named, *discover.looked_at(self.paths), *self._configurations()}
        seen: dict[str, Seen] = {file: _of_file(file) for file in files if os.path.realpath(file) not in self.written}
        # Where a file is read, another may come that a pattern of its `include` fits, or that it already names.
        for folder in {os.path.dirname(file) or os.curdir for file in self.files}:
            seen.update(self._names(folder))
        return seen

    def _configurations(self) -> Iterator[str]:
        """Those that are there, or would count if they were."""
        folder = os.path.abspath(self.paths[0])
        while True:
            yield from (os.path.join(folder, name) for name in CONFIGURATIONS)
            parent = os.path.dirname(folder)
            if parent == folder:
                return
            folder = parent

    def _names(self, folder: str) -> Iterator[tuple[str, Seen]]:
        try:
            entries = [entry for entry in os.scandir(folder) if self._counts(entry)]
            inner = sorted(entry.path for entry in entries if entry.is_dir())[:_MOST_FOLDERS]
        except OSError:
            yield folder + os.sep, None
            return
        yield folder + os.sep, tuple(sorted(entry.name for entry in entries))
        for name in inner:
            try:
                yield name + os.sep, tuple(sorted(entry.name for entry in os.scandir(name) if self._counts(entry)))
            except OSError:
                yield name + os.sep, None

    def _counts(self, entry: os.DirEntry[str]) -> bool:
        """Not what editors and momlint itself have there for a moment, nor reports."""
        return not (
            entry.name.startswith(".")
            or entry.name.endswith(("~", ".part", ".tmp", ".swp"))
            or os.path.realpath(entry.path) in self.written
        )


def _of_file(file: str) -> Seen:
    try:
        seen = os.stat(file)
    except (OSError, ValueError):
        return None
    return seen.st_mtime_ns, seen.st_size, seen.st_ino


def watch(
    watched: Watched,
    once: Callable[[], Collection[str]],
    say: Callable[[str], None],
    pause: float = PAUSE,
) -> NoReturn:
    """Call `once`, and again whenever something has changed, for ever.

    `once` checks, and returns the files that it read. `say` is told what is waited for.
    """
    while True:
        before = watched.look()
        started = time.time_ns()
        watched.files = set(once())
        now = watched.look()
        # While it was checked, what was known has changed; or what came to be known is younger than the check.
        if any(seen != before[name] if name in before else _is_younger(seen, started) for name, seen in now.items()):
            continue
        files = sum(1 for file in watched.files if os.path.exists(file))
        say(f"watching {files} {'file' if files == 1 else 'files'} and what they rest on; Ctrl-C ends it")
        changed = _wait(watched, now, pause)
        say(f"{_told(changed)} changed")


def _is_younger(seen: Seen, started: int) -> bool:
    when = seen[0] if seen else 0
    return isinstance(when, int) and when > started


def _wait(watched: Watched, known: Mapping[str, Seen], pause: float) -> list[str]:
    """Until something differs from what is `known`, and no longer moves; its names, sorted."""
    last = dict(known)
    while True:
        begun = time.monotonic()
        now = watched.look()
        if now != known and now == last:
            return sorted(name for name in {*known, *now} if known.get(name) != now.get(name))
        last = now
        time.sleep(max(pause, _SHARE * (time.monotonic() - begun)))


def _told(changed: Sequence[str]) -> str:
    """``topology.yaml``, or ``topology.yaml and 2 more``; files rather than the folders that they stand in."""
    names = [name for name in changed if not name.endswith(os.sep)] or list(changed)
    first = os.path.relpath(names[0]) if os.path.isabs(names[0]) else names[0]
    return first if len(names) == 1 else f"{first} and {len(names) - 1} more"
