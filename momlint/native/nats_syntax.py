"""The configuration grammar of nats-server: keys and values with places, includes and variables.

As its ``conf`` package has it: ``key value``, ``key: value`` or ``key = value``; maps in braces, lists in brackets,
parted by commas or line ends; ``#`` and ``//`` begin comments; texts in either quotes or none; ``(`` begins a block of
text that ends with ``)`` on a line of its own; ``$NAME`` stands for the value of the nearest key NAME around it, or in
the environment; ``include ./file``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from momlint.native.form import At, NativeFile
from momlint.native.text import read_text
from momlint.source.decoding import Text

#: Reads a file that is included; raises `OSError`, `ValueError`.
ReadFile: TypeAlias = Callable[[str, str], tuple[str, bytes]]

#: Maps within maps go no deeper than this, and so many files are read.
DEEPEST: Final = 100
MOST_FILES: Final = 100

_BLANK: Final = re.compile(r"(?:[ \t\r\n,;]|#[^\n]*|//[^\n]*)+")
_SPACE: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*|//[^\n]*)+")
_KEY: Final = re.compile(r"\"([^\"\n]*)\"|'([^'\n]*)'|([^\s=:{}\[\],#;\"']+)")
_TO_VALUE: Final = re.compile(r"[ \t]*(?:[:=][ \t]*)?(?:(?:\r?\n[ \t]*)+(?=[{\[]))?")
_QUOTED: Final = re.compile(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'", re.DOTALL)
_BARE: Final = re.compile(r"[^\s,;\]}#]+(?:(?<!//)#[^\s,;\]}]*)?")
_ESCAPE: Final = re.compile(r"\\(?:x([0-9A-Fa-f]{2})|(.))", re.DOTALL)
_ESCAPES: Final = {"t": "\t", "n": "\n", "r": "\r", '"': '"', "\\": "\\"}


class BadSyntax(Exception):
    """Where the text is none of the grammar, and why."""

    def __init__(self, why: str, at: At) -> None:
        super().__init__(why)
        self.why = why
        self.at = at


@dataclass(slots=True)
class Scalar:
    """A text or number as written; `quoted` ones are texts. `variable`: it is ``$NAME``, not yet looked up."""

    text: str
    quoted: bool
    at: At
    variable: bool = False


@dataclass(slots=True)
class Entry:
    """A key and its value."""

    key: str
    key_at: At
    value: Value

    @property
    def at(self) -> At:
        """From the key to the end of the value, or the key alone where the value stands in another text."""
        return self.key_at.to(self.value.at) if self.value.at.text == self.key_at.text else self.key_at


@dataclass(slots=True)
class Map:
    """Keys and values in order; the last of equal keys counts."""

    at: At
    entries: list[Entry] = field(default_factory=list)

    def get(self, *names: str) -> Entry | None:
        """The last entry of any of these keys, case aside."""
        return next((one for one in reversed(self.entries) if one.key.lower() in names), None)


@dataclass(slots=True)
class Items:
    """Values in order."""

    at: At
    values: list[Value] = field(default_factory=list)


Value: TypeAlias = Scalar | Map | Items


def read_conf(native: NativeFile, read_file: ReadFile | None) -> tuple[Map, set[str]]:
    """The first text of `native` as a map, and the names of variables in use; included files become more texts.

    What is wrong is reported there. Where the syntax breaks, what stands before is kept.
    """
    root = Map(At(0, 0, 0, 0))
    _Parser(native, 0, read_file, [native.file]).top(root)
    used: set[str] = set()
    _look_up(root, [], used)
    return root, used


class _Parser:
    def __init__(self, native: NativeFile, number: int, read_file: ReadFile | None, chain: list[str]) -> None:
        self.native = native
        self.number = number
        self.text: Text = native.texts[number][1]
        self.source = self.text.text
        self.at = 0
        self.read_file = read_file
        self.chain = chain
        self.depth = 0

    def place(self, start: int, end: int) -> At:
        return At(*self.text.place(start), *self.text.place(end), self.number)

    def skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self.source, self.at)
        if found:
            self.at = found.end()

    def top(self, into: Map) -> None:
        try:
            self.entries(into, "")
        except BadSyntax as error:
            self.native.report(
                "MOM101",
                error.at,
                f"this is no configuration of nats-server: {error.why}",
                "mend it; what follows is not read",
            )

    def entries(self, into: Map, closer: str) -> None:
        while True:
            self.skip(_BLANK)
            if self.at >= len(self.source):
                if closer:
                    raise BadSyntax("a brace that is opened is not closed", into.at)
                return
            if self.source[self.at] == "}":
                if not closer:
                    raise BadSyntax("a closing brace that nothing opens", self.place(self.at, self.at + 1))
                return
            self.entry(into)

    def entry(self, into: Map) -> None:
        start = self.at
        key = _KEY.match(self.source, start)
        if key is None:
            raise BadSyntax("here a key should stand", self.place(start, start + 1))
        self.at = key.end()
        name = key[1] or key[2] or key[3] or ""
        at = self.place(start, self.at)
        if key[3] is not None and name.lower() == "include":
            self.include(into, at)
            return
        gap = _TO_VALUE.match(self.source, self.at)
        assert gap is not None
        self.at = gap.end()
        if self.at >= len(self.source) or self.source[self.at] in "\r\n,;}]#":
            raise BadSyntax(f"the key `{name[:60]}` has no value", at)
        into.entries.append(Entry(name, at, self.value()))

    def value(self) -> Value:
        start = self.at
        opener = self.source[start]
        if opener in "{[":
            self.depth += 1
            if self.depth > DEEPEST:
                raise BadSyntax(
                    f"more than {DEEPEST} braces and brackets within each other", self.place(start, start + 1)
                )
            self.at += 1
            found = self.map(start) if opener == "{" else self.items(start)
            self.depth -= 1
            return found
        if opener == "(":
            return self.block(start)
        quoted = _QUOTED.match(self.source, start)
        if quoted:
            self.at = quoted.end()
            text = _ESCAPE.sub(_unescape, quoted[1]) if quoted[1] is not None else quoted[2]
            return Scalar(text, True, self.place(start, self.at))
        if opener in "\"'":
            raise BadSyntax("a quote that is opened is not closed", self.place(start, start + 1))
        bare = _BARE.match(self.source, start)
        if bare is None:
            raise BadSyntax("here a value should stand", self.place(start, start + 1))
        self.at = bare.end()
        text = bare[0]
        if text.startswith("$") and len(text) > 1:
            return Scalar(text[1:], False, self.place(start, self.at), variable=True)
        return Scalar(text, False, self.place(start, self.at))

    def map(self, start: int) -> Map:
        found = Map(self.place(start, start + 1))
        self.entries(found, "}")
        self.at += 1
        found.at = self.place(start, self.at)
        return found

    def items(self, start: int) -> Items:
        found = Items(self.place(start, start + 1))
        while True:
            self.skip(_BLANK)
            if self.at >= len(self.source):
                raise BadSyntax("a bracket that is opened is not closed", found.at)
            if self.source[self.at] == "]":
                break
            found.values.append(self.value())
        self.at += 1
        found.at = self.place(start, self.at)
        return found

    def block(self, start: int) -> Scalar:
        end = re.compile(r"^[ \t]*\)", re.MULTILINE).search(self.source, start + 1)
        if end is None:
            raise BadSyntax("a parenthesis that is opened is not closed", self.place(start, start + 1))
        self.at = end.end()
        return Scalar(self.source[start + 1 : end.start()], True, self.place(start, self.at))

    def include(self, into: Map, at: At) -> None:
        self.skip(_SPACE)
        if self.at >= len(self.source):
            raise BadSyntax("`include` names no file", at)
        value = self.value()
        if not isinstance(value, Scalar):
            raise BadSyntax("`include` takes the name of a file", value.at)
        at = at.to(value.at)
        if self.read_file is None:
            return
        if len(self.chain) > DEEPEST or len(self.native.texts) > MOST_FILES:
            self.native.report("MOM814", at, "too many includes; this one is not read", "name fewer files")
            return
        try:
            name, data = self.read_file(self.native.texts[self.number][0], value.text)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "it is no path"
            self.native.report(
                "MOM814",
                at,
                f"`{value.text[:80]}` is not read: {why[:1].lower() + why[1:]}",
                getattr(error, "help", ""),
            )
            return
        if name in self.chain:
            self.native.report(
                "MOM813", at, f"`{value.text}` includes itself; the broker refuses this file", "include it once"
            )
            return
        text, problems, is_text = read_text(data, name)
        self.native.texts.append((name, text))
        self.native.problems += problems
        if is_text:
            inner = _Parser(self.native, len(self.native.texts) - 1, self.read_file, [*self.chain, name])
            inner.depth = self.depth
            inner.top(into)


def _unescape(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else _ESCAPES.get(match[2], match[0])


def _look_up(value: Value, around: list[Map], used: set[str]) -> None:
    """Put the values of variables in their places; `used`: their names."""
    scopes = [*around, value] if isinstance(value, Map) else around
    for holder, index, one in _children(value):
        if isinstance(one, Scalar) and one.variable:
            used.add(one.text)
            found = _variable(one.text, scopes)
            if found is not None:
                _put(holder, index, found)
        elif not isinstance(one, Scalar):
            _look_up(one, scopes, used)


def _children(value: Value) -> Iterator[tuple[Value, int, Value]]:
    if isinstance(value, Map):
        for index, entry in enumerate(value.entries):
            yield value, index, entry.value
    elif isinstance(value, Items):
        for index, one in enumerate(value.values):
            yield value, index, one


def _put(holder: Value, index: int, value: Value) -> None:
    if isinstance(holder, Map):
        holder.entries[index].value = value
    elif isinstance(holder, Items):
        holder.values[index] = value


def _variable(name: str, scopes: list[Map]) -> Value | None:
    """The value of the nearest key of this name, through other variables; None where there is none."""
    seen = {name}
    while True:
        entry = next((e for scope in reversed(scopes) for e in reversed(scope.entries) if e.key == name), None)
        if entry is None:
            return None
        value = entry.value
        if not (isinstance(value, Scalar) and value.variable):
            return value
        name = value.text
        if name in seen:
            return None
        seen.add(name)
