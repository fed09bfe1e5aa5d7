"""How long relayed overlays take: many edges with many topic lines around few hubs, and federated exchanges.

python bench/bench_relayed.py [--edges 500] [--exchanges 200]
"""

from __future__ import annotations

import argparse
import json
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


def measure(name: str, estate: str | list[Named]) -> None:
    """Read and judge an estate, and print what that took."""
    begun = time.perf_counter()
    if isinstance(estate, str):
        (loaded,) = open_bytes(estate.encode(), "estate.yaml", Access.of("estate.yaml")).estates
    else:
        (loaded,) = open_natives(estate, Access.of).estates
    read = time.perf_counter()
    (discipline,) = disciplines_of(loaded)
    judgement = discipline.judge(loaded, Request(lambda code: True, timeout=600))
    codes = sorted({draft.code for draft in judgement.drafts()})
    undecided = judgement.outcome(codes).summary.undecided
    end = time.perf_counter()
    said = ", ".join(codes) or "nothing found"
    print(f"{name}: read {read - begun:.1f} s, judged {end - read:.1f} s; {said}, {undecided} undecided")


def main() -> None:
    """Measure both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--edges", type=int, default=500)
    parser.add_argument("--exchanges", type=int, default=200)
    asked = parser.parse_args()
    measure(f"{asked.edges} edges with {LINES} topic lines around {HUBS} hubs", edges(asked.edges))
    measure(f"{asked.exchanges} exchanges over {CLUSTERS} clusters", federation(asked.exchanges))
    for shape in ("chain", "mesh"):
        name = f"RabbitMQ's definitions, {asked.exchanges} exchanges over {CLUSTERS} clusters, a {shape}"
        measure(name, definitions(asked.exchanges, mesh=shape == "mesh"))


if __name__ == "__main__":
    main()
