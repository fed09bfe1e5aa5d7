"""What single failures separate: bridges and articulation points of a two-way overlay, and one-way counterparts.

Everything here takes a graph as lists of plain integers with some links and brokers taken out, so that it can be
asked again and again for what is left after other failures. Sources: Tarjan's lowpoints (bridges, articulation
points: R. Tarjan, Depth-first search and linear graph algorithms, 1972); dominators by the iterative algorithm of
Cooper, Harvey and Kennedy (2001); strong bridges and articulation points of a strongly connected graph from the
dominators of any one root, forwards and backwards (G. Italiano, L. Laura, F. Santaroni, 2012).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from momlint.records import dataclass
from momlint.routed.overlay.arcs import is_two_way

if TYPE_CHECKING:
    from momlint.routed.overlay.form import Overlay


class Graph:
    """The arcs of an overlay as lists: ``out[u]`` holds (head, link), ``into[v]`` holds (tail, link).

    `two_way`: every link has an arc in each direction; then `out` is all there is to know.
    """

    __slots__ = ("arcs", "into", "links", "n", "out", "two_way")

    def __init__(self, overlay: Overlay) -> None:
        self.n = overlay.n
        self.links = overlay.links
        self.arcs = len(overlay.arc_tail)
        self.two_way = is_two_way(overlay)
        self.out: list[list[tuple[int, int]]] = [[] for _ in range(self.n)]
        self.into: list[list[tuple[int, int]]] = [[] for _ in range(self.n)]
        arcs = zip(overlay.arc_tail.tolist(), overlay.arc_head.tolist(), overlay.arc_link.tolist(), strict=True)
        for tail, head, link in arcs:
            self.out[tail].append((head, link))
            self.into[head].append((tail, link))


@dataclass(slots=True)
class Forest:
    """A depth-first search forest of a two-way graph, with what single failures separate.

    `order`: the brokers that are up, in preorder. ``first[u]:last[u]`` is where u and all below it stand in
    `order`. `root`: of each broker; `parent` and `parent_link`: -1 for a root (all four: -1 for a broker that is
    down). `bridges`: brokers whose link to their parent is a bridge; what hangs below is what it separates.
    `parts`: articulation point → the children whose subtrees it separates from everything else.
    """

    order: list[int]
    first: list[int]
    last: list[int]
    root: list[int]
    parent: list[int]
    parent_link: list[int]
    bridges: list[int]
    parts: dict[int, list[int]]


def forest(graph: Graph, down_links: Iterable[int] = (), down_brokers: Iterable[int] = ()) -> Forest:
    """The forest of what is left of a two-way `graph`, in time linear in brokers and links."""
    n, out = graph.n, graph.out
    dead = bytearray(graph.links)
    for link in down_links:
        dead[link] = 1
    first = [-1] * n
    last = [-1] * n
    low = [0] * n
    root = [-1] * n
    parent = [-1] * n
    parent_link = [-1] * n
    for broker in down_brokers:
        first[broker] = n  # taken for visited, and above every lowpoint
    order: list[int] = []
    bridges: list[int] = []
    parts: dict[int, list[int]] = {}
    for start in range(n):
        if first[start] != -1:
            continue
        first[start] = low[start] = len(order)
        root[start] = start
        order.append(start)
        stack = [(start, iter(out[start]))]
        while stack:
            at, arcs = stack[-1]
            above = parent_link[at]
            here = low[at]
            for to, link in arcs:
                number = first[to]
                if number == -1:
                    if dead[link]:
                        continue
                    low[at] = here
                    first[to] = low[to] = len(order)
                    root[to], parent[to], parent_link[to] = start, at, link
                    order.append(to)
                    stack.append((to, iter(out[to])))
                    break
                # A second link to the parent is another way back; the one that led here is not.
                if number < here and link != above and not dead[link]:
                    here = number
            else:
                low[at] = here
                stack.pop()
                last[at] = len(order)
                up = parent[at]
                if up == -1:
                    continue
                if here > first[up]:
                    bridges.append(at)
                if here >= first[up]:
                    parts.setdefault(up, []).append(at)
                low[up] = min(low[up], here)
        if len(parts.get(start, ())) < 2:
            parts.pop(start, None)  # a root with one part below it separates nothing
    for broker in down_brokers:
        first[broker] = -1
    bridges.sort(key=first.__getitem__)
    return Forest(order, first, last, root, parent, parent_link, bridges, parts)


def strong_parts(
    graph: Graph, down_links: Iterable[int] = (), down_brokers: Iterable[int] = ()
) -> tuple[list[int], list[list[int]]]:
    """Strongly connected parts of what is left: of each broker its part (-1: down), and the parts (Tarjan).

    A part is numbered before every part that has an arc into it: arcs between parts lead to smaller numbers.
    """
    n, out = graph.n, graph.out
    dead = set(down_links)
    part = [-1] * n
    number = [-1] * n
    low = [0] * n
    down = set(down_brokers)
    parts: list[list[int]] = []
    held: list[int] = []
    count = 0
    for start in range(n):
        if number[start] != -1 or start in down:
            continue
        number[start] = low[start] = count
        count += 1
        held.append(start)
        stack = [(start, iter(out[start]))]
        while stack:
            at, arcs = stack[-1]
            for to, link in arcs:
                if link in dead or to in down:
                    continue
                if number[to] == -1:
                    number[to] = low[to] = count
                    count += 1
                    held.append(to)
                    stack.append((to, iter(out[to])))
                    break
                if part[to] == -1 and number[to] < low[at]:
                    low[at] = number[to]
            else:
                stack.pop()
                if stack:
                    up = stack[-1][0]
                    low[up] = min(low[up], low[at])
                if low[at] == number[at]:
                    members = []
                    while True:
                        member = held.pop()
                        part[member] = len(parts)
                        members.append(member)
                        if member == at:
                            break
                    parts.append(members)
    return part, parts


def suspects(
    graph: Graph, down_links: Iterable[int] = (), down_brokers: Iterable[int] = ()
) -> tuple[list[int], list[int]]:
    """Links and brokers that may separate one broker from another in a graph with one-way links; ascending.

    Complete, and exact within strongly connected parts: there a broker or link separates some pair exactly when it
    dominates something from any one root, forwards or backwards. Between parts every link is named, and both of its
    ends; whether those separate a given pair is left to be looked at.
    """
    dead, down = set(down_links), set(down_brokers)
    part, parts = strong_parts(graph, dead, down)
    links: set[int] = set()
    brokers: set[int] = set()
    for tail in range(graph.n):
        for head, link in graph.out[tail]:
            if link not in dead and part[tail] != -1 and part[head] not in (-1, part[tail]):
                links.add(link)
                brokers.update((tail, head))
    for number, members in enumerate(parts):
        if len(members) < 2:
            continue
        root = min(members)
        brokers.add(root)
        for arcs in (graph.out, graph.into):
            inside = {
                at: [(to, link) for to, link in arcs[at] if link not in dead and part[to] == number] for at in members
            }
            found_links, found_brokers = _dominating(root, inside)
            links |= found_links
            brokers |= found_brokers
    return sorted(links), sorted(brokers)


def _dominating(root: int, out: dict[int, list[tuple[int, int]]]) -> tuple[set[int], set[int]]:
    """Links and brokers that dominate some broker of a flow graph: on every path to it from `root`."""
    # Each arc becomes a vertex of its own, so that it can dominate: brokers are 0 … n-1, arcs follow. Parallel arcs
    # are vertices beside each other, and neither dominates.
    names = list(out)
    index = {name: i for i, name in enumerate(names)}
    after: list[list[int]] = [[] for _ in names]
    link_of: list[int] = []
    for at, arcs in out.items():
        for to, link in arcs:
            vertex = len(after)
            after[index[at]].append(vertex)
            after.append([index[to]])
            link_of.append(link)
    dominator = immediate_dominators(index[root], after)
    links: set[int] = set()
    brokers: set[int] = set()
    for vertex in range(len(names)):
        above = dominator[vertex]
        if above >= len(names):
            links.add(link_of[above - len(names)])
            above = dominator[above]  # the arc's tail: whatever the arc dominates, its tail does
        if above not in (-1, index[root]):
            brokers.add(names[above])
    return links, brokers


def immediate_dominators(root: int, after: Sequence[Sequence[int]]) -> list[int]:
    """Of each vertex the nearest one on every path to it from `root`; the root's is the root, -1 unreachable."""
    count = len(after)
    number = [-1] * count
    order: list[int] = []  # postorder
    number[root] = 0
    stack = [(root, iter(after[root]))]
    while stack:
        at, arcs = stack[-1]
        for to in arcs:
            if number[to] == -1:
                number[to] = 0
                stack.append((to, iter(after[to])))
                break
        else:
            stack.pop()
            number[at] = len(order)
            order.append(at)
    before: list[list[int]] = [[] for _ in range(count)]
    for at in order:
        for to in after[at]:
            before[to].append(at)
    dominator = [-1] * count
    dominator[root] = root
    changed = True
    while changed:
        changed = False
        for at in reversed(order):
            if at == root:
                continue
            found = -1
            for other in before[at]:
                if dominator[other] == -1:
                    continue
                meet = other if found == -1 else found
                found = other
                while found != meet:
                    while number[found] < number[meet]:
                        found = dominator[found]
                    while number[meet] < number[found]:
                        meet = dominator[meet]
            if dominator[at] != found:
                dominator[at] = found
                changed = True
    return dominator
