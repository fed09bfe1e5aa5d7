"""MOM410 as users see it: where it stands, what it says, the bound, and when nobody has looked."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from random import Random

import networkx as nx
import pytest

from momlint.cli import main
from momlint.errors import UsageError
from momlint.findings import Report
from momlint.lint import Options, lint_bytes, merge
from momlint.report.json import render
from momlint.routed.flooding.parts import _connected, _small
from tests.budget import one_in

TRIANGLE = """\
momlint: 1
brokers: {1: , 2: , 3: }
links: [{between: [1, 2]}, {between: [1, 3]}, {between: [2, 3]}]
failures:
  colours: {none: [], F12: [1--2], F13: [1--3], F23: [2--3]}
simulation:
  pcrt: {wrap: naive}
"""
SERIAL = TRIANGLE.replace("naive", "serial")
SIX = Path(__file__).parents[3] / "examples" / "simulation" / "six-brokers.yaml"


def report_of(text: str, **options: object) -> Report:
    chosen = Options(ignore=("MOM501",), protocol=True, **options)  # type: ignore[arg-type]
    return merge([lint_bytes(text.encode(), "it.yaml", chosen)], chosen)


@pytest.mark.parametrize("engine", ["graph", "smt"])
def test_naive_numbers(engine: str) -> None:
    (finding,) = report_of(TRIANGLE, engine=engine, bound=(("failures", 1),)).findings
    assert (finding.code, finding.span.start.line, finding.span.start.column) == ("MOM410", 7, 16)
    assert finding.label == "with up to 1 failure or recovery and 1 lost message"
    assert finding.witness is not None
    trace = finding.witness.trace
    # The last number of the two brokers that have something to tell, the failure, two notices, each come and answered.
    assert sorted(trace[:2]) == [f"the last notice of {one} had number 255; the largest is 255" for one in (1, 2)]
    assert trace[2] == "1--2 fails"
    assert "1 → 3: notice 1 of 1, which is not news" in trace
    assert "3 → 2: acknowledgement of notice 1 of 2" in trace
    assert trace[-1] == "nothing more comes: 1 in colour F12, 2 in colour F12 and 3 in colour none"


def overlay(random: Random) -> str:
    """Two to four brokers, some links twice; most links have a colour, one broker may."""
    count = random.choice((2, 3, 3, 3, 4))
    links = [(random.randrange(broker), broker) for broker in range(1, count)]
    for _ in range(random.choice((0, 0, 1, 1, 2)) if count > 2 else 0):
        one, other = random.sample(range(count), 2)
        links.append((one, other))
    colours = {"none": ""} | {f"c{link}": f"l{link}" for link in range(len(links)) if random.random() < 0.8}
    if random.random() < 0.3:
        colours["b"] = str(random.randrange(count))
    lines = ["momlint: 1", f"brokers: {{{', '.join(f'{broker}: ' for broker in range(count))}}}", "links:"]
    lines += [f"  - {{id: l{link}, between: [{one}, {other}]}}" for link, (one, other) in enumerate(links)]
    lines += ["failures:", "  colours:", *(f"    {name}: [{what}]" for name, what in colours.items())]
    return "\n".join([*lines, "simulation:", f"  pcrt: {{wrap: {random.choice(('naive', 'naive', 'serial'))}}}", ""])


@pytest.mark.parametrize("seed", one_in(8, range(64)))
def test_the_engines_say_the_same(seed: int) -> None:
    """To the byte, traces included."""
    text = overlay(Random(seed))
    searched, solved = (report_of(text, engine=one, bound=(("failures", 1),)) for one in ("graph", "smt"))
    assert render(solved) == render(searched)


def test_the_protocol_as_it_is() -> None:
    report = report_of(SERIAL, engine="graph")
    assert report.findings == []
    assert report.proof.bounds == (
        "The recovery protocol settles with up to 2 failures or recoveries and 1 lost message; nothing is proved "
        "beyond that.",
    )


def test_it_is_asked_for() -> None:
    chosen = Options(ignore=("MOM501",))
    report = merge([lint_bytes(TRIANGLE.encode(), "it.yaml", chosen)], chosen)
    assert report.findings == []
    assert report.proof.bounds == ()


def test_large_overlays_are_looked_at_in_parts() -> None:
    text = SIX.read_text(encoding="utf-8")
    report = report_of(text, engine="graph", bound=(("brokers", 3), ("failures", 1)))
    assert report.proof.bounds == (
        "The recovery protocol settles in every part of up to 3 connected brokers by itself, with up to 1 failure or "
        "recovery and 1 lost message; nothing is proved beyond that.",
    )
    naive = (
        f"{text}  pcrt: {{wrap: naive}}\n" if "pcrt:" not in text else text.replace("pcrt: {", "pcrt: {wrap: naive, ")
    )
    (finding,) = report_of(naive, engine="graph", bound=(("brokers", 3),)).findings
    assert finding.code == "MOM410"


def test_an_overlay_that_falls_apart() -> None:
    """Six brokers, of which no four are connected: the pairs are looked at, and the one with a colour is told."""
    text = (
        "momlint: 1\nbrokers: {1: , 2: , 3: , 4: , 5: , 6: }\n"
        "links: [{between: [1, 2]}, {between: [3, 4]}, {between: [5, 6]}, {between: [4, 6]}, {between: [3, 5]}]\n"
        "failures: {colours: {x: [], y: [1--2], z: [3--4]}}\nsimulation: {pcrt: {wrap: naive}}\n"
    )
    for left_out in ("", ", z: [3--4]"):
        found = report_of(text.replace(left_out, ""), engine="graph", select=("MOM410",)).findings
        # Two brokers cannot mislead each other: each sees their link by itself.
        assert [one.code for one in found] == ([] if left_out else ["MOM410"])


def test_every_connected_part_is_looked_at_once() -> None:
    """By brute force: connected sets of four, and what is connected with nobody else and smaller."""
    for seed in range(30):
        random = Random(seed)
        graph = nx.gnm_random_graph(7, random.randint(3, 9), seed)
        ends = list(graph.edges)
        wanted = {some for some in combinations(range(7), 4) if nx.is_connected(graph.subgraph(some))} | {
            tuple(sorted(one)) for one in nx.connected_components(graph) if len(one) < 4
        }
        found = [*_small(7, ends, 4), *_connected(7, ends, 4)]
        assert sorted(found) == sorted(wanted)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (SERIAL.replace("F12: [1--2], F13: [1--3], F23: [2--3]", "b: []"), "no colour is of a failure"),
        (SERIAL.replace("{between: [1, 2]}", "{from: 1, to: 2}"), "a link goes one way"),
        (
            SERIAL.replace("  colours: {none: [], F12: [1--2], F13: [1--3], F23: [2--3]}", "  after_failure: heal"),
            "no colours",
        ),
    ],
)
def test_not_judged(text: str, why: str) -> None:
    (sentence,) = report_of(text, engine="graph").proof.bounds
    assert sentence.startswith("Not judged: MOM410")
    assert why in sentence


@pytest.mark.parametrize("engine", ["graph", "smt"])
def test_out_of_time_is_no_pass(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine is asked with no time left at all."""
    monkeypatch.setattr("momlint.routed.flooding.asking.SECONDS", 0.0)
    report = report_of(SERIAL, engine=engine)
    (finding,) = report.findings
    assert finding.code == "MOM901"
    assert "the recovery protocol settles" in finding.message
    assert report.proof.bounds == ()
    assert report.summary.undecided == 1


def test_settings_and_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("momlint.toml").write_text('protocol = true\nbound = "failures=1"\nengine = "graph"\n', encoding="utf-8")
    Path("it.yaml").write_text(TRIANGLE, encoding="utf-8")
    assert main(["check", "it.yaml", "--format", "json", "--ignore", "MOM501"]) == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert finding["data"]["failures"] == 1
    assert finding["data"]["concerned"] == ["1", "3"]
    assert finding["data"]["holds"] == ["F12", "none"]
    Path("momlint.toml").write_text("protocol = 1\n", encoding="utf-8")
    assert main(["check", "it.yaml"]) == 2
    assert "must be true or false" in capsys.readouterr().err


def test_a_wrong_bound_is_an_error(tmp_path: Path) -> None:
    from momlint.api import check

    (tmp_path / "momlint.toml").write_text('bound = "brokers=9"\n', encoding="utf-8")
    (tmp_path / "it.yaml").write_text(TRIANGLE, encoding="utf-8")
    with pytest.raises(UsageError, match="brokers must be a number from 2 to 6, not '9'"):
        check(tmp_path / "it.yaml")


def test_in_python() -> None:
    from momlint.api import check_text

    for protocol in (True, False):
        found = check_text(TRIANGLE, "it.yaml", engine="graph", select="MOM410", protocol=protocol).findings
        assert [one.code for one in found] == ["MOM410"] * protocol
