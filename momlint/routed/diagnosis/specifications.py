"""The specifications of an estate: what they are called, where they stand, and which of them say nothing (MOM102)."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.estate.resolved import Spec
from momlint.findings import Draft
from momlint.routed.diagnosis.context import Context
from momlint.routed.specs import names_of, spec_error

#: Where the names come from that a specification may use.
_NAMES = ("brokers", "topics", "failures.colours", "failures.takeover")


def title(spec: Spec) -> str:
    """``specification `arrives```, or ``the specification`` for one without a name."""
    return f"specification `{spec.name}`" if spec.name else "the specification"


def unreadable(context: Context) -> Iterator[Draft]:
    """One draft for each specification that is no formula, or speaks of what the estate has not; at the culprit."""
    # Where a name may have been left out with what could not be read, only the form is judged.
    names = names_of(context.estate) if context.is_whole(*_NAMES) else None
    for spec in context.estate.specs:
        error = spec_error(names, spec.text, spec.logic)
        if error is not None:
            yield Draft(
                "MOM102",
                spec.formula_place((error.start, error.end)),
                f"{title(spec)}: {error.message}",
                help="use NuSMV's syntax; docs/specifications.md lists the operators and names",
            )
