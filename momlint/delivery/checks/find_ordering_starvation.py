"""MOM822: a subscriber waits for ever for an event that filtering keeps away from its site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from momlint.estate import delivery_places
from momlint.findings import Draft, RelatedDraft, Witness

if TYPE_CHECKING:
    from momlint.delivery.ways import Case, Starvation

_HELP = {
    "publisher": "use `numbering: link`, so that every broker numbers what it sends on, or `routing: flooding`",
    "sequencer": "use `numbering: subscriber`, so that each subscriber has its own counter, or `routing: flooding`",
}


def find(case: Case) -> Iterator[Draft]:
    """One draft for each subscriber that can starve, with two events that are enough."""
    for found in case.starved() or ():
        way = case.design.way
        assert way is not None
        assert way.numbering is not None
        subscriber, (other, missing), (publisher, held) = found.subscriber, found.missing, found.held
        yield Draft(
            "MOM822",
            subscriber.place.key,
            f"subscriber `{subscriber.name}` can wait for ever for a number that an event of topic `{missing}` has",
            help=_HELP[way.numbering],
            witness=Witness(trace=tuple(_trace(case, found))),
            related=tuple(_related(found)),
            label=f"gets no event of `{publisher.name}` from then on",
            data={
                "subscriber": subscriber.name,
                "publishers": (other.name, publisher.name),
                "topics": (missing, held),
            },
        )


def _related(found: Starvation) -> Iterator[RelatedDraft]:
    """Where the two events are published."""
    (other, missing), (publisher, held) = found.missing, found.held
    said = {other.name: f"publishes `{missing}`"}
    said[publisher.name] = f"publishes `{missing}` and `{held}`" if other is publisher else f"publishes `{held}`"
    for one in dict.fromkeys((other.name, publisher.name)):
        client = other if one == other.name else publisher
        yield RelatedDraft(delivery_places.entry(client.place, "publishes"), said[one])


def _trace(case: Case, found: Starvation) -> Iterator[str]:
    """What happens, event by event; what is waited for comes last."""
    sites = case.design.sites
    assert sites is not None
    subscriber, (other, missing), (publisher, held) = found.subscriber, found.missing, found.held
    site = sites[subscriber.site].name
    whose = "the sequencer" if case.sequencer() is not None else f"`{publisher.name}`"
    yield f"{other.name} publishes {missing}: number 1 of {whose}, which does not come to {site}"
    yield f"{publisher.name} publishes {held}: number 2 of {whose}, which comes to {site}"
    yield f"{site} holds number 2 back: {subscriber.name} waits for number 1"
