"""A folder that has seen a session of editing says what one says that has just been opened."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
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
    "other.yaml": """\
momlint: 1
include: [parts/links.yaml, gone.yaml]
brokers: {a: , b: , c: , d: , e: }
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
    fresh.roots = folder.roots
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


def session(root: Path, rng: random.Random, edits: int) -> None:
    files = opened(root, rng)
    folder = Folder(options_of)
    folder.roots = [root.as_posix()]
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
    """A folder with several estates; the texts of some of the files in it, which are open."""
    texts = {"estate.yaml": rng.choice(CASES).read_text(encoding="utf-8")}
    if rng.random() < 0.5:
        texts |= PARTED
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    chosen = rng.sample(sorted(texts), rng.randint(1, len(texts)))
    return {(folder / name).as_posix(): texts[name] for name in chosen}


def sessions(folder: Path, seeds: range, edits: int) -> Iterator[None]:
    for seed in seeds:
        yield session(folder / str(seed), random.Random(seed), edits)


class _BrokenOff(BaseException):
    """As what a worker raises in work that nobody wants any more."""


def broken_off(work: Callable[[], object], after: int) -> bool:
    """Do `work` up to so many calls of functions; whether there were so many."""
    left = after

    def count(*_: object) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            raise _BrokenOff

    sys.setprofile(count)
    try:
        work()
    except _BrokenOff:
        return True
    finally:
        sys.setprofile(None)
    return False


def break_off(folder: Path, seed: int) -> int:
    """Edits, each with checks that are broken off anywhere; how many were."""
    rng = random.Random(seed)
    files = opened(folder, rng)
    editing = Folder(options_of)
    editing.roots = [folder.as_posix()]
    for file, text in files.items():
        editing.put(file, Text(text))
    told(editing)  # modules are loaded by now: while they are, work is not broken off
    times = 0
    for _ in range(4):
        file = rng.choice(list(files))
        files[file] = typed(rng, files[file])
        editing.put(file, Text(files[file]))
        for _ in range(3):
            times += broken_off(lambda: told(editing), round(10 ** rng.uniform(0.5, 4.5)))
        assert told(editing) == told(anew(editing)), (file, files[file])
    return times


def test_what_is_broken_off_leaves_nothing(tmp_path: Path) -> None:
    # Some edits are checked in less.
    assert sum(break_off(tmp_path / str(seed), seed) for seed in range(200 if ALL else 4)) > (1000 if ALL else 20)


def test_what_nothing_has_changed_in_is_not_opened_again(tmp_path: Path) -> None:
    files = {name: (tmp_path / name).as_posix() for name in PARTED}
    (tmp_path / "parts").mkdir()
    for name, file in files.items():
        Path(file).write_text(PARTED[name], encoding="utf-8")
    folder = Folder(options_of)
    folder.roots = [tmp_path.as_posix()]
    changed = files["parts/recovery.yaml"]
    folder.put(changed, Text(PARTED["parts/recovery.yaml"]))
    main, other = (folder.opened(files[name]) for name in ("main.yaml", "other.yaml"))
    folder.put(changed, Text(PARTED["parts/recovery.yaml"] + "# more\n"))
    assert folder.units(changed) == [files["main.yaml"]]
    assert folder.opened(files["main.yaml"]) is not main
    assert folder.opened(files["other.yaml"]) is other


def test_sessions_of_editing(tmp_path: Path) -> None:
    assert len(list(sessions(tmp_path, range(300 if ALL else 6), 6))) >= 6


@pytest.mark.slow
def test_more_sessions_of_editing(tmp_path: Path) -> None:
    assert len(list(sessions(tmp_path, range(1000, 1040), 10))) == 40
