"""From an `Overlay` and a `Question` to what the templates loop over: one `Section` a destination.

The encodings themselves are the templates (``templates/*.smt2.j2``); here stands only which hops, colours and
sources there are. The work is proportional to brokers × destinations + deltas, never to colours × brokers².
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from momlint.routed.overlay.form import NO_HOP
from momlint.routed.overlay.ragged import distinct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from momlint.routed.overlay.form import Overlay
    from momlint.routed.questions.question import Question

#: Colours whose live arcs are worked out at once, so that many colours do not need colours × arcs bytes.
_CHUNK = 4096


@dataclass(frozen=True, slots=True)
class Section:
    """What is asked of one destination, in all colours at once.

    `plain`: the colours in which no hop differs from `hops` and every source is asked; they are one case,
    "no colour is chosen". `colours`: the others, each with its number in bits as the text of SMT-LIB
    literals. `hops`: (broker, next hop, the colours in which it does not hold as text, " x3 x7") for hops
    over an arc that is there. `deltas`: (colour, broker, next hop) over a live arc. Whatever is missing
    from both stops the message. `absent`: (colour, source) where the source has failed and is not asked.
    `bound`: hops, for the template with layers.
    """

    dest: int
    plain: tuple[int, ...]
    colours: tuple[tuple[int, str], ...]
    bits: int
    hops: list[tuple[int, int, str]]
    deltas: list[tuple[int, int, int]]
    absent: list[tuple[int, int]]
    sources: tuple[int, ...]
    bound: int | None = None

    @property
    def colour_symbols(self) -> tuple[str, ...]:
        """The Boolean of each colour in `colours`."""
        return tuple(f"x{c}" for c, _ in self.colours)

    @property
    def asked(self) -> tuple[str, ...]:
        """The Boolean of each source: true in a model when the source does not arrive."""
        layer = "" if self.bound is None else f"_{self.bound}"
        return tuple(f"b{s}{layer}" for s in self.sources)


def template_of(question: Question, n: int) -> str:
    """The template for `question`. Raises `ValueError` for ``arrive-within`` without a bound or below zero.

    A walk that arrives passes no broker twice, so n - 1 hops are as good as any number.
    """
    if question.kind == "connected":
        return "cut.smt2.j2"
    if question.kind == "arrive":
        return "trap.smt2.j2"
    if question.bound is None or question.bound < 0:
        raise ValueError("an arrive-within question needs a bound of at least 0")
    return "trap.smt2.j2" if question.bound >= n - 1 else "bounded.smt2.j2"


@dataclass(frozen=True, slots=True)
class _Moves:
    """How a message may move towards one destination.

    Hop i goes from ``tail[i]`` to ``head[i]`` (int64), but for its `exceptions`: int64, ``i * C + colour``, any
    order, repeats allowed. `deltas`: colour, broker and next hop of those that lead over a live arc.
    """

    tail: NDArray[np.int64]
    head: NDArray[np.int64]
    exceptions: NDArray[np.int64]
    deltas: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]


class Encoder:
    """The sections of one question on one overlay."""

    def __init__(self, overlay: Overlay, question: Question) -> None:
        n = overlay.n
        self._overlay = overlay
        self._n = n
        self._tables = question.kind != "connected"
        self._bound = question.bound if template_of(question, n) == "bounded.smt2.j2" else None
        self._colours: NDArray[np.int64] = distinct(question.colours).astype(np.int64)

        apart = question.sources != question.dests
        order = np.lexsort((question.sources[apart], question.dests[apart]))
        self._sources = question.sources[apart][order].astype(np.int64)
        dests = question.dests[apart][order].astype(np.int64)
        self.dests, starts = np.unique(dests, return_index=True)
        self._source_ends = np.append(starts, len(dests))

        # Hops go by pairs of brokers: parallel links are one way to move on, live while one of them is.
        code = overlay.arc_tail.astype(np.int64) * n + overlay.arc_head
        self._pair, first = np.unique(code, return_index=True)
        self._dead_colour, self._dead_pair = self._dead(first)
        self._dead_key = np.sort(self._dead_colour * max(1, len(self._pair)) + self._dead_pair)

        failed = overlay.failed_broker[self._colours]
        index, broker = np.nonzero(failed)
        self._failed_colour = self._colours[index]
        self._failed_broker = broker.astype(np.int64)
        self._delta_columns()

    def _dead(self, first: NDArray[np.intp]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """(colour, pair) wherever no arc of the pair is live; `first`: each pair's first arc."""
        overlay = self._overlay
        none = np.zeros(0, dtype=np.int64)
        if not len(first):
            return none, none
        colours, pairs = [none], [none]
        for start in range(0, len(self._colours), _CHUNK):
            chunk = self._colours[start : start + _CHUNK]
            broker = overlay.failed_broker[chunk]
            gone = overlay.failed_link[chunk][:, overlay.arc_link]
            gone |= broker[:, overlay.arc_tail] | broker[:, overlay.arc_head]
            index, pair = np.nonzero(np.logical_and.reduceat(gone, first, axis=1))
            colours.append(chunk[index])
            pairs.append(pair.astype(np.int64))
        return np.concatenate(colours), np.concatenate(pairs)

    def _pair_of(self, tail: NDArray[np.int64], head: NDArray[np.int64]) -> NDArray[np.int64]:
        """The pair that leads from `tail` to `head`, -1 where there is none (or the two are one broker)."""
        code = tail * self._n + head
        if not len(self._pair):
            return np.full(len(code), -1, dtype=np.int64)
        at = np.minimum(np.searchsorted(self._pair, code), len(self._pair) - 1)
        there = (self._pair[at] == code) & (head != NO_HOP) & (head != tail)
        return np.where(there, at, -1)

    def _delta_columns(self) -> None:
        """Sort the deltas that matter by destination, and note which of them lead over a live arc."""
        overlay, n = self._overlay, self._n
        key = overlay.delta_key if self._tables else overlay.delta_key[:0]
        colour, rest = np.divmod(key, n * n)
        dest, loc = np.divmod(rest, n)
        asked_colour = np.zeros(overlay.colours, dtype=bool)
        asked_colour[self._colours] = True
        asked_dest = np.zeros(n, dtype=bool)
        asked_dest[self.dests] = True
        keep = np.flatnonzero(asked_colour[colour] & asked_dest[dest] & (loc != dest))
        keep = keep[np.argsort(dest[keep], kind="stable")]
        colour, dest, loc = colour[keep], dest[keep], loc[keep]
        hop = overlay.delta_next[keep].astype(np.int64)
        pair = self._pair_of(loc, hop)
        live = pair >= 0
        if len(self._dead_key):
            wanted = colour * len(self._pair) + pair
            at = np.minimum(np.searchsorted(self._dead_key, wanted), len(self._dead_key) - 1)
            live &= self._dead_key[at] != wanted
        self._delta = (colour, loc, hop)
        self._delta_live = live
        self._delta_starts = np.searchsorted(dest, self.dests)
        self._delta_ends = np.searchsorted(dest, self.dests, side="right")

    def __iter__(self) -> Iterator[Section]:
        """One section a destination, ascending; none for those that have failed in every colour."""
        for index in range(len(self.dests)):
            section = self._section(index)
            if section is not None:
                yield section

    def _section(self, index: int) -> Section | None:
        n, colours = self._n, self._overlay.colours
        dest = int(self.dests[index])
        sources = self._sources[self._source_ends[index] : self._source_ends[index + 1]]

        gone = self._failed_colour[self._failed_broker == dest]
        alive = np.zeros(colours, dtype=bool)
        alive[self._colours] = True
        alive[gone] = False
        asked = np.flatnonzero(alive)
        if not len(asked):
            return None

        wanted = np.zeros(n, dtype=bool)
        wanted[sources] = True
        absent = wanted[self._failed_broker] & alive[self._failed_colour]
        absent_colour, absent_source = self._failed_colour[absent], self._failed_broker[absent]

        moves = self._column(index, dest, alive) if self._tables else self._arcs(dest, alive)
        delta_colour, delta_loc, delta_hop = moves.deltas
        owner, colour = np.divmod(distinct(moves.exceptions), colours)
        differs = distinct(np.concatenate((colour, delta_colour, absent_colour)))
        plain = np.setdiff1d(asked, differs, assume_unique=True)

        owners, first = np.unique(owner, return_index=True)
        bounds = [*first.tolist(), len(colour)]
        text = [f" x{c}" for c in colour.tolist()]
        excepted = {
            hop: "".join(text[begin:end])
            for hop, begin, end in zip(owners.tolist(), bounds[:-1], bounds[1:], strict=True)
        }
        bits = max(0, len(differs) - 1).bit_length()
        numbered = tuple((c, _bit_text(i, bits)) for i, c in enumerate(differs.tolist()))
        return Section(
            dest=dest,
            plain=tuple(plain.tolist()),
            colours=numbered,
            bits=bits,
            hops=[
                (u, v, excepted.get(hop, ""))
                for hop, (u, v) in enumerate(zip(moves.tail.tolist(), moves.head.tolist(), strict=True))
            ],
            deltas=list(zip(delta_colour.tolist(), delta_loc.tolist(), delta_hop.tolist(), strict=True)),
            absent=list(zip(absent_colour.tolist(), absent_source.tolist(), strict=True)),
            sources=tuple(sources.tolist()),
            bound=self._bound,
        )

    def _column(self, index: int, dest: int, alive: NDArray[np.bool_]) -> _Moves:
        """How the tables move what is for `dest`; `alive`: bool[C], the colours that it is asked in."""
        colours = self._overlay.colours
        base = self._overlay.base[dest].astype(np.int64)
        pair = self._pair_of(np.arange(self._n, dtype=np.int64), base)
        pair[dest] = -1
        tail = np.flatnonzero(pair >= 0)
        hop_at = np.full(self._n, -1, dtype=np.int64)
        hop_at[tail] = np.arange(len(tail))
        hop_over = np.full(len(self._pair), -1, dtype=np.int64)
        hop_over[pair[tail]] = hop_at[tail]

        part = slice(self._delta_starts[index], self._delta_ends[index])
        delta_colour, delta_loc, delta_hop = (array[part] for array in self._delta)
        asked = alive[delta_colour]
        # The hop holds but where its arc is dead or a delta stands in its place, live or not.
        dead = hop_over[self._dead_pair]
        dead_here = (dead >= 0) & alive[self._dead_colour]
        replaced = hop_at[delta_loc]
        replaced_here = (replaced >= 0) & asked
        exceptions = np.concatenate(
            (
                dead[dead_here] * colours + self._dead_colour[dead_here],
                replaced[replaced_here] * colours + delta_colour[replaced_here],
            )
        )
        use = asked & self._delta_live[part]
        return _Moves(tail, base[tail], exceptions, (delta_colour[use], delta_loc[use], delta_hop[use]))

    def _arcs(self, dest: int, alive: NDArray[np.bool_]) -> _Moves:
        """Every move that links allow; one away from `dest` changes nothing and is left out."""
        tail, head = np.divmod(self._pair, self._n)
        over = np.flatnonzero((tail != head) & (tail != dest))
        hop_over = np.full(len(self._pair), -1, dtype=np.int64)
        hop_over[over] = np.arange(len(over))
        dead = hop_over[self._dead_pair]
        dead_here = (dead >= 0) & alive[self._dead_colour]
        exceptions = dead[dead_here] * self._overlay.colours + self._dead_colour[dead_here]
        none = np.zeros(0, dtype=np.int64)
        return _Moves(tail[over], head[over], exceptions, (none, none, none))


def _bit_text(number: int, bits: int) -> str:
    """`number` as literals over ``k0``, ``k1`` …: 2 of 3 bits is ``(not k0) k1 (not k2)``."""
    return " ".join(f"k{i}" if number >> i & 1 else f"(not k{i})" for i in range(bits))
