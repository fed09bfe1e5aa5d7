"""What no client can ever be, in words, about what a property asks for: what its proof rests on, for people."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from momlint.pubsub.form import Atom, Clients, Kind, Property

#: Facts that are put together in one sentence, and sentences that help.
_MOST_TOGETHER = 3
_MOST_SENTENCES = 12
_NUMBERS = {2: "two", 3: "three", 4: "four"}

_SAID: dict[Kind, tuple[str, str]] = {
    "connected": ("is connected", "is offline"),
    "subscribed": ("is on the list of {}", "is not on the list of {}"),
    "ever": ("has subscribed to {}", "has never subscribed to {}"),
    "received": ("has received {}", "has not received {}"),
    "twice": ("has received {} twice", "has not received {} twice"),
    "late": ("has received {} late", "has not received {} late"),
    "missed": ("has missed {}", "has not missed {}"),
    "role": ("is a {}", "is not a {}"),
    "state": ("is in state {}", "is not in state {}"),
}


class _Fact(NamedTuple):
    """What an atom says of a client (`holds`), or its contrary."""

    atom: int
    holds: bool


def sentences(form: Clients, asked: Sequence[Atom], seen: NDArray[np.bool_]) -> list[str]:
    """``no client ever has received m and has never subscribed to t``: those that hold and follow from no shorter one.

    `seen`: bool[atoms, kinds], what the atoms say of every kind of client that there may be.
    """
    rows = [_Fact(number, holds) for number in range(len(asked)) for holds in (True, False)]
    never: list[frozenset[_Fact]] = []
    for together in range(1, _MOST_TOGETHER + 1):
        for facts in combinations(rows, together):
            chosen = frozenset(facts)
            if len({fact.atom for fact in facts}) < together or any(known <= chosen for known in never):
                continue
            if _is_plain(asked, facts):
                continue
            if not np.logical_and.reduce([seen[fact.atom] == fact.holds for fact in facts]).any():
                never.append(chosen)
    told = [sorted(facts, key=lambda fact: (not fact.holds, fact.atom)) for facts in never]
    return [
        f"no client ever {' and '.join(_said(form, asked[fact.atom], fact.holds) for fact in facts)}"
        for facts in told[:_MOST_SENTENCES]
    ]


def together(asked: Property) -> list[str]:
    """``no two clients are ever so at the same time: lead; lead``, for a property of several clients."""
    number = len(asked.never)
    if number == 1:
        return []
    return [f"no {_NUMBERS.get(number, str(number))} clients are ever so at the same time: {'; '.join(asked.texts)}"]


def _is_plain(asked: Sequence[Atom], facts: Sequence[_Fact]) -> bool:
    """Whether it goes without saying: a client is in one state, of one role."""
    what = [fact for fact in facts if asked[fact.atom].kind in ("state", "role")]
    return len(what) > 1 or (len(facts) == 1 and bool(what) and not facts[0].holds)


def _said(form: Clients, atom: Atom, holds: bool) -> str:
    said = _SAID[atom.kind][0 if holds else 1]
    if atom.kind == "state":
        role, state = min(atom.states)
        return said.format(form.roles[role].states[state])
    if atom.kind == "role":
        return said.format(form.roles[atom.number].name)
    names = form.topics if atom.kind in ("subscribed", "ever") else [one.name for one in form.messages]
    return said.format(names[atom.number]) if "{}" in said else said
