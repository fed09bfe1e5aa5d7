"""`momlint check` says of every example what the literature, or a walk by hand, says of it."""

from __future__ import annotations

import contextlib
import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from momlint.cli import main
from momlint.estate import load_source
from momlint.routed.overlay import build_overlay
from momlint.routed.overlay import super_paths as super_paths_of
from momlint.source import read_source
from tests.examples.by_hand import EXAMPLES, Hand, read, super_paths
from tests.routed.engines.nusmv import nusmv

ROOT = EXAMPLES.parent
GOOD = [
    "six-brokers/topology.yaml",
    "triangle/topology.yaml",
    "fifty-brokers/topology.yaml",
    "real-networks/abilene.yaml",
    "real-networks/nobel-germany.yaml",
    "real-networks/geant2012.yaml",
]
BAD = [
    "six-brokers/misrouted.yaml",
    "fifty-brokers/link-13-17-failed.yaml",
    "fifty-brokers/broker-17-failed.yaml",
    "fifty-brokers/rows-13-17-missing.yaml",
    "fifty-brokers/broker-17-without-tables.yaml",
]

#: See test_takeover.py, test_specifications.py, test_clients.py, test_sites.py, tests/policies and
#: tests/relayed/test_examples.py.
ELSEWHERE = [
    "sites/seven-sites.yaml",
    "sites/report/crash.yaml",
    "simulation/six-brokers.yaml",
    "simulation/naive.yaml",
    "sites/report/six-sites-1.yaml",
    "sites/report/six-sites-2.yaml",
    "sites/report/six-sites-3.yaml",
    "sites/report/three-sites-1.yaml",
    "sites/report/three-sites-2.yaml",
    "sites/report/three-sites-3.yaml",
    "sites/seven-sites-starving.yaml",
    "sites/take-over.yaml",
    *(f"clients/{path.name}" for path in sorted((EXAMPLES / "clients").glob("*.yaml"))),
    *(f"own-rules/momlint-rules/{name}.yaml" for name in ("gold", "pii", "walks")),
    "own-rules/topology.yaml",
    "relayed/growing.yaml",
    "relayed/plant.yaml",
    "ring/topology.yaml",
    "six-brokers/broker-1-failed.yaml",
    "three-brokers/slip.yaml",
    "three-brokers/topology.yaml",
]


def momlint(*arguments: str) -> tuple[int, str]:
    """Run the command line in the checkout, in this process: the exit code and what it prints."""
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    with contextlib.chdir(ROOT), contextlib.redirect_stdout(printed):
        code = main(list(arguments))
    printed.seek(0)
    return code, printed.read()


def check(example: str, *options: str) -> tuple[int, dict[str, Any]]:
    code, printed = momlint("check", "--format", "json", *options, f"examples/{example}")
    return code, json.loads(printed)


#: A single point of failure is a note, and most real networks have some; see test_resilience.py.
WITHOUT_NOTES = ("--ignore", "MOM501")


def only_finding(example: str) -> dict[str, Any]:
    code, report = check(example, *WITHOUT_NOTES)
    assert code == 1
    assert len(report["findings"]) == 1, [finding["message"] for finding in report["findings"]]
    finding: dict[str, Any] = report["findings"][0]
    assert finding["severity"] == "error"
    return finding


def source_line(example: str, number: int) -> str:
    return (EXAMPLES / example).read_text(encoding="utf-8").splitlines()[number - 1]


def topics_of(hand: Hand, pairs: list[tuple[str, str]]) -> list[str]:
    """The topics that need one of `pairs`, in the order of the file."""
    return [
        name
        for name, (senders, takers) in hand.topics.items()
        if any((sender, taker) in pairs for sender in senders for taker in takers)
    ]


def test_every_example_is_listed_here() -> None:
    assert {str(path.relative_to(EXAMPLES)).replace("\\", "/") for path in EXAMPLES.rglob("*.yaml")} == {
        *GOOD,
        *BAD,
        *ELSEWHERE,
    }


@pytest.mark.parametrize("example", GOOD)
def test_a_good_example_has_no_finding(example: str) -> None:
    code, report = check(example, *WITHOUT_NOTES)
    assert report["findings"] == []
    assert code == 0
    hand = read(EXAMPLES / example)
    colours = (yaml.load((EXAMPLES / example).read_text(encoding="utf-8"), yaml.BaseLoader)).get("failures", {})
    assert report["summary"] == {
        "files": 1,
        "brokers": len(hand.brokers),
        "links": len(hand.links),
        "colours": len(colours.get("colours", ())) or 1,
        "topics": len(hand.topics),
        "pairs": len(hand.pairs),
        "errors": 0,
        "warnings": 0,
        "notes": 0,
        "undecided": 0,
    }


def test_misrouted_is_found_at_the_row_of_broker_4() -> None:
    finding = only_finding("six-brokers/misrouted.yaml")
    assert finding["code"] == "MOM303"
    assert source_line("six-brokers/misrouted.yaml", finding["span"]["start"]["line"]).strip().startswith("6: [5, 6]")
    assert finding["witness"]["walk"] == ["1", "2", "4", "6"]
    assert finding["witness"]["destination"] == "5"
    assert finding["affected"] == {"topics": ["A"], "pairs": 1}
    assert finding["message"] == "broker `4` sends `5` to `6`, and it ends there"
    assert finding["data"] == {"broker": "4", "via": "6", "destinations": ["5"], "stop": "6"}
    assert finding["related"]


@pytest.mark.parametrize(
    ("example", "code", "names"),
    [
        ("fifty-brokers/link-13-17-failed.yaml", "MOM304", r"13.{1,20}17|17.{1,20}13"),
        ("fifty-brokers/broker-17-failed.yaml", "MOM304", r"broker `17`"),
        ("fifty-brokers/rows-13-17-missing.yaml", "MOM303", r"13.{1,20}17|17.{1,20}13"),
        ("fifty-brokers/broker-17-without-tables.yaml", "MOM303", r"broker `17`"),
    ],
)
def test_a_fault_of_the_fifty_brokers_is_named_once(example: str, code: str, names: str) -> None:
    hand = read(EXAMPLES / example)
    finding = only_finding(example)
    assert finding["code"] == code
    assert re.search(names, finding["message"]), finding["message"]
    broken = hand.broken()
    assert finding["affected"] == {"topics": topics_of(hand, broken), "pairs": len(broken)}
    walk = tuple(finding["witness"]["walk"])
    source, dest = walk[0], finding["witness"]["destination"]
    assert (source, dest) == broken[0]
    assert walk == hand.walk(source, dest)


def supers_of(path: Path) -> int:
    """How many super-paths the overlay of the estate has in its first colour."""
    (loaded,) = load_source(read_source(path.read_bytes(), str(path)))
    assert loaded.estate is not None
    return int(super_paths_of(build_overlay(loaded.estate)).sum())


@pytest.mark.parametrize("example", ["six-brokers/topology.yaml", "fifty-brokers/topology.yaml"])
def test_pairs_and_super_paths_are_those_counted_by_brute_force(example: str) -> None:
    hand = read(EXAMPLES / example)
    last = momlint("check", f"examples/{example}")[1].splitlines()[-1]
    assert f"{len(hand.pairs)} pairs of {len(hand.topics)} topics arrive" in last
    assert supers_of(EXAMPLES / example) == len(super_paths(hand, hand.pairs))


@pytest.mark.parametrize("example", [*GOOD[:3], *BAD])
def test_both_engines_give_the_same_report(example: str) -> None:
    assert check(example, "--engine", "graph") == check(example, "--engine", "smt")


@pytest.mark.parametrize("example", [*GOOD[:3], *BAD])
def test_nusmv_gives_the_same_report(example: str) -> None:
    """Faults are located from its verdicts as from the other engines': at the same row, link or broker."""
    assert check(example, "--engine", "nusmv", "--nusmv", nusmv()) == check(example, "--engine", "graph")


def test_ten_thousand_topics_level_off_like_table_5_5(tmp_path: Path) -> None:
    """The overlay's super-paths are those that brute force counts, for a few of the sizes of table 5-5."""
    script = EXAMPLES / "fifty-brokers/generate.py"
    counts = []
    for topics in (100, 1000, 10000):
        path = tmp_path / f"{topics}.yaml"
        subprocess.run([sys.executable, script, "--topics", str(topics), "--output", path], check=True, timeout=60)
        hand = read(path) if topics == 100 else None
        code, printed = momlint("check", "--engine", "graph", str(path))
        assert code == 0, printed
        counts.append(supers_of(path))
        if hand is not None:
            assert counts[-1] == len(super_paths(hand, hand.pairs))
    # By brute force, see docs/how-it-proves.md; test_by_hand.py counts them.
    assert counts == [235, 581, 616]
