"""Formulas about one client: ``lead and not received(claim)``, with positions and good errors.

From loose to tight: ``or``, ``and``, ``not``. A word is a predicate, a state, ``role.state`` or a role; a name with
other characters than letters, digits, ``_``, ``-`` and ``.`` stands in quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple, NoReturn

from momlint.estate.nearest import did_you_mean
from momlint.pubsub.form import All, Any, Atom, Constant, Formula, Kind, Negation

#: Deeper nesting than any person writes.
MAX_DEPTH = 100
#: Predicates with an argument: what it is called here, and what the argument is.
CALLS: dict[str, tuple[Kind, str]] = {
    "subscribed": ("subscribed", "topic"),
    "ever_subscribed": ("ever", "topic"),
    "received": ("received", "message"),
    "twice": ("twice", "message"),
    "late": ("late", "message"),
    "missed": ("missed", "message"),
}
_TOKEN = re.compile(
    r"""\s*(?: (?P<quoted> "[^"\n]*" | '[^'\n]*' ) | (?P<word> \w(?:[\w.-]*\w)? )
         | (?P<sign> [()] ) | (?P<other> \S ) )""",
    re.VERBOSE,
)
_FOREIGN = {
    "&": "and", "&&": "and", "|": "or", "||": "or", "!": "not", "AND": "and", "OR": "or", "NOT": "not", "TRUE": "true",
    "∧": "and", "∨": "or", "¬": "not",
}  # fmt: skip


class FormulaError(Exception):
    """The text is no formula, or speaks of something that does not exist: what is wrong and where."""

    def __init__(self, message: str, start: int, end: int) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = max(end, start + 1)


class Names(NamedTuple):
    """What formulas may speak of. `states`: of each role; topics and messages by their names."""

    roles: Sequence[str]
    states: Sequence[Sequence[str]]
    topics: Sequence[str]
    messages: Sequence[str]


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


def parse(text: str, names: Names) -> Formula:
    """The formula in `text`. Raises `FormulaError`, with offsets."""
    return _Reader(text, names).whole()


class _Reader:
    """One formula, by recursive descent; the depth is bounded."""

    def __init__(self, text: str, names: Names) -> None:
        self.text = text
        self.names = names
        self.depth = 0
        self.tokens: list[_Token] = []
        at = 0
        while (match := _TOKEN.match(text, at)) is not None:
            kind = match.lastgroup or "other"
            self.tokens.append(_Token(kind, match[kind], match.start(kind), match.end(kind)))
            at = match.end()
        end = len(text.rstrip())
        self.tokens.append(_Token("end", "", end, end + 1))
        self.at = 0

    @property
    def token(self) -> _Token:
        return self.tokens[self.at]

    def whole(self) -> Formula:
        formula = self.any()
        if self.token.kind != "end":
            self.refuse(self.token, "`and`, `or` or the end")
        return formula

    def any(self) -> Formula:
        return self.chain("or", self.all, Any)

    def all(self) -> Formula:
        return self.chain("and", self.not_, All)

    def chain(
        self, word: str, operand: Callable[[], Formula], make: Callable[[tuple[Formula, ...]], Formula]
    ) -> Formula:
        parts = [operand()]
        while self.takes(word):
            parts.append(operand())
        return parts[0] if len(parts) == 1 else make(tuple(parts))

    def not_(self) -> Formula:
        start = self.token
        if self.takes("not"):
            return Negation(self.nested(self.not_, start))
        if self.token.text == "(" and self.token.kind == "sign":
            self.at += 1
            inner = self.nested(self.any, start)
            if self.token.text != ")":
                self.refuse(self.token, "`)`")
            self.at += 1
            return inner
        return self.atom()

    def nested(self, inner: Callable[[], Formula], start: _Token) -> Formula:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise FormulaError(f"the formula is nested deeper than {MAX_DEPTH} levels", start.start, start.end)
        found = inner()
        self.depth -= 1
        return found

    def takes(self, word: str) -> bool:
        if self.token.kind == "word" and self.token.text == word:
            self.at += 1
            return True
        return False

    def atom(self) -> Formula:
        token = self.token
        if token.kind not in ("word", "quoted") or token.text in ("and", "or"):
            self.refuse(token, "a predicate")
        self.at += 1
        if token.kind == "word":
            if token.text in ("true", "false"):
                return Constant(token.text == "true")
            is_state = any(token.text in states for states in self.names.states)
            if token.text == "connected":
                self.refuse_both(token, is_state, "")
                return Atom("connected", start=token.start, end=token.end)
            if self.token.text == "(":
                return self.call(token)
            if token.text == "subscribed" and len(self.names.topics) == 1:
                self.refuse_both(token, is_state, f"({self.names.topics[0]})")
                return Atom("subscribed", start=token.start, end=token.end)
            if token.text in CALLS and not is_state:
                return self.call(token)
        return self.name(token)

    def refuse_both(self, token: _Token, is_state: bool, argument: str) -> None:
        """Raises `FormulaError` for a word that is a predicate and a state."""
        if not is_state:
            return
        role = next(
            name for name, states in zip(self.names.roles, self.names.states, strict=True) if token.text in states
        )
        other = f", or `{token.text}{argument}`" if argument else "; the predicate needs another name for the state"
        raise FormulaError(
            f"`{token.text}` is a predicate and a state; write `{role}.{token.text}`{other}", token.start, token.end
        )

    def call(self, word: _Token) -> Atom:
        """``received(claim)``."""
        found = CALLS.get(word.text)
        if found is None:
            hint = did_you_mean(word.text, tuple(CALLS))
            raise FormulaError(f"there is no predicate `{word.text}(…)`{hint}", word.start, word.end)
        kind, what = found
        known = self.names.topics if what == "topic" else self.names.messages
        if self.token.text != "(":
            raise FormulaError(f"`{word.text}` needs a {what}: `{word.text}({what.upper()})`", word.start, word.end)
        opening = self.token
        close = self.text.find(")", opening.end)
        if close < 0:
            raise FormulaError("this bracket is not closed", opening.start, opening.end)
        written = self.text[opening.end : close]
        start = opening.end + len(written) - len(written.lstrip())
        argument = written.strip()
        if len(argument) > 1 and argument[0] == argument[-1] and argument[0] in "'\"":
            argument = argument[1:-1]
        if argument not in known:
            if not argument:
                raise FormulaError(f"`{word.text}` needs a {what}", word.start, close + 1)
            hint = did_you_mean(argument, known)
            raise FormulaError(f"there is no {what} `{argument}`{hint}", start, start + len(written.strip()))
        while self.token.start <= close and self.token.kind != "end":
            self.at += 1
        return Atom(kind, known.index(argument), start=word.start, end=close + 1)

    def name(self, token: _Token) -> Atom:
        """A state, ``role.state`` or a role."""
        name = token.text[1:-1] if token.kind == "quoted" else token.text
        states = frozenset(
            (role, state)
            for role, names in enumerate(self.names.states)
            for state, own in enumerate(names)
            if own == name
        )
        is_role = name in self.names.roles
        if states and is_role:
            raise FormulaError(
                f"`{name}` is a role and a state; write `{self.names.roles[min(states)[0]]}.{name}` for the state",
                token.start,
                token.end,
            )
        if is_role:
            return Atom("role", self.names.roles.index(name), start=token.start, end=token.end)
        if not states:
            states = self.qualified(name, token)
        return Atom("state", 0, states, token.start, token.end)

    def qualified(self, name: str, token: _Token) -> frozenset[tuple[int, int]]:
        """``role.state``. Raises `FormulaError` where there is none."""
        for dot in (place for place, letter in enumerate(name) if letter == "."):
            role, state = name[:dot], name[dot + 1 :]
            if role in self.names.roles:
                number = self.names.roles.index(role)
                if state in self.names.states[number]:
                    return frozenset({(number, self.names.states[number].index(state))})
                hint = did_you_mean(state, self.names.states[number])
                raise FormulaError(f"role `{role}` has no state `{state}`{hint}", token.start, token.end)
        if name in _FOREIGN:
            raise FormulaError(f"`{name}` is written `{_FOREIGN[name]}` here", token.start, token.end)
        known = dict.fromkeys(state for states in self.names.states for state in states)
        words = (*known, *self.names.roles, "connected", *CALLS)
        raise FormulaError(
            f"there is no state, role or predicate `{name}`{did_you_mean(name, words)}", token.start, token.end
        )

    def refuse(self, token: _Token, expected: str) -> NoReturn:
        if token.kind == "end":
            at = max(token.start - 1, 0)
            raise FormulaError(f"the formula ends too soon; expected {expected}", at, at + 1)
        end = token.end
        while token.kind == "other" and self.text[end : end + 1] == token.text:
            end += 1
        whole = self.text[token.start : end]
        if whole in _FOREIGN:
            raise FormulaError(f"`{whole}` is written `{_FOREIGN[whole]}` here", token.start, end)
        raise FormulaError(f"`{whole}` cannot stand here; expected {expected}", token.start, end)
