"""One document: from its nodes to a model, without what is wrong in it.

What is wrong is reported, then taken out of the plain tree, and the rest is validated again: an error in one
topic must not lose the others. Only the first round speaks, so that one mistake stays one finding.
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import field
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from momlint.errors import InternalError
from momlint.estate.core import ValidationError
from momlint.estate.forms import LANGUAGE_VERSION
from momlint.estate.language import validate
from momlint.estate.nearest import nearest
from momlint.estate.quick import NULL_KEY, NULL_SEGMENT, is_null, shape, to_plain
from momlint.findings import Draft, Place
from momlint.records import dataclass
from momlint.source import MappingNode, Node, ScalarNode, SequenceNode

if TYPE_CHECKING:
    from momlint.estate.model import EstateFile

Path: TypeAlias = tuple[str | int, ...]

#: Sections by their full names; a section that could not be read takes those below it with it.
SECTIONS = (
    "brokers",
    "links",
    "groups",
    "topics",
    "routing",
    "routing.protocol",
    "routing.tables",
    "subscriptions",
    "publications",
    "failures",
    "failures.tolerate",
    "failures.colours",
    "failures.recovery",
    "failures.takeover",
    "specs",
    "pubsub",
    "pubsub.properties",
    "sites",
    "delivery",
    "clients",
    "simulation",
)
#: Sections that other disciplines judge than those of brokers: with one of them, an estate needs no brokers.
WITHOUT_BROKERS: Final[tuple[str, ...]] = ("pubsub", "sites", "delivery", "clients")
#: Settings of `delivery` that say what happens when brokers fail, and not where events go or how they are numbered.
_ALONE_IN_DELIVERY: Final = (
    "channels",
    "replicate",
    "acknowledge",
    "retransmit",
    "suspect_after_ms",
    "dead_after_ms",
)
_MOST_ROUNDS = 12
#: Sections of many entries, each of them valid or not by itself, and allowed to be nothing: what they are
#: as models is kept at their nodes.
_APART: Final = (("failures", "recovery"), ("routing", "tables"))


class Rows(list[Any]):
    """A list of models that stays the same object while the text of it does; not to be changed.

    `resolved`: what somebody made of it, and of what else.
    """

    __slots__ = ("resolved",)

    resolved: Any

    def __init__(self, models: Iterable[Any]) -> None:
        super().__init__(models)
        self.resolved = None


@dataclass(slots=True)
class Checked:
    """What one document gave.

    `model` is None where nothing could be read. `kept` maps the route of a list that items were taken out of
    to the original indices of those that are left. `incomplete`: sections that something was left out of.
    `lost`: sections whose *names* may be missing, so that a reference to an unknown one is no finding.
    `partial_topics`: topics that lost publishers or subscribers; `partial_failures`: colours and groups that lost some
    of what fails, by their routes. `order`: section → its rank in the text.
    """

    model: EstateFile | None = None
    drafts: list[Draft] = field(default_factory=list)
    kept: dict[Path, list[int]] = field(default_factory=dict)
    incomplete: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    partial_topics: set[str] = field(default_factory=set)
    partial_failures: set[Path] = field(default_factory=set)
    order: dict[str, int] = field(default_factory=dict)


def check_document(root: Node, document: int, *, included: bool) -> Checked:
    """Validate one document; an `included` one need not say its version."""
    checked = Checked()
    if not isinstance(root, MappingNode):
        takes = "`momlint: 1`, `brokers:` and so on"
        checked.drafts.append(
            Draft("MOM102", Place(document, ()), f"an estate is a mapping with {takes}; this is {shape(root)}")
        )
        checked.incomplete.update(SECTIONS)
        checked.lost.update(SECTIONS)
        return checked
    return _Check(root, document, included, checked).run()


class _Check:
    def __init__(self, root: MappingNode, document: int, included: bool, checked: Checked) -> None:
        self.root = root
        self.document = document
        self.included = included
        self.checked = checked
        #: Whether something was wrong, and is taken out of the model.
        self.is_pruned = False

    def run(self) -> Checked:
        if not self.version():
            self.checked.incomplete.update(SECTIONS)
            self.checked.lost.update(SECTIONS)
            return self.checked
        apart = _apart(self.root)
        known = {id(one.node) for one in apart if one.node.made is not None}
        plain = self.plain(known)
        self.rank(plain)
        # What is kept is not in the plain tree, and whoever looks for mistakes wants all of it.
        model = self.valid(plain) if known else None
        if model is None:
            model = self.validate(self.plain() if known else plain)
        if model is not None and not self.is_pruned:
            for one in apart:
                one.put_into(model)
        self.checked.model = model
        return self.checked

    def plain(self, known: Container[int] = ()) -> dict[Any, Any]:
        """The plain tree; nothing stands in it for nodes that are `known`, by their identity."""
        plain = {key: value for key, value in to_plain(self.root, known).items() if not _is_own(key)}
        plain["momlint"] = LANGUAGE_VERSION
        return plain

    def valid(self, plain: dict[Any, Any]) -> EstateFile | None:
        """The model; None where anything is wrong."""
        try:
            return validate(plain)
        except ValidationError:
            return None

    def draft(self, place: Place, message: str, help_: str) -> None:
        self.checked.drafts.append(Draft("MOM102", place, message, help_))

    # -- the version -----------------------------------------------------------------------------------------

    def version(self) -> bool:
        """Judge the `momlint` key; False when the rest of the document cannot be judged."""
        keys = [entry.key.text for entry in self.root.entries]
        entry = self.root.get("momlint")
        if entry is None:
            if self.included:
                return True
            from momlint.estate.slots import known_fields

            known = known_fields(())
            unknown = [key for key in keys if key not in known]
            if any(nearest(key, known) == "momlint" for key in unknown):
                return True  # a misspelt `momlint` is reported as an unknown field
            place = Place(self.document, (keys[0],), "key") if keys else Place(self.document, ())
            self.draft(
                place,
                "the `momlint` key is missing; it says which version of the language this is",
                "begin the document with `momlint: 1`",
            )
            return any(key in known and key not in {"name", "include"} for key in keys)
        place = Place(self.document, ("momlint",), "value")
        written = shape(entry.value).strip("`")
        value = entry.value.value if isinstance(entry.value, ScalarNode) else None
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
            self.draft(
                place,
                f"`momlint` takes the version of the language, the number 1, not {shape(entry.value)}",
                "write `momlint: 1`",
            )
            return True
        if value == LANGUAGE_VERSION:
            return True
        if value > LANGUAGE_VERSION:
            self.draft(
                place,
                f"this file is written in version {written} of the language, "
                f"and this momlint reads version {LANGUAGE_VERSION}",
                "upgrade momlint, or write the file in version 1",
            )
        else:
            self.draft(place, f"there is no version {written} of the language", "write `momlint: 1`")
        return False

    # -- validation ------------------------------------------------------------------------------------------

    def validate(self, plain: dict[Any, Any]) -> EstateFile | None:
        for round_ in range(_MOST_ROUNDS):
            try:
                return validate(plain)
            except ValidationError as error:
                details = error.errors(include_url=False, include_input=False)
            self.is_pruned = True
            from momlint.estate.mistakes import Mistakes, route_of

            if round_ == 0:
                self.checked.drafts.extend(Mistakes(self.root, self.document).report(plain, details))
            doomed: set[Path] = set()
            for detail in details:
                path, _ = route_of(plain, detail["loc"])
                is_extra = detail["type"] in ("extra_forbidden", "invalid_key")
                doomed.add(self.victim(path, is_extra=is_extra) if round_ < _MOST_ROUNDS // 2 else path[:1])
            self.prune(plain, doomed)
        raise InternalError("an invalid estate could not be reduced to its valid part; please report it with the file")

    def victim(self, path: Path, *, is_extra: bool) -> Path:
        """What to take out so that the rest is valid and says nothing untrue; also notes what is lost.

        `path`: where pydantic found a fault; `is_extra`: it is a key that does not belong there. The less goes the
        better, but half a thing must not be taken for the whole. In ``links: [{between: [a, b], cost: x}]``

            fault at                        taken out               noted
            ("links", 0, "cost")            that cost               `links` is incomplete
            ("links", 0, "between", 1)      the link                … and names of links are lost: `a--b` may be meant
            ("topics", "t", "publishers")   the publishers          the topic is partial: it may have some
            ("links",)                      the section             `links` is lost: what names one is no finding
        """
        if is_extra:
            self.lose_meant(path)
        match path:
            case (section, _, *_) if section in ("failures", "routing"):
                return self.victim_in_part(path, is_extra=is_extra)
            case ("links", int(), *_):
                return self.victim_in_link(path, is_extra=is_extra)
            case ("topics", str(name), *rest):
                if not rest or rest[0] not in ("max_latency_ms", "max_hops"):
                    self.checked.partial_topics.add(name)
            case ("groups", str(), *_):
                self.checked.partial_failures.add(path[:2])
            case ("pubsub", *_):
                return self.victim_in_pubsub(path)
            case ("sites" | "delivery" | "clients", *_):
                return self.victim_in_delivery(path, is_extra=is_extra)
            case ("specs", int(), *_):
                self.incomplete("specs")
                return path[:2]
            case (str(section),):
                self.lose(section)
        if len(path) > 1:
            self.incomplete(str(path[0]))
        return path

    def lose_meant(self, path: Path) -> None:
        """A misspelt section: what should have stood in it is missing."""
        if len(path) > 2:
            return
        from momlint.estate.slots import known_fields

        meant = nearest(str(path[-1]), known_fields(path[:-1]))
        if meant is not None:
            self.lose(".".join([*map(str, path[:-1]), meant]))

    def victim_in_link(self, path: Path, *, is_extra: bool) -> Path:
        """`victim` below an item of `links`: one of its numbers or an unknown key alone, else the whole link."""
        self.incomplete("links")
        if len(path) > 2:
            if path[2] in ("id", "cost", "latency_ms", "availability"):
                return path[:3]
            if is_extra:
                return path
        self.checked.lost.add("links")
        return path[:2]

    def victim_in_part(self, path: Path, *, is_extra: bool) -> Path:
        """`victim` below `failures` and `routing`, whose parts are sections of their own."""
        part = f"{path[0]}.{path[1]}"
        if len(path) == 2 and not is_extra and part != "failures.tolerate":
            self.lose(part)
            return path
        self.incomplete(part)
        match path[1:]:
            case ("recovery", str(), int(), *_):
                return path[:4]  # the row
            case ("recovery", "file") | ("tolerate", *_):
                return path[:2]  # half a promise is another promise
            case ("takeover", str(), *_):
                return path[:3]  # the entry
            case ("colours", _, *_):
                self.checked.partial_failures.add(path[:3])
        return path

    def victim_in_pubsub(self, path: Path) -> Path:
        """`victim` below `pubsub`: a property loses itself; with anything else, what clients do is not known."""
        if path[1:2] == ("properties",):
            self.incomplete("pubsub.properties")
            return path[:3]
        self.lose("pubsub")
        return path[:1]

    def victim_in_delivery(self, path: Path, *, is_extra: bool) -> Path:
        """`victim` in a tree of sites: what no verdict depends on alone, a client with all of it, else the section.

        A site that lost its parent would be a second root; a lost name of a topic, one that nobody wants.
        """
        section = str(path[0])
        alone = {"sites": (3, ("latency_ms",)), "delivery": (2, _ALONE_IN_DELIVERY)}.get(section)
        if not is_extra and alone is not None and len(path) >= alone[0] and path[alone[0] - 1] in alone[1]:
            self.incomplete(section)
            return path[: alone[0]]
        if section == "clients" and len(path) > 1:
            self.incomplete(section)
            return path[:2]
        self.lose(section)
        return path[:1]

    def incomplete(self, section: str) -> None:
        if section in SECTIONS:
            self.checked.incomplete.add(section)

    def lose(self, section: str) -> None:
        names = [name for name in SECTIONS if name == section or name.startswith(section + ".")]
        self.checked.incomplete.update(names)
        self.checked.lost.update(names)

    def prune(self, plain: dict[Any, Any], doomed: Iterable[Path]) -> None:
        """Take the doomed routes out of the tree. An id whose value is wrong stays, without a value."""
        doomed = {path for path in doomed if path}
        from_lists: dict[Path, set[int]] = {}
        for path in doomed:
            if any(path[:length] in doomed for length in range(1, len(path))):
                continue  # it goes with what it is a part of
            parent = _at(plain, path[:-1])
            last = path[-1]
            if isinstance(parent, list):
                from_lists.setdefault(path[:-1], set()).add(int(last))
            else:
                key = _key_in(parent, last)
                named = path[0] in ("brokers", "groups", "topics") and len(path) == 2
                named = named or (path[:2] == ("failures", "colours") and len(path) == 3)
                if named and key is not NULL_KEY and key != "" and parent.get(key) is not None:
                    parent[key] = None
                else:
                    parent.pop(key, None)
        # Longest routes first: a list inside an item is changed before the item may go.
        for path in sorted(from_lists, key=len, reverse=True):
            items = _at(plain, path)
            gone = from_lists[path]
            before = self.checked.kept.get(path, range(len(items)))
            self.checked.kept[path] = [index for place, index in enumerate(before) if place not in gone]
            items[:] = [item for place, item in enumerate(items) if place not in gone]

    def rank(self, plain: dict[Any, Any]) -> None:
        position = 0
        for section, value in plain.items():
            self.checked.order[section] = position
            position += 1
            if section in ("failures", "routing") and isinstance(value, dict):
                for key in value:
                    self.checked.order[f"{section}.{key}"] = position
                    position += 1


class _Made(NamedTuple):
    """What is kept at a node: what it is as an entry of the section `part`."""

    part: str
    value: Any


class _Apart(NamedTuple):
    """An entry of a part of a section that is kept at its node, once it is valid."""

    section: str
    part: str
    name: str
    node: SequenceNode | MappingNode

    def put_into(self, model: EstateFile) -> None:
        """Into a valid model what is kept; if nothing is, what stands in the model is kept."""
        entries = getattr(getattr(model, self.section), self.part)
        if self.node.made is None:
            value = entries[self.name]
            self.node.made = _Made(self.part, Rows(value) if isinstance(value, list) else value)
        entries[self.name] = self.node.made.value


def _apart(root: MappingNode) -> list[_Apart]:
    """The entries of a document that are kept, or may be once they are valid."""
    found = []
    for section, part in _APART:
        node: Node | None = root
        for key in (section, part):
            entry = node.get(key) if isinstance(node, MappingNode) else None
            node = None if entry is None else entry.value
        for name, value in node.pairs() if isinstance(node, MappingNode) else ():
            # A section with nothing but `file: …` in it is of another form, and `null` is no name.
            if not isinstance(value, (SequenceNode, MappingNode)) or name.text == "file" or is_null(name):
                continue
            if value.made is None or value.made.part == part:
                found.append(_Apart(section, part, name.text, value))
    return found


def _is_own(key: Any) -> bool:
    """Whether a key of the top level is the user's own: a home for anchors."""
    return isinstance(key, str) and key.startswith("x-")


def _at(plain: Any, path: Path) -> Any:
    for segment in path:
        plain = plain[_key_in(plain, segment)]
    return plain


def _key_in(parent: Any, segment: str | int) -> Any:
    # A text can be written that looks like the segment of a null key.
    is_null_key = segment == NULL_SEGMENT and not (isinstance(parent, dict) and segment in parent)
    return NULL_KEY if is_null_key else segment
