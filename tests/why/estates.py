"""Small random estates, one row or link a line, and a judgement of their messages that shares nothing with momlint."""

from __future__ import annotations

import random
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Mode = Literal["recovery", "tables", "links", "both"]


@dataclass
class Link:
    ends: tuple[int, int]
    one_way: bool = False
    cost: int = 1


@dataclass
class Row:
    """`colours`: None in given tables, which have none."""

    at: int
    to: int
    via: int
    colours: list[int] | None = None


class Failed(NamedTuple):
    links: frozenset[int]
    brokers: frozenset[int]


@dataclass
class Estate:
    """Links and rows are None where they have gone; their indices stay."""

    n: int
    mode: Mode
    links: list[Link | None] = field(default_factory=list)
    rows: list[Row | None] = field(default_factory=list)
    colours: list[Failed] = field(default_factory=list)
    stubs: frozenset[int] = frozenset()

    def text(self) -> str:
        lines = ["momlint: 1", "brokers:"]
        lines += [f"  {b}:{' {transit: false}' if b in self.stubs else ''}" for b in range(self.n)]
        lines.append("links:")
        for number, link in enumerate(self.links):
            if link is not None:
                a, b = link.ends
                ends = f"from: {a}, to: {b}" if link.one_way else f"between: [{a}, {b}]"
                lines.append(f"  - {{id: k{number}, {ends}, cost: {link.cost}}}")
        lines += ["routing:", f"  protocol: {'tables' if self.mode == 'tables' else 'shortest-path'}"]
        if self.mode in ("tables", "both"):
            lines.append("  tables:")
            for at in range(self.n):
                table: dict[int, list[int]] = {}
                for row in self.rows:
                    if row is not None and row.at == at:
                        table.setdefault(row.via, []).append(row.to)
                if table:
                    lines.append(f"    {at}:")
                for via, dests in table.items():
                    lines.append(f"      {via}:")
                    lines += [f"        - {dest}" for dest in dests]
        lines += ["failures:", "  colours:"]
        for number, failed in enumerate(self.colours):
            names = [*(f"k{one}" for one in sorted(failed.links)), *(str(one) for one in sorted(failed.brokers))]
            lines.append(f"    c{number}: [{', '.join(names)}]")
        if self.mode == "recovery":
            lines.append("  recovery:")
            for at in range(self.n):
                mine = [row for row in self.rows if row is not None and row.at == at]
                lines.append(f"    {at}:{'' if mine else ' []'}")
                for row in mine:
                    assert row.colours is not None
                    colours = ", ".join(f"c{one}" for one in row.colours)
                    lines.append(f"      - {{to: {row.to}, via: {row.via}, colours: [{colours}]}}")
        return "\n".join(lines) + "\n"

    # -- judging ------------------------------------------------------------------------------------------------------

    def hops(self, colour: int | None) -> dict[int, dict[int, int]]:
        """Broker → neighbour → least cost, over what is alive."""
        failed = self.colours[colour] if colour is not None else Failed(frozenset(), frozenset())
        found: dict[int, dict[int, int]] = {one: {} for one in range(self.n)}
        for number, link in enumerate(self.links):
            if link is None or number in failed.links or failed.brokers & set(link.ends):
                continue
            a, b = link.ends
            for tail, head in [(a, b)] if link.one_way else [(a, b), (b, a)]:
                found[tail][head] = min(link.cost, found[tail].get(head, 99))
        return found

    def arrives(self, source: int, dest: int, colour: int, instead: dict[int, int] | None = None) -> bool:
        """`instead`: other next hops, by location."""
        if {source, dest} & self.colours[colour].brokers:
            return False
        near = self.hops(colour)
        computed = self.computed(near, dest) if self.mode in ("links", "both") else {}
        loc, seen = source, {source}
        while loc != dest:
            if loc != source and loc in self.stubs:
                return False
            hop = (instead or {}).get(loc, self.row(loc, dest, colour))
            if hop is None:
                hop = computed.get(loc)
            if hop is None or hop not in near[loc] or hop in seen:
                return False
            seen.add(hop)
            loc = hop
        return True

    def row(self, loc: int, dest: int, colour: int) -> int | None:
        for row in self.rows:
            if row is None or (row.at, row.to) != (loc, dest):
                continue
            if row.colours is None or colour in row.colours:
                return row.via
        return None

    def computed(self, near: dict[int, dict[int, int]], dest: int) -> dict[int, int]:
        """Least cost, ties by the broker that comes first; not through stubs."""
        distance = {dest: 0}
        for _ in range(self.n):
            for loc in range(self.n):
                for head, cost in near[loc].items():
                    if head in distance and (head == dest or head not in self.stubs):
                        distance[loc] = min(distance.get(loc, 999), cost + distance[head])
        found = {}
        for loc in range(self.n):
            if loc != dest and loc in distance:
                found[loc] = next(
                    head
                    for head in sorted(near[loc])
                    if head in distance
                    and (head == dest or head not in self.stubs)
                    and near[loc][head] + distance[head] == distance[loc]
                )
        return found

    def connected(self, source: int, dest: int, colour: int | None) -> bool:
        near, found, waiting = self.hops(colour), {source}, [source]
        if colour is not None and {source, dest} & self.colours[colour].brokers:
            return False
        while waiting:
            loc = waiting.pop()
            if loc == source or loc not in self.stubs:
                waiting += [one for one in near[loc] if one not in found]
                found.update(near[loc])
        return dest in found

    # -- changes ------------------------------------------------------------------------------------------------------

    def row_changes(self, number: int) -> list[Estate]:
        """Every other next hop, its own broker too, and none."""
        made = []
        for via in [*range(self.n), None]:
            row = self.rows[number]
            assert row is not None
            if via != row.via:
                one = deepcopy(self)
                one.rows[number] = None if via is None else Row(row.at, row.to, via, row.colours)
                made.append(one)
        return made

    def link_changes(self, number: int) -> list[Estate]:
        """Every other pair of ends, and none; where next hops are given and computed both, none."""
        link = self.links[number]
        assert link is not None
        pairs: list[tuple[int, int] | None] = [(a, b) for a in range(self.n) for b in range(self.n) if a != b]
        made = []
        for ends in [None] if self.mode == "both" else [*pairs, None]:
            if ends != link.ends:
                one = deepcopy(self)
                one.links[number] = None if ends is None else Link(ends, link.one_way, link.cost)
                made.append(one)
        return made


def random_estate(rng: random.Random, mode: Mode, most: int = 5) -> Estate:
    """Of three to `most` brokers; most rows are right, some wrong or missing."""
    n = rng.randint(3, most)
    estate = Estate(n, mode, stubs=frozenset(b for b in range(n) if rng.random() < 0.08))
    pairs = [(a, b) for a in range(n) for b in range(a + 1, n)]
    for a, b in pairs:
        for _ in range(rng.choices([0, 1, 2], [4, 7, 1])[0]):
            ends = (a, b) if rng.random() < 0.5 else (b, a)
            estate.links.append(Link(ends, rng.random() < 0.1, rng.randint(1, 3)))
    estate.colours.append(Failed(frozenset(), frozenset()))
    for _ in range(rng.randint(0, 3)):
        links = frozenset(rng.sample(range(len(estate.links)), min(len(estate.links), rng.randint(0, 2))))
        brokers = frozenset([rng.randrange(n)]) if rng.random() < 0.3 else frozenset[int]()
        if (links or brokers) and (links, brokers) not in estate.colours:
            estate.colours.append(Failed(links, brokers))
    if mode == "links":
        return estate
    for at in range(n):
        for to in range(n):
            if at == to or (mode == "both" and rng.random() < 0.75):
                continue
            by_hop: dict[int, list[int]] = {}
            for colour in range(len(estate.colours) if mode == "recovery" else 1):
                right = estate.computed(estate.hops(colour), to).get(at)
                wrong = rng.randrange(n)
                hop = right if right is not None and rng.random() < 0.85 else wrong
                if rng.random() < 0.95 and hop != at:
                    by_hop.setdefault(hop, []).append(colour)
            for via, colours in by_hop.items():
                estate.rows.append(Row(at, to, via, colours if mode == "recovery" else None))
    if mode == "recovery" and not estate.rows:
        estate.rows.append(Row(0, 1, 1, [0]))
    return estate
