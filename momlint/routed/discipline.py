"""Routed overlays as a discipline: from an estate to drafts and what was proved (see `momlint.discipline`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from momlint.catalog import SECTIONS_OF_FAMILY, rule_names
from momlint.discipline import FleetServices, Outcome, Request
from momlint.errors import ReplayError
from momlint.estate.files import is_address
from momlint.estate.load import LoadedEstate
from momlint.findings import Draft, Proof, Summary
from momlint.routed.ask import Ask, Disagreement

if TYPE_CHECKING:
    from momlint.routed.recovery.colours import Failure

#: Families of rules whose checks are in `momlint.routed.checks`.
FAMILIES: Final = frozenset({"budget", "forwarding", "recovery", "resilience", "spec", "topology"})


class Routed:
    """The `momlint.discipline.Discipline` of overlays in which messages follow next-hop tables."""

    name: Final = "routed"

    def claims(self, loaded: LoadedEstate) -> bool:
        """Every estate that has brokers."""
        return loaded.estate is not None

    def complete(self, loaded: LoadedEstate, services: FleetServices) -> str | None:
        """Read the recovery tables that stand in a file of their own."""
        address = loaded.estate.recovery_file if loaded.estate is not None else None
        if address is None:
            return None
        from momlint.routed.recovery import attach_recovery

        if services.tables is not None and address not in services.tables and is_address(address):
            return address
        attach_recovery(loaded, services.tables, services.read_pieces)
        return None

    def judge(self, loaded: LoadedEstate, request: Request) -> RoutedJudgement:
        """Build the overlay; nothing is asked yet."""
        return RoutedJudgement(loaded, request)


class RoutedJudgement:
    """The `momlint.discipline.Judgement` of one overlay. `context`: what its checks look at."""

    def __init__(self, loaded: LoadedEstate, request: Request) -> None:
        from momlint.routed.diagnosis.context import Context
        from momlint.routed.overlay.build import build
        from momlint.routed.overlay.needs import Needs

        estate = loaded.estate
        assert estate is not None
        self.loaded = loaded
        self.request = request
        needs = Needs.of(len(estate.brokers), estate.topics)
        implied: tuple[Failure, ...] = ()
        beyond = 0
        if estate.colours_declared or estate.tolerate is not None:
            from momlint.routed.recovery.implied import implied_failures

            implied, beyond = implied_failures(estate)
        overlay, entries = build(estate, needs, implied)
        ask = Ask(request.engine, request.timeout, request.nusmv, request.solver, spread=request.spread)
        if beyond:
            subject = f"whether the estate survives the {beyond:,} failures that `tolerate` promises"
            ask.undecided.append((subject, "there are too many to check one by one; promise fewer at once"))
        self.context = Context(estate, overlay, ask, entries, needs)

    def drafts(self) -> Iterator[Draft]:
        """The drafts of every selected rule that has a check, then of specifications that are no formulas."""
        selects, sections = self.request.selects, self.context.estate.section_places.keys()
        for name in rule_names():
            if name.family not in FAMILIES or not selects(name.code):
                continue
            needed = SECTIONS_OF_FAMILY.get(name.family)
            if needed is not None and sections.isdisjoint(needed):
                continue
            try:
                yield from name.check("momlint.routed.checks")(self.context)
            except ReplayError as error:
                self.disagreed(name.code, error)
        if self.context.estate.specs and selects("MOM102"):
            from momlint.routed.diagnosis.specifications import unreadable

            yield from unreadable(self.context)

    def disagreed(self, code: str, error: ReplayError) -> None:
        """Keep it for `outcome`."""
        self.context.ask.disagreements.append(Disagreement(f"what {code} found", str(error)))

    def outcome(self, found: Collection[str]) -> Outcome:
        """The record of how questions were answered, as counts and as MOM901 and MOM902."""
        from momlint.routed.checks.sections import section

        context, ask, request = self.context, self.context.ask, self.request
        estate, overlay = context.estate, context.overlay
        file = self.loaded.source.file
        sections = [section(name, context, file) for name in request.sections]
        # Before the counts are taken: it may ask more.
        judged = context.asked_arrival
        silent = {name.code for name in rule_names() if request.selects(name.code)}.difference(found)
        kept = judged and context.keeps_promise(silent)
        outcome = Outcome(
            Summary(
                brokers=len(estate.brokers),
                links=len(estate.links),
                colours=context.declared_overlay.colours,
                topics=len(estate.topics),
                pairs=len(overlay.pair_source),
                undecided=len(ask.undecided),
            ),
            Proof(
                estates=int(judged),
                with_colours=int(judged and estate.colours_declared),
                with_promise=int(judged and estate.tolerate is not None),
                promise_kept=int(kept),
                engines=tuple(sorted(ask.engines_used)),
                questions=ask.questions,
                decided_twice=ask.decided_twice,
                refuted=context.refuted_pairs,
                specifications=ask.specifications,
                false_specifications=ask.false_specifications,
            ),
            list(self._verdicts()),
            sections,
        )
        if request.certificate_folder is not None:
            from momlint.routed.certificate.make import certify

            made = certify(self.loaded, context.declared_overlay, request.certificate_folder)
            if made.record is not None:
                outcome.certificates.append(made.record)
            else:
                outcome.uncertified.append(made.reason)
        return outcome

    def _verdicts(self) -> Iterator[Draft]:
        where = self.context.estate_place
        # Undecided and disagreement cannot be deselected into a pass: only what is printed is selected.
        for subject, why in self.context.ask.undecided:
            yield Draft(
                "MOM901",
                where,
                f"undecided: {subject}: {why}",
                help="allow more with `--timeout`, or let `--engine graph` decide",
            )
        for difference in self.context.ask.disagreements:
            yield Draft(
                "MOM902",
                where,
                f"the engines disagree on {difference.subject}: {difference.details}",
                help="this is a bug in momlint: please report it with this estate and this text",
            )


ROUTED: Final = Routed()
