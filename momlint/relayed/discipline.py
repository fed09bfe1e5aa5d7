"""Relayed overlays, as the rest of momlint knows them; see `momlint.discipline`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from momlint.clock import limited
from momlint.discipline import FleetServices, Judgement, Outcome, Request
from momlint.errors import ReplayError
from momlint.findings import Claim, Draft, Proof, Summary

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate

#: Seconds for a question, unless the user says otherwise.
SECONDS = 60.0

_NO_LOOPS = Claim("class of topics ends its way", "classes of topics end their way")


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
        self.refuted = 0
        self.classes = 0
        self.questions = 0

    def drafts(self) -> Iterator[Draft]:
        """What the selected rules find."""
        from momlint.relayed import diagnosis
        from momlint.relayed.form import Form
        from momlint.relayed.search import Reached, TooMany, start

        form = self.ask("whether messages go round", lambda: Form(self.estate))
        if form is None:
            return
        if form.classes.cut:
            self.undecided.append(
                ("what becomes of some topics", "renaming makes more kinds of topics than are looked at")
            )
        starts = [start(form, *one) for one in form.starts()]
        self.classes = len(form.used())
        try:
            found = self.ask("whether messages go round", lambda: diagnosis.loops(form, starts))
            if found is None:
                return
            yield from self.selected(found[0])
            reached = self.ask("where messages come to", lambda: Reached(form, starts))
            if reached is None:
                return
            doubled = self.ask("how many copies arrive", lambda: list(diagnosis.duplicates(form, starts, reached)))
            yield from self.selected(doubled or [])
            dead = self.ask("which filters are of use", lambda: list(diagnosis.dead_filters(form, reached)))
            yield from self.selected(dead or [])
            missed = self.ask("who gets what", lambda: list(diagnosis.out_of_reach(form, self.request.selects)))
            yield from self.selected(missed or [])
        except TooMany:
            self.undecided.append(("what becomes of messages", "there are more states than are looked at"))

    def selected(self, drafts: list[Draft]) -> Iterator[Draft]:
        self.refuted += sum(draft.code in ("MOM801", "MOM803", "MOM807") for draft in drafts)
        yield from (draft for draft in drafts if self.request.selects(draft.code))

    def ask(self, subject: str, question: Any) -> Any:
        """The answer, None where it takes too long."""
        self.questions += 1
        seconds = self.request.timeout or SECONDS
        found = limited(seconds, question)
        if found is None:
            self.undecided.append((subject, f"it takes longer than {seconds:g} s"))
        return found

    def disagreed(self, code: str, error: ReplayError) -> None:
        """Nothing is replayed."""
        raise error

    def outcome(self, found: Collection[str]) -> Outcome:
        """Counts, and MOM901 for what stayed open."""
        del found
        estate = self.estate
        outcome = Outcome(
            Summary(
                brokers=len(estate.brokers),
                links=len(estate.links),
                topics=len(estate.topics),
                undecided=len(self.undecided),
            ),
            Proof(
                engines=("graph",),
                questions=self.questions,
                claims={_NO_LOOPS: self.classes},
                false_claims=self.refuted,
            ),
            [
                Draft("MOM901", estate.place, f"undecided: {subject}: {why}", help="allow more with `--timeout`")
                for subject, why in self.undecided
            ],
        )
        if self.request.certificate_folder is not None:
            outcome.uncertified.append(f"{self.loaded.source.file}: relayed overlays have no certificates")
        return outcome


RELAYED = RelayedDiscipline()
