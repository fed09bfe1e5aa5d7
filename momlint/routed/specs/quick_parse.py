"""Formulas without lark, where they are plain and right.

Loading lark and compiling the grammar takes longer than all the rest of checking a small estate. So a formula is first
read here, by recursive descent along the levels of the grammar in `momlint.routed.specs.parse`. Whatever is not
understood (a mistake, a word of the language in the place of a name, a very long formula) is left to the grammar, which
has the last word on what a formula means and alone says what is wrong with one: the two give the same tree, and a test
holds them to it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from momlint.routed.specs.syntax import Binary, Constant, Name, Node, Set, Unary

if TYPE_CHECKING:
    from collections.abc import Callable

#: More tokens, or brackets within brackets, are left to the grammar, which does not read by recursion.
_MOST_TOKENS = 200
_DEEPEST = 20

_TOKEN = re.compile(
    r"""(?:\s|--[^\n]*)*
        (?: (?P<word>[^\W](?:[\w.$#]|-(?!>))*)
          | (?P<quoted>"[^"\n]*"|'[^'\n]*')
          | (?P<sign><->|->|!=|[!&|=(){}\[\],])
          | (?P<end>\Z) )""",
    re.VERBOSE,
)
_TEMPORAL = {
    "ctl": frozenset(("EX", "EF", "EG", "AX", "AF", "AG")),
    "ltl": frozenset(("X", "F", "G", "Y", "Z", "O", "H")),
}
_UNTIL = {"ctl": frozenset[str](), "ltl": frozenset("UVST")}
#: Words that stand between the operands of a level, or begin one; as names they are the grammar's affair.
_KEYWORDS = {
    logic: _TEMPORAL[logic] | _UNTIL[logic] | {"xor", "xnor", "in", "union", "TRUE", "FALSE"} for logic in _TEMPORAL
}
_KEYWORDS["ctl"] |= frozenset("AEU")
_EITHER = frozenset(("|", "xor", "xnor"))


class _Token(NamedTuple):
    """`kind`: ``word``, ``quoted``, ``sign`` (keywords as well), or ``end``; `start`, `end`: offsets."""

    kind: str
    text: str
    start: int
    end: int


class _Part(NamedTuple):
    """A node, and where all of it stands, with the brackets around it."""

    node: Node
    start: int
    end: int


class _NotPlainError(Exception):
    """For the grammar to judge."""


def plain(text: str, logic: Literal["ctl", "ltl"]) -> Node | None:
    """The formula in `text`; None where it is for the grammar to judge."""
    try:
        return _Reader(_tokens(text, logic), logic).formula()
    except _NotPlainError:
        return None


def _tokens(text: str, logic: str) -> list[_Token]:
    keywords = _KEYWORDS[logic]
    tokens: list[_Token] = []
    at = depth = 0
    while len(tokens) < _MOST_TOKENS and depth <= _DEEPEST:
        match = _TOKEN.match(text, at)
        if match is None:
            break
        kind = match.lastgroup or ""
        said = match[kind]
        if kind == "word" and said in keywords:
            kind = "sign"
        at = match.end()
        depth += (said in ("(", "[", "{")) - (said in (")", "]", "}"))
        tokens.append(_Token(kind, said, match.start(match.lastgroup or 0), at))
        if kind == "end":
            return tokens
    raise _NotPlainError


class _Reader:
    """One formula; a method for each level of the grammar, from loose to tight."""

    def __init__(self, tokens: list[_Token], logic: Literal["ctl", "ltl"]) -> None:
        self.tokens = tokens
        self.at = 0
        self.temporal = _TEMPORAL[logic]
        self.until = _UNTIL[logic]
        self.quantified = logic == "ctl"

    def formula(self) -> Node:
        found = self.implies()
        if self.tokens[self.at].kind != "end":
            raise _NotPlainError
        return found.node

    def sign(self) -> str:
        """The next token's text if it is a sign or keyword, else nothing."""
        token = self.tokens[self.at]
        return token.text if token.kind == "sign" else ""

    def take(self, sign: str) -> _Token:
        """The next token, which must be `sign`."""
        if self.sign() != sign:
            raise _NotPlainError
        self.at += 1
        return self.tokens[self.at - 1]

    def chain(self, operators: frozenset[str], operand: Callable[[], _Part]) -> _Part:
        """Operands with operators between them, from left to right."""
        left = operand()
        while self.sign() in operators:
            operator = self.sign()
            self.at += 1
            right = operand()
            left = _both(operator, left, right)
        return left

    def implies(self) -> _Part:
        left = self.chain(frozenset(("<->",)), self.either)
        if self.sign() != "->":
            return left
        self.at += 1
        return _both("->", left, self.implies())

    def either(self) -> _Part:
        return self.chain(_EITHER, self.both)

    def both(self) -> _Part:
        return self.chain(frozenset("&"), self.unary_chain)

    def unary_chain(self) -> _Part:
        return self.chain(self.until, self.unary)

    def unary(self) -> _Part:
        ahead = self.at
        while self.tokens[ahead].kind == "sign" and self.tokens[ahead].text == "!":
            ahead += 1
        first = self.tokens[ahead]
        if first.kind != "sign" or not (first.text in self.temporal or (self.quantified and first.text in "AE")):
            return self.relation()
        return self.temporal_formula()

    def temporal_formula(self) -> _Part:
        token = self.tokens[self.at]
        self.at += 1
        if token.text == "!":
            inner = self.temporal_formula()
        elif token.text in self.temporal:
            inner = self.unary()
        else:
            self.take("[")
            left = self.implies()
            self.take("U")
            right = self.implies()
            end = self.take("]").end
            return _Part(Binary(f"{token.text}U", left.node, right.node, token.start, end), token.start, end)
        return _Part(Unary(token.text, inner.node, token.start, inner.end), token.start, inner.end)

    def relation(self) -> _Part:
        return self.chain(frozenset(("=", "!=")), self.member)

    def member(self) -> _Part:
        return self.chain(frozenset(("in",)), self.joined)

    def joined(self) -> _Part:
        left = self.prime()
        while self.sign() == "union":
            self.at += 1
            right = self.prime()
            items: list[Node] = []
            for side in (left.node, right.node):
                items += side.items if isinstance(side, Set) else (side,)
            left = _Part(Set(tuple(items), left.start, right.end), left.start, right.end)
        return left

    def prime(self) -> _Part:
        token = self.tokens[self.at]
        self.at += 1
        start, end = token.start, token.end
        if token.kind == "word":
            return _Part(Name(token.text, False, start, end), start, end)
        if token.kind == "quoted":
            return _Part(Name(token.text[1:-1], True, start, end), start, end)
        match token.text:
            case "!":
                inner = self.prime()
                return _Part(Unary("!", inner.node, start, inner.end), start, inner.end)
            case "(":
                inner = self.implies()
                return _Part(inner.node, start, self.take(")").end)
            case "{":
                items = [] if self.sign() == "}" else [self.joined().node]
                while self.sign() == ",":
                    self.at += 1
                    items.append(self.joined().node)
                end = self.take("}").end
                return _Part(Set(tuple(items), start, end), start, end)
            case "TRUE" | "FALSE":
                return _Part(Constant(token.text == "TRUE", start, end), start, end)
        raise _NotPlainError


def _both(operator: str, left: _Part, right: _Part) -> _Part:
    return _Part(Binary(operator, left.node, right.node, left.start, right.end), left.start, right.end)
