"""Random estates with what is known of them by construction, and claims judged by brute force on expanded tables.

A `Model` keeps its own next hops, entry by entry; momlint sees only the text. `is_true` reads a record with a decoder
of its own and follows every walk in every colour.
"""

from __future__ import annotations

import base64
import itertools
import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from momlint.estate import Estate, load_source
from momlint.source import read_source
from tests.oracles import Arc, shortest

#: In whole tenths, with sums that tie.
COSTS = ("1", "1", "1", "2", "0.1", "0.2", "0.3")
Entry = tuple[int, int, int]  # colour, destination, broker
Paths = tuple[dict[tuple[int, int], Fraction], dict[tuple[int, int], int]]  # distances, next hops


@dataclass
class Model:
    """An overlay: `links` (tail, head, cost, one way), `colours` (failed links, failed brokers), given next hops.

    `rows`: for ``recovery`` by (colour, destination, broker), else for ``tables`` by colour 0. `cost_back`: of links
    with a cost for each direction, that from head to tail. `stubs`: the brokers that pass nothing on. `after`: what
    next hops do when something has failed, None for what the protocol does. `withdraws`: a row that gives way to a
    computed next hop while its link or next hop is down. `groups`: links and brokers that fail together. `tolerate`:
    how many links, brokers and groups may fail at once, as is promised.
    """

    n: int
    links: list[tuple[int, int, str, bool]]
    colours: list[tuple[set[int], set[int]]] = field(default_factory=list)
    protocol: str = "shortest-path"
    recovery: bool = False
    rows: dict[Entry, int] = field(default_factory=dict)
    topics: list[tuple[list[int], list[int]]] = field(default_factory=list)
    cost_back: dict[int, str] = field(default_factory=dict)
    stubs: set[int] = field(default_factory=set)
    after: str | None = None
    withdraws: bool = False
    groups: list[tuple[set[int], set[int]]] = field(default_factory=list)
    tolerate: tuple[int, int, int] | None = None

    @cached_property
    def lacking(self) -> list[tuple[set[int], set[int]]]:
        """What is promised, and nothing, as far as no colour stands for it; by links, then by brokers."""
        links, brokers, groups = self.tolerate or (0, 0, 0)
        found = set()
        for some in _subsets(range(len(self.links)), links):
            for others in _subsets(range(self.n), brokers):
                for together in _subsets(range(len(self.groups)), groups):
                    down = set(some).union(*(self.groups[group][0] for group in together))
                    gone = set(others).union(*(self.groups[group][1] for group in together))
                    if (down, gone) not in self.colours:
                        found.add((tuple(sorted(down)), tuple(sorted(gone))))
        return [(set(down), set(gone)) for down, gone in sorted(found)]

    @cached_property
    def failed(self) -> list[tuple[set[int], set[int]]]:
        """The states that certificates speak of: colours, and without recovery rows all that is judged besides."""
        return [*self.colours, *([] if self.has_recovery else self.lacking)]

    def forget(self) -> None:
        """What was worked out before something was changed."""
        for name in ("lacking", "failed", "live", "cheapest", "reached", "best", "intact_best"):
            self.__dict__.pop(name, None)

    @property
    def needed(self) -> set[tuple[int, int]]:
        """(destination, source)."""
        if not self.topics:
            return {(d, s) for d in range(self.n) for s in range(self.n) if s != d}
        return {(d, s) for publishers, subscribers in self.topics for s in publishers for d in subscribers if s != d}

    @cached_property
    def live(self) -> list[list[Arc]]:
        """The live arcs of each state."""
        return [self.arcs_without(*failed) for failed in self.failed]

    @cached_property
    def cheapest(self) -> list[dict[tuple[int, int], Fraction]]:
        """What the cheapest live arc from one broker to another costs, in each state."""
        result = []
        for arcs in self.live:
            cheapest: dict[tuple[int, int], Fraction] = {}
            for arc in arcs:
                ends = arc.tail, arc.head
                cheapest[ends] = min(arc.cost, cheapest.get(ends, arc.cost))
            result.append(cheapest)
        return result

    def arcs_without(self, links: set[int], brokers: set[int]) -> list[Arc]:
        return [
            Arc(a, b, Fraction(price), 0.0, index)
            for index, (tail, head, cost, one_way) in enumerate(self.links)
            if index not in links and not {tail, head} & brokers
            for a, b, price in [(tail, head, cost), (head, tail, self.cost_back.get(index, cost))][: 2 - one_way]
        ]

    @cached_property
    def best(self) -> list[Paths]:
        """For each colour, distances and smallest next hops by (destination, broker)."""
        return [self._shortest(arcs) for arcs in self.live]

    @cached_property
    def intact_best(self) -> Paths:
        """The same with nothing failed."""
        return self._shortest(self.arcs_without(set(), set()))

    def _shortest(self, arcs: list[Arc]) -> Paths:
        if not self.stubs:
            return shortest(self.n, arcs)
        distance: dict[tuple[int, int], Fraction] = {}
        hop: dict[tuple[int, int], int] = {}
        for d in range(self.n):  # an arc into a broker that passes nothing on is a way to that broker alone
            there = shortest(self.n, [arc for arc in arcs if arc.head == d or arc.head not in self.stubs])
            distance |= {at: cost for at, cost in there[0].items() if at[0] == d}
            hop |= {at: via for at, via in there[1].items() if at[0] == d}
        return distance, hop

    @property
    def has_recovery(self) -> bool:
        """Whether ``recovery`` has rows, which are the tables then; a section without any says nothing."""
        return self.recovery and bool(self.rows)

    @property
    def heals(self) -> bool:
        """Whether next hops are computed anew when something has failed."""
        return (self.after or {"tables": "keep", "shortest-path": "heal"}[self.protocol]) == "heal"

    def is_measured(self, colour: int) -> bool:
        """Whether shortest distances stand behind the next hops of the state: all of them, or those without a row."""
        if self.has_recovery:
            return False
        fails = any(self.failed[colour])
        return (self.heals or not fails) if self.protocol == "shortest-path" else (self.heals and fails)

    def is_followed(self, colour: int) -> bool:
        """Whether walks in the state have to be followed, since they are no shortest ones by construction."""
        if self.has_recovery:
            return True
        if self.protocol == "tables":
            return not (self.heals and any(self.failed[colour]))
        return bool(self.rows) or (not self.heals and any(map(any, self.failed)))

    def hop(self, colour: int, dest: int, loc: int) -> int | None:
        if self.has_recovery:
            return self.rows.get((colour, dest, loc))
        given = self.rows.get((0, dest, loc))
        fails = any(self.failed[colour])
        anew = self.best[colour][1].get((dest, loc))
        if self.protocol == "tables":
            return anew if fails and self.heals else given
        if given is not None and not (self.withdraws and self._is_down(colour, loc, given)):
            return given
        return anew if self.heals or not fails else self.intact_best[1].get((dest, loc))

    def _is_down(self, colour: int, tail: int, head: int) -> bool:
        """Whether `head` has failed, or there are links to it and all have."""
        links, brokers = self.failed[colour]
        between = {arc.link for arc in self.arcs_without(set(), set()) if (arc.tail, arc.head) == (tail, head)}
        return head in brokers or (bool(between) and between <= links)

    def walk(self, colour: int, dest: int, loc: int) -> tuple[list[int], Fraction] | None:
        """The brokers that the message passes and what that costs; None if it does not arrive."""
        cheapest = self.cheapest[colour]
        seen, cost = [loc], Fraction(0)
        while seen[-1] != dest:
            if seen[-1] in self.stubs and seen[-1] != loc:
                return None
            hop = self.hop(colour, dest, seen[-1])
            if hop is None or (seen[-1], hop) not in cheapest or hop in seen:
                return None
            cost += cheapest[seen[-1], hop]
            seen.append(hop)
        return seen, cost

    def reachable(self, colour: int, loc: int) -> set[int]:
        """The brokers that messages of `loc` can come to, itself among them."""
        return self.reached[colour][loc]

    @cached_property
    def reached(self) -> list[list[set[int]]]:
        """The same for all states and brokers."""
        return [[self._flood(set(hops), loc) for loc in range(self.n)] for hops in self.cheapest]

    def _flood(self, hops: set[tuple[int, int]], loc: int) -> set[int]:
        found, todo = {loc}, [loc]
        while todo:
            at = todo.pop()
            for tail, head in hops:
                if tail == at and head not in found:
                    found.add(head)
                    if head not in self.stubs:
                        todo.append(head)
        return found

    def alive(self, colour: int, *brokers: int) -> bool:
        return not self.failed[colour][1] & set(brokers)

    def is_sound(self) -> bool:
        """Every needed pair arrives in every colour, unless no path is left or an end has failed."""
        return all(
            not self.alive(colour, d, s) or d not in self.reachable(colour, s) or self.walk(colour, d, s) is not None
            for colour in range(len(self.failed))
            for d, s in self.needed
        )

    def text(self) -> str:
        brokers = ", ".join(f"b{i}: " + "{transit: false}" * (i in self.stubs) for i in range(self.n))
        lines = ["momlint: 1", "name: random", "brokers: {" + brokers + "}"]
        lines.append("links:" if self.links else "links: []")
        for index, (tail, head, cost, one_way) in enumerate(self.links):
            ends = f"from: b{tail}, to: b{head}" if one_way else f"between: [b{tail}, b{head}]"
            both = f"{{b{tail}->b{head}: {cost}, b{head}->b{tail}: {self.cost_back.get(index)}}}"
            lines.append(f"  - {{id: l{index}, {ends}, cost: {both if index in self.cost_back else cost}}}")
        if self.topics:
            lines.append("topics:")
            for index, (publishers, subscribers) in enumerate(self.topics):
                lines.append(f"  t{index}: {{publishers: {_names(publishers)}, subscribers: {_names(subscribers)}}}")
        lines += ["routing:", f"  protocol: {self.protocol}"]
        lines += [f"  after_failure: {self.after}"] * (self.after is not None)
        lines += ["  static_rows: withdraw"] * self.withdraws
        if self.rows and not self.recovery:
            lines.append("  tables:")
            for loc in sorted({loc for _, _, loc in self.rows}):
                by_hop: dict[int, list[int]] = {}
                for (_, dest, at), via in sorted(self.rows.items()):
                    if at == loc:
                        by_hop.setdefault(via, []).append(dest)
                lines.append(f"    b{loc}: {{" + ", ".join(f"b{v}: {_names(d)}" for v, d in by_hop.items()) + "}")
        if self.groups:
            lines.append("groups:")
            lines += [f"  g{index}: {_failed(*group)}" for index, group in enumerate(self.groups)]
        if self.colours or self.tolerate:
            lines.append("failures:")
        if self.tolerate:
            links, brokers, groups = self.tolerate
            lines.append(f"  tolerate: {{links: {links}, brokers: {brokers}, groups: {groups}}}")
        if self.colours:
            lines.append("  colours:")
            lines += [f"    c{index}: {_failed(*failed)}" for index, failed in enumerate(self.colours)]
            if self.recovery:
                lines += self._recovery_lines()
        return "\n".join(lines) + "\n"

    def _recovery_lines(self) -> list[str]:
        if not self.rows:
            return ["  recovery: {b0: []}"]
        lines = ["  recovery:"]
        for loc in sorted({loc for _, _, loc in self.rows}):
            lines.append(f"    b{loc}:")
            rows: dict[tuple[int, int], list[int]] = {}
            for (colour, dest, at), via in sorted(self.rows.items()):
                if at == loc:
                    rows.setdefault((dest, via), []).append(colour)
            for (dest, via), inside in rows.items():
                outside = sorted(set(range(len(self.colours))) - set(inside))
                if (dest + via) % 2 and outside:
                    word, which = "except", outside
                else:
                    word, which = "colours", inside
                names = ", ".join(f"c{colour}" for colour in which)
                lines.append(f"      - {{to: b{dest}, via: b{via}, {word}: [{names}]}}")
        return lines

    def estate(self) -> Estate:
        (loaded,) = load_source(read_source(self.text().encode(), "estate.yaml"))
        assert loaded.estate is not None
        assert not [problem for problem in loaded.problems if problem.code != "MOM105"], (loaded.problems, self.text())
        return loaded.estate


def _names(brokers: list[int]) -> str:
    return "[" + ", ".join(f"b{broker}" for broker in brokers) + "]"


def _failed(links: set[int], brokers: set[int]) -> str:
    return "[" + ", ".join([f"l{link}" for link in sorted(links)] + [f"b{broker}" for broker in sorted(brokers)]) + "]"


def _subsets(things: range, most: int) -> list[tuple[int, ...]]:
    return [some for size in range(most + 1) for some in itertools.combinations(things, size)]


def random_model(seed: int, most: int = 7, *, static: bool = False) -> Model:
    """Any kind of estate; in about half of them some entries are wrong. `static`: rows beside computed next hops."""
    rng = random.Random(seed)
    n = rng.randint(2, most)
    links = []
    if rng.random() < 0.8:
        links += [(b, rng.randrange(b), rng.choice(COSTS), False) for b in range(1, n)]
    for _ in range(rng.randint(0, n + 2)):
        tail, head = rng.sample(range(n), 2)
        links.append((tail, head, rng.choice(COSTS), rng.random() < 0.2))
    model = Model(n, links)
    if rng.random() < 0.3:
        two_way = [index for index, link in enumerate(links) if not link[3]]
        model.cost_back = {index: rng.choice(COSTS) for index in two_way if rng.random() < 0.5}
    if rng.random() < 0.3:
        model.stubs = set(rng.sample(range(n), rng.randint(1, 2)))
    if rng.random() < 0.75:
        model.colours = [_failure(rng, n, len(links)) for _ in range(rng.randint(1, 5))]
        if rng.random() < 0.8:
            model.colours.insert(0, (set(), set()))
    if rng.random() < 0.4:
        for _ in range(rng.randint(1, 3)):
            publishers = rng.sample(range(n), rng.randint(1, 2))
            model.topics.append((publishers, rng.sample(range(n), rng.randint(1, n))))
    model.protocol = "shortest-path" if static else rng.choice(("shortest-path", "tables"))
    model.after = rng.choice((None, None, "heal", "keep"))
    model.withdraws = rng.random() < 0.4
    model.recovery = bool(model.colours) and rng.random() < 0.4 and not static
    if rng.random() < 0.4:
        model.groups = [_failure(rng, n, len(links)) for _ in range(rng.randint(1, 2))]
        model.groups = [group for group in model.groups if any(group)]
    if rng.random() < 0.5:
        groups = rng.randint(0, 2) if model.groups else 0
        model.tolerate = (*rng.choice(((1, 0), (1, 0), (0, 1), (0, 0), (1, 1) if n < 5 else (0, 1))), groups)
    if model.recovery:
        for colour, (_, hops) in enumerate(model.best[: len(model.colours)]):
            model.rows |= {(colour, *cell): hop for cell, hop in hops.items()}
    else:
        share = 1.0 if model.protocol == "tables" else rng.choice((0.3, 0.1)) if static else rng.choice((0.0, 0.0, 0.3))
        model.rows = {(0, *cell): hop for cell, hop in model.intact_best[1].items() if rng.random() < share}
        if static or rng.random() < 0.3:
            _go_another_way(model, rng)
    if rng.random() < 0.2:  # what nobody needs may be missing
        needed = model.needed
        model.rows = {at: hop for at, hop in model.rows.items() if at[1:] in needed or rng.random() < 0.5}
    if rng.random() < 0.6:
        for _ in range(rng.randint(1, 2)):
            damage(model, rng)
    model.forget()
    return model


def _go_another_way(model: Model, rng: random.Random) -> None:
    """Let rows lead to any neighbour that is nearer to the destination: no loop while nothing has failed."""
    distance = model.intact_best[0]
    for at in model.rows:
        _, d, loc = at
        heads = {arc.head for arc in model.arcs_without(set(), set()) if arc.tail == loc}
        heads -= model.stubs - {d}
        model.rows[at] = rng.choice(
            sorted(h for h in heads if distance.get((d, h), distance[d, loc]) < distance[d, loc])
        )


def _failure(rng: random.Random, n: int, links: int) -> tuple[set[int], set[int]]:
    down = set(rng.sample(range(links), min(links, rng.choice((0, 1, 1, 1, 2)))))
    return down, {rng.randrange(n)} if rng.random() < 0.25 else set()


def damage(model: Model, rng: random.Random) -> None:
    """Change or remove one given entry, if there is any; half of the time to a neighbour."""
    if not model.rows:
        return
    at = rng.choice(sorted(model.rows))
    beside = [head for tail, head, *_ in model.links if tail == at[2]] + [t for t, h, *_ in model.links if h == at[2]]
    if rng.random() < 0.3:
        del model.rows[at]
    else:
        model.rows[at] = rng.choice(beside) if beside and rng.random() < 0.7 else rng.randrange(model.n)


# -- records, read by other means --------------------------------------------------------------------------------------


def decode(text: str) -> list[int]:
    """LEB128 in base 64."""
    numbers, value, shift = [], 0, 0
    for byte in base64.b64decode(text, validate=True):
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    assert shift == 0
    return numbers


def encode(numbers: list[int]) -> str:
    """The other way round."""
    data = bytearray()
    for number in numbers:
        rest = number
        while rest > 127:
            data.append(rest & 127 | 128)
            rest >>= 7
        data.append(rest)
    return base64.b64encode(bytes(data)).decode()


CUT, NONE = -1, -2


def expand(model: Model, data: Mapping[str, str]) -> list[dict[tuple[int, int], int]]:
    """For each colour, the potential of every (destination, broker)."""
    n = model.n
    base = [number - 2 for number in decode(data["base"])]
    assert len(base) == n * n
    counts, cells, values = decode(data["counts"]), decode(data["cells"]), decode(data["values"])
    assert len(counts) == len(model.failed)
    assert sum(counts) == len(cells) == len(values)
    result, place = [], 0
    for count in counts:
        colour = dict(enumerate(base))
        cell = 0
        for index in range(count):
            assert index == 0 or cells[place] > 0
            cell += cells[place]
            assert cell < n * n
            assert cell % (n + 1)
            colour[cell] = values[place] - 2
            place += 1
        assert all(colour[d * n + d] == 0 for d in range(n))
        result.append({divmod(at, n): value for at, value in colour.items()})
    return result


def is_true(model: Model, data: Mapping[str, Any]) -> bool:
    """Whether the record proves what it should, by following walks; any exception or failed assertion means no."""
    unit = Fraction(data["unit"])
    if any((arc.cost / unit).denominator != 1 for arc in model.arcs_without(set(), set())):
        return False
    calm = [not any(failed) for failed in model.failed]
    measured = [model.is_measured(state) for state in range(len(calm))]
    followed = [model.is_followed(state) for state in range(len(calm))]
    cut = {"cut_calm": 0, "cut_failing": 0, "cut_promised": 0}
    for state, is_calm in enumerate(calm):
        name = "cut_calm" if is_calm else "cut_failing" if state < len(model.colours) else "cut_promised"
        cut[name] += sum(model.alive(state, d, s) and d not in model.reachable(state, s) for d, s in model.needed)
    if any(measured):
        distances = expand(model, data["distances"])
        # While nothing has failed they are the base, by the rules of the format, and elsewhere nothing is said.
        may_differ = [here and not is_calm for here, is_calm in zip(measured, calm, strict=True)]
        if not _differs_only(data["distances"], may_differ):
            return False
        levels = [2] * model.n
        if not all(
            _holds(model, unit, state, distances[state], levels, computed=True)
            for state in range(len(calm))
            if measured[state]
        ):
            return False
    if any(followed):
        walks, levels = expand(model, data["walks"]), decode(data["levels"])
        if len(levels) != model.n or max(levels) > 2 or not _differs_only(data["walks"], followed):
            return False
        if not all(
            _holds(model, unit, state, walks[state], levels, computed=False)
            for state in range(len(calm))
            if followed[state]
        ):
            return False
    unspoken = len(model.lacking) if model.has_recovery else 0
    intact = len(calm) - len(model.colours) - calm[len(model.colours) :].count(False)
    sizes = {"brokers": model.n, "colours": len(model.colours), "intact": intact, "unspoken": unspoken}
    sizes |= {"promised": calm[len(model.colours) :].count(False), "pairs": len(model.needed)}
    claims = data["claims"]
    return all(name in claims and claims[name] == value for name, value in {**sizes, **cut}.items())


def _differs_only(data: Mapping[str, str], where: list[bool]) -> bool:
    return not any(count and not here for count, here in zip(decode(data["counts"]), where, strict=True))


def _holds(
    model: Model,
    unit: Fraction,
    colour: int,
    potential: dict[tuple[int, int], int],
    levels: list[int],
    *,
    computed: bool,
) -> bool:
    distance, nearest = model.best[colour]
    for (d, s), value in potential.items():
        if d == s or not model.alive(colour, d, s):
            continue
        if value == NONE:
            if levels[d] or (d, s) in model.needed:
                return False
        elif value == CUT:
            others = model.reachable(colour, s)
            if d in others or any(potential[d, other] != CUT for other in others - model.stubs):
                return False
        else:
            if computed:
                if distance.get((d, s)) != value * unit:
                    return False
                continue
            found = model.walk(colour, d, s)
            if found is None or found[1] != value * unit or any(potential[d, other] < 0 for other in found[0]):
                return False
            if levels[d] and distance[d, s] != value * unit:
                return False
            if levels[d] == 2 and model.hop(colour, d, s) != nearest[d, s]:
                return False
    return True
