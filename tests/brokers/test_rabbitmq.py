"""A real RabbitMQ with random federations and shovels: every queue gets what momlint says, as often.

Each estate is some virtual hosts of one server, the same on every run. Slow, since links take their time.
"""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from tests.brokers.rabbitmq import Rabbit, server
from tests.native.rabbit_model import KEYS, Clusters, definitions, random_clusters, routed
from tests.native.test_rabbitmq_random import Judged, name_of

#: What they pull from each other is of the same types; in one more, which has no shovels, of several.
ESTATES = 5


@pytest.fixture(scope="module")
def rabbit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rabbit]:
    with server(tmp_path_factory.mktemp("rabbitmq")) as one:
        yield one


def predicted(
    judged: Judged, clusters: Clusters, vhost: str, exchange: str, key: str
) -> Counter[tuple[str, str]] | None:
    """Copies by virtual host and queue; None for a loop."""
    arrivals = judged.copies(name_of(clusters, vhost), f"{exchange}.{key}")
    if arrivals is None:
        return None
    found: Counter[tuple[str, str]] = Counter()
    places = [(vhost, ("exchange", exchange), 1)]
    for (broker, topic), count in arrivals.items():
        words = topic.split(".")
        entry = ("queue", words[2]) if topic.startswith("amq.default.") else ("exchange", words[0])
        places.append((broker.partition("/")[2], entry, count))
    for where, entry, count in places:
        for queue in routed(clusters, where, entry, key)[1]:
            found[where, queue] += count
    return found


@pytest.mark.slow
def test_random_estates(rabbit: Rabbit) -> None:
    seen: Counter[str] = Counter()
    for seed in range(ESTATES + 1):
        alike = seed < ESTATES
        rng = random.Random(f"real {seed}" if alike else "types 1")
        clusters = random_clusters(rng, one_cluster=True, queues=False, alike=alike, prefix=f"s{seed}v")
        if not alike:
            clusters.shovels.clear()
            for broker in clusters.brokers.values():
                broker.parameters[:] = [one for one in broker.parameters if one["component"] != "shovel"]
                for exchange in broker.exchanges.values():
                    exchange.alternate = None
        text = definitions(clusters)
        judged = Judged(text)
        probes = [
            (vhost, exchange, key)
            for vhost, broker in clusters.brokers.items()
            for exchange in broker.exchanges
            for key in rng.sample(KEYS, 2)
        ]
        expected = [predicted(judged, clusters, *probe) for probe in probes]
        if None in expected:
            seen["loops"] += 1
            continue
        rabbit.load(json.loads(text["c"]))
        until = time.monotonic() + 20
        pulls = sum(len(broker.pulls) for broker in clusters.brokers.values())
        while rabbit.federated(list(clusters.brokers)) < pulls and time.monotonic() < until:
            time.sleep(0.3)
        # What is wanted travels back over the links, and shovels start.
        time.sleep(5)
        for number, probe in enumerate(probes):
            rabbit.publish(*probe, str(number))
        time.sleep(3)
        got: list[Counter[tuple[str, str]]] = [Counter() for _ in probes]
        for vhost, broker in clusters.brokers.items():
            for queue in broker.queues:
                for number, count in rabbit.taken(vhost, queue).items():
                    got[int(number)][vhost, queue] += count
        for probe, one, other in zip(probes, got, expected, strict=True):
            assert one == other, (seed, probe, text)
            seen["copies" if max(one.values(), default=0) > 1 else "single"] += 1
    assert {"copies", "single"} <= set(seen)
