"""Running the command line in this process, in a folder of its own."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from momlint.cli import main
from tests.cli.estates import BLACK_HOLE, GOOD, WARNING


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """``run("check", "x.yaml", stdin=b"…")`` → exit code, standard output, standard error."""
    for name in ("NO_COLOR", "FORCE_COLOR", "MOMLINT_DEBUG", "GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)

    def call(*arguments: str, stdin: bytes = b"") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin), encoding="utf-8"))
        code = main(arguments)
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        return Ran(code, captured.out, captured.err)

    return call


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the estates of `tests.cli.estates` and a configuration that says nothing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "momlint.toml").write_text("")
    (tmp_path / "good.mom.yaml").write_text(GOOD)
    (tmp_path / "bad.yaml").write_text(BLACK_HOLE)
    (tmp_path / "warning.mom.yaml").write_text(WARNING)
    return tmp_path
