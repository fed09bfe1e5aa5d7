"""HOCON, as EMQX and NanoMQ write it, with places; and the older files with a key and a value a line.

Keys are paths, maps of one name are merged, of other values the last counts. ``#`` and ``//`` begin comments. What is
written ``${NAME}`` outside of quotes is looked up in the file.
"""

from __future__ import annotations

import re
from typing import Final

from momlint.native.form import At, NativeFile
from momlint.native.nats_syntax import DEEPEST, MOST_FILES, BadSyntax, Entry, Items, Map, ReadFile, Scalar, Value
from momlint.native.text import read_text

_BLANK: Final = re.compile(r"(?:[\s,\ufeff]|#[^\n]*|//[^\n]*)+")
_SPACE: Final = re.compile(r"(?:\s|#[^\n]*|//[^\n]*)+")
_PART: Final = re.compile(r'"((?:[^"\\\n]|\\.)*)"|([^\s.=:{}\[\],#"+]+)')
_SEPARATOR: Final = re.compile(r"[ \t]*(\+=|[:=])?")
_TRIPLE: Final = re.compile(r'"""(.*?)"""(?!")', re.DOTALL)
_QUOTED: Final = re.compile(r'"((?:[^"\\\n]|\\.)*)"')
_VARIABLE: Final = re.compile(r"\$\{\??([^}\n]*)\}")
_BARE: Final = re.compile(r'(?:(?![ \t]*(?:[\r\n,}\]#]|$)|[ \t]+//|"|\$\{).)+', re.MULTILINE)
_INCLUDE: Final = re.compile(
    r"include[ \t]+(?:required\(\s*)?(?:(file|url|classpath)\(\s*)?\"([^\"\n]*)\"(?:\s*\)){0,2}"
)
_ESCAPE: Final = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))", re.DOTALL)
_ESCAPES: Final = {"t": "\t", "n": "\n", "r": "\r", "b": "\b", "f": "\f"}
_SETTING: Final = re.compile(r"[ \t]*([^\s=#][^\s=]*)[ \t]*=[ \t]*(.*)")
#: Parts of a path.
_LONGEST_PATH: Final = 40


def read_hocon(native: NativeFile, read_file: ReadFile | None) -> Map:
    """The first text of `native` as one map; included files become more texts.

    What is wrong is reported there. Where the syntax breaks, what stands before is kept.
    """
    root = Map(At(0, 0, 0, 0))
    _Parser(native, 0, read_file, [native.file]).top(root)
    _look_up(root, root, 0)
    return root


def read_flat(native: NativeFile) -> Map:
    """A file with a path, ``=`` and a value a line, which goes to the end of the line."""
    root = Map(At(0, 0, 0, 0))
    for row, line in enumerate(native.texts[0][1].lines):
        found = _SETTING.match(line)
        if found is None:
            continue
        written = found[2].rstrip()
        at = At(row, found.start(2), row, found.start(2) + len(written))
        key_at = At(row, found.start(1), row, found.end(1))
        _insert(root, found[1].split(".")[:_LONGEST_PATH], key_at, Scalar(written, False, at), extend=False)
    return root


def _insert(into: Map, path: list[str], at: At, value: Value, *, extend: bool) -> None:
    """Put a value where its path leads: maps are merged, with `extend` lists made longer."""
    for part in path[:-1]:
        held = into.get(part.lower())
        if held is None or not isinstance(held.value, Map):
            held = Entry(part, at, Map(value.at))
            into.entries.append(held)
        assert isinstance(held.value, Map)
        into = held.value
    held = into.get(path[-1].lower())
    if held is not None and isinstance(held.value, Map) and isinstance(value, Map):
        held.value.entries += value.entries
    elif extend and held is not None and isinstance(held.value, Items):
        held.value.values.append(value)
    else:
        into.entries.append(Entry(path[-1], at, Items(value.at, [value]) if extend else value))


def _look_up(value: Value, root: Map, depth: int) -> None:
    """Put the values of variables in their places; what is not in the file stays as it is written."""
    if depth > DEEPEST:
        return
    if isinstance(value, Map):
        for entry in value.entries:
            _look_up(entry.value, root, depth + 1)
    elif isinstance(value, Items):
        for one in value.values:
            _look_up(one, root, depth + 1)
    elif value.variable:
        whole = value.text
        text = _VARIABLE.sub(lambda found: _scalar_at(root, found[1].strip()) or found[0], whole)
        value.text, value.variable = text, _VARIABLE.search(text) is not None


def _scalar_at(root: Map, path: str) -> str | None:
    here: Value = root
    for part in path.split("."):
        found = here.get(part.lower()) if isinstance(here, Map) else None
        if found is None:
            return None
        here = found.value
    return here.text if isinstance(here, Scalar) and not here.variable else None


class _Parser:
    def __init__(self, native: NativeFile, number: int, read_file: ReadFile | None, chain: list[str]) -> None:
        self.native = native
        self.number = number
        self.text = native.texts[number][1]
        self.source = self.text.text
        self.at = 0
        self.read_file = read_file
        self.chain = chain
        self.depth = 0

    def place(self, start: int, end: int) -> At:
        return At(*self.text.place(start), *self.text.place(end), self.number)

    def here(self) -> At:
        return self.place(min(self.at, len(self.source)), min(self.at + 1, len(self.source)))

    def skip(self, pattern: re.Pattern[str]) -> None:
        found = pattern.match(self.source, self.at)
        if found:
            self.at = found.end()

    def peek(self) -> str:
        return self.source[self.at : self.at + 1]

    def top(self, into: Map) -> None:
        try:
            self.skip(_BLANK)
            if self.peek() == "{":
                self.at += 1
                self.fields(into, "}")
                self.at += 1
                self.skip(_BLANK)
                if self.at < len(self.source):
                    raise BadSyntax("something stands behind its last brace", self.here())
            else:
                self.fields(into, "")
        except BadSyntax as error:
            self.native.report(
                "MOM101", error.at, f"this is no HOCON: {error.why}", "mend it; what follows is not read"
            )

    def fields(self, into: Map, closer: str) -> None:
        start = max(self.at - 1, 0)
        while True:
            self.skip(_BLANK)
            if self.at >= len(self.source):
                if closer:
                    raise BadSyntax("a brace that is opened is not closed", self.place(start, start + 1))
                return
            if self.peek() == "}":
                if not closer:
                    raise BadSyntax("a closing brace that nothing opens", self.here())
                return
            include = _INCLUDE.match(self.source, self.at)
            if include:
                self.at = include.end()
                self.include(into, include)
            else:
                self.field(into)

    def field(self, into: Map) -> None:
        start = self.at
        path: list[str] = []
        while True:
            found = _PART.match(self.source, self.at)
            if found is None or len(path) >= _LONGEST_PATH:
                raise BadSyntax("a key is missing here", self.here())
            path.append(_unescaped(found[1]) if found[1] is not None else found[2])
            self.at = found.end()
            if self.peek() != ".":
                break
            self.at += 1
        key_at = self.place(start, self.at)
        separator = _SEPARATOR.match(self.source, self.at)
        sign = separator[1] if separator else None
        self.at = separator.end() if separator else self.at
        if sign is None and self.peek() != "{":
            raise BadSyntax(f"`{path[-1][:80]}` has no value", key_at)
        self.skip(_SPACE)
        # What was read before the syntax breaks is kept, so maps are put in their places first.
        if self.peek() == "{":
            whole = Map(self.here())
            _insert(into, path, key_at, whole, extend=sign == "+=")
            held = self.held(into, path) if sign != "+=" else whole
            self.map(held)
            whole.at = held.at
            while self.concatenated():
                self.map(held)
            return
        value = self.value()
        _insert(into, path, key_at, value, extend=sign == "+=")

    def held(self, into: Map, path: list[str]) -> Map:
        """The map that a path leads to."""
        for part in path:
            found = into.get(part.lower())
            assert found is not None
            assert isinstance(found.value, Map)
            into = found.value
        return into

    def concatenated(self) -> bool:
        """Whether another map follows in the same line."""
        found = re.compile(r"[ \t]*(?:\$\{[^}\n]*\}[ \t]*)?(?=\{)").match(self.source, self.at)
        if found is None:
            return False
        self.at = found.end()
        return True

    def map(self, into: Map) -> None:
        self.nested()
        start = self.at
        self.at += 1
        self.fields(into, "}")
        self.at += 1
        self.depth -= 1
        into.at = self.place(start, self.at)

    def nested(self) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise BadSyntax(f"more than {DEEPEST} braces or brackets within one another", self.here())

    def value(self) -> Value:
        if self.peek() == "{":
            found = Map(self.here())
            self.map(found)
            return found
        if self.peek() == "[":
            return self.items()
        return self.scalar()

    def items(self) -> Items:
        self.nested()
        start = self.at
        self.at += 1
        found = Items(self.here())
        while True:
            self.skip(_BLANK)
            if self.at >= len(self.source):
                raise BadSyntax("a bracket that is opened is not closed", self.place(start, start + 1))
            if self.peek() == "]":
                break
            found.values.append(self.value())
        self.at += 1
        self.depth -= 1
        found.at = self.place(start, self.at)
        return found

    def scalar(self) -> Scalar:
        start = self.at
        text, quoted, variable = "", False, False
        while True:
            triple = _TRIPLE.match(self.source, self.at)
            plain = None if triple else _QUOTED.match(self.source, self.at)
            name = _VARIABLE.match(self.source, self.at)
            found = triple or plain or name or _BARE.match(self.source, self.at)
            if found is None:
                break
            if triple or plain:
                text += triple[1] if triple else _unescaped(found[1])
                quoted = True
            else:
                text += found[0]
                variable = variable or name is not None
            self.at = found.end()
        if self.at == start:
            raise BadSyntax("a value is missing here, or a quote is not closed", self.here())
        end = start + len(self.source[start : self.at].rstrip())
        return Scalar(text if quoted else text.strip(), quoted, self.place(start, end), variable)

    def include(self, into: Map, found: re.Match[str]) -> None:
        at = self.place(found.start(2), found.end(2))
        name = found[2]
        if self.read_file is None or found[1] in ("url", "classpath") or len(self.native.texts) >= MOST_FILES:
            self.native.report("MOM814", at, f"`{name[:80]}` is not read", "name the file on the command line")
            return
        try:
            path, data = self.read_file(self.native.texts[self.number][0], name)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "it is no path"
            self.native.report(
                "MOM814",
                at,
                f"`{name[:80]}` is not read: {why[:1].lower() + why[1:]}",
                "it may hold bridges",
            )
            return
        if path in self.chain:
            self.native.report("MOM813", at, f"`{name[:80]}` includes itself", "include it once")
            return
        text, problems, is_text = read_text(data, path)
        self.native.texts.append((path, text))
        self.native.problems += problems
        if is_text:
            _Parser(self.native, len(self.native.texts) - 1, self.read_file, [*self.chain, path]).top(into)


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _ESCAPES.get(found[2], found[2]), text)
