"""Keys: by hand, and against nested lists that are flattened."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from momlint.routed.overlay.keys import Keys, Packing

PACKAGE = Path(__file__).resolve().parents[3] / "momlint"


def test_by_hand() -> None:
    # Ten brokers, so that the digits can be read: colour 2, destination 3, place 7.
    keys = Keys(10)
    assert keys.pack(2, 3, 7) == 237
    assert keys.split(237) == (2, 3, 7)
    assert keys.colour_and_cell(237) == (2, 37)
    assert keys.column_and_loc(237) == (23, 7)
    assert (keys.colour_of(237), keys.column_of(237), keys.cell_of(237)) == (2, 23, 37)
    assert (keys.dest_of(237), keys.loc_of(237), keys.pair_of(237)) == (3, 7, 73)
    assert (keys.dest_of(37), keys.loc_of(37), keys.pair_of(37)) == (3, 7, 73)
    assert keys.in_colour(2, 37) == keys.in_column(23, 7) == 237
    assert (keys.cell(3, 7), keys.split_cell(37)) == (37, (3, 7))
    assert (keys.column(2, 3), keys.split_column(23)) == (23, (2, 3))
    assert (keys.pair(7, 3), keys.split_pair(73)) == (73, (7, 3))
    assert keys.cells == 100
    assert Packing(4).pack(5, 3) == 23
    assert (Packing(4).split(23), Packing(4).first(23), Packing(4).second(23)) == ((5, 3), 5, 3)


@given(n=st.integers(1, 5), colours=st.integers(1, 4))
def test_a_key_is_a_place_in_an_array(n: int, colours: int) -> None:
    shape = (colours, n, n)
    colour, dest, loc = (axis.ravel().astype(np.int32) for axis in np.indices(shape))
    keys = Keys(n)
    packed = keys.pack(colour, dest, loc)
    assert packed.dtype == np.int64
    assert packed.tolist() == list(np.ravel_multi_index((colour, dest, loc), shape))
    assert [array.tolist() for array in keys.split(packed)] == [colour.tolist(), dest.tolist(), loc.tolist()]
    assert keys.cell_of(packed).tolist() == list(np.ravel_multi_index((dest, loc), shape[1:]))
    assert keys.pair_of(packed).tolist() == list(np.ravel_multi_index((loc, dest), shape[1:]))
    assert keys.column_of(packed).tolist() == list(np.ravel_multi_index((colour, dest), shape[:2]))
    assert keys.colour_of(packed).tolist() == colour.tolist()


@pytest.mark.parametrize("first", [3, np.array([3], np.int32), np.array([3], np.int64)])
def test_small_integers_do_not_overflow(first: int | np.ndarray) -> None:
    last = np.array([69_999], np.int32)
    assert Keys(70_000).pack(first, last, last).tolist() == [(3 * 70_000 + 69_999) * 70_000 + 69_999]
    assert Keys(70_000).cell(last, last).tolist() == [69_999 * 70_000 + 69_999]
    assert Packing(70_000).pack(last, last).tolist() == [69_999 * 70_000 + 69_999]


def test_no_brokers() -> None:
    none = np.zeros(0, np.int64)
    assert [array.size for array in Keys(0).split(none)] == [0, 0, 0]
    assert Keys(0).pair_of(none).size == 0
    assert Keys(0).cells == 0


#: The checker of certificates shares nothing with what it checks. The rest is no key: places
#: in a loop, states of a temporal automaton, units of work, decimals.
WITH_ARITHMETIC_OF_THEIR_OWN = {
    "routed/overlay/keys.py",
    "routed/certificate/form.py",
    "routed/certificate/given.py",
    "routed/certificate/verify.py",
    "routed/specs/ctl.py",
    "routed/specs/ltl.py",
    "routed/specs/takeover.py",
    "routed/checks/report_availability.py",
    # sequence numbers that wrap, and ends of an interface
    "routed/flooding/explore.py",
    "routed/flooding/telling.py",
    "fleet/parts.py",
    "fleet/simulations.py",
}


def _packs_or_splits(node: ast.AST) -> bool:
    """``divmod``, a remainder, or a multiple of the number of brokers plus something."""
    match node:
        case ast.Call(func=ast.Name(id="divmod") | ast.Attribute(attr="divmod")):
            return True
        case ast.BinOp(op=ast.Mod(), left=left):
            return not isinstance(left, ast.Constant | ast.JoinedStr)
        case ast.BinOp(op=ast.Add(), left=ast.BinOp(op=ast.Mult(), right=right)):
            return ast.unparse(right).rsplit(".", 1)[-1] in {"n", "_n", "cells", "colours", "n * n"}
    return False


def test_no_other_module_packs_or_splits() -> None:
    found = {}
    for file in sorted(PACKAGE.glob("routed/**/*.py")) + sorted(PACKAGE.glob("fleet/*.py")):
        name = file.relative_to(PACKAGE).as_posix()
        if name not in WITH_ARITHMETIC_OF_THEIR_OWN:
            tree = ast.parse(file.read_text(encoding="utf-8"))
            lines = [ast.unparse(node) for node in ast.walk(tree) if _packs_or_splits(node)]
            if lines:
                found[name] = lines
    assert found == {}
