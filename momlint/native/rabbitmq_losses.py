"""MOM811: dead-letter and alternate exchanges of RabbitMQ that lose what they are there to keep.

Tried out on RabbitMQ 3.10.8: one that is not there loses messages silently, an alternate exchange gets the key that the
message came with, and a message that only age or length drives round a cycle of queues is dropped when it comes to a
queue a second time; where a consumer rejects it on the way, it stays.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from momlint.native.amqp_keys import EVERYTHING, TooMany, Words, covered, example, literal, matches, meet, shared
from momlint.native.definitions import Exchange, Queue, Vhost
from momlint.native.form import NativeFile, Token
from momlint.native.rabbitmq_routing import QUEUES, Flow, Node, Routing

#: So many steps are looked at to find cycles of a virtual host.
_MOST_STEPS = 20_000


def find_losses(native: NativeFile, vhost: Vhost, tapped: Iterable[str], *, has_bindings: bool) -> None:
    """Report them for a virtual host. `tapped`: exchanges out of which something else takes messages.

    `has_bindings`: the file says what is bound at all.
    """
    dead = [queue for queue in vhost.queues.values() if queue.dead is not None]
    alternate = [exchange for exchange in vhost.exchanges.values() if exchange.alternate is not None]
    if dead or alternate:
        _Losses(native, vhost, set(tapped), has_bindings).run(dead, alternate)


class _Hop(NamedTuple):
    """From a queue to another one, by the keys of `patterns`; `key`: what messages then have, None for their own."""

    queue: str
    patterns: tuple[Words, ...]
    key: Words | None


class _Losses:
    def __init__(self, native: NativeFile, vhost: Vhost, tapped: set[str], has_bindings: bool) -> None:
        self.native = native
        self.vhost = vhost
        self.routing = Routing(vhost, tapped)
        self.to_queues = self.routing.flows(QUEUES)
        self.tapped = tapped | self._federated()
        self.has_bindings = has_bindings
        self.steps = 0
        self._without_dead = Routing(vhost, self.tapped, dead_letters=False)
        self._reached: dict[str, dict[Node, list[Flow]]] = {}

    def _federated(self) -> set[str]:
        """Exchanges that others may pull from: any may be an upstream, and one that is a downstream often is."""
        found = set()
        for exchange in self.vhost.exchanges.values():
            policy = self.vhost.policy(exchange.name, "exchanges")
            if policy is not None and any(key.text.startswith("federation-") for key in policy.definition.keys):
                found.add(exchange.name)
        return found

    def run(self, dead: list[Queue], alternate: list[Exchange]) -> None:
        for exchange in alternate:
            self.alternate(exchange)
        lost = {queue.name for queue in dead if self.dead(queue)}
        self.cycles([queue for queue in dead if queue.expires and queue.name not in lost])

    def tell(self, token: Token, message: str, help_: str, label: str, **more: object) -> None:
        related = more.get("related", ())
        assert isinstance(related, tuple)
        self.native.report(
            "MOM811", token.at, message, help_, label=label, related=related, about={"broker": token.text}
        )

    # -- alternate exchanges -----------------------------------------------------------------------------------------

    def alternate(self, exchange: Exchange) -> None:
        token = exchange.alternate
        assert token is not None
        target = self.vhost.exchanges.get(token.text)
        if target is None:
            self.tell(
                token,
                f"no exchange is called `{token.text}`: what `{exchange.name}` cannot route is lost",
                "mend the name, or declare the exchange",
                "declared nowhere",
            )
            return
        taken = self.routing.bound(exchange.name)
        if exchange.name in self.tapped or target.name in self.tapped or self._never_left_over(exchange, taken):
            return
        caught = [flow.pattern for flow in self.to_queues.get(("exchange", target.name), ())]
        if not caught:
            if self.has_bindings:
                self.tell(
                    token,
                    f"no queue gets anything from `{target.name}`: what `{exchange.name}` cannot route is lost",
                    f"bind a queue to `{target.name}`",
                    "nothing is bound to it",
                )
            return
        if exchange.kind not in ("topic", "direct", "fanout") or target.kind != "direct":
            return
        others = self._ring(exchange)
        if any(one.at > token.at for one in others):
            return  # what one of them loses, all of them do: told at the last
        try:
            key = example(EVERYTHING, [*taken, *caught])
        except TooMany:
            return
        if key is not None:
            self.tell(
                token,
                f"`{target.name}` is a direct exchange and takes only keys that it is bound with; others that "
                f"`{exchange.name}` cannot route, such as `{'.'.join(key)}`, are lost",
                f"make `{target.name}` a fanout exchange: it gets messages with the keys that they came with",
                "takes almost none of it",
                related=tuple(self.native.related(one.at, "this one leads back") for one in others),
            )

    def _ring(self, exchange: Exchange) -> list[Token]:
        """Where the others are named of direct exchanges that are alternates of one another in a ring."""
        found: list[Token] = []
        one = exchange
        while one.alternate is not None and one.kind == "direct":
            following = self.vhost.exchanges.get(one.alternate.text)
            if following is exchange:
                return found
            if following is None or following.alternate is None or following.alternate in found:
                return []
            found.append(following.alternate)
            one = following
        return []

    def _never_left_over(self, exchange: Exchange, taken: list[Words]) -> bool:
        if exchange.kind not in ("topic", "direct", "fanout"):
            return False
        return covered(EVERYTHING, taken)

    # -- dead-letter exchanges ---------------------------------------------------------------------------------------

    def dead(self, queue: Queue) -> bool:
        """Whether what a queue drops is lost at once, which is told."""
        token = queue.dead
        assert token is not None
        if not token.text:
            return self._dead_to_queue(queue)
        target = self.vhost.exchanges.get(token.text)
        if target is None:
            self.tell(
                token,
                f"no exchange is called `{token.text}`: what leaves `{queue.name}` by age, length or a reject is lost",
                "mend the name, or declare the exchange",
                "declared nowhere",
            )
            return True
        if target.name in self.tapped or target.kind not in ("topic", "direct", "fanout"):
            return False
        caught = [flow.pattern for flow in self.to_queues.get(("exchange", target.name), ())]
        if not caught:
            if self.has_bindings:
                self.tell(
                    token,
                    f"no queue gets anything from `{target.name}`: what leaves `{queue.name}` by age, length or a "
                    "reject is lost",
                    f"bind a queue to `{target.name}`",
                    "nothing is bound to it",
                )
            return self.has_bindings
        keys = self.keys(queue)
        if self._meets(keys, caught):
            return False
        shown = ".".join(keys[0]) or "the empty one"
        self.tell(
            token if queue.dead_key is None else queue.dead_key,
            f"no binding of `{target.name}` takes a key that messages of `{queue.name}` have, such as `{shown}`: what "
            "leaves it by age, length or a reject is lost",
            f"bind a queue to `{target.name}` with that key, or set `x-dead-letter-routing-key`",
            "never matches",
        )
        return True

    def _dead_to_queue(self, queue: Queue) -> bool:
        """Of the default exchange: a queue by the name of the key."""
        key = queue.dead_key
        if key is None or not key.text or key.text in self.vhost.queues:
            return False
        self.tell(
            key,
            f"no queue is called `{key.text}`: what leaves `{queue.name}` by age, length or a reject is lost",
            "mend the name, or declare the queue",
            "declared nowhere",
        )
        return True

    def _meets(self, keys: list[Words], caught: list[Words]) -> bool:
        try:
            return meet(keys, caught)
        except TooMany:
            return True

    def keys(self, queue: Queue) -> list[Words]:
        """The keys that what leaves a queue by its dead-letter exchange may have."""
        if queue.dead_key is not None:
            return [literal(queue.dead_key.text)]
        found: list[Words] = []
        for (kind, _), flows in self.routing.flows(("queue", queue.name)).items():
            if kind == "exchange":
                found += [flow.pattern for flow in flows]
        for other in self.vhost.queues.values():
            if other.dead is None or other.dead_key is None:
                continue
            key = literal(other.dead_key.text)
            if other.dead.text == "" and other.dead_key.text == queue.name:
                found.append(key)
        # What is published to a queue by its name has that as its key.
        found.append(literal(queue.name))
        return list(dict.fromkeys(found))

    # -- cycles ------------------------------------------------------------------------------------------------------

    def cycles(self, queues: list[Queue]) -> None:
        """Queues that messages leave only by themselves, and that they come back to."""
        hops = {queue.name: self.hops(queue, queues) for queue in queues}
        told: set[frozenset[str]] = set()
        for queue in queues:
            cycle = self._cycle(queue, hops)
            if cycle is None or frozenset(cycle) in told:
                continue
            told.add(frozenset(cycle))
            self._tell_cycle([self.vhost.queues[name] for name in cycle])

    def hops(self, queue: Queue, queues: list[Queue]) -> list[_Hop]:
        assert queue.dead is not None
        key = None if queue.dead_key is None else literal(queue.dead_key.text)
        if not queue.dead.text:
            name = None if queue.dead_key is None else queue.dead_key.text
            # Without a key of its own, a message of a queue's name comes back to that queue.
            names = [queue.name] if name is None else [name]
            return [
                _Hop(one.name, (literal(one.name),) if key is None else (EVERYTHING,), key)
                for one in queues
                if one.name in names
            ]
        found = []
        for one in queues:
            flows: list[Flow] = self._direct(one, queue.dead.text)
            patterns = tuple(flow.pattern for flow in flows)
            if key is not None:
                patterns = (EVERYTHING,) if any(matches(pattern, key) for pattern in patterns) else ()
            if patterns:
                found.append(_Hop(one.name, patterns, key))
        return found

    def _direct(self, queue: Queue, exchange: str) -> list[Flow]:
        """With which keys messages get from an exchange to a queue, through no other queue."""
        if queue.name not in self._reached:
            self._reached[queue.name] = self._without_dead.flows(("queue", queue.name))
        return self._reached[queue.name].get(("exchange", exchange), [])

    def _cycle(self, first: Queue, hops: dict[str, list[_Hop]]) -> list[str] | None:
        """The queues of a shortest cycle through the first one that a key goes round."""
        waiting: list[tuple[str, tuple[Words, ...], tuple[str, ...]]]
        waiting = [(first.name, tuple(self._own(first)), (first.name,))]
        for name, keys, path in waiting:
            for hop in hops[name]:
                self.steps += 1
                if self.steps > _MOST_STEPS:
                    return None
                left = self._left(keys, hop)
                if not left:
                    continue
                if hop.queue == first.name:
                    return list(path)
                if hop.queue not in path:
                    waiting.append((hop.queue, left, (*path, hop.queue)))
        return None

    def _own(self, queue: Queue) -> list[Words]:
        """The keys that messages have in a queue."""
        return self.keys(Queue(queue.name, queue.at))

    def _left(self, keys: tuple[Words, ...], hop: _Hop) -> tuple[Words, ...]:
        if hop.key is not None:
            return (hop.key,)
        try:
            return tuple(dict.fromkeys(one for mine in keys for other in hop.patterns for one in shared(mine, other)))
        except TooMany:
            return ()

    def _tell_cycle(self, cycle: list[Queue]) -> None:
        last = max(cycle, key=lambda queue: queue.dead.at if queue.dead is not None else queue.at)
        token = last.dead
        assert token is not None
        names = [f"`{queue.name}`" for queue in cycle]
        way = " to ".join([*names, names[0]])
        related = tuple(
            self.native.related(queue.dead.at, f"`{queue.name}` drops its messages here")
            for queue in cycle
            if queue is not last and queue.dead is not None
        )
        self.tell(
            token,
            f"messages go from {way} by age or length alone: RabbitMQ drops them at the second turn",
            "let a consumer reject them on the way, take the time limit from a queue, or publish them anew",
            "this closes the cycle",
            related=related,
        )
