"""Path lengths after every single link failure, planned tables against the shortest paths (Figure 6-10).

    python -m bench.bench_path_lengths [--graphs 10] [--plot FILE]

Random 4-regular graphs of 32 brokers and 64 links. For each failed link the planned next hops are walked for every pair
of brokers, and the hops counted; networkx says how long the shortest path is there, and every walk must be as long.
The failure-free curve is the same without a failure. Pairs that a failure cuts are left out (there are none here).
"""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path

import networkx as nx

from bench.bench_condense import DEGREE, regular_estate
from bench.chart import Line, line_chart
from momlint.estate.resolved import Estate
from momlint.routed.recovery.lookup import look_up
from momlint.routed.recovery.planning import plan

BROKERS = 32


def walked(estate: Estate) -> tuple[Counter[int], Counter[int]]:
    """Hops of all pairs without failure, and over all colours in which a link has failed."""
    made = plan(estate)
    table = made.table()
    n = len(estate.brokers)
    hops = [look_up(table, broker, n).next_hop.tolist() for broker in range(n)]
    calm: Counter[int] = Counter()
    failed: Counter[int] = Counter()
    for index, colour in enumerate(made.colours):
        graph = nx.Graph()
        graph.add_nodes_from(range(n))
        graph.add_edges_from(
            (link.tail, link.head) for number, link in enumerate(estate.links) if number not in colour.failure.links
        )
        shortest = dict(nx.all_pairs_shortest_path_length(graph))
        for source in range(n):
            for dest in range(n):
                if dest == source or dest not in shortest[source]:
                    continue
                at, length = source, 0
                while at != dest:
                    at, length = hops[at][dest][index], length + 1
                    assert length <= n, "the planned tables loop"
                assert length == shortest[source][dest], (colour, source, dest)
                (failed if colour.failure.links else calm)[length] += 1
    return calm, failed


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--graphs", type=int, default=10)
    parser.add_argument("--plot", type=Path, help="where to write the chart")
    arguments = parser.parse_args()
    calm: Counter[int] = Counter()
    failed: Counter[int] = Counter()
    for seed in range(arguments.graphs):
        without, after = walked(regular_estate(BROKERS, DEGREE, seed))
        calm += without
        failed += after
    lengths = range(1, max(calm | failed) + 1)
    curves = []
    print("hops                    " + "".join(f"{length:8}" for length in lengths))
    for name, counts in (("failure-free", calm), ("PCRT, one link failed", failed)):
        total = sum(counts.values())
        shares = [100 * counts[length] / total for length in lengths]
        print(f"{name:24}" + "".join(f"{share:7.2f}%" for share in shares) + f"   of {total:,} paths")
        curves.append(Line(name, [(float(length), share) for length, share in zip(lengths, shares, strict=True)]))
    print("every planned path after a failure is a shortest path of the failed graph")
    if arguments.plot is not None:
        title = "Path lengths, 32 brokers and 64 links, every single link failed"
        arguments.plot.write_text(line_chart(title, "hops", "per cent of all paths", curves), encoding="utf-8")


if __name__ == "__main__":
    main()
