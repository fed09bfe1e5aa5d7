"""MOM402: a failure that `tolerate` promises to survive has no colour."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from momlint.estate.resolved import Tolerate
from momlint.findings import Draft
from momlint.routed.diagnosis.context import Context
from momlint.routed.recovery.colours import MOST_COLOURS, Failure, count_tolerated, groups_of, tolerated
from momlint.words import counted, joined

if TYPE_CHECKING:
    from momlint.estate.resolved import Tolerate
    from momlint.findings import Subject

#: How many failures the message names, and how many the data.
SHOWN, DATA = 3, 100


def find(context: Context) -> Iterator[Draft]:
    """One draft an estate, at the promise; it names the first such failures and counts all.

    Nothing is said where a colour names something that is not declared (it may be the one).

    With recovery rows the state in which nothing has failed needs a colour too, promised or not.
    """
    estate = context.estate
    has_rows = estate.recovery_rows is not None or estate.recovery_file is not None
    promise = estate.tolerate
    if promise is None or not context.is_whole("failures.tolerate"):
        if not has_rows:
            return
        promise = Tolerate()
    if not estate.colours_declared or not context.is_whole("links", "brokers", "groups", "failures.colours"):
        return
    draft = _left(context, promise, lambda _: False)
    if draft is not None:
        yield replace(draft, without=partial(_left, context, promise))


def _left(context: Context, promise: Tolerate, is_told: Callable[[Subject], bool]) -> Draft | None:
    """The failures without a colour of their own, but for those of which a colour for several tells."""
    estate = context.estate
    has_rows = estate.recovery_rows is not None or estate.recovery_file is not None
    given = {Failure(colour.failed_links, colour.failed_brokers) for colour in estate.colours}
    for index, _ in context.merged_colours:
        merged = estate.colours[index]
        given.update(Failure((link,), ()) for link in merged.failed_links if is_told(("merged-failure", "link", link)))
        given.update(
            Failure((), (broker,)) for broker in merged.failed_brokers if is_told(("merged-failure", "broker", broker))
        )
    groups = groups_of(estate)
    number = count_tolerated(len(estate.links), len(estate.brokers), promise, len(groups))
    # One more is looked at than there can be colours: then some failure has none, and which ones is beyond listing.
    wanted = islice(tolerated(len(estate.links), len(estate.brokers), promise, groups), MOST_COLOURS + 1)
    # Without recovery rows the state in which nothing has failed is judged whether or not it has a colour.
    lacking = [failure for failure in wanted if failure not in given and (has_rows or any(failure))]
    if not lacking:
        return None
    rest = max(0, number - MOST_COLOURS - 1)
    names = tuple(context.failure_words(*failure) for failure in lacking[:DATA])
    total = len(lacking) + rest
    shown = list(names[:SHOWN])
    if total > len(shown):
        shown.append(f"{'at least ' if rest else ''}{total - len(shown):,} more")
    promised = estate.tolerate is not None and "failures.tolerate" in estate.section_places
    if not promised:
        return Draft(
            "MOM402",
            estate.section_places["failures.colours"],
            "no colour stands for the state without failures",
            label="something has failed in every one of these",
            help="add a colour with an empty list, and rows for it",
            data={"failures": names, "count": total},
        )
    return Draft(
        "MOM402",
        context.promise_place.entry,
        f"{counted(total, 'promised failure')} {'has' if total == 1 else 'have'} no colour: {joined(shown)}",
        label="promised here",
        help="let `momlint plan` make the colours and their rows, or promise less",
        data={"failures": names, "count": total},
    )
