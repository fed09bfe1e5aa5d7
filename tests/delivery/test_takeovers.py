"""The two engines that look for what goes wrong in take-overs, on random small designs: they agree, and do not lie.

Every story of either is followed by the brokers of `tests.delivery.takeovers`, which were written for tests alone, and
by those of `momlint.simulation`.
"""

from __future__ import annotations

import random

import pytest

from momlint.delivery.explore import explore
from momlint.delivery.form import Safeguards
from momlint.delivery.replay import replay
from momlint.delivery.smt import decide
from momlint.delivery.world import FAULTS, Bound, Member, World
from momlint.solving.limits import SolverLimits
from tests.budget import ALL, examples
from tests.delivery.takeovers import follow, is_wrong
from tests.simulation import following as chart

ORDERS = [("none", None), ("fifo", "publisher"), ("fifo", "link"), ("total", "sequencer"), ("total", "subscriber")]
#: Random designs, and in how many tests: each takes about a second.
DESIGNS, PARTS = 1_000, 20


def world_of(seed: int) -> World:
    """Up to three sites and two events; one broker fails, or two where there is one event."""
    chance = random.Random(seed)
    order, numbering = chance.choice(ORDERS)
    events = chance.choice((1, 1, 2))
    kept = [chance.random() < 0.7 for _ in range(5)]
    safe = Safeguards(chance.random() < 0.3, kept[0], kept[1], kept[2], not kept[3], kept[4])
    # Where counters are lost, every order in which copies come has to be looked at.
    count = chance.randint(1, 2 if events == 2 and order == "total" and not safe.counters else 3)
    parents = (-1, *(chance.randrange(site) for site in range(1, count)))
    topics = ("A", "B")
    members = []
    for _ in range(chance.randint(1, 2)):
        wants = frozenset(topic for topic in topics if chance.random() < 0.15)
        members.append(Member(chance.randrange(count), tuple(chance.sample(topics, chance.choice((1, 1, 2)))), wants))
    for _ in range(chance.randint(1, 2)):
        members.append(Member(chance.randrange(count), (), frozenset(chance.sample(topics, chance.choice((1, 1, 2))))))
    crashes = chance.choice((0, 1, 1, 1)) if events == 2 else chance.choice((1, 1, 2))
    spare = tuple(min(crashes, chance.choice((0, 1, 1))) for _ in parents)
    bound = Bound(events, 2, crashes)
    filtering = chance.random() < 0.5
    sequencer = chance.randrange(count)
    return World(parents, spare, tuple(members), filtering, order, numbering, sequencer, safe, bound)  # type: ignore[arg-type]


def compare(seed: int) -> set[str]:
    """What goes wrong in a design, by both engines."""
    world = world_of(seed)
    searched = explore(world)
    solved = decide(world, FAULTS, SolverLimits(2_000_000_000))
    assert set(searched) == set(solved), (seed, world)
    for story in (*searched.values(), *solved.values()):
        told = replay(world, story)
        facts = follow(world, story.script, [one.step for one in told])
        assert is_wrong(facts, story), (seed, world, story)
        assert chart.follow(world, story, [one.step for one in told]), (seed, world, story)
    return set(searched)


@pytest.mark.parametrize("part", range(PARTS if ALL else PARTS // 5))
def test_the_engines_agree(part: int) -> None:
    found: set[str] = set()
    for seed in range(part, DESIGNS, PARTS):
        if seed // PARTS < examples(DESIGNS // PARTS):
            found |= compare(seed)
    assert "lost" in found
