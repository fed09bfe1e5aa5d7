"""What becomes of random damages: mended or not, by how many rows, and how many would do by an independent count.

``scripts/count_mends.py`` prints it for many, `test_counting.py` holds a share of it.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import chain, combinations
from typing import NamedTuple

from momlint.findings import Finding, Severity
from momlint.lint import Options, lint_bytes, merge
from tests.mending.test_damages import FILE, Judge, changed_rows, damaged, mend, rows_of
from tests.routed.checks.recovery_estates import Recovery, Row, plan

#: So many damages in one estate.
DAMAGES = (1, 2, 4)


class Outcome(NamedTuple):
    """`kinds`: the damages. `is_mended`: proved clean by both engines, and right by networkx. `rows`: so many changed;
    `fewest`: so many had to. `why`: what is left, or uncertain.
    """

    kinds: tuple[str, ...]
    is_mended: bool
    rows: int
    fewest: int
    is_worse: bool
    why: str


def outcomes(rng: random.Random, times: int) -> Iterator[Outcome]:
    """Of one random estate after the other."""
    for recovery, judge, kinds in damaged(rng, times):
        yield outcome(recovery, judge, kinds)


def outcome(recovery: Recovery, judge: Judge, kinds: list[str]) -> Outcome:
    """Of one."""
    text = recovery.text()
    mended, after = mend(text)
    rows = rows_of(after)
    before, _ = proved(text)
    # Where the graph falls apart nobody keeps the promise: what is proved of the right rows is the measure.
    _, of_right = proved(plan(recovery.graph, recovery.tolerate).text())
    (by_graph, kept), (by_smt, kept_too) = proved(after, "graph"), proved(after, "smt")
    # MOM5 speaks of the topology, which no row changes.
    errors = [one for one in by_graph if one.severity is not Severity.NOTE and not one.code.startswith("MOM5")]
    is_clean = not errors and by_graph == by_smt and kept == kept_too == of_right
    is_mended = is_clean and judge.is_right(rows)
    changed, few = changed_rows(recovery.rows, rows), fewest(judge, recovery.rows)
    why = ", ".join(sorted({one.code for one in errors})) or (
        "not proved" if not is_clean else f"{changed} rows, {few} would do"
    )
    worse = weights(by_graph) - weights(before) != Counter() or bool(
        right_entries(judge, recovery.rows) - right_entries(judge, rows)
    )
    return Outcome(
        tuple(sorted(kinds)), is_mended, changed, few, worse, why if mended.contents else f"as it was: {why}"
    )


def proved(text: str, engine: str = "graph") -> tuple[list[Finding], tuple[int, int]]:
    """What is found, whether the promise was proved to be kept (1 or 0), and how many pairs do not arrive."""
    options = Options(engine=engine)  # type: ignore[arg-type]
    report = merge([lint_bytes(text.encode(), FILE, options)], options)
    return report.findings, (report.proof.promise_kept, report.proof.refuted)


def weights(findings: list[Finding]) -> Counter[str]:
    """How much is found that is an error or a warning, by severity."""
    return Counter(one.severity.name for one in findings if one.severity is not Severity.NOTE)


def right_entries(judge: Judge, rows: list[Row]) -> set[tuple[int, int, int]]:
    """The entries (colour, broker, destination) that stand once, on a shortest path."""
    given = Counter((colour, row.broker, row.to) for row in rows for colour in row.colours)
    return {
        (colour, row.broker, row.to)
        for row in rows
        for colour in row.colours
        if given[colour, row.broker, row.to] == 1 and row.via in judge.right[row.broker, row.to].get(colour, ())
    }


def fewest(judge: Judge, rows: list[Row]) -> int:
    """So many rows have to change, at least.

    Rows of different brokers or destinations have nothing to do with each other here: whatever is right leads on to
    entries that have to be there in any case. For one broker and destination, any of the rows may stay; what they do
    not say takes as many rows more as next hops are needed to cover it.
    """
    return sum(
        _fewest_for(right, [row for row in rows if (row.broker, row.to) == pair]) for pair, right in judge.right.items()
    )


def _fewest_for(right: dict[int, set[int]], rows: list[Row]) -> int:
    best = len(rows) + len(right)
    for kept in chain.from_iterable(combinations(rows, size) for size in range(len(rows) + 1)):
        said = [(colour, row.via) for row in kept for colour in row.colours]
        held = {colour for colour, _ in said}
        if len(held) == len(said) and all(via in right.get(colour, ()) for colour, via in said):
            best = min(
                best, max(len(rows) - len(kept), _cover([right[colour] for colour in right if colour not in held]))
            )
    return best


def _cover(wanted: list[set[int]]) -> int:
    """The fewest next hops of which each of `wanted` has one."""
    every = sorted(set().union(*wanted))
    return next(
        size
        for size in range(len(every) + 1)
        if any(all(one & set(some) for one in wanted) for some in combinations(every, size))
    )
