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


def implied_failures(estate: Estate, most: int = MOST_IMPLIED, *, walks: bool = False) -> Implied:
    """The failures to judge besides the estate's colours. With `walks` it counts what ways messages take in them.

    Recovery rows speak of declared colours, so with them there are none (MOM402 names those without a colour). Whether
    a promised failure cuts a pair is asked otherwise, without a colour each; so is what becomes of rows that do not
    react. Promised failures are listed where more can go wrong:

    * a topic has a budget, a row stays in force beside computed next hops, or clients move;
    * rows are withdrawn beside next hops that stay as they are;
    * next hops stay as they are, a topic has a time budget, and a hop has several links: it goes on over a slower one.
    """
    if estate.recovery_rows is not None or estate.recovery_file is not None:
        return Implied()
    declared = {
        Failure(tuple(colour.failed_links), tuple(colour.failed_brokers))
        for colour in estate.colours
        if not colour.incomplete
    }
    intact = (Failure(),) if estate.colours_declared and Failure() not in declared else ()
    promise = estate.tolerate
    if promise is None or not estate.incomplete.isdisjoint(("brokers", "links", "groups", "failures.tolerate")):
        return Implied(intact)
    moves = bool(estate.takeover)
    timed = any(topic.max_latency_ms is not None for topic in estate.topics)
    static = estate.protocol == "shortest-path" and bool(estate.table_rows)
    links, brokers = list(range(len(estate.links))), len(estate.brokers)
    slower: frozenset[int] = frozenset()
    if estate.heals:
        every = walks or moves or timed or static or any(topic.max_hops is not None for topic in estate.topics)
    else:
        every = static and estate.withdraws_rows
        slower = _with_a_slower_twin(estate) if timed else frozenset()
    if not (every or moves or slower):
        return Implied(intact)
    groups = groups_of(estate)
    if not (every or moves or promise.groups):
        # Whatever else fails at the same time does not make a walk slower that still arrives.
        links, brokers = sorted(slower), 0
    number = count_tolerated(len(links), brokers, promise, len(groups))
    if number > most:
        return Implied(intact, number)
    found = []
    for chosen in tolerated(len(links), brokers, promise, groups):
        failure = Failure(tuple(links[link] for link in chosen.links), chosen.brokers)
        if not any(failure) or failure in declared:
            continue
        if every or (moves and failure.brokers) or not slower.isdisjoint(failure.links):
            found.append(failure)
    return Implied((*intact, *found))


def _with_a_slower_twin(estate: Estate) -> frozenset[int]:
    """The links of hops that several links of different latencies make."""
    hops: dict[tuple[int, int], dict[int, float]] = {}
    for index, link in enumerate(estate.links):
        back = link.latency_ms if link.latency_ms_back is None else link.latency_ms_back
        hops.setdefault((link.tail, link.head), {})[index] = link.latency_ms
        if not link.one_way:
            hops.setdefault((link.head, link.tail), {})[index] = back
    return frozenset(index for links in hops.values() if len(set(links.values())) > 1 for index in links)
