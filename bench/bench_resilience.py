"""What failures cut: how long each engine takes. ``python bench/bench_resilience.py``

Regular random overlays, all pairs needed. Processor seconds of one process; overlays are built before the clock
starts. `set`: the smallest failure within the promise, from two elements on.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import networkx as nx
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from momlint.estate.resolved import Broker, Estate, Link, Tolerate
from momlint.findings import Place
from momlint.routed.graph import GraphEngine
from momlint.routed.overlay import Overlay, build_overlay
from momlint.routed.overlay.elements import Elements
from momlint.routed.questions.failures import Kept, Smallest
from momlint.routed.smt import SmtEngine


def overlay(graph: nx.Graph) -> tuple[Overlay, Elements]:
    """An overlay without tables: nothing here reads them."""
    n = len(graph)
    place = Place(0, ())
    estate = Estate(
        "bench",
        [Broker(str(b), place) for b in range(n)],
        [Link(f"{a}--{b}", place, a, b) for a, b in graph.edges],
        [],
        "tables",
    )
    return build_overlay(estate), Elements.of(estate)


def timed(work: Callable[[], object]) -> tuple[float, object]:
    """Processor seconds, and the answer."""
    started = time.process_time()
    answer = work()
    return time.process_time() - started, answer


def main(arguments: Sequence[str]) -> None:
    """Print the table; with ``--quick`` without the largest."""
    graph_engine, smt_engine = GraphEngine(), SmtEngine()
    small, _ = overlay(nx.cycle_graph(4))
    smt_engine.smallest(small, Elements(4, 4), Tolerate(2), 2)  # so that importing z3 is in no figure
    print(f"{'brokers':>8} {'links':>6}  {'question':<28} {'graph':>8} {'smt':>8}  answer")
    sizes = [(50, 4), (100, 4), (200, 6)] if "--quick" in arguments else [(50, 4), (100, 4), (200, 6), (1000, 6)]
    for n, degree in sizes:
        made, elements = overlay(nx.random_regular_graph(degree, n, seed=1))
        everything = range(len(elements))
        seconds, found = timed(partial(graph_engine.survey, made, elements, everything))
        assert isinstance(found, tuple)
        other = "" if n > 50 else f"{timed(partial(smt_engine.survey, made, elements, everything))[0]:8.2f}"
        print(f"{n:>8} {elements.links:>6}  {'every single failure':<28} {seconds:8.2f} {other:>8}  {len(found)} cut")
        for promise in (Tolerate(2), Tolerate(1, 1), Tolerate(0, 2), Tolerate(3), Tolerate(2, 1)):
            row = []
            answers = []
            for engine in (graph_engine, smt_engine):
                if n > 200 and engine is smt_engine:
                    row.append("")
                    continue
                seconds, answer = timed(partial(engine.smallest, made, elements, promise, 2))
                row.append(f"{seconds:8.2f}")
                answers.append(answer)
            assert all(answer == answers[0] or not isinstance(answer, Kept | Smallest) for answer in answers)
            name = f"set of {promise.links} links, {promise.brokers} brokers"
            print(
                f"{n:>8} {elements.links:>6}  {name:<28} {row[0]:>8} {row[1]:>8}  {type(answers[0]).__name__.lower()}"
            )
    for name, graph in (("tree", nx.random_labeled_tree(1000, seed=1)), ("star", nx.star_graph(999))):
        made, elements = overlay(graph)
        seconds, found = timed(partial(graph_engine.survey, made, elements, range(len(elements))))
        assert isinstance(found, tuple)
        pairs = int(np.sum([cut.pairs for cut in found]))
        print(
            f"{1000:>8} {elements.links:>6}  {name + ', every single failure':<28} {seconds:8.2f} {'':>8}  "
            f"{len(found)} cut, {pairs:,} pairs in all"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
