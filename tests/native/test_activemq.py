"""``activemq.xml``: what becomes a link, what is refused, and where. Verdicts by hand; copies against a simulation."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from momlint.findings import Severity
from momlint.lint import Options, lint_bytes, lint_files
from momlint.native.activemq import read_activemq
from momlint.native.form import NativeFile
from momlint.relayed.form import Need
from tests.budget import examples
from tests.native.judging import copies, relay_of_files
from tests.native.told import codes, verdict

HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def broker(name: str, connectors: str, port: int = 61616) -> str:
    """A file as ActiveMQ's own; the connectors begin on line 5."""
    return (
        f'{HEAD}<beans xmlns="http://www.springframework.org/schema/beans">\n'
        f'<broker xmlns="http://activemq.apache.org/schema/core" brokerName="{name}">\n'
        f"<networkConnectors>\n{connectors}</networkConnectors>\n"
        f'<transportConnectors><transportConnector uri="tcp://0.0.0.0:{port}"/></transportConnectors>\n'
        "</broker>\n</beans>\n"
    )


def to(host: str, more: str = "", inside: str = "", name: str | None = None) -> str:
    """A network connector."""
    uri = host if ":" in host else f"static:(tcp://{host}.example:61616)"
    return f'<networkConnector name="{name or "to-" + host}" uri="{uri}" {more}>{inside}</networkConnector>\n'


def listed(key: str, *names: str, kind: str = "topic") -> str:
    """A list of destinations."""
    return mixed(key, [(kind, name) for name in names])


def mixed(key: str, destinations: list[tuple[str, str]]) -> str:
    """A list of topics and queues."""
    inside = "".join(f'<{kind} physicalName="{name}"/>' for kind, name in destinations)
    return f"<{key}>{inside}</{key}>"


def read(connectors: str) -> NativeFile:
    """A file of one broker; that momlint does not judge queues is left out."""
    return of_topics(read_activemq(broker("edge", connectors).encode(), "edge.xml"))


def of_topics(native: NativeFile) -> NativeFile:
    """Without the note that queues are not judged."""
    native.problems = [one for one in native.problems if "in queues" not in one.message]
    return native


def passes(native: NativeFile) -> list[tuple[str, int | None, list[tuple[str, bool]]]]:
    return [(link.id, link.max_hops, [(one.filter, one.denied) for one in link.passes]) for link in native.links]


# -- what becomes a link ---------------------------------------------------------------------------------------------


def test_a_connector_leads_away_and_a_duplex_one_back_as_well() -> None:
    native = read(to("hub") + to("other", 'duplex="true" networkTTL="3"'))
    assert passes(native) == [
        ("to-hub.out", 1, [(">", False)]),
        ("to-other.out", 3, [(">", False)]),
        ("to-other.in", 3, [(">", False)]),
    ]
    assert [link.outward for link in native.links] == [True, True, False]
    assert [(one.host, one.port) for one in native.links[0].addresses] == [("hub.example", 61616)]
    assert native.called == "edge"
    assert native.problems == []


def test_the_limit_for_messages_goes_before_that_for_both_and_minus_one_is_none() -> None:
    native = read(to("a", 'networkTTL="2" messageTTL="4"') + to("b", 'consumerTTL="5"') + to("c", 'messageTTL="-1"'))
    assert [link.max_hops for link in native.links] == [4, 1, None]


def test_excluded_goes_first_then_static_then_dynamic() -> None:
    inside = listed("dynamicallyIncludedDestinations", "a.&gt;") + listed("staticallyIncludedDestinations", "s.x")
    native = read(to("hub", inside=inside + listed("excludedDestinations", "a.secret.>")))
    # What is static crosses whether anybody wants it or not, so it has a link of its own.
    assert [one[2] for one in passes(native)] == [
        [("a.secret.>", True), ("s.x", False)],
        [("a.secret.>", True), ("a.>", False)],
    ]
    assert [link.demand_hops for link in native.links] == [None, 1]


def test_without_a_dynamic_list_everything_passes_and_one_of_queues_is_one() -> None:
    queues = listed("dynamicallyIncludedDestinations", "work.>", kind="queue")
    assert passes(read(to("hub", inside=listed("excludedDestinations", "a"))))[0][2] == [("a", True), (">", False)]
    assert read(to("hub", inside=queues)).links == []
    assert passes(read(to("hub", inside=queues + listed("staticallyIncludedDestinations", "s"))))[0][2] == [
        ("s", False)
    ]


def test_an_excluded_queue_takes_no_topic_out() -> None:
    native = read(to("hub", inside=listed("excludedDestinations", "a.>", kind="queue")))
    assert passes(native)[0][2] == [(">", False)]


def test_a_static_bridge_asks_nobody() -> None:
    inside = listed("staticallyIncludedDestinations", "s.>") + listed("dynamicallyIncludedDestinations", "d")
    assert passes(read(to("hub", 'staticBridge="true"', inside)))[0][2] == [("s.>", False)]
    # So does one whose demand may come from nowhere.
    assert passes(read(to("hub", 'consumerTTL="0"', inside)))[0][2] == [("s.>", False)]


def test_one_destination_may_be_several_and_have_options() -> None:
    inside = listed("dynamicallyIncludedDestinations", "a.x, b.y?consumer.prefetchSize=1")
    assert passes(read(to("hub", inside=inside)))[0][2] == [("a.x", False), ("b.y", False)]


@pytest.mark.parametrize(
    ("uri", "hosts"),
    [
        ("static:(tcp://a:1,tcp://b:2)", [["a"], ["b"]]),
        ("static://(tcp://a:1)?maxReconnectDelay=5000&amp;useExponentialBackOff=false", [["a"]]),
        ("static:tcp://a:1,ssl://b:2", [["a"], ["b"]]),
        ("masterslave:(tcp://a:1,tcp://b:2)", [["a", "b"]]),
        ("static:(failover:(tcp://a:1,tcp://b:2)?randomize=false,nio://c:3)", [["a", "b"], ["c"]]),
        ("static:(masterslave:(tcp://a:1,tcp://b:2))", [["a", "b"]]),
        ("static:( tcp://a:1 ,\n tcp://b:2 )", [["a"], ["b"]]),
        ("tcp://a:1", [["a"]]),
        ("multicast://default", []),
        ("static:(vm://localhost)", []),
    ],
)
def test_whom_a_uri_leads_to(uri: str, hosts: list[list[str]]) -> None:
    native = read(to(uri, name="x"))
    assert [[one.host for one in link.addresses] for link in native.links] == hosts


def test_places_are_in_characters() -> None:
    text = broker("bäh", to("hub", inside="\n  " + listed("dynamicallyIncludedDestinations", "ü.>"))).replace(
        "\n", "\r\n"
    )
    native = read_activemq(text.encode(), "a.xml")
    link = native.links[0]
    assert (link.at.line, link.at.column, link.at.end_column) == (4, 0, len("<networkConnector"))
    assert link.passes[0].at[:4] == (5, 35, 5, 35 + len('<topic physicalName="ü.>'))
    line = text.split("\r\n")[4]
    assert (link.addresses[0].at.line, link.addresses[0].at.column) == (4, line.index("tcp://"))
    assert native.called == "bäh"


def test_an_old_encoding_that_the_file_names_is_read() -> None:
    text = broker("bäh", to("hub")).replace("UTF-8", "ISO-8859-1")
    native = of_topics(read_activemq(text.encode("latin-1"), "a.xml"))
    assert native.called == "bäh"
    assert native.problems == []


# -- what is wrong ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("connector", "code", "marked"),
    [
        ('<networkConnector name="x"/>\n', "MOM813", "<networkConnector "),
        (to("hub", 'duplex="maybe"'), "MOM813", "maybe"),
        (to("hub", 'networkTTL="2x"'), "MOM813", "2x"),
        (to("hub", 'networkTTL="${TTL}"'), "MOM814", "${TTL}"),
        (to("hub", 'networkTTL="0"'), "MOM805", '0"'),
        (to("static:()", name="x"), "MOM813", "static:()"),
        (to("hub", inside=mixed("excludedDestinations", []).replace("><", "><topic/><")), "MOM813", "<topic/>"),
        (to("hub", 'netwrokTTL="3"'), "MOM814", "3"),
        (to("hub", 'netwrokTTL="3"') + to("hub2", 'netwrokTTL="3"'), "MOM814", "3"),
        (to("multicast://default", name="x"), "MOM814", "multicast:"),
        ('<ldapNetworkConnector uri="ldap://x"/>\n', "MOM814", "<ldap"),
    ],
)
def test_what_is_told_where(connector: str, code: str, marked: str) -> None:
    assert codes(read(connector)) == [(code, 5, connector.replace("61616", "-----").index(marked) + 1)]


def test_a_fault_in_one_connector_leaves_the_others() -> None:
    native = read('<networkConnector name="x"/>\n' + to("hub"))
    assert [link.id for link in native.links] == ["to-hub.out"]


def test_a_document_type_is_refused_before_it_grows() -> None:
    bomb = '<!DOCTYPE lolz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;">]>\n<broker brokerName="&b;"/>'
    native = read_activemq(bomb.encode(), "a.xml")
    assert codes(native) == [("MOM101", 1, 1)]
    outside = '<!DOCTYPE x SYSTEM "file:///etc/passwd">\n<broker/>'
    assert codes(read_activemq(outside.encode(), "a.xml")) == [("MOM101", 1, 1)]


def test_where_it_is_no_xml() -> None:
    text = broker("edge", to("hub") + "<networkConnector\n").replace("</broker>", "</brokers>")
    native = of_topics(read_activemq(text.encode(), "a.xml"))
    assert [one[0] for one in codes(native)] == ["MOM101"]
    assert codes(native)[0][1] in (6, 7)
    # What was read to its end before that is known.
    assert [link.id for link in native.links] == ["to-hub.out"]


# -- whole estates, by hand ------------------------------------------------------------------------------------------


def test_a_pair_that_is_duplex_on_both_sides_is_fine(tmp_path: Path) -> None:
    """Seen on ActiveMQ 5.17.2: no duplicates."""
    files = {"a.xml": broker("a", to("b", 'duplex="true"')), "b.xml": broker("b", to("a", 'duplex="true"'))}
    assert verdict(files, tmp_path) == []


def ring(ttl: int, more: str = "") -> dict[str, str]:
    inside = listed("dynamicallyIncludedDestinations", "&gt;")
    return {
        f"{one}.xml": broker(one, to(other, f'duplex="true" networkTTL="{ttl}" {more}', inside))
        for one, other in ("ab", "bc", "ca")
    }


def test_a_triangle_of_more_than_one_hop_gives_two_copies(tmp_path: Path) -> None:
    """Seen on ActiveMQ 5.17.2: two copies with a TTL of 3; with one of 1 everybody hears everybody once."""
    assert [one[0] for one in verdict(ring(3), tmp_path)] == ["MOM804"]
    assert verdict(ring(1), tmp_path) == []


def test_what_changes_nothing(tmp_path: Path) -> None:
    expected = verdict(ring(3), tmp_path)
    assert [one[0] for one in expected] == ["MOM804"]
    for change in (
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text + "<!-- the end -->\n",
        lambda text: text.replace("</broker>", '<systemUsage/><plugins><x y="1"/></plugins></broker>'),
        lambda text: text.replace("<networkConnectors>", "<networkConnectors><!-- a -->"),
        lambda text: (
            text.replace("xmlns=", "xmlns:amq=").replace("<broker", "<amq:broker").replace("</broker", "</amq:broker")
        ),
    ):
        files = {name: change(text) for name, text in reversed(list(ring(3).items()))}
        assert verdict(files, tmp_path) == expected
    renamed = {
        f"x{name}": text.replace("a.example", "xa.example")
        .replace("b.example", "xb.example")
        .replace("c.example", "xc.example")
        .replace('brokerName="', 'brokerName="x')
        for name, text in ring(3).items()
    }
    assert verdict(renamed, tmp_path) == [(code, f"x{file}", line) for code, file, line in expected]


def test_a_filter_that_is_excluded_whole_is_dead(tmp_path: Path) -> None:
    inside = "\n" + listed("excludedDestinations", "a.>") + "\n" + listed("dynamicallyIncludedDestinations", "a.b", "c")
    files = {"a.xml": broker("a", to("b", inside=inside)), "b.xml": broker("b", "")}
    assert verdict(files, tmp_path) == [("MOM805", "a.xml", 7)]


def test_a_chain_needs_a_limit_that_grows(tmp_path: Path) -> None:
    """Link i from the publisher needs a limit of i: 1 and 2 deliver, 2 and 1 do not."""
    for first, second, expected in (("1", "2", []), ("2", "1", ["MOM803"])):
        files = {
            "a.xml": broker("a", to("b", f'messageTTL="{first}" consumerTTL="9"')),
            "b.xml": broker("b", to("c", f'messageTTL="{second}" consumerTTL="9"')),
            "c.xml": broker("c", ""),
        }
        for name, text in files.items():
            (tmp_path / name).write_text(text)
        manifest = tmp_path / "estate.mom.yaml"
        manifest.write_text(
            "momlint: 1\nclosed: true\nbrokers:\n"
            + "".join(f'  {one}: {{config: {one}.xml, hosts: ["{one}.example"]}}\n' for one in "abc")
            + "topics: {news.x: {publishers: [a], subscribers: [c]}}\n"
        )
        report = lint_files([str(manifest)], Options())
        assert [one.code for one in report.findings if one.severity is Severity.ERROR] == expected


def chain(folder: Path, first: str, second: str) -> str:
    """a → b → c, and what a publishes is wanted at c."""
    files = {"a": broker("a", to("b", first)), "b": broker("b", to("c", second)), "c": broker("c", "")}
    for name, text in files.items():
        (folder / f"{name}.xml").write_text(text)
    manifest = folder / "estate.mom.yaml"
    manifest.write_text(
        "momlint: 1\nclosed: true\nbrokers:\n"
        + "".join(f'  {one}: {{config: {one}.xml, hosts: ["{one}.example"]}}\n' for one in files)
        + "topics: {news.x: {publishers: [a], subscribers: [c]}}\n"
    )
    return str(manifest)


def test_a_chain_needs_word_of_subscriptions_at_its_far_end(tmp_path: Path) -> None:
    """A link at distance d from the consumer needs a consumerTTL of d; without one, networkTTL is it, and 1."""
    for first, second, expected in (
        ("", 'networkTTL="2"', [("MOM803", "a.xml", 5)]),
        ('consumerTTL="2"', 'networkTTL="2"', []),
        ('networkTTL="2"', 'messageTTL="2"', []),
        ('networkTTL="2"', 'messageTTL="2" consumerTTL="-1"', []),
        ('messageTTL="-1"', 'networkTTL="2"', [("MOM803", "a.xml", 5)]),
    ):
        report = lint_files([chain(tmp_path, first, second)], Options())
        errors = [one for one in report.findings if one.severity is Severity.ERROR]
        assert [(one.code, Path(one.file).name, one.span.start.line) for one in errors] == expected
        if errors:
            assert errors[0].help == "let this link hear of subscriptions 2 links away"


def test_a_detour_that_is_too_long_for_word_is_no_way() -> None:
    """a → b → c and a → d → e → b → c, where a does not hear of c by way of d."""
    text = """
momlint: 1
brokers: {a: , b: , c: , d: , e: }
routing: {protocol: relay, syntax: jms, guard: {visited: broker}}
links:
  - {id: ab, from: a, to: b, demand_hops: 2}
  - {id: bc, from: b, to: c, demand_hops: 1}
  - {id: ad, from: a, to: d, demand_hops: 3}
  - {id: de, from: d, to: e, demand_hops: 3}
  - {id: eb, from: e, to: b, demand_hops: 3}
topics: {news: {publishers: [a], subscribers: [c]}}
failures: {tolerate: {links: 1}}
"""
    report = lint_bytes(text.encode(), "estate.yaml", Options())
    # Away from the subscription, bc is the first link, ab and eb are the second, de is the third, and ad the fourth.
    cut = sorted(one.witness.cut for one in report.findings if one.code == "MOM502" and one.witness is not None)
    assert cut == [("ab",), ("bc",)]
    wider = text.replace("to: d, demand_hops: 3", "to: d, demand_hops: 4")
    report = lint_bytes(wider.encode(), "estate.yaml", Options())
    assert [one.witness.cut for one in report.findings if one.code == "MOM502" and one.witness] == [("bc",)]


def test_connectors_of_one_name_to_one_broker_clash(tmp_path: Path) -> None:
    """The second is refused: both come as ``NC_a_outbound``. To two brokers, or from two, they do not."""
    plain = '<networkConnector uri="static:(tcp://b.example:61616)"/>\n'
    queue = listed("dynamicallyIncludedDestinations", "q", kind="queue")
    two = plain + f'<networkConnector uri="static:(tcp://b.example:61616)">{queue}</networkConnector>\n'
    assert verdict({"a.xml": broker("a", two), "b.xml": broker("b", "")}, tmp_path) == [("MOM809", "a.xml", 6)]
    apart = plain + '<networkConnector uri="static:(tcp://c.example:61616)"/>\n'
    files = {"a.xml": broker("a", apart), "b.xml": broker("b", ""), "c.xml": broker("c", plain)}
    assert verdict(files, tmp_path) == []


def test_an_xml_comment_silences(tmp_path: Path) -> None:
    for comment in (
        "<!-- momlint: ignore[MOM804] on purpose -->\n<!-- and\n why -->\n",
        "<!-- momlint: ignore[MOM804] --> ",
        "<!-- momlint: ignore[MOM8] -->\n\n",
    ):
        files = {
            name: text.replace("<networkConnector ", comment + "<networkConnector ") for name, text in ring(3).items()
        }
        found = verdict(files, tmp_path)
        assert [one[0] for one in found] == ["MOM109", "MOM109"], found  # the other two have nothing to silence


def test_other_xml_is_no_estate(tmp_path: Path) -> None:
    (tmp_path / "pom.xml").write_text("<project><artifactId>momlint</artifactId></project>")
    from momlint.discover import is_estate

    assert not is_estate(str(tmp_path / "pom.xml"))
    (tmp_path / "broker.xml").write_text(broker("a", to("b")))
    assert is_estate(str(tmp_path / "broker.xml"))


# -- random estates against a simulation that knows nothing of momlint -------------------------------------------------


def _jms(pattern: str, topic: str) -> bool:
    words, names = pattern.split("."), topic.split(".")
    for place, word in enumerate(words):
        if word == ">" and place == len(words) - 1:
            return len(names) >= place
        if place >= len(names) or word not in ("*", names[place]):
            return False
    return len(words) == len(names)


class _Simulated:
    """Brokers that keep with a message where it has been, as ``brokerPath`` does. One consumer at each broker."""

    def __init__(self) -> None:
        self.connectors: list[tuple[str, str, int, dict[str, list[tuple[str, str]]]]] = []

    def may_pass(self, lists: dict[str, list[tuple[str, str]]], topic: str) -> bool:
        def has(key: str) -> bool:
            return any(kind == "topic" and _jms(name, topic) for kind, name in lists[key])

        if has("excludedDestinations"):
            return False
        if has("staticallyIncludedDestinations") or not lists["dynamicallyIncludedDestinations"]:
            return True
        return has("dynamicallyIncludedDestinations")

    def publish(self, at: str, topic: str) -> Counter[tuple[str, str]]:
        arrived: Counter[tuple[str, str]] = Counter()
        waiting: list[tuple[str, tuple[str, ...]]] = [(at, ())]
        while waiting:
            here, path = waiting.pop()
            to_whom = {
                target
                for source, target, ttl, lists in self.connectors
                if source == here
                and target not in path
                and (ttl < 0 or len(path) < ttl)
                and self.may_pass(lists, topic)
            }
            for target in to_whom:
                arrived[target, topic] += 1
                waiting.append((target, (*path, here)))
        return arrived


def _random_name(rng: random.Random, *, wild: bool) -> str:
    words = [rng.choice(["a", "b", "c", *(["*"] if wild else [])]) for _ in range(rng.randint(1, 3))]
    if wild and rng.random() < 0.4:
        words[-1] = ">"
    return ".".join(words)


@pytest.mark.parametrize("seed", range(examples(300)))
def test_copies_are_those_of_a_simulation(seed: int) -> None:
    rng = random.Random(f"activemq {seed}")
    names = [f"n{number}" for number in range(rng.randint(2, 5))]
    simulated = _Simulated()
    files = {}
    for name in names:
        text = ""
        for number in range(rng.randint(0, 3)):
            remotes = rng.sample([one for one in names if one != name], min(len(names) - 1, rng.randint(1, 2)))
            ttl = rng.choice([1, 1, 2, 3, -1])
            duplex = rng.random() < 0.4
            lists: dict[str, list[tuple[str, str]]] = {
                key: [
                    (rng.choice(["topic", "topic", "queue"]), _random_name(rng, wild=True))
                    for _ in range(rng.choice([0, 0, 1, 2]))
                ]
                for key in ("excludedDestinations", "staticallyIncludedDestinations", "dynamicallyIncludedDestinations")
            }
            order = list(lists)
            rng.shuffle(order)
            inside = "".join(mixed(key, lists[key]) + "\n" for key in order if lists[key])
            uri = f"static:({','.join(f'tcp://{one}.example:61616' for one in remotes)})"
            more = f'{"networkTTL" if rng.random() < 0.5 else "messageTTL"}="{ttl}"' if ttl != 1 else ""
            if duplex:
                more += ' duplex="true"'
            text += to(uri, more, inside, name=f"c{number}")
            for remote in remotes:
                simulated.connectors.append((name, remote, ttl, lists))
                if duplex:
                    simulated.connectors.append((remote, name, ttl, lists))
        files[f"{name}.xml"] = broker(name, text)
    relay = relay_of_files(files, "activemq")
    for _ in range(4):
        topic = _random_name(rng, wild=False)
        for name in names:
            expected = simulated.publish(name, topic)
            if sum(expected.values()) > 200:
                continue
            found = copies(relay, name, topic, twice=sum(expected.values()) < 20)
            assert found == ("ends", dict(expected)), (files, name, topic)


class _Listening(_Simulated):
    """Brokers that tell each other what is subscribed to, as advisories do: with all brokers that the word came by.

    A static connector is a subscription itself, of the broker that it begins at.
    """

    def __init__(self) -> None:
        super().__init__()
        #: By connector, in their order: as far away a subscription may be.
        self.consumer_ttl: list[int] = []

    def is_static(self, number: int, topic: str) -> bool:
        lists = self.connectors[number][3]
        return any(kind == "topic" and _jms(name, topic) for kind, name in lists["staticallyIncludedDestinations"])

    def hears(self, number: int, topic: str, path: tuple[str, ...]) -> bool:
        """Whether word that came by these brokers is told over a connector, against its way."""
        source, target, _, lists = self.connectors[number]
        near = self.consumer_ttl[number] < 0 or len(path) <= self.consumer_ttl[number]
        return target == path[-1] and source not in path and near and self.may_pass(lists, topic)

    def is_asked(self, number: int, topic: str, subscribed: dict[str, set[str]]) -> bool:
        """Whether word of a subscription comes to where a connector begins and over it, along any way at all."""
        source = self.connectors[number][0]
        starts = {name for name, topics in subscribed.items() if topic in topics}
        starts |= {one[0] for other, one in enumerate(self.connectors) if self.is_static(other, topic)}

        def comes(path: tuple[str, ...]) -> bool:
            return self.hears(number, topic, path) or any(
                comes((*path, one[0]))
                for other, one in enumerate(self.connectors)
                if one[0] != source and not self.is_static(other, topic) and self.hears(other, topic, path)
            )

        return self.is_static(number, topic) or any(comes((one,)) for one in starts if one != source)

    def delivered(self, at: str, topic: str, subscribed: dict[str, set[str]]) -> Counter[tuple[str, str]]:
        """The copies that come to brokers, whoever wants them there."""
        asked = [self.is_asked(number, topic, subscribed) for number in range(len(self.connectors))]
        kept, self.connectors = self.connectors, [one for one, by in zip(self.connectors, asked, strict=True) if by]
        try:
            return self.publish(at, topic)
        finally:
            self.connectors = kept


@pytest.mark.parametrize("seed", range(examples(300)))
def test_subscriptions_are_heard_of_as_far_as_consumer_ttl_says(seed: int) -> None:
    rng = random.Random(f"consumers {seed}")
    names = [f"n{number}" for number in range(rng.randint(2, 5))]
    topics = ["a", "a.b", "c"]
    listening, files = _Listening(), {}
    for name in names:
        text = ""
        for number in range(rng.randint(0, 2)):
            remote = rng.choice([one for one in names if one != name])
            ttl, away = rng.choice([1, 2, 3, -1]), rng.choice([1, 1, 2, 3, -1])
            duplex = rng.random() < 0.6
            lists: dict[str, list[tuple[str, str]]] = {
                "excludedDestinations": [],
                "staticallyIncludedDestinations": [("topic", "c")] if rng.random() < 0.15 else [],
                "dynamicallyIncludedDestinations": [("topic", rng.choice(["a.>", "a", "*.b", "c"]))]
                if rng.random() < 0.25
                else [],
            }
            inside = "".join(mixed(key, some) + "\n" for key, some in lists.items() if some)
            more = f'messageTTL="{ttl}" consumerTTL="{away}"'
            if away == ttl:
                more = f'networkTTL="{ttl}"'
            more += ' duplex="true"' * duplex
            text += to(f"static:(tcp://{remote}.example:61616)", more, inside, name=f"c{number}")
            for source, target in ((name, remote), (remote, name))[: 1 + duplex]:
                listening.connectors.append((source, target, ttl, lists))
                listening.consumer_ttl.append(away)
        files[f"{name}.xml"] = broker(name, text)
    relay = relay_of_files(files, "activemq")
    for _ in range(4):
        subscribed: dict[str, set[str]] = {}
        for _ in range(rng.randint(1, 3)):
            subscribed.setdefault(rng.choice(names), set()).add(rng.choice(topics))
        wanted = tuple(
            Need(relay.names.index(name), relay.language.topic(topic), topic, relay.estate.place)
            for name in sorted(subscribed)
            for topic in sorted(subscribed[name])
        )
        listened = replace(relay, wanted=wanted, declared=True)
        for name in names:
            topic = rng.choice(topics)
            expected = listening.delivered(name, topic, subscribed)
            found = copies(listened, name, topic, twice=sum(expected.values()) < 20)
            assert found == ("ends", dict(expected)), (files, subscribed, name, topic)
