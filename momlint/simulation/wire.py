"""What travels between clients and brokers of a tree of sites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias


class Event(NamedTuple):
    """`number`: the publisher's own, from 1, over all its topics."""

    publisher: str
    number: int
    topic: str

    @property
    def name(self) -> str:
        """``publisher1's A3``: topic and number, as the literature writes it."""
        return f"{self.publisher}'s {self.topic}{self.number}"


@dataclass(frozen=True, slots=True)
class Carry:
    """An event on its way. `number`: of the link or the sequencer; `numbers`: of each subscriber that it is for."""

    event: Event
    number: int = 0
    numbers: tuple[tuple[str, int], ...] = ()


class Numbered(NamedTuple):
    """An event and its number, or with numbering by subscriber one for each who wants it."""

    event: Event
    number: int
    numbers: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Ask:
    """The site `origin` asks the sequencer for numbers of a publisher's next events, in their order.

    `wanted`: each with those who are interested, whom numbering by subscriber counts for.
    """

    wanted: tuple[tuple[Event, tuple[str, ...]], ...]
    origin: int

    @property
    def events(self) -> tuple[Event, ...]:
        """What is to be numbered."""
        return tuple(event for event, _ in self.wanted)


@dataclass(frozen=True, slots=True)
class Answer:
    """The sequencer's answer to an `Ask`."""

    given: tuple[Numbered, ...]
    origin: int

    @property
    def events(self) -> tuple[Event, ...]:
        """What is numbered."""
        return tuple(one.event for one in self.given)


@dataclass(frozen=True, slots=True)
class Subscription:
    """A client wants a topic, or no longer. `version`: its own count of these; a later one holds against earlier."""

    client: str
    topic: str
    wanted: bool
    version: int


#: What is sent from site to site. All but answers are sent again until they are acknowledged, a question by its answer.
Load: TypeAlias = Carry | Ask | Answer | Subscription


def kind_of(load: Load) -> str:
    """What it is called in counts."""
    names = {Carry: "events", Ask: "questions", Answer: "answers", Subscription: "subscriptions"}
    return names[type(load)]


def key_of(load: Load) -> tuple[object, ...]:
    """What tells it from others on one hop; a copy of the same has the same."""
    match load:
        case Subscription():
            return ("subscription", load.client, load.version)
        case Ask():
            return question_key(load)
        case Answer():
            return ("answer", *question_key(load))
    return carry_key(load.event)


def carry_key(event: Event) -> tuple[object, ...]:
    """Of an event on its way."""
    return ("event", event.publisher, event.number)


def question_key(load: Ask | Answer) -> tuple[object, ...]:
    """Of a question, by what is asked for: the same for its answer."""
    events = load.events
    return ("question", events[0].publisher, events[0].number, events[-1].number)


def said(load: Load) -> str:
    """In a log."""
    match load:
        case Carry(event, number, numbers):
            told = f" (number {number})" if number else ""
            told = f" ({', '.join(f'{name} {one}' for name, one in numbers)})" if numbers else told
            return f"{event.topic}{event.number} of {event.publisher}{told}"
        case Ask():
            names = ", ".join(f"{event.topic}{event.number}" for event in load.events)
            asked = "numbers" if len(load.events) > 1 else "a number"
            return f"{asked} for {names} of {load.events[0].publisher}?"
        case Answer(given):
            told = ", ".join(
                f"{', '.join(f'{name} {one}' for name, one in numbers) or number} for {event.topic}{event.number}"
                for event, number, numbers in given
            )
            return f"{told} of {given[0].event.publisher}"
        case Subscription(client, topic, wanted):
            return f"{client} {'wants' if wanted else 'no longer wants'} {topic}"


@dataclass(frozen=True, slots=True)
class Parcel:
    """A load on a hop. `sender`: a client or broker; `came`: its site where it is a broker of a neighbour, else -1."""

    load: Load
    sender: str
    came: int


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """The load with this key has arrived wherever it goes to from site `site`; `broker`: its active one."""

    key: tuple[object, ...]
    site: int
    broker: str


@dataclass(frozen=True, slots=True)
class InHand:
    """The broker has the load, and others do not yet; said again and again, so that nobody takes it for dead."""

    key: tuple[object, ...]
    site: int
    broker: str


@dataclass(frozen=True, slots=True)
class Suspicion:
    """`teller` hears nothing from `suspect`, which it took for the active broker."""

    suspect: str
    teller: str
    teller_site: int


@dataclass(frozen=True, slots=True)
class TakenOver:
    """`broker` is the active one of its site now, in place of `before`."""

    site: int
    broker: str
    before: str


@dataclass(frozen=True, slots=True)
class Probe:
    """The new active broker asks the suspect whether it is there; with `dead` it says that it counts as dead."""

    asker: str
    dead: bool = False


@dataclass(frozen=True, slots=True)
class Alive:
    """The suspect's answer."""

    broker: str


Note: TypeAlias = Acknowledgement | InHand | Suspicion | TakenOver | Probe | Alive
Message: TypeAlias = Parcel | Note
