"""``momlint plan``, then ``momlint check``: what is planned is clean, for every real network topohub ships.

And what MOM501 and MOM502 name there are exactly the bridges and the articulation points that networkx finds.
"""

from __future__ import annotations

import json
from pathlib import Path

import networkx as nx
import pytest
import topohub
import yaml

from momlint.cli import main

DATA = Path(topohub.__file__).parent / "data"
NETWORKS = sorted([*DATA.glob("topozoo/*.json"), *DATA.glob("sndlib/*.json")])
FEW = NETWORKS[::12]


def load(path: Path) -> nx.Graph:
    """Brokers by number; of parallel links the first; a link of no length is one kilometre long."""
    network = json.loads(path.read_text())
    graph = nx.Graph()
    graph.add_nodes_from(str(node["id"]) for node in network["nodes"])
    for edge in network.get("edges", network.get("links")):
        a, b = str(edge["source"]), str(edge["target"])
        if a != b and not graph.has_edge(a, b):
            graph.add_edge(a, b, km=max(float(edge.get("dist", 1.0)), 1.0))
    return graph


def write(path: Path, graph: nx.Graph, tolerate: str, recovery: str) -> None:
    out = ["momlint: 1", "brokers: {" + ", ".join(f"{b}: " for b in graph) + "}", "links:"]
    out += [
        f"  - {{between: [{a}, {b}], cost: {km}, latency_ms: {round(km / 200, 4)}}}"
        for a, b, km in graph.edges(data="km")
    ]
    path.write_text("\n".join([*out, "failures:", f"  tolerate: {tolerate}", recovery]) + "\n")


def plan_then_check(tmp_path: Path, graph: nx.Graph, tolerate: str, ending: str) -> list[dict[str, object]]:
    bare, planned = tmp_path / "bare.yaml", tmp_path / "planned.yaml"
    write(bare, graph, tolerate, "")
    assert main(["plan", str(bare), "--output", str(tmp_path / f"plan.{ending}")]) == 0
    if ending == "yaml":
        text = bare.read_text().split("failures:")[0] + (tmp_path / "plan.yaml").read_text()
        planned.write_text(text)
    else:
        # The tables are in a file of their own; the colours stand in the estate.
        assert main(["plan", str(bare), "--output", str(tmp_path / "colours.yaml")]) == 0
        section = (tmp_path / "colours.yaml").read_text().split("  recovery:")[0]
        planned.write_text(bare.read_text().split("failures:")[0] + section + f"  recovery: {{file: plan.{ending}}}\n")
    report = tmp_path / "report.json"
    main(["check", str(planned), "--format", "json", "--output", str(report), "--engine", "graph"])
    findings: list[dict[str, object]] = json.loads(report.read_text())["findings"]
    return findings


def cuts(findings: list[dict[str, object]]) -> set[str]:
    """What cuts by itself: MOM502 where that is promised to cut nothing, MOM501 else; never both of one element."""
    return {name for f in findings if f["code"] in ("MOM501", "MOM502") for name in f["witness"]["cut"]}  # type: ignore[index]


def expected_cuts(graph: nx.Graph) -> set[str]:
    """Bridges by their ids, and articulation points: all matter, since the estate is judged on all pairs."""
    bridges = {frozenset(edge) for edge in nx.bridges(graph)}
    names = {f"{a}--{b}" for a, b in graph.edges if frozenset((a, b)) in bridges}
    return names | set(nx.articulation_points(graph))


def judge(tmp_path: Path, graph: nx.Graph, tolerate: str, ending: str) -> None:
    if graph.number_of_edges() == 0:
        pytest.skip("a network without links: there is nothing to plan")
    findings = plan_then_check(tmp_path, graph, tolerate, ending)
    # A network that is in pieces has pairs without a path, and a broken promise is the topology's: all else is clean.
    allowed = {"MOM407", "MOM501", "MOM502"}
    if not nx.is_connected(graph):
        allowed |= {"MOM203", "MOM204", "MOM301"}
    assert {f["code"] for f in findings} <= allowed
    assert cuts(findings) == expected_cuts(graph)
    kinds = {"single-link": 2, "single-broker": 1}
    broken = {name for name in expected_cuts(graph) if len(name.split("--")) == kinds[tolerate]}
    assert any(f["code"] == "MOM502" for f in findings) == bool(broken)


@pytest.mark.parametrize("path", FEW, ids=lambda path: path.stem)
@pytest.mark.parametrize(("tolerate", "ending"), [("single-link", "yaml"), ("single-broker", "parquet")])
def test_a_few_networks(tmp_path: Path, path: Path, tolerate: str, ending: str) -> None:
    judge(tmp_path, load(path), tolerate, ending)


def documents(name: str) -> nx.Graph:
    """The overlays of the source documents, and a random one of 32 brokers and 64 links as in their comparison."""
    if name == "thirty-two":
        graph = nx.random_regular_graph(4, 32, seed=7)
        assert (graph.number_of_nodes(), graph.number_of_edges()) == (32, 64)
        pairs = [(a + 1, b + 1) for a, b in graph.edges]
    elif name == "fifty":
        text = (Path(__file__).parents[3] / "examples" / "fifty-brokers" / "topology.yaml").read_text()
        pairs = [tuple(link["between"]) for link in yaml.safe_load(text)["links"]]
    else:
        pairs = {"triangle": [(1, 2), (1, 3), (2, 3)], "six": [(1, 2), (2, 3), (2, 4), (4, 5), (4, 6)]}[name]
    graph = nx.Graph()
    graph.add_nodes_from(str(b) for b in sorted({int(b) for pair in pairs for b in pair}))
    graph.add_edges_from((str(a), str(b)) for a, b in pairs)
    nx.set_edge_attributes(graph, 1.0, "km")
    return graph


@pytest.mark.parametrize("name", ["triangle", "six", "fifty", "thirty-two"])
@pytest.mark.parametrize("tolerate", ["single-link", "single-broker"])
@pytest.mark.parametrize("ending", ["yaml", "csv", "parquet"])
def test_the_overlays_of_the_documents(tmp_path: Path, name: str, tolerate: str, ending: str) -> None:
    judge(tmp_path, documents(name), tolerate, ending)


@pytest.mark.slow
@pytest.mark.parametrize("path", NETWORKS, ids=lambda path: path.stem)
@pytest.mark.parametrize(("tolerate", "ending"), [("single-link", "csv"), ("single-broker", "yaml")])
def test_every_network(tmp_path: Path, path: Path, tolerate: str, ending: str) -> None:
    judge(tmp_path, load(path), tolerate, ending)
