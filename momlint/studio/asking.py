"""What the page asks for, read with care, as changes of an estate.

Values come from forms; what a form leaves as it was is left alone in the text, too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from momlint.errors import MomlintError
from momlint.studio.attributes import (
    Told,
    broker_told,
    figure,
    filter_of,
    link_told,
    list_of,
    names_of,
    quoted,
    topic_told,
    ways,
)
from momlint.studio.removing import has_id

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.estate.resolved import Estate, Link
    from momlint.studio.editing import Editing

_MOST_LETTERS = 200
_INTERESTS = ("subscriptions", "publications")


class Refused(MomlintError):
    """What cannot be done; `status`: as HTTP has it."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Renamed(NamedTuple):
    """A broker or topic that is to be called otherwise, before anything else is done."""

    kind: str
    name: str
    new: str


class Wish(NamedTuple):
    """What is to be done. `rename`: goes first. `do`: the change, and what goes with it in words.

    `says`: a sentence, to which those words are added. `broker`: the name of one that comes. `removes`: whether
    something goes that specifications may speak of.
    """

    says: str
    do: Callable[[Editing], Sequence[str]]
    rename: Renamed | None = None
    broker: str | None = None
    removes: bool = False


def wish(asked: Mapping[str, Any]) -> Wish:
    """What `asked` is a wish for. Raises `Refused`."""
    action = asked.get("do")
    read = WISHES.get(action) if isinstance(action, str) else None
    if read is None:
        raise Refused(400, "this is nothing that the studio does")
    return read(asked)


# -- brokers ---------------------------------------------------------------------------------------------------------


def _add_broker(asked: Mapping[str, Any]) -> Wish:
    name, told = word(asked, "name"), _broker_asked(asked)
    return Wish(f"Broker {name} added", lambda one: one.add_broker(name, told), broker=name)


def _change_broker(asked: Mapping[str, Any]) -> Wish:
    old, name, told = word(asked, "old"), word(asked, "name"), _broker_asked(asked)

    def do(editing: Editing) -> Sequence[str]:
        brokers = [one for one in editing.estate.brokers if one.id == name]
        editing.change_broker(name, _new(told, brokers[0] if brokers else None, broker_told))
        return ()

    return Wish(f"Broker {name} changed", do, Renamed("broker", old, name))


def _broker_asked(asked: Mapping[str, Any]) -> Told:
    tags = names(asked, "tags")
    return {
        **{key: quoted(word(asked, key)) for key in ("site", "address")},
        "tags": names_of(tags) if tags else None,
        "processing_ms": figure(_number(asked, "processing_ms", 0.0), 0.0),
        "transit": "false" if asked.get("transit") is False else None,
    }


# -- links -----------------------------------------------------------------------------------------------------------


def _add_link(asked: Mapping[str, Any]) -> Wish:
    name, (tail, head), one_way = word(asked, "name"), _ends(asked), asked.get("one_way") is True
    told = _link_asked(asked, tail, head)

    def do(editing: Editing) -> Sequence[str]:
        editing.add_link(tail, head, name, told, one_way=one_way)
        return ()

    return Wish(f"Link from {tail} to {head} added", do)


def _change_link(asked: Mapping[str, Any]) -> Wish:
    old, name, (tail, head), one_way = (
        word(asked, "old"),
        word(asked, "name"),
        _ends(asked),
        asked.get("one_way") is True,
    )
    told = _link_asked(asked, tail, head)

    def do(editing: Editing) -> Sequence[str]:
        links = [one for one in editing.estate.links if one.id == old]
        brokers = [one.id for one in editing.estate.brokers]
        new = _new(told, links[0] if links else None, lambda link: link_told(link, brokers))
        if new.pop("topics", "") != "":
            editing.change_filters(old, _filters(asked))
        editing.change_link(old, name, tail, head, new, one_way=one_way)
        return ()

    return Wish(f"Link {old} changed", do)


def _ends(asked: Mapping[str, Any]) -> tuple[str, str]:
    return word(asked, "from"), word(asked, "to")


def _link_asked(asked: Mapping[str, Any], tail: str, head: str) -> Told:
    """Filters and limits only where the page speaks of them: it does for relayed overlays."""
    one_way = asked.get("one_way") is True
    told: Told = {
        "cost": _both_ways(asked, "cost", 1.0, tail, head, one_way=one_way),
        "latency_ms": _both_ways(asked, "latency_ms", 0.0, tail, head, one_way=one_way),
        "availability": figure(_number(asked, "availability", None), None),
    }
    if "filters" in asked:
        filters = _filters(asked)
        connection = word(asked, "connection")
        told["connection"] = quoted(connection)
        told["max_hops"] = figure(_number(asked, "max_hops", None), None)
        told["topics"] = None if filters is None else list_of(filters)
    return told


def _both_ways(asked: Mapping[str, Any], key: str, usual: float, tail: str, head: str, *, one_way: bool) -> str | None:
    forth = _number(asked, key, usual)
    back = None if one_way else _number(asked, f"{key}_back", None)
    return ways(forth, back, usual, tail, head)


def _filters(asked: Mapping[str, Any]) -> list[Told] | None:
    """What a link lets pass; None for everything. Raises `Refused`."""
    given = asked.get("filters")
    if given is None:
        return None
    if not isinstance(given, list) or not all(isinstance(one, dict) for one in given):
        raise Refused(400, "`filters` is no list of filters")
    found = []
    for one in given:
        pattern = word(one, "filter")
        if not pattern:
            raise Refused(422, "a filter has at least one character")
        found.append(filter_of(pattern, word(one, "strip"), word(one, "add"), deny=one.get("deny") is True))
    return found


# -- topics, and who wants what --------------------------------------------------------------------------------------


def _add_topic(asked: Mapping[str, Any]) -> Wish:
    name, publishers, subscribers = word(asked, "name"), names(asked, "publishers"), names(asked, "subscribers")
    told = _topic_asked(asked)

    def do(editing: Editing) -> Sequence[str]:
        editing.add_topic(name, publishers, subscribers, told)
        return ()

    return Wish(f"Topic {name} added", do)


def _change_topic(asked: Mapping[str, Any]) -> Wish:
    old, name = word(asked, "old"), word(asked, "name")
    publishers, subscribers, told = names(asked, "publishers"), names(asked, "subscribers"), _topic_asked(asked)

    def do(editing: Editing) -> Sequence[str]:
        topics = [one for one in editing.estate.topics if one.name == name]
        new = _new(told, topics[0] if topics else None, topic_told)
        editing.change_topic(name, publishers, subscribers, new)
        return ()

    return Wish(f"Topic {name} changed", do, Renamed("topic", old, name))


def _topic_asked(asked: Mapping[str, Any]) -> Told:
    """Budgets, where the page speaks of them."""
    return {key: figure(_number(asked, key, None), None) for key in ("max_latency_ms", "max_hops") if key in asked}


def _interest(asked: Mapping[str, Any]) -> tuple[str, str, str]:
    section = asked.get("section")
    if section not in _INTERESTS:
        raise Refused(400, "this is neither wanted nor published")
    return section, word(asked, "at"), word(asked, "filter")


def _add_interest(asked: Mapping[str, Any]) -> Wish:
    section, broker, pattern = _interest(asked)

    def do(editing: Editing) -> Sequence[str]:
        editing.add_interest(section, broker, pattern)
        return ()

    return Wish(f"{_said(section, broker, pattern)}, added", do)


def _change_interest(asked: Mapping[str, Any]) -> Wish:
    (section, broker, pattern), number = _interest(asked), whole(asked.get("number"))

    def do(editing: Editing) -> Sequence[str]:
        editing.change_interest(section, number, broker, pattern)
        return ()

    return Wish(f"{_said(section, broker, pattern)}, changed", do)


def _remove_interest(asked: Mapping[str, Any]) -> Wish:
    (section, broker, pattern), number = _interest(asked), whole(asked.get("number"))
    return Wish(f"{_said(section, broker, pattern)}, removed", lambda one: one.remove_interest(section, number))


def _said(section: str, broker: str, pattern: str) -> str:
    return f"{pattern} {'wanted' if section == 'subscriptions' else 'published'} at {broker}"


# -- what goes -------------------------------------------------------------------------------------------------------


def _remove_broker(asked: Mapping[str, Any]) -> Wish:
    name = word(asked, "name")
    return Wish(f"Broker {name} removed", lambda one: one.remove_broker(name), removes=True)


def _remove_link(asked: Mapping[str, Any]) -> Wish:
    name = word(asked, "name")
    return Wish(f"Link {name} removed", lambda one: one.remove_link(name), removes=True)


def _remove_topic(asked: Mapping[str, Any]) -> Wish:
    name = word(asked, "name")
    return Wish(f"Topic {name} removed", lambda one: one.remove_topic(name), removes=True)


#: What may be asked for, by its name.
WISHES: dict[str, Callable[[Mapping[str, Any]], Wish]] = {
    "add-broker": _add_broker,
    "add-link": _add_link,
    "add-topic": _add_topic,
    "add-interest": _add_interest,
    "change-broker": _change_broker,
    "change-link": _change_link,
    "change-topic": _change_topic,
    "change-interest": _change_interest,
    "remove-broker": _remove_broker,
    "remove-link": _remove_link,
    "remove-topic": _remove_topic,
    "remove-interest": _remove_interest,
}


# -- what forms show -------------------------------------------------------------------------------------------------


def forms(loaded: LoadedEstate) -> dict[str, Any]:
    """What an estate's forms are filled with: raw values, in the order of brokers, links, topics."""
    estate = loaded.estate
    assert estate is not None
    return {
        "relayed": estate.protocol == "relay",
        "brokers": [
            {
                "site": one.site or "",
                "address": one.address or "",
                "tags": list(one.tags),
                "processing_ms": _shown(one.processing_ms, 0.0),
                "transit": one.transit,
            }
            for one in estate.brokers
        ],
        "links": [_link_form(loaded, one) for one in estate.links],
        "topics": [
            {
                "name": one.name,
                "publishers": [estate.brokers[broker].id for broker in one.publishers],
                "subscribers": [estate.brokers[broker].id for broker in one.subscribers],
                "max_latency_ms": _shown(one.max_latency_ms, None),
                "max_hops": _shown(one.max_hops, None),
            }
            for one in estate.topics
        ],
        "interests": [
            {"section": section, "number": number, "at": estate.brokers[one.broker].id, "filter": one.filter}
            for section, several in zip(_INTERESTS, (estate.subscriptions, estate.publications), strict=True)
            for number, one in enumerate(several or ())
        ],
    }


def _link_form(loaded: LoadedEstate, link: Link) -> dict[str, Any]:
    estate = loaded.estate
    assert estate is not None
    found: dict[str, Any] = {
        "name": link.id if has_id(loaded, link) else "",
        "from": estate.brokers[link.tail].id,
        "to": estate.brokers[link.head].id,
        "one_way": link.one_way,
        "cost": _shown(link.cost, 1.0),
        "cost_back": _shown(link.cost_back, link.cost),
        "latency_ms": _shown(link.latency_ms, 0.0),
        "latency_ms_back": _shown(link.latency_ms_back, link.latency_ms),
        "availability": _shown(link.availability, None),
    }
    if estate.protocol == "relay":
        found |= {
            "connection": link.connection or "",
            "max_hops": _shown(link.max_hops, None),
            "filters": None
            if link.passes is None
            else [{"filter": one.filter, "strip": one.strip, "add": one.add, "deny": one.deny} for one in link.passes],
        }
    return found


# -- values ----------------------------------------------------------------------------------------------------------


def _new(told: Told, known: Any, as_told: Callable[[Any], Told]) -> Told:
    """Those of the attributes that are other than they were."""
    before = {} if known is None else as_told(known)
    return {key: value for key, value in told.items() if value != before.get(key)}


def _shown(value: float | None, usual: float | None) -> str:
    return figure(value, usual) or ""


def word(asked: Mapping[str, Any], key: str) -> str:
    """A name or a short text, without spaces at its ends; empty where there is none. Raises `Refused`."""
    value = asked.get(key, "")
    if not isinstance(value, str) or len(value) > _MOST_LETTERS:
        raise Refused(400, f"`{key}` is no name")
    return value.strip()


def names(asked: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """A list of names, each once. Raises `Refused`."""
    value = asked.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
        raise Refused(400, f"`{key}` is no list of names")
    return tuple(dict.fromkeys(value))


def _number(asked: Mapping[str, Any], key: str, usual: float | None) -> float | None:
    given = asked.get(key)
    if given is None or (isinstance(given, str) and not given.strip()):
        return usual
    try:
        value = float(given)
    except (TypeError, ValueError, OverflowError) as error:
        raise Refused(400, f"`{key}` is no number") from error
    if not math.isfinite(value):
        raise Refused(400, f"`{key}` is no number")
    return value


def whole(value: object) -> int:
    """A number of a thing in a list. Raises `Refused`."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise Refused(400, "this is no number of an estate or of a thing in it")
    return value


def lost_specifications(before: Estate, after: Estate) -> list[int]:
    """The specifications, by index in both, that meant something before and name what is not there any more."""
    from momlint.routed.specs.parse import parse
    from momlint.routed.specs.resolve import resolve
    from momlint.routed.specs.syntax import FormulaError
    from momlint.routed.specs.vocabulary import names_of as vocabulary

    if len(before.specs) != len(after.specs):
        return []
    found = []
    old, new = vocabulary(before), vocabulary(after)
    for number, spec in enumerate(after.specs):
        try:
            formula = parse(spec.text, spec.logic)
            resolve(formula, old)
        except FormulaError:
            continue
        try:
            resolve(formula, new)
        except FormulaError:
            found.append(number)
    return found
