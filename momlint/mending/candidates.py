"""What could be changed in a relayed overlay, by what was found in it: for each finding what its help advises first.

Nothing here is a mend. Every candidate is tried (`momlint.mending.smallest`): the estate with it goes through the whole
check, and nothing may be found that was not, nor be lost that arrived.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

from momlint.estate.rewriting import Rewriting
from momlint.findings import Finding, Place, Span
from momlint.mending.hands import hand_of
from momlint.mending.hands.form import Act, Site
from momlint.relayed.fates import Fates
from momlint.relayed.form import Arc, Relay, relay_of
from momlint.relayed.patterns import TooLarge
from momlint.relayed.reach import Missing, missing

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate

#: Candidates of one finding.
MOST = 24


class Step(NamedTuple):
    """One change at one site: a method of `Hand` by its name, and what else it takes."""

    site: Site
    act: Act
    args: tuple[object, ...] = ()


class Candidate(NamedTuple):
    """Changes that belong together. `lost`: how many links or ways less there are with it. `finding`: its number."""

    finding: int
    steps: tuple[Step, ...]
    lost: int = 0

    def apply(self, rewriting: Rewriting) -> None:
        """Gather its patches. Raises `Unpatchable`."""
        for site, act, args in self.steps:
            getattr(hand_of(rewriting, site.file), act)(site, *args)

    @property
    def size(self) -> tuple[int, int]:
        """The less the better: what is taken away, then how many places change."""
        return self.lost, len(self.steps)


def candidates(loaded: LoadedEstate, findings: Sequence[Finding]) -> list[Candidate]:
    """Those for all findings of one estate, finding by finding, the most likely first."""
    estate = loaded.estate
    if estate is None or estate.protocol != "relay":
        return []
    sites = Sites(loaded, relay_of(estate))
    files = {source.file for source in loaded.sources}
    found: list[Candidate] = []
    for number, finding in enumerate(findings):
        if finding.file not in files:
            continue
        several = _OF_CODE.get(finding.code)
        if several is not None:
            found += list(several(sites, number, finding))[:MOST]
    if any(finding.code == "MOM803" for finding in findings):
        found += list(sites.for_reach(findings))[:MOST]
    # Several findings may advise the same.
    return list({one.steps: one for one in reversed(found)}.values())[::-1]


class Sites:
    """Where the arcs of an overlay are written."""

    def __init__(self, loaded: LoadedEstate, relay: Relay) -> None:
        self.loaded = loaded
        self.relay = relay
        self._at: dict[tuple[str, Span], list[int]] = {}
        for number, arc in enumerate(relay.arcs):
            for place in dict.fromkeys([arc.place, *(entry.place for entry in arc.entries)]):
                file, span, _ = loaded.locate(place)
                self._at.setdefault((file, span), []).append(number)

    def arcs(self, finding: Finding) -> list[int]:
        """The arcs that a finding points at: at its own place, then at the related ones."""
        places = [(finding.file, finding.span), *((one.file, one.span) for one in finding.related)]
        return list(dict.fromkeys(number for place in places for number in self._at.get(place, ())))

    def between(self, walks: Iterable[Sequence[str]]) -> list[int]:
        """The arcs along walks, brokers by name."""
        hops = {hop for walk in walks for hop in pairwise(walk)}
        names = self.relay.names
        return [n for n, arc in enumerate(self.relay.arcs) if (names[arc.tail], names[arc.head]) in hops]

    def site(self, arc: Arc, place: Place | None = None) -> Site:
        """Where an arc is written, or its part at `place`."""
        place = arc.place if place is None else place
        file, span, _ = self.loaded.locate(place)
        link = self.relay.estate.links[arc.link]
        outward: bool | None = None
        if not link.one_way:
            outward = arc.tail == link.tail
        elif link.id.endswith((".out", ".in")):
            outward = link.id.endswith(".out")
        return Site(file, span, outward, place.document, place.path)

    def entry_site(self, number: int, finding: Finding) -> Site:
        """Where the entry of an arc is written that a finding points at, else the arc."""
        arc = self.relay.arcs[number]
        places = {(finding.file, finding.span), *((one.file, one.span) for one in finding.related)}
        for entry in arc.entries:
            if self.loaded.locate(entry.place)[:2] in places:
                return self.site(arc, entry.place)
        return self.site(arc, arc.entries[0].place if len(arc.entries) == 1 else None)

    # -- reach --------------------------------------------------------------------------------------------------------

    def for_reach(self, findings: Sequence[Finding]) -> Iterator[Candidate]:
        """What lets come what is wanted: for each message that is missing, and for all that lack the same at once."""
        number = next(n for n, finding in enumerate(findings) if finding.code == "MOM803")
        fates = Fates(self.relay, "graph")
        try:
            fates.work_out()
            lacking = [one for one in missing(fates) if one.changes]
        except TooLarge:
            return
        causes: dict[Place, list[Missing]] = {}
        for one in lacking:
            assert one.changes is not None
            causes.setdefault(one.changes[0].place, []).append(one)
        groups = [*causes.values(), *([one] for several in causes.values() for one in several)]
        for several in [lacking, *groups] if len(causes) > 1 else groups:
            steps = self._steps(several)
            if steps is not None:
                yield Candidate(number, steps)

    def _steps(self, several: Sequence[Missing]) -> tuple[Step, ...] | None:
        """The changes by which these messages arrive; None where one of them is not for a program to make."""
        hops: dict[Site, int] = {}
        others: dict[tuple[Site, str, str], Step] = {}
        for one in several:
            for change in one.changes or ():
                site = self.site(change.arc, change.place)
                match change.kind:
                    case "hops":
                        hops[site] = max(hops.get(site, 0), change.hop)
                    case "filter":
                        text = self.relay.language.text(change.topic)
                        if change.topic == one.topic and one.need.pattern is not None:
                            text = one.need.name
                        others[site, "filter", text] = Step(site, "let_pass", (text,))
                    case "denied":
                        others[site, "denied", ""] = Step(site, "leave_out")
                    case "backwards":
                        others[site, "backwards", ""] = Step(site, "both_ways")
                    case _:
                        return None
        steps = [Step(site, "limit", (hop,)) for site, hop in hops.items()]
        return (*steps, *others.values())


# -- by what was found ----------------------------------------------------------------------------------------------


def _of_loop(sites: Sites, number: int, finding: Finding) -> Iterator[Candidate]:
    """Two connections of a broker as one with two addresses; a connection less; a way less."""
    arcs = sites.relay.arcs
    on = sites.arcs(finding)
    if finding.witness is not None and finding.witness.walk:
        on = list(dict.fromkeys([*on, *sites.between([finding.witness.walk])]))
    for one, other in combinations(sorted(_one_each(sites, on), key=lambda n: arcs[n].link), 2):
        first, second = sites.site(arcs[one]), sites.site(arcs[other])
        if first.file == second.file:
            yield Candidate(number, (Step(first, "join", (second,)),))
    yield from _less(sites, number, finding, on)


def _less(sites: Sites, number: int, finding: Finding, on: Sequence[int]) -> Iterator[Candidate]:
    """A connection less, or a way less, of these arcs: what stands last in the file first."""
    arcs = sites.relay.arcs
    for one in _one_each(sites, on):
        yield Candidate(number, (Step(sites.site(arcs[one]), "disconnect"),), 2)
    for one in on:
        yield Candidate(number, (Step(sites.entry_site(one, finding), "leave_out"),), 1)


def _one_each(sites: Sites, on: Iterable[int]) -> list[int]:
    """An arc of each connection."""
    found: dict[str, int] = {}
    for one in on:
        found.setdefault(sites.relay.arcs[one].connection, one)
    return list(found.values())


def _of_copies(sites: Sites, number: int, finding: Finding) -> Iterator[Candidate]:
    """Lower limits on hops, at one link or at all that have such a one; a connection or a way less."""
    arcs = sites.relay.arcs
    walks = [path.split(" → ") for path in finding.witness.paths or ()] if finding.witness is not None else []
    on = list(dict.fromkeys([*sites.arcs(finding), *sites.between(walks)]))
    for one in on:
        limit = arcs[one].max_hops
        for hops in range((limit or 1) - 1, 0, -1):
            yield Candidate(number, (Step(sites.site(arcs[one]), "limit", (hops,)),))
    highest = max((arc.max_hops or 0 for arc in arcs), default=0)
    for hops in range(min(highest - 1, 4), 0, -1):
        places = dict.fromkeys(sites.site(arc)._replace(outward=None) for arc in arcs if (arc.max_hops or 0) > hops)
        yield Candidate(number, tuple(Step(place, "limit", (hops,)) for place in places))
    yield from _less(sites, number, finding, on)


_SIGNS = {
    "mqtt": str.maketrans("*>", "+#"),
    "amqp": str.maketrans("+>", "*#"),
    "nats": str.maketrans("+#", "*>"),
    "jms": str.maketrans("+#", "*>"),
}


def _of_syntax(sites: Sites, number: int, finding: Finding) -> Iterator[Candidate]:
    """The wildcards of the other syntax as this one has them, and the separators."""
    language = sites.relay.language
    written = finding.data.get("filter")
    table = _SIGNS.get(language.syntax)
    if not isinstance(written, str) or table is None:
        return
    other = "." if language.separator == "/" else "/"
    for text in dict.fromkeys((written, written.replace(other, language.separator))):
        words = [word.translate(table) if len(word) == 1 else word for word in text.split(language.separator)]
        new = language.separator.join(words)
        if new != written:
            site = Site(finding.file, finding.span)
            yield Candidate(number, (Step(site, "replace", (written, new)),))


_OF_CODE: dict[str, Callable[[Sites, int, Finding], Iterator[Candidate]]] = {
    "MOM801": _of_loop,
    "MOM802": _of_loop,
    "MOM804": _of_copies,
    "MOM806": _of_syntax,
}
#: What a change of a relayed overlay may mend.
RELAYED_CODES = frozenset((*_OF_CODE, "MOM803"))

__all__ = ["RELAYED_CODES", "Candidate", "candidates"]
