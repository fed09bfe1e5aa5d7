"""How much work files are, told before it is done: by their size, and, where there are few, by what is in them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from momlint.access import Access
from momlint.discipline import EngineChoice
from momlint.fleet.guard import Guard, ShardLimits
from momlint.fleet.work import Fault, Work

#: CPU seconds of a check, by bench/bench_fleet.py on the files it makes: so much a file, most of it z3's second opinion
#: on a small estate, …
A_FILE = 0.055
#: … and so much a byte, most of it reading; …
A_BYTE = 1.0e-6
#: … but where z3 decides alone, which it does of large estates too.
A_BYTE_BY_SMT = 12.0e-6
#: What colours cost is not told by the size of a file: so much a broker and colour, by bench/bench_colours.py …
A_BROKER_AND_COLOUR = 6.0e-6
#: … and so much where z3 decides alone, by bench/bench_engines.py;
A_BROKER_AND_COLOUR_BY_SMT = 50.0e-6
#: nor what a byte of recovery tables costs, which are Parquet in a file of their own.
A_BYTE_OF_TABLES = 0.5e-6
#: So many files are looked into, if they are no larger than this; it takes a quarter of a second each at the most.
FEW = 4
#: Seconds for a look into one.
PATIENCE = 10.0
SMALL = 1 << 20


def expected_seconds(
    paths: Sequence[str], engine: EngineChoice = "auto", limits: ShardLimits | None = None
) -> list[float]:
    """About how many CPU seconds the check of each file takes. Files that cannot be read take next to none.

    This process opens none of them: what is in a file may hang whoever reads it, or take all memory. A child looks into
    a few small files, within `limits` and `PATIENCE`.
    """
    by_smt = engine == "smt"
    sizes = [size_of(path) for path in paths]
    seconds = [A_FILE + size * (A_BYTE_BY_SMT if by_smt else A_BYTE) for size in sizes]
    small = [index for index, size in enumerate(sizes) if 0 < size <= SMALL] if len(paths) <= FEW else []
    if small:
        limits = limits or ShardLimits()
        work = _LookInto(tuple(paths[index] for index in small), by_smt)
        with Guard(ShardLimits(min(limits.seconds, PATIENCE), limits.memory), os.getcwd()) as guard:
            for unit, more in guard.run(work, range(len(small))):
                seconds[small[unit]] += more
    return seconds


@dataclass(frozen=True, slots=True)
class _LookInto(Work[float]):
    """How much more than its size tells the check of a small file takes, in CPU seconds."""

    paths: tuple[str, ...]
    by_smt: bool
    result_type: ClassVar[type[Any]] = float

    @property
    def units(self) -> int:
        """One a file."""
        return len(self.paths)

    def run(self, unit: int) -> float:
        """Look into one file."""
        return _of_colours(self.paths[unit], self.by_smt)

    def undecided(self, unit: int, fault: Fault) -> float:
        """Whoever checks it will have the same trouble, and will say so."""
        return 0.0


def size_of(path: str) -> int:
    """Bytes of a file, none where there is none."""
    try:
        return os.stat(path).st_size if os.path.isfile(path) else 0
    except OSError:
        return 0  # whoever reads it will say what is wrong


def _of_colours(path: str, by_smt: bool) -> float:
    """What the colours of the estates in a file cost, and their tables."""
    from momlint.estate import load_source
    from momlint.estate.files import read_file

    access = Access.of(path)
    try:
        source = read_file(path, access)
    except OSError:
        return 0.0
    seconds = 0.0
    for loaded in load_source(source, access=access):
        estate = loaded.estate
        if estate is None:
            continue
        each = A_BROKER_AND_COLOUR_BY_SMT if by_smt else A_BROKER_AND_COLOUR
        seconds += len(estate.brokers) * len(estate.colours) * each
        if estate.recovery_file is not None:
            seconds += _size_of_tables(estate.recovery_file) * A_BYTE_OF_TABLES
    return seconds


def _size_of_tables(path: str) -> int:
    if not os.path.isdir(path):
        return size_of(path)
    try:
        return sum(entry.stat().st_size for entry in os.scandir(path) if entry.is_file())
    except OSError:
        return 0
