"""What condensing saves: rows of super routing tables against entries of plain ones, on random graphs.

    python -m bench.bench_condense [--sizes 16,32,64,96,128,192,256,384] [--graphs 3] [--plot DIRECTORY]

Graphs are random and 4-regular (as many links as Figure 6-12's average degree of 4 has), a colour for every single
link. Columns: rows a broker has on average, and at most; the bound of formula 6-1; the entries a broker would have
without condensing (6-9); the same in bytes of a whole Parquet and a whole CSV file, colours said by exception. The last
lines give the exponents of growth, fitted on logarithms: about 1 for rows (linear), about 2 for entries.

With ``--plot`` two charts are written, as in Figures 6-11 (logarithmic) and 6-12 (linear).
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
from pathlib import Path

import networkx as nx
import numpy as np

from bench.chart import Line, line_chart
from momlint.estate.resolved import Broker, Estate, Link, Tolerate
from momlint.findings import Place
from momlint.routed.recovery.planning import plan
from momlint.routed.recovery.write import write_recovery

NOWHERE = Place(0, ())
DEGREE = 4


def regular_estate(n: int, degree: int, seed: int) -> Estate:
    """A connected random graph in which every broker has `degree` links; any single link may fail."""
    graph = nx.random_regular_graph(degree, n, seed)
    while not nx.is_connected(graph):
        seed += 1000
        graph = nx.random_regular_graph(degree, n, seed)
    ends = sorted(tuple(sorted(edge)) for edge in graph.edges)
    return Estate(
        name=f"regular-{n}",
        brokers=[Broker(f"b{index}", NOWHERE) for index in range(n)],
        links=[Link(f"b{a}--b{b}", NOWHERE, a, b) for a, b in ends],
        topics=(),
        protocol="shortest-path",
        tolerate=Tolerate(links=1),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--sizes", default="16,32,64,96,128,192,256,384")
    parser.add_argument("--graphs", type=int, default=3, help="graphs of each size; numbers are means over them")
    parser.add_argument("--plot", type=Path, help="where to write the two charts")
    arguments = parser.parse_args()
    sizes = [int(size) for size in arguments.sizes.split(",")]

    print("brokers  links  colours  rows: mean    max  bound  plain entries  ratio  parquet KB  csv KB")
    rows_of, entries_of = [], []
    for n in sizes:
        means, most, parquet, csv = [], 0, [], []
        for seed in range(arguments.graphs):
            estate = regular_estate(n, DEGREE, seed)
            made = plan(estate)
            table = made.table()
            size = made.sizes(table)
            assert (size.rows <= size.bound).all()
            # Formula 6-9: (N D / 2 + 1)(N - 1) entries.
            assert size.plain_entries == (n * DEGREE // 2 + 1) * (n - 1)
            means.append(float(size.rows.mean()))
            most = max(most, int(size.rows.max()))
            with tempfile.TemporaryDirectory() as folder:
                for ending, into in (("parquet", parquet), ("csv", csv)):
                    path = Path(folder) / f"rows.{ending}"
                    names = [colour.name for colour in made.colours]
                    write_recovery(str(path), table, [one.id for one in estate.brokers], names, "except")
                    into.append(path.stat().st_size / 1024)
        links, mean = len(estate.links), statistics.mean(means)
        rows_of.append((n, mean))
        entries_of.append((n, size.plain_entries))
        print(
            f"{n:7}  {links:5}  {links + 1:7}  {mean:10.1f}  {most:5}  {int(size.bound[0]):5}  "
            f"{size.plain_entries:13,}  {size.plain_entries / mean:5.0f}  {statistics.mean(parquet):10.0f}  "
            f"{statistics.mean(csv):6.0f}"
        )
    for name, points in (("rows", rows_of), ("plain entries", entries_of)):
        x, y = np.log(np.array(points, float)).T
        print(f"{name} grow with the brokers to the power of {np.polyfit(x, y, 1)[0]:.2f}")
    if arguments.plot is not None:
        curves = [Line("super routing table: rows", rows_of), Line("plain tables: entries", entries_of)]
        title = "Entries a broker stores, random graphs of degree 4"
        for name, log in (("condensing-log.svg", True), ("condensing.svg", False)):
            chart = line_chart(title, "brokers", "entries of a broker", curves, log=log)
            (arguments.plot / name).write_text(chart, encoding="utf-8")


if __name__ == "__main__":
    main()
