"""Relayed overlays, as the rest of momlint knows them; see `momlint.discipline`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TYPE_CHECKING, Literal, TypeVar

from momlint.clock import limited
from momlint.discipline import FleetServices, Judgement, Outcome, Request
from momlint.errors import ReplayError
from momlint.findings import Claim, Draft, Proof, Summary

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.findings import Place
    from momlint.policies.form import Policy
    from momlint.relayed.fates import Fates

T = TypeVar("T")
#: Seconds for a question, unless the user says otherwise.
SECONDS = 60.0

#: What says that a message does not do what it should.
_REFUTING = frozenset({"MOM502", "MOM801", "MOM803", "MOM807"})
_NO_LOOPS = Claim(
    "class of topics, as published at a broker, comes to an end",
    "classes of topics, as published at their brokers, come to an end",
)


class RelayedDiscipline:
    """See `momlint.discipline.Discipline`."""

    name = "relayed"
    section = "brokers"

    def claims(self, loaded: LoadedEstate) -> bool:
        """Estates with ``routing: {protocol: relay}``."""
        estate = loaded.estate
        return estate is not None and bool(estate.brokers) and estate.protocol == "relay"

    def complete(self, loaded: LoadedEstate, services: FleetServices) -> str | None:
        """Nothing: all is in the estate."""
        del loaded, services
        return None

    def judge(self, loaded: LoadedEstate, request: Request) -> Judgement:
        """Nothing is asked yet."""
        return _Judgement(loaded, request)


class _Judgement:
    def __init__(self, loaded: LoadedEstate, request: Request) -> None:
        assert loaded.estate is not None
        self.loaded = loaded
        self.estate = loaded.estate
        self.request = request
        self.undecided: list[tuple[str, str]] = []
        self.disagreements: list[tuple[str, str]] = []
        self.refuted = 0
        self.fates: Fates | None = None

    def drafts(self) -> Iterator[Draft]:
        """What the selected rules find."""
        from momlint.relayed import diagnosis, reach, resilience
        from momlint.relayed.fates import Fates
        from momlint.relayed.form import relay_of

        fates = Fates(relay_of(self.estate), self.request.engine, self.request.solver, self.request.timeout)
        agreed = len(self.disagreements)
        self.ask("what becomes of messages", lambda: self._worked_out(fates))
        self.undecided += fates.undecided
        if len(self.disagreements) > agreed:
            return
        self.fates = fates
        found, looping = diagnosis.loops(fates)
        yield from self.selected(found)
        doubled, several = diagnosis.duplicates(fates, looping)
        yield from self.selected(doubled)

        def where(place: Place) -> object:
            return self.loaded.locate(place)[:2]

        parts: list[tuple[str, Callable[[], list[Draft]]]] = [
            ("which renames go astray", lambda: list(diagnosis.misdirected(fates, where))),
            ("what wildcards mean", lambda: list(diagnosis.other_syntax(fates.relay))),
        ]
        if fates.whole:
            parts = [
                ("what guards cut", lambda: list(diagnosis.guarded_loops(fates, looping | several))),
                ("which filters are of use", lambda: list(diagnosis.dead_filters(fates, where))),
                *parts,
                ("who gets what", lambda: list(reach.out_of_reach(fates))),
                ("what one failure cuts", lambda: list(resilience.cuts(fates))),
            ]
        for subject, part in parts:
            yield from self.selected(self.ask(subject, part) or [])
        for policy in self.request.policies:
            if self.request.selects(policy.code) and policy.speaks_of(self.estate.topics):
                yield from self._broken(policy, fates)

    def _broken(self, policy: Policy, fates: Fates) -> list[Draft]:
        """What breaks a rule of a user's own; one that cannot be judged is undecided, and no pass."""
        from momlint.relayed import policies

        subject = f"whether {policy.code} ({policy.rule.id}) holds"
        if policy.check != "stays-within":
            self.undecided.append((subject, f"momlint judges {policy.check} in routed overlays only"))
            return []
        if not fates.whole:
            self.undecided.append((subject, "not all that is published was looked at"))
        elif policies.is_unsure(policy, fates):
            self.undecided.append((subject, "one of its messages gets longer for ever"))
        return self.ask(subject, lambda: list(policies.stays_within(policy, fates))) or []

    def _worked_out(self, fates: Fates) -> Literal[True]:
        fates.work_out()
        return True

    def selected(self, drafts: list[Draft]) -> Iterator[Draft]:
        """Those of selected rules; of the others it is kept that something is refuted."""
        self.refuted += sum(draft.code in _REFUTING for draft in drafts)
        yield from (draft for draft in drafts if self.request.selects(draft.code))

    def ask(self, subject: str, question: Callable[[], T]) -> T | None:
        """The answer, None where it takes too long or there is too much to look at."""
        from momlint.relayed.patterns import TooLarge

        seconds = self.request.timeout or SECONDS
        try:
            found = limited(seconds, question)
        except TooLarge:
            self.undecided.append((subject, "there is too much to look at"))
            return None
        except ReplayError as error:
            self.disagreements.append((subject, str(error)))
            return None
        if found is None:
            self.undecided.append((subject, f"it takes longer than {seconds:g} s"))
        return found

    def disagreed(self, code: str, error: ReplayError) -> None:
        """Keep it for `outcome`."""
        self.disagreements.append((f"what {code} found", str(error)))

    def outcome(self, found: Collection[str]) -> Outcome:
        """Counts, MOM901 for what stayed open, MOM902 where engines disagree."""
        del found
        estate = self.estate
        classes = len(self.fates.told) if self.fates is not None else 0
        twice = self.fates.decided_twice if self.fates is not None else 0
        outcome = Outcome(
            Summary(
                brokers=len(estate.brokers),
                links=len(estate.links),
                topics=len(estate.topics),
                undecided=len(self.undecided),
            ),
            Proof(
                engines=("graph", "smt") if twice else ("graph",),
                questions=classes,
                decided_twice=twice,
                claims={_NO_LOOPS: classes} if classes else {},
                false_claims=self.refuted,
            ),
            [
                Draft("MOM901", estate.place, f"undecided: {subject}: {why}", help=_help(why))
                for subject, why in self.undecided
            ]
            + [
                Draft(
                    "MOM902",
                    estate.place,
                    f"the engines disagree on {subject}: {details}",
                    help="this is a bug in momlint: please report it with this estate and this text",
                )
                for subject, details in self.disagreements
            ],
        )
        if self.request.certificate_folder is not None:
            outcome.uncertified.append(f"{self.loaded.source.file}: relayed overlays have no certificates")
        return outcome


def _help(why: str) -> str:
    """What to do about something undecided."""
    from momlint.relayed.fates import TOO_MANY

    if why == TOO_MANY:
        return "renames that are repeated around a cycle make them many: narrow the filters of those"
    return "allow more with `--timeout`"


RELAYED = RelayedDiscipline()
