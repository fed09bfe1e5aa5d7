"""From native files to one estate: names for brokers, addresses to brokers, and documents in momlint's language.

Each text of each file becomes a document whose nodes stand where the file says what they say, so that all that follows
(models, disciplines, findings) need not know where an estate comes from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from momlint.findings import Problem, Related
from momlint.native.addresses import is_loopback, read_address
from momlint.native.families import (
    EXCHANGE,
    ROUTING,
    SEPARATORS,
    Syntax,
    common_syntax,
    cross,
    prefix_of,
    speak,
    translated,
)
from momlint.native.form import FAMILY_OF, TOP, Address, At, Client, Link, NativeFile, Pass
from momlint.native.nodes import mapping_node, number_node, plain_node, sequence_node, text_node, value_node
from momlint.native.text import suppressions_of
from momlint.source import Node, Source, Tree


@dataclass(slots=True)
class Declared:
    """What a manifest says of a file: the broker's name, under which addresses it is known, its prefix."""

    name: str
    hosts: tuple[str, ...] = ()
    prefix: str | None = None


@dataclass(slots=True)
class Stated:
    """What else a manifest says. `routing`: which keys of that section it has; `syntax`: how topics are written, if so.

    `others`: brokers without files. `closed`: there are no brokers but those that are declared. `subscriptions`: who
    wants what, brokers by name, with filters and their syntax. `wanted`: whether what the files say of that counts; it
    does not where a manifest says who wants what.
    """

    routing: frozenset[str] = frozenset()
    syntax: Syntax | None = None
    others: tuple[str, ...] = ()
    closed: bool = False
    subscriptions: tuple[tuple[str, str, Syntax | None], ...] = ()
    wanted: bool = True


@dataclass(slots=True)
class Joined:
    """The documents of an estate, the first one of which begins it unless a manifest does; and what is wrong."""

    sources: list[Source] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


@dataclass(slots=True)
class _Server:
    """A file, what it is called, and the hosts and ports that a manifest gives it (a port of None: any)."""

    native: NativeFile
    name: str
    declared: list[tuple[str, int | None]]

    def is_called(self, host: str) -> bool:
        """Whether the host is one of its names."""
        names = {self.name.lower(), stem_of(self.native.file).lower(), (self.native.called or self.name).lower()}
        short = host.partition(".")[0]
        known = any(host in broker.hosts for broker in self.native.brokers)
        return known or host in names or (short in names and not short.isdigit())

    def listens_at(self, port: int | None) -> bool:
        """Whether it has a listener there."""
        return any(port in broker.ports for broker in self.native.brokers)


def join(
    files: Sequence[NativeFile], declared: Mapping[str, Declared] | None = None, stated: Stated | None = None
) -> Joined:
    """One estate of `files`. `declared`: what a manifest says of them, by their names; None where there is none."""
    return _Join(files, declared, stated or Stated()).run()


def addresses_of(files: Sequence[NativeFile]) -> list[tuple[Address, str | None]]:
    """Every address in the files, each with what is there, None for a broker outside; repeats go."""
    joining = _Join(files, None, Stated())
    found: dict[tuple[str, str], tuple[Address, str | None]] = {}
    for native in files:
        for link in native.links:
            for address in link.addresses:
                there = joining.resolve(native, address)
                name = there.name if isinstance(there, _Server) else there
                found.setdefault((native.file, address.text), (address, name))
    return list(found.values())


class _Join:
    def __init__(self, files: Sequence[NativeFile], declared: Mapping[str, Declared] | None, stated: Stated) -> None:
        self.files = files
        self.declared = declared
        self.stated = stated
        self.joined = Joined()
        given = {file: one.name for file, one in (declared or {}).items()}
        names = file_names(files, given)
        self.servers = [_Server(native, names[native.file], _declared_hosts(declared, native.file)) for native in files]
        self.united: dict[tuple[str, str], str] = {}
        self.routing = {family: dict(routing) for family, routing in ROUTING.items()}
        if any(native.kind == "mm2" for native in files):
            from momlint.native.mirrormaker import guard, united

            self.united = united([one for one in files if one.kind == "mm2"], names)
            self.routing["kafka"]["guard"] = guard([one for one in files if one.kind == "mm2"], self.united)
        self.families = {FAMILY_OF[native.kind] for native in files}
        self.syntax = stated.syntax or common_syntax(files)
        #: Whether each broker has a guard of its own: there is none for all of them.
        self.each_guards = len(self.families) > 1 and "guard" not in stated.routing
        #: Names that a document has declared.
        self.declared_names: set[str] = set()
        self.by_file = {server.native.file: server for server in self.servers}
        self.taken = {self.name(server, broker.key) for server in self.servers for broker in server.native.brokers}
        self.taken.update(stated.others)
        self.others = {one.lower(): one for one in stated.others}
        #: Brokers outside, by what tells them apart: what they are called, where they are named first.
        self.outside: dict[tuple[str, int | None, str, str], tuple[str, NativeFile, At]] = {}
        #: … and those that a file is said to have and does not declare.
        self.undeclared: dict[str, tuple[NativeFile, At]] = {}
        hosts = {address.host for native in files for link in native.links for address in link.addresses[:1]}
        self.one_host = len(hosts) == 1

    def name(self, server: _Server, key: str) -> str:
        """What a broker of a file is called."""
        if (server.native.file, key) in self.united:
            return self.united[server.native.file, key]
        return f"{server.name}/{key}" if key else server.name

    def run(self) -> Joined:
        self.connect_servers()
        for native in self.files:
            self.joined.problems += native.problems
        links = [(native, link, self.ends(native, link)) for native in self.files for link in native.links]
        self.check_clients()
        for native in self.files:
            for number, (file, text) in enumerate(native.texts):
                root: dict[str, Node] = {"momlint": number_node(1, TOP)}
                routing = {} if self.joined.sources else self.routing_of_all()
                if routing:
                    root["routing"] = value_node(routing, TOP)
                brokers = self.brokers_of(native, number)
                if brokers:
                    root["brokers"] = mapping_node(brokers, TOP)
                here = [
                    _link_node(*ends, link, self.alternatives(native, link, ends), self.syntax_of(native, link.syntax))
                    for other, link, ends in links
                    if other is native and ends is not None and link.at.text == number
                ]
                if here:
                    root["links"] = sequence_node(here, TOP)
                wants = self.wants_of(native, number)
                if wants:
                    root["subscriptions"] = sequence_node(wants, TOP)
                tree = Tree(mapping_node(root, TOP), 0, TOP.span)
                self.joined.sources.append(Source(file, text, [tree], [], suppressions_of(text, native.kind), 0))
        return self.joined

    # -- families ----------------------------------------------------------------------------------------------------

    def routing_of_all(self) -> dict[str, object]:
        """How messages travel in the estate, as far as a manifest does not say; what differs from family to family
        stands at brokers and links.
        """
        found: dict[str, object] = {**self.routing[FAMILY_OF[self.files[0].kind]], "syntax": self.syntax}
        if self.each_guards:
            found.pop("guard", None)
        return {key: value for key, value in found.items() if key not in self.stated.routing}

    def syntax_of(self, native: NativeFile, given: str | None = None) -> str | None:
        """How topics in a file are written; None where all are."""
        found = given or str(self.routing[FAMILY_OF[native.kind]]["syntax"])
        return None if found == self.syntax else found

    def prefix(self, server: _Server) -> str:
        """What a broker puts before topics of the estate's syntax."""
        declared = (self.declared or {}).get(server.native.file)
        if declared is not None and declared.prefix is not None:
            return declared.prefix
        return prefix_of(server.native.kind, self.syntax)

    def connect_servers(self) -> None:
        """What only several files together tell."""
        bridges = list(self.cross())
        clusters = [native for native in self.files if native.kind == "rabbitmq"]
        if clusters:
            from momlint.native.rabbitmq_links import Bridge, connect

            found = [
                Bridge(native, link, server.native, self.exchange(server))
                for native, link, server in bridges
                if server.native.kind == "rabbitmq"
            ]
            connect(clusters, self.file_at, found)
        servers = [native for native in self.files if native.kind == "nats"]
        if servers:
            from momlint.native.nats_meshes import connect as connect_nats

            connect_nats(servers, self.file_at, self.subscribed)
        several = [native for native in self.files if native.kind == "artemis"]
        if several:
            from momlint.native.artemis_clusters import connect as connect_artemis

            connect_artemis(several, self.file_at, lambda native: self.by_file[native.file].name)

    def exchange(self, server: _Server) -> str:
        """Where RabbitMQ keeps what comes by MQTT."""
        separator = SEPARATORS[self.syntax]
        return self.prefix(server).removesuffix(separator).replace(separator, ".") or EXCHANGE

    def file_at(self, native: NativeFile, address: Address) -> NativeFile | None:
        """The file of the same kind that is at an address."""
        there = self.resolve(native, address)
        return there.native if isinstance(there, _Server) and there.native.kind == native.kind else None

    def subscribed(self, native: NativeFile, key: str) -> list[str]:
        """What a manifest says is wanted at a server of NATS, as NATS writes it."""
        name = self.name(self.by_file[native.file], key)
        return [
            translated(filter_, syntax or self.syntax, "nats")
            for broker, filter_, syntax in self.stated.subscriptions
            if broker == name
        ]

    def cross(self) -> Iterator[tuple[NativeFile, Link, _Server]]:
        """Bridges of MQTT that lead to brokers of other families, which are told about it."""
        for native in self.files:
            for link in native.links:
                there = self.resolve(native, link.addresses[0]) if link.addresses else None
                if not isinstance(there, _Server) or FAMILY_OF[there.native.kind] == FAMILY_OF[native.kind]:
                    continue
                keys = [broker.key for broker in there.native.brokers]
                link.far_key = "" if "" in keys else keys[0]
                if len(keys) > 1 and link.far_key:
                    self.tell_first(native, link, there, keys)
                for one in link.passes:
                    if "." in one.filter + one.strip + one.add:
                        self.tell_dots(native, one, there)
                cross(link, f"{self.exchange(there).replace('.', '/')}/" if there.native.kind == "rabbitmq" else "")
                yield native, link, there

    def tell_first(self, native: NativeFile, link: Link, there: _Server, keys: list[str]) -> None:
        native.report(
            "MOM814",
            link.addresses[0].at,
            f"`{there.name}` has {len(keys)} parts; momlint takes the bridge to lead to the first, `{keys[0]}`",
            "name the parts in manifests of their own, if it leads to another one",
        )

    def tell_dots(self, native: NativeFile, one: Pass, there: _Server) -> None:
        native.report(
            "MOM814",
            one.at,
            f"a dot parts words at `{there.name}`, and none in MQTT: momlint takes `{one.filter}` for the same words",
            "leave dots out of topics that go from one protocol to another",
        )

    def wants_of(self, native: NativeFile, number: int) -> list[Node]:
        """What a text says is subscribed to."""
        server = self.by_file[native.file]
        found: list[Node] = []
        syntax = self.syntax_of(native)
        for one in native.wants if self.stated.wanted else ():
            if one.at.text == number:
                where, filter_ = text_node(self.name(server, one.broker), one.at), text_node(one.filter, one.at)
                entry: dict[str, Node] = {"at": where, "filter": filter_}
                entry["local"] = plain_node("true", one.at)
                if syntax is not None:
                    entry["syntax"] = text_node(syntax, one.at)
                found.append(mapping_node(entry, one.at))
        return found

    def brokers_of(self, native: NativeFile, number: int) -> dict[str, Node]:
        """The brokers that a text declares, and those outside that it is the first to name."""
        found: dict[str, Node] = {}
        server = self.by_file[native.file]
        own: dict[str, object] = {}
        guard = self.routing[FAMILY_OF[native.kind]].get("guard")
        if self.each_guards and guard:
            own["guard"] = guard
        prefix = self.prefix(server)
        for broker in native.brokers:
            in_manifest = self.declared is not None and broker.key == "" and native.file in self.declared
            name = self.name(server, broker.key)
            fields = {**own, "prefix": prefix} if prefix else own
            # Of one that a manifest declares only what that does not know.
            if broker.at.text == number and name not in self.declared_names and (fields or not in_manifest):
                self.declared_names.add(name)
                found[name] = value_node(fields, broker.at)
        for called, where, at in self.outside.values():
            if where is native and at.text == number:
                found[called] = value_node({"external": True, **own}, at)
        for called, (where, at) in self.undeclared.items():
            if where is native and at.text == number:
                found[called] = value_node(own, at)
        return found

    def ends(self, native: NativeFile, link: Link) -> tuple[str, str, str] | None:
        """From where to where a link leads, and what its file is called; None where it leads nowhere."""
        server = self.by_file[native.file]
        near, key = (server, link.broker) if link.near is None else (self.by_file[link.near[0]], link.near[1])
        here = self.name(near, key)
        there = self.peer(native, link)
        if there is None:
            return None
        return (here, there, server.name) if link.outward else (there, here, server.name)

    def peer(self, native: NativeFile, link: Link) -> str | None:
        if link.other is not None:
            return self.name(self.by_file[link.other[0]], link.other[1])
        if not link.addresses:
            return None
        address = link.addresses[0]
        found = self.resolve(native, address)
        if isinstance(found, _Server):
            name = self.name(found, link.far_key)
            if name not in self.taken:
                self.taken.add(name)
                self.undeclared[name] = native, address.at
            return name
        if found is not None:
            return found
        if self.stated.closed:
            self.tell_unknown(native, address)
            return None
        key = address.host, address.port, address.path, link.far_key
        if key not in self.outside:
            wanted = f"{address.text}/{link.far_key}" if link.far_key else address.text
            self.outside[key] = self.free(wanted), native, address.at
        return self.outside[key][0]

    def alternatives(self, native: NativeFile, link: Link, ends: tuple[str, str, str]) -> list[str]:
        """The brokers that a link leads to, in order, once that at its first address has failed."""
        found = [self.name(self.by_file[file], key) for file, key in link.others]
        for address in link.addresses[1:]:
            there = self.resolve(native, address)
            if link.other is not None and there is not None:
                continue  # the reader has said which broker of the file that is
            if isinstance(there, _Server) and (FAMILY_OF[there.native.kind] != FAMILY_OF[native.kind]) != link.forgets:
                native.report(
                    "MOM814",
                    address.at,
                    f"`{there.name}` is of another family than the broker at the first address: momlint leaves it out",
                    "connect to brokers of one family",
                )
                continue
            name = self.name(there, link.far_key) if isinstance(there, _Server) else there
            if name in self.taken:
                assert name is not None
                found.append(name)
            elif there is None and self.stated.closed:
                self.tell_unknown(native, address)
        return [one for one in dict.fromkeys(found) if one not in ends[:2]]

    def tell_unknown(self, native: NativeFile, address: Address) -> None:
        problem = Problem(
            "MOM808",
            address.at.span,
            f"no broker is known by the address `{address.text}`",
            "add it to the `hosts` of its broker in the manifest; or leave `closed` out, if it is someone else's",
            file=native.texts[address.at.text][0],
            label="nobody's address",
            data={"broker": address.text},
        )
        if problem not in self.joined.problems:
            self.joined.problems.append(problem)

    def free(self, wanted: str) -> str:
        name, number = wanted, 2
        while name in self.taken:
            name, number = f"{wanted} #{number}", number + 1
        self.taken.add(name)
        return name

    # -- who is meant ------------------------------------------------------------------------------------------------

    def resolve(self, native: NativeFile, address: Address) -> _Server | str | None:
        """Who is at an address: a file's broker, one that only the manifest knows, or None for neither."""
        servers = [one for one in self.servers if speak(native.kind, one.native.kind)]
        declared = [one for one in servers if any(_fits(address, *host) for host in one.declared)]
        exact = [one for one in declared if (address.host, address.port) in one.declared]
        for candidates in (exact, declared):
            if len(candidates) == 1:
                return candidates[0]
        if is_loopback(address.host):
            return self.at_port(native, address)
        candidates = [one for one in servers if one.is_called(address.host)]
        if len(candidates) > 1:
            candidates = [one for one in candidates if one.listens_at(address.port)] or candidates
        if len(candidates) == 1:
            return candidates[0]
        short = address.host.partition(".")[0]
        for name in (address.host, short if not short.isdigit() else ""):
            if not candidates and name in self.others:
                return self.others[name]
        return self.at_port(native, address, strict=True) if self.one_host and not candidates else None

    def at_port(self, native: NativeFile, address: Address, *, strict: bool = False) -> _Server | None:
        """The broker that listens at the address's port, where all are on one host.

        Where the asking one listens there too, it is itself that is meant, if nobody else does; `strict`: nobody is.
        """
        mine = self.by_file[native.file]
        listening = [
            one for one in self.servers if one.listens_at(address.port) and speak(native.kind, one.native.kind)
        ]
        if len(listening) != 1 or (strict and listening[0] is mine):
            return None
        return listening[0]

    # -- who introduces itself as whom -------------------------------------------------------------------------------

    def check_clients(self) -> None:
        """Two connections of one name at one broker take turns in knocking each other out."""
        seen: dict[tuple[str, bool, str], tuple[NativeFile, Client]] = {}
        for native in self.files:
            for client in native.clients:
                # A name that is made up begins with the name of the host, so only there can it be met again.
                if not client.explicit and not is_loopback(client.address.host):
                    continue
                there = self.resolve(native, client.address)
                target = there.name if isinstance(there, _Server) else there
                where = target or f"{client.address.host}:{client.address.port}"
                first = seen.setdefault((where, client.explicit, client.name), (native, client))
                if first[1] is not client:
                    self.tell_clash(native, client, *first, where)

    def tell_clash(self, native: NativeFile, client: Client, first_file: NativeFile, first: Client, where: str) -> None:
        what = f"client id `{client.name}`" if client.explicit else f"made-up client id of `{client.name}`"
        related = Related(first_file.texts[first.at.text][0], first.at.span, "the same client id")
        self.joined.problems.append(
            Problem(
                "MOM809",
                client.at.span,
                f"two connections have the {what} at `{where}`, {client.effect}",
                client.mend,
                (related,),
                native.texts[client.at.text][0],
                "taken by another connection",
                {"broker": where},
            )
        )


def _link_node(tail: str, head: str, owner: str, link: Link, others: Sequence[str], syntax: str | None) -> Node:
    at = link.at
    entries: dict[str, Node] = {
        "id": text_node(f"{owner}.{link.id}", at),
        "from": text_node(tail, at),
        "to": text_node(head, at),
    }
    if link.connection is not None:
        group = link.connection if link.global_connection else f"{owner}.{link.connection}"
        entries["connection"] = text_node(group, at)
    if link.max_hops is not None:
        entries["max_hops"] = number_node(link.max_hops, at)
    if link.counter is not None:
        entries["counter"] = text_node(link.counter, at)
    if link.demand_hops is not None:
        entries["demand_hops"] = number_node(link.demand_hops, at)
    if link.per_subscription:
        entries["per_subscription"] = plain_node("true", at)
    if link.unguarded:
        entries["unguarded"] = plain_node("true", at)
    if link.forgets:
        entries["forgets"] = plain_node("true", at)
    if syntax is not None:
        entries["syntax"] = text_node(syntax, at)
    if link.unheard:
        entries["echo"] = plain_node("true", at)
    if others:
        far = head if link.outward else tail
        entries["alternatives"] = mapping_node({far: sequence_node([text_node(one, at) for one in others], at)}, at)
    topics = []
    if link.unfiltered:
        return mapping_node(entries, at)
    for one in link.passes:
        fields = {"filter": one.filter, "strip": one.strip, "add": one.add}
        entry: dict[str, Node] = {key: text_node(value, one.at) for key, value in fields.items() if value}
        if one.denied:
            entry["deny"] = plain_node("true", one.at)
        topics.append(mapping_node(entry, one.at))
    entries["topics"] = sequence_node(topics, at)
    return mapping_node(entries, at)


def _declared_hosts(declared: Mapping[str, Declared] | None, file: str) -> list[tuple[str, int | None]]:
    if declared is None or file not in declared:
        return []
    nowhere = At(0, 0, 0, 0)
    addresses = (read_address(host, nowhere) for host in declared[file].hosts)
    return [(address.host, address.port) for address in addresses]


def _fits(address: Address, host: str, port: int | None) -> bool:
    return address.host == host and (port is None or address.port is None or port == address.port)


# -- names -----------------------------------------------------------------------------------------------------------

#: Parts of file names that say what a file is, and not whose.
_GENERIC_TEXT = """
    mosquitto vernemq emqx nanomq nats nats-server rabbitmq activemq artemis mm2 definitions server broker bridge
    bridges default conf config
"""
_GENERIC = frozenset(_GENERIC_TEXT.split())
_ENDINGS = (".conf", ".config", ".json", ".yaml", ".properties", ".xml", ".cfg", ".hocon")
_FOLDERS = frozenset(
    ("conf.d", "conf", "config", "etc", "mosquitto", "nats", "rabbitmq", "vernemq", "emqx", "activemq", "artemis", "")
)


def stem_of(file: str) -> str:
    """What a file is called, without what only says of what kind it is; else what its folder is called."""
    parts = file.replace("\\", "/").split("/")
    name = parts[-1]
    for ending in _ENDINGS:
        if name.lower().endswith(ending) and len(name) > len(ending):
            name = name[: -len(ending)]
            break
    words = [word for word in name.split(".") if word.lower() not in _GENERIC]
    if words:
        return ".".join(words)
    for folder in reversed(parts[:-1]):
        if folder.lower() not in _FOLDERS and folder not in (".", ".."):
            return folder
    return name


def file_names(files: Sequence[NativeFile], given: Mapping[str, str]) -> dict[str, str]:
    """What the broker of each file is called, no two alike. `given`: what files are called in a manifest."""
    found: dict[str, str] = {}
    taken: set[str] = set(given.values())
    for native in files:
        if native.file in given:
            found[native.file] = given[native.file]
            continue
        name = native.called or stem_of(native.file)
        folders = [part for part in native.file.replace("\\", "/").split("/")[:-1] if part not in ("", ".", "..")]
        while name in taken and folders:
            name = f"{folders.pop()}/{name}"
        plain, number = name, 2
        while name in taken:
            name, number = f"{plain} #{number}", number + 1
        taken.add(name)
        found[native.file] = name
    return found
