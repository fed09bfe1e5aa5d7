"""``nanomq.conf`` and ``emqx.conf``: what becomes a link, what is refused, and where. Copies against a simulation."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest

from momlint.lint import Options, lint_files
from momlint.native.emqx import read_emqx
from momlint.native.form import Kind, NativeFile
from momlint.native.hocon_syntax import read_hocon
from momlint.native.nats_syntax import Items, Map, Scalar, Value
from momlint.native.text import read_text
from tests.budget import examples
from tests.native.judging import copies, relay_of_files
from tests.native.told import codes, verdict
from tests.relayed.brute import matches


def read(text: str, kind: Kind = "nanomq") -> NativeFile:
    return read_emqx(text.encode(), "a.conf", kind)


def plain(value: Value) -> object:
    """Maps of the last value of each key, lists and texts."""
    if isinstance(value, Map):
        return {entry.key: plain(entry.value) for entry in value.entries}
    return [plain(one) for one in value.values] if isinstance(value, Items) else value.text


def hocon(text: str) -> object:
    native = NativeFile("emqx", [("a.conf", read_text(text.encode(), "a.conf")[0])])
    return plain(read_hocon(native, None))


def passes(native: NativeFile) -> list[tuple[str, list[tuple[str, str, str]]]]:
    return [(link.id, [one[:3] for one in link.passes]) for link in native.links]


# -- HOCON, as its specification has it ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a = 1", {"a": "1"}),
        ('{ "a" : 1, b : two words }', {"a": "1", "b": "two words"}),
        ("a.b.c = 1\na.b.d : 2", {"a": {"b": {"c": "1", "d": "2"}}}),
        ("a { b = 1 }\na { c = 2 }", {"a": {"b": "1", "c": "2"}}),
        ("a = { b = 1 } { c = 2 }", {"a": {"b": "1", "c": "2"}}),
        ("a = 1\na = 2", {"a": "2"}),
        ("a = [1, 2\n3\n]", {"a": ["1", "2", "3"]}),
        ("a = [1]\na += 2", {"a": ["1", "2"]}),
        ("a = x # comment\n// another\nb = y // too", {"a": "x", "b": "y"}),
        ('a = "x # y // z"', {"a": "x # y // z"}),
        ('a = """x\n"y" """', {"a": 'x\n"y" '}),
        (r'a = "\"\u0041\n"', {"a": '"A\n'}),
        ("a = tcp://h:1", {"a": "tcp://h:1"}),
        ('h = x\na = ${h}":1"', {"h": "x", "a": "x:1"}),
        ("a = ${?b}", {"a": "${?b}"}),
        ("a =\n  1", {"a": "1"}),
        ("a {}\r\nb = 2\r\n", {"a": {}, "b": "2"}),
        ("", {}),
    ],
)
def test_hocon(text: str, expected: object) -> None:
    assert hocon(text) == expected


@pytest.mark.parametrize(
    ("text", "place", "kept"),
    [
        ("a = 1\n}\nb = 2", (2, 1), {"a": "1"}),
        ("a = 1\nb {\n c = 2\n", (2, 3), {"a": "1", "b": {"c": "2"}}),
        ("a = 1\nb = [1", (2, 5), {"a": "1"}),
        ("a = 1\nb\nc = 2", (2, 1), {"a": "1"}),
        ('a = 1\nb = "x\n', (2, 5), {"a": "1"}),
        ("a = 1\n= 2", (2, 1), {"a": "1"}),
    ],
)
def test_where_it_is_no_hocon(text: str, place: tuple[int, int], kept: object) -> None:
    native = NativeFile("emqx", [("a.conf", read_text(text.encode(), "a.conf")[0])])
    assert plain(read_hocon(native, None)) == kept
    assert codes(native) == [("MOM101", *place)]


def test_values_have_places() -> None:
    native = NativeFile("emqx", [("a.conf", read_text('ü { b = [ x,\r\n  "yz" ] }'.encode(), "a.conf")[0])])
    root = read_hocon(native, None)
    outer = root.entries[0].value
    assert isinstance(outer, Map)
    items = outer.entries[0].value
    assert isinstance(items, Items)
    assert [one.at[:4] for one in items.values if isinstance(one, Scalar)] == [(0, 10, 0, 11), (1, 2, 1, 6)]


# -- what becomes a link ---------------------------------------------------------------------------------------------

NANO = """\
bridges.mqtt.up {
  server = "mqtt-tcp://hub.example:1883"
  proto_ver = 4
  forwards = ["a/#", {local_topic = "b/1", remote_topic = "x/1"}, {local_topic = "c/#", prefix = "p/"}]
  subscription = [
    {topic = "d/+", qos = 1}
    {remote_topic = "e/#", local_topic = ""}
  ]
}
"""


def test_forwards_lead_away_and_subscriptions_to_it() -> None:
    native = read(NANO)
    assert passes(native) == [
        ("up.out", [("a/#", "", ""), ("b/1", "b/1", "x/1"), ("c/#", "", "p/")]),
        ("up.in", [("d/+", "", ""), ("e/#", "", "")]),
    ]
    assert [(one.addresses[0].host, one.addresses[0].port) for one in native.links] == [("hub.example", 1883)] * 2
    assert native.links[0].passes[0].at[:4] == (3, 14, 3, 19)
    assert native.links[1].at.line == 5
    assert native.problems == []


def test_only_version_5_does_not_send_back() -> None:
    assert [one.connection for one in read(NANO).links] == ["up out", "up in"]
    assert [one.connection for one in read(NANO.replace("= 4", "= 5")).links] == ["up", "up"]
    assert [one.connection for one in read(NANO.replace("= 4", "= 5"), "emqx").links] == ["up out", "up in"]


def test_bridges_of_emqx() -> None:
    text = (
        'bridges.mqtt.up { server = "hub.example:1883"\n'
        'ingress { remote { topic = "$share/g/r/#" }, local { topic = "l/${topic}" } }\n'
        'egress { local { topic = "e/#" }, remote { topic = "${topic}" } } }\n'
    )
    assert passes(read(text, "emqx")) == [("up.out", [("e/#", "", "")]), ("up.in", [("r/#", "", "l/")])]
    older = (
        'bridges { mqtt { up { connector { server = "h:1" }, direction = ingress\n'
        'remote_topic = "r/x", local_topic = "l" } } }\n'
    )
    assert passes(read(older, "emqx")) == [("up.in", [("r/x", "r/x", "l")])]


def test_connectors_and_rules_of_emqx() -> None:
    text = """\
connectors.mqtt.c { server = "hub.example:1883" }
actions.mqtt.fwd { connector = c, parameters { topic = "edge/${topic}" } }
sources.mqtt.src { connector = c, parameters { topic = "cmd/#" } }
actions.mqtt.idle { connector = c, parameters { topic = "x" } }
rule_engine.rules {
  r1 { sql = \"\"\"SELECT * FROM "t/#", "u/+" WHERE payload.x > 1\"\"\", actions = ["mqtt:fwd"] }
  r2 { sql = "SELECT * FROM \\"$bridges/mqtt:src\\"", actions = [{function = republish, args {topic = "${topic}"}}] }
  r3 { enable = false, sql = "SELECT * FROM \\"no/#\\"", actions = ["mqtt:fwd"] }
}
"""
    assert passes(read(text, "emqx")) == [
        ("actions.fwd.out", [("t/#", "", "edge/"), ("u/+", "", "edge/")]),
        ("sources.src.in", [("cmd/#", "", "")]),
    ]


def test_files_of_older_versions() -> None:
    text = (
        "node.name = emqx@edge.example\nlistener.tcp.external = 0.0.0.0:1884\n"
        "bridge.mqtt.up.address = hub.example:1883\nbridge.mqtt.up.forwards = a/#, b/+\n"
        "bridge.mqtt.up.forward_mountpoint = edge/\nbridge.mqtt.up.subscription.1.topic = c/#\n"
        "bridge.mqtt.up.subscription.1.qos = 1\nbridge.mqtt.off.address = x\nbridge.mqtt.off.bridge_mode = false\n"
    )
    native = read(text, "emqx")
    assert passes(native) == [("up.out", [("a/#", "", "edge/"), ("b/+", "", "edge/")]), ("up.in", [("c/#", "", "")])]
    assert [one.at[:4] for one in native.links[0].passes] == [(3, 26, 3, 29), (3, 31, 3, 34)]
    assert native.brokers[0].ports == {1884}
    assert native.brokers[0].hosts == {"edge.example"}


def test_what_is_off_is_no_link() -> None:
    assert read(NANO.replace("proto_ver", "enable = false, proto_ver")).links == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('server = "mqtt-tcp://hub.example:1883"', "", [("MOM813", 1, 1)]),
        ('"a/#"', '"a/#/b"', [("MOM813", 4, 15)]),
        ("proto_ver", "proto_vesr = 1, proto_ver", [("MOM814", 3, 3)]),
        ('prefix = "p/"', 'suffix = "/s"', [("MOM814", 4, 98)]),
        ('{topic = "d/+", qos = 1}', "{qos = 1}", [("MOM813", 6, 5)]),
        ('local_topic = ""', 'local_topic = "one"', [("MOM814", 7, 5)]),
    ],
)
def test_what_is_told_where(old: str, new: str, expected: list[tuple[str, int, int]]) -> None:
    native = read(NANO.replace(old, new))
    assert codes(native) == expected
    # The rest of the file is read all the same.
    assert native.links or expected[0][:2] == ("MOM813", 1)


def test_a_connector_must_be_there() -> None:
    native = read('actions.mqtt.a { connector = gone, parameters { topic = "x" } }\n', "emqx")
    assert codes(native) == [("MOM808", 1, 30)]


# -- whole estates, by hand ------------------------------------------------------------------------------------------

HUB = 'node.cookie = "x"\nlisteners.tcp.default { bind = "0.0.0.0:1883" }\n'


def star(version: int) -> dict[str, str]:
    both = f'proto_ver = {version}\n  forwards = ["#"]\n  subscription = [{{topic = "#"}}]\n'
    return {
        f"{name}.conf": f'bridges.mqtt.up {{\n  server = "mqtt-tcp://hub.example:1883"\n  {both}}}\n'
        for name in ("east", "west")
    } | {"hub.conf": HUB}


def test_a_star_of_version_4_loops_and_one_of_version_5_does_not(tmp_path: Path) -> None:
    """What a bridge sends comes back by its own subscription, unless the broker is asked not to."""
    looping = verdict(star(4), tmp_path)
    # The two meet at the hub, and are told as one.
    assert looping == [("MOM801", "east.conf", 5)]
    assert verdict(star(5), tmp_path) == []


def test_a_two_way_edge_of_emqx_loops(tmp_path: Path) -> None:
    edge = (
        'bridges.mqtt.up {\n  server = "hub.example:1883"\n'
        '  egress { local { topic = "#" }, remote { topic = "${topic}" } }\n'
        '  ingress { remote { topic = "#" }, local { topic = "${topic}" } }\n}\n'
    )
    assert verdict({"edge.conf": edge, "hub.conf": HUB}, tmp_path) == [("MOM801", "edge.conf", 4)]
    apart = edge.replace('remote { topic = "#" }', 'remote { topic = "down/#" }').replace(
        'local { topic = "#" }', 'local { topic = "up/#" }'
    )
    assert verdict({"edge.conf": apart, "hub.conf": HUB}, tmp_path) == []


def test_dialects_are_of_one_family(tmp_path: Path) -> None:
    """A Mosquitto that bridges to a NanoMQ that bridges back."""
    files = {
        "nano.conf": star(5)["east.conf"].replace("hub", "mosq").replace('{topic = "#"}', ""),
        "mosq.conf": "listener 1883\nconnection up\naddress nano.example:1883\ntopic # out\n",
    }
    assert verdict(files, tmp_path) == [("MOM801", "nano.conf", 4)]


def test_what_changes_nothing(tmp_path: Path) -> None:
    expected = verdict(star(4), tmp_path)
    for change in (
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text + "# the end\n// or not\nmqtt { max_packet_size = 1MB }\n",
        lambda text: text.replace("bridges.mqtt.up {", "bridges { mqtt { up {").replace("]\n}", "]\n}}}"),
        lambda text: text.replace(" = ", ": "),
    ):
        files = {name: change(text) for name, text in reversed(list(star(4).items()))}
        assert verdict(files, tmp_path) == expected


@pytest.mark.parametrize("sign", ["#", "//"])
def test_a_comment_silences(sign: str, tmp_path: Path) -> None:
    east = star(4)["east.conf"]
    above = east.replace("  subscription", f"  {sign} momlint: ignore[MOM801]\n  subscription")
    assert verdict({**star(4), "east.conf": above}, tmp_path) == []
    behind = east.replace('"#"}]', f'"#"}}] {sign} momlint: ignore[MOM8]')
    assert verdict({**star(4), "east.conf": behind}, tmp_path) == []


def test_import_says_the_same(tmp_path: Path) -> None:
    from momlint.cli.importing import import_files

    for version in (4, 5):
        told = [one[0] for one in verdict(star(version), tmp_path)]
        import_files([str(tmp_path / name) for name in star(version)], None, None, str(tmp_path / "all.yaml"))
        assert [one.code for one in lint_files([str(tmp_path / "all.yaml")], Options()).findings] == told


def test_an_included_file_is_read(tmp_path: Path) -> None:
    files = star(5)
    (tmp_path / "more.conf").write_text(star(4)["east.conf"])
    del files["east.conf"]
    files["nanomq.conf"] = 'include "more.conf"\n'
    assert [one[:2] for one in verdict(files, tmp_path)] == [("MOM801", "more.conf")]


# -- random estates against a simulation that knows nothing of momlint -------------------------------------------------


class _Bridge(NamedTuple):
    owner: str
    number: int
    remote: str
    quiet: bool
    forwards: list[str]
    subscribed: list[str]


def _simulate(bridges: list[_Bridge], at: str, topic: str) -> tuple[str, dict[tuple[str, str], int]]:
    """`quiet`: neither end sends back over a bridge what came by it."""
    arrived: Counter[tuple[str, str]] = Counter()
    start = (at, None)
    waiting: list[tuple[tuple[str, tuple[str, int] | None], frozenset[object]]] = [(start, frozenset({start}))]
    while waiting:
        (here, came), path = waiting.pop()
        for bridge in bridges:
            own = (bridge.owner, bridge.number) if bridge.quiet else None
            for source, target, filters in (
                (bridge.owner, bridge.remote, bridge.forwards),
                (bridge.remote, bridge.owner, bridge.subscribed),
            ):
                if source != here or (own is not None and own == came):
                    continue
                if not any(matches("mqtt", one, topic) for one in filters):
                    continue
                state = (target, own)
                if state in path:
                    return "loops", {}
                arrived[target, topic] += 1
                waiting.append((state, path | {state}))
    return "ends", dict(arrived)


@pytest.mark.parametrize("seed", range(examples(250)))
def test_copies_are_those_of_a_simulation(seed: int) -> None:
    rng = random.Random(f"nanomq {seed}")
    names = ["n1", "n2", "n3", "n4"][: rng.randint(2, 4)]
    bridges, files = [], {}
    for name in names:
        text = "mqtt { max_packet_size = 1MB }\n"
        for number in range(rng.choice([0, 1, 1, 2])):
            remote = rng.choice([one for one in names if one != name])
            filters = [
                [rng.choice(["#", "a/#", "a/+", "b", "+/b"]) for _ in range(rng.randint(0, 2))] for _ in range(2)
            ]
            bridge = _Bridge(name, number, remote, rng.random() < 0.7, *filters)
            bridges.append(bridge)
            forwards = ", ".join(f'"{one}"' for one in bridge.forwards)
            subscribed = "\n".join(f'{{topic = "{one}", qos = 1}}' for one in bridge.subscribed)
            text += (
                f'bridges.mqtt.b{number} {{ server = "mqtt-tcp://{remote}.example:1883"\n'
                f"proto_ver = {5 if bridge.quiet else 4}, forwards = [{forwards}]\nsubscription = [{subscribed}]\n}}\n"
            )
        files[f"{name}.conf"] = text
    relay = relay_of_files(files, "nanomq")
    for topic in ("a", "a/b", "b", "a/x/y"):
        for name in names:
            assert copies(relay, name, topic, twice=True) == _simulate(bridges, name, topic), (files, name, topic)
