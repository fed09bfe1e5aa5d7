"""Overlays for tests: built by hand with `make_overlay`, or at random, sound and damaged.

The sound part of a random overlay is drawn from one seed (fast; shrinking towards smaller overlays), the
damage from hypothesis, so that a failing example shrinks to as few faults as it needs.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from hypothesis import strategies as st

from momlint.routed.overlay.form import NO_HOP, NO_ROW, Overlay
from momlint.routed.questions.question import Question
from tests.oracles import Oracle

Damage = Literal["loop", "black-hole", "missing", "non-neighbour", "self-loop", "detour", "any"]
DAMAGES: tuple[Damage, ...] = (
    "loop",
    "black-hole",
    "missing",
    "non-neighbour",
    "self-loop",
    "detour",
    "any",
)


class L(NamedTuple):
    """A link of `make_overlay`."""

    tail: int
    head: int
    cost: float = 1.0
    latency: float = 0.0
    one_way: bool = False


class F(NamedTuple):
    """A colour of `make_overlay`: what has failed, as dense ids."""

    links: Sequence[int] = ()
    brokers: Sequence[int] = ()


def make_overlay(
    n: int,
    links: Iterable[tuple[int, int] | L],
    base: Mapping[tuple[int, int], int] | None = None,
    *,
    colours: Sequence[F] = (F(),),
    deltas: Mapping[tuple[int, int, int], int] | None = None,
    pairs: Iterable[tuple[int, int]] | None = None,
    stubs: Sequence[int] = (),
) -> Overlay:
    """An overlay straight from its parts; `stubs`: the brokers that pass nothing on.

    `base`: ``(dest, loc) → next hop``; what is absent is `NO_HOP`. `deltas`: ``(colour, dest, loc) → next
    hop``. `pairs`: the needed ``(source, dest)``; all ordered pairs by default. Rows are numbered: the
    entries of `base` in the order of their keys, then those of `deltas`; an entry without a next hop has no
    row.
    """
    specs = [L(*link) for link in links]
    arcs = []
    for index, link in enumerate(specs):
        arcs.append((link.tail, link.head, link.cost, index, link.latency))
        if not link.one_way:
            arcs.append((link.head, link.tail, link.cost, index, link.latency))
    arcs.sort()
    table = np.full((n, n), NO_HOP, np.int32)
    rows = np.full((n, n), NO_ROW, np.int32)
    number = 0
    for (d, u), v in sorted((base or {}).items()):
        table[d, u] = v
        if v != NO_HOP:
            rows[d, u] = number
            number += 1
    entries = sorted(((c * n + d) * n + u, v) for (c, d, u), v in (deltas or {}).items())
    delta_rows = []
    for _, v in entries:
        delta_rows.append(NO_ROW if v == NO_HOP else number)
        number += v != NO_HOP
    failed_link = np.zeros((len(colours), len(specs)), bool)
    failed_broker = np.zeros((len(colours), n), bool)
    for c, colour in enumerate(colours):
        failed_link[c, list(colour.links)] = True
        failed_broker[c, list(colour.brokers)] = True
    wanted = sorted(set(pairs) if pairs is not None else {(s, d) for s in range(n) for d in range(n) if s != d})
    return Overlay(
        n=n,
        arc_tail=np.array([a[0] for a in arcs], np.int32),
        arc_head=np.array([a[1] for a in arcs], np.int32),
        arc_cost=np.array([a[2] for a in arcs], np.float64),
        arc_latency=np.array([a[4] for a in arcs], np.float64),
        arc_link=np.array([a[3] for a in arcs], np.int32),
        links=len(specs),
        base=table,
        base_row=rows,
        delta_key=np.array([k for k, _ in entries], np.int64),
        delta_next=np.array([v for _, v in entries], np.int32),
        delta_row=np.array(delta_rows, np.int32),
        failed_link=failed_link,
        failed_broker=failed_broker,
        pair_source=np.array([s for s, _ in wanted], np.int32),
        pair_dest=np.array([d for _, d in wanted], np.int32),
        transit=~np.isin(np.arange(n), stubs) if stubs else None,
    )


def question(
    kind: Literal["arrive", "arrive-within", "connected"],
    overlay: Overlay,
    *,
    pairs: Iterable[tuple[int, int]] | None = None,
    colours: Iterable[int] | None = None,
    bound: int | None = None,
) -> Question:
    """A question about the overlay's needed pairs (or `pairs`) in all its colours (or `colours`)."""
    asked = (
        list(zip(overlay.pair_source.tolist(), overlay.pair_dest.tolist(), strict=True))
        if pairs is None
        else list(pairs)
    )
    return Question(
        kind=kind,
        sources=np.array([s for s, _ in asked], np.int32),
        dests=np.array([d for _, d in asked], np.int32),
        colours=np.array(list(range(overlay.colours) if colours is None else colours), np.int32),
        bound=bound,
    )


@dataclass(frozen=True)
class Case:
    """A random overlay and what was done to it: ``(kind, colour, dest, loc)``, nothing for a sound one."""

    overlay: Overlay
    damage: tuple[tuple[Damage, int, int, int], ...]


#: Costs with many ties, some of which binary floating point misses (0.1 + 0.2 against 0.3).
COSTS = (1.0, 1.0, 1.0, 2.0, 0.1, 0.2, 0.3)


def _links(rng: random.Random, n: int, *, connected: bool, one_way: bool) -> list[L]:
    costs = COSTS if rng.random() < 0.7 else (1.0,)

    def link(a: int, b: int, *, may_be_one_way: bool) -> L:
        return L(a, b, rng.choice(costs), float(rng.randrange(1, 20)), may_be_one_way and rng.random() < 0.4)

    links = []
    if connected:
        order = rng.sample(range(n), n)
        for i in range(1, n):
            links.append(link(order[i], order[rng.randrange(i)], may_be_one_way=False))
    for _ in range(rng.randrange(0, n + 2)):
        a, b = rng.sample(range(n), 2)  # parallel links are welcome
        links.append(link(a, b, may_be_one_way=one_way))
    rng.shuffle(links)
    return links


@st.composite
def overlays(
    draw: st.DrawFn,
    *,
    min_n: int = 2,
    max_n: int = 12,
    max_colours: int = 4,
    max_damage: int = 4,
    kinds: Sequence[Damage] = DAMAGES,
    connected: bool | None = None,
    one_way: bool | None = None,
) -> Case:
    """Random overlays: shortest paths healed in each colour, then up to `max_damage` damaged entries.

    `connected` and `one_way` are drawn when not given. With one colour nothing has failed in it; with
    several, each fails up to two links and one broker (colour 0 too, now and then), and its deltas are those
    that make its next hops the shortest paths of what is left. Damage hits the base (and so every colour
    without a delta there) or one colour only. The needed pairs are all, or a random part of them.
    """
    n = draw(st.integers(min_n, max_n))
    colours_wanted = draw(st.integers(1, max_colours))
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    links = _links(
        rng,
        n,
        connected=rng.random() < 0.7 if connected is None else connected,
        one_way=rng.random() < 0.3 if one_way is None else one_way,
    )
    colours = [F()]
    while len(colours) < colours_wanted:
        links_down = rng.sample(range(len(links)), min(len(links), rng.choice((0, 1, 1, 1, 2))))
        colours.append(F(sorted(links_down), [rng.randrange(n)] if rng.random() < 0.2 else ()))
    if colours_wanted > 1:
        rng.shuffle(colours)
    bare = Oracle(make_overlay(n, links, colours=[F(), *colours]))
    base: dict[tuple[int, int], int] = dict(bare.shortest(0)[1])
    deltas: dict[tuple[int, int, int], int] = {}
    for c in range(len(colours)):
        healed = bare.shortest(c + 1)[1]
        for d in range(n):
            for u in range(n):
                if healed.get((d, u), NO_HOP) != base.get((d, u), NO_HOP):
                    deltas[c, d, u] = healed.get((d, u), NO_HOP)

    # Half of the damage meets at one destination, so that faults get in each other's way.
    focus = draw(st.integers(0, n - 1))
    done = []
    for _ in range(draw(st.integers(0, max_damage))):
        kind = draw(st.sampled_from(kinds))
        d = focus if draw(st.booleans()) else draw(st.integers(0, n - 1))
        u = draw(st.integers(0, n - 1))
        c = draw(st.integers(-1, len(colours) - 1))
        if d == u:
            continue
        changes = _damage(kind, n, bare, base, deltas, rng, c, d, u)
        for at, v in changes.items():
            if c < 0:
                base[d, at] = v
            else:
                deltas[c, d, at] = v
        if changes:
            done.append((kind, max(c, 0), d, u))
    pairs = None
    if rng.random() < 0.3:
        every = [(s, d) for s in range(n) for d in range(n) if s != d]
        pairs = rng.sample(every, rng.randrange(len(every) + 1))
    overlay = make_overlay(n, links, base, colours=colours, deltas=deltas, pairs=pairs)
    return Case(overlay, tuple(done))


@st.composite
def scrambles(draw: st.DrawFn, *, max_n: int = 10, max_colours: int = 5) -> Overlay:
    """Overlays whose entries are nearly all wrong: mostly some neighbour, now and then anything or nothing.

    Their columns are full of loops, tails into loops and dead ends, in the base and in the colours alike.
    """
    n = draw(st.integers(2, max_n))
    rng = random.Random(draw(st.integers(0, 2**32 - 1)))
    links = _links(rng, n, connected=rng.random() < 0.8, one_way=rng.random() < 0.3)
    near: dict[int, list[int]] = {u: [] for u in range(n)}
    for link in links:
        near[link.tail].append(link.head)
        if not link.one_way:
            near[link.head].append(link.tail)
    cells = [(d, u) for d in range(n) for u in range(n)]

    def hop(u: int) -> int:
        return rng.choice(near[u]) if near[u] and rng.random() < 0.9 else rng.randrange(-1, n)

    colours = [
        F(rng.sample(range(len(links)), min(len(links), rng.randrange(3))), [rng.randrange(n)][: rng.random() < 0.2])
        for _ in range(draw(st.integers(1, max_colours)))
    ]
    share = rng.choice((0.05, 0.3))
    return make_overlay(
        n,
        links,
        {(d, u): hop(u) for d, u in cells},
        colours=colours,
        deltas={(c, d, u): hop(u) for c in range(len(colours)) for d, u in cells if rng.random() < share},
    )


def any_overlays() -> st.SearchStrategy[Overlay]:
    """`overlays` and `scrambles`, where only the overlay matters."""
    return st.one_of(overlays().map(lambda case: case.overlay), scrambles())


def _damage(
    kind: Damage,
    n: int,
    bare: Oracle,
    base: Mapping[tuple[int, int], int],
    deltas: Mapping[tuple[int, int, int], int],
    rng: random.Random,
    c: int,
    d: int,
    u: int,
) -> dict[int, int]:
    """The entries ``loc → next hop`` for `d` that do this damage around `u`; none if impossible."""
    live = bare.live_arcs(c + 1)
    neighbours = sorted({a.head for a in live if a.tail == u})
    hop = deltas.get((c, d, u), base.get((d, u), NO_HOP))
    if kind == "missing":
        return {u: NO_HOP}
    if kind == "self-loop":
        return {u: u}
    if kind == "any":
        return {u: rng.randrange(-1, n)}
    if kind == "non-neighbour":
        strangers = [v for v in range(n) if v != u and v not in neighbours]
        return {u: rng.choice(strangers)} if strangers else {}
    if kind == "detour":
        others = [v for v in neighbours if v not in (hop, d)]
        return {u: rng.choice(others)} if others else {}
    if kind == "loop":
        back = [v for v in neighbours if v != d and any(a.tail == v and a.head == u for a in live)]
        return dict(zip((v := rng.choice(back), u), (u, v), strict=True)) if back else {}
    # A black hole: the message goes on to a neighbour that knows no way.
    others = [v for v in neighbours if v != d]
    return {(v := rng.choice(others)): NO_HOP, u: v} if others else {}
