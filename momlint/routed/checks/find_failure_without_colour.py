"""MOM402: a failure that `tolerate` promises to survive has no colour."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from momlint.findings import Draft
from momlint.routed.diagnosis.context import Context
from momlint.routed.recovery import MOST_COLOURS, Failure, count_tolerated, groups_of, tolerated
from momlint.words import counted, joined

#: How many failures the message names, and how many the data.
SHOWN, DATA = 3, 100


def find(context: Context) -> Iterator[Draft]:
    """One draft an estate, at the promise; it names the first such failures and counts all.

    Nothing is said where a colour names something that is not declared (it may be the one), nor of failures that
    a colour for several at once already stands for (MOM401).
    """
    estate = context.estate
    promise = estate.tolerate
    if (
        promise is None
        or not estate.colours_declared
        or not context.is_whole("links", "brokers", "groups", "failures.colours")
    ):
        return
    given = {Failure(colour.failed_links, colour.failed_brokers) for colour in estate.colours}
    for index, _ in context.merged_colours:
        merged = estate.colours[index]
        given.update(Failure((link,), ()) for link in merged.failed_links)
        given.update(Failure((), (broker,)) for broker in merged.failed_brokers)
    groups = groups_of(estate)
    number = count_tolerated(len(estate.links), len(estate.brokers), promise, len(groups))
    # One more is looked at than there can be colours: then some failure has none, and which ones is beyond listing.
    wanted = islice(tolerated(len(estate.links), len(estate.brokers), promise, groups), MOST_COLOURS + 1)
    lacking = [failure for failure in wanted if failure not in given]
    if not lacking:
        return
    rest = max(0, number - MOST_COLOURS - 1)
    names = tuple(context.failure_words(*failure) for failure in lacking[:DATA])
    total = len(lacking) + rest
    shown = list(names[:SHOWN])
    if total > len(shown):
        shown.append(f"{'at least ' if rest else ''}{total - len(shown):,} more")
    yield Draft(
        "MOM402",
        context.promise_place.entry,
        f"{counted(total, 'promised failure')} {'has' if total == 1 else 'have'} no colour: {joined(shown)}",
        label="promised here",
        help="let `momlint plan` make the colours and their rows, or promise less",
        data={"failures": names, "count": total},
    )
