"""What pictures say of walks, held against walks by hand and against an oracle that follows every message by itself."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from momlint.access import Access
from momlint.disciplines import complete
from momlint.estate.load import LoadedEstate
from momlint.estate.opening import open_bytes
from momlint.lint import Options
from momlint.routed.overlay.build import build
from momlint.view import routed
from momlint.view.form import Fare, Picture, Places, Sight, Way
from momlint.view.gathering import gather
from tests.budget import examples
from tests.oracles import Oracle

ROOT = Path(__file__).parents[2]
EXAMPLES = [
    "triangle/topology.yaml",
    "six-brokers/misrouted.yaml",
    "six-brokers/broker-1-failed.yaml",
    "three-brokers/slip.yaml",
    "ring/topology.yaml",
]


def _drawn(name: str) -> Picture:
    return gather([str(ROOT / "examples" / name)], Options(engine="graph")).pictures[0]


def _says(picture: Picture, tail: str, head: str, state: int) -> tuple[str, list[str]]:
    """The status of a pair and the brokers of its first way, by name."""
    names = [broker.id for broker in picture.brokers]
    (pair,) = [one for one in picture.pairs if (names[one.tail], names[one.head]) == (tail, head)]
    fare = pair.others.get(state, pair.usual)
    return fare.status, [names[stop] for stop in picture.ways[fare.ways[0]].stops]


def test_the_triangle_by_hand() -> None:
    picture = _drawn("triangle/topology.yaml")
    assert [(one.name, one.links, one.brokers) for one in picture.states] == [
        ("1", (), ()),
        ("2", (0,), ()),
        ("3", (1,), ()),
        ("4", (2,), ()),
    ]
    assert _says(picture, "1", "2", 0) == ("ok", ["1", "2"])
    assert _says(picture, "1", "2", 1) == ("moved", ["1", "3", "2"])
    assert _says(picture, "1", "3", 2) == ("moved", ["1", "2", "3"])
    assert _says(picture, "1", "3", 3) == ("ok", ["1", "3"])
    (pair,) = [one for one in picture.pairs if (one.tail, one.head) == (0, 1)]
    assert [picture.topics[one].name for one in pair.topics] == ["weather"]


def test_each_hop_has_its_line() -> None:
    gathered = gather([str(ROOT / "examples" / "triangle" / "topology.yaml")], Options(engine="graph"))
    picture = gathered.pictures[0]
    (pair,) = [one for one in picture.pairs if (one.tail, one.head) == (0, 1)]
    way = picture.ways[pair.others[1].ways[0]]
    text = (ROOT / "examples" / "triangle" / "topology.yaml").read_text().splitlines()
    lines = [text[gathered.places.spots[at][1] - 1].strip() for at in way.lines]
    assert lines == ["- {to: 2, via: 3, colours: [2]}", "- {to: 2, via: 2, colours: [1, 2, 3]}"]
    assert [picture.links[cable].id for cable in way.cables] == ["1--3", "fibre-a"]


def test_what_stops_says_why() -> None:
    picture = _drawn("six-brokers/misrouted.yaml")
    (pair,) = [one for one in picture.pairs if (one.tail, one.head) == (0, 4)]
    way = picture.ways[pair.usual.ways[0]]
    assert (pair.usual.status, way.says) == ("lost", "stopped at 6: it has no next hop for 5")
    # A broker that has failed cuts off its own messages; a link that it needs does so too.
    states = {one.name: number for number, one in enumerate(picture.states)}
    assert pair.others[states["5"]].status == "cut"
    assert pair.others[states["1--2"]].status == "cut"


def _random_estate(seed: int) -> str:
    """Few brokers with wrong and missing rows, by colour or not."""
    rng = random.Random(seed)
    n = rng.randrange(3, 7)
    links = [(i, rng.randrange(i)) for i in range(1, n)]
    links += [tuple(rng.sample(range(n), 2)) for _ in range(rng.randrange(4))]
    text = ["momlint: 1", "brokers:", *(f"  b{i}: {{transit: {str(rng.random() > 0.1).lower()}}}" for i in range(n))]
    text += ["links:", *(f"  - {{id: l{k}, between: [b{a}, b{b}]}}" for k, (a, b) in enumerate(links))]
    near: dict[int, list[int]] = {i: [] for i in range(n)}
    for a, b in links:
        near[a].append(b)
        near[b].append(a)
    kind = rng.choice(["tables", "shortest-path", "static", "recovery"])

    def hop(here: int) -> int:
        return rng.choice(near[here] if rng.random() < 0.9 else range(n))

    if kind in ("tables", "static"):
        text += ["routing:", f"  protocol: {'tables' if kind == 'tables' else 'shortest-path'}"]
        text += ["  tables:"] if kind == "tables" or rng.random() < 1 else []
        for i in range(n):
            rows: dict[int, list[int]] = {}
            for dest in range(n):
                if dest != i and rng.random() < (0.9 if kind == "tables" else 0.3):
                    rows.setdefault(hop(i), []).append(dest)
            if rows:
                body = ", ".join(f"b{via}: [{', '.join(f'b{d}' for d in dests)}]" for via, dests in rows.items())
                text.append(f"    b{i}: {{{body}}}")
            else:
                text.append(f"    b{i}: {{}}")
    else:
        text.append("routing: {protocol: shortest-path}")
    text.append("failures:")
    if kind != "recovery" and rng.random() < 0.5:
        text.append("  tolerate: {links: 1, brokers: 1}")
    colours = {
        f"c{k}": rng.sample(range(len(links)), rng.randrange(min(3, len(links)))) for k in range(rng.randrange(2, 5))
    }
    if rng.random() < 0.7:
        colours["c0"] = []
    text += ["  colours:", *(f"    {name}: [{', '.join(f'l{k}' for k in failed)}]" for name, failed in colours.items())]
    if kind == "recovery":
        text.append("  recovery:")
        for i in range(n):
            rows_ = [
                f"{{to: b{dest}, via: b{hop(i)}, colours: [{', '.join(some)}]}}"
                for dest in range(n)
                if dest != i
                for some in [[c for c in colours if rng.random() < 0.6]]
                if some
            ]
            text.append(f"    b{i}: [{', '.join(rows_)}]")
    return "\n".join(text) + "\n"


def _loaded(data: bytes, name: str) -> LoadedEstate:
    (loaded,) = open_bytes(data, name, Access(None), complete).estates
    assert loaded.estate is not None, [one.message for one in loaded.problems]
    return loaded


def _hold(loaded: LoadedEstate) -> dict[str, int]:
    """Every fare of the picture against the oracle; how often each status was met."""
    estate = loaded.estate
    assert estate is not None
    picture = routed.draw(loaded, (), Places())
    met: dict[str, int] = {}
    colours = {colour.name: number for number, colour in enumerate(estate.colours)} if estate.colours_declared else {}
    usual: dict[tuple[int, int], list[int]] = {}
    for number, state in enumerate(picture.states):
        if state.kind == "colour":
            oracle, colour = Oracle(build(estate)[0]), colours[state.name]
        elif estate.recovery_rows is not None:
            oracle, colour = Oracle(build(estate)[0]), 0
        else:
            overlay = build(estate, None, [(state.links, state.brokers)])[0]
            oracle, colour = Oracle(overlay), overlay.colours - 1
        for pair in picture.pairs:
            fare: Fare = pair.others.get(number, pair.usual)
            way = picture.ways[fare.ways[0]]
            met[fare.status] = met.get(fare.status, 0) + 1
            if {pair.tail, pair.head} & oracle.failed_brokers[colour]:
                assert fare.status == "cut"
                continue
            brokers, end = oracle.walk(colour, pair.tail, pair.head)
            stops = list(way.stops)
            assert (stops[:-1] if way.refused else stops) == brokers
            assert way.arrives == (end == "arrived")
            for one, other, cable in zip(stops, stops[1:], way.cables, strict=False):
                if end == "arrived":
                    assert cable == oracle.cheapest_arc(colour, one, other).link
            if number == 0:
                usual[pair.tail, pair.head] = brokers
            if end == "arrived":
                assert fare.status == ("ok" if brokers == usual[pair.tail, pair.head] else "moved")
            else:
                cut = pair.head not in oracle.reachable_from(colour, pair.tail)
                assert fare.status == ("cut" if cut else "lost")
    return met


def _fares(picture: Picture, state: int) -> dict[tuple[int, int], tuple[str, list[Way]]]:
    """How each pair fares in a state, with its ways."""
    found = {}
    for pair in picture.pairs:
        fare = pair.others.get(state, pair.usual)
        found[pair.tail, pair.head] = (fare.status, [picture.ways[way] for way in fare.ways])
    return found


def test_one_failure_is_followed_as_all_are() -> None:
    """Where there is too much for every state, the chosen one says the same, and so do walks that were known."""
    seen = 0
    for seed in range(examples(50)):
        loaded, places = _loaded(_random_estate(seed).encode(), "random.yaml"), Places()
        whole = routed.draw(loaded, (), places)
        before = routed.draw(loaded, (), places, Sight(None, 0))
        assert _fares(before, 0) == _fares(whole, 0)
        assert [one.is_open for one in before.states] == [False] + [True] * (len(before.states) - 1)
        for number, state in enumerate(whole.states[1:], 1):
            failure = state.links, state.brokers
            if any((one.links, one.brokers) == failure for one in whole.states[:number]):
                continue
            picture = routed.draw(loaded, (), places, Sight(failure, 0, {}, before))
            closed = [at for at, one in enumerate(picture.states) if not one.is_open]
            assert closed[0] == 0
            (at,) = closed[1:]
            assert (picture.states[at].links, picture.states[at].brokers) == failure
            assert _fares(picture, at) == _fares(whole, number)
            seen += 1
    assert seen > examples(50)


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_as_the_oracle_follows_them(name: str) -> None:
    file = ROOT / "examples" / name
    for loaded in open_bytes(file.read_bytes(), str(file), Access(None), complete).estates:
        _hold(loaded)


def test_random_estates_as_the_oracle_follows_them() -> None:
    met: dict[str, int] = {}
    for seed in range(examples(150)):
        for status, times in _hold(_loaded(_random_estate(seed).encode(), "random.yaml")).items():
            met[status] = met.get(status, 0) + times
    assert {status for status, times in met.items() if times > 50} == {"ok", "moved", "lost", "cut"}
