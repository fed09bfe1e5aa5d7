"""The cases from the field: the mend that each of them names, and what ``momlint fix`` writes for it, line by line.

`MENDS` is the table. A case that names no mend has what its finding's help advises, or the reason why that is for
people to decide. Every line that is not told here stays as it is.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import pytest

from momlint.lint import Options, lint_files
from momlint.mending.mend import Mending
from tests.native.test_cases import CASES, EXPECTED


class Told(NamedTuple):
    """`named`: what case.md says of a mend. `diff`: lines that go (-) and come (+), by file; empty: it is not mended.

    `why`: what people have to decide, where it is not.
    """

    named: str
    diff: Mapping[str, str] = MappingProxyType({})
    why: str = ""


MENDS: dict[str, Told] = {
    "01-mosq-mutual-both-loop": Told(
        "none; one connection of the two is enough",
        {"south.conf": "-\n-connection to-north\n-address north.example:1883\n-notifications false\n-topic # both 0"},
    ),
    "03-mosq-triangle-both-loop": Told(
        "none; as in case 13",
        {
            "a.conf": "-address b.example:1883\n+address b.example:1883 c.example:1883\n"
            "-\n-connection a-c\n-address c.example:1883\n-notifications false\n-topic # both 0"
        },
    ),
    "05-mosq-mutual-out-prefix-growth-loop": Told(
        "none", why="a narrower filter keeps something back, and only people know what they can do without"
    ),
    "13-mosq-dual-homed-edge-loop": Told(
        "one connection with two addresses, primary and fallback",
        {
            "edge.conf": "-address hub1.example:1883\n+address hub1.example:1883 hub2.example:1883\n"
            "-\n-connection up2\n-address hub2.example:1883\n-notifications false\n-topic # both 0"
        },
    ),
    "17-vernemq-mutual-out-loop": Told(
        "none", why="either way less keeps commands back; a prefix renames them for those who listen"
    ),
}


def diff(before: str, after: str) -> str:
    """The lines that go and come, without their surroundings."""
    import difflib

    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return "\n".join(line[0] + line[2:] for line in lines if line[0] in "+-")


@pytest.mark.parametrize("case", MENDS)
def test_mends(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = MENDS[case]
    for file in (CASES / case).iterdir():
        if file.name != "case.md":
            shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    files = sorted(path.name for path in tmp_path.iterdir())
    before = {file: Path(file).read_text() for file in files}
    mending = Mending(Options())
    (mended,) = mending.mend(files)
    found = {file: diff(before[file], data.decode()) for file, data in mended.contents.items()}
    assert found == dict(told.diff)
    assert bool(told.diff) == bool(mended.gone)
    assert bool(told.why) == bool(mended.left)
    if told.why:
        assert len(mended.left) == len(EXPECTED[case])
        return
    for file, data in mended.contents.items():
        Path(file).write_bytes(data)
    for engine in ("graph", "smt"):
        report = lint_files(files, Options(engine=engine))  # type: ignore[arg-type]
        assert [finding.code for finding in report.findings] == []
    (again,) = Mending(Options()).mend(files)
    assert again.contents == {}
