"""From a story of the bounded check to a draft: a message sequence chart, a line a step, and what to change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from momlint.delivery.world import CLIENT
from momlint.estate import delivery_places
from momlint.findings import Draft, Place, RelatedDraft, Witness
from momlint.words import listed

if TYPE_CHECKING:
    from momlint.delivery.asking import Asked, Wrong
    from momlint.delivery.replay import Told

_HELP = {
    "counters": "add `counters` to `replicate`",
    "subscriptions": "add `subscriptions` to `replicate`",
    "seen": "add `seen` to `replicate`: publisher and number tell the copies apart",
    "acknowledge": "use `acknowledge: after-forwarding`",
    "retransmit": "use `retransmit: true`",
}
_WITHOUT = {
    "counters": "without `counters` in `replicate`",
    "subscriptions": "without `subscriptions` in `replicate`",
    "seen": "without `seen` in `replicate`",
    "acknowledge": "with `acknowledge: before-forwarding`",
    "retransmit": "with `retransmit: false`",
}
_ENTRY = {"counters": "replicate", "subscriptions": "replicate", "seen": "replicate"}


def drafts(case: Asked, code: str) -> Iterator[Draft]:
    """What the bounded check found for one rule."""
    for wrong in case.wrongs():
        if wrong.code == code:
            yield _Teller(case, wrong).draft()


class _Teller:
    def __init__(self, case: Asked, wrong: Wrong) -> None:
        design = case.design
        assert design.sites is not None
        assert design.way is not None
        self.case, self.wrong, self.way = case, wrong, design.way
        self.sites = design.sites
        self.clients = design.clients or ()
        self.story = wrong.story
        self.publishers = list(dict.fromkeys(publisher for publisher, _ in self.story.script))

    def draft(self) -> Draft:
        """The draft; its place is the safeguard that is missing, or the section."""
        wrong = self.wrong
        causes = wrong.causes
        without = f" {' and '.join(_WITHOUT[one] for one in causes)}" if causes else ""
        place = self._place(causes[0]) if causes else delivery_places.value(self.way.place, "order")
        names = [self.event(event) for event in self.story.events]
        who = [self.clients[one] for one in self.story.subscribers]
        return Draft(
            wrong.code,
            place,
            f"{self._summary()}{without}",
            help=", and ".join(_HELP[one] for one in causes),
            witness=Witness(trace=(*self._lines(), self._end())),
            label=self.case.within(),
            related=self._related(who[0].place),
            data={
                "events": tuple(names),
                "subscribers": tuple(client.name for client in who),
                "causes": causes,
                "fault": self.story.fault,
                **{f"bound_{name}": most for name, most in self.case.bound._asdict().items()},
            },
            about=[frozenset({("safeguard", one)}) for one in causes],
        )

    def _place(self, cause: str) -> Place:
        return delivery_places.entry(self.way.place, _ENTRY.get(cause, cause))

    def _related(self, subscriber: Place) -> list[RelatedDraft]:
        promise = self.case.design.promise
        related = [RelatedDraft(subscriber.key, "the subscriber of the trace")]
        if promise is not None and promise.place is not None:
            related.append(RelatedDraft(promise.place, "what may fail"))
        return related

    def event(self, event: int) -> str:
        """The topic and the publisher's number, as ``A1``; with the publisher where there are two."""
        publisher, topic = self.story.script[event]
        number = sum(other == publisher for other, _ in self.story.script[: event + 1])
        of = f" of {self.clients[publisher].name}" if len(self.publishers) > 1 else ""
        return f"{topic}{number}{of}"

    def _broker(self, site: int, term: int) -> str:
        return self.sites[site].brokers[term]

    def _sender(self, told: Told) -> str:
        step = told.step
        if step.other == CLIENT:
            return self.clients[self.story.script[step.event][0]].name
        return self._broker(step.other, step.other_term)

    def _summary(self) -> str:
        names = listed([self.event(event) for event in self.story.events])
        who = listed([self.clients[one].name for one in self.story.subscribers])
        if self.story.fault == "number":
            return f"two events can have one number, {names},"
        if self.story.fault == "lost":
            return f"subscriber {who} can lose an event"
        if self.story.fault == "twice":
            return f"subscriber {who} can get an event twice"
        if self.way.order == "fifo":
            return f"subscriber {who} can get a publisher's events out of their order"
        return f"subscribers {who} can get two events in different orders"

    def _end(self) -> str:
        """What is wrong by now."""
        names = [self.event(event) for event in self.story.events]
        who = [self.clients[one].name for one in self.story.subscribers]
        if self.story.fault == "number":
            return f"{names[0]} and {names[1]} have the same number"
        if self.story.fault == "lost":
            return f"nothing is left to be sent: {who[0]} never gets {names[0]}"
        if self.story.fault == "twice":
            return f"{who[0]} has got {names[0]} twice"
        if self.way.order == "fifo":
            return f"{who[0]} has got {names[1]} and not {names[0]}, which was published first"
        return f"{who[0]} and {who[1]} have got {names[0]} and {names[1]} in different orders"

    def _lines(self) -> Iterator[str]:
        """What happens, as messages come."""
        gone: set[tuple[int, int]] = set()
        for told in self.wrong.told:
            step = told.step
            if step.kind in ("crash", "suspect"):
                gone.add((step.site, step.term))
                here, heir = self._broker(step.site, step.term), self._broker(step.site, step.term + 1)
                yield f"{here} {'crashes' if step.kind == 'crash' else 'is slow and suspected'}; {heir} takes over"
                for event, source, source_term in told.lost:
                    sender = (
                        self.clients[self.story.script[event][0]].name
                        if source == CLIENT
                        else self._broker(source, source_term)
                    )
                    yield f"{self.event(event)} from {sender} to {here} is lost on its way"
                continue
            here = self._broker(step.site, step.term)
            if step.kind == "take":
                number = f", number {told.number} on this link" if told.number and self.way.numbering == "link" else ""
                before = ", sent before" if (step.other, step.other_term) in gone else ""
                yield f"{self._sender(told)} → {here}: {self.event(step.event)}{number}{before}"
            elif step.kind == "number":
                sequencer = self.wrong.world.sequencer
                term = sum(site == sequencer for site, _ in gone)
                given = f"number {told.number}" if told.number else "its numbers"
                giver, name = self._broker(sequencer, term), self.event(step.event)
                yield f"{giver} gives {name} {given}" if giver == here else f"{giver} → {here}: {given} for {name}"
            elif step.kind == "turn":
                for one, event in told.delivered:
                    yield f"{here} → {self.clients[one].name}: {self.event(event)}"
            elif step.kind == "ack":
                yield f"{here} acknowledges {self.event(step.event)}"
