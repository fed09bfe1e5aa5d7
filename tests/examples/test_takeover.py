"""The take-over examples say what the thesis says (sections 5.1 and 5.2.2); the ring what was counted by hand."""

from __future__ import annotations

from itertools import pairwise

import pytest

from tests.examples.by_hand import EXAMPLES
from tests.examples.test_check import check, momlint

THREE = "three-brokers/topology.yaml"
SIX = "six-brokers/broker-1-failed.yaml"


def test_three_brokers_are_clean() -> None:
    code, report = check(THREE)
    assert (code, report["findings"]) == (0, [])
    assert (report["summary"]["brokers"], report["summary"]["colours"], report["summary"]["topics"]) == (3, 4, 3)


def test_six_brokers_reach_each_other_without_broker_1() -> None:
    """Nothing is found but what is so of any tree: each link, and each broker between others, cuts topics alone."""
    code, report = check(SIX)
    assert code == 0
    assert {(finding["code"], finding["severity"]) for finding in report["findings"]} == {("MOM501", "note")}


@pytest.mark.parametrize(
    ("estate", "source", "dest", "walk"),
    [
        # Table 5-4: topic A is published at 2 now, topic C is wanted at 3; next hops of table 5-3.
        ("publisher-to-2", "2", "5", ["2", "4", "5"]),
        ("subscriber-to-3", "5", "3", ["5", "4", "2", "3"]),
    ],
)
def test_the_moved_clients_walks(estate: str, source: str, dest: str, walk: list[str]) -> None:
    code, printed = momlint(
        "trace", f"examples/{SIX}", "--estate", estate, "--colour", "broker-1", "--from", source, "--to", dest
    )
    assert code == 0
    hops = [line.split()[0::2][:2] for line in printed.splitlines() if " → " in line]
    assert hops == [list(hop) for hop in pairwise(walk)]


def test_the_ring_has_one_note() -> None:
    """tests/routed/checks/test_mixed_colours.py has the ring's loops by hand."""
    code, report = check("ring/topology.yaml")
    assert (code, [finding["code"] for finding in report["findings"]]) == (0, ["MOM407"])


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("{1: 2, 2: 3, 3: 1}", "{1: 2, 2: 3, 3: 3}", "takeover"),
        ("{1: 2, 2: 3, 3: 1}", "{1: 2, 2: 3}", "takeover"),
        ("s1: [1]", "s1: [1, 2]", "takeover"),
    ],
)
def test_a_damaged_ring_is_found(old: str, new: str, line: str, tmp_path: object) -> None:
    text = (EXAMPLES / THREE).read_text(encoding="utf-8")
    assert text.count(old) == 1
    path = f"{tmp_path}/topology.yaml"
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(text.replace(old, new))
    code, printed = momlint("check", "--format", "concise", "--select", "MOM409", path)
    assert code == 1
    (finding,) = printed.splitlines()
    number = int(finding.split(":")[1])
    assert text.replace(old, new).splitlines()[number - 1].strip().startswith(line)
