"""Filters of topics, and the classes that they part topics into.

Two topics are of one class if the same filters match them, now and however they are renamed on their way. So the set of
filters is first closed: with a filter goes what must match before a rename for it to match after. Classes are then the
accepting states of one automaton for all filters, each with its shortest topic as an example.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

SyntaxName: TypeAlias = Literal["mqtt", "amqp", "nats", "jms"]


class Syntax(NamedTuple):
    """What parts levels, what stands for one level and for many; `least`: how many the latter stands for at least."""

    separator: str
    one: str
    many: str
    least: int


SYNTAXES: Final[dict[SyntaxName, Syntax]] = {
    "mqtt": Syntax("/", "+", "#", 0),
    "amqp": Syntax(".", "*", "#", 0),
    "nats": Syntax(".", "*", ">", 1),
    "jms": Syntax(".", "*", ">", 0),
}

#: So many filters, after closing, at all brokers together, and states of the automaton are looked at; and so many more
#: for each that is given.
MOST: Final = 2_000
MORE: Final = 20
#: Filters that renaming makes longer than the longest given one by so many levels are left out.
_DEEPER: Final = 6


class Rename(NamedTuple):
    """A prefix that is cut where the topic has it, then one that is added."""

    strip: str
    add: str

    def apply(self, topic: str) -> str:
        """The topic under its new name; a name of which nothing would be left is not cut."""
        if topic.startswith(self.strip) and (self.add or topic != self.strip):
            topic = topic[len(self.strip) :]
        return self.add + topic


_SAME: Final = Rename("", "")


class Way(NamedTuple):
    """From broker to broker (numbers), for topics that `filter` matches, None for all."""

    tail: int
    head: int
    filter: str | None = None
    rename: Rename = _SAME


@dataclass(slots=True)
class _Node:
    children: dict[str, int] = field(default_factory=dict)
    one: int | None = None
    many: int | None = None
    loops: bool = False
    filters: list[int] = field(default_factory=list)


class Classes:
    """The classes of topics under some filters. `filters`: the given ones and those of the closure, by number.

    They are given by the broker that asks; `ways`: what becomes of topics between brokers;
    `longest`: how many of these a message takes at most, None for any number.

    `cut`: the closure was not completed. `examples`: class → its example; class 0 is what no filter matches.
    """

    def __init__(
        self,
        syntax: SyntaxName,
        filters: Mapping[int, Iterable[str]],
        ways: Iterable[Way] = (),
        longest: int | None = None,
    ) -> None:
        self.syntax = SYNTAXES[syntax]
        self.cut = False
        # Names of NATS and JMS have no empty words.
        self._hollow = syntax in ("mqtt", "amqp")
        self.filters: dict[str, int] = {}
        self._close(filters, ways, longest)
        self._nodes: list[_Node] = [_Node()]
        for text, number in self.filters.items():
            self._insert(text, number)
        self._literals = {token for node in self._nodes for token in node.children}
        self._other = self._fresh()
        self._start = self._closed([0])
        self._signatures: dict[frozenset[int], int] = {frozenset(): 0}
        self.examples: list[str] = [self._other]
        self.matched: list[frozenset[int]] = [frozenset()]
        self._explore()

    def class_of(self, topic: str) -> int:
        """The class of a topic; 0 where no filter matches it."""
        state = self._start
        for level, token in enumerate(topic.split(self.syntax.separator)):
            state = self._step(state, token, level)
        return self._class(state, topic)

    # -- closing -----------------------------------------------------------------------------------------------------

    def _close(self, wanted: Mapping[int, Iterable[str]], ways: Iterable[Way], longest: int | None) -> None:
        """What is told apart at a broker is told apart where it comes from, too, under the name that it has there."""
        renaming = list(ways)
        needed: dict[int, dict[str, None]] = {broker: dict.fromkeys(texts) for broker, texts in wanted.items()}
        given = {text for texts in needed.values() for text in texts}
        self._most = MOST + MORE * sum(map(len, needed.values()))
        deepest = max((len(self._tokens(one)) for one in given), default=1) + _DEEPER
        if any(way.rename != _SAME for way in renaming):
            for way in renaming:
                if way.rename.strip:
                    begun = way.rename.strip + (self.syntax.many if self._ends(way.rename.strip) else "")
                    needed.setdefault(way.tail, {}).update({way.rename.strip: None, begun: None})
            self._carry_back(needed, self._by_head(renaming), deepest, longest)
        for texts in needed.values():
            for text in texts:
                self._add(text)

    def _carry_back(
        self,
        needed: dict[int, dict[str, None]],
        coming: dict[int, dict[str, list[Way]]],
        deepest: int,
        longest: int | None,
    ) -> None:
        # First in, first out: each is met first with the least number of hops behind it.
        pending = deque((broker, text, 0) for broker, texts in needed.items() for text in texts)
        count = len(pending)
        while pending:
            broker, text, hops = pending.popleft()
            ways = coming.get(broker)
            if ways is None or hops == longest:
                continue
            first = self._tokens(text)[0]
            for way in self._possible(ways, first):
                for before in [text] if way.rename == _SAME else self._before(text, way.rename):
                    if self._apart(before, way.filter):
                        continue
                    there = needed.setdefault(way.tail, {})
                    if before in there:
                        continue
                    if len(self._tokens(before)) > deepest or count >= self._most:
                        self.cut = True
                        continue
                    there[before] = None
                    count += 1
                    pending.append((way.tail, before, hops + 1))

    def _by_head(self, ways: Iterable[Way]) -> dict[int, dict[str, list[Way]]]:
        """Ways by where they end and the first level that they all put before; "" for those that put none."""
        found: dict[int, dict[str, list[Way]]] = {}
        for way in dict.fromkeys(ways):
            level, *more = way.rename.add.split(self.syntax.separator)
            found.setdefault(way.head, {}).setdefault(level if more else "", []).append(way)
        return found

    def _possible(self, ways: dict[str, list[Way]], first: str) -> Iterator[Way]:
        if first in (self.syntax.one, self.syntax.many):
            for some in ways.values():
                yield from some
            return
        yield from ways.get("", ())
        if first:
            yield from ways.get(first, ())

    def _apart(self, one: str, other: str | None) -> bool:
        """Whether two filters have no topic in common, as far as their levels before `many` tell."""
        if other is None:
            return False
        for mine, its in zip(self._tokens(one), self._tokens(other), strict=False):
            if self.syntax.many in (mine, its):
                return False
            if mine != its and self.syntax.one not in (mine, its):
                return True
        return False

    def _ends(self, prefix: str) -> bool:
        return prefix.endswith(self.syntax.separator)

    def _add(self, text: str) -> None:
        self.filters.setdefault(text, len(self.filters))

    def _tokens(self, text: str) -> list[str]:
        return text.split(self.syntax.separator)

    def _before(self, text: str, rename: Rename) -> list[str]:
        """Filters for topics that `text` matches once they are renamed."""
        found = []
        *whole, rest = self._tokens(rename.add)
        for left in self._left(self._tokens(text), whole):
            tail = list(left)
            if rest:
                if not tail:
                    continue
                if tail[0] not in (self.syntax.one, self.syntax.many):
                    if not tail[0].startswith(rest):
                        continue
                    tail[0] = tail[0][len(rest) :]
            if not tail or tail == [""]:
                continue
            joined = self.syntax.separator.join(tail)
            found.append(joined)
            if rename.strip:
                found.append(rename.strip + joined)
        return found

    def _left(self, tokens: list[str], levels: Sequence[str]) -> list[tuple[str, ...]]:
        """What is left of a filter behind levels that it has to match."""
        places = {0}
        for level in levels:
            following = set()
            for place in self._skipped(tokens, places):
                token = tokens[place]
                if token == self.syntax.many:
                    following.add(place)
                elif token in (self.syntax.one, level):
                    following.add(place + 1)
            places = following
        return [tuple(tokens[place:]) for place in sorted(places) if place < len(tokens)]

    def _skipped(self, tokens: list[str], places: set[int]) -> set[int]:
        found = set()
        for place in places:
            at = place
            while at < len(tokens):
                found.add(at)
                if tokens[at] != self.syntax.many:
                    break
                at += 1
        return found

    # -- the automaton -----------------------------------------------------------------------------------------------

    def _insert(self, text: str, number: int) -> None:
        at = 0
        for token in self._tokens(text):
            if token == self.syntax.many:
                for _ in range(self.syntax.least):
                    at = self._one(at)
                at = self._many(at)
            elif token == self.syntax.one:
                at = self._one(at)
            else:
                at = self._child(at, token)
        self._nodes[at].filters.append(number)

    def _new(self, *, loops: bool = False) -> int:
        self._nodes.append(_Node(loops=loops))
        return len(self._nodes) - 1

    def _one(self, at: int) -> int:
        found = self._nodes[at].one
        if found is None:
            found = self._nodes[at].one = self._new()
        return found

    def _many(self, at: int) -> int:
        found = self._nodes[at].many
        if found is None:
            found = self._nodes[at].many = self._new(loops=True)
        return found

    def _child(self, at: int, token: str) -> int:
        found = self._nodes[at].children.get(token)
        if found is None:
            found = self._nodes[at].children[token] = self._new()
        return found

    def _fresh(self) -> str:
        number, word = 0, "x"
        while word in self._literals:
            number += 1
            word = f"x{number}"
        return word

    def _closed(self, states: Iterable[int]) -> frozenset[int]:
        found: set[int] = set()
        pending = list(states)
        while pending:
            at = pending.pop()
            if at not in found:
                found.add(at)
                many = self._nodes[at].many
                if many is not None:
                    pending.append(many)
        return frozenset(found)

    def _step(self, state: frozenset[int], token: str, level: int) -> frozenset[int]:
        # Wildcards of MQTT match no `$` at the beginning of a topic.
        hidden = level == 0 and self.syntax.separator == "/" and token.startswith("$")
        found = []
        for at in state:
            node = self._nodes[at]
            child = node.children.get(token)
            if child is not None:
                found.append(child)
            if hidden:
                continue
            if node.one is not None:
                found.append(node.one)
            if node.loops:
                found.append(at)
        return self._closed(found)

    def _class(self, state: frozenset[int], topic: str) -> int:
        signature = frozenset(number for at in state for number in self._nodes[at].filters)
        found = self._signatures.get(signature)
        if found is None:
            found = self._signatures[signature] = len(self.examples)
            self.examples.append(topic)
            self.matched.append(signature)
        return found

    def _explore(self) -> None:
        seen = {self._start}
        pending: deque[tuple[frozenset[int], tuple[str, ...]]] = deque([(self._start, ())])
        while pending:
            state, path = pending.popleft()
            tokens = {token for at in state for token in self._nodes[at].children}
            for token in (self._other, *sorted(tokens)):
                if not (token or self._hollow):
                    continue
                following = self._step(state, token, len(path))
                if not following or following in seen:
                    continue
                if len(seen) >= 10 * self._most:
                    self.cut = True
                    return
                seen.add(following)
                topic = (*path, token)
                self._class(following, self.syntax.separator.join(topic))
                pending.append((following, topic))
