"""MOM408: a row, or a colour, that no message ever uses."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.checks.context import Context
from momlint.checks.wording import listed
from momlint.findings import Draft
from momlint.forwarding.ragged import distinct


def find(context: Context) -> Iterator[Draft]:
    """One draft for each row that says nothing or is read nowhere in some colour, and for each dead colour."""
    facts = context.recovery
    if facts is None or not context.is_whole("brokers", "links", "failures.recovery"):
        return
    n, table = context.overlay.n, facts.table
    for row in facts.entries.idle.tolist():
        broker, to = context.name(int(table.broker[row])), context.name(int(table.to[row]))
        why = "it is for the broker itself" if broker == to else "it holds in no colour"
        yield Draft(
            "MOM408",
            context.row_place(row),
            f"redundant entry: this row of broker `{broker}` is never used: {why}",
            help="remove the row",
        )
    idle = set(facts.entries.idle.tolist())
    for misuse in facts.idle:
        if misuse.row in idle:
            continue
        colours = distinct(misuse.keys // (n * n)).tolist()
        names = [str(context.colour_name(colour)) for colour in colours]
        broker, to = context.name(int(table.broker[misuse.row])), context.name(int(table.to[misuse.row]))
        yield Draft(
            "MOM408",
            context.row_place(misuse.row),
            f"redundant entry: in {'colour' if len(names) == 1 else 'colours'} {listed(names)} this row is of no use, "
            f"since nothing that is left leads from `{broker}` to `{to}`",
            help=f"take {listed(names)} out of the row's colours",
        )
    yield from _dead_colours(context)


def _dead_colours(context: Context) -> Iterator[Draft]:
    promise = context.estate.tolerate
    if promise is None or context.estate.groups:
        return
    clashing = {colour for colour, _ in context.merged_colours} if context.selects("MOM401") else set()
    for index, colour in enumerate(context.estate.colours):
        beyond = len(colour.failed_links) > promise.links or len(colour.failed_brokers) > promise.brokers
        if beyond and not colour.incomplete and index not in clashing:
            yield Draft(
                "MOM408",
                colour.place,
                f"dead colour: what fails in colour `{colour.name}` is more than `tolerate` promises to survive",
                help="remove the colour, or promise to survive what it is for",
            )
