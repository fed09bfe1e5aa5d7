"""MOM501 and MOM502 on the whole path, from text to findings, against networkx and enumeration."""

from __future__ import annotations

import json
import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import networkx as nx
import pytest
import topohub
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.findings import Finding
from momlint.lint import Options, lint_bytes, merge
from momlint.routed.graph import GraphEngine, cutsets
from momlint.routed.questions.failures import Cut, Smallest
from momlint.routed.questions.question import Undecided
from momlint.routed.smt import SmtEngine
from tests.budget import examples
from tests.failing import Estate, random_estate
from tests.strategies import L

RESILIENCE = ("MOM501", "MOM502", "MOM9")
DATA = Path(topohub.__file__).parent / "data"
NETWORKS = sorted(
    f"{path.parent.name}/{path.stem}" for folder in ("topozoo", "sndlib") for path in (DATA / folder).glob("*.json")
)


def report(text: str, engine: str = "graph", select: tuple[str, ...] = RESILIENCE, **options: Any) -> Any:
    chosen = Options(engine=engine, select=select, **options)  # type: ignore[arg-type]
    return merge([lint_bytes(text.encode(), "estate.yaml", chosen)], chosen)


def check(text: str, engine: str = "graph", select: tuple[str, ...] = RESILIENCE) -> list[Finding]:
    found: list[Finding] = report(text, engine, select).findings
    return found


def written(estate: Estate, promise: tuple[int, int, int] | None = None, *, topics: bool = True) -> str:
    """The estate as text: brokers b0 …, links l0 …, groups g0 …, a topic for each needed pair if `topics`."""
    lines = ["momlint: 1", "brokers:", *(f"  b{b}:" for b in range(estate.n))]
    if estate.links:
        lines.append("links:")
    for index, link in enumerate(estate.links):
        ends = f"from: b{link.tail}, to: b{link.head}" if link.one_way else f"between: [b{link.tail}, b{link.head}]"
        lines.append(f"  - {{id: l{index}, {ends}, cost: {link.cost}}}")
    if estate.groups:
        lines.append("groups:")
    for index, (links, brokers) in enumerate(estate.groups):
        members = [f"l{link}" for link in links] + [f"b{broker}" for broker in brokers]
        lines.append(f"  g{index}: [{', '.join(members)}]")
    if topics:
        lines.append("topics:")
        lines += [f"  t{s}-{d}: {{publishers: [b{s}], subscribers: [b{d}]}}" for s, d in estate.pairs]
    if promise is not None:
        links, brokers, groups = promise
        lines.append(f"failures: {{tolerate: {{links: {links}, brokers: {brokers}, groups: {groups}}}}}")
    return "\n".join(lines) + "\n"


def named(estate: Estate, element: int) -> str:
    if element < len(estate.links):
        return f"l{element}"
    element -= len(estate.links)
    return f"b{element}" if element < estate.n else f"g{element - estate.n}"


def as_cut(finding: Finding) -> tuple[tuple[str, ...], str | None, str | None, int, tuple[str, ...]]:
    assert finding.witness is not None
    assert finding.affected is not None
    witness, affected = finding.witness, finding.affected
    return witness.cut, witness.source, witness.destination, affected.pairs, affected.topics


def expected_cut(estate: Estate, failed: tuple[int, ...], cut: list[tuple[int, int]]) -> tuple[Any, ...]:
    topics = tuple(f"t{s}-{d}" for s, d in cut)
    return tuple(named(estate, e) for e in failed), f"b{cut[0][0]}", f"b{cut[0][1]}", len(cut), topics


def alone(estate: Estate, element: int, others: set[int]) -> list[tuple[int, int]]:
    """The pairs that an element cuts; for a group without those that one of its members, if in `others`, cuts."""
    cut = estate.cut((element,))
    base = len(estate.links) + estate.n
    if element < base:
        return cut
    links, brokers = estate.groups[element - base]
    members = {*links, *(len(estate.links) + broker for broker in brokers)}
    mine = {pair for member in members & others for pair in estate.cut((member,))}
    return [pair for pair in cut if pair not in mine]


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(0, 2**32 - 1), st.tuples(st.integers(0, 2), st.integers(0, 2), st.integers(0, 1)))
def test_both_rules_say_what_enumeration_says(seed: int, promise: tuple[int, int, int]) -> None:
    estate = random_estate(seed, most=7)
    if not estate.pairs:
        return
    elements = range(len(estate.links) + estate.n + len(estate.groups))
    notes = []
    for element in elements:
        cut = alone(estate, element, set(elements))
        if cut:
            notes.append(expected_cut(estate, (element,), cut))
    limits = [len(estate.links), len(estate.links) + estate.n, len(elements)]
    kinds = (range(limits[0]), range(*limits[:2]), range(*limits[1:]))
    within = {element for kind, number in zip(kinds, promise, strict=True) if number for element in kind}
    errors = []
    for element in sorted(within):
        cut = alone(estate, element, within)
        if cut:
            errors.append(expected_cut(estate, (element,), cut))
    # Each pair is a topic: what no single element cuts is asked for until no set cuts more.
    single = {pair for element in within for pair in estate.cut((element,))}
    left, sets, cut = sorted(set(estate.pairs) - single), [], set()
    while (smallest := replace(estate, pairs=left).smallest(*promise)) is not None:
        sets.append(smallest)
        cut.update(pair for pair in estate.cut(smallest) if pair not in single)
        left = [pair for pair in left if pair not in cut]
    if sets:
        first = expected_cut(estate, sets[0], [pair for pair in estate.cut(sets[0]) if pair not in single])
        errors.append((*first[:3], *expected_cut(estate, sets[0], sorted(cut))[3:]))
    # What is told of an element as a promise is not told of it as a note.
    promised = {failed for failed, *_ in errors if len(failed) == 1}
    notes = [note for note in notes if note[0] not in promised]
    text = written(estate, promise)
    for engine in ("auto", "smt"):
        found = check(text, engine)
        assert sorted(as_cut(f) for f in found if f.code == "MOM501") == sorted(notes)
        assert sorted(as_cut(f) for f in found if f.code == "MOM502") == sorted(errors)
        assert {f.code for f in found} <= {"MOM501", "MOM502"}


@pytest.mark.parametrize("key", NETWORKS)
def test_real_networks(key: str) -> None:
    """All pairs are needed: the bridges and articulation points that networkx finds, no more and no fewer."""
    network = json.loads((DATA / f"{key}.json").read_text(encoding="utf-8"))
    dense = {node["id"]: index for index, node in enumerate(network["nodes"])}
    ends = [(dense[edge["source"]], dense[edge["target"]]) for edge in network["edges"]]
    ends = [(a, b) for a, b in ends if a != b]
    graph = nx.Graph(ends)
    graph.add_nodes_from(range(len(dense)))
    single = {frozenset(pair) for pair in ends if ends.count(pair) + ends.count(pair[::-1]) == 1}
    bridges = {frozenset(bridge) for bridge in nx.bridges(graph)} & single
    points = set(nx.articulation_points(graph))
    estate = Estate(len(dense), [L(a, b) for a, b in ends], [])
    found = {finding.witness.cut[0]: finding for finding in check(written(estate, topics=False)) if finding.witness}
    names = {f"l{i}" for i, pair in enumerate(ends) if frozenset(pair) in bridges} | {f"b{p}" for p in points}
    assert set(found) == names
    # How many pairs: those between the parts that are left of the one part.
    for name, finding in found.items():
        rest = graph.copy()
        if name[0] == "l":
            rest.remove_edge(*ends[int(name[1:])])
            part = nx.node_connected_component(graph, ends[int(name[1:])][0])
        else:
            rest.remove_node(int(name[1:]))
            part = nx.node_connected_component(graph, int(name[1:])) - {int(name[1:])}
        sizes = [len(p) for p in nx.connected_components(rest) if p <= part]
        assert finding.affected is not None
        assert finding.affected.pairs == len(part) ** 2 - sum(size**2 for size in sizes)


def test_topics_say_what_matters() -> None:
    """A bridge and an articulation point on the way to a broker that nobody needs are not noted."""
    draw = random.Random(5)
    for _ in range(60):
        n = draw.randrange(4, 12)
        graph = nx.gnm_random_graph(n, n + draw.randrange(3), seed=draw.randrange(10**6))
        pairs = sorted({tuple(draw.sample(range(n), 2)) for _ in range(draw.randrange(1, 4))})
        estate = Estate(n, [L(a, b) for a, b in graph.edges], pairs)
        noted = {f.witness.cut[0] for f in check(written(estate)) if f.witness}
        wanted = set()
        for index, edge in enumerate(graph.edges):
            rest = graph.copy()
            rest.remove_edge(*edge)
            if any(nx.has_path(graph, s, d) and not nx.has_path(rest, s, d) for s, d in pairs):
                assert edge in set(nx.bridges(graph))
                wanted.add(f"l{index}")
        for broker in graph:
            rest = graph.copy()
            rest.remove_node(broker)
            alive = [(s, d) for s, d in pairs if broker not in (s, d)]
            if any(nx.has_path(graph, s, d) and not nx.has_path(rest, s, d) for s, d in alive):
                assert broker in set(nx.articulation_points(graph))
                wanted.add(f"b{broker}")
        assert noted == wanted


def test_places_and_words_of_a_note() -> None:
    text = "momlint: 1\nbrokers: {a: , b: , c: }\nlinks: [{between: [a, b]}, {id: far, between: [b, c]}]\n"
    broker, link, far = check(text)
    assert (broker.severity, broker.span.start) == ("note", (2, 16))
    assert broker.message == "if broker `b` fails, no path leads from `a` to `c`"
    assert broker.affected is not None
    assert broker.affected.pairs == 2
    assert (link.span.start, link.span.end) == ((3, 9), (3, 26))
    assert far.message == "if link `far` fails, no path leads from `a` to `c`"
    assert far.affected is not None
    assert far.affected.pairs == 4
    assert far.witness is not None
    assert (far.witness.colour, far.witness.cut) == (None, ("far",))


def test_a_promise_of_two_links() -> None:
    """A ring of six, one topic: the first link and the first on the other side; both are shown."""
    estate = Estate(6, [L(i, (i + 1) % 6) for i in range(6)], [(0, 3)])
    (finding,) = check(written(estate, (2, 0, 0)), select=("MOM502",))
    assert finding.severity == "error"
    assert finding.message == "if link `l0` and link `l3` fail together, no path leads from `b0` to `b3`"
    assert finding.label == "promised here, and no smaller failure breaks it"
    assert finding.data == {"promised": "any 2 links", "elements": ("l0", "l3")}
    assert finding.affected is not None
    assert finding.affected.topics == ("t0-3",)
    assert [place.message for place in finding.related] == ["link `l0` is declared here", "link `l3` is declared here"]
    assert [place.span.start.line for place in finding.related] == [10, 13]


def test_what_single_failures_leave_is_told_as_well() -> None:
    """A ring of four with a leaf, any two links: the leaf's own link cuts it, and 0 and 2 take two links."""
    estate = Estate(5, [L(0, 1), L(1, 2), L(2, 3), L(3, 0), L(0, 4)], [(0, 2), (0, 4)])
    both, single = check(written(estate, (2, 0, 0)), select=("MOM502",))
    assert single.message == "if link `l4` fails, no path leads from `b0` to `b4`"
    assert both.message == "if link `l0` and link `l2` fail together, no path leads from `b0` to `b2`"
    assert both.label == "promised here, and no smaller failure breaks it"
    assert both.affected is not None
    assert both.affected.topics == ("t0-2",)


def test_sets_that_cut_other_topics_are_counted_with_the_smallest() -> None:
    """Two rings of three that share broker 0: l0 and l1 cut 0 from 1, l3 and l4 0 from 3, and no two links do both."""
    estate = Estate(5, [L(0, 1), L(1, 2), L(2, 0), L(0, 3), L(3, 4), L(4, 0)], [(0, 1), (0, 3)])
    (found,) = check(written(estate, (2, 0, 0)), select=("MOM502",))
    assert found.message == "if link `l0` and link `l1` fail together, no path leads from `b0` to `b1`"
    assert found.label == "promised here, and no smaller failure breaks it; 1 more set cuts other topics"
    assert found.affected is not None
    assert (found.affected.pairs, found.affected.topics) == (2, ("t0-1", "t0-3"))


def rings(number: int) -> Estate:
    """Rings of three that share broker 0; in each a topic from 0 to another broker, which its first two links cut."""
    links = [L(*ends) for at in range(1, 2 * number, 2) for ends in ((0, at), (at, at + 1), (at + 1, 0))]
    return Estate(2 * number + 1, links, [(0, at) for at in range(1, 2 * number, 2)])


@pytest.mark.parametrize("engine", ["graph", "smt", "auto"])
def test_all_topics_are_found_however_many_sets_cut_them(engine: str) -> None:
    """No two links cut two of twelve topics; what is promised of the twelfth is as broken as of the first."""
    (found,) = check(written(rings(12), (2, 0, 0)), engine, ("MOM502", "MOM9"))
    assert found.label == "promised here, and no smaller failure breaks it; 11 more sets cut other topics"
    assert found.affected is not None
    assert found.affected.topics == tuple(f"t0-{at}" for at in range(1, 24, 2))
    assert found.affected.pairs == 12


def test_a_search_too_long_for_graph_is_not_begun_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """With both engines, smt has the searches for what is left."""
    asked: list[object] = []

    def gives_up(*arguments: object, **_: object) -> Undecided:
        asked.append(arguments)
        return Undecided("too long")

    monkeypatch.setattr(GraphEngine, "smallest", gives_up)
    (found,) = check(written(rings(4), (2, 0, 0)), "auto", ("MOM502", "MOM9"))
    assert found.label == "promised here, and no smaller failure breaks it; 3 more sets cut other topics"
    assert len(asked) == 1


def test_topics_for_which_no_time_is_left_stay_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """All searches together are one question, with one limit: what they found is told, and that there may be more."""
    search = cutsets.smallest

    def slow(*asked: Any) -> Any:
        time.sleep(0.2)
        return search(*asked)

    monkeypatch.setattr(cutsets, "smallest", slow)
    began = time.monotonic()
    text = written(rings(30), (2, 0, 0))
    found = {finding.code: finding for finding in report(text, select=("MOM502", "MOM9"), timeout=1.0).findings}
    assert time.monotonic() - began < 4
    assert found.keys() == {"MOM502", "MOM901"}
    assert found["MOM502"].affected is not None
    assert 1 <= found["MOM502"].affected.pairs <= 5
    assert found["MOM901"].message == (
        "undecided: whether the topics that are left survive what is promised (any 2 links): "
        "graph found no answer within 1 s"
    )


@pytest.mark.parametrize("promise", ["none", "{links: 0}", "{}"])
def test_no_promise_is_not_broken(promise: str) -> None:
    text = f"momlint: 1\nbrokers: {{a: , b: }}\nlinks: [{{between: [a, b]}}]\nfailures: {{tolerate: {promise}}}\n"
    assert check(text, select=("MOM502",)) == []


# -- tables that do not react ---------------------------------------------------------------------------------------

SQUARE = """\
momlint: 1
brokers: {a: , b: , c: , d: , e: }
links:
  - {between: [a, b]}
  - {between: [b, c]}
  - {between: [c, d]}
  - {between: [d, a]}
  - {between: [d, e]}
topics:
  there: {publishers: [a], subscribers: [c]}
  spur: {publishers: [a], subscribers: [e]}
routing:
  protocol: PROTOCOL
  tables:
    a: {b: [c], d: [e]}
    b: {c: [c]}
    d: {e: [e]}
failures:
  tolerate: PROMISE
"""


def square(promise: str, protocol: str = "tables") -> str:
    return SQUARE.replace("PROMISE", promise).replace("PROTOCOL", protocol)


@pytest.mark.parametrize("engine", ["auto", "graph", "smt"])
def test_static_tables_are_the_second_kind(engine: str) -> None:
    """a–b, b–c and d–a are in use and have a way round; d–e is in use and has none: that is the first kind."""
    found = check(square("single-link"), engine, ("MOM502", "MOM9"))
    topological, table = sorted(found, key=lambda f: "static" in f.message)
    assert topological.witness is not None
    assert topological.witness.cut == ("d--e",)
    assert table.witness is not None
    assert (table.witness.cut, table.witness.walk) == (("a--b",), ("a", "b", "c"))
    assert table.affected is not None
    assert (table.affected.topics, table.affected.pairs) == (("there", "spur"), 2)
    assert table.data == {"promised": "any link", "failures": 3}
    assert table.label == "promised here, and 2 more failures the same way"


#: Two links of one hop, in use, with a way round them; `r` takes the second link and one elsewhere.
PARALLEL = """\
momlint: 1
brokers: {a: , b: , c: }
links:
  - {id: x, between: [a, b]}
  - {id: y, between: [a, b]}
  - {id: round1, between: [a, c]}
  - {id: round2, between: [c, b]}
  - {id: spare, between: [c, b]}
topics: {t: {publishers: [a], subscribers: [b]}}
groups: {r: [y, spare]}
routing: {protocol: tables, tables: {a: {b: [b]}}}
failures: {tolerate: PROMISE}
"""


@pytest.mark.parametrize(
    ("promise", "cut"),
    [
        ("single-link", None),  # the other one is left
        ("{links: 2}", ("x", "y")),
        ("{links: 3}", ("x", "y")),  # and c is left: {x, y, round1} is told apart
        ("{groups: 1}", None),
        ("{links: 1, groups: 1}", ("x", "r")),
    ],
)
def test_all_links_of_a_hop_that_static_tables_use(promise: str, cut: tuple[str, ...] | None) -> None:
    found = [f for f in check(PARALLEL.replace("PROMISE", promise), select=("MOM502",)) if "static" in f.message]
    assert [f.witness.cut for f in found if f.witness] == ([] if cut is None else [cut])
    assert all(f"`{cut[0]}`" in f.message and "fail together" in f.message for f in found if cut)


def lost_by_static_tables(estate: Estate, hops: dict[tuple[int, int], int], promise: tuple[int, int, int]) -> set[Any]:
    """The pairs that a failure within `promise` takes off their walks by `hops`, (at, dest) → to; with a path left."""
    lost = set()
    for size in range(1, sum(promise) + 1):
        for failed in estate.failures(*promise, size):
            reach, down = estate.reach(failed)
            links = {e for e in failed if e < len(estate.links)}
            for e in failed:
                if e >= len(estate.links) + estate.n:
                    links.update(estate.groups[e - len(estate.links) - estate.n][0])
            live = {
                arc
                for index, link in enumerate(estate.links)
                if index not in links
                for arc in [(link.tail, link.head), *([] if link.one_way else [(link.head, link.tail)])]
            }
            for source, dest in estate.pairs:
                at = source
                while at != dest and (at, dest) in hops:
                    to = hops[at, dest]
                    if (at, to) not in live or to in down:
                        break
                    at = to
                if not {source, dest} & down and (source, dest) in hops and at != dest and dest in reach[source]:
                    lost.add((source, dest))
    return lost


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(0, 2**32 - 1), st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 1)))
def test_static_tables_lose_what_enumeration_loses(seed: int, promise: tuple[int, int, int]) -> None:
    rng = random.Random(seed)
    estate = random_estate(seed, most=5)
    # Links side by side are what one failure does not take.
    estate = replace(estate, links=[*estate.links, *(rng.choice(estate.links) for _ in range(2) if estate.links)])
    graph = nx.DiGraph()
    graph.add_nodes_from(range(estate.n))
    for link in estate.links:
        graph.add_edge(link.tail, link.head)
        if not link.one_way:
            graph.add_edge(link.head, link.tail)
    hops = {
        (at, dest): path[1]
        for at, paths in nx.all_pairs_shortest_path(graph)
        for dest, path in paths.items()
        if len(path) > 1
    }
    pairs = [pair for pair in estate.pairs if pair in hops]
    estate = replace(estate, pairs=pairs)
    if not pairs or not sum(promise):
        return
    tables: dict[int, dict[int, list[str]]] = {}
    for (at, dest), to in sorted(hops.items()):
        tables.setdefault(at, {}).setdefault(to, []).append(f"b{dest}")
    lines = ["routing:", "  protocol: tables", "  tables:"]
    for at, rows in tables.items():
        lines += [f"    b{at}:", *(f"      b{to}: [{', '.join(dests)}]" for to, dests in rows.items())]
    text = written(estate, promise) + "\n".join(lines) + "\n"
    lost = lost_by_static_tables(estate, hops, promise)
    for engine in ("auto", "smt"):
        found = [f for f in check(text, engine, ("MOM502", "MOM9")) if "static" in f.message or f.code != "MOM502"]
        assert [f.affected and f.affected.pairs for f in found] == ([len(lost)] if lost else [])


def test_what_heals_itself_is_not_static() -> None:
    assert len(check(square("single-link", "shortest-path"), select=("MOM502",))) == 1


def test_colours_do_not_make_tables_react() -> None:
    """d–e has no way round; and the tables stay as they are, though a colour stands for one of the failures."""
    colours = "  colours: {ok: [], one: [a--b]}\n"
    found = check(square("single-link") + colours, select=("MOM502",))
    assert sorted(f.witness.cut for f in found if f.witness) == [("a--b",), ("d--e",)]


@pytest.mark.parametrize("failures", ["tolerate: single-link", "colours: {ok: [], ab: [a--b], bc: [b--c], da: [d--a]}"])
def test_static_rows_beside_computed_hops_stay_in_force(failures: str) -> None:
    """Each of three rows loses its topic when its own link fails, promised or declared; d–e has no way round."""
    text = square("single-link", "shortest-path").replace("tolerate: single-link", failures)
    found = check(text, select=("MOM302", "MOM303"))
    assert [(f.code, f.span.start.line, f.witness and f.witness.walk) for f in found] == [
        ("MOM303", 15, ("a",)),
        ("MOM303", 15, ("a",)),
        ("MOM303", 16, ("a", "b")),
    ]
    assert check(text.replace("  tables:\n", "  static_rows: withdraw\n  tables:\n"), select=("MOM303",)) == []


def test_a_broker_on_a_static_walk() -> None:
    found = check(square("single-broker"), select=("MOM502",))
    table = next(f for f in found if "static" in f.message)
    assert table.witness is not None
    assert (table.witness.cut, table.affected.topics if table.affected else ()) == (("b",), ("there",))
    # Broker d has no way round it.
    assert [f.witness.cut for f in found if f.witness and f is not table] == [("d",)]


def test_a_walk_that_is_broken_already_is_not_promised() -> None:
    text = square("single-link").replace("    b: {c: [c]}\n", "    b: {a: [c]}\n")
    table = next(f for f in check(text, select=("MOM502",)) if "static" in f.message)
    assert table.affected is not None
    assert table.affected.topics == ("spur",)


# -- what is left out -----------------------------------------------------------------------------------------------


def test_a_link_that_could_not_be_read_may_be_the_second_way() -> None:
    text = "momlint: 1\nbrokers: {a: , b: }\nlinks: [{between: [a, b]}, {id: x, between: [a, unknown]}]\n"
    assert check(text) == []


def test_nothing_is_asked_that_is_not_selected(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_: object) -> None:
        raise AssertionError("asked")

    monkeypatch.setattr(GraphEngine, "survey", never)
    text = written(Estate(3, [L(0, 1), L(1, 2)], [(0, 2)]), (1, 1, 0))
    assert check(text, select=("MOM3",)) == []


# -- who decides ----------------------------------------------------------------------------------------------------


def test_a_solver_that_gives_up_is_no_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SmtEngine, "smallest", lambda *_: Undecided("it was tired"))
    text = written(Estate(4, [L(0, 1), L(1, 2), L(2, 3), L(3, 0)], [(0, 2)]), (2, 0, 0))
    result = report(text, "smt")
    assert [f.code for f in result.findings] == ["MOM901"]
    assert "it was tired" in result.findings[0].message
    assert result.summary.undecided == 1
    # As a second opinion it takes nothing away.
    assert [f.code for f in check(text, "auto")] == ["MOM502"]


def test_what_is_too_long_a_search_is_for_smt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GraphEngine, "smallest", lambda *_: Undecided("too many"))
    text = written(Estate(4, [L(0, 1), L(1, 2), L(2, 3), L(3, 0)], [(0, 2)]), (2, 0, 0))
    assert [f.code for f in check(text, "graph")] == ["MOM901"]
    result = report(text, "auto")
    assert [f.code for f in result.findings] == ["MOM502"]
    assert result.proof.engines == ("graph", "smt")


def test_engines_that_differ_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    text = written(Estate(4, [L(0, 1), L(1, 2), L(2, 3), L(3, 0)], [(0, 2)]), (2, 0, 0))
    monkeypatch.setattr(SmtEngine, "smallest", lambda *_: Smallest((0, 3)))
    assert [f.code for f in check(text, "auto")] == ["MOM902", "MOM502"]
    monkeypatch.setattr(SmtEngine, "survey", lambda *_: (Cut(0, 1, 0, 2),))
    assert [f.code for f in check(text, "auto")] == ["MOM902", "MOM902", "MOM502"]


@pytest.mark.parametrize("topics", [True, False])
def test_a_wrong_answer_does_not_replay(topics: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    estate = Estate(4, [L(0, 1), L(1, 2), L(2, 3), L(3, 0)], [(0, 2)])
    monkeypatch.setattr(SmtEngine, "survey", lambda *_: (Cut(0, 1, 0, 2),))
    (finding,) = check(written(estate, topics=topics), "smt", ("MOM501", "MOM9"))
    assert finding.code == "MOM902"
    monkeypatch.setattr(SmtEngine, "survey", lambda *_: ())
    monkeypatch.setattr(SmtEngine, "smallest", lambda *_: Smallest((0, 1)))
    (finding,) = check(written(estate, (2, 0, 0)), "smt")
    assert finding.code == "MOM902"


# -- large ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["mesh", pytest.param("tree", marks=pytest.mark.slow)])
def test_a_thousand_brokers_take_no_time(shape: str) -> None:
    """1,000 brokers, 3,000 links (or a tree), all pairs; well under a second on a quiet machine."""
    graph = nx.random_regular_graph(6, 1000, seed=3) if shape == "mesh" else nx.random_labeled_tree(1000, seed=3)
    estate = Estate(1000, [L(a, b) for a, b in graph.edges], [(s, d) for s in range(1000) for d in range(1000)])
    overlay, elements = estate.overlay, estate.elements
    started = time.process_time()
    found = GraphEngine().survey(overlay, elements, range(len(elements)))
    assert time.process_time() - started < 5
    points = sum(1 for _ in nx.articulation_points(graph))
    assert len(found) == (0 if shape == "mesh" else 999 + points)
