"""Designs on which MOM826 to MOM829 find nothing, within their bound: nothing goes wrong in a run within it either."""

from __future__ import annotations

from random import Random

from momlint.simulation.designs import Costs
from momlint.simulation.running import Run
from momlint.simulation.steps import Publish, Step, Wait
from tests.budget import ALL
from tests.delivery.reading import findings_of
from tests.delivery.simulator import Member, World
from tests.delivery.test_starvation import written
from tests.simulation.designs import setting
from tests.simulation.test_differential import SETTLED, subscribed, survivable

ORDERS = [("none", ""), ("fifo", "publisher"), ("fifo", "link"), ("total", "sequencer"), ("total", "subscriber")]
#: Runs of a design that nothing is found on; each has up to three events and one crash.
RUNS = 20


def drawn(random: Random) -> tuple[World, str]:
    """A tree of up to three sites with two brokers each, which may lack some of what keeps events safe."""
    count = random.randint(1, 3)
    parents = (-1, *(random.randrange(site) for site in range(1, count)))

    def some() -> tuple[str, ...]:
        return tuple(random.sample("AB", random.randint(1, 2)))

    members = [Member(f"p{n}", random.randrange(count), some(), ()) for n in range(random.randint(1, 2))]
    members += [Member(f"s{n}", random.randrange(count), (), some()) for n in range(random.randint(1, 2))]
    world = World(parents, tuple(members), random.random() < 0.5, *random.choice(ORDERS))
    text = written(world)
    for site in range(count):
        text = text.replace(f"[b{site}]", f"[b{site}, b{site}x]")
    kept = [part for part in ("subscriptions", "counters", "seen") if random.random() < 0.85]
    more = (
        f", replicate: [{', '.join(kept)}], retransmit: {'true' if random.random() < 0.85 else 'false'}"
        f", acknowledge: {random.choice(['after-forwarding', 'after-forwarding', 'before-forwarding'])}"
        f", channels: {random.choice(['ordered', 'unordered'])}}}\nclients:"
    )
    return world, text.replace("}\nclients:", more) + "failures: {tolerate: {brokers: 1}}\n"


def test_what_passes_within_the_bound_does_not_happen() -> None:
    passed = 0
    for seed in range(1_000 if ALL else 14):
        random = Random(seed)
        world, text = drawn(random)
        if not survivable(world) or any(one.code in JUDGED for one in findings_of(text, "MOM")):
            continue
        passed += 1
        of = setting(text, Costs())
        publishers = [(one.name, topic) for one in world.members for topic in one.publishes]
        for number in range(RUNS):
            steps: list[Step] = subscribed(world)
            for _ in range(random.randint(1, 3)):
                steps += [Publish(*random.choice(publishers), 1, 0, 1), Wait(random.choice([0, 0, 3, 600]), 1)]
            moment, delay, lines = random.randint(1, 12), random.choice([0, 0.05, 0.3, 1, 3]), [0]
            site = random.randrange(len(of.sites))

            def watch(run: Run, line: str) -> None:
                if run.env.now >= SETTLED and " → " in line:
                    lines[0] += 1  # noqa: B023 - it is called within this round
                    if lines[0] == moment:  # noqa: B023
                        active = run.brokers[run.sites[site].active]  # noqa: B023
                        run.network.after(delay, lambda: active.strike("crash"))  # noqa: B023

            outcome = Run(of, of.policy, steps, number, watch).outcome()
            faults = (outcome.lost, outcome.missed, outcome.duplicates, outcome.disorder)
            assert faults == ([], [], [], []), (seed, number, text)
    assert passed >= 5


#: What is found in a take-over, and what was not decided.
JUDGED = ("MOM826", "MOM827", "MOM828", "MOM829", "MOM901", "MOM902")
