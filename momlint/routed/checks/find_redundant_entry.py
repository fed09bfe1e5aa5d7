"""MOM408: a row, or a colour, that no message ever uses."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from momlint.findings import Draft
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.subjects import hop
from momlint.routed.diagnosis.wording import colour_names, in_colours
from momlint.routed.overlay.elements import Elements
from momlint.routed.overlay.ragged import distinct, without
from momlint.words import listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.findings import Subject
    from momlint.routed.diagnosis.recovery_facts import Misuse


def find(context: Context) -> Iterator[Draft]:
    """One draft for each row that says nothing or is read nowhere in some colour, and for each dead colour."""
    facts = context.recovery
    if facts is None or not context.is_whole("brokers", "links", "failures.recovery"):
        return
    table = facts.table
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
    explained = _Explained(context)
    for misuse in facts.idle:
        if misuse.row not in idle:
            yield replace(_idle(context, misuse.row, misuse.keys), without=partial(_left, context, explained, misuse))
    yield from _dead_colours(context)


def _idle(context: Context, row: int, keys: NDArray[np.int64]) -> Draft:
    """The row is of no use at these keys."""
    facts = context.recovery
    assert facts is not None
    names = colour_names(context, distinct(context.overlay.keys.colour_of(keys)).tolist())
    broker, to = context.name(int(facts.table.broker[row])), context.name(int(facts.table.to[row]))
    return Draft(
        "MOM408",
        context.row_place(row),
        f"broker `{broker}` cannot use its row for `{to}` in {in_colours(names)}",
        label=f"no path is left to `{to}` then",
        help=f"take {listed(names)} out of the row's colours",
        data={"broker": broker, "destinations": (to,), "colours": names},
    )


def _left(context: Context, explained: _Explained, misuse: Misuse, is_told: Callable[[Subject], bool]) -> Draft | None:
    keys = without(misuse.keys, explained.by(is_told))
    return _idle(context, misuse.row, keys) if len(keys) else None


class _Explained:
    """The entries that are of no use only for want of links: once those are declared they are."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._known: dict[tuple[tuple[int, int], ...], NDArray[np.int64]] = {}

    def by(self, is_told: Callable[[Subject], bool]) -> NDArray[np.int64]:
        """Those for want of the links of which it is told that they are missing: keys, int64."""
        context = self.context
        hops = tuple(one for one in context.causes.hops_without_link if is_told(hop(*one)))
        if hops not in self._known:
            facts = context.recovery
            assert facts is not None
            keys = distinct(np.concatenate([misuse.keys for misuse in facts.idle]))
            self._known[hops] = context.causes.joined_by_links(keys, list(hops)) if hops else np.empty(0, np.int64)
        return self._known[hops]


def _dead_colours(context: Context) -> Iterator[Draft]:
    promise = context.estate.tolerate
    if promise is None or not context.is_whole("groups", "failures.tolerate"):
        return
    elements = Elements.of(context.estate)
    for index, colour in enumerate(context.estate.colours):
        if colour.incomplete:
            continue
        if not elements.promises(promise, colour.failed_links, colour.failed_brokers):
            yield Draft(
                "MOM408",
                colour.place,
                f"colour `{colour.name}` stands for more failures than `tolerate` promises",
                label="never needed",
                help="remove the colour, or promise what it stands for",
                data={"colour": colour.name},
                about=[frozenset({("merged-colour", index)})],
            )
