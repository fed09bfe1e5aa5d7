"""Files that are cut off, doubled and scrambled: none ends in a traceback, and an undamaged neighbour is still read."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from momlint.access import Access
from momlint.estate.load import load_natives
from momlint.lint import Options, lint_files
from momlint.native.reading import Kind, Named, known_kind, read_native
from tests.budget import examples

WHOLE: dict[str, tuple[Kind, bytes]] = {
    "edge.xml": (
        "activemq",
        """<?xml version="1.0" encoding="UTF-8"?>
<beans xmlns="http://www.springframework.org/schema/beans">
<!-- momlint: ignore[MOM804] grüße -->
<broker xmlns="http://activemq.apache.org/schema/core" brokerName="edge">
  <networkConnectors>
    <networkConnector name="up" uri="static:(tcp://hub.example:61616,failover:(tcp://a:1,tcp://b:2))?x=1&amp;y=2"
        duplex="true" networkTTL="3" conduitSubscriptions="false">
      <excludedDestinations><topic physicalName="a.>"/><queue physicalName="b"/></excludedDestinations>
      <dynamicallyIncludedDestinations><topic physicalName="c.&gt;,d"/></dynamicallyIncludedDestinations>
    </networkConnector>
  </networkConnectors>
  <transportConnectors><transportConnector uri="tcp://0.0.0.0:61616"/></transportConnectors>
</broker>
</beans>
""".encode(),
    ),
    "broker.xml": (
        "artemis",
        """<?xml version="1.0" encoding="UTF-8"?>
<configuration xmlns="urn:activemq"><core xmlns="urn:activemq:core">
<!-- momlint: ignore[MOM804] grüße -->
<name>edge</name>
<connectors><connector name="hub">(tcp://hub.example:61616,tcp://b:2)?x=1&amp;y=2</connector>
  <connector name="old"><param key="host" value="a"/><param key="port" value="1"/></connector></connectors>
<acceptors><acceptor name="all">tcp://0.0.0.0:61616?protocols=CORE</acceptor></acceptors>
<federations><federation name="f"><upstream name="u"><static-connectors><connector-ref>hub</connector-ref>
  </static-connectors><policy ref="p"/><policy ref="s"/></upstream>
  <address-policy name="p" max-hops="2"><include address-match="a.#"/><exclude address-match="a.*.b"/></address-policy>
  <address-policy name="q"><include address-match="#"/></address-policy>
  <policy-set name="s"><policy ref="q"/></policy-set></federation></federations>
<broker-connections><amqp-connection uri="tcp://hub:5672#b:1,c:2" name="c"><sender address-match="s.#"/>
  <federation><local-address-policy name="l"><include address-match="b.#"/></local-address-policy></federation>
</amqp-connection></broker-connections>
<bridges><bridge name="b"><queue-name>q</queue-name><forwarding-address>y</forwarding-address>
  <static-connectors><connector-ref>old</connector-ref></static-connectors></bridge></bridges>
<cluster-connections><cluster-connection name="k"><address>a.,!a.b.</address><max-hops>2</max-hops>
  <static-connectors><connector-ref>hub</connector-ref></static-connectors></cluster-connection></cluster-connections>
<addresses><address name="x"><multicast><queue name="q"/></multicast></address></addresses>
</core></configuration>
""".encode(),
    ),
    "nanomq.conf": (
        "nanomq",
        """# momlint: ignore[MOM801] grüße
listeners.tcp { bind = "0.0.0.0:1883" }
bridges.mqtt.edge {
  server = "mqtt-tcp://hub.example:1883", proto_ver = 5
  forwards = ["a/#", { remote_topic = "x/1", local_topic = "b/1", qos = 1 }]
  subscription = [ { topic = "c/+"
    qos = 1 }, { remote_topic = "cmd/#", local_topic = "" } ]
  clientid = "edge"
}
""".encode(),
    ),
    "emqx.conf": (
        "emqx",
        b"""node { name = "emqx@edge.example", cookie = ${?COOKIE} } // momlint: ignore[MOM801]
base = "hub.example"
connectors.mqtt.c { server = ${base}":1883", enable = true }
actions.mqtt.fwd { connector = c, parameters { topic = "edge/${topic}", qos = 1 } }
sources.mqtt.src : { connector = c } { parameters.topic = "cmd/#" }
rule_engine.rules {
  r1 { sql = \"\"\"SELECT * FROM "t/#", "u/+" WHERE payload.x > 1\"\"\", actions = ["mqtt:fwd"] }
  r2 { sql = "SELECT * FROM \\"$bridges/mqtt:src\\"", actions += {function = republish, args {topic = "${topic}"}} }
}
bridges.mqtt.old {
  server = "10.0.0.1:1883", ingress { remote { topic = "$share/g/r/#" }, local { topic = "l/${topic}" } }
  egress { local { topic = "e/#" }, remote { topic = "${topic}" } }
}
include "more.conf"
""",
    ),
    "old.conf": (
        "emqx",
        b"node.name = emqx@edge.example\nbridge.mqtt.up.address = hub.example:1883\nbridge.mqtt.up.forwards = a/#,b/+\n"
        b"bridge.mqtt.up.subscription.1.topic = c/#\nbridge.mqtt.up.subscription.1.qos = 1\n"
        b"bridge.mqtt.up.forward_mountpoint = edge/${node}/\nbridge.mqtt.up.enable = on\n",
    ),
    "mm2.properties": (
        "mm2",
        """# momlint: ignore[MOM804] grüße
clusters = edge, hub , \\
    third
edge.bootstrap.servers: e1:9092,e2:9092
hub.bootstrap.servers h1:9092
third.bootstrap.servers = t\\u0031:9092
edge->hub.enabled = true
edge->hub.topics = orders.*, (a|b)[cd]?, x\\\\.y
hub->edge.enabled=true
hub->edge.replication.policy.class = org.apache.kafka.connect.mirror.IdentityReplicationPolicy
! another comment
hub->third.enabled = TRUE
hub->third.topics.exclude = .*secret
topics = .*
""".encode(),
    ),
}
PIECES = [
    *"{}[]()<>\"'=:,;#/\\$&%\n\t\r ", "${", "${?", "\"\"\"", "]]>", "<![CDATA[", "<!--", "-->", "<!DOCTYPE a [", "&a;",
    "&#0;", "/>",
    "\x00", "\ufeff", "é", "😀", "include ", "file(", "\\u12", "\\\n", "->", ".", "..", "+=", "true", "-1", "9" * 40,
    "(" * 500,
    "<a>" * 500, "{" * 500, "[" * 500, "a." * 200, "static:(", "momlint: ignore[", "# momlint: ignore[MOM8]",
]  # fmt: skip


def damaged(data: bytes, draw: random.Random) -> bytes:
    for _ in range(draw.choice((1, 1, 2, 5))):
        at = draw.randrange(len(data) + 1)
        to = min(len(data), at + draw.choice((0, 1, 5, 40)))
        match draw.randrange(6):
            case 0:
                data = data[:at]
            case 1:
                data = data[:at] + data[to:]
            case 2:
                data = data[:at] + data[at:to] * draw.choice((2, 50)) + data[to:]
            case 3:
                data = data[:at] + bytes([draw.randrange(256)]) + data[to:]
            case _:
                data = data[:at] + draw.choice(PIECES).encode() + data[to:]
    return data


@pytest.mark.parametrize("name", WHOLE)
def test_recognised(name: str) -> None:
    kind, data = WHOLE[name]
    assert known_kind(name, data) == kind
    native = read_native(Named(name, kind, data), Access.of(name))
    assert native.links
    assert {one.code for one in native.problems} <= {"MOM814"}


@pytest.mark.parametrize("name", WHOLE)
def test_cut_off_anywhere(name: str) -> None:
    kind, data = WHOLE[name]
    for length in range(0, len(data), 1 if len(data) < 400 else 3):
        assert load_natives([Named(name, kind, data[:length])], Access.of).documents


@pytest.mark.parametrize("name", WHOLE)
def test_scrambled(name: str) -> None:
    kind, data = WHOLE[name]
    draw = random.Random(f"damaged {name}")
    for _ in range(examples(1500)):
        text = damaged(data, draw)
        loaded = load_natives([Named(name, kind, text)], Access.of)
        lines = text.count(b"\n") + text.count(b"\r") + 2
        for problem in loaded.problems:
            assert problem.span.start.line <= lines, (text, problem)
            assert problem.span.start.column >= 1


@pytest.mark.parametrize("name", WHOLE)
def test_a_damaged_file_takes_nothing_from_the_others(name: str, tmp_path: Path) -> None:
    """The whole way, from files to a report."""
    _, data = WHOLE[name]
    ending = Path(name).suffix
    (tmp_path / f"good{ending}").write_bytes(data.replace(b"edge", b"good"))
    draw = random.Random(f"neighbours {name}")
    for _ in range(examples(60)):
        (tmp_path / f"bad{ending}").write_bytes(damaged(data, draw))
        report = lint_files([str(tmp_path / f"{one}{ending}") for one in ("bad", "good")], Options())
        assert report.failures == []
        assert not any("MOM9" in one.code for one in report.findings)
