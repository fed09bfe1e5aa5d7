"""What a RabbitMQ ``definitions.json`` declares, with the place of each thing: the words, and nothing of what follows.

The text is read by momlint's own reader of YAML, of which JSON is a part, so that everything knows its line and column;
Python's own reader of JSON says first whether it is JSON at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from momlint.native.form import At, NativeFile, Token
from momlint.source import MappingNode, Node, ScalarNode, SequenceNode, read_source
from momlint.source.decoding import Text

#: Exchanges that every virtual host has, with their types; ``""`` is the default exchange.
BUILT_IN: Final = {
    "amq.direct": "direct",
    "amq.fanout": "fanout",
    "amq.topic": "topic",
    "amq.headers": "headers",
    "amq.match": "headers",
}

_TOP_TEXT: Final = """
    bindings exchanges global_parameters metadata operator_policies original_cluster_name original_vhost_name
    parameters permissions policies product_name product_version queues rabbit_version rabbitmq_definition_format
    rabbitmq_version scope topic_permissions users vhosts explanation default_queue_type description
"""
_EXCHANGE_TEXT: Final = """
    name vhost type durable auto_delete internal arguments policy user_who_performed
"""
_QUEUE_TEXT: Final = """
    name vhost type durable auto_delete exclusive arguments policy node
"""
_BINDING_TEXT: Final = """
    source vhost destination destination_type routing_key arguments properties_key source_kind
"""
_POLICY_TEXT: Final = """
    vhost name pattern apply-to definition priority
"""
_UPSTREAM_TEXT: Final = """
    uri exchange queue max-hops prefetch-count reconnect-delay ack-mode trust-user-id expires message-ttl ha-policy
    bind-nowait consumer-tag resource-cleanup-mode channel-use-mode queue-type
"""
_SHOVEL_TEXT: Final = """
    src-uri src-queue src-exchange src-exchange-key src-protocol src-address src-prefetch-count src-delete-after
    src-queue-args src-consumer-args src-predeclared dest-uri dest-queue dest-exchange dest-exchange-key
    dest-protocol dest-address dest-add-forward-headers dest-add-timestamp-header dest-publish-properties
    dest-queue-args dest-properties dest-application-properties dest-predeclared dest-message-annotations ack-mode
    prefetch-count add-forward-headers add-timestamp-header publish-properties reconnect-delay delete-after
    reconnect_delay
"""
_TOP, _EXCHANGE, _QUEUE, _BINDING, _POLICY, _UPSTREAM, _SHOVEL = (
    frozenset(text.split())
    for text in (_TOP_TEXT, _EXCHANGE_TEXT, _QUEUE_TEXT, _BINDING_TEXT, _POLICY_TEXT, _UPSTREAM_TEXT, _SHOVEL_TEXT)
)
_PAIR: Final = re.compile(r"\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})")
#: Stands in the place of the letters of an escape, so that all that follows keeps its column.
_FILL: Final = "\u2060"


class Thing:
    """An object of JSON: what it says under its keys."""

    def __init__(self, node: MappingNode) -> None:
        self.at = at(node)
        self._values: dict[str, Node] = {}
        self.keys: list[Token] = []
        for entry in node.entries:
            key = _text(entry.key)
            if key not in self._values:
                self._values[key] = entry.value
                self.keys.append(Token(key, at(entry.key)))

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def node(self, key: str) -> Node | None:
        """The value, whatever it is."""
        return self._values.get(key)

    def text(self, key: str) -> Token | None:
        """A text that is not empty."""
        found = self.any_text(key)
        return found if found is not None and found.text else None

    def any_text(self, key: str) -> Token | None:
        """A text."""
        node = self._values.get(key)
        return Token(_text(node), at(node)) if isinstance(node, ScalarNode) and not node.plain else None

    def number(self, key: str) -> int | None:
        """A whole number."""
        node = self._values.get(key)
        value = node.value if isinstance(node, ScalarNode) and node.plain else None
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def true(self, key: str) -> bool:
        """Whether it is true."""
        node = self._values.get(key)
        return isinstance(node, ScalarNode) and node.plain and node.text == "true"

    def thing(self, key: str) -> Thing | None:
        """An object."""
        node = self._values.get(key)
        return Thing(node) if isinstance(node, MappingNode) else None

    def things(self, key: str) -> Iterator[Thing]:
        """The objects of a list."""
        node = self._values.get(key)
        for item in node.items if isinstance(node, SequenceNode) else ():
            if isinstance(item, MappingNode):
                yield Thing(item)

    def texts(self, key: str) -> list[Token]:
        """A text, or the texts of a list."""
        node = self._values.get(key)
        several = node.items if isinstance(node, SequenceNode) else [node]
        return [Token(_text(one), at(one)) for one in several if isinstance(one, ScalarNode) and not one.plain]


def at(node: Node) -> At:
    """Where a node stands."""
    return At(node.start_line, node.start_column, node.end_line, node.end_column)


def _text(node: ScalarNode) -> str:
    return node.text.replace(_FILL, "") if _FILL in node.text else node.text


# -- what is declared ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Exchange:
    """`kind`: its type. `alternate`: where what it cannot route goes. `declared`: in the file."""

    name: str
    kind: str
    at: At
    internal: bool = False
    declared: bool = True
    alternate: Token | None = None


@dataclass(slots=True)
class Queue:
    """`dead`: the exchange that gets what is dropped from it, with `dead_key` as its key if given.

    `expires`: messages leave it by themselves, by age or for want of room.
    """

    name: str
    at: At
    dead: Token | None = None
    dead_key: Token | None = None
    expires: bool = False


class Binding(NamedTuple):
    """`to_exchange`: its destination is one."""

    source: Token
    destination: Token
    to_exchange: bool
    key: Token
    at: At


class Policy(NamedTuple):
    """`pattern`: None for one that cannot be read. `kinds`: what it applies to."""

    name: str
    pattern: re.Pattern[str] | None
    kinds: frozenset[str]
    priority: int
    definition: Thing
    at: At


class Upstream(NamedTuple):
    """`uris`: alternatives. `exchange`, `queue`: other names than here. `hops`: its limit, at `at`."""

    name: str
    uris: tuple[Token, ...]
    exchange: Token | None
    queue: Token | None
    hops: int
    at: At


class Member(NamedTuple):
    """An element of an upstream set: of which upstream, and what it says otherwise."""

    upstream: Token
    value: Thing


class Shovel(NamedTuple):
    """A shovel as it is declared."""

    name: str
    value: Thing
    at: At


@dataclass(slots=True)
class Vhost:
    """A virtual host."""

    name: str
    at: At
    exchanges: dict[str, Exchange] = field(default_factory=dict)
    queues: dict[str, Queue] = field(default_factory=dict)
    bindings: list[Binding] = field(default_factory=list)
    policies: list[Policy] = field(default_factory=list)
    operator_policies: list[Policy] = field(default_factory=list)
    upstreams: dict[str, Upstream] = field(default_factory=dict)
    sets: dict[str, list[Member]] = field(default_factory=dict)
    shovels: list[Shovel] = field(default_factory=list)

    def policy(self, name: str, kind: str) -> Policy | None:
        """The policy that holds for an exchange or queue: of those that match, the one of the highest priority."""
        return _best(self.policies, name, kind)

    def operator_policy(self, name: str) -> Policy | None:
        """The same of operators' policies, which are for queues."""
        return _best(self.operator_policies, name, "queues")


def _best(policies: list[Policy], name: str, kind: str) -> Policy | None:
    fitting = [
        one for one in policies if kind in one.kinds and one.pattern is not None and one.pattern.search(name[:255])
    ]
    return max(fitting, key=lambda one: one.priority, default=None)


@dataclass(slots=True)
class Definitions:
    """All of a file. `cluster`: its cluster's name. `version`: of RabbitMQ, as far as it is numbers.

    `whole`: it says which virtual hosts there are.
    """

    vhosts: dict[str, Vhost] = field(default_factory=dict)
    cluster: Token | None = None
    version: tuple[int, ...] = ()
    whole: bool = False
    has_bindings: bool = False


def read_definitions(native: NativeFile, text: Text) -> Definitions:
    """Everything in the text that has to do with where messages go; what is wrong with it is reported."""
    root = _root(native, text)
    return Definitions() if root is None else _Definitions(native, root).run()


def _root(native: NativeFile, text: Text) -> Thing | None:
    try:
        json.loads(text.text, parse_int=len)
    except json.JSONDecodeError as error:
        place = At(error.lineno - 1, error.colno - 1, error.lineno - 1, error.colno)
        what = error.msg[:1].lower() + error.msg[1:]
        native.report("MOM101", place, f"this is no JSON: {what}", "mend it here; nothing of this file is checked")
        return None
    except RecursionError:
        native.report("MOM101", At(0, 0, 0, 1), "this JSON is nested too deeply", "no definitions of RabbitMQ are")
        return None
    content = _PAIR.sub(_whole, text.text) if "\\u" in text.text else text.text
    source = read_source(content.encode("utf-8", "surrogatepass"), native.file)
    for problem in source.problems:
        if problem.code != "MOM103" or source.documents:
            native.problems.append(problem)
    node = source.documents[0].root if source.documents else None
    return Thing(node) if isinstance(node, MappingNode) else None


def _whole(match: re.Match[str]) -> str:
    high, low = int(match[1], 16), int(match[2], 16)
    letter = chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
    return letter + _FILL * (len(match[0]) - 1)


class _Definitions:
    def __init__(self, native: NativeFile, root: Thing) -> None:
        self.native = native
        self.root = root
        self.found = Definitions()
        self.unknown: dict[str, None] = {}
        metadata = root.thing("metadata")
        own = root.text("original_vhost_name") or (None if metadata is None else metadata.text("virtual_host"))
        self.default = own.text if own is not None else "/"

    def run(self) -> Definitions:
        found, root = self.found, self.root
        self.known(root, _TOP, "definitions")
        version = root.text("rabbitmq_version") or root.text("rabbit_version") or root.text("product_version")
        if version is not None:
            found.version = tuple(int(part) for part in re.findall(r"\d+", version.text[:40])[:3])
        for one in root.things("global_parameters"):
            name = one.text("name")
            if name is not None and name.text == "cluster_name":
                found.cluster = one.text("value")
        found.whole = bool(list(root.things("vhosts")))
        found.has_bindings = isinstance(root.node("bindings"), SequenceNode)
        for one in root.things("vhosts"):
            name = one.text("name")
            if name is not None:
                self.vhost(name.text, name.at)
        for key, read in (
            ("exchanges", self.exchange),
            ("queues", self.queue),
            ("bindings", self.binding),
            ("policies", self.policy),
            ("operator_policies", self.operator_policy),
            ("parameters", self.parameter),
        ):
            for one in root.things(key):
                read(one)
        if not found.vhosts:
            self.vhost(self.default, root.at)
        for vhost in found.vhosts.values():
            self.apply(vhost)
        return found

    def known(self, thing: Thing, keys: frozenset[str], where: str) -> None:
        """Tell of each key once that momlint has never heard of."""
        for key in thing.keys:
            if key.text in keys or key.text in self.unknown or len(self.unknown) >= 20:
                continue
            self.unknown[key.text] = None
            self.native.report(
                "MOM814",
                key.at,
                f"momlint does not know the key `{key.text[:80]}` of {where}",
                "if it says where messages go, momlint does not see it",
            )

    def vhost(self, name: str, where: At) -> Vhost:
        found = self.found.vhosts.get(name)
        if found is None:
            found = self.found.vhosts[name] = Vhost(name, where)
            for exchange, kind in BUILT_IN.items():
                found.exchanges[exchange] = Exchange(exchange, kind, where, declared=False)
        return found

    def of(self, thing: Thing) -> Vhost:
        name = thing.text("vhost")
        return self.vhost(self.default if name is None else name.text, thing.at)

    def exchange(self, one: Thing) -> None:
        name, kind = one.text("name"), one.text("type")
        if name is None or kind is None:
            return
        self.known(one, _EXCHANGE, "exchanges")
        arguments = one.thing("arguments")
        given = kind.text
        if given == "x-delayed-message" and arguments is not None:
            delayed = arguments.text("x-delayed-type")
            given = delayed.text if delayed is not None else given
        alternate = None if arguments is None else arguments.text("alternate-exchange")
        self.of(one).exchanges[name.text] = Exchange(
            name.text, given, name.at, internal=one.true("internal"), alternate=alternate
        )

    def queue(self, one: Thing) -> None:
        name = one.text("name")
        if name is None:
            return
        self.known(one, _QUEUE, "queues")
        queue = Queue(name.text, name.at)
        arguments = one.thing("arguments")
        if arguments is not None:
            queue.dead = arguments.any_text("x-dead-letter-exchange")
            queue.dead_key = arguments.any_text("x-dead-letter-routing-key")
            queue.expires = _expires(arguments, "x-")
        self.of(one).queues[name.text] = queue

    def binding(self, one: Thing) -> None:
        source, destination, key = one.any_text("source"), one.text("destination"), one.any_text("routing_key")
        if source is None or destination is None:
            return
        self.known(one, _BINDING, "bindings")
        kind = one.text("destination_type")
        self.of(one).bindings.append(
            Binding(
                source,
                destination,
                kind is not None and kind.text == "exchange",
                key if key is not None else Token("", source.at),
                destination.at if key is None else key.at,
            )
        )

    def policy(self, one: Thing) -> None:
        found = self.policy_of(one)
        if found is not None:
            self.of(one).policies.append(found)

    def operator_policy(self, one: Thing) -> None:
        found = self.policy_of(one)
        if found is not None:
            self.of(one).operator_policies.append(found)

    def policy_of(self, one: Thing) -> Policy | None:
        name, pattern, definition = one.text("name"), one.any_text("pattern"), one.thing("definition")
        if name is None:
            return None
        self.known(one, _POLICY, "policies")
        if pattern is None or definition is None:
            missing = "pattern" if pattern is None else "definition"
            self.refuse(one.at, f"the policy `{name.text}` has no {missing}", f"give it a `{missing}`")
            return None
        kinds = one.text("apply-to")
        applies = _KINDS.get("all" if kinds is None else kinds.text)
        if applies is None:
            assert kinds is not None
            self.refuse(kinds.at, f"`{kinds.text}` is nothing that policies apply to", "write exchanges, queues or all")
            return None
        compiled = self.compiled(pattern)
        return Policy(name.text, compiled, applies, one.number("priority") or 0, definition, name.at)

    def compiled(self, pattern: Token) -> re.Pattern[str] | None:
        """The pattern; None where Python has no such regular expression, or would try it for ever."""
        if len(pattern.text) <= 1_000 and not _SLOW.search(pattern.text) and len(_OPEN.findall(pattern.text)) <= 3:
            try:
                return re.compile(pattern.text)
            except (re.error, OverflowError, RecursionError):
                pass
        self.native.report(
            "MOM814",
            pattern.at,
            f"momlint cannot follow the pattern `{pattern.text[:80]}`; the policy is left out",
            "write it with fewer repetitions, one after the other",
        )
        return None

    def parameter(self, one: Thing) -> None:
        component, name = one.text("component"), one.text("name")
        if component is None or name is None:
            return
        value = one.thing("value")
        match component.text:
            case "federation-upstream" if value is not None:
                self.known(value, _UPSTREAM, "upstreams")
                found = self.upstream(name, value)
                if found is not None:
                    self.of(one).upstreams[name.text] = found
            case "federation-upstream-set":
                members = [(item.text("upstream"), item) for item in one.things("value")]
                for _, item in members:
                    self.known(item, _UPSTREAM | {"upstream"}, "upstreams")
                self.of(one).sets[name.text] = [Member(upstream, item) for upstream, item in members if upstream]
            case "shovel" if value is not None:
                self.known(value, _SHOVEL, "shovels")
                self.of(one).shovels.append(Shovel(name.text, value, name.at))

    def upstream(self, name: Token, value: Thing) -> Upstream | None:
        uris = tuple(value.texts("uri"))
        if not uris:
            self.refuse(name.at, f"the upstream `{name.text}` has no uri", 'add `"uri": "amqp://<host>"`')
            return None
        hops, where = limit_of(self.native, value, 1, uris[0].at)
        return Upstream(name.text, uris, value.text("exchange"), value.text("queue"), hops, where)

    def refuse(self, where: At, what: str, help_: str) -> None:
        self.native.report("MOM813", where, f"{what}; the broker refuses it", help_)

    # -- what policies add -------------------------------------------------------------------------------------------

    def apply(self, vhost: Vhost) -> None:
        """What queues and exchanges have by policy: their own arguments go before it."""
        if not vhost.policies and not vhost.operator_policies:
            return
        for exchange in vhost.exchanges.values():
            policy = vhost.policy(exchange.name, "exchanges")
            if policy is not None and exchange.alternate is None:
                exchange.alternate = policy.definition.text("alternate-exchange")
        for queue in vhost.queues.values():
            policy = vhost.policy(queue.name, "queues")
            if policy is not None:
                queue.dead = queue.dead or policy.definition.any_text("dead-letter-exchange")
                queue.dead_key = queue.dead_key or policy.definition.any_text("dead-letter-routing-key")
                queue.expires = queue.expires or _expires(policy.definition, "")
            by_operator = vhost.operator_policy(queue.name)
            if by_operator is not None:
                queue.expires = queue.expires or _expires(by_operator.definition, "")


def limit_of(native: NativeFile, value: Thing, default: int, where: At) -> tuple[int, At]:
    """The ``max-hops`` of an upstream, and where it stands; `where` for one that it does not have."""
    node = value.node("max-hops")
    if node is None:
        return default, where
    number = value.number("max-hops")
    if number is None or number < 0:
        what = "`max-hops` is a whole number from 0; the broker refuses it"
        native.report("MOM813", at(node), what, "write 1, or more for what comes from further away")
        return default, at(node)
    return min(number, 1_000_000), at(node)


_KINDS: Final = {
    "all": frozenset(("exchanges", "queues")),
    "exchanges": frozenset(("exchanges",)),
    "queues": frozenset(("queues",)),
    "classic_queues": frozenset(("queues",)),
    "quorum_queues": frozenset(("queues",)),
    "streams": frozenset(("queues",)),
}
# Repetitions of what repeats or branches itself can take for ever; so can back references.
_SLOW: Final = re.compile(r"[*+}?|][^()]*\)\s*[*+{]|\)\)+[*+{]|\\[1-9]|\(\?(?![:i=!])")
_OPEN: Final = re.compile(r"(?<!\\)[*+{]")


def _expires(arguments: Thing, prefix: str) -> bool:
    """Whether messages leave a queue by themselves: too old, or too many."""
    overflow = arguments.text(f"{prefix}overflow")
    if f"{prefix}message-ttl" in arguments:
        return True
    is_full = f"{prefix}max-length" in arguments or f"{prefix}max-length-bytes" in arguments
    return is_full and (overflow is None or overflow.text != "reject-publish")
