"""Processes as /proc shows them."""

from __future__ import annotations

from pathlib import Path

#: momlint for ``python -c``, to be interrupted even where the tests run in the background of a shell: what runs there
#: ignores interrupts, and hands that down.
INTERRUPTIBLE = (
    "import signal, sys\n"
    "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from momlint.cli import main\n"
    "sys.exit(main(sys.argv[1:]))\n"
)


def children() -> dict[int, int]:
    """Every live process → its parent."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                rest = (folder / "stat").read_text().rsplit(")", 1)[1].split()
            except (FileNotFoundError, ProcessLookupError):
                continue  # it has just ended
            if rest[0] != "Z":
                found[int(folder.name)] = int(rest[1])
    return found


def descendants(pid: int) -> set[int]:
    """The live processes below one."""
    parents = children()
    below = {pid}
    while True:
        more = {child for child, parent in parents.items() if parent in below} - below
        if not more:
            return below - {pid}
        below |= more


def is_running(pid: int) -> bool:
    """Whether a process is there and no zombie."""
    return pid in children()
