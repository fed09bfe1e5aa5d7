"""``momlint check``: exit codes, options, and that nothing the user does ends in a traceback."""

from __future__ import annotations

import dataclasses
import json
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from momlint.cli.check import exit_code
from momlint.findings import Report, Summary
from momlint.routed import specs as ctl
from tests.cli.conftest import Run
from tests.cli.estates import BLACK_HOLE, GOOD, LOOP
from tests.report.sample import BLACK_HOLE as ERROR
from tests.report.sample import ISOLATED as A_WARNING
from tests.report.sample import SINGLE_POINT as NOTE
from tests.routed.engines.nusmv import nusmv

pytestmark = pytest.mark.usefixtures("folder")

UNDECIDED = dataclasses.replace(ERROR, code="MOM901", rule="undecided")
#: Each link of a tree is a single point of failure, which is not what most tests here are about.
WITHOUT_NOTES = ("--ignore", "MOM501")
DISAGREE = dataclasses.replace(ERROR, code="MOM902", rule="engines-disagree")


# -- exit codes --


@pytest.mark.parametrize(
    ("findings", "fail_on", "code"),
    [
        ([], "error", 0),
        ([NOTE], "error", 0),
        ([A_WARNING], "error", 0),
        ([ERROR], "error", 1),
        ([A_WARNING], "warning", 1),
        ([NOTE], "warning", 0),
        ([NOTE], "note", 1),
        ([ERROR, A_WARNING, NOTE], "never", 0),
        ([UNDECIDED], "error", 3),
        ([UNDECIDED], "note", 3),
        ([UNDECIDED, A_WARNING], "error", 3),
        ([UNDECIDED, ERROR], "error", 1),  # "and no finding of level error"
        ([UNDECIDED], "never", 0),
        ([DISAGREE], "error", 2),
        ([DISAGREE], "never", 2),
    ],
)
def test_exit_codes(findings: list[Any], fail_on: Any, code: int) -> None:
    assert exit_code(Report(findings=findings), fail_on) == code


def test_undecided_counts_even_where_the_finding_is_not_shown() -> None:
    assert exit_code(Report(summary=Summary(undecided=1)), "error") == 3


def test_a_file_that_cannot_be_read_counts_most() -> None:
    assert exit_code(Report(findings=[ERROR], failures=["x: No such file"]), "error") == 2


def test_a_good_estate(run: Run) -> None:
    ran = run("check", "good.mom.yaml")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "No findings in 1 file."
    assert lines[1].startswith("Proved: 2 pairs of 1 topic arrive while nothing has failed; ")
    assert len(lines) == 2
    assert ran.err == ""


def test_the_six_broker_fault(run: Run) -> None:
    ran = run("check", "bad.yaml", *WITHOUT_NOTES)
    assert ran.code == 1
    assert ran.out.startswith("error[MOM303] black-hole: ")
    assert "  --> bad.yaml:21:" in ran.out
    assert "1 → 2 → 4 → 6" in ran.out
    assert "affects: topic A; 1 pair" in ran.out


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1), ("note", 1), ("never", 0)])
def test_fail_on(run: Run, fail_on: str, code: int) -> None:
    ran = run("check", "warning.mom.yaml", "--fail-on", fail_on)
    assert (ran.code, "warning[MOM201]" in ran.out) == (code, True)


# -- which files --


def test_a_missing_file_does_not_keep_the_others_from_being_checked(run: Run) -> None:
    ran = run("check", "gone.yaml", "bad.yaml", "--format", "concise", *WITHOUT_NOTES)
    assert ran.code == 2
    assert ran.out.startswith("bad.yaml:21:")
    assert "momlint: error: gone.yaml: no such file or folder\n" in ran.err


def test_an_unreadable_file(run: Run) -> None:
    os.symlink("nowhere", "dangling.yaml")
    ran = run("check", "dangling.yaml", "good.mom.yaml")
    assert ran.code == 2
    assert "momlint: error: dangling.yaml: " in ran.err
    assert "No findings in 1 file." in ran.out


def test_a_folder_without_estates_is_not_a_clean_result(run: Run) -> None:
    Path("empty").mkdir()
    Path("empty/other.yaml").write_text("a: 1\n")
    ran = run("check", "empty")
    assert ran.code == 2
    assert "empty: no estates found in this folder" in ran.err
    assert "No files were checked." in ran.out


def test_this_folder_is_the_default(run: Run) -> None:
    ran = run("check", "--format", "json")
    assert json.loads(ran.out)["summary"]["files"] == 3


def test_standard_input(run: Run) -> None:
    ran = run("check", "-", "--format", "concise", *WITHOUT_NOTES, stdin=BLACK_HOLE.encode())
    assert ran.code == 1
    assert ran.out.startswith("<stdin>:21:")
    assert run("check", "-", stdin=GOOD.encode()).code == 0


def test_exclude(run: Run) -> None:
    assert run("check", ".", "--exclude", "bad.yaml", "-q", "--fail-on", "error").code == 0
    assert run("check", ".", "--exclude", "good*,bad.*", "--format", "concise").out.count("\n") == 1
    # A file that is named is meant.
    assert run("check", "bad.yaml", "--exclude", "bad.yaml").code == 1


# -- which rules --


def test_select_and_ignore(run: Run) -> None:
    assert run("check", "bad.yaml", "--ignore", "MOM3").code == 0
    assert run("check", "bad.yaml", "--select", "MOM2").code == 0
    assert run("check", "bad.yaml", "--select", "MOM2,MOM303").code == 1
    assert run("check", "bad.yaml", "--select", "MOM2", "--select", "MOM3").code == 1
    assert run("check", "bad.yaml", "--select", "MOM3", "--ignore", "MOM303,MOM306").code == 0


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        (
            "--select",
            "MOM3O3",
            "--select: there is no rule with the code or prefix `MOM3O3`; did you mean `MOM303`?",
        ),
        (
            "--ignore",
            "MON3",
            "--ignore: there is no rule with the code or prefix `MON3`; did you mean `MOM3`?",
        ),
        ("--select", "black-hole", "the code of this rule is `MOM303`"),
        ("--engine", "grap", "--engine must be one of auto, graph, smt, nusmv, not 'grap'; did you mean `graph`?"),
        (
            "--format",
            "xml",
            "--format must be one of text, concise, json, sarif, github, gitlab, junit, markdown, not 'xml'",
        ),
        ("--fail-on", "eror", "--fail-on must be one of error, warning, note, never, not 'eror'"),
        ("--timeout", "0", "--timeout must be a number of seconds above 0"),
        ("--bound", "events=0", "--bound: events must be a number from 1 to 6, not '0'"),
        ("--bound", "event=2", "brokers=N, failures=N, losses=N, joined by commas, not 'event=2'"),
        ("--bound", "failures=5", "--bound: failures must be a number from 1 to 4, not '5'"),
        ("--bound", "crashes", "not 'crashes'"),
        ("--timeout", "nan", "--timeout must be a number of seconds above 0"),
        ("--jobs", "0", "--jobs must be a whole number of at least 1, or auto, not '0'"),
        ("--spark", "hadoop", "--spark: `hadoop` is not a Spark master"),
        ("--spark-conf", "x", "--spark-conf: `x` is not KEY=VALUE"),
        ("--spark-conf", "x=1", "--spark-conf needs --spark or --runner spark"),
        ("--runner", "flink", "--runner must be one of auto, process, spark, not 'flink'"),
        ("--shard-seconds", "0", "--shard-seconds must be a number of seconds above 0"),
        ("--shard-memory", "100", "--shard-memory must be at least 512 (MiB), not 100"),
        ("--config", "gone.toml", "gone.toml: the configuration cannot be read"),
        ("--output", "gone/report.txt", "--output: there is no folder gone"),
        ("--output", ".", "--output: . is a folder"),
    ],
)
def test_wrong_usage_names_the_culprit(run: Run, option: str, value: str, said: str) -> None:
    ran = run("check", "good.mom.yaml", option, value)
    assert ran.code == 2
    assert ran.err.startswith("momlint: error: ")
    assert said in ran.err
    assert ran.out == ""


def test_wrong_options_and_commands(run: Run) -> None:
    ran = run("check", "--selekt", "MOM3")
    assert (ran.code, "--selekt" in ran.err) == (2, True)
    ran = run("chek")
    assert (ran.code, "chek" in ran.err) == (2, True)
    ran = run("check", "--timeout", "soon")
    assert (ran.code, "--timeout" in ran.err) == (2, True)
    assert run("check", "--help").code == 0


# -- the report --


def test_every_format_goes_to_a_file(run: Run) -> None:
    for name in ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown"):
        direct = run("check", "bad.yaml", "--format", name, *WITHOUT_NOTES)
        ran = run("check", "bad.yaml", "--format", name, *WITHOUT_NOTES, "--output", f"report.{name}")
        assert (ran.code, ran.out) == (1, "")
        data = Path(f"report.{name}").read_bytes()
        assert data.decode("utf-8") == direct.out
        assert data.endswith(b"\n")
        assert b"\r" not in data
    assert json.loads(Path("report.json").read_text())["findings"][0]["code"] == "MOM303"
    rules = json.loads(Path("report.sarif").read_text())["runs"][0]["tool"]["driver"]["rules"]
    assert {"MOM101", "MOM303", "MOM902"} <= {rule["id"] for rule in rules}
    assert ElementTree.parse("report.junit").getroot().get("failures") == "1"


@pytest.mark.parametrize(
    "name",
    ["json", *(pytest.param(one, marks=pytest.mark.slow) for one in ("sarif", "concise", "github", "gitlab", "junit"))],
)
def test_the_engine_and_the_jobs_change_no_byte(run: Run, name: str) -> None:
    Path("loop.mom.yaml").write_text(LOOP)
    runs = [
        run("check", ".", "--format", name, *options).out
        for options in ((), ("--engine", "graph"), ("--engine", "smt"), ("--jobs", "2"))
    ]
    assert len(set(runs)) == 1
    assert "MOM302" in runs[0]


def test_quiet(run: Run) -> None:
    assert run("check", "good.mom.yaml", "--quiet") == (0, "", "")
    ran = run("check", "bad.yaml", "-q")
    assert "Found" not in ran.out
    assert "error[MOM303]" in ran.out


def test_colours_by_the_environment(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" not in run("check", "bad.yaml").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in run("check", "bad.yaml").out
    assert run("check", "bad.yaml", "-o", "report.txt").code == 1
    assert "\x1b[" not in Path("report.txt").read_text()
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b[" not in run("check", "bad.yaml").out
    # As https://no-color.org has it: set, and not to nothing.
    monkeypatch.setenv("NO_COLOR", "")
    assert "\x1b[" in run("check", "bad.yaml").out
    assert "\x1b[" not in run("check", "bad.yaml", "-f", "json").out


# -- specifications --

SPECS = """\
specs:
  - {name: to-2, ctl: "AF (loc = 2)"}
  - {name: arrives, ctl: AF loc = dest}
"""


def test_a_false_specification_is_shown_with_its_trace(run: Run) -> None:
    Path("more.mom.yaml").write_text(GOOD + SPECS)
    ran = run("check", "more.mom.yaml")
    assert ran.code == 1
    assert ran.out.startswith(
        "error[MOM701] spec-false: specification `to-2` does not hold for a message from `1` to `1`\n"
        "  --> more.mom.yaml:13:23\n"
    )
    assert "   = trace: 1: src = 1, dest = 1, loc = 1\n            and there it stays\n" in ran.out
    assert ran.out.splitlines()[-1].startswith(
        "Not proved, see the errors: that 2 pairs of 1 topic arrive while nothing has failed and 2 specifications hold"
    )
    assert "3 engines (ctl, graph and smt), " in ran.out
    Path("more.mom.yaml").write_text(GOOD + SPECS.replace('loc = 2)"}', 'loc = 2)"}  # momlint: ignore[MOM701]'))
    ran = run("check", "more.mom.yaml")
    assert (ran.code, "Not proved, ignored or suppressed findings refute 1 specification: " in ran.out) == (0, True)
    Path("more.mom.yaml").write_text(GOOD + SPECS)
    (finding,) = json.loads(run("check", "more.mom.yaml", "--format", "json").out)["findings"]
    assert finding["witness"] == {
        "destination": "1",
        "walk": ["1"],
        "trace": ["1: src = 1, dest = 1, loc = 1", "and there it stays"],
    }
    assert "trace:\n1: src = 1" in run("check", "more.mom.yaml", "--format", "junit").out
    Path("more.mom.yaml").write_text(GOOD + SPECS.replace("AF (loc = 2)", "dest = 2 -> AF (loc = 2)"))
    assert run("check", "more.mom.yaml").code == 0


def test_a_specification_is_decided_only_where_it_is_asked_for(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("more.mom.yaml").write_text(GOOD + SPECS + '  - {ctl: "AF loc"}\n')
    asked = []
    decide = ctl.decide_spec

    def count(*arguments: Any) -> Any:
        asked.append(arguments)
        return decide(*arguments)

    monkeypatch.setattr(ctl, "decide_spec", count)

    def codes(*options: str) -> list[str]:
        found = json.loads(run("check", "more.mom.yaml", "--format", "json", *options).out)["findings"]
        return [finding["code"] for finding in found]

    assert codes("--ignore", "MOM7") == ["MOM102"]
    assert asked == []
    assert codes("--select", "MOM701") == ["MOM701"]
    assert len(asked) == 3
    assert codes("--select", "MOM3") == []
    assert len(asked) == 3


def test_a_specification_that_stays_undecided(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("more.mom.yaml").write_text(GOOD + SPECS)
    monkeypatch.setattr(ctl, "decide_spec", lambda *_: ctl.SpecUndecided("the time limit was reached"))
    ran = run("check", "more.mom.yaml")
    assert ran.code == 3
    assert "error[MOM901] undecided: whether specification `to-2` holds: the time limit was" in ran.out


def test_a_trace_that_does_not_replay_is_not_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("more.mom.yaml").write_text(GOOD + SPECS)
    wrong = ctl.Trace(states=({}, {}), loop=1, source=0, dest=2, walk=(0, 1))
    monkeypatch.setattr(ctl, "decide_spec", lambda *_: ctl.SpecFalse(wrong))
    ran = run("check", "more.mom.yaml")
    assert ran.code == 2
    assert "is no walk of the overlay: 1 → 2, and the message goes 1 → 3" in ran.out
    assert "MOM701]" not in ran.out


# -- nusmv --


def test_nusmv_decides_what_graph_decides(run: Run) -> None:
    Path("more.mom.yaml").write_text(GOOD + SPECS)
    for file, engines in (
        ("good.mom.yaml", "graph and nusmv"),
        ("bad.yaml", "graph and nusmv"),
        ("more.mom.yaml", "ctl"),
    ):
        ran = run("check", file, "--engine", "nusmv", "--nusmv", nusmv())
        assert engines in ran.out.splitlines()[-1]
        with_graph, with_nusmv = (
            run("check", file, "--format", "json", "--engine", engine) for engine in ("graph", "nusmv")
        )
        assert with_graph == with_nusmv


def test_nusmv_is_not_there(run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("MOMLINT_NUSMV", raising=False)
    ran = run("check", "good.mom.yaml", "--engine", "nusmv")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("momlint: error: NuSMV was not found: install NuSMV or nuXmv, and put it on")
    ran = run("check", "good.mom.yaml", "--engine", "nusmv", "--nusmv", "gone")
    assert (ran.code, "--nusmv names `gone` as NuSMV, but that is not a program" in ran.err) == (2, True)
    ran = run("check", "good.mom.yaml", "--nusmv", "gone")
    assert (ran.code, "--nusmv names a program that --engine auto does not use" in ran.err) == (2, True)


def test_a_program_that_is_not_nusmv(run: Run) -> None:
    ran = run("check", "good.mom.yaml", "--engine", "nusmv", "--nusmv", "true", "-f", "concise")
    assert ran.code == 2
    assert "MOM902 error internal fault in this file: true answered 0 of 1 specifications" in ran.out


def test_a_fault_of_ours_is_no_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> Report:
        raise ZeroDivisionError("division by zero\nand more")

    monkeypatch.setattr("momlint.lint.lint_files", broken)
    ran = run("check", "good.mom.yaml")
    assert ran.code == 2
    assert ran.err.startswith("momlint: internal fault: ZeroDivisionError: division by zero\n")
    assert "Please report it" in ran.err


def test_an_interruption_is_no_traceback(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> Report:
        raise KeyboardInterrupt

    monkeypatch.setattr("momlint.lint.lint_files", interrupted)
    assert run("check", "good.mom.yaml").code == 130
