"""`--solver`: whoever answers for smt, the findings are the same."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.fleet.estates import write_many

SOLVERS = ("cvc5", "bitwuzla")


def findings(text: str) -> list[tuple[str, str, int]]:
    """Code, file and line of each."""
    return [(one["code"], one["file"], one["span"]["start"]["line"]) for one in json.loads(text)["findings"]]


@pytest.fixture
def estates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Twenty estates, every third with one of five faults."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "momlint.toml").write_text("")
    write_many(tmp_path / "estates", 20, seed=11, brokers=(4, 8), fault_every=3)
    return "estates"


@pytest.mark.parametrize(
    "solver", [pytest.param(one, marks=pytest.mark.slow) if one == "cvc5" else one for one in SOLVERS]
)
def test_it_finds_what_graph_finds(run: Run, estates: str, solver: str) -> None:
    mine = run("check", estates, "-f", "json", "--engine", "smt", "--solver", solver)
    graph = run("check", estates, "-f", "json", "--engine", "graph")
    found = findings(mine.out)
    assert found == findings(graph.out)
    assert {"MOM302", "MOM303"} & {code for code, _, _ in found}
    assert mine.code == graph.code
    spread = run("check", estates, "-f", "json", "--engine", "smt", "--solver", solver, "--jobs", "2")
    assert (spread.code, spread.out) == (mine.code, mine.out)


def test_the_report_says_who_answered(run: Run, estates: str, tmp_path: Path) -> None:
    file = str(next(Path(estates).rglob("00000.mom.yaml")))
    for options, said in (
        (("--engine", "smt", "--solver", "cvc5"), "1 engine (smt by cvc5)"),
        (("--solver", "bitwuzla"), "graph and smt by bitwuzla"),
        (("--engine", "smt", "--solver", "z3"), "1 engine (smt)"),
    ):
        assert said in run("check", file, *options).out.splitlines()[-1]
    (tmp_path / "momlint.toml").write_text('solver = "bitwuzla"\n')
    assert "graph and smt by bitwuzla" in run("check", file).out


def test_one_that_is_not_there(run: Run, estates: str, tmp_path: Path) -> None:
    ran = run("check", estates, "--solver", "abacus")
    assert (ran.code, ran.out) == (2, "")
    assert "--solver: there is no solver 'abacus' here; found: bitwuzla, cvc5, z3" in ran.err
    (tmp_path / "momlint.toml").write_text('solver = "abacus"\n')
    ran = run("check", estates)
    assert (ran.code, "momlint.toml: solver: there is no solver 'abacus' here" in ran.err) == (2, True)
    # graph asks none.
    assert run("check", estates, "--engine", "graph").code == 1
    (tmp_path / "momlint.toml").write_text("solver = 1\n")
    ran = run("check", estates)
    assert (ran.code, "the setting `solver` must be the name of a solver, not 1" in ran.err) == (2, True)


def test_graph_asks_no_solver(run: Run, estates: str) -> None:
    ran = run("check", estates, "--engine", "graph", "--solver", "cvc5")
    assert (ran.code, "--solver names a solver that --engine graph does not use" in ran.err) == (2, True)
