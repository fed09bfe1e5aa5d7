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


@dataclass(frozen=True, slots=True)
class Ask:
    """The site `origin` asks the sequencer for a number, with numbering by subscriber for one of each `interested`."""

    event: Event
    origin: int
    interested: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """The sequencer's answer to an `Ask`."""

    event: Event
    origin: int
    number: int
    numbers: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Subscription:
    """A client wants a topic, or no longer. `version`: its own count of these; a later one holds against earlier."""

    client: str
    topic: str
    wanted: bool
    version: int


#: What is acknowledged, and sent again where it is not.
Load: TypeAlias = Carry | Ask | Answer | Subscription


def kind_of(load: Load) -> str:
    """What it is called in counts."""
    names = {Carry: "events", Ask: "questions", Answer: "answers", Subscription: "subscriptions"}
    return names[type(load)]


def key_of(load: Load) -> tuple[object, ...]:
    """What tells it from others on one hop; a copy of the same has the same."""
    if isinstance(load, Subscription):
        return ("subscription", load.client, load.version)
    return (type(load).__name__, load.event.publisher, load.event.number)


def said(load: Load) -> str:
    """In a log."""
    match load:
        case Carry(event, number, numbers):
            told = f" (number {number})" if number else ""
            told = f" ({', '.join(f'{name} {one}' for name, one in numbers)})" if numbers else told
            return f"{event.topic}{event.number} of {event.publisher}{told}"
        case Ask(event):
            return f"a number for {event.topic}{event.number} of {event.publisher}?"
        case Answer(event, _, number, numbers):
            told = ", ".join(f"{name} {one}" for name, one in numbers) if numbers else str(number)
            return f"{told} for {event.topic}{event.number} of {event.publisher}"
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
    """The parcel with this key arrived at a broker of site `site`."""

    key: tuple[object, ...]
    site: int


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


Note: TypeAlias = Acknowledgement | Suspicion | TakenOver | Probe | Alive
Message: TypeAlias = Parcel | Note
