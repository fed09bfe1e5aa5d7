"""Tables as sparse as the topics: what is missing where other rows lead is told once, at the table that misses it.

Right tables from which rows are taken that no needed pair asks for, and what follows from that by looking at each row.
"""

from __future__ import annotations

import random
from collections import defaultdict

import pytest

from momlint.lint import Options, lint_bytes, merge
from tests.budget import ALL
from tests.contract.generator import quoted, right_estate
from tests.contract.oracle import Estate, arcs, parse, reach, states, tables_in

A_BLOCK = 25


def latent(estate: Estate) -> dict[str, set[str]]:
    """broker → the destinations in its reach for which it has no row, and another broker's row leads to it."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for colour, failure in states(estate):
        if not estate.rows and failure[0] | failure[1]:
            continue  # tables that stay as they are: MOM502 tells what that does
        tables, left = tables_in(estate, colour, failure), arcs(estate, failure)
        for (_, dest), via in tables.items():
            if via != dest and (via, dest) not in tables and dest in reach(left, via, estate.stubs):
                found[via].add(dest)
    return dict(found)


@pytest.mark.parametrize("block", range(40 if ALL else 1))
def test_a_missing_row_is_told_at_its_table(block: int) -> None:
    for seed in range(block * A_BLOCK, (block + 1) * A_BLOCK):
        text = right_estate(random.Random(seed), sparse=True)
        estate = parse(text)
        options = Options(engine="graph")
        report = merge([lint_bytes(text.encode(), "estate.yaml", options)], options)
        told: dict[str, set[str]] = {}
        for finding in report.findings:
            assert finding.code not in {"MOM302", "MOM303", "MOM304", "MOM403", "MOM404", "MOM405"}, f"{seed}\n{text}"
            if finding.code == "MOM408":
                # A colour beyond the promise, or two of one failure; never a row.
                assert finding.message.startswith("colour"), f"{seed} {finding.message}\n{text}"
            if finding.code == "MOM306":
                broker = str(finding.data["broker"])
                assert broker not in told, f"{seed}: twice at {broker}\n{text}"
                told[broker] = set(finding.data["destinations"])
                line = text.splitlines()[finding.span.start.line - 1]
                assert line.strip().startswith(f"{quoted(broker)}:"), f"{seed} {line}\n{text}"
        assert told == latent(estate), f"{seed}\n{text}"


def test_the_estates_are_of_all_kinds() -> None:
    found = [latent(parse(right_estate(random.Random(seed), sparse=True))) for seed in range(50)]
    assert sum(not one for one in found) > 5
    assert sum(len(one) > 1 for one in found) > 5
    assert any(len(dests) > 1 for one in found for dests in one.values())
