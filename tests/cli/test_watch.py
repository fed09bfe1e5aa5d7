"""``check --watch``: the real program beside files that change."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from momlint.cli.watch import Watched, watch
from tests.cli.conftest import Run
from tests.cli.estates import GOOD

PATIENCE = 60.0
ESTATE = GOOD.partition("topics:")[0] + "include: [topics/*.yaml]\n"
TOPIC = "momlint: 1\ntopics:\n  {}: {{publishers: [1], subscribers: [{}]}}\n"


class Watching:
    """The program, and what it has said so far."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        self.said = ""
        self.process = subprocess.Popen(
            [sys.executable, "-m", "momlint", "check", "--watch", *arguments],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._seen = 0

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.said += line

    def next(self) -> str:
        """What is said until it waits again."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self.process.poll() is None:
            end = self.said.find("Ctrl-C ends it\n", self._seen)
            if end >= 0:
                part, self._seen = self.said[self._seen : end], end + len("Ctrl-C ends it\n")
                return part
            time.sleep(0.02)
        raise AssertionError(self.said)

    def stop(self) -> int:
        self.process.send_signal(signal.SIGINT)
        code = self.process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        return code


Start = Callable[..., Watching]


@pytest.fixture
def start(folder: Path) -> Iterator[Start]:
    running: list[Watching] = []

    def begin(*arguments: str) -> Watching:
        running.append(Watching(folder, *arguments, "--format", "concise", "--ignore", "MOM501"))
        return running[-1]

    yield begin
    for one in running:
        one.process.kill()
        one.process.wait()


def test_what_an_estate_rests_on(start: Start, folder: Path) -> None:
    """Itself, an included file, one that comes to be included, the configuration; and it ends as it is told to."""
    (folder / "topics").mkdir()
    (folder / "main.yaml").write_text(ESTATE)
    (folder / "topics" / "a.yaml").write_text(TOPIC.format("a", "2, 3"))
    program = start("main.yaml")
    assert "momlint: watching 2 files" in program.next()
    (folder / "topics" / "a.yaml").write_text(TOPIC.format("a", ""))
    said = program.next()
    assert f"momlint: topics{os.sep}a.yaml changed\n" in said.replace("/", os.sep)
    assert "topics/a.yaml:3:3: MOM201 warning" in said
    (folder / "topics" / "b.yaml").write_text(TOPIC.format("b", ""))
    assert "topics/b.yaml:3:3: MOM201 warning" in program.next()
    (folder / "momlint.toml").write_text('extend-ignore = ["MOM201"]\n')
    said = program.next()
    assert ("momlint: momlint.toml changed\n" in said, "MOM201" in said) == (True, False)
    (folder / "main.yaml").write_text(ESTATE.replace("[2, 3]", "[2, 4]"))
    assert "main.yaml:7:19: MOM104 error" in program.next()
    assert program.stop() == 130


@pytest.mark.slow
def test_a_setting_that_is_being_edited_ends_nothing(start: Start, folder: Path) -> None:
    program = start("warning.mom.yaml")
    assert "MOM201" in program.next()
    (folder / "momlint.toml").write_text("engin = 3\n")
    assert "momlint: error: momlint.toml: unknown setting `engin`; did you mean `engine`?" in program.next()
    (folder / "momlint.toml").write_text('engine = "graph"\n')
    assert "MOM201" in program.next()


@pytest.mark.slow
def test_a_rule_of_ones_own(start: Start, folder: Path) -> None:
    rule = "code: ACME1\nid: near\ntitle: T\ncheck: hops-within\nwith: {{at_most: {}}}\n"
    (folder / "rules").mkdir()
    (folder / "rules" / "near.yaml").write_text(rule.format(0))
    (folder / "momlint.toml").write_text('rules = ["rules"]\n')
    program = start("good.mom.yaml")
    assert "ACME1 error" in program.next()
    (folder / "rules" / "near.yaml").write_text(rule.format(9))
    said = program.next()
    assert ("near.yaml changed\n" in said, "ACME1" in said) == (True, False)
    (folder / "rules" / "near.yaml").write_text(rule.format("x"))
    assert "near.yaml:5:17: `at_most` takes a whole number" in program.next()
    (folder / "rules" / "near.yaml").write_text(rule.format(0))
    assert "ACME1 error" in program.next()


@pytest.mark.slow
def test_a_folder(start: Start, folder: Path) -> None:
    """An estate that comes, one that changes, one that goes."""
    program = start(".")
    assert "watching 3 files" in program.next()
    (folder / "new.mom.yaml").write_text(GOOD.replace("[2, 3]", "[]"))
    assert "new.mom.yaml:9:3: MOM201" in program.next()
    (folder / "bad.yaml").unlink()
    assert "MOM303" not in program.next()


@pytest.mark.slow
def test_tables_in_a_file(start: Start, folder: Path) -> None:
    estate = GOOD.partition("topics:")[0] + "topics:\n  weather: {publishers: [1], subscribers: [2]}\n"
    (folder / "main.yaml").write_text(estate + "failures:\n  colours: {c: []}\n  recovery: {file: rows.csv}\n")
    rows = "broker,to,via,colours\n1,2,{},c\n3,2,2,c\n"
    (folder / "rows.csv").write_text(rows.format(2))
    program = start("main.yaml", "--select", "MOM3,MOM4")
    assert "error" not in program.next()
    (folder / "rows.csv").write_text(rows.format(1))
    assert "rows.csv:2:" in program.next()


@pytest.mark.slow
def test_its_own_report_is_no_change(start: Start, folder: Path) -> None:
    program = start(".", "--output", "report.txt", "--also", "json=report.json")
    program.next()
    time.sleep(1.5)
    assert "changed" not in program.said
    (folder / "good.mom.yaml").write_text(GOOD + "# more\n")
    program.next()
    assert program.said.count(" changed\n") == 1


def test_standard_input_does_not_change(run: Run, folder: Path) -> None:
    ran = run("check", "-", "--watch")
    assert ran.code == 2
    assert "--watch checks files again when they change" in ran.err


def test_a_wrong_command_line_ends_at_once(run: Run, folder: Path) -> None:
    assert run("check", "good.mom.yaml", "--watch", "--select", "MOM999").code == 2


class Ended(Exception):
    pass


def test_a_change_during_the_check_is_not_missed(folder: Path) -> None:
    """What is saved while it is checked is checked again, at once, whether or not it was known before."""
    runs = 0

    def once() -> list[str]:
        nonlocal runs
        runs += 1
        if runs < 4:
            # Another size, and so another look, however coarse the clock of the disk.
            (folder / "good.mom.yaml").write_text(GOOD + "#" * runs)
        return ["good.mom.yaml"]

    def say(words: str) -> None:
        raise Ended

    with pytest.raises(Ended):
        watch(Watched(("good.mom.yaml",)), once, say, 0.01)
    assert runs == 4


@pytest.mark.slow
def test_what_still_moves_is_waited_for(folder: Path) -> None:
    """A change of many files, one after the other, is one check."""
    runs = 0

    def once() -> list[str]:
        nonlocal runs
        runs += 1
        return [str(path) for path in sorted(folder.glob("*.yaml"))]

    def change() -> None:
        for number in range(10):
            (folder / f"n{number}.mom.yaml").write_text(GOOD)
            time.sleep(0.01)

    told: list[str] = []

    def say(words: str) -> None:
        told.append(words)
        if len(told) == 1:
            threading.Thread(target=change).start()
        elif len(told) == 3:
            raise Ended

    with pytest.raises(Ended):
        watch(Watched((".",)), once, say, 1.0)
    assert runs == 2
    assert told[1].endswith("n0.mom.yaml and 9 more changed")


def test_the_clutter_of_editors_is_no_change(folder: Path) -> None:
    watched = Watched(("good.mom.yaml",), files={"good.mom.yaml"})
    before = watched.look()
    for name in (".good.mom.yaml.swp", "good.mom.yaml~", "good.mom.yaml.12-0.part", "4913.tmp"):
        (folder / name).write_text("x")
    assert watched.look() == before
    (folder / "more.yaml").write_text("x")
    assert watched.look() != before
