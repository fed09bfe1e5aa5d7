"""`render --to cub` says what the page says: an interpreter of what is written agrees with that of the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from momlint.cli import main
from momlint.pubsub.cubicle import render
from tests import budget
from tests.pubsub.cubicle import Cubicle
from tests.pubsub.generator import model
from tests.pubsub.oracle import Oracle, TooMany
from tests.pubsub.reading import form_of

EXAMPLES = Path(__file__).parents[2] / "examples" / "clients"
MODELS = 200 if budget.ALL else 15
MOST = 300


def test_random_models() -> None:
    compared = 0
    for seed in range(10_000, 10_000 + MODELS):
        text = model(seed)
        if "count:" in text:
            continue  # Cubicle takes any number
        oracle, written = Oracle(text), Cubicle(render(form_of(text), "random"))
        for clients in (1, 2):
            try:
                wanted = oracle.shortest(oracle.properties[0], clients, MOST)
                assert written.shortest(clients, MOST) == wanted, seed
            except (TooMany, OverflowError):
                break
            compared += wanted is not None
    assert compared >= MODELS // 8


@pytest.mark.parametrize(("example", "clients", "steps"), [("two-workers", 2, 4), ("one-worker", 2, None)])
def test_examples(example: str, clients: int, steps: int | None, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", "--to", "cub", str(EXAMPLES / f"{example}.yaml")]) == 0
    assert Cubicle(capsys.readouterr().out).shortest(clients, 5_000) == steps


def test_what_cannot_be_rendered(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", "--to", "cub", str(EXAMPLES.parent / "triangle" / "topology.yaml")]) == 2
    assert "this file has no `pubsub`" in capsys.readouterr().err
    assert main(["render", "--to", "smv", str(EXAMPLES / "one-worker.yaml")]) == 2
    assert "this file has no overlay" in capsys.readouterr().err


def test_exact_numbers_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["render", "--to", "cub", str(EXAMPLES / "lock-for-two.yaml")]) == 0
    assert "(* exactly 2 of role candidate: Cubicle takes any number *)" in capsys.readouterr().out
