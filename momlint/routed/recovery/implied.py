"""Failures that are judged although no colour stands for them: that of nothing, and those that are promised.

Declaring a failure as a colour, or promising it with ``tolerate``, gives the same verdict on what that failure does. So
where no recovery rows say what is done colour by colour, promised failures are looked at as colours without a name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from momlint.routed.recovery.colours import Failure, count_tolerated, groups_of, tolerated

if TYPE_CHECKING:
    from momlint.estate.resolved import Estate

#: So many promised failures are looked at one by one.
MOST_IMPLIED = 20_000


class Implied(NamedTuple):
    """`failures` that no colour of the estate stands for, that of nothing first; `beyond`: how many were too many."""

    failures: tuple[Failure, ...] = ()
    beyond: int = 0


def implied_failures(estate: Estate, most: int = MOST_IMPLIED) -> Implied:
    """The failures to judge besides the estate's colours.

    Recovery rows speak of declared colours, so with them there are none (MOM402 names those without a colour). Whether
    a promised failure cuts a pair is asked otherwise, without a colour each; so is what becomes of rows that do not
    react. Promised failures are listed where more can go wrong: a row stays in force beside computed next hops, a
    topic has a budget, or clients move.
    """
    if estate.recovery_rows is not None or estate.recovery_file is not None:
        return Implied()
    declared = {
        Failure(tuple(colour.failed_links), tuple(colour.failed_brokers))
        for colour in estate.colours
        if not colour.incomplete
    }
    calm = (Failure(),) if estate.colours_declared and Failure() not in declared else ()
    promise = estate.tolerate
    if promise is None or not estate.incomplete.isdisjoint(("brokers", "links", "groups", "failures.tolerate")):
        return Implied(calm)
    moves = bool(estate.takeover)
    if estate.heals:
        budgets = any(topic.max_hops is not None or topic.max_latency_ms is not None for topic in estate.topics)
        static = estate.protocol == "shortest-path" and bool(estate.table_rows)
        wanted = moves or budgets or static
    else:
        wanted = moves
    if not wanted:
        return Implied(calm)
    groups = groups_of(estate)
    number = count_tolerated(len(estate.links), len(estate.brokers), promise, len(groups))
    if number > most:
        return Implied(calm, number)
    found = [
        failure
        for failure in tolerated(len(estate.links), len(estate.brokers), promise, groups)
        if any(failure) and failure not in declared and (estate.heals or failure.brokers)
    ]
    return Implied((*calm, *found))
