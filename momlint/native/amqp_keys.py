"""Binding keys of AMQP's topic exchanges: ``*`` is one word, ``#`` any number of them; what they match, and share.

A key pattern is a tuple of its words. A literal word that looks like a wildcard has been quoted by whoever made it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Final, TypeAlias

#: The words of a pattern, or of a key.
Words: TypeAlias = tuple[str, ...]

EVERYTHING: Final[Words] = ("#",)
#: What two patterns share is at most so many patterns.
MOST: Final = 64
#: So many states are looked at to find a key.
_MOST_STATES: Final = 20_000


class TooMany(Exception):
    """What patterns share is more patterns than anyone would write."""


def words_of(key: str) -> Words:
    """The words of a binding key; of an empty one there are none, as RabbitMQ has it."""
    return normal(key.split(".")) if key else ()


def literal(key: str) -> Words:
    """The pattern that matches one key alone."""
    return tuple(quoted(word) for word in key.split(".")) if key else ()


def quoted(word: str) -> str:
    """A word that is no wildcard, whatever it looks like."""
    return {"*": "%2A", "#": "%23", "+": "%2B", ">": "%3E", "": ""}.get(word, word)


def normal(words: Iterable[str]) -> Words:
    """One spelling for patterns that differ only in the order of wildcards side by side: ``*`` first, one ``#``."""
    found: list[str] = []
    rest = False
    for word in words:
        if word == "#":
            rest = True
        elif word == "*":
            found.append(word)
        else:
            if rest:
                found.append("#")
                rest = False
            found.append(word)
    return (*found, "#") if rest else tuple(found)


@lru_cache(maxsize=20_000)
def shared(one: Words, other: Words) -> tuple[Words, ...]:
    """The patterns that together match what both match. Raises `TooMany`."""
    if EVERYTHING in (one, other):
        return (other if one == EVERYTHING else one,)
    found = tuple(sorted(normal(words) for words in _shared(one, other)))
    return tuple(words for number, words in enumerate(found) if not covered(words, found[:number]))


@lru_cache(maxsize=50_000)
def _shared(one: Words, other: Words) -> frozenset[Words]:
    if not one or not other:
        left = one or other
        return frozenset([()]) if all(word == "#" for word in left) else frozenset()
    found: set[Words] = set()
    if one[0] == "#" and other[0] == "#":
        found.update(("#", *rest) for rest in _shared(one[1:], other))
        found.update(("#", *rest) for rest in _shared(one, other[1:]))
    elif one[0] == "#" or other[0] == "#":
        many, single = (one, other) if one[0] == "#" else (other, one)
        found.update(_shared(many[1:], single))
        found.update((single[0], *rest) for rest in _shared(many, single[1:]))
    elif one[0] == other[0] or "*" in (one[0], other[0]):
        word = other[0] if one[0] == "*" else one[0]
        found.update((word, *rest) for rest in _shared(one[1:], other[1:]))
    if len(found) > MOST:
        raise TooMany
    return frozenset(found)


def _start(pattern: Words) -> frozenset[int]:
    return _closed(pattern, {0})


def _closed(pattern: Words, places: set[int]) -> frozenset[int]:
    found = set(places)
    for number in sorted(places):
        place = number
        while place < len(pattern) and pattern[place] == "#":
            place += 1
            found.add(place)
    return frozenset(found)


def _step(pattern: Words, places: frozenset[int], word: str) -> frozenset[int]:
    found = set()
    for place in places:
        if place == len(pattern):
            continue
        if pattern[place] == "#":
            found.add(place)
        elif pattern[place] in ("*", word):
            found.add(place + 1)
    return _closed(pattern, found)


def matches(pattern: Words, key: Words) -> bool:
    """Whether a pattern matches a key."""
    places = _start(pattern)
    for word in key:
        places = _step(pattern, places, word)
    return len(pattern) in places


def example(pattern: Words, without: Collection[Words] = ()) -> Words | None:
    """A shortest key that the pattern matches and none of `without` does, None where there is none; not the empty one,
    unless the pattern is. Raises `TooMany` where there is too much to look at.
    """
    if EVERYTHING in without or pattern in without:
        return None
    patterns = (pattern, *without)
    named = sorted({word for one in patterns for word in one if word not in ("*", "#")})
    fresh = next(
        word for word in ("x", "y", "z", "other", *(f"x{n}" for n in range(len(named) + 1))) if word not in named
    )
    first = tuple(_start(one) for one in patterns)
    seen = {first}
    waiting: list[tuple[tuple[frozenset[int], ...], Words]] = [(first, ())]
    for state, key in waiting:
        ends = [len(one) in places for one, places in zip(patterns, state, strict=True)]
        if ends[0] and not any(ends[1:]) and (key or pattern == ()):
            return key
        for word in (fresh, *named):
            after = tuple(_step(one, places, word) for one, places in zip(patterns, state, strict=True))
            if after[0] and (after not in seen or not key):
                seen.add(after)
                waiting.append((after, (*key, word)))
        if len(seen) > _MOST_STATES:
            raise TooMany
    return None


def covered(pattern: Words, others: Collection[Words]) -> bool:
    """Whether the others together match every key that the pattern matches; False where that takes too long to see."""
    if pattern in others or EVERYTHING in others:
        return True
    if not others:
        return False
    if "*" not in pattern and "#" not in pattern:
        return any(matches(one, pattern) for one in others)
    # A key without any word is one as well: it can only be missed where the pattern matches it.
    if matches(pattern, ()) and not any(matches(one, ()) for one in others):
        return False
    try:
        return example(pattern, others) is None
    except TooMany:
        return False


def meet(ones: Iterable[Words], others: Collection[Words]) -> bool:
    """Whether some key is matched by one of each. Raises `TooMany`."""
    return any(shared(one, other) for one in ones for other in others)
