"""CTL and LTL over the model of take-overs: against the definitions, against NuSMV, and the source's properties."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.routed.smv import OwnSpec, render_takeover, run
from momlint.routed.specs import Names, SpecFalse, SpecTrue, TopicEnds, decide_spec, takeover_properties
from momlint.routed.specs.ltl import decide_ltl
from tests.routed.engines.nusmv import nusmv
from tests.routed.engines.temporal import CTL_UNARY, LTL_FUTURE, LTL_PAST, Tree, ctl, ltl, random_tree, text
from tests.strategies import make_overlay

#: (down a step ago, down now); 0 is nobody, i is broker i.
State = tuple[int, int]


def random_names(rng: random.Random) -> Names:
    n = rng.randrange(2, 6)
    ring = rng.sample(range(n), n)
    takeover = dict(zip(ring, ring[1:] + ring[:1], strict=True))
    for broker in rng.sample(range(n), rng.randrange(n) // 2):
        del takeover[broker]
    topics = tuple(
        TopicEnds(f"t{i}", *(tuple(sorted(rng.sample(range(n), rng.randrange(1, n + 1)))) for _ in range(2)))
        for i in range(rng.randrange(3))
    )
    return Names(
        tuple(str(i + 1) for i in range(n)),
        topics=topics,
        takeover={broker: (other,) for broker, other in takeover.items()},
    )


def ends(names: Names) -> list[tuple[str, str, int]]:
    """(name of the end node, its topic, its broker from 1), by the rule in the documentation."""
    n = len(names.brokers)
    topics = names.topics or tuple(TopicEnds(str(i + 1), (i,), (i,)) for i in range(n))
    found = []
    for role, which in (("publisher", 1), ("subscriber", 2)):
        for b in range(n):
            its = [topic[0] for topic in topics if b in topic[which]]
            for number, topic in enumerate(its, 1):
                found.append((f"{role}{b + 1}" + (f"_{number}" if number > 1 else ""), topic, b + 1))
    return found


def atom_text(names: Names) -> Callable[[random.Random], str]:
    every = ends(names)

    def atom(rng: random.Random) -> str:
        if rng.random() < 0.45:
            return f"broker{rng.choice(names.brokers)}.state"
        name, topic, _ = rng.choice(every)
        if rng.random() < 0.15:
            other, *_ = rng.choice(every)
            return f"{name}.{name[:3]}_topic = {rng.choice((topic, f'{other}.{other[:3]}_topic'))}"
        return f"{name}.{name[:3]}_bro{rng.choice(names.brokers)}"

    return atom


def holds_in(names: Names) -> Callable[[str, Any], bool]:
    homes = {name: home for name, _, home in ends(names)}
    topics = {name: topic for name, topic, _ in ends(names)}

    def holds(said: str, state: State) -> bool:
        before, now = state
        if found := re.fullmatch(r"broker(\d+)\.state", said):
            return now != int(found[1])
        if found := re.fullmatch(r"(\w+)\.(?:pub|sub)_bro(\d+)", said):
            home = homes[found[1]]
            on = home
            if before == home and home - 1 in names.takeover:
                on = names.takeover[home - 1][0] + 1
            return on == int(found[2])
        found = re.fullmatch(r"(\w+)\.(?:pub|sub)_topic = (.*?)(?:\.(?:pub|sub)_topic)?", said)
        assert found is not None
        return topics[found[1]] == topics.get(found[2], found[2])

    return holds


def graph(names: Names) -> dict[Any, list[Any]]:
    every = range(len(names.brokers) + 1)
    return {(p, q): [(q, r) for r in every] for p in every for q in every}


OVERLAY = make_overlay(2, [(0, 1)])


def word_of(names: Names, trace: Any) -> tuple[list[State], int | None]:
    """The states behind a trace: what was down a step ago is what the state before shows."""
    down = [0 if s["failed"] == "none" else names.brokers.index(s["failed"]) + 1 for s in trace.states]
    if trace.loop is None:
        return list(zip([0, *down], down, strict=False)), None
    # The loop's first state comes from outside at first and from its own end later: once more around is a loop.
    down += down[trace.loop :]
    loop = len(trace.states)
    return list(zip([0, *down], down, strict=False)), loop


def check_shown(names: Names, trace: Any) -> None:
    """Each state shows where its end nodes hang."""
    holds = holds_in(names)
    states, _ = word_of(names, trace)
    assert states[0] == (0, 0)
    for shown, state in zip(trace.states, states, strict=False):
        for key, value in shown.items():
            if key.endswith(" on"):
                name = key.removesuffix(" on")
                assert holds(f"{name}.{name[:3]}_bro{value}", state)


def random_ctl(rng: random.Random, names: Names) -> Tree:
    return random_tree(rng, atom_text(names), rng.randrange(1, 4), unary=CTL_UNARY, binary=("EU", "AU"))


def random_ltl(rng: random.Random, names: Names) -> Tree:
    return random_tree(
        rng, atom_text(names), rng.randrange(1, 4), unary=(*LTL_FUTURE, *LTL_PAST), binary=("U", "V", "S", "T")
    )


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32))
def test_random_ctl_by_the_definition(seed: int) -> None:
    rng = random.Random(seed)
    names = random_names(rng)
    # Something of the model of take-overs must occur; without any the formula is about a message's walk.
    for _ in range(8):
        tree = (
            "&",
            random_ctl(rng, names),
            ("|", ("atom", "publisher1.pub_bro1"), ("!", ("atom", "publisher1.pub_bro1"))),
        )
        if not any(name == "publisher1" for name, *_ in ends(names)):
            continue
        good = ctl(tree, graph(names), holds_in(names))
        answer = decide_spec(OVERLAY, names, text(tree, rng), "ctl")
        assert isinstance(answer, SpecTrue if (0, 0) in good else SpecFalse), text(tree, rng)
        if isinstance(answer, SpecFalse):
            check_shown(names, answer.trace)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_a_path_shows_what_it_can(seed: int) -> None:
    """False A-formulas over conditions, true E-formulas below a negation: the path itself decides."""
    rng = random.Random(seed)
    names = random_names(rng)
    holds = holds_in(names)
    for operator in ("AX", "AF", "AG", "AU"):
        parts = [
            random_tree(rng, atom_text(names), 2, unary=("!",), binary=()) for _ in range(2 if operator == "AU" else 1)
        ]
        parts[-1] = ("|", parts[-1], ("!", ("atom", "broker1.state")))
        tree = (operator, *parts)
        for said in (tree, ("!", ("E" + operator[1:], *parts))):
            whole: Tree = said
            answer = decide_spec(OVERLAY, names, text(whole, rng), "ctl")
            if not isinstance(answer, SpecFalse):
                continue
            word, loop = word_of(names, answer.trace)
            if loop is None:
                # Whatever follows: here, the last state for ever.
                word, loop = [*word, (word[-1][1], word[-1][1])], len(word)
            linear = ("!", (whole[1][0][1:], *whole[1][1:])) if whole[0] == "!" else (whole[0][1:], *whole[1:])
            assert not ltl(linear, word, loop, holds), (text(whole, rng), answer.trace)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32))
def test_false_ltl_has_a_word_that_is_no_model(seed: int) -> None:
    rng = random.Random(seed)
    names = random_names(rng)
    for _ in range(8):
        tree = ("|", random_ltl(rng, names), ("!", ("atom", "broker1.state")))
        answer = decide_spec(OVERLAY, names, text(tree, rng), "ltl")
        if isinstance(answer, SpecFalse):
            check_shown(names, answer.trace)
            word, loop = word_of(names, answer.trace)
            assert loop is not None
            assert not ltl(tree, word, loop, holds_in(names)), text(tree, rng)
        else:
            assert isinstance(answer, SpecTrue)
            # It holds on every word; here on some.
            for _ in range(10):
                down = [0, *(rng.randrange(len(names.brokers) + 1) for _ in range(rng.randrange(1, 7)))]
                back = rng.randrange(len(down))
                period = len(down) - back
                # Twice around: the second time what was down a step ago is the loop's own end.
                down += down[back:]
                word = list(zip([0, *down], down, strict=False))
                assert ltl(tree, word, len(down) - period, holds_in(names)), text(tree, rng)


@pytest.mark.slow
@settings(max_examples=50, deadline=None)
@given(st.integers(0, 2**32))
def test_random_formulas_by_nusmv(seed: int) -> None:
    """NuSMV agrees on both logics; in the papers' shape of the model too."""
    program = nusmv()
    rng = random.Random(seed)
    names = random_names(rng)
    for logic, make in (("ctl", random_ctl), ("ltl", random_ltl)):
        said = [text(("|", make(rng, names), ("!", ("atom", "broker1.state"))), rng) for _ in range(10)]
        specs = [OwnSpec(None, logic, one) for one in said]  # type: ignore[arg-type]
        for literal in (False, True):
            rendered = render_takeover(names, specs=specs, literal=literal)
            if not names.takeover:
                continue
            properties = len(takeover_properties(names))
            keyword = "SPEC" if logic == "ctl" else "LTLSPEC"
            raw = "".join(f"{keyword} {one}\n" for one in said)
            answers = run(program, rendered + raw, traces=False)
            assert len(answers) == 2 * len(said) + properties
            mine = [isinstance(decide_spec(OVERLAY, names, one, logic), SpecTrue) for one in said]  # type: ignore[arg-type]
            if logic == "ctl":
                answers = answers[: 2 * len(said)]
            else:
                own = [isinstance(decide_ltl(names, p.formula), SpecTrue) for p in takeover_properties(names)]
                assert own == [answer.holds for answer in answers[:properties]]
                answers = answers[properties:]
            for i, one in enumerate(said):
                assert (mine[i], mine[i]) == (answers[i].holds, answers[len(said) + i].holds), one


RING = Names(("1", "2", "3"), takeover={0: (1,), 1: (2,), 2: (0,)})
ADOPTED = "!publisher1.pub_bro1 & !subscriber1.sub_bro1 & publisher1.pub_bro2 & subscriber1.sub_bro2"
RETURNED = "publisher1.pub_bro1 & subscriber1.sub_bro1 & !publisher1.pub_bro2 & !subscriber1.sub_bro2"
#: The right side as the output of formula 5-1 prints it: publisher1.pub_bro1 where the text has pub_bro2.
SLIP = "!publisher1.pub_bro1 & !subscriber1.sub_bro1 & publisher1.pub_bro1 & subscriber1.sub_bro2"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        pytest.param(f"G (!broker1.state -> X ({ADOPTED}))", True, id="5-1, with the brackets it means"),
        pytest.param(
            "(subscriber2.sub_topic = publisher1.pub_topic | subscriber2.sub_topic = publisher2.pub_topic "
            "| subscriber2.sub_topic = publisher3.pub_topic)",
            True,
            id="5-2",
        ),
        pytest.param(f"G ((Y !broker1.state & broker1.state) -> X ({RETURNED}))", True, id="5-3, with its brackets"),
        # When the failure moves from broker 1 to broker 3, end node 1 returns to 1 and end node 3 goes to 1.
        pytest.param(
            "G (!broker1.state & X !broker3.state -> X X (publisher1.pub_bro1 & publisher3.pub_bro1 "
            "& subscriber1.sub_bro1 & subscriber3.sub_bro1))",
            True,
            id="the failure moves from 1 to 3",
        ),
        # The text of that transition has broker 3 adopt end node 1 while 1 is down; the ring says 2.
        pytest.param("G (!broker1.state -> X publisher1.pub_bro3)", False, id="3 is not the adopter of 1"),
        # As printed, without brackets, G reaches over the left side only, and that is never so at the start: anything
        # follows.
        pytest.param(f"G !broker1.state -> X ({ADOPTED})", True, id="5-1 as printed is true"),
        pytest.param(f"G !broker1.state -> X !({ADOPTED})", True, id="and so is its opposite"),
        pytest.param(f"G !broker1.state -> X ({SLIP})", True, id="and so is the slip"),
        pytest.param(f"G (!broker1.state -> X ({SLIP}))", False, id="the slip, with the brackets"),
        pytest.param(
            f"G (Y !broker1.state & broker1.state) -> X !({RETURNED})", True, id="5-3 as printed says nothing"
        ),
    ],
)
def test_three_brokers(said: str, expected: bool) -> None:
    """Thesis 5.1.2, by ctl and by NuSMV."""
    answer = decide_spec(OVERLAY, RING, said, "ltl")
    assert isinstance(answer, SpecTrue if expected else SpecFalse)
    for literal in (False, True):
        *_, last = run(nusmv(), render_takeover(RING, specs=[OwnSpec("said", "ltl", said)], literal=literal))
        assert last.holds is expected


def test_the_slip_is_seen_a_step_after_the_failure() -> None:
    answer = decide_spec(OVERLAY, RING, f"G (!broker1.state -> X ({SLIP}))", "ltl")
    assert isinstance(answer, SpecFalse)
    failed = [state["failed"] for state in answer.trace.states]
    at = failed.index("1")
    assert answer.trace.states[at + 1]["publisher1 on"] == "2"


def test_the_properties_hold_for_any_ring() -> None:
    """And are many: three for each of fifty brokers, decided in no time since each speaks of few."""
    n = 50
    names = Names(tuple(str(i) for i in range(n)), takeover={i: ((i + 1) % n,) for i in range(n)})
    properties = takeover_properties(names)
    assert [sum(p.kind == kind for p in properties) for kind in ("adopted", "matched", "returned")] == [50, 100, 50]
    assert all(isinstance(decide_ltl(names, p.formula), SpecTrue) for p in properties)


def test_nobody_adopts() -> None:
    names = Names(("1", "2"), takeover={1: (0,)})
    answer = decide_spec(OVERLAY, names, "AG (!broker1.state -> AX publisher1.pub_bro1)", "ctl")
    assert isinstance(answer, SpecTrue)
    assert [p.broker for p in takeover_properties(names) if p.kind == "adopted"] == [1]
