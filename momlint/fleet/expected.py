"""How much work files are, told before it is done: by their size, and, where there are few, by what is in them."""

from __future__ import annotations

import os
from collections.abc import Sequence

from momlint.discipline import EngineChoice

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
SMALL = 1 << 20


def expected_seconds(paths: Sequence[str], engine: EngineChoice = "auto") -> list[float]:
    """About how many CPU seconds the check of each file takes. Files that cannot be read take next to none."""
    by_smt = engine == "smt"
    seconds = []
    for path in paths:
        size = size_of(path)
        expected = A_FILE + size * (A_BYTE_BY_SMT if by_smt else A_BYTE)
        if len(paths) <= FEW and 0 < size <= SMALL:
            expected += _of_colours(path, by_smt)
        seconds.append(expected)
    return seconds


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

    try:
        source = read_file(path)
    except OSError:
        return 0.0
    seconds = 0.0
    for loaded in load_source(source):
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
