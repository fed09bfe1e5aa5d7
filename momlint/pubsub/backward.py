"""Backward coverability: which configurations lead to something bad, with any number of clients.

A *cube* is a set of global states, and for each of k distinct clients a set of local states; it stands for all
configurations whose global state is in the one and that have k clients in the others, whoever else is there. Sets are
bit masks. The preimage of a cube by a transition is a cube for each choice of who acts: one of the k, or a client that
nothing else is asked of. Preimages are taken until none is new; a cube is not new where an older one has it, which is
where its clients can be matched with those of the older one. Ordered so, cubes are well quasi-ordered (Dickson), so it
ends.

One transition asks something of *all* clients: a worker that hands out one by one is done when no target is left. Its
preimage asks it of the k only. That is exact as to whether, since any further target can be served first, which changes
nothing of the k; it may say less than the steps that are needed.

What no client can be (`views`) is cut off: pairs of a global and a local state that cannot be reached even if every
client may be in any state that any can be in.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from momlint.pubsub.budget import Budget
from momlint.pubsub.compiled import NONE, Compiled, Ints

_CLOCK_EVERY = 64


class Cube(NamedTuple):
    """`world`: a mask of global states; `clients`: masks of local states, ascending; `steps`: how far from bad."""

    world: int
    clients: tuple[int, ...]
    steps: int = 0


@dataclass(slots=True)
class Reached:
    """All that leads to something bad, or as much of it as was asked for.

    `cubes`: in the order of `steps`. `views`: bool[G, L], what a client may be at all. `fewest`: the least number of
    clients with which something bad can be reached, None for none. `layers`: cubes with fewer steps than this are all
    there.
    """

    cubes: list[Cube]
    views: NDArray[np.bool_]
    fewest: int | None = None
    layers: int = 0


def search(model: Compiled, budget: Budget, least: int = 1) -> Reached:
    """Everything that leads to something bad; it is known to take at least `least` clients.

    Where something bad can be reached, the search ends as soon as nothing with fewer clients is left. Raises
    `OutOfBudget`.
    """
    return _Search(model, budget, least).run()


def views(model: Compiled) -> NDArray[np.bool_]:
    """bool[G, L]: the global states that a client in each local state may see, from above."""
    seen = np.zeros((len(model.worlds), len(model.states)), bool)
    for role, start in enumerate(model.starts):
        if model.counts[role] != 0 and start != NONE:
            seen[0, start] = True
    while True:
        before = seen.sum()
        for one in model.transitions:
            froms = np.flatnonzero(one.world != NONE)
            tos = one.world[froms]
            rows = seen[froms]
            if one.actor is not None:
                able = rows & (one.actor != NONE)
                acts = able.any(axis=1)
                rows, tos, able = rows[acts], tos[acts], able[acts]
                world, local = np.nonzero(able)
                seen[tos[world], one.actor[local]] = True
            if one.others is None:
                np.logical_or.at(seen, tos, rows)
            else:
                world, local = np.nonzero(rows & (one.others != NONE))
                seen[tos[world], one.others[local]] = True
        if seen.sum() == before:
            return seen


class _Map:
    """A map of states, for preimages of masks."""

    def __init__(self, after: Ints, size: int) -> None:
        self.after = np.where(after == NONE, size, after)
        self.size = size
        self.known: dict[int, int] = {}

    def before(self, mask: int) -> int:
        """The mask of all that is mapped into `mask`."""
        found = self.known.get(mask)
        if found is None:
            found = self.known[mask] = to_mask(np.append(to_bits(mask, self.size), False)[self.after])
        return found


def to_mask(bits: NDArray[np.bool_]) -> int:
    """The number whose n-th bit is the n-th of `bits`."""
    return int.from_bytes(np.packbits(bits, bitorder="little").tobytes(), "little")


def to_bits(mask: int, size: int) -> NDArray[np.bool_]:
    """The first `size` bits of a number, the lowest first."""
    data = np.frombuffer(mask.to_bytes((size + 7) // 8 or 1, "little"), np.uint8)
    return np.unpackbits(data, count=size, bitorder="little").astype(bool)


@dataclass(slots=True)
class _Transition:
    world: _Map
    actor: _Map | None
    others: _Map | None
    #: Local states in which a client can act.
    able: int = 0


@dataclass(slots=True)
class _Views:
    """`views` as masks, and what follows from them, looked up again."""

    rows: list[int]
    columns: list[int]
    locals_of: dict[int, int] = field(default_factory=dict)
    worlds_of: dict[int, int] = field(default_factory=dict)

    def locals(self, world: int) -> int:
        found = self.locals_of.get(world)
        if found is None:
            found = self.locals_of[world] = _union(self.rows, world)
        return found

    def worlds(self, local: int) -> int:
        found = self.worlds_of.get(local)
        if found is None:
            found = self.worlds_of[local] = _union(self.columns, local)
        return found


def _union(masks: Sequence[int], chosen: int) -> int:
    found = 0
    while chosen:
        bit = chosen & -chosen
        found |= masks[bit.bit_length() - 1]
        chosen ^= bit
    return found


class _Search:
    def __init__(self, model: Compiled, budget: Budget, least: int) -> None:
        self.model = model
        self.budget = budget
        self.seen = views(model)
        self.views = _Views([to_mask(row) for row in self.seen], [to_mask(column) for column in self.seen.T])
        worlds, size = len(model.worlds), len(model.states)
        maps: dict[bytes, _Map] = {}

        def shared(after: Ints, count: int) -> _Map:
            return maps.setdefault(after.tobytes() + bytes([count == worlds]), _Map(after, count))

        self.transitions = [
            _Transition(
                shared(one.world, worlds),
                None if one.actor is None else shared(one.actor, size),
                None if one.others is None else shared(one.others, size),
                0 if one.actor is None else to_mask(one.actor != NONE),
            )
            for one in model.transitions
        ]
        self.limited = [
            (to_mask(model.role_of == role), count) for role, count in enumerate(model.counts) if count is not None
        ]
        self.fixed = sum(count for _, count in self.limited)
        self.anybody = [
            1 << start for role, start in enumerate(model.starts) if model.counts[role] is None and start != NONE
        ]
        self.some = [(1 << model.starts[role], count) for role, count in enumerate(model.counts) if count]
        self.least = max(least, self.fixed, 1)
        self.kept: list[Cube] = []
        self.living: dict[int, list[Cube]] = {}
        self.seen_cubes: set[tuple[int, tuple[int, ...]]] = set()
        #: Cubes that a later one has.
        self.covered: set[tuple[int, tuple[int, ...]]] = set()
        self.fewest: int | None = None
        self.tried = 0

    def run(self) -> Reached:
        everything = (1 << len(self.model.worlds)) - 1
        layer = self.fresh([(everything, tuple(to_mask(row) for row in self.model.bad))], 0)
        steps = 0
        while layer and not (self.fewest is not None and self.fewest <= self.least):
            steps += 1
            found: list[Cube] = []
            for cube in layer:
                # Also one that a cube of the next layer has by now: what leads to it is a step nearer than by that one.
                found += self.fresh(self.before(cube), steps)
            layer = [cube for cube in found if self.is_alive(cube)]
        cubes = [cube for cube in self.kept if self.is_alive(cube)] if self.fewest is None else self.kept
        return Reached(cubes, self.seen, self.fewest, steps + 1)

    def is_alive(self, cube: Cube) -> bool:
        """Whether no later cube has it."""
        return (cube.world, cube.clients) not in self.covered

    def before(self, cube: Cube) -> Iterator[tuple[int, tuple[int, ...]]]:
        """The preimages, one for each transition and choice of who acts."""
        for one in self.transitions:
            world = one.world.before(cube.world)
            if not world:
                continue
            others = cube.clients
            if one.others is not None:
                others = tuple(one.others.before(mask) for mask in cube.clients)
            if one.actor is None:
                yield world, others
                continue
            yield world, (*others, one.able)
            for index, mask in enumerate(cube.clients):
                if index and mask == cube.clients[index - 1]:
                    continue
                acts = one.actor.before(mask)
                if acts:
                    yield world, (*others[:index], acts, *others[index + 1 :])

    def fresh(
        self, found: Iterator[tuple[int, tuple[int, ...]]] | list[tuple[int, tuple[int, ...]]], steps: int
    ) -> list[Cube]:
        """Those that are new, kept."""
        new = []
        for world, clients in found:
            key = world, tuple(sorted(clients))
            if key in self.seen_cubes:
                continue
            self.seen_cubes.add(key)
            self.tried += 1
            if self.tried % _CLOCK_EVERY == 0:
                self.budget.check(len(self.kept))
            tight = self.tightened(*key)
            if tight is None or self.is_covered(*tight):
                continue
            if self.fewest is not None and self.at_least(tight[1]) > self.fewest:
                continue
            cube = Cube(*tight, steps)
            self.drop_covered(cube)
            self.living.setdefault(len(cube.clients), []).append(cube)
            self.kept.append(cube)
            new.append(cube)
            count = self.start_count(cube)
            if count is not None and (self.fewest is None or count < self.fewest):
                self.fewest = count
        return new

    def tightened(self, world: int, clients: tuple[int, ...]) -> tuple[int, tuple[int, ...]] | None:
        """Without what no client can be; None where nothing is left."""
        masks = list(clients)
        while True:
            allowed = self.views.locals(world)
            before = world, masks
            masks = [mask & allowed for mask in masks]
            for mask, most in self.limited:
                certain = [one & ~mask == 0 for one in masks]
                if sum(certain) > most:
                    return None
                if sum(certain) == most:
                    masks = [one if sure else one & ~mask for one, sure in zip(masks, certain, strict=True)]
            for mask in masks:
                world &= self.views.worlds(mask)
            if not world or not all(masks):
                return None
            if (world, masks) == before:
                return world, tuple(sorted(masks))

    def is_covered(self, world: int, clients: tuple[int, ...]) -> bool:
        return any(
            not world & ~old.world and _fits(old.clients, clients)
            for number, cubes in self.living.items()
            if number <= len(clients)
            for old in cubes
        )

    def drop_covered(self, cube: Cube) -> None:
        """Forget the cubes that this one has."""
        for number, cubes in self.living.items():
            if number < len(cube.clients):
                continue
            kept = [old for old in cubes if old.world & ~cube.world or not _fits(cube.clients, old.clients)]
            if len(kept) < len(cubes):
                staying = {(old.world, old.clients) for old in kept}
                self.covered.update(
                    (old.world, old.clients) for old in cubes if (old.world, old.clients) not in staying
                )
                self.living[number] = kept

    def at_least(self, clients: tuple[int, ...]) -> int:
        """As many clients a configuration of a cube has, or more."""
        given = 0
        for mask, _ in self.limited:
            given |= mask
        return self.fixed + sum(not one & given for one in clients)

    def start_count(self, cube: Cube) -> int | None:
        """The least number of clients of an initial configuration in the cube; None where there is none."""
        if not cube.world & 1:
            return None
        left = [count for _, count in self.some]
        return self.place(cube.clients, 0, left)

    def place(self, clients: tuple[int, ...], number: int, left: list[int]) -> int | None:
        if number == len(clients):
            return self.fixed
        best: int | None = None
        for index, (start, _) in enumerate(self.some):
            if left[index] and clients[number] & start:
                left[index] -= 1
                found = self.place(clients, number + 1, left)
                left[index] += 1
                if found is not None and (best is None or found < best):
                    best = found
        if any(clients[number] & start for start in self.anybody):
            found = self.place(clients, number + 1, left)
            if found is not None and (best is None or found + 1 < best):
                best = found + 1
        return best


def _fits(wide: tuple[int, ...], narrow: tuple[int, ...]) -> bool:
    """Whether each mask of `wide` can be given one of `narrow` of its own that is within it."""
    if len(wide) > len(narrow):
        return False
    if len(wide) == 1:
        outside = ~wide[0]
        return any(not one & outside for one in narrow)
    outside = ~wide[0]
    for index, one in enumerate(narrow):
        if not one & outside and _fits(wide[1:], (*narrow[:index], *narrow[index + 1 :])):
            return True
    return False


class Distance:
    """A lower bound of the steps from a configuration to something bad, from what `search` reached.

    Not above the truth for configurations of `Reached.fewest` clients: a trace of theirs is one of some of them.
    """

    def __init__(self, reached: Reached) -> None:
        self._reached = reached

    def __call__(self, config: Sequence[int]) -> int:
        """`config`: the global state, then the clients' local states."""
        world, clients = 1 << config[0], tuple(1 << one for one in config[1:])
        for cube in self._reached.cubes:
            if cube.world & world and _fits(cube.clients, clients):
                return cube.steps
        return self._reached.layers
