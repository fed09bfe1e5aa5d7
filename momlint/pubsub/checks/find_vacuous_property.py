"""MOM852: a property holds only because one of its formulas, or a part of it, is never true of any client."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from momlint.findings import Draft
from momlint.pubsub.form import All, Formula, Negation, Property, atoms

if TYPE_CHECKING:
    from momlint.pubsub.asking import Ask

#: That none of these ever is so is what a property is for.
_FAULTS = frozenset(("late", "twice", "missed"))


def find(ask: Ask) -> Iterator[Draft]:
    """One draft for each property, at the first formula or part that no client ever satisfies."""
    for number, asked in enumerate(ask.form.properties):
        answer, _ = ask.property(number)
        if not answer.holds:
            continue
        found = _never_true(ask, asked)
        if found is not None:
            yield Draft(
                "MOM852",
                asked.place,
                f"{asked.title} holds for no good reason: no client ever satisfies {found}",
                help="correct the formula, or add the step that leads there",
                label="always so",
                data={"property": asked.name},
            )


def _never_true(ask: Ask, asked: Property) -> str | None:
    """What no client ever satisfies by itself, in words."""
    if len(asked.never) > 1:
        for text, formula in zip(asked.texts, asked.never, strict=True):
            if ask.reachable(formula) is False:
                return f"`{text}`"
    for text, formula in zip(asked.texts, asked.never, strict=True):
        for part in formula.parts if isinstance(formula, All) else ():
            if not _is_fault(part) and ask.reachable(part) is False:
                return _written(text, part)
    return None


def _is_fault(part: Formula) -> bool:
    return any(atom.kind in _FAULTS for atom in atoms(part))


def _written(text: str, part: Formula) -> str:
    """The part as it stands in the text, without brackets around it."""
    places = [(atom.start, atom.end) for atom in atoms(part)]
    if not places:
        return "a part of it"
    start, end = min(places)[0], max(end for _, end in places)
    written = text[start:end]
    return f"`not {written}`" if isinstance(part, Negation) and len(places) == 1 else f"`{written}`"
