"""What the solver engine costs: healthy tables for every single link, damaged tables, one colour.

    python -m bench.bench_smt [--quick]
    python -m bench.bench_smt --growth [--quick]

Prints one row a case: processor seconds (import of z3 and jinja2 apart), what `expected_seconds` says, and
the verdict. Tables are shortest paths by networkx, made here, so that nothing of momlint is measured but
the engine.

With `--growth`, how smt grows beside graph: all pairs in all colours with three tenths of the base damaged, and what
each single failure cuts in random trees, where every link is a bridge. Medians of three; "growth" is from the smallest
size on, and the goal for its ratio is 10 at most.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence

import networkx as nx
import numpy as np

from momlint.routed.graph import GraphEngine
from momlint.routed.overlay.elements import Elements
from momlint.routed.overlay.form import NO_HOP, NO_ROW, Overlay
from momlint.routed.questions.question import Kind, Question, Refuted
from momlint.routed.smt import SmtEngine, expected_seconds


def random_graph(n: int, links: int, seed: int) -> nx.Graph:
    """A ring through all brokers in random order and random chords: no link is a bridge."""
    chance = random.Random(seed)
    ring = list(range(n))
    chance.shuffle(ring)
    graph = nx.Graph(zip(ring, ring[1:] + ring[:1], strict=True))
    while graph.number_of_edges() < links:
        graph.add_edge(*chance.sample(range(n), 2))
    return graph


def next_hops(graph: nx.Graph, n: int) -> np.ndarray:
    """``[dest, loc]``: the smallest neighbour on a shortest path."""
    table = np.full((n, n), NO_HOP, dtype=np.int32)
    for dest in range(n):
        far = nx.single_source_shortest_path_length(graph, dest)
        for loc in far:
            if loc != dest:
                table[dest, loc] = min(v for v in graph[loc] if far[v] == far[loc] - 1)
    return table


def single_link(graph: nx.Graph, n: int) -> Overlay:
    """Colour 0 without failure and one a link, healed onto the shortest paths."""
    edges = sorted(tuple(sorted(edge)) for edge in graph.edges)
    base = next_hops(graph, n)
    keys, hops = [], []
    for index, edge in enumerate(edges):
        rest = graph.copy()
        rest.remove_edge(*edge)
        healed = next_hops(rest, n)
        dest, loc = np.nonzero(healed != base)
        keys.append(((index + 1) * n + dest) * n + loc)
        hops.append(healed[dest, loc])
    key = np.concatenate(keys).astype(np.int64)
    failed = np.zeros((len(edges) + 1, len(edges)), dtype=bool)
    failed[1:] = np.eye(len(edges), dtype=bool)
    return _overlay(base, edges, failed, deltas=(key, np.concatenate(hops).astype(np.int32)))


def _overlay(
    base: np.ndarray,
    edges: Sequence[tuple[int, int]],
    failed_link: np.ndarray,
    *,
    deltas: tuple[np.ndarray, np.ndarray] = (np.zeros(0, np.int64), np.zeros(0, np.int32)),
    pairs: Sequence[tuple[int, int]] = (),
) -> Overlay:
    """Links that cost one each way, no given rows. `deltas`: keys and next hops; `pairs`: (source, destination)."""
    n = base.shape[0]
    arcs = sorted((a, b, i) for i, edge in enumerate(edges) for a, b in (edge, edge[::-1]))
    tail, head, link = (np.array(column, dtype=np.int32) for column in zip(*arcs, strict=True))
    key, hop = deltas
    return Overlay(
        n=n,
        arc_tail=tail,
        arc_head=head,
        arc_cost=np.ones(len(arcs)),
        arc_latency=np.ones(len(arcs)),
        arc_link=link,
        links=len(edges),
        base=base,
        base_row=np.full_like(base, NO_ROW),
        delta_key=key,
        delta_next=hop,
        delta_row=np.full(len(key), NO_ROW, dtype=np.int32),
        failed_link=failed_link,
        failed_broker=np.zeros((len(failed_link), n), dtype=bool),
        pair_source=np.array([source for source, _ in pairs], dtype=np.int32),
        pair_dest=np.array([dest for _, dest in pairs], dtype=np.int32),
    )


def damaged(overlay: Overlay, share: float, seed: int) -> Overlay:
    """The same with `share` of the base entries sent to a random broker."""
    chance = np.random.default_rng(seed)
    base = overlay.base.copy()
    hit = chance.random(base.shape) < share
    base[hit] = chance.integers(0, overlay.n, int(hit.sum()))
    fields = {name: getattr(overlay, name) for name in Overlay.__slots__}
    return Overlay(**{**fields, "base": base})


def all_pairs(overlay: Overlay, kind: Kind, colours: int, bound: int | None = None) -> Question:
    """Every ordered pair in the first `colours` colours."""
    source, dest = np.nonzero(~np.eye(overlay.n, dtype=bool))
    asked = np.arange(colours, dtype=np.int32)
    return Question(kind, source.astype(np.int32), dest.astype(np.int32), asked, bound)


def tree(n: int, seed: int) -> Overlay:
    """A random tree in which each of n / 5 brokers sends to five others; nothing fails."""
    chance = random.Random(seed)
    edges = [(chance.randrange(i), i) for i in range(1, n)]
    drawn = [chance.sample(range(n), 6) for _ in range(n // 5)]
    pairs = sorted({(source, dest) for source, *dests in drawn for dest in dests})
    hops = np.full((n, n), NO_HOP, dtype=np.int32)  # no question about cuts reads them
    return _overlay(hops, edges, np.zeros((1, len(edges)), dtype=bool), pairs=pairs)


def growth(*, quick: bool) -> None:
    """Both engines on the same questions, larger and larger."""

    def damage() -> Iterator[tuple[int, Callable[[GraphEngine | SmtEngine], list[object]]]]:
        for n in (24, 48, 96) if quick else (24, 48, 96, 192):
            case = damaged(single_link(random_graph(n, n * 3 // 2, n), n), 0.3, n)
            asked = all_pairs(case, "arrive", case.colours)

            def decide(engine: GraphEngine | SmtEngine, case: Overlay = case, asked: Question = asked) -> list[object]:
                verdict = engine.decide(case, asked)
                assert isinstance(verdict, Refuted)
                return verdict.failing.tolist()

            yield n, decide

    def trees() -> Iterator[tuple[int, Callable[[GraphEngine | SmtEngine], list[object]]]]:
        for n in (125, 250, 500) if quick else (250, 500, 1000, 2000):
            case = tree(n, n)
            elements = Elements(case.links, n)

            def survey(
                engine: GraphEngine | SmtEngine, case: Overlay = case, elements: Elements = elements
            ) -> list[object]:
                found = engine.survey(case, elements, range(len(elements)))
                assert isinstance(found, tuple), found
                return list(found)

            yield n, survey

    small = single_link(random_graph(6, 8, 6), 6)
    SmtEngine().decide(small, all_pairs(small, "arrive", 9))  # so that importing z3 and jinja2 is in no figure
    print(
        f"{'question':32}{'brokers':>8}{'fail':>10}{'graph ms':>10}{'smt ms':>10}{'smt/graph':>11}"
        f"{'growth of each':>16}{'ratio':>8}"
    )
    for name, cases in (("arrive, 30 % damaged", damage()), ("what single failures cut, tree", trees())):
        first: tuple[float, float] | None = None
        for n, ask in cases:
            answers, seconds = [], []
            for engine in (GraphEngine(), SmtEngine(rlimit=2**32 - 1)):
                spent = []
                for _ in range(3):
                    begin = time.process_time()
                    answer = ask(engine)
                    spent.append(time.process_time() - begin)
                    if spent[0] > 10:
                        break
                answers.append(answer)
                seconds.append(statistics.median(spent))
            assert answers[0] == answers[1]
            graph, smt = seconds
            first = first or (graph, smt)
            grown = graph / first[0], smt / first[1]
            times = f"{grown[0]:.1f}, {grown[1]:.1f}"
            print(
                f"{name:32}{n:8}{len(answers[0]):10}{graph * 1e3:10.1f}{smt * 1e3:10.1f}{smt / graph:11.1f}"
                f"{times:>16}{grown[1] / grown[0]:8.2f}",
                flush=True,
            )


def main() -> None:
    """Run and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave what takes over a second out")
    parser.add_argument("--growth", action="store_true", help="how smt grows beside graph, in place of the table")
    chosen = parser.parse_args()
    quick = chosen.quick
    if chosen.growth:
        growth(quick=quick)
        return
    begin = time.process_time()
    import jinja2  # noqa: F401
    import z3  # noqa: F401

    print(f"import of z3 and jinja2: {time.process_time() - begin:.2f} s")
    print(f"{'case':56}{'deltas':>8}{'seconds':>9}{'expected':>9}{'failing':>9}")
    for n, links in ((6, 8), (16, 24), (32, 64), (50, 75), (96, 144), (96, 192)):
        overlay = single_link(random_graph(n, links, n), n)
        full = overlay.colours
        cases: list[tuple[str, Overlay, Question]] = [
            ("arrive, one colour", overlay, all_pairs(overlay, "arrive", 1)),
            ("arrive, single link", overlay, all_pairs(overlay, "arrive", full)),
            ("arrive within 6, one colour", overlay, all_pairs(overlay, "arrive-within", 1, 6)),
            ("arrive within 6, single link", overlay, all_pairs(overlay, "arrive-within", full, 6)),
            ("connected, single link", overlay, all_pairs(overlay, "connected", full)),
        ]
        for share in (0.01, 0.3):
            bad = damaged(overlay, share, n)
            cases.append((f"arrive, single link, {share:.0%} damaged", bad, all_pairs(bad, "arrive", full)))
        for name, case, question in cases:
            expected = expected_seconds(case, question)
            if quick and expected > 1:
                continue
            begin = time.process_time()
            verdict = SmtEngine().decide(case, question)
            spent = time.process_time() - begin
            failing = len(verdict.failing) if isinstance(verdict, Refuted) else 0
            deltas = len(case.delta_key) if len(question.colours) > 1 else 0
            label = f"{n} brokers, {links} links: {name}"
            print(f"{label:56}{deltas:8}{spent:9.3f}{expected:9.3f}{failing:9}", flush=True)


if __name__ == "__main__":
    main()
