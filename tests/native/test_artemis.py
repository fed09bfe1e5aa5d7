"""Artemis' ``broker.xml``: what becomes of it, by the manual and the source; copies against a simulation."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

import pytest

from momlint.cli import main
from momlint.findings import Finding, Severity
from momlint.lint import Options, lint_files
from momlint.native.artemis import read_artemis
from momlint.native.form import NativeFile
from momlint.native.reading import known_kind
from tests.budget import examples
from tests.native.artemis_model import HEAD, delivered, files_of, random_address, random_estate
from tests.native.judging import copies, relay_of_files
from tests.native.told import codes, verdict
from tests.native.told import told as told_in

#: The line on which what a test gives begins.
FIRST = 5


def broker(name: str, body: str, *peers: str) -> str:
    """A file as Artemis' own, which names these other brokers in its connectors, on one line."""
    connectors = "".join(f'<connector name="to-{one}">tcp://{one}.example:61616?x=y</connector>' for one in peers)
    return (
        f"{HEAD}<name>{name}</name><connectors>{connectors}</connectors>\n{body}\n"
        '<acceptors><acceptor name="all">tcp://0.0.0.0:61616?protocols=CORE,AMQP</acceptor></acceptors>\n'
        "</core>\n</configuration>\n"
    )


def policy(hops: int | None = 1, more: str = "", element: str = "address-policy", name: str = "news") -> str:
    limit = "" if hops is None else f' max-hops="{hops}"'
    return f'<{element} name="{name}"{limit}>\n<include address-match="news.#"/>{more}\n</{element}>\n'


def federation(*upstreams: str, policies: str, kind: str = "upstream", ref: str = "news") -> str:
    """Each upstream on two lines, then the policies."""
    streams = "".join(
        f'<{kind} name="{one}"><static-connectors><connector-ref>to-{one}</connector-ref></static-connectors>\n'
        f'<policy ref="{ref}"/></{kind}>\n'
        for one in upstreams
    )
    return f'<federations><federation name="f">\n{streams}{policies}</federation></federations>'


def over_amqp(*peers: str, hops: int | None = None, both: bool = False) -> str:
    """A connection over AMQP to each: four lines for a policy."""
    inside = policy(hops, element="local-address-policy", name="in")
    inside += policy(hops, element="remote-address-policy", name="out") if both else ""
    connections = "".join(
        f'<amqp-connection uri="tcp://{one}.example:5672?a=b" name="to-{one}"><federation>\n{inside}'
        "</federation></amqp-connection>\n"
        for one in peers
    )
    return f"<broker-connections>\n{connections}</broker-connections>"


def cluster(*peers: str, hops: int | None = 1, direct: bool = True, more: str = "") -> str:
    limit = "" if hops is None else f"<max-hops>{hops}</max-hops>"
    only = ' allow-direct-connections-only="true"' if direct else ""
    refs = "".join(f"<connector-ref>to-{one}</connector-ref>" for one in peers)
    return (
        f'<cluster-connections><cluster-connection name="c">{more}\n{limit}\n'
        f"<static-connectors{only}>{refs}</static-connectors></cluster-connection></cluster-connections>"
    )


def bridge(peer: str, address: str, forwarding: str = "", more: str = "") -> str:
    to = f"<forwarding-address>{forwarding}</forwarding-address>" if forwarding else ""
    return (
        f'<bridges><bridge name="to-{peer}">\n<queue-name>q</queue-name>{to}{more}\n'
        f"<static-connectors><connector-ref>to-{peer}</connector-ref></static-connectors></bridge></bridges>\n"
        f'<addresses><address name="{address}"><multicast><queue name="q"/></multicast></address></addresses>'
    )


def estate(folder: Path, files: dict[str, str], more: str) -> list[tuple[str, str, int]]:
    """What is told of files that a closed manifest names; no notes, nor what one publisher's topics leave idle."""
    for name, text in files.items():
        (folder / f"{name}.xml").write_text(text)
    manifest = folder / "estate.mom.yaml"
    lines = [f'  {one}: {{config: {one}.xml, kind: artemis, hosts: ["{one}.example"]}}\n' for one in files]
    manifest.write_text(f"momlint: 1\nclosed: true\nbrokers:\n{''.join(lines)}{more}\n")
    report = lint_files([str(manifest)], Options())
    assert report.failures == []
    return [
        (one.code, Path(one.file).name, one.span.start.line)
        for one in report.findings
        if one.severity is not Severity.NOTE and one.code != "MOM805"
    ]


def told_of(files: dict[str, str], folder: Path) -> list[Finding]:
    """All that is told of files without a manifest."""
    for name, text in files.items():
        (folder / name).write_text(text)
    return told_in(folder, list(files))


def read(body: str, *peers: str) -> NativeFile:
    return read_artemis(broker("edge", body, *peers).encode(), "edge.xml")


# -- federation of addresses -------------------------------------------------------------------------------------------


def mesh(hops: int | None) -> dict[str, str]:
    """Everybody has both others upstream. Line 8: the policy; line 9: what it includes."""
    return {
        f"{one}.xml": broker(one, federation(*peers, policies=policy(hops)), *peers)
        for one, peers in {"a": "bc", "b": "ac", "c": "ab"}.items()
    }


def ring(names: str, hops: int) -> dict[str, str]:
    """Everybody has the one before it upstream."""
    return {
        one: broker(one, federation(names[number - 1], policies=policy(hops)), names[number - 1])
        for number, one in enumerate(names)
    }


def test_a_mesh_of_one_hop_is_fine_and_of_two_gives_copies(tmp_path: Path) -> None:
    """The manual: "set max-hops=1", else "consumers will get multiple copies"; 0, or none, is one hop in the source."""
    assert verdict(mesh(1), tmp_path) == []
    assert verdict(mesh(None), tmp_path) == []
    assert verdict(mesh(0), tmp_path) == []
    (told,) = [one for one in told_of(mesh(2), tmp_path) if one.code == "MOM804"]
    assert told.help.startswith("lower the limit on hops here from 2 to 1, and on the other links likewise")
    assert {one[0] for one in verdict(mesh(-1), tmp_path)} == {"MOM801"}


@pytest.mark.parametrize("size", [3, 4, 5])
def test_a_ring_needs_one_hop_less_than_it_has_brokers(size: int, tmp_path: Path) -> None:
    """The manual: "max-hops to n - 1 … so that every address in the ring receives the message exactly once"."""
    names = "abcde"[:size]
    wanted = ", ".join(f"{{at: {one}, filter: news.#}}" for one in names)
    more = f"subscriptions: [{wanted}]\npublications: [{{at: a, filter: news.x}}]"
    assert estate(tmp_path, ring(names, size - 1), more) == []
    # One hop less loses the last one, at whose limit it is told; one more comes back to where it was published.
    assert estate(tmp_path, ring(names, size - 2), more) == [("MOM803", f"{names[-1]}.xml", FIRST + 3)]
    assert [one[0] for one in estate(tmp_path, ring(names, size), more)] == ["MOM804"]


def test_a_pair_of_two_hops_sends_messages_back(tmp_path: Path) -> None:
    files = {f"{one}.xml": broker(one, federation(other, policies=policy(2)), other) for one, other in ("ab", "ba")}
    assert [one[0] for one in verdict(files, tmp_path)] == ["MOM804"]
    report = lint_files([str(tmp_path / name) for name in files], Options())
    (told,) = [one for one in report.findings if one.code == "MOM804"]
    assert told.message == "`a` gets 2 copies of messages such as `news` from its own publishers"
    assert told.witness is not None
    assert told.witness.paths == ("a", "a → b → a")


def test_downstream_is_the_other_way(tmp_path: Path) -> None:
    """A downstream broker is told to pull from the one that has it in its file."""
    up = read(federation("hub", policies=policy()), "hub")
    down = read(federation("hub", policies=policy(), kind="downstream"), "hub")
    assert [(link.outward, link.max_hops, link.counter) for link in up.links] == [(False, 1, "address federation")]
    assert [link.outward for link in down.links] == [True]
    # Declared at both ends, it is two queues and two copies.
    files = {
        "a.xml": broker("a", federation("b", policies=policy(), kind="downstream"), "b"),
        "b.xml": broker("b", federation("a", policies=policy()), "a"),
    }
    assert [one[0] for one in verdict(files, tmp_path)] == ["MOM804"]


def test_policies_of_one_upstream_share_its_queue(tmp_path: Path) -> None:
    """The queue is called after federation, upstream and address, so the first policy has it: one copy."""
    both = policy() + policy(name="more").replace("news.#", "news.eu.#").replace("#", "#", 1)
    text = federation("a", policies=both).replace('<policy ref="news"/>', '<policy ref="news"/><policy ref="more"/>')
    files = {"a.xml": broker("a", ""), "b.xml": broker("b", text, "a")}
    # All that the second is for is the first one's.
    assert verdict(files, tmp_path) == [("MOM805", "b.xml", FIRST + 7)]
    sets = text.replace('<policy ref="news"/><policy ref="more"/>', '<policy ref="all"/>').replace(
        "</federation>", '<policy-set name="all"><policy ref="news"/><policy ref="more"/></policy-set></federation>'
    )
    assert [link.id for link in read(sets, "a").links] == ["f.a.news", "f.a.more"]


def test_what_is_excluded_and_what_without_an_include(tmp_path: Path) -> None:
    native = read(federation("hub", policies=policy(more='<exclude address-match="news.sport.#"/>')), "hub")
    assert [(one.filter, one.denied) for one in native.links[0].passes] == [("news.sport.#", True), ("news.#", False)]
    everything = federation("hub", policies='<address-policy name="news"/>\n')
    assert [one.filter for one in read(everything, "hub").links[0].passes] == ["#"]
    # Over AMQP nothing is included by itself.
    nothing = over_amqp("hub").replace('<include address-match="news.#"/>', "")
    assert [one[:2] for one in codes(read(nothing))] == [("MOM805", FIRST + 2)]
    assert verdict({"a.xml": broker("a", nothing)}, tmp_path) == [("MOM805", "a.xml", FIRST + 2)]


# -- over AMQP ---------------------------------------------------------------------------------------------------------


def test_over_amqp_pairs_and_hubs_are_safe(tmp_path: Path) -> None:
    """The manual: "the federation implementation will protect itself from looping messages"; so for a hub."""
    pair = {f"{one}.xml": broker(one, over_amqp(other)) for one, other in ("ab", "ba")}
    assert verdict(pair, tmp_path) == []
    one_side = {"a.xml": broker("a", over_amqp("b", both=True)), "b.xml": broker("b", "")}
    assert verdict(one_side, tmp_path) == []
    hub = {f"{one}.xml": broker(one, over_amqp("hub", both=True)) for one in ("a", "b", "c")}
    assert verdict({**hub, "hub.xml": broker("hub", "")}, tmp_path) == []


def test_over_amqp_a_triangle_goes_round_without_a_limit(tmp_path: Path) -> None:
    """The manual: without max-hops "messages would loop forever amongst the three brokers"; with 1 they do not."""
    peers = {"a": "bc", "b": "ac", "c": "ab"}
    files = {f"{one}.xml": broker(one, over_amqp(*others)) for one, others in peers.items()}
    assert [one[0] for one in verdict(files, tmp_path)] == ["MOM801"]
    assert (
        verdict({f"{one}.xml": broker(one, over_amqp(*others, hops=1)) for one, others in peers.items()}, tmp_path)
        == []
    )


def test_each_sort_of_federation_counts_its_own_hops(tmp_path: Path) -> None:
    """a, b over AMQP, c by address federation with one hop, d over AMQP with two: both limits are kept."""
    files = {
        "a": broker("a", ""),
        "b": broker("b", over_amqp("a", hops=1)),
        "c": broker("c", federation("b", policies=policy(1)), "b"),
        "d": broker("d", over_amqp("c", hops=2)),
    }
    more = "subscriptions: [{at: d, filter: news.#}]\npublications: [{at: a, filter: news.x}]"
    assert estate(tmp_path, files, more) == []
    # The second hop over AMQP is told where its limit is.
    files["d"] = broker("d", over_amqp("c", hops=1))
    assert estate(tmp_path, files, more) == [("MOM803", "d.xml", FIRST + 2)]


def test_a_sender_and_a_receiver_of_one_destination_are_a_loop(tmp_path: Path) -> None:
    """The manual: "Do not create a sender and a receiver to the same destination. This creates an infinite loop"."""
    both = (
        '<broker-connections><amqp-connection uri="tcp://b.example:5672" name="b">\n'
        '<sender address-match="orders.#"/>\n<receiver address-match="{}"/>\n</amqp-connection></broker-connections>'
    )
    files = {"a.xml": broker("a", both.format("orders.#")), "b.xml": broker("b", "")}
    assert [one[0] for one in verdict(files, tmp_path)] == ["MOM801"]
    files["a.xml"] = broker("a", both.format("answers.#"))
    assert verdict(files, tmp_path) == []


def test_a_bridge_over_amqp_puts_a_prefix_before_names() -> None:
    text = (
        '<broker-connections><amqp-connection uri="tcp://b.example:5672" name="b"><bridge name="x">\n'
        '<bridge-to-address name="out" remoteAddressPrefix="site."><include address-match="o.#"/></bridge-to-address>\n'
        '<bridge-from-address name="in"><include address-match="i.#"/>\n'
        '<property key="remoteAddressPrefix" value="site."/></bridge-from-address>\n'
        "</bridge></amqp-connection></broker-connections>"
    )
    native = read(text)
    assert [(link.outward, [one[:3] for one in link.passes]) for link in native.links] == [
        (True, [("o.#", "", "site.")]),
        (False, [("site.i.#", "site.", "")]),
    ]
    assert native.problems == []


# -- bridges -----------------------------------------------------------------------------------------------------------


def test_two_opposite_core_bridges_are_a_loop(tmp_path: Path) -> None:
    files = {f"{one}.xml": broker(one, bridge(other, "x.y"), other) for one, other in ("ab", "ba")}
    assert verdict(files, tmp_path) == [("MOM801", "b.xml", FIRST + 1)]
    files["a.xml"] = broker("a", bridge("b", "x.y", "x.z"), "b")
    assert verdict(files, tmp_path) == []
    files["b.xml"] = broker("b", bridge("a", "x.z", "x.y"), "a")
    assert [one[0] for one in verdict(files, tmp_path)] == ["MOM801"]


def test_a_divert_to_a_bridge_is_a_way_out(tmp_path: Path) -> None:
    """The manual: diverts and bridges together send on to other brokers. What is diverted has the bridge's address."""

    def both(peer: str, forwarding: str) -> str:
        divert = "<divert name='d'><address>x.y</address>\n<forwarding-address>{}</forwarding-address></divert>"
        return f"{bridge(peer, 'out.q', forwarding)}<diverts>{divert.format('out.q')}</diverts>"

    native = read(both("hub", ""), "hub")
    assert [one[:3] for one in native.links[0].passes] == [("out.q", "", ""), ("x.y", "x.y", "out.q")]
    assert native.problems == []
    # Sent back to the address that is diverted, it is a loop.
    files = {f"{one}.xml": broker(one, both(other, "x.y"), other) for one, other in ("ab", "ba")}
    assert [one[0] for one in verdict(files, tmp_path)] == ["MOM801"]
    files["a.xml"] = broker("a", both("b", "x.z"), "b")
    assert verdict(files, tmp_path) == []
    # Nobody publishes to the bridge's own address, which is no filter that nothing passes by.
    both_ways = {"a": broker("a", both("b", "x.z"), "b"), "b": broker("b", "")}
    for one, text in both_ways.items():
        (tmp_path / f"{one}.xml").write_text(text)
    (tmp_path / "estate.mom.yaml").write_text(
        "momlint: 1\nbrokers:\n  a: {config: a.xml}\n  b: {config: b.xml, hosts: [b.example]}\n"
        "subscriptions: [{at: b, filter: x.z}]\npublications: [{at: a, filter: x.y}]\n"
    )
    told = lint_files([str(tmp_path / "estate.mom.yaml")], Options()).findings
    assert [one.code for one in told if one.severity is not Severity.NOTE] == []


def test_whose_queue_a_bridge_takes_from() -> None:
    native = read(bridge("hub", "x.y", "x.z"), "hub")
    assert [one[:3] for one in native.links[0].passes] == [("x.y", "x.y", "x.z")]
    named = bridge("hub", "x.y").replace("<queue-name>q<", "<queue-name>far.off::q<")
    assert [one.filter for one in read(named, "hub").links[0].passes] == ["far.off"]
    unknown = bridge("hub", "x.y").replace('<queue name="q"/>', "")
    native = read(unknown, "hub")
    assert [one.filter for one in native.links[0].passes] == ["q"]
    assert [one[:2] for one in codes(native)] == [("MOM814", FIRST + 1)]


# -- clusters ----------------------------------------------------------------------------------------------------------

WANTED = "subscriptions: [{at: b, filter: x.#}, {at: c, filter: x.#}]\npublications: [{at: a, filter: x.y}]"


def test_a_chain_of_one_hop_does_not_reach_its_end(tmp_path: Path) -> None:
    """The manual: A → B → C wants a max-hops of 2, with which A knows of C's queues."""
    for first, second, expected in ((1, 1, ["MOM803"]), (2, 1, []), (1, 2, ["MOM803"]), (2, 2, [])):
        files = {
            "a": broker("a", cluster("b", hops=first), "b"),
            "b": broker("b", cluster("c", hops=second), "c"),
            "c": broker("c", ""),
        }
        assert [one[0] for one in estate(tmp_path, files, WANTED)] == expected, (first, second)


def test_connectors_of_a_cluster_are_seeds(tmp_path: Path) -> None:
    """Everybody names one other and all are a mesh of one hop: nothing is lost, nothing comes twice."""
    files = {one: broker(one, cluster(other, hops=None, direct=False), other) for one, other in ("ab", "bc", "ca")}
    assert estate(tmp_path, files, WANTED) == []
    # With too many hops in a ring a queue is known by the first way alone.
    files = {one: broker(one, cluster(other, hops=3), other) for one, other in ("ab", "bc", "ca")}
    assert estate(tmp_path, files, WANTED) == []
    # Whose load balancing is off sends nothing.
    off = "<message-load-balancing>OFF</message-load-balancing>"
    files["a"] = broker("a", cluster("b", hops=3, more=off), "b")
    assert [one[0] for one in estate(tmp_path, files, WANTED)] == ["MOM803", "MOM803"]


def test_a_cluster_is_for_addresses_that_begin_so(tmp_path: Path) -> None:
    files = {
        "a": broker("a", cluster("b", more="<address>y.,!y.secret.</address>"), "b"),
        "b": broker("b", cluster("a"), "a"),
    }
    wanted = "subscriptions: [{{at: b, filter: {0}}}]\npublications: [{{at: a, filter: {0}}}]"
    assert estate(tmp_path, files, wanted.format("y.x")) == []
    assert [one[0] for one in estate(tmp_path, files, wanted.format("x.x"))] == ["MOM803"]
    assert [one[0] for one in estate(tmp_path, files, wanted.format("y.secret.x"))] == ["MOM803"]


def test_a_cluster_hop_is_none_of_a_federation(tmp_path: Path) -> None:
    """b's cluster has what comes by federation; and what c publishes there goes on by it, over its one hop."""
    files = {
        "a": broker("a", federation("b", policies=policy(1)), "b"),
        "b": broker("b", federation("a", policies=policy(1)) + "\n" + cluster("c"), "a", "c"),
        "c": broker("c", cluster("b"), "b"),
    }
    more = (
        "subscriptions: [{at: a, filter: news.#}, {at: c, filter: news.#}]\n"
        "publications: [{at: a, filter: news.x}, {at: c, filter: news.y}]"
    )
    assert estate(tmp_path, files, more) == []


# -- reading -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "code", "marked"),
    [
        (federation("hub", policies=policy()).replace("to-hub", "to-nobody"), "MOM808", "to-nobody"),
        (federation("hub", policies=policy(), ref="olds"), "MOM808", "olds"),
        (federation("hub", policies=policy()).replace('"1"', '"one"'), "MOM813", "one"),
        (federation("hub", policies=policy()).replace('"1"', '"${HOPS}"'), "MOM814", "${HOPS}"),
        (federation("hub", policies=policy()).replace("max-hops", "max-hop"), "MOM814", '1">'),
        (federation("hub", policies=policy()).replace("news.#", "new*.#"), "MOM814", "new*.#"),
        (federation("hub", policies=policy() + '<queue-policy name="q"/>\n'), "MOM814", "<queue-policy"),
        (bridge("hub", "x", more="<filter string='a=1'/>"), "MOM814", "<filter"),
        (bridge("hub", "x.#", "y"), "MOM814", "y</for"),
        (bridge("hub", "x").replace("<queue-name>q</queue-name>", ""), "MOM813", "to-hub"),
        (over_amqp("hub").replace('uri="tcp://hub.example:5672?a=b" ', ""), "MOM813", "<amqp-connection"),
        (over_amqp("hub").replace("<federation>", "<mirror/><federation>"), "MOM814", "<mirror"),
        (over_amqp("hub").replace("<federation>", "<peer/><federation>"), "MOM814", "<peer"),
        ("<diverts><divert name='d'/><divert name='e'/></diverts>", "MOM814", "<divert "),
        (
            cluster("hub", more='<discovery-group-ref discovery-group-name="g"/>'),
            "MOM814",
            "<discovery-group-ref",
        ),
        (cluster("hub", more="<message-load-balancing>MAYBE</message-load-balancing>"), "MOM813", "MAYBE"),
        (cluster("hub", more="<address>eu</address>"), "MOM814", "eu<"),
        ('<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" href="a.xml"/>', "MOM814", "<xi:include"),
    ],
)
def test_what_is_told_where(body: str, code: str, marked: str) -> None:
    text = broker("edge", body, "hub")
    lines = text.split("\n")
    line = next(number for number in range(FIRST - 1, len(lines)) if marked in lines[number])
    assert codes(read_artemis(text.encode(), "edge.xml")) == [(code, line + 1, lines[line].index(marked) + 1)]


def test_unknown_elements_are_told_once() -> None:
    text = federation("hub", "other", policies=policy()).replace("</static-connectors>", "</static-connectors><new/>")
    assert [one[:2] for one in codes(read(text, "hub", "other"))] == [("MOM814", FIRST + 1)]


def test_where_it_is_no_xml(tmp_path: Path) -> None:
    text = broker("edge", federation("hub", policies=policy()).replace("</federation>", "</fed>", 1), "hub")
    native = read_artemis(text.encode(), "edge.xml")
    assert [one[0] for one in codes(native)] == ["MOM101"]
    assert codes(native)[0][1] == text[: text.index("</fed>")].count("\n") + 1
    bomb = '<!DOCTYPE a [<!ENTITY b "cc">]>\n<configuration xmlns="urn:activemq"><core/></configuration>'
    assert codes(read_artemis(bomb.encode(), "a.xml")) == [("MOM101", 1, 1)]
    assert verdict({"a.xml": bomb}, tmp_path) == [("MOM101", "a.xml", 1)]


def test_recognised_by_what_is_in_it() -> None:
    text = broker("edge", "").encode()
    assert known_kind("north/etc/broker.xml", text) == "artemis"
    assert known_kind("anything.xml", text.replace(b' xmlns="urn:activemq"', b"", 1)) == "artemis"
    assert known_kind("broker.xml", b'<broker xmlns="http://x"><networkConnectors/></broker>') == "activemq"
    assert known_kind("broker.xml", b"<configuration/>") is None


def test_who_is_who_without_a_manifest(tmp_path: Path) -> None:
    """By its folder, where `artemis create` has given it no name; by the connector that it hands to others."""
    text = broker("0.0.0.0", federation("b", policies=policy(-1)), "b")
    assert read_artemis(text.encode(), "x.xml").called is None
    own = "<connector name='me'>tcp://10.0.0.7:61616</connector></connectors>"
    second = broker("0.0.0.0", federation("a", policies=policy(-1)), "a").replace("</connectors>", own)
    second += ""
    second = second.replace("<federations>", cluster(more="<connector-ref>me</connector-ref>") + "<federations>")
    folders = {"a/etc": text.replace("b.example", "10.0.0.7"), "b/etc": second}
    for folder, content in folders.items():
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "broker.xml").write_text(content)
    report = lint_files([str(tmp_path / folder / "broker.xml") for folder in folders], Options())
    assert [one.code for one in report.findings if one.severity is Severity.ERROR] == ["MOM801"]
    assert "between `a` and `b`" in report.findings[0].message


@pytest.mark.parametrize(
    ("connector", "hosts"),
    [
        ("tcp://a.example:1?x=y;z=1", [("a.example", 1)]),
        ("(tcp://a:1,tcp://b:2)?ha=true", [("a", 1), ("b", 2)]),
        ("tcp://${host:a}:${port:7}", [("a", 7)]),
        ("\n  tcp://a:1 &amp;x\n", [("a", None)]),
        ("vm://0", []),
    ],
)
def test_what_a_connector_leads_to(connector: str, hosts: list[tuple[str, int | None]]) -> None:
    text = broker("edge", federation("hub", policies=policy()))
    text = text.replace("<connectors>", f'<connectors><connector name="to-hub">{connector}</connector>')
    native = read_artemis(text.encode(), "a.xml")
    assert [[(one.host, one.port) for one in link.addresses] for link in native.links] == ([hosts] if hosts else [])


def test_old_connectors_and_acceptors_have_parameters() -> None:
    params = '<factory-class>x</factory-class><param key="host" value="hub.example"/><param key="port" value="5445"/>'
    text = broker("edge", federation("hub", policies=policy()))
    text = text.replace("<connectors>", f'<connectors><connector name="to-hub">{params}</connector>')
    text = text.replace("</acceptors>", '<acceptor name="b"><param key="port" value="5446"/></acceptor></acceptors>')
    native = read_artemis(text.encode(), "a.xml")
    assert [(one.host, one.port) for one in native.links[0].addresses] == [("hub.example", 5445)]
    assert native.brokers[0].ports == {61616, 5446}


def test_alternatives_of_an_amqp_connection(tmp_path: Path) -> None:
    text = over_amqp("a").replace("a.example:5672?a=b", "a.example:5672?a=b#b.example:5672,c:1")
    assert [one.host for one in read(text).links[0].addresses] == ["a.example", "b.example", "c"]


def test_other_wildcards(tmp_path: Path) -> None:
    own = (
        "<wildcard-addresses><delimiter>/</delimiter><any-words>></any-words><single-word>+</single-word>"
        "</wildcard-addresses>"
    )
    text = own + federation("hub", policies=policy()).replace("news.#", "news/+/>")
    assert [one.filter for one in read(text, "hub").links[0].passes] == ["news.*.#"]


def test_what_changes_nothing(tmp_path: Path) -> None:
    expected = verdict(mesh(-1), tmp_path)
    assert [one[0] for one in expected] == ["MOM801"]
    for change in (
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text + "<!-- the end -->\n",
        lambda text: text.replace("</core>", "<security-settings><x y='1'>z</x></security-settings></core>"),
        lambda text: text.replace("<federations>", "<federations><!-- a -->"),
        lambda text: text.replace("<core xmlns=", "<c:core xmlns:c=").replace("</core", "</c:core"),
    ):
        assert verdict({name: change(text) for name, text in reversed(mesh(-1).items())}, tmp_path) == expected
    renamed = {
        f"x{name}": text.replace(".example", "x.example").replace("<name>", "<name>x").replace("tcp://", "tcp://x")
        for name, text in mesh(-1).items()
    }
    renamed = {name: text.replace("x.example", ".example") for name, text in renamed.items()}
    assert verdict(renamed, tmp_path) == [(code, f"x{file}", line) for code, file, line in expected]


def test_a_comment_silences(tmp_path: Path) -> None:
    files = mesh(-1)
    ((_, name, line),) = verdict(files, tmp_path)
    lines = files[name].split("\n")
    lines[line - 1] += " <!-- momlint: ignore[MOM801] agreed -->"
    files[name] = "\n".join(lines)
    assert verdict(files, tmp_path) == []


def test_a_closed_manifest_knows_everybody(tmp_path: Path) -> None:
    files = {"a": broker("a", federation("z", policies=policy()), "z")}
    assert [one[:2] for one in estate(tmp_path, files, "")] == [("MOM808", "a.xml")]


def test_a_manifest_from_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What `init` prints names them all, and a check of it says what a check of the files does."""
    files = mesh(-1)
    expected = verdict(files, tmp_path)
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    assert main(["init", "--from", "artemis", *files]) == 0
    manifest = capsys.readouterr().out
    (tmp_path / "all.mom.yaml").write_text(manifest)
    assert 'a: {config: a.xml, kind: artemis, hosts: ["tcp://a.example:61616"]}' in manifest
    assert manifest.endswith("closed: true\n")
    report = lint_files(["all.mom.yaml"], Options())
    assert [(one.code, one.file, one.span.start.line) for one in report.findings] == expected


def test_fix_leaves_its_files_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = mesh(2)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert main(["fix", str(tmp_path)]) == 0  # a warning is left, and no error
    assert "MOM804 is not mended" in capsys.readouterr().err
    assert {name: (tmp_path / name).read_text() for name in files} == files


def test_bridges_of_mqtt_lead_here(tmp_path: Path) -> None:
    """`plant/a` is `plant.a`; what comes by MQTT has made no hop of a federation."""
    edge = "connection up\naddress hub.example:1883\ntopic plant/# out 0\n"
    (tmp_path / "edge.conf").write_text(edge)
    (tmp_path / "hub.xml").write_text(broker("hub", ""))
    (tmp_path / "far.xml").write_text(
        broker("far", federation("hub", policies=policy()).replace("news", "plant"), "hub")
    )
    manifest = tmp_path / "estate.mom.yaml"
    manifest.write_text(
        "momlint: 1\nclosed: true\nbrokers:\n  edge: {config: edge.conf, kind: mosquitto}\n"
        "  hub: {config: hub.xml, kind: artemis, hosts: [hub.example]}\n"
        "  far: {config: far.xml, kind: artemis, hosts: [far.example]}\n"
        "subscriptions: [{at: far, filter: plant/#}]\npublications: [{at: edge, filter: plant/a}]\n"
    )
    assert [one.code for one in lint_files([str(manifest)], Options()).findings if one.code != "MOM501"] == []
    (tmp_path / "edge.conf").write_text(edge.replace("plant", "office"))
    told = [one.code for one in lint_files([str(manifest)], Options()).findings if one.severity is Severity.ERROR]
    assert told == ["MOM803"]


# -- against a simulation ----------------------------------------------------------------------------------------------


def test_copies_are_those_of_a_simulation() -> None:
    """Federations, bridges and clusters at random, message by message."""
    rng = random.Random("artemis")
    seen: Counter[str] = Counter()
    for _ in range(examples(200)):
        made = random_estate(rng)
        files = files_of(made)
        relay = relay_of_files(files, "artemis")
        for name in made.names:
            address = random_address(rng)
            expected = delivered(made, name, address)
            if expected is not None:
                found = copies(relay, name, address, twice=sum(expected[1].values()) < 8)
                assert found == expected, (files, name, address)
                seen[expected[0]] += 1
    assert seen["loops"] >= examples(20)
    assert seen["ends"] >= examples(200)
