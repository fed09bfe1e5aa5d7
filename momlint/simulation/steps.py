"""The script language of a tree of sites: from text to steps, with a problem for each line that is none."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from momlint.estate.nearest import did_you_mean
from momlint.findings import Problem
from momlint.simulation.lines import Mistaken, Word, whole, worded

#: Steps and events beyond these take longer than anybody waits.
MOST_EVENTS = 100_000
_FORMS = {
    "Subscriber": "`Subscriber NAME Subscribe TOPIC` or `Subscriber NAME Unsubscribe TOPIC`",
    "Publisher": "`Publisher NAME Publish COUNT Ontopic TOPIC Interval MILLISECONDS`",
    "Crash": "`Crash BROKER`",
    "Freeze": "`Freeze BROKER`",
    "Unfreeze": "`Unfreeze BROKER`",
    "Wait": "`Wait MILLISECONDS`",
    "Status": "`Status`",
}


@dataclass(frozen=True, slots=True)
class Subscribe:
    """`client` subscribes to `topic`; with `wanted` false it no longer wants it."""

    client: str
    topic: str
    wanted: bool
    line: int


@dataclass(frozen=True, slots=True)
class Publish:
    """`client` publishes `count` events on `topic`, one each `interval_ms` milliseconds, the first at once."""

    client: str
    topic: str
    count: int
    interval_ms: int
    line: int


@dataclass(frozen=True, slots=True)
class Strike:
    """Something happens to a broker."""

    what: Literal["crash", "freeze", "unfreeze"]
    broker: str
    line: int


@dataclass(frozen=True, slots=True)
class Wait:
    """The next line starts so many milliseconds later."""

    milliseconds: int
    line: int


@dataclass(frozen=True, slots=True)
class Status:
    """The states of all brokers are written down."""

    line: int


Step: TypeAlias = Subscribe | Publish | Strike | Wait | Status


class Script(NamedTuple):
    """What was read; where there are `problems`, nothing is to be run."""

    steps: tuple[Step, ...]
    problems: tuple[Problem, ...]


class Names(NamedTuple):
    """The names that a script may use."""

    clients: Collection[str]
    brokers: Collection[str]


def read_script(text: str, names: Names) -> Script:
    """The steps of a script. Raises nothing on account of what it says."""
    steps: list[Step] = []
    problems: list[Problem] = []
    events = 0
    for words in worded(text):
        try:
            step = _step(words, names)
            count = step.count if isinstance(step, Publish) else 0
            events += count
            # Told once, where they become too many.
            if events - count <= MOST_EVENTS < events:
                raise Mistaken(words[0].mistake(f"the script publishes more than {MOST_EVENTS:,} events"))
            steps.append(step)
        except Mistaken as mistaken:
            problems.append(mistaken.problem)
    return Script(tuple(steps), tuple(problems))


def _step(words: list[Word], names: Names) -> Step:
    first, *rest = words
    form = _FORMS.get(first.text)
    if form is None:
        near = did_you_mean(first.text, list(_FORMS))
        raise Mistaken(first.mistake(f"no step begins with `{first.text}`{near}", f"a line is {_all_forms()}"))
    if first.text == "Subscriber":
        name, verb, topic = _parts(first, rest, form, (None, ("Subscribe", "Unsubscribe"), None))
        _known(name, names.clients, "client")
        return Subscribe(name.text, topic.text, verb.text == "Subscribe", first.line)
    if first.text == "Publisher":
        shape = (None, ("Publish",), None, ("Ontopic",), None, ("Interval",), None)
        name, _, count, _, topic, _, interval = _parts(first, rest, form, shape)
        _known(name, names.clients, "client")
        events, pause = whole(count, "`Publish`", 1), whole(interval, "`Interval`")
        return Publish(name.text, topic.text, events, pause, first.line)
    if first.text == "Wait":
        (pause_word,) = _parts(first, rest, form, (None,))
        return Wait(whole(pause_word, "`Wait`"), first.line)
    if first.text == "Status":
        _parts(first, rest, form, ())
        return Status(first.line)
    (broker,) = _parts(first, rest, form, (None,))
    _known(broker, names.brokers, "broker")
    return Strike(_STRIKES[first.text], broker.text, first.line)


_STRIKES: Mapping[str, Literal["crash", "freeze", "unfreeze"]] = {
    "Crash": "crash",
    "Freeze": "freeze",
    "Unfreeze": "unfreeze",
}


def _all_forms() -> str:
    *others, last = _FORMS.values()
    return f"{', '.join(others)} or {last}"


def _parts(first: Word, rest: list[Word], form: str, shape: tuple[tuple[str, ...] | None, ...]) -> list[Word]:
    """The words after the first, which `shape` lets be anything (None) or one of some words. Raises `Mistaken`."""
    for word, allowed in zip(rest, shape, strict=False):
        if allowed is not None and word.text not in allowed:
            wanted = " or ".join(f"`{one}`" for one in allowed)
            raise Mistaken(word.mistake(f"`{first.text}` takes {wanted} here, not `{word.text}`", f"write {form}"))
    if len(rest) > len(shape):
        extra = rest[len(shape)]
        raise Mistaken(extra.mistake(f"`{extra.text}` is one word too many", f"write {form}"))
    if len(rest) < len(shape):
        last = rest[-1] if rest else first
        raise Mistaken(last.mistake(f"the line ends after `{last.text}`", f"write {form}"))
    return rest


def _known(word: Word, names: Collection[str], what: str) -> None:
    if word.text not in names:
        near = did_you_mean(word.text, names)
        section = "clients" if what == "client" else "sites"
        raise Mistaken(
            word.mistake(f"there is no {what} `{word.text}`{near}", f"declare it under `{section}` of the estate")
        )
