"""A fault of momlint over one file takes nothing from the reports of the others."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run


@pytest.mark.parametrize(
    "error", [IndexError("list index out of range"), KeyError("x"), RecursionError(), AssertionError()]
)
@pytest.mark.parametrize("form", ["text", "json", "junit", "sarif", "github", "concise"])
def test_the_rest_is_reported(
    error: Exception, form: str, folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    alone = run("check", "--format", "concise", "bad.yaml")
    assert (alone.code, "MOM303" in alone.out) == (1, True)
    from momlint import lint

    opened = lint.open_for

    def fail(data: bytes, file: str, *more: object) -> object:
        if file == "good.mom.yaml":
            raise error
        return opened(data, file, *more)  # type: ignore[arg-type]

    monkeypatch.setattr(lint, "open_for", fail)
    ran = run("check", "--format", form, "--fail-on", "never", "bad.yaml", "good.mom.yaml", "warning.mom.yaml")
    assert ran.code == 2
    said = ran.out + ran.err
    assert "good.mom.yaml: internal fault: " + type(error).__name__ in said
    assert "a bug in momlint, not in your estate" in said
    assert "MOM303" in ran.out


#: Opens of files of these names fail, or have no memory, wherever they are opened.
FAILING = """\
import sys

def fail(event, arguments):
    if event == "open" and isinstance(arguments[0], str):
        if arguments[0].endswith("fails.mom.yaml"):
            raise LookupError("no such thing")
        if arguments[0].endswith("memory.mom.yaml"):
            raise MemoryError

sys.addaudithook(fail)
"""


def test_alone_and_in_a_pool_the_same_is_told(folder: Path) -> None:
    """One file that momlint fails over and one that takes too much memory, between others."""
    (folder / "site").mkdir()
    (folder / "site" / "sitecustomize.py").write_text(FAILING)
    for name in ("a-fails.mom.yaml", "b-memory.mom.yaml"):
        (folder / name).write_text((folder / "good.mom.yaml").read_text())
    path = os.pathsep.join([str(folder / "site"), str(Path(__file__).parents[2])])
    reports = set()
    for options in ([], ["--jobs", "2"], ["--shard-seconds", "60"], ["--runner", "auto"]):
        ran = subprocess.run(
            [sys.executable, "-m", "momlint", "check", ".", "bad.yaml", "--format", "json", "--quiet", *options],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert ran.returncode == 2, ran.stderr
        assert "a-fails.mom.yaml: internal fault: LookupError: no such thing" in ran.stderr
        found = json.loads(ran.stdout)["findings"]
        (undecided,) = [one for one in found if one["code"] == "MOM901"]
        assert undecided["file"] == "b-memory.mom.yaml"
        assert "memory" in undecided["message"]
        # How much memory there is for one file differs, and nothing else.
        found.remove(undecided)
        assert [one["code"] for one in found if one["file"] == "bad.yaml" and one["severity"] == "error"] == ["MOM303"]
        reports.add(json.dumps(found) + ran.stderr)
    assert len(reports) == 1
