"""Routed overlays as a discipline: from an estate to drafts and what was proved (see `momlint.discipline`)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Final, Literal

from momlint.catalog import SECTIONS_OF_FAMILY, rule_names
from momlint.clock import limited
from momlint.discipline import FleetServices, Judgement, Outcome, Request
from momlint.errors import ReplayError
from momlint.estate.files import is_address
from momlint.estate.load import LoadedEstate
from momlint.findings import Draft, Place, Proof, Summary
from momlint.routed.ask import QUESTION_SECONDS, Ask, Disagreement

if TYPE_CHECKING:
    from momlint.policies.form import Policy
    from momlint.routed.diagnosis.context import Context
    from momlint.routed.recovery.colours import Failure

#: Families of rules whose checks are in `momlint.routed.checks`.
FAMILIES: Final = frozenset({"budget", "forwarding", "recovery", "resilience", "spec", "topology"})
#: The rule on the recovery protocol, which is asked about where ``--protocol`` says so.
SETTLES: Final = "MOM410"


class Routed:
    """The `momlint.discipline.Discipline` of overlays in which messages follow next-hop tables."""

    name: Final = "routed"
    section: Final = "brokers"

    def claims(self, loaded: LoadedEstate) -> bool:
        """Every estate that has brokers."""
        return loaded.estate is not None and bool(loaded.estate.brokers)

    def complete(self, loaded: LoadedEstate, services: FleetServices) -> str | None:
        """Read the recovery tables that stand in a file of their own."""
        address = loaded.estate.recovery_file if loaded.estate is not None else None
        if address is None:
            return None
        from momlint.routed.recovery.attach import attach_recovery

        if services.tables is not None and address not in services.tables and is_address(address):
            return address
        attach_recovery(loaded, services.tables, services.read_pieces)
        return None

    def judge(self, loaded: LoadedEstate, request: Request) -> Judgement:
        """Build the overlay; nothing is asked yet."""
        return limited(request.timeout or QUESTION_SECONDS, lambda: RoutedJudgement(loaded, request)) or _Unbuilt(
            loaded, request
        )


class _Unbuilt:
    """The `momlint.discipline.Judgement` of an overlay that is too large to be built in time."""

    def __init__(self, loaded: LoadedEstate, request: Request) -> None:
        self._loaded = loaded
        self._request = request

    def drafts(self) -> Iterator[Draft]:
        """None: nothing was looked at."""
        return iter(())

    def disagreed(self, code: str, error: ReplayError) -> None:
        """Nothing was found that could disagree."""

    def outcome(self, found: Collection[str]) -> Outcome:
        """One MOM901."""
        estate = self._loaded.estate
        assert estate is not None
        outcome = Outcome(
            Summary(brokers=len(estate.brokers), links=len(estate.links), topics=len(estate.topics), undecided=1),
            Proof(),
            [
                _undecided(
                    estate.place, "whether anything is wrong with this estate", _too_long(self._request), self._request
                )
            ],
        )
        if self._request.certificate_folder is not None:
            outcome.uncertified.append(f"{self._loaded.source.file}: it stayed undecided")
        return outcome


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
        if request.protocol and request.selects(SETTLES):
            from momlint.routed.flooding.asking import Settling, setting_of

            self.context.settling = Settling(estate, setting_of(loaded), request)

    def drafts(self) -> Iterator[Draft]:
        """The drafts of every selected rule that has a check, then of specifications that are no formulas."""
        selects, sections = self.request.selects, self.context.estate.section_places.keys()
        seconds = self.request.timeout or QUESTION_SECONDS
        for name in rule_names():
            if name.family not in FAMILIES or not selects(name.code):
                continue
            needed = SECTIONS_OF_FAMILY.get(name.family)
            if needed is not None and sections.isdisjoint(needed):
                continue
            drafts: list[Draft] = []
            try:
                # What it asks engines has clocks of its own, and does not count here.
                done = limited(seconds, partial(_fill, drafts, name.check("momlint.routed.checks"), self.context))
            except ReplayError as error:
                self.disagreed(name.code, error)
            else:
                if not done:
                    self.context.ask.undecided.append((f"whether {name.code} applies", _too_long(self.request)))
            yield from drafts
        for policy in self.request.policies:
            if selects(policy.code):
                yield from self._broken(policy, seconds)
        if self.context.estate.specs and selects("MOM102"):
            from momlint.routed.diagnosis.specifications import unreadable

            yield from unreadable(self.context)

    def _broken(self, policy: Policy, seconds: float) -> list[Draft]:
        """What breaks a rule of a user's own."""
        from momlint.routed import policies

        drafts: list[Draft] = []
        try:
            done = limited(seconds, partial(_fill, drafts, partial(policies.find, policy), self.context))
        except ReplayError as error:
            self.disagreed(policy.code, error)
        else:
            if not done:
                self.context.ask.undecided.append((f"whether {policy.code} applies", _too_long(self.request)))
        return drafts

    def disagreed(self, code: str, error: ReplayError) -> None:
        """Keep it for `outcome`."""
        self.context.ask.disagreements.append(Disagreement(f"what {code} found", str(error)))

    def outcome(self, found: Collection[str]) -> Outcome:
        """The record of how questions were answered, as counts and as MOM901 and MOM902."""
        from momlint.routed.checks.sections import MODULES, section

        context, ask, request = self.context, self.context.ask, self.request
        estate, overlay = context.estate, context.overlay
        file = self.loaded.source.file
        seconds = request.timeout or QUESTION_SECONDS
        sections = []
        for name in (name for name in request.sections if name in MODULES):
            made = limited(seconds, partial(section, name, context, file))
            if made is None:
                ask.undecided.append((f"the section {name}", _too_long(request)))
            else:
                sections.append(made)
        if "coverage" in request.sections:
            from momlint.routed.why.coverage import section as coverage

            told = limited(seconds, lambda: coverage(self.loaded))
            if told is None:
                ask.undecided.append(("which lines proofs rest on", _too_long(request)))
            else:
                sections.append(told)
        # Before the counts are taken: it may ask more.
        judged = context.asked_arrival
        silent = {name.code for name in rule_names() if request.selects(name.code)}.difference(found)
        # What stayed undecided, by an engine or by a rule, may be what would break it.
        kept = judged and not ask.undecided and context.keeps_promise(silent)
        ask.settle()
        bounds = self._settling()
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
                healing=int(judged and context.assumed == "heal"),
                keeping=int(judged and context.assumed == "keep"),
                bounds=bounds,
            ),
            list(self._verdicts()),
            sections,
        )
        if request.certificate_folder is not None:
            from momlint.routed.certificate.make import certify

            folder = request.certificate_folder
            certified = limited(seconds, lambda: certify(self.loaded, context.declared_overlay, folder))
            if certified is None:
                outcome.uncertified.append(f"{file}: {_too_long(request)} to certify it; allow more with `--timeout`")
            elif certified.record is not None:
                outcome.certificates.append(certified.record)
            else:
                outcome.uncertified.append(certified.reason)
        return outcome

    def _settling(self) -> tuple[str, ...]:
        """What is known of the recovery protocol, within which bound; how it was asked goes into the record."""
        case, ask = self.context.settling, self.context.ask
        if case is None:
            return ()
        why = case.unjudged()
        if why is not None:
            return (f"Not judged: MOM410, whether the recovery protocol settles: {why}.",)
        ask.undecided += case.undecided
        ask.disagreements += [Disagreement(*one) for one in case.disagreements]
        ask.questions += case.questions
        ask.decided_twice += case.decided_twice
        ask.engines_used |= case.engines
        if case.wrongs() or case.undecided or case.disagreements:
            return ()
        return (f"The recovery protocol settles {case.within()}; nothing is proved beyond that.",)

    def _verdicts(self) -> Iterator[Draft]:
        where = self.context.estate_place
        # Undecided and disagreement cannot be deselected into a pass: only what is printed is selected.
        for subject, why in self.context.ask.undecided:
            yield _undecided(where, subject, why, self.request)
        for difference in self.context.ask.disagreements:
            yield Draft(
                "MOM902",
                where,
                f"the engines disagree on {difference.subject}: {difference.details}",
                help="this is a bug in momlint: please report it with this estate and this text",
            )


def _fill(found: list[Draft], check: Callable[[Context], Iterable[Draft]], context: Context) -> Literal[True]:
    """Into a list of the caller's, who keeps what was found before a check was broken off."""
    found.extend(check(context))
    return True


def _undecided(where: Place, subject: str, why: str, request: Request) -> Draft:
    by_graph = request.engine == "graph"
    return Draft(
        "MOM901",
        where,
        f"undecided: {subject}: {why}",
        help="allow more with `--timeout`"
        if by_graph
        else "allow more with `--timeout`, or let `--engine graph` decide",
    )


def _too_long(request: Request) -> str:
    return f"it takes more than {request.timeout or QUESTION_SECONDS:g} s"


ROUTED: Final = Routed()
