"""CTL over the walk of a message: against the definitions on the explicit graph, and against NuSMV."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.routed.overlay.form import Overlay
from momlint.routed.smv import OwnSpec, render_overlay, run
from momlint.routed.specs import Names, SpecError, SpecFalse, SpecTrue, TopicEnds, decide_spec
from tests.budget import examples
from tests.oracles import Oracle
from tests.routed.engines.nusmv import nusmv
from tests.routed.engines.temporal import CTL_UNARY, LTL_FUTURE, Tree, ctl, random_tree, text
from tests.strategies import Case, F, make_overlay, overlays

#: (colour, source, dest, topic, loc); dense ids, topic -1 where the model has none.
State = tuple[int, int, int, int, int]


def names_for(overlay: Overlay, rng: random.Random) -> Names:
    topics = []
    for i in range(rng.randrange(1, 4)):
        ends = [tuple(sorted(rng.sample(range(overlay.n), rng.randrange(1, overlay.n + 1)))) for _ in range(2)]
        topics.append(TopicEnds(f"t{i}", ends[0], ends[1]))
    return Names(
        tuple(str(i + 1) for i in range(overlay.n)),
        tuple(f"c{i}" for i in range(overlay.colours)),
        tuple(topics),
    )


def atom_text(overlay: Overlay, names: Names, *, topic: bool) -> Callable[[random.Random], str]:
    def atom(rng: random.Random) -> str:
        broker = rng.choice(names.brokers)
        kind = rng.randrange(9 if topic else 8)
        if kind == 0:
            return f"colour {rng.choice(('=', '!='))} {rng.choice(names.colours)}"
        if kind == 1:
            return "{} = {}".format(*rng.sample(("loc", "src", "dest"), 2))
        if kind == 2:
            some = rng.sample(names.brokers, rng.randrange(1, overlay.n))
            return f"{rng.choice(('loc', 'src', 'dest'))} in {{{', '.join(some)}}}"
        if kind == 3:
            return f"broker{broker}.state"
        if kind == 8:
            return f"topic = {rng.choice(names.topics).name}"
        return f"{rng.choice(('loc', 'loc', 'src', 'dest'))} {rng.choice(('=', '=', '!='))} {broker}"

    return atom


def model(overlay: Overlay, names: Names, *, topic: bool) -> tuple[dict[State, list[State]], list[State]]:
    """The explicit graph, from the brute-force reading of the overlay; and its initial states in order."""
    oracle = Oracle(overlay)
    n = overlay.n
    graph: dict[State, list[State]] = {}
    start: list[State] = []
    for c in range(overlay.colours):
        live = {(a.tail, a.head) for a in oracle.live_arcs(c)}
        for s in range(n):
            for d in range(n):
                for t, ends in enumerate(names.topics) if topic else [(-1, None)]:
                    if ends is not None and (s not in ends.publishers or d not in ends.subscribers):
                        continue
                    for u in range(n):
                        hop = oracle.entry(c, d, u)
                        after = hop if u != d and (u, hop) in live else u
                        graph[c, s, d, t, u] = [(c, s, d, t, after)]
                    start.append((c, s, d, t, s))
    return graph, start


def holds_in(names: Names, overlay: Overlay) -> Callable[[str, Any], bool]:
    oracle = Oracle(overlay)

    def holds(said: str, state: State) -> bool:
        c, s, d, t, u = state
        if said.endswith(".state"):
            return int(said.removeprefix("broker").removesuffix(".state")) - 1 not in oracle.failed_brokers[c]
        value = {
            "colour": names.colours[c], "src": names.brokers[s], "dest": names.brokers[d], "loc": names.brokers[u],
            "topic": names.topics[t].name if t >= 0 else "",
        }  # fmt: skip
        found = re.fullmatch(r"(\w+) (=|!=|in) (.*)", said)
        assert found is not None
        left, operator, right = value[found[1]], found[2], found[3]
        if operator == "in":
            return left in right.strip("{}").split(", ")
        return (left == value.get(right, right)) == (operator == "=")

    return holds


def random_formula(rng: random.Random, overlay: Overlay, names: Names, *, topic: bool, logic: str) -> Tree:
    return random_tree(
        rng,
        atom_text(overlay, names, topic=topic),
        rng.randrange(1, 5),
        unary=CTL_UNARY if logic == "ctl" else LTL_FUTURE,
        binary=("EU", "AU") if logic == "ctl" else ("U", "V"),
    )


_AS_CTL = {"X": "EX", "F": "EF", "G": "EG", "U": "EU"}


def as_ctl(tree: Tree) -> Tree:
    """LTL without the past on a graph with one successor a state, as CTL."""
    operator, *parts = tree
    if operator == "atom":
        return tree
    inner = [as_ctl(part) for part in parts]
    if operator == "V":
        return ("!", ("EU", ("!", inner[0]), ("!", inner[1])))
    return (_AS_CTL.get(operator, operator), *inner)


def check_against_definition(overlay: Overlay, names: Names, tree: Tree, said: str, *, topic: bool, logic: str) -> bool:
    graph, start = model(overlay, names, topic=topic)
    holds = holds_in(names, overlay)
    good = ctl(as_ctl(tree), graph, holds)
    failing = [state for state in start if state not in good]
    answer = decide_spec(overlay, names, said, logic)  # type: ignore[arg-type]
    assert not isinstance(answer, SpecError), (said, answer)
    assert isinstance(answer, SpecTrue if not failing else SpecFalse), (said, answer, failing[:1])
    if isinstance(answer, SpecFalse):
        trace = answer.trace
        # The first in the order of colours, sources, destinations, topics.
        assert (trace.colour, trace.source, trace.dest) == min(failing)[:3], said
        if topic and trace.topic is not None:
            assert trace.topic == min(failing)[3]
        places = []
        for state in trace.states:
            c, s, d = (names.colours.index(state["colour"]), *(names.brokers.index(state[v]) for v in ("src", "dest")))
            t = next((i for i, one in enumerate(names.topics) if one.name == state.get("topic")), -1)
            places.append((c, s, d, t, names.brokers.index(state["loc"])))
        if not topic or trace.topic is not None:
            assert places[0] == min(failing)
            for before, after in itertools.pairwise(places):
                assert graph[before] == [after]
            if trace.loop is not None:
                assert graph[places[-1]] == [places[trace.loop]]
            # What is shown is enough: whatever the walk did beyond it, the formula would be false.
            assert not settles_true(as_ctl(tree), list(places), trace.loop, holds)
        locs = [place[4] for place in places]
        assert list(trace.walk[: len(locs)]) == locs
        return False
    return True


def settles_true(tree: Tree, places: list[State], loop: int | None, holds: Callable[[str, Any], bool]) -> bool:
    """Whether the shown path leaves it open, or makes it true: three-valued truth over what is shown."""
    return _three(tree, places, loop, holds)[0] is not False


def _three(tree: Tree, places: list[State], loop: int | None, holds: Callable[[str, Any], bool]) -> list[bool | None]:
    # One place more stands for all that is beyond what is shown: there only what never changes is known.
    operator, *parts = tree
    length = len(places) + (loop is None)
    if operator == "atom":
        known: list[bool | None] = [holds(parts[0], place) for place in places]
        beyond = None if "loc" in parts[0] else known[0]
        return [*known, beyond] if loop is None else known
    inner = [_three(part, places, loop, holds) for part in parts]

    def no(x: bool | None) -> bool | None:
        return None if x is None else not x

    def both(a: bool | None, b: bool | None) -> bool | None:
        if a is False or b is False:
            return False
        return None if a is None or b is None else True

    def either(a: bool | None, b: bool | None) -> bool | None:
        return no(both(no(a), no(b)))

    def after(values: list[bool | None], i: int) -> bool | None:
        if i + 1 < length:
            return values[i + 1]
        return values[-1] if loop is None else values[loop]

    def until(a: list[bool | None], b: list[bool | None]) -> list[bool | None]:
        # The least fixpoint, from below: unknown only beyond the end of what is shown.
        value: list[bool | None] = [False] * length
        for _ in range(2 * length + 2):
            value = [either(b[i], both(a[i], after(value, i))) for i in range(length)]
        return value

    match operator:
        case "!":
            return [no(x) for x in inner[0]]
        case "EX" | "AX":
            return [after(inner[0], i) for i in range(length)]
        case "EF" | "AF":
            return until([True] * length, inner[0])
        case "EG" | "AG":
            return [no(x) for x in until([True] * length, [no(x) for x in inner[0]])]
        case "EU" | "AU":
            return until(*inner)
    result: list[bool | None] = []
    for a, b in zip(*inner, strict=True):
        match operator:
            case "&":
                result.append(both(a, b))
            case "|":
                result.append(either(a, b))
            case "->":
                result.append(either(no(a), b))
            case "xor":
                result.append(None if a is None or b is None else a != b)
            case _:
                result.append(None if a is None or b is None else a == b)
    return result


@settings(max_examples=examples(150), deadline=None)
@given(overlays(min_n=1 + 1, max_n=5, max_colours=3), st.integers(0, 2**32))
def test_random_formulas_by_the_definition(case: Case, seed: int) -> None:
    rng = random.Random(seed)
    overlay = case.overlay
    names = names_for(overlay, rng)
    for _ in range(8):
        topic, logic = rng.random() < 0.25, rng.choice(("ctl", "ctl", "ltl"))
        tree = random_formula(rng, overlay, names, topic=topic, logic=logic)
        said = text(tree, rng)
        if topic and "topic" not in said:
            topic = False
        check_against_definition(overlay, names, tree, said, topic=topic, logic=logic)


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(overlays(max_n=6, max_colours=4), st.integers(0, 2**32))
def test_random_formulas_by_nusmv(case: Case, seed: int) -> None:
    """NuSMV reads the user's text itself and the rendered formula, and both agree with ctl."""
    program = nusmv()
    rng = random.Random(seed)
    overlay = case.overlay
    names = names_for(overlay, rng)
    for logic in ("ctl", "ltl"):
        said = []
        for _ in range(12):
            # Half of the formulas with topics would make nearly all models have them.
            tree = random_formula(rng, overlay, names, topic=False, logic=logic)
            said.append(text(tree, rng))
        check_by_nusmv(program, overlay, names, said, logic)
        tree = random_formula(rng, overlay, names, topic=True, logic=logic)
        check_by_nusmv(program, overlay, names, [f"({text(tree, rng)}) | topic != t0"], logic)


def check_by_nusmv(program: str, overlay: Overlay, names: Names, said: list[str], logic: str) -> None:
    specs = [OwnSpec(None, logic, one) for one in said]  # type: ignore[arg-type]
    rendered = render_overlay(overlay, names, specs=specs, loops=False, all_pairs=True)
    keyword = "SPEC" if logic == "ctl" else "LTLSPEC"
    raw = "".join(f"{keyword} loc = src -> ({one})\n" for one in said)
    rendered = re.sub(r"^SPEC \(src = .*-> AF .*\n", "", rendered, flags=re.MULTILINE)
    answers = run(program, rendered + raw, traces=False)
    assert len(answers) == 2 * len(said)
    for one, first, second in zip(said, answers[: len(said)], answers[len(said) :], strict=True):
        mine = isinstance(decide_spec(overlay, names, one, logic), SpecTrue)  # type: ignore[arg-type]
        assert (mine, mine) == (first.holds, second.holds), one


def triangle(*, colours: int = 1) -> Overlay:
    base = {(d, u): d for d in range(3) for u in range(3) if d != u}
    return make_overlay(3, [(0, 1), (0, 2), (1, 2)], base, colours=[F()] * colours)


THREE = Names(("1", "2", "3"))


def test_a_loop_is_a_lasso() -> None:
    overlay = make_overlay(3, [(0, 1), (0, 2), (1, 2)], {(1, 0): 2, (1, 2): 0})
    answer = decide_spec(overlay, THREE, "(src = 1 & dest = 2 & loc = 1) -> AF (loc = 2)", "ctl")
    assert isinstance(answer, SpecFalse)
    assert [state["loc"] for state in answer.trace.states] == ["1", "3"]
    assert (answer.trace.loop, answer.trace.walk) == (0, (0, 2, 0))
    assert "colour" not in answer.trace.states[0]


def test_a_trace_as_lines() -> None:
    overlay = make_overlay(3, [(0, 1), (0, 2), (1, 2)], {(1, 0): 2, (1, 2): 0, (2, 0): 1})
    for said, lines in (
        (
            "src = 1 & dest = 2 -> AF (loc = 2)",
            ["1: src = 1, dest = 2, loc = 1", "2: loc = 3", "and so for ever from 1"],
        ),
        ("src = 1 & dest = 3 -> AF (loc = 3)", ["1: src = 1, dest = 3, loc = 1", "2: loc = 2", "and there it stays"]),
        ("src = 1 & dest = 3 -> AX loc = 1", ["1: src = 1, dest = 3, loc = 1", "2: loc = 2"]),
    ):
        answer = decide_spec(overlay, THREE, said, "ctl")
        assert isinstance(answer, SpecFalse)
        assert answer.trace.lines() == lines


def test_a_message_that_stops_stays() -> None:
    overlay = make_overlay(3, [(0, 1), (1, 2)], {(2, 0): 1})
    answer = decide_spec(overlay, THREE, "src = 1 & dest = 3 -> AF loc = 3", "ctl")
    assert isinstance(answer, SpecFalse)
    assert (answer.trace.walk, answer.trace.loop) == ((0, 1), 1)


def test_no_more_is_shown_than_is_needed() -> None:
    overlay = make_overlay(4, [(0, 1), (1, 2), (2, 3)], {(3, 0): 1, (3, 1): 2, (3, 2): 3})
    names = Names(("1", "2", "3", "4"))
    answer = decide_spec(overlay, names, "src = 1 & dest = 4 -> AG loc != 2", "ctl")
    assert isinstance(answer, SpecFalse)
    assert (answer.trace.walk, answer.trace.loop) == ((0, 1), None)


def test_large_overlays_look_only_where_the_formula_does() -> None:
    """384 brokers and 200 colours would be 11 thousand million states."""
    n = 384
    base = {(d, u): (u + 1) % n for d in range(n) for u in range(n) if d != u}
    overlay = make_overlay(n, [(i, (i + 1) % n) for i in range(n)], base, colours=[F()] * 200)
    names = Names(tuple(str(i) for i in range(n)), tuple(f"c{i}" for i in range(200)))
    assert isinstance(decide_spec(overlay, names, "AF loc = dest", "ctl"), SpecTrue)
    assert isinstance(decide_spec(overlay, names, "src = 3 & dest = 2 -> AF loc = 1", "ctl"), SpecTrue)
    answer = decide_spec(overlay, names, "colour = c7 & src = 3 & dest = 5 -> AG loc != 4", "ctl")
    assert isinstance(answer, SpecFalse)
    assert answer.trace.walk == (3, 4)


def test_undecided_when_the_time_is_up() -> None:
    answer = decide_spec(triangle(), THREE, "AF loc = dest", "ctl", timeout=-1)
    assert type(answer).__name__ == "SpecUndecided"
