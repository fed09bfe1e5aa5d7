"""From the models of an estate's documents to the form, with a MOM102 for each name that nobody declares."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from momlint.delivery.form import Client, Design, Numbering, Promise, Safeguards, Site, Way
from momlint.estate import delivery_places
from momlint.estate.nearest import did_you_mean
from momlint.findings import Draft, Place, RelatedDraft

if TYPE_CHECKING:
    from momlint.estate.delivery_model import ClientEntry, DeliveryEntry, SiteEntry
    from momlint.estate.load import LoadedEstate

#: The numberings of an order; the first is the default.
_NUMBERINGS: dict[str, tuple[Numbering, ...]] = {"fifo": ("publisher", "link"), "total": ("sequencer", "subscriber")}


class Reading(NamedTuple):
    """What was read; `drafts` say what could not be."""

    design: Design
    drafts: list[Draft]


def read(loaded: LoadedEstate) -> Reading:
    """The sections `sites`, `delivery`, `clients` and `failures.tolerate`, whichever documents hold parts of them."""
    return _Read(loaded).run()


class _Read:
    def __init__(self, loaded: LoadedEstate) -> None:
        assert loaded.estate is not None
        self.estate = loaded.estate
        self.documents = [(n, one.model) for n, one in enumerate(loaded.checked) if one.model is not None]
        self.lost = {section for one in loaded.checked for section in one.lost}
        self.drafts: list[Draft] = []
        self.index: dict[str, int] = {}

    def run(self) -> Reading:
        sites = self.sites()
        way = self.way(sites)
        clients = self.clients(sites)
        known = "sites" not in self.lost
        return Reading(
            Design(
                tuple(sites) if known else None,
                way if known else None,
                clients if known else None,
                self.promise(),
                "sites" not in self.estate.incomplete,
            ),
            self.drafts,
        )

    def sites(self) -> list[Site]:
        entries: dict[str, tuple[SiteEntry, Place]] = {}
        for number, model in self.documents:
            for name, entry in (model.sites or {}).items():
                place = delivery_places.site(number, name)
                if self.is_new(f"site `{name}`", place, entries[name][1] if name in entries else None):
                    entries[name] = entry, place
        if not entries and "sites" not in self.lost:
            places = self.estate.section_places
            place = next(places[one] for one in ("sites", "delivery", "clients") if one in places)
            self.drafts.append(
                Draft("MOM102", place, "there are no sites", "declare them, as `sites: {s1: {brokers: [b1]}}`")
            )
            self.lost.add("sites")
        self.index = {name: number for number, name in enumerate(entries)}
        at: dict[str, Place] = {}
        found = []
        for name, (entry, place) in entries.items():
            brokers = []
            for position, broker in enumerate(entry.brokers):
                here = delivery_places.item(place, "brokers", position)
                # One that another site has as well still is one here: what is a slip of the pen has a finding already.
                if self.is_new(f"broker `{broker}`", here, at.get(broker)) or broker not in brokers:
                    at.setdefault(broker, here)
                    brokers.append(broker)
            parent = self.index.get(entry.parent)
            found.append(Site(name, entry.parent, parent, tuple(brokers), entry.latency_ms, place))
        return found

    def way(self, sites: list[Site]) -> Way | None:
        first: tuple[DeliveryEntry, Place] | None = None
        for number, model in self.documents:
            place = delivery_places.delivery(number)
            if model.delivery is not None and self.is_new("`delivery`", place, first[1] if first else None):
                first = model.delivery, place
        if first is None or "delivery" in self.lost:
            return None
        entry, place = first
        numbering = entry.numbering
        fitting = _NUMBERINGS.get(entry.order, ())
        if fitting and numbering is not None and numbering not in fitting:
            self.drafts.append(
                Draft(
                    "MOM102",
                    delivery_places.value(place, "numbering"),
                    f"`numbering` takes {' or '.join(fitting)} with `order: {entry.order}`, not `{numbering}`",
                    "publisher and link go with fifo, sequencer and subscriber with total",
                )
            )
            return None
        sequencer = None
        if entry.sequencer:
            at = delivery_places.value(place, "sequencer")
            sequencer = self.site(entry.sequencer, at)
            if sequencer is None:
                return None
        number_by = (numbering or fitting[0]) if fitting else None
        safeguards = Safeguards(
            entry.channels == "ordered",
            "subscriptions" in entry.replicate,
            "counters" in entry.replicate,
            "seen" in entry.replicate,
            entry.acknowledge == "before-forwarding",
            entry.retransmit,
            entry.suspect_after_ms,
            entry.dead_after_ms,
        )
        return Way(entry.routing == "filtering", entry.order, number_by, sequencer, place, safeguards)

    def clients(self, sites: list[Site]) -> tuple[Client, ...] | None:
        entries: dict[str, tuple[ClientEntry, Place]] = {}
        for number, model in self.documents:
            for name, entry in (model.clients or {}).items():
                place = delivery_places.client(number, name)
                if self.is_new(f"client `{name}`", place, entries[name][1] if name in entries else None):
                    entries[name] = entry, place
        found = []
        for name, (entry, place) in entries.items():
            site = self.site(entry.site, delivery_places.value(place, "site"))
            if site is not None:
                found.append(Client(name, site, _once(entry.publishes), _once(entry.subscribes), place))
        # A subscriber less, and events seem to go where they do not: with one client unknown, who waits is not known.
        whole = len(found) == len(entries) and "clients" not in self.estate.incomplete
        return tuple(found) if whole else None

    def promise(self) -> Promise | None:
        """What `tolerate` promises. Links of an overlay of `brokers`, where there is one, are not those of sites."""
        if "failures.tolerate" in self.estate.incomplete:
            return None
        tolerate = self.estate.tolerate
        if tolerate is None:
            return Promise()
        return Promise(tolerate.brokers, 0 if self.estate.links else tolerate.links, tolerate.place)

    def site(self, name: str, place: Place) -> int | None:
        found = self.index.get(name)
        if found is None and "sites" not in self.lost:
            message = f"there is no site `{name}`{did_you_mean(name, self.index)}"
            self.drafts.append(Draft("MOM102", place, message, "declare it under `sites`"))
        return found

    def is_new(self, what: str, place: Place, first: Place | None) -> bool:
        """Whether it is the first of its name; another is a finding, and does not count."""
        if first is None:
            return True
        related = (RelatedDraft(first.key, "declared here first"),)
        message = f"{what} is declared twice; the first declaration counts"
        self.drafts.append(Draft("MOM103", place.key, message, "remove one of the two", related=related))
        return False


def _once(topics: Iterable[str] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys(topics or ()))
