"""The end nodes of the take-over model: publishers and subscribers, where they live, who adopts them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from momlint.records import dataclass

if TYPE_CHECKING:
    from momlint.routed.specs.vocabulary import Names


class End(NamedTuple):
    """An end node: ``publisher`` or ``subscriber``, its name's rest, its broker, who adopts it, and its topic.

    `home` and `adopter` are dense broker ids; they are the same where nobody adopts. `topic` is an index of
    `Ends.topics`. `label` is the broker's name, with `further`, ``_2``, ``_3`` … for a broker's further topics.
    """

    role: Literal["publisher", "subscriber"]
    label: str
    home: int
    adopter: int
    topic: int
    further: str

    @property
    def name(self) -> str:
        """``publisher1``"""
        return self.role + self.label


@dataclass(frozen=True, slots=True)
class Ends:
    """All end nodes, publishers first, in the order of brokers and then of topics."""

    nodes: tuple[End, ...]
    topics: tuple[str, ...]


def ends_of(names: Names) -> Ends:
    """The end nodes of an estate: one for each broker and topic it publishes or subscribes to.

    An estate without topics gets what the source has (thesis 5.1): publisher i and subscriber i on every broker i,
    with a topic of their own.
    """
    topics = tuple(topic.name for topic in names.topics)
    publishes: list[list[int]] = [[] for _ in names.brokers]
    subscribes: list[list[int]] = [[] for _ in names.brokers]
    for index, topic in enumerate(names.topics):
        for broker in topic.publishers:
            publishes[broker].append(index)
        for broker in topic.subscribers:
            subscribes[broker].append(index)
    if not topics:
        topics = names.brokers
        publishes = [[i] for i in range(len(names.brokers))]
        subscribes = publishes
    nodes: list[End] = []
    roles: tuple[tuple[Literal["publisher", "subscriber"], list[list[int]]], ...] = (
        ("publisher", publishes),
        ("subscriber", subscribes),
    )
    for role, table in roles:
        # A broker may be called what another one's further topics would be numbered; the first owner keeps it.
        taken = set(names.brokers)
        for broker, its in enumerate(table):
            for number, topic_index in enumerate(its, 1):
                further = f"_{number}" if number > 1 else ""
                while number > 1 and names.brokers[broker] + further in taken:
                    further += "_"
                label = names.brokers[broker] + further
                taken.add(label)
                adopter = names.adopter(broker)
                nodes.append(End(role, label, broker, adopter, topic_index, further))
    return Ends(tuple(nodes), topics)
