"""Writes random YAML and notes, independently of any parser, where each thing stands.

`Writer` puts characters down one by one and counts lines and columns itself; the generator decides on style, space,
comments, anchors and quotes. What it notes is the oracle for the reader.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

Mark = tuple[int, int]

WORDS = [
    "a",
    "broker",
    "7",
    "010",
    "no",
    "größe",
    "你好",
    "😀",
    "x y",
    "it's",
    "1e3",
    "~",
    "true",
    "0x1F",
    "12:30",
    "a#b",
    "-1.5",
]
SUPPRESSION = "# momlint: ignore[MOM1]"
COMMENTS = [SUPPRESSION, "# c", "# it's", '# "', "# a: [b", "#", "# ünï"]
QUOTED = ["", " ", SUPPRESSION, "# no comment", "a: b", "[x", "'", '"', "\\", "- a", "<<", "&a", "*a", "null", "é"]


@dataclass
class Written:
    """What was written: `kind` is scalar, list or mapping; `alias` is where an alias to `target` stands."""

    kind: str
    start: Mark = (0, 0)
    end: Mark = (0, 0)
    text: str = ""
    plain: bool = False
    items: list[Written] = field(default_factory=list)
    entries: list[tuple[Written, Written]] = field(default_factory=list)
    alias_of: Written | None = None


class Writer:
    """Collects text; knows the 1-based place of the next character."""

    def __init__(self, end: str) -> None:
        self.parts: list[str] = []
        self.line = 1
        self.column = 1
        self.line_end = end

    @property
    def mark(self) -> Mark:
        return self.line, self.column

    def put(self, text: str) -> None:
        assert "\n" not in text
        self.parts.append(text)
        self.column += len(text)

    def newline(self) -> None:
        self.parts.append(self.line_end)
        self.line += 1
        self.column = 1

    @property
    def text(self) -> str:
        return "".join(self.parts)


class Generator:
    """Writes one document; everything is decided by `rng`."""

    def __init__(self, rng: random.Random, out: Writer) -> None:
        self.rng = rng
        self.out = out
        self.anchored: list[tuple[str, Written]] = []
        self.count = 0
        self.suppressions: list[tuple[Mark, Mark]] = []  # comments that silence something
        self.in_text = False  # a block of text was written last: a comment would become part of it

    def document(self) -> Written:
        root = self.block(0, 3)
        self.rest_of_line()
        return root

    # -- small things ---------------------------------------------------------------------------------------

    def maybe(self, chance: float) -> bool:
        return self.rng.random() < chance

    def space(self) -> None:
        self.out.put(" " * self.rng.choice([1, 1, 1, 2]))

    def comment(self) -> None:
        start = self.out.mark
        text = self.rng.choice(COMMENTS)
        self.out.put(text)
        if text == SUPPRESSION:
            self.suppressions.append((start, self.out.mark))

    def rest_of_line(self) -> None:
        """A comment or spaces behind what was written, the line end, and perhaps lines of nothing."""
        in_text, self.in_text = self.in_text, False
        if in_text:
            pass
        elif self.maybe(0.15):
            self.out.put(" ")
            self.comment()
        elif self.maybe(0.1):
            self.out.put("  ")
        self.out.newline()
        while self.maybe(0.1):
            if not in_text and self.maybe(0.5):
                self.out.put(" " * self.rng.randrange(4))
                self.comment()
            self.out.newline()

    def anchor(self) -> str | None:
        """Perhaps an anchor and a space; its name."""
        if not self.maybe(0.1):
            return None
        self.count += 1
        self.out.put(f"&n{self.count}")
        self.space()
        return f"n{self.count}"

    def anchored_as(self, name: str | None, node: Written) -> Written:
        """Offer a finished node for aliases."""
        if name is not None:
            self.anchored.append((name, node))
        return node

    def alias(self) -> Written | None:
        if not self.anchored or not self.maybe(0.1):
            return None
        name, target = self.rng.choice(self.anchored)
        start = self.out.mark
        self.out.put(f"*{name}")
        return Written("alias", start, self.out.mark, alias_of=target)

    def key(self) -> Written:
        """A key that no other one in the document equals."""
        self.count += 1
        text = f"{self.rng.choice(['k', 'ключ', '7', 'a b'])}{self.count}"
        quote = self.rng.choice(["", "", "'", '"'])
        start = self.out.mark
        self.out.put(quote + text + quote)
        return Written("scalar", start, self.out.mark, text, plain=not quote)

    def scalar(self, *, in_flow: bool) -> Written:
        node = Written("scalar")
        name = self.anchor()
        node.start = self.out.mark
        style = self.rng.random()
        if style < 0.6:
            words = [word for word in WORDS if not in_flow or word != "12:30"]
            node.text, node.plain = self.rng.choice(words), True
            self.out.put(node.text)
        elif style < 0.8:
            node.text = self.rng.choice(WORDS + QUOTED)
            self.out.put("'" + node.text.replace("'", "''") + "'")
        else:
            node.text = self.rng.choice(WORDS + QUOTED)
            self.out.put('"' + node.text.replace("\\", "\\\\").replace('"', '\\"') + '"')
        node.end = self.out.mark
        return self.anchored_as(name, node)

    # -- flow -----------------------------------------------------------------------------------------------

    def flow(self, depth: int) -> Written:
        alias = self.alias()
        if alias is not None:
            return alias
        if depth == 0 or self.maybe(0.5):
            return self.scalar(in_flow=True)
        node = Written(self.rng.choice(["list", "mapping"]))
        name = self.anchor()
        node.start = self.out.mark
        opener, closer = "[]" if node.kind == "list" else "{}"
        self.out.put(opener)
        for index in range(self.rng.randrange(4)):
            if index:
                self.out.put(self.rng.choice([",", ", ", " , "]))
            if self.maybe(0.1):
                self.out.newline()
                self.out.put("    ")
            elif self.maybe(0.1):
                self.out.put(" ")
                self.comment()
                self.out.newline()
                self.out.put("    ")
            if node.kind == "list":
                node.items.append(self.flow(depth - 1))
            else:
                node.entries.append(self.flow_entry(depth))
        self.out.put(self.rng.choice(["", " "]) + closer)
        node.end = self.out.mark
        return self.anchored_as(name, node)

    def flow_entry(self, depth: int) -> tuple[Written, Written]:
        key = self.key()
        if self.maybe(0.15):
            value = Written("scalar", self.out.mark, self.out.mark, "", plain=True)
            return key, value
        self.out.put(":")
        if self.maybe(0.1):
            value = Written("scalar", self.out.mark, self.out.mark, "", plain=True)
            self.space()  # libyaml wants one between `:` and `,`
            return key, value
        self.space()
        return key, self.flow(depth - 1)

    # -- blocks ---------------------------------------------------------------------------------------------

    def block(self, indent: int, depth: int) -> Written:
        """A block list or mapping whose lines start at `indent`; the cursor is there, and stays on the last line."""
        node = Written(self.rng.choice(["list", "mapping"]), self.out.mark)
        for index in range(self.rng.randrange(1, 5)):
            if index:
                self.rest_of_line()
                self.out.put(" " * indent)
            if node.kind == "list":
                self.out.put("-")
                node.items.append(self.behind(indent, depth, dash=True))
            else:
                key = self.key()
                self.out.put(self.rng.choice([":", " :"]))
                node.entries.append((key, self.behind(indent, depth, dash=False)))
        last = node.items[-1] if node.kind == "list" else node.entries[-1][1]
        node.end = last.end
        return node

    def behind(self, indent: int, depth: int, *, dash: bool) -> Written:
        """What follows a dash or a colon."""
        if self.maybe(0.1):
            return Written("scalar", self.out.mark, self.out.mark, "", plain=True)
        if depth > 0 and self.maybe(0.4):
            deeper = indent + self.rng.choice([1, 2, 4])
            if dash and self.maybe(0.5):
                # The inner block starts on the same line.
                start = self.out.column
                self.space()
                return self.block(indent + 1 + self.out.column - start, depth - 1)
            self.rest_of_line()
            self.out.put(" " * deeper)
            return self.block(deeper, depth - 1)
        self.space()
        if self.maybe(0.1):
            return self.text_block(indent)
        return self.flow(2)

    def text_block(self, indent: int) -> Written:
        node = Written("scalar", self.out.mark)
        self.out.put("|")
        lines = [
            self.rng.choice(["x", SUPPRESSION, f"x {SUPPRESSION}", "# no comment", "a: b", "'", "é {"])
            for _ in range(self.rng.randrange(1, 4))
        ]
        for line in lines:
            self.out.newline()
            self.out.put(" " * (indent + 3) + line)
        self.in_text = True
        node.text = "\n".join(lines) + "\n"
        node.end = self.out.mark
        return node


@dataclass
class Generated:
    """A random document, what stands where in it, and where comments silence something."""

    text: str
    root: Written
    suppressions: list[tuple[Mark, Mark]]


def generate(seed: int) -> Generated:
    rng = random.Random(seed)
    out = Writer(rng.choice(["\n", "\n", "\r\n"]))
    generator = Generator(rng, out)
    root = generator.document()
    return Generated(out.text, root, generator.suppressions)
