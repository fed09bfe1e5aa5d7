"""Who does not get what, and what is to be changed: worked out by hand, and against brute force."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import yaml

from momlint.findings import Finding
from momlint.lint import Options, lint_bytes, lint_files
from momlint.relayed.form import Need, relay_of
from momlint.relayed.patterns import Sets
from momlint.relayed.repairs import repairs
from tests.budget import ALL
from tests.relayed.brute import published, random_overlay, random_topic
from tests.relayed.test_brute import estate_of

CASES = Path(__file__).parents[1] / "native" / "cases"


def missed(text: str) -> list[Finding]:
    report = lint_bytes(text.encode(), "estate.yaml", Options())
    return [one for one in report.findings if one.code == "MOM803"]


def chain(first: int, second: int, third: int = 9) -> str:
    return f"""momlint: 1
brokers: {{a: , b: , c: , d: }}
routing: {{protocol: relay, syntax: amqp}}
links:
  - {{from: a, to: b, max_hops: {first}}}
  - {{from: b, to: c, max_hops: {second}}}
  - {{from: c, to: d, max_hops: {third}}}
publications: [{{at: a, filter: "plant.#"}}]
subscriptions:
  - {{at: c, filter: "plant.#"}}
  - {{at: d, filter: "plant.#"}}
"""


def test_hop_limits_count_by_their_place() -> None:
    """As RabbitMQ's federation has it: (1, 2) delivers, (2, 1) does not, and the second link is at fault."""
    assert missed(chain(1, 2, 3)) == []
    (finding,) = missed(chain(2, 1))
    assert (finding.span.start.line, finding.help) == (6, "raise the limit of this link to 2")
    assert "from `b` to `c` it would be hop 2, and the limit there is 1 hop" in finding.message
    assert finding.affected is not None
    assert finding.affected.pairs == 2
    assert [one.span.start.line for one in finding.related] == [10, 11]


def test_of_several_links_that_carry_it_once_the_first_counts_even_where_it_is_kept_from_it() -> None:
    text = """momlint: 1
brokers: {a: {site: s}, b: {site: s}}
routing: {protocol: relay, guard: {once: true, visited: site}}
links:
  - {id: x, from: a, to: b}
  - {id: y, from: a, to: b, unguarded: true}
topics:
  t: {publishers: [a], subscribers: [b]}
"""
    (finding,) = missed(text)
    assert (finding.span.start.line, finding.message) == (
        5,
        "`b` does not get `t` from `a`: `b` is taken for a broker that it has been at",
    )
    # The other way round it takes the link that no guard looks at.
    first, second = "  - {id: x, from: a, to: b}\n", "  - {id: y, from: a, to: b, unguarded: true}\n"
    assert missed(text.replace(first + second, second + first)) == []


def test_several_hop_limits_on_one_way_are_told_together() -> None:
    (finding,) = missed(chain(1, 1, 1))
    assert finding.span.start.line == 6
    assert finding.help == "raise the limit of this link to 2, and that from `c` to `d` to 3"
    assert 7 in [one.span.start.line for one in finding.related]


def test_a_limit_is_told_for_the_longest_way_over_the_link() -> None:
    text = """momlint: 1
brokers: {a: , b: , c: , d: }
routing: {protocol: relay, syntax: amqp}
links:
  - {from: a, to: b}
  - {from: b, to: c}
  - {from: c, to: d, max_hops: 1}
publications: [{at: a, filter: x}, {at: b, filter: x}]
subscriptions: [{at: d, filter: x}]
"""
    (finding,) = missed(text)
    assert (finding.span.start.line, finding.help) == (7, "raise the limit of this link to 3")


ESTATE = """momlint: 1
brokers: {{edge: , hub: {hub}, cloud: }}
routing: {{protocol: relay, syntax: mqtt}}
links:
  - {{{first}}}
  - {{{second}}}
publications: [{{at: edge, filter: plant/a}}]
subscriptions: [{{at: cloud, filter: {wanted}}}]
"""
UP = "from: edge, to: hub"
ON = "from: hub, to: cloud"


@pytest.mark.parametrize(
    ("estate", "line", "why"),
    [
        ({"second": ON + ", topics: [{filter: office/a}]"}, 6, "no filter from `hub` to `cloud` lets `plant/a` pass"),
        ({"second": ON + ", topics: [{filter: plant/a, deny: true}, {filter: plant/a}]"}, 6, "it is denied"),
        ({"hub": "{transit: false}"}, 2, "`hub` passes nothing on"),
        ({"second": "from: cloud, to: hub"}, 6, "the link from `cloud` to `hub` leads that way only"),
        ({"second": "from: cloud, to: cloud"}, 8, "no links lead there"),
        # A renamed topic that nobody listens to: it is the subscription that is not true.
        ({"first": UP + ", topics: [{filter: plant/a, add: s/}]"}, 8, "it arrives there as `s/plant/a`"),
    ],
)
def test_the_line_to_change(estate: dict[str, str], line: int, why: str) -> None:
    given = {"hub": "", "first": UP, "second": ON, "wanted": "plant/a", **estate}
    (finding,) = missed(ESTATE.format(**given))
    assert finding.span.start.line == line
    assert why in finding.message


def test_brokers_that_a_guard_takes_for_one() -> None:
    """Two clusters that keep one name look like one broker to a message that remembers names."""
    text = """momlint: 1
brokers: {a: {site: k}, b: {site: m}, c: {site: k}}
routing: {protocol: relay, syntax: amqp, guard: {visited: site}}
links:
  - {from: a, to: b}
  - {from: b, to: c}
publications: [{at: a, filter: x}]
subscriptions: [{at: c, filter: x}]
"""
    (finding,) = missed(text)
    assert finding.span.start.line == 6
    assert "`c` is taken for a broker that it has been at" in finding.message


def test_bridges_that_only_push(tmp_path: Path) -> None:
    """Case 11 says who is out of reach of whom; that somebody is to be in reach, a manifest has to say."""
    for path in (CASES / "11-mosq-hub-does-not-relay-between-out-only-edges").iterdir():
        (tmp_path / path.name).write_text(path.read_text())
    names = ("east", "hub", "west")
    brokers = ", ".join(f"{name}: {{config: {name}.conf}}" for name in names)
    everywhere = ", ".join(f'{{at: {name}, filter: "#"}}' for name in names)
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(
        f"momlint: 1\nbrokers: {{{brokers}}}\npublications: [{everywhere}]\nsubscriptions: [{everywhere}]\n"
    )
    found = [one for one in lint_files([str(manifest)], Options()).findings if one.code == "MOM803"]
    # hub → east and west → east want the same: that east pulls.
    assert [(Path(one.file).name, one.span.start.line) for one in found] == [("east.conf", 7), ("west.conf", 7)]
    assert [one.affected.pairs for one in found if one.affected] == [2, 2]
    assert "the link from `east` to `hub` leads that way only" in found[0].message


def test_what_arrives_needs_no_change_and_what_does_not_some() -> None:
    """And with the change that is named, where it is one limit on hops, it arrives."""
    rng = random.Random("reach")
    raised = 0
    for _ in range(800 if ALL else 100):
        text = random_overlay(rng)
        relay = relay_of(estate_of(text))
        sets = Sets(relay.language)
        topic = random_topic(rng, relay.language.syntax)
        # Wanted everywhere under the name that it is published by.
        pattern = relay.language.topic(topic)
        for origin, name in enumerate(relay.names):
            expected = published(text, name, topic)
            if expected.many or expected.grows or expected.loops:
                continue
            needs = [Need(number, pattern, topic, relay.estate.place) for number in range(len(relay.names))]
            found = repairs(relay, sets, origin, relay.language.tokens(topic), needs)
            for need in needs:
                arrives = need.broker == origin or (relay.names[need.broker], topic) in expected.arrivals
                assert (found.get(need) == ()) == arrives, (text, name, topic, need.broker)
                changes = found.get(need) or ()
                if [one.kind for one in changes] == ["hops"]:
                    estate = yaml.safe_load(text)
                    estate["links"][changes[0].arc.link]["max_hops"] = changes[0].hop
                    again = published(yaml.safe_dump(estate, sort_keys=False), name, topic)
                    if not (again.many or again.grows or again.loops):
                        raised += 1
                        assert (relay.names[need.broker], topic) in again.arrivals
    assert raised
