"""CTL and LTL as NuSMV writes them, with NuSMV's precedence, and positions.

From loose to tight: ``->`` (to the right); ``<->``; ``|``, ``xor``, ``xnor``; ``&``; in LTL ``U``, ``V``, ``S``,
``T``; the temporal operators of one operand; ``=``, ``!=``; ``in``; ``union``; ``!``. So ``AF loc = 2`` is ``AF (loc
= 2)``, and ``G p -> q`` is ``(G p) -> q``. Wider than NuSMV in names only: a name that NuSMV could not read may stand
in quotes, and a word of the language is a name where only a name can stand (``loc = A``).

Read by operator precedence with a stack of what waits for its right operand, and not by recursion, so that no nesting
overflows. The tests hold it to a grammar (tests/routed/engines/lark_grammar.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple, NoReturn, TypeAlias

from momlint.routed.specs.syntax import Binary, Constant, FormulaError, Name, Node, Set, Unary

Logic: TypeAlias = Literal["ctl", "ltl"]

#: Deeper nesting than any person writes; a bound, so that recursion over the tree cannot overflow.
MAX_DEPTH = 100
#: The same for operators, chains of one kind included: the tree is lower than this, brackets counted as well.
MAX_HEIGHT = 300

_BRACKET, _ARROW, _UNTIL, _TEMPORAL, _RELATION, _NOT = 0, 1, 5, 6, 7, 10
#: How tightly what stands between two operands binds.
_BINARY = {
    "->": _ARROW, "<->": 2, "|": 3, "xor": 3, "xnor": 3, "&": 4, "=": _RELATION, "!=": _RELATION, "in": 8, "union": 9,
}  # fmt: skip
_BINARIES = {"ctl": _BINARY, "ltl": _BINARY | dict.fromkeys("UVST", _UNTIL)}
_PREFIXES = {
    "ctl": frozenset(("EX", "EF", "EG", "AX", "AF", "AG")),
    "ltl": frozenset(("X", "F", "G", "Y", "Z", "O", "H")),
}
_QUANTIFIERS = {"ctl": frozenset("AE"), "ltl": frozenset[str]()}

_SKIPPED = re.compile(r"(?:\s|--[^\n]*)*")
_WORD = r"\w(?:[\w.$#]|-(?!>))*"
_QUOTED = r""" "[^"\n]*" | '[^'\n]*' """
#: ``!=`` is one sign after an operand; before one, ``!`` is.
_BEFORE_OPERAND = re.compile(rf"(?P<word>{_WORD}) | (?P<quoted>{_QUOTED}) | (?P<sign>[!({{}}])", re.VERBOSE)
_AFTER_OPERAND = re.compile(rf"(?P<word>{_WORD}) | (?P<sign><->|->|!=|[&|=)\[\]}},])", re.VERBOSE)
_ANYTHING = re.compile(rf"{_WORD} | {_QUOTED} | <->|->|!= | .", re.VERBOSE | re.DOTALL)

#: What people write from other languages, and what it is called here.
_FOREIGN = {
    "&&": "&", "||": "|", "==": "=", "=>": "->", "<=>": "<->", "<>": "!=", "~": "!", "and": "&", "or": "|", "not": "!",
    "true": "TRUE", "false": "FALSE", "implies": "->",
}  # fmt: skip


def parse(text: str, logic: Logic) -> Node:
    """The formula in `text`. Raises `FormulaError`, with offsets, where it is none."""
    return _Reader(text, logic).formula()


class _Token(NamedTuple):
    """`kind`: ``word``, ``quoted``, ``sign``, ``end``, or ``other``; `start`, `end`: offsets."""

    kind: str
    text: str
    start: int
    end: int


class _Part(NamedTuple):
    """A node, and where all of it stands, with the brackets around it.

    `height`: of the tree, brackets counted. `relates`: whether ``=``, ``in`` or ``union`` may follow; not after ``]``.
    """

    node: Node
    start: int
    end: int
    height: int
    relates: bool = True


class _Pending(NamedTuple):
    """What waits for its right operand: an operator, or an open bracket.

    `text`: the operator or bracket, of ``E [`` and ``A [`` the letter; `temporal`: whether the operand may begin with
    a temporal operator; `before`: the left operand, or what a set, or ``E [``, has already; of a set a list, as sets
    may be long.
    """

    text: str
    precedence: int
    token: _Token
    temporal: bool = True
    before: Sequence[_Part] = ()


class _Reader:
    """One formula: an operand, then what follows an operand, in turn."""

    def __init__(self, text: str, logic: Logic) -> None:
        self.text = text
        self.logic = logic
        self.at = 0
        self.pending: list[_Pending] = []
        #: Where in `pending` the open brackets are.
        self.brackets: list[int] = []
        self.binary = _BINARIES[logic]
        self.prefixes = _PREFIXES[logic]
        self.quantifiers = _QUANTIFIERS[logic]

    def formula(self) -> Node:
        while True:
            whole = self.follow(self.operand())
            if whole is not None:
                return whole.node

    def next(self, pattern: re.Pattern[str]) -> _Token:
        start = self.at
        skipped = _SKIPPED.match(self.text, start)
        if skipped:
            start = skipped.end()
        if start == len(self.text):
            return _Token("end", "", start, start)
        match = pattern.match(self.text, start)
        kind = (match.lastgroup or "other") if match else "other"
        match = match or _ANYTHING.match(self.text, start)
        assert match is not None  # `_ANYTHING` matches any character
        self.at = match.end()
        return _Token(kind, match.group(), start, self.at)

    def operand(self) -> _Part:
        """The next name, constant or empty set; what stands in front of it goes to `pending`."""
        while True:
            token = self.next(_BEFORE_OPERAND)
            said, start, end = token.text, token.start, token.end
            temporal = not self.pending or self.pending[-1].temporal
            if token.kind == "quoted":
                return _Part(Name(said[1:-1], True, start, end), start, end, 1)
            if token.kind == "word":
                if said in ("TRUE", "FALSE"):
                    return _Part(Constant(said == "TRUE", start, end), start, end, 1)
                if temporal and said in self.prefixes:
                    self.pending.append(_Pending(said, _TEMPORAL, token))
                elif temporal and said in self.quantifiers:
                    bracket = self.next(_AFTER_OPERAND)
                    if bracket.text != "[":
                        self.refuse(bracket, ["`[`"])
                    self.open(_Pending(said, _BRACKET, token), bracket)
                else:
                    return _Part(Name(said, False, start, end), start, end, 1)
                continue
            match said if token.kind == "sign" else "":
                case "!":
                    self.pending.append(_Pending("!", _NOT, token, temporal))
                case "(":
                    self.open(_Pending("(", _BRACKET, token), token)
                case "{":
                    self.open(_Pending("{", _BRACKET, token, temporal=False, before=[]), token)
                case "}" if self.opens_set() and not self.pending[-1].before:
                    opening = self.close()
                    return _Part(Set((), opening.start, end), opening.start, end, 1)
                case _:
                    self.refuse(token, self.operands())

    def follow(self, part: _Part) -> _Part | None:
        """Take what follows `part`: the whole formula if it ends here, None if another operand has to come."""
        while True:
            token = self.next(_AFTER_OPERAND)
            said = token.text if token.kind in ("word", "sign") else ""
            opening = self.pending[self.brackets[-1]] if self.brackets else None
            bracket = opening.text if opening else ""
            tight = self.binary.get(said, _BRACKET)
            if tight != _BRACKET and (part.relates or tight < _RELATION) and (bracket != "{" or said == "union"):
                left = self.reduce(part, tight + (tight == _ARROW))
                self.pending.append(_Pending(said, tight, token, tight < _RELATION, (left,)))
                return None
            if opening is None:
                if token.kind != "end":
                    self.refuse_after_operand(token, ["the end"])
                return self.reduce(part, _ARROW)
            match bracket, said:
                case "(", ")":
                    inner = self.reduce(part, _ARROW)
                    start = self.close().start
                    part = _Part(inner.node, start, token.end, self.higher(token, inner))
                case "{", ",":
                    assert isinstance(opening.before, list)
                    opening.before.append(self.reduce(part, _ARROW))
                    return None
                case "{", "}":
                    items = (*opening.before, self.reduce(part, _ARROW))
                    start = self.close().start
                    nodes = tuple(item.node for item in items)
                    part = _Part(Set(nodes, start, token.end), start, token.end, self.higher(token, *items))
                case (("E" | "A"), "U") if not opening.before:
                    left = self.reduce(part, _ARROW)
                    self.pending[-1] = opening._replace(before=(left,))
                    return None
                case (("E" | "A"), "]") if opening.before:
                    (left,), right = opening.before, self.reduce(part, _ARROW)
                    start = self.close().start
                    node = Binary(f"{bracket}U", left.node, right.node, start, token.end)
                    part = _Part(node, start, token.end, self.higher(token, left, right), relates=False)
                case _:
                    closing = {"(": ["`)`"], "{": ["`,`", "`}`"]}.get(bracket, ["`]`" if opening.before else "`U`"])
                    self.refuse_after_operand(token, closing)

    def reduce(self, part: _Part, precedence: int) -> _Part:
        """`part` with all that waits for it and binds at least as tightly as `precedence`."""
        while self.pending and self.pending[-1].precedence >= precedence:
            operator, _, token, _, before = self.pending.pop()
            height = self.higher(token, part, *before)
            if not before:
                part = _Part(Unary(operator, part.node, token.start, part.end), token.start, part.end, height)
                continue
            left, start, end = before[0], before[0].start, part.end
            if operator == "union":
                items: list[Node] = []
                for side in (left.node, part.node):
                    items += side.items if isinstance(side, Set) else (side,)
                part = _Part(Set(tuple(items), start, end), start, end, height)
            else:
                part = _Part(Binary(operator, left.node, part.node, start, end), start, end, height)
        return part

    def open(self, opening: _Pending, bracket: _Token) -> None:
        if len(self.brackets) == MAX_DEPTH:
            raise FormulaError(f"the formula is nested deeper than {MAX_DEPTH} brackets", bracket.start, bracket.end)
        self.brackets.append(len(self.pending))
        self.pending.append(opening)

    def close(self) -> _Token:
        """Drop the innermost bracket; gives where it was opened."""
        self.brackets.pop()
        return self.pending.pop().token

    def higher(self, token: _Token, *parts: _Part) -> int:
        """The height of what `token` makes of `parts`."""
        height = 1 + max(part.height for part in parts)
        if height >= MAX_HEIGHT:
            raise FormulaError(
                f"the formula is nested deeper than {MAX_HEIGHT} operators; for many brokers, write `loc in {{…}}`",
                token.start,
                token.end,
            )
        return height

    def opens_set(self) -> bool:
        return bool(self.pending) and self.pending[-1].text == "{"

    def operands(self) -> list[str]:
        """What may come where an operand may."""
        if not self.opens_set():
            return ["a formula"]
        return ["a name"] if self.pending[-1].before else ["a name", "`}`"]

    def refuse_after_operand(self, token: _Token, closing: list[str]) -> NoReturn:
        # Where a bracket is wrong or missing, that is what to say; an operator could go on almost anywhere.
        brackets = token.kind == "end" or token.text in (")", "]", "}", ",")
        self.refuse(token, closing if brackets else ["an operator", *closing])

    def refuse(self, token: _Token, expected: list[str]) -> NoReturn:
        """Say that `token` cannot stand where it does, and what could."""
        words = "; expected " + " or ".join([", ".join(expected[:-1]), expected[-1]] if expected[1:] else expected)
        if token.kind == "end":
            at = len(self.text.rstrip())
            raise FormulaError("the formula ends too soon" + words, at, at + 1)
        raise _unexpected(self.text, token.text, token.start, words, self.logic)


def _unexpected(text: str, word: str, start: int, expected: str, logic: Logic) -> FormulaError:
    end = start + len(word)
    # `==` and `&&` break in the middle; the words of other languages pass for names, until the next word comes.
    around = re.search(r"[&|=<>~!-]*$", text[:start])
    symbol = re.match(r"[&|=<>~!-]*", text[start:])
    if around and symbol and symbol.group():
        start, end = around.start(), start + symbol.end()
        whole = text[start:end]
        if whole in _FOREIGN:
            return FormulaError(f"`{whole}` is written `{_FOREIGN[whole]}` here", start, end)
        if re.fullmatch(r"[<>]=?", whole):
            return FormulaError(f"names have no order, so there is no `{whole}`; write `in {{…}}`", start, end)
        start, end = end - symbol.end(), end - symbol.end() + len(word)
    before = re.search(r"(\w+)\s*$", text[:start])
    if before and before.group(1) in _FOREIGN:
        other = before.group(1)
        return FormulaError(
            f"`{other}` is written `{_FOREIGN[other]}` here", before.start(), before.start() + len(other)
        )
    if word in _FOREIGN:
        return FormulaError(f"`{word}` is written `{_FOREIGN[word]}` here", start, end)
    if word == ";":
        return FormulaError("a specification ends without `;`", start, end)
    if word in ('"', "'"):
        return FormulaError("this quotation mark is not closed", start, end)
    temporal = {
        "ctl": ("X", "F", "G", "U", "Y", "Z", "O", "H", "S"),
        "ltl": ("EX", "EF", "EG", "AX", "AF", "AG", "E", "A"),
    }
    for candidate in (word, before.group(1) if before else ""):
        if candidate in temporal[logic]:
            other = "LTL" if logic == "ctl" else "CTL"
            at = before.start() if before and candidate != word else start
            return FormulaError(
                f"`{candidate}` is an operator of {other}, and this specification is in {logic.upper()}",
                at,
                at + len(candidate),
            )
    return FormulaError(f"`{word}` cannot stand here" + expected, start, end)
