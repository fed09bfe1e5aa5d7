"""What failures cut: how long each engine takes. ``python bench/bench_resilience.py``

Regular random overlays, all pairs needed. Processor seconds of one process; overlays are built before the clock
starts. `set`: the smallest failure within the promise, from two elements on.

``--promise`` prints the second table alone: what ``check --select MOM502`` takes with ``tolerate: {links: 2}``, from
text to findings. ``mesh``: regular, of degree 4, nothing to find; ``2-cut``: two of those, joined by two links;
``ring``: a topic for each link of a ring, so that a set has to be found for every second one. Elapsed seconds.
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

from momlint.discipline import EngineChoice
from momlint.estate.resolved import Broker, Estate, Link, Tolerate
from momlint.findings import Place, Report
from momlint.lint import Options, lint_bytes, merge
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
    """Print the tables; with ``--quick`` without the largest."""
    if "--promise" in arguments:
        promises(quick="--quick" in arguments)
        return
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
    promises(quick="--quick" in arguments)


def promises(*, quick: bool) -> None:
    """The table of checks that a promise of two links is kept, with the limit of a minute that is always in force."""
    check(text(nx.cycle_graph(4), every_link=False), "smt")  # so that importing z3 is in no figure
    print(f"{'brokers':>8} {'links':>6}  {'any 2 links':<28} {'graph':>8} {'smt':>8}  answer")
    for n in (100,) if quick else (100, 200, 400):
        halves = [nx.random_regular_graph(4, n // 2, seed=seed) for seed in (1, 2)]
        joined = nx.disjoint_union(*halves)
        joined.add_edges_from([(0, n // 2), (1, n // 2 + 1)])
        graphs = {"mesh": nx.random_regular_graph(4, n, seed=1), "2-cut": joined, "ring": nx.cycle_graph(n)}
        for kind, graph in graphs.items():
            row, answer = [], ""
            for engine in ("graph", "smt"):
                started = time.perf_counter()
                found = check(text(graph, every_link=kind == "ring"), engine)
                row.append(f"{time.perf_counter() - started:8.2f}")
                codes = [finding.code for finding in found.findings]
                topics = sum(len(finding.affected.topics) for finding in found.findings if finding.affected)
                what = " and ".join(codes) or "kept"
                said = f"{what}, {topics} topics" if topics else what
                answer = said if not answer or answer == said else f"{answer}; smt: {said}"
            print(f"{n:>8} {graph.number_of_edges():>6}  {kind:<28} {row[0]:>8} {row[1]:>8}  {answer}")


def text(graph: nx.Graph, *, every_link: bool) -> bytes:
    """An estate as users write it; `every_link`: a topic for each, else all pairs are needed."""
    lines = ["momlint: 1", "brokers:", *(f"  b{b}:" for b in graph), "links:"]
    lines += [f"  - {{between: [b{a}, b{b}]}}" for a, b in graph.edges]
    if every_link:
        lines.append("topics:")
        lines += [f"  t{a}-{b}: {{publishers: [b{a}], subscribers: [b{b}]}}" for a, b in graph.edges]
    return "\n".join([*lines, "failures:", "  tolerate: {links: 2}", ""]).encode()


def check(data: bytes, engine: EngineChoice) -> Report:
    """Judge an estate by MOM502 alone."""
    options = Options(engine=engine, select=("MOM502", "MOM901"))
    return merge([lint_bytes(data, "estate.yaml", options)], options)


if __name__ == "__main__":
    main(sys.argv[1:])
