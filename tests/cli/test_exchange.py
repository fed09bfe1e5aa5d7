"""Topologies as graphs: what is imported is what networkx says of the file, and what is rendered comes back."""

from __future__ import annotations

import io
import json
import random
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.errors import UsageError
from momlint.estate import Estate, load_source
from momlint.exchange import estate_text, graphml, read_topology
from momlint.source import read_source
from tests.budget import examples
from tests.cli.conftest import Run

ROOT = Path(__file__).resolve().parents[2]

GRAPHML = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="edge" attr.name="weight" attr.type="double"/>
  <key id="d1" for="edge" attr.name="latency" attr.type="int"/>
  <key id="d2" for="node" attr.name="label" attr.type="string"/>
  <graph edgedefault="undirected">
    <node id="0"><data key="d2">London</data></node>
    <node id="1"><data key="d2">Paris, Nord</data></node>
    <node id="2"><data key="d2">Berlin</data></node>
    <edge source="0" target="1"><data key="d0">2.5</data><data key="d1">7</data></edge>
    <edge source="1" target="2"/>
    <edge source="2" target="0"/>
  </graph>
</graphml>
"""


def estate_of(text: str) -> Estate:
    (loaded,) = load_source(read_source(text.encode(), "x.yaml"))
    assert loaded.problems == []
    assert loaded.estate is not None
    return loaded.estate


def test_graphml_becomes_an_estate_that_checks_clean(folder: Path, run: Run) -> None:
    (folder / "zoo.graphml").write_text(GRAPHML)
    ran = run("import", "zoo.graphml")
    assert ran == (
        0,
        "momlint: 1\n"
        "name: zoo\n"
        "brokers:\n"
        "  0:\n"
        "  1:\n"
        "  2:\n"
        "links:\n"
        "  - {between: [0, 1], cost: 2.5, latency_ms: 7}\n"
        "  - {between: [0, 2]}\n"
        "  - {between: [1, 2]}\n"
        "routing: {protocol: shortest-path}\n",
        "",
    )
    assert run("import", "zoo.graphml", "--label", "label", "--name", "cities", "-o", "cities.yaml").code == 0
    text = (folder / "cities.yaml").read_text()
    assert [broker.id for broker in estate_of(text).brokers] == ["London", "Paris, Nord", "Berlin"]
    assert "name: cities\n" in text
    checked = run("check", "--quiet", "cities.yaml")
    assert (checked.code, checked.out, checked.err) == (0, "", "")


def test_standard_input_and_directed_node_link_data(folder: Path, run: Run) -> None:
    graph = nx.MultiDiGraph()
    graph.add_edge("a", "b", cost=3)
    graph.add_edge("a", "b", availability=0.5)
    graph.add_edge("b", "a", link="back")
    graph.nodes["b"].update(site="roof", processing_ms=4)
    for edges in ("links", "edges"):
        data = json.dumps(nx.node_link_data(graph, edges=edges)).encode()
        ran = run("import", "-", stdin=data)
        assert ran.code == 0, ran.err
        estate = estate_of(ran.out)
        assert estate.name == "imported"
        assert [(one.id, one.one_way, one.cost, one.availability) for one in estate.links] == [
            ("a->b #1", True, 3, None),
            ("a->b #2", True, 1, 0.5),
            ("back", True, 1, None),
        ]
        assert (estate.brokers[1].site, estate.brokers[1].processing_ms) == ("roof", 4)


def random_estate(rng: random.Random) -> str:
    """An estate of brokers with odd names, links both ways and one way, some of them parallel."""
    n = rng.randint(1, 7)
    names = rng.sample(["1", "2", "null", "a b", "é", "x: y", "#", "true", "--", "<&>", '"q"', "a--b", "-", "0x1"], n)
    lines = ["momlint: 1", "name: some", "brokers:"]
    for name in names:
        attributes = {}
        if rng.random() < 0.3:
            attributes["site"] = rng.choice(["'3'", "north", '"a: b"', '" "'])
        if rng.random() < 0.3:
            attributes["processing_ms"] = str(rng.choice([0, 2, 0.25]))
        if rng.random() < 0.3:
            attributes["availability"] = rng.choice(["0.5", "1"])
        lines.append(f"  {json.dumps(name)}: {{{', '.join(f'{k}: {v}' for k, v in attributes.items())}}}")
    links = []
    for number in range(rng.randint(0, 8) if n > 1 else 0):
        ends = [json.dumps(name) for name in rng.sample(names, 2)]
        link = "from: {}, to: {}".format(*ends) if rng.random() < 0.3 else "between: [{}, {}]".format(*ends)
        more = rng.choice(["", ", cost: 2", ", cost: 0.1, latency_ms: 3", ", availability: 0.875"])
        links.append(f"  - {{id: l{number}, {link}{more}}}")
    lines += ["links:", *links] if links else []
    return "\n".join(lines) + "\nrouting: {protocol: shortest-path}\n"


def said(estate: Estate) -> tuple[object, object]:
    """All that a graph can say of an estate; ends of a link both ways in no order."""
    names = [broker.id for broker in estate.brokers]
    brokers = {b.id: (b.address, b.site, b.processing_ms, b.availability) for b in estate.brokers}
    links = {}
    for link in estate.links:
        ends = (names[link.tail], names[link.head])
        links[link.id] = (
            ends if link.one_way else frozenset(ends),
            link.one_way,
            link.cost,
            link.latency_ms,
            link.availability,
        )
    assert len(links) == len(estate.links)
    return brokers, links


@settings(max_examples=examples(300))
@given(st.integers(0, 2**32))
def test_there_and_back(seed: int) -> None:
    estate = estate_of(random_estate(random.Random(seed)))
    xml = graphml(estate)
    back = estate_of("".join(estate_text(read_topology(xml.encode()), "some")))
    assert said(back) == said(estate)
    # And networkx reads the same graph.
    graph = nx.read_graphml(io.BytesIO(xml.encode()))
    assert set(graph) == {broker.id for broker in estate.brokers}
    both_ways = sum(not link.one_way for link in estate.links)
    twice = both_ways if graph.is_directed() else 0
    assert graph.number_of_edges() == len(estate.links) + twice


@pytest.mark.parametrize("file", sorted((ROOT / "examples").glob("*/topology.yaml")), ids=lambda path: path.parent.name)
def test_examples_there_and_back(file: Path, folder: Path, run: Run) -> None:
    rendered = run("render", str(file), "--to", "graphml", "-o", "x.graphml")
    assert rendered.code == 0, rendered.err
    ran = run("import", "x.graphml")
    loaded = load_source(read_source(file.read_bytes(), str(file)))[0].estate
    assert loaded is not None
    assert said(estate_of(ran.out)) == said(loaded)


EMPTY = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed"/></graphml>'

BAD = {
    "nothing": (b"", "neither GraphML nor node-link JSON"),
    "text": (b"hello", "neither GraphML nor node-link JSON"),
    "other XML": (b"<html><body/></html>", "not valid GraphML"),
    "cut short": (GRAPHML.encode()[:-12], "neither GraphML nor node-link JSON"),
    "an unknown key": (GRAPHML.replace('key="d1"', 'key="d9"').encode(), "not valid GraphML"),
    "no number": (GRAPHML.replace(">7<", ">seven<").encode(), "not valid GraphML"),
    "an unknown type": (GRAPHML.replace('"int"', '"colour"').encode(), "not valid GraphML"),
    "not finite": (GRAPHML.replace(">2.5<", ">inf<").encode(), "has a `weight` that is not a number"),
    "a loop": (GRAPHML.replace('source="2" target="0"', 'source="2" target="2"').encode(), "joins a broker to itself"),
    "no nodes": (
        b'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="directed"/></graphml>',
        "no nodes",
    ),
    "an entity": (
        b'<!DOCTYPE graphml [<!ENTITY x SYSTEM "file:///etc/passwd">]>' + GRAPHML.partition("?>")[2].strip().encode(),
        "has a DOCTYPE",
    ),
    "laughs": (
        b'<!DOCTYPE g [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><graphml>&b;</graphml>',
        "has a DOCTYPE",
    ),
    "an entity in UTF-16": (
        '<?xml version="1.0" encoding="UTF-16"?><!DOCTYPE g [<!ENTITY a "x">]><graphml>&a;</graphml>'.encode("utf-16"),
        "has a DOCTYPE",
    ),
    "an encoding of its own": (b'<?xml version="1.0" encoding="klingon"?><graphml/>', "neither GraphML nor"),
    "a list": (b"[1, 2]", "not node-link data"),
    "no links": (b'{"nodes": []}', "no list `links` or `edges`"),
    "a node that is none": (b'{"nodes": [3], "links": []}', "node 1 is not a mapping"),
    "a node without id": (b'{"nodes": [{"id": null}], "links": []}', "node 1 has no `id`"),
    "a list for an id": (b'{"nodes": [{"id": [1]}], "links": []}', "node 1 has no `id`"),
    "a link to nowhere": (b'{"nodes": [{"id": 1}], "links": [{"source": 1}]}', "link 1 has no `target`"),
    "two of one name": (b'{"nodes": [{"id": 1}, {"id": "1"}], "links": []}', "two nodes are called `1`"),
    "an empty id": (b'{"nodes": [{"id": ""}], "links": []}', "a node has an empty id"),
    "a cost of words": (
        b'{"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 2, "cost": "much"}]}',
        "has a `cost` that is not a number",
    ),
    "a deep list": (b'{"nodes": ' + b"[" * 100_000, "not valid JSON"),
    "directed by word": (b'{"directed": "yes", "nodes": [{"id": 1}], "links": []}', "`directed` is neither true nor"),
}


@pytest.mark.parametrize(("data", "words"), BAD.values(), ids=BAD)
def test_what_cannot_be_read_is_told(data: bytes, words: str, folder: Path, run: Run) -> None:
    (folder / "bad").write_bytes(data)
    ran = run("import", "bad")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("momlint: error: bad: ")
    assert words in ran.err
    assert "internal fault" not in ran.err
    assert len(ran.err.splitlines()) == 1


@settings(max_examples=examples(400))
@given(st.data())
def test_damaged_files_give_an_estate_or_words(data: st.DataObject) -> None:
    node_link = nx.node_link_data(nx.cycle_graph(4), edges="links")
    whole = bytearray(data.draw(st.sampled_from([GRAPHML.encode(), json.dumps(node_link).encode()])))
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        if data.draw(st.booleans()):
            whole[at] = data.draw(st.integers(0, 255))
        else:
            del whole[at : at + data.draw(st.integers(1, 30))]
        if not whole:
            break
    try:
        read = read_topology(bytes(whole))
    except UsageError:
        return
    load_source(read_source("".join(estate_text(read, "x")).encode(), "x.yaml"))


def test_options_and_names_that_do_not_go(folder: Path, run: Run) -> None:
    assert run("import", "none.graphml").code == 2
    assert run("import", ".").code == 2
    (folder / "zoo.graphml").write_text(GRAPHML)
    ran = run("import", "zoo.graphml", "-o", "zoo.graphml")
    assert (ran.code, (folder / "zoo.graphml").read_text()) == (2, GRAPHML)
    ran = run("import", "zoo.graphml", "--label", "city")
    assert (ran.code, ran.err) == (2, "momlint: error: zoo.graphml: node `0` has no `city` to be called by\n")
    ran = run("render", "good.mom.yaml", "--to", "graphml", "--literal")
    assert (ran.code, ran.err) == (2, "momlint: error: --literal has no effect with --to graphml\n")
    (folder / "odd.mom.yaml").write_text('momlint: 1\nbrokers: {"a\\x01": }\n')
    ran = run("render", "odd.mom.yaml", "--to", "graphml")
    assert ran.code == 2
    assert "cannot be written as GraphML" in ran.err
