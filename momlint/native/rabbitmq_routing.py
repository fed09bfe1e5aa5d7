"""Where a message goes inside a virtual host of RabbitMQ: from where it is published, by bindings, to queues and on.

Exchanges that are bound to each other are walked backwards from where something leaves the virtual host (an exchange
that is an upstream, a queue that is emptied by a shovel). What comes out is, for every place where a message may be
published, the keys with which it gets there. A message visits each exchange once and a queue gets one copy (seen on
RabbitMQ 3.10.8), so that cycles of bindings are nothing to speak of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, TypeAlias

from momlint.native.amqp_keys import EVERYTHING, TooMany, Words, covered, literal, matches, shared, words_of
from momlint.native.definitions import BUILT_IN, Binding, Exchange, Vhost
from momlint.native.form import At

#: ``("exchange", name)`` or ``("queue", name)``.
Node: TypeAlias = tuple[str, str]
#: Stands for every queue.
QUEUES: Final[Node] = ("queues", "")

#: A place where a message is published: an exchange, with the message's key or (not None) always the same one; or,
#: as RabbitMQ's default exchange has it, a queue.
Entry: TypeAlias = tuple[str, str, str | None]

#: So many ways with keys of their own lead from one exchange to one place.
_MOST_FLOWS: Final = 200


class Flow(NamedTuple):
    """Keys: those that `pattern` matches and nothing of `without` does. `at`: the binding to the queue, if to one."""

    pattern: Words
    without: frozenset[Words] = frozenset()
    at: At | None = None


class _Way(NamedTuple):
    """One step back: messages at `source` go on to where this is kept. `key`: they get it, None for their own."""

    source: Node
    pattern: Words
    without: frozenset[Words]
    key: Words | None
    at: At | None


def binding_words(kind: str, key: str) -> Words:
    """The keys that a binding takes at an exchange of this type; headers and hashes are taken to be met."""
    match kind:
        case "topic":
            return words_of(key)
        case "direct":
            return literal(key)
    return EVERYTHING


class Routing:
    """A virtual host. `tapped`: exchanges from which something else takes messages, so that all are routed there.

    `dead_letters`: what leaves queues by age or length goes on by their dead-letter exchanges.
    """

    def __init__(self, vhost: Vhost, tapped: Iterable[str] = (), *, dead_letters: bool = True) -> None:
        self.vhost = vhost
        self.tapped = set(tapped)
        #: Whether there were too many keys to tell apart.
        self.cut = False
        self._into: dict[Node, list[_Way]] = {}
        self._bound: dict[str, list[Words]] = {}
        for binding in vhost.bindings:
            self._bind(binding)
        for exchange in vhost.exchanges.values():
            self._alternate(exchange)
        for queue in vhost.queues.values():
            if dead_letters and queue.dead is not None and queue.expires:
                key = None if queue.dead_key is None else literal(queue.dead_key.text)
                if queue.dead.text:
                    target: Node | None = ("exchange", queue.dead.text)
                else:
                    target = None if queue.dead_key is None else ("queue", queue.dead_key.text)
                if target is not None:
                    self._way(target, _Way(("queue", queue.name), EVERYTHING, frozenset(), key, None))
        names = {*vhost.queues, *(one.destination.text for one in vhost.bindings if not one.to_exchange)}
        for name in sorted(names):
            self._way(QUEUES, _Way(("queue", name), EVERYTHING, frozenset(), None, None))

    def bound(self, exchange: str) -> list[Words]:
        """The keys that the bindings of an exchange take."""
        return self._bound.get(exchange, [])

    def _way(self, target: Node, way: _Way) -> None:
        self._into.setdefault(target, []).append(way)

    def _bind(self, binding: Binding) -> None:
        source = self.vhost.exchanges.get(binding.source.text)
        if source is None or (binding.to_exchange and binding.destination.text not in self.vhost.exchanges):
            return
        pattern = binding_words(source.kind, binding.key.text)
        self._bound.setdefault(source.name, []).append(pattern)
        target = ("exchange" if binding.to_exchange else "queue", binding.destination.text)
        where = None if binding.to_exchange else binding.at
        self._way(target, _Way(("exchange", source.name), pattern, frozenset(), None, where))

    def _alternate(self, exchange: Exchange) -> None:
        """What an exchange cannot route goes to another one."""
        if exchange.alternate is None or exchange.name in self.tapped:
            return
        taken = frozenset(self.bound(exchange.name)) if exchange.kind in ("topic", "direct", "fanout") else frozenset()
        if EVERYTHING not in taken:
            way = _Way(("exchange", exchange.name), EVERYTHING, taken, None, None)
            self._way(("exchange", exchange.alternate.text), way)

    def flows(self, sink: Node) -> dict[Node, list[Flow]]:
        """For every exchange and queue from which messages get to `sink`, with which keys."""
        found: dict[Node, list[Flow]] = {sink: [Flow(EVERYTHING)]}
        waiting = [sink]
        while waiting:
            node = waiting.pop()
            for way in self._into.get(node, ()):
                if self._add(found.setdefault(way.source, []), self._back(way, found[node])):
                    waiting.append(way.source)
        return {node: flows for node, flows in found.items() if flows}

    def _back(self, way: _Way, flows: list[Flow]) -> list[Flow]:
        if way.key is not None:
            key = way.key
            goes = any(
                matches(flow.pattern, key) and not any(matches(one, key) for one in flow.without) for flow in flows
            )
            return [Flow(way.pattern, way.without)] if goes else []
        found = []
        for flow in flows:
            try:
                patterns = shared(way.pattern, flow.pattern)
            except TooMany:
                self.cut = True
                continue
            found += [Flow(one, way.without | flow.without, way.at or flow.at) for one in patterns]
        return found

    def narrowed(self, flow: Flow, pattern: Words) -> list[Flow]:
        """Of a flow, what a pattern matches as well."""
        try:
            return [flow._replace(pattern=one) for one in shared(flow.pattern, pattern)]
        except TooMany:
            self.cut = True
            return []

    def _add(self, flows: list[Flow], more: list[Flow]) -> bool:
        """Put what is new to flows; whether anything was."""
        added = False
        for flow in more:
            wider = [one.pattern for one in flows if one.without <= flow.without]
            if covered(flow.pattern, wider) or covered(flow.pattern, flow.without):
                continue
            if len(flows) >= _MOST_FLOWS:
                self.cut = True
                break
            flows[:] = [
                one for one in flows if not (flow.without <= one.without and covered(one.pattern, [flow.pattern]))
            ]
            flows.append(flow)
            added = True
        return added

    def entries(self, sink: Node, constants: Iterable[tuple[str, str]] = ()) -> dict[Entry, list[Flow]]:
        """By where it is published: the keys with which a message gets to `sink`; where it is published there comes
        first. `constants`: exchanges to which messages come with always the same key.
        """
        flows = self.flows(sink)
        order = sorted(flows, key=lambda node: (node != sink, node))
        found: dict[Entry, list[Flow]] = {}
        for node in order:
            kind, name = node
            if kind == "exchange":
                found["exchange", name, None] = sorted(
                    flows[node], key=lambda flow: (len(flow.without), len(flow.pattern), flow.pattern)
                )
            elif kind == "queue" and _takes(flows[node], literal(name)):
                found["queue", name, None] = [Flow(EVERYTHING, at=next((one.at for one in flows[node]), None))]
        for exchange, key in sorted(constants):
            here = flows.get(("exchange", exchange), [])
            taking = [flow for flow in here if _takes([flow], literal(key))]
            if taking:
                found["exchange", exchange, key] = [Flow(EVERYTHING, at=taking[0].at)]
        return found


def _takes(flows: list[Flow], key: Words) -> bool:
    return any(matches(flow.pattern, key) and not any(matches(one, key) for one in flow.without) for flow in flows)


class Labels:
    """What places are called as the first words of a topic: ``exchange.key``, and ``amq.default.queue.`` for a queue.

    A dot in a name stays, unless the name then begins like another one.
    """

    def __init__(self, exchanges: Iterable[str], queues: Iterable[str]) -> None:
        self._exchanges = _unlike(set(exchanges) | set(BUILT_IN))
        self._queues = _unlike(set(queues))

    def of(self, entry: Entry) -> str:
        """The label, without a dot at its end."""
        kind, name, key = entry
        if kind == "queue":
            return "amq.default." + self._queues(name)
        label = self._exchanges(name)
        return label if key is None else f"{label}={_plain(key)}"


def _plain(name: str) -> str:
    return "/".join(_word(word) for word in name.split("."))


def _word(word: str) -> str:
    return {"*": "%2A", "#": "%23", "+": "%2B", ">": "%3E", "": "%"}.get(word, word)


def _unlike(names: set[str]) -> Callable[[str], str]:
    """How each name is written."""
    # The names that begin with it are RabbitMQ's own.
    names = names - {"amq"}
    dotted = {".".join(name.split(".")[:end]) for name in names for end in range(1, name.count(".") + 1)}
    ambiguous = names & dotted

    def write(name: str) -> str:
        parts = name.split(".")
        begins_like_another = any(".".join(parts[:end]) in ambiguous for end in range(1, len(parts)))
        if name == "amq":
            return "amq%"
        if begins_like_another or name == "amq.default" or name.startswith("amq.default."):
            return _plain(name)
        return ".".join(_word(word) for word in parts)

    return write
