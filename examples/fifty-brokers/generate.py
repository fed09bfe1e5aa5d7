#!/usr/bin/env python3
"""Write the fifty-broker example: the overlay of a commercial message system, and four faults in it.

    python examples/fifty-brokers/generate.py            # write the five committed files
    python examples/fifty-brokers/generate.py --check    # are the committed files what this would write?
    python examples/fifty-brokers/generate.py --topics 10000 --output big.yaml

The script needs nothing but Python and shares no code with momlint, so that its tables are an independent
witness: hop counts by breadth-first search, next hops from the hop counts.

What the literature gives, and what is ours
-------------------------------------------
The source (a thesis on model checking of publish/subscribe overlays, section 5.2.6 and table 5-7, and a
paper on the same fifty brokers) prints the overlay as a picture; in the text only a part of it survives.
`KNOWN_LINKS` is that part: the neighbours of 1, 2, 3, 11 and 16, the path 12-14-13-17-18, and the links
13-17, 16-17 and 17-18 of broker 17. `OUR_LINKS` completes it to fifty brokers. It adds no link to a broker
whose neighbours are known (1, 2, 3, 11, 16, 17), and is chosen so that everything the text says holds:

* 1 → 13 runs 1, 16, 17, 13, and 12 → 18 runs 12, 14, 13, 17, 18;
* the links of broker 17 are exactly 13-17, 16-17 and 17-18, and without any one of them, or without broker
  17, the other brokers are still connected (so it is the tables that break, not the network);
* every next hop of table 5-7 (for brokers 1, 2 and 3) lies on a shortest path, except the printed slips
  below.

Equally short routes are common here: 1 reaches 8 by 11 and by 16 in three hops. Where table 5-7 names one
of the equally short next hops, that one is taken; everywhere else the smallest broker, momlint's own
tie-break.

The source contradicts itself in these places:

* Broker 16 lists 2 as a neighbour, broker 2 lists only 11 and 18. Table 5-7 sends from 2 by 11, by 16 and
  by 18, so both links, 2-16 and 2-18, are taken.
* Table 5-7 prints two next hops for 1 → 20 and 3 → 20 (11 and 16). Both are shortest; the row printed
  first, 11, is kept.
* It prints two next hops for 1 → 31 and 3 → 31 (11 and 16). Broker 31 is a neighbour of 16, so only 16 is
  shortest, and 11 cannot hold.
* It lists 42 twice and 43 never; the second 42 is read as 43. It lists 3 as a destination of 3 (the row of
  1 was copied), and gives 3 no row for 1; here 3 reaches 1 by 11.
* The text says that 1 learns path[1][2] = '11,2', table 5-7 sends 1 → 2 by 16. Both are shortest; the table
  is kept.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

BROKERS = range(1, 51)

#: From the source; see above.
KNOWN_LINKS = (
    *((1, 11), (1, 16), (2, 11), (2, 16), (2, 18), (3, 11), (3, 16)),
    *((11, 19), (11, 26), (12, 14), (13, 14), (13, 17), (16, 17), (16, 31), (17, 18)),
)

#: Our completion; see above.
OUR_LINKS = (
    *((4, 15), (5, 6), (5, 15), (6, 20), (15, 18), (18, 20)),
    *((8, 9), (8, 12), (8, 19), (8, 31), (9, 10), (10, 31)),
    *((7, 19), (7, 21), (19, 21), (19, 22), (19, 23), (21, 24), (21, 25), (24, 25)),
    *((22, 32), (32, 33), (23, 34), (23, 35), (34, 35)),
    *((26, 27), (26, 28), (26, 29), (26, 30), (26, 45), (26, 48), (27, 36), (27, 37), (36, 37)),
    *((28, 38), (28, 39), (29, 40), (29, 41), (39, 40), (30, 42), (42, 43), (42, 44), (43, 44)),
    *((31, 45), (31, 48), (45, 46), (46, 47), (48, 49), (48, 50)),
)

LINKS = tuple(sorted(KNOWN_LINKS + OUR_LINKS))


def _span(first: int, last: int) -> tuple[int, ...]:
    return tuple(range(first, last + 1))


_BY_11 = (3, 7, 11, 19, *_span(20, 44))
_BY_16 = (2, 4, 5, 6, 8, 9, 10, *_span(12, 18), 20, 31, *_span(45, 50))

#: Table 5-7, in the order of its rows: (location, next hop, destinations), 43 for the second 42.
TABLE_5_7 = (
    (1, 11, _BY_11),
    (1, 16, _BY_16),
    (2, 11, (7, 8, 9, 11, 12, 19, *_span(21, 30), *_span(32, 50))),
    (2, 16, (1, 3, 10, 14, 16, 31)),
    (2, 18, (4, 5, 6, 13, 15, 17, 18, 20)),
    (3, 11, _BY_11),
    (3, 16, _BY_16),
)

#: The topics that the source names, with publishers and subscribers. Ours are: who takes films and who sends
#: stock, which it leaves open, and the name of the topic from 12 to 18.
NAMED_TOPICS = (
    ("weather", (1,), (2, 13)),
    ("films", (1,), (26, 31)),
    ("music", (3,), (1,)),
    ("sports", (2,), (3,)),
    ("stock", (18,), (2,)),
    ("freight", (12,), (18,)),
)

SUBSCRIBERS_PER_TOPIC = 5
SEED = 5
GENERATED_TOPICS = 40

Link = tuple[int, int]
Tables = dict[int, dict[int, list[int]]]
Topic = tuple[str, tuple[int, ...], tuple[int, ...]]


def hops_to(destination: int, links: Iterable[Link]) -> dict[int, int]:
    """The number of hops from every broker that reaches `destination`, by breadth-first search."""
    neighbours = neighbours_of(links)
    hops = {destination: 0}
    queue = [destination]
    for broker in queue:
        for neighbour in neighbours[broker]:
            if neighbour not in hops:
                hops[neighbour] = hops[broker] + 1
                queue.append(neighbour)
    return hops


def neighbours_of(links: Iterable[Link]) -> dict[int, list[int]]:
    """Every broker's neighbours, ascending."""
    neighbours: dict[int, list[int]] = {broker: [] for broker in BROKERS}
    for one, other in links:
        neighbours[one].append(other)
        neighbours[other].append(one)
    return {broker: sorted(found) for broker, found in neighbours.items()}


def next_hops() -> dict[Link, int]:
    """(location, destination) → next hop on a shortest path; ties by table 5-7, else the smallest broker."""
    printed: dict[Link, list[int]] = {}
    for location, hop, destinations in TABLE_5_7:
        for destination in destinations:
            printed.setdefault((location, destination), []).append(hop)
    neighbours = neighbours_of(LINKS)
    chosen: dict[Link, int] = {}
    for destination in BROKERS:
        hops = hops_to(destination, LINKS)
        for location in BROKERS:
            if location == destination:
                continue
            shortest = [n for n in neighbours[location] if hops[n] == hops[location] - 1]
            wanted = [hop for hop in printed.get((location, destination), ()) if hop in shortest]
            chosen[location, destination] = (wanted or shortest)[0]
    return chosen


def tables() -> Tables:
    """location → next hop → destinations, all ascending."""
    rows: Tables = {location: {} for location in BROKERS}
    for (location, destination), hop in sorted(next_hops().items()):
        rows[location].setdefault(hop, []).append(destination)
    return {location: dict(sorted(row.items())) for location, row in rows.items()}


def generated_topics(count: int) -> Iterator[Topic]:
    """`count` topics with one publisher and five subscribers each, drawn evenly from the fifty brokers.

    The publisher is not among the subscribers, so each topic needs five paths. The same count gives the same
    topics, and the first topics of a larger count are those of a smaller one.
    """
    draw = random.Random(SEED)
    width = len(str(count))
    for number in range(1, count + 1):
        publisher, *subscribers = draw.sample(BROKERS, 1 + SUBSCRIBERS_PER_TOPIC)
        yield f"t{number:0{width}}", (publisher,), tuple(sorted(subscribers))


def _flow(numbers: Iterable[int]) -> str:
    return "[" + ", ".join(str(number) for number in numbers) + "]"


def estate(name: str, comment: str, links: Iterable[Link], rows: Tables, topics: Iterable[Topic]) -> Iterator[str]:
    """The estate as lines of YAML."""
    yield from (f"# {line}".rstrip() for line in comment.strip().splitlines())
    yield "# Written by examples/fifty-brokers/generate.py, which says what of it is from the source."
    yield "momlint: 1"
    yield f"name: {name}"
    yield "brokers:"
    yield from (f"  {broker}:" for broker in BROKERS)
    yield "links:"
    known = set(KNOWN_LINKS)
    for link in links:
        yield f"  - {{between: {_flow(link)}}}" + ("" if link in known else "  # our completion")
    yield "topics:"
    for topic, publishers, subscribers in topics:
        yield f"  {topic}: {{publishers: {_flow(publishers)}, subscribers: {_flow(subscribers)}}}"
    yield "routing:"
    yield "  protocol: tables"
    yield "  tables:"
    for location, row in rows.items():
        if row:
            yield f"    {location}:"
            yield from (f"      {hop}: {_flow(destinations)}" for hop, destinations in row.items())


def _without_hops(rows: Tables, hops: Iterable[Link]) -> Tables:
    gone = set(hops)
    return {
        location: {hop: found for hop, found in row.items() if (location, hop) not in gone}
        for location, row in rows.items()
    }


def committed_files() -> dict[str, str]:
    """File name → text of the estates that stand beside this script."""
    rows = tables()
    topics = (*NAMED_TOPICS, *generated_topics(GENERATED_TOPICS))
    variants: dict[str, tuple[str, str, Iterable[Link], Tables]] = {
        "topology.yaml": (
            "fifty-brokers",
            "Fifty brokers with shortest-path tables; nothing is wrong here.",
            LINKS,
            rows,
        ),
        "link-13-17-failed.yaml": (
            "fifty-brokers-link-13-17-failed",
            "The link 13-17 has failed and is gone from `links`; the tables still use it.\n"
            "Expected: the hop 13-17 is named, once.",
            [link for link in LINKS if link != (13, 17)],
            rows,
        ),
        "broker-17-failed.yaml": (
            "fifty-brokers-broker-17-failed",
            "Broker 17 has failed: its links 13-17, 16-17 and 17-18 are gone; the tables still use them.\n"
            "Expected: broker 17 is named, once.",
            [link for link in LINKS if 17 not in link],
            rows,
        ),
        "rows-13-17-missing.yaml": (
            "fifty-brokers-rows-13-17-missing",
            "The link 13-17 is there, but no row of 13 and 17 uses it: somebody forgot it in the tables.\n"
            "Expected: messages stop at 13 and at 17.",
            LINKS,
            _without_hops(rows, [(13, 17), (17, 13)]),
        ),
        "broker-17-without-tables.yaml": (
            "fifty-brokers-broker-17-without-tables",
            "Broker 17 has its links but no table: whatever is sent through it stops there.\n"
            "Expected: broker 17 is named, once.",
            LINKS,
            {**rows, 17: {}},
        ),
    }
    return {
        file: "\n".join(estate(name, comment, links, table, topics)) + "\n"
        for file, (name, comment, links, table) in variants.items()
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Write the fifty-broker example.")
    parser.add_argument("--check", action="store_true", help="compare the committed files, write nothing")
    parser.add_argument("--topics", type=int, metavar="N", help="one estate with N generated topics instead")
    parser.add_argument("--output", type=Path, metavar="FILE", help="where to write it, else standard output")
    options = parser.parse_args(arguments)
    if options.topics is not None:
        lines = estate(
            f"fifty-brokers-{options.topics}-topics",
            f"Fifty brokers, {options.topics} topics with {SUBSCRIBERS_PER_TOPIC} subscribers each.",
            LINKS,
            tables(),
            generated_topics(options.topics),
        )
        text = "\n".join(lines) + "\n"
        if options.output is None:
            sys.stdout.write(text)
        else:
            options.output.write_text(text, encoding="utf-8", newline="\n")
        return 0
    folder = Path(__file__).parent
    stale = []
    for file, text in committed_files().items():
        path = folder / file
        if options.check:
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                stale.append(file)
        else:
            path.write_text(text, encoding="utf-8", newline="\n")
    for file in stale:
        print(f"{file} is not what generate.py writes; run it without --check", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
