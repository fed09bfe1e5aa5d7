"""What is proved on the description does not happen in a run; what is refuted does."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.simulation.designs import Costs, Policy
from momlint.simulation.outcomes import Outcome
from momlint.simulation.running import Run, run
from momlint.simulation.steps import Publish, Step, Subscribe, Wait
from tests.budget import ALL, examples
from tests.delivery.reading import findings_of
from tests.delivery.simulator import World
from tests.delivery.test_starvation import worlds, written
from tests.simulation.designs import setting, with_policy

LINE = 1
#: Milliseconds after which every subscription is known.
SETTLED = 10_000


def subscribed(world: World) -> list[Step]:
    """Everybody subscribes, and everybody knows."""
    steps: list[Step] = [Subscribe(one.name, topic, True, LINE) for one in world.members for topic in one.subscribes]
    return [*steps, Wait(SETTLED, LINE)]


@settings(max_examples=examples(1000))
@given(worlds(), st.data())
def test_nobody_waits_for_ever_unless_momlint_says_so(world: World, data: st.DataObject) -> None:
    """MOM822 on random small designs, with events at random times and messages that overtake each other."""
    text = written(world, sequencer=data.draw(st.integers(0, len(world.parents) - 1)))
    starved = {str(finding.data["subscriber"]): finding for finding in findings_of(text, "MOM822")}
    of = setting(text, Costs(jitter=data.draw(st.sampled_from([0.0, 1.0, 20.0]))))
    publishers = [(one.name, topic) for one in world.members for topic in one.publishes]
    steps = subscribed(world)
    for _ in range(data.draw(st.integers(1, 5))):
        name, topic = data.draw(st.sampled_from(publishers))
        steps.append(Publish(name, topic, data.draw(st.integers(1, 3)), data.draw(st.sampled_from([0, 1, 40])), LINE))
        steps.append(Wait(data.draw(st.sampled_from([0, 0, 2, 100])), LINE))
    seed = data.draw(st.integers(0, 1000))
    outcome = run(of, of.policy, steps, seed)
    assert {one.subscriber for one in outcome.lost} <= set(starved)
    assert (outcome.missed, outcome.duplicates, outcome.disorder, outcome.settled) == ([], [], [], True)
    # The witness, replayed: the later of the two events never comes.
    for name, finding in starved.items():
        first, second = zip(finding.data["publishers"], finding.data["topics"], strict=True)  # type: ignore[arg-type]
        replayed = run(
            of,
            of.policy,
            [*subscribed(world), Publish(*first, 1, 0, LINE), Wait(10_000, LINE), Publish(*second, 1, 0, LINE)],
            seed,
        )
        last, _ = replayed.published[-1]
        assert (name, last) in [(one.subscriber, one.event) for one in replayed.lost]


def struck(world: World, random: Random, most: int, **changes: object) -> tuple[Policy, Outcome]:
    """A run in which up to `most` brokers of each site crash or freeze, at moments that matter: after a message."""
    text = written(world).replace("brokers: [b", "brokers: [c")
    for site in range(len(world.parents)):
        text = text.replace(f"[c{site}]", f"[b{site}, b{site}x, b{site}y]")
    of = setting(text, Costs())
    chosen: dict[str, object] = {
        "suspect_after": random.choice([50.0, 500.0]),
        "dead_after": random.choice([80.0, 2e3]),
    }
    of = with_policy(of, **{**chosen, **changes})
    steps = subscribed(world)
    publishers = [(one.name, topic) for one in world.members for topic in one.publishes]
    for _ in range(random.randint(1, 4)):
        steps.append(Publish(*random.choice(publishers), random.randint(1, 2), random.choice([0, 3, 30]), LINE))
    moments = {random.randint(1, 60): random.choice(["crash", "freeze"]) for _ in range(random.randint(1, 4))}
    hit: set[str] = set()
    lines = 0

    def watch(running: Run, line: str) -> None:
        nonlocal lines
        if running.env.now < SETTLED or " → " not in line:
            return
        lines += 1
        what = moments.get(lines)
        site = random.choice(running.sites)
        name = site.active if random.random() < 0.7 else random.choice(list(site.states))
        if what is None or name in hit or len(hit & set(site.states)) == most:
            return
        hit.add(name)

        def strike() -> None:
            running.brokers[name].strike(what)  # type: ignore[arg-type]
            if what == "freeze":
                back = random.choice([20, 100, 600, 3000])
                running.network.after(back, lambda: running.brokers[name].strike("unfreeze"))

        running.network.after(random.choice([0, 0.3, 1.0, 1.2, 3.0]), strike)

    return of.policy, Run(of, of.policy, steps, random.randint(0, 10**6), watch).outcome()


def survivable(world: World) -> bool:
    """Whether nobody starves without any failure."""
    return not (world.filtering and world.numbering in ("publisher", "sequencer"))


@settings(max_examples=examples(1500))
@given(worlds().filter(survivable), st.integers(0, 10**9))
def test_with_the_defaults_nothing_goes_wrong_within_the_promise(world: World, seed: int) -> None:
    """Two of three brokers of every site may crash or be slow: nothing lost, doubled or out of order."""
    _, outcome = struck(world, Random(seed), most=2)
    faults = (outcome.lost, outcome.missed, outcome.duplicates, outcome.disorder)
    assert faults == ([], [], [], [])
    assert outcome.settled


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"replicate": frozenset({"counters", "seen"})}, "lost"),
        ({"replicate": frozenset({"subscriptions", "seen"})}, "lost"),
        ({"replicate": frozenset({"subscriptions", "counters"})}, "duplicates"),
        ({"acknowledge_first": True}, "lost"),
        ({"retransmit": False}, "lost"),
    ],
    ids=["subscriptions", "counters", "seen", "acknowledge", "retransmit"],
)
def test_each_default_that_is_taken_away_can_be_seen(changes: dict[str, object], expected: str) -> None:
    """What the defaults are for: without one, some run goes wrong in the way that its rule names."""
    random = Random(1)
    wrong = 0
    for _ in range(600 if ALL else 300):
        count = random.randint(1, 3)
        parents = (-1, *(random.randrange(site) for site in range(1, count)))
        from tests.delivery.simulator import Member

        members = (
            Member("p", random.randrange(count), ("A", "B"), ()),
            Member("s", random.randrange(count), (), ("A",)),
            Member("t", random.randrange(count), (), ("A", "B")),
        )
        order, numbering = random.choice([("none", ""), ("fifo", "link"), ("total", "subscriber")])
        world = World(parents, members, random.random() < 0.5, order, numbering)
        _, outcome = struck(world, random, most=2, **changes)
        wrong += bool(getattr(outcome, expected))
    assert wrong > 0
