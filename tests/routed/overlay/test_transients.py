"""Mixed colours: against every mix of brokers, one after the other, and by hand."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings

from momlint.routed.overlay.form import Overlay
from momlint.routed.overlay.transients import Phase, closes, mixed_loops
from tests.budget import examples
from tests.oracles import Oracle
from tests.strategies import F, L, make_overlay, overlays, scrambles


class Mixes:
    """Every mix of one overlay, with dictionaries and loops."""

    def __init__(self, overlay: Overlay) -> None:
        self.oracle = Oracle(overlay)
        self.n = overlay.n
        self.declared = {(arc.tail, arc.head) for arc in self.oracle.arcs}

    def carries(self, phase: Phase, colour: int, at: int, to: int) -> bool:
        if at == to:
            return phase == "back" or at not in self.oracle.failed_brokers[colour]
        return (at, to) in (self.declared if phase == "back" else self.oracle.live_hops(colour))

    def loops(self, phase: Phase, colour: int, dest: int, column: dict[int, int]) -> bool:
        for source in range(self.n):
            at, seen = source, set[int]()
            while at != dest and at not in seen:
                seen.add(at)
                to = column[at]
                if to == -1 or not self.carries(phase, colour, at, to):
                    break
                at = to
            else:
                if at != dest:
                    return True
        return False

    def column(self, colour: int, dest: int, changed: set[int]) -> dict[int, int]:
        oracle = self.oracle
        return {at: oracle.entry(colour, dest, at) if at in changed else oracle.base[dest, at] for at in range(self.n)}

    def expected(self, phase: Phase) -> set[tuple[int, int]]:
        found = set()
        for colour, dest in product(range(self.oracle.colours), range(self.n)):
            normal, other = self.column(colour, dest, set()), self.column(colour, dest, set(range(self.n)))
            if self.loops("back", colour, dest, normal) or self.loops(phase, colour, dest, other):
                continue  # a fault of one column alone
            differing = [at for at in range(self.n) if normal[at] != other[at]]
            for chosen in product((False, True), repeat=len(differing)):
                changed = {at for at, has in zip(differing, chosen, strict=True) if has}
                if self.loops(phase, colour, dest, self.column(colour, dest, changed)):
                    found.add((colour, dest))
                    break
        return found


def found(overlay: Overlay, phase: Phase) -> set[tuple[int, int]]:
    loops = mixed_loops(overlay, phase)
    assert np.array_equal(loops.columns, np.unique(loops.columns))
    for index in range(loops.size):
        cycle = loops.cycle(index)
        assert closes(overlay, loops, index, cycle)
        assert len(set(cycle)) == len(cycle) - 1, "a simple cycle"
        assert cycle[0] == min(cycle)
        _follow_by_hand(overlay, phase, int(loops.colour[index]), int(loops.dest[index]), cycle)
    return set(zip(loops.colour.tolist(), loops.dest.tolist(), strict=True))


def _follow_by_hand(overlay: Overlay, phase: Phase, colour: int, dest: int, cycle: tuple[int, ...]) -> None:
    mixes = Mixes(overlay)
    used = set()
    for at, to in pairwise(cycle):
        assert mixes.carries(phase, colour, at, to)
        kinds = {"normal"} if mixes.oracle.base[dest, at] == to else set[str]()
        if mixes.oracle.entry(colour, dest, at) == to:
            kinds.add("colour")
        assert kinds
        used.update(kinds)
    assert used == {"normal", "colour"}


@pytest.mark.parametrize("phase", ["back", "failed"])
@given(case=overlays(max_n=7, max_colours=3, max_damage=4))
@settings(max_examples=examples(250), deadline=None)
def test_every_mix_of_planned_and_damaged_tables(phase: Phase, case: object) -> None:
    overlay: Overlay = case.overlay  # type: ignore[attr-defined]
    assert found(overlay, phase) == Mixes(overlay).expected(phase)


@pytest.mark.parametrize("phase", ["back", "failed"])
@given(overlay=scrambles(max_n=6, max_colours=4))
@settings(max_examples=examples(250), deadline=None)
def test_every_mix_of_wrong_tables(phase: Phase, overlay: Overlay) -> None:
    assert found(overlay, phase) == Mixes(overlay).expected(phase)


@given(overlay=scrambles(max_n=6, max_colours=4) | overlays(max_n=8).map(lambda case: case.overlay))
@settings(max_examples=examples(200), deadline=None)
def test_within_is_both(overlay: Overlay) -> None:
    back = mixed_loops(overlay)
    within = mixed_loops(overlay, "failed", back)
    alone = mixed_loops(overlay, "failed")
    assert within.columns.tolist() == sorted({*back.columns.tolist()} & {*alone.columns.tolist()})


RING = [(0, 1), (1, 2), (2, 3), (3, 0)]


def ring_to_zero() -> Overlay:
    """A ring 0-1-2-3; destination 0; normal 1 → 0, 2 → 1, 3 → 0; without link 0-1: 1 → 2 → 3 → 0."""
    return make_overlay(
        4,
        RING,
        {(0, 1): 0, (0, 2): 1, (0, 3): 0},
        colours=[F(), F(links=[0])],
        deltas={(1, 0, 1): 2, (1, 0, 2): 3},
    )


def test_ring_by_hand() -> None:
    """1 has changed and sends to 2, 2 has not and sends back to 1."""
    for phase in ("back", "failed"):
        loops = mixed_loops(ring_to_zero(), phase)  # type: ignore[arg-type]
        assert (loops.colour.tolist(), loops.dest.tolist()) == ([1], [0])
        assert loops.cycle(0) == (1, 2, 1)


def test_loop_over_the_failed_link_needs_it_back() -> None:
    """Normal 1 → 2 → 0; without link 1-2, broker 2 is told to go by 3 and 1: the loop 1 → 2 → 3 → 1 needs 1-2."""
    overlay = make_overlay(
        4,
        [(1, 2), (2, 0), (2, 3), (3, 1), (1, 0)],
        {(0, 1): 2, (0, 2): 0, (0, 3): 1},
        colours=[F(), F(links=[0])],
        deltas={(1, 0, 1): 0, (1, 0, 2): 3},
    )
    assert mixed_loops(overlay).cycle(0) == (1, 2, 3, 1)
    assert mixed_loops(overlay, "failed").size == 0


def test_ways_between_entries_pass_the_base() -> None:
    """A ring of six: the two entries that differ are not neighbours, the cycle names those in between."""
    overlay = make_overlay(
        6,
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), L(1, 4)],
        {(0, 1): 0, (0, 2): 1, (0, 3): 2, (0, 4): 3, (0, 5): 0},
        colours=[F(), F(links=[0])],
        deltas={(1, 0, 1): 4, (1, 0, 4): 5},
    )
    assert mixed_loops(overlay).cycle(0) == (1, 4, 3, 2, 1)


def test_a_tree_never_loops_and_nothing_is_nothing() -> None:
    tree = make_overlay(
        3, [(0, 1), (1, 2)], {(0, 1): 0, (0, 2): 1}, colours=[F(), F(links=[0])], deltas={(1, 0, 1): -1}
    )
    assert mixed_loops(tree).size == 0
    assert mixed_loops(make_overlay(1, [])).size == 0


def ring_of(n: int) -> Overlay:
    """A ring in which each link has a colour, with the shortest paths of an independent oracle."""
    links = [(at, (at + 1) % n) for at in range(n)]
    colours = [F(), *(F(links=[link]) for link in range(n))]
    bare = Oracle(make_overlay(n, links, colours=colours))
    base = bare.shortest(0)[1]
    deltas = {}
    for colour in range(1, n + 1):
        healed = bare.shortest(colour)[1]
        deltas.update({(colour, *cell): healed[cell] for cell in base if healed[cell] != base[cell]})
    return make_overlay(n, links, base, colours=colours, deltas=deltas)


def test_blocks_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    overlay = ring_of(12)
    whole = mixed_loops(overlay)
    assert whole.size > 50
    for block, run in product((1, 100, 1 << 20), (1, 3, 17)):
        monkeypatch.setattr("momlint.routed.overlay.columns._BLOCK", block)
        monkeypatch.setattr("momlint.routed.overlay.transients._RUN", run)
        small = mixed_loops(overlay)
        assert small.columns.tolist() == whole.columns.tolist()
        assert [small.cycle(i) for i in range(small.size)] == [whole.cycle(i) for i in range(whole.size)]
