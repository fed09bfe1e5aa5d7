"""From pydantic's errors to findings: where each stands, and what it says.

Imported only when something is wrong, since it needs the models themselves for their words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from momlint.estate.forms import LARGEST_COUNT, MOST_DIGITS
from momlint.estate.nearest import did_you_mean, nearest
from momlint.estate.quick import NULL_KEY, NULL_SEGMENT, is_null, shape
from momlint.estate.slots import home_of, known_fields, slot
from momlint.findings import Draft, Place, RelatedDraft
from momlint.source import MappingEntry, MappingNode, Node, ScalarNode, SequenceNode
from momlint.words import listed

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Path: TypeAlias = tuple[str | int, ...]

#: More of the same mistake than this (one wrong field name in every link) is one finding with related places.
_MOST_ALIKE = 10
_MOST_RELATED = 20
#: A name that exists elsewhere must be so much like one that is known here to be taken for it.
_VERY_ALIKE = 0.8


#: What pydantic's errors say of a number that is one, and is not kept.
_NUMBERS = {
    "momlint_digits": (
        f"momlint keeps at most {MOST_DIGITS} digits exactly",
        f"round it to {MOST_DIGITS} digits, or use another unit",
    ),
    "momlint_huge": ("that is larger than any number may be here", "the limit is 1e15 (for counts: 2,147,483,647)"),
    "momlint_tiny": ("that is so small that it would be read as 0", "use another unit"),
    "finite_number": ("that is not a finite number", ""),
}


def route_of(plain: Any, location: tuple[str | int, ...]) -> tuple[Path, bool]:
    """The route to the node a pydantic location means, and whether it means the key.

    Segments that are no children (tags of unions) are skipped.
    """
    path: list[str | int] = []
    current = plain
    for segment in location:
        if isinstance(current, dict):
            if segment in current:
                current = current[segment]
                path.append(segment)
            elif segment == NULL_SEGMENT and NULL_KEY in current:
                current = current[NULL_KEY]
                path.append(NULL_SEGMENT)
        elif isinstance(current, list) and isinstance(segment, int) and segment < len(current):
            current = current[segment]
            path.append(segment)
    return tuple(path), bool(location) and location[-1] == "[key]"


class Mistakes:
    """The words for what is wrong in one document, whose nodes hang on `root`."""

    def __init__(self, root: MappingNode, document: int) -> None:
        self.root = root
        self.document = document
        self.drafts: list[Draft] = []
        self.indices: dict[int, dict[str, MappingEntry]] = {}

    def draft(self, place: Place, message: str, help_: str, related: Sequence[RelatedDraft] = ()) -> None:
        self.drafts.append(Draft("MOM102", place, message, help_, related=related))

    def report(self, plain: dict[Any, Any], details: Sequence[ErrorDetails]) -> list[Draft]:
        """The findings for all errors of the validation of `plain`, the whole and unchanged tree."""
        extras: dict[Path, list[str]] = {}
        located: list[tuple[ErrorDetails, Path, bool]] = []
        for detail in details:
            path, at_key = route_of(plain, detail["loc"])
            located.append((detail, path, at_key))
            if detail["type"] == "extra_forbidden":
                extras.setdefault(path[:-1], []).append(str(path[-1]))
        groups: dict[tuple[object, ...], list[tuple[Place, str, str]]] = {}
        lacking: dict[Path, list[str]] = {}
        for detail, path, _ in located:
            if detail["type"] == "missing" and not self.is_misspelt(detail["loc"], extras.get(path, ())):
                lacking.setdefault(path, []).append(str(detail["loc"][-1]))
        for detail, path, at_key in located:
            if detail["type"] == "missing":
                # One finding for all that a thing lacks.
                missing = lacking.pop(path, [])
                if not missing:
                    continue
                place, message, help_ = self.explain_missing(detail["loc"], path, missing)
            else:
                place, message, help_ = self.explain(detail, path, at_key)
            # Alike: the same kind of mistake, in the same field, of the same kind of thing.
            pattern = tuple(
                segment if isinstance(segment, str) and (index == 0 or index == len(path) - 1) else "*"
                for index, segment in enumerate(path)
            )
            groups.setdefault((detail["type"], pattern, detail["loc"][-1:]), []).append((place, message, help_))
        for alike in groups.values():
            if len(alike) <= _MOST_ALIKE:
                for place, message, help_ in alike:
                    self.draft(place, message, help_)
                continue
            place, message, help_ = alike[0]
            related = [RelatedDraft(other, "the same here") for other, _, _ in alike[1 : 1 + _MOST_RELATED]]
            self.draft(place, f"{message} (and the same in {len(alike) - 1} more places)", help_, related)
        return self.drafts

    def is_misspelt(self, missing: tuple[str | int, ...], extras: Iterable[str]) -> bool:
        """Whether an unknown field beside it is the missing one, misspelt: one mistake, one finding."""
        known = known_fields(missing[:-1])
        return any(nearest(extra, known) == missing[-1] for extra in extras)

    def explain_missing(self, location: Path, path: Path, missing: Sequence[str]) -> tuple[Place, str, str]:
        place = Place(self.document, self.as_written(path), "key")
        names = listed(missing, len(missing))
        return place, f"{self.label(path)} lacks {names}", slot((*location[:-1], missing[0])).description

    def explain(self, detail: ErrorDetails, path: Path, at_key: bool) -> tuple[Place, str, str]:
        """Where an error stands and what it says: place, message, help."""
        kind = detail["type"]
        place_path = self.as_written(path)
        if kind in ("extra_forbidden", "invalid_key"):
            return self.unknown_field(detail["loc"], path, place_path)
        node = self.node_at(path)
        if kind == "momlint_ends":
            return (
                Place(self.document, (*place_path, detail["msg"]), "key"),
                f"{self.label(path)} has `between` and `{detail['msg']}`: a link goes both ways or one way",
                "keep `between`, or keep `from` and `to`",
            )
        if kind == "momlint_no_ends":
            lacks = "its ends" if detail["msg"] == "between" else f"`{detail['msg']}`"
            return (
                Place(self.document, place_path, "key"),
                f"{self.label(path)} lacks {lacks}",
                "write `between: [a, b]` for a link both ways, `from: a` and `to: b` for one way",
            )
        if kind == "momlint_logic":
            if detail["msg"] == "ltl":
                return (
                    Place(self.document, (*place_path, "ltl"), "key"),
                    f"{self.label(path)} has both `ctl` and `ltl`",
                    "write two specifications",
                )
            return Place(self.document, place_path, "key"), f"{self.label(path)} lacks `ctl` or `ltl`", ""
        if kind == "momlint_set":
            if detail["msg"] == "except":
                return (
                    Place(self.document, (*place_path, "except"), "key"),
                    f"{self.label(path)} has both `colours` and `except`",
                    "keep one: the colours in which the row is used, or those in which it is not",
                )
            place = Place(self.document, place_path, "key")
            return place, f"{self.label(path)} lacks `colours`", "Colours in which the row is used."
        if at_key:
            if path and path[-1] == NULL_SEGMENT:
                return (
                    Place(self.document, place_path, "key"),
                    f"an id is missing: a key of {self.label(path[:-1])} is null",
                    "if the id really is this word, put it in quotes",
                )
            return (
                Place(self.document, place_path, "key"),
                f"a key of {self.label(path[:-1])} is empty",
                "",
            )
        here = slot(detail["loc"])
        found = shape(node)
        if kind in ("too_short", "too_long") and isinstance(node, SequenceNode):
            count = len(node.items)
            found = f"{count} item" + ("" if count == 1 else "s")
        hint = ""
        if kind == "literal_error" and isinstance(node, ScalarNode):
            words = [word.strip("'") for word in str(detail["ctx"]["expected"]).replace(" or ", ", ").split(", ")]
            hint = did_you_mean(node.text, words)
        takes = here.takes or "another kind of value"
        if kind in _NUMBERS:
            why, help_ = _NUMBERS[kind]
            return (
                Place(self.document, place_path, "value"),
                f"{self.label(path)} takes {takes}, not {found}: {why}",
                help_,
            )
        if kind == "less_than_equal" and detail["ctx"]["le"] > 1:  # a probability says so already
            limit = detail["ctx"]["le"]
            most = f"{limit:,.0f}" if limit <= LARGEST_COUNT else f"{limit:g}".replace("e+", "e")
            takes += f", and no more than {most}"
        help_ = here.description
        if is_null(node) and takes == "an id":
            help_ = "if the id really is the word null, put it in quotes"
        return (
            Place(self.document, place_path, "value"),
            f"{self.label(path)} takes {takes}, not {found}{hint}",
            help_,
        )

    def unknown_field(self, location: Path, path: Path, place_path: Path) -> tuple[Place, str, str]:
        key = str(place_path[-1])
        known = known_fields(location[:-1])
        home = home_of(key)
        parent = f"in {self.label(path[:-1])}" if len(path) > 1 else "at the top level of the estate"
        # `recovery` is a little like `delivery`, and is a name of its own elsewhere; `broker` is `brokers` misspelt.
        near = nearest(key, known, _VERY_ALIKE) if home else nearest(key, known)
        message = f"unknown field `{key}` {parent}"
        if near is not None:
            message += f"; did you mean `{near}`?"
        elif home is not None and home != path[0]:
            where = f"under `{home}`" if home else "at the top level"
            return Place(self.document, place_path, "key"), message, f"`{key}` belongs {where}"
        return Place(self.document, place_path, "key"), message, "known here: " + ", ".join(known)

    def label(self, path: Path) -> str:
        """The thing at a route, in words: `` `cost` of item 2 of `links` ``."""
        written = self.as_written(path)
        match path:
            case ():
                return "the estate"
            case ("brokers" | "topics" | "groups" | "sites" | "clients" as section, _):
                return f"{section[:-1]} `{written[1]}`"
            case ("links", int(index)):
                return f"link {index + 1}"
            case ("specs", int(index)):
                return f"specification {index + 1}"
            case ("failures", "colours", _):
                return f"colour `{written[2]}`"
            case ("failures", "recovery", _, int(index)):
                return f"row {index + 1} of broker `{written[2]}`"
            case ("pubsub", "messages" | "clients" as section, _):
                return f"{'role' if section == 'clients' else 'message'} `{written[2]}`"
            case ("pubsub", "clients", _, "steps", int(index)):
                return f"step {index + 1} of role `{written[2]}`"
            case ("pubsub", "properties", int(index)):
                return f"property {index + 1}"
            case (*_, str()) if path[1:] and path[0] in (
                "brokers",
                "topics",
                "links",
                "specs",
                "pubsub",
                "sites",
                "delivery",
                "clients",
                "simulation",
            ):
                return f"`{written[-1]}` of {self.label(path[:-1])}"
            case (*_, str()):
                return f"`{written[-1]}`"
            case (*_, int(index)):
                return f"item {index + 1} of {self.label(path[:-1])}"
        return "this"

    # -- nodes -----------------------------------------------------------------------------------------------

    def index(self, node: MappingNode) -> dict[str, MappingEntry]:
        """The entries by the segment that means them."""
        found = self.indices.get(id(node))
        if found is None:
            found = {}
            for entry in node.entries:
                found.setdefault(NULL_SEGMENT if is_null(entry.key) else entry.key.text, entry)
            self.indices[id(node)] = found
        return found

    def child(self, node: Node, segment: str | int) -> Node | None:
        if isinstance(node, MappingNode) and isinstance(segment, str):
            entry = self.index(node).get(segment)
            return entry.value if entry is not None else None
        if isinstance(node, SequenceNode) and isinstance(segment, int) and segment < len(node.items):
            return node.items[segment]
        return None

    def node_at(self, path: Path) -> Node:
        node: Node = self.root
        for segment in path:
            child = self.child(node, segment)
            if child is None:
                break
            node = child
        return node

    def as_written(self, path: Path) -> Path:
        """The route with the raw text of null keys, as `Document.locate` wants it."""
        if NULL_SEGMENT not in path:
            return path
        written: list[str | int] = []
        node: Node = self.root
        for segment in path:
            if segment == NULL_SEGMENT and isinstance(node, MappingNode):
                written.append(self.index(node)[NULL_SEGMENT].key.text)
            else:
                written.append(segment)
            node = self.child(node, segment) or node
        return tuple(written)
