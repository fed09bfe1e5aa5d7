"""From an `Overlay` and a `Question` to what the templates loop over: `Walks` for tables, `Cuts` for links.

The encodings themselves are the templates (``templates/*.smt2.j2``); here stands only which hops, colours and
sources there are. Where a solver is asked whether walks arrive at all, `Entries` makes the script out of `Walks`; else
one script asks about many destinations at once, each with a Boolean of its own by which it is chosen: for small
overlays a solver's start and the declarations cost more than what is decided. The work is proportional to
brokers × destinations + deltas, never to colours × brokers².
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from momlint.records import dataclass
from momlint.routed.overlay.form import NO_HOP
from momlint.routed.overlay.keys import Packing
from momlint.routed.overlay.ragged import among, distinct, segment_starts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from momlint.routed.overlay.form import Overlay
    from momlint.routed.questions.question import Question

#: Colours whose live arcs are worked out at once, so that many colours do not need colours × arcs bytes.
_CHUNK = 4096

#: About so many hops and deltas make a script: beyond, nothing is saved, and learning from one destination for another
#: costs more than it helps (bench/bench_smt.py).
_BATCH = 400

#: The same where no symbols choose a destination, and nothing is to be learned: only what lies in memory at once. A
#: source asked is taken to meet so many brokers at the most; the tables are read for so many cells at once.
_BATCH_OF_ENTRIES = 4000
_BROKERS_MET = 16
_CELLS = 1_000_000


class Hop(NamedTuple):
    """A hop from broker `tail` to `head`: for the destinations in `guard`, but for the colours in `but`.

    Both are text of SMT-LIB; `guard` is empty where there is one destination, `but` (`` x3 x7``) where the hop always
    holds. `colour`: that of a delta, None for a hop of the base.
    """

    tail: int
    head: int
    guard: str = ""
    but: str = ""
    colour: int | None = None


@dataclass(frozen=True)
class Walks:
    """What is asked of the walks to some destinations, in all colours at once.

    `dests`: ascending. `plain`: for each of them the colours in which no hop differs from the base and every source is
    asked; they are one case, "no colour is chosen". `colours`: the others, of any of the destinations, ascending;
    `differs`: bool[destinations, colours], which of them concern which destination. `sources`: those asked of each
    destination. `absent`: (colour, broker) that has failed and is not asked. `moves`: the hops over arcs that are
    there; what is missing stops the message. `bound`: hops, for the template with layers.
    """

    dests: tuple[int, ...]
    plain: tuple[tuple[int, ...], ...]
    colours: tuple[int, ...]
    differs: NDArray[np.bool_]
    sources: tuple[tuple[int, ...], ...]
    absent: list[tuple[int, int]]
    moves: Moves
    bound: int | None = None

    @property
    def dest(self) -> int:
        """The destination, where there is one."""
        return self.dests[0]

    @property
    def many(self) -> bool:
        """Whether a destination has to be chosen."""
        return len(self.dests) > 1

    @property
    def layers(self) -> range:
        """The layers of the template with a bound."""
        return range((self.bound or 0) + 1)

    @property
    def top(self) -> str:
        """What a source's Boolean ends with: the layer it starts in."""
        return "" if self.bound is None else f"_{self.bound}"

    @cached_property
    def colour_symbols(self) -> tuple[str, ...]:
        """The Boolean of each colour in `colours`."""
        return tuple(f"x{c}" for c in self.colours)

    @cached_property
    def dest_symbols(self) -> tuple[str, ...]:
        """The Boolean of each destination."""
        return tuple(f"d{d}" for d in self.dests)

    @property
    def hops(self) -> list[Hop]:
        """Those of the base; the same hop for several destinations is one."""
        place = Packing(self.moves.base.shape[1])  # of a destination, as an index, and a broker
        keys = np.flatnonzero(self.moves.base >= 0)
        heads = self.moves.base.ravel()[keys]
        texts = _texts(self.moves.but, self.colours, self.moves.base.size)
        if not self.many:
            return [Hop(u, v, "", texts[u]) for u, v in zip(keys.tolist(), heads.tolist(), strict=True)]
        alike: dict[tuple[int, int, str], list[str]] = {}
        for key, head in zip(keys.tolist(), heads.tolist(), strict=True):
            row, tail = place.split(key)
            alike.setdefault((tail, head, texts[key]), []).append(self.dest_symbols[row])
        return [Hop(tail, head, any_of(dests), but) for (tail, head, but), dests in alike.items()]

    @property
    def deltas(self) -> list[Hop]:
        """Those of colours."""
        moves = self.moves
        colour = [self.colours[index] for index in moves.delta_colour.tolist()]
        hops = list(zip(colour, moves.delta_loc.tolist(), moves.delta_hop.tolist(), strict=True))
        if not self.many:
            return [Hop(tail, head, "", "", colour) for colour, tail, head in hops]
        alike: dict[tuple[int, int, int], list[str]] = {}
        for hop, row in zip(hops, moves.delta_dest.tolist(), strict=True):
            alike.setdefault(hop, []).append(self.dest_symbols[row])
        return [Hop(tail, head, any_of(dests), "", colour) for (colour, tail, head), dests in alike.items()]

    @property
    def colour_bits(self) -> Numbered:
        """A number for each colour, so that at most one is chosen."""
        return Numbered.of(self.colour_symbols, "k")

    @property
    def dest_bits(self) -> Numbered:
        """The same for destinations."""
        return Numbered.of(self.dest_symbols if self.many else (), "m")

    @property
    def unlike(self) -> list[tuple[str, str]]:
        """(colour, destinations it goes with as a term), for colours that do not concern all destinations."""
        if not self.many:
            return []
        said = []
        for index, x in enumerate(self.colour_symbols):
            with_it = np.flatnonzero(self.differs[:, index]).tolist()
            if len(with_it) < len(self.dests):
                said.append((x, any_of([self.dest_symbols[i] for i in with_it])))
        return said

    @property
    def coloured(self) -> list[str]:
        """The destinations that are asked in `colours` only; all of them are one empty text."""
        bare = [d for d, plain in zip(self.dest_symbols, self.plain, strict=True) if not plain]
        return [""] if len(bare) == len(self.dests) else bare

    @property
    def asked(self) -> list[tuple[str, str]]:
        """(destinations, their sources) as terms; the former empty where they are all there are.

        A destination may stand among its own sources: it is not in the trap.
        """
        alike: dict[tuple[int, ...], list[str]] = {}
        for dest, symbol, sources in zip(self.dests, self.dest_symbols, self.sources, strict=True):
            alike.setdefault(tuple(sorted({*sources, dest})) if self.many else sources, []).append(symbol)
        return [
            (any_of(symbols) if len(alike) > 1 else "", any_of([f"b{s}{self.top}" for s in sources]))
            for sources, symbols in alike.items()
        ]


@dataclass(frozen=True, slots=True)
class Moves:
    """The hops of `Walks` as arrays. Colours are indices into `Walks.colours`, destinations into `Walks.dests`.

    `base`: int64[destinations, n], the hop over an arc that is there, -1 where there is none. The hop of destination j
    at u is not made in the colours that `but` names: int64, ``(j * n + u) * K + colour``, ascending. `delta_dest`,
    `delta_colour`, `delta_loc`, `delta_hop`: int64, those over live arcs, ascending by destination.
    """

    base: NDArray[np.int64]
    but: NDArray[np.int64]
    delta_dest: NDArray[np.int64]
    delta_colour: NDArray[np.int64]
    delta_loc: NDArray[np.int64]
    delta_hop: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Starts:
    """Brokers that pass nothing on, in two: what arrives at one stays there, and what it sends starts at another one.

    So a set that no arc leaves tells of both. `broker`: int64[B], the broker that each is, of the first n itself; there
    are no more where all pass messages on. `start`: int64[n], where what a broker sends starts; -1 for one that passes
    nothing on and is no source.
    """

    broker: NDArray[np.int64]
    start: NDArray[np.int64]

    @classmethod
    def of(cls, overlay: Overlay, sources: NDArray[np.integer]) -> Starts:
        """Those of an overlay in which `sources` send."""
        every = np.arange(overlay.n, dtype=np.int64)
        if overlay.transit is None:
            return cls(every, every)
        start = np.where(overlay.transit, every, -1)
        senders = distinct(sources[~overlay.transit[sources]]).astype(np.int64)
        start[senders] = overlay.n + np.arange(senders.size)
        return cls(np.concatenate((every, senders)), start)

    @property
    def brokers(self) -> int:
        """How many there are with the second ones."""
        return len(self.broker)

    @property
    def second(self) -> list[tuple[int, int]]:
        """(the second one, its broker)."""
        return list(enumerate(self.broker.tolist()))[len(self.start) :]


@dataclass(frozen=True)
class Cuts:
    """Which sets of brokers no live arc leaves, in all colours at once; as they are the same for all destinations.

    `plain`: the colours in which everything lives, as one case. `colours`: the others, ascending. `needs`: (sources,
    destinations), each source with each destination but itself. `absent`: (colour, broker) that has failed: it is in
    any set, and holds nothing. `hops`: one a pair of brokers with an arc.
    `dead`: int64, ``hop * K + index of the colour``, ascending, for those that do not live in a colour.
    `starts`: what brokers that pass nothing on are called as sources.
    """

    plain: tuple[int, ...]
    colours: tuple[int, ...]
    needs: list[tuple[tuple[int, ...], tuple[int, ...]]]
    absent: list[tuple[int, int]]
    hops: list[Hop]
    dead: NDArray[np.int64]
    mortal: dict[int, list[int]]
    starts: Starts

    @cached_property
    def colour_symbols(self) -> tuple[str, ...]:
        """The Boolean of each colour in `colours`."""
        return tuple(f"x{c}" for c in self.colours)

    @property
    def colour_bits(self) -> Numbered:
        """A number for each colour, so that at most one is chosen."""
        return Numbered.of(self.colour_symbols, "k")

    @property
    def dest(self) -> int:
        """The destination, where there is one."""
        return self.needs[0][1][0]

    def held(self, broker: int) -> str:
        """The Boolean that is true where the broker is in the set, and up."""
        return f"a{broker}" if broker in self.mortal else f"b{broker}"

    @property
    def wanted(self) -> list[tuple[str, str, str]]:
        """(a symbol, a source in the set, all destinations in it) for each of `needs`; one alone needs no symbol."""
        alone = len(self.needs) == 1
        return [
            (
                "" if alone else f"need{index}",
                any_of([self.held(s) for s in sources]),
                all_of([f"b{d}" for d in dests]),
            )
            for index, (sources, dests) in enumerate(self.needs)
        ]


@dataclass(frozen=True, slots=True)
class Numbered:
    """Symbols of which at most one may be true: each has a number in bits. `literals`: (symbol, its bits as a term)."""

    bits: tuple[str, ...]
    literals: tuple[tuple[str, str], ...]

    @classmethod
    def of(cls, symbols: Sequence[str], bit: str) -> Numbered:
        """Numbers for `symbols`, in bits of that name."""
        count = max(0, len(symbols) - 1).bit_length()
        bits = tuple(f"{bit}{i}" for i in range(count))
        yes_or_no = [(f"(not {name})", name) for name in bits]
        literals = [
            (symbol, all_of([both[number >> i & 1] for i, both in enumerate(yes_or_no)]))
            for number, symbol in enumerate(symbols if count else ())
        ]
        return cls(bits, tuple(literals))


def any_of(terms: Sequence[str]) -> str:
    """One of these; SMT-LIB's ``or`` wants two."""
    return f"(or {' '.join(terms)})" if len(terms) > 1 else "".join(terms)


def all_of(terms: Sequence[str]) -> str:
    """All of these."""
    return f"(and {' '.join(terms)})" if len(terms) > 1 else "".join(terms)


def template_of(question: Question, n: int) -> str:
    """The template for people. Raises `ValueError` for ``arrive-within`` without a bound or below zero.

    A walk that arrives passes no broker twice, so n - 1 hops are as good as any number.
    """
    if question.kind == "connected":
        return "cut.smt2.j2"
    if question.kind == "arrive":
        return "trap.smt2.j2"
    if question.bound is None or question.bound < 0:
        raise ValueError("an arrive-within question needs a bound of at least 0")
    return "trap.smt2.j2" if question.bound >= n - 1 else "bounded.smt2.j2"


class _Arcs:
    """What both kinds of question need: pairs of brokers with an arc, and which of them die in which colour.

    Hops go by pairs of brokers: parallel links are one way to move on, live while one of them is. `pair`: int64,
    ``tail * n + head``, ascending. `dead_colour`, `dead_pair`: wherever no arc of the pair is live. `failed_colour`,
    `failed_broker`: brokers that are down. All of the colours asked, `colours`: int64, ascending.
    """

    def __init__(self, overlay: Overlay, question: Question) -> None:
        self.n = overlay.n
        self.overlay = overlay
        self.colours: NDArray[np.int64] = distinct(question.colours).astype(np.int64)
        self.with_colour = Packing(overlay.colours)
        code = overlay.keys.pair(overlay.arc_tail, overlay.arc_head)
        order = np.argsort(code, kind="stable")
        starts = segment_starts(code[order])
        self.pair = code[order][starts]
        self.dead_colour, self.dead_pair = self._dead(order, starts)
        index, broker = np.nonzero(overlay.failed_broker[self.colours])
        self.failed_colour = self.colours[index]
        self.failed_broker = broker.astype(np.int64)

    def _dead(self, order: NDArray[np.intp], starts: NDArray[np.intp]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(colour, pair) wherever no arc of the pair is live; `order`: the arcs by pairs, which begin at `starts`."""
        overlay = self.overlay
        none = np.zeros(0, dtype=np.int64)
        if not len(order):
            return none, none
        link, tail, head = overlay.arc_link[order], overlay.arc_tail[order], overlay.arc_head[order]
        colours, pairs = [none], [none]
        for start in range(0, len(self.colours), _CHUNK):
            chunk = self.colours[start : start + _CHUNK]
            broker = overlay.failed_broker[chunk]
            gone = overlay.failed_link[chunk][:, link]
            gone |= broker[:, tail] | broker[:, head]
            index, pair = np.nonzero(np.logical_and.reduceat(gone, starts, axis=1))
            colours.append(chunk[index])
            pairs.append(pair.astype(np.int64))
        return np.concatenate(colours), np.concatenate(pairs)

    def pair_of(self, tail: NDArray[np.int64], head: NDArray[np.int64]) -> NDArray[np.int64]:
        """The pair that leads from `tail` to `head`, -1 where there is none (or the two are one broker)."""
        code = self.overlay.keys.pair(tail, head)
        if not len(self.pair):
            return np.full(code.shape, -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self.pair, code), len(self.pair) - 1)
        there = (self.pair[at] == code) & (head != NO_HOP) & (head != tail)
        return np.where(there, at, -1)


# -- cuts -----------------------------------------------------------------------------------------------------------


def cuts(overlay: Overlay, question: Question, *, together: bool = True) -> Iterator[Cuts]:
    """The scripts of ``cut.smt2.j2``: one, or one a destination; none where nothing is asked."""
    arcs = _Arcs(overlay, question)
    up: NDArray[np.bool_] = np.logical_not(overlay.failed_broker[arcs.colours].all(axis=0))
    apart = (question.sources != question.dests) & up[question.dests]
    starts = Starts.of(overlay, question.sources[apart])
    needs = products(starts.start[question.sources[apart]], question.dests[apart])
    if not needs or not len(arcs.colours):
        return
    tail, head = overlay.keys.split_pair(arcs.pair)
    over = np.flatnonzero((tail != head) & (starts.start[tail] >= 0))
    tail = starts.start[tail]
    hop_over = np.full(len(arcs.pair), -1, dtype=np.int64)
    hop_over[over] = np.arange(len(over))
    hop = hop_over[arcs.dead_pair]
    differs: NDArray[np.int64] = distinct(np.concatenate([arcs.dead_colour[hop >= 0], arcs.failed_colour]))
    packed = Packing(len(differs)).pack(hop, np.searchsorted(differs, arcs.dead_colour))
    dead: NDArray[np.int64] = distinct(packed[hop >= 0])
    but = _texts(dead, differs.tolist(), len(over))
    failed = list(zip(arcs.failed_colour.tolist(), arcs.failed_broker.tolist(), strict=True))
    second = {broker: start for start, broker in starts.second}
    failed += [(colour, second[broker]) for colour, broker in failed if broker in second]
    mortal: dict[int, list[int]] = {}
    for colour, broker in failed:
        mortal.setdefault(broker, []).append(colour)
    hops = [Hop(u, v, "", text) for u, v, text in zip(tail[over].tolist(), head[over].tolist(), but, strict=True)]
    plain = tuple(np.setdiff1d(arcs.colours, differs, assume_unique=True).tolist())
    if together:
        split = [needs]
    else:
        split = [[(tuple(s for s in sources if s != d), (d,))] for sources, dests in needs for d in dests]
        split.sort(key=lambda one: one[0][1])
    for some in split:
        yield Cuts(plain, tuple(differs.tolist()), some, failed, hops, dead, mortal, starts)


def products(sources: NDArray[np.integer], dests: NDArray[np.integer]) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Pairs as products of sources and destinations: all pairs of an overlay are one product.

    A destination may stand among its own sources.
    """
    by_dest: dict[int, list[int]] = {}
    for source, dest in zip(sources.tolist(), dests.tolist(), strict=True):
        by_dest.setdefault(dest, []).append(source)
    alike: dict[tuple[int, ...], list[int]] = {}
    for dest, found in sorted(by_dest.items()):
        alike.setdefault(tuple(sorted((*found, dest))), []).append(dest)
    return [
        (found if len(some) > 1 else tuple(s for s in found if s != some[0]), tuple(some))
        for found, some in alike.items()
    ]


def _texts(keys: NDArray[np.int64], colours: Sequence[int], count: int) -> list[str]:
    """For each of `count` owners the symbols of its colours, `` x3 x7``; `keys`: ``owner * len(colours) + index``."""
    texts = [""] * count
    if not len(keys):
        return texts
    owner, index = Packing(len(colours)).split(keys)
    starts = segment_starts(owner)
    bounds = [*starts.tolist(), len(keys)]
    symbols = [f" x{c}" for c in colours]
    each = [symbols[i] for i in index.tolist()]
    for one, begin, end in zip(owner[starts].tolist(), bounds[:-1], bounds[1:], strict=True):
        texts[one] = "".join(each[begin:end])
    return texts


# -- walks ----------------------------------------------------------------------------------------------------------


def walks(overlay: Overlay, question: Question, *, together: bool = True) -> Iterator[Walks]:
    """The scripts for a question about walks, by ascending destinations; one a destination unless `together`.

    None for destinations that are down in every colour asked. Raises `ValueError` as `template_of` does.
    """
    return _Encoder(overlay, question).scripts(together=together)


class _Encoder:
    """The scripts of one question about walks."""

    def __init__(self, overlay: Overlay, question: Question) -> None:
        n = overlay.n
        self._bound = question.bound if template_of(question, n) == "bounded.smt2.j2" else None
        self._overlay = overlay
        self._n = n
        self._arcs = _Arcs(overlay, question)
        colours = self._arcs.colours
        self._asked_colour = np.zeros(overlay.colours, dtype=bool)
        self._asked_colour[colours] = True

        up: NDArray[np.bool_] = np.logical_not(overlay.failed_broker[colours].all(axis=0))
        apart = (question.sources != question.dests) & up[question.dests]
        order = np.lexsort((question.sources[apart], question.dests[apart]))
        self._sources = question.sources[apart][order].astype(np.int64)
        dests = question.dests[apart][order].astype(np.int64)
        starts = segment_starts(dests)
        self._dests = dests[starts]
        self._source_bounds = np.append(starts, len(dests))
        self._delta_columns()

    def _delta_columns(self) -> None:
        """Sort the deltas that matter by destination, and note which of them lead over a live arc."""
        overlay, n, arcs = self._overlay, self._n, self._arcs
        colour, dest, loc = overlay.keys.split(overlay.delta_key)
        asked_dest = np.zeros(n, dtype=bool)
        asked_dest[self._dests] = True
        keep = np.flatnonzero(self._asked_colour[colour] & asked_dest[dest] & (loc != dest))
        keep = keep[np.argsort(dest[keep], kind="stable")]
        dest = dest[keep]
        self._delta_colour, self._delta_loc = colour[keep], loc[keep]
        self._delta_hop = overlay.delta_next[keep].astype(np.int64)
        pair = arcs.pair_of(self._delta_loc, self._delta_hop)
        self._delta_live = pair >= 0
        if len(arcs.dead_pair):
            dead = np.sort(arcs.with_colour.pack(arcs.dead_pair, arcs.dead_colour))
            self._delta_live &= ~among(arcs.with_colour.pack(pair, self._delta_colour), dead)
        self._delta_bounds = np.append(np.searchsorted(dest, self._dests), len(dest))

    def scripts(self, *, together: bool) -> Iterator[Walks]:
        """One after the other."""
        if not len(self._arcs.colours):
            return
        most, each, cells = _BATCH, np.full(len(self._dests), self._n), _BATCH
        if self._bound is None:
            most, cells = _BATCH_OF_ENTRIES, _CELLS
            each = np.minimum(self._n, _BROKERS_MET * np.diff(self._source_bounds))
        size = np.cumsum(np.diff(self._delta_bounds) + each)
        first = 0
        while first < len(self._dests):
            last = first + 1
            if together:
                done = size[first - 1] if first else 0
                last = max(last, int(np.searchsorted(size, done + most, side="right")))
                last = min(last, first + max(1, cells // self._n))
            yield self._script(first, last)
            first = last

    def _script(self, first: int, last: int) -> Walks:
        """The script for the destinations from `first` up to `last`."""
        n, arcs, overlay = self._n, self._arcs, self._overlay
        dests, every = self._dests[first:last], overlay.colours
        count, place = len(dests), Packing(n)
        alive = ~overlay.failed_broker[:, dests].T & self._asked_colour

        base = overlay.base[dests].astype(np.int64)
        pair = arcs.pair_of(np.broadcast_to(np.arange(n, dtype=np.int64), base.shape), base)
        pair[np.arange(count), dests] = -1

        part = slice(self._delta_bounds[first], self._delta_bounds[last])
        delta_dest = np.repeat(np.arange(count), np.diff(self._delta_bounds[first : last + 1]))
        delta_colour, delta_loc = self._delta_colour[part], self._delta_loc[part]
        asked = alive[delta_dest, delta_colour]
        # A hop holds but where its arc is dead or a delta stands in its place, live or not.
        dead_tail = overlay.keys.split_pair(arcs.pair[arcs.dead_pair])[0]
        row, dead = np.nonzero((pair[:, dead_tail] == arcs.dead_pair) & alive[:, arcs.dead_colour])
        replaced = asked & (pair[delta_dest, delta_loc] >= 0)
        but = distinct(
            np.concatenate(
                (
                    arcs.with_colour.pack(place.pack(row, dead_tail[dead]), arcs.dead_colour[dead]),
                    arcs.with_colour.pack(place.pack(delta_dest, delta_loc), delta_colour)[replaced],
                )
            )
        )
        use = asked & self._delta_live[part]
        delta_dest, delta_colour, delta_loc = delta_dest[use], delta_colour[use], delta_loc[use]
        delta_hop = self._delta_hop[part][use]

        begin, end = self._source_bounds[first], self._source_bounds[last]
        lengths = np.diff(self._source_bounds[first : last + 1])
        wanted = np.zeros((count, n), dtype=bool)
        wanted[np.repeat(np.arange(count), lengths), self._sources[begin:end]] = True
        row, gone = np.nonzero(wanted[:, arcs.failed_broker] & alive[:, arcs.failed_colour])

        differs = np.zeros((count, every), dtype=bool)
        but_place, but_colour = arcs.with_colour.split(but)
        differs[place.first(but_place), but_colour] = True
        differs[delta_dest, delta_colour] = True
        differs[row, arcs.failed_colour[gone]] = True
        colours = np.flatnonzero(differs.any(axis=0))
        index_of = np.zeros(every, dtype=np.int64)
        index_of[colours] = np.arange(len(colours))
        moves = Moves(
            np.where(pair >= 0, base, -1),
            Packing(len(colours)).pack(but_place, index_of[but_colour]),
            delta_dest,
            index_of[delta_colour],
            delta_loc,
            delta_hop,
        )
        absent = distinct(place.pack(arcs.failed_colour[gone], arcs.failed_broker[gone]))
        plain = alive & ~differs
        bounds = (self._source_bounds[first : last + 1] - begin).tolist()
        sources = self._sources[begin:end].tolist()
        return Walks(
            dests=tuple(dests.tolist()),
            plain=tuple(tuple(np.flatnonzero(row).tolist()) for row in plain),
            colours=tuple(colours.tolist()),
            differs=differs[:, colours],
            sources=tuple(tuple(sources[a:b]) for a, b in pairwise(bounds)),
            absent=[place.split(key) for key in absent.tolist()],
            moves=moves,
            bound=self._bound,
        )
