"""The section that ``check --explain-transients`` adds: loops of mixed colours, and orders of updates without them.

For each change between the normal colour and a failure's: every destination that can loop on the way, with a cycle,
and an order in which the brokers can change, one after the other, so that nothing ever loops, or why there is none.
"""

from __future__ import annotations

from collections.abc import Iterator

from momlint.routed.checks.find_mixed_colour_loop import has_normal, replayed
from momlint.routed.diagnosis.context import Context
from momlint.routed.overlay.orders import Order, update_order
from momlint.routed.overlay.transients import MixedLoops, mixed_loops
from momlint.words import arrow, counted

TITLE = "Transients"


def explain(context: Context) -> Iterator[str]:
    """The lines of the section for one estate, without its title."""
    if not context.estate.colours_declared:
        yield "no colours are declared, so brokers never change colour"
        return
    if not has_normal(context):
        yield "unknown: part of the estate could not be read, or no colour stands for the state without failures"
        return
    back = mixed_loops(context.declared_overlay)
    failed = mixed_loops(context.declared_overlay, "failed", back)
    lasting = set(failed.columns.tolist())
    if not back.size:
        yield f"no loop is possible while brokers change between {counted(len(context.estate.colours), 'colour')}"
        return
    known: int | None = None
    for index, (colour, dest, column) in enumerate(
        zip(back.colour.tolist(), back.dest.tolist(), back.columns.tolist(), strict=True)
    ):
        if colour != known:
            if known is not None:
                yield from _orders(context, back, failed, known)
            known = colour
            count = int((back.colour == colour).sum())
            yield f"colour {_titled(context, colour)}: loops are possible for {counted(count, 'destination')}"
        once = "" if column in lasting else " (only on the way back to normal)"
        yield f"  towards {context.name(dest)}: {arrow(replayed(context, back, index))}{once}"
    assert known is not None
    yield from _orders(context, back, failed, known)


def _titled(context: Context, colour: int) -> str:
    """The colour and what has failed in it."""
    found = context.estate.colours[colour]
    names = [context.estate.links[link].id for link in found.failed_links]
    names += context.names(found.failed_brokers)
    return f"{found.name} ({', '.join(names)} failed)" if names else f"{found.name} (nothing failed)"


def _orders(context: Context, back: MixedLoops, failed: MixedLoops, colour: int) -> Iterator[str]:
    both = update_order(list(back.cores(colour)))
    if both.verdict == "found":
        there = context.names(both.brokers)
        yield f"  order without loops: {arrow(there)}; back to normal: {arrow(reversed(there))}; others at any time"
        return
    cores = list(failed.cores(colour))
    if cores == list(back.cores(colour)):
        yield f"  order without loops: {_why(context, both)}"
        return
    # Over elements that have failed nothing loops: the way into the failure may have an order where the way back has
    # none.
    there_only = update_order(cores)
    if there_only.verdict == "found":
        order = arrow(context.names(there_only.brokers)) or "any"
        yield f"  order without loops, into the failure: {order}; others at any time"
    else:
        yield f"  order without loops, into the failure: {_why(context, there_only)}"
    yield f"  order without loops, back to normal: {_why(context, both)}"


def _why(context: Context, order: Order) -> str:
    """Why no order is shown."""
    if order.conflict:
        said = (
            f"{context.name(one.first)} must change before {context.name(one.second)} (towards "
            f"{context.name(one.dest)})"
            for one in order.conflict
        )
        return f"none: {', '.join(said)}"
    brokers = ", ".join(context.names(order.involved))
    if order.verdict == "none":
        return f"none: every order of {brokers} loops"
    return f"not found among {order.sets:,} sets of changed brokers: {brokers}"
