"""Topologies from and for other programs, as graphs of networkx: GraphML, and node-link data in JSON.

Nodes are brokers, edges are links. What is read becomes text in momlint's language and nothing else, so that whoever
imports sees what was understood, and ``check`` is asked as for any other estate. networkx is loaded here only.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from xml.parsers import expat

from momlint.errors import UsageError
from momlint.routed.recovery.quoting import yaml_name

if TYPE_CHECKING:
    import networkx as nx

    from momlint.estate.resolved import Broker, Estate, Link

#: Attributes of edges, by what they are in the language; the first name that an edge has counts.
LINK_NUMBERS: Final = {
    "cost": ("cost", "weight"),
    "latency_ms": ("latency_ms", "latency"),
    "availability": ("availability",),
}
BROKER_NUMBERS: Final = ("processing_ms", "availability")
BROKER_TEXTS: Final = ("address", "site")
#: The attribute of an edge that names its link: edges of one name that are opposite are one link both ways.
LINK_ID: Final = "link"

# What XML 1.0 cannot hold, not even as a character reference.
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(slots=True)
class _Link:
    tail: str
    head: str
    one_way: bool
    id: str | None
    numbers: dict[str, float]


@dataclass(slots=True)
class Topology:
    """What a graph says in the words of the language: brokers with their attributes, and links."""

    brokers: dict[str, dict[str, str | float]] = field(default_factory=dict)
    links: list[_Link] = field(default_factory=list)


# -- in --------------------------------------------------------------------------------------------------------------


def read_topology(data: bytes, label: str | None = None) -> Topology:
    """The topology in GraphML or node-link JSON, told apart by their first character.

    `label`: the attribute of nodes that brokers are called by; without it, by the ids of the nodes. Raises
    `UsageError`, whose text says what is wrong with the file.
    """
    text = data.removeprefix(b"\xef\xbb\xbf").lstrip()
    graph = _from_json(data) if text[:1] in (b"{", b"[") else _from_graphml(data)
    return _topology(graph, label)


def _from_graphml(data: bytes) -> nx.Graph[Any]:
    import networkx as nx

    _check_xml(data)
    try:
        # Bytes, so that the document's own encoding counts.
        graph: nx.Graph[Any] = nx.read_graphml(io.BytesIO(data))
    except (nx.NetworkXException, SyntaxError, LookupError, ValueError, TypeError, AttributeError) as error:
        # networkx checks little of what it reads, and trips over the rest.
        raise UsageError(f"this is not valid GraphML: {_first_line(error)}") from error
    return graph


def _check_xml(data: bytes) -> None:
    """Refuse what is no XML, and a document type: its entities can stand for files, or for more text than fits."""

    def refuse(*_: object) -> None:
        raise UsageError("this XML has a DOCTYPE, which GraphML does not need and which can pull in other files")

    parser = expat.ParserCreate()
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(data, True)
    except (expat.ExpatError, LookupError, ValueError) as error:
        raise UsageError(f"this is neither GraphML nor node-link JSON: {_first_line(error)}") from error


def _from_json(data: bytes) -> nx.Graph[Any]:
    import networkx as nx

    try:
        read = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"this is not valid JSON: {_first_line(error)}") from error
    if not isinstance(read, dict) or not isinstance(read.get("nodes"), list):
        raise UsageError("this is not node-link data: it needs a list `nodes`, and a list `links` or `edges`")
    edges = "links" if "links" in read else "edges"
    if not isinstance(read.get(edges), list):
        raise UsageError("this is not node-link data: it has no list `links` or `edges`")
    for what, key in (("node", "nodes"), ("link", edges)):
        for number, one in enumerate(read[key], 1):
            if not isinstance(one, dict):
                raise UsageError(f"{what} {number} is not a mapping")
            for needed in ("id",) if what == "node" else ("source", "target"):
                if not isinstance(one.get(needed), str | int) or isinstance(one.get(needed), bool):
                    raise UsageError(f"{what} {number} has no `{needed}` that is a string or a whole number")
    for flag in ("directed", "multigraph"):
        if not isinstance(read.get(flag, False), bool):
            raise UsageError(f"`{flag}` is neither true nor false")
    # Parallel edges count whether the file has thought of saying so or not.
    read = {**read, "multigraph": True, "graph": {}}
    for one in read[edges]:
        one.pop("key", None)
    graph: nx.Graph[Any] = nx.node_link_graph(read, edges=edges)
    return graph


def _topology(graph: nx.Graph[Any], label: str | None) -> Topology:
    found = Topology()
    names: dict[Any, str] = {}
    for node, attributes in graph.nodes(data=True):
        name = _name(node, attributes, label)
        if name in found.brokers:
            raise UsageError(f"two nodes are called `{name}`")
        names[node] = name
        found.brokers[name] = {
            **{key: str(attributes[key]) for key in BROKER_TEXTS if attributes.get(key) not in (None, "")},
            **_numbers(attributes, {key: (key,) for key in BROKER_NUMBERS}, f"node `{name}`"),
        }
    if not found.brokers:
        raise UsageError("this graph has no nodes")
    directed = graph.is_directed()
    opposite: dict[tuple[str, str, str], int] = {}
    for tail, head, attributes in graph.edges(data=True):
        one, other = names[tail], names[head]
        where = f"the edge from `{one}` to `{other}`"
        if one == other:
            raise UsageError(f"{where} joins a broker to itself")
        given = attributes.get(LINK_ID)
        link = _Link(
            one, other, directed, None if given is None else str(given), _numbers(attributes, LINK_NUMBERS, where)
        )
        if link.id == "":
            raise UsageError(f"{where} has an empty `{LINK_ID}`")
        back = None if link.id is None else opposite.pop((other, one, link.id), None)
        if back is not None and found.links[back].numbers == link.numbers:
            found.links[back].one_way = False
            continue
        if directed and link.id is not None:
            opposite[(one, other, link.id)] = len(found.links)
        found.links.append(link)
    _name_parallel(found.links)
    return found


def _name(node: object, attributes: Mapping[str, Any], label: str | None) -> str:
    if label is None:
        name = str(node)
    else:
        if attributes.get(label) in (None, ""):
            raise UsageError(f"node `{node}` has no `{label}` to be called by")
        name = str(attributes[label])
    if not name:
        raise UsageError("a node has an empty id")
    return name


def _numbers(attributes: Mapping[str, Any], wanted: Mapping[str, Sequence[str]], where: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for key, names in wanted.items():
        name = next((name for name in names if attributes.get(name) not in (None, "")), None)
        if name is None:
            continue
        value = attributes[name]
        try:
            number = math.nan if isinstance(value, bool) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if not math.isfinite(number):
            raise UsageError(f"{where} has a `{name}` that is not a number: {value!r:.40}")
        found[key] = number
    return found


def _name_parallel(links: Sequence[_Link]) -> None:
    """Give parallel links without a name one each, as the language wants it: ``a--b #2``."""
    alike: dict[tuple[frozenset[str], str], list[_Link]] = {}
    for link in links:
        if link.id == _usual(link):
            link.id = None
        # Both ways it is the same link from either end.
        alike.setdefault((frozenset((link.tail, link.head)), link.tail if link.one_way else ""), []).append(link)
    taken = {link.id for link in links}
    for several in alike.values():
        unnamed = [link for link in several if link.id is None] if len(several) > 1 else []
        number = 0
        for link in unnamed:
            number += 1
            while f"{_usual(link)} #{number}" in taken:
                number += 1
            link.id = f"{_usual(link)} #{number}"


def _usual(link: _Link) -> str:
    """What a link is called that has no name of its own."""
    return f"{link.tail}{'->' if link.one_way else '--'}{link.head}"


def _first_line(error: Exception) -> str:
    said = str(error).strip().splitlines()
    return said[0][:200] if said else type(error).__name__


def estate_text(topology: Topology, name: str) -> Iterator[str]:
    """The topology as an estate in momlint's language, in pieces of text; messages take cheapest paths."""
    yield f"momlint: 1\nname: {yaml_name(name)}\nbrokers:\n"
    for broker, attributes in topology.brokers.items():
        yield f"  {yaml_name(broker)}:{_flow(attributes, ' {', '}')}\n"
    if topology.links:
        yield "links:\n"
    for link in topology.links:
        ends = (yaml_name(link.tail), yaml_name(link.head))
        yield "  - {"
        if link.id is not None:
            yield f"id: {yaml_name(link.id)}, "
        yield "from: {}, to: {}".format(*ends) if link.one_way else "between: [{}, {}]".format(*ends)
        yield f"{_flow(link.numbers, ', ', '')}}}\n"
    yield "routing: {protocol: shortest-path}\n"


def _flow(attributes: Mapping[str, str | float], before: str, after: str) -> str:
    if not attributes:
        return ""
    # So many digits are kept exactly.
    written = (f"{key}: {yaml_name(v) if isinstance(v, str) else format(v, '.15g')}" for key, v in attributes.items())
    return before + ", ".join(written) + after


# -- out -------------------------------------------------------------------------------------------------------------


def graphml(estate: Estate) -> str:
    """The estate's brokers and links as GraphML, which `read_topology` reads back as they are.

    Where a link is one way the graph is directed, and a link both ways is two edges of one ``link``. Raises
    `UsageError` for a name that XML cannot hold.
    """
    import networkx as nx

    directed = any(link.one_way for link in estate.links)
    graph: nx.Graph[str] = nx.MultiDiGraph() if directed else nx.MultiGraph()
    names = [_xml(broker.id) for broker in estate.brokers]
    for name, broker in zip(names, estate.brokers, strict=True):
        graph.add_node(name, **_broker_attributes(broker))
    for link in estate.links:
        attributes = _link_attributes(link)
        tail, head = names[link.tail], names[link.head]
        graph.add_edge(tail, head, **attributes)
        if directed and not link.one_way:
            graph.add_edge(head, tail, **attributes)
    stream = io.BytesIO()
    # Not `write_graphml`, which writes differently where lxml is installed.
    nx.write_graphml_xml(graph, stream, named_key_ids=True)
    return stream.getvalue().decode("utf-8").rstrip("\n") + "\n"


def _broker_attributes(broker: Broker) -> dict[str, str | float]:
    found: dict[str, str | float] = {
        key: _xml(value) for key in BROKER_TEXTS if (value := getattr(broker, key)) is not None
    }
    if broker.processing_ms:
        found["processing_ms"] = float(broker.processing_ms)
    if broker.availability is not None:
        found["availability"] = float(broker.availability)
    return found


def _link_attributes(link: Link) -> dict[str, str | float]:
    found: dict[str, str | float] = {LINK_ID: _xml(link.id), "cost": float(link.cost)}
    if link.latency_ms:
        found["latency_ms"] = float(link.latency_ms)
    if link.availability is not None:
        found["availability"] = float(link.availability)
    return found


def _xml(text: str) -> str:
    if _NOT_XML.search(text) or "\r" in text:
        raise UsageError(f"{text!r} cannot be written as GraphML: XML does not allow such characters")
    return text
