"""What FORMAT.md says of an estate, by brute force: every pair is walked in every colour, every failure is tried.

Written from the contract alone, and by another reader of it than the code under test: it parses with PyYAML, and shares
nothing with momlint. Only what the contract leaves open is kept apart (`Judged.open`).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations
from typing import Any

import yaml

Pair = tuple[str, str]
#: Links (their numbers) and brokers that fail together.
Failure = tuple[frozenset[int], frozenset[str]]
#: Milliseconds, at least and at most.
Took = tuple[Fraction, Fraction]
#: (broker, destination) → next hop.
Tables = dict[Pair, str]
#: broker → neighbour → (cost, latency) of each link.
Arcs = dict[str, dict[str, list[tuple[Fraction, Fraction]]]]

CALM: Failure = (frozenset(), frozenset())


@dataclass
class Link:
    """A link; `names`: what colours may call it, its id first."""

    names: list[str]
    directions: list[Pair]
    cost: dict[Pair, Fraction]
    latency: dict[Pair, Fraction]


@dataclass
class Estate:
    """One document. `colours` has one without a name where none are declared; `rows`: (to, via, colours) by broker."""

    brokers: dict[str, Fraction]
    links: list[Link]
    topics: dict[str, dict[str, Any]]
    protocol: str
    given: list[tuple[str, str, str]]
    promise: tuple[int, int, int]
    declared: bool
    colours: dict[str | None, Failure]
    rows: dict[str, list[tuple[str, str, list[str]]]]
    heals: bool = True
    withdraws: bool = False
    stubs: frozenset[str] = frozenset()
    groups: list[Failure] = field(default_factory=list)
    takeover: dict[str, list[str]] = field(default_factory=dict)
    pairs: dict[Pair, list[str]] = field(default_factory=dict)


@dataclass
class Judged:
    """`fires`: the codes that have a reason, `open`: those that may have. `broken`: the pairs that lose messages, and
    how; `walks`: how each needed pair's walk ends in each colour (``arrives``, or what is wrong)."""

    fires: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)
    broken: dict[Pair, set[str]] = field(default_factory=lambda: defaultdict(set))
    walks: dict[tuple[str | None, str, str], tuple[str, list[str]]] = field(default_factory=dict)


def parse(text: str) -> Estate:
    """Read a valid document; every scalar is a text."""
    data = yaml.load(text, Loader=yaml.BaseLoader)
    brokers = {name: Fraction((found or {}).get("processing_ms", "0")) for name, found in data["brokers"].items()}
    links = []
    for item in data.get("links") or []:
        if "between" in item:
            a, b = item["between"]
            names, directions = [f"{a}--{b}", f"{b}--{a}"], [(a, b), (b, a)]
        else:
            a, b = item["from"], item["to"]
            names, directions = [f"{a}->{b}"], [(a, b)]
        names = [item["id"], *names] if "id" in item else names
        cost, latency = (_by_direction(item.get(name, default), directions, default) for name, default in _NUMBERS)
        links.append(Link(names, directions, cost, latency))
    failures = data.get("failures") or {}
    promise = failures.get("tolerate", "none")
    words = {"none": (0, 0, 0), "single-link": (1, 0, 0), "single-broker": (0, 1, 0)}
    routing = data.get("routing") or {}
    estate = Estate(
        brokers,
        links,
        data.get("topics") or {},
        routing.get("protocol", "shortest-path"),
        [
            (at, to, via)
            for at, hops in (routing.get("tables") or {}).items()
            for via, dests in hops.items()
            for to in dests
        ],
        words[promise]
        if isinstance(promise, str)
        else (int(promise.get("links", 0)), int(promise.get("brokers", 0)), int(promise.get("groups", 0))),
        "colours" in failures,
        {},
        {
            at: [(row["to"], row["via"], _colours_of(row, list(failures.get("colours") or {}))) for row in rows]
            for at, rows in (failures.get("recovery") or {}).items()
        },
    )
    estate.heals = routing.get("after_failure", "keep" if estate.protocol == "tables" else "heal") == "heal"
    estate.withdraws = routing.get("static_rows") == "withdraw"
    estate.stubs = frozenset(name for name, found in data["brokers"].items() if (found or {}).get("transit") == "false")
    for name, items in (failures.get("colours") or {}).items():
        estate.colours[name] = _failure_of(estate, items)
    estate.groups = [_failure_of(estate, items) for items in (data.get("groups") or {}).values()]
    estate.takeover = {
        name: [adopters] if isinstance(adopters, str) else adopters
        for name, adopters in (failures.get("takeover") or {}).items()
    }
    estate.colours = estate.colours or {None: CALM}
    if estate.topics:
        for name, topic in estate.topics.items():
            for source in topic["publishers"]:
                for dest in topic["subscribers"]:
                    if source != dest:
                        estate.pairs.setdefault((source, dest), []).append(name)
    else:
        estate.pairs = {(a, b): [] for a in brokers for b in brokers if a != b}
    return estate


_NUMBERS = (("cost", "1"), ("latency_ms", "0"))


def _by_direction(given: str | dict[str, str], directions: list[Pair], default: str) -> dict[Pair, Fraction]:
    if isinstance(given, str):
        return dict.fromkeys(directions, Fraction(given))
    return {(a, b): Fraction(given.get(f"{a}->{b}", default)) for a, b in directions}


def _colours_of(row: dict[str, Any], colours: list[str]) -> list[str]:
    if "colours" in row:
        return list(row["colours"])
    return [colour for colour in colours if colour not in row["except"]]


def _failure_of(estate: Estate, items: list[str]) -> Failure:
    return (
        frozenset(_link_called(estate, item) for item in items if item not in estate.brokers),
        frozenset(item for item in items if item in estate.brokers),
    )


def _link_called(estate: Estate, name: str) -> int:
    by_id = [index for index, link in enumerate(estate.links) if link.names[0] == name]
    return (by_id or [index for index, link in enumerate(estate.links) if name in link.names])[0]


def arcs(estate: Estate, failure: Failure) -> Arcs:
    """What is left."""
    left: Arcs = {broker: {} for broker in estate.brokers if broker not in failure[1]}
    for index, link in enumerate(estate.links):
        for way in link.directions:
            tail, head = way
            if index not in failure[0] and tail in left and head in left:
                left[tail].setdefault(head, []).append((link.cost[way], link.latency[way]))
    return left


def reach(left: Arcs, source: str, stubs: frozenset[str] = frozenset()) -> set[str]:
    """The brokers that a path leads to; none leads through one of `stubs`."""
    seen, stack = {source} & set(left), [source] if source in left else []
    while stack:
        at = stack.pop()
        for other in left[at] if at == source or at not in stubs else ():
            if other not in seen:
                seen.add(other)
                stack.append(other)
    return seen


def shortest_tables(estate: Estate, failure: Failure) -> Tables:
    """Least cost, ties by the first broker in the order of `brokers`; Bellman and Ford."""
    left = arcs(estate, failure)
    tables: Tables = {}
    for dest in left:
        distance = {dest: Fraction(0)}
        for _ in left:
            for at, near in left.items():
                for to, links in near.items():
                    if to in distance and (to == dest or to not in estate.stubs):
                        cost = min(links)[0] + distance[to]
                        distance[at] = min(distance.get(at, cost), cost)
        for at in left:
            if at != dest and at in distance:
                tables[at, dest] = next(
                    to
                    for to in estate.brokers
                    if to in left[at]
                    and to in distance
                    and (to == dest or to not in estate.stubs)
                    and min(left[at][to])[0] + distance[to] == distance[at]
                )
    return tables


def states(estate: Estate) -> list[tuple[str | None, Failure]]:
    """What is judged: every colour; the state without failures; with next hops that need no colour, every failure
    that is promised. Those without a colour of their own have None."""
    judged: list[tuple[str | None, Failure]] = list(estate.colours.items())
    if not estate.rows:
        known = set(estate.colours.values())
        judged += [(None, failure) for failure in [CALM, *promised(estate)] if failure not in known]
    return list(dict.fromkeys(judged))


def tables_in(estate: Estate, colour: str | None, failure: Failure) -> Tables:
    """The next hops of a colour or failure; of two rows for one entry the first.

    Given tables stay as they are, computed ones are computed anew, and static rows among them stay in force.
    """
    tables: Tables = {}
    if estate.rows:
        for at, rows in estate.rows.items():
            for to, via, colours in rows:
                if colour in colours:
                    tables.setdefault((at, to), via)
        return tables
    for at, to, via in estate.given:
        tables.setdefault((at, to), via)
    computed = shortest_tables(estate, failure if estate.heals else CALM)
    if estate.protocol == "tables":
        return computed if estate.heals and failure != CALM else tables
    if estate.withdraws:
        full, left = arcs(estate, CALM), arcs(estate, failure)
        for (at, to), via in list(tables.items()):
            if via in failure[1] or (via in full[at] and at in left and via not in left[at]):
                del tables[at, to]
    return {**computed, **tables}


def judge(estate: Estate) -> Judged:
    """What is wrong."""
    found = Judged()
    full = arcs(estate, CALM)
    joined = {broker: reach(full, broker, estate.stubs) for broker in estate.brokers}
    for source, dest in estate.pairs:
        if dest not in joined[source]:
            found.fires.add("MOM301")
            found.broken[source, dest].add("no path")
    for colour, failure in states(estate):
        _judge_walks(estate, colour, failure, found, joined)
        _judge_moves(estate, colour, failure, found, joined)
    _judge_takeover(estate, found)
    _judge_rows(estate, found, full)
    _judge_colours(estate, found)
    _judge_failures(estate, found, joined)
    return found


def promised_name(estate: Estate, failure: Failure) -> str | None:
    """What `Judged.walks` calls a failure without a colour: ``if 1--2, 3 fail``; that of nothing is None."""
    names = [estate.links[index].names[0] for index in sorted(failure[0])]
    names += [broker for broker in estate.brokers if broker in failure[1]]
    return f"if {', '.join(names)} fail" if names else None


def _judge_walks(
    estate: Estate, colour: str | None, failure: Failure, found: Judged, joined: dict[str, set[str]]
) -> None:
    left, full, tables = arcs(estate, failure), arcs(estate, CALM), tables_in(estate, colour, failure)
    for (source, dest), topics in estate.pairs.items():
        if {source, dest} & failure[1] or dest not in joined[source] or dest not in reach(left, source, estate.stubs):
            continue
        end, walk, took = walked(estate, tables, (full, left), source, dest)
        if end == "failed" and not estate.rows and not estate.heals:
            # That the next hops do not react is one cause, whatever it breaks; not where the message is lost anyway.
            calm = walked(estate, tables_in(estate, None, CALM), (full, full), source, dest)[0] == "arrives"
            (found.fires if calm else found.open).add("MOM502")
            continue
        if end == "missing":
            # Elsewhere than at its source it is open whether the row is missing or another leads there that should not.
            (found.fires if len(walk) == 1 else found.open).add("MOM405")
        if failure == CALM or colour is not None or end != "arrives":
            found.walks[colour or promised_name(estate, failure), source, dest] = end, walk
        if end != "arrives":
            found.broken[source, dest].add(end)
            if end == "missing":
                found.fires.add("MOM405")
            continue
        _judge_budgets(estate, topics, walk, took, found)


def walked(
    estate: Estate, tables: Tables, arcs_of: tuple[Arcs, Arcs], source: str, dest: str
) -> tuple[str, list[str], Took]:
    """How a walk ends, the brokers on it, and how long it takes: the least and the most, since of several links of one
    cost it is open which latency counts. `arcs_of`: while nothing has failed, and what is left."""
    full, left = arcs_of
    walk, end = [source], ""
    fast = slow = estate.brokers[source]
    while not end:
        at = walk[-1]
        hop = tables.get((at, dest))
        if at == dest:
            end = "arrives"
        elif hop is None:
            end = "missing" if estate.rows else "black hole"
        elif hop not in full[at] or (hop in estate.stubs and hop != dest):
            end = "no neighbour"
        elif hop not in left[at]:
            end = "failed"
        else:
            cheapest = [latency for cost, latency in left[at][hop] if cost == min(left[at][hop])[0]]
            fast, slow = (way + estate.brokers[hop] for way in (fast + min(cheapest), slow + max(cheapest)))
            end = "loop" if hop in walk else ""
            walk.append(hop)
    return end, walk, (fast, slow)


def _judge_budgets(estate: Estate, topics: list[str], walk: list[str], took: Took, found: Judged) -> None:
    for topic in (estate.topics[name] for name in topics):
        if len(walk) - 1 > int(topic.get("max_hops", "999")):
            found.fires.add("MOM602")
        if took[0] > Fraction(topic.get("max_latency_ms", "9999999")):
            found.fires.add("MOM601")
        elif took[1] > Fraction(topic.get("max_latency_ms", "9999999")):
            found.open.add("MOM601")


def _judge_moves(
    estate: Estate, colour: str | None, failure: Failure, found: Judged, joined: dict[str, set[str]]
) -> None:
    """Clients of brokers that are down, at their adopters."""
    if not estate.takeover or not failure[1]:
        return
    left, full, tables = arcs(estate, failure), arcs(estate, CALM), tables_in(estate, colour, failure)
    place = {
        broker: broker
        if broker not in failure[1]
        else next((one for one in estate.takeover.get(broker, ()) if one not in failure[1]), None)
        for broker in estate.brokers
    }
    for (source, dest), topics in estate.pairs.items():
        at, to = place[source], place[dest]
        if not {source, dest} & failure[1] or at is None or to is None or at == to:
            continue
        end, walk, took = walked(estate, tables, (full, left), at, to)
        if end == "arrives":
            _judge_budgets(estate, topics, walk, took, found)
        elif (at, to) not in estate.pairs or to not in reach(left, at, estate.stubs):
            # Else the rule that names the wrong row speaks of it.
            found.fires.add("MOM409")


def _judge_takeover(estate: Estate, found: Judged) -> None:
    """Entries that lead nowhere, and brokers without one."""
    if not estate.takeover:
        return
    failures = [failure for _, failure in states(estate)]
    for broker, adopters in estate.takeover.items():
        others = set(adopters) - {broker}
        together = others and any({broker, *others} <= failure[1] for failure in failures)
        never = estate.declared and all(broker in failure[1] for failure in estate.colours.values())
        if broker in adopters or together or never:
            found.fires.add("MOM409")
    clients = {end for pair in estate.pairs for end in pair}
    clients.update(end for topic in estate.topics.values() for end in topic["publishers"] + topic["subscribers"])
    may_fail = {broker for failure in [*failures, *promised(estate)] for broker in failure[1]}
    if (clients & may_fail) - set(estate.takeover):
        found.fires.add("MOM409")


def _judge_rows(estate: Estate, found: Judged, full: Arcs) -> None:
    seen = set()
    for at, rows in estate.rows.items():
        for to, via, colours in rows:
            is_wrong = via not in full[at] or (via in estate.stubs and to not in (at, via))
            if is_wrong:
                found.fires.add("MOM304")
            for colour in colours:
                if (at, to, colour) in seen:
                    found.fires.add("MOM404")
                seen.add((at, to, colour))
                failure = estate.colours[colour]
                left = arcs(estate, failure)
                if at in left and via in full[at] and via not in left[at]:
                    # A row for what has failed itself, or is cut off, harms nobody; and MOM304 says it all.
                    (found.fires if to in reach(left, at) and not is_wrong else found.open).add("MOM403")
    given = {(at, to) for at, to, _ in estate.given}
    if not estate.rows and any(
        via not in full[at] or (via in estate.stubs and to not in (at, via)) for at, to, via in estate.given
    ):
        found.fires.add("MOM304")
    if not estate.rows and len(given) < len(estate.given):
        found.fires.add("MOM404")


def _judge_colours(estate: Estate, found: Judged) -> None:
    if not estate.declared:
        return
    failures = list(estate.colours.values())
    if len(set(failures)) < len(failures):
        found.fires.add("MOM401")
    # One colour for several failures that are promised one by one is told as such, and not as failures without one.
    if any(len(f[0]) + len(f[1]) > 1 and f not in promised(estate) for f in failures):
        found.open.update({"MOM401", "MOM402"})
    for failure in promised(estate):
        if failure not in failures:
            # That the state without failures has no colour is said where rows hold in colours only.
            (found.open if failure == CALM and not estate.rows else found.fires).add("MOM402")


def promised(estate: Estate) -> list[Failure]:
    """Every failure within `tolerate`, that of nothing first; so many links, brokers and groups at once."""
    links, brokers, groups = estate.promise
    found = [
        (
            frozenset(some_links).union(*(group[0] for group in some)),
            frozenset(some_brokers).union(*(group[1] for group in some)),
        )
        for m in range(min(links, len(estate.links)) + 1)
        for k in range(min(brokers, len(estate.brokers)) + 1)
        for j in range(min(groups, len(estate.groups)) + 1)
        for some_links in combinations(range(len(estate.links)), m)
        for some_brokers in combinations(estate.brokers, k)
        for some in combinations(estate.groups, j)
    ]
    return list(dict.fromkeys(found))


def _judge_failures(estate: Estate, found: Judged, joined: dict[str, set[str]]) -> None:
    singles: list[Failure] = [(frozenset([index]), frozenset()) for index in range(len(estate.links))]
    singles += [(frozenset(), frozenset([broker])) for broker in estate.brokers]
    singles += estate.groups
    within = set(promised(estate))
    for failure in within.union(singles):
        left = arcs(estate, failure)
        for source, dest in estate.pairs:
            if {source, dest} & failure[1] or dest not in joined[source]:
                continue
            cut = dest not in reach(left, source, estate.stubs)
            if cut and failure in singles:
                found.fires.add("MOM501")
            if cut and failure in within:
                found.fires.add("MOM502")
