"""ActiveMQ Artemis' ``broker.xml``: clusters, federation, connections over AMQP and core bridges become links.

Federation of addresses, and that over AMQP, count hops each in a header of its own, which their own links alone raise;
bridges, senders and receivers count nothing, and nothing stops what crosses them. Only addresses whose messages go to
every queue (multicast) are judged: of a queue each message goes to one consumer. What the manual does not say is taken
from the source: an address policy without ``max-hops`` (0) lets pass what has not crossed any such link.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Final, NamedTuple

from momlint.native.addresses import ANY_HOST, is_loopback, read_address
from momlint.native.amqp_keys import TooMany, shared, words_of
from momlint.native.form import TOP, Address, At, Broker, Link, NativeFile, Pass, Token
from momlint.native.text import read_text
from momlint.native.xml_syntax import Element, read_xml
from momlint.native.xml_values import Values

#: The counters of hops, as headers of messages have them, and what clusters do without.
BY_ADDRESS, BY_AMQP, BY_CLUSTER = "address federation", "amqp federation", "cluster"

_CONNECTING: Final = """
    check-period connection-ttl call-timeout call-failover-timeout retry-interval retry-interval-multiplier
    max-retry-interval initial-connect-attempts reconnect-attempts static-connectors discovery-group-ref client-id
    confirmation-window-size producer-window-size min-large-message-size use-duplicate-detection
"""
_CLUSTER_TEXT: Final = f"""{_CONNECTING} name address connector-ref forward-when-no-consumers message-load-balancing
    max-hops notification-interval notification-attempts topology-scanner-attempts
"""
_STREAM_TEXT: Final = f"""{_CONNECTING} name user password policy ha circuit-breaker-timeout share-connection
    priority-adjustment client-failure-check-period upstream-connector-ref
"""
_FEDERATION_TEXT: Final = """
    name user password upstream downstream policy-set queue-policy address-policy transformer
"""
_BRIDGE_TEXT: Final = f"""{_CONNECTING} name queue-name forwarding-address ha filter transformer
    transformer-class-name user password routing-type concurrency reconnect-attempts-same-node
    failover-on-server-shutdown pending-ack-timeout
"""
_POLICY_TEXT: Final = """
    name max-hops auto-delete auto-delete-delay auto-delete-message-count transformer-ref enable-divert-bindings
    include exclude property transformer-class-name transformer
"""
_AMQP_TEXT: Final = """
    name uri user password retry-interval reconnect-attempts auto-start lock-coordinator sender receiver peer mirror
    federation bridge
"""
_AMQP_FEDERATION_TEXT: Final = """
    name local-address-policy remote-address-policy local-queue-policy remote-queue-policy property
"""
_AMQP_BRIDGE_TEXT: Final = "name bridge-from-address bridge-to-address bridge-from-queue bridge-to-queue property"
_CLUSTER: Final = frozenset(_CLUSTER_TEXT.split())
_STREAM: Final = frozenset(_STREAM_TEXT.split())
_FEDERATION: Final = frozenset(_FEDERATION_TEXT.split())
_BRIDGE: Final = frozenset(_BRIDGE_TEXT.split())
_ADDRESS_POLICY: Final = frozenset(_POLICY_TEXT.split())
_AMQP: Final = frozenset(_AMQP_TEXT.split())
_AMQP_FEDERATION: Final = frozenset(_AMQP_FEDERATION_TEXT.split())
_AMQP_BRIDGE: Final = frozenset(_AMQP_BRIDGE_TEXT.split())
#: So many entries tell what one policy has that others have not; of so many others, of which so many exclude something;
#: and words of such patterns.
_MOST_PASSES, _MOST_TAKEN, _MOST_EXCLUDING, _MOST_WORDS = 500, 60, 3, 20
#: So many links, and connections of clusters, of one file are followed.
_MOST_LINKS, _MOST_CLUSTERS = 20_000, 50
#: With ``${name:default}`` the default holds where the machine does not say otherwise.
_DEFAULT: Final = re.compile(r"\$\{[^{}:]*:([^{}]*)\}")
#: What `artemis create` calls every broker.
_NO_NAMES: Final = frozenset(("0.0.0.0", "localhost", ""))
_DIVERTS: Final = "momlint follows diverts to where a bridge takes from, and no others: what they send is not judged"
#: Why what has to do with queues is not followed.
_QUEUES: Final = "momlint does not follow queues: each message of one goes to one consumer"


class Filters(NamedTuple):
    """What is let pass: what some of `includes` match, and none of `excludes`; as the language writes filters."""

    includes: tuple[Token, ...]
    excludes: tuple[Token, ...] = ()


@dataclass(slots=True)
class Cluster:
    """A cluster connection. `seeds`: whom it names, each with its addresses; `direct`: it connects to nobody else.

    `off`: it sends nothing. `at`: its limit on hops where that is given.
    """

    name: str
    at: At
    seeds: list[list[Address]] = field(default_factory=list)
    direct: bool = False
    hops: int = 1
    filters: Filters = field(default_factory=lambda: Filters(()))
    off: bool = False


@dataclass(slots=True)
class Server:
    """What several files together tell. `federated`: links that a message goes back over neither way."""

    clusters: list[Cluster] = field(default_factory=list)
    federated: list[Link] = field(default_factory=list)


class _Wildcards(NamedTuple):
    delimiter: str = "."
    any_words: str = "#"
    single_word: str = "*"


def read_artemis(data: bytes, file: str) -> NativeFile:
    """Read a ``broker.xml``. Raises nothing on account of the bytes."""
    text, problems, is_text = read_text(data, file)
    native = NativeFile("artemis", [(file, text)], problems=problems, server=Server())
    native.brokers.append(Broker("", TOP))
    if is_text:
        _Reader(native).run()
    return native


class _Reader(Values):
    true = frozenset(("true", "1"))
    false = frozenset(("false", "0"))

    def __init__(self, native: NativeFile) -> None:
        super().__init__(native)
        assert isinstance(native.server, Server)
        self.server = native.server
        self.ids: set[str] = set()
        self.wildcards = _Wildcards()
        self.connectors: dict[str, list[Address]] = {}
        #: The address that a queue is bound to.
        self.queues: dict[str, str] = {}
        #: What diverts send to an address, each with where it stands; those that a bridge takes it from.
        self.diverts: dict[str, list[tuple[Token, At]]] = {}
        self.followed: set[At] = set()

    def run(self) -> None:
        root = read_xml(self.native)
        core = next(root.all("core"), None)
        if core is None:
            return
        broker = self.native.brokers[0]
        name = core.child("name")
        broker.at = core.at
        if name is not None and name.text is not None:
            broker.at = name.text.at
            called = _filled(name.text.text)
            if called not in _NO_NAMES and not self.placeholder.search(called):
                self.native.called = called
        for element in core.all("include"):
            if "href" in element.attributes:
                self.note("xi:include", element.at, "momlint does not read what is included here")
        self.read_wildcards(core)
        self.read_connectors(core)
        self.read_acceptors(core, broker)
        self.read_queues(core)
        self.read_diverts(core)
        for element in core.all("cluster-connection-uri"):
            self.note(element.name, element.at, "momlint does not read a cluster connection that is written as a URI")
        for section in core.children:
            for element in section.children:
                if element.closed:
                    self.read_one(section.name, element, broker)
        for divert in core.all("divert"):
            if divert.at not in self.followed:
                self.note("divert", divert.at, _DIVERTS)

    def read_one(self, section: str, element: Element, broker: Broker) -> None:
        match section, element.name:
            case "cluster-connections", "cluster-connection":
                self.read_cluster(element, broker)
            case "federations", "federation":
                self.read_federation(element, broker)
            case "bridges", "bridge":
                self.read_bridge(element)
            case "broker-connections" | "broker-connects", "amqp-connection":
                self.read_amqp(element)
            case "broker-connections" | "broker-connects", _:
                self.note(element.name, element.at, f"momlint does not know the connection `{element.name[:80]}`")

    # -- what the rest refers to -------------------------------------------------------------------------------------

    def read_wildcards(self, core: Element) -> None:
        element = core.child("wildcard-addresses")
        if element is None:
            return
        found = dict(zip(_Wildcards._fields, _Wildcards(), strict=True))
        for key in found:
            child = element.child(key.replace("_", "-"))
            if child is None or child.text is None:
                continue
            if len(child.text.text) == 1:
                found[key] = child.text.text
            else:
                self.odd(child.name, child.text, "a single character")
        self.wildcards = _Wildcards(**found)

    def read_connectors(self, core: Element) -> None:
        for element in core.all("connector"):
            name = element.attributes.get("name")
            if name is None:
                continue
            addresses: list[Address] = []
            if element.text is not None:
                addresses = _addresses(element.text)
            else:
                params = {
                    key.text: one.attributes.get("value", key)
                    for one in element.all("param")
                    if (key := one.attributes.get("key")) is not None
                }
                host, port = params.get("host"), params.get("port")
                if host is not None or port is not None:
                    written = f"{'localhost' if host is None else _filled(host.text)}:"
                    written += "61616" if port is None else _filled(port.text)
                    addresses = [read_address(written, (host or port or name).at)]
            self.connectors.setdefault(name.text, addresses)

    def read_acceptors(self, core: Element, broker: Broker) -> None:
        for element in core.all("acceptor"):
            ports = []
            if element.text is not None:
                for address in _addresses(element.text):
                    ports.append(address.port)
                    self.own_name(address, broker)
            ports += [
                int(value.text)
                for one in element.all("param")
                if (key := one.attributes.get("key")) is not None and key.text == "port"
                if (value := one.attributes.get("value")) is not None and re.fullmatch("[0-9]{1,5}", value.text)
            ]
            broker.ports.update(port for port in ports if port is not None)

    def own_name(self, address: Address, broker: Broker) -> None:
        """A host at which the broker itself is known."""
        if address.host not in ANY_HOST and not is_loopback(address.host) and not self.placeholder.search(address.host):
            broker.hosts.add(address.host)

    def read_queues(self, core: Element) -> None:
        for address in core.all("address"):
            name = address.attributes.get("name")
            for queue in address.all("queue") if name is not None else ():
                called = queue.attributes.get("name")
                if called is not None and name is not None:
                    self.queues.setdefault(called.text, name.text)
        for queue in core.all("queue"):
            called, where = queue.attributes.get("name"), queue.child("address")
            if called is not None and where is not None and where.text is not None:
                self.queues.setdefault(called.text, where.text.text)

    def read_diverts(self, core: Element) -> None:
        for divert in core.all("divert"):
            source, target = divert.child("address"), divert.child("forwarding-address")
            if source is None or source.text is None or target is None or target.text is None:
                continue
            for one in _filled(target.text.text).split(","):
                self.diverts.setdefault(one.strip(), []).append((source.text, divert.at))

    def bound_to(self, queue: Token) -> str:
        """The address of a queue, by its name or as ``address::queue``."""
        address, parted, _ = queue.text.partition("::")
        if parted:
            return address
        if queue.text not in self.queues:
            self.note(
                f"queue {queue.text}",
                queue.at,
                f"no address in this file has the queue `{queue.text[:80]}`; momlint takes it for that of this name",
                "declare the queue in `addresses`, if it is bound to another one",
            )
        return self.queues.get(queue.text, queue.text)

    def peers(self, element: Element) -> list[list[Address]]:
        """Whom the connectors of something lead to, each with its addresses; unknown ones and discovery are told."""
        found = []
        for group in element.all("discovery-group-ref"):
            why = "a discovery group finds brokers at run time; momlint does not see which"
            self.note(group.name, group.at, why)
        static = element.child("static-connectors")
        for ref in static.all("connector-ref") if static is not None else ():
            addresses = self.refer(ref)
            if addresses:
                found.append(addresses)
        return found

    def refer(self, ref: Element) -> list[Address]:
        """The addresses of the connector that an element names."""
        if ref.text is None:
            return []
        name = _filled(ref.text.text)
        if name not in self.connectors:
            if not self.placeholder.search(name):
                self.native.report(
                    "MOM808",
                    ref.text.at,
                    f"no connector is called `{name[:80]}`; this leads nowhere",
                    "mend the name, or declare it in `connectors`",
                    label="nobody's name",
                    about={"broker": name[:80]},
                )
            return []
        at = ref.text.at
        return [one._replace(at=at) for one in self.connectors[name]]

    # -- filters -----------------------------------------------------------------------------------------------------

    def pattern(self, given: Token) -> Token | None:
        """An expression of addresses as the language writes it; None where it cannot be written so, which is told."""
        delimiter, any_words, single_word = self.wildcards
        words = []
        for word in _filled(given.text).split(delimiter):
            if word == any_words:
                words.append("#")
            elif word == single_word:
                words.append("*")
            elif any_words in word or single_word in word:
                self.note(
                    f"wildcard {given.text}",
                    given.at,
                    f"`{given.text[:80]}` has a wildcard within a word, which momlint does not follow",
                    "let a wildcard stand for whole words",
                )
                return None
            else:
                if "." in word:
                    self.note(
                        f"dot {given.text}",
                        given.at,
                        f"`{given.text[:80]}` has a dot within a word, which momlint takes to part two words",
                        f"part words by `{delimiter}` alone",
                    )
                words.append(word)
        return Token(".".join(words), given.at)

    def matches(self, policy: Element) -> Filters:
        """What a policy includes and excludes, as far as it says so."""
        found: dict[str, list[Token]] = {"include": [], "exclude": []}
        for child in policy.children:
            given = child.attributes.get("address-match")
            if child.name in found and given is not None:
                pattern = self.pattern(given)
                if pattern is not None:
                    found[child.name].append(pattern)
        return Filters(tuple(found["include"]), tuple(found["exclude"]))

    # -- clusters ----------------------------------------------------------------------------------------------------

    def read_cluster(self, element: Element, broker: Broker) -> None:
        self.check(element, _CLUSTER, "a cluster connection")
        own = element.child("connector-ref")
        for address in self.refer(own) if own is not None else ():
            self.own_name(address, broker)
        name = element.attributes.get("name")
        limit = element.child("max-hops")
        at = element.at if name is None else name.at
        cluster = Cluster("cluster" if name is None else name.text, at)
        if limit is not None and limit.text is not None:
            cluster.at = limit.text.at
            cluster.hops = self.whole(limit.name, limit.text, 1)
        static = element.child("static-connectors")
        if static is not None and "allow-direct-connections-only" in static.attributes:
            only = static.attributes["allow-direct-connections-only"]
            cluster.direct = self.truth("allow-direct-connections-only", only, default=False)
        cluster.seeds = self.peers(element)
        cluster.filters = self.beginnings(element.child("address"), cluster.at)
        balancing = element.child("message-load-balancing")
        if balancing is not None and balancing.text is not None:
            how = _filled(balancing.text.text).upper()
            cluster.off = how.startswith("OFF")
            if how not in ("OFF", "STRICT", "ON_DEMAND", "OFF_WITH_REDISTRIBUTION"):
                self.odd(balancing.name, balancing.text, "OFF, STRICT, ON_DEMAND or OFF_WITH_REDISTRIBUTION")
        if len(self.server.clusters) < _MOST_CLUSTERS:
            self.server.clusters.append(cluster)
        else:
            self.note("too many", cluster.at, f"momlint follows {_MOST_CLUSTERS} clusters of a file, and not this one")

    def beginnings(self, element: Element | None, at: At) -> Filters:
        """What the addresses of a cluster connection match: beginnings of names, without wildcards."""
        given = None if element is None else element.text
        includes: list[Token] = []
        excludes: list[Token] = []
        for part in ("" if given is None else _filled(given.text)).split(","):
            word = part.strip()
            if not word or given is None:
                continue
            is_excluded = word.startswith("!")
            word = word.lstrip("!").strip()
            bare = word.removesuffix(self.wildcards.delimiter)
            if bare == word:
                self.note(
                    "cluster address",
                    given.at,
                    f"momlint takes `{word[:80]}` for whole words; the broker takes what begins with these letters",
                    "end it with the delimiter, if whole words are meant",
                )
            words = bare.replace(self.wildcards.delimiter, ".")
            found = Token(f"{words}.#" if bare == word else f"{words}.*.#", given.at)
            (excludes if is_excluded else includes).append(found)
        return Filters(tuple(includes or [Token("#", at)]), tuple(excludes))

    # -- federation of addresses ---------------------------------------------------------------------------------------

    def read_federation(self, element: Element, broker: Broker) -> None:
        self.check(element, _FEDERATION, "a federation")
        name = element.attributes.get("name")
        called = "federation" if name is None else name.text
        known = {
            key.text: child
            for child in element.children
            if child.name in ("address-policy", "queue-policy", "policy-set")
            if (key := child.attributes.get("name")) is not None
        }
        for child in element.children:
            if child.name == "address-policy":
                self.check(child, _ADDRESS_POLICY, "an address policy")
            if child.name == "queue-policy":
                self.note("queue-policy", child.at, _QUEUES)
            if child.name not in ("upstream", "downstream") or not child.closed:
                continue
            self.check(child, _STREAM, f"an {child.name}" if child.name == "upstream" else f"a {child.name}")
            own = child.child("upstream-connector-ref")
            for address in self.refer(own) if own is not None else ():
                self.own_name(address, broker)
            peers = self.peers(child)
            addresses = [address for one in peers for address in one]
            key = child.attributes.get("name")
            stream = f"{called}.{child.name if key is None else key.text}"
            taken: list[Filters] = []
            for policy in self.policies(child, known):
                self.federate(stream, policy, addresses, taken, outward=child.name == "downstream")

    def policies(self, stream: Element, known: dict[str, Element]) -> Iterator[Element]:
        """The address policies of an upstream in their order, each once; one that is not there is told."""
        waiting = deque(one for one in stream.children if one.name == "policy")
        seen: set[int] = set()
        while waiting:
            one = waiting.popleft()
            ref = one.attributes.get("ref")
            if ref is None:
                continue
            policy = known.get(ref.text)
            if policy is None:
                self.native.report(
                    "MOM808",
                    ref.at,
                    f"this federation has no policy `{ref.text[:80]}`; nothing is federated by it",
                    "mend the name, or declare the policy in this federation",
                    label="nobody's name",
                    about={"broker": ref.text[:80]},
                )
            elif id(policy) not in seen:
                seen.add(id(policy))
                if policy.name == "policy-set":
                    waiting.extendleft(child for child in reversed(policy.children) if child.name == "policy")
                elif policy.name == "address-policy":
                    yield policy

    def federate(
        self, stream: str, policy: Element, addresses: list[Address], taken: list[Filters], *, outward: bool
    ) -> None:
        """A link for an upstream and a policy. Its policies share one queue for an address: the first has it."""
        at, hops = self.limit(policy)
        if not self.has_room(at):
            return
        filters = self.matches(policy)
        is_open = not any(child.name == "include" for child in policy.children)
        if is_open:
            filters = filters._replace(includes=(Token("#", policy.at),))
        self.tell_unfollowed(policy)
        name = policy.attributes.get("name")
        link = Link(
            self.free(f"{stream}.{'policy' if name is None else name.text}"),
            "",
            outward,
            at,
            passes_apart(filters, taken, lambda why, help_: self.note("overlap", at, why, help_)),
            addresses,
            # Without a limit, and with one of 0, what has no hop behind it passes.
            max_hops=None if hops == -1 else max(hops, 1),
            counter=BY_ADDRESS,
            unfiltered=is_open and not filters.excludes and not taken,
        )
        taken.append(filters)
        if link.passes and addresses:
            self.native.links.append(link)

    def has_room(self, at: At) -> bool:
        """Whether another link is followed; where it is not, that is told."""
        if len(self.native.links) >= _MOST_LINKS:
            self.note("too many", at, f"momlint follows {_MOST_LINKS:,} links of a file, and not this one")
        return len(self.native.links) < _MOST_LINKS

    def limit(self, policy: Element) -> tuple[At, int]:
        """Where the limit on hops of a policy stands, and what it is, 0 where it is not given."""
        given = policy.attributes.get("max-hops")
        if given is None:
            name = policy.attributes.get("name")
            return policy.at if name is None else name.at, 0
        return given.at, self.whole("max-hops", given, 0)

    def tell_unfollowed(self, policy: Element) -> None:
        for key in ("transformer-ref", "transformer-class-name", "transformer"):
            given, child = policy.attributes.get(key), policy.child(key)
            if given is not None or child is not None:
                at = given.at if given is not None else child.at if child is not None else policy.at
                self.note("transformer", at, "momlint does not know what a transformer does to messages")
        given = policy.attributes.get("enable-divert-bindings")
        if given is not None and self.truth("enable-divert-bindings", given, default=False):
            self.note("divert", given.at, _DIVERTS)

    # -- core bridges --------------------------------------------------------------------------------------------------

    def read_bridge(self, element: Element) -> None:
        self.check(element, _BRIDGE, "a bridge")
        name, queue = element.attributes.get("name"), element.child("queue-name")
        at = element.at if name is None else name.at
        if queue is None or queue.text is None:
            self.native.report(
                "MOM813",
                at,
                "this bridge has no `queue-name`; the broker refuses this file",
                "add `<queue-name>…</queue-name>`, the queue that it takes from",
                label="takes from nowhere",
            )
            return
        addresses = [address for one in self.peers(element) for address in one]
        for key in ("filter", "transformer", "transformer-class-name"):
            child = element.child(key)
            if child is not None:
                self.note(
                    "transformer" if key != "filter" else key,
                    child.at,
                    "momlint takes all to pass a bridge's filter"
                    if key == "filter"
                    else "momlint does not know what a transformer does to messages",
                )
        address = self.bound_to(queue.text)
        source = self.pattern(Token(address, queue.text.at))
        forwarding = element.child("forwarding-address")
        target = None if forwarding is None or forwarding.text is None else self.pattern(forwarding.text)
        if source is None or not addresses:
            return
        passes = [self.renamed(source, target)]
        for given, divert in self.diverts.get(address, ()):
            # A message that is diverted has the new address, which a bridge keeps where it says no other.
            diverted = self.pattern(given)
            if diverted is not None:
                self.followed.add(divert)
                # Where the bridge says what it takes: one of the two is enough to be of use.
                passes.append(self.renamed(diverted._replace(at=source.at), target or source))
        kept = [one for one in passes if one is not None]
        if kept:
            called = self.free("bridge" if name is None else name.text)
            self.native.links.append(Link(called, "", True, at, kept, addresses, unguarded=True))

    def renamed(self, source: Token, target: Token | None) -> Pass | None:
        """What passes under the one name `target`, or its own; None where that cannot be followed, which is told."""
        if target is None or target.text == source.text:
            return Pass(source.text, "", "", source.at)
        if {"#", "*"} & set(source.text.split(".")):
            self.note(
                f"forwarding {source.text}",
                target.at,
                f"momlint does not follow a bridge that sends all of `{source.text[:80]}` to one address",
            )
            return None
        return Pass(source.text, source.text, target.text, source.at)

    # -- connections over AMQP -----------------------------------------------------------------------------------------

    def read_amqp(self, element: Element) -> None:
        self.check(element, _AMQP, "an AMQP connection")
        name, start = element.attributes.get("name"), element.attributes.get("auto-start")
        uri = self.uri_of(element, "connection", "tcp://host:5672")
        if uri is None:
            return
        if start is not None and not self.truth("auto-start", start, default=True):
            return
        called = "amqp" if name is None else name.text
        addresses = _addresses(uri)
        for child in element.children:
            match child.name:
                case "federation":
                    self.federate_over_amqp(child, called, addresses)
                case "bridge":
                    self.bridge_over_amqp(child, called, addresses)
                case "sender" | "receiver":
                    self.send(child, called, addresses)
                case "mirror":
                    self.note("mirror", child.at, "momlint does not follow mirrors, which copy a broker whole")
                case "peer":
                    self.note("peer", child.at, "momlint does not follow peers, which are for Qpid Dispatch")

    def federate_over_amqp(self, element: Element, called: str, addresses: list[Address]) -> None:
        self.check(element, _AMQP_FEDERATION, "a federation over AMQP")
        for policy in element.children:
            if policy.name in ("local-queue-policy", "remote-queue-policy"):
                self.note("queue-policy", policy.at, _QUEUES)
            if policy.name not in ("local-address-policy", "remote-address-policy"):
                continue
            self.check(policy, _ADDRESS_POLICY, "an address policy")
            at, hops = self.limit(policy)
            filters = self.matches(policy)
            self.tell_unfollowed(policy)
            for child in policy.children:
                key = child.attributes.get("key")
                if child.name == "property" and key is not None and key.text == "ignoreAddressBindingFilters":
                    self.note(key.text, child.at, "how many copies come depends on who subscribes; momlint counts one")
            if not self.includes_any(policy):
                continue
            name = policy.attributes.get("name")
            link = Link(
                self.free(f"{called}.{policy.name if name is None else name.text}"),
                "",
                policy.name == "remote-address-policy",
                at,
                passes_of(filters, ()),
                addresses,
                max_hops=hops if hops > 0 else None,
                counter=BY_AMQP,
            )
            if link.passes and self.has_room(at):
                self.native.links.append(link)
                self.server.federated.append(link)

    def includes_any(self, policy: Element) -> bool:
        """Whether a policy over AMQP has an `include`; without one it matches nothing, which is told."""
        if any(child.name == "include" for child in policy.children):
            return True
        self.native.report(
            "MOM805",
            policy.at,
            "without an `include` this policy matches no address",
            'add `<include address-match="#"/>` for all addresses',
            label="nothing passes",
        )
        return False

    def bridge_over_amqp(self, element: Element, called: str, addresses: list[Address]) -> None:
        self.check(element, _AMQP_BRIDGE, "a bridge over AMQP")
        for policy in element.children:
            if policy.name in ("bridge-from-queue", "bridge-to-queue"):
                self.note("queue-policy", policy.at, _QUEUES)
            if policy.name not in ("bridge-from-address", "bridge-to-address") or not self.includes_any(policy):
                continue
            outward = policy.name == "bridge-to-address"
            settings = {key.lower().replace("-", ""): value for key, value in policy.attributes.items()}
            for child in policy.children:
                key, value = child.attributes.get("key"), child.attributes.get("value")
                if child.name == "property" and key is not None and value is not None:
                    settings[key.text.lower().replace("-", "")] = value
            self.tell_unfollowed(policy)
            if "filter" in settings:
                self.note("filter", settings["filter"].at, "momlint takes all to pass a bridge's filter")
            other = next((settings[key] for key in ("remoteaddress", "remoteaddresssuffix") if key in settings), None)
            if other is not None:
                self.note("remoteAddress", other.at, "momlint does not follow a bridge that renames addresses so")
                continue
            prefix = settings.get("remoteaddressprefix")
            before = "" if prefix is None else prefix.text.replace(self.wildcards.delimiter, ".")
            passes = [
                one._replace(add=before) if outward else one._replace(filter=before + one.filter, strip=before)
                for one in passes_of(self.matches(policy), ())
            ]
            name = policy.attributes.get("name")
            link_id = self.free(f"{called}.{policy.name if name is None else name.text}")
            at = policy.at if name is None else name.at
            if passes:
                self.native.links.append(Link(link_id, "", outward, at, passes, addresses, unguarded=True))

    def send(self, element: Element, called: str, addresses: list[Address]) -> None:
        match, queue = element.attributes.get("address-match"), element.attributes.get("queue-name")
        given = match if match is not None else queue
        if given is None:
            return
        pattern = self.pattern(given if match is not None else Token(self.bound_to(given), given.at))
        if pattern is not None:
            link_id = self.free(f"{called}.{element.name}")
            passes = [Pass(pattern.text, "", "", pattern.at)]
            outward = element.name == "sender"
            self.native.links.append(Link(link_id, "", outward, given.at, passes, addresses, unguarded=True))

    # -- values --------------------------------------------------------------------------------------------------------

    def check(self, element: Element, known: frozenset[str], what: str) -> None:
        """Tell what an element has that is not known of it."""
        for key, value in element.attributes.items():
            if key not in known:
                self.note(key, value.at, f"momlint does not know `{key[:80]}` of {what}")
        for child in element.children:
            if child.name not in known:
                self.note(child.name, child.at, f"momlint does not know `{child.name[:80]}` of {what}")

    def filled(self, text: str) -> str:
        return _filled(text)

    def free(self, wanted: str) -> str:
        name, number = wanted, 2
        while name in self.ids:
            name, number = f"{wanted} #{number}", number + 1
        self.ids.add(name)
        return name


def passes_of(filters: Filters, taken: Sequence[Filters]) -> list[Pass]:
    """What filters let pass that none of the `taken` ones lets pass, in the language's way: the first entry counts.

    Raises `TooMany`.
    """
    denied = [Pass(one.text, "", "", one.at, denied=True) for one in filters.excludes]
    if not filters.includes:
        return []
    given = [one for some in (filters, *taken) for one in (*some.includes, *some.excludes)] if taken else []
    if (
        len(taken) > _MOST_TAKEN
        or sum(bool(one.excludes) for one in taken) > _MOST_EXCLUDING
        or any(one.text.count(".") >= _MOST_WORDS for one in given)
    ):
        raise TooMany
    left = list(islice(_left(filters.includes, tuple(taken)), _MOST_PASSES + 1))
    if len(left) > _MOST_PASSES:
        raise TooMany
    return [*denied, *left]


def passes_apart(filters: Filters, taken: Sequence[Filters], tell: Callable[[str, str], None]) -> list[Pass]:
    """The same; where it would take too many entries, all that the filters let pass, which `tell` is told."""
    try:
        return passes_of(filters, taken)
    except TooMany:
        why = "this and what stands before it overlap in too many ways; momlint takes each to send copies of its own"
        tell(why, "let each have addresses of its own")
        return passes_of(filters, ())


def _left(includes: Sequence[Token], taken: tuple[Filters, ...]) -> Iterator[Pass]:
    if not taken:
        yield from (Pass(one.text, "", "", one.at) for one in includes)
        return
    first, rest = taken[0], taken[1:]
    for excluded in first.excludes:
        inside = [one for given in includes for one in _both(given, excluded)]
        if len(inside) > _MOST_PASSES:
            raise TooMany
        if inside:
            yield from _left(inside, rest)
    for given in includes:
        for other in first.includes:
            yield from (Pass(one.text, "", "", other.at, denied=True) for one in _both(given, other))
    yield from _left(includes, rest)


def _both(given: Token, other: Token) -> Iterator[Token]:
    """What matches both, where the first stands."""
    for words in shared(words_of(given.text), words_of(other.text)):
        yield Token(".".join(words), given.at)


def _filled(text: str) -> str:
    """A text with the defaults of what the machine may say otherwise."""
    return _DEFAULT.sub(r"\1", text)


def _addresses(uri: Token) -> list[Address]:
    """The addresses of a URI such as ``tcp://a:1?x=y#b:2,c:3`` or ``(tcp://a:1,tcp://b:2)``, the first one first."""
    first, _, others = _filled(uri.text).strip().partition("#")
    found = []
    for part in [*first.strip().lstrip("(").replace(")", "?").partition("?")[0].split(","), *others.split(",")]:
        address = read_address(part, uri.at)
        if address.host and not part.strip().startswith(("vm:", "invm:", "udp:", "jgroups:")):
            found.append(address)
    return found
