"""Manifests that name files of several families: one estate, in which bridges of MQTT lead from one to another."""

from __future__ import annotations

import json
import random
from collections import Counter, deque
from pathlib import Path

import pytest

from momlint.access import Access
from momlint.estate.opening import open_bytes
from momlint.findings import Severity
from momlint.lint import Options, lint_files
from momlint.relayed.form import relay_of
from tests.native.judging import copies

#: The manifest of the contract of relayed overlays.
MANIFEST = """momlint: 1
brokers:
  north: {config: north/mosquitto.conf, kind: mosquitto, hosts: ["north.example:1883", "10.0.0.7"]}
  hq:    {config: hq.json, kind: rabbitmq}
subscriptions: [{at: hq, filter: "plant/#"}]
"""
NORTH = "listener 1883\nconnection to-hq\naddress hq.example:1883\ntopic plant/# out 1\n"


def definitions(bindings: list[dict[str, object]] = (), **more: list[dict[str, object]]) -> str:  # type: ignore[assignment]
    """A cluster of one virtual host."""
    exchange = {"name": "orders", "vhost": "/", "type": "topic", "arguments": {}}
    return json.dumps(
        {
            "rabbit_version": "3.10.8",
            "vhosts": [{"name": "/"}],
            "exchanges": [exchange],
            "queues": [{"name": "q", "vhost": "/", "arguments": {}}],
            "bindings": [{"vhost": "/", "arguments": {}, **one} for one in bindings],
            "parameters": more.get("parameters", []),
            "policies": more.get("policies", []),
        },
        indent=1,
    )


def told(folder: Path, files: dict[str, str], manifest: str = MANIFEST) -> list[tuple[str, str, int]]:
    """What is found, without notes: codes, files and lines."""
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / "estate.yaml").write_text(manifest)
    report = lint_files([str(folder / "estate.yaml")], Options())
    assert report.failures == []
    return [
        (one.code, Path(one.file).name, one.span.start.line)
        for one in report.findings
        if one.severity is not Severity.NOTE
    ]


def both(north: str = NORTH, hq: str | None = None) -> dict[str, str]:
    return {"north/mosquitto.conf": north, "hq.json": hq or definitions()}


PUBLISHED = MANIFEST + 'publications: [{at: north, filter: "plant/+/temp"}]\n'


@pytest.mark.parametrize("manifest", [MANIFEST, PUBLISHED], ids=["as it stands", "with publications"])
def test_the_manifest_of_the_contract(manifest: str, tmp_path: Path) -> None:
    assert told(tmp_path, both(), manifest) == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        # Nothing of what is published matches.
        ("topic plants/# out 1", {("MOM803", "mosquitto.conf", 4), ("MOM805", "mosquitto.conf", 4)}),
        ("topic plant/# in 1", {("MOM803", "mosquitto.conf", 4), ("MOM805", "mosquitto.conf", 4)}),
        # It arrives as site/plant/…
        ('topic plant/# out 1 "" site/', {("MOM803", "estate.yaml", 5)}),
        ("topic # out 1 plant/ plant/", set()),
        ("topic plant/+/temp out", set()),
        # Two ways back and forth over two connections.
        ("topic plant/# out\nconnection back\naddress hq.example\ntopic plant/# in", {("MOM801", "mosquitto.conf", 7)}),
    ],
)
def test_a_fault_of_the_bridge_is_told_at_its_line(
    line: str, expected: set[tuple[str, str, int]], tmp_path: Path
) -> None:
    north = NORTH.replace("topic plant/# out 1", line)
    assert set(told(tmp_path, both(north), PUBLISHED)) == expected


@pytest.mark.parametrize("line", ["topic plants/# out 1", "topic plant/# in 1", 'topic plant/# out 1 "" site/'])
def test_the_manifest_of_the_contract_with_a_fault(line: str, tmp_path: Path) -> None:
    """It says nothing of what is published: what hq itself may publish is not what it is joined to others for."""
    files = both(NORTH.replace("topic plant/# out 1", line))
    assert told(tmp_path, files) == [("MOM803", "estate.yaml", 5)]
    at_home = MANIFEST.replace('filter: "plant/#"', 'filter: "plant/#", local: true')
    assert told(tmp_path, files, at_home) == []


def test_a_queue_wants_what_its_binding_takes(tmp_path: Path) -> None:
    """Without subscriptions in the manifest, what is bound to `amq.topic` is wanted, with dots for slashes."""
    manifest = PUBLISHED.replace('subscriptions: [{at: hq, filter: "plant/#"}]\n', "")
    bound = {"source": "amq.topic", "destination": "q", "destination_type": "queue"}
    good = definitions([{**bound, "routing_key": "plant.*.temp"}])
    assert told(tmp_path, both(hq=good), manifest) == []
    # Bound as MQTT writes it: one word that nobody publishes. It gets nothing, and is told so where it is bound.
    bad = definitions([{**bound, "routing_key": "plant/+/temp"}])
    place = 1 + bad[: bad.index('"routing_key"')].count("\n")
    found = told(tmp_path, both(hq=bad), manifest)
    assert ("MOM806", "hq.json", place) in found
    assert "MOM803" in {code for code, *_ in found}


def test_a_subscription_may_have_the_syntax_of_its_broker(tmp_path: Path) -> None:
    """What another exchange gets from `amq.topic` is not followed by its name, so that it is none of MQTT's."""
    manifest = PUBLISHED.replace('filter: "plant/#"', 'filter: "amq.topic.plant.#", syntax: amqp')
    assert told(tmp_path, both(), manifest) == []
    other = PUBLISHED.replace('filter: "plant/#"', 'filter: "orders.plant.#", syntax: amqp')
    assert [code for code, *_ in told(tmp_path, both(), other)] == ["MOM803"]


def test_what_other_exchanges_pass_to_mqtt_comes_out_under_its_key(tmp_path: Path) -> None:
    """An exchange bound to `amq.topic`: its messages go out by bridges as well, named by their keys."""
    bound = {"source": "orders", "destination": "amq.topic", "destination_type": "exchange", "routing_key": "eu.#"}
    north = NORTH.replace("topic plant/# out 1", "topic # in 1")
    manifest = MANIFEST.replace(
        'subscriptions: [{at: hq, filter: "plant/#"}]',
        'subscriptions: [{at: north, filter: "eu/+"}, {at: north, filter: "us/+"}]\n'
        'publications: [{at: hq, filter: "orders.#", syntax: amqp}]',
    )
    found = told(tmp_path, both(north, definitions([bound])), manifest)
    # eu.* gets there; of us.* nothing is bound.
    assert found == [("MOM803", "estate.yaml", 5)]


def test_federation_behind_a_bridge_counts_hops_anew(tmp_path: Path) -> None:
    """north → hq by MQTT, then hq → far by federation with max-hops 1: the bridge is no hop of it."""
    upstream = {"component": "federation-upstream", "vhost": "/", "name": "hq", "value": {"uri": "amqp://hq.example"}}
    policy = {
        "vhost": "/",
        "name": "fed",
        "pattern": "^amq\\.topic$",
        "apply-to": "exchanges",
        "definition": {"federation-upstream": "hq"},
        "priority": 0,
    }
    bound = {"source": "amq.topic", "destination": "q", "destination_type": "queue", "routing_key": "plant.#"}
    far = definitions([bound], parameters=[upstream], policies=[policy])
    files = {**both(), "far.json": far}
    manifest = PUBLISHED.replace("subscriptions:", "  far: {config: far.json}\nsubscriptions:").replace(
        "at: hq", "at: far"
    )
    assert told(tmp_path, files, manifest) == []
    # The header with the way ends at a broker of MQTT: what comes back to hq by another one goes round for ever.
    files["north/mosquitto.conf"] += "connection from-far\naddress far.example\ntopic plant/# in\n"
    assert [code for code, *_ in told(tmp_path, files, manifest)] == ["MOM801"]


def test_a_bridge_into_nats(tmp_path: Path) -> None:
    files = {
        "edge.conf": "listener 1883\nconnection up\naddress hub.example\ntopic t/# out 0\n",
        "hub.conf": "server_name: hub\nlisten: 4222\nmqtt { port: 1883 }\nleafnodes { listen: 7422 }\n",
        "leaf.conf": 'server_name: leaf\nleafnodes { remotes: [ { url: "nats://hub.example" } ] }\n',
    }
    brokers = "".join(f"  {name.partition('.')[0]}: {{config: {name}}}\n" for name in files)
    manifest = f"momlint: 1\nbrokers:\n{brokers}topics: {{t/a/b: {{publishers: [edge], subscribers: [leaf]}}}}\n"
    assert told(tmp_path, files, manifest) == []
    nats = manifest.replace("topics:", 'subscriptions: [{at: leaf, filter: "t.*.>", syntax: nats}]\ntopics:')
    assert told(tmp_path, files, nats) == []
    files["edge.conf"] = files["edge.conf"].replace("t/#", "t/+")
    # The filter keeps t/a/b back from both; so nothing comes to the leaf.
    assert [one for one in told(tmp_path, files, nats) if one[0] == "MOM803"] == [("MOM803", "edge.conf", 4)]


def test_no_broker_of_another_protocol_is_a_peer(tmp_path: Path) -> None:
    """AMQP leads to no Mosquitto, whatever its host is called."""
    upstream = {"component": "federation-upstream", "vhost": "/", "name": "n", "value": {"uri": "amqp://north.example"}}
    policy = {
        "vhost": "/",
        "name": "fed",
        "pattern": "^orders$",
        "apply-to": "exchanges",
        "definition": {"federation-upstream": "n"},
    }
    hq = definitions(parameters=[upstream], policies=[policy])
    closed = MANIFEST.replace("momlint: 1\n", "momlint: 1\nclosed: true\n")
    place = 1 + hq[: hq.index("amqp://north")].count("\n")
    assert told(tmp_path, both(hq=hq), closed) == [("MOM808", "hq.json", place)]


def test_without_a_manifest_each_family_is_an_estate_of_its_own(tmp_path: Path) -> None:
    for name, text in both().items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    report = lint_files([str(tmp_path / name) for name in both()], Options())
    assert [one for one in report.findings if one.severity is not Severity.NOTE] == []
    assert report.summary.brokers == 3  # north, hq.example as somebody else's, hq


# -- random ones, by brute force -------------------------------------------------------------------------------------


class _Model:
    """Brokers of MQTT and virtual hosts of RabbitMQ, followed message by message; made without momlint.

    Within RabbitMQ everything is in `amq.topic`. Bridges of MQTT lead anywhere, federation from one host to another.
    """

    def __init__(self, rng: random.Random) -> None:
        self.mqtt = [f"m{number}" for number in range(rng.randint(1, 2))]
        self.amqp = [f"r{number}" for number in range(rng.randint(1, 3))]
        everyone = [*self.mqtt, *self.amqp]
        #: (owner, remote, [(pattern, way, local prefix, remote prefix)])
        self.bridges: list[tuple[str, str, list[tuple[str, str, str, str]]]] = []
        for owner in self.mqtt:
            for remote in rng.sample(everyone, min(len(everyone), rng.randint(1, 2))):
                if remote != owner and rng.random() < 0.8:
                    lines = []
                    for _ in range(rng.randint(1, 2)):
                        pattern = rng.choice(["#", "#", "a/#", "+/c"])
                        # Behind a prefix `#` would match again, and names would grow.
                        near, far = ("", "") if pattern == "#" else (rng.choice(["", "", "a/"]), rng.choice(["", "q/"]))
                        lines.append((pattern, rng.choice(["in", "out", "both"]), near, far))
                    self.bridges.append((owner, remote, lines))
        #: (upstream, downstream, max-hops)
        self.pulls = [
            (one, other, rng.randint(1, 3))
            for one in self.amqp
            for other in self.amqp
            if one != other and rng.random() < 0.5
        ]

    def files(self) -> dict[str, str]:
        found = {}
        for owner in self.mqtt:
            text = "listener 1883\n"
            for number, (name, remote, lines) in enumerate(self.bridges):
                if name == owner:
                    text += f"connection c{number}\naddress {remote}.example:1883\n"
                    for pattern, way, near, far in lines:
                        prefixes = " ".join(prefix or '""' for prefix in (near, far))
                        text += f"topic {pattern} {way} 0 {prefixes}\n"
            found[f"{owner}.conf"] = text
        for name in self.amqp:
            ups = [
                {
                    "component": "federation-upstream",
                    "vhost": "/",
                    "name": one,
                    "value": {"uri": f"amqp://{one}.example", "max-hops": hops},
                }
                for one, other, hops in self.pulls
                if other == name
            ]
            policy = {
                "vhost": "/",
                "name": "fed",
                "pattern": "^amq.topic$",
                "apply-to": "exchanges",
                "definition": {"federation-upstream-set": "all"},
            }
            bound = {"source": "amq.topic", "destination": "q", "destination_type": "queue", "routing_key": "#"}
            found[f"{name}.json"] = definitions([bound], parameters=ups, policies=[policy])
        return found

    def manifest(self) -> str:
        brokers = "".join(f"  {name.partition('.')[0]}: {{config: {name}}}\n" for name in self.files())
        return f"momlint: 1\nbrokers:\n{brokers}publications: [{{at: {self.mqtt[0]}, filter: a/c}}]\n"

    def follow(self, origin: str, topic: str) -> tuple[str, dict[tuple[str, str], int]] | None:
        """``loops``, or ``ends`` with copies by broker and name; None where there are too many of them."""
        arrivals: Counter[tuple[str, str]] = Counter()
        waiting = deque([(origin, tuple(topic.split("/")), 0, frozenset[str](), -1, ())])
        steps = 0
        while waiting:
            broker, words, hops, been, came, states = waiting.popleft()
            state = broker, words, hops, been, came
            if state in states:
                return "loops", {}
            if len(words) > 12:
                return None
            steps += 1
            if steps > 3_000:
                return None
            further = (*states, state)
            for number, (owner, remote, lines) in enumerate(self.bridges):
                for here, there, outward in ((owner, remote, True), (remote, owner, False)):
                    if here != broker or (number == came and broker in self.mqtt):
                        continue
                    after = _renamed(lines, outward, words)
                    if after is None:
                        continue
                    if there in self.mqtt and here in self.mqtt:
                        onward = there, after, 0, been, number
                    elif there in self.mqtt:
                        onward = there, after, 0, frozenset[str](), number
                    else:
                        onward = there, after, 0, frozenset[str](), -2
                    arrivals[there, "/".join(after)] += 1
                    waiting.append((*onward, further))
            for one, other, limit in self.pulls:
                if one == broker and hops < limit and other not in been:
                    arrivals[other, "/".join(words)] += 1
                    waiting.append((other, words, hops + 1, been | {broker}, -3, further))
        return "ends", dict(arrivals)


def _renamed(lines: list[tuple[str, str, str, str]], outward: bool, words: tuple[str, ...]) -> tuple[str, ...] | None:
    """What a connection makes of a topic, None where no line takes it: one with a prefix goes first."""
    usable = [one for one in lines if one[1] == "both" or (one[1] == "out") == outward]
    usable.sort(key=lambda one: not (one[2] or one[3]))
    for pattern, _, near, far in usable:
        cut, add = (near, far) if outward else (far, near)
        if not _matches((cut + pattern).split("/"), words):
            continue
        prefix = tuple(cut.split("/")[:-1])
        rest = words[len(prefix) :] if words[: len(prefix)] == prefix and len(words) > len(prefix) else words
        return (*add.split("/")[:-1], *rest)
    return None


def _matches(pattern: list[str], words: tuple[str, ...]) -> bool:
    if pattern == ["#"]:
        return True
    for number, word in enumerate(pattern):
        if word == "#":
            return len(words) >= number
        if number >= len(words) or word not in ("+", words[number]):
            return False
    return len(pattern) == len(words)


@pytest.mark.parametrize("block", range(3))
def test_random_ones_by_brute_force(block: int, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    for number in range(30):
        model = _Model(random.Random(f"families {block} {number}"))
        for name, text in model.files().items():
            (tmp_path / name).write_text(text)
        path = str(tmp_path / "estate.yaml")
        manifest = model.manifest()
        (loaded,) = open_bytes(manifest.encode(), path, Access.of(path)).estates
        assert loaded.estate is not None
        assert not [one for one in loaded.problems if one.code not in ("MOM814", "MOM809")], loaded.problems
        loaded.estate.publications = None
        relay = relay_of(loaded.estate)
        for origin in (*model.mqtt, *model.amqp):
            for topic in ("a", "a/c", "b", "p/a/x"):
                expected = model.follow(origin, topic)
                if expected is None:
                    continue
                at_home = f"amq/topic/{topic}" if origin in model.amqp else topic
                small = expected[0] == "loops" or sum(expected[1].values()) <= 12
                ends, arrivals = copies(relay, origin, at_home, twice=small)
                plain = {
                    (broker, name.removeprefix("amq/topic/") if broker in model.amqp else name): count
                    for (broker, name), count in arrivals.items()
                }
                if ends == "grows":
                    continue
                assert (ends, plain) == expected, (model.files(), origin, topic)
                seen[ends] += 1
                seen["crossed"] += any((broker in model.amqp) != (origin in model.amqp) for broker, _ in plain)
    assert min(seen["ends"], seen["loops"], seen["crossed"]) > 10, seen
