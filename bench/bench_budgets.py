"""How long mixed colours, take-overs, budgets and availabilities take, against the number of topics.

    python bench/bench_budgets.py [--brokers 384] [--topics 1000,10000,100000]

The overlay of bench_engines.py: a random tree and as many links again as brokers, a colour for each link and, for
take-overs, for each broker. Topics have one publisher and five subscribers, and a budget. Seconds of CPU, best of
three.
"""

from __future__ import annotations

import argparse
import dataclasses
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

from bench_engines import random_estate, row

from momlint.estate.resolved import Broker, Colour, Estate, Link, Topic
from momlint.findings import Place
from momlint.routed.ask import Ask
from momlint.routed.checks import (
    explain_transients,
    find_bad_takeover,
    find_latency_budget_exceeded,
    find_mixed_colour_loop,
    report_availability,
)
from momlint.routed.diagnosis.context import Context
from momlint.routed.overlay import Overlay, build_overlay

NOWHERE = Place(0, ())


def estate_with(brokers: int, topics: int, *, brokers_fail: bool) -> Estate:
    """The random estate with times, availabilities, topics and a ring of take-overs."""
    plain = random_estate(brokers, colours=True)
    rng = random.Random(2)
    links = [
        Link(link.id, NOWHERE, link.tail, link.head, latency_ms=rng.randint(1, 90) / 10, availability=0.999)
        for link in plain.links
    ]
    colours = list(plain.colours)
    if brokers_fail:
        colours += [Colour(f"b{broker}", NOWHERE, (), (broker,)) for broker in range(brokers)]
    wanted = []
    for number in range(topics):
        publisher, *subscribers = rng.sample(range(brokers), 6)
        wanted.append(Topic(f"t{number}", NOWHERE, (publisher,), tuple(subscribers), max_latency_ms=400.5))
    return dataclasses.replace(
        plain,
        brokers=[Broker(str(i), NOWHERE, processing_ms=0.1, availability=0.9999) for i in range(brokers)],
        links=links,
        topics=wanted,
        colours=colours,
        takeover={broker: (broker + 1) % brokers for broker in range(brokers)} if brokers_fail else {},
        takeover_places=dict.fromkeys(range(brokers), NOWHERE),
        section_places={"failures.colours": NOWHERE, "failures.takeover": NOWHERE},
    )


def seconds(check: Callable[[Context], Iterator[Any]], estate: Estate, overlay: Overlay) -> str:
    """Of CPU, the best of three, each with a context that has not worked anything out yet."""
    times = []
    for _ in range(3):
        begin = time.process_time()
        list(check(Context(estate, overlay, Ask("graph"))))
        times.append(time.process_time() - begin)
    return f"{min(times):.2f}"


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--brokers", type=int, default=384)
    options.add_argument("--topics", default="1000,10000,100000")
    chosen = options.parse_args()

    estate = estate_with(chosen.brokers, 0, brokers_fail=False)
    overlay = build_overlay(estate)
    print(
        f"{chosen.brokers} brokers, {len(estate.links)} links, {overlay.colours} colours, "
        f"{overlay.delta_key.size} deltas"
    )
    row("", "seconds")
    row("MOM407", seconds(find_mixed_colour_loop.find, estate, overlay))
    row("explain", seconds(explain_transients.explain, estate, overlay))

    print()
    row("topics", "pairs", "MOM601", "table", "MOM409")
    for topics in map(int, chosen.topics.split(",")):
        timed, adopted = (estate_with(chosen.brokers, topics, brokers_fail=fail) for fail in (False, True))
        timed_overlay, adopted_overlay = build_overlay(timed), build_overlay(adopted)
        row(
            topics,
            timed_overlay.pair_source.size,
            seconds(find_latency_budget_exceeded.find, timed, timed_overlay),
            seconds(report_availability.explain, timed, timed_overlay),
            seconds(find_bad_takeover.find, adopted, adopted_overlay),
        )


if __name__ == "__main__":
    main()
