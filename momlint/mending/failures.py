"""Colours for failures that have none, and brokers that take over from others: what else a promise needs than rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

from momlint.errors import UsageError
from momlint.findings import Finding
from momlint.routed.recovery.colours import planned_colours
from momlint.source.nodes import MappingNode, Node, ScalarNode, SequenceNode
from momlint.source.patching import Unpatchable

if TYPE_CHECKING:
    from momlint.estate.resolved import Estate
    from momlint.estate.rewriting import Rewriting

#: A name as YAML.
Quote: TypeAlias = Callable[[str], str]
#: So many colours are added at once; for more, `plan` makes all tables anew.
_MOST_COLOURS = 200
#: So many brokers are tried to take over from one.
_MOST_ADOPTERS = 8


def lacking_colours(estate: Estate) -> list[tuple[str, list[str]]]:
    """A name and what has failed, by ids, for each promised failure without a colour; called as `plan` calls them."""
    named = any(not colour.name.isdigit() for colour in estate.colours)
    try:
        planned = planned_colours(estate, len(estate.colours) + _MOST_COLOURS, named=named)
    except UsageError:
        return []
    return [
        (
            one.name,
            [estate.links[link].id for link in one.failure.links]
            + [estate.brokers[broker].id for broker in one.failure.brokers],
        )
        for one in planned[len(estate.colours) :]
    ]


def add_colours(rewriting: Rewriting, colours: Sequence[tuple[str, list[str]]], quote: Quote) -> None:
    """Put them behind the others, as they are written. Raises `Unpatchable`."""
    file, node = _section(rewriting, "colours")
    texts = [f"{quote(name)}: [{', '.join(map(quote, failed))}]" for name, failed in colours]
    rewriting.patches(file).change_items(node, (), {len(node.children) // 2 - 1: texts})


def takeovers(estate: Estate, finding: Finding) -> Iterator[dict[str, list[str]]]:
    """Who could take over, for all brokers that a finding speaks of: neighbours first, each with the names in order."""
    names = [broker.id for broker in estate.brokers]
    lost = finding.data.get("brokers")
    failed = finding.data.get("broker")
    if isinstance(lost, tuple):
        wrong, held = [str(one) for one in lost], {}
    elif isinstance(failed, str) and failed in names:
        held = {failed: [names[one] for one in estate.takeover.get(names.index(failed), ()) if names[one] != failed]}
        wrong = [failed]
    else:
        return
    options = {
        one: [other for other in _near(estate, names.index(one)) if other != one] for one in wrong if one in names
    }
    for number in range(_MOST_ADOPTERS):
        chosen = {}
        for one, others in options.items():
            free = [other for other in others if other not in held.get(one, ())]
            if number == 0 and held.get(one):
                chosen[one] = held[one]  # perhaps it is enough that it does not take over from itself
            elif free:
                chosen[one] = [*held.get(one, ()), free[(number - bool(held.get(one))) % len(free)]]
        if len(chosen) == len(wrong):
            yield chosen


def _near(estate: Estate, broker: int) -> list[str]:
    """The other brokers: neighbours in the order of their numbers, then the rest."""
    near = {
        link.head if link.tail == broker else link.tail for link in estate.links if broker in (link.tail, link.head)
    }
    order = [*sorted(near), *(other for other in range(len(estate.brokers)) if other not in near)]
    return [estate.brokers[one].id for one in order]


def write_takeovers(rewriting: Rewriting, adopters: dict[str, list[str]], quote: Quote) -> None:
    """Give brokers these adopters, in the place of what they have. Raises `Unpatchable`."""
    file, node = _section(rewriting, "takeover")
    patches = rewriting.patches(file)
    new = []
    for broker, others in adopters.items():
        text = quote(others[0]) if len(others) == 1 else f"[{', '.join(map(quote, others))}]"
        entry = node.get(broker)
        if entry is None:
            new.append(f"{quote(broker)}: {text}")
        elif entry.via or entry.alias is not None:
            raise Unpatchable("it comes from an anchor or a merge key")
        else:
            _write(rewriting, file, entry.value, text)
    if new:
        patches.change_items(node, (), {len(node.children) // 2 - 1: new})


def _write(rewriting: Rewriting, file: str, value: Node, text: str) -> None:
    patches = rewriting.patches(file)
    if isinstance(value, ScalarNode):
        patches.replace_scalar(value, text)
        return
    start, end = patches.place_of(value)
    if (
        not isinstance(value, SequenceNode)
        or patches.text.text[start : start + 1] != "["
        or value.start_line != value.end_line
    ):
        raise Unpatchable("the adopters do not stand on one line")
    patches.put(start, end, text if text.startswith("[") else f"[{text}]")


def _section(rewriting: Rewriting, key: str) -> tuple[str, MappingNode]:
    for source, document in rewriting.loaded.documents:
        node = document.find(("failures", key))
        if isinstance(node, MappingNode) and node.children:
            if document.locate(("failures", key)).via:
                raise Unpatchable("it comes from an anchor or a merge key")
            return source.file, node
    raise Unpatchable(f"there is no section for `{key}`")


__all__ = ["add_colours", "lacking_colours", "takeovers", "write_takeovers"]
