"""Which steps are ever taken, and which formulas ever satisfied: random models, against the interpreter of the page."""

from __future__ import annotations

import pytest

from momlint.discipline import Request
from momlint.pubsub.asking import Ask
from momlint.pubsub.compiled import Question
from momlint.pubsub.deciding import decide
from tests import budget
from tests.pubsub.generator import model
from tests.pubsub.oracle import Oracle, TooMany
from tests.pubsub.reading import form_of

BLOCK = 20
BLOCKS = range(10 if budget.ALL else 2)
MOST = 4_000
#: Nobody ever satisfies it: every configuration is looked at.
NEVER = "not true"


@pytest.mark.parametrize("block", BLOCKS)
def test_steps_are_taken_or_not(block: int) -> None:
    taken_by_more = 0
    for seed in range(30_000 + block * BLOCK, 30_000 + (block + 1) * BLOCK):
        text = model(seed)
        form, oracle = form_of(text), Oracle(text)
        whole = True
        for clients in (1, 2, 3):
            try:
                assert oracle.shortest([NEVER], clients, MOST) is None
            except TooMany:
                whole = False
        ask = Ask(form, Request(lambda _: True))
        for number, role in enumerate(form.roles):
            for step in range(len(role.steps)):
                takes = ask.takes(number, step)
                assert takes is not None
                if (role.name, step) in oracle.taken:
                    assert takes, (seed, role.name, step)
                elif takes and whole:
                    trace = decide(form, Question(step=(number, step))).trace
                    assert trace is not None
                    assert len(trace.roles) > 3, (seed, role.name, step)
                    taken_by_more += 1
    assert taken_by_more < BLOCK
