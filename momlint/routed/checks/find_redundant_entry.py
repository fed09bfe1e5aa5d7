"""MOM408: a row, or a colour, that no message ever uses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from momlint.findings import Draft
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.wording import colour_names, in_colours
from momlint.routed.overlay.ragged import distinct, without
from momlint.words import listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.routed.diagnosis.recovery_facts import Misuse


def find(context: Context) -> Iterator[Draft]:
    """One draft for each row that says nothing or is read nowhere in some colour, and for each dead colour."""
    facts = context.recovery
    if facts is None or not context.is_whole("brokers", "links", "failures.recovery"):
        return
    n, table = context.overlay.n, facts.table
    for row in facts.entries.idle.tolist():
        broker, to = context.name(int(table.broker[row])), context.name(int(table.to[row]))
        why = "it is for the broker itself" if broker == to else "it names no colour"
        yield Draft(
            "MOM408",
            context.row_place(row),
            f"broker `{broker}` never uses its row for `{to}`",
            label=why,
            help="remove the row",
            data={"broker": broker, "destinations": (to,)},
        )
    idle = set(facts.entries.idle.tolist())
    explained = _explained(context, facts.idle)
    for misuse in facts.idle:
        keys = without(misuse.keys, explained)
        if misuse.row in idle or not len(keys):
            continue
        colours = distinct(keys // (n * n)).tolist()
        names = colour_names(context, colours)
        broker, to = context.name(int(table.broker[misuse.row])), context.name(int(table.to[misuse.row]))
        yield Draft(
            "MOM408",
            context.row_place(misuse.row),
            f"broker `{broker}` cannot use its row for `{to}` in {in_colours(names)}",
            label=f"no path is left to `{to}` then",
            help=f"take {listed(names)} out of the row's colours",
            data={"broker": broker, "destinations": (to,), "colours": names},
        )
    yield from _dead_colours(context)


def _explained(context: Context, idle: Sequence[Misuse]) -> NDArray[np.int64]:
    """The entries that are of no use only for want of a link that MOM304 misses: once it is declared they are."""
    hops = context.causes.hops_without_link if idle and context.selects("MOM304") else []
    if not hops:
        return np.empty(0, np.int64)
    return context.causes.joined_by_links(distinct(np.concatenate([misuse.keys for misuse in idle])), hops)


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
                f"colour `{colour.name}` stands for more failures than `tolerate` promises",
                label="never needed",
                help="remove the colour, or promise what it stands for",
                data={"colour": colour.name},
            )
