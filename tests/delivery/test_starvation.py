"""MOM822 against every interleaving of a few events: it speaks exactly where a subscriber can wait for ever."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.budget import ALL, examples
from tests.delivery.reading import findings_of, report_of
from tests.delivery.simulator import Event, Member, World, outcomes

#: Order and numbering as in the language.
ORDERS = [("none", ""), ("fifo", "publisher"), ("fifo", "link"), ("total", "sequencer"), ("total", "subscriber")]
TOPICS = ("A", "B", "C")


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Trees of up to six sites, up to three publishers and three subscribers; some are both."""
    count = draw(st.integers(1, 6))
    parents = (-1, *(draw(st.integers(0, site - 1)) for site in range(1, count)))
    site = st.integers(0, count - 1)
    some = st.lists(st.sampled_from(TOPICS), min_size=1, max_size=2, unique=True).map(tuple)
    members = [
        Member(f"p{n}", draw(site), draw(some), draw(st.one_of(st.just(()), some)))
        for n in range(draw(st.integers(1, 3)))
    ]
    members += [Member(f"s{n}", draw(site), (), draw(some)) for n in range(draw(st.integers(1, 3)))]
    order, numbering = draw(st.sampled_from(ORDERS))
    return World(parents, tuple(members), draw(st.booleans()), order, numbering)


def written(world: World, sequencer: int = 0) -> str:
    """The world in the language."""
    lines = ["momlint: 1", "sites:"]
    for site, parent in enumerate(world.parents):
        above = f"parent: s{parent}, " if parent >= 0 else ""
        lines.append(f"  s{site}: {{{above}brokers: [b{site}]}}")
    numbering = f", numbering: {world.numbering}" if world.numbering else ""
    routing = "filtering" if world.filtering else "flooding"
    lines += [f"delivery: {{routing: {routing}, order: {world.order}{numbering}, sequencer: s{sequencer}}}", "clients:"]
    for name, site, publishes, subscribes in world.members:
        lines.append(
            f"  {name}: {{site: s{site}, publishes: [{', '.join(publishes)}], subscribes: [{', '.join(subscribes)}]}}"
        )
    return "\n".join(lines) + "\n"


def events_of(world: World) -> list[Event]:
    return [(member, topic) for member in world.members for topic in member.publishes]


@pytest.mark.slow
@settings(max_examples=examples(400))
@given(worlds(), st.data())
def test_it_speaks_exactly_where_somebody_waits_for_ever(world: World, data: st.DataObject) -> None:
    found = {finding.data["subscriber"]: finding for finding in findings_of(written(world), "MOM822")}
    events = events_of(world)
    # No event starves alone: a witness of two is the shortest.
    for event in events:
        assert outcomes(world, [event]) == {frozenset()}
    starved = set()
    for first, second in product(events, repeat=2):
        for end in outcomes(world, [first, second]):
            starved |= {name for name, _ in end}
    assert starved == set(found)
    for name, finding in found.items():
        by_name = {member.name: member for member in world.members}
        script = [
            (by_name[who], topic)
            for who, topic in zip(*(finding.data[k] for k in ("publishers", "topics")), strict=True)
        ]
        assert any((name, 1) in end for end in outcomes(world, script))
        assert finding.witness is not None
        assert finding.witness.trace[-1].endswith(f"{name} waits for number 1")
    # With more events no other subscriber starves.
    longer = data.draw(st.lists(st.sampled_from(events), min_size=3, max_size=4 if ALL else 3))
    for end in outcomes(world, longer):
        assert {name for name, _ in end} <= set(found)


def test_the_trap_of_the_document() -> None:
    """A1 A2 B3 A4: the subscriber of A gets two events, and waits for the third."""
    publisher = Member("p0", 0, ("A", "B"), ())
    reader = Member("s0", 1, (), ("A",))
    script = [(publisher, topic) for topic in "AABA"]
    world = World((-1, 0, 0), (publisher, reader, Member("s1", 2, (), ("A", "B"))), True, "fifo", "publisher")
    assert outcomes(world, script) == {frozenset({("s0", 3)})}
    assert [finding.data["subscriber"] for finding in findings_of(written(world), "MOM822")] == ["s0"]
    for order, numbering in (("fifo", "link"), ("total", "subscriber"), ("none", "")):
        other = World(world.parents, world.members, True, order, numbering)
        assert outcomes(other, script) == {frozenset()}
        assert findings_of(written(other), "MOM822") == []


def test_what_is_proved_and_what_is_looked_for() -> None:
    world = World((-1, 0), (Member("p0", 0, ("A",), ()), Member("s0", 1, (), ("A",))), True, "fifo", "publisher")
    proof = report_of(written(world)).proof
    assert {claim.one: number for claim, number in proof.claims.items()} == {
        "site is a tree": 2,
        "subscriber never waits for what filtering keeps away": 1,
    }
    assert proof.bounds == (
        "No violation with up to 3 events of 2 publishers and no crash: no event is lost, doubled or out of order; "
        "nothing is proved beyond that.",
    )
