"""`momlint.check` and `momlint.check_text`: the command's report, for programs."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import typing
from pathlib import Path

import pytest

import momlint
from momlint.api import check as documented
from momlint.report import render
from tests.cli.estates import BLACK_HOLE, GOOD, WARNING


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "momlint.toml").write_text("")
    (tmp_path / "good.mom.yaml").write_text(GOOD)
    (tmp_path / "bad.yaml").write_text(BLACK_HOLE)
    (tmp_path / "warning.mom.yaml").write_text(WARNING)
    return tmp_path


def codes(report: momlint.Report) -> list[tuple[str, str, int]]:
    return [(finding.code, finding.file, finding.span.start.line) for finding in report.findings]


def test_a_path_and_several(capfd: pytest.CaptureFixture[str]) -> None:
    assert codes(momlint.check("bad.yaml", ignore=["MOM501"])) == [("MOM303", "bad.yaml", 21)]
    assert codes(momlint.check(Path("bad.yaml"), ignore="MOM501")) == [("MOM303", "bad.yaml", 21)]
    both = momlint.check((name for name in ("bad.yaml", "warning.mom.yaml")), select=["MOM303,MOM201"])
    assert codes(both) == [("MOM303", "bad.yaml", 21), ("MOM201", "warning.mom.yaml", 9)]
    assert (both.summary.files, both.summary.errors, both.summary.warnings) == (2, 1, 1)
    assert codes(momlint.check(".", exclude=["bad.yaml"], ignore=["MOM201"])) == []
    assert momlint.check("*.mom.yaml").summary.files == 2
    assert capfd.readouterr() == ("", "")


def test_it_is_the_report_of_the_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "momlint", "check", ".", "--format", "json"],
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(Path(__file__).parents[1])},
    )
    for jobs in (None, 2):
        assert render("json", momlint.check(".", jobs=jobs)).text == done.stdout


def test_text_under_a_name() -> None:
    report = momlint.check_text(BLACK_HOLE, "lab/six.yaml", select=["MOM303"])
    assert codes(report) == [("MOM303", "lab/six.yaml", 21)]
    assert codes(momlint.check_text(BLACK_HOLE.encode(), select=["MOM303"])) == [("MOM303", "<text>", 21)]
    assert momlint.check_text(GOOD, Path("bad.yaml")).findings == []
    # A lone surrogate is no UTF-8, and so a finding and not an exception.
    assert ("MOM101", "<text>", 2) in codes(momlint.check_text("momlint: 1\nname: \udcff\n"))


def test_settings_and_baselines_count(folder: Path) -> None:
    Path("momlint.toml").write_text('ignore = ["MOM501"]\n[severity]\nMOM201 = "error"\n')
    (finding,) = momlint.check("warning.mom.yaml").findings
    assert finding.severity is momlint.Severity.ERROR
    subprocess.run(
        [sys.executable, "-m", "momlint", "baseline", "write", "."],
        check=True,
        env={"PYTHONPATH": str(Path(__file__).parents[1])},
    )
    report = momlint.check(".", baseline=folder / "momlint-baseline.json")
    assert report.findings == []
    assert {finding.code for finding in report.known} >= {"MOM303", "MOM201"}


def test_what_cannot_be_read_is_a_failure() -> None:
    report = momlint.check(["gone.yaml", "good.mom.yaml"])
    assert report.failures == ["gone.yaml: no such file or folder"]
    assert report.summary.files == 1
    assert momlint.check("-").failures == ["./-: no such file or folder"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"paths": []}, "no paths to check"),
        ({"paths": "bad.yaml", "select": ["MOM999"]}, "MOM999"),
        ({"paths": "bad.yaml", "engine": "grap"}, "did you mean `graph`"),
        ({"paths": "bad.yaml", "timeout": 0}, "above 0"),
        ({"paths": "bad.yaml", "jobs": 0}, "at least 1"),
        ({"paths": "bad.yaml", "config": "gone.toml"}, "gone.toml"),
    ],
)
def test_a_call_that_makes_no_sense(arguments: dict[str, typing.Any], said: str) -> None:
    with pytest.raises(momlint.UsageError, match=said) as raised:
        momlint.check(**arguments)
    assert isinstance(raised.value, momlint.MomlintError)


def test_every_name_is_there() -> None:
    assert momlint.check is documented
    for name in momlint.__all__:
        assert getattr(momlint, name) is not None
        assert name in dir(momlint)
    with pytest.raises(AttributeError, match="no attribute 'chek'"):
        momlint.chek  # noqa: B018


@pytest.mark.slow
def test_mypy_knows_what_it_returns(folder: Path) -> None:
    """As another project's mypy sees it."""
    Path("program.py").write_text(
        "import momlint\nreport = momlint.check('x.yaml')\nreveal_type(report)\n"
        "reveal_type(report.findings[0].span.start.line)\nmomlint.check(3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--follow-imports=silent", "--cache-dir", str(folder / "cache"), "program.py"],
        capture_output=True,
        text=True,
        check=False,
        env={"MYPYPATH": str(Path(__file__).parents[1])},
        timeout=300,
    )
    assert 'Revealed type is "momlint.findings.Report"' in done.stdout, done.stdout + done.stderr
    assert re.search(r'Revealed type is "(builtins\.)?int"', done.stdout)
    assert 'Argument 1 to "check" has incompatible type "int"' in done.stdout


def test_importing_momlint_loads_nothing() -> None:
    program = (
        "import sys; before = set(sys.modules); import momlint; "
        "print(sorted(set(sys.modules) - before)); momlint.Severity; "
        "print('momlint.findings' in sys.modules, 'momlint.lint' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert done.stdout.splitlines() == ["['momlint', 'momlint.version']", "True False"]


def test_json_of_the_api_fits_the_schema() -> None:
    import jsonschema

    from momlint.report.schema import json_schema

    for name in ("bad.yaml", "good.mom.yaml", "."):
        jsonschema.validate(json.loads(render("json", momlint.check(name)).text), json_schema())
