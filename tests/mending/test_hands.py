"""What is written into brokers' own files, kind by kind: expected texts are written by hand, everything else stays."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from momlint.lint import Options, lint_files
from momlint.mending.mend import Mending

VERNE = {
    "east.vernemq.conf": "plugins.vmq_bridge = on\nvmq_bridge.tcp.br0 = west.example:1883\n"
    "vmq_bridge.tcp.br0.client_id = east\n# commands\nvmq_bridge.tcp.br0.topic.1 = cmd/* out 1\n"
    "vmq_bridge.tcp.br0.topic.2 = log/* in 1\n",
    "west.vernemq.conf": "vmq_bridge.tcp.br0 = east.example:1883\nvmq_bridge.tcp.br0.client_id = west\n"
    "# both ways\nvmq_bridge.tcp.br0.topic.1 = log/* out 1\nvmq_bridge.tcp.br0.topic.2 = alarm/* out 1\n",
}
NANO = {
    "hub.conf": 'node { name = "emqx@hub.example", cookie = "no", data_dir = "data" }\n'
    'listeners.tcp.default { bind = "0.0.0.0:1883" }\n',
    "nanomq.conf": 'listeners.tcp { bind = "0.0.0.0:1883" }\n\nbridges.mqtt.uplink {\n'
    '  server = "mqtt-tcp://hub.example:1883"\n  proto_ver = 4\n  forwards = ["site/#", "log/#"]  # to the hub\n'
    '  subscription = [{ topic = "cmd/#", qos = 1 }]\n}\n',
}
ACTIVE = {
    f"{name}.xml": f'<broker xmlns="http://activemq.apache.org/schema/core" brokerName="{name}">\n'
    "  <networkConnectors>\n"
    + "".join(
        f'    <networkConnector name="to-{other}" uri="static:(tcp://{other}.example:61616)"\n'
        '        networkTTL="2"/>  <!-- the ring -->\n'
        for other in "abc"
        if other != name
    )
    + "  </networkConnectors>\n"
    '  <transportConnectors><transportConnector uri="tcp://0.0.0.0:61616"/></transportConnectors>\n'
    "</broker>\n"
    for name in "abc"
}
CHAIN = {
    f"{name}.xml": f'<broker xmlns="http://activemq.apache.org/schema/core" brokerName="{name}">\n'
    f"  <networkConnectors>{inside}</networkConnectors>\n"
    '  <transportConnectors><transportConnector uri="tcp://0.0.0.0:61616"/></transportConnectors>\n</broker>\n'
    for name, inside in (
        ("a", '<networkConnector name="on" uri="static:(tcp://b.example:61616)" dispatchAsync="false"/>'),
        ("b", '<networkConnector name="on" uri="static:(tcp://c.example:61616)" networkTTL="2"/>'),
        ("c", ""),
    )
}
MIRROR = {
    "mm2.properties": "clusters = berlin, lisbon\nberlin.bootstrap.servers = b.example:9092\n"
    "lisbon.bootstrap.servers = l.example:9092\n"
    "replication.policy.class = org.apache.kafka.connect.mirror.IdentityReplicationPolicy\n"
    "# orders go to Lisbon\nberlin->lisbon.enabled = true\nberlin->lisbon.topics = orders, prices\n"
    "lisbon->berlin.enabled = true\nlisbon->berlin.topics = shipments\n",
    "topology.yaml": "momlint: 1\nbrokers:\n  mm: {config: mm2.properties}\n",
}
LEAVES = {
    "hub.conf": 'server_name: hub\nlisten: "0.0.0.0:4222"\nleafnodes { listen: "0.0.0.0:7422" }\n',
    "site.conf": 'server_name: site\nlisten: "0.0.0.0:4222"\nleafnodes {\n  remotes = [\n'
    '    # both are needed\n    {url: "nats-leaf://hub.example:7422", deny_exports: ["log.>", "plant.>"]}\n  ]\n}\n',
}
IDS = {
    "hub.conf": "listener 1883\n",
    "one.conf": "listener 1883\nconnection up\naddress hub.example\nremote_clientid site\ntopic one/# out\n",
    "two.conf": "listener 1883\nconnection up\naddress hub.example\nremote_clientid site  # mine\ntopic two/# out\n",
}
#: Files, what is said of who wants what, and what becomes of which file: what stands there, and what then stands there.
MENDS: dict[str, tuple[dict[str, str], str, dict[str, list[tuple[str, str]]]]] = {
    "an attribute of ActiveMQ": (
        ACTIVE,
        "",
        {f"{name}.xml": [('networkTTL="2"', 'networkTTL="1"')] for name in "abc"},
    ),
    "how far away ActiveMQ hears of subscriptions": (
        CHAIN,
        "brokers: {a: {config: a.xml}, b: {config: b.xml}, c: {config: c.xml}}\n"
        "topics: {news: {publishers: [a], subscribers: [c]}}\n",
        {"a.xml": [('dispatchAsync="false"', 'dispatchAsync="false" consumerTTL="2"')]},
    ),
    "what nats-server denies": (
        LEAVES,
        "brokers: {hub: {config: hub.conf}, site: {config: site.conf}}\n"
        'publications: [{at: site, filter: "plant.>"}]\nsubscriptions: [{at: hub, filter: "plant.>"}]\n',
        {"site.conf": [('["log.>", "plant.>"]', '["log.>"]')]},
    ),
    "a client identifier": (IDS, "", {"two.conf": [("site  # mine", "site-2  # mine")]}),
    "a filter of NanoMQ": (
        NANO,
        "brokers: {hub: {config: hub.conf}, edge: {config: nanomq.conf}}\n"
        'publications: [{at: edge, filter: "site/#"}, {at: edge, filter: "log/#"}, {at: edge, filter: "alarm/#"}, '
        '{at: hub, filter: "cmd/#"}]\nsubscriptions: [{at: hub, filter: "alarm/#"}]\n',
        {"nanomq.conf": [('["site/#", "log/#"]', '["site/#", "log/#", "alarm/#"]')]},
    ),
    "a topic of VerneMQ": (
        VERNE,
        "brokers: {east: {config: east.vernemq.conf}, west: {config: west.vernemq.conf}}\n"
        'publications: [{at: east, filter: "cmd/#"}, {at: east, filter: "plan/#"}, {at: west, filter: "alarm/#"}, '
        '{at: west, filter: "log/#"}]\nsubscriptions: [{at: west, filter: "plan/#"}]\n',
        {
            "east.vernemq.conf": [
                (
                    "vmq_bridge.tcp.br0.topic.1 = cmd/* out 1\n",
                    "vmq_bridge.tcp.br0.topic.1 = cmd/* out 1\nvmq_bridge.tcp.br0.topic.3 = plan/* out 1\n",
                )
            ]
        },
    ),
    "a way of VerneMQ": (
        VERNE,
        "",
        {"west.vernemq.conf": [("vmq_bridge.tcp.br0.topic.1 = log/* out 1\n", "")]},
    ),
}


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("name", MENDS)
def test_texts(name: str, line_end: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files, wants, changes = MENDS[name]
    monkeypatch.chdir(tmp_path)
    for file, text in files.items():
        Path(file).write_bytes(text.replace("\n", line_end).encode())
    names = sorted(files)
    if wants:
        Path("topology.yaml").write_text(f"momlint: 1\nclosed: true\n{wants}")
        names = ["topology.yaml"]
    (mended,) = Mending(Options()).mend(names)
    expected = {}
    for file, several in changes.items():
        expected[file] = files[file]
        for old, new in several:
            assert old in expected[file]
            expected[file] = expected[file].replace(old, new)
    assert {file: data.decode() for file, data in mended.contents.items()} == {
        file: text.replace("\n", line_end) for file, text in expected.items()
    }, mended.notes
    # What was out of reach may hang on one link once it arrives.
    options = Options(ignore=("MOM501",))
    before = lint_files(names, options).findings
    for file, data in mended.contents.items():
        Path(file).write_bytes(data)
    assert len(lint_files(names, options).findings) < len(before)
    (again,) = Mending(Options()).mend(names)
    assert again.contents == {}


#: A file, a comment in it that silences nothing, and what is left.
IDLE: dict[str, tuple[str, str, str]] = {
    "a line of Mosquitto": (
        "hub.conf",
        "listener 1883\n# momlint: ignore[MOM801]\n# the end\n",
        "listener 1883\n# the end\n",
    ),
    "behind a setting": (
        "edge.conf",
        "listener 1883\nconnection up\naddress hub.example\ntopic a/# out  # momlint: ignore[MOM801, MOM804]\n",
        "listener 1883\nconnection up\naddress hub.example\ntopic a/# out\n",
    ),
    "of nats-server": (
        "nats-server.conf",
        'server_name: a // momlint: ignore[MOM810]\nlisten: "0.0.0.0:4222"\ncluster { name: c }\n',
        'server_name: a\nlisten: "0.0.0.0:4222"\ncluster { name: c }\n',
    ),
    "a line of XML": (
        "hub.xml",
        '<broker xmlns="http://activemq.apache.org/schema/core" brokerName="hub">\n  <!-- momlint: ignore[MOM804] -->\n'
        '  <transportConnectors><transportConnector uri="tcp://0.0.0.0:61616"/></transportConnectors>\n</broker>\n',
        '<broker xmlns="http://activemq.apache.org/schema/core" brokerName="hub">\n'
        '  <transportConnectors><transportConnector uri="tcp://0.0.0.0:61616"/></transportConnectors>\n</broker>\n',
    ),
    "within a line of XML": (
        "hub.xml",
        '<broker xmlns="http://activemq.apache.org/schema/core" brokerName="hub">\n  <transportConnectors>'
        '<!-- momlint: ignore[MOM804] --><transportConnector uri="tcp://0.0.0.0:61616"/></transportConnectors>\n</broker>\n',
        '<broker xmlns="http://activemq.apache.org/schema/core" brokerName="hub">\n  <transportConnectors>'
        '<transportConnector uri="tcp://0.0.0.0:61616"/></transportConnectors>\n</broker>\n',
    ),
}


@pytest.mark.parametrize("name", IDLE)
def test_unused_comments(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, before, after = IDLE[name]
    monkeypatch.chdir(tmp_path)
    Path(file).write_text(before)
    (mended,) = Mending(Options()).mend([file])
    assert [one.code for one in mended.gone] == ["MOM109"]
    assert mended.contents == {file: after.encode()}


LOOP = """\
listener 1883
connection to-{other}
address {other}.example
# momlint: ignore[MOM801] it is known
topic # both
"""


def test_what_is_silenced_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    silent, other = LOOP.format(other="a"), LOOP.format(other="b")
    Path("b.conf").write_text(silent)
    Path("a.conf").write_text(re.sub(r"# momlint.*\n", "", other))
    (mended,) = Mending(Options()).mend(["a.conf", "b.conf"])
    assert (mended.contents, mended.left) == ({}, [])


TWICE = """\
momlint: 1
brokers: {a: , b: }
routing: {protocol: relay, guard: {split_horizon: connection}}
links:
  - {from: a, to: b, connection: up, topics: [{filter: "x/#"}]}  # once
  - {from: a, to: b, connection: up, topics: [{filter: "x/#"}]}  # and again
"""


def test_a_link_that_is_there_twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("estate.yaml").write_text(TWICE)
    (mended,) = Mending(Options()).mend(["estate.yaml"])
    (after,) = mended.contents.values()
    assert after.decode() == "".join(line for line in TWICE.splitlines(True) if "again" not in line)


MERGED = {
    "upstreams": """\
{"vhosts": [{"name": "/"}], "queues": [], "bindings": [],
 "exchanges": [{"name": "evt", "vhost": "/", "type": "topic"}],
 "global_parameters": [{"name": "cluster_name", "value": "%s"}],
 "policies": [{"vhost": "/", "name": "fed", "pattern": "^evt$", "apply-to": "exchanges",
               "definition": {"federation-upstream-set": "all"}}],
 "parameters": [%s]}
""",
    "one": '{"component": "federation-upstream", "vhost": "/", "name": "from-%s",\n'
    '                 "value": {"uri": "amqp://%s.example"}}',
}


def test_a_limit_that_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A chain of three clusters: for the last one the first is two hops away, and upstreams let one."""
    monkeypatch.chdir(tmp_path)
    for name, before in (("a", ""), ("b", "a"), ("c", "b")):
        upstream = MERGED["one"] % (before, before) if before else ""
        Path(f"{name}.definitions.json").write_text(MERGED["upstreams"] % (name, upstream))
    brokers = ", ".join(f"{name}: {{config: {name}.definitions.json}}" for name in "abc")
    Path("topology.yaml").write_text(
        f"momlint: 1\nclosed: true\nbrokers: {{{brokers}}}\n"
        'publications: [{at: a, filter: "evt.#"}]\nsubscriptions: [{at: c, filter: "evt.#"}]\n'
    )
    before_text = Path("c.definitions.json").read_text()
    (mended,) = Mending(Options()).mend(["topology.yaml"])
    assert {file: data.decode() for file, data in mended.contents.items()} == {
        "c.definitions.json": before_text.replace('.example"}', '.example", "max-hops": 2}')
    }, (mended.notes, mended.left)


def test_a_file_in_which_nothing_would_be_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without its bridge nobody would know what the file is of; and both bridges less is the one cut of this loop."""
    monkeypatch.chdir(tmp_path)
    for name, other in (("east", "west"), ("west", "east")):
        text = f"vmq_bridge.tcp.br0 = {other}.example:1883\nvmq_bridge.tcp.br0.topic.1 = cmd/* out 1\n"
        Path(f"{name}.vernemq.conf").write_text(text)
    (mended,) = Mending(Options()).mend(["east.vernemq.conf", "west.vernemq.conf"])
    assert mended.contents == {}
    assert [one.code for one in mended.left] == ["MOM801"]
    assert [note.partition(" is not mended")[0] for note in mended.notes] == ["west.vernemq.conf:2: MOM801"]
