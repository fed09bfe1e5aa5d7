"""How long each engine takes to decide every pair, against networkx walking every pair.

    python bench/bench_engines.py [--sizes 50,192,384] [--runs 5] [--no-smt] [--colours]

Overlays are random and connected, with twice as many links as brokers, next hops on shortest paths. networkx does
what a script of a few lines would: one DiGraph a destination, its ancestors. All must give the same answer.
With ``--colours`` a second table: a colour for each single link, and graph deciding all pairs in all of them.

Times are medians in one process after one run that does not count (imports, caches); ratios are to graph.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import networkx as nx
import numpy as np

from momlint.estate.resolved import Broker, Colour, Estate, Link
from momlint.findings import Place
from momlint.routed.graph import GraphEngine
from momlint.routed.overlay import Overlay, build_overlay
from momlint.routed.questions.question import Proved, Question, Refuted, Undecided


def random_estate(n: int, *, colours: bool, seed: int = 1) -> Estate:
    """A random tree and as many links again, plus a colour for every single link if asked."""
    rng = random.Random(seed)
    ends = {(rng.randrange(i), i) for i in range(1, n)}
    while len(ends) < 2 * n:
        a, b = sorted(rng.sample(range(n), 2))
        ends.add((a, b))
    nowhere = Place(0, ())
    links = [Link(f"{a}--{b}", nowhere, a, b) for a, b in sorted(ends)]
    named = [Colour("1", nowhere)]
    if colours:
        named += [Colour(link.id, nowhere, (index,)) for index, link in enumerate(links)]
    return Estate(
        name="bench",
        brokers=[Broker(str(i), nowhere) for i in range(n)],
        links=links,
        topics=(),
        protocol="shortest-path",
        colours=named,
        colours_declared=colours,
    )


def ask_everything(overlay: Overlay) -> Question:
    """Does every pair arrive, in every colour?"""
    colours = np.arange(overlay.colours, dtype=np.int32)
    return Question("arrive", overlay.pair_source, overlay.pair_dest, colours)


def networkx_walks(overlay: Overlay) -> int:
    """The number of pairs that do not arrive, colour 0, as networkx finds it."""
    n = overlay.n
    near = set(zip(overlay.arc_tail.tolist(), overlay.arc_head.tolist(), strict=True))
    table = overlay.base.tolist()
    failing = 0
    for dest in range(n):
        column = nx.DiGraph()
        column.add_nodes_from(range(n))
        column.add_edges_from((loc, hop) for loc, hop in enumerate(table[dest]) if loc != dest and (loc, hop) in near)
        failing += n - 1 - len(nx.ancestors(column, dest))
    return failing


def median(runs: int, work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds, and what `work` returned."""
    answer = work()
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        answer = work()
        times.append(time.perf_counter() - begin)
    return statistics.median(times), answer


def failures(answer: Any) -> int | str:
    """The number of failing pairs, or why there is no answer."""
    if isinstance(answer, Proved):
        return 0
    if isinstance(answer, Refuted):
        return int(answer.failing.size)
    if isinstance(answer, Undecided):
        return answer.reason
    return int(answer)


def row(*cells: object) -> None:
    """One line of a table, the first cell to the left and the others to the right."""
    first, *others = (str(cell) for cell in cells)
    print(f"{first:<9}" + "".join(f"{cell:>12}" for cell in others), flush=True)


def main() -> None:
    """Print the tables."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--sizes", default="50,192,384")
    options.add_argument("--runs", type=int, default=5)
    options.add_argument("--no-smt", action="store_true", help="leave the solver out")
    options.add_argument("--colours", action="store_true", help="also every single-link colour, graph only")
    chosen = options.parse_args()
    sizes = [int(size) for size in chosen.sizes.split(",")]

    engines: dict[str, Callable[[Overlay], Any]] = {
        "graph": lambda overlay: GraphEngine().decide(overlay, ask_everything(overlay)),
        "networkx": networkx_walks,
    }
    if not chosen.no_smt:
        from momlint.routed.smt import SmtEngine

        engines["smt"] = lambda overlay: SmtEngine().decide(overlay, ask_everything(overlay))

    row("engine", "brokers", "links", "pairs", "ms", "to graph", "failing")
    for n in sizes:
        overlay = build_overlay(random_estate(n, colours=False))
        base = 0.0
        answers = set()
        for name, engine in engines.items():
            seconds, answer = median(chosen.runs, partial(engine, overlay))
            base = base or seconds
            answers.add(failures(answer))
            pairs = overlay.pair_source.size
            row(name, n, overlay.links, pairs, f"{seconds * 1e3:.1f}", f"{seconds / base:.1f}", failures(answer))
        if len(answers) != 1:
            raise SystemExit(f"the engines disagree at {n} brokers: {answers}")

    if chosen.colours:
        print()
        row("colours", "brokers", "links", "deltas", "ms", "ns/delta", "heal ms")
        for n in sizes:
            estate = random_estate(n, colours=True)
            begin = time.perf_counter()
            overlay = build_overlay(estate)
            healing = time.perf_counter() - begin
            seconds, _ = median(chosen.runs, partial(engines["graph"], overlay))
            deltas = overlay.delta_key.size
            row(
                overlay.colours,
                n,
                overlay.links,
                deltas,
                f"{seconds * 1e3:.1f}",
                f"{seconds * 1e9 / max(deltas, 1):.0f}",
                f"{healing * 1e3:.0f}",
            )


if __name__ == "__main__":
    main()
