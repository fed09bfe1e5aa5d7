"""The recovery protocol: what breaks it is found by both engines, and neither finds what cannot happen."""

from __future__ import annotations

from random import Random

import pytest

from momlint.errors import ReplayError
from momlint.routed.flooding.explore import explore
from momlint.routed.flooding.replay import Run, replay
from momlint.routed.flooding.smt import decide
from momlint.routed.flooding.world import FAULTS, LARGEST, Bound, Element, Fault, Manners, Step, Story, World
from momlint.solving.limits import SolverLimits
from tests.budget import ALL
from tests.routed.flooding.worlds import COMPLETE, MUTATIONS, PATH, SQUARE, TRIANGLE, random_world, world

LIMITS = SolverLimits(2_000_000_000)


def explored(of: World, *, first: bool = False, reduced: bool = True) -> dict[Fault, Story]:
    found = explore(of, FAULTS, lambda: None, first=first, reduced=reduced)
    for story in found.values():
        replay(of, story)
    return found


def solved(of: World, *, first: bool = False) -> dict[Fault, Story]:
    found = decide(of, FAULTS, LIMITS, first=first)
    for story in found.values():
        replay(of, story)
    return found


#: On brokers 0, 1 and 2 in a row, link 0--1 fails and works again: what broker 1 tells 2 goes wrong so.
#: naive: 2 holds the first or the second notice for old. no answer: 1 waits. unmatched: the answer to the first settles
#: the second, which was lost. once: one loss, and 2 never hears. last: the first notice comes after the second.
FOUND = {
    "naive wrap": {"colour"},
    "no acknowledgement": {"waiting"},
    "only news acknowledged": {"waiting"},
    "acknowledgements not matched": {"colour"},
    "no retransmission": {"colour", "waiting"},
    "the last notice, not the newest": {"colour"},
}


@pytest.mark.parametrize("name", FOUND)
def test_each_mistake_is_found(name: str) -> None:
    assert set(explored(world(PATH, MUTATIONS[name], failing=(0,)))) == FOUND[name]


@pytest.mark.slow
@pytest.mark.parametrize("name", FOUND)
def test_each_mistake_is_found_by_the_solver(name: str) -> None:
    assert set(solved(world(PATH, MUTATIONS[name], failing=(0,)))) == FOUND[name]


@pytest.mark.parametrize("name", ["naive wrap", "no retransmission"])
def test_a_single_failure_is_enough_for_both_engines(name: str) -> None:
    of = world(PATH, MUTATIONS[name], Bound(failures=1), failing=(0,))
    assert set(explored(of)) == set(solved(of)) == FOUND[name]


def test_the_protocol_settles_by_both_engines() -> None:
    of = world(PATH, Manners(), Bound(failures=1), failing=(0,))
    assert explored(of) == solved(of) == {}
    assert explored(world(PATH)) == {}


@pytest.mark.slow
def test_the_protocol_settles_says_the_solver() -> None:
    assert solved(world(PATH)) == {}


def test_what_a_dead_link_was_not_told_is_missed() -> None:
    """0--1 fails, 2--3 fails, 0--1 works again: 0 never hears of 2--3, where nothing is kept for it."""
    links = (*PATH, (2, 3))
    of = world(
        links, MUTATIONS["dead links are told nothing later"], Bound(failures=3), failing=(0, 2), together=((0, 2),)
    )
    assert set(explored(of, first=True)) == {"colour"}


@pytest.mark.slow
def test_what_a_dead_link_was_not_told_is_missed_says_the_solver() -> None:
    links = (*PATH, (2, 3))
    of = world(
        links, MUTATIONS["dead links are told nothing later"], Bound(failures=3), failing=(0, 2), together=((0, 2),)
    )
    assert set(solved(of, first=True)) == {"colour"}


def test_naive_numbers_by_hand() -> None:
    """On a triangle, the number before was the largest: both notices of the dead link are old for broker 2."""
    of = world(TRIANGLE, MUTATIONS["naive wrap"], Bound(failures=1), failing=(0,))
    story = Story(
        "colour",
        (LARGEST, LARGEST, 1),
        (
            Step("strike", element=Element(True, 0)),
            Step("notice", 0, 0, 1),
            Step("notice", 1, 1, 1),
            # Broker 0 tells 2 out of port 2, broker 1 out of port 4.
            *(Step(kind, port, port // 4, 1) for port in (2, 4) for kind in ("send", "arrive", "answered")),
        ),
    )
    _, ending = replay(of, story)
    assert ending.colours == (1, 1, 0)
    assert ending.right == (1, 1, 1)
    assert explored(of)["colour"].numbers == solved(of)["colour"].numbers == (LARGEST, LARGEST, 1)
    # Compared the shorter way round, the same messages do no harm, but are news, and there is more to tell.
    with pytest.raises(ReplayError, match="something will still be sent"):
        replay(world(TRIANGLE, Manners(), Bound(failures=1), failing=(0,)), story)


@pytest.mark.slow
@pytest.mark.parametrize("brokers", [False, True])
@pytest.mark.parametrize("links", [PATH, TRIANGLE, SQUARE], ids=["path", "triangle", "square"])
def test_small_overlays_settle(links: tuple[tuple[int, int], ...], brokers: bool) -> None:
    assert explored(world(links, brokers=brokers)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("brokers", [False, True])
def test_four_brokers_with_all_links_settle(brokers: bool) -> None:
    assert explored(world(COMPLETE, brokers=brokers)) == {}


@pytest.mark.slow
@pytest.mark.parametrize("links", [TRIANGLE, SQUARE], ids=["triangle", "square"])
def test_small_overlays_settle_says_the_solver(links: tuple[tuple[int, int], ...]) -> None:
    assert solved(world(links)) == {}


def agree(seed: int, failures: int) -> None:
    of = random_world(Random(seed), failures)
    assert set(explored(of)) == set(solved(of)), of


@pytest.mark.parametrize("seed", range(6))
def test_engines_agree_on_random_worlds(seed: int) -> None:
    agree(seed, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 200 if ALL else 140))
def test_engines_agree_on_more_random_worlds(seed: int) -> None:
    agree(seed, 1 if seed % 2 else 2)


@pytest.mark.parametrize("seed", range(10))
def test_orders_that_are_left_out_make_no_difference(seed: int) -> None:
    of = random_world(Random(seed + 1000), 1)
    assert set(explored(of)) == set(explored(of, reduced=False)), of


def played(of: World, random: Random) -> set[Fault]:
    """What is wrong at the end of a run in which anything happens that can, as the replay's brokers do it."""
    run = Run(of, tuple(random.choice((1, LARGEST - 1, LARGEST)) for _ in range(of.n)))
    left = random.randint(1, of.bound.failures)
    for _ in range(400):
        steps = [
            Step("notice", port, of.end(port), len(run.brokers[of.end(port)].notices) + 1)
            for port in range(2 * len(of.links))
            if Element(False, of.end(port)) not in run.failed
            and run.carries(port) == (port in run.brokers[of.end(port)].shut)
        ]
        if left:
            steps.append(Step("strike", element=random.choice(of.elements)))
        for message in run.air:
            about = (message.port, message.notice.origin, message.notice.version)
            steps.append(Step("answered" if message.is_answer else "arrive", *about))
            if run.lost < of.bound.losses and (message.is_answer or not of.manners.retransmit):
                steps.append(Step("unanswered" if message.is_answer else "lose", *about))
        if of.manners.retransmit:
            for me, broker in enumerate(run.brokers):
                for (port, _), notice in broker.waiting.items():
                    open_ = port not in broker.shut and run.carries(port) and Element(False, me) not in run.failed
                    under_way = sum(one.port == port and one.notice is notice for one in run.air)
                    if open_ and under_way < 2:
                        steps.append(Step("send", port, notice.origin, notice.version))
        try:
            ending = run.ending()
        except ReplayError:
            pass
        else:
            if not left or random.random() < 0.5:
                faults: set[Fault] = {"waiting"} if ending.waiting else set()
                held = [{ending.colours[broker] for broker in part} for part in ending.parts]
                other = any(want not in (None, got) for want, got in zip(ending.right, ending.colours, strict=True))
                if ending.planned and (other or any(len(one) > 1 for one in held)):
                    faults.add("colour")
                return faults
        if not steps:
            return set()
        step = random.choice(steps)
        left -= step.kind == "strike"
        run.do(step)
    return set()


@pytest.mark.parametrize("seed", range(12))
def test_nothing_happens_that_the_search_does_not_find(seed: int) -> None:
    """Runs at random, on brokers that share nothing with the search."""
    random = Random(seed)
    of = random_world(random, 2)
    found = explored(of)
    for _ in range(60):
        assert played(of, random) <= set(found), of


def test_random_runs_do_find_something() -> None:
    """Else the test above would say little."""
    random = Random(1)
    hits = {
        name: {fault for _ in range(150) for fault in played(world(PATH, MUTATIONS[name], failing=(0,)), random)}
        for name in ("naive wrap", "no retransmission", "the last notice, not the newest")
    }
    assert hits == {
        "naive wrap": {"colour"},
        "no retransmission": {"colour", "waiting"},
        "the last notice, not the newest": {"colour"},
    }
