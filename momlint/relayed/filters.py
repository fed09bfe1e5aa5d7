"""Filters of topics, and the classes that they part topics into.

Two topics are of one class if the same filters match them, now and however they are renamed on their way. So the set of
filters is first closed: with a filter goes what must match before a rename for it to match after. Classes are then the
accepting states of one automaton for all filters, each with its shortest topic as an example.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
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

#: So many filters, after closing, and states of the automaton are looked at.
MOST_FILTERS: Final = 20_000
MOST_STATES: Final = 200_000
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


@dataclass(slots=True)
class _Node:
    children: dict[str, int] = field(default_factory=dict)
    one: int | None = None
    many: int | None = None
    loops: bool = False
    filters: list[int] = field(default_factory=list)


class Classes:
    """The classes of topics under some filters. `filters`: the given ones and those of the closure, by number.

    `cut`: the closure was not completed. `examples`: class → its example; class 0 is what no filter matches.
    """

    def __init__(self, syntax: SyntaxName, filters: Iterable[str], renames: Iterable[Rename]) -> None:
        self.syntax = SYNTAXES[syntax]
        self.cut = False
        self.filters: dict[str, int] = {}
        for one in filters:
            self.filters.setdefault(one, len(self.filters))
        self._close([one for one in dict.fromkeys(renames) if one != _SAME])
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

    def _close(self, renames: Sequence[Rename]) -> None:
        deepest = max((len(self._tokens(one)) for one in self.filters), default=1) + _DEEPER
        for rename in renames:
            if rename.strip:
                self._add(rename.strip)
                self._add(rename.strip + self.syntax.many if self._ends(rename.strip) else rename.strip)
        pending = deque(self.filters)
        while pending:
            one = pending.popleft()
            for rename in renames:
                for before in self._before(one, rename):
                    if before in self.filters:
                        continue
                    if len(self._tokens(before)) > deepest or len(self.filters) >= MOST_FILTERS:
                        self.cut = True
                        continue
                    self._add(before)
                    pending.append(before)

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
                following = self._step(state, token, len(path))
                if not following or following in seen:
                    continue
                if len(seen) >= MOST_STATES:
                    self.cut = True
                    return
                seen.add(following)
                topic = (*path, token)
                self._class(following, self.syntax.separator.join(topic))
                pending.append((following, topic))
