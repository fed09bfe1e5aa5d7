"""Temporal specifications, decided on the explicit model.

    decide_spec(overlay, names_of(estate), text, "ctl") -> SpecTrue | SpecFalse(trace) | SpecError | SpecUndecided

Two models: the walk of a message (variables src, dest, loc, colour, topic and broker….state), and the model of
take-overs (broker….state, publisher….pub_bro…, subscriber….sub_bro…, …_topic). A formula says by its variables which
it speaks of; where only states of brokers occur, take-overs are meant if the estate declares any. Both logics work on
both, but for LTL's past operators over the walk.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Literal

from momlint.routed.specs.properties import Property, takeover_properties
from momlint.routed.specs.result import (
    SpecError,
    SpecFalse,
    SpecResult,
    SpecTrue,
    SpecUndecided,
    Trace,
)
from momlint.routed.specs.vocabulary import Names, TopicEnds, names_of

if TYPE_CHECKING:
    from momlint.routed.overlay.form import Overlay
    from momlint.routed.overlay.moves import Moves
    from momlint.routed.specs.resolve import Resolved


def decide_spec(
    overlay: Overlay,
    names: Names,
    text: str,
    logic: Literal["ctl", "ltl"],
    timeout: float | None = None,
    moves: Moves | None = None,
) -> SpecResult:
    """Decide the specification `text`; every initial state of its model must satisfy it.

    `timeout`: seconds, None for no limit. `moves`: those of the overlay, for a caller with many specifications. What
    the user wrote wrong is a `SpecError`; nothing is raised for it.
    """
    from momlint.solving.limits import GaveUp

    deadline = None if timeout is None else time.monotonic() + timeout
    read = _read(names, text, logic)
    if isinstance(read, SpecError):
        return read
    formula, model = read
    try:
        if model == "overlay":
            from momlint.routed.specs.ctl import decide_walks

            return decide_walks(overlay, names, formula, deadline, moves)
        if logic == "ctl":
            from momlint.routed.specs.takeover import decide_ctl

            return decide_ctl(names, formula)
        from momlint.routed.specs.ltl import decide_ltl

        return decide_ltl(names, formula, deadline)
    except GaveUp as reason:
        return SpecUndecided(str(reason))


def spec_error(names: Names | None, text: str, logic: Literal["ctl", "ltl"]) -> SpecError | None:
    """What is wrong with the specification `text` before anything is decided, if something is.

    Without `names` only its form is looked at, for an estate whose names are not all known.
    """
    from momlint.routed.specs.parse import parse
    from momlint.routed.specs.syntax import FormulaError

    if names is not None:
        read = _read(names, text, logic)
        return read if isinstance(read, SpecError) else None
    try:
        parse(text, logic)
    except FormulaError as error:
        return SpecError(error.message, error.start, error.end)
    return None


def _read(names: Names, text: str, logic: Literal["ctl", "ltl"]) -> Resolved | SpecError:
    from momlint.routed.specs.formula import PAST, operators
    from momlint.routed.specs.parse import parse
    from momlint.routed.specs.resolve import resolve
    from momlint.routed.specs.syntax import FormulaError

    try:
        tree = parse(text, logic)
        read = resolve(tree, names)
    except FormulaError as error:
        return SpecError(error.message, error.start, error.end)
    past = operators(read.formula) & PAST
    if read.model == "overlay" and past:
        return SpecError(
            f"operators of the past ({', '.join(sorted(past))}) are for specifications of take-overs, not of a "
            "message's walk",
            tree.start,
            tree.end,
        )
    return read


__all__ = [
    "Names",
    "Property",
    "SpecError",
    "SpecFalse",
    "SpecResult",
    "SpecTrue",
    "SpecUndecided",
    "TopicEnds",
    "Trace",
    "decide_spec",
    "names_of",
    "spec_error",
    "takeover_properties",
]
