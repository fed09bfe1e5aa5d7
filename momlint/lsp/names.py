"""Where the names of brokers and topics stand in an estate's files: as keys, as values, and inside of others.

The places are routes, as the language has them; a test holds them to the places that the resolver looks names up at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Literal, TypeAlias

from momlint.estate.load import LoadedEstate
from momlint.findings import Span
from momlint.native.kinds import may_be_native
from momlint.records import dataclass
from momlint.routed.specs.formula import BROKER_VARIABLES
from momlint.routed.specs.parse import Logic, parse
from momlint.routed.specs.syntax import Binary, FormulaError, Name, Set, Unary
from momlint.routed.specs.syntax import Node as Formula
from momlint.source import MappingNode, Node, ScalarNode, SequenceNode, inside

Kind: TypeAlias = Literal["broker", "topic"]
#: Keys of mappings; ``*``: every value of a mapping, every item of a list; ``@``: every key of a mapping.
Route: TypeAlias = tuple[str, ...]

BROKER_ROUTES: tuple[Route, ...] = (
    ("brokers", "@"),
    ("links", "*", "between", "*"),
    ("links", "*", "from"),
    ("links", "*", "to"),
    ("links", "*", "alternatives", "@"),
    ("links", "*", "alternatives", "*", "*"),
    ("topics", "*", "publishers", "*"),
    ("topics", "*", "subscribers", "*"),
    ("routing", "tables", "@"),
    ("routing", "tables", "*", "@"),
    ("routing", "tables", "*", "*", "*"),
    ("failures", "recovery", "@"),
    ("failures", "recovery", "*", "*", "to"),
    ("failures", "recovery", "*", "*", "via"),
    ("failures", "takeover", "@"),
    ("failures", "takeover", "*"),
    ("failures", "takeover", "*", "*"),
    ("subscriptions", "*", "at"),
    ("publications", "*", "at"),
)
TOPIC_ROUTES: tuple[Route, ...] = (
    ("topics", "@"),
    ("simulation", "traffic", "*", "topic"),
    ("clients", "*", "publishes", "*"),
    ("clients", "*", "subscribes", "*"),
)
#: A link, a broker or a group.
FAILING_ROUTES: tuple[Route, ...] = (("failures", "colours", "*", "*"), ("groups", "*", "*"))
#: Colours of rows.
COLOUR_ROUTES: tuple[Route, ...] = (
    ("failures", "recovery", "*", "*", "colours", "*"),
    ("failures", "recovery", "*", "*", "except", "*"),
)
_DIRECTION_ROUTES: tuple[Route, ...] = (("links", "*", "cost", "@"), ("links", "*", "latency_ms", "@"))
_FORMULA_ROUTES: tuple[tuple[Route, Logic], ...] = ((("specs", "*", "ctl"), "ctl"), (("specs", "*", "ltl"), "ltl"))
_DECLARED: dict[Kind, Route] = {"broker": ("brokers", "@"), "topic": ("topics", "@")}

_ATTACHED = re.compile(r"(publisher|subscriber)(?P<label>.+)\.(?:pub|sub)_bro(?P<broker>.+)", re.DOTALL)
_OF_TOPIC = re.compile(r"(publisher|subscriber)(?P<label>.+)\.(?:pub|sub)_topic", re.DOTALL)
_STATE = re.compile(r"(?P<broker>.+)\.state", re.DOTALL)
_FURTHER = re.compile(r"_[0-9]+")


@dataclass(frozen=True, slots=True)
class Use:
    """A name in a file. `span`: where it is written; `node`: the scalar that it is, or a part of, with its quotes.

    `within`: which part of the node's text, None for all of it. `declares`: whether it is where the thing is declared.
    """

    kind: Kind
    name: str
    file: str
    span: Span
    node: ScalarNode
    within: tuple[int, int] | None = None
    declares: bool = False
    in_formula: bool = False


def uses(loaded: LoadedEstate) -> list[Use]:
    """All names of brokers and topics in an estate's files of YAML, each place once, however often it is used."""
    found: dict[tuple[str, Span], Use] = {}
    names = _Names(loaded)
    for source, document in loaded.documents:
        # What was made of a broker's own file has names of its own.
        if document.root is None or may_be_native(source.file):
            continue
        for use in names.of(source.file, source.lines, document.root):
            known = found.get((use.file, use.span))
            if known is None or (use.declares and not known.declares):
                found[use.file, use.span] = use
    return sorted(found.values(), key=lambda use: (use.file, use.span))


def scalars(node: Node | None, route: Route) -> Iterator[ScalarNode]:
    """The scalars that a route leads to."""
    if node is None:
        return
    if not route:
        if isinstance(node, ScalarNode):
            yield node
        return
    step, rest = route[0], route[1:]
    if step == "@":
        if isinstance(node, MappingNode):
            yield from (entry.key for entry in node.entries)
    elif step == "*":
        if isinstance(node, SequenceNode):
            below: Sequence[Node] = node.items
        else:
            below = [entry.value for entry in node.entries] if isinstance(node, MappingNode) else ()
        for one in below:
            yield from scalars(one, rest)
    elif isinstance(node, MappingNode):
        entry = node.get(step)
        if entry is not None:
            yield from scalars(entry.value, rest)


class _Names:
    """What names mean in one estate."""

    def __init__(self, loaded: LoadedEstate) -> None:
        roots = [document.root for _, document in loaded.documents if document.root is not None]
        self._brokers = {node.text for root in roots for node in scalars(root, ("brokers", "@"))}
        self._topics = {node.text for root in roots for node in scalars(root, ("topics", "@"))}
        self._link_ids = {node.text for root in roots for node in scalars(root, ("links", "*", "id"))}
        self._ends = set()
        if loaded.estate is not None:
            brokers = loaded.estate.brokers
            self._ends = {frozenset((brokers[one.tail].id, brokers[one.head].id)) for one in loaded.estate.links}

    def of(self, file: str, lines: Sequence[str], root: Node) -> Iterator[Use]:
        for kind, routes in (("broker", BROKER_ROUTES), ("topic", TOPIC_ROUTES)):
            for route in routes:
                if route[:2] == ("failures", "recovery") and _is_file(root):
                    continue
                declares = route == _DECLARED[kind]  # type: ignore[index]
                for node in scalars(root, route):
                    yield Use(kind, node.text, file, node.span, node, None, declares)  # type: ignore[arg-type]
        for route in FAILING_ROUTES:
            for node in scalars(root, route):
                yield from self._failing(file, lines, node)
        for route in _DIRECTION_ROUTES:
            for node in scalars(root, route):
                yield from self._ends_of(file, lines, node, ("->",))
        for route, logic in _FORMULA_ROUTES:
            for node in scalars(root, route):
                yield from self._formula(file, lines, node, logic)

    def _failing(self, file: str, lines: Sequence[str], node: ScalarNode) -> Iterator[Use]:
        """A link goes before a broker, as the resolver has it."""
        if node.text in self._link_ids:
            return
        found = list(self._ends_of(file, lines, node, ("--", "->")))
        if found:
            yield from found
        elif node.text in self._brokers:
            yield Use("broker", node.text, file, node.span, node)

    def _ends_of(self, file: str, lines: Sequence[str], node: ScalarNode, signs: Sequence[str]) -> Iterator[Use]:
        """The two brokers in ``a--b`` or ``a->b``."""
        text = node.text
        for sign in signs:
            at = text.find(sign, 1)
            while at != -1:
                left, right = text[:at], text[at + len(sign) :]
                if frozenset((left, right)) in self._ends and {left, right} <= self._brokers:
                    yield from self._part(file, lines, node, (0, at), "broker")
                    yield from self._part(file, lines, node, (at + len(sign), len(text)), "broker")
                    return
                at = text.find(sign, at + 1)

    def _formula(self, file: str, lines: Sequence[str], node: ScalarNode, logic: Logic) -> Iterator[Use]:
        try:
            tree = parse(node.text, logic)
        except FormulaError:
            return
        for kind, start, end in self._in_formula(tree):
            yield from self._part(file, lines, node, (start, end), kind, in_formula=True)

    def _part(
        self,
        file: str,
        lines: Sequence[str],
        node: ScalarNode,
        within: tuple[int, int],
        kind: Kind,
        *,
        in_formula: bool = False,
    ) -> Iterator[Use]:
        span = inside(node, lines, *within)
        if span is not None:
            name = node.text[slice(*within)]
            yield Use(kind, name, file, span, node, within, in_formula=in_formula)

    def _in_formula(self, node: Formula) -> Iterator[tuple[Kind, int, int]]:
        """Kind, start and end of each broker and topic; of quoted ones without the quotes."""
        match node:
            case Name() if not node.quoted:
                yield from self._parts(node)
            case Set(items=items):
                for item in items:
                    yield from self._in_formula(item)
            case Unary(operand=operand):
                yield from self._in_formula(operand)
            case Binary(operator="=" | "!=" | "in", left=left, right=right):
                kinds = {kind for side in (left, right) if (kind := _variable(side)) is not None}
                for side in (left, right):
                    for one in side.items if isinstance(side, Set) else (side,):
                        value = self._value(one, kinds)
                        if value is not None:
                            yield value
                        else:
                            yield from self._in_formula(one)
            case Binary(left=left, right=right):
                yield from self._in_formula(left)
                yield from self._in_formula(right)
            case _:
                pass

    def _value(self, node: Formula, kinds: set[Kind]) -> tuple[Kind, int, int] | None:
        if not isinstance(node, Name) or _variable(node) is not None:
            return None
        quote = 1 if node.quoted else 0
        for kind, names in (("broker", self._brokers), ("topic", self._topics)):
            if kind in kinds and node.text in names:
                return kind, node.start + quote, node.end - quote
        return None

    def _parts(self, node: Name) -> Iterator[tuple[Kind, int, int]]:
        """The brokers in ``publisher1.pub_bro2``, ``publisher1.pub_topic`` and ``broker1.state``."""
        if found := _ATTACHED.fullmatch(node.text) or _OF_TOPIC.fullmatch(node.text):
            label, start = found["label"], node.start + found.start("label")
            broker = label if label in self._brokers else _FURTHER.sub("", label)
            if broker in self._brokers and label.startswith(broker):
                yield "broker", start, start + len(broker)
            if "broker" in found.groupdict() and found["broker"] in self._brokers:
                yield "broker", node.start + found.start("broker"), node.start + found.end("broker")
        elif found := _STATE.fullmatch(node.text):
            text = found["broker"]
            skipped = 0 if text in self._brokers else len(text) - len(text.removeprefix("broker"))
            if text[skipped:] in self._brokers:
                yield "broker", node.start + skipped, node.start + len(text)


def _variable(node: Formula) -> Kind | None:
    """What a variable stands for."""
    if not isinstance(node, Name) or node.quoted:
        return None
    if node.text in BROKER_VARIABLES:
        return "broker"
    return "topic" if node.text == "topic" or _OF_TOPIC.fullmatch(node.text) else None


def _is_file(root: Node) -> bool:
    """Whether the recovery rows stand in a file of their own."""
    found = list(scalars(root, ("failures", "recovery", "file")))
    return bool(found)


__all__ = [
    "BROKER_ROUTES",
    "COLOUR_ROUTES",
    "FAILING_ROUTES",
    "TOPIC_ROUTES",
    "Kind",
    "Route",
    "Use",
    "scalars",
    "uses",
]
