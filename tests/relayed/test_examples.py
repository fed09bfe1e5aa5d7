"""Verdicts on relayed overlays that were worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from momlint.access import Access
from momlint.discipline import Request
from momlint.disciplines import disciplines_of
from momlint.estate.opening import open_bytes
from momlint.findings import Draft
from momlint.lint import Options, lint_bytes, lint_files
from momlint.relayed.classes import TopicClass
from momlint.relayed.fates import Fates
from momlint.relayed.form import Relay, relay_of
from momlint.relayed.smt import Answer, decide

EXAMPLES = Path(__file__).parents[2] / "examples" / "relayed"


def drafts(text: str) -> list[Draft]:
    (loaded,) = open_bytes(text.encode(), "estate.yaml", Access.of("estate.yaml")).estates
    assert loaded.problems == []
    (discipline,) = disciplines_of(loaded)
    assert discipline.name == "relayed"
    judgement = discipline.judge(loaded, Request(lambda code: True))
    found = list(judgement.drafts())
    assert judgement.outcome({draft.code for draft in found}).verdicts == []
    return found


@pytest.mark.parametrize(("name", "codes"), [("plant", []), ("growing", ["MOM807"])])
def test_an_example(name: str, codes: list[str]) -> None:
    assert [draft.code for draft in drafts((EXAMPLES / f"{name}.yaml").read_text(encoding="utf-8"))] == codes


def test_one_message_under_two_names_is_no_duplicate() -> None:
    text = """
momlint: 1
brokers: {edge: , hub: }
routing: {protocol: relay, syntax: mqtt}
links:
  - {id: l0, from: edge, to: hub, topics: [{filter: "a/#", add: p1/}]}
  - {id: l1, from: edge, to: hub, topics: [{filter: "a/#", add: p2/}]}
  - {id: l2, from: edge, to: hub, topics: [{filter: "b/#", add: p3/}]}
  - {id: l3, from: edge, to: hub, topics: [{filter: "b/#", add: p3/}]}
"""
    # p1/a and p2/a differ; p3/b comes twice.
    (twice,) = [draft for draft in drafts(text) if draft.code == "MOM804"]
    assert twice.data["copies"] == 2
    assert str(twice.data["topic"]).startswith("b")


def test_a_loop_over_a_link_without_limit_beside_limited_ones() -> None:
    text = """
momlint: 1
brokers: {a: , b: , c: }
routing: {protocol: relay, syntax: mqtt}
links:
  - {from: a, to: b}
  - {from: b, to: a}
  - {from: b, to: c, max_hops: 2}
"""
    assert [draft.code for draft in drafts(text) if draft.code != "MOM804"] == ["MOM801"]


def test_a_renamed_topic_that_nobody_listens_to() -> None:
    text = """
momlint: 1
brokers: {edge: , cloud: }
routing: {protocol: relay, syntax: mqtt}
links:
  - {from: edge, to: cloud, topics: [{filter: "plant/#", add: site7/}]}
publications: [{at: edge, filter: "plant/a"}]
subscriptions: [{at: cloud, filter: "plant/#"}]
"""
    (missed,) = [draft for draft in drafts(text) if draft.code == "MOM803"]
    assert "it arrives there as `site7/plant/a`" in missed.message


RING = """
momlint: 1
brokers: {a: , b: , c: }
routing: {protocol: relay, syntax: amqp, guard: {visited: broker%s}}
links:
  - {from: a, to: b}
  - {from: b, to: c}
  - {from: c, to: a}
"""


def test_a_ring_that_hop_limits_end_as_well_is_meant() -> None:
    assert [draft.code for draft in drafts(RING % "")] == ["MOM802"]
    assert drafts(RING % ", hops: 2") == []


def test_a_mesh_with_a_second_hop_is_told_at_the_limit_to_lower() -> None:
    """Each of three brokers gets a copy from each other one, and one by way of the third."""
    pairs = [(tail, head) for tail in "abc" for head in "abc" if tail != head]
    links = "\n".join(f"  - {{from: {tail}, to: {head}}}" for tail, head in pairs)
    text = f"""
momlint: 1
brokers: {{a: , b: , c: }}
routing: {{protocol: relay, syntax: amqp, guard: {{visited: broker, hops: %d}}}}
links:
{links}
"""
    (twice,) = drafts(text % 2)
    assert (twice.code, twice.data["copies"], twice.place.path) == ("MOM804", 2, ("links", pairs.index(("c", "b"))))
    assert twice.help.startswith("lower the limit on hops here from 2 to 1")
    assert drafts(text % 1) == []


def test_a_shovel_goes_round_where_guards_would_stop_a_message() -> None:
    text = """
momlint: 1
brokers: {a: , b: }
routing: {protocol: relay, syntax: amqp, guard: {visited: broker, hops: 1}}
links:
  - {from: a, to: b, unguarded: true}
  - {from: b, to: a%s}
"""
    assert [draft.code for draft in drafts(text % ", unguarded: true")] == ["MOM801"]
    # a's own come back to a once: a shovel is no hop. There, and at b, they are there twice.
    found = drafts(text % "")
    assert {draft.code for draft in found} == {"MOM804"}


def test_hops_of_another_counter_do_not_count() -> None:
    """a → b → c, one hop at the most over either link: with one counter b → c would be the second."""
    text = """
momlint: 1
brokers: {a: , b: , c: }
routing: {protocol: relay, syntax: amqp, guard: {hops: 1}}
links:
  - {from: a, to: b, counter: red, max_hops: 1}
  - {from: b, to: c, counter: %s, max_hops: 1}
topics: {news: {publishers: [a], subscribers: [c]}}
"""
    assert [draft.code for draft in drafts(text % "blue") if draft.code != "MOM501"] == []
    (lost,) = [draft for draft in drafts(text % "red") if draft.code != "MOM501"]
    assert (lost.code, lost.place.path) == ("MOM803", ("links", 1))
    assert lost.help == "raise the limit of this link to 2"
    # The guard's hops are not the limit of a link with a counter of its own.
    assert [draft.code for draft in drafts(text.replace(", max_hops: 1", "") % "red") if draft.code != "MOM501"] == []


def test_a_limit_with_a_counter_of_its_own_is_meant_to_end_a_ring() -> None:
    text = """
momlint: 1
brokers: {a: , b: , c: }
routing: {protocol: relay, syntax: amqp}
links:
  - {from: a, to: b, max_hops: %d, counter: x}
  - {from: b, to: c, max_hops: %d, counter: x}
  - {from: c, to: a, max_hops: %d, counter: x}
"""
    assert drafts(text % (2, 2, 2)) == []
    assert [draft.code for draft in drafts(text.replace(", counter: x", "") % (2, 2, 2))] == ["MOM802"]
    # With one hop more each message comes back to where it was published.
    (back,) = drafts(text % (3, 3, 3))
    assert (back.code, back.message) == (
        "MOM804",
        "`a` gets 2 copies of messages such as `x` from its own publishers",
    )
    assert back.witness is not None
    assert back.witness.paths == ("a", "a → b → c → a")
    assert back.help.startswith("lower the limit on hops here from 3 to 2, and on the other links likewise")


def findings(text: str) -> list[tuple[str, int, int]]:
    report = lint_bytes(text.encode(), "estate.yaml", Options())
    return sorted((one.code, one.span.start.line, one.span.start.column) for one in report.findings)


def test_what_only_routed_overlays_have_is_refused() -> None:
    text = """momlint: 1
brokers: {a: , b: }
routing: {protocol: relay, after_failure: heal, tables: {a: {b: [b]}}}
links: [{from: a, to: b, cost: 3}, {from: b, to: a, latency_ms: 5, cost: 2}]
topics: {x/y: {publishers: [a, b], subscribers: [a, b], max_hops: 3}}
failures: {takeover: {a: b}}
"""
    refused = [place for place in findings(text) if place[0] == "MOM102"]
    # One finding a field, at the first place; `cost` has a second one.
    assert [place[1:] for place in refused] == [(3, 28), (3, 49), (4, 26), (4, 53), (5, 57), (6, 12)]
    routed = text.replace("protocol: relay", "protocol: tables")
    assert not [place for place in findings(routed) if place[0] == "MOM102"]


def test_what_only_relayed_overlays_have_is_refused() -> None:
    text = """momlint: 1
brokers: {a: {guard: {hops: 1}}, b: {external: true}}
routing: {protocol: shortest-path, syntax: mqtt, guard: {split_horizon: link}}
links: [{from: a, to: b, topics: [{filter: x}], max_hops: 2}, {from: b, to: a, max_hops: 1, connection: c, echo: true}]
subscriptions: [{at: b, filter: x}]
publications: [{at: a, filter: x}]
"""
    refused = [place[1:] for place in findings(text) if place[0] == "MOM102"]
    first = [(2, 15), (2, 38), (3, 36), (3, 50), (4, 26), (4, 49), (4, 93), (4, 108), (5, 1), (6, 1)]
    assert refused == first
    relayed = text.replace("protocol: shortest-path", "protocol: relay")
    assert not [place for place in findings(relayed) if place[0] == "MOM102"]
    # What was meant to be relayed is no second mistake.
    misspelt = text.replace("protocol: shortest-path", "protocol: relais")
    assert [place[1:] for place in findings(misspelt) if place[0] == "MOM102"] == [(3, 21)]


def test_a_routed_estate_has_no_configuration_files(tmp_path: Path) -> None:
    (tmp_path / "a.conf").write_text("listener 1883\nconnection c\naddress b.example\ntopic # out\n")
    manifest = "momlint: 1\nbrokers: {a: {config: a.conf}}\nrouting: {protocol: tables}\n"
    (tmp_path / "estate.yaml").write_text(manifest)
    report = lint_files([str(tmp_path / "estate.yaml")], Options())
    (refused,) = [one for one in report.findings if one.code == "MOM102"]
    assert (Path(refused.file).name, refused.span.start.line, refused.span.start.column) == ("estate.yaml", 2, 15)


def test_parallel_links_need_names() -> None:
    text = """momlint: 1
brokers: {a: , b: }
routing: {protocol: relay}
links:
  - {from: a, to: b, topics: [{filter: x}]}
  - {from: a, to: b, topics: [{filter: y}]}
"""
    assert [place[:2] for place in findings(text)] == [("MOM105", 6)]
    assert findings(text.replace("{from", "{id: one, from", 1).replace("- {from", "- {id: two, from")) == []


@pytest.mark.parametrize(
    ("syntax", "filter_", "is_told"),
    [
        ("mqtt", "plant.*.temp", True),
        ("mqtt", "plant.#", True),
        ("mqtt", "plant.temp", False),
        ("mqtt", "v1.2/#", False),
        ("mqtt", "plant/>", True),
        ("amqp", "plant/#", True),
        ("amqp", "plant.#", False),
        ("nats", "plant.#", True),
        ("jms", "plant.+", True),
    ],
)
def test_filters_of_another_syntax(syntax: str, filter_: str, is_told: bool) -> None:
    """In links and in what a manifest expects."""
    text = f"""momlint: 1
brokers: {{a: , b: }}
routing: {{protocol: relay, syntax: {syntax}}}
links: [{{from: a, to: b, topics: [{{filter: "{filter_}"}}]}}]
subscriptions: [{{at: b, filter: "{filter_}"}}]
"""
    assert [place[1] for place in findings(text) if place[0] == "MOM806"] == ([4, 5] if is_told else [])


def test_classes_are_computed_once_for_what_memory_cuts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether brokers are remembered makes no other classes."""
    from momlint.relayed.classes import Classes

    text = """
momlint: 1
brokers: {a: , b: , c: }
routing: {protocol: relay, guard: {visited: broker}}
links: [{between: [a, b]}, {between: [b, c]}, {between: [c, a]}]
"""
    asked: list[int] = []
    of = Classes.of
    monkeypatch.setattr(Classes, "of", lambda self, origin: asked.append(origin) or of(self, origin))
    # Each gets it directly and by way of the third; without a memory it would go round.
    assert sorted(draft.code for draft in drafts(text)) == ["MOM804"]
    assert asked == [0, 1, 2]


def test_one_topic_that_is_renamed_whole_leaves_tokens_words() -> None:
    """As Mosquitto's ``topic "" out 0 status site0/status``, whose names end within nothing."""
    from momlint.relayed.form import relay_of
    from tests.relayed.test_brute import estate_of

    text = """
momlint: 1
brokers: {a: , b: , c: }
routing: {protocol: relay, syntax: mqtt}
links:
  - {from: a, to: b, topics: [{filter: status, strip: status, add: site0/status}]}
  - {from: b, to: c, topics: [{filter: site0/status, strip: site0/status, add: status}]}
  - {from: a, to: c, topics: [{filter: status}]}
"""
    assert not relay_of(estate_of(text)).language.glued
    # c gets it directly and under its old name again.
    (twice,) = drafts(text)
    assert (twice.code, twice.data["copies"], twice.data["topic"]) == ("MOM804", 2, "status")
    # What a prefix without a separator at its end makes of many topics is known by characters only.
    assert relay_of(estate_of(text.replace("{filter: status}", '{filter: "#", add: p}'))).language.glued


def test_topics_that_are_renamed_whole_go_round() -> None:
    text = """
momlint: 1
brokers: {a: , b: }
routing: {protocol: relay, syntax: nats}
links:
  - {from: a, to: b, topics: [{filter: x.y, strip: x.y, add: z}]}
  - {from: b, to: a, topics: [{filter: z, strip: z, add: LAST}]}
"""
    assert [draft.code for draft in drafts(text.replace("LAST", "x.y"))] == ["MOM801"]
    assert drafts(text.replace("LAST", "x.z")) == []


def cut_by(text: str) -> list[tuple[str, object]]:
    return [(draft.code, draft.data["element"]) for draft in drafts(text) if draft.code in ("MOM501", "MOM502")]


def test_an_alternative_takes_the_place_of_a_broker_that_has_failed() -> None:
    text = """
momlint: 1
brokers: {edge: , hub: , hub-2: , cloud: }
routing: {protocol: relay, syntax: mqtt}
links:
  - {id: up, from: edge, to: hub, alternatives: {hub: [hub-2]}}
  - {id: on, from: hub, to: cloud}
  - {id: on-2, from: hub-2, to: cloud}
publications: [{at: edge, filter: x}]
subscriptions: [{at: cloud, filter: x}]
"""
    # While hub is up the uplink does not lead to hub-2, so `on` is the only way on.
    assert cut_by(text) == [("MOM501", "up"), ("MOM501", "on")]
    alone = text.replace(", alternatives: {hub: [hub-2]}", "")
    assert cut_by(alone) == [("MOM501", "up"), ("MOM501", "on"), ("MOM501", "hub")]
    promised = "failures: {tolerate: {brokers: 1}}\n"
    assert ("MOM502", "hub") not in cut_by(text + promised)
    assert ("MOM502", "hub") in cut_by(alone + promised)
    # Where both have failed there is none.
    assert ("MOM502", "hub") in cut_by(text + "failures: {tolerate: {brokers: 2}}\n")


def test_alternatives_of_brokers_that_are_not_there() -> None:
    text = """momlint: 1
brokers: {a: , b: , c: }
routing: {protocol: relay}
links:
  - {from: a, to: b, alternatives: {c: [b]}}
  - {from: b, to: c, alternatives: {c: [d]}}
"""
    assert [place for place in findings(text) if place[0] in ("MOM102", "MOM104")] == [
        ("MOM102", 5, 37),
        ("MOM104", 6, 41),
    ]


EXPLODING = """
momlint: 1
brokers: {a: , b: , c: , d: , e: }
routing: {protocol: relay, syntax: mqtt}
links:
  - {id: l0, between: [a, b], connection: one, topics: [{filter: "x/#", strip: "x/"}]}
  - {id: l1, from: b, to: a, connection: two, topics: [{filter: "y/#", strip: "y/"}]}
  - {id: l2, from: b, to: a, connection: three, topics: [{filter: "x/y/#", strip: "x/"}]}
  - {id: l3, from: a, to: b, connection: four, topics: [{filter: "y/x/#", strip: "y/"}, {filter: "z/#", strip: "z/"}]}
  - {id: l4, from: d, to: e, topics: [{filter: "loop/#"}]}
  - {id: l5, from: e, to: d, topics: [{filter: "loop/#"}]}
  - {id: l6, from: d, to: c, topics: [{filter: "x/y/z"}]}
subscriptions: [{at: c, filter: "w"}]
"""


def test_where_topics_are_told_apart_without_end_the_rest_is_still_judged() -> None:
    # Between a and b any word of x and y is cut in any order, so that there are as many classes as words in two
    # letters, 2**n of n letters; what d and e do has nothing to do with them.
    report = lint_bytes(EXPLODING.encode(), "estate.yaml", Options(engine="graph"))
    found = [(one.code, one.span.start.line) for one in report.findings]
    assert ("MOM801", 11) in found
    (undecided,) = [one for one in report.findings if one.code == "MOM901"]
    assert "published at `a` and `b`" in undecided.message
    assert "narrow the filters" in str(undecided.help)
    # That c gets nothing, and that nothing passes somewhere, may be so for lack of a look at all that is published.
    assert not {"MOM803", "MOM805"} & {code for code, _ in found}


def test_exchanges_that_are_federated_alike_are_one_question(monkeypatch: pytest.MonkeyPatch) -> None:
    """From `a` x0, x1 and x2 do the same, and all else stays there; from `b` everything stays: five classes."""
    asked: list[str] = []

    def counting(relay: Relay, found: TopicClass, *more: object) -> Answer:
        asked.append(relay.names[found.origin])
        return decide(relay, found)

    monkeypatch.setattr("momlint.relayed.smt.decide", counting)
    filters = ", ".join(f'{{filter: "x{number}.#"}}' for number in range(3))
    text = f"""momlint: 1
brokers: {{a: , b: }}
routing: {{protocol: relay, syntax: amqp}}
links: [{{from: a, to: b, topics: [{filters}]}}]
"""
    (loaded,) = open_bytes(text.encode(), "e.yaml", Access.of("e.yaml")).estates
    assert loaded.estate is not None
    fates = Fates(relay_of(loaded.estate), "smt")
    fates.work_out()
    assert asked == ["a", "a", "b"]
    assert fates.decided_twice == len(fates.told) == 5
    arriving = [fates.name(one.found) for one in fates.told if one.fate.arrivals]
    assert [name.partition(".")[0] for name in sorted(arriving)] == ["x0", "x1", "x2"]
