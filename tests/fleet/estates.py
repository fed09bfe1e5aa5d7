"""Estates for the fleet: folders of many small ones, some of them wrong, and one large one. Made from a seed."""

from __future__ import annotations

import random
from collections import deque
from pathlib import Path

#: Ten ways in which a file is broken before anything of its overlay can be judged, each a change of its text.
BREAKAGES = (
    ("invalid YAML", lambda text: text.replace("links:", "links: [", 1)),
    ("a key twice", lambda text: text.replace("links:", "name: again\nlinks:", 1)),
    ("an unknown broker", lambda text: text.replace("publishers: [b", "publishers: [cb", 1)),
    ("a template", lambda text: text.replace("name: ", "name: {{ name }}  # ", 1)),
    ("an unknown field", lambda text: text.replace("links:", "linkss:", 1)),
    ("no version", lambda text: text.replace("momlint: 1\n", "# momlint\n", 1)),
    ("a negative cost", lambda text: text.replace("cost: ", "cost: -", 1)),
    ("a self-link", lambda text: text.replace("links:\n", "links:\n  - {between: [b0, b0]}\n", 1)),
    ("nothing in it", lambda text: "# momlint: soon\n"),
    (
        "a link twice",
        lambda text: text.replace("links:\n", "links:\n  - {between: [b0, b1]}\n  - {between: [b1, b0]}\n", 1),
    ),
)

#: Five kinds of faults of an overlay.
FAULTS = ("misrouted", "row missing", "no neighbour", "budget", "cut off")


def write_many(
    folder: Path,
    count: int,
    *,
    seed: int = 1,
    brokers: tuple[int, int] = (6, 24),
    broken_every: int = 100,
    fault_every: int = 20,
) -> list[str]:
    """Write `count` estates into `folder`, some of them broken and some with a fault, by turns; their paths.

    By default one in a hundred is broken, and five in a hundred have a fault.
    """
    rng = random.Random(seed)
    paths = []
    for index in range(count):
        fault = FAULTS[index // fault_every % len(FAULTS)] if index % fault_every == 7 % fault_every else None
        text = small_estate(rng, f"estate-{index}", rng.randint(*brokers), fault)
        if index % broken_every == broken_every // 2:
            text = BREAKAGES[index // broken_every % len(BREAKAGES)][1](text)
        path = folder / f"{index // 1000:02d}" / f"{index:05d}.mom.yaml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        paths.append(str(path))
    return paths


def small_estate(rng: random.Random, name: str, n: int, fault: str | None) -> str:
    """An estate of `n` brokers with tables of shortest paths by hops, and one fault if any is named."""
    ends = {(rng.randrange(i), i) for i in range(1, n)}
    while len(ends) < n + n // 3:
        a, b = sorted(rng.sample(range(n), 2))
        ends.add((a, b))
    topics = [(rng.randrange(n), sorted(rng.sample(range(n), rng.randint(1, min(3, n))))) for _ in range(n // 2)]
    tables = _tables(n, ends)
    budget = 500
    source, dest = topics[0][0], next(d for d in topics[0][1] + [*range(n)] if d != topics[0][0])
    topics[0] = (source, [dest])
    if fault == "misrouted":
        hop = tables[source][dest]
        tables[hop][dest] = source
        if hop == dest:
            tables[source][dest] = next((v for v in _near(ends, source) if v != dest), dest)
    elif fault == "row missing":
        del tables[source][dest]
    elif fault == "no neighbour":
        tables[source][dest] = next(v for v in range(n) if v != source and v not in _near(ends, source))
    elif fault == "budget":
        budget = 0
    elif fault == "cut off":
        ends = {end for end in ends if dest not in end}
    lines = ["momlint: 1", f"name: {name}", "brokers:"]
    lines += [f"  b{i}: {{site: s{i % 3}, processing_ms: {rng.randint(0, 3)}}}" for i in range(n)]
    lines.append("links:")
    lines += [f"  - {{between: [b{a}, b{b}], cost: 1, latency_ms: {rng.randint(1, 9)}}}" for a, b in sorted(ends)]
    lines.append("topics:")
    for index, (publisher, subscribers) in enumerate(topics):
        within = f", max_latency_ms: {budget}" if index == 0 else ""
        lines.append(f"  t{index}: {{publishers: [b{publisher}], subscribers: [{_list(subscribers)}]{within}}}")
    lines += ["routing:", "  protocol: tables", "  tables:"]
    for at in range(n):
        by_hop: dict[int, list[int]] = {}
        for to, hop in sorted(tables[at].items()):
            by_hop.setdefault(hop, []).append(to)
        lines.append(f"    b{at}:")
        lines += [f"      b{hop}: [{_list(to)}]" for hop, to in sorted(by_hop.items())]
    return "\n".join(lines) + "\n"


def large_estate(rows: int, columns: int, topics: int, *, seed: int = 5, damaged: int = 0) -> str:
    """A torus of rows × columns brokers, a colour for each single link and one for none, and so many topics.

    With `damaged`, so many static rows send messages back to where they come from, and some budgets are too small.
    """
    rng = random.Random(seed)
    n = rows * columns
    names = [f"b{i:03d}" for i in range(n)]
    lines = ["momlint: 1", "name: torus", "brokers:"]
    lines += [f"  {name}: {{processing_ms: {rng.randint(0, 3)}, site: s{i % 8}}}" for i, name in enumerate(names)]
    links = [
        (r * columns + c, other)
        for r in range(rows)
        for c in range(columns)
        for other in (r * columns + (c + 1) % columns, (r + 1) % rows * columns + c)
    ]
    lines.append("links:")
    lines += [
        f"  - {{between: [{names[a]}, {names[b]}], cost: {rng.randint(1, 9)}, latency_ms: {rng.randint(1, 9)}}}"
        for a, b in links
    ]
    if topics:
        lines.append("topics:")
    for index in range(topics):
        budget = ""
        if index % 10 == 0:
            # Nothing takes less than 1 ms a link, and hardly anything as long as 900.
            budget = f", max_latency_ms: {5 if damaged and index % 1000 == 0 else 900}"
        subscribers = ", ".join(rng.sample(names, rng.randint(1, min(4, n))))
        lines.append(f"  t{index:06d}: {{publishers: [{rng.choice(names)}], subscribers: [{subscribers}]{budget}}}")
    lines += ["routing:", "  protocol: shortest-path"]
    if damaged:
        lines.append("  tables:")
        for at in rng.sample(range(n), damaged):
            near = [b if a == at else a for a, b in links if at in (a, b)]
            via = rng.choice(near)
            dests = [name for i, name in enumerate(names) if i not in {at, via}]
            lines.append(f"    {names[at]}: {{{names[via]}: [{', '.join(rng.sample(dests, min(3, len(dests))))}]}}")
    lines += ["failures:", "  tolerate: single-link", "  colours:", "    0: []"]
    lines += [f"    {index}: [{names[a]}--{names[b]}]" for index, (a, b) in enumerate(links, 1)]
    return "\n".join(lines) + "\n"


def planned(folder: Path, target: float) -> str:
    """An estate with its plan in `folder`, in files of `target` seconds each, one row of which leads back.

    ``FILE`` stands where the estate names the plan, which is ``plan.parquet``.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from momlint.estate import load_source
    from momlint.fleet import Serial
    from momlint.fleet.planning import plan_into
    from momlint.routed.recovery.write import failures_yaml
    from momlint.source import read_source

    text = large_estate(3, 4, 40)
    (loaded,) = load_source(read_source(text.encode(), "torus.mom.yaml"))
    assert loaded.estate is not None
    plan = plan_into(loaded.estate, str(folder / "plan.parquet"), Serial(), target=target)
    part = max((folder / "plan.parquet").glob("*.parquet"))
    rows = pq.read_table(part).to_pylist()
    back, wrong = next(
        (one, other) for one in rows for other in rows if one["to"] == other["to"] and other["broker"] == one["via"]
    )
    wrong["via"] = back["broker"]
    pq.write_table(pa.Table.from_pylist(rows, pq.read_schema(part)), part)
    return text[: text.index("failures:")] + "".join(failures_yaml(loaded.estate, plan, None, "FILE"))


def _tables(n: int, ends: set[tuple[int, int]]) -> list[dict[int, int]]:
    """For each broker, destination → next hop, by breadth-first search from each destination."""
    tables: list[dict[int, int]] = [{} for _ in range(n)]
    near = {at: _near(ends, at) for at in range(n)}
    for dest in range(n):
        seen, waiting = {dest}, deque([dest])
        while waiting:
            at = waiting.popleft()
            for other in near[at]:
                if other not in seen:
                    seen.add(other)
                    tables[other][dest] = at
                    waiting.append(other)
    return tables


def _near(ends: set[tuple[int, int]], at: int) -> list[int]:
    return sorted({b if a == at else a for a, b in ends if at in (a, b)})


def _list(brokers: list[int]) -> str:
    return ", ".join(f"b{i}" for i in brokers)
