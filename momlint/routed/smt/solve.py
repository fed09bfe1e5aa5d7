"""The search for all that fails, with any solver: find a set, see where else it is one, block it, ask again.

A solver that is asked for a trap in each colour and towards each destination gives thousands that are the same set.
So each set found is tried in all other colours at once: whether no hop leaves it there is a matter of looking. What
the solver says last, that there is no further one, is what makes the list complete.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from momlint.errors import InternalError
from momlint.routed.overlay.keys import Keys, Packing
from momlint.routed.smt.encode import Cuts
from momlint.routed.smt.entries import Entries
from momlint.solving.session import Every, No, Some

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from momlint.routed.smt.encode import Walks
    from momlint.solving.session import Formula, Model, Session


class Trapped(NamedTuple):
    """In each of these colours none of the sources arrives at the destination; all as dense ids."""

    dest: int
    colours: Sequence[int]
    sources: Sequence[int]


class Apart(NamedTuple):
    """In each of these colours no source reaches any destination; all as dense ids, and no broker is both."""

    colours: Sequence[int]
    sources: Sequence[int]
    dests: Sequence[int]


_REPEATED = "a solver repeats a set that was blocked; please report it with the estate"

#: A set of brokers, a bit each.
_Set = int


def _set(brokers: Sequence[int]) -> _Set:
    found = 0
    for broker in brokers:
        found |= 1 << broker
    return found


def _members(brokers: _Set) -> list[int]:
    """The brokers of a set, ascending."""
    text = bin(brokers)[:1:-1]
    return [i for i, bit in enumerate(text) if bit == "1"]


def failing(n: int, section: Entries | Walks | Cuts, session: Session) -> Iterator[NDArray[np.int64]]:
    """All keys that fail of `section`, an array for each model of the solver, in any order. Raises `GaveUp`."""
    if isinstance(section, Entries):
        yield from never_arriving(section, session)
        return
    for found in severed(section, session) if isinstance(section, Cuts) else trapped(section, session):
        yield np.concatenate([_keys(n, one) for one in found])


def _keys(n: int, found: Trapped | Apart) -> NDArray[np.int64]:
    """The keys ``(colour * n + dest) * n + source`` of what is found, in any order."""
    dests = (found.dest,) if isinstance(found, Trapped) else found.dests
    colours = np.asarray(found.colours, np.int64)[:, None, None]
    return Keys(n).pack(colours, np.asarray(dests, np.int64)[:, None], np.asarray(found.sources, np.int64)).ravel()


# -- entries --------------------------------------------------------------------------------------------------------


def never_arriving(entries: Entries, session: Session) -> Iterator[NDArray[np.int64]]:
    """All keys that fail of `entries`, an array for each model; it may be empty, as more is asked than has to be.

    The next model has to hold an entry that none so far has held. Raises `GaveUp`.
    """
    left = entries.asked
    names = [f"e{entry}" for entry in left.tolist()]
    while (model := session.find()) is not None:
        held = np.zeros(len(left), np.bool_)
        held[model.true(names)] = True
        if not held.any():
            raise InternalError(_REPEATED)
        yield entries.failing(left[held])
        left = left[~held]
        if not len(left):
            return
        names = [f"e{entry}" for entry in left.tolist()]
        session.require(Some(names))


# -- walks ----------------------------------------------------------------------------------------------------------


def trapped(walks: Walks, session: Session) -> Iterator[list[Trapped]]:
    """All that fails of `walks`, a list for each model of the solver.

    The next model has to be about another destination or colour, or to hold a source that no trap so far has held.
    Raises `GaveUp`.
    """
    n, layers = walks.moves.base.shape[1], len(walks.layers)
    brokers = [f"b{u}" if walks.bound is None else f"b{u}_{i}" for u in range(n) for i in walks.layers]
    colour_bits, dest_bits = walks.colour_bits.bits, walks.dest_bits.bits
    down = [0] * len(walks.colours)
    index_of = {colour: index for index, colour in enumerate(walks.colours)}
    for colour, broker in walks.absent:
        down[index_of[colour]] |= 1 << broker
    #: (destination, colour) by index, the plain ones as the last colour → the sources that no trap has held
    left: dict[tuple[int, int], _Set] = {}
    every = [_set(sources) for sources in walks.sources]
    while (model := session.find()) is not None:
        dest = sum(1 << bit for bit in model.true(dest_bits))
        held = np.zeros(n * layers, np.bool_)
        held[model.true(brokers)] = True
        held = held.reshape(n, layers)
        top = _set(np.flatnonzero(held[:, -1]).tolist())
        chosen = _chosen(model, colour_bits, walks.colour_symbols)
        found: dict[_Set, list[int]] = {}
        blocked: dict[_Set, list[int]] = {}
        for colour in _closed_in(walks, dest, held).tolist():
            asked = left.get((dest, colour))
            if asked is None:
                asked = every[dest] & ~down[colour] if colour < len(down) else every[dest]
            new = asked & top
            if new:
                found.setdefault(new, []).append(colour)
                blocked.setdefault(asked & ~new, []).append(colour)
                left[dest, colour] = asked & ~new
        if not any(chosen in colours for colours in found.values()):
            raise InternalError(_REPEATED)
        yield [
            Trapped(walks.dests[dest], _ids(colours, walks.colours, walks.plain[dest]), _members(sources))
            for sources, colours in found.items()
        ]
        elsewhere: list[Formula] = [No(walks.dest_symbols[dest])] if walks.many else []
        for sources, colours in blocked.items():
            another = [f"b{s}{walks.top}" for s in _members(sources)]
            session.require(Some([*elsewhere, *another, _none_of(colours, walks.colour_symbols)]))


def _chosen(model: Model, bits: Sequence[str], symbols: Sequence[str]) -> int:
    """The index of the colour chosen, ``len(symbols)`` for none; its bits name the only one that can be."""
    number = sum(1 << bit for bit in model.true(bits))
    return number if number < len(symbols) and model.true([symbols[number]]) else len(symbols)


def _none_of(colours: Sequence[int], symbols: Sequence[str]) -> Formula:
    """That none of the colours (by index, the plain ones last) is chosen."""
    terms: list[Formula] = [No(symbols[colour]) for colour in colours if colour < len(symbols)]
    if len(terms) < len(colours):
        terms.append(Some(symbols))
    return Every(terms)


def _ids(colours: Sequence[int], ids: Sequence[int], plain: Sequence[int]) -> list[int]:
    """Colours by index, the plain ones last, as dense ids."""
    return [one for colour in colours for one in (ids[colour : colour + 1] or plain)]


def _closed_in(walks: Walks, dest: int, held: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The colours (by index, the plain ones last) in which no hop towards the destination leaves the trap.

    `dest`: its index. `held`: bool[n, layers], the trap; with a bound, a hop goes one layer down.
    """
    moves, colours = walks.moves, len(walks.colours)
    base = moves.base[dest]
    n = len(held)

    def leaves(tail: NDArray[np.intp], head: NDArray[np.int64]) -> NDArray[np.bool_]:
        if walks.bound is None:
            gone: NDArray[np.bool_] = held[tail, 0] & ~held[head, 0]
        else:
            gone = np.any(held[tail, 1:] & ~held[head, :-1], axis=1)
        return gone

    tail = np.flatnonzero(base >= 0)
    out = np.zeros(n, np.bool_)
    out[tail] = leaves(tail, base[tail])
    count = np.full(colours + 1, np.count_nonzero(out), np.int64)
    if colours:
        place, with_colour = Packing(n), Packing(colours)
        bounds = with_colour.pack(place.pack(np.array((dest, dest + 1)), 0), 0)
        begin, end = np.searchsorted(moves.but, bounds)
        owner, colour = with_colour.split(moves.but[begin:end])
        owner = place.second(owner)
        count[:-1] -= np.bincount(colour[out[owner]], minlength=colours)
        begin, end = np.searchsorted(moves.delta_dest, (dest, dest + 1))
        loses = leaves(moves.delta_loc[begin:end], moves.delta_hop[begin:end])
        count[:-1] += np.bincount(moves.delta_colour[begin:end][loses], minlength=colours)
    asked = np.append(walks.differs[dest], bool(walks.plain[dest]))
    return np.flatnonzero((count == 0) & asked)


# -- cuts -----------------------------------------------------------------------------------------------------------


class _Pairs(NamedTuple):
    """Each of `sources` with each of `dests` but itself."""

    sources: _Set
    dests: _Set

    def any(self) -> bool:
        """Whether there is a pair at all."""
        one = self.sources.bit_count() == 1 and self.sources == self.dests
        return bool(self.sources and self.dests) and not one


def severed(
    cuts: Cuts, session: Session, *, by_failure: bool = False, guesses: Sequence[tuple[int, int]] = ()
) -> Iterator[list[Apart]]:
    """All pairs of `cuts` that no path joins, a list for each model of the solver.

    The next model has to be about another colour, or about a pair that none so far was about. With `by_failure`, only
    pairs that are joined in the plain colours are told. `guesses`: (colour, source) where one may be cut off: looked
    at before the solver is asked, and a wrong one costs time, no more. Raises `GaveUp`.
    """
    search = _CutSearch(cuts, session)
    if by_failure and cuts.plain:
        for _ in search.run(No(Some(cuts.colour_symbols)) if cuts.colours else None):
            pass
        if not search.start_again():
            return
    for colour, source in guesses:
        if (told := search.guess(colour, source)) is not None:
            yield told
    yield from search.run(None)


class _CutSearch:
    def __init__(self, cuts: Cuts, session: Session) -> None:
        self._cuts = cuts
        self._session = session
        self._tail = np.array([hop.tail for hop in cuts.hops], np.int64)
        self._head = np.array([hop.head for hop in cuts.hops], np.int64)
        self._dead_hop, self._dead_colour = Packing(len(cuts.colours)).split(cuts.dead)
        ends = [end for hop in cuts.hops for end in (hop.tail, hop.head)]
        ends += [end for sources, dests in cuts.needs for end in (*sources, *dests)]
        self._brokers = [f"b{u}" for u in range(max(ends) + 1)]
        self._index_of = {colour: index for index, colour in enumerate(cuts.colours)}
        self._down = [0] * (len(cuts.colours) + 1)
        for colour, broker in cuts.absent:
            self._down[self._index_of[colour]] |= 1 << broker
        self._bits = cuts.colour_bits.bits
        self._needs = [_Pairs(_set(sources), _set(dests)) for sources, dests in cuts.needs]
        #: What the script has a symbol for already; of those, most are left nearly to the end.
        self._symbol_of = {
            pairs: symbol for pairs, (symbol, _, _) in zip(self._needs, cuts.wanted, strict=True) if symbol
        }
        #: colour by index, the plain ones as the last → the pairs that no cut has told of
        self._left: dict[int, list[_Pairs]] = {}

    def start_again(self) -> bool:
        """From now on, only ask about what is left of the plain colours; whether there is any."""
        plain = len(self._cuts.colours)
        if plain in self._left:
            self._needs = self._left[plain]
            self._session.require(Some([self._some_cut(pairs) for pairs in self._needs]))
        self._left.clear()
        return bool(self._needs and self._cuts.colours)

    def run(self, also: Formula | None) -> Iterator[list[Apart]]:
        """All cuts; with `also`, those with which it holds."""
        while (model := self._session.find(also)) is not None:
            chosen = _chosen(model, self._bits, self._cuts.colour_symbols)
            told, colours = self._tell(model.true(self._brokers))
            if chosen not in colours:
                raise InternalError(_REPEATED)
            yield told

    def guess(self, colour: int, source: int) -> list[Apart] | None:
        """What the brokers that `source` reaches in a colour tell of, if it is one of these and there is anything."""
        index = self._index_of.get(colour)
        start = int(self._cuts.starts.start[source])
        if index is None or not 0 <= start < len(self._brokers):
            return None
        live = np.ones(self._tail.size, np.bool_)
        live[self._dead_hop[self._dead_colour == index]] = False
        tail, head = self._tail[live], self._head[live]
        held = np.zeros(len(self._brokers), np.bool_)
        held[start] = True
        reached = 0
        while (now := int(np.count_nonzero(held))) > reached:
            reached = now
            held[head[held[tail]]] = True
        told, _ = self._tell(np.flatnonzero(held).tolist())
        return told or None

    def _tell(self, held: Sequence[int]) -> tuple[list[Apart], set[int]]:
        """What a set tells that none before did, and in which colours (by index); no model will be about that again."""
        closed = _set(held)
        told: dict[tuple[_Pairs, ...], list[int]] = {}
        blocked: dict[tuple[_Pairs, ...], list[int]] = {}
        for colour in self._closed_in(held).tolist():
            new, left = self._split(colour, closed)
            if new:
                told.setdefault(tuple(new), []).append(colour)
                blocked.setdefault(tuple(left), []).append(colour)
                self._left[colour] = left
        for rest, colours in blocked.items():
            another = [self._some_cut(pairs) for pairs in rest]
            self._session.require(Some([*another, _none_of(colours, self._cuts.colour_symbols)]))
        cuts = self._cuts
        apart = [
            Apart(_ids(colours, cuts.colours, cuts.plain), self._senders(pairs.sources), _members(pairs.dests))
            for new, colours in told.items()
            for pairs in new
        ]
        return apart, {colour for colours in told.values() for colour in colours}

    def _senders(self, sources: _Set) -> list[int]:
        return sorted(self._cuts.starts.broker[_members(sources)].tolist())

    def _split(self, colour: int, closed: _Set) -> tuple[list[_Pairs], list[_Pairs]]:
        """Of what is left in a colour: the pairs that this set tells of, and those it leaves."""
        pairs = self._left.get(colour)
        if pairs is None:
            up = ~self._down[colour]
            pairs = [_Pairs(one.sources & up, one.dests & up) for one in self._needs]
        new, left = [], []
        for sources, dests in pairs:
            cut = _Pairs(sources & closed, dests & ~closed)
            if not cut.any():
                left.append(_Pairs(sources, dests))
                continue
            new.append(cut)
            left += [_Pairs(sources & closed, dests & closed), _Pairs(sources & ~closed, dests)]
        return new, [one for one in left if one.any()]

    def _some_cut(self, pairs: _Pairs) -> Formula:
        """A source is in the set, and not every destination."""
        if (symbol := self._symbol_of.get(pairs)) is not None:
            return symbol
        inside: list[Formula] = [self._brokers[s] for s in _members(pairs.sources)]
        outside: list[Formula] = [No(self._brokers[d]) for d in _members(pairs.dests)]
        return Every([Some(inside), Some(outside)])

    def _closed_in(self, held: Sequence[int]) -> NDArray[np.intp]:
        """The colours (by index, the plain ones last) in which no live hop leaves the set."""
        colours = len(self._cuts.colours)
        inside = np.zeros(len(self._brokers), np.bool_)
        inside[held] = True
        out = inside[self._tail] & ~inside[self._head]
        count = np.full(colours + 1, np.count_nonzero(out), np.int64)
        if colours:
            count[:-1] -= np.bincount(self._dead_colour[out[self._dead_hop]], minlength=colours)
        # Where there are no plain colours, none is not a choice.
        return np.flatnonzero(count == 0) if self._cuts.plain else np.flatnonzero(count[:-1] == 0)
