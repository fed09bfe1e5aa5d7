"""What a failure takes in a relayed overlay, against brute force on the text without what has failed."""

from __future__ import annotations

import copy
import random
from typing import Any

import pytest
import yaml

from momlint.lint import Options
from momlint.view.form import Picture
from momlint.view.gathering import Looking, Supposed, gather
from tests.budget import ALL
from tests.relayed.brute import matches, published, random_filter, random_overlay, random_topic

Estate = dict[str, Any]


def drawn(text: str, links: tuple[str, ...] = (), brokers: tuple[str, ...] = ()) -> Picture:
    options = Options(engine="graph", select=("MOM101",))
    gathered = gather(["x.yaml"], options, {"x.yaml": text.encode()}, looking=Looking(Supposed(0, links, brokers)))
    assert gathered.report.findings == []
    (picture,) = gathered.pictures
    return picture


def lost(picture: Picture) -> set[tuple[str, str, str]]:
    told = picture.states[-1].lost
    assert told is not None
    return {(picture.brokers[tail].id, picture.brokers[head].id, name) for tail, head, name in told}


PLANT = """\
momlint: 1
routing: {protocol: relay}
brokers: {edge: , hub: , spare: , cloud: }
links:
  - {id: up, from: edge, to: hub, connection: wan, topics: [{filter: "plant/#"}], alternatives: {hub: [spare]}}
  - {id: down, from: hub, to: edge, connection: wan, topics: [{filter: "cmd/#"}]}
  - {id: fast, from: hub, to: cloud}
  - {id: slow, from: spare, to: cloud, topics: [{filter: "plant/a", add: "late/"}]}
topics:
  plant/a: {publishers: [edge], subscribers: [cloud]}
  plant/b: {publishers: [edge], subscribers: []}
  cmd/x: {publishers: [hub], subscribers: [edge]}
subscriptions:
  - {at: cloud, filter: "+/b"}
  - {at: cloud, filter: "late/#"}
"""


def test_a_link_fails_with_its_connection() -> None:
    picture = drawn(PLANT, ("up", "down"))
    assert lost(picture) == {("edge", "cloud", "plant/a"), ("edge", "cloud", "+/b"), ("hub", "edge", "cmd/x")}
    assert [(one.links, one.brokers) for one in picture.states] == [((), ()), ((0, 1), ())]


def test_an_alternative_takes_over_and_renames() -> None:
    picture = drawn(PLANT, (), ("hub",))
    # Through the spare one plant/b does not pass, and plant/a has another name, which is wanted by the last alone. What
    # the hub itself publishes is not counted: it is down.
    assert lost(picture) == {("edge", "cloud", "plant/a"), ("edge", "cloud", "+/b")}
    fares = {picture.pairs[n].label: picture.pairs[n].others[1] for n in range(len(picture.pairs))}
    assert {name: fare.status for name, fare in fares.items()} == {
        "plant/a": "moved",
        "plant/b": "lost",
        "cmd/x": "cut",
    }
    way = picture.ways[fares["plant/a"].ways[0]]
    assert [picture.brokers[one].id for one in way.stops] == ["edge", "spare", "cloud"]


def test_what_fails_beside_the_way_takes_nothing() -> None:
    picture = drawn(PLANT, ("slow",))
    assert lost(picture) == set()
    assert not any(pair.others for pair in picture.pairs)


def test_where_nobody_says_what_is_wanted_pairs_tell_it() -> None:
    text = "momlint: 1\nrouting: {protocol: relay}\nbrokers: {a: , b: , c: }\n"
    picture = drawn(text + "links: [{between: [a, b]}, {between: [b, c]}]\n", ("a--b",))
    assert picture.states[-1].lost is None
    names = {(picture.brokers[one.tail].id, picture.brokers[one.head].id): one for one in picture.pairs}
    status = {pair: one.others[1].status if 1 in one.others else one.usual.status for pair, one in names.items()}
    assert {pair for pair, one in status.items() if one == "cut"} == {("a", "b"), ("b", "a"), ("a", "c"), ("c", "a")}
    assert status["b", "c"] == status["c", "b"] == names["b", "c"].usual.status


# -- random estates ---------------------------------------------------------------------------------------------------


def random_estate(rng: random.Random) -> Estate:
    """An overlay with topics, and what matches a filter, wanted here and there; some links have an alternative."""
    estate: Estate = yaml.safe_load(random_overlay(rng))
    names, syntax = list(estate["brokers"]), estate["routing"].get("syntax", "mqtt")
    estate["topics"] = {}
    for _ in range(rng.randint(1, 4)):
        publishers, subscribers = (rng.sample(names, rng.randint(low, 2)) for low in (1, 0))
        estate["topics"][random_topic(rng, syntax)] = {"publishers": publishers, "subscribers": subscribers}
    some = range(rng.randint(0, 4))
    estate["subscriptions"] = [{"at": rng.choice(names), "filter": random_filter(rng, syntax)} for _ in some]
    for link in estate["links"]:
        ends = link.get("between") or [link["from"], link["to"]]
        others = [name for name in names if name not in ends]
        if others and rng.random() < 0.5:
            link["alternatives"] = {rng.choice(ends): rng.sample(others, rng.randint(1, len(others)))}
    return estate


def without(estate: Estate, links: set[str], brokers: set[str]) -> Estate:
    """The same with these taken out of the text; a link whose end is gone leads to its first alternative."""
    left = copy.deepcopy(estate)

    def end(link: Estate, name: str) -> str | None:
        others = [name, *link.get("alternatives", {}).get(name, [])]
        return next((one for one in others if one not in brokers), None) if name in brokers else name

    kept = []
    for link in left["links"]:
        keys = ["between"] if "between" in link else ["from", "to"]
        ends = [end(link, one) for one in (link["between"] if keys == ["between"] else [link["from"], link["to"]])]
        if link["id"] in links or None in ends or ends[0] == ends[1]:
            continue
        for key, value in zip(keys, [ends] if keys == ["between"] else ends, strict=True):
            link[key] = value
        kept.append(link)
    left["links"] = kept
    return left


def served(estate: Estate) -> tuple[dict[tuple[str, str, str], bool], bool]:
    """(publisher's broker, subscriber's, what is wanted) → whether all of it arrives; and whether that is known."""
    text, syntax = yaml.safe_dump(estate, sort_keys=False), estate["routing"].get("syntax", "mqtt")
    wanted = [(one["at"], one["filter"], False) for one in estate["subscriptions"]]
    wanted += [(at, name, True) for name, topic in estate["topics"].items() for at in topic["subscribers"]]
    found: dict[tuple[str, str, str], bool] = {}
    for name, topic in estate["topics"].items():
        for source in topic["publishers"]:
            fate = published(text, source, name)
            if fate.many or fate.grows or fate.loops:
                return {}, False
            for at, pattern, is_topic in wanted:
                if at == source or not (pattern == name if is_topic else matches(syntax, pattern, name)):
                    continue
                arrived = [called for broker, called in fate.arrivals if broker == at]
                whole = any(pattern == one if is_topic else matches(syntax, pattern, one) for one in arrived)
                found[source, at, pattern] = found.get((source, at, pattern), True) and whole
    return found, True


@pytest.mark.parametrize("block", range(30 if ALL else 4))
def test_as_by_brute_force_on_the_changed_text(block: int) -> None:
    rng = random.Random(f"relayed failures {block}")
    tried = something = 0
    while tried < 10:
        estate = random_estate(rng)
        usual, known = served(estate)
        if not known or not any(usual.values()):
            continue
        failed_links, failed_brokers = set(), set()
        if rng.random() < 0.5:
            link = rng.choice(estate["links"])
            together = [
                one for one in estate["links"] if "connection" in link and one.get("connection") == link["connection"]
            ]
            failed_links = {one["id"] for one in (link, *together)}
        if not failed_links or rng.random() < 0.2:
            failed_brokers = {rng.choice(list(estate["brokers"]))}
        after, known = served(without(estate, failed_links, failed_brokers))
        if not known:
            continue
        expected = {
            one for one, whole in usual.items() if whole and not after[one] and not {one[0], one[1]} & failed_brokers
        }
        # In half of them something is lost.
        if not expected and tried - something >= 5:
            continue
        text = yaml.safe_dump(estate, sort_keys=False)
        picture = drawn(text, tuple(sorted(failed_links)), tuple(failed_brokers))
        if not any(one.links or one.brokers for one in picture.states):
            # There is no end of classes of some topic, which brute force did not look at.
            continue
        tried += 1
        something += bool(expected)
        assert lost(picture) == expected, (text, failed_links, failed_brokers)
        _compare_pairs(picture, without(estate, failed_links, failed_brokers), failed_brokers)


def _compare_pairs(picture: Picture, left: Estate, down: set[str]) -> None:
    """Whether each topic that is published comes to each broker as the picture says."""
    text, syntax = yaml.safe_dump(left, sort_keys=False), left["routing"].get("syntax", "mqtt")
    state = len(picture.states) - 1
    wanted = [(one["at"], one["filter"]) for one in left["subscriptions"]]
    topics = [(at, name) for name, topic in left["topics"].items() for at in topic["subscribers"]]
    for pair in picture.pairs:
        tail, head = picture.brokers[pair.tail].id, picture.brokers[pair.head].id
        status = pair.others.get(state, pair.usual).status
        if {tail, head} & down:
            assert status == "cut"
            continue
        name, _, called = pair.label.partition(" as ")
        fate = published(text, tail, name)
        arrived = {one: count for (broker, one), count in fate.arrivals.items() if broker == head}
        is_meant = [
            one
            for one in arrived
            if one == (called or name)
            or not (wanted or topics)
            or (head, one) in topics
            or any(at == head and matches(syntax, pattern, one) for at, pattern in wanted)
        ]
        assert (status in ("lost", "cut")) == (not is_meant), (text, pair.label, tail, head, status)
        if status in ("ok", "moved"):
            assert min(arrived[one] for one in is_meant) == 1
