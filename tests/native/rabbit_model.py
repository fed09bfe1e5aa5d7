"""Random clusters of RabbitMQ, written as definitions, and what becomes of one message in them, copy by copy.

Knows nothing of momlint: exchanges, bindings, federation and shovels as RabbitMQ 3.10.8 was seen to behave.
"""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from tests.relayed.brute import matches, random_filter

TYPES = ["topic", "topic", "topic", "direct", "fanout"]
EXCHANGES = ["x", "y", "z"]
QUEUES = ["q", "r"]
KEYS = ["a", "b", "a.b", "b.a", "a.ab", "a.b.a", "ab", "x.a", "b.b"]


@dataclass
class Exchange:
    kind: str
    alternate: str | None = None


@dataclass
class Broker:
    """`bindings`: (source, destination, whether that is an exchange, key). `pulls`: (local, whose, remote, limit).

    `drains`: the same of queues, without a limit.
    """

    name: str
    file: str
    exchanges: dict[str, Exchange] = field(default_factory=dict)
    queues: list[str] = field(default_factory=list)
    bindings: list[tuple[str, str, bool, str]] = field(default_factory=list)
    pulls: list[tuple[str, str, str, int]] = field(default_factory=list)
    drains: list[tuple[str, str, str]] = field(default_factory=list)
    parameters: list[dict[str, Any]] = field(default_factory=list)
    policies: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Shovel:
    """`source`, `target`: (broker, exchange or queue, name); `key`: of its binding to a source exchange."""

    source: tuple[str, str, str]
    key: str
    target: tuple[str, str, str]


@dataclass
class Clusters:
    brokers: dict[str, Broker] = field(default_factory=dict)
    shovels: list[Shovel] = field(default_factory=list)

    @property
    def tapped(self) -> set[tuple[str, str]]:
        """Exchanges that somebody else takes messages from."""
        found = {(whose, remote) for broker in self.brokers.values() for _, whose, remote, _ in broker.pulls}
        return found | {one.source[::2] for one in self.shovels if one.source[1] == "exchange"}  # type: ignore[misc]


def takes(kind: str, pattern: str, key: str) -> bool:
    if kind == "fanout":
        return True
    return pattern == key if kind == "direct" else matches("amqp", pattern, key)


def routed(clusters: Clusters, name: str, start: tuple[str, str], key: str) -> tuple[set[str], set[str]]:
    """The exchanges and queues of a broker that a message gets to."""
    broker = clusters.brokers[name]
    if start[0] == "queue":
        return set(), {start[1]}
    exchanges, queues = {start[1]}, set()
    waiting = [start[1]]
    while waiting:
        exchange = waiting.pop()
        about = broker.exchanges[exchange]
        to = [
            (destination, is_exchange)
            for source, destination, is_exchange, pattern in broker.bindings
            if source == exchange and takes(about.kind, pattern, key)
        ]
        if not to and about.alternate is not None and (name, exchange) not in clusters.tapped:
            to = [(about.alternate, True)]
        for destination, is_exchange in to:
            if not is_exchange:
                queues.add(destination)
            elif destination not in exchanges:
                exchanges.add(destination)
                waiting.append(destination)
    return exchanges, queues


@dataclass
class Found:
    """`landed`: (broker, exchange or queue, name) → copies that come there from elsewhere. `queued`: (broker, queue) →
    copies, those of the publisher's own broker among them."""

    landed: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    queued: Counter[tuple[str, str]] = field(default_factory=Counter)
    loops: bool = False
    many: bool = False


def published(clusters: Clusters, broker: str, exchange: str, key: str, most: int = 300) -> Found:
    """What becomes of a message. `x-received-from` is the list of brokers that it left by federation."""
    found = Found()
    limit = max((one[3] for each in clusters.brokers.values() for one in each.pulls), default=0)
    start = (broker, ("exchange", exchange), ())
    stack: list[tuple[Any, frozenset[Any]]] = [(start, frozenset())]
    while stack:
        (at, entry, received), path = stack.pop()
        if len(path) > 0:
            found.landed[at, *entry] += 1
        if sum(found.landed.values()) > most:
            found.many = True
            return found
        state = (at, entry, frozenset(received), min(len(received), limit + 1))
        if state in path:
            found.loops = True
            continue
        path = path | {state}
        exchanges, queues = routed(clusters, at, entry, key)
        for queue in queues:
            found.queued[at, queue] += 1
        for name, other in clusters.brokers.items():
            for local, whose, remote, hops in other.pulls:
                crosses = whose == at and remote in exchanges and len(received) < hops and name not in received
                if crosses and _is_bound(clusters, at, remote, name, local, key):
                    stack.append(((name, ("exchange", local), (*received, at)), path))
            for local, whose, remote in other.drains:
                if whose == at and remote in queues and name not in received:
                    stack.append(((name, ("queue", local), (*received, at)), path))
        for shovel in clusters.shovels:
            where, what, name = shovel.source
            if where != at:
                continue
            if what == "exchange" and not (
                name in exchanges and takes(clusters.brokers[at].exchanges[name].kind, shovel.key, key)
            ):
                continue
            if what == "queue" and name not in queues:
                continue
            stack.append(((shovel.target[0], shovel.target[1:], received), path))
    return found


def _is_bound(clusters: Clusters, upstream: str, remote: str, downstream: str, local: str, key: str) -> bool:
    """Whether a link takes a key. It binds the upstream's exchange by the keys that the local one is bound by, and that
    links which take from that one bind it by; of one type with it that is what anybody wants.
    """
    kind = clusters.brokers[upstream].exchanges[remote].kind
    if kind == clusters.brokers[downstream].exchanges[local].kind:
        return True
    places = level = {(downstream, local)}
    for depth in range(2, 9):
        # What is wanted travels back over as many links as the limit of the first one says, and never to where it was.
        level = {
            (name, mine)
            for name, broker in clusters.brokers.items()
            for mine, whose, theirs, hops in broker.pulls
            if (whose, theirs) in level and hops >= depth and name not in (upstream, downstream)
        }
        places = places | level
    keys = [
        pattern
        for name, exchange in places
        for source, _, _, pattern in clusters.brokers[name].bindings
        if source == exchange
    ] + [one.key for one in clusters.shovels if one.source[1] == "exchange" and one.source[::2] in places]
    return not keys or any(takes(kind, pattern, key) for pattern in keys)


# -- at random -------------------------------------------------------------------------------------------------------


def random_clusters(
    rng: random.Random, *, one_cluster: bool = False, queues: bool = True, alike: bool = False, prefix: str = "v"
) -> Clusters:
    """Two to five brokers. `one_cluster`: all are virtual hosts of one. `queues`: some are federated or shovelled.

    `alike`: all have the same exchanges, of the same types, and no alternate ones. `prefix`: of virtual hosts' names.
    """
    clusters = Clusters()
    types = {name: rng.choice(TYPES) for name in EXCHANGES}
    for number in range(rng.randint(2, 5)):
        file = "c" if one_cluster else f"n{number}"
        broker = Broker(f"{prefix}{number}" if one_cluster else f"n{number}", file)
        clusters.brokers[broker.name] = broker
        for name in EXCHANGES if alike else EXCHANGES[: rng.randint(1, 3)]:
            broker.exchanges[name] = Exchange(types[name] if alike else rng.choice(TYPES))
        for exchange in broker.exchanges.values():
            if not alike and rng.random() < 0.15:
                exchange.alternate = rng.choice(list(broker.exchanges))
        broker.queues = QUEUES[: rng.randint(1, 2)]
        for source, about in broker.exchanges.items():
            for _ in range(rng.randint(0, 2)):
                to_exchange = len(broker.exchanges) > 1 and rng.random() < 0.5
                target = rng.choice(
                    [one for one in broker.exchanges if one != source] if to_exchange else broker.queues
                )
                broker.bindings.append((source, target, to_exchange, _key(rng, about.kind)))
    names = list(clusters.brokers)
    for name, broker in clusters.brokers.items():
        others = [one for one in names if one != name]
        for whose in rng.sample(others, rng.randint(0, len(others))):
            _federate(rng, broker, clusters.brokers[whose])
        _apply(rng, broker, clusters, queues=queues)
    source, target = rng.sample(names, 2)
    for number in range(rng.randint(0, 3)):
        # Some go back where another one comes from.
        source, target = (target, source) if rng.random() < 0.6 else rng.sample(names, 2)
        clusters.shovels.append(_shovel(rng, clusters, source, target, number, queues=queues))
    return clusters


def _key(rng: random.Random, kind: str) -> str:
    return rng.choice(KEYS) if kind == "direct" else random_filter(rng, "amqp")


def uri(broker: Broker, asking: Broker) -> str:
    """Of a virtual host of the same cluster, or of another cluster."""
    if broker.file != asking.file:
        return f"amqp://{broker.file}.example"
    return f"amqp:///{broker.name if broker.file == 'c' else '%2F'}"


def _federate(rng: random.Random, broker: Broker, other: Broker) -> None:
    value: dict[str, Any] = {"uri": uri(other, broker)}
    if rng.random() < 0.7:
        value["max-hops"] = rng.randint(1, 3)
    if rng.random() < 0.25:
        value["exchange"] = rng.choice(list(other.exchanges))
    broker.parameters.append({"component": "federation-upstream", "name": f"up-{other.name}", "value": value})


def _apply(rng: random.Random, broker: Broker, clusters: Clusters, *, queues: bool) -> None:
    """Policies, of which one of the highest priority holds for each exchange."""
    ups = [one["name"] for one in broker.parameters]
    if not ups:
        return
    chosen = rng.sample(ups, rng.randint(1, len(ups)))
    members = [{"upstream": name, **({"max-hops": rng.randint(1, 3)} if rng.random() < 0.3 else {})} for name in chosen]
    broker.parameters.append({"component": "federation-upstream-set", "name": "some", "value": members})
    for priority in rng.sample(range(9), rng.randint(1, 2)):
        definition: dict[str, Any] = rng.choice(
            [
                {"federation-upstream-set": "all"},
                {"federation-upstream-set": "some"},
                {"federation-upstream": rng.choice(ups)},
                {"max-length": 10},
            ]
        )
        pattern = rng.choice(["^x", "^[xy]$", ".*", "y|z"])
        broker.policies.append(
            {
                "name": f"p{priority}",
                "pattern": pattern,
                "apply-to": rng.choice(["exchanges", "exchanges", "all" if queues else "exchanges"]),
                "definition": definition,
                "priority": priority,
            }
        )
    values = {one["name"]: one["value"] for one in broker.parameters}

    def pulled(name: str, kind: str) -> list[tuple[str, dict[str, Any]]]:
        fitting = [
            one for one in broker.policies if one["apply-to"] in (kind, "all") and re.search(one["pattern"], name)
        ]
        definition = max(fitting, key=lambda one: int(one["priority"]))["definition"] if fitting else {}
        if "federation-upstream" in definition:
            return [(definition["federation-upstream"], {})]
        if definition.get("federation-upstream-set") == "all":
            return [(name, {}) for name in ups]
        return [(member["upstream"], member) for member in members] if "federation-upstream-set" in definition else []

    for exchange in broker.exchanges:
        for name, member in pulled(exchange, "exchanges"):
            value = values[name] | member
            remote = value.get("exchange", exchange)
            whose = name.removeprefix("up-")
            # The link makes an exchange that is not there; nobody publishes to it.
            if remote in clusters.brokers[whose].exchanges:
                broker.pulls.append((exchange, whose, remote, value.get("max-hops", 1)))
    for queue in broker.queues:
        broker.drains += [(queue, name.removeprefix("up-"), queue) for name, _ in pulled(queue, "queues")]


def _shovel(rng: random.Random, clusters: Clusters, source: str, target: str, number: int, *, queues: bool) -> Shovel:
    one, other = clusters.brokers[source], clusters.brokers[target]
    what = rng.choice(["exchange", "queue"]) if queues else "exchange"
    name = rng.choice(list(one.exchanges) if what == "exchange" else one.queues)
    key = _key(rng, one.exchanges[name].kind) if what == "exchange" else ""
    to = rng.choice(["exchange", "queue"])
    to_name = rng.choice(list(other.exchanges) if to == "exchange" else other.queues)
    owner = rng.choice([one, other])
    value: dict[str, Any] = {
        "src-uri": uri(one, owner),
        "dest-uri": uri(other, owner),
        f"src-{what}": name,
        f"dest-{to}": to_name,
    }
    if what == "exchange":
        value["src-exchange-key"] = key
    owner.parameters.append({"component": "shovel", "name": f"s{number}", "value": value})
    return Shovel((source, what, name), key, (target, to, to_name))


def definitions(clusters: Clusters) -> dict[str, str]:
    """The files by name, as RabbitMQ exports them."""
    files: dict[str, dict[str, Any]] = {}
    for broker in clusters.brokers.values():
        vhost = broker.name if broker.file == "c" else "/"
        file = files.setdefault(
            broker.file,
            {
                "rabbitmq_version": "3.10.8",
                "global_parameters": [{"name": "cluster_name", "value": broker.file}],
                **{
                    key: []
                    for key in ("vhosts", "parameters", "policies", "queues", "exchanges", "bindings", "permissions")
                },
            },
        )
        file["vhosts"].append({"name": vhost})
        file["parameters"] += [{"vhost": vhost, **one} for one in broker.parameters]
        file["policies"] += [{"vhost": vhost, **one} for one in broker.policies]
        file["queues"] += [
            {"name": name, "vhost": vhost, "durable": True, "auto_delete": False, "arguments": {}}
            for name in broker.queues
        ]
        file["exchanges"] += [
            {
                "name": name,
                "vhost": vhost,
                "type": about.kind,
                "durable": True,
                "auto_delete": False,
                "internal": False,
                "arguments": {} if about.alternate is None else {"alternate-exchange": about.alternate},
            }
            for name, about in broker.exchanges.items()
        ]
        file["bindings"] += [
            {
                "source": source,
                "vhost": vhost,
                "destination": target,
                "destination_type": "exchange" if to_exchange else "queue",
                "routing_key": key,
                "arguments": {},
            }
            for source, target, to_exchange, key in broker.bindings
        ]
    return {name: json.dumps(file, indent=1) for name, file in files.items()}
