"""Servers of NATS that know each other: clusters and superclusters, full meshes of one hop; and leaf nodes.

What a server gets by a route or a gateway it hands to its clients and leaf nodes and to no other server of the mesh.
So every two servers of a supercluster have a link each way, all in one split-horizon group.

What comes by a gateway goes up by an uplink, and down and out again likewise (seen on 2.9.10). Where each cluster has
one server, gateways are a group of their own for that. Otherwise a group would have to know routes from gateways: then
what goes between gateways and uplinks is left out, which is told.

An uplink of a leaf node is that one server's: neither does the rest of its mesh get what comes down by it, nor does
what they have go up (seen on nats-server 2.9.10; so every server of a cluster wants one). A hub sends nothing back to
the cluster that it has it from, whichever server's uplink that is. So uplinks are of the group of the mesh below.

What `deny_imports` names does not come down. It does not go up either, once somebody below subscribes by a wildcard
that takes in one of the names: the server then keeps all of them from the connection, both ways (seen on 2.9.10, where
the same subjects go up as long as everybody subscribes to single ones).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from momlint.native.form import Address, At, Link, NativeFile, Pass
from momlint.native.nats import Leaf, Server, covers

#: The file at an address, None where it is a server outside.
Resolve: TypeAlias = Callable[[NativeFile, Address], NativeFile | None]
#: What is said to be subscribed to at a broker, which is given by its file and key.
Subscribed: TypeAlias = Callable[[NativeFile, str], Sequence[str]]


def connect(files: Sequence[NativeFile], resolve: Resolve, subscribed: Subscribed) -> None:
    """Add the links between servers, and report names that do not fit together."""
    _Meshes(files, resolve, subscribed).run()


class _Trees:
    """What is joined without a cycle so far: the ways between nodes, each with what made it."""

    def __init__(self) -> None:
        self.ways: dict[tuple[str, str], list[tuple[tuple[str, str], tuple[NativeFile, At]]]] = {}

    def join(
        self, one: tuple[str, str], other: tuple[str, str], by: tuple[NativeFile, At]
    ) -> list[tuple[NativeFile, At]] | None:
        """Join two; where they are joined already, what joins them, and nothing is changed."""
        came: dict[tuple[str, str], tuple[tuple[str, str], tuple[NativeFile, At]] | None] = {one: None}
        pending = [one]
        while pending:
            node = pending.pop()
            for following, what in self.ways.get(node, ()):
                if following not in came:
                    came[following] = node, what
                    pending.append(following)
        if other not in came:
            self.ways.setdefault(one, []).append((other, by))
            self.ways.setdefault(other, []).append((one, by))
            return None
        path = []
        at = came[other]
        while at is not None:
            path.append(at[1])
            at = came[at[0]]
        return path[::-1]


def _server(native: NativeFile) -> Server:
    assert isinstance(native.server, Server)
    return native.server


class _Groups:
    """Files joined step by step into groups, each known by its first file."""

    def __init__(self, files: Sequence[NativeFile]) -> None:
        self.of = {native.file: native.file for native in files}

    def join(self, one: str, other: str) -> None:
        first, second = sorted((self.of[one], self.of[other]))
        for file, group in self.of.items():
            if group == second:
                self.of[file] = first


class _Uplink(NamedTuple):
    """A leaf node's way up: whose it is, where it leads if that is one of the files, and its link."""

    native: NativeFile
    leaf: Leaf
    above: tuple[str, str] | None
    link: Link

    def brings(self, subject: str) -> bool:
        """Whether a subscription is handed on to the hub. The server compares it with the names as if it were one."""
        return not any(_names(one.text, subject) for one in self.leaf.denied_in)


class _Meshes:
    def __init__(self, files: Sequence[NativeFile], resolve: Resolve, subscribed: Subscribed) -> None:
        self.files = files
        self.resolve = resolve
        self.subscribed = subscribed
        self.uplinks: list[_Uplink] = []
        self.clusters = _Groups(files)
        self.meshes = _Groups(files)
        #: Routes and gateways to servers whose files are not here.
        self.beyond: list[tuple[NativeFile, Sequence[Address], str]] = []
        #: Leaf nodes that their hubs refuse: files, one below the other.
        self.refused: set[tuple[str, str]] = set()
        #: Where a file names another one as its route or gateway.
        self.named: dict[tuple[str, str], At] = {}

    def run(self) -> None:
        for native in self.files:
            self.routes(native)
        for native in self.files:
            self.gateways(native)
        for native, addresses, name in self.beyond:
            self.outside(native, addresses, name)
        self.mesh()
        self.leaves()
        self.check_server_names()

    # -- clusters ----------------------------------------------------------------------------------------------------

    def routes(self, native: NativeFile) -> None:
        for number, address in enumerate(_server(native).routes, 1):
            other = self.resolve(native, address)
            if other is None:
                self.beyond.append((native, [address], f"route.{number}"))
            elif other is not native:
                mine, theirs = _server(native).cluster, _server(other).cluster
                if mine is not None and theirs is not None and mine.text != theirs.text:
                    if self.names_later(other, native):
                        continue  # told there, once
                    back = self.route_to(other, native)
                    native.report(
                        "MOM810",
                        address.at,
                        f"this route leads to the cluster `{theirs.text}`, not to `{mine.text}`; it is refused",
                        f"call both clusters `{theirs.text}`, or leave out the route",
                        label="another cluster",
                        related=(
                            other.related(theirs.at, "the other cluster's name"),
                            *((other.related(back, "the route back"),) if back is not None else ()),
                        ),
                        about={"broker": theirs.text},
                    )
                    continue
                self.named.setdefault((native.file, other.file), address.at)
                self.clusters.join(native.file, other.file)
                self.meshes.join(native.file, other.file)

    def route_to(self, native: NativeFile, other: NativeFile) -> At | None:
        """Where a file names another one as its route."""
        routes = (one for one in _server(native).routes if self.resolve(native, one) is other)
        return next((one.at for one in routes), None)

    def names_later(self, native: NativeFile, other: NativeFile) -> bool:
        """Whether a file that comes after the other one names it as its route."""
        return self.files.index(native) > self.files.index(other) and self.route_to(native, other) is not None

    def gateways(self, native: NativeFile) -> None:
        own = _server(native).gateway
        for number, gateway in enumerate(_server(native).gateways, 1):
            found = [self.resolve(native, address) for address in gateway.addresses]
            if own is not None and gateway.name.text == own.text:
                continue  # every cluster may list itself
            if all(other is None for other in found):
                self.beyond.append((native, gateway.addresses[:1], f"gateway.{number}"))
            for other, address in zip(found, gateway.addresses, strict=True):
                if other is None or other is native:
                    continue
                theirs = _server(other).gateway
                if theirs is not None and theirs.text != gateway.name.text:
                    cluster = _server(other).cluster
                    if cluster is not None and cluster.text == gateway.name.text:
                        continue  # that the other one's name is wrong is told there
                    native.report(
                        "MOM810",
                        gateway.name.at,
                        f"the gateway at `{address.text}` is called `{theirs.text}`, not `{gateway.name.text}`",
                        f"write `name: {theirs.text}`: the names have to agree",
                        label=f"its name is `{theirs.text}`",
                        related=(other.related(theirs.at, "the gateway's name"),),
                        about={"broker": theirs.text},
                    )
                    continue
                self.named.setdefault((native.file, other.file), address.at)
                self.meshes.join(native.file, other.file)

    def outside(self, native: NativeFile, addresses: Sequence[Address], name: str) -> None:
        """A link each way to a server whose file is not here."""
        if not addresses:
            return
        group = self.gateway_group(native)
        for broker in native.brokers:
            for outward in (True, False):
                native.links.append(
                    Link(
                        f"{_dotted(broker.key)}{name}.{'out' if outward else 'in'}",
                        broker.key,
                        outward,
                        addresses[0].at,
                        [Pass(">", "", "", addresses[0].at)],
                        list(addresses),
                        far_key=broker.key,
                        connection=group,
                        global_connection=True,
                    )
                )

    def mesh(self) -> None:
        for native, other in _pairs(self.files):
            if self.meshes.of[native.file] != self.meshes.of[other.file]:
                continue
            at = self.named.get((native.file, other.file)) or _block(native)
            theirs = {broker.key for broker in other.brokers}
            for broker in native.brokers:
                if broker.key not in theirs:
                    continue
                native.links.append(
                    Link(
                        f"{_dotted(broker.key)}to.{other.called or other.file}",
                        broker.key,
                        True,
                        at,
                        [Pass(">", "", "", at)],
                        other=(other.file, broker.key),
                        connection=self.gateway_group(native),
                        global_connection=True,
                    )
                )

    # -- leaf nodes --------------------------------------------------------------------------------------------------

    def leaves(self) -> None:
        joined: dict[tuple[str, str, str, str], Leaf] = {}
        first: dict[tuple[str, str, str, str], NativeFile | None] = {}
        trees = self.gateway_ways()
        below: dict[str, list[NativeFile]] = {}
        for native in self.files:
            for number, leaf in enumerate(_server(native).leaves, 1):
                if leaf.account not in {broker.key for broker in native.brokers}:
                    continue  # declared nowhere; the server says so when it starts
                other = next((o for o in (self.resolve(native, a) for a in leaf.addresses) if o is not None), None)
                far = _far_account(leaf, other, leaf.account)
                target = other.file if other is not None else f"{leaf.addresses[0].host}:{leaf.addresses[0].port}"
                there = self.clusters.of.get(target, target)
                mine = self.clusters.of[native.file]
                key = mine, there, leaf.account, far
                if self.has_one_name(native, other):
                    continue
                if (native.file, *key[1:]) in joined:
                    self.tell_second(native, leaf, joined[native.file, *key[1:]])
                    continue
                if key not in first:
                    path = trees.join((mine, leaf.account), (there, far), (native, leaf.at))
                    if path is not None:
                        self.tell_cycle(native, leaf, path)
                        continue
                    first[key] = other
                joined[native.file, *key[1:]] = leaf
                if native not in below.setdefault(there, []):
                    below[there].append(native)
                self.leaf(native, leaf, number, other, far, first[key])
        for natives in below.values():
            self.check_cluster_names(natives)
        for uplink in self.uplinks:
            if any(_is_wild(one) and uplink.brings(one) and _takes_in(one, uplink.leaf) for one in self.wanted(uplink)):
                denied = [Pass(one.text, "", "", one.at, denied=True) for one in uplink.leaf.denied_in]
                uplink.link.passes[:0] = denied

    def gateway_ways(self) -> _Trees:
        """Clusters that gateways join, account by account: leaf nodes make a tree with them too."""
        trees = _Trees()
        first: dict[str, NativeFile] = {}
        for native in self.files:
            one = first.setdefault(self.meshes.of[native.file], native)
            ends = self.clusters.of[one.file], self.clusters.of[native.file]
            if ends[0] == ends[1]:
                continue
            by = native, _server(native).gateway_at or _block(native)
            for account in {broker.key for broker in one.brokers} & {broker.key for broker in native.brokers}:
                trees.join((ends[0], account), (ends[1], account), by)
        return trees

    def wanted(self, uplink: _Uplink) -> list[str]:
        """What is subscribed to at a server and at leaf nodes below it; leaf nodes make a tree."""
        account = uplink.leaf.account
        found = list(self.subscribed(uplink.native, account))
        for below in self.uplinks:
            if below.above == (uplink.native.file, account):
                found += [one for one in self.wanted(below) if below.brings(one)]
        return found

    def leaf(
        self,
        native: NativeFile,
        leaf: Leaf,
        number: int,
        other: NativeFile | None,
        far: str,
        first: NativeFile | None,
    ) -> None:
        """The links of an uplink.

        A message remembers the cluster that it is from while it is in the hub's: so all servers of one cluster are
        taken to have their uplinks at the server that the first of them names, whose cluster is a mesh anyway.
        """
        others = self.others(native, leaf, other, far)
        if first is not None and other is not None and first is not other:
            others = list(dict.fromkeys([(other.file, far), *others]))
            others = [one for one in others if one[0] != first.file]
            other = first
        if self.has_many(native) and self.has_gateways(native):
            native.report(
                "MOM814",
                leaf.at,
                "momlint does not follow what goes between gateways and this uplink: clusters have several servers",
                "leave reach over both to a test of your own",
            )
        name = f"{_dotted(leaf.account)}leaf.{number}"
        for outward, denied in ((True, leaf.denied_out), (False, leaf.denied_in)):
            native.links.append(
                Link(
                    f"{name}.{'out' if outward else 'in'}",
                    leaf.account,
                    outward,
                    leaf.at,
                    [Pass(one.text, "", "", one.at, denied=True) for one in denied] + [Pass(">", "", "", leaf.at)],
                    list(leaf.addresses),
                    other=None if other is None else (other.file, far),
                    others=others,
                    far_key=far,
                    connection=self.group(native) if self.has_many(native) else self.own_group(native),
                    global_connection=True,
                )
            )
            if outward:
                above = None if other is None else (other.file, far)
                self.uplinks.append(_Uplink(native, leaf, above, native.links[-1]))

    def others(self, native: NativeFile, leaf: Leaf, other: NativeFile | None, far: str) -> list[tuple[str, str]]:
        """The servers at further addresses of an uplink, which are tried when the first one has failed."""
        found = (self.resolve(native, address) for address in leaf.addresses)
        return [
            (one.file, far)
            for one in found
            if one is not None and one is not other and far in {broker.key for broker in one.brokers}
        ]

    def group(self, native: NativeFile) -> str:
        """The split-horizon group of a server's mesh: the name of the cluster, or of the one server."""
        mesh = self.meshes.of[native.file]
        named = (_server(one).cluster for one in self.files if self.meshes.of[one.file] == mesh)
        cluster = next((name for name in named if name is not None), None)
        if cluster is not None:
            return f"cluster {cluster.text}"
        first = next(one for one in self.files if one.file == mesh)
        alike = sum(one.called == first.called for one in self.files)
        return f"mesh of {first.called if first.called is not None and alike == 1 else first.file}"

    def own_group(self, native: NativeFile) -> str:
        """The group of a server that is all of its cluster."""
        name = _server(native).cluster
        return self.group(native) if name is None else f"cluster {name.text}"

    def gateway_group(self, native: NativeFile) -> str:
        """The group of the links between servers of a mesh: one of its own for gateways, as far as that is known."""
        if self.has_many(native) or not self.has_gateways(native):
            return self.group(native)
        return f"gateways of {self.group(native)}"

    def has_gateways(self, native: NativeFile) -> bool:
        """Whether gateways join a server's mesh to others, or others in it."""
        mesh = self.meshes.of[native.file]
        return any(_server(one).gateway_at for one in self.files if self.meshes.of[one.file] == mesh)

    def has_many(self, native: NativeFile) -> bool:
        """Whether a cluster of a server's mesh has several servers."""
        mesh = self.meshes.of[native.file]
        servers = [one for one in self.files if self.meshes.of[one.file] == mesh]
        clusters = {self.clusters.of[one.file] for one in servers}
        outside = any(self.resolve(one, address) is None for one in servers for address in _server(one).routes)
        return outside or len(clusters) < len(servers)

    def tell_cycle(self, native: NativeFile, leaf: Leaf, path: Sequence[tuple[NativeFile, At]]) -> None:
        """Leaf nodes make a tree. A server that hears itself breaks the connection off, and tries again later.

        It does not where clusters that gateways join go up to one hub: messages then go round (seen on 2.9.10).
        """
        gateways = [(other, at) for other, at in path if _server(other).gateway_at == at]
        uplinks = [native, *(other for other, at in path if (other, at) not in gateways)]
        meshes = {self.meshes.of[one.file] for one in (*uplinks, *(other for other, _ in gateways))}
        related = tuple(
            other.related(at, f"this {'gateway' if (other, at) in gateways else 'uplink'} is part of the cycle")
            for other, at in path
        )
        if gateways and len(meshes) == 1:
            native.report(
                "MOM801",
                leaf.at,
                "clusters that gateways join have uplinks to one hub: messages go round for ever by hub and gateways",
                "let one cluster of them have the uplink",
                label="closes the cycle",
                related=related,
            )
            return
        native.report(
            "MOM802",
            leaf.at,
            "this uplink closes a cycle of leaf nodes: the server detects the loop and breaks it off, again and again",
            "leave out one uplink of the cycle: leaf nodes and their hubs make a tree",
            label="closes the cycle",
            related=related,
        )

    def has_one_name(self, native: NativeFile, hub: NativeFile | None) -> bool:
        """Whether a leaf node's cluster is called as its hub's, which then refuses it; that is told once a file."""
        mine, theirs = _server(native).cluster, None if hub is None else _server(hub).cluster
        if hub is None or mine is None or theirs is None or mine.text != theirs.text:
            return False
        if (native.file, hub.file) not in self.refused:
            self.refused.add((native.file, hub.file))
            native.report(
                "MOM810",
                mine.at,
                f"this cluster and its hub's are both called `{mine.text}`: the hub refuses the leaf node",
                "give each cluster a name of its own",
                label="the hub's name",
                related=(hub.related(theirs.at, "the hub's cluster"),),
                about={"broker": mine.text},
            )
        return True

    def tell_second(self, native: NativeFile, leaf: Leaf, first: Leaf) -> None:
        """A server has one uplink to a cluster and account; a second one is a loop, or a double of the first."""
        hosts = {(one.host, one.port) for one in first.addresses}
        if hosts & {(one.host, one.port) for one in leaf.addresses}:
            return  # the hub refuses the second, and the first stays
        native.report(
            "MOM802",
            leaf.at,
            "this uplink leads to a cluster that the server has an uplink to: they are broken off, again and again",
            "list the servers of one cluster as `urls` of one uplink",
            label="closes the cycle",
            related=(native.related(first.at, "the first uplink"),),
        )

    def check_cluster_names(self, natives: Sequence[NativeFile]) -> None:
        """Two clusters below one hub that have one name do not hear of each other."""
        first: dict[str, NativeFile] = {}
        for native in natives:
            name = _server(native).cluster
            if name is None:
                continue
            other = first.setdefault(name.text, native)
            if self.clusters.of[other.file] != self.clusters.of[native.file]:
                theirs = _server(other).cluster
                assert theirs is not None
                native.report(
                    "MOM810",
                    name.at,
                    f"two clusters below one hub are called `{name.text}`: neither gets the other's messages",
                    "give each cluster a name of its own; or join the two by routes, if they are one",
                    label="taken by another cluster",
                    related=(other.related(theirs.at, "the other one"),),
                    about={"broker": name.text},
                )

    def check_server_names(self) -> None:
        """Within a mesh, names of servers must differ."""
        first: dict[tuple[str, str], NativeFile] = {}
        for native in self.files:
            name = _server(native).name
            if name is None:
                continue
            other = first.setdefault((self.meshes.of[native.file], name.text), native)
            theirs = _server(other).name
            if other is not native and theirs is not None:
                native.report(
                    "MOM810",
                    name.at,
                    f"two servers of one mesh are called `{name.text}`: they refuse each other",
                    "give each server a name of its own",
                    label="taken by another server",
                    related=(other.related(theirs.at, "the other one"),),
                    about={"broker": name.text},
                )


def _far_account(leaf: Leaf, other: NativeFile | None, account: str) -> str:
    """The account that a leaf node gets at the other end: that of its user, else what the hub gives such leaf nodes."""
    if other is None:
        return account
    server = _server(other)
    if leaf.user and leaf.user in server.users:
        return server.users[leaf.user]
    if server.leaf_account is not None:
        return server.leaf_account
    keys = [broker.key for broker in other.brokers]
    if account in keys:
        return account
    return keys[0] if len(keys) == 1 else ""


def _is_wild(subject: str) -> bool:
    return not {"*", ">"}.isdisjoint(subject.split("."))


def _takes_in(subject: str, leaf: Leaf) -> bool:
    return any(covers(subject, one.text) for one in leaf.denied_in)


def _names(denied: str, subject: str) -> bool:
    """Whether a denied name matches a subject, the wildcards of which are taken for words."""
    names, words = denied.split("."), subject.split(".")
    for place, name in enumerate(names):
        if name == ">":
            return place < len(words)
        if place >= len(words) or name not in ("*", words[place]):
            return False
    return len(names) == len(words)


def _block(native: NativeFile) -> At:
    server = _server(native)
    return server.cluster_at or server.gateway_at or native.brokers[0].at


def _dotted(key: str) -> str:
    return f"{key}." if key else ""


def _pairs(files: Sequence[NativeFile]) -> Iterator[tuple[NativeFile, NativeFile]]:
    for native in files:
        for other in files:
            if other is not native:
                yield native, other
