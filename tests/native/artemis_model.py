"""Artemis by simulation: federations, connections over AMQP, bridges and clusters, message by message.

Knows nothing of momlint. What it does is from the manual and the source of Artemis 2.x: a federated queue upstream has
a filter on the message's counter (``_AMQ_Hops``, ``x-opt-amq-fed-hops``), which whoever gets the message raises; one
over AMQP also leaves out what came from the broker that asks. Members of a cluster tell each other of queues, distance
by distance, and route by what they have been told first.
"""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass, field

WORDS = ["a", "b", "ab"]
HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<configuration xmlns="urn:activemq">\n<core xmlns="urn:activemq:core">\n'
)


def matches(pattern: str, address: str) -> bool:
    """As ``Match`` of the broker builds its expression."""
    if pattern == "#":
        return True
    text = pattern.replace(".#", "#").replace(".", r"\.").replace("*", r"[^.]+").replace("#", r"(\..+)*")
    return re.fullmatch(text, address) is not None


@dataclass(frozen=True)
class Policy:
    """An address policy; `hops` as it is written, None where it is not."""

    name: str
    hops: int | None
    includes: tuple[str, ...]
    excludes: tuple[str, ...] = ()

    def takes(self, address: str) -> bool:
        if any(matches(one, address) for one in self.excludes):
            return False
        return not self.includes or any(matches(one, address) for one in self.includes)

    def text(self, element: str = "address-policy") -> str:
        """As the file has it."""
        hops = "" if self.hops is None else f' max-hops="{self.hops}"'
        inside = "".join(f'  <include address-match="{one}"/>\n' for one in self.includes)
        inside += "".join(f'  <exclude address-match="{one}"/>\n' for one in self.excludes)
        return f'<{element} name="{self.name}"{hops}>\n{inside}</{element}>\n'


@dataclass(frozen=True)
class Stream:
    """Federation from one broker to another. `policies`: the first that takes an address has the queue for it."""

    source: str
    target: str
    policies: tuple[Policy, ...]
    amqp: bool = False


@dataclass
class Estate:
    """Brokers with what they are joined by. `bridges`: from, queue's address, to, forwarding address."""

    names: list[str]
    streams: list[Stream] = field(default_factory=list)
    bridges: list[tuple[str, str, str, str]] = field(default_factory=list)
    #: Who connects to whom in the cluster, and how far each hears.
    cluster: dict[str, list[str]] = field(default_factory=dict)
    cluster_hops: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Copy:
    """A message at a broker. `by`: the broker that it came from over AMQP. `routed`: it came by the cluster."""

    at: str
    address: str
    address_hops: int = 0
    amqp_hops: int = 0
    by: str = ""
    routed: bool = False


def onward(estate: Estate, copy: Copy, known: dict[str, set[str]]) -> list[Copy]:
    """The copies that a broker makes of one."""
    found = []
    for one in estate.streams:
        if one.source != copy.at:
            continue
        # Policies of one connection over AMQP have a queue each; those of an upstream have one together.
        takers = [policy for policy in one.policies if policy.takes(copy.address)]
        for policy in takers if one.amqp else takers[:1]:
            limit = policy.hops or 0
            if one.amqp:
                if copy.by != one.target and (limit <= 0 or copy.amqp_hops < limit):
                    after = copy.amqp_hops + 1
                    found.append(Copy(one.target, copy.address, copy.address_hops, after, copy.at))
            elif limit == -1 or copy.address_hops == 0 or copy.address_hops < limit:
                found.append(Copy(one.target, copy.address, copy.address_hops + 1, copy.amqp_hops))
    for source, address, target, forwarding in estate.bridges:
        if source == copy.at and address == copy.address:
            found.append(Copy(target, forwarding, copy.address_hops, copy.amqp_hops))
    if not copy.routed:
        found += [
            Copy(one, copy.address, copy.address_hops, copy.amqp_hops, routed=True)
            for one in sorted(known.get(copy.at, ()))
        ]
    return found


def bindings(estate: Estate) -> dict[str, set[str]]:
    """Of whose queues each broker has been told: notices go against the way of messages, one distance a round."""
    known: dict[str, dict[str, int]] = {name: {} for name in estate.cluster}
    notices = [(name, name, 0) for name in estate.names]
    while notices:
        further = []
        for teller, queue, distance in notices:
            for hearer, others in estate.cluster.items():
                if teller in others and distance < estate.cluster_hops[hearer]:
                    if queue == hearer or queue in known[hearer]:
                        continue
                    known[hearer][queue] = distance + 1
                    further.append((hearer, queue, distance + 1))
        notices = further
    return {name: set(found) for name, found in known.items()}


def delivered(
    estate: Estate, origin: str, address: str, most: int = 400
) -> tuple[str, dict[tuple[str, str], int]] | None:
    """What becomes of a message: it ``loops`` or ``ends``, (broker, address) → copies; None where it is too much."""
    known = bindings(estate)
    limits = [policy.hops or 0 for one in estate.streams for policy in one.policies]
    most_hops = max([1, *limits]) + 1
    arrivals: Counter[tuple[str, str]] = Counter()

    def key(copy: Copy) -> Copy:
        hops = min(copy.address_hops, most_hops), min(copy.amqp_hops, most_hops)
        return Copy(copy.at, copy.address, *hops, copy.by, copy.routed)

    start = Copy(origin, address)
    stack = [(start, frozenset([key(start)]))]
    while stack:
        copy, path = stack.pop()
        for one in onward(estate, copy, known):
            if key(one) in path:
                return "loops", {}
            arrivals[one.at, one.address] += 1
            if sum(arrivals.values()) > most:
                return None
            stack.append((one, path | {key(one)}))
    return "ends", dict(arrivals)


def files_of(estate: Estate) -> dict[str, str]:
    """The brokers' files."""
    return {f"{name}.xml": _file(estate, name, number) for number, name in enumerate(estate.names)}


def _file(estate: Estate, name: str, number: int) -> str:
    connectors = "".join(f'<connector name="{one}">tcp://{one}.example:61616</connector>\n' for one in estate.names)
    federations, over_amqp, bridges, queues = "", "", "", ""
    for index, one in enumerate(estate.streams):
        # Whoever is named first in the estate declares what is between two, whichever way it leads.
        declares = sorted((one.source, one.target))[index % 2]
        if declares != name:
            continue
        other = one.target if one.source == name else one.source
        inward = one.target == name
        if one.amqp:
            element = "local-address-policy" if inward else "remote-address-policy"
            policies = "".join(policy.text(element) for policy in one.policies)
            over_amqp += f'<amqp-connection uri="tcp://{other}.example:61616" name="c{index}"><federation>\n{policies}'
            over_amqp += "</federation></amqp-connection>\n"
            continue
        element = "upstream" if inward else "downstream"
        back = "" if inward else f"<upstream-connector-ref>{name}</upstream-connector-ref>"
        refs = "".join(f'<policy ref="{policy.name}"/>\n' for policy in one.policies)
        federations += f'<federation name="f{index}">\n<{element} name="u"><static-connectors><connector-ref>{other}'
        federations += f"</connector-ref></static-connectors>\n{refs}{back}</{element}>\n"
        federations += "".join(policy.text() for policy in one.policies) + "</federation>\n"
    for index, (source, address, target, forwarding) in enumerate(estate.bridges):
        if source == name:
            bridges += f'<bridge name="b{index}"><queue-name>q{index}</queue-name>\n'
            bridges += f"<forwarding-address>{forwarding}</forwarding-address>" if forwarding != address else ""
            bridges += f"<static-connectors><connector-ref>{target}</connector-ref></static-connectors></bridge>\n"
            queues += f'<address name="{address}"><multicast><queue name="q{index}"/></multicast></address>\n'
    cluster = ""
    if name in estate.cluster:
        refs = "".join(f"<connector-ref>{one}</connector-ref>" for one in estate.cluster[name])
        cluster = f'<cluster-connection name="c"><connector-ref>{name}</connector-ref>'
        cluster += f"<max-hops>{estate.cluster_hops[name]}</max-hops>\n"
        cluster += f'<static-connectors allow-direct-connections-only="true">{refs}</static-connectors>'
        cluster += "</cluster-connection>\n"
    return (
        f"{HEAD}<name>{name}</name>\n<connectors>\n{connectors}</connectors>\n"
        f'<acceptors><acceptor name="all">tcp://0.0.0.0:{61616 + number}</acceptor></acceptors>\n'
        f"<federations>\n{federations}</federations>\n<broker-connections>\n{over_amqp}</broker-connections>\n"
        f"<bridges>\n{bridges}</bridges>\n<cluster-connections>\n{cluster}</cluster-connections>\n"
        f"<addresses>\n{queues}</addresses>\n</core>\n</configuration>\n"
    )


def random_pattern(rng: random.Random) -> str:
    words = [rng.choice([*WORDS, "*"]) for _ in range(rng.randint(1, 2))]
    if rng.random() < 0.5:
        words.append("#")
    return "#" if rng.random() < 0.35 else ".".join(words)


def random_address(rng: random.Random) -> str:
    return ".".join(rng.choice(WORDS) for _ in range(rng.randint(1, 3)))


def _random_policy(rng: random.Random, name: str, *, amqp: bool) -> Policy:
    hops = rng.choice([None, None, None, 1, 2, 3, 0] if amqp else [None, 1, 1, 2, 2, 3, 4, -1])
    least = 1 if amqp else 0
    includes = tuple(random_pattern(rng) for _ in range(rng.randint(least, 2)))
    excludes = (random_pattern(rng),) if rng.random() < 0.25 else ()
    return Policy(name, hops, includes, excludes)


def random_estate(rng: random.Random) -> Estate:
    """Two to five brokers."""
    estate = Estate([f"n{number}" for number in range(rng.randint(2, 5))])
    kinds = rng.choice([("address",), ("amqp",), ("address", "amqp"), ("address", "amqp", "bridge")])
    for number in range(rng.randint(1, 2 * len(estate.names))):
        source, target = rng.sample(estate.names, 2)
        kind = rng.choice(kinds)
        if kind == "bridge":
            address = random_address(rng)
            forwarding = address if rng.random() < 0.6 else random_address(rng)
            estate.bridges.append((source, address, target, forwarding))
            continue
        amqp = kind == "amqp"
        several = 2 if rng.random() < 0.2 else 1
        policies = tuple(_random_policy(rng, f"p{number}.{one}", amqp=amqp) for one in range(several))
        estate.streams.append(Stream(source, target, policies, amqp))
    if rng.random() < 0.35:
        members = rng.sample(estate.names, rng.randint(2, len(estate.names)))
        for one in members:
            others = [other for other in members if other != one]
            estate.cluster[one] = rng.sample(others, rng.randint(1, min(2, len(others))))
            estate.cluster_hops[one] = rng.choice([1, 1, 2, 3])
    return estate
