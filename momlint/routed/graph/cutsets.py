"""What failures cut, decided on the graph: bridges and articulation points, then a search among what must be hit.

*One failure.* In a two-way overlay Tarjan's lowpoints name the links and brokers that separate anything, all at
once; which needed pairs each separates is read off prefix sums over the preorder of the search, O(N) for each. With
one-way links the candidates come from dominators, and each is looked at.

*Several failures.* A failure that cuts a needed pair takes down some link or inner broker of any tree that joins
the needed brokers, for else the tree still joins them. So: try each element of one such tree, and in what is left
do the same with one failure less; the last failure (of links in two-way overlays: the last two) is found for all
candidates at once. Every smallest set is found that way, and the first in canonical order is kept.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import comb
from typing import TYPE_CHECKING

import numpy as np

from momlint.routed.overlay.cuts import Forest, Graph, forest, strong_parts, suspects
from momlint.routed.overlay.elements import ElementKind, Elements, connected_pairs, cut_pairs
from momlint.routed.questions.failures import Cut, Kept, Smallest, Survey
from momlint.routed.questions.question import Undecided

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.estate.resolved import Tolerate
    from momlint.routed.overlay.form import Overlay

#: The search gives up when it would look at more brokers and arcs than this, all passes together: about 20 seconds
#: of one core. Enough for any three links, or a link and a broker, among 1,000 brokers and 3,000 links.
MOST_WORK = 60_000_000
#: A pass over a graph with one-way links costs this many passes over one without.
ONE_WAY_COST = 25


def survey(overlay: Overlay, elements: Elements, asked: Sequence[int]) -> Survey:
    """Which of the elements `asked` cut needed pairs, each failing alone."""
    if not len(overlay.pair_source) or not asked:
        return ()
    graph = Graph(overlay)
    found = _Singles(overlay, graph) if graph.two_way else None
    cuts: list[Cut] = []
    wanted = frozenset(asked)
    if found is not None:
        cuts += [cut for cut in found.bridges() if cut.element in wanted]
        cuts += [cut for cut in found.articulation_points() if cut.element in wanted]
        rest = [element for element in asked if elements.kind(element) == "group"]
        connected = found.connected
    else:
        links, brokers = suspects(graph)
        candidates = {*links, *(elements.links + broker for broker in brokers), *elements.of_kind("group")}
        rest = [element for element in asked if element in candidates]
        connected = connected_pairs(overlay)
    for element in rest:
        cut = np.flatnonzero(cut_pairs(overlay, elements, (element,), connected))
        if cut.size:
            first = cut[0]
            cuts.append(Cut(element, cut.size, int(overlay.pair_source[first]), int(overlay.pair_dest[first])))
    return tuple(sorted(cuts, key=lambda cut: cut.element))


class _Singles:
    """Single failures of a two-way overlay and the needed pairs that each cuts. Memory: N² integers."""

    def __init__(self, overlay: Overlay, graph: Graph) -> None:
        n = self.n = overlay.n
        self.links = overlay.links
        self.forest = forest(graph)
        self.first = np.array(self.forest.first)
        self.order = np.array(self.forest.order)
        root = np.array(self.forest.root)
        source, dest = overlay.pair_source, overlay.pair_dest
        self.connected: NDArray[np.bool_] = root[source] == root[dest]
        #: needed[source, dest], of pairs that a path joins.
        self.needed = np.zeros((n, n), dtype=np.bool_)
        self.needed[source[self.connected], dest[self.connected]] = True
        #: along[s, i]: how many of the first i brokers in preorder are destinations of s.
        self.along = np.zeros((n, n + 1), dtype=np.int32)
        np.cumsum(self.needed[:, self.order], axis=1, dtype=np.int32, out=self.along[:, 1:])

    def bridges(self) -> Iterator[Cut]:
        """Of each bridge the pairs with one end below it."""
        for below in self.forest.bridges:
            first, last = self.forest.first[below], self.forest.last[below]
            within = self.order[first:last]
            count = self.along[:, last] - self.along[:, first]
            count[within] = self.along[within, -1] - count[within]
            label = np.zeros(self.n, dtype=np.int32)
            label[within] = 1
            yield from self._cut(self.forest.parent_link[below], count, label)

    def articulation_points(self) -> Iterator[Cut]:
        """Of each articulation point the pairs that its parts separate."""
        for broker, parts in self.forest.parts.items():
            first = np.array([self.forest.first[part] for part in parts])
            last = np.array([self.forest.last[part] for part in parts])
            sizes = last - first
            within = np.concatenate([self.order[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)])
            own_first, own_last = np.repeat(first, sizes), np.repeat(last, sizes)
            # From outside the parts to any of them; from a part to everything but itself and the broker.
            count = (self.along[:, last] - self.along[:, first]).sum(axis=1, dtype=np.int64)
            count[within] = (
                self.along[within, -1]
                - (self.along[within, own_last] - self.along[within, own_first])
                - self.needed[within, broker]
            )
            count[broker] = 0
            label = np.zeros(self.n, dtype=np.int32)
            label[within] = np.repeat(np.arange(1, len(parts) + 1), sizes)
            yield from self._cut(self.links + broker, count, label, broker)

    def _cut(
        self, element: int, count: NDArray[np.integer], label: NDArray[np.int32], down: int | None = None
    ) -> Iterator[Cut]:
        total = int(count.sum())
        if not total:
            return
        source = int(np.argmax(count > 0))
        apart = self.needed[source] & (label != label[source])
        if down is not None:
            apart[down] = False
        yield Cut(element, total, source, int(np.argmax(apart)))


def smallest(
    overlay: Overlay, elements: Elements, promise: Tolerate, at_least: int = 1, most_work: int = MOST_WORK
) -> Smallest | Kept | Undecided:
    """The smallest failure within `promise` that cuts a needed pair; see `FailureEngine.smallest`.

    `most_work`: brokers and arcs looked at before it gives up.
    """
    if not len(overlay.pair_source):
        return Kept()
    search = _Search(overlay, elements, most_work)
    try:
        for size in range(at_least, elements.largest(promise) + 1):
            for split in elements.splits(promise, size):
                found = search.first(split)
                if found is not None:
                    return Smallest(found)
    except _TooMuchError:
        return Undecided(
            f"the graph engine would have to try too many failures of {size} elements at once; "
            "try `--engine smt`, which need not list them"
        )
    return Kept()


class _TooMuchError(Exception):
    """The search would take more work than it may."""


_Split = tuple[int, int, int]
_KINDS: tuple[ElementKind, ...] = ("link", "broker", "group")


class _Search:
    """The search for the first of the smallest cutting sets; one size and split after the other."""

    def __init__(self, overlay: Overlay, elements: Elements, most_work: int) -> None:
        self.overlay = overlay
        self.elements = elements
        self.graph = Graph(overlay)
        self.work_left = most_work
        self.connected = connected_pairs(overlay)
        n = overlay.n
        source, dest = overlay.pair_source[self.connected], overlay.pair_dest[self.connected]
        #: sources_of[dest, source]: the needed pairs. need[a, b]: either of a and b needs the other.
        self.sources_of: NDArray[np.bool_] = np.zeros((n, n), dtype=np.bool_)
        self.sources_of[dest, source] = True
        self.need: NDArray[np.bool_] = np.logical_or(self.sources_of, self.sources_of.T)
        self._need_trees: dict[frozenset[int], tuple[NDArray[np.intp], NDArray[np.intp]]] = {}
        self._labels: list[int] | None = None
        self.best: tuple[int, ...] | None = None

    def first(self, split: _Split) -> tuple[int, ...] | None:
        """The first set of exactly this split that cuts, given that no smaller set within the promise does."""
        self.best = None
        size = sum(split)
        deep = size - 2 if split == (size, 0, 0) and self.graph.two_way else size - 1
        if deep > 0:
            # What the passes below will cost, before spending any of it.
            self._spend(comb(len(self._touching((), split, ())), deep), really=False)
        self._try((), split, set())
        return self.best

    def _try(self, chosen: tuple[int, ...], split: _Split, banned: set[int]) -> None:
        size = sum(split)
        if size == 1:
            last = self._first_single(chosen, split, banned)
            if last is not None:
                self._keep((*chosen, last))
            return
        if split == (2, 0, 0) and self.graph.two_way:
            pair = self._first_pair(chosen, banned)
            if pair is not None:
                self._keep((*chosen, *pair))
            return
        excluded = set(banned)
        for element in self._touching(chosen, split, banned):
            with_it = (*chosen, element)
            left = _less(split, self.elements.kind(element))
            if self.best is None or self._bound(with_it, left, excluded) < self.best:
                self._try(with_it, left, excluded)
            excluded.add(element)

    def _bound(self, chosen: tuple[int, ...], left: _Split, banned: set[int]) -> tuple[int, ...]:
        """No set with `chosen` and none of `banned` comes before this in canonical order."""
        bound = list(chosen)
        for kind, number in zip(_KINDS, left, strict=True):
            free = (
                element for element in self.elements.of_kind(kind) if element not in banned and element not in chosen
            )
            bound += islice(free, number)
        return tuple(sorted(bound))

    def _keep(self, found: tuple[int, ...]) -> None:
        found = tuple(sorted(found))
        if self.best is None or found < self.best:
            self.best = found

    def _spend(self, passes: int = 1, *, really: bool = True) -> None:
        cost = passes * (self.graph.n + self.graph.arcs)
        if not self.graph.two_way:
            cost *= ONE_WAY_COST
        if cost > self.work_left:
            raise _TooMuchError
        if really:
            self.work_left -= cost

    # -- what must be hit -----------------------------------------------------------------------------------------

    def _touching(self, chosen: tuple[int, ...], split: _Split, banned: Iterable[int]) -> list[int]:
        """Elements one of which every further cutting failure has, ascending; without those that are `banned`."""
        down_links, down_brokers = self.elements.kills(chosen)
        self._spend()
        if self.graph.two_way:
            links, inner = self._tree(down_links, down_brokers)
        else:
            links, inner = self._ways(down_links, down_brokers)
        out = frozenset((*banned, *chosen))
        found: list[int] = []
        if split[0]:
            found += sorted(links)
        if split[1]:
            found += sorted(self.elements.links + broker for broker in inner)
        if split[2]:
            first = self.elements.links + self.elements.brokers
            for index, (group_links, group_brokers) in enumerate(self.elements.groups):
                if not links.isdisjoint(group_links) or not inner.isdisjoint(group_brokers):
                    found.append(first + index)
        return [element for element in found if element not in out]

    def _tree(self, down_links: set[int], down_brokers: set[int]) -> tuple[set[int], set[int]]:
        """Links and inner brokers of trees that join the needed brokers of each part (breadth first, pruned)."""
        out = self.graph.out
        n = self.graph.n
        wanted: list[bool] = np.asarray(self.need.any(axis=1)).tolist()
        above = [-2] * n
        over = [-1] * n
        for broker in down_brokers:
            above[broker] = -3
            wanted[broker] = False
        branches = [0] * n
        links: set[int] = set()
        inner: set[int] = set()
        # From the brokers with most links on, so that the tree is shallow and most of its brokers are leaves.
        for start in sorted(range(n), key=lambda broker: -len(out[broker])):
            if above[start] != -2 or not wanted[start]:
                continue
            above[start] = -1
            order = [start]
            for at in order:
                for to, link in out[at]:
                    if above[to] == -2 and link not in down_links:
                        above[to], over[to] = at, link
                        order.append(to)
            for at in reversed(order):
                if at != start and (wanted[at] or branches[at]):
                    links.add(over[at])
                    branches[above[at]] += 1
                if branches[at] + (at != start) > 1 and branches[at]:
                    inner.add(at)
        return links, inner

    def _ways(self, down_links: set[int], down_brokers: set[int]) -> tuple[set[int], set[int]]:
        """The same with one-way links: links and inner brokers of ways that join every needed pair.

        Pairs within a strongly connected part go by way of one of its brokers; others by a search backwards from
        their destination.
        """
        graph = self.graph
        part, parts = strong_parts(graph, down_links, down_brokers)
        part_of = np.array(part)
        links: set[int] = set()
        inner: set[int] = set()
        for number, members in enumerate(parts):
            if len(members) < 2 or not self.need[np.ix_(members, members)].any():
                continue
            root = max(members, key=lambda broker: len(graph.out[broker]))
            inner.add(root)
            for arcs in (graph.out, graph.into):
                seen = {root}
                order = [root]
                for at in order:
                    for to, link in arcs[at]:
                        if to not in seen and part[to] == number and link not in down_links:
                            seen.add(to)
                            order.append(to)
                            links.add(link)
                            inner.add(at)
        for dest in np.flatnonzero(self.sources_of.any(axis=1)).tolist():
            if dest in down_brokers:
                continue
            sources = [
                source
                for source in np.flatnonzero(self.sources_of[dest] & (part_of != part[dest])).tolist()
                if source not in down_brokers
            ]
            if not sources:
                continue
            toward = {dest: (-1, -1)}
            order = [dest]
            for at in order:
                for tail, link in graph.into[at]:
                    if tail not in toward and tail not in down_brokers and link not in down_links:
                        toward[tail] = (at, link)
                        order.append(tail)
            for source in sources:
                at, link = toward[source]
                while link != -1:
                    links.add(link)
                    if at != dest:
                        inner.add(at)
                    at, link = toward[at]
        return links, inner

    # -- the last failures ------------------------------------------------------------------------------------------

    def _first_single(self, chosen: tuple[int, ...], split: _Split, banned: set[int]) -> int | None:
        """The first element that is not `banned` and cuts a needed pair after `chosen` have failed."""
        for element in self._single_candidates(chosen, split):
            if element not in banned and element not in chosen and self._cuts((*chosen, element)):
                return element
        return None

    def _single_candidates(self, chosen: tuple[int, ...], split: _Split) -> list[int]:
        """Elements of the one kind that is left which may separate something."""
        if split[2]:
            return list(self.elements.of_kind("group"))
        down_links, down_brokers = self.elements.kills(chosen)
        self._spend()
        if not self.graph.two_way:
            links, brokers = suspects(self.graph, down_links, down_brokers)
            return links if split[0] else [self.elements.links + broker for broker in brokers]
        found = forest(self.graph, down_links, down_brokers)
        if split[1]:
            return sorted(self.elements.links + broker for broker in found.parts)
        # A bridge is a suspect only if needed brokers stand on both of its sides; that is cheap to see here.
        one, other = self._need_tree(frozenset(down_brokers))
        first = np.array(found.first)
        one, other = first[one], first[other]
        candidates = []
        for below in found.bridges:
            a, b = found.first[below], found.last[below]
            if (((one >= a) & (one < b)) != ((other >= a) & (other < b))).any():
                candidates.append(found.parent_link[below])
        return sorted(candidates)

    def _cuts(self, failed: tuple[int, ...]) -> bool:
        """Whether the failure of all of `failed` cuts a needed pair."""
        self._spend()
        if not self.graph.two_way:
            return bool(cut_pairs(self.overlay, self.elements, failed, self.connected).any())
        down_links, down_brokers = self.elements.kills(failed)
        root = np.array(forest(self.graph, down_links, down_brokers).root)
        one, other = self._need_tree(frozenset(down_brokers))
        return bool((root[one] != root[other]).any())

    def _need_tree(self, down: frozenset[int]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Needed pairs of brokers that are up, as few as join whom all of them join; for two-way overlays.

        There a needed pair is cut exactly when one of these is: being connected is an equivalence.
        """
        known = self._need_trees.get(down)
        if known is not None:
            return known
        up = np.ones(self.graph.n, dtype=np.bool_)
        up[list(down)] = False
        unseen: NDArray[np.bool_] = np.logical_and(self.need.any(axis=1), up)
        one: list[NDArray[np.intp]] = [np.empty(0, dtype=np.intp)]
        other: list[NDArray[np.intp]] = [np.empty(0, dtype=np.intp)]
        while unseen.any():
            stack = [int(np.argmax(unseen))]
            unseen[stack[0]] = False
            while stack:
                at = stack.pop()
                found = np.flatnonzero(self.need[at] & unseen)
                if found.size:
                    unseen[found] = False
                    stack.extend(found.tolist())
                    one.append(np.full(found.size, at))
                    other.append(found)
        if len(self._need_trees) > 4096:
            self._need_trees.clear()
        tree = self._need_trees[down] = (np.concatenate(one), np.concatenate(other))
        return tree

    def _first_pair(self, chosen: tuple[int, ...], banned: set[int]) -> tuple[int, int] | None:
        """The first two links that cut a needed pair of a two-way overlay after `chosen` have failed.

        Give every link that the search tree leaves out a random number, and every tree link the exclusive or of
        the numbers of those that go round it. The links of a cut have numbers whose exclusive or is zero, always;
        so two links that cut have equal numbers. That equal numbers mean a cut is only very likely, so each pair
        that is found is looked at. (D. Pritchard, R. Thurimella, Fast computation of small cuts via cycle space
        sampling, 2011.)
        """
        down_links, down_brokers = self.elements.kills(chosen)
        self._spend(2)
        found = forest(self.graph, down_links, down_brokers)
        numbers = self._circulation(found, down_links, down_brokers)
        classes: dict[int, list[int]] = {}
        for link, number in numbers.items():
            # Zero is a bridge; with no single failure that matters, a bridge is in no smallest set.
            if number and link not in banned:
                classes.setdefault(number, []).append(link)
        touching, _ = self._tree(down_links, down_brokers)
        below = {found.parent_link[at]: at for at in found.order if found.parent_link[at] != -1}
        first = np.array(found.first)
        one, other = self._need_tree(frozenset(down_brokers))
        one, other = first[one], first[other]

        def crossing(link: int) -> NDArray[np.bool_]:
            """Which pairs of the need tree the link has between them in the search tree."""
            at = below.get(link)
            if at is None:
                return np.zeros(one.size, dtype=np.bool_)
            a, b = found.first[at], found.last[at]
            crosses: NDArray[np.bool_] = ((one >= a) & (one < b)) != ((other >= a) & (other < b))
            return crosses

        members = {link: sorted(group) for group in classes.values() if len(group) > 1 for link in group}
        for link in sorted(members):
            crossed: NDArray[np.bool_] | None = None
            for partner in members[link]:
                if partner <= link or (link not in touching and partner not in touching):
                    continue
                if crossed is None:
                    crossed = crossing(link)
                if (crossed != crossing(partner)).any() and self._cuts((*chosen, link, partner)):
                    return link, partner
        return None

    def _circulation(self, found: Forest, down_links: set[int], down_brokers: set[int]) -> dict[int, int]:
        """link → its number, for the links that are up."""
        if self._labels is None:
            draw = random.Random(1)  # always the same: the course of the search is too
            self._labels = [draw.getrandbits(64) | 1 << 64 for _ in range(self.graph.links)]
        through = [0] * self.graph.n
        numbers: dict[int, int] = {}
        for at in found.order:
            for to, link in self.graph.out[at]:
                if link in down_links or to in down_brokers or at > to or link in numbers:
                    continue
                if link in (found.parent_link[at], found.parent_link[to]):
                    continue
                number = self._labels[link]
                numbers[link] = number
                through[at] ^= number
                through[to] ^= number
        for at in reversed(found.order):
            if found.parent[at] != -1:
                numbers[found.parent_link[at]] = through[at]
                through[found.parent[at]] ^= through[at]
        return numbers


def _less(split: _Split, kind: str) -> _Split:
    links, brokers, groups = split
    return links - (kind == "link"), brokers - (kind == "broker"), groups - (kind == "group")
