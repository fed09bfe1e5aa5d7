"""Orders of updates: against every permutation of brokers, and by hand."""

from __future__ import annotations

from itertools import permutations, product

from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.routed.overlay.form import Overlay
from momlint.routed.overlay.orders import Order, Precedence, update_order
from momlint.routed.overlay.transients import Core, Phase, mixed_loops
from tests.budget import examples
from tests.routed.overlay.test_transients import Mixes, ring_of, ring_to_zero
from tests.strategies import overlays, scrambles


def is_free(mixes: Mixes, phase: Phase, colour: int, dests: list[int], order: tuple[int, ...]) -> bool:
    """Whether no set of brokers on the way loops for any of `dests`; by walking."""
    return not any(
        mixes.loops(phase, colour, dest, mixes.column(colour, dest, set(order[:length])))
        for dest in dests
        for length in range(len(order) + 1)
    )


def judge(overlay: Overlay, phase: Phase) -> set[str]:
    loops = mixed_loops(overlay, phase)
    mixes = Mixes(overlay)
    verdicts = set()
    for colour in sorted(set(loops.colour.tolist())):
        order = update_order(list(loops.cores(colour)))
        verdicts.add(order.verdict)
        # Where one column loops by itself no order helps, and none is promised.
        dests = [
            dest
            for dest in range(overlay.n)
            if not mixes.loops("back", colour, dest, mixes.column(colour, dest, set()))
            and not mixes.loops(phase, colour, dest, mixes.column(colour, dest, set(range(overlay.n))))
        ]
        if order.verdict == "found":
            rest = tuple(at for at in range(overlay.n) if at not in order.brokers)
            # Those that are not listed change at any time: first, last, or in the midst.
            half = len(order.brokers) // 2
            for whole in (
                order.brokers + rest,
                rest + order.brokers,
                order.brokers[:half] + rest + order.brokers[half:],
            ):
                assert is_free(mixes, phase, colour, dests, whole)
        else:
            assert order.verdict == "none"
            assert not any(is_free(mixes, phase, colour, dests, every) for every in permutations(order.involved)), (
                "there is an order after all"
            )
            for one, other in zip(order.conflict, (*order.conflict[1:], *order.conflict[:1]), strict=True):
                assert one.second == other.first
    return verdicts


@given(overlay=scrambles(max_n=6, max_colours=4) | overlays(max_n=7, max_colours=4).map(lambda case: case.overlay))
@settings(max_examples=examples(300), deadline=None)
def test_every_permutation(overlay: Overlay) -> None:
    judge(overlay, "back")
    judge(overlay, "failed")


@st.composite
def cores(draw: st.DrawFn) -> list[Core]:
    """Several destinations on the same few brokers, each with two trees: without one of them nothing contradicts."""
    n = draw(st.integers(3, 6))
    found = []
    for dest in range(draw(st.integers(1, 4))):
        ways: list[dict[int, int]] = []
        for _ in range(2):
            order = draw(st.permutations(range(n)))
            ways.append(
                {
                    at: to
                    for place, at in enumerate(order)
                    if (to := draw(st.sampled_from([None, *order[:place]]))) is not None
                }
            )
        if ways[0] or ways[1]:
            found.append(Core(0, 100 + dest, ways[0], ways[1]))
    return found


def loops(core: Core, changed: set[int]) -> bool:
    for start in range(7):
        at: int | None = start
        for _ in range(8):
            at = (core.after if at in changed else core.before).get(at) if at is not None else None
        if at is not None:
            return True
    return False


@given(cores=cores())
@settings(max_examples=examples(600), deadline=None)
def test_every_permutation_of_any_cores(cores: list[Core]) -> None:
    order = update_order(cores)

    def free(brokers: tuple[int, ...]) -> bool:
        return not any(loops(core, set(brokers[:k])) for core, k in product(cores, range(len(brokers) + 1)))

    if order.verdict == "found":
        assert free(order.brokers)
        assert sorted(order.brokers) == sorted(
            {b for core in cores for way in (core.before, core.after) for b in (*way, *way.values())}
        )
    else:
        assert not any(map(free, permutations(order.involved)))


def test_ring_by_hand() -> None:
    """1 sends to 2 when it has changed; so 2 changes first."""
    for phase in ("back", "failed"):
        found = mixed_loops(ring_to_zero(), phase)  # type: ignore[arg-type]
        assert update_order(list(found.cores(1))).brokers == (2, 1)


def test_contradiction_by_hand() -> None:
    """For one destination 1 turns to 2 and 2 away from 1, for another the other way round."""
    cores = [Core(1, 8, {2: 1}, {1: 2}), Core(1, 9, {1: 2}, {2: 1})]
    assert update_order(cores) == Order("none", (), (1, 2), (Precedence(1, 2, 9), Precedence(2, 1, 8)), 0)


def test_no_order_without_two_that_contradict() -> None:
    """Each of three destinations forbids one set, by a cycle of three: {1, 2}, {2, 3} or {1, 3} before the third.

    A cycle a → b → c → a by new, new and old ways exists when a and b have changed and c has not. Any order of three
    brokers passes one set of two; each of the three is forbidden.
    """
    cores = [Core(0, 10 + c, {c: a}, {a: b, b: c}) for a, b, c in ((1, 2, 3), (2, 3, 1), (3, 1, 2))]
    order = update_order(cores)
    assert (order.verdict, order.involved, order.conflict) == ("none", (1, 2, 3), ())
    assert order.sets > 0
    assert update_order(cores, most_sets=1).verdict == "unknown"


def test_ring_of_twelve_is_ordered_in_every_colour() -> None:
    assert judge(ring_of(12), "failed") == {"found"}
