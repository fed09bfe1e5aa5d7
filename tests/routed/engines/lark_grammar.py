"""The language of specifications as a grammar for lark: what the tests hold `momlint.routed.specs.parse` to.

Written apart from it, by another method (LALR tables in place of a stack of operators), from NuSMV's manual. It gives
the tree or refuses; what is wrong with a text is not its affair.
"""

from __future__ import annotations

import functools
from typing import Any

from lark import Lark, LarkError, Token

from momlint.routed.specs.syntax import Binary, Constant, Name, Node, Set, Unary

#: As the parser's bounds, given apart from it.
MAX_DEPTH = 100
MAX_HEIGHT = 300

#: Words between operands are whole ones, as for NuSMV: `p Uq` is no formula. Their terminals begin with a line so that
#: lark leaves them out of the tree, as it does the signs.
_GRAMMAR = r"""
    start: implies
    ?implies: iff | iff "->" implies -> implies
    ?iff: either | iff "<->" either -> iff
    ?either: both | either "|" both -> or | either _XOR both -> xor | either _XNOR both -> xnor
    ?both: until | both "&" until -> and
    %(until)s
    ?unary: temporal | relation
    %(temporal)s
    ?relation: member | relation "=" member -> eq | relation "!=" member -> ne
    ?member: joined | member _IN joined -> in
    ?joined: prime | joined _UNION prime -> union
    ?prime: "!" prime -> not | "(" implies ")" -> group | set | name | "TRUE" -> true | "FALSE" -> false
    set: "{" [joined ("," joined)*] "}"
    name: WORD | QUOTED

    WORD: /[^\W](?:[\w.$#]|-(?!>))*/
    _XOR: /xor(?![\w.$#]|-(?!>))/
    _XNOR: /xnor(?![\w.$#]|-(?!>))/
    _IN: /in(?![\w.$#]|-(?!>))/
    _UNION: /union(?![\w.$#]|-(?!>))/
    _U: /U(?![\w.$#]|-(?!>))/
    _V: /V(?![\w.$#]|-(?!>))/
    _S: /S(?![\w.$#]|-(?!>))/
    _T: /T(?![\w.$#]|-(?!>))/
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
             | "E" "[" implies _U implies "]" -> eu | "A" "[" implies _U implies "]" -> au
    """,
}
_LTL = {
    "until": """?until: unary | until _U unary -> u | until _V unary -> v
                | until _S unary -> s | until _T unary -> t""",
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


class NoFormulaError(Exception):
    """The text is no formula, or nested too deep."""


def parse_by_grammar(text: str, logic: str) -> Node:
    """The formula in `text`. Raises `NoFormulaError` where it is none."""
    try:
        tree = _parser(logic).parse(text)
    except LarkError as error:
        raise NoFormulaError(str(error)) from None
    height, depth = _height_and_depth(tree)
    if height >= MAX_HEIGHT or depth > MAX_DEPTH:
        raise NoFormulaError(f"{height} operators, {depth} brackets")
    return _node(tree.children[0])


def _height_and_depth(tree: Any) -> tuple[int, int]:
    """The most trees, and the most trees with brackets of their own, within each other; the root is none."""
    height = depth = 0
    level = [(child, 0) for child in tree.children]
    while level:
        height += 1
        below = [(one, outer + (one.data in ("group", "set", "eu", "au"))) for one, outer in level]
        depth = max(depth, *(found for _, found in below))
        level = [(child, found) for one, found in below for child in one.children if not isinstance(child, Token)]
    return height, depth


@functools.cache
def _parser(logic: str) -> Lark:
    return Lark(
        _GRAMMAR % (_CTL if logic == "ctl" else _LTL),
        parser="lalr",
        propagate_positions=True,
        maybe_placeholders=False,
    )


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
