"""A fault of momlint over one file takes nothing from the reports of the others."""

from __future__ import annotations

import errno
import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.cli.conftest import Run

FORMATS = ["text", "json", "junit", "sarif", "github", "concise"]
#: Every way in which findings are left out.
SILENT = [
    (),
    ("--fail-on", "never"),
    ("--ignore", "MOM9"),
    ("--ignore", "MOM902"),
    ("--select", "MOM302,MOM303"),
    ("--config", "silent.toml"),
    ("--baseline", "known.json"),
]
SILENT_TOML = """\
ignore = ["MOM902"]
fail-on = "never"

[per-file-ignores]
"**" = ["MOM902"]
"""
KNOWN = {"file": "good.mom.yaml", "code": "MOM902", "about": "internal fault in this file: IndexError: no such thing"}


@pytest.fixture
def failing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Exception], None]:
    """Call it with what momlint shall fail with over good.mom.yaml."""
    from momlint import lint

    opened = lint.open_for
    text = (folder / "good.mom.yaml").read_text()
    (folder / "good.mom.yaml").write_text(f"# momlint: ignore MOM902\n{text}")
    (folder / "silent.toml").write_text(SILENT_TOML)
    (folder / "known.json").write_text(json.dumps({"version": 1, "findings": [KNOWN]}))

    def set_up(error: Exception) -> None:
        def fail(data: bytes, file: str, *more: object) -> object:
            if file == "good.mom.yaml":
                raise error
            return opened(data, file, *more)  # type: ignore[arg-type]

        monkeypatch.setattr(lint, "open_for", fail)

    return set_up


@pytest.mark.parametrize("silent", SILENT, ids=" ".join)
@pytest.mark.parametrize("form", FORMATS)
def test_the_rest_is_reported(
    form: str, silent: tuple[str, ...], failing: Callable[[Exception], None], run: Run
) -> None:
    """One MOM902 at the file that nothing leaves out, and what is wrong with the others."""
    failing(IndexError("no such thing"))
    ran = run("check", "--format", form, *silent, "bad.yaml", "good.mom.yaml", "warning.mom.yaml")
    assert ran.code == 2
    for said in ("MOM902", "good.mom.yaml", "internal fault in this file: IndexError: no such thing", "MOM303"):
        assert said in ran.out
    assert "internal fault" not in ran.err
    if form != "concise":
        assert "a bug in momlint, not in your estate: please report it with this file" in re.sub(r"\s+", " ", ran.out)
    match form:
        case "json":
            report = json.loads(ran.out)
            (fault,) = [one for one in report["findings"] if one["code"] == "MOM902"]
            start = {"line": 1, "column": 1}
            assert (fault["severity"], fault["file"]) == ("error", "good.mom.yaml")
            assert fault["span"] == {"start": start, "end": start}
            assert report["summary"]["files"] == 3
            assert report["summary"]["errors"] == len([one for one in report["findings"] if one["severity"] == "error"])
        case "sarif":
            (sarif,) = json.loads(ran.out)["runs"]
            assert sarif["invocations"][0]["executionSuccessful"] is False
            (result,) = [one for one in sarif["results"] if one["ruleId"] == "MOM902"]
            assert result["level"] == "error"
        case "junit":
            (suite,) = ElementTree.fromstring(ran.out).findall("testsuite[@name='good.mom.yaml']")
            assert suite.get("failures") == "1"
        case "github":
            assert "::error file=good.mom.yaml,line=1,col=1,endColumn=1,title=MOM902 " in ran.out
        case "concise":
            assert "good.mom.yaml:1:1: MOM902 error internal fault" in ran.out


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (KeyError("x"), "KeyError: 'x'"),
        (RecursionError(), "RecursionError"),
        (AssertionError("one\ntwo"), "AssertionError: one"),
        (TypeError("<object at 0x7f12ab34cd56>"), "TypeError: <object at 0x...>"),
        (ValueError("x" * 1000), f"ValueError: {'x' * 200}..."),
        (ValueError("a\x1b[31mb"), "ValueError: a\\x1b[31mb"),
    ],
)
def test_what_is_said_of_the_fault(error: Exception, said: str, failing: Callable[[Exception], None], run: Run) -> None:
    """One line, no longer than it helps, the same in every process."""
    failing(error)
    (line,) = run("check", "--format", "concise", "good.mom.yaml").out.splitlines()
    assert line == f"good.mom.yaml:1:1: MOM902 error internal fault in this file: {said}"


def test_what_the_system_refuses_is_no_fault(failing: Callable[[Exception], None], run: Run) -> None:
    failing(OSError(errno.EMFILE, "Too many open files"))
    ran = run("check", "--format", "concise", "bad.yaml", "good.mom.yaml")
    assert ran.code == 2
    assert ran.err == "momlint: error: good.mom.yaml: the system refuses: Too many open files\n"
    assert "MOM303" in ran.out


def test_no_baseline_and_no_certificate_of_it(folder: Path, failing: Callable[[Exception], None], run: Run) -> None:
    """Neither may pass over a file of which nothing is known."""
    failing(IndexError("no such thing"))
    ran = run("baseline", "write", "good.mom.yaml", "bad.yaml", "-o", "new.json")
    assert ran.code == 2
    assert "good.mom.yaml: internal fault in this file: IndexError: no such thing" in ran.err
    assert "please report it" in ran.err
    assert not (folder / "new.json").exists()
    ran = run("check", "good.mom.yaml", "warning.mom.yaml", "--certificate", "c.json")
    assert (ran.code, (folder / "c.json").exists()) == (2, False)
    assert "c.json is not written" in ran.err


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


@pytest.mark.slow
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
        assert "internal fault" not in ran.stderr
        found = json.loads(ran.stdout)["findings"]
        (fault,) = [one for one in found if one["code"] == "MOM902"]
        assert fault["file"] == "a-fails.mom.yaml"
        assert fault["message"] == "internal fault in this file: LookupError: no such thing"
        (undecided,) = [one for one in found if one["code"] == "MOM901"]
        assert undecided["file"] == "b-memory.mom.yaml"
        assert "memory" in undecided["message"]
        # How much memory there is for one file differs, and nothing else.
        found.remove(undecided)
        assert [one["code"] for one in found if one["file"] == "bad.yaml" and one["severity"] == "error"] == ["MOM303"]
        reports.add(json.dumps(found) + ran.stderr)
    assert len(reports) == 1
