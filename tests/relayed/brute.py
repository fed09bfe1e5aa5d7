"""Relayed overlays by brute force: one concrete topic, copy by copy. Knows nothing of momlint."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import yaml

SEPARATORS = {"mqtt": "/", "amqp": ".", "nats": ".", "jms": ".", "kafka": "."}
#: A topic that has grown by more only gets longer.
LONGEST = 32


@lru_cache(maxsize=100_000)
def matches(syntax: str, pattern: str, topic: str) -> bool:
    """Whether a filter matches a topic: as a regular expression."""
    if syntax == "kafka":
        signs = {"*": ".*", "?": "."}
        return re.fullmatch("".join(signs.get(one, re.escape(one)) for one in pattern), topic, re.DOTALL) is not None
    separator = re.escape(SEPARATORS[syntax])
    words = pattern.split(SEPARATORS[syntax])
    if syntax == "mqtt" and topic.startswith("$") and words[0] in ("+", "#"):
        return False
    word = f"[^{separator}]*"
    text = ""
    for number, one in enumerate(words):
        last = number == len(words) - 1
        join = separator if number else ""
        if syntax == "mqtt" and one == "#" and last:
            # The level itself and all below it.
            text += f"({join}.*)?" if number else ".*"
        elif syntax == "mqtt":
            text += join + (word if one == "+" else re.escape(one))
        elif syntax == "amqp" and one == "#":
            return _amqp(words, topic.split("."))
        elif syntax == "amqp":
            text += join + (word if one == "*" else re.escape(one))
        elif syntax == "jms" and one == ">" and last:
            # The name itself and all below it, as ActiveMQ has it.
            text += f"({join}.*)?" if number else ".*"
        elif one == ">" and last:
            text += join + ".+" if number else ".+"
        else:
            text += join + (word if one == "*" else re.escape(one))
    return re.fullmatch(text, topic, re.DOTALL) is not None


def _amqp(pattern: list[str], topic: list[str]) -> bool:
    if not pattern:
        return not topic
    if pattern[0] == "#":
        return any(_amqp(pattern[1:], topic[skip:]) for skip in range(len(topic) + 1))
    return bool(topic) and pattern[0] in ("*", topic[0]) and _amqp(pattern[1:], topic[1:])


@dataclass
class Found:
    """`arrivals`: (broker, topic) → copies. `loops`: a copy came back to a state it had been in. `grows`: it got too
    long. With either, the rest says little."""

    arrivals: Counter[tuple[str, str]] = field(default_factory=Counter)
    loops: bool = False
    grows: bool = False
    many: bool = False


@lru_cache(maxsize=4)
def parsed(text: str) -> dict[str, Any]:
    """The estate as plain values."""
    return dict(yaml.safe_load(text))


def published(text: str, broker: str, topic: str, most: int = 300) -> Found:
    """What becomes of one message."""
    estate = parsed(text)
    syntax = estate["routing"].get("syntax", "mqtt")
    brokers = {str(name): (about or {}) for name, about in estate["brokers"].items()}
    whole = estate["routing"].get("guard", {})

    def guard(name: str, key: str) -> Any:
        return brokers[name].get("guard", {}).get(key, whole.get(key))

    arcs = []
    for index, link in enumerate(estate.get("links") or []):
        ends = link.get("between") or [link["from"], link["to"]]
        ways = [tuple(ends), tuple(reversed(ends))] if "between" in link else [tuple(ends)]
        connection = ("named", link["connection"]) if "connection" in link else ("own", index)
        for tail, head in ways:
            counter = str(link.get("counter", ""))
            limit = link["max_hops"] if "max_hops" in link else None if counter else guard(str(tail), "hops")
            free = bool(link.get("unguarded"))
            limit = None if free else limit
            arcs.append((index, str(tail), str(head), link.get("topics"), connection, limit, free, counter))

    def identity(name: str, attribute: str | None) -> str | None:
        """What a message remembers of a broker: nothing where that has no such guard."""
        if attribute in (None, "none"):
            return None
        value = brokers[name].get(attribute) if attribute in ("site", "address") else None
        return str(value) if value is not None else name

    found = Found()
    start: Any = (broker, topic, {}, (), None, None)
    most_hops = limit_of(arcs)
    stack: list[tuple[Any, frozenset[Any]]] = [(start, frozenset({_key(start, most_hops)}))]
    copies = 0
    while stack:
        (at, called, hops, been, by, over), path = stack.pop()
        if over is not None:
            found.arrivals[at, called] += 1
            copies += 1
            if copies > most:
                found.many = True
                return found
            if brokers[at].get("transit") is False:
                continue
        carried = set()
        for index, tail, head, entries, connection, limit, free, counter in arcs:
            if tail != at or (limit is not None and hops.get(counter, 0) + 1 > limit):
                continue
            if guard(at, "once"):
                name = passed(syntax, entries, called)
                if (head, name) in carried:
                    continue
                carried.add((head, name))
            split = guard(at, "split_horizon")
            if (split == "connection" and connection == by) or (split == "link" and index == over):
                continue
            own = identity(head, guard(head, "visited"))
            left = (*been, at)
            if not free and own is not None and own in {identity(one, guard(one, "visited")) for one in left}:
                continue
            after = passed(syntax, entries, called)
            if after is None:
                continue
            if len(after) > len(topic) + LONGEST:
                found.grows = True
                continue
            # A shovel is no hop, and leaves no trace in what comes by it.
            further = {**hops, counter: hops.get(counter, 0) + 1}
            state = (head, after, hops, been, "by", -1) if free else (head, after, further, left, connection, index)
            key = _key(state, most_hops)
            if key in path:
                found.loops = True
                continue
            stack.append((state, path | {key}))
    return found


def limit_of(arcs: list[Any]) -> int:
    """Hops beyond this make no difference to anyone."""
    return max((limit for *_, limit, _, _ in arcs if limit is not None), default=0)


def _key(state: Any, most: int) -> Any:
    at, called, hops, been, by, over = state
    counted = frozenset((name, min(count, most + 1)) for name, count in hops.items())
    return at, called, counted, frozenset(been), by, over


def passed(syntax: str, entries: list[dict[str, Any]] | None, topic: str) -> str | None:
    """What a topic is called behind a link; None where it does not pass. Of several entries the first that matches."""
    if entries is None:
        return topic
    for entry in entries:
        if matches(syntax, entry["filter"], topic):
            if entry.get("deny"):
                return None
            strip = entry.get("strip", "")
            add = str(entry.get("add", ""))
            if strip and topic.startswith(strip) and (add or topic != strip):
                topic = topic[len(strip) :]
            return add + topic
    return None


WORDS = ["a", "b", "ab"]


def random_overlay(rng: random.Random, *, dollars: bool = False) -> str:
    """An overlay of two to six brokers. `dollars`: see `random_filter`."""
    syntax = rng.choice(["mqtt", "mqtt", "amqp", "nats", "jms"])
    separator = SEPARATORS[syntax]
    names = [f"n{index}" for index in range(rng.randint(2, 6))]
    lines = ["momlint: 1", "brokers:"]
    for name in names:
        about = [f"site: s{rng.randrange(2)}"] if rng.random() < 0.3 else []
        about += ["transit: false"] if rng.random() < 0.1 else []
        about += [f"guard: {{{_guard(rng)}}}"] if rng.random() < 0.15 else []
        lines.append(f"  {name}: {{{', '.join(about)}}}")
    lines += ["routing:", "  protocol: relay", f"  syntax: {syntax}", f"  guard: {{{_guard(rng)}}}", "links:"]
    glue = rng.random() < 0.15
    rewrites = rng.random() < 0.5
    for index in range(rng.randint(1, len(names) + 2)):
        tail, head = rng.sample(names, 2)
        fields = [f"id: l{index}"]
        fields += [f"between: [{tail}, {head}]"] if rng.random() < 0.5 else [f"from: {tail}", f"to: {head}"]
        fields += [f"connection: c{rng.randrange(3)}"] if rng.random() < 0.3 else []
        fields += [f"max_hops: {rng.randint(1, 4)}"] if rng.random() < 0.2 else []
        fields += ["unguarded: true"] if rng.random() < 0.12 else []
        if rng.random() < 0.7:
            entries = []
            for _ in range(rng.randint(1, 3)):
                entry = [f'filter: "{random_filter(rng, syntax, dollars=dollars)}"']
                for key in ("strip", "add"):
                    if rewrites and rng.random() < 0.35:
                        end = "" if glue and rng.random() < 0.5 else separator
                        entry.append(f'{key}: "{rng.choice(WORDS)}{end}"')
                entry += ["deny: true"] if rng.random() < 0.07 else []
                entries.append(f"{{{', '.join(entry)}}}")
            fields.append(f"topics: [{', '.join(entries)}]")
        lines.append(f"  - {{{', '.join(fields)}}}")
    return _sometimes_counted(_sometimes_once("\n".join(lines) + "\n"))


def _guard(rng: random.Random) -> str:
    fields = []
    if rng.random() < 0.6:
        fields.append(f"split_horizon: {rng.choice(['none', 'connection', 'connection', 'link'])}")
    if rng.random() < 0.3:
        fields.append(f"hops: {rng.randint(1, 4)}")
    if rng.random() < 0.35:
        fields.append(f"visited: {rng.choice(['none', 'broker', 'broker', 'site'])}")
    return ", ".join(fields)


def _sometimes_once(text: str) -> str:
    """Some guards let a message go to each broker once."""
    rng = random.Random(text)
    if rng.random() < 0.75:
        return text
    return re.sub(r"guard: \{", lambda _: f"guard: {{once: {rng.choice(['true', 'true', 'false'])}, ", text)


def _sometimes_counted(text: str) -> str:
    """Some links have counters of hops of their own."""
    rng = random.Random(f"counted {text}")
    if rng.random() < 0.75:
        return text

    def one(_: re.Match[str]) -> str:
        name = rng.choice(["", "red", "red", "blue"])
        return f"{{counter: {name}, id: " if name else "{id: "

    return re.sub(r"\{id: ", one, text)


def random_filter(rng: random.Random, syntax: str, *, dollars: bool = False) -> str:
    """A filter of one to three words. `dollars`: in MQTT sometimes of topics that wildcards do not match."""
    one, many = ("+", "#") if syntax == "mqtt" else ("*", "#" if syntax == "amqp" else ">")
    if syntax == "kafka":
        one, many = "?", "*"
    words = [rng.choice([*WORDS, one]) for _ in range(rng.randint(1, 3))]
    if rng.random() < 0.45:
        words[-1] = many
    if syntax == "amqp" and rng.random() < 0.15:
        words[0] = "#"
    if dollars and syntax == "mqtt" and rng.random() < 0.1:
        words[0] = "$s"
    return SEPARATORS[syntax].join(words)


def random_topic(rng: random.Random, syntax: str, *, dollars: bool = False) -> str:
    """A topic of one to four words. `dollars`: in MQTT sometimes one that wildcards do not match."""
    words = [rng.choice([*WORDS, "x", "ba"]) for _ in range(rng.randint(1, 4))]
    if dollars and syntax == "mqtt" and rng.random() < 0.1:
        words[0] = "$s"
    return SEPARATORS[syntax].join(words)
