"""Each kind of damage to sound tables gives its rule at its row, and nothing else; sound tables give nothing."""

from __future__ import annotations

import copy

import networkx as nx
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from momlint.findings import Finding
from momlint.lint import Options, lint_bytes, merge
from tests.budget import examples
from tests.routed.checks.estates import Tables, outcome, shortest_tables, write

GRAPH = Options(engine="graph", ignore=("MOM5",))


def check(text: str, options: Options = GRAPH) -> list[Finding]:
    return merge([lint_bytes(text.encode(), "estate.yaml", options)], options).findings


@st.composite
def graphs(draw: st.DrawFn, least: int = 3, most: int = 10) -> nx.Graph:
    """Connected: a random tree and some more links."""
    n = draw(st.integers(least, most))
    graph = nx.Graph()
    graph.add_nodes_from(range(1, n + 1))
    for broker in range(2, n + 1):
        graph.add_edge(broker, draw(st.integers(1, broker - 1)))
    for _ in range(draw(st.integers(0, n))):
        a, b = draw(st.integers(1, n)), draw(st.integers(1, n))
        if a != b:
            graph.add_edge(a, b)
    return graph


def broken_pairs(graph: nx.Graph, tables: Tables) -> set[tuple[int, int]]:
    return {(s, d) for s in graph for d in graph if s != d and outcome(graph, tables, s, d)[0] != "arrived"}


@settings(max_examples=examples(150), deadline=None)
@given(graphs())
def test_sound_tables_give_nothing(graph: nx.Graph) -> None:
    assert check(write(graph, shortest_tables(graph)).text) == []


@settings(max_examples=examples(400), deadline=None)
@given(graphs(), st.data())
def test_one_wrong_next_hop(graph: nx.Graph, data: st.DataObject) -> None:
    tables = shortest_tables(graph)
    at = data.draw(st.sampled_from(sorted(graph)))
    dest = data.draw(st.sampled_from(sorted(set(graph) - {at})))
    via = data.draw(st.sampled_from(sorted(set(graph) - {tables[at][dest]})))
    tables[at][dest] = via
    written = write(graph, tables)
    findings = check(written.text)
    distance = nx.shortest_path_length(graph, target=dest)
    end, walk = outcome(graph, tables, at, dest)
    broken = broken_pairs(graph, tables)
    line = written.rows[at, via]
    if via == at or end == "looped":
        expected = ["MOM302"]
    elif not graph.has_edge(at, via):
        expected = ["MOM304"]
    elif len(walk) - 1 > distance[at]:
        expected = ["MOM305"]
    else:
        expected = []  # another shortest way is no fault
    assert [f.code for f in findings] == expected
    if not expected:
        return
    (finding,) = findings
    assert finding.span.start.line == line
    assert finding.affected is not None
    if expected != ["MOM305"]:
        assert finding.affected.pairs == len(broken)
        first = min(broken)
        assert finding.witness is not None
        assert (finding.witness.source, finding.witness.destination) == tuple(map(str, first))
        assert finding.witness.walk == tuple(map(str, outcome(graph, tables, *first)[1]))


@settings(max_examples=examples(200), deadline=None)
@given(graphs(), st.data())
def test_one_missing_entry(graph: nx.Graph, data: st.DataObject) -> None:
    tables = shortest_tables(graph)
    at = data.draw(st.sampled_from(sorted(graph)))
    dest = data.draw(st.sampled_from(sorted(tables[at])))
    del tables[at][dest]
    written = write(graph, tables)
    findings = check(written.text)
    assert [f.code for f in findings] == ["MOM303"]
    broken = broken_pairs(graph, tables)
    assert findings[0].affected is not None
    assert findings[0].affected.pairs == len(broken)
    # At the key of the broker's table; where it has no other row, at the broker's declaration.
    assert findings[0].span.start.line == written.heads.get(at, 2)


@settings(max_examples=examples(300), deadline=None)
@given(graphs(most=12), st.data())
def test_several_faults_are_all_explained(graph: nx.Graph, data: st.DataObject) -> None:
    """Every broken pair belongs to exactly one finding, whatever is wrong, in either engine."""
    tables = shortest_tables(graph)
    damaged = copy.deepcopy(tables)
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.sampled_from(sorted(graph)))
        dest = data.draw(st.sampled_from(sorted(tables[at])))
        via = data.draw(st.sampled_from([None, *sorted(graph)]))
        if via is None:
            damaged[at].pop(dest, None)
        else:
            damaged[at][dest] = via
    assume(damaged != tables)
    written = write(graph, damaged)
    options = Options(engine=data.draw(st.sampled_from(["graph", "auto", "smt"])), ignore=("MOM5",))
    findings = check(written.text, options)
    broken = broken_pairs(graph, damaged)
    breaking = [f for f in findings if f.code in {"MOM302", "MOM303", "MOM304"} and f.affected and f.affected.pairs]
    assert sum(f.affected.pairs for f in breaking if f.affected) == len(broken)
    for finding in breaking:
        assert finding.witness is not None
        pair = (int(finding.witness.source or 0), int(finding.witness.destination or 0))
        assert pair in broken
        end, walk = outcome(graph, damaged, *pair)
        assert finding.witness.walk == tuple(map(str, walk))
        if finding.code == "MOM302":
            assert end == "looped"


@settings(max_examples=examples(200), deadline=None)
@given(graphs(), st.data())
def test_topics_decide_what_is_needed(graph: nx.Graph, data: st.DataObject) -> None:
    """With topics, a broken pair nobody needs is a latent fault or nothing, and an error only where a topic breaks."""
    tables = shortest_tables(graph)
    at = data.draw(st.sampled_from(sorted(graph)))
    dest = data.draw(st.sampled_from(sorted(set(graph) - {at})))
    via = data.draw(st.sampled_from(sorted(set(graph) - {tables[at][dest]})))
    tables[at][dest] = via
    publisher = data.draw(st.sampled_from(sorted(graph)))
    subscriber = data.draw(st.sampled_from(sorted(set(graph) - {publisher})))
    written = write(graph, tables, {"t": ([publisher], [subscriber])})
    findings = check(written.text)
    errors = [f for f in findings if f.severity.value == "error"]
    if via != at and not graph.has_edge(at, via):
        assert [f.code for f in findings] == ["MOM304"]
    elif (publisher, subscriber) in broken_pairs(graph, tables):
        assert [f.code for f in findings] == ["MOM302"]
        assert findings[0].affected is not None
        assert findings[0].affected.topics == ("t",)
        assert findings[0].affected.pairs == 1
    else:
        assert errors == []
        codes = [f.code for f in findings]
        assert codes == (["MOM306"] if broken_pairs(graph, tables) else codes)
        assert all(f.span.start.line == written.rows[at, via] for f in findings)
