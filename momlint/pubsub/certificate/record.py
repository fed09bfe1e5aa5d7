"""A section's record in a certificate: what each property's proof excludes; and whether it is a proof of clients."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from momlint.pubsub.certificate.check import violation
from momlint.pubsub.certificate.invariant import Excluded, Invariant
from momlint.pubsub.compiled import Question, TooLarge, compile_question

if TYPE_CHECKING:
    from momlint.pubsub.form import Clients, Property
    from momlint.solving.limits import SolverLimits


class Unproved(Exception):
    """A record does not prove what it claims; the text says why."""


class Proved(NamedTuple):
    """A property that was proved: its title, and its invariant in words."""

    title: str
    words: tuple[str, ...]


class Shown(NamedTuple):
    """What a record shows. `exact`: of the given numbers of clients, not of any."""

    properties: tuple[Proved, ...]
    exact: bool


def record(head: Mapping[str, Any], proofs: Sequence[tuple[Property, Invariant, Sequence[str]]]) -> str:
    """The record of a section as one line; `head` names the files, `proofs` has each property with its invariant."""
    properties = [
        {
            "never": list(asked.texts),
            "excluded": [[f"{one.world:x}", *(f"{mask:x}" for mask in one.clients)] for one in invariant],
            "words": list(words),
        }
        for asked, invariant, words in proofs
    ]
    return json.dumps({"discipline": "pubsub", **head, "properties": properties}, ensure_ascii=True)


def check_record(form: Clients, data: Mapping[str, Any], limits: SolverLimits) -> Shown:
    """Check a record's claims about clients. Raises `Unproved`, and `GaveUp` where the solver did."""
    claimed = data.get("properties")
    if not isinstance(claimed, list) or len(claimed) != len(form.properties):
        raise Unproved("it does not speak of every property")
    shown = []
    for asked, claim in zip(form.properties, claimed, strict=True):
        if not isinstance(claim, dict) or claim.get("never") != list(asked.texts):
            raise Unproved(f"it does not speak of {asked.title}")
        try:
            model = compile_question(form, Question(asked.never))
        except TooLarge as error:
            raise Unproved(f"{asked.title}: {error}") from error
        invariant = _invariant(claim.get("excluded"), len(model.worlds), len(model.states))
        fault = violation(model, invariant, limits)
        if fault is not None:
            raise Unproved(f"{asked.title}: what it excludes is no proof: {fault}")
        words = claim.get("words")
        if not isinstance(words, list) or not all(isinstance(one, str) for one in words):
            raise Unproved(f"{asked.title}: its words are missing")
        shown.append(Proved(asked.title, tuple(words)))
    return Shown(tuple(shown), form.exact)


def _invariant(data: object, worlds: int, states: int) -> Invariant:
    """What `record` wrote. Raises `Unproved`."""
    if not isinstance(data, list):
        raise Unproved("what is excluded is missing")
    found = []
    for entry in data:
        if not isinstance(entry, list) or len(entry) < 2:
            raise Unproved(f"{reprlib.repr(entry)} excludes nothing")
        clients = tuple(_mask(one, states) for one in entry[1:])
        found.append(Excluded(_mask(entry[0], worlds), clients))
    return tuple(found)


def _mask(text: object, size: int) -> int:
    if not isinstance(text, str) or len(text) > size // 4 + 1:
        raise Unproved(f"{reprlib.repr(text)} is no set of states")
    try:
        mask = int(text, 16)
    except ValueError:
        raise Unproved(f"{reprlib.repr(text)} is no set of states") from None
    if not 0 <= mask < 1 << size:
        raise Unproved(f"{reprlib.repr(text)} has states that there are not")
    return mask
