"""One question: does a message from one broker to another arrive in a colour; and what of the estate it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias

from momlint.records import dataclass
from momlint.routed.overlay.build import build_overlay
from momlint.routed.overlay.following import Walk, entry, walk
from momlint.routed.overlay.form import NO_HOP, Overlay

if TYPE_CHECKING:
    from momlint.estate.resolved import Estate

#: Where next hops come from in a colour: rows alone; links alone, the shortest paths of what is left; or both.
Basis: TypeAlias = Literal["rows", "links", "both"]


def basis(estate: Estate, overlay: Overlay, colour: int) -> Basis:
    """Where next hops come from in a colour (see the contract on what tables do when something fails)."""
    if estate.recovery_rows is not None:
        return "rows"
    intact = not overlay.failed_link[colour].any() and not overlay.failed_broker[colour].any()
    if estate.protocol == "tables":
        return "rows" if intact or not estate.heals else "links"
    return "links" if not estate.table_rows and (intact or estate.heals) else "both"


@dataclass(frozen=True)
class Question:
    """Brokers and colours are dense ids; `source` and `dest` differ."""

    estate: Estate
    overlay: Overlay
    colour: int
    source: int
    dest: int

    @cached_property
    def basis(self) -> Basis:
        """Where next hops come from."""
        return basis(self.estate, self.overlay, self.colour)

    @cached_property
    def walk(self) -> Walk:
        """What the message does, if neither of the two brokers has failed."""
        return walk(self.overlay, self.colour, self.source, self.dest)

    @property
    def failed_ends(self) -> list[int]:
        """Which of the two brokers have failed."""
        return [one for one in (self.source, self.dest) if self.overlay.failed_broker[self.colour, one]]

    @property
    def arrives(self) -> bool:
        """The verdict."""
        return not self.failed_ends and self.walk.end == "arrived"

    def entry(self, loc: int) -> tuple[int, int]:
        """The next hop that stands at `loc`, usable or not, and its row."""
        return entry(self.overlay, self.colour, self.dest, loc)

    @cached_property
    def live(self) -> Mapping[tuple[int, int], tuple[int, ...]]:
        """(from, to) → the links that a message can take there in this colour."""
        return live_links(self.overlay, self.colour)

    @cached_property
    def all_arcs(self) -> Mapping[tuple[int, int], tuple[int, ...]]:
        """The same, as if nothing had failed."""
        return live_links(self.overlay, None)

    def passes(self, loc: int) -> bool:
        """Whether the broker may send the message on: it is its own, or the broker passes on at all."""
        transit = self.overlay.transit
        return loc == self.source or transit is None or bool(transit[loc])

    def without_link(self, link: int) -> Question:
        """The same question, if the link were gone."""
        return replace(self, overlay=overlay_without(self.estate, link))


def live_links(overlay: Overlay, colour: int | None) -> dict[tuple[int, int], tuple[int, ...]]:
    """(from, to) → the links that a message can take there in a colour; without one, as if nothing had failed."""
    found: dict[tuple[int, int], list[int]] = {}
    for tail, head, link in zip(
        overlay.arc_tail.tolist(), overlay.arc_head.tolist(), overlay.arc_link.tolist(), strict=True
    ):
        if colour is not None and (
            overlay.failed_link[colour, link]
            or overlay.failed_broker[colour, tail]
            or overlay.failed_broker[colour, head]
        ):
            continue
        found.setdefault((tail, head), []).append(link)
    return {ends: tuple(links) for ends, links in found.items()}


def overlay_without(estate: Estate, link: int) -> Overlay:
    """The overlay, if a link were gone; all others keep their ids."""
    links = list(estate.links)
    # A link from a broker to itself carries nothing.
    links[link] = replace(links[link], head=links[link].tail)
    return build_overlay(replace(estate, links=links))


def reaches(question: Question, without: int | None = None) -> bool:
    """Whether any way leads from source to destination over live links, but for the link `without`."""
    after: dict[int, list[int]] = {}
    for (tail, head), links in question.live.items():
        if any(link != without for link in links):
            after.setdefault(tail, []).append(head)
    found, waiting = {question.source}, [question.source]
    while waiting:
        loc = waiting.pop()
        if loc == question.dest:
            return True
        if question.passes(loc):
            new = [head for head in after.get(loc, ()) if head not in found]
            found.update(new)
            waiting += new
    return False


__all__ = ["NO_HOP", "Basis", "Question", "basis", "live_links", "overlay_without", "reaches"]
