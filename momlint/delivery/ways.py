"""Where events go in a tree of sites: paths, distances, the sites that see an event."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from momlint.decimals import decimal_of
from momlint.delivery.form import Client, Design, Site, Way


@dataclass(slots=True)
class Tree:
    """Sites that are a tree; by index. `depth`: links to the root."""

    sites: tuple[Site, ...]
    root: int
    depth: list[int]

    def path(self, start: int, end: int) -> list[int]:
        """The sites from `start` to `end`, both included: there is one way."""
        up, down = [start], [end]
        while up[-1] != down[-1]:
            longer = up if self.depth[up[-1]] >= self.depth[down[-1]] else down
            parent = self.sites[longer[-1]].parent
            assert parent is not None  # the root is the last where they meet
            longer.append(parent)
        return [*up, *reversed(down[:-1])]

    @property
    def in_milliseconds(self) -> bool:
        """Whether every link has a latency; else distances are numbers of links."""
        return all(site.latency_ms is not None for site in self.sites if not site.is_root)

    def distance(self, start: int, end: int) -> Fraction:
        """In milliseconds where every link has a latency, else in links: exactly the sum of what was written."""
        path = self.path(start, end)
        if not self.in_milliseconds:
            return Fraction(len(path) - 1)
        # Each link belongs to the end that is farther from the root: all sites of the path but the topmost.
        top = min(path, key=lambda site: self.depth[site])
        return sum((decimal_of(self.sites[site].latency_ms or 0.0) for site in path if site != top), Fraction(0))


def tree_of(sites: tuple[Site, ...]) -> Tree | None:
    """The tree; None where the sites are not one: not exactly one root, or not all below it."""
    roots = [number for number, site in enumerate(sites) if site.is_root]
    if len(roots) != 1:
        return None
    children: list[list[int]] = [[] for _ in sites]
    for number, site in enumerate(sites):
        if site.parent is not None:
            children[site.parent].append(number)
    depth = [-1] * len(sites)
    depth[roots[0]] = 0
    waiting = roots[:]
    while waiting:
        here = waiting.pop()
        for child in children[here]:
            depth[child] = depth[here] + 1
            waiting.append(child)
    return Tree(sites, roots[0], depth) if -1 not in depth else None


@dataclass(frozen=True, slots=True)
class Starvation:
    """`subscriber` waits for ever: `missing` does not come to its site, `held` has a later number.

    Both are (publisher, topic), and published in this order.
    """

    subscriber: Client
    missing: tuple[Client, str]
    held: tuple[Client, str]


@dataclass(slots=True)
class Case:
    """A design under judgement. `tree` is None where the sites are not one, or not known."""

    design: Design
    tree: Tree | None = None
    _seen: dict[tuple[int, str], frozenset[int]] = field(default_factory=dict)
    _starved: list[Starvation] | None = None

    @property
    def publishers(self) -> list[Client]:
        """Clients that publish on a topic at least."""
        return [client for client in self.design.clients or () if client.publishes]

    @property
    def subscribers(self) -> list[Client]:
        """Clients that want a topic at least."""
        return [client for client in self.design.clients or () if client.subscribes]

    def sequencer(self) -> int | None:
        """The site that hands out numbers; None where none does, or it is not known."""
        way = self.design.way
        if way is None or self.tree is None or way.order != "total":
            return None
        return self.tree.root if way.sequencer is None else way.sequencer

    def seen_by(self, origin: int, topic: str) -> frozenset[int]:
        """With filtering: the sites that an event of the topic comes to, published at `origin`."""
        found = self._seen.get((origin, topic))
        if found is None:
            assert self.tree is not None
            found = frozenset((origin,)).union(
                *(self.tree.path(origin, one.site) for one in self.subscribers if topic in one.subscribes)
            )
            self._seen[origin, topic] = found
        return found

    def starved(self) -> list[Starvation] | None:
        """A shortest way in which each subscriber that can starve does; None where that is not known.

        Two events are the fewest: an event that is alone has the first number. A site gets stuck exactly if events take
        numbers of one counter, one of them does not come to it, and another one does, later.
        """
        if self._starved is None and self.tree is not None and self.design.clients is not None:
            way = self.design.way
            if way is not None:
                found = (self._starve(way, subscriber) for subscriber in self.subscribers)
                self._starved = [one for one in found if one is not None]
        return self._starved

    def _starve(self, way: Way, subscriber: Client) -> Starvation | None:
        if not way.filtering or way.numbering not in ("publisher", "sequencer"):
            return None
        for publisher in self.publishers:
            wanted = next((topic for topic in publisher.publishes if topic in subscriber.subscribes), None)
            if wanted is None:
                continue
            # The publisher's own other events first: the shorter story.
            counted = [publisher] if way.numbering == "publisher" else [publisher, *self.publishers]
            for other in counted:
                for topic in other.publishes:
                    if subscriber.site not in self.seen_by(other.site, topic):
                        return Starvation(subscriber, (other, topic), (publisher, wanted))
        return None
