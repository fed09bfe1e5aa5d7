"""What could be changed in a relayed overlay, by what was found in it: for each finding what its help advises first.

Nothing here is a mend. Every candidate is tried (`momlint.mending.smallest`): the estate with it goes through the whole
check, and nothing may be found that was not, nor be lost that arrived.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import combinations, pairwise
from typing import TYPE_CHECKING, NamedTuple

from momlint.estate.rewriting import Rewriting, route_of
from momlint.findings import Finding, Place, Span
from momlint.mending.hands import hand_of
from momlint.mending.hands.form import Act, Site
from momlint.relayed.fates import Fates
from momlint.relayed.form import Arc, Need, Relay, relay_of
from momlint.relayed.patterns import Constrained, Sets, TooLarge, whole
from momlint.relayed.reach import Missing, missing
from momlint.relayed.repairs import repairs

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate

#: Acts that leave no choice.
_SAFE = ("replace", "end_prefix", "join_port")
#: Candidates of one finding.
MOST = 40


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
    def is_safe(self) -> bool:
        """Whether it only writes rightly what is there: it takes nothing away, lets no more pass, and names nothing."""
        return all(step.act in _SAFE for step in self.steps)

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

    @cached_property
    def fates(self) -> Fates | None:
        """What becomes of every class; None where that takes too long."""
        fates = Fates(self.relay, "graph")
        try:
            fates.work_out()
        except TooLarge:
            return None
        return fates

    @cached_property
    def cycling(self) -> list[int]:
        """The arcs on which something goes round, those that stand last first."""
        told = [] if self.fates is None else self.fates.told
        arcs = {step.arc for one in told for cycle in one.fate.cycles for step in cycle}
        return sorted(arcs, key=lambda arc: self.relay.arcs[arc].link, reverse=True)

    @cached_property
    def repeating(self) -> list[int]:
        """The arcs that carry what goes round, or comes several times somewhere, those that stand last first."""
        told = [] if self.fates is None else self.fates.told
        several = [one for one in told if one.fate.cycles or max(one.fate.arrivals.values(), default=0) > 1]
        arcs = {passed.arc for one in several for steps in one.found.steps.values() for passed in steps}
        return sorted(arcs, key=lambda arc: self.relay.arcs[arc].link, reverse=True)

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
        return Site(file, span, outward, *route_of(place))

    def entry_site(self, number: int, finding: Finding) -> Site:
        """Where the entry of an arc is written that a finding points at, else the arc."""
        arc = self.relay.arcs[number]
        places = {(finding.file, finding.span), *((one.file, one.span) for one in finding.related)}
        for entry in arc.entries:
            if self.loaded.locate(entry.place)[:2] in places:
                return self.site(arc, entry.place)
        return self.site(arc, arc.entries[0].place if len(arc.entries) == 1 else None)

    def pointed_at(self, finding: Finding) -> list[Site]:
        """The places of a finding, whatever they are."""
        return [
            Site(finding.file, finding.span),
            *(Site(one.file, one.span) for one in finding.related),
        ]

    def placed(self, finding: Finding) -> list[Site]:
        """The places of a finding, with the entries of links that stand there."""
        entries = {
            self.loaded.locate(entry.place)[:2]: self.site(arc, entry.place)
            for arc in self.relay.arcs
            for entry in arc.entries
        }
        return [entries.get((one.file, one.span), one) for one in self.pointed_at(finding)]

    def name_at(self, site: Site) -> str:
        """The name that stands there, without quotes; of a line that begins a connection, what follows."""
        source = next((one for one in self.loaded.sources if one.file == site.file), None)
        start, end = site.span.start, site.span.end
        if source is None or start.line != end.line or start.line > len(source.lines):
            return ""
        text = source.lines[start.line - 1][start.column - 1 : end.column - 1]
        text = text.removeprefix("connection ").strip()
        return text[1:-1] if text[:1] in ("'", '"') and text[-1:] == text[:1] else text

    def free(self, name: str) -> str:
        """A name that no file of the estate has."""
        number = 2
        text = "\n".join(line for source in self.loaded.sources for line in source.lines)
        while f"{name}-{number}" in text:
            number += 1
        return f"{name}-{number}"

    # -- reach --------------------------------------------------------------------------------------------------------

    def for_reach(self, findings: Sequence[Finding]) -> Iterator[Candidate]:
        """What lets come what is wanted: for each message that is missing, and for all that lack the same at once."""
        number = next(n for n, finding in enumerate(findings) if finding.code == "MOM803")
        fates = self.fates
        if fates is None:
            return
        try:
            lacking = [one for one in missing(fates) if one.changes]
            told = {one.need for one in lacking}
            wanting = {finding.data.get("broker") for finding in findings if finding.code == "MOM803"}
            for need in self.relay.wanted:
                if self.relay.names[need.broker] in wanting and need not in told:
                    lacking += self._published(fates.classes.sets, need)
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

    def _published(self, sets: Sets, need: Need) -> Iterator[Missing]:
        """What is said to be published and what is wanted may overlap, though neither is part of the other."""
        for one in self.relay.published:
            if need.pattern is None or one.pattern is None or one.broker == need.broker:
                continue
            topic = sets.example(Constrained((whole(one.pattern), whole(need.pattern)), ()))
            changes = None if topic is None else repairs(self.relay, sets, one.broker, topic, [need]).get(need)
            if topic is not None and changes:
                yield Missing(one.broker, topic, need, changes)

    def _steps(self, several: Sequence[Missing]) -> tuple[Step, ...] | None:
        """The changes by which these messages arrive; None where one of them is not for a program to make."""
        hops: dict[Site, int] = {}
        heard: dict[Site, int] = {}
        others: dict[tuple[Site, str, str], Step] = {}
        for one in several:
            for change in one.changes or ():
                site = self.site(change.arc, change.place)
                match change.kind:
                    case "hops":
                        hops[site] = max(hops.get(site, 0), change.hop)
                    case "demand":
                        heard[site] = max(heard.get(site, 0), change.away)
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
        steps += [Step(site, "hear", (away,)) for site, away in heard.items()]
        return (*steps, *others.values())


# -- by what was found ----------------------------------------------------------------------------------------------


def _of_loop(sites: Sites, number: int, finding: Finding) -> Iterator[Candidate]:
    """Two connections of a broker as one with two addresses; a connection less; a way less."""
    arcs = sites.relay.arcs
    on = sites.arcs(finding)
    if finding.witness is not None and finding.witness.walk:
        on = list(dict.fromkeys([*on, *sites.between([finding.witness.walk])]))
    # It is told by its shortest cycle; others may share a link with that.
    on = list(dict.fromkeys([*on, *sites.cycling]))
    for one, other in combinations(sorted(_one_each(sites, on), key=lambda n: arcs[n].link), 2):
        first, second = sites.site(arcs[one]), sites.site(arcs[other])
        if first.file == second.file:
            yield Candidate(number, (Step(first, "join", (second,)),))
    # What no longer goes round may still come twice.
    yield from _less(sites, number, finding, list(dict.fromkeys([*on, *sites.repeating])))


def _less(sites: Sites, number: int, finding: Finding, on: Sequence[int]) -> Iterator[Candidate]:
    """A connection less, a way less, or a filter less, of these arcs: what stands last in the file first."""
    arcs = sites.relay.arcs
    for one in _one_each(sites, on):
        yield Candidate(number, (Step(sites.site(arcs[one]), "disconnect"),), 2)
    for one in on:
        for site in dict.fromkeys((sites.entry_site(one, finding), sites.site(arcs[one]))):
            yield Candidate(number, (Step(site, "leave_out"),), 1)
    for one in on:
        for entry in arcs[one].entries if len(arcs[one].entries) > 1 else ():
            site = sites.site(arcs[one], entry.place)
            if not entry.deny:
                yield Candidate(number, (Step(site, "leave_out"),), 1)
            if not entry.deny and site.outward is not None:
                yield Candidate(number, (Step(site._replace(outward=None), "leave_out"),), 2)


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
    # It is told by one pair of brokers; copies of others may come another way.
    on = list(dict.fromkeys([*sites.arcs(finding), *sites.between(walks), *sites.repeating]))
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


def _of_cut_loop(sites: Sites, number: int, finding: Finding) -> Iterator[Candidate]:
    """As of a loop; where nothing is made of what is broken off, one of the lines that the finding points at less."""
    for site in sites.pointed_at(finding):
        yield Candidate(number, (Step(site, "leave_out"),), 1)
    yield from _of_loop(sites, number, finding)


def _of_refusal(sites: Sites, number: int, finding: Finding) -> Iterator[Candidate]:
    """Prefixes that end with a separator; an import under a name of its own; names that differ."""
    site = Site(finding.file, finding.span)
    yield Candidate(number, (Step(site, "end_prefix", (sites.relay.language.separator,)),))
    yield Candidate(number, (Step(site, "put_under"),))
    yield from _of_names(sites, number, finding)


def _of_prefix(sites: Sites, number: int, finding: Finding) -> Iterator[Candidate]:
    """A prefix that ends with a separator."""
    site = sites.placed(finding)[0]
    yield Candidate(number, (Step(site, "end_prefix", (sites.relay.language.separator,)),))


def _of_peer(sites: Sites, number: int, finding: Finding) -> Iterator[Candidate]:
    """A port that is taken for a host."""
    del sites
    yield Candidate(number, (Step(Site(finding.file, finding.span), "join_port"),))


def _of_names(sites: Sites, number: int, finding: Finding) -> Iterator[Candidate]:
    """Names that have to agree: the one becomes the other. Names that must differ: one gets a number."""
    said = [name for name in _QUOTED.findall(finding.message) if not set("/:") & set(name)]
    written = [(site, sites.name_at(site)) for site in sites.pointed_at(finding)]
    several = [(site, name) for site, name in written if name in said]
    others = list(dict.fromkeys([name for _, name in several][1:] + said))
    for site, name in several:
        for other in others:
            if other != name:
                yield Candidate(number, (Step(site, "rename", (other,)),))
    for site, name in several:
        if len(set(said)) == 1 or finding.code != "MOM810":
            yield Candidate(number, (Step(site, "rename", (sites.free(name),)),))


def _of_clients(sites: Sites, number: int, finding: Finding) -> Iterator[Candidate]:
    """A client identifier of its own."""
    site = Site(finding.file, finding.span)
    name = sites.name_at(site)
    if name:
        yield Candidate(number, (Step(site, "rename", (sites.free(name),)),))


def _of_loss(sites: Sites, number: int, finding: Finding) -> Iterator[Candidate]:
    """An exchange that takes all, where one that takes some is to take what is left over."""
    del sites
    exchange = finding.data.get("broker")
    if isinstance(exchange, str) and finding.help.startswith(f"make `{exchange}` a fanout exchange"):
        yield Candidate(number, (Step(Site(finding.file, finding.span), "fan_out", (exchange,)),))


def _of_shadow(sites: Sites, number: int, finding: Finding) -> Iterator[Candidate]:
    """Before the entry that takes all of it."""
    first, *others = sites.placed(finding)
    for other in others:
        yield Candidate(number, (Step(first, "move_before", (other,)),))


_QUOTED = re.compile(r"`([^`]*)`")

_OF_CODE: dict[str, Callable[[Sites, int, Finding], Iterator[Candidate]]] = {
    "MOM801": _of_loop,
    "MOM802": _of_cut_loop,
    "MOM804": _of_copies,
    "MOM805": _of_shadow,
    "MOM806": _of_syntax,
    "MOM808": _of_peer,
    "MOM809": _of_clients,
    "MOM810": _of_names,
    "MOM811": _of_loss,
    "MOM812": _of_prefix,
    "MOM813": _of_refusal,
}
#: What a change of a relayed overlay may mend.
RELAYED_CODES = frozenset((*_OF_CODE, "MOM803"))

__all__ = ["RELAYED_CODES", "Candidate", "candidates"]
