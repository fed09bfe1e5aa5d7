"""Brokers of Artemis that know each other: who sends to whom in a cluster, and what is not sent back over AMQP.

A broker knows of the queues of others as far away as its `max-hops`, by way of brokers that know them. It sends what
is published there to each of them, for that queue alone: whoever is on the way passes it on, and does nothing else
with it. So a broker has a link to every other one that it knows of, all of a cluster in one split-horizon group, and
each gets one copy however many ways lead there. Connectors of a cluster are seeds: members tell each other of the rest,
unless one connects to those alone that it names.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

from momlint.native.artemis import BY_CLUSTER, Cluster, Filters, Server, passes_apart, passes_of
from momlint.native.form import Address, Link, NativeFile

#: The file at an address, None where it is a broker outside.
Resolve: TypeAlias = Callable[[NativeFile, Address], NativeFile | None]
#: What the broker of a file is called.
NameOf: TypeAlias = Callable[[NativeFile], str]
#: A cluster connection: the file, and which of its connections; -1 for a broker that has none and is connected to.
_Node: TypeAlias = tuple[str, int]


def connect(files: Sequence[NativeFile], resolve: Resolve, name_of: NameOf) -> None:
    """Add the links of clusters, and say of links of federation over AMQP which ones belong together."""
    for native in files:
        for link in _server(native).federated:
            there = resolve(native, link.addresses[0]) if link.addresses else None
            far = link.addresses[0].text if there is None else name_of(there)
            # A message is not sent to the broker that it came from, whoever has opened the connection.
            one, other = sorted((name_of(native), far))
            link.connection, link.global_connection = f"AMQP between {one} and {other}", True
    _Clusters(files, resolve, name_of).run()


def _server(native: NativeFile) -> Server:
    assert isinstance(native.server, Server)
    return native.server


class _Clusters:
    def __init__(self, files: Sequence[NativeFile], resolve: Resolve, name_of: NameOf) -> None:
        self.files = {native.file: native for native in files}
        self.resolve = resolve
        self.name_of = name_of
        self.clusters: dict[_Node, Cluster] = {
            (native.file, number): cluster
            for native in files
            for number, cluster in enumerate(_server(native).clusters)
        }
        #: Whom each names, among the files.
        self.named: dict[_Node, list[_Node]] = {node: [] for node in self.clusters}
        self.outside: dict[_Node, list[list[Address]]] = {node: [] for node in self.clusters}
        self.group: dict[_Node, _Node] = {node: node for node in self.clusters}
        #: What is carried already from one file to another.
        self.carried: dict[tuple[str, str], list[Filters]] = {}
        #: Files of which it is told that what they carry cannot be told apart.
        self.told: set[str] = set()

    def run(self) -> None:
        for node, cluster in self.clusters.items():
            native = self.files[node[0]]
            for addresses in cluster.seeds:
                there = self.resolve(native, addresses[0])
                if there is None:
                    self.outside[node].append(addresses)
                elif there is not native:
                    other = self.meant(cluster, there)
                    self.named[node].append(other)
                    self.join(node, other)
        known = self.known()
        for node in self.clusters:
            self.add(node, known[node])

    def meant(self, cluster: Cluster, there: NativeFile) -> _Node:
        """Which cluster connection of another broker one leads to: that of the same name, else the first."""
        others = _server(there).clusters
        named = [number for number, one in enumerate(others) if one.name == cluster.name]
        return there.file, (named or [*range(len(others)), -1])[0]

    def join(self, one: _Node, other: _Node) -> None:
        first, second = sorted((self.group[one], self.group.setdefault(other, other)))
        for node, group in self.group.items():
            if group == second:
                self.group[node] = first

    def next_to(self, node: _Node) -> list[_Node]:
        """Whom a broker connects to: whom it names, and whoever else it then hears of."""
        found = dict.fromkeys(self.named[node])
        if not self.clusters[node].direct:
            mates = [one for one in self.clusters if self.group[one] == self.group[node] and one[0] != node[0]]
            found.update(dict.fromkeys(mates))
        return list(found)

    def known(self) -> dict[_Node, dict[_Node, int]]:
        """Of which brokers each knows the queues, and how far away they are."""
        near = {node: self.next_to(node) for node in self.clusters}
        found: dict[_Node, dict[_Node, int]] = {
            node: {other: 1 for other in near[node] if self.clusters[node].hops > 0} for node in self.clusters
        }
        for distance in range(2, len(self.clusters) + 1):
            new: list[tuple[_Node, _Node]] = []
            for node, cluster in self.clusters.items():
                if cluster.hops < distance:
                    continue
                for middle in near[node]:
                    if middle not in found or not _lets_all(cluster, self.clusters[middle]):
                        continue
                    new += [
                        (node, far)
                        for far, away in found[middle].items()
                        if away == distance - 1 and far[0] != node[0] and far not in found[node]
                    ]
            if not new:
                break
            for node, far in new:
                found[node].setdefault(far, distance)
        return found

    def add(self, node: _Node, known: dict[_Node, int]) -> None:
        """The links of a cluster connection."""
        cluster, native = self.clusters[node], self.files[node[0]]
        first = self.files[self.group[node][0]]
        group = f"cluster {cluster.name} of {self.name_of(first)}"
        links = []

        def tell(why: str, help_: str) -> None:
            if native.file not in self.told:
                self.told.add(native.file)
                native.report("MOM814", cluster.at, why, help_)

        if not cluster.off:
            for far in sorted(known):
                taken = self.carried.setdefault((node[0], far[0]), [])
                link = Link(
                    f"{cluster.name}.{node[1] + 1}.{self.name_of(self.files[far[0]])}",
                    "",
                    True,
                    cluster.at,
                    passes_apart(cluster.filters, taken, tell),
                    other=(far[0], ""),
                )
                taken.append(cluster.filters)
                links.append(link)
        for number, addresses in enumerate(self.outside[node], 1):
            name = f"{cluster.name}.{node[1] + 1}.outside {number}"
            for outward in (True,) if cluster.direct else (True, False):
                if outward and (cluster.off or cluster.hops < 1):
                    continue
                passes = passes_of(cluster.filters, ())
                links.append(Link(f"{name}.{'out' if outward else 'in'}", "", outward, cluster.at, passes, addresses))
        for link in links:
            link.connection, link.global_connection, link.counter = group, True, BY_CLUSTER
            link.unfiltered = [(one.filter, one.denied) for one in link.passes] == [("#", False)]
            if any(not one.denied for one in link.passes):
                native.links.append(link)


def _lets_all(one: Cluster, other: Cluster) -> bool:
    """Whether what one connection is for is what another one is for, or that is for everything."""
    if not other.filters.excludes and any(given.text == "#" for given in other.filters.includes):
        return True
    return _texts(one) == _texts(other)


def _texts(cluster: Cluster) -> tuple[list[str], list[str]]:
    return [one.text for one in cluster.filters.includes], [one.text for one in cluster.filters.excludes]
