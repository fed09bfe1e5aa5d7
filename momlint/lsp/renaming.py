"""Another name for a broker or a topic, everywhere that it stands; all else stays character by character.

Whether it is only another name is not taken on trust: the changed files are read again, and have to say what they said
before, with the new name in the place of the old.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from momlint.errors import MomlintError
from momlint.estate.resolved import Broker, Estate, Link, Topic
from momlint.findings import Place, Span
from momlint.lsp.names import Use, uses
from momlint.records import dataclass
from momlint.routed.recovery.quoting import yaml_name
from momlint.routed.specs.resolve import resolve
from momlint.routed.specs.syntax import FormulaError
from momlint.routed.specs.vocabulary import names_of
from momlint.source.nodes import ScalarNode
from momlint.source.patching import Patches, Unpatchable

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.estate.opening import Opened

#: A scalar that YAML reads as it is written, in block and in flow, also as a part of a longer one.
_PLAIN = re.compile(r"[\w./][\w.+/@<>=~-]*")
_NULLS = frozenset(("", "~", "null", "Null", "NULL"))
#: What a formula reads as one name, and the words of formulas that are none.
_WORD = re.compile(r"\w(?:[\w.$#]|-(?!>))*")
_WORDS = frozenset(
    ("src", "dest", "loc", "colour", "topic", "TRUE", "FALSE", "xor", "xnor", "in", "union", "EX", "EF", "EG", "AX")
).union(("AF", "AG"), "AEXFGYZOHUVST")
_SECTIONS_WITH_NAMES = frozenset(("simulation", "clients"))


class Refused(MomlintError):
    """The name cannot be given; the text says why."""


@dataclass(frozen=True, slots=True)
class Change:
    """What stands at `span` of `file` becomes `text`."""

    file: str
    span: Span
    text: str


def rename(
    opened: Opened, use: Use, new: str, read: Callable[[str], bytes], again: Callable[[dict[str, bytes]], Opened]
) -> list[Change]:
    """The changes by which the broker or topic of `use` is called `new` in all estates of a file. Raises `Refused`.

    `read`: the content of a file; `again`: what is opened with these contents in the place of others.
    """
    if new == use.name:
        return []
    if not new or new != new.strip() or not new.isprintable():
        raise Refused("a name has at least one character, all of them printable, and no space at its ends")
    # Of several estates in one file each has brokers of its own.
    loaded_estates = [
        one for one in opened.estates if any((other.file, other.span) == (use.file, use.span) for other in uses(one))
    ]
    found = [other for one in loaded_estates for other in uses(one)]
    if any(other.kind == use.kind and other.name == new for other in found):
        raise Refused(f"there is a {use.kind} `{new}` already")
    if not any(other.declares and _same(use, other) for other in found):
        raise Refused(f"`{use.name}` is not declared as a {use.kind}")
    if opened.source.problems or any(one.problems for one in loaded_estates):
        raise Refused("this estate has errors; mend them first, so that it is seen that nothing else changes")
    for one in loaded_estates:
        if one.estate is not None and one.estate.protocol == "relay" and use.kind == "topic":
            raise Refused("filters of links match topics by their names; change both by hand")
        if one.estate is not None and one.estate.recovery_file is not None and use.kind == "broker":
            raise Refused(f"the rows of {one.estate.recovery_file} name brokers too, and are not changed here")
    changes = _changes({(one.file, one.span): one for one in found if _same(use, one)}.values(), new)
    _verify(opened, use, new, changes, read, again)
    return changes


def _same(use: Use, other: Use) -> bool:
    return (use.kind, use.name) == (other.kind, other.name)


# -- writing --------------------------------------------------------------------------------------------------------


def _changes(found: Iterable[Use], new: str) -> list[Change]:
    by_node: defaultdict[tuple[str, Span], list[Use]] = defaultdict(list)
    for use in found:
        by_node[use.file, use.node.span].append(use)
    changes: list[Change] = []
    for (file, span), parts in by_node.items():
        node = parts[0].node
        if parts[0].within is None:
            if node.style not in ("", "'", '"') or node.start_line != node.end_line:
                raise Refused(f"{file}:{span.start.line}: the name is not written on one line")
            changes.append(Change(file, span, written(new, node.style)))
        else:
            changes += _in_parts(file, node, parts, new)
    return changes


def _in_parts(file: str, node: ScalarNode, parts: Sequence[Use], new: str) -> list[Change]:
    texts = [_in_formula(use, new) if use.in_formula else new for use in parts]
    is_block = node.style not in ("", "'", '"')
    if is_block or all(_PLAIN.fullmatch(text) for text in texts):
        return [Change(file, use.span, text) for use, text in zip(parts, texts, strict=True)]
    if node.start_line != node.end_line:
        raise Refused(f"{file}:{node.start_line + 1}: `{new}` needs quotes, and stands in a text of several lines here")
    whole, end = node.text, len(node.text)
    for use, text in sorted(zip(parts, texts, strict=True), key=lambda pair: pair[0].within or (0, 0), reverse=True):
        assert use.within is not None
        start, end = use.within
        whole = whole[:start] + text + whole[end:]
    return [Change(file, node.span, written(whole, node.style))]


def _in_formula(use: Use, new: str) -> str:
    assert use.within is not None
    start, end = use.within
    before, after = use.node.text[start - 1 : start], use.node.text[end : end + 1]
    if before == after and before in ("'", '"'):
        if before in new:
            raise Refused(f"`{new}` cannot stand in the quotes of a specification")
        return new
    is_part = bool(re.match(r"[\w.$#]", before)) or after == "."
    if _WORD.fullmatch(new) and (is_part or new not in _WORDS):
        return new
    if is_part or '"' in new:
        raise Refused(f"`{new}` is no name that a specification can have there")
    return f'"{new}"'


def written(name: str, style: str) -> str:
    """The name as YAML, quoted as it was where that will do."""
    if style == "'":
        return "'" + name.replace("'", "''") + "'"
    if style == '"':
        return json.dumps(name, ensure_ascii=False)
    if _PLAIN.fullmatch(name) and name not in _NULLS and not name.endswith(":"):
        return name
    return yaml_name(name)


# -- reading again --------------------------------------------------------------------------------------------------


def _verify(
    opened: Opened,
    use: Use,
    new: str,
    changes: Sequence[Change],
    read: Callable[[str], bytes],
    again: Callable[[dict[str, bytes]], Opened],
) -> None:
    patched: dict[str, Patches] = {}
    try:
        for change in changes:
            patches = patched.setdefault(change.file, Patches(read(change.file)))
            patches.replace(change.span, change.text)
        made = {file: patches.made() for file, patches in patched.items()}
    except Unpatchable as why:
        raise Refused(str(why)) from why
    after = again(made)
    if after.source.problems or len(after.estates) != len(opened.estates):
        raise Refused(f"`{new}` would make the file unreadable")
    for old, now in zip(opened.estates, after.estates, strict=True):
        problem = next((one for one in now.problems if one not in old.problems), None)
        if problem is not None and len(now.problems) > len(old.problems):
            raise Refused(f"`{new}` cannot be its name: {problem.message}")
        if not _says_the_same(old, now, use, new):
            raise Refused(f"with the name `{new}` the estate would say something else")


def _says_the_same(old: LoadedEstate, now: LoadedEstate, use: Use, new: str) -> bool:
    before, after = old.estate, now.estate
    if before is None or after is None:
        return before is None and after is None

    def renamed(names: Iterable[str], kind: str) -> list[str]:
        return [new if kind == use.kind and name == use.name else name for name in names]

    if renamed((one.id for one in before.brokers), "broker") != [one.id for one in after.brokers]:
        return False
    if renamed((one.name for one in before.topics), "topic") != [one.name for one in after.topics]:
        return False
    return _plain(before) == _plain(after) and _formulas(before) == _formulas(after) and _others(old, now, use, new)


def _plain(value: Any) -> Any:
    """All that an estate says, without names and places: brokers and topics are numbers in it."""
    match value:
        case Place():
            return None
        case dict():
            return sorted((repr(_plain(key)), repr(_plain(one))) for key, one in value.items())
        case list() | tuple() | range():
            return [_plain(one) for one in value]
        case Estate():
            left_out = {"section_places", "takeover_places", "specs"}
            return [_plain(getattr(value, one.name)) for one in fields(value) if one.name not in left_out]
        case Broker() | Topic():
            return [_plain(getattr(value, one.name)) for one in fields(value) if one.name not in ("id", "name")]
        case Link():
            return [_plain(getattr(value, one.name)) for one in fields(value) if one.name not in ("id", "connection")]
        case _ if is_dataclass(value):
            return [_plain(getattr(value, one.name)) for one in fields(value)]
    return value


def _formulas(estate: Estate) -> list[Any]:
    """What specifications mean, names as numbers; of one that means nothing, that it does not."""
    from momlint.routed.specs.parse import parse

    names = names_of(estate)
    found: list[Any] = []
    for spec in estate.specs:
        try:
            found.append(resolve(parse(spec.text, spec.logic), names))
        except FormulaError:
            found.append(None)
    return found


def _others(old: LoadedEstate, now: LoadedEstate, use: Use, new: str) -> bool:
    """Whether the sections of other disciplines are as they were, where they do not name topics."""
    for before, after in zip(old.checked, now.checked, strict=True):
        if (before.model is None) != (after.model is None):
            return False
        if before.model is None or after.model is None:
            continue
        for section in ("pubsub", "sites", "delivery", *_SECTIONS_WITH_NAMES):
            one, other = getattr(before.model, section), getattr(after.model, section)
            if section in _SECTIONS_WITH_NAMES and use.kind == "topic":
                continue
            if _entries(one) != _entries(other):
                return False
    return True


def _entries(model: Any) -> Any:
    """All that a model of a section says; where they are read by the compiled language, models have no `==`."""
    if isinstance(model, dict):
        return {key: _entries(one) for key, one in model.items()}
    if isinstance(model, list | tuple):
        return [_entries(one) for one in model]
    if hasattr(model, "__pydantic_fields_set__"):
        return {key: _entries(one) for key, one in vars(model).items()}
    return model


__all__ = ["Change", "Refused", "rename"]
