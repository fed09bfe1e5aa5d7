"""NuSMV models: what rendering costs, what sub-paths save, and NuSMV beside our own engines.

    python -m bench.bench_smv render [--plot FILE]   the work of Table 5-8: models for 6 to 384 brokers
    python -m bench.bench_smv topics                the work of Table 5-5: 10 to 10,000 topics on the fifty brokers
    python -m bench.bench_smv engines [--quick]     NuSMV, smt and graph on the same estates, whole processes

`engines` needs NuSMV (MOMLINT_NUSMV or PATH). Each question is whether every message of some topics, five subscribers
each, or between all pairs of brokers arrives in all colours: nothing failed, and each single link. A process is
measured as the system counts it, with Python's start, all imports and, for NuSMV, rendering and its own process.
Tables are shortest paths by networkx.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import pickle
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from momlint.routed.overlay import build_overlay, super_paths
from momlint.routed.overlay.form import Overlay
from momlint.routed.specs import Names, names_of

ROOT = Path(__file__).resolve().parent.parent
#: (brokers, milliseconds) in Table 5-8 of the thesis.
TABLE_5_8 = ((6, 85), (12, 379), (24, 729), (48, 1_069), (96, 9_336), (192, 144_605), (384, 2_591_069))
#: Topics, pairs left, and milliseconds with and without sub-path detection, in Table 5-5.
TABLE_5_5 = (
    (10, 30, 2, 7), (50, 120, 3, 27), (100, 200, 7, 67), (500, 468, 15, 183), (1_000, 550, 18, 318),
    (5_000, 570, 21, 7_942), (10_000, 588, 37, 58_627),
)  # fmt: skip
SUBSCRIBERS = 5


def numbered(overlay: Overlay) -> Names:
    """Brokers 1 … n and colours 1 … C."""
    colours = tuple(str(i + 1) for i in range(overlay.colours)) if overlay.colours > 1 else ()
    return Names(tuple(str(i + 1) for i in range(overlay.n)), colours)


def topic_pairs(n: int, topics: int, seed: int) -> list[tuple[int, int]]:
    """(source, destination) of every topic and subscriber, with repeats: one publisher, five subscribers."""
    chance = random.Random(seed)
    found = []
    for _ in range(topics):
        source, *dests = chance.sample(range(n), min(n, SUBSCRIBERS + 1))
        found += [(source, dest) for dest in dests]
    return found


def with_pairs(overlay: Overlay, pairs: Sequence[tuple[int, int]]) -> Overlay:
    """The same overlay, needed for these."""
    wanted = sorted(set(pairs))
    return dataclasses.replace(
        overlay,
        pair_source=np.array([s for s, _ in wanted], np.int32),
        pair_dest=np.array([d for _, d in wanted], np.int32),
    )


def render(plot: str | None) -> None:
    """Table 5-8: from links to the text of the model, with a specification for each super-path and for loops."""
    from bench.bench_smt import next_hops, random_graph
    from bench.chart import Line, line_chart
    from momlint.routed.smv import render_overlay

    def one(n: int, seed: int, *, all_pairs: bool) -> tuple[float, int]:
        graph = random_graph(n, 2 * n if n > 6 else 8, seed)
        hops = next_hops(graph, n)
        edges = sorted(tuple(sorted(edge)) for edge in graph.edges)
        arcs = sorted((a, b, i) for i, edge in enumerate(edges) for a, b in (edge, edge[::-1]))
        tail, head, link = (np.array(column, np.int32) for column in zip(*arcs, strict=True))
        begin = time.perf_counter()
        # What the thesis counts: the tables are there, and the text is made from them.
        overlay = with_pairs(
            Overlay(
                n, tail, head, np.ones(len(arcs)), np.ones(len(arcs)), link, len(edges), hops, np.full_like(hops, -1),
                np.zeros(0, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int32),
                np.zeros((1, len(edges)), bool), np.zeros((1, n), bool), np.zeros(0, np.int32), np.zeros(0, np.int32),
            ),
            [(s, d) for s in range(n) for d in range(n) if s != d],
        )  # fmt: skip
        text = render_overlay(overlay, numbered(overlay), all_pairs=all_pairs)
        return (time.perf_counter() - begin) * 1000, len(text)

    one(6, 0, all_pairs=False)  # imports and the template are not what is measured
    print("| brokers | thesis, ms | super-paths, ms | kB | all pairs, ms | kB | ratio |")
    print("|---:|---:|---:|---:|---:|---:|---:|")
    ours, theirs = [], []
    for n, then in TABLE_5_8:
        short = [one(n, seed, all_pairs=False) for seed in range(3)]
        full = [one(n, seed, all_pairs=True) for seed in range(3)]
        a, b = (statistics.median(ms for ms, _ in runs) for runs in (short, full))
        print(f"| {n} | {then:,} | {a:.0f} | {short[0][1] / 1000:,.0f} | {b:.0f} | {full[0][1] / 1000:,.0f} "
              f"| {then / b:,.0f} |", flush=True)  # fmt: skip
        ours.append((float(n), b))
        theirs.append((float(n), float(then)))
    if plot is not None:
        lines = [Line("thesis, Table 5-8", theirs), Line("momlint, all pairs", ours)]
        chart = line_chart("Rendering a NuSMV model", "brokers", "milliseconds", lines, log=True)
        Path(plot).write_text(chart, encoding="utf-8")


def marked(overlay: Overlay, pairs: Sequence[tuple[int, int]]) -> int:
    """The pairs left by the papers' own algorithm: for each proved path, matrix F is marked for all pairs of brokers on
    it, in both directions. Destinations in order, topics as they come."""
    done: set[tuple[int, int]] = set()
    left = 0
    for source, dest in sorted(pairs, key=lambda pair: pair[1]):
        if (source, dest) in done:
            continue
        left += 1
        path = [source]
        while path[-1] != dest:
            path.append(int(overlay.base[dest, path[-1]]))
        for i, a in enumerate(path):
            for b in path[i + 1 :]:
                done |= {(a, b), (b, a)}
    return left


def topics() -> None:
    """Table 5-5 on examples/fifty-brokers: the pairs left, and the time for the text with and without."""
    from momlint.estate import load_source
    from momlint.routed.smv import render_overlay
    from momlint.source import read_source

    path = ROOT / "examples" / "fifty-brokers" / "topology.yaml"
    (loaded,) = load_source(read_source(path.read_bytes(), str(path)))
    assert loaded.estate is not None
    whole, names = build_overlay(loaded.estate), names_of(loaded.estate)
    print("| topics | pairs with repeats | distinct | left, thesis | left by its algorithm | super-paths | with, ms "
          "| all distinct, ms | thesis with, ms | without, ms |")  # fmt: skip
    print("|---:" * 10 + "|")
    render_overlay(whole, names)
    for count, left, with_ms, without_ms in TABLE_5_5:
        rows = []
        for seed in range(10):
            pairs = topic_pairs(whole.n, count, seed)
            overlay = with_pairs(whole, pairs)
            times = []
            for everything in (False, True):
                begin = time.perf_counter()
                render_overlay(overlay, names, all_pairs=everything, loops=False)
                times.append((time.perf_counter() - begin) * 1000)
            rows.append((overlay.pair_source.size, marked(overlay, pairs), int(super_paths(overlay).sum()), *times))
        distinct, by_marks, kept, a, b = (statistics.mean(column) for column in zip(*rows, strict=True))
        cells = [f"{count:,}", f"{count * SUBSCRIBERS:,}", f"{distinct:.0f}", left, f"{by_marks:.0f}", f"{kept:.0f}"]
        cells += [f"{a:.0f}", f"{b:.0f}", f"{with_ms:,}", f"{without_ms:,}"]
        print(f"| {' | '.join(map(str, cells))} |", flush=True)


def child(engine: str, file: str) -> None:
    """What one measured process does: the question from `file`, decided; prints the verdict."""
    from momlint.routed.questions.question import Engine, Question

    with open(file, "rb") as stream:
        overlay: Overlay = pickle.load(stream)
    if engine == "nusmv, a specification a pair":
        from momlint.routed.smv import find_nusmv, render_overlay, run

        answers = run(
            find_nusmv(), render_overlay(overlay, numbered(overlay), all_pairs=True, loops=False), traces=False
        )
        print("Proved" if all(answer.holds for answer in answers) else "Refuted")
        return
    if engine == "nusmv, the papers' shape":
        from momlint.routed.smv import find_nusmv, render_overlay, run

        text = render_overlay(overlay, numbered(overlay), all_pairs=True, loops=False, literal=True)
        print("Proved" if all(answer.holds for answer in run(find_nusmv(), text, traces=False)) else "Refuted")
        return
    chosen: Engine
    if engine == "nusmv":
        from momlint.routed.smv import SmvEngine

        chosen = SmvEngine()
    elif engine == "smt":
        from momlint.routed.smt import SmtEngine

        chosen = SmtEngine()
    else:
        from momlint.routed.graph import GraphEngine

        chosen = GraphEngine()
    colours = np.arange(overlay.colours, dtype=np.int32)
    print(type(chosen.decide(overlay, Question("arrive", overlay.pair_source, overlay.pair_dest, colours))).__name__)


def measured(engine: str, file: str, limit: float) -> tuple[float, float] | None:
    """(processor seconds, MB at the most) of a process and its children; None where it takes longer than `limit`.

    The question must come out proved: the tables are sound."""
    import signal
    import subprocess

    process = subprocess.Popen(
        [sys.executable, "-m", "bench.bench_smv", "child", engine, file],
        cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    signal.signal(signal.SIGALRM, lambda *_: os.killpg(process.pid, signal.SIGKILL))
    signal.setitimer(signal.ITIMER_REAL, limit)
    assert process.stdout is not None
    said = process.stdout.read().strip()
    _, status, usage = os.wait4(process.pid, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode == -signal.SIGKILL:
        return None
    if said != "Proved":
        raise SystemExit(f"{engine}: {said or 'no verdict'}")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def engines(*, quick: bool) -> None:
    """Side by side: the same estates, whole processes."""
    from bench.bench_smt import random_graph, single_link

    def cell(found: tuple[float, float] | None, limit: float) -> str:
        return f"over {limit:.0f} | " if found is None else f"{found[0]:.2f} | {found[1]:.0f}"

    names = ("graph", "smt", "nusmv", "nusmv, a specification a pair", "nusmv, the papers' shape")
    print("| brokers | links | colours | topics | pairs | " + " | ".join(f"{name}, s | MB" for name in names)
          + " | nusmv / smt | nusmv / graph | (smt - graph) / nusmv |")  # fmt: skip
    print("|---:" * (5 + 2 * len(names) + 3) + "|")
    for n, links in ((24, 40), (50, 75), (96, 144)):
        healthy = single_link(random_graph(n, links, n), n)
        every = [(a, b) for a in range(n) for b in range(n) if a != b]
        for count in (10, 100, 1_000, 0):
            overlay = with_pairs(healthy, topic_pairs(n, count, 1) if count else every)
            with tempfile.NamedTemporaryFile(suffix=".pickle") as stream:
                pickle.dump(overlay, stream)
                stream.flush()
                cells, seconds = [], {}
                for name in names:
                    # The papers' shape grows beyond all patience; where it stands is seen with 24 brokers.
                    limit = 60.0 if name.startswith("nusmv, ") else 300.0
                    if name == "nusmv, the papers' shape" and (n > 24 or quick):
                        cells.append("| ")
                        continue
                    found = measured(name, stream.name, limit)
                    seconds[name] = found[0] if found else float("inf")
                    cells.append(cell(found, limit))
            print(
                f"| {n} | {links} | {overlay.colours} | {f'{count:,}' if count else 'all pairs'} "
                f"| {overlay.pair_source.size:,} | {' | '.join(cells)} "
                f"| {seconds['nusmv'] / seconds['smt']:.1f} | {seconds['nusmv'] / seconds['graph']:.1f} "
                f"| {(seconds['smt'] - seconds['graph']) / seconds['nusmv']:.2f} |",
                flush=True,
            )


def main() -> None:
    """Run what the command line asks for."""
    if sys.argv[1:2] == ["child"]:
        child(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("table", choices=("render", "topics", "engines"))
    parser.add_argument("--plot", help="render: the plot, to this file")
    parser.add_argument("--quick", action="store_true", help="engines: leave the papers' shape out")
    chosen = parser.parse_args()
    if chosen.table == "render":
        render(chosen.plot)
    elif chosen.table == "topics":
        topics()
    else:
        engines(quick=chosen.quick)


if __name__ == "__main__":
    main()
