"""What looks at walks in other ways says what the contract says: specifications, NuSMV models, traces, plans, and how
likely a subscription is served.

Expected values are the oracle's walks: stubs, costs by direction, kept and static rows, groups and take-overs included.
"""

from __future__ import annotations

import random
import re
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest

from momlint.cli import main
from momlint.estate import Estate as Resolved
from momlint.estate import load_source
from momlint.routed.overlay import build_overlay
from momlint.routed.smv import render_overlay
from momlint.routed.specs import SpecFalse, SpecTrue, decide_spec, names_of
from momlint.solving.nusmv import run
from momlint.source import read_source
from tests.budget import ALL
from tests.contract.generator import random_estate
from tests.contract.oracle import CALM, Estate, Failure, arcs, parse, shortest_tables, tables_in, walked
from tests.routed.engines.nusmv import nusmv

A_BLOCK = 20


def resolved(text: str) -> Resolved:
    (loaded,) = load_source(read_source(text.encode(), "estate.yaml"))
    assert loaded.estate is not None
    return loaded.estate


def estates(block: int) -> list[tuple[str, Estate]]:
    """Those whose names a formula can say."""
    texts = [random_estate(random.Random(f"models {seed}")) for seed in range(block * A_BLOCK, (block + 1) * A_BLOCK)]
    return [(text, parse(text)) for text in texts if re.search(r"^  [1a]:", text, re.M)]


def walk(estate: Estate, colour: str | None, failure: Failure, source: str, dest: str) -> tuple[str, list[str]]:
    """How the walk ends, and the brokers on it; from a broker that is down it goes nowhere."""
    if source in failure[1]:
        return "failed", [source]
    tables = tables_in(estate, colour, failure)
    end, brokers, _ = walked(estate, tables, (arcs(estate, CALM), arcs(estate, failure)), source, dest)
    return end, brokers


@pytest.mark.parametrize("block", range(25 if ALL else 1))
def test_specifications_speak_of_the_same_walks(block: int) -> None:
    for text, estate in estates(block):
        found = resolved(text)
        overlay, names, rng = build_overlay(found), names_of(found), random.Random(text)
        for _ in range(6):
            source, dest = rng.sample(list(estate.brokers), 2)
            other = rng.choice(list(estate.brokers))
            colours = list(estate.colours.items())
            start, where = f"src = {source} & dest = {dest} & loc = {source}", colours
            if estate.declared and rng.random() < 0.5:
                where = [rng.choice(colours)]
                start += f" & colour = {where[0][0]}"
            walks = [walk(estate, colour, failure, source, dest)[1] for colour, failure in where]
            for goal, holds in (
                (f"AF loc = {dest}", all(dest in one for one in walks)),
                (f"EF loc = {other}", all(other in one for one in walks)),
                (f"AG loc != {other}", all(other not in one for one in walks)),
            ):
                told = decide_spec(overlay, names, f"({start}) -> {goal}", "ctl")
                assert isinstance(told, SpecTrue if holds else SpecFalse), f"{start} -> {goal}: {told}\n{text}"
                always = decide_spec(overlay, names, f"({start}) -> {goal.replace('A', '').replace('E', '')}", "ltl")
                assert isinstance(always, SpecTrue if holds else SpecFalse), f"{start} -> {goal}: {always}\n{text}"


@pytest.mark.parametrize("block", range(5 if ALL else 1))
def test_nusmv_reads_the_same_walks(block: int) -> None:
    program = nusmv()
    for text, estate in estates(block):
        found = resolved(text)
        overlay = build_overlay(found)
        if not overlay.pair_source.size:
            continue
        order = list(estate.brokers)
        pairs = sorted(estate.pairs, key=lambda pair: (order.index(pair[0]), order.index(pair[1])))
        model = render_overlay(overlay, names_of(found), all_pairs=True, loops=False)
        told = [one.holds for one in run(program, model, traces=False, timeout=60)]
        assert told == [
            all(
                walk(estate, colour, failure, *pair)[0] == "arrives"
                for colour, failure in estate.colours.items()
                if not failure[1].intersection(pair)
            )
            for pair in pairs
        ], text


@pytest.mark.parametrize("block", range(25 if ALL else 1))
def test_a_trace_goes_the_same_way(block: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for text, estate in estates(block):
        path = tmp_path / "estate.yaml"
        path.write_text(text)
        rng = random.Random(text)
        for _ in range(3):
            source, dest = rng.sample(list(estate.brokers), 2)
            colour, failure = rng.choice(list(estate.colours.items()))
            if failure[1].intersection((source, dest)):
                continue
            end, brokers = walk(estate, colour, failure, source, dest)
            tint = [] if colour is None else ["--colour", colour]
            code = main(["trace", str(path), "--from", source, "--to", dest, *tint])
            lines = capsys.readouterr().out.splitlines()
            assert code == (0 if end == "arrives" else 1), text
            hops = [(one[1], one[2], one[3]) for one in map(_HOP.match, lines) if one]
            # One more than was made where the message is refused.
            for (at, to), (tail, head, link) in zip(pairwise(brokers), hops, strict=False):
                assert (tail, head) == (at, to), text
                cheapest = min(arcs(estate, failure)[at][to])[0]
                assert link in {
                    one.names[0]
                    for index, one in enumerate(estate.links)
                    if index not in failure[0] and one.cost.get((at, to)) == cheapest
                }, text
            assert len(brokers) - 1 <= len(hops) <= len(brokers), text


_HOP = re.compile(r"  (\S+) → (\S+) +(?:no link|link (\S+))")


@pytest.mark.parametrize("block", range(25 if ALL else 1))
def test_a_plan_has_the_shortest_paths_of_what_is_left(block: int, tmp_path: Path) -> None:
    for text, _ in estates(block):
        head = re.split(r"^(?:routing|failures):", text, flags=re.M)[0]
        path, out = tmp_path / "estate.yaml", tmp_path / "plan.yaml"
        promise = random.Random(text).choice(["single-link", "single-broker", "{links: 1, brokers: 1}"])
        path.write_text(f"{head}failures: {{tolerate: {promise}}}\n")
        assert main(["plan", str(path), "--output", str(out)]) == 0
        planned = parse(head + out.read_text())
        for colour, failure in planned.colours.items():
            if planned.rows:
                assert tables_in(planned, colour, failure) == shortest_tables(planned, failure), out.read_text()


@pytest.mark.parametrize("block", range(25 if ALL else 1))
def test_availability_counts_the_same_walks(block: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each broker works in nine cases of ten, links always do: a colour's weight is 0.9^up 0.1^down, or 0."""
    for text, estate in estates(block):
        path = tmp_path / "estate.yaml"
        path.write_text(_with_availability(text))
        main(["check", str(path), "--quiet", "--select", "MOM601", "--report", "availability", "--engine", "graph"])
        lines = capsys.readouterr().out.splitlines()
        rows = [line.split() for line in lines if re.fullmatch(r"  \S+ +\S+ → \S+ +[01]\.\d+ +[01]\.\d+", line)]
        whole = 10 ** len(estate.brokers)
        expected = [
            (topic, source, dest, *(_weight(estate, (source, dest), topic, which) / whole for which in (1, 0)))
            for topic, ends in estate.topics.items()
            for source in ends["publishers"]
            for dest in ends["subscribers"]
        ]
        if estate.topics:
            told = [(row[0], row[1], row[3]) for row in rows]
            assert told == [one[:3] for one in expected], text
            for row, (*_, least, most) in zip(rows, expected, strict=True):
                # Of several links of one cost it is open which latency counts.
                assert least <= Fraction(row[4]) <= most, f"{row}\n{text}"


def _weight(estate: Estate, pair: tuple[str, str], topic: str, which: int) -> Fraction:
    """Of the colours in which the subscription is served, a failure once; `which`: whether walks take least or most."""
    total = Fraction(0)
    for failure in dict.fromkeys(estate.colours.values()):
        colour = next(name for name, one in estate.colours.items() if one == failure)
        if not failure[0] and _is_served(estate, colour, failure, pair, topic, which):
            total += 9 ** (len(estate.brokers) - len(failure[1]))
    return total


def _with_availability(text: str) -> str:
    lines = []
    head, links, rest = text.partition("links:")
    for line in head.splitlines():
        broker = re.match(r"  (\w+):(?: \{(.*)\})?$", line)
        about = f"availability: 0.9, {broker[2]}" if broker and broker[2] else "availability: 0.9"
        lines.append(f"  {broker[1]}: {{{about}}}" if broker else line)
    return "\n".join(lines) + "\n" + links + rest


def _is_served(
    estate: Estate, colour: str | None, failure: Failure, pair: tuple[str, str], topic: str, which: int
) -> bool:
    ends = []
    for broker in pair:
        adopters = [broker, *estate.takeover.get(broker, ())]
        ends.append(next((one for one in adopters if one not in failure[1]), None))
    source, dest = ends
    if source is None or dest is None:
        return False
    tables = tables_in(estate, colour, failure)
    end, brokers, took = walked(estate, tables, (arcs(estate, CALM), arcs(estate, failure)), source, dest)
    about = estate.topics[topic]
    return (
        end == "arrives"
        and len(brokers) - 1 <= int(about.get("max_hops", "999"))
        and took[which] <= Fraction(about.get("max_latency_ms", "999999"))
    )
