"""Planned recovery tables are clean, and every single damage to them is found with its code at its row."""

from __future__ import annotations

import copy
import random

import networkx as nx
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from momlint.findings import Finding, Severity
from momlint.lint import Options, lint_bytes, merge
from tests.budget import examples
from tests.routed.checks.recovery_estates import Recovery, Row, plan
from tests.routed.checks.test_damage import graphs

#: What speaks of the topology and of moments between colours: damaged tables change nothing about the former.
TABLES = Options(engine="graph", ignore=("MOM5", "MOM407"))


def gentle(count: int) -> settings:
    return settings(max_examples=examples(count), deadline=None, suppress_health_check=[HealthCheck.filter_too_much])


def check(recovery: Recovery, options: Options = TABLES) -> list[Finding]:
    return merge([lint_bytes(recovery.text().encode(), "estate.yaml", options)], options).findings


def at(findings: list[Finding]) -> set[tuple[str, int]]:
    return {(f.code, f.span.start.line) for f in findings}


@st.composite
def recoveries(draw: st.DrawFn) -> Recovery:
    graph = draw(graphs(least=3, most=8))
    return plan(graph, draw(st.sampled_from(["single-link", "single-broker"])))


def walk(recovery: Recovery, colour: int, source: int, dest: int) -> tuple[str, list[int]]:
    """Follow a message by the rows alone: ``arrived``, ``stopped``, ``dead`` or ``looped``."""
    entries, left = recovery.entries(), recovery.left(colour)
    path = [source]
    while path[-1] != dest:
        here = path[-1]
        given = entries.get((colour, here, dest))
        if not given:
            return "stopped", path
        via = recovery.rows[given[0]].via
        if via != here and not left.has_edge(here, via):
            return "dead", path
        path.append(via)
        if via in path[:-1]:
            return "looped", path
    return "arrived", path


@gentle(150)
@given(recoveries(), st.sampled_from(["graph", "auto"]))
def test_planned_tables_are_clean(recovery: Recovery, engine: str) -> None:
    assert check(recovery, Options(engine=engine, ignore=TABLES.ignore)) == []  # type: ignore[arg-type]


@gentle(900)
@given(recoveries(), st.data())
def test_a_next_hop_is_changed(recovery: Recovery, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(recovery.rows) - 1))
    row = recovery.rows[index]
    row.via = data.draw(st.sampled_from(sorted(set(recovery.graph) - {row.via})))
    expected: set[str] = set()
    if row.via == row.broker:
        expected = {"MOM302"}
    elif not recovery.graph.has_edge(row.broker, row.via):
        expected = {"MOM304"}
    else:
        for colour in sorted(row.colours):
            end, path = walk(recovery, colour, row.broker, row.to)
            left = recovery.left(colour)
            shortest = nx.shortest_path_length(left, row.broker, row.to)
            if end in {"dead", "looped"}:
                # One row is one finding, whatever happens by it in other colours: the first tells.
                if not expected & {"MOM302", "MOM403"}:
                    expected.add("MOM403" if end == "dead" else "MOM302")
            elif len(path) - 1 > shortest:
                expected.add("MOM406" if recovery.failures[colour] else "MOM305")
        if "MOM305" in expected:
            expected.discard("MOM406")
        if expected & {"MOM302", "MOM403"}:
            # Of a row that loses messages it is not said as well that others take a longer way.
            expected -= {"MOM305", "MOM406"}
    findings = check(recovery)
    line = recovery.lines[index]
    assert at(findings) == {(code, line) for code in expected}


@gentle(500)
@given(recoveries(), st.data())
def test_a_destination_is_changed(recovery: Recovery, data: st.DataObject) -> None:
    before = recovery.entries()
    index = data.draw(st.integers(0, len(recovery.rows) - 1))
    row = recovery.rows[index]
    old, row.to = row.to, data.draw(st.sampled_from(sorted(set(recovery.graph) - {row.to, row.broker})))
    findings = check(recovery)
    clashes = [colour for colour in row.colours if (colour, row.broker, row.to) in before]
    errors = at([f for f in findings if f.severity is Severity.ERROR])
    # Of two rows that are the same to the letter, either may be the one that is too many.
    same = {recovery.lines[i] for i, other in enumerate(recovery.rows) if other == row}
    assert not clashes or any(code == "MOM404" and where in same for code, where in errors)
    # What the row gave is given by no row now: at another row for the same destination, or at the broker's table.
    homes = {recovery.lines[i] for i, r in enumerate(recovery.rows) if (r.broker, r.to) == (row.broker, old)}
    gaps = {where for code, where in errors if code == "MOM405"}
    assert len(gaps) == 1
    assert gaps <= (homes or {recovery.head_lines[row.broker]})
    assert {code for code, _ in errors} <= {"MOM404", "MOM405"} | (set() if clashes else {"MOM403"})


@gentle(400)
@given(recoveries(), st.data())
def test_a_colour_is_added_to_a_row(recovery: Recovery, data: st.DataObject) -> None:
    before = recovery.entries()
    index = data.draw(st.integers(0, len(recovery.rows) - 1))
    row = recovery.rows[index]
    others = sorted(set(recovery.failures) - set(row.colours))
    assume(others)
    colour = data.draw(st.sampled_from(others))
    row.colours = sorted([*row.colours, colour])
    findings = check(recovery)
    left, line = recovery.left(colour), recovery.lines[index]
    if (colour, row.broker, row.to) in before:
        expected = {"MOM404"}
    else:
        # Nothing leads there in that colour, or the broker itself is down: the entry is idle, or relies on what failed.
        expected = {"MOM408"}
        if row.broker in left and row.to in left and not left.has_edge(row.broker, row.via):
            expected.add("MOM403")
    assert at(findings) == {(code, line) for code in expected}


@gentle(400)
@given(recoveries(), st.data())
def test_a_colour_is_taken_from_a_row(recovery: Recovery, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(recovery.rows) - 1))
    row = recovery.rows[index]
    assume(len(row.colours) > 1)
    row.colours.remove(data.draw(st.sampled_from(row.colours)))
    findings = check(recovery)
    assert at(findings) == {("MOM405", recovery.lines[index])}


@gentle(300)
@given(recoveries(), st.data())
def test_a_row_is_removed(recovery: Recovery, data: st.DataObject) -> None:
    row = recovery.rows.pop(data.draw(st.integers(0, len(recovery.rows) - 1)))
    findings = check(recovery)
    homes = {recovery.lines[i] for i, r in enumerate(recovery.rows) if (r.broker, r.to) == (row.broker, row.to)}
    if not homes:
        homes = {recovery.head_lines.get(row.broker, 2)}
    assert {f.code for f in findings} == {"MOM405"}
    assert {f.span.start.line for f in findings} <= homes
    assert len(findings) == 1


def test_a_tenth_of_the_rows_is_removed() -> None:
    """One finding for each row that holds on where another of the same destination is missing, and one for each table
    that has no row for some destinations; every entry that is missing is counted once."""
    rng = random.Random(7)
    graph = nx.random_regular_graph(4, 40, seed=7)
    recovery = plan(graph, "single-link")
    whole = set(recovery.entries())
    recovery.rows = [row for row in recovery.rows if rng.random() >= 0.1]
    left = set(recovery.entries())
    missing = whole - left
    told = check(recovery, Options(engine="graph", ignore=TABLES.ignore, timeout=10))
    assert {finding.code for finding in told} == {"MOM405"}
    assert sum(finding.data["entries"] for finding in told) == len(missing) > 10_000  # type: ignore[misc]
    # All pairs are judged, so a message from each broker itself stops at what it lacks.
    pairs = {(at, to) for _, at, to in missing}
    with_rows = pairs & {(row.broker, row.to) for row in recovery.rows}
    tables = {at for at, _ in pairs - with_rows}
    assert len(tables) > 10
    expected = sorted(recovery.head_lines[at] for at in tables)
    at_rows = {line: (row.broker, row.to) for row, line in zip(recovery.rows, recovery.lines.values(), strict=True)}
    assert sorted(f.span.start.line for f in told if f.span.start.line not in at_rows) == expected
    assert sorted(at_rows[f.span.start.line] for f in told if f.span.start.line in at_rows) == sorted(with_rows)


@gentle(600)
@given(recoveries(), st.data())
def test_no_lost_message_is_hidden_by_what_is_ignored(recovery: Recovery, data: st.DataObject) -> None:
    """Whoever ignores all rules of recovery tables still hears where messages end, and only where they do."""
    for _ in range(data.draw(st.integers(1, 3))):
        index = data.draw(st.integers(0, len(recovery.rows) - 1))
        row = recovery.rows[index]
        damage = data.draw(st.sampled_from(["via", "remove", "fewer", "more"]))
        if damage == "via":
            row.via = data.draw(st.sampled_from(sorted(recovery.graph)))
        elif damage == "remove" and len(recovery.rows) > 1:
            recovery.rows.pop(index)
        elif damage == "fewer" and len(row.colours) > 1:
            row.colours.remove(data.draw(st.sampled_from(row.colours)))
        elif damage == "more":
            row.colours = sorted({*row.colours, data.draw(st.sampled_from(sorted(recovery.failures)))})
    lost = False
    for colour in recovery.failures:
        left = recovery.left(colour)
        for part in nx.connected_components(left):
            pairs = ((source, dest) for source in part for dest in part if source != dest)
            lost |= any(walk(recovery, colour, *pair)[0] != "arrived" for pair in pairs)
    only = Options(engine="graph", select=("MOM302", "MOM303", "MOM304"))
    report = merge([lint_bytes(recovery.text().encode(), "estate.yaml", only)], only)
    codes = {f.code for f in report.findings}
    assert bool(report.proof.refuted) == lost
    assert not lost or codes
    assert lost or codes <= {"MOM304"}
    rows = [f.span for f in report.findings if f.code != "MOM303" or "stop" in f.data]
    assert len(rows) == len(set(rows)), "one row is one finding"


@gentle(200)
@given(recoveries(), st.data())
def test_a_row_is_doubled(recovery: Recovery, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(recovery.rows) - 1))
    recovery.rows.insert(index + 1, copy.deepcopy(recovery.rows[index]))
    assert at(check(recovery)) == {("MOM404", recovery.lines[index + 1])}


@gentle(150)
@given(recoveries(), st.data())
def test_a_colour_is_repeated(recovery: Recovery, data: st.DataObject) -> None:
    colour = data.draw(st.sampled_from(sorted(recovery.failures)))
    again = len(recovery.failures) + 1
    recovery.failures[again] = list(recovery.failures[colour])
    assert at(check(recovery)) == {("MOM401", recovery.colour_lines[again])}


@gentle(150)
@given(recoveries(), st.data())
def test_a_colour_and_its_rows_are_removed(recovery: Recovery, data: st.DataObject) -> None:
    colour = data.draw(st.sampled_from(sorted(recovery.failures)[1:]))
    del recovery.failures[colour]
    for row in recovery.rows:
        row.colours = [one for one in row.colours if one != colour]
    recovery.rows = [row for row in recovery.rows if row.colours]
    findings = check(recovery)
    tolerate = 3 + recovery.graph.number_of_edges() + 2
    assert at(findings) == {("MOM402", tolerate)}


@gentle(150)
@given(recoveries(), st.data())
def test_two_colours_are_merged(recovery: Recovery, data: st.DataObject) -> None:
    names = sorted(recovery.failures)[1:]
    assume(len(names) > 1)
    kept, gone = data.draw(st.permutations(names))[:2]
    recovery.failures[kept] += recovery.failures.pop(gone)
    for row in recovery.rows:
        row.colours = sorted({kept if one == gone else one for one in row.colours})
    findings = check(recovery)
    assert ("MOM401", recovery.colour_lines[kept]) in at(findings)
    assert "MOM402" not in {f.code for f in findings}


@gentle(150)
@given(recoveries(), st.data())
def test_a_link_is_renamed(recovery: Recovery, data: st.DataObject) -> None:
    assume(recovery.tolerate == "single-link")
    text = recovery.text()
    colour = data.draw(st.sampled_from(sorted(recovery.failures)[1:]))
    (a, b), *_ = recovery.failures[colour]
    damaged = text.replace(f"{{id: L{a}-{b},", f"{{id: other-{a}-{b},")
    findings = merge([lint_bytes(damaged.encode(), "e.yaml", TABLES)], TABLES).findings
    assert at(findings) == {("MOM108", recovery.colour_lines[colour])}


@pytest.mark.parametrize("engine", ["graph", "smt", "auto"])
def test_the_slip_in_the_printed_table_is_found(engine: str) -> None:
    """Thesis Table 6-8/paper: broker 3, destination 1 is printed as 1, 2 for colours 2 and 3 the wrong way round."""
    triangle = nx.Graph([(1, 2), (1, 3), (2, 3)])
    recovery = plan(triangle, "single-link")
    rows = {(r.broker, r.to, r.via): r.colours for r in recovery.rows}
    assert rows[3, 1, 1] == [1, 2, 4]
    assert rows[3, 1, 2] == [3]
    # The printed cell exchanges the next hops of broker 3 for 1 in colours 2 and 3.
    recovery.rows = [r for r in recovery.rows if (r.broker, r.to) != (3, 1)]
    recovery.rows += [Row(3, 1, 1, [1, 3, 4]), Row(3, 1, 2, [2])]
    findings = check(recovery, Options(engine=engine, ignore=TABLES.ignore))  # type: ignore[arg-type]
    lines = {r.colours[0]: recovery.lines[i] for i, r in enumerate(recovery.rows) if (r.broker, r.to) == (3, 1)}
    # In colour 3 the link 1-3 has failed and the row uses it; in colour 2 the message goes 3, 2, 3 round.
    assert ("MOM403", lines[1]) in at(findings)
    assert ("MOM302", lines[2]) in at(findings)
