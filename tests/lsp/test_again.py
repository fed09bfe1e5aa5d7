"""A folder that has seen a session of editing says what one says that has just been opened."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from momlint.findings import Report
from momlint.lint import Options
from momlint.lsp.folder import Folder
from momlint.lsp.texts import Text
from tests.budget import ALL
from tests.source.test_again import edited

ROOT = Path(__file__).parents[2]
#: Estates of all kinds, with something wrong and without.
CASES = sorted((ROOT / "tests" / "rules").glob("MOM*/*.yaml"))
PARTED = {
    "main.yaml": """\
momlint: 1
include: [parts/*.yaml]
brokers:
  a:
  b:
  c:
  d:
topics:
  t: {publishers: [a], subscribers: [c, d]}
failures:
  tolerate: {links: 1}
""",
    "parts/links.yaml": """\
links:
  - {between: [a, b]}
  - {between: [b, c]}
  - {between: [c, d]}
  - {between: [d, a]}
""",
    "parts/recovery.yaml": """\
failures:
  colours:
    none: []
    x: [a--b]
    y: [b--c]
  recovery:
    a:
      - {to: c, via: b, colours: [none]}
      - {to: c, via: d, except: [none]}
      - {to: d, via: d, colours: [none, x, y]}
    b:
      - {to: c, via: c, except: [y]}
    d:
      - {to: c, via: c, except: []}
""",
}


def options_of(_: str) -> Options:
    return Options(engine="graph")


def told(folder: Folder) -> list[tuple[str, object, object]]:
    """What is found on account of each open file."""
    found = []
    for file in sorted(folder.texts):
        for unit in folder.units(file):
            try:
                report: Report | None = folder.report(unit)
            except OSError:
                report = None
            assert report is not None
            found.append((str(unit), report.findings, report.failures))
    return found


def anew(folder: Folder) -> Folder:
    fresh = Folder(options_of)
    for file, text in folder.texts.items():
        fresh.put(file, text)
    return fresh


def typed(rng: random.Random, text: str) -> str:
    """The text with a word in the place of another, two lines the other way round, or any other edit."""
    kind = rng.random()
    if kind < 0.4:
        return edited(rng, text)
    if kind < 0.7:  # two lines change places
        lines = text.splitlines(keepends=True)
        at = rng.randrange(len(lines) - 1) if len(lines) > 1 else 0
        return "".join([*lines[:at], *reversed(lines[at : at + 2]), *lines[at + 2 :]])
    words = text.split(" ")
    words[rng.randrange(len(words))] = rng.choice(words)
    return " ".join(words)


def session(rng: random.Random, files: dict[str, str], edits: int) -> None:
    folder = Folder(options_of)
    for file, text in files.items():
        folder.put(file, Text(text))
    for _ in range(edits):
        file = rng.choice(list(files))
        text = typed(rng, files[file])
        folder.put(file, Text(text))
        seen = told(folder)
        assert seen == told(anew(folder)), (file, files[file], text)
        codes = {code for _, findings, _ in seen for code in [one.code for one in findings]}  # type: ignore[attr-defined]
        assert "MOM902" not in codes, text
        if "MOM101" not in codes or rng.random() < 0.3:
            files[file] = text
        else:
            folder.put(file, Text(files[file]))


def opened(folder: Path, rng: random.Random) -> dict[str, str]:
    """The texts of an estate, by files that are there."""
    texts = dict(PARTED) if rng.random() < 0.3 else {"estate.yaml": rng.choice(CASES).read_text(encoding="utf-8")}
    files = {}
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        files[path.as_posix()] = text
    return files


def sessions(folder: Path, seeds: range, edits: int) -> Iterator[None]:
    for seed in seeds:
        rng = random.Random(seed)
        yield session(rng, opened(folder / str(seed), rng), edits)


def test_sessions_of_editing(tmp_path: Path) -> None:
    assert len(list(sessions(tmp_path, range(300 if ALL else 6), 6))) >= 6


@pytest.mark.slow
def test_more_sessions_of_editing(tmp_path: Path) -> None:
    assert len(list(sessions(tmp_path, range(1000, 1040), 10))) == 40
