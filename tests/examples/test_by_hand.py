"""The examples have the properties that the literature states, shown without momlint."""

from __future__ import annotations

import importlib.util
import itertools
import subprocess
import sys
from types import ModuleType

import networkx as nx
import pytest

from tests.examples.by_hand import EXAMPLES, Hand, read, super_paths

FIFTY = EXAMPLES / "fifty-brokers"


def graph(hand: Hand) -> nx.Graph[str]:
    found: nx.Graph[str] = nx.Graph()
    found.add_nodes_from(hand.brokers)
    found.add_edges_from(hand.links)
    return found


def load(path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location("example_script", EXAMPLES / path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# -- six brokers -------------------------------------------------------------------------------------------


def test_six_brokers_has_the_tables_of_the_source() -> None:
    hand = read(EXAMPLES / "six-brokers/topology.yaml")
    for here, there in itertools.permutations("123456", 2):
        if here in "13":
            expected = "2"
        elif here in "56":
            expected = "4"
        elif here == "2":
            expected = {"1": "1", "3": "3"}.get(there, "4")
        else:
            expected = {"5": "5", "6": "6"}.get(there, "2")
        assert hand.next[here][there] == expected, (here, there)
    assert hand.links == [("1", "2"), ("2", "3"), ("2", "4"), ("4", "5"), ("4", "6")]
    assert {id: attributes["address"] for id, attributes in hand.raw["brokers"].items()} == {
        "1": "2.0.0.1",
        "2": "2.0.1.1",
        "3": "2.0.0.2",
        "4": "1.0.1.2",
        "5": "1.0.0.1",
        "6": "1.0.0.2",
    }
    assert hand.topics == {
        "A": (["1"], ["2", "5"]),
        "B": (["3"], ["4"]),
        "C": (["5"], ["1", "6"]),
        "D": (["6"], ["3"]),
    }


def test_six_brokers_all_pairs_arrive() -> None:
    hand = read(EXAMPLES / "six-brokers/topology.yaml")
    assert hand.broken(list(itertools.permutations(hand.brokers, 2))) == []
    assert hand.walk("1", "5") == ("1", "2", "4", "5")


def test_six_brokers_sub_paths_of_the_walk_from_1_to_5() -> None:
    hand = read(EXAMPLES / "six-brokers/topology.yaml")
    parts = [("1", "2"), ("1", "4"), ("2", "4"), ("2", "5"), ("4", "5")]
    assert super_paths(hand, [*parts, ("1", "5")]) == [("1", "5")]


def test_six_brokers_misrouted_breaks_the_pair_1_5_only() -> None:
    good, bad = read(EXAMPLES / "six-brokers/topology.yaml"), read(EXAMPLES / "six-brokers/misrouted.yaml")
    assert bad.walk("1", "5") == ("1", "2", "4", "6")
    assert bad.broken() == [("1", "5")]
    assert (good.links, good.topics) == (bad.links, bad.topics)
    changed = {
        (here, there)
        for here, there in itertools.permutations(good.brokers, 2)
        if good.next[here].get(there) != bad.next[here].get(there)
    }
    assert changed == {("4", "5"), ("6", "5")}


# -- triangle ----------------------------------------------------------------------------------------------

#: The condensed super routing tables of the source: broker → (destination, next hop, colours).
SUPER_TABLES = {
    "1": {("2", "2", "134"), ("3", "3", "124"), ("2", "3", "2"), ("3", "2", "3")},
    "2": {("1", "1", "134"), ("1", "3", "2"), ("3", "3", "123"), ("3", "1", "4")},
    "3": {("1", "1", "124"), ("2", "2", "123"), ("1", "2", "3"), ("2", "1", "4")},
}


def test_triangle_has_the_super_tables_of_the_source() -> None:
    hand = read(EXAMPLES / "triangle/topology.yaml")
    found = {
        broker: {(row["to"], row["via"], "".join(row["colours"])) for row in rows}
        for broker, rows in hand.raw["failures"]["recovery"].items()
    }
    assert found == SUPER_TABLES


@pytest.mark.parametrize(("colour", "gone"), [("1", None), ("2", ("1", "2")), ("3", ("1", "3")), ("4", ("2", "3"))])
def test_triangle_walks_are_shortest_in_every_colour(colour: str, gone: tuple[str, str] | None) -> None:
    hand = read(EXAMPLES / "triangle/topology.yaml")
    assert hand.raw["failures"]["colours"][colour] == ([f"{gone[0]}--{gone[1]}"] if gone else [])
    entries: dict[str, dict[str, str]] = {broker: {} for broker in hand.brokers}
    for broker, rows in hand.raw["failures"]["recovery"].items():
        for row in rows:
            if colour in row["colours"]:
                assert row["to"] not in entries[broker], "two rows for one destination and colour"
                entries[broker][row["to"]] = row["via"]
    links = [link for link in hand.links if link != gone]
    failed = Hand(hand.brokers, links, entries, hand.topics, {})
    network = graph(failed)
    for source, dest in itertools.permutations(hand.brokers, 2):
        path = failed.walk(source, dest)
        assert path[-1] == dest
        assert len(path) - 1 == nx.shortest_path_length(network, source, dest)


# -- fifty brokers -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def fifty() -> Hand:
    return read(FIFTY / "topology.yaml")


def names(text: str) -> list[str]:
    """`3,7-9` → 3, 7, 8, 9."""
    found: list[str] = []
    for part in text.replace(" ", "").split(","):
        first, _, last = part.partition("-")
        found += [str(number) for number in range(int(first), int(last or first) + 1)]
    return found


@pytest.mark.parametrize("script", ["fifty-brokers/generate.py", "real-networks/from_topohub.py"])
def test_committed_files_are_what_their_script_writes(script: str) -> None:
    done = subprocess.run(
        [sys.executable, EXAMPLES / script, "--check"],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_fifty_brokers_has_the_links_of_the_source(fifty: Hand) -> None:
    network = graph(fifty)
    assert fifty.brokers == names("1-50")
    neighbours = {broker: set(network[broker]) for broker in fifty.brokers}
    assert neighbours["1"] == {"11", "16"}
    assert neighbours["2"] == {"11", "18", "16"}  # 16 from the list of 16, which the list of 2 leaves out
    assert neighbours["3"] == {"11", "16"}
    assert neighbours["11"] == {"19", "26", "1", "2", "3"}
    assert neighbours["16"] == {"31", "17", "1", "2", "3"}
    assert neighbours["17"] == {"13", "16", "18"}
    assert {"14"} <= neighbours["12"]
    assert {"14", "17"} <= neighbours["13"]


def test_fifty_brokers_walks_of_the_source(fifty: Hand) -> None:
    assert fifty.walk("1", "13") == ("1", "16", "17", "13")
    assert fifty.walk("12", "18") == ("12", "14", "13", "17", "18")


#: Table 5-7, without the hops that cannot hold: 1 → 31 and 3 → 31 by 11 (31 is a neighbour of 16), 3 → 3,
#: and the second of the two hops printed for 20. The second 42 is read as 43.
TABLE_5_7 = [
    ("1", "11", "3,7,11,19,20,21-30,32-44"),
    ("1", "16", "2,4,5,6,8,9,10,12-18,31,45-50"),
    ("2", "11", "7,8,9,11,12,19,21-30,32-50"),
    ("2", "16", "1,3,10,14,16,31"),
    ("2", "18", "4,5,6,13,15,17,18,20"),
    ("3", "11", "7,11,19,20,21-30,32-44"),
    ("3", "16", "2,4,5,6,8,9,10,12-18,31,45-50"),
]


@pytest.mark.parametrize(("location", "hop", "destinations"), TABLE_5_7)
def test_fifty_brokers_has_the_next_hops_of_table_5_7(fifty: Hand, location: str, hop: str, destinations: str) -> None:
    assert {dest: fifty.next[location][dest] for dest in names(destinations)} == dict.fromkeys(names(destinations), hop)


def test_fifty_brokers_both_printed_hops_for_20_are_shortest(fifty: Hand) -> None:
    network = graph(fifty)
    for location, hop in itertools.product("13", ("11", "16")):
        assert nx.shortest_path_length(network, hop, "20") == nx.shortest_path_length(network, location, "20") - 1


def test_fifty_brokers_every_walk_is_shortest(fifty: Hand) -> None:
    hops = dict(nx.all_pairs_shortest_path_length(graph(fifty)))
    for source, dest in itertools.permutations(fifty.brokers, 2):
        path = fifty.walk(source, dest)
        assert path[-1] == dest
        assert len(path) - 1 == hops[source][dest]


def test_fifty_brokers_the_network_survives_each_fault(fifty: Hand) -> None:
    network = graph(fifty)
    for link in (("13", "17"), ("16", "17"), ("17", "18")):
        assert nx.is_connected(nx.restricted_view(network, [], [link]))
    assert nx.is_connected(nx.restricted_view(network, ["17"], []))


@pytest.mark.parametrize(
    ("file", "hops"),
    [
        ("link-13-17-failed.yaml", ["13 17"]),
        ("rows-13-17-missing.yaml", ["13 17"]),
        ("broker-17-failed.yaml", ["13 17", "16 17", "17 18"]),
    ],
)
def test_fifty_brokers_fails_exactly_where_a_walk_uses_a_broken_hop(fifty: Hand, file: str, hops: list[str]) -> None:
    bad = read(FIFTY / file)
    broken_hops = {frozenset(hop.split()) for hop in hops}
    every = list(itertools.permutations(fifty.brokers, 2))
    uses = [
        pair for pair in every if any(frozenset(hop) in broken_hops for hop in itertools.pairwise(fifty.walk(*pair)))
    ]
    assert bad.broken(every) == uses
    assert bad.broken()  # a topic feels it, too
    one_hop = [(a, b) for link in fifty.links for a, b in (link, link[::-1])]
    assert {frozenset(pair) for pair in bad.broken(one_hop)} == broken_hops


def test_fifty_brokers_without_tables_at_17_fails_where_17_would_have_to_send(fifty: Hand) -> None:
    bad = read(FIFTY / "broker-17-without-tables.yaml")
    every = list(itertools.permutations(fifty.brokers, 2))
    assert bad.broken(every) == [pair for pair in every if "17" in fifty.walk(*pair)[:-1]]
    assert bad.broken()


def test_sub_path_detection_levels_off_like_table_5_5() -> None:
    """Table 5-5: 30, 120, 200, 468, 550, 570, 588 paths for 10 … 10,000 topics of 5 subscribers.

    The figure's links are not known, so only the shape can agree: growth, then a level of some hundreds.
    """
    script = load("fifty-brokers/generate.py")
    hand = read(FIFTY / "topology.yaml")
    counts = []
    for topics in (10, 50, 100, 500, 1000, 5000, 10000):
        generated = list(script.generated_topics(topics))
        assert all(len(set(takers) - set(senders)) == 5 for _, senders, takers in generated)
        pairs = sorted({(str(s), str(d)) for _, senders, takers in generated for s in senders for d in takers})
        counts.append(len(super_paths(hand, pairs)))
    assert counts == sorted(counts)
    assert 30 <= counts[0] <= 50
    assert 300 <= counts[-1] <= 900
    assert counts[-1] - counts[-2] <= 0.05 * counts[-1]
    assert counts[-1] <= 1.35 * counts[3]


# -- real networks -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "brokers", "links"),
    [("abilene.yaml", 11, 14), ("nobel-germany.yaml", 17, 26), ("geant2012.yaml", 37, 58)],
)
def test_real_networks_have_their_size_and_hang_together(file: str, brokers: int, links: int) -> None:
    hand = read(EXAMPLES / "real-networks" / file)
    assert (len(hand.brokers), len(set(map(frozenset, hand.links)))) == (brokers, links)
    assert nx.is_connected(graph(hand))
    assert all(broker in hand.brokers for pair in hand.pairs for broker in pair)
    for link in hand.raw["links"]:
        assert float(link["latency_ms"]) == pytest.approx(float(link["cost"]) / 200, abs=0.001)
