"""Standard streams that are closed, full or left by their reader, and a current folder that is gone: every command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import typer.main
from _pytest.mark.structures import ParameterSet

from momlint.cli.app import app

ROOT = Path(__file__).parents[2]
GOOD = str(ROOT / "examples" / "triangle" / "topology.yaml")
SITES = str(ROOT / "examples" / "sites" / "report" / "three-sites-1.yaml")
SCRIPT = str(ROOT / "examples" / "sites" / "report" / "one-publisher.txt")
SIX = str(ROOT / "examples" / "simulation" / "six-brokers.yaml")
FAULTS = str(ROOT / "examples" / "simulation" / "paper.txt")
GRAPH = {"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}


class Case(NamedTuple):
    """A command line in a folder that has `graph.json` and no other; its exit code; what it uses."""

    arguments: str
    code: int = 0
    #: A report on standard output.
    prints: bool = True
    #: Standard input.
    reads: bool = False


#: Of every command, its ways to use the streams.
CASES = {
    "check": [
        Case(f"check {GOOD}"),
        Case("check nothere.yaml", 2),
        Case(f"check {GOOD} -o report.txt", prints=False),
        Case("check - --max-file-mb 1", 2, reads=True),
    ],
    "verify": [Case(f"verify {GOOD}", 1)],
    "plan": [
        Case(f"plan {GOOD}"),
        Case(f"plan {GOOD} -o planned.yaml", prints=False),
        Case("plan", 2, prints=False),
        Case("plan - --max-file-mb 1", 2, reads=True),
    ],
    "trace": [
        Case(f"trace {GOOD} --from 1 --to 2"),
        Case("trace - --from 1 --to 2 --max-file-mb 1", 2, reads=True),
    ],
    "why": [
        Case(f"why {GOOD} --from 1 --to 2"),
        Case("why - --from 1 --to 2 --max-file-mb 1", 2, reads=True),
    ],
    "render": [Case(f"render {GOOD} --to smt2"), Case("render - --to smv --max-file-mb 1", 2, reads=True)],
    "simulate": [
        Case(f"simulate {SITES} --script {SCRIPT}"),
        Case(f"simulate {SITES} --script {SCRIPT} --all -f csv -o deliveries.csv", prints=False),
        Case(f"simulate {SIX} --failures {FAULTS} --until 40"),
        Case(f"simulate - --script {SCRIPT} --max-file-mb 1", 2, reads=True),
    ],
    "import": [Case("import graph.json"), Case("import -", 2, reads=True)],
    "diff": [Case(f"diff {GOOD} {GOOD}"), Case(f"diff {GOOD} - --max-file-mb 1", 2, reads=True)],
    # Its stream is a conversation: tests/lsp.
    "lsp": [],
    "fix": [
        Case(f"fix {GOOD}"),
        Case("fix nothere.yaml", 2),
        Case("fix - --max-file-mb 1", 2, reads=True),
    ],
    "view": [
        Case(f"view {GOOD}"),
        Case(f"view {GOOD} --svg -o drawing.svg", prints=False),
        Case("view nothere.yaml", 2),
        Case("view - --max-file-mb 1", 2, reads=True),
    ],
    # With an estate it would wait for a browser.
    "studio": [Case("studio nothere/new.yaml", 2, prints=False)],
    "config show": [Case("config show")],
    "explain": [Case("explain MOM302")],
    "rules": [Case("rules")],
    "schema": [Case("schema")],
    "init": [Case("init new.yaml", prints=False)],
    "baseline write": [Case(f"baseline write {GOOD} -o known.json", prints=False)],
    # With a file it would start Spark.
    "fleet inventory": [Case("fleet inventory nothere.yaml -o tables", 2, prints=False)],
}
#: What typer prints; where nobody can read it there is nothing to fail.
HELP = [Case("--version"), Case("baseline write --help")]
ALL = [case for cases in CASES.values() for case in cases]
WRITING = [case for case in ALL if not case.reads] + HELP
#: One of each command, for what is the same for all that it does.
FIRST = [cases[0] for cases in CASES.values() if cases] + HELP
#: These try everything; the others, each of which is a start of the program, are slow together.
MAIN = [FIRST[0], FIRST[-1]]


def mostly_slow(cases: list[Case], fast: list[Case] = MAIN, *more: str) -> list[ParameterSet]:
    """Parameters of which only those in `fast` are not slow, with `more` behind each."""
    return [pytest.param(one, *more, marks=() if one in fast else pytest.mark.slow) for one in cases]


def named(value: object) -> str:
    return value.arguments.replace(GOOD, "GOOD") if isinstance(value, Case) else str(value)


def commands(group: Any, before: str = "") -> Iterator[str]:
    """The full names of the program's commands, as typer has them."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{before}{name} ")
        else:
            yield f"{before}{name}"


def momlint(case: Case, folder: Path, shell: str, before: str = "") -> subprocess.CompletedProcess[str]:
    """Run it as a program in `folder`; `shell` ends the line (redirections), `before` is another command."""
    (folder / "graph.json").write_text(json.dumps(GRAPH))
    ran = subprocess.run(
        ["/bin/sh", "-c", f'{before} "$0" -P -m momlint "$@" {shell}', sys.executable, *case.arguments.split()],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=120,
        check=False,
    )
    for bad in ("Traceback", "internal fault:", "Exception ignored"):
        assert bad not in ran.stdout + ran.stderr
    return ran


def test_no_command_is_forgotten() -> None:
    assert set(commands(typer.main.get_command(app))) == set(CASES)
    for name, cases in CASES.items():
        assert all(case.arguments.startswith(name) for case in cases)


@pytest.mark.parametrize(
    ("case", "shell"), mostly_slow(WRITING, FIRST, "2>/dev/full") + mostly_slow(FIRST, MAIN, "<&- 2>&-"), ids=named
)
def test_standard_error_that_takes_nothing(case: Case, shell: str, tmp_path: Path) -> None:
    ran = momlint(case, tmp_path, shell)
    assert ran.returncode == case.code
    if case.code == 0:
        assert bool(ran.stdout) == case.prints


@pytest.mark.parametrize(
    ("case", "shell"),
    mostly_slow(WRITING, FIRST, ">/dev/full") + mostly_slow(FIRST, MAIN, ">&- 2>&- <&-"),
    ids=named,
)
def test_standard_output_that_takes_nothing(case: Case, shell: str, tmp_path: Path) -> None:
    """Exit code 2 where a report is lost, and no other where there is none to lose."""
    ran = momlint(case, tmp_path, shell)
    if case in HELP:
        assert ran.returncode in (0, 2)
        return
    assert ran.returncode == (2 if case.prints else case.code)
    if "2>&-" not in shell:
        assert ran.stderr or ran.returncode != 2
        if case.prints and case.code != 2:
            assert ran.stderr.startswith("momlint: error: the report cannot be written: ")


@pytest.mark.parametrize("case", mostly_slow([case for case in FIRST if case.prints]), ids=named)
def test_a_reader_that_leaves(case: Case, tmp_path: Path) -> None:
    ran = momlint(case, tmp_path, "; echo $? >&3; } 3>&2 | true", before="{")
    assert ran.stderr.splitlines()[-1] == str(case.code)


@pytest.mark.parametrize("case", [case for case in ALL if case.reads], ids=named)
@pytest.mark.parametrize(
    "shell", ["<&-", *(pytest.param(shell, marks=pytest.mark.slow) for shell in ("</dev/full", ">/dev/null <&- 2>&-"))]
)
def test_standard_input_that_gives_nothing(case: Case, shell: str, tmp_path: Path) -> None:
    """Closed, without an end, or closed with all others."""
    if shell == "</dev/full" and "--max-file-mb" not in case.arguments:
        shell = "</dev/null"  # 100 MB would take long
    ran = momlint(case, tmp_path, shell)
    assert ran.returncode == 2
    if "2>&-" not in shell:
        assert ran.stderr.startswith("momlint: error: ")


@pytest.mark.parametrize("case", mostly_slow([case for case in ALL if not case.reads]), ids=named)
def test_a_folder_that_is_gone(case: Case, tmp_path: Path) -> None:
    """What needs no folder works; what does says so."""
    folder = tmp_path / "gone"
    folder.mkdir()
    ran = momlint(case, folder, "</dev/null", before='rm -r "$PWD" && exec')
    assert ran.returncode in {case.code, 2}
    if ran.returncode == 2:
        assert "momlint: error: " in ran.stderr
    else:
        assert bool(ran.stdout) == case.prints
