"""MOM701: a temporal specification of the estate does not hold."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from momlint.errors import ReplayError
from momlint.findings import Draft, Witness
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.specifications import title
from momlint.routed.overlay.following import walk
from momlint.words import arrow

if TYPE_CHECKING:
    from momlint.estate.resolved import Spec
    from momlint.routed.specs import Trace


def find(context: Context) -> Iterator[Draft]:
    """One draft for each specification that is false, at its formula, with the trace that shows it."""
    estate = context.estate
    # What was left out of the estate may be what would make it true.
    if not estate.specs or not estate.incomplete <= {"specs"}:
        return
    if any(topic.incomplete for topic in estate.topics) or any(colour.incomplete for colour in estate.colours):
        return
    from momlint.routed.overlay.moves import moves
    from momlint.routed.specs import SpecFalse, names_of

    names, steps = names_of(estate), moves(context.declared_overlay)
    for spec in estate.specs:
        found = context.ask.specification(context.declared_overlay, names, spec, f"whether {title(spec)} holds", steps)
        if isinstance(found, SpecFalse):
            trace = found.trace
            yield _of_a_message(context, spec, trace) if trace.walk else _of_take_overs(spec, trace)


def _of_a_message(context: Context, spec: Spec, trace: Trace) -> Draft:
    _replay(context, spec, trace)
    assert trace.source is not None
    assert trace.dest is not None
    witness = Witness(
        context.colour_name(trace.colour or 0),
        context.name(trace.source),
        context.name(trace.dest),
        context.names(trace.walk),
        trace=tuple(trace.lines()),
    )
    topic = f" of topic `{context.estate.topics[trace.topic].name}`" if trace.topic is not None else ""
    return Draft(
        "MOM701",
        spec.formula_place(),
        f"{title(spec)} does not hold for a message{topic} from `{witness.source}` to `{witness.destination}`",
        label="false",
        help="correct the row that misdirects the message (`momlint trace` shows each row), or the specification",
        data={"specification": spec.name or ""},
        witness=witness,
        related=context.colour_defined(witness),
    )


def _of_take_overs(spec: Spec, trace: Trace) -> Draft:
    where = "at the start" if len(trace.states) == 1 else "once brokers fail"
    return Draft(
        "MOM701",
        spec.formula_place(),
        f"{title(spec)} does not hold {where}",
        label="false",
        help="correct `takeover`, or the specification",
        data={"specification": spec.name or ""},
        witness=Witness(trace=tuple(trace.lines())),
    )


def _replay(context: Context, spec: Spec, trace: Trace) -> None:
    """Follow the trace on the overlay itself. Raises `ReplayError` where that goes another way."""
    assert trace.source is not None
    assert trace.dest is not None
    brokers = walk(context.declared_overlay, trace.colour or 0, trace.source, trace.dest).brokers
    # A row that names its own broker is a loop of one there, and staying here.
    if len(brokers) > 1 and brokers[-1] == brokers[-2]:
        brokers = brokers[:-1]
    whole = trace.loop is not None
    if trace.walk != (brokers if whole else brokers[: len(trace.walk)]):
        raise ReplayError(
            f"the trace of {title(spec)} is no walk of the overlay: {arrow(context.names(trace.walk))}, and the "
            f"message goes {arrow(context.names(brokers))}"
        )
