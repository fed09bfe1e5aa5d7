"""RabbitMQ's ``definitions.json``: federation and shovels as links between virtual hosts, each a broker of the estate.

What is published to an exchange under a key is the topic ``exchange.key``. Which of them cross a link is known once all
files are, see `momlint.native.rabbitmq_links`. Semantics were tried out on RabbitMQ 3.10.8, or read in its source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal
from urllib.parse import unquote

from momlint.native.addresses import read_address
from momlint.native.definitions import (
    Definitions,
    Policy,
    Shovel,
    Thing,
    Upstream,
    Vhost,
    limit_of,
    read_definitions,
)
from momlint.native.form import TOP, Address, Broker, Link, NativeFile, Token
from momlint.native.rabbitmq_losses import find_losses
from momlint.native.text import read_text
from momlint.words import listed

_PORTS: Final = {"amqp": 5672, "amqps": 5671}
#: Addresses of AMQP 1.0 at RabbitMQ.
_ADDRESS: Final = re.compile(r"/(queue|amq/queue|exchange|topic)/([^/]*)(?:/(.*))?")
_USER: Final = re.compile(r"//[^/@]*@")


@dataclass(slots=True)
class Federation:
    """What a virtual host pulls from one upstream, in pairs of a local name and the upstream's.

    `address`: None for the broker itself.
    """

    vhost: str
    what: Literal["exchange", "queue"]
    upstream: Upstream
    address: Address | None
    link: Link
    pairs: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class End:
    """An end of a shovel: an exchange (with a key that may be given) or a queue, of a virtual host at an address."""

    what: Literal["exchange", "queue"]
    name: Token
    key: Token | None
    address: Address | None
    vhost: str


@dataclass(slots=True)
class Carrier:
    """A shovel."""

    source: End
    target: End
    link: Link


@dataclass(slots=True)
class Rabbit:
    """What a file says beyond brokers and links. `keys`: the broker of each virtual host."""

    definitions: Definitions
    keys: dict[str, str]
    federations: list[Federation] = field(default_factory=list)
    shovels: list[Carrier] = field(default_factory=list)


def read_rabbitmq(data: bytes, file: str) -> NativeFile:
    """Read definitions of RabbitMQ. Raises nothing on account of the bytes."""
    text, problems, is_text = read_text(data, file)
    native = NativeFile("rabbitmq", [(file, text)], problems=problems)
    definitions = read_definitions(native, text) if is_text else Definitions()
    _Reader(native, definitions).run()
    return native


class _Reader:
    def __init__(self, native: NativeFile, definitions: Definitions) -> None:
        self.native = native
        self.definitions = definitions
        names = list(definitions.vhosts)
        keys = {name: "" if name == "/" or len(names) == 1 else name for name in names}
        self.server = Rabbit(definitions, keys)
        native.server = self.server

    def run(self) -> None:
        cluster = self.definitions.cluster
        hosts: set[str] = set()
        if cluster is not None:
            self.native.called = cluster.text
            hosts = {cluster.text.rpartition("@")[2].lower()}
        for name, vhost in self.definitions.vhosts.items():
            self.native.brokers.append(Broker(self.server.keys[name], vhost.at, hosts, {5671, 5672}))
        if not self.native.brokers:
            self.native.brokers.append(Broker("", TOP))
        for vhost in self.definitions.vhosts.values():
            self.check_names(vhost)
            self.federate(vhost)
            for shovel in vhost.shovels:
                self.shovel(vhost, shovel)
            find_losses(self.native, vhost, self.tapped(vhost), has_bindings=self.definitions.has_bindings)

    def tapped(self, vhost: Vhost) -> set[str]:
        """Exchanges out of which shovels of this file take messages, here."""
        return {
            one.source.name.text
            for one in self.server.shovels
            if one.source.what == "exchange" and one.source.address is None and one.source.vhost == vhost.name
        }

    # -- names -------------------------------------------------------------------------------------------------------

    def check_names(self, vhost: Vhost) -> None:
        for binding in vhost.bindings:
            for token, is_exchange in ((binding.source, True), (binding.destination, binding.to_exchange)):
                if is_exchange and token.text and token.text not in vhost.exchanges and not _is_system(token.text):
                    self.unknown(token, f"no exchange is called `{token.text}`: this binding binds nothing", "exchange")
            source = vhost.exchanges.get(binding.source.text)
            if source is not None and source.kind == "topic":
                self.check_syntax(binding.key)
        for members in vhost.sets.values():
            for member in members:
                self.upstream_called(vhost, member.upstream)

    def check_syntax(self, key: Token) -> None:
        """MOM806 for a key with wildcards of MQTT or NATS: words that are one there, parted by slashes or by dots."""
        signs = [sign for sign in ("+", ">") if sign in key.text.split(".")]
        if signs:
            self.native.report(
                "MOM806",
                key.at,
                f"{listed(signs)} in `{key.text}` {'is' if len(signs) == 1 else 'are'} an ordinary character in AMQP",
                "write `*` for one word and `#` for any number",
                label="taken as it stands",
                about={"filter": key.text},
            )
            return
        words = key.text.split("/")
        if len(words) < 2 or not {"+", "#", "*"}.intersection(words):
            return
        self.native.report(
            "MOM806",
            key.at,
            f"`/` in `{key.text}` is an ordinary character in AMQP, so that `+`, `*` and `#` beside it mean nothing",
            "write the key with dots: words are `*` for one and `#` for any number",
            label="taken as it stands",
            about={"filter": key.text},
        )

    def unknown(self, token: Token, message: str, what: str) -> None:
        self.native.report(
            "MOM808",
            token.at,
            message,
            f"mend the name, or declare the {what}",
            label="declared nowhere",
            about={"broker": token.text},
        )

    def upstream_called(self, vhost: Vhost, name: Token) -> Upstream | None:
        found = vhost.upstreams.get(name.text)
        if found is None and not any(one.span == name.at.span and one.code == "MOM808" for one in self.native.problems):
            where = f" in the virtual host `{vhost.name}`" if len(self.definitions.vhosts) > 1 else ""
            self.unknown(name, f"no upstream is called `{name.text}`{where}: no link is ever opened", "upstream")
        return found

    # -- federation --------------------------------------------------------------------------------------------------

    def federate(self, vhost: Vhost) -> None:
        chosen = {id(policy): list(self.upstreams(vhost, policy)) for policy in vhost.policies}
        bound = {one.source.text for one in vhost.bindings} | {
            one.destination.text for one in vhost.bindings if one.to_exchange
        }
        found: dict[tuple[str, Upstream], Federation] = {}
        for exchange in vhost.exchanges.values():
            policy = None if exchange.internal else vhost.policy(exchange.name, "exchanges")
            # Those that every virtual host has are of interest to somebody who names them.
            if policy is None or not (exchange.declared or exchange.name in bound):
                continue
            for upstream in chosen[id(policy)]:
                remote = upstream.exchange.text if upstream.exchange is not None else exchange.name
                self.pull(found, vhost, "exchange", upstream, (exchange.name, remote))
        for queue in vhost.queues.values():
            policy = vhost.policy(queue.name, "queues")
            for upstream in chosen[id(policy)] if policy is not None else ():
                remote = upstream.queue.text if upstream.queue is not None else queue.name
                self.pull(found, vhost, "queue", upstream, (queue.name, remote))

    def pull(
        self,
        found: dict[tuple[str, Upstream], Federation],
        vhost: Vhost,
        what: Literal["exchange", "queue"],
        upstream: Upstream,
        pair: tuple[str, str],
    ) -> None:
        one = found.get((what, upstream))
        if one is None:
            good, address = self.address(upstream.uris[0])
            if not good:
                return
            link = Link(
                self.free_id(vhost, f"{upstream.name}.queues" if what == "queue" else upstream.name),
                self.server.keys[vhost.name],
                False,
                upstream.at,
                [],
                [] if at_self(address) or address is None else [address],
                max_hops=upstream.hops if what == "exchange" else None,
            )
            one = found[what, upstream] = Federation(vhost.name, what, upstream, address, link)
            self.server.federations.append(one)
            self.native.links.append(link)
        one.pairs.append(pair)

    def upstreams(self, vhost: Vhost, policy: Policy) -> Iterator[Upstream]:
        """The upstreams that a policy names; of one that is not there it is told."""
        single = policy.definition.text("federation-upstream")
        several = policy.definition.text("federation-upstream-set")
        pattern = policy.definition.text("federation-upstream-pattern")
        if single is not None:
            upstream = self.upstream_called(vhost, single)
            if upstream is not None:
                yield upstream
        elif several is not None and several.text == "all" and "all" not in vhost.sets:
            yield from vhost.upstreams.values()
        elif several is not None:
            if several.text not in vhost.sets:
                self.unknown(
                    several,
                    f"no upstream set is called `{several.text}`: the policy `{policy.name}` opens no link",
                    "set",
                )
            for member in vhost.sets.get(several.text, ()):
                upstream = vhost.upstreams.get(member.upstream.text)
                if upstream is not None:
                    yield self.overridden(upstream, member.value)
        elif pattern is not None:
            self.native.report(
                "MOM814",
                pattern.at,
                "momlint does not follow `federation-upstream-pattern`",
                "name the upstreams, or a set of them",
            )

    def overridden(self, upstream: Upstream, value: Thing) -> Upstream:
        """An upstream as an element of a set has it."""
        hops, at = limit_of(self.native, value, upstream.hops, upstream.at)
        return upstream._replace(
            uris=tuple(value.texts("uri")) or upstream.uris,
            exchange=value.text("exchange") or upstream.exchange,
            queue=value.text("queue") or upstream.queue,
            hops=hops,
            at=at,
        )

    def free_id(self, vhost: Vhost, wanted: str) -> str:
        key = self.server.keys[vhost.name]
        name = f"{key}.{wanted}" if key else wanted
        taken = {link.id for link in self.native.links}
        found, number = name, 2
        while found in taken:
            found, number = f"{name} #{number}", number + 1
        return found

    def address(self, uri: Token) -> tuple[bool, Address | None]:
        """Whether a URI can be followed, and the address, None for the broker itself; without names and passwords."""
        scheme, parted, _ = uri.text.partition("://")
        port = _PORTS.get(scheme.lower())
        if not parted or port is None:
            self.native.report(
                "MOM813",
                uri.at,
                "this is no URI of AMQP; the broker refuses it",
                'write `"uri": "amqp://<host>:5672"`',
            )
            return False, None
        found = read_address(uri.text, uri.at)
        if not found.host:
            own = found._replace(port=None)
            return True, own if own.path else None
        shown = _USER.sub("//", uri.text, count=1).partition("?")[0]
        return True, found._replace(text=shown, port=port if found.port is None else found.port)

    # -- shovels -----------------------------------------------------------------------------------------------------

    def shovel(self, vhost: Vhost, shovel: Shovel) -> None:
        value = shovel.value
        for side in ("src", "dest"):
            protocol = value.text(f"{side}-protocol")
            if protocol is not None and protocol.text not in ("amqp091", "amqp10"):
                self.native.report(
                    "MOM814",
                    protocol.at,
                    f"momlint does not follow shovels over `{protocol.text}`",
                    "declare a link for it in a manifest",
                )
                return
        source, target = self.end(shovel, "src"), self.end(shovel, "dest")
        if source is None or target is None:
            return
        at = value.texts("dest-uri")[0].at
        link = Link(self.free_id(vhost, shovel.name), self.server.keys[vhost.name], True, at, [], unguarded=True)
        link.addresses = [end.address for end in (source, target) if end.address is not None]
        self.server.shovels.append(Carrier(source, target, link))
        self.native.links.append(link)

    def end(self, shovel: Shovel, side: str) -> End | None:
        value = shovel.value
        uris = value.texts(f"{side}-uri")
        if not uris:
            self.refuse(
                shovel, f"the shovel `{shovel.name}` has no `{side}-uri`", f'add `"{side}-uri": "amqp://<host>"`'
            )
            return None
        good, address = self.address(uris[0])
        if not good:
            return None
        vhost = address.path if address is not None and address.path else "/"
        if address is not None and not address.host:
            address = None
        protocol = value.text(f"{side}-protocol")
        if protocol is not None and protocol.text == "amqp10":
            return self.end_by_address(shovel, side, address, vhost)
        queue, exchange = value.text(f"{side}-queue"), value.text(f"{side}-exchange")
        if queue is not None:
            return End("queue", queue, None, address, vhost)
        if exchange is not None:
            return End("exchange", exchange, value.any_text(f"{side}-exchange-key"), address, vhost)
        if side == "src":
            self.refuse(shovel, f"the shovel `{shovel.name}` has no source", "add `src-queue` or `src-exchange`")
            return None
        # Messages are published again as they were: to the exchange they came by, which only they know.
        self.native.report(
            "MOM814",
            shovel.at,
            f"the shovel `{shovel.name}` says neither `dest-queue` nor `dest-exchange`; momlint leaves it out",
            "say where the messages go",
        )
        return None

    def end_by_address(self, shovel: Shovel, side: str, address: Address | None, vhost: str) -> End | None:
        """An end over AMQP 1.0, whose address is read as RabbitMQ's plug-in for that reads it: ``/queue/q``,
        ``/exchange/x/key``, ``/topic/key``, or a queue's name alone.
        """
        token = shovel.value.text(f"{side}-address")
        if token is None:
            what = f"the shovel `{shovel.name}` has no `{side}-address`"
            self.refuse(shovel, what, f'add `"{side}-address": "<queue>"`')
            return None
        found = _ADDRESS.fullmatch(token.text)
        kind, name, key = (unquote(part or "") for part in found.groups()) if found else ("queue", token.text, "")
        if kind == "topic":
            name, key = "amq.topic", name
        if not kind.endswith("queue") and not key and side == "dest":
            self.native.report(
                "MOM814",
                token.at,
                f"the shovel `{shovel.name}` gives messages the keys that they say themselves; momlint leaves it out",
                "put the key behind the exchange: `/exchange/<name>/<key>`",
            )
            return None
        if kind.endswith("queue"):
            return End("queue", Token(name, token.at), None, address, vhost)
        return End("exchange", Token(name, token.at), Token(key, token.at) if key else None, address, vhost)

    def refuse(self, shovel: Shovel, what: str, help_: str) -> None:
        self.native.report("MOM813", shovel.at, f"{what}; the broker refuses it", help_)


def _is_system(exchange: str) -> bool:
    return exchange.startswith("amq.")


def at_self(address: Address | None) -> bool:
    """Whether an address is the broker's own."""
    return address is None or not address.host


def own_vhost(federation: Federation) -> str:
    """The virtual host of an upstream: where its URI names none, the one of the same name."""
    return federation.address.path if federation.address is not None and federation.address.path else federation.vhost


__all__ = ["Carrier", "End", "Federation", "Rabbit", "at_self", "own_vhost", "read_rabbitmq"]
