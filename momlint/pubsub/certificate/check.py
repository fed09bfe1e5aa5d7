"""Does an invariant prove that nothing bad can be reached, whatever the number of clients? A solver says.

An invariant excludes *boxes*: a set of global states, and a set of local states for each of k clients. It is a proof if

* no initial configuration is in a box;
* whatever is bad is in a box;
* no step leads from outside of all boxes into one.

A box says nothing of clients beyond its k; so each is about k clients, and the one that acts. The first is a matter of
counting. For the others there is one
script for each number of clients, and in it a Boolean for each transition, k and choice of who acts. Whether an
obligation fails is whether that Boolean can be true.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from momlint.pubsub.certificate.script import Script, render
from momlint.pubsub.compiled import NONE, Compiled, Ints
from momlint.solving.choose import open_session

if TYPE_CHECKING:
    from momlint.pubsub.certificate.invariant import Invariant
    from momlint.solving.limits import SolverLimits

Bits: TypeAlias = NDArray[np.bool_]


class Box(NamedTuple):
    """`world`: bool[G]; `clients`: bool[L] for each of some clients."""

    world: Bits
    clients: tuple[Bits, ...]


class Obligation(NamedTuple):
    """Something that must not be: a configuration in one of `boxes`. `what`: for messages and comments."""

    what: str
    boxes: tuple[Box, ...]


class _Question(NamedTuple):
    """About so many clients: what is excluded, and what must be impossible besides."""

    clients: int
    excluded: tuple[Box, ...]
    obligations: tuple[Obligation, ...]


def violation(model: Compiled, invariant: Invariant, limits: SolverLimits, solver: str = "z3") -> str | None:
    """What the invariant fails to show, in words; None where it is a proof. Raises `GaveUp`."""
    if _excludes_a_start(model, invariant):
        return "an initial configuration is excluded"
    for question in _questions(model, invariant):
        script = _script(question)
        if not script.obligations:
            continue
        session = open_session(solver, render(script), limits)
        for obligation in script.obligations:
            if session.find(obligation.name) is not None:
                return obligation.what
    return None


def scripts(model: Compiled, invariant: Invariant) -> list[str]:
    """The scripts that `violation` has solved."""
    return [render(_script(question)) for question in _questions(model, invariant)]


# -- what has to be shown ---------------------------------------------------------------------------------------------


def _questions(model: Compiled, invariant: Invariant) -> Iterator[_Question]:
    worlds, states = len(model.worlds), len(model.states)
    boxes = [Box(_bits(one.world, worlds), tuple(_bits(mask, states) for mask in one.clients)) for one in invariant]
    maps = _Preimages()
    all_worlds, anybody = np.ones(worlds, bool), np.ones(states, bool)
    most = max([len(box.clients) for box in boxes] + [model.bad.shape[0]])
    for clients in range(1, most + 2):
        excluded = [Box(box.world, placed) for box in boxes for placed in _placements(box.clients, clients, anybody)]
        # There are no more clients of a role than its number; a client keeps its role.
        for role, count in enumerate(model.counts):
            if count is not None and count < clients:
                mine = model.role_of == role
                for chosen in combinations(range(clients), count + 1):
                    excluded.append(
                        Box(all_worlds, tuple(mine if one in chosen else anybody for one in range(clients)))
                    )
        obligations = [
            Obligation(what, possible)
            for what, found in _obligations(model, boxes, clients, maps)
            if (possible := tuple(box for box in found if box.world.any() and all(one.any() for one in box.clients)))
        ]
        yield _Question(clients, tuple(excluded), tuple(obligations))


def _obligations(
    model: Compiled, boxes: Sequence[Box], clients: int, maps: _Preimages
) -> Iterator[tuple[str, tuple[Box, ...]]]:
    worlds = len(model.worlds)
    here = [box for box in boxes if len(box.clients) == clients]
    if model.bad.shape[0] == clients:
        yield "something bad is not excluded", (Box(np.ones(worlds, bool), tuple(model.bad)),)
    fewer = [box for box in boxes if len(box.clients) == clients - 1]
    for one in model.transitions:
        name = f"{one.move.kind} {one.move.step if one.move.step != NONE else one.move.worker}"
        if one.actor is None:
            yield (
                f"{name} leads to what is excluded",
                tuple(Box(maps.before(one.world, box.world), maps.all_before(one.others, box.clients)) for box in here),
            )
            continue
        for acting in range(clients):
            found = []
            for box in here:
                others = list(maps.all_before(one.others, box.clients))
                others[acting] = maps.before(one.actor, box.clients[acting])
                found.append(Box(maps.before(one.world, box.world), tuple(others)))
            yield f"{name} of one of {clients} clients leads to what is excluded", tuple(found)
        yield (
            f"{name} of a client beside {clients - 1} leads to what is excluded",
            tuple(
                Box(
                    maps.before(one.world, box.world),
                    (*maps.all_before(one.others, box.clients), one.actor != NONE),
                )
                for box in fewer
            ),
        )


def _excludes_a_start(model: Compiled, invariant: Invariant) -> bool:
    """Whether an initial configuration is excluded; a matter of counting, and of no solver."""
    states = len(model.states)
    return any(one.world & 1 and _can_start(model, [_bits(mask, states) for mask in one.clients]) for one in invariant)


def _can_start(model: Compiled, clients: Sequence[Bits]) -> bool:
    """Whether these clients can be in their start states, all of them, with the roles' numbers."""

    def placed(number: int, left: dict[int, int]) -> bool:
        if number == len(clients):
            return True
        for role, state in enumerate(model.starts):
            if state == NONE or not clients[number][state]:
                continue
            if model.counts[role] is None:
                if placed(number + 1, left):
                    return True
            elif left[role] and placed(number + 1, {**left, role: left[role] - 1}):
                return True
        return False

    return placed(0, {role: count for role, count in enumerate(model.counts) if count is not None})


def _placements(sets: tuple[Bits, ...], clients: int, anybody: Bits) -> list[tuple[Bits, ...]]:
    """Every way to ask the sets of different ones of so many clients; of the rest nothing is asked."""
    found: dict[tuple[bytes, ...], tuple[Bits, ...]] = {}
    for places in permutations(range(clients), len(sets)):
        asked = [anybody] * clients
        for place, one in zip(places, sets, strict=True):
            asked[place] = one
        found.setdefault(tuple(one.tobytes() for one in asked), tuple(asked))
    return list(found.values())


def _bits(mask: int, size: int) -> Bits:
    return np.array([mask >> number & 1 for number in range(size)], bool)


class _Preimages:
    """What maps take into a set, each set looked up once; the same array for the same set."""

    def __init__(self) -> None:
        self._known: dict[tuple[int, bytes], Bits] = {}

    def before(self, after: Ints, wanted: Bits) -> Bits:
        """The states that a map takes into `wanted`. Maps live as long as the model, so their ids tell them apart."""
        key = id(after), wanted.tobytes()
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = np.asarray(np.where(after == NONE, False, wanted[after]), bool)
        return found

    def all_before(self, after: Ints | None, wanted: tuple[Bits, ...]) -> tuple[Bits, ...]:
        """The same for each of some clients; None is the map that changes nothing."""
        return wanted if after is None else tuple(self.before(after, one) for one in wanted)


# -- as a script ------------------------------------------------------------------------------------------------------


def _script(question: _Question) -> Script:
    """States that no set of the question tells apart are one."""
    asked = [box for one in question.obligations for box in one.boxes]
    script = Script(question.clients)
    script.worlds.classify([box.world for box in (*question.excluded, *asked)])
    script.states.classify([one for box in (*question.excluded, *asked) for one in box.clients])
    script.excluded = [script.literals(box.world, box.clients) for box in question.excluded]
    for number, one in enumerate(question.obligations):
        script.oblige(f"o{number}", one.what, [script.literals(box.world, box.clients) for box in one.boxes])
    return script
