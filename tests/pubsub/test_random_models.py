"""Random models: the search, an interpreter of the page, the replay and the solver that checks proofs, all agree.

`oracle.py` is written from the language's page alone, and looks at every configuration of 1, 2, 3 and 4 clients.
"""

from __future__ import annotations

import pytest

from momlint.pubsub import deciding
from momlint.pubsub.asking import invariant_of
from momlint.pubsub.certificate import violation
from momlint.pubsub.compiled import Question
from momlint.pubsub.deciding import decide
from momlint.pubsub.replay import Run
from momlint.solving.limits import SolverLimits
from tests import budget
from tests.pubsub.generator import model
from tests.pubsub.oracle import Oracle, TooMany
from tests.pubsub.reading import form_of

MODELS = 2_000
BLOCK = 50
#: In the fast tests the first few of every so many-th block.
BLOCKS = range(0, MODELS // BLOCK, 1 if budget.ALL else 20)
TRIED = BLOCK if budget.ALL else 12
MOST_CLIENTS = 4
#: Configurations that the interpreter may look at for one number of clients.
MOST = 8_000 if budget.ALL else 3_000


def by_hand(oracle: Oracle) -> tuple[tuple[int, int] | None, int]:
    """The fewest clients that go wrong with their steps, None for none; and up to how many clients that is known."""
    looked_at = 0
    for clients in range(1, MOST_CLIENTS + 1):
        try:
            steps = oracle.shortest(oracle.properties[0], clients, MOST)
        except TooMany:
            break
        if steps is not None:
            return (clients, steps), clients
        looked_at = clients
    return None, looked_at


@pytest.mark.parametrize("block", range(0, 20, 1 if budget.ALL else 10))
def test_backward_search_leads_to_shortest_traces(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a first look at few clients: the cubes say how many are needed, and lead to a trace."""
    monkeypatch.setattr(deciding, "_FEW", 0)
    for seed in range(20_000 + block * BLOCK, 20_000 + block * BLOCK + TRIED):
        text = model(seed)
        form = form_of(text)
        answer = decide(form, Question(form.properties[0].never))
        wrong, known = by_hand(Oracle(text))
        if answer.trace is None:
            assert answer.holds, seed
            assert wrong is None, seed
        else:
            found = len(answer.trace.roles), len(answer.trace.moves)
            assert found == wrong if wrong is not None else found[0] > known, seed


@pytest.mark.parametrize("block", BLOCKS)
def test_all_agree(block: int) -> None:
    for seed in range(block * BLOCK, block * BLOCK + TRIED):
        text = model(seed)
        form = form_of(text)
        never = form.properties[0].never
        answer = decide(form, Question(never))
        assert answer.reason is None, seed
        wrong, known = by_hand(Oracle(text))
        if answer.trace is None:
            assert wrong is None, seed
            invariant = invariant_of(answer)
            assert answer.model is not None
            assert invariant is not None, seed
            assert violation(answer.model, invariant, SolverLimits(10**9)) is None, seed
            continue
        found = len(answer.trace.roles), len(answer.trace.moves)
        assert found == wrong if wrong is not None else found[0] > known, seed
        run = Run(form, answer.trace.roles)
        for move in answer.trace.moves:
            assert not run.violates(never), seed
            run.do(move)
        assert run.violates(never), seed
