"""Definitions of several RabbitMQ clusters together: what crosses each link, what is wanted, names that do not fit.

The i-th federation link of a message's way wants a `max-hops` of at least i, and does not lead to a virtual host of a
cluster that the message has left (seen on RabbitMQ 3.10.8). Shovels have neither guard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from momlint.native.addresses import is_loopback
from momlint.native.amqp_keys import EVERYTHING, Words, covered, literal, matches, normal, quoted, words_of
from momlint.native.definitions import Vhost
from momlint.native.form import TOP, Address, At, Link, NativeFile, Pass, Token, Want
from momlint.native.rabbitmq import Carrier, End, Federation, Rabbit, at_self, own_vhost
from momlint.native.rabbitmq_routing import QUEUES, Entry, Flow, Labels, Routing, binding_words

#: The file at an address, None where it is a broker outside.
Resolve: TypeAlias = Callable[[NativeFile, Address], NativeFile | None]

#: Before this version a message remembers clusters, and not their virtual hosts.
_VHOSTS_COUNT = (3, 8, 9)
#: Walks are followed back so far, and so many of them, to find who is taken for another one.
_DEEPEST, _MOST_WALKS = 5, 2_000


class Spot(NamedTuple):
    """A virtual host: a broker of the estate. `file`: None for one outside, which `address` tells from others."""

    file: str | None
    vhost: str
    address: tuple[str, int | None] = ("", None)


class _Pull(NamedTuple):
    """A federation that leads somewhere."""

    native: NativeFile
    one: Federation
    source: Spot
    target: Spot


class Bridge(NamedTuple):
    """A bridge of MQTT, out of the file `native`, to or from an exchange of a virtual host of the file `there`."""

    native: NativeFile
    link: Link
    there: NativeFile
    exchange: str

    @property
    def spot(self) -> Spot:
        """Where it leads."""
        vhosts = rabbit(self.there).definitions.vhosts
        return Spot(self.there.file, "/" if "/" in vhosts or not vhosts else next(iter(vhosts)))


def connect(files: Sequence[NativeFile], resolve: Resolve, bridges: Sequence[Bridge] = ()) -> None:
    """Say what crosses each link and what is wanted where, and report what only several files tell.

    `bridges`: those of other files, by MQTT.
    """
    _Links(files, resolve, bridges).run()


def rabbit(native: NativeFile) -> Rabbit:
    """What a file says beyond brokers and links."""
    assert isinstance(native.server, Rabbit)
    return native.server


class _Links:
    def __init__(self, files: Sequence[NativeFile], resolve: Resolve, bridges: Sequence[Bridge]) -> None:
        self.files = files
        self.bridges = bridges
        self.by_file = {native.file: native for native in files}
        self._resolve = resolve
        self.pulls: list[_Pull] = []
        #: The shovels that lead from somewhere to somewhere.
        self.carried: list[tuple[NativeFile, Carrier, Spot, Spot]] = []
        exchanges = [name for native in files for vhost in _vhosts(native) for name in vhost.exchanges]
        queues = [name for native in files for vhost in _vhosts(native) for name in vhost.queues]
        for native in files:
            for federation in rabbit(native).federations:
                names = (name for pair in federation.pairs for name in pair)
                (exchanges if federation.what == "exchange" else queues).extend(names)
            for shovel in rabbit(native).shovels:
                for end in (shovel.source, shovel.target):
                    (exchanges if end.what == "exchange" else queues).append(end.name.text)
        self.labels = Labels(exchanges, queues)
        self.routings: dict[Spot, Routing] = {}
        self.tapped: dict[Spot, set[str]] = {}
        self.constants: dict[Spot, set[tuple[str, str]]] = {}
        #: Where messages come in: the places, each with where that is said.
        self.landed: dict[Spot, dict[Entry, tuple[NativeFile, At]]] = {}

    def run(self) -> None:
        for native in self.files:
            for federation in rabbit(native).federations:
                self.pull(native, federation)
            for shovel in rabbit(native).shovels:
                self.carry(native, shovel)
        self.leave_out_doubles()
        self.gather()
        for pull in self.pulls:
            self.fill_pull(pull)
        for native, shovel, source, target in self.carried:
            self.fill_shovel(native, shovel, source, target)
        for bridge in self.bridges:
            if not bridge.link.outward:
                self.fill_bridge(bridge)
        for spot, entries in self.landed.items():
            self.wants(spot, entries)
        self.check_names()
        self.check_walks()
        for spot, routing in self.routings.items():
            if routing.cut and spot.file is not None:
                native = self.by_file[spot.file]
                native.report(
                    "MOM814",
                    routing.vhost.at,
                    f"the bindings between exchanges of `{spot.vhost}` share too many keys: some ways are left out",
                    "bind exchanges to each other with fewer patterns",
                )

    # -- who is meant ------------------------------------------------------------------------------------------------

    def spot(self, native: NativeFile, address: Address | None, vhost: str) -> Spot:
        """The virtual host at an address."""
        there = native if at_self(address) or address is None else self.file_at(native, address)
        if there is not None:
            return Spot(there.file, vhost)
        assert address is not None
        return Spot(None, vhost, (address.host, address.port))

    def file_at(self, native: NativeFile, address: Address) -> NativeFile | None:
        found = self._resolve(native, address)
        if found is not None:
            return found
        if is_loopback(address.host) and address.port in (5671, 5672):
            return native
        return native if self._is_own(native, address) else None

    def _is_own(self, native: NativeFile, address: Address) -> bool:
        """Whether it is the file's own cluster under a name that only the outside knows.

        So it is where there is one file, all of whose links lead to one host, each to another virtual host of the file.
        """
        if len(self.files) > 1:
            return False
        here = _vhosts(native)
        names = {vhost.name for vhost in here}
        linked = [(one.address, one.vhost) for one in rabbit(native).federations]
        return all(
            other is not None and other.host == address.host and other.path in names - {vhost}
            for other, vhost in linked
        )

    def vhost(self, spot: Spot) -> Vhost | None:
        """What is declared there; None for a broker outside."""
        if spot.file is None:
            return None
        return rabbit(self.by_file[spot.file]).definitions.vhosts.get(spot.vhost)

    def lead(self, link: Link, spot: Spot) -> None:
        """Let a link lead to a broker of the files."""
        if spot.file is not None:
            link.other = (spot.file, rabbit(self.by_file[spot.file]).keys[spot.vhost])

    def pull(self, native: NativeFile, one: Federation) -> None:
        source = self.spot(native, one.address, own_vhost(one))
        target = Spot(native.file, one.vhost)
        there = self.vhost(source)
        if source.file is not None and there is None:
            self.no_vhost(native, one.upstream.uris[0].at, source)
            _leave_out(native, one.link)
            return
        if one.what == "exchange" and one.upstream.hops < 1:
            native.report(
                "MOM805",
                one.upstream.at,
                f"nothing comes from the upstream `{one.upstream.name}`: `max-hops` is 0",
                "write 1 for what is published there, or leave it out",
                label="no hop at all",
                about={"filter": ""},
            )
            _leave_out(native, one.link)
            return
        if source == target:
            native.report(
                "MOM814",
                one.upstream.uris[0].at,
                f"`{one.upstream.name}` leads to the virtual host that pulls from it; momlint leaves it out",
                "bind the exchanges to each other instead",
            )
            _leave_out(native, one.link)
            return
        given = one.upstream.exchange if one.what == "exchange" else one.upstream.queue
        if there is not None and given is not None and one.what == "exchange" and given.text not in there.exchanges:
            self.no_exchange(native, given, source)
        self.lead(one.link, source)
        self.pulls.append(_Pull(native, one, source, target))

    def no_vhost(self, native: NativeFile, at: At, spot: Spot) -> None:
        native.report(
            "MOM808",
            at,
            f"there is no virtual host `{spot.vhost}` in `{spot.file}`: the link is never opened",
            "mend the end of the URI, or declare the virtual host",
            label="declared nowhere",
            about={"broker": spot.vhost},
        )

    def no_exchange(self, native: NativeFile, token: Token, spot: Spot) -> None:
        native.report(
            "MOM808",
            token.at,
            f"no exchange is called `{token.text}` in `{spot.file}`: nothing comes from there",
            "mend the name, or declare the exchange",
            label="declared nowhere",
            about={"broker": token.text},
        )

    def carry(self, native: NativeFile, shovel: Carrier) -> None:
        ends: list[Spot | None] = []
        for end in (shovel.source, shovel.target):
            spot = self.spot(native, end.address, end.vhost)
            there = self.vhost(spot)
            if spot.file is not None and there is None:
                self.no_vhost(native, shovel.link.at if end.address is None else end.address.at, spot)
                ends.append(None)
                continue
            if there is not None and end.what == "exchange" and end.name.text not in there.exchanges:
                self.no_exchange(native, end.name, spot)
                ends.append(None)
                continue
            if there is not None and end is shovel.source and end.what == "exchange":
                self.check_key(native, end, there)
            ends.append(spot)
        source, target = ends
        link = shovel.link
        if source is None or target is None or (source.file is None and target.file is None) or source == target:
            # Within one virtual host, or between others' brokers: nothing of this estate.
            _leave_out(native, link)
            return
        near, far, address = source, target, shovel.target.address
        if source.file is None:
            near, far, address = target, source, shovel.source.address
            link.outward = False
        assert near.file is not None
        link.near = (near.file, rabbit(self.by_file[near.file]).keys[near.vhost])
        link.addresses = [] if address is None else [address]
        self.lead(link, far)
        self.carried.append((native, shovel, source, target))

    def check_key(self, native: NativeFile, end: End, there: Vhost) -> None:
        """MOM805: a shovel that takes nothing from its exchange."""
        kind = there.exchanges[end.name.text].kind
        if kind not in ("topic", "direct") or (end.key is not None and end.key.text):
            return
        every = "#" if kind == "topic" else "<key>"
        native.report(
            "MOM805",
            end.name.at if end.key is None else end.key.at,
            f"the shovel takes nothing from `{end.name.text}`: without a key it is bound by a made-up name",
            f'add `"src-exchange-key": "{every}"`',
            label="no key",
            about={"filter": ""},
        )

    def leave_out_doubles(self) -> None:
        """Two upstreams that lead to one exchange share a queue there, so that a message comes by one of them."""
        seen: set[tuple[Spot, Spot, str, str, str]] = set()
        for pull in list(self.pulls):
            kept = []
            for pair in pull.one.pairs:
                key = (pull.source, pull.target, pull.one.what, *pair)
                if key not in seen:
                    seen.add(key)
                    kept.append(pair)
            pull.one.pairs[:] = kept
            if not kept:
                _leave_out(pull.native, pull.one.link)
                self.pulls.remove(pull)

    # -- what crosses ------------------------------------------------------------------------------------------------

    def gather(self) -> None:
        """Where messages are taken, and where they come in."""
        for pull in self.pulls:
            for local, remote in pull.one.pairs:
                if pull.one.what == "exchange":
                    self.tapped.setdefault(pull.source, set()).add(remote)
                    entry: Entry = ("exchange", local, None)
                    self.landed.setdefault(pull.target, {}).setdefault(entry, (pull.native, pull.one.link.at))
        movers: dict[tuple[Spot, str], int] = {}
        for _, shovel, source, _ in self.carried:
            if shovel.source.what == "queue":
                movers[source, shovel.source.name.text] = movers.get((source, shovel.source.name.text), 0) + 1
        for native, shovel, source, target in self.carried:
            if shovel.source.what == "exchange":
                self.tapped.setdefault(source, set()).add(shovel.source.name.text)
            entry = _entry(shovel.target)
            if entry[2] is not None:
                self.constants.setdefault(target, set()).add((entry[1], entry[2]))
            # Of several shovels that empty one queue each gets a part: what comes by them are no copies.
            if shovel.target.what == "exchange" or movers.get((source, shovel.source.name.text), 1) == 1:
                self.landed.setdefault(target, {}).setdefault(entry, (native, shovel.link.at))

        for bridge in self.bridges:
            if not bridge.link.outward:
                self.tapped.setdefault(bridge.spot, set()).add(bridge.exchange)
            else:
                entry = ("exchange", bridge.exchange, None)
                vhost = self.vhost(bridge.spot)
                at = TOP if vhost is None else vhost.at
                self.landed.setdefault(bridge.spot, {}).setdefault(entry, (bridge.there, at))

    def routing(self, spot: Spot) -> Routing | None:
        """How messages go inside a virtual host; None for one outside."""
        found = self.routings.get(spot)
        if found is None:
            vhost = self.vhost(spot)
            if vhost is None:
                return None
            found = self.routings[spot] = Routing(vhost, self.tapped.get(spot, ()))
        return found

    def entries(self, spot: Spot, what: str, name: str) -> dict[Entry, list[Flow]]:
        """From where, and with which keys, messages get to an exchange or queue."""
        routing = self.routing(spot)
        if routing is None:
            return {(what, name, None): [Flow(EVERYTHING)]}
        return routing.entries((what, name), self.constants.get(spot, ()))

    def asked(self, first: _Pull, exchange: str) -> set[str]:
        """The keys by which a link binds its upstream, as they are written: those that the local exchange is bound by,
        and those of links that take from it, as far as their limits let them travel back.

        The k-th of these below the link wants a limit of k + 1 at least, and none leads from where the link does.
        """
        found: set[str] = set()
        waiting, seen = [(first.target, exchange, 1)], {(first.target, exchange)}
        for at, name, depth in waiting:
            vhost = self.vhost(at)
            found.update(one.key.text for one in (() if vhost is None else vhost.bindings) if one.source.text == name)
            for _, shovel, source, _ in self.carried:
                if source == at and shovel.source.what == "exchange" and shovel.source.name.text == name:
                    found.add("" if shovel.source.key is None else shovel.source.key.text)
            for pull in self.pulls:
                far_enough = pull.one.what == "exchange" and pull.one.upstream.hops > depth
                if pull.source != at or not far_enough or pull.target in (first.source, first.target):
                    continue
                for local, remote in pull.one.pairs:
                    if remote == name and (pull.target, local) not in seen:
                        seen.add((pull.target, local))
                        waiting.append((pull.target, local, depth + 1))
        return found

    def crossing(self, pull: _Pull, local: str, remote: str) -> list[Words] | None:
        """What crosses between exchanges of two types: the upstream's is bound by the keys that the local one is bound
        by, as its own type takes them. None for everything.
        """
        here, there = self.vhost(pull.target), self.vhost(pull.source)
        near = None if here is None else here.exchanges.get(local)
        far = None if there is None else there.exchanges.get(remote)
        if pull.one.what == "queue" or near is None or far is None or near.kind == far.kind:
            return None
        if far.kind not in ("topic", "direct"):
            return None
        asked = self.asked(pull, local)
        types = f"`{remote}` is of type {far.kind} there, and `{local}` of type {near.kind} here"
        if not asked:
            pull.native.report(
                "MOM814",
                pull.one.link.at,
                f"{types}: momlint takes all keys to cross, for nothing is bound to `{local}` yet",
                "federate exchanges of one type",
            )
            return None
        if all(_takes_nothing(far.kind, key) for key in asked):
            shown = ", ".join(f"`{key}`" for key in sorted(asked)[:3])
            every = "#" if far.kind == "topic" else "<key>"
            pull.native.report(
                "MOM805",
                pull.one.link.at,
                f"{types}, so that nothing crosses: no message at `{remote}` has the key {shown}",
                f"bind `{local}` by `{every}` as well, or federate exchanges of one type",
                label="nothing crosses",
                about={"filter": sorted(asked)[0]},
            )
        return [binding_words(far.kind, key) for key in sorted(asked)]

    def fill_pull(self, pull: _Pull) -> None:
        """Each pair of exchanges carries a copy of its own; a link, one by the first entry that matches.

        So what is published at one place and gets into several pairs goes by several links.
        """
        links = [pull.one.link]
        taken: list[set[Entry]] = [set()]
        for local, remote in pull.one.pairs:
            target = self.labels.of((pull.one.what, local, None))
            entries = self.entries(pull.source, pull.one.what, remote)
            bound = self.crossing(pull, local, remote)
            if bound is not None:
                entries = {
                    entry: [flow for words in bound for flow in self.narrowed(pull.source, entry, flows, words)]
                    for entry, flows in entries.items()
                }
            number = next((n for n, others in enumerate(taken) if others.isdisjoint(entries)), len(links))
            if number == len(links):
                links.append(replace(links[0], id=f"{links[0].id}, copy {number + 1}", passes=[]))
                taken.append(set())
            taken[number].update(entries)
            for entry, flows in entries.items():
                links[number].passes += self.passes(entry, flows, target, links[0].at)
        place = next(n for n, one in enumerate(pull.native.links) if one is links[0])
        pull.native.links[place + 1 : place + 1] = links[1:]

    def fill_shovel(self, native: NativeFile, shovel: Carrier, source: Spot, target: Spot) -> None:
        del native
        label = self.labels.of(_entry(shovel.target))
        end = shovel.source
        for entry, flows in self.entries(source, end.what, end.name.text).items():
            taken = flows
            if end.what == "exchange":
                taken = self.taken(source, end, entry, flows)
            shovel.link.passes += self.passes(entry, taken, label, shovel.link.at)
        del target

    def fill_bridge(self, bridge: Bridge) -> None:
        """What a client of MQTT is given: what gets to the exchange, under its key."""
        link = bridge.link
        entries = self.entries(bridge.spot, "exchange", bridge.exchange)
        followed = [(entry, flows) for entry, flows in entries.items() if entry[0] == "exchange" and entry[2] is None]
        if len(followed) < len(entries):
            bridge.native.report(
                "MOM814",
                link.at,
                f"momlint does not follow what gets to `{bridge.exchange}` with a key that it is given on the way",
                "leave the key of a message as it is",
            )
        given, link.passes, link.syntax = link.passes, [], "amqp"
        for one in given:
            strip, add = one.strip.replace("/", "."), one.add.replace("/", ".")
            bare = one.strip.rstrip("/")
            patterns = [(_words_of_mqtt(one.filter), strip)]
            if one.strip and one.filter == f"{bare}/#":
                # It matches the name alone too, of which the link cuts nothing.
                patterns.insert(0, (_words_of_mqtt(bare), ""))
            for pattern, cut in patterns:
                for entry, flows in followed:
                    label = self.labels.of(entry)
                    for passed in self.passes(entry, self.narrowed(bridge.spot, entry, flows, pattern), label, one.at):
                        kept = passed if passed.denied else passed._replace(strip=f"{label}.{cut}", add=add)
                        link.passes.append(kept._replace(denied=passed.denied or one.denied))

    def narrowed(self, spot: Spot, entry: Entry, flows: list[Flow], pattern: Words) -> list[Flow]:
        """Of flows, what a pattern matches as well; all or none of what has one key, whatever it is called."""
        if entry[2] is not None:
            return flows if matches(pattern, literal(entry[2])) else []
        routing = self.routing(spot)
        if routing is None:
            return [Flow(pattern)]
        return [flow for one in flows for flow in routing.narrowed(one, pattern)]

    def taken(self, source: Spot, end: End, entry: Entry, flows: list[Flow]) -> list[Flow]:
        """Of what gets to an exchange that which a shovel's own binding takes.

        Without a key RabbitMQ binds the queue of the shovel by a name that it makes up (seen on 3.10.8).
        """
        vhost = self.vhost(source)
        exchange = None if vhost is None else vhost.exchanges.get(end.name.text)
        key = "" if end.key is None else end.key.text
        if not key and exchange is not None and exchange.kind in ("topic", "direct"):
            return []
        pattern = words_of(key) if exchange is None else binding_words(exchange.kind, key)
        return self.narrowed(source, entry, flows, pattern)

    def passes(self, entry: Entry, flows: list[Flow], target: str, at: At) -> Iterator[Pass]:
        """The entries of a link for what is published at one place: of several the first that matches counts."""
        label = self.labels.of(entry)
        plain = [flow for flow in flows if not flow.without]
        left_over = [flow for flow in flows if flow.without]
        done: list[Words] = []
        for flow in plain:
            if not covered(flow.pattern, done):
                done.append(flow.pattern)
                yield _pass(label, flow.pattern, target, at)
        if left_over:
            without = frozenset.intersection(*(flow.without for flow in left_over))
            for words in sorted(without):
                if not covered(words, done):
                    yield Pass(_filter(label, words), "", "", at, denied=True)
            done += without
            for flow in left_over:
                if not covered(flow.pattern, done):
                    done.append(flow.pattern)
                    yield _pass(label, flow.pattern, target, at)

    # -- what is wanted ----------------------------------------------------------------------------------------------

    def wants(self, spot: Spot, entries: dict[Entry, tuple[NativeFile, At]]) -> None:
        """Of what comes in, that which queues get; everything where no queue is bound: who declares one as it starts.

        Nobody wants what falls between the bindings of an exchange, and federation does not bring it.
        """
        routing = self.routing(spot)
        if routing is None or spot.file is None:
            return
        native = self.by_file[spot.file]
        key = rabbit(native).keys[spot.vhost]
        to_queues = routing.flows(QUEUES)
        for entry, (_, at) in sorted(entries.items(), key=lambda item: tuple(map(str, item[0]))):
            kind, name, constant = entry
            label = self.labels.of(entry)
            flows = to_queues.get((kind, name), []) if kind == "exchange" and constant is None else []
            done: list[Words] = []
            for flow in flows:
                if not covered(flow.pattern, done):
                    done.append(flow.pattern)
                    native.wants.append(Want(key, _filter(label, flow.pattern), flow.at or at))
            if not flows:
                exchange = routing.vhost.exchanges.get(name) if kind == "exchange" else None
                where = exchange.at if exchange is not None and exchange.declared else routing.vhost.at
                native.wants.append(Want(key, f"{label}.#", where))

    # -- who is taken for whom ---------------------------------------------------------------------------------------

    def check_names(self) -> None:
        """MOM810: clusters of one name that federation joins."""
        joined = _Joined()
        taking: set[Spot] = set()
        for pull in self.pulls:
            if pull.one.what == "exchange":
                joined.join(pull.source, pull.target)
                taking |= {pull.source, pull.target}
        first: dict[tuple[str, str, Spot], NativeFile] = {}
        told: set[str] = set()
        for spot in sorted(
            (one for one in taking if one.file is not None), key=lambda one: (one.file or "", one.vhost)
        ):
            assert spot.file is not None
            native = self.by_file[spot.file]
            cluster = rabbit(native).definitions.cluster
            if cluster is None:
                continue
            other = first.setdefault((cluster.text, spot.vhost, joined.root(spot)), native)
            before = rabbit(other).definitions.cluster
            if other is native or native.file in told or before is None:
                continue
            told.add(native.file)
            native.report(
                "MOM810",
                cluster.at,
                f"two clusters call themselves `{cluster.text}`: federation takes them for one, and messages are lost",
                "give each cluster a name of its own: `rabbitmqctl set_cluster_name`",
                label="the name of another cluster",
                related=(other.related(before.at, "the other cluster's name"),),
                about={"broker": cluster.text},
            )

    def check_walks(self) -> None:
        """MOM803: links that messages cannot cross as a later hop, though their limit lets them.

        Before 3.8.9 a message remembers the names of clusters only: what has left one of their virtual hosts comes to
        no other one of them.
        """
        into: dict[Spot, list[_Pull]] = {}
        for pull in self.pulls:
            if pull.one.what == "exchange":
                into.setdefault(pull.target, []).append(pull)
        direct = {(pull.source, pull.target) for pull in self.pulls}
        for pull in self.pulls:
            if pull.one.what != "exchange" or pull.one.upstream.hops < 2 or not self._is_old(pull.source):
                continue
            for walk in self._walks(pull, into):
                start = walk[0].source
                if start == pull.target or (start, pull.target) in direct or not self._alike(start, pull.target):
                    continue
                self.tell_kept_back(pull, walk)
                break

    def _walks(self, last: _Pull, into: dict[Spot, list[_Pull]]) -> Iterator[tuple[_Pull, ...]]:
        """The walks of two links and more that end with one, as hop limits let them be, shortest first."""
        waiting: list[tuple[_Pull, ...]] = [(last,)]
        for looked, walk in enumerate(waiting):
            if looked > _MOST_WALKS:
                return
            if len(walk) > 1 and all(pull.one.upstream.hops >= hop for hop, pull in enumerate(walk, 1)):
                yield walk
            if len(walk) >= min(_DEEPEST, last.one.upstream.hops):
                continue
            taken = {remote for _, remote in walk[0].one.pairs}
            for before in into.get(walk[0].source, ()):
                if before in walk or not self._goes_on(before, walk[0].source, taken):
                    continue
                waiting.append((before, *walk))

    def _goes_on(self, before: _Pull, spot: Spot, taken: set[str]) -> bool:
        """Whether what comes in by one link gets to an exchange that the next one takes from."""
        lands = {local for local, _ in before.one.pairs}
        return any(
            kind == "exchange" and name in lands
            for remote in sorted(taken)
            for kind, name, _ in self.entries(spot, "exchange", remote)
        )

    def _is_old(self, spot: Spot) -> bool:
        if spot.file is None:
            return False
        version = rabbit(self.by_file[spot.file]).definitions.version
        return bool(version) and version < _VHOSTS_COUNT

    def _alike(self, one: Spot, other: Spot) -> bool:
        """Whether two brokers have one cluster's name."""
        if one.file is None or other.file is None:
            return False
        return one.file == other.file

    def tell_kept_back(self, pull: _Pull, walk: tuple[_Pull, ...]) -> None:
        names = [pull.source.vhost for pull in walk] + [walk[-1].target.vhost]
        version = ".".join(map(str, rabbit(pull.native).definitions.version))
        pull.native.report(
            "MOM803",
            pull.one.link.at,
            f"`{names[-1]}` does not get what comes to `{names[-2]}` from `{names[0]}`: RabbitMQ {version} remembers "
            "clusters by name, not their virtual hosts, and takes them for one",
            "take 3.8.9 or later, or pull from there directly",
            label="nothing crosses here as a second hop",
            related=tuple(
                one.native.related(one.one.link.at, f"it comes to `{one.target.vhost}` by this") for one in walk[:-1]
            ),
            about={"broker": names[-1], "source": names[0]},
        )


class _Joined:
    """Virtual hosts joined into groups."""

    def __init__(self) -> None:
        self._above: dict[Spot, Spot] = {}

    def root(self, one: Spot) -> Spot:
        while self._above.setdefault(one, one) != one:
            one = self._above[one]
        return one

    def join(self, one: Spot, other: Spot) -> None:
        first, second = self.root(one), self.root(other)
        self._above[second] = first


def _vhosts(native: NativeFile) -> list[Vhost]:
    return list(rabbit(native).definitions.vhosts.values())


def _leave_out(native: NativeFile, link: Link) -> None:
    native.links[:] = [one for one in native.links if one is not link]


def _takes_nothing(kind: str, key: str) -> bool:
    """Whether a binding takes no message that anybody would publish: it has no key, or wildcards that are none."""
    return not key or (kind == "direct" and not {"*", "#"}.isdisjoint(key.split(".")))


def _words_of_mqtt(filter_: str) -> Words:
    """The keys that the plug-in for MQTT binds for a filter, of one word at least."""
    if filter_ == "#":
        return ("*", "#")
    words = filter_.split("/")
    rest = words[-1] == "#"
    named = words[:-1] if rest else words
    found = ["*" if word == "+" else quoted(word) for word in named]
    return normal([*found, "#"] if rest else found)


def _entry(end: End) -> Entry:
    key = end.key.text if end.key is not None and end.what == "exchange" else None
    return end.what, end.name.text, key


def _filter(label: str, words: Words) -> str:
    return ".".join((label, *words))


def _pass(label: str, words: Words, target: str, at: At) -> Pass:
    """Topics of a label with keys, renamed to another label."""
    if label == target:
        return Pass(_filter(label, words), "", "", at)
    if not words:
        return Pass(label, "", f"{target}.", at)
    # Without any word there would be no prefix to cut.
    given = ("*", "#") if words == EVERYTHING else words
    return Pass(_filter(label, given), f"{label}.", f"{target}.", at)
