"""From a tree of words to a formula over dense ids: what each name means, and whether it fits where it stands."""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

from momlint.estate.nearest import did_you_mean
from momlint.routed.specs.ends import Ends, ends_of
from momlint.routed.specs.formula import (
    BROKER_VARIABLES,
    FALSE,
    Attached,
    BrokerUp,
    Fixed,
    Formula,
    Junction,
    Not,
    Path,
    Same,
    SameTopic,
    TopicOf,
    Variable,
    VariableIn,
)
from momlint.routed.specs.syntax import Binary, Constant, FormulaError, Name, Node, Set, Unary

if TYPE_CHECKING:
    from momlint.routed.specs.vocabulary import Names

#: Which model a formula speaks of: the message's walk, or who hangs on which broker.
ModelName: TypeAlias = Literal["overlay", "takeover"]
Kind: TypeAlias = Literal["broker", "colour", "topic"]

_ATTACHED = re.compile(r"(?P<role>publisher|subscriber)(?P<label>.+)\.(?P<part>pub|sub)_bro(?P<broker>.+)", re.DOTALL)
_TOPIC = re.compile(r"(?P<role>publisher|subscriber)(?P<label>.+)\.(?P<part>pub|sub)_topic", re.DOTALL)
_STATE = re.compile(r"(?P<broker>.+)\.state", re.DOTALL)


class _Variable(NamedTuple):
    kind: Kind
    name: Variable


class _EndTopic(NamedTuple):
    kind: Kind
    end: int


class _Value(NamedTuple):
    node: Name


_Term: TypeAlias = _Variable | _EndTopic | _Value


class Resolved(NamedTuple):
    """A formula and the model it speaks of."""

    formula: Formula
    model: ModelName


def resolve(tree: Node, names: Names) -> Resolved:
    """What `tree` says about the estate with these `names`.

    Raises `FormulaError` where it speaks of what does not exist, compares what cannot be compared, or mixes the two
    models.
    """
    return _Resolver(names).resolve(tree)


class _Resolver:
    def __init__(self, names: Names) -> None:
        self.names = names
        self.brokers = {name: i for i, name in enumerate(names.brokers)}
        self.colours = {name: i for i, name in enumerate(names.colours)}
        self.topics = {topic.name: i for i, topic in enumerate(names.topics)}
        #: The first name that settles the model, and which model.
        self.walks: Name | None = None
        self.attaches: Name | None = None

    @functools.cached_property
    def ends(self) -> Ends:
        return ends_of(self.names)

    @functools.cached_property
    def end_number(self) -> dict[tuple[str, str], int]:
        return {(end.role, end.label): i for i, end in enumerate(self.ends.nodes)}

    def resolve(self, tree: Node) -> Resolved:
        formula = self.condition(tree)
        if self.walks is not None and self.attaches is not None:
            later = max(self.walks, self.attaches, key=lambda name: name.start)
            raise FormulaError(
                f"`{self.walks.text}` belongs to the walk of a message and `{self.attaches.text}` to the model of "
                "take-overs; a specification speaks of one of them",
                later.start,
                later.end,
            )
        model: ModelName = "overlay"
        if self.attaches is not None or (self.walks is None and self.names.takeover):
            model = "takeover"
        return Resolved(formula, model)

    # Conditions

    def condition(self, node: Node) -> Formula:
        match node:
            case Constant(value):
                return Fixed(value)
            case Name():
                return self.named_condition(node)
            case Unary("!", operand):
                if isinstance(operand, Name) and self.is_value(operand):
                    raise FormulaError(
                        f"`!` turns a condition round, and `{operand.text}` is none (`!` binds tighter than `=`: write "
                        f"`{operand.text} != …`, or `!({operand.text} = …)`)",
                        node.start,
                        node.end,
                    )
                return Not(self.condition(operand))
            case Unary(operator, operand):
                return Path(operator, self.condition(operand))
            case Binary("=" | "!=" | "in"):
                return self.comparison(node)
            case Binary("EU" | "AU" | "U" | "V" | "S" | "T" as operator, left, right):
                return Path(operator, self.condition(right), self.condition(left))
            case Binary(operator, left, right):
                word = "xnor" if operator == "<->" else operator
                junction = cast(Literal["&", "|", "xor", "xnor", "->"], word)
                return Junction(junction, self.condition(left), self.condition(right))
            case Set():
                raise FormulaError("a set is no condition; write `loc in {…}`", node.start, node.end)
        raise AssertionError(node)

    def is_value(self, node: Node) -> bool:
        """Whether `node` stands for a value and not for a condition."""
        if isinstance(node, Set):
            return True
        return isinstance(node, Name) and (node.quoted or self.boolean(node) is None)

    def named_condition(self, node: Name) -> Formula:
        found = None if node.quoted else self.boolean(node)
        if found is not None:
            return found
        if not node.quoted and self.variable(node) is not None:
            raise FormulaError(
                f"`{node.text}` is no condition; compare it with a value: `{node.text} = …`", node.start, node.end
            )
        self.explain_unknown_part(node)
        raise self.unknown_variable(node)

    def boolean(self, node: Name) -> Formula | None:
        """The condition that `node` names: the state of a broker, or where an end node hangs."""
        found = _ATTACHED.fullmatch(node.text)
        if found and found["part"] == found["role"][:3]:
            end = self.end_number.get((found["role"], found["label"]))
            broker = self.brokers.get(found["broker"])
            if end is not None and broker is not None:
                self.attaches = self.attaches or node
                return Attached(end, broker)
        found = _STATE.fullmatch(node.text)
        if found:
            broker = self.state_of(found["broker"])
            if broker is not None:
                return BrokerUp(broker)
        return None

    def state_of(self, text: str) -> int | None:
        """The broker in ``broker1.state``, or in ``london.state``."""
        if text in self.brokers:
            return self.brokers[text]
        return self.brokers.get(text.removeprefix("broker")) if text.startswith("broker") else None

    def explain_unknown_part(self, node: Name) -> None:
        """Say which part of a dotted name is unknown, if it has the form of one that exists."""
        if found := _ATTACHED.fullmatch(node.text) or _TOPIC.fullmatch(node.text):
            parts = found.groupdict()
            if (parts["role"], parts["label"]) not in self.end_number:
                every = [end.name for end in self.ends.nodes if end.role == parts["role"]]
                name = parts["role"] + parts["label"]
                raise FormulaError(
                    f"there is no {parts['role']} `{name}`{did_you_mean(name, every)}",
                    node.start,
                    node.start + len(name),
                )
            if parts["part"] != parts["role"][:3]:
                raise FormulaError(
                    f"a {parts['role']} has `{parts['role'][:3]}_…`, not `{parts['part']}_…`", node.start, node.end
                )
            if "broker" in parts:
                self.no_broker(parts["broker"], node.end - len(parts["broker"]), node.end)
        if found := _STATE.fullmatch(node.text):
            text = found["broker"].removeprefix("broker") or found["broker"]
            self.no_broker(text, node.start, node.end - len(".state"))

    def unknown_variable(self, node: Name) -> FormulaError:
        hint = did_you_mean(node.text, self.variables())
        return FormulaError(f"unknown variable `{node.text}`{hint}; {self.known_variables()}", node.start, node.end)

    def no_broker(self, text: str, start: int, end: int) -> None:
        raise FormulaError(f"unknown broker `{text}`{did_you_mean(text, self.names.brokers)}", start, end)

    # Values

    def comparison(self, node: Binary) -> Formula:
        left, right = node.left, node.right
        negate = node.operator == "!="
        if node.operator != "in" and not (self.is_value(left) and self.is_value(right)):
            return self.compare_conditions(node)
        if node.operator != "in":
            for side in (left, right):
                if isinstance(side, Set):
                    raise FormulaError("a set is compared with `in`: `loc in {…}`", node.start, node.end)
            found = self.equal(self.term(left), self.term(right), node)
        else:
            if not self.is_value(left) or isinstance(left, Set):
                raise FormulaError("`in` wants a variable on its left", left.start, left.end)
            items = right.items if isinstance(right, Set) else (right,)
            term = self.term(left)
            found = FALSE
            for item in items:
                one = self.equal(term, self.term(item), node)
                if isinstance(found, VariableIn) and isinstance(one, VariableIn):
                    found = VariableIn(found.variable, found.values | one.values)
                else:
                    found = one if found == FALSE else Junction("|", found, one)
        return Not(found) if negate else found

    def compare_conditions(self, node: Binary) -> Formula:
        for side, other in ((node.left, node.right), (node.right, node.left)):
            if self.is_value(side):
                word = side.text if isinstance(side, Name) else "a set"
                if isinstance(other, Unary) and other.operator == "!" and isinstance(other.operand, Name):
                    self.condition(other)
                if isinstance(side, Name) and not side.quoted and self.variable(side) is None:
                    self.named_condition(side)
                raise FormulaError(f"`{word}` is a value and cannot be compared with a condition", node.start, node.end)
            if self.is_temporal(side):
                raise FormulaError(
                    f"`{node.operator}` compares values; between temporal formulas write "
                    f"`{'<->' if node.operator == '=' else 'xor'}`",
                    node.start,
                    node.end,
                )
        return Junction(
            "xnor" if node.operator == "=" else "xor", self.condition(node.left), self.condition(node.right)
        )

    def is_temporal(self, node: Node) -> bool:
        match node:
            case Unary(operator, operand):
                return operator != "!" or self.is_temporal(operand)
            case Binary(operator, left, right):
                return operator in ("EU", "AU", "U", "V", "S", "T") or self.is_temporal(left) or self.is_temporal(right)
        return False

    def term(self, node: Node) -> _Term:
        if isinstance(node, Name):
            return (None if node.quoted else self.variable(node)) or _Value(node)
        raise FormulaError("a variable or a name belongs here", node.start, node.end)

    def variable(self, node: Name) -> _Variable | _EndTopic | None:
        if node.text in BROKER_VARIABLES:
            self.walks = self.walks or node
            return _Variable("broker", node.text)
        if node.text in ("colour", "topic"):
            if node.text == "colour" and not self.colours:
                raise FormulaError("this estate declares no colours, so there is no `colour`", node.start, node.end)
            if node.text == "topic" and not self.topics:
                raise FormulaError("this estate declares no topics, so there is no `topic`", node.start, node.end)
            self.walks = self.walks or node
            return _Variable(cast(Kind, node.text), cast(Variable, node.text))
        found = _TOPIC.fullmatch(node.text)
        if found and found["part"] == found["role"][:3]:
            end = self.end_number.get((found["role"], found["label"]))
            if end is not None:
                self.attaches = self.attaches or node
                return _EndTopic("topic", end)
        return None

    def equal(self, left: _Term, right: _Term, node: Binary) -> Formula:
        if isinstance(left, _Value):
            left, right = right, left
        if isinstance(left, _Value):
            for side in (left.node, cast(_Value, right).node):
                if not side.quoted:
                    self.explain_unknown_part(side)
            first = min(left.node, cast(_Value, right).node, key=lambda name: name.start)
            raise self.unknown_variable(first)
        if isinstance(right, _Value):
            if isinstance(left, _EndTopic):
                return TopicOf(left.end, frozenset({self.value("topic", right.node, self.ends.topics)}))
            table = {"broker": self.names.brokers, "colour": self.names.colours}.get(left.kind) or tuple(self.topics)
            return VariableIn(left.name, frozenset({self.value(left.kind, right.node, table)}))
        if left.kind != right.kind:
            raise FormulaError(f"a {left.kind} is compared with a {right.kind} here", node.start, node.end)
        if isinstance(left, _EndTopic) and isinstance(right, _EndTopic):
            return SameTopic(left.end, right.end)
        if isinstance(left, _Variable) and isinstance(right, _Variable):
            return Fixed(True) if left == right else Same(left.name, right.name)
        raise FormulaError(
            "`topic` belongs to the walk of a message and an end node's topic to the model of take-overs; a "
            "specification speaks of one of them",
            node.start,
            node.end,
        )

    def value(self, kind: Kind, node: Name, table: Sequence[str]) -> int:
        if kind == "broker":
            found = self.brokers.get(node.text)
        elif kind == "colour":
            found = self.colours.get(node.text)
        else:
            found = table.index(node.text) if node.text in table else None
        if found is None:
            if not node.quoted:
                self.explain_unknown_part(node)
            raise FormulaError(f"unknown {kind} `{node.text}`{did_you_mean(node.text, table)}", node.start, node.end)
        return found

    # Words

    def variables(self) -> list[str]:
        every: list[str] = list(BROKER_VARIABLES)
        if self.colours:
            every.append("colour")
        if self.topics:
            every.append("topic")
        return every

    def known_variables(self) -> str:
        *some, last = [f"`{name}`" for name in self.variables()]
        return f"known are {', '.join(some)} and {last}, and `broker….state`"
