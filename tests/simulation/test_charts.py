"""What rules of delivery tell happens on simulated brokers, line by line; what they do not tell does not happen."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from _pytest.mark import ParameterSet

from momlint.access import Access
from momlint.delivery.asking import Wrong
from momlint.delivery.discipline import DeliveryJudgement
from momlint.delivery.explore import explore
from momlint.delivery.replay import replay
from momlint.discipline import Request
from momlint.estate.opening import open_bytes
from momlint.simulation.designs import Costs, Setting
from momlint.simulation.running import Run
from momlint.simulation.steps import Publish, Step, Subscribe, Wait
from momlint.simulation.wire import carry_key
from tests.delivery.reading import findings_of
from tests.delivery.test_takeovers import world_of
from tests.simulation.designs import setting
from tests.simulation.following import follow
from tests.simulation.meddling import meddled, seen_in, unsettled

RULES = Path(__file__).parents[1] / "rules"
#: Nothing takes any time but the way between sites.
INSTANT = Costs(client=0.0, handle=0.0, send=0.0, replicate=0.0, pause=0.0, jitter=0.0)
#: Random designs, as many as a fast test looks at, and how often each is run.
DESIGNS, FEW, RUNS = 1_000, 20, 8


def cases(*codes: str) -> list[ParameterSet]:
    """The rules' own examples."""
    paths = [(code, path) for code in codes for path in sorted((RULES / code).glob("fail*.yaml"))]
    return [pytest.param(code, path.read_text(encoding="utf-8"), id=f"{code}-{path.stem}") for code, path in paths]


def wrongs(text: str) -> list[Wrong]:
    """What the bounded check finds wrong in an estate."""
    (loaded,) = open_bytes(text.encode(), "sites.yaml", Access(None), lambda _: None).estates
    return DeliveryJudgement(loaded, Request(lambda code: True)).case.wrongs()


@pytest.mark.parametrize(("code", "text"), cases("MOM826", "MOM827", "MOM828", "MOM829"))
def test_the_charts_of_take_overs_happen(code: str, text: str) -> None:
    found = [one for one in wrongs(text) if one.code == code]
    assert found
    for wrong in found:
        assert follow(wrong.world, wrong.story, [told.step for told in wrong.told])


def test_a_chart_that_is_not_true_cannot_be_followed() -> None:
    """One step fewer, and simulated brokers do not do the rest, or nothing is wrong then."""
    (text,) = (case.values[1] for case in cases("MOM827"))
    (wrong,) = (one for one in wrongs(str(text)) if one.code == "MOM827")
    steps = [told.step for told in wrong.told]
    assert [step.kind for step in steps] == ["publish", "take", "ack", "crash"]
    for left_out in range(len(steps)):
        fewer = steps[:left_out] + steps[left_out + 1 :]
        try:
            assert not follow(wrong.world, wrong.story, fewer)
        except (AssertionError, KeyError, StopIteration):
            assert left_out < len(steps) - 1


@pytest.mark.parametrize(("code", "text"), cases("MOM822"))
def test_the_charts_of_starvation_happen(code: str, text: str) -> None:
    """The first event goes wherever it goes, then the second: it is held back at the subscriber's site."""
    of = setting(text)
    for finding in findings_of(text, code):
        publishers, topics, who = (finding.data[name] for name in ("publishers", "topics", "subscriber"))
        first, second = zip(publishers, topics, strict=True)  # type: ignore[arg-type]
        steps: list[Step] = [Subscribe(one.name, topic, True, 1) for one in of.clients for topic in one.subscribes]
        steps += [Wait(5_000, 1), Publish(*first, 1, 0, 1), Wait(5_000, 1), Publish(*second, 1, 0, 1)]
        run = Run(of, of.policy, steps)
        outcome = run.outcome()
        (missing, _), (held, _) = outcome.published
        site = run.sites[next(one.site for one in of.clients if one.name == who)]
        broker = run.brokers[site.active]
        assert outcome.settled
        assert carry_key(missing) not in broker.jobs
        assert [job.carry.event for jobs in broker._waiting.values() for job in jobs] == [held]
        assert (who, held) in [(one.subscriber, one.event) for one in outcome.lost]


def untree(parents: tuple[int | None, ...]) -> Setting:
    """Sites that may be no tree; site 0 publishes, the last one subscribes. Only neighbours are known."""
    lines = [f"  s{n}: {{brokers: [b{n}]{', parent: s0' if n else ''}}}\n" for n in range(len(parents))]
    of = setting(
        f"momlint: 1\nsites:\n{''.join(lines)}delivery: {{routing: flooding, order: none}}\n"
        f"clients:\n  p: {{site: s0, publishes: [A]}}\n  s: {{site: s{len(parents) - 1}, subscribes: [A]}}\n"
    )
    near = [{b for b, above in enumerate(parents) if above == a or parents[a] == b} for a in range(len(parents))]
    return replace(of, neighbours=tuple(tuple(sorted(one)) for one in near))


def arrivals(of: Setting) -> tuple[list[str], int]:
    """Where the copies of one event come to from other brokers, sorted, and how often its subscriber gets it."""
    outcome = Run(of, of.policy, [Subscribe("s", "A", True, 1), Wait(5_000, 1), Publish("p", "A", 1, 0, 1)]).outcome()
    hops = [line.removesuffix(": A1 of p").split(" → ") for _, line in outcome.log if line.endswith(": A1 of p")]
    return sorted(there for here, there in hops if here.startswith("b") and there.startswith("b")), outcome.delivered


def test_sites_that_go_round_send_copies_round() -> None:
    """MOM821: s0 → s1 → s2 → s0. In a tree each site gets one copy; here two of them get two, and nobody is done."""
    assert arrivals(untree((None, 0, 1))) == (["b1", "b2"], 1)
    assert arrivals(untree((2, 0, 1))) == (["b1", "b1", "b2", "b2"], 1)


def test_no_event_comes_to_another_root() -> None:
    """MOM821: s2 has no parent."""
    assert arrivals(untree((None, 0, None))) == (["b1"], 0)


@pytest.mark.parametrize(("code", "text"), cases("MOM824"))
def test_the_distances_to_the_sequencer_are_measured(code: str, text: str) -> None:
    """Where nothing else takes time, a publisher's own site has its event there and back later."""
    (finding,) = findings_of(text, code)
    for site, worst in ((finding.data["sequencer"], "worst"), (finding.data["better"], "best")):
        lines = [line for line in text.splitlines() if "sequencer:" not in line]
        at = next(n for n, line in enumerate(lines) if line.strip() == "order: total")
        moved = "\n".join([*lines[: at + 1], f"  sequencer: {site}", *lines[at + 1 :]])
        # Every publisher hears itself.
        of = setting(
            moved.replace("[A]}", "[A], subscribes: [A]}").replace(", subscribes: [A], subs", ", subs"), INSTANT
        )
        took = []
        for one in of.clients:
            outcome = Run(
                of, of.policy, [Subscribe(one.name, "A", True, 1), Wait(5_000, 1), Publish(one.name, "A", 1, 0, 1)]
            ).outcome()
            took += outcome.latencies_ms
        # A link without a latency takes a millisecond.
        assert max(took) == pytest.approx(2 * float(str(finding.data[worst])))


def compare(seed: int) -> set[str]:
    """What is found in a design happens as it is told; what is not found does not happen."""
    world = world_of(seed)
    found = explore(world)
    for story in found.values():
        assert follow(world, story, [told.step for told in replay(world, story)]), (seed, story)
    # Where two events have one number, nothing is said of their order.
    known = set(found) | ({"order"} if "number" in found else set())
    random = Random(seed)
    for number in range(RUNS):
        run, outcome = meddled(world, random)
        assert outcome.settled
        assert list(unsettled(run)) == [], (seed, number, world)
        assert seen_in(outcome, world) <= known, (seed, number, world)
    return set(found)


def test_random_designs() -> None:
    found: set[str] = set()
    for seed in range(FEW):
        found |= compare(seed)
    assert "lost" in found


@pytest.mark.slow
@pytest.mark.parametrize("part", range(4))
def test_many_random_designs(part: int) -> None:
    passed, found = 0, set()
    for seed in range(part, DESIGNS, 4):
        wrong = compare(seed)
        passed += not wrong
        found |= wrong
    assert found >= {"lost", "twice", "number"}
    assert passed > DESIGNS // 10
