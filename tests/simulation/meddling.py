"""Runs of a small design in which brokers fail at random moments, never more than its bound has."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from momlint.delivery.world import Fault, World
from momlint.simulation.outcomes import Outcome
from momlint.simulation.running import Run
from momlint.simulation.steps import Publish, Step, Wait
from tests.simulation.following import setting_of, subscribed

#: Milliseconds after which every subscription is known.
SETTLED = 5_000


def meddled(world: World, random: Random) -> tuple[Run, Outcome]:
    """A run that has ended. Up to as many events of as many publishers as the bound has; brokers crash, or are slow and
    come back later.
    """
    of = setting_of(world)
    publishing = [n for n, one in enumerate(world.members) if one.publishes]
    chosen = random.sample(publishing, min(len(publishing), world.bound.publishers))
    steps: list[Step] = [*subscribed(of), Wait(SETTLED, 1)]
    for _ in range(random.randint(1, world.bound.events)):
        who = random.choice(chosen)
        steps.append(Publish(f"c{who}", random.choice(world.members[who].publishes), 1, 0, 1))
        steps.append(Wait(random.choice([0, 0, 0, 1, 3, 10, 600]), 1))
    # The moment of a failure: after so many lines of the log, and a little later.
    moments = sorted(random.randint(1, 14) for _ in range(random.randint(0, world.bound.crashes)))
    failed = [0] * len(world.parents)
    lines = 0

    def watch(run: Run, line: str) -> None:
        nonlocal lines
        if run.env.now < SETTLED or " → " not in line:
            return
        lines += 1
        for _ in range(moments.count(lines)):
            willing = [n for n, spare in enumerate(world.spare) if failed[n] < spare]
            if not willing:
                return
            site = random.choice(willing)
            failed[site] += 1
            broker = run.brokers[run.sites[site].active]
            delay = random.choice([0, 0.05, 0.3, 1, 1.2, 3])
            if random.random() < 0.6:
                run.network.after(delay, lambda broker=broker: broker.strike("crash"))  # type: ignore[misc]
            else:
                back = delay + random.choice([20, 600, 3000])
                run.network.after(delay, lambda broker=broker: broker.strike("freeze"))  # type: ignore[misc]
                run.network.after(back, lambda broker=broker: broker.strike("unfreeze"))  # type: ignore[misc]

    run = Run(of, of.policy, steps, random.randrange(10**6), watch)
    return run, run.outcome()


def unsettled(run: Run) -> Iterator[str]:
    """What is wrong with the sites of a run that has ended. A crash that nobody has noticed is nothing."""
    for site in run.sites:
        active = [name for name, state in site.states.items() if state == "active"]
        if active != [site.active]:
            yield f"active are {active}"
        if run.brokers[site.active].crashed:
            continue
        for name in site.clients:
            if run.clients[name].believed[site.index] != site.active:
                yield f"{name} was not told of {site.active}"
        for name, state in site.states.items():
            broker = run.brokers[name]
            if name != site.active and not broker.crashed:
                if state != "standby":
                    yield f"{name} lives and is {state}"
                if broker.outbox or broker.jobs or broker._work:
                    yield f"{name} is no longer active and has something pending"
            elif broker.crashed and state == "suspected":
                yield f"{name} has crashed and is suspected for ever"
        for other in run.network.setting.neighbours[site.index]:
            near = run.sites[other]
            if not run.brokers[near.active].crashed and near.believed[site.index] != site.active:
                yield f"{near.active} was not told of {site.active}"


def seen_in(outcome: Outcome, world: World) -> set[Fault]:
    """What went wrong, as MOM826 to MOM829 have it, for those whom they judge."""
    judged = {f"c{n}" for n, one in enumerate(world.members) if one.judged}
    found: set[Fault] = set()
    if any(one.subscriber in judged for one in (*outcome.lost, *outcome.missed)):
        found.add("lost")
    if any(one.subscriber in judged for one in outcome.duplicates):
        found.add("twice")
    if any({one.subscriber, one.other} & judged for one in outcome.disorder):
        found.add("order")
    return found
