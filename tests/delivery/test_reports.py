"""Reports of MOM826 to MOM829 by a search and by a solver: the same to the byte, traces included."""

from __future__ import annotations

from random import Random

import pytest

from momlint.lint import Options, lint_bytes, merge
from momlint.report.json import render
from tests.budget import ALL
from tests.simulation.test_bounded import drawn


def said(text: str, engine: str) -> str:
    options = Options(engine=engine, bound=(("events", 2),))  # type: ignore[arg-type]
    return render(merge([lint_bytes(text.encode(), "sites.yaml", options)], options))


def compare(seed: int) -> bool:
    """Whether the engines say the same; whether they find anything in a take-over."""
    _, text = drawn(Random(seed))
    searched = said(text, "graph")
    assert said(text, "smt") == searched, (seed, text)
    return any(f'"MOM82{number}"' in searched for number in (6, 7, 8, 9))


@pytest.mark.parametrize("part", range(10 if ALL else 1))
def test_the_engines_say_the_same(part: int) -> None:
    """Two events: more takes a solver long. Seeds go in tens, so that a part is of any kind of design."""
    assert sum(compare(seed) for seed in range(part, 1_000 if ALL else 120, 10)) >= 3
