"""Certificates of planned tables: every altered row is refused, and large ones are small and quick."""

from __future__ import annotations

import base64
import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.estate.resolved import Colour, Estate, RecoveryRow, Tolerate
from momlint.findings import Place
from momlint.routed.certificate.accept import check_record
from momlint.routed.certificate.form import Refused, unpack
from momlint.routed.certificate.make import claims
from momlint.routed.overlay import build_overlay
from momlint.routed.recovery.planning import plan
from tests.routed.recovery.estates import make_estate

NOWHERE = Place(0, ())


def planned(seed: int, n: int) -> Estate:
    """A connected random graph with its planned tables, for any one link or broker."""
    rng = random.Random(seed)
    graph = nx.random_labeled_tree(n, seed=seed)
    for _ in range(n):
        graph.add_edge(*rng.sample(range(n), 2))
    links = [(a, b, rng.choice((1.0, 1.0, 2.0, 0.5))) for a, b in sorted(graph.edges)]
    estate = make_estate(n, links, Tolerate(links=1, brokers=1) if seed % 2 else Tolerate(brokers=1), None)
    made = plan(estate)
    table = made.table()
    rows = [
        RecoveryRow(
            NOWHERE,
            int(table.broker[row]),
            int(table.to[row]),
            int(table.via[row]),
            tuple(table.listed[table.start[row] : table.start[row + 1]].tolist()),
            bool(table.inverted[row]),
        )
        for row in range(table.rows)
    ]
    colours = [Colour(one.name, NOWHERE, one.failure.links, one.failure.brokers) for one in made.colours]
    return replace(estate, colours=colours, colours_declared=True, recovery_rows=rows)


def accepted(estate: Estate, data: dict[str, Any]) -> bool:
    try:
        check_record(estate, data)
    except Refused:
        return False
    return True


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(4, 14))
def test_every_altered_row_is_refused(seed: int, n: int) -> None:
    estate = planned(seed, n)
    data = claims(estate, build_overlay(estate))
    assert accepted(estate, data)
    shown = check_record(estate, data)
    assert (shown.shortest, shown.smallest) == (n, n)  # with the tie-break, to all
    rng = random.Random(seed)
    rows = list(estate.recovery_rows or ())
    for _ in range(25):
        at = rng.randrange(len(rows))
        row = rows[at]
        dead = {c for c, one in enumerate(estate.colours) if {row.location, row.destination} & set(one.failed_brokers)}
        holds = set(range(len(estate.colours))) - set(row.colours) if row.inverted else set(row.colours)
        others = [broker for broker in range(n) if broker != row.via]
        altered: list[RecoveryRow]
        what = rng.randrange(5)
        if what == 0:
            altered = [replace(row, via=rng.choice(others))]
        elif what == 1:
            altered = [replace(row, destination=rng.choice([b for b in range(n) if b != row.destination]))]
        elif what == 2:
            altered = [replace(row, inverted=not row.inverted)]
        elif what == 3:
            altered = []
        else:
            altered = [row, row]
        assert holds - dead  # the planner writes no row that stands only in colours where nobody asks for it
        other = replace(estate, recovery_rows=[*rows[:at], *altered, *rows[at + 1 :]])
        assert not accepted(other, data), (what, row)


def test_a_certificate_does_not_grow_with_the_square() -> None:
    """On a ring every failure changes half of the tables; on a clique next to nothing: the certificate follows."""

    def numbers(graph: nx.Graph) -> tuple[int, int]:
        n = graph.number_of_nodes()
        links = [(a, b) for a, b in sorted(graph.edges)]
        estate = make_estate(n, links, Tolerate(links=1))
        colours = plan(estate).colours
        failing = [Colour(one.name, NOWHERE, one.failure.links, one.failure.brokers) for one in colours]
        healing = replace(estate, colours=failing, colours_declared=True)
        data = claims(healing, build_overlay(healing))
        assert accepted(healing, data)
        return len(base64.b64decode(data["distances"]["values"])), len(colours) * n * n

    some, expanded = numbers(nx.complete_graph(16))
    # Each of 120 links: only its own two ends go another way, in both directions.
    assert some == 240
    assert expanded == 121 * 256
    some, _ = numbers(nx.cycle_graph(17))
    # Each of 17 links: walks of k hops over it become 17 - k hops, k = 1 … 8, in both directions, k of each.
    assert some == 17 * 2 * sum(range(1, 9))


@pytest.mark.slow
def test_769_colours(tmp_path: Path) -> None:
    """384 brokers, 768 links: 113 million entries, a certificate of less than 2 MB, checked within seconds."""
    graph = nx.random_regular_graph(4, 384, seed=7)
    lines = ["momlint: 1", "brokers:", *(f"  b{node}:" for node in sorted(graph)), "links:"]
    lines += [f"  - {{between: [b{a}, b{b}]}}" for a, b in sorted(graph.edges)]
    source = tmp_path / "topology.yaml"
    source.write_text("\n".join([*lines, "failures: {tolerate: single-link}", ""]))

    def run(*arguments: str) -> tuple[str, float, float]:
        """Standard output, seconds of processor time, MB at most."""
        with open(tmp_path / "out", "w+") as out:
            child = subprocess.Popen([sys.executable, "-m", "momlint", *arguments], cwd=tmp_path, stdout=out)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            text = out.read()
        assert child.returncode == 0, text
        return text, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024

    section, _, _ = run("plan", "topology.yaml", "--output", "tables.parquet")
    source.write_text("\n".join([*lines, section]))
    run("check", "-q", "--select", "MOM3", "--certificate", "proof.cert", "topology.yaml")
    assert (tmp_path / "proof.cert").stat().st_size < 2_000_000
    text, seconds, memory = run("verify", "proof.cert")
    assert "147,072 pairs arrive in each of 769 colours" in text
    assert seconds < 10
    assert memory < 800


def test_the_levels_of_destinations() -> None:
    """A square 0 – 1 – 2 – 3 – 0: both ways from 0 to 2 are as short, and 1 is smaller; 1 → 0 → 3 → 2 is a detour."""
    rows = {(1, 0): 1, (2, 0): 1, (3, 0): 3, (0, 1): 0, (2, 1): 2, (3, 1): 2, (0, 2): 1, (1, 2): 1, (3, 2): 3}
    rows |= {(0, 3): 0, (1, 3): 0, (2, 3): 2}
    wrong = {(2, 1): 0, (2, 0): 3}

    def levels(table: dict[tuple[int, int], int]) -> list[int]:
        base = make_estate(4, [(0, 1), (1, 2), (2, 3), (3, 0)])
        colours = plan(replace(base, tolerate=Tolerate())).colours
        estate = replace(
            base,
            colours=[Colour(colours[0].name, NOWHERE)],
            colours_declared=True,
            recovery_rows=[RecoveryRow(NOWHERE, loc, dest, via, (0,)) for (dest, loc), via in table.items()],
        )
        data = claims(estate, build_overlay(estate))
        assert accepted(estate, data)
        return np.asarray(unpack(data["levels"], 4)).tolist()  # type: ignore[no-any-return]

    # To 3 from 1: by 0 and by 2, and 2 is not the smaller.
    assert levels(rows) == [2, 2, 2, 1]
    assert levels(rows | {(3, 1): 0}) == [2, 2, 2, 2]
    assert levels(rows | wrong) == [2, 2, 0, 1]
