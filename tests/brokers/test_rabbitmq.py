"""A real RabbitMQ with random federations and shovels: every queue gets what momlint says, as often.

Each estate is some virtual hosts of one server, the same on every run. Slow, since links take their time.
"""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from momlint.access import Access
from momlint.estate.opening import open_bytes
from momlint.relayed.form import relay_of
from tests.brokers.mosquitto import on_loopback
from tests.brokers.processes import program, running
from tests.brokers.rabbitmq import Rabbit, server
from tests.native.judging import copies
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


#: RabbitMQ closes the connection of a client that says that it is a bridge, which `try_private false` keeps to itself.
NORTH = """listener 1883
allow_anonymous true
connection to-hq
address hq.example:1883
restart_timeout 1
try_private false
topic plant/# both 0
topic eu/# in 0
"""
#: A second connection, by which what went up by the first comes back.
BACK = """connection back
address hq.example:1883
restart_timeout 1
try_private false
topic plant/# in 0
"""
MANIFEST = "momlint: 1\nbrokers: {north: {config: north.conf}, hq: {config: hq.json}}\n"


@pytest.mark.slow
def test_bridges_of_mqtt(rabbit: Rabbit, tmp_path: Path) -> None:
    """A Mosquitto bridged to RabbitMQ: what goes up, comes back, comes from other exchanges, is what momlint says."""
    bindings = [
        ("amq.topic", "q", "queue", "plant.*.temp"),
        ("amq.topic", "rest", "queue", "#"),
        ("orders", "amq.topic", "exchange", "eu.#"),
    ]
    of_all = {"vhost": "/", "durable": True, "auto_delete": False, "arguments": {}}
    probes = [("north", "plant/a/temp"), ("north", "eu/a"), ("hq", "orders/eu/b"), ("hq", "orders/us/b")]
    hq = {
        "rabbit_version": "3.10.8",
        "vhosts": [{"name": "/"}],
        "exchanges": [{"name": "orders", "type": "topic", "internal": False, **of_all}],
        "queues": [{"name": name, **of_all} for name in ("q", "rest")],
        "bindings": [
            {
                "source": source,
                "destination": target,
                "destination_type": what,
                "vhost": "/",
                "routing_key": key,
                "arguments": {},
            }
            for source, target, what, key in bindings
        ],
    }
    rabbit.load(hq)
    for text, loops in ((NORTH, False), (NORTH + BACK, True)):
        (tmp_path / "hq.json").write_text(json.dumps(hq))
        (tmp_path / "north.conf").write_text(text)
        path = str(tmp_path / "estate.yaml")
        (loaded,) = open_bytes(MANIFEST.encode(), path, Access.of(path)).estates
        assert loaded.estate is not None
        assert loaded.problems == []
        relay = relay_of(loaded.estate)
        expected = {topic: copies(relay, origin, topic, twice=True) for origin, topic in probes}
        assert (expected["plant/a/temp"][0] == "loops") == loops
        got: Counter[str] = Counter()
        for queue in ("q", "rest"):
            rabbit.taken("%2F", queue)
        with bridged(text, rabbit.mqtt, tmp_path, got) as publish:
            rabbit.publish("%2F", "orders", "eu.b", "north orders/eu/b")
            rabbit.publish("%2F", "orders", "us.b", "north orders/us/b")
            publish("eu/a")
            time.sleep(1)
            publish("plant/a/temp")
            time.sleep(2)
        up = rabbit.taken("%2F", "q")
        # Who publishes has it once without any bridge.
        assert got["eu/a"] == 1 + expected["eu/a"][1].get(("north", "eu/a"), 0)
        assert got["eu/b"] == expected["orders/eu/b"][1][("north", "eu/b")]
        assert got["us/b"] == len(expected["orders/us/b"][1]) == 0
        if loops:
            assert min(got["plant/a/temp"], up.total()) > 80
            continue
        arrivals = expected["plant/a/temp"][1]
        assert got["plant/a/temp"] == 1 + arrivals[("north", "plant/a/temp")]
        assert up.total() == arrivals[("hq", "amq/topic/plant/a/temp")]


@contextmanager
def bridged(text: str, port: int, folder: Path, got: Counter[str]) -> Iterator[Callable[[str], None]]:
    """A Mosquitto that is bridged to a port; what its subscriber gets is counted by topic. What publishes there."""
    mqtt = pytest.importorskip("paho.mqtt.client")
    files, ports = on_loopback({"north": text})
    files["north"] = files["north"].replace("hq.example:1883", f"127.0.0.1:{port}")
    with running([program("mosquitto"), "-c"], files, ports, folder) as logs:
        until = time.monotonic() + 30
        while logs["north"].read_text().count("Received SUBACK") < text.count("topic "):
            assert time.monotonic() < until, logs["north"].read_text()[-3000:]
            time.sleep(0.1)
        client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, "watcher")
        ready = threading.Event()
        client.on_subscribe = lambda *_: ready.set()
        client.on_connect = lambda client, *_: client.subscribe("#", 0)
        client.on_message = lambda client, data, message: got.update([message.topic])
        client.connect("127.0.0.1", ports["north"])
        client.loop_start()
        try:
            assert ready.wait(20)
            yield lambda topic: client.publish(topic, b"x", 0)
        finally:
            client.disconnect()
            client.loop_stop()


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
