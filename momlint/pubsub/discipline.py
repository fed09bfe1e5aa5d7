"""Clients of one broker as a discipline: from an estate to drafts and what was proved (see `momlint.discipline`)."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Final

from momlint.catalog import rule_names
from momlint.discipline import FleetServices, Judgement, Outcome, Request
from momlint.errors import ReplayError
from momlint.findings import Claim, Draft, Proof, Section, Summary

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.pubsub.asking import Ask

#: The family of rules whose checks are in `momlint.pubsub.checks`.
FAMILY: Final = "pubsub"
#: The section of the text report that says what proofs rest on.
INVARIANTS: Final = "invariants"
_ANY: Final = Claim("property holds for any number of clients", "properties hold for any number of clients")
_EXACT: Final = Claim("property holds for the given clients", "properties hold for the given clients")


class Pubsub:
    """The `momlint.discipline.Discipline` of clients that publish, subscribe and follow automata."""

    name: Final = "pubsub"
    section: Final = "pubsub"

    def claims(self, loaded: LoadedEstate) -> bool:
        """Every estate with the section."""
        return loaded.estate is not None and self.section in loaded.estate.section_places

    def complete(self, loaded: LoadedEstate, services: FleetServices) -> str | None:
        """Nothing: all of it stands in the documents."""
        return None

    def judge(self, loaded: LoadedEstate, request: Request) -> Judgement:
        """Read the section; nothing is asked yet."""
        return PubsubJudgement(loaded, request)


class PubsubJudgement:
    """The `momlint.discipline.Judgement` of one section. `ask` is None where what clients do is not known."""

    def __init__(self, loaded: LoadedEstate, request: Request) -> None:
        from momlint.pubsub.asking import Ask
        from momlint.pubsub.read import read

        assert loaded.estate is not None
        self.loaded = loaded
        self.request = request
        self.place = loaded.estate.section_places.get(Pubsub.section, loaded.estate.place)
        self.reading = read(loaded)
        clients = self.reading.clients
        self.ask: Ask | None = None if clients is None else Ask(clients, request)

    def drafts(self) -> Iterator[Draft]:
        """Names that nobody declares, then what the selected rules find."""
        yield from (draft for draft in self.reading.drafts if self.request.selects(draft.code))
        if self.ask is None:
            return
        for name in rule_names():
            if name.family == FAMILY and self.request.selects(name.code):
                try:
                    yield from name.check("momlint.pubsub.checks")(self.ask)
                except ReplayError as error:
                    self.disagreed(name.code, error)

    def disagreed(self, code: str, error: ReplayError) -> None:
        """Keep it for `outcome`."""
        if self.ask is None:
            raise error
        self.ask.disagreements.append((f"what {code} found", str(error)))

    def outcome(self, found: Collection[str]) -> Outcome:
        """The record of how questions were answered."""
        ask = self.ask
        if ask is None:
            outcome = Outcome(Summary(), Proof())
            if self.request.certificate_folder is not None:
                outcome.uncertified.append(f"{self.loaded.source.file}: what the clients do is not known")
            return outcome
        claim = _EXACT if ask.form.exact else _ANY
        outcome = Outcome(
            Summary(properties=ask.judged, undecided=len(ask.undecided)),
            Proof(
                engines=tuple(sorted(ask.engines)),
                questions=ask.judged,
                decided_twice=ask.decided_twice,
                claims={claim: ask.judged} if ask.judged else {},
                false_claims=ask.refuted,
            ),
            list(self._verdicts(ask)),
        )
        if INVARIANTS in self.request.sections:
            outcome.sections.append(self._invariants(ask))
        if self.request.certificate_folder is not None:
            self._certify(ask, outcome, self.request.certificate_folder)
        return outcome

    def _invariants(self, ask: Ask) -> Section:
        """What every proof rests on, in words."""
        lines = []
        for number, asked in enumerate(ask.form.properties):
            answer, _ = ask.property(number)
            if answer.holds:
                lines += [f"{asked.title}:", *(f"  {sentence}" for sentence in ask.words(number))]
        name = self.loaded.estate.name if self.loaded.estate is not None else ""
        return Section(f"What no client can be, of {name} ({self.loaded.source.file})", tuple(lines))

    def _certify(self, ask: Ask, outcome: Outcome, folder: str) -> None:
        from momlint.digests import named

        file = self.loaded.source.file
        try:
            record = ask.record(named(self.loaded, folder))
        except (OSError, ValueError) as error:
            outcome.uncertified.append(f"{file}: it cannot be read again: {error}")
            return
        if record is not None:
            outcome.certificates.append(record)
        else:
            outcome.uncertified.append(f"{file}: not every property of its clients was proved by an invariant")

    def _verdicts(self, ask: Ask) -> Iterator[Draft]:
        for subject, why in ask.undecided:
            yield Draft(
                "MOM901",
                self.place,
                f"undecided: {subject}: {why}",
                help="allow more with `--timeout`, or ask for less: fewer messages, workers or remembered facts",
            )
        for subject, details in ask.disagreements:
            yield Draft(
                "MOM902",
                self.place,
                f"the engines disagree on {subject}: {details}",
                help="this is a bug in momlint: please report it with this estate and this text",
            )


PUBSUB: Final = Pubsub()

__all__ = ["FAMILY", "INVARIANTS", "PUBSUB", "Pubsub", "PubsubJudgement"]
