"""Filters of topics, and sets of topics that are made of them: decided on words, never topic by topic.

A topic is a sequence of tokens: its words, or, where an estate glues prefixes to the middle of words, its characters. A
filter is a small automaton over them. A class is what matches some filters and none of others; whether there is such a
topic, and which is the shortest, is a search over the states of these automata together. Beyond the tokens that the
filters name, one more stands for all others.
"""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

Syntax: TypeAlias = Literal["mqtt", "amqp", "nats", "jms", "kafka"]
Tokens: TypeAlias = tuple[str, ...]

SEPARATORS: Final[dict[Syntax, str]] = {"mqtt": "/", "amqp": ".", "nats": ".", "jms": ".", "kafka": "."}
#: Words that are none in a filter.
WILDCARDS: Final[dict[Syntax, frozenset[str]]] = {
    "mqtt": frozenset("+#"),
    "amqp": frozenset("*#"),
    "nats": frozenset("*>"),
    "jms": frozenset("*>"),
    "kafka": frozenset("*?"),
}
#: So many states of automata are looked at for one class.
MOST_STATES = 50_000


class TooLarge(Exception):
    """There is more to look at than anyone would wait for."""


class Item(NamedTuple):
    """A part of a filter. `kind`: ``is`` the token, ``any`` one token, ``letter`` a character of a word, ``word`` any
    number of them, ``rest`` any number of tokens, ``maybe`` none: with it, the next `skip` parts may be left out.
    `first`: it may not take a token that begins with ``$`` (in MQTT, at the beginning).
    """

    kind: Literal["is", "any", "letter", "word", "rest", "maybe"]
    token: str = ""
    first: bool = False
    skip: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Pattern:
    """A filter as an automaton: it stands before one of `items`, or after the last. `ends`: where a topic may end.

    Each is made once and is equal to itself alone, for they are looked up very often.
    """

    items: tuple[Item, ...]
    ends: frozenset[int]

    @property
    def is_topic(self) -> bool:
        """Whether it matches one topic and no other."""
        return self.ends == {len(self.items)} and all(item.kind == "is" for item in self.items)

    def start(self) -> frozenset[int]:
        """Where it begins."""
        return _start(self)

    def step(self, places: frozenset[int], token: str, separator: str) -> frozenset[int]:
        """Where it stands after `token`."""
        found = set()
        for place in places:
            if place == len(self.items):
                continue
            item = self.items[place]
            if item.first and token.startswith("$"):
                continue
            match item.kind:
                case "is":
                    if token == item.token:
                        found.add(place + 1)
                case "any":
                    found.add(place + 1)
                case "letter":
                    if token != separator:
                        found.add(place + 1)
                case "word":
                    if token != separator:
                        found.add(place)
                case "rest":
                    found.add(place)
        return self._closed(found)

    def _closed(self, places: set[int]) -> frozenset[int]:
        waiting = list(places)
        while waiting:
            place = waiting.pop()
            if place == len(self.items):
                continue
            item = self.items[place]
            further = {place + 1} if item.kind in ("word", "rest", "maybe") else set()
            further |= {place + 1 + item.skip} if item.kind == "maybe" else set()
            waiting += further - places
            places |= further
        return frozenset(places)

    def accepts(self, places: frozenset[int]) -> bool:
        """Whether a topic may end there."""
        return not places.isdisjoint(self.ends)


@lru_cache(maxsize=100_000)
def _start(pattern: Pattern) -> frozenset[int]:
    return pattern._closed({0})


class Language:
    """How topics and filters of an estate are read.

    `glued`: prefixes end within words, so that tokens are characters. Names of Kafka have no words, so there they are.
    `dollars`: some filter is of topics that begin with ``$``, so that these are told from others.
    """

    def __init__(self, syntax: Syntax, *, glued: bool = False, dollars: bool = False) -> None:
        self.syntax: Syntax = syntax
        self.dollars = dollars
        self.separator = SEPARATORS[syntax]
        self.glued = glued or syntax == "kafka"

    def tokens(self, topic: str, syntax: Syntax | None = None) -> Tokens:
        """A topic, or a prefix of one, as tokens; a prefix ends with the separator where tokens are words.

        `syntax`: how it is written, if not as the estate's are. The same words are the same topic in all of them.
        """
        separator = self.separator if syntax is None else SEPARATORS[syntax]
        if self.glued:
            return tuple(topic if syntax == "kafka" else topic.replace(separator, self.separator))
        return tuple(topic.split(separator))

    def prefix(self, text: str, syntax: Syntax | None = None) -> Tokens:
        """The tokens of a prefix. Raises `ValueError` where it ends within a word and tokens are words."""
        if not text:
            return ()
        separator = self.separator if syntax is None else SEPARATORS[syntax]
        if self.glued:
            return self.tokens(text, syntax)
        if not text.endswith(separator):
            raise ValueError(f"{text} ends within a word")
        return tuple(text.split(separator)[:-1])

    def text(self, tokens: Tokens) -> str:
        """Tokens as a topic."""
        return "".join(tokens) if self.glued else self.separator.join(tokens)

    def filter(self, text: str, syntax: Syntax | None = None) -> Pattern:
        """A filter as a pattern; `syntax` as in `tokens`."""
        return _pattern(syntax or self.syntax, self.separator, self.glued, text)

    def topic(self, text: str) -> Pattern:
        """A topic as the pattern that it alone matches."""
        return exactly(self.tokens(text))


@lru_cache(maxsize=100_000)
def _pattern(syntax: Syntax, separator: str, glued: bool, text: str) -> Pattern:
    if syntax == "kafka":
        signs = {"*": Item("rest"), "?": Item("any")}
        by_sign = tuple(signs.get(sign) or Item("is", sign) for sign in text)
        return Pattern(by_sign, frozenset({len(by_sign)}))
    words = text.split(SEPARATORS[syntax])
    if syntax == "amqp":
        # Any number of words and any number of words are any number of words.
        words = [word for number, word in enumerate(words) if word != "#" or words[number - 1 : number] != ["#"]]
    items: list[Item] = []
    ends: set[int] = set()
    for number, word in enumerate(words):
        last = number == len(words) - 1
        # Of topics that begin with $ no wildcard at the beginning speaks.
        first = syntax == "mqtt" and number == 0
        many = _many(syntax, word, last)
        # Before levels that may be none at all there need be no separator.
        if (
            glued
            and number
            and not (many and syntax in ("mqtt", "amqp"))
            and not (syntax == "amqp" and words[number - 1] == "#")
        ):
            items.append(Item("is", separator))
        if many:
            if syntax == "mqtt":
                # a/# matches a as well
                if number == 0:
                    items.append(Item("any", first=first))
                elif glued:
                    ends.add(len(items))
                    items.append(Item("is", separator))
                items.append(Item("rest"))
            elif syntax == "amqp" and glued:
                items += _words_by_characters(separator, first=number == 0, last=last)
            elif syntax == "amqp":
                items.append(Item("rest"))
            elif syntax == "jms" and number:
                # The name itself and all below it, as ActiveMQ has it.
                ends.add(len(items) - glued)
                items.append(Item("rest"))
            else:
                items += [Item("any"), Item("rest")]
        elif first and glued and _one(syntax, word):
            items += [Item("maybe", skip=2), Item("letter", first=True), Item("word")]
        elif _one(syntax, word):
            items.append(Item("word") if glued else Item("any", first=first))
        elif glued:
            items += [Item("is", letter) for letter in word]
        else:
            items.append(Item("is", word))
    ends.add(len(items))
    return Pattern(tuple(items), frozenset(ends))


def _words_by_characters(separator: str, *, first: bool, last: bool) -> list[Item]:
    """Any number of words, with the separators that part them from what stands before and behind."""
    if first and last:
        return [Item("rest")]
    if last:
        return [Item("maybe", skip=2), Item("is", separator), Item("rest")]
    words = [Item("maybe", skip=2), Item("rest"), Item("is", separator)]
    # a.#.b is a.b, or a., words and .b
    return words if first else [Item("is", separator), *words]


@lru_cache(maxsize=100_000)
def exactly(tokens: Tokens) -> Pattern:
    """One topic."""
    return Pattern(tuple(Item("is", token) for token in tokens), frozenset({len(tokens)}))


@lru_cache(maxsize=100_000)
def begins(tokens: Tokens) -> Pattern:
    """Topics that begin with these tokens and go on."""
    items = (*(Item("is", token) for token in tokens), Item("any"), Item("rest"))
    return Pattern(items, frozenset({len(items)}))


def _many(syntax: Syntax, word: str, last: bool) -> bool:
    match syntax:
        case "mqtt":
            return word == "#" and last
        case "amqp":
            return word == "#"
    return word == ">" and last


def _one(syntax: Syntax, word: str) -> bool:
    return word == ("+" if syntax == "mqtt" else "*")


class Constraint(NamedTuple):
    """Topics that match `pattern` once `cut` tokens are off and `places` is where it stands then.

    With `strip`, only those that begin with these tokens are meant; so a filter is carried back over a rewrite.
    """

    pattern: Pattern
    strip: Tokens
    places: frozenset[int]


@lru_cache(maxsize=200_000)
def beginning(constraint: Constraint) -> Tokens:
    """The tokens that every topic begins with that meets it."""
    place = next(iter(constraint.places)) if len(constraint.places) == 1 else len(constraint.pattern.items)
    found = list(constraint.strip)
    for number in range(place, len(constraint.pattern.items)):
        item = constraint.pattern.items[number]
        # Behind an end there need be nothing.
        if item.kind != "is" or number in constraint.pattern.ends:
            break
        found.append(item.token)
    return tuple(found)


class Constrained(NamedTuple):
    """A set of topics: what meets all of `inside` and none of `outside`."""

    inside: tuple[Constraint, ...]
    outside: tuple[Constraint, ...]


def whole(pattern: Pattern) -> Constraint:
    """A filter as it stands."""
    return Constraint(pattern, (), pattern.start())


#: The states of the automata of some constraints, one each; -1 where nothing can be met any more.
_State: TypeAlias = tuple[int, ...]


class _Automaton:
    """A constraint made deterministic, as far as it is walked: states by number, and where each token leads."""

    def __init__(self, constraint: Constraint, separator: str) -> None:
        self._constraint = constraint
        self._separator = separator
        self._places: list[tuple[int, frozenset[int]]] = [(0, constraint.places)]
        self._numbers = {self._places[0]: 0}
        #: By state: where each token leads that was asked for; see `step`.
        self.moves: list[dict[str, int]] = [{}]
        self.accepting = [self._accepts(self._places[0])]
        #: By state: whether it is met by every topic that comes so far.
        self.settled = [self._settles(self._places[0])]
        #: By state: the tokens that may lead elsewhere than others do, apart from those that begin with ``$``.
        self.heeded = [self._heeds(self._places[0])]

    def step(self, state: int, token: str) -> int:
        """The state behind `token`."""
        if state < 0:
            return state
        found = self.moves[state].get(token)
        if found is None:
            found = self.moves[state][token] = self._number(self._after(self._places[state], token))
        return found

    def _after(self, place: tuple[int, frozenset[int]], token: str) -> tuple[int, frozenset[int]]:
        number, places = place
        strip = self._constraint.strip
        if number < len(strip):
            return (number + 1, places) if strip[number] == token else (number, frozenset())
        return number, self._constraint.pattern.step(places, token, self._separator)

    def _number(self, place: tuple[int, frozenset[int]]) -> int:
        if not place[1]:
            return -1
        found = self._numbers.get(place)
        if found is None:
            found = self._numbers[place] = len(self._places)
            self._places.append(place)
            self.moves.append({})
            self.accepting.append(self._accepts(place))
            self.settled.append(self._settles(place))
            self.heeded.append(self._heeds(place))
        return found

    def _accepts(self, place: tuple[int, frozenset[int]]) -> bool:
        return place[0] == len(self._constraint.strip) and self._constraint.pattern.accepts(place[1])

    def _settles(self, place: tuple[int, frozenset[int]]) -> bool:
        """Whether it stands before a last part that takes whatever comes."""
        items = self._constraint.pattern.items
        last = len(items) - 1
        return (
            self._accepts(place)
            and last in place[1]
            and items[last].kind == "rest"
            and not (items[last].first and last == 0)
            and len(items) in self._constraint.pattern.ends
        )

    def _heeds(self, place: tuple[int, frozenset[int]]) -> frozenset[str]:
        number, places = place
        strip, items = self._constraint.strip, self._constraint.pattern.items
        if number < len(strip):
            return frozenset((strip[number],))
        here = [items[one] for one in places if one < len(items)]
        named = {item.token for item in here if item.kind == "is"}
        return frozenset(named | {self._separator} if any(item.kind in ("letter", "word") for item in here) else named)


class Sets:
    """Questions about sets of topics, each answered once."""

    def __init__(self, language: Language) -> None:
        self.language = language
        self._examples: dict[Constrained, Tokens | None] = {}
        self._automata: dict[Constraint, _Automaton] = {}

    def example(self, topics: Constrained) -> Tokens | None:
        """The first of the shortest topics of a set; None where it is empty. Raises `TooLarge`."""
        if topics not in self._examples:
            self._examples[topics] = self._search(topics)
        return self._examples[topics]

    def matches(self, constraint: Constraint, topic: Tokens) -> bool:
        """Whether one topic meets a constraint."""
        automaton = self._automaton(constraint)
        state = 0
        for token in topic:
            state = automaton.step(state, token)
        return state >= 0 and automaton.accepting[state]

    def apart(self, one: Constraint, other: Constraint) -> bool:
        """Whether it is plain from their first tokens that no topic meets both."""
        return any(mine != theirs for mine, theirs in zip(beginning(one), beginning(other), strict=False))

    def _automaton(self, constraint: Constraint) -> _Automaton:
        found = self._automata.get(constraint)
        if found is None:
            found = self._automata[constraint] = _Automaton(constraint, self.language.separator)
        return found

    def _search(self, topics: Constrained) -> Tokens | None:
        constraints = (*topics.inside, *topics.outside)
        automata = [self._automaton(one) for one in constraints]
        inside = len(topics.inside)
        alphabet = self._alphabet(constraints)
        rank = {token: number for number, token in enumerate(alphabet)}
        # A token that no automaton heeds where it stands leads where the fresh one does, which is the first.
        always = {alphabet[0], *(token for token in alphabet if token.startswith("$"))}
        first: _State = (0,) * len(automata)
        # The empty topic is none, and another one may end in the state that it begins in.
        seen: set[_State] = set()
        waiting: deque[tuple[_State, Tokens]] = deque([(first, ())])
        while waiting:
            state, topic = waiting.popleft()
            if topic and topic != ("",) and self._holds(automata, inside, state):
                return topic
            heeded = always.union(*(one.heeded[at] for one, at in zip(automata, state, strict=True) if at >= 0))
            for token in sorted(heeded & rank.keys(), key=rank.__getitem__):
                after = _together(automata, inside, state, token)
                if after is None or after in seen:
                    continue
                seen.add(after)
                if len(seen) > MOST_STATES:
                    raise TooLarge
                waiting.append((after, (*topic, token)))
        return None

    def _holds(self, automata: list[_Automaton], inside: int, state: _State) -> bool:
        meets = [place >= 0 and one.accepting[place] for one, place in zip(automata, state, strict=True)]
        return all(meets[:inside]) and not any(meets[inside:])

    def _alphabet(self, constraints: tuple[Constraint, ...]) -> list[str]:
        named: dict[str, None] = {}
        for one in constraints:
            named.update(_named(one.pattern))
            named.update(dict.fromkeys(one.strip))
        if self.language.syntax in ("nats", "jms"):
            named.pop("", None)  # no names of theirs have an empty word
        fresh = self._fresh(named)
        separator = {self.language.separator: None} if self.language.glued else {}
        if self.language.dollars:
            # What filters such as # leave out of all that there is.
            sign = "$" if self.language.glued else next(one for one in map("$".__add__, _words()) if one not in named)
            named[sign] = None
        return [fresh, *dict.fromkeys((*sorted(named), *separator))]

    def _fresh(self, named: dict[str, None]) -> str:
        candidates = iter("xyzuvwabcdefghijklmnopqrst0123456789") if self.language.glued else _words()
        return next(one for one in candidates if one not in named)


def _together(automata: list[_Automaton], inside: int, state: _State, token: str) -> _State | None:
    """The state behind `token`; None where no topic that goes on so is in the set: one of the first `inside` automata
    cannot be met any more, or another one is whatever comes."""
    after = []
    for number, (one, at) in enumerate(zip(automata, state, strict=True)):
        to = at
        if at >= 0:
            known = one.moves[at].get(token)
            to = one.step(at, token) if known is None else known
        if number < inside:
            if to < 0:
                return None
        elif to >= 0 and one.settled[to]:
            return None
        after.append(to)
    return tuple(after)


@lru_cache(maxsize=100_000)
def _named(pattern: Pattern) -> dict[str, None]:
    return dict.fromkeys(item.token for item in pattern.items if item.kind == "is")


def _words() -> Iterator[str]:
    yield from "xyz"
    yield from (f"x{number}" for number in itertools.count())
