"""Reports in a terminal of 100 columns: no sentence is cut through a word, and what matters is on one screen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from momlint.lint import Options, lint_file, merge
from momlint.report import render
from momlint.report.folding import folded
from tests.cli.conftest import Run

EXAMPLES = Path(__file__).parents[2] / "examples"
COLUMNS = 100


def test_a_line_is_folded_at_blanks() -> None:
    assert folded("one two three", 7, 2) == "one two\n  three"
    assert folded("one two three", 13, 2) == "one two three"
    assert folded("one two three", None, 2) == "one two three"
    assert folded("  = help: ab cd ef", 12, 4) == "  = help: ab\n    cd ef"


def test_a_long_word_stays_whole_and_colours_take_no_column() -> None:
    assert folded("a verylongword b", 6, 1) == "a\n verylongword\n b"
    assert folded("\x1b[1mone two\x1b[0m", 7, 2) == "\x1b[1mone two\x1b[0m"


@pytest.mark.parametrize("name", ["fifty-brokers", "six-brokers", "three-brokers", "ring", "real-networks"])
def test_nothing_is_wider_than_the_terminal(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the examples report; sentences are the same with and without folding."""
    monkeypatch.chdir(EXAMPLES.parent)
    options = Options(engine="graph")
    files = sorted(str(path) for path in Path("examples", name).glob("*.yaml"))
    report = merge([lint_file(file, options) for file in files], options)
    narrow = render("text", report, width=COLUMNS).text
    assert max(map(len, narrow.splitlines())) <= COLUMNS
    said = re.sub(r"\s+", " ", narrow)
    for finding in report.findings:
        if finding.severity != "note":
            assert re.sub(r"\s+", " ", finding.message) in said


@pytest.mark.parametrize("path", ["topology.yaml", "link-13-17-failed.yaml", "broker-17-without-tables.yaml"])
def test_the_fifty_brokers_are_at_most_forty_lines(path: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES.parent)
    ran = run("check", f"examples/fifty-brokers/{path}")
    assert len(ran.out.splitlines()) <= 40
    assert ran.code == 0 or ran.out.startswith("error[")


def test_a_folder_of_them_shows_its_errors_first_and_its_notes_in_short(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four broken estates with a snippet each, 164 notes in one block: no longer than it must be."""
    monkeypatch.chdir(EXAMPLES.parent)
    ran = run("check", "examples/fifty-brokers")
    lines = ran.out.splitlines()
    heads = [line.partition(" ")[0] for line in lines if line.startswith(("error", "warning", "note"))]
    assert heads == ["error[MOM304]", "error[MOM303]", "error[MOM304]", "error[MOM303]", "note[MOM501]"]
    assert len(lines) <= 82
    block = lines[lines.index(next(line for line in lines if line.startswith("note"))) :]
    files = {line.split()[1].removesuffix(":") for line in block if line.startswith("  = examples/")}
    assert files == {str(path.relative_to(EXAMPLES.parent)) for path in (EXAMPLES / "fifty-brokers").glob("*.yaml")}
    assert "    = this row too: lines 227, 228, 229 and 233" in lines


def test_a_trace_fits_too(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(EXAMPLES.parent)
    arguments = ("trace", "examples/fifty-brokers/topology.yaml", "--from", "1", "--to", "13")
    wide = run(*arguments).out.splitlines()
    monkeypatch.setattr("momlint.cli.trace.columns", lambda: COLUMNS)
    narrow = run(*arguments).out.splitlines()
    assert max(map(len, wide)) > COLUMNS
    assert max(map(len, narrow)) <= COLUMNS
    assert narrow[1] == wide[1][: len(narrow[1]) - 3] + "..."
    monkeypatch.setattr("momlint.cli.trace.columns", lambda: 60)
    assert [line.split("  ")[-1].strip() for line in run(*arguments).out.splitlines()[1:4]] == [
        f"examples/fifty-brokers/topology.yaml:{place}" for place in ("173:38", "226:12", "229:16")
    ]
