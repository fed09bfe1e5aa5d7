"""ActiveMQ Classic's ``activemq.xml``: the network connectors of a broker become links for topics.

A connector passes on what somebody at the other end wants, as far as its lists allow: excluded destinations first, then
those that are included statically, then dynamically; no dynamic list means all. Of queues only that is read: a message
in a queue goes to one consumer, so that there are no copies of it to go round or to arrive twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from momlint.native.addresses import ANY_HOST, read_address
from momlint.native.form import TOP, Address, At, Broker, Client, Link, NativeFile, Pass, Token
from momlint.native.text import read_text
from momlint.native.xml_syntax import Element, read_xml
from momlint.native.xml_values import Values

_DECLARED: Final = re.compile(rb"""\s*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w.-]+)["']""")
#: Encodings whose every byte is a character, which UTF-8 is not told from.
_OLD_ENCODINGS: Final = frozenset(("iso-8859-1", "latin1", "latin-1", "windows-1252", "cp1252", "iso-8859-15"))

#: How far away a subscription may be where that is not limited: farther than any broker is.
_ANYWHERE = 1_000_000
_KNOWN_TEXT: Final = """
    advisoryAckPercentage advisoryForFailedForward advisoryPrefetchSize alwaysSyncSend autoStart bridgeFactory
    bridgeTempDestinations brokerName brokerService brokerURL checkDuplicateMessagesOnDuplex clientIdToken
    conduitNetworkQueueSubscriptions conduitSubscriptions connectionFilter consumerPriorityBase consumerTTL
    decreaseNetworkConsumerPriority deleteOnShutdown destinationFilter discoveryAgent dispatchAsync duplex
    durableDestinations dynamicOnly forceDurableSubscriptions gcDestinationViews gcSweepTime id localUri messageTTL name
    networkTTL objectName password prefetchSize remotePassword remoteUserName staticBridge sslContext
    suppressDuplicateQueueSubscriptions suppressDuplicateTopicSubscriptions syncDurableSubs uri
    useBrokerNameAsIdSees useCompression useVirtualDestSubs userName virtualDestinations lang base schemaLocation space
    dynamicallyIncludedDestinations excludedDestinations staticallyIncludedDestinations
"""
_KNOWN: Final = frozenset(_KNOWN_TEXT.split())
_LISTS: Final = ("excludedDestinations", "staticallyIncludedDestinations", "dynamicallyIncludedDestinations")
_KNOWN_CHILDREN: Final = frozenset((*_LISTS, "durableDestinations", "filterFactory", "bridgeFactory", "sslContext"))

_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:(?://)?")
#: Ways to find brokers that are told at run time only.
_DISCOVERIES: Final = ("multicast", "zeroconf", "discovery", "rendezvous", "http", "https", "ldap", "peer", "fanout")

#: What a broker is called where its file does not say.
UNNAMED: Final = "localhost"


@dataclass(slots=True)
class _Lists:
    """Destinations of a connector by list, the topics of each; `dynamic_given`: it names any, if only queues.

    `queues`: where it names the first that may cross.
    """

    excluded: list[Token] = field(default_factory=list)
    static: list[Token] = field(default_factory=list)
    dynamic: list[Token] = field(default_factory=list)
    dynamic_given: bool = False
    queues: At | None = None


def read_activemq(data: bytes, file: str) -> NativeFile:
    """Read an ``activemq.xml``. Raises nothing on account of the bytes."""
    text, problems, is_text = read_text(_in_utf8(data), file)
    native = NativeFile("activemq", [(file, text)], problems=problems)
    if is_text:
        _Reader(native).run()
    if not native.brokers:
        native.brokers.append(Broker("", TOP))
    return native


def _in_utf8(data: bytes) -> bytes:
    declared = _DECLARED.match(data)
    name = declared[1].decode("ascii").lower() if declared else ""
    return data.decode(name, "replace").encode() if name in _OLD_ENCODINGS else data


class _Reader(Values):
    placeholder = re.compile(r"[$#]\{")
    true = frozenset(("true", "on", "yes", "1"))
    false = frozenset(("false", "off", "no", "0"))

    def __init__(self, native: NativeFile) -> None:
        super().__init__(native)
        self.ids: set[str] = set()

    def run(self) -> None:
        root = read_xml(self.native)
        found = [one for one in root.all("broker") if one.closed or one.children]
        called = [one.attributes.get("brokerName") for one in found]
        names = [UNNAMED if name is None or not name.text else name.text for name in called]
        for number, one in enumerate(found):
            name = names[number]
            given = not self.placeholder.search(name) and name != UNNAMED
            if len(found) == 1:
                key = ""
                self.native.called = name if given else None
            else:
                key = name if given and names.count(name) == 1 else f"{number + 1}"
            written = called[number]
            broker = Broker(key, one.at if written is None else written.at)
            self.native.brokers.append(broker)
            self.listeners(one, broker)
            for element in _connectors(one):
                if element.name == "networkConnector":
                    self.connector(element, broker, name)
                else:
                    self.note(element.name, element.at, f"momlint does not see which brokers a `{element.name}` finds")

    def listeners(self, broker: Element, into: Broker) -> None:
        for element in broker.all("transportConnector"):
            value = element.attributes.get("uri")
            if value is None:
                continue
            address = read_address(value.text.partition("?")[0], value.at)
            if address.port is not None:
                into.ports.add(address.port)
            if address.host not in ANY_HOST and not self.placeholder.search(address.host):
                into.hosts.add(address.host)

    # -- a connector -------------------------------------------------------------------------------------------------

    def connector(self, element: Element, broker: Broker, broker_name: str) -> None:
        if not element.closed:
            return  # the file ends within it, which is told
        for key, value in element.attributes.items():
            if key not in _KNOWN:
                self.note(key, value.at, f"momlint does not know `{key[:80]}` of a network connector")
        for child in element.children:
            if child.name not in _KNOWN_CHILDREN:
                self.note(child.name, child.at, f"momlint does not know `{child.name[:80]}` of a connector")
        uri = self.uri_of(element, "network connector", "static:(tcp://host:61616)")
        if uri is None:
            return
        remotes = self.remotes(uri)
        duplex = self.flag(element, "duplex", default=False)
        ttl = self.number(element, "networkTTL", 1)
        hops = self.number(element, "messageTTL", ttl)
        away = self.number(element, "consumerTTL", ttl)
        static_only = self.flag(element, "staticBridge", default=False) or away == 0
        if not self.flag(element, "autoStart", default=True):
            return
        lists = self.lists(element)
        passes = list(_passes(lists, element.at, static_only=static_only))
        # What goes across whether anybody wants it or not.
        fixed = len(passes) if static_only else len(lists.excluded) + len(lists.static)
        if hops == 0:
            value = element.attributes.get("messageTTL") or element.attributes["networkTTL"]
            self.native.report(
                "MOM805",
                value.at,
                "with a TTL of 0 nothing crosses this connector",
                "1 lets messages cross it that are published here; leave it out for that",
                label="nothing passes",
            )
            return
        conduit = self.conduit(element)
        if lists.queues is not None or not (lists.dynamic_given or static_only):
            self.note(
                "queues",
                lists.queues or element.at,
                "messages in queues cross this connector, of which momlint judges nothing: it follows topics",
                "one consumer gets such a message, so that there are no copies; see that there are ways to consumers",
            )
        name = element.attributes.get("name")
        called = name.text if name is not None and name.text else "NC"
        for remote in remotes:
            group = self.free(called)
            client_at = name.at if name is not None else element.at
            if not self.placeholder.search(called + broker_name):
                self.native.clients.append(
                    Client(
                        f"{called}_{broker_name}_outbound",
                        True,
                        remote[0],
                        client_at,
                        "so that the second is refused",
                        "give each network connector a `name` of its own, and each broker a `brokerName`",
                    )
                )
            if all(one.denied for one in passes):
                continue
            for outward in (True, False) if duplex else (True,):
                way = "out" if outward else "in"
                for kind, some, heard in _by_demand(passes, fixed, _ANYWHERE if away < 0 else away):
                    self.native.links.append(
                        Link(
                            f"{group}.{way}{kind}",
                            broker.key,
                            outward,
                            element.at,
                            some,
                            list(remote),
                            connection=group,
                            max_hops=None if hops < 0 else hops,
                            demand_hops=heard,
                            per_subscription=heard is not None and not conduit,
                        )
                    )

    def conduit(self, element: Element) -> bool:
        """Whether one copy crosses for all who subscribe; where not, it depends on their number, which is told."""
        value = element.attributes.get("conduitSubscriptions")
        one_for_all = self.flag(element, "conduitSubscriptions", default=True)
        if value is not None and not one_for_all:
            self.native.report(
                "MOM814",
                value.at,
                "a copy crosses this connector for each subscription behind it: of two, each gets both",
                "leave it out; or name all subscriptions in a manifest, where momlint counts them (MOM804)",
            )
        return one_for_all

    def free(self, wanted: str) -> str:
        name, number = wanted, 2
        while name in self.ids:
            name, number = f"{wanted} #{number}", number + 1
        self.ids.add(name)
        return name

    def remotes(self, uri: Token) -> list[list[Address]]:
        """Whom a URI leads to; the addresses of each are alternatives. One that is found at run time is told."""
        found: list[list[Address]] = []
        for part in _parts(uri, "static", "simple") or [uri]:
            scheme = _scheme_of(part.text)
            if scheme in _DISCOVERIES:
                self.note(f"{scheme}:", part.at, f"`{scheme}:` finds brokers at run time; momlint does not see which")
                continue
            several = [
                read_address(inner.text, inner.at)
                for one in _parts(part, "masterslave", "failover")
                for inner in _parts(one, "failover", "static")
            ]
            several = [address for address in several if address.host and _scheme_of(address.text) != "vm"]
            if several:
                found.append(several)
            elif _scheme_of(part.text) != "vm":
                self.native.report(
                    "MOM813",
                    part.at,
                    f"`{part.text[:80]}` names no broker; the connector leads nowhere",
                    'write `uri="static:(tcp://host:61616)"`',
                    label="no address",
                )
        return found

    def lists(self, element: Element) -> _Lists:
        lists = _Lists()
        into = dict(zip(_LISTS, (lists.excluded, lists.static, lists.dynamic), strict=True))
        for child in element.children:
            if child.name not in into:
                continue
            for one in child.children:
                if child.name == "dynamicallyIncludedDestinations":
                    lists.dynamic_given = True
                if one.name not in ("topic", "queue", "tempTopic", "tempQueue"):
                    self.note(one.name, one.at, f"momlint does not know the destination `{one.name[:80]}`")
                    continue
                value = one.attributes.get("physicalName")
                if value is None or not value.text:
                    self.native.report(
                        "MOM813",
                        one.at,
                        "this destination has no `physicalName`; it matches nothing",
                        f'write `<{one.name} physicalName="…"/>`',
                        label="matches nothing",
                    )
                elif one.name == "queue" and child.name != "excludedDestinations":
                    lists.queues = lists.queues or one.at.to(value.at)
                elif one.name == "topic":
                    into[child.name] += [Token(name, one.at.to(value.at)) for name in _names(value.text)]
        return lists

    # -- values ------------------------------------------------------------------------------------------------------

    def flag(self, element: Element, key: str, *, default: bool) -> bool:
        return self.truth(key, element.attributes.get(key), default=default)

    def number(self, element: Element, key: str, default: int) -> int:
        return self.whole(key, element.attributes.get(key), default)


def _connectors(broker: Element) -> Iterator[Element]:
    """The network connectors of a broker."""
    for element in broker.all("networkConnectors", "networkConnector"):
        if element.name == "networkConnector":
            yield element
        else:
            yield from (child for child in element.children if child.name.lower().endswith("networkconnector"))


def _passes(lists: _Lists, at: At, *, static_only: bool) -> Iterator[Pass]:
    for one in lists.excluded:
        yield Pass(one.text, "", "", one.at, denied=True)
    for one in lists.static:
        yield Pass(one.text, "", "", one.at)
    if static_only:
        return
    for one in lists.dynamic:
        yield Pass(one.text, "", "", one.at)
    if not lists.dynamic_given:
        yield Pass(">", "", "", at)


def _by_demand(passes: Sequence[Pass], fixed: int, heard: int) -> Iterator[tuple[str, list[Pass], int | None]]:
    """What goes across anyway, the first `fixed` entries, apart from what somebody must want; each less the excluded.

    Each with what its link is called beside the other, and how far away a subscription may be.
    """
    always = any(not one.denied for one in passes[:fixed])
    if fixed == len(passes):
        yield "", list(passes), None
        return
    if always:
        yield " static", list(passes[:fixed]), None
    # What is fixed is carried already, if both are.
    yield "", [one for number, one in enumerate(passes) if one.denied or number >= fixed], heard


def _names(written: str) -> list[str]:
    """The names in a ``physicalName``: a list of them is one destination; what is behind ``?`` are options."""
    names = []
    for one in written.split(","):
        name = one.strip().partition("?")[0]
        name = name.removeprefix("topic://")
        if name:
            names.append(name)
    return names


# -- addresses of several brokers --------------------------------------------------------------------------------------


def _scheme_of(text: str) -> str:
    found = _SCHEME.match(text)
    return found[0].rstrip(":/").lower() if found else ""


def _parts(uri: Token, *schemes: str) -> list[Token]:
    """The parts of ``scheme:(a,b)?options`` if the scheme is one of these, else the whole."""
    text = uri.text
    start = len(text) - len(text.lstrip())
    found = _SCHEME.match(text, start)
    if found is None or _scheme_of(text[start:]) not in schemes:
        return [uri]
    index = found.end()
    end = len(text.rstrip())
    if text[index : index + 1] == "(":
        end = _closing(text, index)
        index += 1
    else:
        end = min(end, (text.find("?", index) + 1 or end + 1) - 1)
    parts, depth, first = [], 0, index
    for place in range(index, end + 1):
        letter = text[place] if place < end else ","
        if letter == "," and (depth == 0 or place == end):
            part = text[first:place]
            bare = part.strip()
            if bare:
                at = first + len(part) - len(part.lstrip())
                parts.append(Token(bare, _within(uri, at, at + len(bare))))
            first = place + 1
        depth += (letter == "(") - (letter == ")")
    return parts


def _closing(text: str, opening: int) -> int:
    depth = 0
    for place in range(opening, len(text)):
        depth += (text[place] == "(") - (text[place] == ")")
        if depth == 0:
            return place
    return len(text)


def _within(whole: Token, start: int, end: int) -> At:
    """Where a part of a word stands; all of it where it is written otherwise than it is read."""
    at = whole.at
    if at.line != at.end_line or at.end_column - at.column != len(whole.text):
        return at
    return At(at.line, at.column + start, at.line, at.column + end, at.text)
