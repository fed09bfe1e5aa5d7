"""Real Mosquitto brokers, bridged at random and as in the cases: every message goes where momlint says, as often.

A loop is a message of which more copies arrive than any way without a loop delivers. The overlays are the same on every
run. Slow, since brokers take their time to find each other.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.brokers.mosquitto import observe, on_loopback
from tests.brokers.predicted import Predicted

OVERLAYS = 60
CASES = Path(__file__).parents[1] / "native" / "cases"
PATTERNS = ["#", "a/#", "a/+", "b", "+/c", "a/b/c"]
PREFIXES = ['""', '""', '""', "p/", "q/", "p/q/", "a/"]


def random_overlay(seed: int) -> dict[str, str]:
    """Two to five brokers, and bridges with one to three topic lines each; few of them loop.

    Of the kind whose classes are finite: others are undecided, which is told.
    """
    attempt = 0
    while True:
        files = _any_overlay(f"mosquitto {seed} {attempt}")
        if not Predicted(files).grows:
            return files
        attempt += 1


def _any_overlay(seed: str) -> dict[str, str]:
    draw = random.Random(seed)
    names = [f"broker{number}" for number in range(draw.randint(2, 5))]
    files = dict.fromkeys(names, "listener 1883\nallow_anonymous true\n")
    pairs = [(one, other) for one in names for other in names if one != other]
    for number, (one, other) in enumerate(draw.sample(pairs, min(len(pairs), draw.randint(1, len(names) + 1)))):
        files[one] += f"connection c{number}\naddress {other}.example:1883\nrestart_timeout 1\n"
        if draw.random() < 0.15:
            files[one] += "try_private false\n"
        for pattern in draw.sample(PATTERNS, draw.randint(1, 3)):
            direction = draw.choice(["out", "in", "both"])
            prefixes = f" {draw.choice(PREFIXES)} {draw.choice(PREFIXES)}" if draw.random() < 0.5 else ""
            files[one] += f"topic {pattern} {direction} 0{prefixes}\n"
    return files


def agree(files: dict[str, str], folder: Path) -> tuple[int, int]:
    """Hold what the brokers do against what momlint says; how many messages ended, and how many went round."""
    texts, ports = on_loopback(files)
    predicted = Predicted(texts)
    assert not {"MOM809", "MOM813"}.intersection(predicted.problems)
    expected = {
        (broker, topic): predicted.copies(broker, topic)
        for broker in files
        for topic in predicted.topics()
        # `p/` without the prefix `p/` is no topic: the bridge that sends it breaks off, and others with it.
        if not topic.endswith("/")
    }
    ending = [one for one, copies in expected.items() if copies is not None]
    # One is enough: its copies leave no room for those of another.
    looping = [one for one, copies in expected.items() if copies is None][:1]
    bridges = sum(text.count("\nconnection ") for text in texts.values())
    seen = observe(texts, ports, ending, looping, folder, bridges=bridges)
    for one in ending:
        assert seen.at(*one) == expected[one], one
    for one in looping:
        assert seen.loops(*one), one
    return len(ending), len(looping)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(OVERLAYS))
def test_random_overlays(seed: int, tmp_path: Path) -> None:
    agree(random_overlay(seed), tmp_path)


def test_the_random_overlays_are_of_all_kinds() -> None:
    """Some loop and some do not, some deliver several copies, some rename."""
    kinds: set[str] = set()
    for seed in range(OVERLAYS):
        predicted = Predicted(random_overlay(seed))
        for topic in predicted.topics():
            copies = predicted.copies("broker0", topic)
            kinds.add("loop" if copies is None else "several" if max(copies.values()) > 1 else "once")
            if copies is not None and any(called != topic for _, called in copies):
                kinds.add("renamed")
    assert kinds == {"loop", "several", "once", "renamed"}


@pytest.mark.slow
@pytest.mark.parametrize("case", sorted(path.name for path in CASES.glob("*-mosq-*") if not path.name.startswith("07")))
def test_cases(case: str, tmp_path: Path) -> None:
    files = {path.stem: path.read_text() for path in sorted((CASES / case).iterdir())}
    agree(files, tmp_path)
