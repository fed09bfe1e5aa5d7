"""Runs whose every time and number was counted by hand: no chance, a millisecond for a hop, one to handle a message."""

from __future__ import annotations

import pytest

from momlint.simulation.outcomes import Outcome
from momlint.simulation.running import run
from tests.simulation.designs import script, setting, with_policy

ESTATE = """\
momlint: 1
sites:
  s1: {brokers: [b1]}
  s2: {parent: s1, brokers: [b2], latency_ms: 5}
  s3: {parent: s1, brokers: [b3], latency_ms: 20}
delivery: {routing: flooding, order: none}
clients:
  p: {site: s2, publishes: [A, B]}
  q: {site: s3, publishes: [A]}
  near: {site: s2, subscribes: [A]}
  far: {site: s3, subscribes: [A, B]}
"""
SUBSCRIBED = "Subscriber near Subscribe A\nSubscriber far Subscribe A\nSubscriber far Subscribe B\nWait 1000\n"
OF_P = SUBSCRIBED + "Publisher p Publish 2 Ontopic A Interval 100\nPublisher p Publish 1 Ontopic B Interval 0\n"
TRAP = SUBSCRIBED + (
    "Publisher p Publish 2 Ontopic A Interval 0\nWait 50\nPublisher p Publish 1 Ontopic B Interval 0\nWait 50\n"
    "Publisher p Publish 1 Ontopic A Interval 0\n"
)


def ran(text: str, *, estate: str = ESTATE, policy: str = "", **changes: object) -> Outcome:
    of = setting(estate)
    of = with_policy(of, **changes) if changes else of
    steps, problems = script(text, of)
    assert not problems
    return run(of, of.under(policy) if policy else of.policy, steps)


def got(outcome: Outcome, name: str) -> list[tuple[str, float]]:
    return [(f"{one.event.topic}{one.event.number}", one.at_ms) for one in outcome.deliveries[name]]


def test_times_along_the_tree() -> None:
    """0.5 to the site and 1 there; 0.1, 5 and 1 to s1; 0.1, 20 and 1 to s3; 0.5 to the subscriber."""
    outcome = ran(SUBSCRIBED + "Publisher p Publish 1 Ontopic A Interval 0\n")
    assert got(outcome, "near") == [("A1", 1002.0)]
    assert got(outcome, "far") == [("A1", 1029.2)]
    assert outcome.latencies_ms == pytest.approx([2.0, 29.2])
    assert outcome.last_delivery_ms == 1029.2
    # Three subscriptions to three sites each, acknowledged; one event to three sites, acknowledged; two deliveries.
    assert outcome.messages == {"subscriptions": 9, "events": 3, "acknowledgements": 12, "deliveries": 2, "replicas": 0}
    assert outcome.messages_sent == 26
    assert (outcome.lost, outcome.missed, outcome.duplicates, outcome.settled) == ([], [], [], True)


def test_what_a_broker_is_busy_with_waits() -> None:
    """A2 comes with A1, and is handled when A1 is: 1 for A1, 0.3 to send it to near, to b1 and the pause."""
    outcome = ran(SUBSCRIBED + "Publisher p Publish 2 Ontopic A Interval 0\n")
    assert got(outcome, "near") == [("A1", 1002.0), ("A2", 1003.3)]


def test_interval_and_numbers_over_topics() -> None:
    """A1, then B2 of another line at once, then A3 after the interval."""
    outcome = ran(OF_P)
    assert [name for name, _ in got(outcome, "far")] == ["A1", "B2", "A3"]
    assert [name for name, _ in got(outcome, "near")] == ["A1", "A3"]
    assert got(outcome, "near")[1] == ("A3", 1102.0)


def test_filtering_sends_only_where_it_is_wanted() -> None:
    outcome = ran(SUBSCRIBED + "Publisher q Publish 1 Ontopic B Interval 0\n", policy="filtering/none")
    # To its own site, where it is wanted, and no farther.
    assert outcome.messages["events"] == 1
    flooded = ran(SUBSCRIBED + "Publisher q Publish 1 Ontopic B Interval 0\n", policy="flooding/none")
    assert flooded.messages["events"] == 3


def test_the_trap_of_the_document() -> None:
    """A1 A2 B3 A4 filtered: with the publisher's numbers the subscriber of A waits for 3 for ever."""
    estate = ESTATE.replace("routing: flooding, order: none", "routing: filtering, order: fifo, numbering: publisher")
    # near is at the publisher's site, which sees B3; a subscriber at s1 does not.
    estate = estate.replace("near: {site: s2", "near: {site: s1").replace("far: {site: s3", "far: {site: s2")
    outcome = ran(TRAP, estate=estate)
    assert [name for name, _ in got(outcome, "near")] == ["A1", "A2"]
    assert [(one.subscriber, one.event.number) for one in outcome.lost] == [("near", 4)]
    mended = ran(TRAP, estate=estate.replace("numbering: publisher", "numbering: link"))
    assert [name for name, _ in got(mended, "near")] == ["A1", "A2", "A4"]
    assert mended.lost == []


def test_total_order_costs_the_way_to_the_sequencer() -> None:
    """p's event: 1.5 at s2, question 0.1 + 5 + 1 to s1, answer 0.1 + 5 + 1 back; near has it 0.5 later."""
    text = SUBSCRIBED + "Publisher p Publish 1 Ontopic A Interval 0\n"
    assert got(ran(text, policy="flooding/total"), "near") == [("A1", 1014.2)]
    # At the sequencer's own site there is no way to go.
    assert got(ran(text, policy="flooding/total", sequencer=1), "near") == [("A1", 1002.0)]


def test_an_event_that_overtakes_the_subscription_is_missed_and_not_lost() -> None:
    text = "Subscriber far Subscribe A\nPublisher p Publish 1 Ontopic A Interval 0\n"
    flooded = ran(text, policy="flooding/none")
    assert (got(flooded, "far"), flooded.missed) == ([("A1", 29.2)], [])
    filtered = ran(text, policy="filtering/none")
    assert (got(filtered, "far"), filtered.lost) == ([], [])
    assert [(one.subscriber, one.event.number) for one in filtered.missed] == [("far", 1)]


def test_what_is_no_longer_wanted() -> None:
    text = (
        f"{SUBSCRIBED}Subscriber far Unsubscribe A\nWait 1000\nPublisher p Publish 1 Ontopic A Interval 0\nWait 1000\n"
        "Subscriber far Subscribe A\nWait 1000\nPublisher p Publish 1 Ontopic A Interval 0\n"
    )
    for policy in ("flooding/none", "filtering/fifo", "filtering/total", "flooding/total"):
        outcome = ran(text, policy=policy)
        assert [name for name, _ in got(outcome, "far")] == ["A2"]
        assert [name for name, _ in got(outcome, "near")] == ["A1", "A2"]
        assert (outcome.lost, outcome.missed) == ([], [])


THREE = ESTATE.replace("[b1]", "[b1, b11, b111]").replace("[b2]", "[b2, b22, b222]").replace("[b3]", "[b3, b33, b333]")


def test_a_crash_costs_the_time_of_a_suspicion() -> None:
    """The publisher waits 500 for an acknowledgement, tells b22 (0.5), which tells it (0.5); it sends again.

    0.5 to b22 and 1 + 0.5 for the standbys there, 0.5 to near.
    """
    outcome = ran(
        SUBSCRIBED + "Crash b2\nPublisher p Publish 1 Ontopic A Interval 0\nWait 5000\nStatus\n", estate=THREE
    )
    assert got(outcome, "near") == [("A1", 1503.5)]
    ((_, states),) = outcome.statuses
    assert (states["b2"], states["b22"], states["b222"]) == ("dead, crashed", "active", "standby")
    assert [states[name] for name in ("b1", "b11", "b3")] == ["active", "standby", "active"]
    assert (outcome.lost, outcome.duplicates) == ([], [])


def test_a_broker_that_was_only_slow_stands_by() -> None:
    """It is suspected at 1500.5, goes on at 1600 and answers; a second later it is no longer suspected nor active."""
    text = (
        f"{SUBSCRIBED}Freeze b2\nPublisher p Publish 1 Ontopic A Interval 0\nWait 600\nStatus\nUnfreeze b2\n"
        "Wait 1000\nStatus\n"
    )
    outcome = ran(text, estate=THREE)
    (_, before), (_, after) = outcome.statuses
    assert (before["b2"], before["b22"]) == ("suspected, frozen", "active")
    assert (after["b2"], after["b22"]) == ("standby", "active")
    assert got(outcome, "near") == [("A1", 1503.5)]
    assert "b2 discards what it had pending" in [line for _, line in outcome.log]


def test_a_broker_that_counted_as_dead_stands_by_when_it_is_back() -> None:
    text = (
        f"{SUBSCRIBED}Freeze b2\nPublisher p Publish 1 Ontopic A Interval 0\nWait 4000\nStatus\nUnfreeze b2\n"
        "Wait 1000\nStatus\n"
    )
    outcome = ran(text, estate=THREE)
    (_, before), (_, after) = outcome.statuses
    assert (before["b2"], after["b2"]) == ("dead, frozen", "standby")
    assert outcome.lost == []


def test_a_standby_that_is_dead_is_passed_over() -> None:
    """The publisher tells b22 at 1500, hears nothing, and tells b222 at 2000."""
    text = f"{SUBSCRIBED}Crash b2\nCrash b22\nPublisher p Publish 1 Ontopic A Interval 0\n"
    assert got(ran(text, estate=THREE), "near") == [("A1", 2003.5)]


def test_without_a_standby_events_are_lost_and_the_run_ends() -> None:
    """MOM825, replayed: a site that loses all its brokers."""
    outcome = ran(SUBSCRIBED + "Crash b2\nPublisher p Publish 1 Ontopic A Interval 0\n")
    assert {one.subscriber for one in outcome.lost} == {"near", "far"}
    assert outcome.settled
    assert any("p gives up on s2" in line for _, line in outcome.log)


def test_a_sequencer_out_of_reach() -> None:
    """MOM823, replayed: without s1's broker p gets no number, and its own site delivers nothing."""
    outcome = ran(SUBSCRIBED + "Crash b1\nPublisher p Publish 1 Ontopic A Interval 0\n", policy="flooding/total")
    assert {one.subscriber for one in outcome.lost} == {"near", "far"}


@pytest.mark.parametrize("policy", ["flooding/none", "flooding/fifo", "filtering/fifo", "filtering/total"])
def test_the_same_seed_gives_the_same(policy: str) -> None:
    from momlint.simulation.designs import Costs

    of = setting(THREE, Costs())
    steps = script(OF_P + "Crash b1\n" + OF_P, of).steps
    first, again, other = (run(of, of.under(policy), steps, seed) for seed in (7, 7, 8))
    assert first == again
    assert first.log != other.log
