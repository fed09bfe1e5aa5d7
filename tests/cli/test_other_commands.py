"""``trace``, ``render``, ``explain``, ``rules``, ``schema``, ``init``, ``--version``."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
import yaml
import z3

from momlint import __version__
from momlint.catalog import load_rules
from momlint.routed.smv import run as run_nusmv
from tests.cli.conftest import Run
from tests.cli.estates import BLACK_HOLE, GOOD, LOOP
from tests.routed.engines.nusmv import nusmv

pytestmark = pytest.mark.usefixtures("folder")


# -- trace --


def test_a_walk_that_stops(run: Run) -> None:
    ran = run("trace", "bad.yaml", "--from", "1", "--to", "5")
    assert ran.code == 1
    assert ran.out == (
        "estate six: a message from 1 to 5\n"
        "  1 → 2  link 1--2  bad.yaml:15:22  1: {2: [2, 3, 4, 5, 6]}\n"
        "  2 → 4  link 2--4  bad.yaml:19:14  4: [4, 5, 6]\n"
        "  4 → 6  link 4--6  bad.yaml:21:11  6: [5, 6]\n"
        "stopped at 6: it has no next hop for 5\n"
    )


def test_a_walk_that_arrives_by_computed_entries(run: Run) -> None:
    ran = run("trace", "good.mom.yaml", "--from", "1", "--to", "3")
    assert ran == (
        0,
        "estate triangle: a message from 1 to 3\n  1 → 3  link 1--3  shortest path\narrived at 3 after 1 hop\n",
        "",
    )


def test_a_walk_that_loops(run: Run) -> None:
    ran = run("trace", "-", "--from", "1", "--to", "3", stdin=LOOP.encode())
    assert ran.code == 1
    assert ran.out.splitlines()[1:] == [
        "  1 → 2  link 1--2  <stdin>:12:16  1: {2: [2, 3]}",
        "  2 → 1  link 1--2  <stdin>:13:16  2: {1: [1, 3]}",
        "looped: back at 1, and so on for ever",
    ]


def test_a_next_hop_that_is_no_neighbour(run: Run) -> None:
    wrong = LOOP.replace("1: {2: [2, 3]}", "1: {2: [2], 3: [3]}")
    ran = run("trace", "-", "--from", "1", "--to", "3", stdin=wrong.encode())
    assert ran.code == 1
    assert ran.out.splitlines()[1:] == [
        "  1 → 3  no link  <stdin>:12:21  1: {2: [2], 3: [3]}",
        "stopped at 1: the next hop 3 is not its neighbour",
    ]


def test_a_message_to_its_own_broker(run: Run) -> None:
    assert run("trace", "good.mom.yaml", "--from", "2", "--to", "2").out.endswith("arrived at 2 after 0 hops\n")


COLOURS = (
    GOOD
    + """\
failures:
  colours:
    normal: []
    cut: [1--2]
"""
)


def test_a_colour(run: Run) -> None:
    ran = run("trace", "-", "--from", "1", "--to", "2", "--colour", "cut", stdin=COLOURS.encode())
    assert ran.code == 0
    assert ran.out == (
        "estate triangle: a message from 1 to 2 in colour cut (1--2 failed)\n"
        "  1 → 3  link 1--3  shortest path\n  3 → 2  link 2--3  shortest path\narrived at 2 after 2 hops\n"
    )
    first = run("trace", "-", "--from", "1", "--to", "2", stdin=COLOURS.encode())
    assert "in colour normal\n  1 → 2" in first.out


@pytest.mark.parametrize(
    ("source", "dest", "told"),
    [
        ("1", "2", "no walk: broker 1 has failed in this colour"),
        ("2", "1", "no walk: broker 1 has failed in this colour"),
        ("1", "1", "no walk: broker 1 has failed in this colour"),
        ("1", "3", "no walk: brokers 1 and 3 have failed in this colour"),
    ],
)
def test_an_end_that_has_failed(run: Run, source: str, dest: str, told: str) -> None:
    text = GOOD + "failures: {colours: {down: [1, 3]}}\n"
    ran = run("trace", "-", "--from", source, "--to", dest, "--colour", "down", stdin=text.encode())
    assert (ran.code, ran.out.splitlines()[1:], ran.err) == (1, [told], "")


def test_the_link_is_the_one_that_is_taken(run: Run) -> None:
    text = """\
momlint: 1
brokers: {1: , 2: }
links:
  - {id: copper, between: [1, 2], cost: 3}
  - {id: fibre, between: [1, 2]}
failures: {colours: {normal: [], dug: [fibre]}}
"""
    hops = [
        run("trace", "-", "--from", "1", "--to", "2", "--colour", colour, stdin=text.encode()).out.splitlines()[1]
        for colour in ("normal", "dug")
    ]
    assert hops == ["  1 → 2  link fibre  shortest path", "  1 → 2  link copper  shortest path"]


RECOVERY = (
    COLOURS
    + """\
  recovery:
    1:
      - {to: 2, via: 2, colours: [normal, cut]}
"""
)


def test_a_recovery_row_that_uses_what_has_failed(run: Run) -> None:
    ran = run("trace", "-", "--from", "1", "--to", "2", "--colour", "cut", stdin=RECOVERY.encode())
    assert ran.code == 1
    assert ran.out.splitlines()[1:] == [
        "  1 → 2  link 1--2  <stdin>:18:9  - {to: 2, via: 2, colours: [normal, cut]}",
        "stopped at 1: the link to 2 has failed",
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--from", "london", "--to", "2"), "--from: there is no broker `london`"),
        (("--from", "1", "--to", "22"), "--to: there is no broker `22`; did you mean `2`?"),
        (("--from", "1", "--to", "2", "--colour", "x"), "--colour: this estate declares no colours"),
        (
            ("--from", "1", "--to", "2", "--estate", "triangel"),
            "there is no estate `triangel`; did you mean `triangle`?",
        ),
    ],
)
def test_names_that_do_not_exist(run: Run, arguments: tuple[str, ...], said: str) -> None:
    ran = run("trace", "good.mom.yaml", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


def test_one_of_several_estates(run: Run) -> None:
    both = (GOOD + "---\n" + LOOP).encode()
    ran = run("trace", "-", "--from", "1", "--to", "3", stdin=both)
    assert (ran.code, "choose one with --estate: triangle, loop" in ran.err) == (2, True)
    assert run("trace", "-", "--from", "1", "--to", "3", "--estate", "loop", stdin=both).code == 1


def test_two_estates_of_one_name(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "two.mom.yaml"
    one = "momlint: 1\nname: A\nbrokers: {1: , 2: }\nlinks: [{between: [1, 2]}]\n"
    path.write_text(f"{one}---\n{one}")
    ran = run("trace", str(path), "--estate", "A", "--from", "1", "--to", "2")
    assert ran.code == 2
    assert "2 estates here are called `A`; give each a `name` of its own" in ran.err


def test_files_without_an_overlay(run: Run) -> None:
    for text in (b"", b"a: 1\n", b"{{ x }}", b"\xff\xfe\x00", b"momlint: 1\nbrokers: ["):
        ran = run("trace", "-", "--from", "1", "--to", "3", stdin=text)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith("momlint: error: ")
    assert run("trace", "gone.yaml", "--from", "1", "--to", "3").code == 2


# -- render --


def verdicts(script: str) -> list[str]:
    """What z3 says to each check-sat of an SMT-LIB script."""
    context = z3.Context()  # a fresh one for each script, alive as long as it is used
    answer = z3.Z3_eval_smtlib2_string(context.ref(), script)
    return [line for line in answer.split() if line.endswith("sat")]


def test_the_rendered_script_decides_the_same(run: Run) -> None:
    ran = run("render", "good.mom.yaml", "--to", "smt2")
    assert ran.code == 0
    assert set(verdicts(ran.out)) == {"unsat"}
    ran = run("render", "bad.yaml", "--to", "smt2", "--output", "six.smt2")
    assert (ran.code, ran.out) == (0, "")
    assert "sat" in verdicts(Path("six.smt2").read_text())
    one = run("render", "bad.yaml", "--to", "smt2", "--dest", "2").out
    assert verdicts(one) == ["unsat"]


def test_languages_that_do_not_exist(run: Run) -> None:
    ran = run("render", "good.mom.yaml", "--to", "smt")
    assert (ran.code, "--to must be one of smv, smt2, graphml, cub, not 'smt'; did you mean `smt2`?" in ran.err) == (
        2,
        True,
    )


SPECS = """\
specs:
  - {name: arrives, ctl: "src = 1 -> AF loc = dest"}
  - {name: comes-back, ltl: "G (!broker1.state -> X publisher1.pub_bro2)"}
"""
TAKEOVER = """\
failures:
  colours: {calm: [], one: [1]}
  takeover: {1: 2}
"""


def smv_verdicts(model: str) -> list[bool]:
    return [answer.holds for answer in run_nusmv(nusmv(), model)]


def test_the_rendered_model_decides_the_same(run: Run) -> None:
    for shape in ((), ("--literal",), ("--all-pairs",), ("--all-pairs", "--literal")):
        ran = run("render", "good.mom.yaml", "--to", "smv", *shape)
        assert ran.code == 0
        # Two pairs, each a super-path; and that no message comes back to one of the three brokers.
        assert smv_verdicts(ran.out) == [True] * 5
        ran = run("render", "bad.yaml", "--to", "smv", "--output", "six.smv", *shape)
        assert (ran.code, ran.out) == (0, "")
        # 1 → 2 arrives and 1 → 5 does not; at 6 the message stays, so it comes back nowhere.
        assert smv_verdicts(Path("six.smv").read_text()) == [True, False, *[True] * 6]


def test_the_estates_own_specifications_are_rendered(run: Run) -> None:
    Path("own.yaml").write_text(GOOD + TAKEOVER + SPECS)
    walk = run("render", "own.yaml", "--to", "smv", "--model", "walk").out
    assert walk == run("render", "own.yaml", "--to", "smv").out
    assert "-- arrives" in walk
    assert "comes-back" not in walk
    # While broker 1 is down nothing leaves it: only the specification of arrival makes an exception of it.
    assert smv_verdicts(walk) == [*[True] * 5, False]
    for shape in ((), ("--literal",)):
        takeover = run("render", "own.yaml", "--to", "smv", "--model", "takeover", *shape).out
        assert "-- comes-back" in takeover
        assert "-- arrives" not in takeover
        assert all(smv_verdicts(takeover))


def test_a_model_with_addresses(run: Run) -> None:
    ran = run("render", "good.mom.yaml", "--to", "smv", "--model", "addresses")
    assert ran.code == 2
    assert "an address of four numbers for each broker; broker `1` has none" in ran.err
    brokers = ", ".join(f"{i}: {{address: 10.0.0.{i}}}" for i in (1, 2, 3))
    Path("own.yaml").write_text(GOOD.replace("1: , 2: , 3: ", brokers))
    assert smv_verdicts(run("render", "own.yaml", "--to", "smv", "--model", "addresses").out) == [True, True]


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--to", "smv", "--dest", "1"), "--dest has no effect with --to smv --model walk"),
        (("--to", "smt2", "--literal"), "--literal has no effect with --to smt2"),
        (("--to", "smt2", "--all-pairs"), "--all-pairs has no effect with --to smt2"),
        (("--to", "smt2", "--model", "walk"), "--model has no effect with --to smt2"),
        (("--to", "smv", "--model", "takeover"), "--model takeover: this estate has no `takeover`"),
        (("--to", "smv", "--model", "takeover", "--all-pairs"), "--all-pairs has no effect with --to smv --model take"),
        (("--to", "smv", "--model", "addresses", "--literal"), "--literal has no effect with --to smv --model addr"),
        (("--to", "smv", "--model", "walks"), "--model must be one of walk, takeover, addresses"),
    ],
)
def test_options_that_would_have_no_effect(run: Run, options: tuple[str, ...], complaint: str) -> None:
    ran = run("render", "good.mom.yaml", *options)
    assert (ran.code, ran.out) == (2, "")
    assert complaint in ran.err


# -- explain and rules --


@pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.code)
def test_every_rule_is_explained(run: Run, rule: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    by_code = run("explain", rule.code)  # type: ignore[attr-defined]
    assert by_code.code == 0
    assert by_code == run("explain", rule.id)  # type: ignore[attr-defined]
    assert by_code == run("explain", rule.code.lower())  # type: ignore[attr-defined]
    assert by_code.out.startswith(f"{rule.code} {rule.id}\n")  # type: ignore[attr-defined]
    assert "\nWhy\n" in by_code.out
    assert "\nWhat to do\n" in by_code.out
    prose = by_code.out.split("\nBad\n")[0]
    assert all(len(line) <= 80 for line in prose.splitlines())


def test_a_rule_that_does_not_exist(run: Run) -> None:
    ran = run("explain", "MOM320")
    assert (ran.code, ran.out) == (2, "")
    assert "there is no rule `MOM320`; did you mean `MOM" in ran.err
    assert "did you mean `forwarding-loop`?" in run("explain", "forwarding-lop").err
    assert "`momlint rules` lists them" in run("explain", "quite something else").err


def test_the_list_of_rules(run: Run) -> None:
    codes = [rule.code for rule in load_rules()]
    assert [line.split()[0] for line in run("rules").out.splitlines()] == codes
    listed = json.loads(run("rules", "--format", "json").out)
    assert [rule["code"] for rule in listed] == codes
    assert set(listed[0]) == {"code", "id", "title", "severity", "since", "family", "url", "mend"}
    table = run("rules", "--format", "markdown").out.splitlines()
    assert len(table) == len(codes) + 2
    assert len({line.replace("\\|", "").count("|") for line in table}) == 1
    assert run("rules", "--format", "xml").code == 2


# -- schema and init --


def test_the_schema_is_one(run: Run) -> None:
    schema = json.loads(run("schema").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert run("schema", "--output", "momlint.schema.json").code == 0
    assert json.loads(Path("momlint.schema.json").read_text()) == schema


def test_the_starter_has_a_schema_for_editors(run: Run) -> None:
    assert run("init").code == 0
    first, _, rest = Path("topology.yaml").read_text().partition("\n")
    name = first.removeprefix("# yaml-language-server: $schema=")
    assert name == "momlint.schema.json"
    schema = json.loads(Path(name).read_text())
    jsonschema.validate(yaml.safe_load(rest), schema)
    assert schema == json.loads(run("schema").out)


def test_the_starter_passes_its_own_check(run: Run) -> None:
    ran = run("init")
    assert ran.code == 0
    checked = run("check", "topology.yaml", "--fail-on", "note")
    assert checked.code == 0
    assert "Proved: 2 pairs" in checked.out


def test_init_overwrites_nothing_unasked(run: Run) -> None:
    Path("topology.yaml").write_text("mine\n")
    ran = run("init")
    assert (ran.code, "topology.yaml already exists; --force overwrites it" in ran.err) == (2, True)
    assert Path("topology.yaml").read_text() == "mine\n"
    assert run("init", "--force").code == 0
    assert Path("topology.yaml").read_text() != "mine\n"
    assert run("init", "gone/topology.yaml").code == 2


# -- the program --


def test_the_version(run: Run) -> None:
    assert run("--version") == (0, f"momlint {__version__}\n", "")
    assert run("-V") == (0, f"momlint {__version__}\n", "")


# So that a checkout that is not installed can be tested too.
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}


def modules_after(*arguments: str) -> set[str]:
    """The top-level modules that a run of momlint has loaded."""
    script = (
        "import sys; from momlint.cli import main; main(sys.argv[1:]); "
        "sys.stderr.write(' '.join(sorted({name.partition('.')[0] for name in sys.modules})))"
    )
    ran = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT,
    )
    return set(ran.stderr.split())


HEAVY = {"z3", "pysmt", "pyspark", "pandas", "networkx", "scipy", "rustworkx", "jinja2", "rich", "pyarrow"}
#: What a check does without, where its arguments and the estate are plain; bench/bench_startup.py measures it.
SPARED = {"typer", "pydantic", "tomllib"}
#: What reading brokers' own files takes.
NATIVE = {"ipaddress"}


def test_the_version_loads_next_to_nothing() -> None:
    assert not modules_after("--version") & (HEAVY | {"typer", "numpy", "pydantic", "yaml", "json", "re"})


def test_a_small_check_loads_no_more_than_it_needs(folder: Path) -> None:
    (folder / "momlint.toml").unlink()
    assert not modules_after("check", "good.mom.yaml", "--engine", "graph", "-q") & (HEAVY | SPARED | NATIVE)
    assert not modules_after("check", "good.mom.yaml", "-q") & (HEAVY - {"z3", "jinja2"} | SPARED)


def test_a_check_of_the_triangle_loads_no_more_than_it_needs() -> None:
    """It has colours, recovery tables, budgets and a specification. (The checkout's own pyproject.toml is read.)"""
    heavy = HEAVY | SPARED - {"tomllib"}
    triangle = str(Path(__file__).parents[2] / "examples" / "triangle" / "topology.yaml")
    assert not modules_after("check", triangle, "--engine", "graph", "-q") & (heavy | NATIVE)
    assert not modules_after("check", triangle, "-q") & (heavy - {"z3", "jinja2"})


def test_module_and_script_are_one() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "momlint", "--version"],
        capture_output=True,
        text=True,
        check=True,
        env=ENVIRONMENT,
    )
    assert ran.stdout == f"momlint {__version__}\n"


def test_a_reader_that_goes_away_is_no_fault(folder: Path) -> None:
    many = BLACK_HOLE.replace("\n  A:", "\n" + "".join(f"  t{i}: {{publishers: [1]}}\n" for i in range(3000)) + "  A:")
    (folder / "many.yaml").write_text(many)
    ran = subprocess.run(
        f"{sys.executable} -m momlint check many.yaml -f json | head -c 10; exit ${{PIPESTATUS[0]}}",
        shell=True,
        executable="/bin/bash",
        capture_output=True,
        text=True,
        env=ENVIRONMENT,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (1, "")
