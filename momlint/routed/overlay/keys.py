"""Several small numbers in one, so that they sort, join and go into a set as one: how they are packed, and their names.

Everything about walks is asked and answered by such numbers. With n brokers:

==========  =====================================  =====================================================
name        number                                 what it stands for
==========  =====================================  =====================================================
``key``     ``(colour * n + dest) * n + loc``      what a colour does with messages for dest at loc; as
                                                   a failing walk, loc is its source
``cell``    ``dest * n + loc``                     the same in the base, and the place in ``base.ravel()``
``column``  ``colour * n + dest``                  all next hops of a colour for one destination
``pair``    ``source * n + dest``                  a source and a destination, in that order; also a broker
                                                   and a neighbour, or a broker and a row's destination
==========  =====================================  =====================================================

So a sorted array of keys has whole columns together, and whole colours. The checker of certificates has arithmetic
of its own: it is to share nothing with what it checks.
"""

from __future__ import annotations

from typing import Any, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from momlint.records import dataclass

#: A plain number, or an array of any shape.
N = TypeVar("N", int, NDArray[np.int64])
#: What is packed: arrays of any integer type are widened, and a plain number goes with an array of any shape.
Numbers: TypeAlias = "int | NDArray[np.integer[Any]]"


@dataclass(frozen=True, slots=True)
class Packing:
    """Two numbers in one, ``first * width + second``; `second` is below `width`.

    Arrays of any integer type and shape are packed to int64, two plain integers to one.
    """

    width: int

    @overload
    def pack(self, first: int, second: int) -> int: ...  # type: ignore[overload-overlap]
    @overload
    def pack(self, first: Numbers, second: Numbers) -> NDArray[np.int64]: ...
    def pack(self, first: Numbers, second: Numbers) -> Any:
        """``first * width + second``."""
        return _wide(first) * self.width + _wide(second)

    def split(self, packed: N) -> tuple[N, N]:
        """`first` and `second`."""
        return divmod(packed, self.width or 1)

    def first(self, packed: N) -> N:
        """`first` alone."""
        return packed // (self.width or 1)

    def second(self, packed: N) -> N:
        """`second` alone."""
        return packed % (self.width or 1)


@dataclass(frozen=True, slots=True)
class Keys:
    """Packs, splits and names the numbers of an overlay of `n` brokers; plain integers or arrays, as in `Packing`."""

    n: int

    @property
    def cells(self) -> int:
        """How many cells there are, which is how many keys a colour has."""
        return self.n * self.n

    # -- keys ------------------------------------------------------------------------------------------------------

    @overload
    def pack(self, colour: int, dest: int, loc: int) -> int: ...  # type: ignore[overload-overlap]
    @overload
    def pack(self, colour: Numbers, dest: Numbers, loc: Numbers) -> NDArray[np.int64]: ...
    def pack(self, colour: Numbers, dest: Numbers, loc: Numbers) -> Any:
        """The key of a colour, a destination and a place."""
        return (_wide(colour) * self.n + _wide(dest)) * self.n + _wide(loc)

    def split(self, key: N) -> tuple[N, N, N]:
        """The colour, the destination and the place of a key."""
        rest, loc = divmod(key, self.n or 1)
        colour, dest = divmod(rest, self.n or 1)
        return colour, dest, loc

    @overload
    def in_colour(self, colour: int, cell: int) -> int: ...  # type: ignore[overload-overlap]
    @overload
    def in_colour(self, colour: Numbers, cell: Numbers) -> NDArray[np.int64]: ...
    def in_colour(self, colour: Numbers, cell: Numbers) -> Any:
        """The key of a cell in a colour; cell 0 begins the colour's keys."""
        return _wide(colour) * self.cells + _wide(cell)

    @overload
    def in_column(self, column: int, loc: int) -> int: ...  # type: ignore[overload-overlap]
    @overload
    def in_column(self, column: Numbers, loc: Numbers) -> NDArray[np.int64]: ...
    def in_column(self, column: Numbers, loc: Numbers) -> Any:
        """The key of a place in a column; place 0 begins the column's keys."""
        return _wide(column) * self.n + _wide(loc)

    def colour_and_cell(self, key: N) -> tuple[N, N]:
        """Both parts of a key."""
        return divmod(key, self.cells or 1)

    def column_and_loc(self, key: N) -> tuple[N, N]:
        """Both parts of a key."""
        return divmod(key, self.n or 1)

    def colour_of(self, key: N) -> N:
        """The colour of a key."""
        return key // (self.cells or 1)

    def column_of(self, key: N) -> N:
        """The column of a key."""
        return key // (self.n or 1)

    def cell_of(self, key: N) -> N:
        """The cell of a key."""
        return key % (self.cells or 1)

    def dest_of(self, key: N) -> N:
        """The destination of a key or a cell."""
        return key // (self.n or 1) % (self.n or 1)

    def loc_of(self, key: N) -> N:
        """The place (the source, of a failing walk) of a key or a cell."""
        return key % (self.n or 1)

    def pair_of(self, key: N) -> N:
        """The pair whose walk a key or a cell names: its place as the source, and its destination."""
        return self.loc_of(key) * self.n + self.dest_of(key)

    # -- cells, columns, pairs -------------------------------------------------------------------------------------

    @overload
    def cell(self, dest: int, loc: int) -> int: ...  # type: ignore[overload-overlap]
    @overload
    def cell(self, dest: Numbers, loc: Numbers) -> NDArray[np.int64]: ...
    def cell(self, dest: Numbers, loc: Numbers) -> Any:
        """The cell of a destination and a place."""
        return _wide(dest) * self.n + _wide(loc)

    def split_cell(self, cell: N) -> tuple[N, N]:
        """The destination and the place of a cell."""
        return divmod(cell, self.n or 1)

    @overload
    def column(self, colour: int, dest: int) -> int: ...  # type: ignore[overload-overlap]
    @overload
    def column(self, colour: Numbers, dest: Numbers) -> NDArray[np.int64]: ...
    def column(self, colour: Numbers, dest: Numbers) -> Any:
        """The column of a colour and a destination."""
        return _wide(colour) * self.n + _wide(dest)

    def split_column(self, column: N) -> tuple[N, N]:
        """The colour and the destination of a column."""
        return divmod(column, self.n or 1)

    @overload
    def pair(self, source: int, dest: int) -> int: ...  # type: ignore[overload-overlap]
    @overload
    def pair(self, source: Numbers, dest: Numbers) -> NDArray[np.int64]: ...
    def pair(self, source: Numbers, dest: Numbers) -> Any:
        """The pair of a source and a destination, or of a broker and another."""
        return _wide(source) * self.n + _wide(dest)

    def split_pair(self, pair: N) -> tuple[N, N]:
        """The source and the destination of a pair."""
        return divmod(pair, self.n or 1)


def _wide(numbers: Numbers) -> Any:
    """In 64 bits, in which packed numbers have room; a plain number has room anyway."""
    return numbers if isinstance(numbers, int) else numbers.astype(np.int64, copy=False)
