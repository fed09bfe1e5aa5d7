"""What pictures of all disciplines of brokers have in common: brokers and links, laid out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from momlint.view.form import Cable, Picture, Places, Spot, Subject
from momlint.view.layout import lay_beside, lay_out, paths
from momlint.words import joined

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.estate.resolved import Broker, Link, Topic

#: So many topics can be chosen in a page.
MOST_TOPICS = 3_000
#: So many filters of a link are told.
_MOST_FILTERS = 6
#: Letters of a name for which there is room, pixels of each, and what there is at the sides already.
_LONGEST, _LETTER, _MARGIN = 24, 7.0, 44.0


def drawn(
    loaded: LoadedEstate,
    kind: Literal["routed", "relayed"],
    places: Places,
    known: Mapping[str, tuple[float, float]] = MappingProxyType({}),
) -> Picture:
    """The brokers and links of an estate. `known`: where brokers stand already, by name."""
    estate = loaded.estate
    assert estate is not None
    ends = [(link.tail, link.head) for link in estate.links]
    names = [broker.id for broker in estate.brokers]
    stand = any(name in known for name in names)
    layout = lay_beside(names, ends, known) if stand else lay_out(len(names), ends)
    # Long names stand below their brokers, and need more than the margin at the sides.
    longest = min(_LONGEST, max(len(broker.id) for broker in estate.brokers))
    beyond = max(0.0, longest * _LETTER / 2 - _MARGIN)
    shift = 0.0 if stand else beyond
    spots = [(round(x + shift, 1), y) for x, y in layout.spots]
    picture = Picture(estate.name, loaded.source.file, kind, round(layout.width + shift + beyond, 1), layout.height)
    for broker, (x, y) in zip(estate.brokers, spots, strict=True):
        at = places.of(loaded, broker.place)
        picture.brokers.append(Spot(broker.id, x, y, _about_broker(broker), at, broker.external))
    for link, path in zip(estate.links, paths(spots, ends), strict=True):
        at = places.of(loaded, link.place)
        picture.links.append(Cable(link.id, link.tail, link.head, link.one_way, path, _about_link(link), at))
    return picture


def add_topics(picture: Picture, loaded: LoadedEstate, topics: Sequence[Topic], places: Places) -> None:
    """The topics of an estate, as many as a page can show."""
    for topic in topics[:MOST_TOPICS]:
        at = places.of(loaded, topic.place.key)
        picture.topics.append(Subject(topic.name, topic.publishers, topic.subscribers, at))
    if len(topics) > MOST_TOPICS:
        picture.notes.append(f"{MOST_TOPICS:,} of {len(topics):,} topics can be chosen here.")


def _about_broker(broker: Broker) -> str:
    told = []
    if broker.external:
        told.append("outside")
    if broker.site is not None:
        told.append(f"site {broker.site}")
    if broker.address is not None:
        told.append(broker.address)
    if broker.processing_ms:
        told.append(f"{broker.processing_ms:g} ms")
    if broker.availability is not None:
        told.append(f"availability {broker.availability:g}")
    if broker.tags:
        told.append(f"tags {joined(broker.tags)}")
    if not broker.transit:
        told.append("passes nothing on")
    return ", ".join(told)


def _about_link(link: Link) -> str:
    told = []
    if link.cost != 1 or link.cost_back is not None:
        told.append(f"cost {_both(link.cost, link.cost_back)}")
    if link.latency_ms or link.latency_ms_back:
        told.append(f"{_both(link.latency_ms, link.latency_ms_back)} ms")
    if link.availability is not None:
        told.append(f"availability {link.availability:g}")
    if link.max_hops is not None:
        told.append(f"at most {link.max_hops} hops")
    if link.passes is not None:
        filters = []
        for one in link.passes[:_MOST_FILTERS]:
            words = f"{'not ' if one.deny else ''}{one.filter}"
            if one.strip:
                words += f" without {one.strip}"
            if one.add:
                words += f" as {one.add}…"
            filters.append(words)
        if len(link.passes) > _MOST_FILTERS:
            filters.append(f"{len(link.passes) - _MOST_FILTERS:,} more")
        told.append(f"passes {'; '.join(filters)}" if filters else "passes nothing")
    return ", ".join(told)


def _both(forth: float, back: float | None) -> str:
    return f"{forth:g}" if back is None or back == forth else f"{forth:g} there and {back:g} back"
