"""The four script files of the report on a broker tree, on the examples' trees, under all six policies."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median

import pytest

from momlint.cli import main
from momlint.simulation.designs import POLICIES, Costs
from momlint.simulation.outcomes import Outcome
from momlint.simulation.running import run
from tests.simulation.designs import script as read
from tests.simulation.designs import setting

REPORT = Path(__file__).parents[2] / "examples" / "sites" / "report"
#: Counted by hand: what each script's subscribers are to get. Every publisher publishes five on each of its topics.
WANTED = {
    # publisher1: five A, ten C.
    "one-publisher": {"subscriber1": 0, "subscriber2": 5, "subscriber3": 15},
    # Two publishers, five A, five B and five C each.
    "two-publishers": {
        "subscriber1": 10,
        "subscriber2": 20,
        "subscriber3": 30,
        "subscriber11": 10,
        "subscriber22": 20,
        "subscriber33": 30,
    },
    "three-publishers": {
        "subscriber1": 15,
        "subscriber2": 30,
        "subscriber3": 45,
        "subscriber11": 15,
        "subscriber22": 30,
        "subscriber33": 45,
        "subscriber111": 15,
        "subscriber222": 30,
        "subscriber333": 45,
    },
}
ESTATES = [(f"{size}-sites-{number}", name) for size in ("three", "six") for number, name in enumerate(WANTED, start=1)]


def simulated(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict:
    assert main(["simulate", *arguments, "--format", "json"]) == 0
    return json.loads(capsys.readouterr().out)["policies"]


@pytest.mark.parametrize("estate", ["crash", *(estate for estate, _ in ESTATES)])
def test_nothing_is_wrong_with_them(estate: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", f"{REPORT}/{estate}.yaml", "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["findings"] == []


@pytest.mark.parametrize(("estate", "script"), ESTATES)
def test_all_subscribers_get_all_under_every_policy(
    estate: str, script: str, capsys: pytest.CaptureFixture[str]
) -> None:
    policies = simulated(capsys, f"{REPORT}/{estate}.yaml", "--script", f"{REPORT}/{script}.txt", "--all")
    assert tuple(policies) == POLICIES
    for name, outcome in policies.items():
        assert {who: len(got) for who, got in outcome["deliveries"].items()} == WANTED[script], name
        assert outcome["published"] == 15 * (1 + list(WANTED).index(script))
        assert (outcome["lost"], outcome["missed"], outcome["duplicates"], outcome["out_of_order"]) == ([], [], [], [])


def test_a_crash_loses_nothing_and_costs_time(capsys: pytest.CaptureFixture[str]) -> None:
    """What overtakes its subscription is missed; what broker0 was given is handled by broker00."""
    crash = simulated(capsys, f"{REPORT}/crash.yaml", "--script", f"{REPORT}/crash.txt", "--all")
    calm = simulated(capsys, f"{REPORT}/crash.yaml", "--script", f"{REPORT}/no-crash.txt", "--all")
    assert tuple(crash) == tuple(calm) == POLICIES
    for name in POLICIES:
        for outcome in (crash[name], calm[name]):
            assert (outcome["published"], outcome["lost"], outcome["duplicates"]) == (15, [], [])
            assert outcome["out_of_order"] == []
            told = sum(map(len, outcome["deliveries"].values())) + len(outcome["missed"])
            # Five for subscriber0, fifteen each for subscribers 3 and 4.
            assert told == 35
        assert calm[name]["latency_ms"]["most"] < 100
        if name.startswith("flooding"):
            # The publisher's first event waits for 500 ms, until it suspects broker0.
            assert crash[name]["latency_ms"]["most"] > 500
        else:
            # It comes before the subscriptions, which had to wait as well.
            assert len(crash[name]["missed"]) > len(calm[name]["missed"])


@pytest.mark.parametrize(
    ("script", "figure"), [("one-publisher", 11), ("two-publishers", 12), ("three-publishers", 13), ("crash", 14)]
)
def test_the_lines_are_the_reports(script: str, figure: int) -> None:
    """All but `Wait` is counted off here, as the report prints it."""
    text = (REPORT / f"{script}.txt").read_text(encoding="utf-8")
    lines = [line.partition("#")[0].strip() for line in text.splitlines()]
    theirs = [line for line in lines if line and not line.startswith("Wait")]
    subscribe = ["1 B", "2 A", "2 B", "3 C", "3 B", "3 A"]
    if figure == 14:
        assert theirs[:2] == ["Subscriber subscriber0 Subscribe /p00-0", "Crash broker0"]
        assert theirs[2:6] == [f"Subscriber subscriber{n} Subscribe /p00-{k}" for n in (3, 4) for k in (0, 1)]
        wanted = [("publisher00", 0), ("publisher00", 1), ("publisher3", 1)]
        assert theirs[6:] == [f"Publisher {who} Publish 5 Ontopic /p00-{k} Interval 500" for who, k in wanted]
        return
    groups = {11: 1, 12: 2, 13: 3}[figure]
    count = 6 * groups
    expected = [
        f"Subscriber subscriber{who * times} Subscribe evento-{topic}"
        for times in range(1, groups + 1)
        for who, topic in (one.split() for one in subscribe)
    ]
    assert theirs[:count] == expected
    published = [
        re.fullmatch(r"Publisher publisher(\d) Publish 5 Ontopic evento-(.) Interval 0", one) for one in theirs[count:]
    ]
    found = [(one[1], one[2]) for one in published if one is not None]
    topics = "ACC" if figure == 11 else "ABC"
    assert found == [(str(who), topic) for who in range(1, groups + 1) for topic in topics]
    assert len(theirs) == count + 3 * groups


def test_many_seeds_in_processes_are_the_same_as_one_after_the_other(tmp_path: Path) -> None:
    """To the byte, and each seed by itself is among them."""
    command = [f"{REPORT}/crash.yaml", "--script", f"{REPORT}/crash.txt", "--all", "--format", "csv", "--runs", "3"]
    outputs = []
    for more in ([], ["--jobs", "2"]):
        file = tmp_path / "out.csv"
        done = subprocess.run(
            [sys.executable, "-m", "momlint", "simulate", *command, *more, "-o", str(file)], check=False, timeout=120
        )
        assert done.returncode == 0
        outputs.append(file.read_bytes())
    assert outputs[0] == outputs[1]
    rows = outputs[0].decode().splitlines()
    assert rows[0] == "policy,seed,subscriber,publisher,number,topic,at_ms"
    assert {row.split(",")[1] for row in rows[1:]} == {"0", "1", "2"}


def test_spread_of_many_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    policies = simulated(
        capsys, f"{REPORT}/six-sites-1.yaml", "--script", f"{REPORT}/one-publisher.txt", "--runs", "5", "--seed", "3"
    )
    (outcome,) = policies.values()
    assert (outcome["runs"], outcome["published"], outcome["settled"]) == (5, 15, True)
    assert outcome["delivered"] == {"least": 20, "median": 20, "most": 20}
    assert outcome["last_delivery_ms"]["least"] < outcome["last_delivery_ms"]["most"]


def trial(estate: str, script: str, measured: Callable[[Outcome], float]) -> dict[str, float]:
    """The median of some runs under each policy."""
    of = setting((REPORT / f"{estate}.yaml").read_text(encoding="utf-8"), Costs())
    lines = read((REPORT / f"{script}.txt").read_text(encoding="utf-8"), of)
    assert not lines.problems
    return {
        name: median(measured(run(of, of.under(name), lines.steps, seed)) for seed in range(9)) for name in POLICIES
    }


def took(outcome: Outcome) -> float:
    """Milliseconds from the first publication to the last delivery."""
    assert outcome.last_delivery_ms is not None
    return outcome.last_delivery_ms - outcome.published[0][1]


@pytest.mark.slow
def test_the_shape_that_the_page_sets_beside_the_reports() -> None:
    """What docs/simulation.md says of our figures, row by row."""
    small, large = (
        [trial(f"{size}-sites-{number}", name, took) for number, name in enumerate(WANTED, start=1)]
        for size in ("three", "six")
    )
    for times in (small, large):
        for name in POLICIES:
            # More clients, more time.
            assert times[0][name] < times[1][name] < times[2][name] * 1.1
            assert times[0][name] < times[2][name]
        for by in times[1:]:
            # An event waits for a number, with either routing.
            assert by["flooding/total"] > 1.2 * by["flooding/none"]
            assert by["filtering/total"] > 1.2 * by["filtering/none"]
        for by in times:
            # FIFO with flooding costs nothing but chance; routings differ by little without an order.
            assert by["flooding/fifo"] == pytest.approx(by["flooding/none"], rel=0.15)
            assert 0.8 < by["filtering/none"] / by["flooding/none"] < 1.1
    for by in large:
        assert by["filtering/none"] < by["filtering/fifo"] < by["filtering/total"]
    calm, crash = (trial("crash", script, lambda one: mean(one.latencies_ms)) for script in ("no-crash", "crash"))
    for order in ("none", "fifo", "total"):
        more, less = (crash[f"{way}/{order}"] - calm[f"{way}/{order}"] for way in ("flooding", "filtering"))
        assert more > 50
        assert more > 2 * less
