"""What the solver engine costs: healthy tables for every single link, damaged tables, one colour.

    python -m bench.bench_smt [--quick]

Prints one row a case: processor seconds (import of z3 and jinja2 apart), what `expected_seconds` says, and
the verdict. Tables are shortest paths by networkx, made here, so that nothing of momlint is measured but
the engine.
"""

from __future__ import annotations

import argparse
import random
import time

import networkx as nx
import numpy as np

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
    arcs = sorted((a, b, i) for i, edge in enumerate(edges) for a, b in (edge, edge[::-1]))
    base = next_hops(graph, n)
    keys, hops = [], []
    for index, edge in enumerate(edges):
        rest = graph.copy()
        rest.remove_edge(*edge)
        healed = next_hops(rest, n)
        dest, loc = np.nonzero(healed != base)
        keys.append(((index + 1) * n + dest) * n + loc)
        hops.append(healed[dest, loc])
    tail, head, link = (np.array(column, dtype=np.int32) for column in zip(*arcs, strict=True))
    key = np.concatenate(keys).astype(np.int64)
    failed = np.zeros((len(edges) + 1, len(edges)), dtype=bool)
    failed[1:] = np.eye(len(edges), dtype=bool)
    none = np.zeros(0, dtype=np.int32)
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
        delta_next=np.concatenate(hops).astype(np.int32),
        delta_row=np.full(len(key), NO_ROW, dtype=np.int32),
        failed_link=failed,
        failed_broker=np.zeros((len(edges) + 1, n), dtype=bool),
        pair_source=none,
        pair_dest=none,
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


def main() -> None:
    """Run and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="leave the cases over a second out")
    quick = parser.parse_args().quick
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
