"""Regular expressions of names as wildcards, as far as these can say the same: ``*`` any characters, ``?`` one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product

#: So many wildcards one expression may need.
_MOST = 64
_DEEPEST = 20
_DIGITS = "0123456789"


class _Unsayable(Exception):
    """There are no wildcards for it."""


def globs_of(expression: str) -> list[str] | None:
    """The wildcards that together match what a regular expression matches as a whole; None where none do."""
    try:
        reader = _Reader(expression)
        found = reader.alternatives(0)
        if reader.at < len(expression):
            return None
    except _Unsayable:
        return None
    return without_covered(found)


def without_covered(several: Iterable[str]) -> list[str]:
    """Those of them that no other one covers, in their order."""
    kept = list(dict.fromkeys(several))
    return [one for one in kept if not any(other != one and covers(other, one) for other in kept)]


def covers(wide: str, narrow: str) -> bool:
    """Whether every name that `narrow` matches is one that `wide` matches, as far as that is plain."""
    reached = {0}
    for sign in narrow:
        after: set[int] = set()
        for place in _closed(wide, reached):
            if place == len(wide):
                continue
            if wide[place] == "*":
                after.add(place)
            elif sign != "*" and wide[place] in ("?", sign):
                after.add(place + 1)
        reached = after
    return len(wide) in _closed(wide, reached)


def _closed(wide: str, places: set[int]) -> set[int]:
    found = set(places)
    for place in range(len(wide)):
        if place in found and wide[place] == "*":
            found.add(place + 1)
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def alternatives(self, depth: int) -> list[str]:
        if depth > _DEEPEST:
            raise _Unsayable
        found = self.sequence(depth)
        while self.peek() == "|":
            self.at += 1
            found += self.sequence(depth)
            _limit(found)
        return found

    def sequence(self, depth: int) -> list[str]:
        found = [""]
        while self.peek() not in ("", "|", ")"):
            part = self.repeated(self.atom(depth))
            _limit(range(len(found) * len(part)))
            found = [one + other for one, other in product(found, part)]
        return found

    def atom(self, depth: int) -> list[str]:
        sign = self.peek()
        self.at += 1
        match sign:
            case "(":
                if self.text.startswith("?:", self.at):
                    self.at += 2
                elif self.peek() == "?":
                    raise _Unsayable
                found = self.alternatives(depth + 1)
                if self.peek() != ")":
                    raise _Unsayable
                self.at += 1
                return found
            case "[":
                return self.letters()
            case ".":
                return ["?"]
            case "\\":
                return self.escaped()
            case "^" if self.at == 1:
                return [""]
            case "$" if self.at == len(self.text):
                return [""]
            case "*" | "+" | "?" | "{" | "^" | "$":
                raise _Unsayable
        return [sign]

    def escaped(self) -> list[str]:
        sign = self.peek()
        self.at += 1
        if sign == "d":
            return list(_DIGITS)
        if not sign or sign.isalnum() or sign in "*?":
            raise _Unsayable
        return [sign]

    def letters(self) -> list[str]:
        end = self.text.find("]", self.at + 1)
        inside = self.text[self.at : end] if end > 0 else ""
        if not inside or inside[0] == "^" or "[" in inside or "&&" in inside:
            raise _Unsayable
        self.at = end + 1
        found: list[str] = []
        place = 0
        while place < len(inside):
            sign = inside[place]
            if sign == "\\":
                place += 1
                sign = inside[place : place + 1]
                if not sign or sign.isalnum():
                    raise _Unsayable
            elif inside[place + 1 : place + 2] == "-" and place + 2 < len(inside):
                last = inside[place + 2]
                if not (sign.isalnum() and last.isalnum()) or ord(last) - ord(sign) > _MOST:
                    raise _Unsayable
                found += [chr(code) for code in range(ord(sign), ord(last) + 1)]
                place += 3
                continue
            found.append(sign)
            place += 1
        if {"*", "?"} & set(found):
            raise _Unsayable
        return list(dict.fromkeys(found)) or [""]

    def repeated(self, part: list[str]) -> list[str]:
        sign = self.peek()
        if sign not in ("*", "+", "?", "{") or not sign:
            return part
        self.at += 1
        if self.peek() in ("?", "+") and self.peek():
            raise _Unsayable  # reluctant and possessive ones are not worth it
        if sign == "?":
            return ["", *part]
        if part == ["?"] and sign in ("*", "+"):
            return ["*"] if sign == "*" else ["?*"]
        raise _Unsayable


def _limit(found: Sequence[object]) -> None:
    if len(found) > _MOST:
        raise _Unsayable
