"""The picture of a tree of sites: who is whose parent, and who publishes and wants what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momlint.delivery.read import read
from momlint.view.form import Cable, Picture, Places, Spot, State, Subject
from momlint.view.layout import lay_out, paths
from momlint.words import joined

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate


def draw(loaded: LoadedEstate, places: Places) -> Picture | None:
    """The picture of an estate; None where its sites could not be read."""
    estate = loaded.estate
    assert estate is not None
    design = read(loaded).design
    if design.sites is None:
        return None
    ends = [(site.parent, index) for index, site in enumerate(design.sites) if site.parent is not None]
    layout = lay_out(len(design.sites), ends)
    picture = Picture(estate.name, loaded.source.file, "sites", layout.width, layout.height)
    picture.states = [State("", "supposed", (), ())]
    clients = design.clients or ()
    for index, (site, (x, y)) in enumerate(zip(design.sites, layout.spots, strict=True)):
        here = [client.name for client in clients if client.site == index]
        about = f"brokers {joined(site.brokers)}" + (f"; clients {joined(here)}" if here else "")
        picture.brokers.append(Spot(site.name, x, y, about, places.of(loaded, site.place)))
    for (tail, head), path in zip(ends, paths(layout.spots, ends), strict=True):
        site = design.sites[head]
        name = f"{design.sites[tail].name}--{site.name}"
        about = "" if site.latency_ms is None else f"{site.latency_ms:g} ms"
        picture.links.append(Cable(name, tail, head, False, path, about, places.of(loaded, site.place)))
    topics = dict.fromkeys(topic for client in clients for topic in (*client.publishes, *client.subscribes))
    for topic in topics:
        publishers = dict.fromkeys(client.site for client in clients if topic in client.publishes)
        subscribers = dict.fromkeys(client.site for client in clients if topic in client.subscribes)
        picture.topics.append(Subject(topic, tuple(publishers), tuple(subscribers), -1))
    return picture
