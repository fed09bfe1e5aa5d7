"""What reaches a terminal: signs of life, colours, characters it can show."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
import time
from pathlib import Path

import pytest

from momlint.cli import console
from tests.cli.estates import BLACK_HOLE


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__()
        self._encoding = encoding

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return self._encoding

    def isatty(self) -> bool:
        return True


def a_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Put in place here and not in a fixture: pytest puts its own streams back between the two."""
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    monkeypatch.setattr(console, "PATIENCE", 0.05)
    monkeypatch.setattr(console, "_REFRESH", 0.02)
    return made


def wait_for(terminal: Terminal, text: str) -> None:
    until = time.monotonic() + 10
    while text not in terminal.getvalue() and time.monotonic() < until:
        time.sleep(0.01)
    assert text in terminal.getvalue()


def test_progress_shows_what_takes_long_and_clears_it(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch)
    with console.Progress() as progress:
        progress("a.yaml")
        wait_for(terminal, "momlint: a.yaml (0 s)")
        progress("b\x1b.yaml")
        wait_for(terminal, "momlint: b\\x1b.yaml")
    assert terminal.getvalue().endswith("\r\x1b[K")


def test_progress_says_nothing_of_what_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch)
    monkeypatch.setattr(console, "PATIENCE", 60.0)
    with console.Progress() as progress:
        progress("a.yaml")
    assert terminal.getvalue() == ""


def test_progress_needs_a_terminal_and_leave(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = a_terminal(monkeypatch)
    with console.Progress(enabled=False) as progress:
        progress("a.yaml")
        time.sleep(0.1)
    assert terminal.getvalue() == ""
    plain = io.StringIO()
    monkeypatch.setattr(sys, "stderr", plain)
    with console.Progress() as progress:
        progress("a.yaml")
        time.sleep(0.1)
    assert plain.getvalue() == ""


def test_a_terminal_gets_what_it_can_show(monkeypatch: pytest.MonkeyPatch) -> None:
    narrow = Terminal("ascii")
    monkeypatch.setattr(sys, "stdout", narrow)
    console.write("1 → 2, ü\n")
    assert narrow.getvalue() == "1 -> 2, \\xfc\n"
    wide = Terminal("utf-8")
    monkeypatch.setattr(sys, "stdout", wide)
    console.write("1 → 2, ü \udcff\n")
    assert wide.getvalue() == "1 → 2, ü \\udcff\n"


def test_a_real_terminal_gets_colours_and_its_width(tmp_path: Path) -> None:
    (tmp_path / "six.yaml").write_text(BLACK_HOLE)
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    environment |= {"TERM": "xterm", "COLUMNS": "70", "PYTHONPATH": str(Path(__file__).parents[2])}
    leader, follower = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "momlint", "check", "six.yaml", "--engine", "graph"],
        cwd=tmp_path,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=follower,
        stderr=subprocess.PIPE,
    ) as process:
        os.close(follower)
        seen = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            seen += part
    os.close(leader)
    assert process.returncode == 1
    assert b"\x1b[1;31merror[MOM303]" in seen


@pytest.mark.parametrize(
    ("doing", "passed", "says"),
    [
        ("file 1 of 40: a.yaml", 3.0, ""),  # none is done yet
        ("file 11 of 40: a.yaml", 20.0, ", about 60 s left"),  # ten in 20 s, thirty to go
        ("11 of 311", 20.0, ", about 10 min left"),
        ("starting Spark", 20.0, ""),
    ],
)
def test_how_long_it_may_last(doing: str, passed: float, says: str) -> None:
    assert console.time_left(doing, passed) == says


def test_what_is_said_aside_is_folded_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """At blanks, never in a path; standard error of no terminal has a line for each sentence."""
    path = "a/folder/with/a/name/that/is/longer/than/a/line.mom.yaml"
    line = f"momlint: error: {path}: the report cannot be written"
    monkeypatch.setenv("COLUMNS", "40")
    terminal = a_terminal(monkeypatch)
    console.complain(line, "  Spark's log: one two three four five six")
    assert terminal.getvalue() == (
        f"momlint: error:\n  {path}:\n  the report cannot be written\n  Spark's log: one two three four five\n    six\n"
    )
    plain = io.StringIO()
    monkeypatch.setattr(sys, "stderr", plain)
    console.complain(line)
    assert plain.getvalue() == line + "\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "a-folder/that-is-not-there/and-has-a-long-name/topology.mom.yaml"],
        ["check", "--no-such-option-as-this-one-that-is-long", "topology.yaml"],
        ["trace", "topology.yaml"],
    ],
)
def test_errors_in_a_real_terminal_fit(arguments: list[str], tmp_path: Path) -> None:
    """Standard error alone is a terminal, of 50 columns; and usage texts as well."""
    import fcntl
    import struct
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 50, 0, 0))
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")}
    ran = subprocess.run(
        [sys.executable, "-m", "momlint", *arguments],
        cwd=tmp_path,
        env={**environment, "PYTHONPATH": str(Path(__file__).parents[2])},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=theirs,
        timeout=60,
        check=False,
    )
    os.close(theirs)
    said = os.read(ours, 10_000).decode().replace("\r\n", "\n")
    os.close(ours)
    assert ran.returncode == 2
    assert "momlint: error:" in said
    for line in said.splitlines():
        assert len(line) <= 50 or " " not in line.strip(), said
