"""NuSMV as a program: finding it, its output in both layouts, its limits."""

from __future__ import annotations

import os
import stat
import subprocess
import time
from pathlib import Path

import pytest

from momlint.errors import InternalError, UsageError
from momlint.solving.limits import GaveUp
from momlint.solving.nusmv import Checked, Counterexample, find_nusmv, parse_answers, run
from tests.routed.engines.nusmv import nusmv

#: As NuSMV 2.5.4 prints it: what changes only; a loop of two, a loop of one with an empty last state, no path at all.
CHANGES = """*** This is NuSMV 2.5.4

-- specification ((src = 1 & loc = 1) -> AF loc = 2)  is false
-- as demonstrated by the following execution sequence
Trace Description: CTL Counterexample
Trace Type: Counterexample
-- Loop starts here
-> State: 1.1 <-
  src = 1
  dest = 2
  loc = 1
-> State: 1.2 <-
  loc = 3
-> State: 1.3 <-
  loc = 1
-- specification AF loc = 2  is true
-- specification AF loc = 2  is false
-- as demonstrated by the following execution sequence
Trace Description: CTL Counterexample
Trace Type: Counterexample
-> State: 2.1 <-
  src = 3
  dest = 1
  loc = 1
-- Loop starts here
-> State: 2.2 <-
  loc = 3
-> State: 2.3 <-
-- specification EF loc = 2  is false
-- as demonstrated by the following execution sequence
Trace Description: CTL Counterexample
Trace Type: Counterexample
-> State: 3.1 <-
  src = 3
  dest = 1
  loc = 3
"""

#: The layout of NuSMV 2.6 and nuXmv, indented, with all variables in each state and with inputs between them.
ALL = """-- specification  G (p -> X q)  is false
-- as demonstrated by the following execution sequence
Trace Description: LTL Counterexample
Trace Type: Counterexample
  -> State: 1.1 <-
    failed = none
    a.b = TRUE
  -> Input: 1.2 <-
    push = 7
  -- Loop starts here
  -> State: 1.2 <-
    failed = 1
    a.b = TRUE
  -> Input: 1.3 <-
    push = 8
  -- Loop starts here
  -> State: 1.3 <-
    failed = 1
    a.b = FALSE
  -> State: 1.4 <-
    failed = 1
    a.b = TRUE
"""


def test_changes_only() -> None:
    first, second, third, fourth = parse_answers(CHANGES)
    assert (first.text, first.holds) == ("((src = 1 & loc = 1) -> AF loc = 2)", False)
    assert first.counterexample == Counterexample(
        ({"src": "1", "dest": "2", "loc": "1"}, {"src": "1", "dest": "2", "loc": "3"}), 0
    )
    assert second == Checked("AF loc = 2", True)
    assert third.counterexample is not None
    assert [state["loc"] for state in third.counterexample.states] == ["1", "3"]
    assert third.counterexample.loop == 1
    assert fourth.counterexample == Counterexample(({"src": "3", "dest": "1", "loc": "3"},), None)


def test_all_variables() -> None:
    (answer,) = parse_answers(ALL)
    assert answer.counterexample is not None
    assert answer.counterexample.states == (
        {"failed": "none", "a.b": "TRUE"},
        {"failed": "1", "a.b": "TRUE"},
        {"failed": "1", "a.b": "FALSE"},
    )
    assert answer.counterexample.loop == 1


MODEL = """MODULE main
VAR loc : {1, 2, 3};
ASSIGN
  init(loc) := 1;
  next(loc) := case loc = 1 : 3; TRUE : loc; esac;
SPEC AF loc = 2
SPEC EF loc = 3
LTLSPEC G loc = 1
"""


def test_a_tiny_model() -> None:
    first, second, third = run(nusmv(), MODEL)
    assert [first.holds, second.holds, third.holds] == [False, True, False]
    assert first.counterexample == Counterexample(({"loc": "1"}, {"loc": "3"}), 1)
    assert third.counterexample is not None
    without = run(nusmv(), MODEL, traces=False)
    assert [(a.holds, a.counterexample) for a in without] == [(False, None), (True, None), (False, None)]


def test_the_other_layout_of_the_program() -> None:
    """`set default_trace_plugin 1` prints all variables in each state."""
    model = MODEL.replace("VAR", "VAR same : {7, 8};\nASSIGN init(same) := 7; next(same) := same;\nVAR", 1)
    program = nusmv()
    said = subprocess.run(
        [program, "-int"],
        input="set default_trace_plugin 1\nread_model -i /dev/stdin\n".replace("/dev/stdin", _file(model))
        + "go\ncheck_ctlspec\nquit\n",
        capture_output=True,
        text=True,
        check=False,
    )
    first, _ = (a for a in parse_answers(said.stdout.replace("NuSMV > ", "")))
    assert first.counterexample == run(program, model)[0].counterexample
    assert said.stdout.count("same = 7") > 1


def _file(text: str) -> str:
    import tempfile

    with tempfile.NamedTemporaryFile("w", suffix=".smv", delete=False) as file:
        file.write(text)
    return file.name


def test_the_command_line_is_nusmvs_own() -> None:
    program = nusmv()
    said = subprocess.run([program, "-h"], capture_output=True, text=True, check=False)
    assert "-dcx" in said.stdout + said.stderr
    path = _file(MODEL)
    said = subprocess.run([program, path], capture_output=True, text=True, check=False)
    # False specifications are no failure of the program.
    assert said.returncode == 0
    assert "is false" in said.stdout
    assert subprocess.run([program, path + ".none"], capture_output=True, check=False).returncode != 0


def test_a_model_that_is_none() -> None:
    with pytest.raises(
        InternalError, match=r"answered 0 of 1 specifications of a model that momlint wrote.*please report"
    ):
        run(nusmv(), "MODULE main VAR x : {1, 2};\nSPEC AF nothing = 1\n")


def test_no_time() -> None:
    # Ten counters that must all be zero at once: reachable only after a very long time.
    counters = "".join(
        f"VAR c{i} : 0..{50 + i};\nASSIGN next(c{i}) := (c{i} * 7 + 1) mod {51 + i};\n" for i in range(10)
    )
    goal = " & ".join(f"c{i} = 0" for i in range(10))
    began = time.monotonic()
    with pytest.raises(GaveUp, match=r"did not answer within 0\.5 s"):
        run(nusmv(), f"MODULE main\n{counters}SPEC AG EF ({goal})\n", timeout=0.5)
    assert time.monotonic() - began < 10


def test_no_memory() -> None:
    with pytest.raises(GaveUp, match=r"out of memory \(48 MiB are allowed\)"):
        run(nusmv(), "MODULE main\n" + "".join(f"VAR x{i} : 0..999;\n" for i in range(200))
            + "".join(f"ASSIGN next(x{i}) := (x{i} * x{i - 1} + x{i + 1}) mod 997;\n" for i in range(1, 199))
            + "SPEC AG EF x5 = 3\n", memory=48)  # fmt: skip


@pytest.mark.slow
def test_a_long_case_does_not_overflow_the_stack() -> None:
    """A flat case of 25,000 branches: NuSMV reads it by recursion, and the usual 8 MiB of stack are too few."""
    branches = "".join(f"    x = {i} & y = {i % 7} : {(i + 1) % 600};\n" for i in range(25_000))
    model = (
        f"MODULE main\nVAR x : 0..599; y : 0..6;\nASSIGN next(x) := case\n{branches}    TRUE : x; esac;\nSPEC x = x\n"
    )
    assert run(nusmv(), model)[0].holds


class TestFinding:
    @pytest.fixture
    def program(self, tmp_path: Path) -> Path:
        path = tmp_path / "NuSMV"
        path.write_text("#!/bin/sh\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def test_the_option_wins(self, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("MOMLINT_NUSMV", "/nowhere")
        assert find_nusmv(str(program)) == str(program)

    def test_then_the_variable_then_path(self, program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PATH", str(program.parent) + os.pathsep + os.environ["PATH"])
        monkeypatch.delenv("MOMLINT_NUSMV", raising=False)
        assert find_nusmv() == str(program)
        monkeypatch.setenv("MOMLINT_NUSMV", "/bin/sh")
        assert find_nusmv() == "/bin/sh"

    def test_none(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.delenv("MOMLINT_NUSMV", raising=False)
        with pytest.raises(
            UsageError, match="install NuSMV or nuXmv, and put it on PATH or set MOMLINT_NUSMV to its path"
        ):
            find_nusmv()
        with pytest.raises(UsageError, match="--nusmv names `/nowhere` as NuSMV"):
            find_nusmv("/nowhere")
        monkeypatch.setenv("MOMLINT_NUSMV", "/nowhere")
        with pytest.raises(UsageError, match="MOMLINT_NUSMV names `/nowhere` as NuSMV"):
            find_nusmv()
