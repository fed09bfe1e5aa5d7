"""Delivery over a tree of sites as a discipline: from an estate to drafts and what was proved."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from momlint.catalog import rule_names
from momlint.discipline import FleetServices, Judgement, Outcome, Request
from momlint.errors import ReplayError
from momlint.findings import Claim, Draft, Proof, Summary
from momlint.words import listed

if TYPE_CHECKING:
    from momlint.delivery.asking import Asked
    from momlint.estate.load import LoadedEstate

#: The family of rules whose checks are in `momlint.delivery.checks`.
FAMILY: Final = "delivery"
NOT_JUDGED: Final = "Not judged: MOM826 to MOM829, what becomes of events when a standby takes over: {}."
#: The rules that are decided within a bound.
CODES: Final = ("MOM826", "MOM827", "MOM828", "MOM829")
_TREE: Final = Claim("site is a tree", "sites are a tree")
_FED: Final = Claim(
    "subscriber never waits for what filtering keeps away", "subscribers never wait for what filtering keeps away"
)
_NUMBERED: Final = Claim(
    "publisher reaches the sequencer in what `tolerate` promises",
    "publishers reach the sequencer in what `tolerate` promises",
)
_STAFFED: Final = Claim(
    "site keeps a broker in what `tolerate` promises", "sites keep a broker in what `tolerate` promises"
)


class Delivery:
    """The `momlint.discipline.Discipline` of events that travel over a tree of sites."""

    name: Final = "delivery"
    section: Final = "sites"

    def claims(self, loaded: LoadedEstate) -> bool:
        """Every estate with one of its sections."""
        places = loaded.estate.section_places if loaded.estate is not None else {}
        return any(section in places for section in ("sites", "delivery", "clients"))

    def complete(self, loaded: LoadedEstate, services: FleetServices) -> str | None:
        """Nothing: all of it stands in the documents."""
        return None

    def judge(self, loaded: LoadedEstate, request: Request) -> Judgement:
        """Read the sections."""
        return DeliveryJudgement(loaded, request)


class DeliveryJudgement:
    """The `momlint.discipline.Judgement` of one tree of sites."""

    def __init__(self, loaded: LoadedEstate, request: Request) -> None:
        from momlint.delivery.asking import Asked
        from momlint.delivery.read import read
        from momlint.delivery.ways import tree_of

        self.loaded = loaded
        self.request = request
        self.reading = read(loaded)
        design = self.reading.design
        tree = tree_of(design.sites) if design.sites is not None else None
        self.case: Asked = Asked(design, tree, request=request)

    def drafts(self) -> Iterator[Draft]:
        """Names that nobody declares, then what the selected rules find."""
        yield from (draft for draft in self.reading.drafts if self.request.selects(draft.code))
        for name in rule_names():
            if name.family == FAMILY and self.request.selects(name.code):
                yield from name.check("momlint.delivery.checks")(self.case)

    def disagreed(self, code: str, error: ReplayError) -> None:
        """Nothing is replayed here."""
        raise error

    def outcome(self, found: Collection[str]) -> Outcome:
        """What was proved, and what nobody has judged."""
        claims, refuted = self._claims()
        case = self.case
        outcome = Outcome(
            Summary(undecided=len(case.undecided)),
            Proof(
                engines=tuple(sorted({"graph", *case.engines})) if claims else (),
                questions=len(claims) + case.questions,
                decided_twice=case.decided_twice,
                claims=claims,
                false_claims=refuted,
                bounds=tuple(self._bounds()),
            ),
            verdicts=list(self._verdicts()),
        )
        if self.request.certificate_folder is not None:
            outcome.uncertified.append(f"{self.loaded.source.file}: certificates do not cover sites yet")
        return outcome

    def _bounds(self) -> Iterator[str]:
        """What was looked for within a bound and not found, or why nobody has looked."""
        case, way = self.case, self.case.design.way
        if way is None or not any(self.request.selects(code) for code in CODES):
            return
        if case.world() is None:
            yield NOT_JUDGED.format("that takes a tree of sites with publishers and subscribers, all known")
            return
        if not case.undecided and not case.disagreements and not case.found():
            starving = {one.subscriber.name for one in case.starved() or ()}
            but = f"; not looked at: {listed(sorted(starving))}, which MOM822 is about" if starving else ""
            yield (
                f"No violation {case.within()}: no event is lost, doubled or out of order; nothing is proved beyond "
                f"that{but}."
            )

    def _verdicts(self) -> Iterator[Draft]:
        way = self.case.design.way
        if way is None:
            return
        for subject, why in self.case.undecided:
            yield Draft(
                "MOM901",
                way.place.key,
                f"undecided: {subject}: {why}",
                help="allow more with `--timeout`, or ask for less with `--bound events=2`",
            )
        for subject, details in self.case.disagreements:
            yield Draft(
                "MOM902",
                way.place.key,
                f"the engines disagree on {subject}: {details}",
                help="this is a bug in momlint: please report it with this estate and this text",
            )

    def _claims(self) -> tuple[dict[Claim, int], int]:
        """What the selected rules ask, each of how many; and of how many it does not hold."""
        from momlint.delivery.checks.find_sequencer_out_of_reach import cut_of

        case, design, selects = self.case, self.case.design, self.request.selects
        claims: dict[Claim, int] = {}
        refuted = 0
        if design.sites and selects("MOM821"):
            claims[_TREE] = len(design.sites)
            refuted += case.tree is None
        starved = case.starved()
        if starved is not None and case.subscribers and selects("MOM822"):
            claims[_FED] = len(case.subscribers)
            refuted += len(starved)
        if case.sequencer() is not None and design.promise is not None and case.publishers and selects("MOM823"):
            claims[_NUMBERED] = len(case.publishers)
            refuted += sum(cut_of(case, publisher) is not None for publisher in case.publishers)
        if design.sites and design.promise is not None and design.promise.place is not None and selects("MOM825"):
            claims[_STAFFED] = len(design.sites)
            refuted += sum(len(site.brokers) <= design.promise.brokers for site in design.sites)
        return claims, refuted


DELIVERY: Final = Delivery()

__all__ = ["DELIVERY", "FAMILY", "Delivery", "DeliveryJudgement"]
