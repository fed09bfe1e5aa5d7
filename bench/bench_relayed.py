"""How long relayed overlays take: many edges with many topic lines around few hubs, and federated exchanges.

python -m bench.bench_relayed [--edges 500] [--exchanges 200] [--rounds 3]
"""

from __future__ import annotations

import argparse
import json
import statistics
import time

from momlint.access import Access
from momlint.discipline import Request
from momlint.disciplines import disciplines_of
from momlint.estate.opening import open_bytes, open_natives
from momlint.native.reading import Named

HUBS, LINES, CLUSTERS = 5, 20, 20


def edges(count: int) -> str:
    """Edges with 20 topic lines each: ten up under the edge's own name, ten down without it. Hubs hang on the first."""
    lines = ["momlint: 1", "brokers:", *(f"  h{i}:" for i in range(HUBS)), *(f"  e{i}:" for i in range(count))]
    lines += ["routing: {protocol: relay, syntax: mqtt, guard: {split_horizon: connection}}", "links:"]
    lines += [f"  - {{between: [h0, h{i}], connection: hub{i}}}" for i in range(1, HUBS)]
    for i in range(count):
        up = ", ".join(f'{{filter: "s{j}/+/t", add: "site{i}/"}}' for j in range(LINES // 2))
        down = ", ".join(f'{{filter: "cmd/e{i}/c{j}/#", strip: "cmd/e{i}/"}}' for j in range(LINES // 2))
        hub = f"h{i % HUBS}"
        lines.append(f"  - {{from: e{i}, to: {hub}, connection: k{i}, topics: [{up}]}}")
        lines.append(f"  - {{from: {hub}, to: e{i}, connection: k{i}, topics: [{down}]}}")
    return "\n".join(lines) + "\n"


def federation(exchanges: int) -> str:
    """Exchanges federated over a chain of clusters; an exchange is the first word of a routing key."""
    lines = ["momlint: 1", "brokers:", *(f"  c{i}:" for i in range(CLUSTERS))]
    lines += [f"routing: {{protocol: relay, syntax: amqp, guard: {{visited: broker, hops: {CLUSTERS - 1}}}}}", "links:"]
    topics = ", ".join(f'{{filter: "x{j}.#"}}' for j in range(exchanges))
    for i in range(1, CLUSTERS):
        lines.append(f"  - {{from: c{i - 1}, to: c{i}, topics: [{topics}]}}")
        lines.append(f"  - {{from: c{i}, to: c{i - 1}, topics: [{topics}]}}")
    return "\n".join(lines) + "\n"


def definitions(exchanges: int, *, mesh: bool) -> list[Named]:
    """The same as RabbitMQ's own files, a queue bound to each exchange; `mesh`: all with all, one hop."""
    files = []
    for i in range(CLUSTERS):
        others = [j for j in range(CLUSTERS) if (j != i if mesh else abs(i - j) == 1)]
        hops = 1 if mesh else CLUSTERS - 1
        value = {
            "rabbitmq_version": "3.13.7",
            "vhosts": [{"name": "/"}],
            "global_parameters": [{"name": "cluster_name", "value": f"c{i}"}],
            "exchanges": [
                {"name": f"x{j}", "vhost": "/", "type": "topic", "internal": False} for j in range(exchanges)
            ],
            "queues": [{"name": f"q{j}", "vhost": "/", "arguments": {}} for j in range(exchanges)],
            "bindings": [
                {
                    "source": f"x{j}",
                    "vhost": "/",
                    "destination": f"q{j}",
                    "destination_type": "queue",
                    "routing_key": "site.#",
                }
                for j in range(exchanges)
            ],
            "parameters": [
                {
                    "component": "federation-upstream",
                    "vhost": "/",
                    "name": f"c{j}",
                    "value": {"uri": f"amqp://c{j}.example", "max-hops": hops},
                }
                for j in others
            ],
            "policies": [
                {
                    "vhost": "/",
                    "name": "all",
                    "pattern": "^x",
                    "apply-to": "exchanges",
                    "definition": {"federation-upstream-set": "all"},
                    "priority": 1,
                }
            ],
        }
        files.append(Named(f"c{i}.json", "rabbitmq", json.dumps(value, indent=1).encode()))
    return files


def unit() -> float:
    """Processor seconds of a fixed piece of work here and now, to compare with."""
    begun, total = time.process_time(), 0
    for number in range(10_000_000):
        total += number
    return time.process_time() - begun


def measure(estate: str | list[Named]) -> tuple[float, float, str]:
    """Read and judge an estate: processor seconds of either, and what was found."""
    begun = time.process_time()
    if isinstance(estate, str):
        (loaded,) = open_bytes(estate.encode(), "estate.yaml", Access.of("estate.yaml")).estates
    else:
        (loaded,) = open_natives(estate, Access.of).estates
    read = time.process_time()
    (discipline,) = disciplines_of(loaded)
    judgement = discipline.judge(loaded, Request(lambda code: True, timeout=600))
    codes = sorted({draft.code for draft in judgement.drafts()})
    undecided = judgement.outcome(codes).summary.undecided
    return read - begun, time.process_time() - read, f"{', '.join(codes) or 'nothing found'}, {undecided} undecided"


def main() -> None:
    """Measure all by turns, and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=500)
    parser.add_argument("--exchanges", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    of = f"{asked.exchanges} exchanges over {CLUSTERS} clusters"
    estates: dict[str, str | list[Named]] = {
        f"{asked.edges} edges with {LINES} topic lines around {HUBS} hubs": edges(asked.edges),
        of: federation(asked.exchanges),
        f"RabbitMQ's definitions, {of}, a chain": definitions(asked.exchanges, mesh=False),
        f"RabbitMQ's definitions, {of}, a mesh": definitions(asked.exchanges, mesh=True),
    }
    units: list[float] = []
    taken: dict[str, list[tuple[float, float, str]]] = {name: [] for name in estates}
    for _ in range(asked.rounds):
        for name, estate in estates.items():
            units.append(unit())
            taken[name].append(measure(estate))
    one = statistics.median(units)
    print(f"processor time, medians of {asked.rounds}; times: of adding ten million numbers, {one:.2f} s")
    for name, several in taken.items():
        read = statistics.median(row[0] for row in several)
        judged = statistics.median(row[1] for row in several)
        times = (read + judged) / one
        print(f"{name}: read {read:.1f} s, judged {judged:.1f} s, {times:.0f} times; {several[0][2]}")


if __name__ == "__main__":
    main()
