"""Explicit search: every configuration of a given number of clients, nearest first, for a shortest trace.

Clients in the same local state are alike, so a configuration is a global state and a sorted tuple of local states. All
splits of the clients among the roles are searched at once.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement
from typing import NamedTuple, TypeAlias

from momlint.pubsub.budget import Budget
from momlint.pubsub.compiled import NONE, Compiled
from momlint.pubsub.form import Move

#: The global state, then the clients' local states, ascending.
Config: TypeAlias = tuple[int, ...]
#: A lower bound of the steps that are left until something bad.
Bound: TypeAlias = Callable[[Config], int]

_CLOCK_EVERY = 256


class Trace(NamedTuple):
    """A shortest one: the role of each client, and what they do."""

    roles: tuple[int, ...]
    moves: tuple[Move, ...]


class _Way(NamedTuple):
    """How a configuration was reached: from which, by which transition, with which local state acting."""

    before: Config
    transition: int
    actor: int


def search(model: Compiled, clients: int, budget: Budget, bound: Bound | None = None) -> Trace | None:
    """A shortest trace with so many clients, over all splits among the roles; None where there is none.

    `bound` must never say more than is left. Raises `OutOfBudget`.
    """
    return _Search(model, budget).run(clients, bound)


def splits(model: Compiled, clients: int) -> Iterator[tuple[int, ...]]:
    """The roles of so many clients, each way once, ascending; roles that begin alike count as one."""
    fixed = [role for role, count in enumerate(model.counts) for _ in range(count or 0)]
    free: dict[int, int] = {}
    for role, count in enumerate(model.counts):
        if count is None:
            free.setdefault(model.starts[role], role)
    if clients >= len(fixed):
        for more in combinations_with_replacement(free.values(), clients - len(fixed)):
            yield tuple(sorted((*fixed, *more)))


class _Search:
    def __init__(self, model: Compiled, budget: Budget) -> None:
        self.model = model
        self.budget = budget
        self.satisfied = [
            sum(1 << row for row in range(model.bad.shape[0]) if model.bad[row, state])
            for state in range(model.bad.shape[1])
        ]
        self.every = (1 << model.bad.shape[0]) - 1
        self.known_bad: dict[tuple[int, ...], bool] = {}
        self.transitions = [
            (
                one.world.tolist(),
                None if one.actor is None else one.actor.tolist(),
                None if one.others is None else one.others.tolist(),
            )
            for one in model.transitions
        ]
        self.here: dict[int, list[tuple[int, int, list[int] | None, list[int] | None]]] = {}

    def is_bad(self, config: Config) -> bool:
        masks = tuple(sorted(mask for one in config[1:] if (mask := self.satisfied[one])))
        found = self.known_bad.get(masks)
        if found is None:
            found = self.known_bad[masks] = _matches(masks, self.every)
        return found

    def run(self, clients: int, bound: Bound | None) -> Trace | None:
        roles_of: dict[Config, tuple[int, ...]] = {}
        for roles in splits(self.model, clients):
            config = (0, *sorted(self.model.starts[role] for role in roles))
            roles_of.setdefault(config, roles)
        ways: dict[Config, _Way | None] = {}
        # In the order of what is certain to be needed, then of how they were found: the same every time.
        queue: list[tuple[int, int, int, Config]] = []
        steps: dict[Config, int] = {}
        for number, config in enumerate(roles_of):
            ways[config], steps[config] = None, 0
            heapq.heappush(queue, (bound(config) if bound else 0, number, 0, config))
        number = len(queue)
        closed: set[Config] = set()
        while queue:
            _, _, length, config = heapq.heappop(queue)
            if config in closed:
                continue
            closed.add(config)
            if self.is_bad(config):
                return self.trace(config, ways, roles_of)
            if len(closed) % _CLOCK_EVERY == 0:
                self.budget.check(len(closed))
            for after, transition, actor in self.successors(config):
                if steps.get(after, length + 2) <= length + 1:
                    continue
                steps[after] = length + 1
                ways[after] = _Way(config, transition, actor)
                number += 1
                heapq.heappush(queue, (length + 1 + (bound(after) if bound else 0), number, length + 1, after))
        return None

    def successors(self, config: Config) -> Iterator[tuple[Config, int, int]]:
        """What may come next: the configuration, the transition, the local state that acts."""
        world, clients = config[0], config[1:]
        moves = self.here.get(world)
        if moves is None:
            moves = self.here[world] = [
                (number, after[world], actor, others)
                for number, (after, actor, others) in enumerate(self.transitions)
                if after[world] != NONE
            ]
        for number, after, actor, others in moves:
            if actor is None:
                rest = clients if others is None else tuple(sorted(others[one] for one in clients))
                if not rest or rest[0] != NONE:
                    yield (after, *rest), number, NONE
                continue
            previous = NONE
            for index, one in enumerate(clients):
                if one == previous or actor[one] == NONE:
                    continue
                previous = one
                left = [*clients[:index], *clients[index + 1 :]]
                if others is not None:
                    left = [others[two] for two in left]
                    if NONE in left:
                        continue
                yield (after, *sorted((actor[one], *left))), number, one

    def trace(self, config: Config, ways: dict[Config, _Way | None], roles_of: dict[Config, tuple[int, ...]]) -> Trace:
        """The way to a configuration, with a client for every local state that acts."""
        path: list[_Way] = []
        while (way := ways[config]) is not None:
            path.append(way)
            config = way.before
        roles = roles_of[config]
        states = [self.model.starts[role] for role in roles]
        moves = []
        for way in reversed(path):
            _, actor, others = self.transitions[way.transition]
            client = NONE if actor is None else states.index(way.actor)
            moves.append(self.model.transitions[way.transition].move._replace(client=client))
            states = [
                actor[one] if actor is not None and number == client else one if others is None else others[one]
                for number, one in enumerate(states)
            ]
        return Trace(roles, tuple(moves))


def _matches(masks: Sequence[int], wanted: int) -> bool:
    """Whether every bit of `wanted` can be given a mask of its own that has it."""
    if not wanted:
        return True
    bit = wanted & -wanted
    return any(mask & bit and _matches([*masks[:i], *masks[i + 1 :]], wanted & ~bit) for i, mask in enumerate(masks))
