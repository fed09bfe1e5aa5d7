"""XML with places: elements, their attributes, and where each of them stands. Expat reads it; nothing is looked up.

Document type definitions are refused before anything in them is read: they can make a small file very large, and name
other files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from xml.parsers import expat

from momlint.native.form import At, NativeFile, Token

_ATTRIBUTE = re.compile(r"""[\s]([^\s=<>"'/]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_NAME = re.compile(r"<[^\s/>]*")
#: Elements within elements; real files have a dozen.
_DEEPEST = 200


@dataclass(slots=True)
class Element:
    """An element; `name` and the names of attributes without their namespaces. `at`: its name. `closed`: to its end.

    `text`: what stands in it beside elements, without white space around it; None where there is nothing.
    """

    name: str
    at: At
    attributes: dict[str, Token]
    children: list[Element] = field(default_factory=list)
    closed: bool = False
    text: Token | None = None

    def child(self, name: str) -> Element | None:
        """The first element of this name that stands directly in it."""
        return next((one for one in self.children if one.name == name), None)

    def all(self, *names: str) -> Iterator[Element]:
        """The elements of these names at any depth, in the order of the text; not those within one of them."""
        waiting = [self]
        while waiting:
            one = waiting.pop()
            if one is not self and one.name in names:
                yield one
            else:
                waiting += reversed(one.children)


class _Refused(Exception):
    """The file has something that is not read; `why`. `opening`: what it begins with."""

    def __init__(self, why: str, opening: str = "<") -> None:
        super().__init__(why)
        self.why = why
        self.opening = opening


def read_xml(native: NativeFile) -> Element:
    """The elements of the first text, below one without a name.

    What is wrong is told once; what went before is kept.
    """
    return _Reader(native).run()


class _Reader:
    def __init__(self, native: NativeFile) -> None:
        self.native = native
        self.text = native.texts[0][1]
        self.source = self.text.text
        self.data = self.source.encode("utf-8", "replace")
        self.is_plain = len(self.data) == len(self.source)
        #: The last byte that was asked for, and the character it is of.
        self.latest = 0, 0
        self.root = Element("", At(0, 0, 0, 0), {})
        self.open = [self.root]
        #: What has been said in each of these so far, in pieces, and where that began.
        self.said: list[tuple[list[str], int]] = [([], 0)]
        self.parser = expat.ParserCreate("utf-8")
        self.parser.StartElementHandler = self.start
        self.parser.EndElementHandler = self.end
        self.parser.CharacterDataHandler = self.say
        self.parser.StartDoctypeDeclHandler = self.refuse_doctype

    def run(self) -> Element:
        try:
            self.parser.Parse(self.data, True)
        except expat.ExpatError as error:
            why = expat.ErrorString(error.code) or "it ends early"
            self.tell(self.index(max(self.parser.ErrorByteIndex, 0)), f"this is no XML: {why}")
        except _Refused as error:
            index = self.index(max(self.parser.CurrentByteIndex, 0))
            self.tell(max(self.source.rfind(error.opening, 0, index + 1), 0), error.why)
        else:
            self.root.closed = True
        return self.root

    def tell(self, index: int, message: str) -> None:
        index = min(index, len(self.source))
        at = self.place(index, min(index + 1, len(self.source)))
        self.native.report("MOM101", at, message, "mend it; what follows is not read")

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if len(self.open) > _DEEPEST:
            raise _Refused(f"more than {_DEEPEST} elements within one another")
        index = self.index(self.parser.CurrentByteIndex)
        found = _NAME.match(self.source, index)
        end = found.end() if found else index + 1
        at = self.place(index, end)
        element = Element(_local(name), at, self.attributes(end, attributes, at))
        self.open[-1].children.append(element)
        self.open.append(element)
        self.said.append(([], 0))

    def say(self, text: str) -> None:
        pieces, begun = self.said[-1]
        if not pieces:
            bare = text.lstrip()
            if not bare:
                return
            begun = self.index(self.parser.CurrentByteIndex) + len(text) - len(bare)
            self.said[-1] = pieces, begun
        pieces.append(text)

    def attributes(self, index: int, given: dict[str, str], at: At) -> dict[str, Token]:
        """The attributes that the parser has found, with the places of their values."""
        places: dict[str, At] = {}
        for _ in given:
            found = _ATTRIBUTE.match(self.source, self.blank(index))
            if found is None:
                break
            group = 2 if found[2] is not None else 3
            places[found[1]] = self.place(found.start(group), found.end(group))
            index = found.end()
        return {_local(name): Token(value, places.get(name, at)) for name, value in given.items()}

    def blank(self, index: int) -> int:
        """The last of the white space from an index on: one of it begins an attribute."""
        end = index
        while end < len(self.source) and self.source[end].isspace():
            end += 1
        return max(index, end - 1)

    def end(self, name: str) -> None:
        del name
        element = self.open.pop()
        element.closed = True
        pieces, begun = self.said.pop()
        if pieces:
            ends = self.index(self.parser.CurrentByteIndex)
            written = self.source[begun:ends].rstrip()
            element.text = Token("".join(pieces).strip(), self.place(begun, begun + len(written)))

    def refuse_doctype(self, *_: object) -> None:
        raise _Refused("this file has a document type definition, which momlint does not read", "<!DOCTYPE")

    def index(self, byte: int) -> int:
        """The character that a byte is of; bytes are asked for in order."""
        if self.is_plain:
            return byte
        last, index = self.latest
        if byte < last:
            last, index = 0, 0
        index += len(self.data[last:byte].decode("utf-8", "replace"))
        self.latest = byte, index
        return index

    def place(self, start: int, end: int) -> At:
        return At(*self.text.place(start), *self.text.place(end))


def _local(name: str) -> str:
    return name.rpartition(":")[2]
