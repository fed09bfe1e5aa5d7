"""Random estates as text: right ones, and ones with a damage or two to their tables or colours."""

from __future__ import annotations

import random
import re

from tests.contract.oracle import CALM, Estate, arcs, parse, promised, shortest_tables, walked

NAMES = (
    ["1", "2", "3", "4", "5", "6", "7", "8"],
    ["no", "on", "010", "10", "yes", "~x", "a b", "ü"],
    ["h", "g", "f", "e", "d", "c", "b", "a"],
)
PROMISES = (
    "",
    "none",
    "single-link",
    "single-broker",
    "{links: 1}",
    "{brokers: 1, links: 0}",
    "{links: 1, brokers: 1}",
)
PROMISES += ("{links: 2}", "{brokers: 2}")
OF_GROUPS = ("{groups: 1}", "{groups: 2}", "{links: 1, groups: 1}", "{brokers: 1, groups: 1}", "{links: 1}")

#: (broker, destination, next hop, colours)
Row = tuple[str, str, str, list[str]]


def random_estate(rng: random.Random) -> str:
    """An estate of four to eight brokers, of any kind."""
    names = rng.choice(NAMES)[: rng.randint(4, 8)]
    if rng.random() < 0.4:
        names = rng.sample(names, len(names))
    text = _overlay(rng, names)
    groups = _groups(rng, text, names) if rng.random() < 0.2 else ""
    text += groups
    promise = rng.choice(OF_GROUPS if groups else PROMISES)
    kind = rng.choice(["computed", "computed", "overrides", "tables", *["heals"] * 2, *["recovery"] * 5])
    damages = rng.choice([0, 1, 1, 2])
    if kind in {"computed", "overrides", "tables"}:
        if kind != "computed":
            text += _tables(rng, text, names, kind == "tables", damages)
        declares = kind != "computed" and rng.random() < 0.5
        if not promise and not declares:
            return text
        colours = _colours(rng, text, names, promise, damages) if declares else ""
        promised = f"  tolerate: {promise}\n" if promise else ""
        return text + "failures:\n" + promised + colours + _takeover(rng, names)
    text += (
        "failures:\n" + (f"  tolerate: {promise}\n" if promise else "") + _colours(rng, text, names, promise, damages)
    )
    text += _takeover(rng, names)
    return text if kind == "heals" else text + _recovery(rng, text, names, damages)


def right_estate(rng: random.Random, *, sparse: bool = False) -> str:
    """Tables or recovery rows that are right; `sparse`: with some of the rows only that no topic needs."""
    names = rng.choice(NAMES)[: rng.randint(4, 8)]
    text = _overlay(rng, names, topics=[1, 2, 4] if sparse else None)
    promise = rng.choice(PROMISES)
    share = rng.choice([0, 0.3, 0.7]) if sparse else 1
    if rng.random() < 0.3:
        return text + _tables(rng, text, names, True, 0, share=share)
    text += "failures:\n" + (f"  tolerate: {promise}\n" if promise else "") + _colours(rng, text, names, promise, 0)
    return text + _recovery(rng, text, names, 0, share=share)


def quoted(name: str) -> str:
    """As YAML takes it for a text."""
    return name if re.fullmatch(r"[A-Za-z0-9_]+", name) else f'"{name}"'


def _list(names: list[str]) -> str:
    return "[" + ", ".join(map(quoted, names)) + "]"


def _overlay(rng: random.Random, names: list[str], topics: list[int] | None = None) -> str:
    lines = ["momlint: 1", "brokers:"]
    some_stubs = rng.random() < 0.3
    for name in names:
        about = [f"processing_ms: {rng.choice(['1', '0.5', '2.25', '10'])}"] if rng.random() < 0.2 else []
        about += ["transit: false"] if some_stubs and rng.random() < 0.3 else []
        lines.append(f"  {quoted(name)}:" + (f" {{{', '.join(about)}}}" if about else ""))
    ends = [(rng.randrange(i), i) for i in range(1, len(names)) if rng.random() < 0.93]
    ends += [tuple(rng.sample(range(len(names)), 2)) for _ in range(rng.choice([0, 1, 2, 3, 5, 8]))]
    between = [frozenset(pair) for pair in ends]
    costs = rng.choice([["1"], ["1", "1", "2"], ["1", "2", "3", "5"], ["0.1", "0.2", "0.3", "1.5"]])
    latencies = rng.choice([["0"], ["1", "5", "10", "0.1", "0.2"]])
    lines.append("links:" if ends else "links: []")
    for index, (a, b) in enumerate(ends):
        one, other = quoted(names[a]), quoted(names[b])
        fields = [f"id: link{index}"] if between.count(frozenset((a, b))) > 1 or rng.random() < 0.2 else []
        one_way = rng.random() < 0.12
        fields += [f"from: {one}", f"to: {other}"] if one_way else [f"between: [{one}, {other}]"]
        for field, values in (("cost", costs), ("latency_ms", latencies)):
            if rng.random() < 0.7:
                fields.append(f"{field}: {_by_direction(rng, names[a], names[b], values, one_way)}")
        lines.append(f"  - {{{', '.join(fields)}}}")
    count = rng.choice(topics or [0, 1, 2, 4])
    if count:
        lines.append("topics:")
    for index in range(count):
        fields = [f"publishers: {_list(rng.sample(names, rng.randint(1, 3)))}"]
        fields.append(f"subscribers: {_list(rng.sample(names, rng.randint(1, 4)))}")
        fields += [f"max_hops: {rng.randint(1, 5)}"] if rng.random() < 0.25 else []
        # No less than a broker takes by itself: that of a client at its own broker the contract leaves open.
        fields += [f"max_latency_ms: {rng.choice(['10', '12.5', '15', '20'])}"] if rng.random() < 0.25 else []
        lines.append(f"  t{index}: {{{', '.join(fields)}}}")
    return "\n".join(lines) + "\n"


def _groups(rng: random.Random, text: str, names: list[str]) -> str:
    members = [link.names[0] for link in parse(text).links] + names
    groups = [rng.sample(members, rng.randint(1, 3)) for _ in range(rng.randint(1, 2))]
    return "groups:\n" + "".join(f"  g{index}: {_list(group)}\n" for index, group in enumerate(groups))


def _takeover(rng: random.Random, names: list[str]) -> str:
    """Adopters for all brokers or some; now and then a broker among its own."""
    if rng.random() < 0.7:
        return ""
    lines = ["  takeover:"]
    for name in names if rng.random() < 0.8 else rng.sample(names, 2):
        others = names if rng.random() < 0.05 else [other for other in names if other != name]
        adopters = rng.sample(others, rng.randint(1, min(3, len(others))))
        lines.append(f"    {quoted(name)}: {_list(adopters) if rng.random() < 0.7 else quoted(adopters[0])}")
    return "\n".join(lines) + "\n"


def _used(estate: Estate) -> set[tuple[str, str, str]]:
    """(broker, destination, colour) that messages of the needed pairs ask the shortest tables for."""
    used = set()
    full = arcs(estate, CALM)
    for colour, failure in estate.colours.items():
        tables = shortest_tables(estate, failure)
        for source, dest in estate.pairs:
            if not {source, dest} & failure[1]:
                _, walk, _ = walked(estate, tables, (full, arcs(estate, failure)), source, dest)
                used.update((at, dest, str(colour)) for at in walk if at != dest)
    return used


def _by_direction(rng: random.Random, a: str, b: str, values: list[str], one_way: bool) -> str:
    if rng.random() < 0.8:
        return rng.choice(values)
    ways = [f'"{a}->{b}": {rng.choice(values)}']
    if not one_way:
        ways.append(f'"{b}->{a}": {rng.choice(values)}')
    return "{" + ", ".join(rng.sample(ways, rng.randint(1, len(ways)))) + "}"


def _other(rng: random.Random, names: list[str], than: str) -> str:
    # Not the broker itself: whether that is a loop or no neighbour the contract leaves open.
    return rng.choice([name for name in names if name != than])


def _tables(
    rng: random.Random, text: str, names: list[str], whole: bool, damages: int, share: float | None = None
) -> str:
    """`share`: how many of the rows that nobody needs are there; by default all of them or few."""
    estate = parse(text)
    rows = [(at, to, via) for (at, to), via in shortest_tables(estate, CALM).items()]
    if whole and estate.topics and (rng.random() < 0.35 if share is None else share < 1):
        used, more = _used(estate), rng.choice([0, 0.3]) if share is None else share
        rows = [row for row in rows if (*row[:2], "None") in used or rng.random() < more]
    if not whole:
        rows = rng.sample(rows, min(len(rows), rng.randint(1, 4)))
    for _ in range(damages if rows else 0):
        index = rng.randrange(len(rows))
        at, to, _ = rows[index]
        match rng.choice(["hop", "hop", "gone", "double"]):
            case "hop":
                rows[index] = (at, to, _other(rng, names, at))
            case "gone" if len(rows) > 1:
                rows.pop(index)
            case _:
                rows.append((at, to, _other(rng, names, at)))
    if not rows:
        return ""
    lines = ["routing:", f"  protocol: {'tables' if whole else 'shortest-path'}"]
    if share is None and rng.random() < 0.3:
        lines.append(f"  after_failure: {rng.choice(['heal', 'keep'])}")
    if share is None and rng.random() < 0.3:
        lines.append("  static_rows: withdraw")
    lines.append("  tables:")
    for broker in dict.fromkeys(at for at, _, _ in rows):
        lines.append(f"    {quoted(broker)}:")
        for hop in dict.fromkeys(via for at, _, via in rows if at == broker):
            dests = list(dict.fromkeys(to for at, to, via in rows if (at, via) == (broker, hop)))
            lines.append(f"      {quoted(hop)}: {_list(dests)}")
    return "\n".join(lines) + "\n"


def _colours(rng: random.Random, text: str, names: list[str], promise: str, damages: int) -> str:
    estate: Estate = parse(text + (f"failures: {{tolerate: {promise}}}\n" if promise else ""))
    links = [link.names[0] for link in estate.links]
    failures: list[list[str]] = [[]]
    if promise and rng.random() < 0.8:
        failures += [
            [links[index] for index in sorted(failure[0])] + [name for name in names if name in failure[1]]
            for failure in promised(estate)[1:60]
        ]
    else:
        failures += [rng.sample(links + names, rng.choice([1, 1, 1, 2, 2, 3])) for _ in range(rng.randint(1, 5))]
    if damages and rng.random() < 0.25:
        index = rng.randrange(len(failures))
        if rng.random() < 0.5 and len(failures) > 1:
            failures.pop(index)
        else:
            failures.append(failures[index][::-1])
    prefix = rng.choice(["c", ""])
    lines = [f"    {prefix}{index}: {_list(failure)}" for index, failure in enumerate(failures, 1)]
    return "  colours:\n" + "\n".join(lines) + "\n"


def _recovery(rng: random.Random, text: str, names: list[str], damages: int, share: float | None = None) -> str:
    """`share`: as for `_tables`."""
    estate = parse(text)
    by_entry: dict[tuple[str, str, str], list[str]] = {}
    for colour, failure in estate.colours.items():
        for (at, to), via in shortest_tables(estate, failure).items():
            by_entry.setdefault((at, to, via), []).append(str(colour))
    rows: list[Row] = [(*entry, colours) for entry, colours in by_entry.items()]
    if estate.topics and (rng.random() < 0.35 if share is None else share < 1):
        used, more = _used(estate), rng.choice([0, 0.2]) if share is None else share
        fewer = [
            (at, to, via, [one for one in colours if (at, to, one) in used or rng.random() < more])
            for at, to, via, colours in rows
        ]
        rows = [row for row in fewer if row[3]]
    for _ in range(damages if rows else 0):
        index = rng.randrange(len(rows))
        at, to, via, colours = rows[index]
        more = [str(colour) for colour in estate.colours if colour not in colours]
        match rng.choice(["hop", "hop", "hop", "fewer", "gone", "more", "moved", "double"]):
            case "hop":
                rows[index] = (at, to, _other(rng, names, at), colours)
            case "fewer" if len(colours) > 1:
                rows[index] = (at, to, via, rng.sample(colours, len(colours) - 1))
            case "gone" if len(rows) > 1:
                rows.pop(index)
            case "more" if more:
                rows[index] = (at, to, via, [*colours, rng.choice(more)])
            case "moved" if len(colours) > 1:
                rows[index] = (at, to, via, colours[1:])
                rows.append((at, to, _other(rng, names, at), colours[:1]))
            case _:
                rows.insert(rng.randrange(len(rows)), (at, to, _other(rng, names, at), [rng.choice(colours)]))
    if not rows:
        return ""
    lines = ["  recovery:"]
    for broker in dict.fromkeys(row[0] for row in rows):
        lines.append(f"    {quoted(broker)}:")
        lines += [
            f"      - {{to: {quoted(to)}, via: {quoted(via)}, colours: {_list(colours)}}}"
            for at, to, via, colours in rows
            if at == broker
        ]
    return "\n".join(lines) + "\n"
