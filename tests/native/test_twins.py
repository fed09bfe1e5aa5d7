"""Faults and their fine twins, which differ in one thing. Verdicts and lines are from manuals, not from momlint.

Each test is a pair, or several twins of one fault. Notes are left out, unless they are what a pair is about.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from momlint.findings import Severity
from momlint.lint import Options, lint_files
from tests.native.test_rabbitmq import binding, definitions, evt, exchange, policy, queue, upstream
from tests.native.told import verdict

#: What is told: the rule, the file, the line.
Verdict = list[tuple[str, str, int]]
Files = dict[str, str]


def manifest(files: Files, more: str, folder: Path) -> list[tuple[str, str, str, int]]:
    """What is told of files that a manifest names, notes too: severity, rule, file and line."""
    for name, text in files.items():
        (folder / name).write_text(text, newline="")
    brokers = ", ".join(f"{name.partition('.')[0]}: {{config: {name}}}" for name in files)
    (folder / "m.yaml").write_text(f"momlint: 1\nbrokers: {{{brokers}}}\n{more}")
    report = lint_files([str(folder / "m.yaml")], Options(ignore=("MOM501",)))
    assert report.failures == []
    return sorted((one.severity.value, one.code, Path(one.file).name, one.span.start.line) for one in report.findings)


def grave(told: list[tuple[str, str, str, int]]) -> Verdict:
    """Without severities, and without notes."""
    return [one[1:] for one in told if one[0] != Severity.NOTE.value]


# -- Mosquitto -------------------------------------------------------------------------------------------------------


def mosquitto(*bridges: tuple[str, ...]) -> str:
    """A file: bridges as (host, lines…); the lines of the first begin on line 4."""
    named = [f"connection to-{number}-{host}\naddress {host}.example\n" for number, (host, *_) in enumerate(bridges)]
    return "listener 1883\n" + "".join(
        head + "".join(f"{line}\n" for line in lines) for head, (_, *lines) in zip(named, bridges, strict=True)
    )


PARENT = {"edge.conf": mosquitto(("hub", "topic # both 0 old/ new/")), "hub.conf": mosquitto()}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        # `old` is `new/old` at the hub: BROKERS, "parent-level topics escape". Manuals write such lines.
        ("", [("note", "MOM812", "edge.conf", 4)]),
        ("publications: [{at: edge, filter: old/#}]\n", [("note", "MOM812", "edge.conf", 4)]),
        ("publications: [{at: edge, filter: old}]\n", [("warning", "MOM812", "edge.conf", 4)]),
        ("publications: [{at: hub, filter: new}]\n", [("warning", "MOM812", "edge.conf", 4)]),
        # It is published where it does not come by the line, or it is not.
        ("publications: [{at: hub, filter: old}, {at: edge, filter: old/a}]\n", []),
        ("publications: [{at: edge, filter: old/a/#}]\n", []),
    ],
)
def test_the_topic_that_a_prefix_is_named_after_escapes(
    more: str, expected: list[tuple[str, str, str, int]], tmp_path: Path
) -> None:
    assert manifest(PARENT, more, tmp_path) == expected


def test_a_pattern_that_leaves_the_parent_out(tmp_path: Path) -> None:
    files = {**PARENT, "edge.conf": mosquitto(("hub", "topic +/# both 0 old/ new/"))}
    assert manifest(files, "", tmp_path) == []


def test_push_and_pull(tmp_path: Path) -> None:
    """The same flow pushed and pulled is there twice; pushed both ways in one connection, once."""
    pull = {"a.conf": mosquitto(("hub", "topic t/# out")), "hub.conf": mosquitto(("a", "topic t/# in"))}
    assert verdict(pull, tmp_path) == [("MOM804", "hub.conf", 4)]
    assert verdict({**pull, "hub.conf": mosquitto(("a", "topic u/# in"))}, tmp_path) == []
    assert verdict({**pull, "a.conf": mosquitto(("hub", "topic # both"))}, tmp_path) == [("MOM801", "hub.conf", 4)]


def test_wildcards_leave_out_what_begins_with_a_dollar(tmp_path: Path) -> None:
    """MQTT 3.1.1, 4.7.2: so what comes of `$SYS` does not go back by `#`. By its own name it does."""
    back = {"a.conf": mosquitto(("b", "topic # out")), "b.conf": mosquitto(("a", "topic $SYS/# out"))}
    assert verdict(back, tmp_path) == []
    assert verdict({**back, "a.conf": mosquitto(("b", "topic $SYS/# out"))}, tmp_path) == [("MOM801", "b.conf", 4)]
    assert verdict({**back, "b.conf": mosquitto(("a", "topic SYS/# out"))}, tmp_path) == [("MOM801", "b.conf", 4)]
    # Read by characters, as prefixes without a slash are.
    glued = {"a.conf": mosquitto(("b", 'topic t/# out 0 "" p', "topic + out"))}
    for name, expected in (("$SYS", []), ("SYS", [("MOM801", "b.conf", 4)])):
        files = {**glued, "b.conf": mosquitto(("a", f"topic {name} out"))}
        assert verdict(files, tmp_path) == [*expected, ("MOM812", "a.conf", 4)]


#: What is wrong; the bridges of each file; what is told; and, of one file, what reads otherwise in the fine twin.
MOSQUITTO: list[tuple[str, dict[str, list[tuple[str, ...]]], Verdict, tuple[str, str, str]]] = [
    (
        "a/# matches a",
        {"a": [("b", "topic a/# out")], "b": [("a", "topic a out")]},
        [("MOM801", "b.conf", 4)],
        ("a", "a/#", "a/+"),
    ),
    (
        "+ and a word meet",
        {"a": [("b", "topic +/x out")], "b": [("a", "topic x/+ out")]},
        [("MOM801", "b.conf", 4)],
        ("b", "x/+", "x/+/+"),
    ),
    (
        "two pull",
        {"a": [("b", "topic # in")], "b": [("a", "topic # in")]},
        [("MOM801", "b.conf", 4)],
        ("b", "# in", "# in 0 x/ y/"),
    ),
    (
        "out by one connection and in by another",
        {"a": [("hub", "topic t/# out"), ("hub", "topic t/# in")], "hub": []},
        [("MOM801", "a.conf", 7)],
        ("a", "t/# in", "u/# in"),
    ),
    (
        "a ring of three",
        {"a": [("b", "topic # out")], "b": [("c", "topic # out")], "c": [("a", "topic # out")]},
        [("MOM801", "c.conf", 4)],
        ("c", "a.example", "d.example"),
    ),
    (
        "names that swap",
        {"a": [("b", "topic +/# out 0 x/ y/")], "b": [("a", "topic +/# out 0 y/ x/")]},
        [("MOM801", "b.conf", 4)],
        ("b", "0 y/", "0 z/"),
    ),
    (
        "a name that grows",
        {"a": [("b", 'topic # out 0 "" p/')], "b": [("a", "topic p/# out")]},
        [("MOM807", "b.conf", 4)],
        ("a", "# out", "+ out"),
    ),
    (
        "one topic there and back",
        {"a": [("b", 'topic "" out 0 here/x there')], "b": [("a", 'topic "" out 0 there here/x')]},
        [("MOM801", "b.conf", 4)],
        ("b", "here/x", "here/y"),
    ),
    (
        "a shared subscription comes back under its own name",
        {"a": [("b", "topic $share/g/t/# in")], "b": [("a", "topic t/# in")]},
        [("MOM801", "b.conf", 4)],
        ("b", "t/# in", "u/# in"),
    ),
    (
        "two connections overlap",
        {"a": [("hub", "topic t/# out"), ("hub", "topic t/+/x out")], "hub": []},
        [("MOM804", "a.conf", 7)],
        ("a", "topic t/# out", "topic t/+ out"),
    ),
    (
        "two ways of two hops",
        {
            "a": [("b", "topic # out"), ("c", "topic # out")],
            "b": [("d", "topic # out")],
            "c": [("d", "topic # out")],
            "d": [],
        },
        [("MOM804", "c.conf", 4)],
        ("c", "# out", '# out 0 "" c/'),
    ),
    (
        "a line with a prefix goes before those without",
        {"a": [("b", "topic t/# out", 'topic t/# out 0 "" p/')], "b": []},
        [("MOM805", "a.conf", 4)],
        ("a", "t/# out 0", "u/# out 0"),
    ),
    (
        "the wider line is first",
        {"a": [("b", 'topic t/# out 0 "" p/', 'topic t/a out 0 "" q/')], "b": []},
        [("MOM805", "a.conf", 5)],
        ("a", "t/# out", "t/+/+ out"),
    ),
    (
        "a prefix without a slash",
        {"a": [("b", 'topic t/# out 0 "" p')], "b": []},
        [("MOM812", "a.conf", 4)],
        ("a", '"" p', '"" p/'),
    ),
    (
        "a wildcard of NATS",
        {"a": [("b", "topic plant/> out")], "b": []},
        [("MOM806", "a.conf", 4)],
        ("a", "plant/>", "plant/#"),
    ),
    (
        "one client id",
        {
            "a": [("hub", "remote_clientid x", "topic a/# out")],
            "b": [("hub", "clientid x", "topic b/# out")],
            "hub": [],
        },
        [("MOM809", "b.conf", 4)],
        ("b", "clientid x", "clientid y"),
    ),
    (
        "a fault in one bridge leaves the others",
        {"a": [("hub", "topic # sideways"), ("b", "topic # out")], "b": [("a", "topic # out")], "hub": []},
        [("MOM801", "b.conf", 4), ("MOM813", "a.conf", 4)],
        ("a", "# sideways", "u out"),
    ),
]


@pytest.mark.parametrize("case", MOSQUITTO, ids=lambda case: case[0])
def test_mosquitto(
    case: tuple[str, dict[str, list[tuple[str, ...]]], Verdict, tuple[str, str, str]], tmp_path: Path
) -> None:
    _, bridges, expected, (name, old, new) = case
    files = {f"{one}.conf": mosquitto(*several) for one, several in bridges.items()}
    assert verdict(files, tmp_path) == expected
    assert old in files[f"{name}.conf"]
    files[f"{name}.conf"] = files[f"{name}.conf"].replace(old, new)
    left = [one for one in expected if one[0] == "MOM801"] if len(expected) > 1 else []
    assert verdict(files, tmp_path) == left


def test_a_shared_subscription_in_a_manifest(tmp_path: Path) -> None:
    """What it shares is what is wanted."""
    files = {"a.conf": mosquitto(("b", "topic t/# out")), "b.conf": mosquitto()}
    for filter_, expected in (("$share/g/t/+", []), ("$share/g/u/+", [("MOM803", "m.yaml", 4)])):
        more = f"publications: [{{at: a, filter: t/1}}]\nsubscriptions: [{{at: b, filter: {filter_}}}]\n"
        assert grave(manifest(files, more, tmp_path)) == expected


# -- ActiveMQ Classic ------------------------------------------------------------------------------------------------


def activemq(name: str, *connectors: str) -> str:
    """A file; the first connector is on line 2."""
    return "\n".join(
        [f'<broker brokerName="{name}"><networkConnectors>', *connectors, "</networkConnectors></broker>\n"]
    )


def to(host: str, more: str = "", inside: str = '<topic physicalName="&gt;"/>') -> str:
    """A connector, on one line."""
    lists = f"<dynamicallyIncludedDestinations>{inside}</dynamicallyIncludedDestinations>"
    uri = f"static:(tcp://{host}.example:61616)"
    return f'<networkConnector name="to-{host}" uri="{uri}" {more}>{lists}</networkConnector>'


EACH = 'conduitSubscriptions="false"'
TWO = """publications: [{at: edge, filter: prices}]
subscriptions: [{at: hub, filter: prices}, {at: hub, filter: prices}]
"""


@pytest.mark.parametrize(
    ("settings", "more", "expected"),
    [
        # One copy for each subscription: two get two.
        (EACH, TWO, [("warning", "MOM804", "edge.xml", 2)]),
        (EACH, TWO.replace("hub, filter: prices}]", 'hub, filter: "*"}]'), [("warning", "MOM804", "edge.xml", 2)]),
        # The same, for one; for two of different topics; and with one copy for all, which is the default.
        (EACH, TWO.replace("{at: hub, filter: prices}, ", ""), []),
        (EACH, TWO.replace("hub, filter: prices}]", "hub, filter: prices.x}]"), [("error", "MOM803", "m.yaml", 4)]),
        ('conduitSubscriptions="true"', TWO, []),
        ("", TWO, []),
    ],
)
def test_a_copy_for_each_subscription(
    settings: str, more: str, expected: list[tuple[str, str, str, int]], tmp_path: Path
) -> None:
    files = {"edge.xml": activemq("edge", to("hub", settings)), "hub.xml": activemq("hub")}
    # That it depends on who subscribes is told whether a manifest says so or not.
    noted = [("note", "MOM814", "edge.xml", 2)] if settings == EACH else []
    assert manifest(files, more, tmp_path) == sorted([*expected, *noted])
    assert manifest(files, "", tmp_path) == noted


def test_copies_for_each_subscription_multiply_along_a_chain(tmp_path: Path) -> None:
    """By hand: `hub` hears of two subscriptions of `far`, and sends each message twice; so does `edge` to `hub`."""
    wanted = TWO.replace("hub", "far")
    for first, second, copies in ((EACH, EACH, 4), ("", EACH, 2), (EACH, "", 1), ("", "", 1)):
        files = {
            "edge.xml": activemq("edge", to("hub", f'networkTTL="2" {first}')),
            "hub.xml": activemq("hub", to("far", f'networkTTL="2" {second}')),
            "far.xml": activemq("far"),
        }
        manifest(files, wanted, tmp_path)
        (report,) = [lint_files([str(tmp_path / "m.yaml")], Options(ignore=("MOM501", "MOM814")))]
        assert [one.data.get("copies") for one in report.findings] == ([copies] if copies > 1 else [])


def test_a_subscription_too_far_away_makes_no_copy(tmp_path: Path) -> None:
    """`edge` hears of those at `hub` and `far`; with a consumerTTL of 1, of the nearer one alone."""
    both = TWO.replace("{at: hub, filter: prices}]", "{at: far, filter: prices}]")
    for away, expected in (("2", [("MOM804", "edge.xml", 2)]), ("1", [])):
        files = {
            "edge.xml": activemq("edge", to("hub", f'messageTTL="2" consumerTTL="{away}" {EACH}')),
            "hub.xml": activemq("hub", to("far", 'networkTTL="2"')),
            "far.xml": activemq("far"),
        }
        assert grave(manifest(files, both, tmp_path)) == expected


def test_one_limit_of_a_mesh_too_high(tmp_path: Path) -> None:
    """Messages of `c` come to `a` and `b` over the other one too, by the connector of two hops."""
    for ttl, expected in (("2", [("MOM804", "a.xml", 2)]), ("1", [])):
        files = {
            "a.xml": activemq("a", to("b", f'duplex="true" networkTTL="{ttl}"'), to("c", 'duplex="true"')),
            "b.xml": activemq("b", to("c", 'duplex="true"')),
            "c.xml": activemq("c"),
        }
        assert verdict(files, tmp_path) == expected


@pytest.mark.parametrize(
    ("connector", "is_told"),
    [
        (to("hub", inside='<queue physicalName="work"/>'), True),
        ('<networkConnector uri="static:(tcp://hub:1)"/>', True),
        (to("hub"), False),
        ('<networkConnector staticBridge="true" uri="static:(tcp://hub:1)"/>', False),
    ],
)
def test_that_queues_are_not_judged_is_told(connector: str, is_told: bool, tmp_path: Path) -> None:
    files = {"edge.xml": activemq("edge", connector, connector.replace("hub", "other")), "hub.xml": activemq("hub")}
    told = [one for one in manifest(files, "", tmp_path) if one[0] == "note"]
    assert told == ([("note", "MOM814", "edge.xml", 2)] if is_told else [])


# -- nats-server -----------------------------------------------------------------------------------------------------

SYSTEM = "system_account: SYS"


def nats(name: str, *parts: str) -> str:
    """A file; the first part is on line 2."""
    return "\n".join([f'server_name: "{name}"', *parts, ""])


def cluster(name: str, *routes: str) -> str:
    seeds = ", ".join(f'"nats-route://{one}.example:6222"' for one in routes)
    return f'cluster {{ name: "{name}", listen: "0.0.0.0:6222", routes: [ {seeds} ] }}'


def gateway(name: str, other: str, host: str) -> str:
    remote = f'{{ name: "{other}", urls: ["nats://{host}.example:7222"] }}'
    return f'gateway {{ name: "{name}", listen: "0.0.0.0:7222", gateways: [ {remote} ] }}'


def uplinks(*hosts: str, more: str = "") -> str:
    remotes = ", ".join(f'{{ url: "nats-leaf://{one}.example:7422"{more} }}' for one in hosts)
    return f"leafnodes {{ remotes: [ {remotes} ] }}"


TAKES = 'leafnodes { listen: "0.0.0.0:7422" }'


def test_two_uplinks_to_servers_of_one_cluster(tmp_path: Path) -> None:
    """nats-server 2.9.10 detects the loop on both. As addresses of one uplink they are alternatives."""
    hubs = {"b.conf": nats("b", cluster("h", "c"), TAKES), "c.conf": nats("c", cluster("h", "b"), TAKES)}
    assert verdict({"a.conf": nats("a", uplinks("b", "c")), **hubs}, tmp_path) == [("MOM802", "a.conf", 2)]
    urls = 'leafnodes { remotes: [ { urls: ["nats-leaf://b.example:7422", "nats-leaf://c.example:7422"] } ] }'
    assert verdict({"a.conf": nats("a", urls), **hubs}, tmp_path) == []
    apart = {name: text.replace('"h"', f'"{name[0]}"').replace("nats-route", "x") for name, text in hubs.items()}
    apart = {
        name: text.replace('"x://c.example:6222"', "").replace('"x://b.example:6222"', "")
        for name, text in apart.items()
    }
    assert verdict({"a.conf": nats("a", uplinks("b", "c")), **apart}, tmp_path) == []


def test_leaf_nodes_and_gateways_make_a_tree_together(tmp_path: Path) -> None:
    """nats-server 2.9.10 detects a leaf node below two clusters that gateways join, and not two of them below a hub:
    there 2,000 copies of each message were counted in a second and a half.
    """
    east, west = gateway("east", "west", "b"), gateway("west", "east", "a")
    joined = {
        "a.conf": nats("a", cluster("east"), east, TAKES, SYSTEM),
        "b.conf": nats("b", cluster("west"), west, TAKES, SYSTEM),
    }
    assert verdict({**joined, "e.conf": nats("e", uplinks("a", "b"))}, tmp_path) == [("MOM802", "e.conf", 2)]
    assert verdict({**joined, "e.conf": nats("e", uplinks("a"))}, tmp_path) == []
    below = {
        "a.conf": nats("a", cluster("east"), east, uplinks("hub")),
        "b.conf": nats("b", cluster("west"), west, uplinks("hub")),
        "hub.conf": nats("hub", TAKES),
    }
    assert verdict(below, tmp_path) == [("MOM801", "b.conf", 4)]
    assert verdict({**below, "b.conf": nats("b", cluster("west"), west)}, tmp_path) == []
    alone = {name: text.replace(east, "").replace(west, "") for name, text in below.items()}
    assert verdict(alone, tmp_path) == []


def test_gateways_and_uplinks_hand_on_to_each_other(tmp_path: Path) -> None:
    """Asked of nats-server 2.9.10: everybody gets everybody's once. Servers of one cluster do not do that."""
    east, west = gateway("east", "west", "b"), gateway("west", "east", "a")
    files = {
        "a.conf": nats("a", cluster("east"), east, uplinks("hub")),
        "b.conf": nats("b", cluster("west"), west),
        "hub.conf": nats("hub", TAKES),
    }
    several = {"a.conf": nats("a", cluster("e", "b"), uplinks("hub")), "b.conf": nats("b", cluster("e", "a"))}
    for source, target in (("hub", "b"), ("b", "hub"), ("hub", "a"), ("a", "b")):
        more = f"publications: [{{at: {source}, filter: x}}]\nsubscriptions: [{{at: {target}, filter: x}}]\n"
        assert grave(manifest(files, more, tmp_path)) == []
        told = grave(manifest({**several, "hub.conf": files["hub.conf"]}, more, tmp_path))
        assert [one[0] for one in told] == (["MOM803"] if {source, target} == {"hub", "b"} else [])


def test_servers_of_a_cluster_with_uplinks_to_servers_of_another(tmp_path: Path) -> None:
    """Asked of nats-server 2.9.10: everybody gets everybody's once, whichever server each of them goes up to."""
    files = {
        "a.conf": nats("a", cluster("e", "b"), uplinks("h")),
        "b.conf": nats("b", cluster("e", "a"), uplinks("i")),
        "h.conf": nats("h", cluster("hub", "i"), TAKES),
        "i.conf": nats("i", cluster("hub", "h"), TAKES),
    }
    assert verdict(files, tmp_path) == []
    for source, target in (("a", "i"), ("b", "i"), ("h", "b"), ("i", "a")):
        more = f"publications: [{{at: {source}, filter: x}}]\nsubscriptions: [{{at: {target}, filter: x}}]\n"
        assert grave(manifest(files, more, tmp_path)) == []
    # Two clusters of one server each hear of each other over the hub's.
    files |= {"a.conf": nats("a", cluster("e"), uplinks("h")), "b.conf": nats("b", cluster("f"), uplinks("i"))}
    more = "publications: [{at: a, filter: x}]\nsubscriptions: [{at: b, filter: x}]\n"
    assert grave(manifest(files, more, tmp_path)) == []


def test_names_that_hubs_refuse(tmp_path: Path) -> None:
    """`remote leafnode has same cluster name`, says nats-server 2.9.10."""
    hub = {"hub.conf": nats("hub", cluster("h"), TAKES)}
    assert verdict({**hub, "a.conf": nats("a", cluster("h"), uplinks("hub"))}, tmp_path) == [("MOM810", "a.conf", 2)]
    assert verdict({**hub, "a.conf": nats("a", cluster("i"), uplinks("hub"))}, tmp_path) == []


def test_a_wrong_name_is_told_once(tmp_path: Path) -> None:
    """Of mutual routes the later one; of a gateway the one whose own name is wrong."""
    routes = {"a.conf": nats("a", cluster("k", "b")), "b.conf": nats("b", cluster("j", "a"))}
    assert verdict(routes, tmp_path) == [("MOM810", "b.conf", 2)]
    assert verdict({**routes, "b.conf": nats("b", cluster("j"))}, tmp_path) == [("MOM810", "a.conf", 2)]
    assert verdict({**routes, "b.conf": nats("b", cluster("k", "a"))}, tmp_path) == []
    west = nats("b", cluster("west"), gateway("west", "east", "a"))
    for name, expected in (("oost", [("MOM810", "a.conf", 3)]), ("east", [])):
        files = {"a.conf": nats("a", cluster("east"), gateway(name, "west", "b")), "b.conf": west}
        assert verdict(files, tmp_path) == expected


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        # Asked of nats-server 2.9.10, which says so when it starts.
        ((TAKES,), [("MOM813", "a.conf", 3)]),
        (("leafnodes { port: -1 }",), [("MOM813", "a.conf", 3)]),
        ((TAKES, "accounts { S { users: [{user: a, password: b}] } }", "system_account: S"), []),
        ((uplinks("far"),), []),
    ],
)
def test_gateways_and_leaf_nodes_want_a_system_account(
    parts: tuple[str, ...], expected: Verdict, tmp_path: Path
) -> None:
    assert verdict({"a.conf": nats("a", cluster("c"), gateway("c", "d", "d"), *parts)}, tmp_path) == expected


@pytest.mark.parametrize(
    ("takers", "expected"), [("[C]", [("MOM808", "s.conf", 4)]), ("[B]", []), ("[C, B]", []), ("[]", [])]
)
def test_exports_to_some_accounts(takers: str, expected: Verdict, tmp_path: Path) -> None:
    """`stream import not authorized`, says nats-server 2.9.10, and does not start."""
    text = nats(
        "s",
        "accounts {",
        f' A {{ users: [{{user: a, password: a}}], exports: [{{stream: "t.>", accounts: {takers}}}] }}',
        ' B { users: [{user: b, password: b}], imports: [{stream: {account: A, subject: "t.>"}}] }',
        " C { users: [{user: c, password: c}] }\n}",
    )
    assert verdict({"s.conf": text}, tmp_path) == expected


def test_an_uplinks_account_must_be_there(tmp_path: Path) -> None:
    """`cannot find local account "Z" specified in leafnode remote`, says nats-server 2.9.10."""
    for name, expected in (("Z", [("MOM808", "a.conf", 3)]), ("A", []), ('"$G"', [])):
        remote = f'leafnodes {{ remotes: [ {{ url: "nats-leaf://b.example", account: {name} }} ] }}'
        text = nats("a", "accounts { A { users: [{user: a, password: a}] } }", remote)
        assert verdict({"a.conf": text}, tmp_path) == expected


@pytest.mark.parametrize(
    ("part", "is_told"),
    [
        ("mappings { x: y }", True),
        ("accounts { A { users: [{user: a, password: a}], mappings: { x: y } } }", True),
        ('cluster { name: k, permissions { import: ["x.>"] } }', True),
        ("cluster { name: k }", False),
    ],
)
def test_what_is_not_followed_is_told(part: str, is_told: bool, tmp_path: Path) -> None:
    files = {"a.conf": nats("a", part, "port: 4222"), "b.conf": nats("b", TAKES)}
    assert manifest(files, "", tmp_path) == ([("note", "MOM814", "a.conf", 2)] if is_told else [])


def test_a_way_that_nothing_takes_is_no_dead_filter(tmp_path: Path) -> None:
    """An uplink has no filter that could be dead: what is denied is another matter, and so is a way back."""
    hub = {"b.conf": nats("b", TAKES)}
    topic = "topics: {x.1: {publishers: [a], subscribers: [b]}}\n"
    for more, expected in ((', deny_imports: ["x.>"]', []), (', deny_exports: ["x.>"]', [("MOM803", "a.conf", 2)])):
        files = {"a.conf": nats("a", uplinks("b", more=more)), **hub}
        assert grave(manifest(files, topic, tmp_path)) == expected


# -- RabbitMQ --------------------------------------------------------------------------------------------------------


def line_of(text: str, part: str, nth: int = 0) -> int:
    """The n-th line that has this in it, 1-based."""
    return [number for number, line in enumerate(text.split("\n"), 1) if part in line][nth]


@pytest.mark.parametrize(
    ("key", "is_told"),
    [
        ("plant.+.temp", True),
        ("plant.>", True),
        ("plant/+/temp", True),
        ("plant.*.temp", False),
        ("plant.#", False),
        ("plant.a+b", False),
    ],
)
def test_wildcards_of_others_in_bindings(key: str, is_told: bool, tmp_path: Path) -> None:
    """With and without a federation that makes the binding a subscription."""
    for kind in ("topic", "direct"):
        text = definitions("c", exchanges=[exchange("x", kind)], queues=[queue("q")], bindings=[binding("x", "q", key)])
        expected = [("MOM806", "c.json", line_of(text, f'"{key}"'))] if is_told and kind == "topic" else []
        assert verdict({"c.json": text}, tmp_path) == expected


def test_direct_exchanges_that_are_alternates_of_each_other(tmp_path: Path) -> None:
    """What neither routes is lost: one cause, told at the later of the two lines; where one takes all, nothing is."""
    for kinds, expected in (
        (("direct", "direct"), ["z"]),
        (("direct", "fanout"), []),
        (("direct", "direct", "direct"), ["z"]),
    ):
        names = ["x", "y", "z"][-len(kinds) :]
        ring = dict(zip(names, [*names[1:], names[0]], strict=True))
        exchanges = [
            exchange(name, kind, **{"alternate-exchange": ring[name]}) for name, kind in zip(names, kinds, strict=True)
        ]
        bound = [binding(name, "q", f"key-{name}") for name in names]
        text = definitions("c", exchanges=exchanges, queues=[queue("q")], bindings=bound)
        places = [line_of(text, f'"alternate-exchange": "{ring[name]}"') for name in expected]
        assert verdict({"c.json": text}, tmp_path) == [("MOM811", "c.json", place) for place in places]


def test_a_limit_is_no_dead_filter(tmp_path: Path) -> None:
    """In a ring of four with two hops `d` hears of `b`, and `c` does not: its upstream is for what others publish."""
    ring = {
        f"{one}.json": evt(one, upstream(other, f"amqp://{other}.example", max_hops=2))
        for one, other in ("ab", "bc", "cd", "da")
    }
    for target, expected in (("d", []), ("c", [("MOM803", "c.json", line_of(ring["c.json"], '"max-hops"'))])):
        more = f"publications: [{{at: b, filter: evt.k}}]\nsubscriptions: [{{at: {target}, filter: evt.k}}]\n"
        assert grave(manifest(ring, more, tmp_path)) == expected


def test_a_ring_of_federated_queues(tmp_path: Path) -> None:
    """A message in a queue moves to where it is consumed: nothing goes round, and no guard is needed for that."""
    federated = policy({"federation-upstream-set": "all"}, pattern="^work$", **{"apply-to": "queues"})
    ring = {
        f"{one}.json": definitions(
            one,
            queues=[queue("work")],
            policies=[federated],
            parameters=[upstream(other, f"amqp://{other}.example")],
        )
        for one, other in ("ab", "bc", "ca")
    }
    assert verdict(ring, tmp_path) == []


# -- files of several families, and manifests --------------------------------------------------------------------------


def test_what_comes_back_from_a_broker_of_another_family(tmp_path: Path) -> None:
    """Who bridges both ways to RabbitMQ gets its own once more, as its clients may be subscribed to anything."""
    queues = {"exchanges": [exchange("logs")], "queues": [queue("q")]}
    for line, expected in (("plant/# both", [("MOM804", "n.conf", 4)]), ("plant/# out", [])):
        for bound in ([], [binding("amq.topic", "q", "#")]):
            files = {
                "hq.json": definitions("hq", bindings=bound, **queues),
                "n.conf": mosquitto(("hq", f"topic {line}", "try_private false")),
            }
            assert grave(manifest(files, "", tmp_path)) == expected


def test_a_line_of_a_broker_that_stands_by_is_no_dead_filter(tmp_path: Path) -> None:
    """`c` has something to pass on once `b` has failed, if it is an alternative; else it never has."""
    files = {
        "a.conf": mosquitto(("b", "topic x out")),
        "b.conf": mosquitto(("d", "topic # out")),
        "c.conf": mosquitto(("d", "topic # out")),
        "d.conf": mosquitto(),
    }
    more = "publications: [{at: a, filter: x}]\nsubscriptions: [{at: d, filter: x}]\n"
    assert grave(manifest(files, more, tmp_path)) == [("MOM805", "c.conf", 4)]
    files["a.conf"] = files["a.conf"].replace("b.example", "b.example c.example")
    assert grave(manifest(files, more, tmp_path)) == []
