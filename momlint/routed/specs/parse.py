"""CTL and LTL as NuSMV writes them, with NuSMV's precedence, and positions.

From loose to tight: ``->`` (to the right); ``<->``; ``|``, ``xor``, ``xnor``; ``&``; in LTL ``U``, ``V``, ``S``,
``T``; the temporal operators of one operand; ``=``, ``!=``; ``in``; ``union``; ``!``. So ``AF loc = 2`` is ``AF (loc
= 2)``, and ``G p -> q`` is ``(G p) -> q``. Wider than NuSMV in names only: a name that NuSMV could not read may stand
in quotes. lark is imported, and the grammar compiled, on the first formula that `plain` cannot read.
"""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from momlint.routed.specs.quick_parse import plain
from momlint.routed.specs.syntax import Binary, Constant, FormulaError, Name, Node, Set, Unary

if TYPE_CHECKING:
    from lark import Lark, Token

Logic: TypeAlias = Literal["ctl", "ltl"]

#: Deeper nesting than any person writes; a bound, so that recursion over the tree cannot overflow.
MAX_DEPTH = 100
#: The same for operators, chains of one kind included.
MAX_HEIGHT = 300

_GRAMMAR = r"""
    start: implies
    ?implies: iff | iff "->" implies -> implies
    ?iff: either | iff "<->" either -> iff
    ?either: both | either "|" both -> or | either "xor" both -> xor | either "xnor" both -> xnor
    ?both: until | both "&" until -> and
    %(until)s
    ?unary: temporal | relation
    %(temporal)s
    ?relation: member | relation "=" member -> eq | relation "!=" member -> ne
    ?member: joined | member "in" joined -> in
    ?joined: prime | joined "union" prime -> union
    ?prime: "!" prime -> not | "(" implies ")" -> group | set | name | "TRUE" -> true | "FALSE" -> false
    set: "{" [joined ("," joined)*] "}"
    name: WORD | QUOTED

    WORD: /[^\W](?:[\w.$#]|-(?!>))*/
    QUOTED: /"[^"\n]*"|'[^'\n]*'/
    %%ignore /\s+/
    %%ignore /--[^\n]*/
"""

_CTL = {
    "until": "?until: unary",
    "temporal": """
    ?temporal: "!" temporal -> not
             | "EX" unary -> ex | "EF" unary -> ef | "EG" unary -> eg
             | "AX" unary -> ax | "AF" unary -> af | "AG" unary -> ag
             | "E" "[" implies "U" implies "]" -> eu | "A" "[" implies "U" implies "]" -> au
    """,
}
_LTL = {
    "until": """?until: unary | until "U" unary -> u | until "V" unary -> v
                | until "S" unary -> s | until "T" unary -> t""",
    "temporal": """
    ?temporal: "!" temporal -> not
             | "X" unary -> x | "F" unary -> f | "G" unary -> g
             | "Y" unary -> y | "Z" unary -> z | "O" unary -> o | "H" unary -> h
    """,
}

_BINARY = {
    "implies": "->", "iff": "<->", "or": "|", "xor": "xor", "xnor": "xnor", "and": "&", "eq": "=", "ne": "!=",
    "in": "in", "eu": "EU", "au": "AU", "u": "U", "v": "V", "s": "S", "t": "T",
}  # fmt: skip
_UNARY = {rule: rule.upper() for rule in ("ex", "ef", "eg", "ax", "af", "ag", "x", "f", "g", "y", "z", "o", "h")}

#: What people write from other languages, and what it is called here.
_FOREIGN = {
    "&&": "&", "||": "|", "==": "=", "=>": "->", "<=>": "<->", "<>": "!=", "~": "!", "and": "&", "or": "|", "not": "!",
    "true": "TRUE", "false": "FALSE", "implies": "->",
}  # fmt: skip


def parse(text: str, logic: Logic) -> Node:
    """The formula in `text`. Raises `FormulaError`, with offsets, where it is none."""
    return plain(text, logic) or parse_by_grammar(text, logic)


def parse_by_grammar(text: str, logic: Logic) -> Node:
    """What `parse` says, always by lark and the grammar."""
    from lark.exceptions import UnexpectedCharacters, UnexpectedEOF, UnexpectedToken

    _refuse_deep(text)
    try:
        tree = _parser(logic).parse(text)
    except UnexpectedToken as error:
        token = error.token
        if token.type == "$END":
            raise _too_soon(text, error) from None
        raise _unexpected(text, str(token), token.start_pos or 0, error, logic) from None
    except UnexpectedCharacters as error:
        start = error.pos_in_stream or 0
        found = re.match(r"\w+|.", text[start:], re.DOTALL)
        raise _unexpected(text, found.group() if found else "", start, error, logic) from None
    except UnexpectedEOF as error:
        raise _too_soon(text, error) from None
    _refuse_tall(tree)
    return _node(tree.children[0])


def _too_soon(text: str, error: Any) -> FormulaError:
    at = len(text.rstrip())
    return FormulaError("the formula ends too soon" + _expected(error), at, at + 1)


def _refuse_tall(tree: Any) -> None:
    """Refuse what brackets do not nest and operators do, so that recursion over the tree cannot overflow."""
    level = [tree]
    for _ in range(MAX_HEIGHT):
        level = [child for one in level for child in one.children if hasattr(child, "children")]
        if not level:
            return
    meta = level[0].meta
    raise FormulaError(
        f"the formula is nested deeper than {MAX_HEIGHT} operators; for many brokers, write `loc in {{…}}`",
        meta.start_pos,
        meta.end_pos,
    )


def _refuse_deep(text: str) -> None:
    depth = 0
    for index, character in enumerate(text):
        depth += (character in "([{") - (character in ")]}")
        if depth > MAX_DEPTH:
            raise FormulaError(f"the formula is nested deeper than {MAX_DEPTH} brackets", index, index + 1)


@functools.cache
def _parser(logic: Logic) -> Lark:
    from lark import Lark

    return Lark(
        _GRAMMAR % (_CTL if logic == "ctl" else _LTL),
        parser="lalr",
        propagate_positions=True,
        maybe_placeholders=False,
    )


def _unexpected(text: str, word: str, start: int, error: Any, logic: Logic) -> FormulaError:
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
    if word in "\"'":
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
    return FormulaError(f"`{word}` cannot stand here" + _expected(error), start, end)


_KINDS = {
    "WORD": "a name", "QUOTED": "", "TRUE": "", "FALSE": "", "LBRACE": "", "LPAR": "a formula", "BANG": "",
    "$END": "the end", "RPAR": "`)`", "RSQB": "`]`", "LSQB": "`[`", "RBRACE": "`}`", "COMMA": "`,`",
    "VBAR": "an operator",
}  # fmt: skip


def _expected(error: Any) -> str:
    allowed = set(getattr(error, "accepts", None) or getattr(error, "expected", None) or ())
    words = [
        _KINDS[kind]
        for kind in ("WORD", "LPAR", "VBAR", "RPAR", "RSQB", "LSQB", "RBRACE", "COMMA", "$END")
        if kind in allowed and _KINDS[kind]
    ]
    if not words:
        return ""
    if "a formula" in words and "a name" in words:
        words.remove("a name")
    return "; expected " + " or ".join([", ".join(words[:-1]), words[-1]] if words[1:] else words)


def _node(tree: Any) -> Node:
    rule = str(tree.data)
    start, end = int(tree.meta.start_pos), int(tree.meta.end_pos)
    children = tree.children
    if rule in _BINARY:
        return Binary(_BINARY[rule], _node(children[0]), _node(children[1]), start, end)
    if rule in _UNARY:
        return Unary(_UNARY[rule], _node(children[0]), start, end)
    match rule:
        case "not":
            return Unary("!", _node(children[0]), start, end)
        case "group":
            return _node(children[0])
        case "true" | "false":
            return Constant(rule == "true", start, end)
        case "name":
            return _name(children[0], start, end)
        case "set":
            return Set(tuple(_node(child) for child in children), start, end)
        case "union":
            items: list[Node] = []
            for child in (_node(children[0]), _node(children[1])):
                items += child.items if isinstance(child, Set) else (child,)
            return Set(tuple(items), start, end)
    raise AssertionError(rule)


def _name(token: Token, start: int, end: int) -> Name:
    quoted = token.type == "QUOTED"
    return Name(str(token)[1:-1] if quoted else str(token), quoted, start, end)
