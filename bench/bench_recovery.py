"""What a failure costs under PCRT, OSPF and RRL, simulated; path lengths, look-ups, and the price of heartbeats.

    python -m bench.bench_recovery [six] [paths] [lookup] [timers] [--seeds 50] [--graphs 5] [--plots FOLDER]

`six`: the documents' runs on six brokers. `paths`: 32 brokers and 64 links, every single failure: hops and the load of
the busiest link, failure-free, with PCRT, and with few and many layers of RRL. `lookup`: a next hop out of the array of
destinations and colours, by its size (Figure 6-9). `timers`: detection and false alarms by heartbeat, fixed and
adaptive.
"""

from __future__ import annotations

import argparse
import time
import timeit
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from statistics import mean, median

import networkx as nx
import numpy as np

from bench.bench_condense import DEGREE, regular_estate
from momlint.access import Access
from momlint.estate.opening import open_bytes
from momlint.estate.simulation_model import CablesEntry, OspfEntry, PcrtEntry, RrlEntry
from momlint.simulation.faults import Element, Incident, read_faults
from momlint.simulation.overlays import NO_HOP, Cable, Colour, Flow, Topology, shortest_hops, topology_of
from momlint.simulation.recovering import PROTOCOLS, RecoveryOutcome, recover
from momlint.simulation.rrl import layers_of

EXAMPLES = Path(__file__).parents[1] / "examples" / "simulation"
BROKERS = 32
FEW, MANY = 3, 10


def six() -> Topology:
    """The example."""
    file = EXAMPLES / "six-brokers.yaml"
    (loaded,) = open_bytes(file.read_bytes(), str(file), Access(None)).estates
    return topology_of(loaded, colours=True)


def known(values: Sequence[float | None]) -> list[float]:
    """Those that are."""
    return [value for value in values if value is not None]


def show_six(seeds: int) -> None:
    """The documents' runs."""
    of = six()
    print("| run | protocol | notices after | all agree after | packets again after | lost | heals: all agree after |")
    print("|---|---|---|---|---|---|---|")
    for name, until in (("paper", 80.0), ("thesis", 150.0)):
        faults, _ = read_faults((EXAMPLES / f"{name}.txt").read_text(encoding="utf-8"), of.elements())
        for protocol in PROTOCOLS:
            runs = [recover(of, protocol, faults, until, seed) for seed in range(seeds)]
            fail, heal = ([run.converged[number] for run in runs] for number in (0, 1))
            cells = [
                median(known([one.detected for one in fail])) - faults[0].at,
                median(known([one.all_agree for one in fail])) - faults[0].at,
                mean(known([one.first_delivery for one in fail])) - faults[0].at,
                mean(sum(run.lost.values()) for run in runs),
                median(known([one.all_agree for one in heal])) - faults[1].at,
            ]
            print(f"| {name} | {protocol} | {' | '.join(f'{one:.2f}' for one in cells)} |")


def regular(seed: int) -> Topology:
    """32 brokers with four links each; a colour for each single failure of a link, with shortest paths."""
    estate = regular_estate(BROKERS, DEGREE, seed)
    cables = tuple(Cable(one.id, (one.tail, one.head), (1.0, 1.0), (0.0, 0.0)) for one in estate.links)
    flows = tuple(Flow("t", a, b, 1000.0, 1.0, 0.0) for a in range(BROKERS) for b in range(BROKERS) if a != b)
    every = (CablesEntry(), PcrtEntry(), OspfEntry(), RrlEntry())
    bare = Topology(tuple(broker.id for broker in estate.brokers), cables, (True,) * BROKERS, flows, (), *every, 1.0)
    downs = [frozenset[int](), *(frozenset({link}) for link in range(len(cables)))]
    return replace(bare, colours=tuple(Colour(str(n), down, shortest_hops(bare, down)) for n, down in enumerate(downs)))


Walk = Callable[[int, int], list[int] | None]


def tally(walk: Walk) -> tuple[Counter[int], Counter[tuple[int, int]]]:
    """Hops of all pairs, and how many paths go over each link, each way."""
    hops: Counter[int] = Counter()
    loads: Counter[tuple[int, int]] = Counter()
    for source in range(BROKERS):
        for dest in range(BROKERS):
            if source != dest:
                path = walk(source, dest)
                assert path is not None, "a pair is cut"
                hops[len(path) - 1] += 1
                loads.update(pairwise(path))
    return hops, loads


def by_tables(of: Topology, colour: int) -> Walk:
    """PCRT: all in one colour."""
    hops = of.colours[colour].hops

    def walk(source: int, dest: int) -> list[int]:
        path = [source]
        while path[-1] != dest:
            path.append(hops[dest][path[-1]])
        return path

    return walk


def by_layers(of: Topology, count: int) -> Callable[[int], Walk]:
    """RRL: in the failed link's or broker's layer from the broker at the dead link on."""
    layers = layers_of(of, count)

    def after(link: int) -> Walk:
        ends = set(of.cables[link].ends)

        def walk(source: int, dest: int) -> list[int] | None:
            path, layer = [source], 0
            while path[-1] != dest:
                here = path[-1]
                hop = layers.hops[layer][dest][here]
                if {here, hop} == ends and layer == 0:
                    layer = layers.link[link] if hop == dest else layers.broker[hop]
                    if not layer:
                        return None
                    hop = layers.hops[layer][dest][here]
                if hop == NO_HOP or {here, hop} == ends:
                    return None
                path.append(hop)
            return path

        return walk

    return after


def show_paths(graphs: int, plots: Path | None) -> None:
    """Histograms of hops, and the busiest link."""
    names = ("failure-free", "PCRT", f"RRL, {FEW} layers", f"RRL, {MANY} layers")
    hops: dict[str, Counter[int]] = {name: Counter() for name in names}
    busiest: dict[str, list[int]] = {name: [] for name in names}
    unserved: Counter[str] = Counter()
    for seed in range(graphs):
        of = regular(seed)
        calm, loads = tally(by_tables(of, 0))
        hops["failure-free"] += calm
        busiest["failure-free"].append(max(loads.values()))
        rrl = {f"RRL, {count} layers": by_layers(of, count) for count in (FEW, MANY)}
        for link in range(len(of.cables)):
            graph = nx.Graph(cable.ends for number, cable in enumerate(of.cables) if number != link)
            shortest = dict(nx.all_pairs_shortest_path_length(graph))
            for name, walk in (("PCRT", by_tables(of, link + 1)), *((name, make(link)) for name, make in rrl.items())):
                load: Counter[tuple[int, int]] = Counter()
                for source in range(BROKERS):
                    for dest in set(range(BROKERS)) - {source}:
                        path = walk(source, dest)
                        if path is None:
                            unserved[name] += 1
                            continue
                        hops[name][len(path) - 1] += 1
                        load.update(pairwise(path))
                        assert name != "PCRT" or len(path) - 1 == shortest[source][dest]
                        assert len(path) - 1 >= shortest[source][dest]
                busiest[name].append(max(load.values()))
    longest = max(max(one) for one in hops.values())
    print("| hops | " + " | ".join(names) + " |")
    print("|---" * (1 + len(names)) + "|")
    for length in range(1, longest + 1):
        cells = (f"{100 * hops[name][length] / hops[name].total():.2f} %" for name in names)
        print(f"| {length} | {' | '.join(cells)} |")
    means = (sum(length * count for length, count in hops[name].items()) / hops[name].total() for name in names)
    print(f"| average | {' | '.join(f'{one:.3f}' for one in means)} |")
    print(f"| paths over the busiest link, at most | {' | '.join(str(max(busiest[name])) for name in names)} |")
    print(f"| not served | {' | '.join(f'{unserved[name]:,}' for name in names)} |")
    if plots is not None:
        from momlint.simulation.plots import plot_hops

        (plots / "path-lengths.svg").write_text(plot_hops(hops), encoding="utf-8")


#: Destinations and colours: of the documents' triangle, six brokers, 32 brokers with 64 links, fifty brokers with 100;
#: then larger ones.
TABLES = ((3, 4), (6, 8), (32, 65), (50, 101), (128, 257), (512, 1025), (2048, 4097))
#: So many look-ups as the documents.
LOOKS = 1_000_000


def look(cells: memoryview, places: Sequence[int]) -> None:
    """A next hop at each of the places."""
    for place in places:
        cells[place]


def look_among(cells: Mapping[int, int], places: Sequence[int]) -> None:
    """The same in a dictionary."""
    for place in places:
        cells[place]


def fastest(action: Callable[[], object], times: int = 15) -> float:
    """Nanoseconds of a look-up, of the process's own time."""
    return 1e9 * min(timeit.repeat(action, number=1, repeat=times, timer=time.process_time)) / LOOKS


def show_lookup() -> None:
    """A next hop out of the array, a million times: nanoseconds, by its size, its dtype and the order of access."""
    print("| destinations | colours | array | numpy, in order | at random | at random in int32 ", end="")
    print("| Python, in order | at random | dictionary |")
    print("|---" * 9 + "|")
    generator = np.random.default_rng(0)
    for dests, colours in TABLES:
        dtype = np.min_scalar_type(-dests)
        cells = generator.integers(0, dests, dests * colours).astype(dtype)
        wide = cells.astype(np.int32)
        random = generator.integers(0, cells.size, LOOKS)
        ordered = np.arange(LOOKS) % cells.size
        out, wide_out = np.empty(LOOKS, dtype), np.empty(LOOKS, np.int32)
        figures = [
            fastest(partial(np.take, cells, ordered, out=out, mode="clip")),
            fastest(partial(np.take, cells, random, out=out, mode="clip")),
            fastest(partial(np.take, wide, random, out=wide_out, mode="clip")),
            fastest(partial(look, memoryview(cells), ordered.tolist()), 5),
            fastest(partial(look, memoryview(cells), random.tolist()), 5),
        ]
        size = f"{cells.nbytes / 1024:,.1f} KiB" if cells.nbytes < 1 << 20 else f"{cells.nbytes / (1 << 20):,.1f} MiB"
        among = {place: int(cells[place]) for place in range(cells.size)} if cells.size < 1_000_000 else None
        last = f"{fastest(partial(look_among, among, random.tolist()), 3):.0f}" if among is not None else "not tried"
        shown = [f"{one:.2f}" for one in figures[:3]] + [f"{one:.0f}" for one in figures[3:]]
        print(f"| {dests:,} | {colours:,} | {size}, {np.dtype(dtype).name} | {' | '.join(shown)} | {last} |")


#: What links carry besides, as a share of what they can, and what they lose.
SCENES = (("idle", 0.0, 0.0), ("95 % full", 0.95, 0.0), ("a fifth lost", 0.0, 0.2))


def show_timers(seeds: int, plots: Path | None) -> None:
    """How soon a dead link is noticed, and how often one that works is taken for dead, by heartbeat and timers."""
    print("| links | heartbeat | share | fixed: noticed after | false alarms | adaptive: noticed after | alarms |")
    print("|---" * 7 + "|")
    curves: dict[str, list[tuple[float, float]]] = {}
    for scene, load, loss in SCENES:
        for heartbeat in (0.25, 0.5, 1.0, 2.0):
            cells = []
            for adaptive in (False, True):
                runs = [tended(heartbeat, load, loss, seed, adaptive=adaptive) for seed in range(seeds)]
                # Only where nobody had taken it for dead before.
                noticed = [one.converged[0].detected for one in runs]
                delay = median(known(noticed)) - 100.0
                alarms = mean(one.false_alarms for one in runs)
                cells += [f"{delay:.2f}", f"{alarms:.2f}"]
                curves.setdefault(f"{scene}, {'adaptive' if adaptive else 'fixed'}", []).append((delay, alarms))
            print(f"| {scene} | {heartbeat:g} | {2 / heartbeat:.0f} % | {' | '.join(cells)} |")
    if plots is not None:
        from momlint.simulation.plots import plot_timers

        (plots / "timers.svg").write_text(plot_timers(curves), encoding="utf-8")


def tended(heartbeat: float, load: float, loss: float, seed: int, *, adaptive: bool) -> RecoveryOutcome:
    """A hundred units, then link 2--3 fails for good: 20 units in which it can be noticed."""
    of = six()
    ways = ((0, 2), (2, 0), (5, 4), (4, 5), (1, 5), (5, 1))
    # A link carries ten packets of 1,000 bits in a unit.
    flows = tuple(Flow("load", a, b, 1000.0, 1 / (10 * load), 0.0) for a, b in ways) if load else ()
    pcrt = PcrtEntry().model_copy(update={"heartbeat": heartbeat, "adaptive": adaptive})
    of = replace(of, flows=flows, pcrt=pcrt, cabling=CablesEntry().model_copy(update={"loss": loss}))
    fail = Incident(100.0, True, Element(True, 1), "2--3", 1)
    return recover(of, "pcrt", [fail], 120.0, seed)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", help="six, paths, lookup, timers; by default all")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--graphs", type=int, default=5)
    parser.add_argument("--plots", type=Path, help="a folder for plots as SVG")
    arguments = parser.parse_args()
    parts = arguments.parts or ["six", "paths", "lookup", "timers"]
    for part in parts:
        print()
        if part == "six":
            show_six(arguments.seeds)
        elif part == "paths":
            show_paths(arguments.graphs, arguments.plots)
        elif part == "lookup":
            show_lookup()
        elif part == "timers":
            show_timers(arguments.seeds, arguments.plots)
        else:
            parser.error(f"there is no part {part}")


if __name__ == "__main__":
    main()
