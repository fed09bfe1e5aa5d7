"""From what was found of the recovery protocol to a draft: a message sequence chart, a line a step."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.findings import Draft, Place, RelatedDraft, Witness
from momlint.routed.flooding.asking import Settling, Wrong
from momlint.routed.flooding.replay import Notice, Told
from momlint.routed.flooding.world import LARGEST
from momlint.words import counted, listed

CODE = "MOM410"


def drafts(case: Settling) -> Iterator[Draft]:
    """One for the estate: the first that goes wrong."""
    for wrong in case.wrongs()[:1]:
        yield _Teller(case, wrong).draft()


class _Teller:
    def __init__(self, case: Settling, wrong: Wrong) -> None:
        self.case, self.wrong, self.part = case, wrong, wrong.part
        self.world = wrong.part.world
        self.colours, _ = case.colours()

    def draft(self) -> Draft:
        """At `wrap` where that is naive, else where the colours stand."""
        case = self.case
        places = case.estate.section_places
        where = next(
            (places[name] for name in ("failures.recovery", "failures.colours", "failures.tolerate") if name in places),
            case.estate.place,
        )
        naive = case.setting.place
        trace = (*self._lines(), self._end())
        message = f"the recovery protocol does not settle: {self._summary()}"
        return Draft(
            CODE,
            naive or where,
            message,
            help="use `wrap: serial`, where the shorter way round says which number is newer"
            if naive
            else "give what fails here a colour, each element by itself and those that fail together (`momlint plan`)",
            witness=Witness(trace=trace),
            label=case.within(),
            related=self._related(where) if naive else [],
            data={
                "fault": self.wrong.story.fault,
                "concerned": tuple(self.broker(one) for one in self._concerned()),
                "holds": tuple(self._colour(self.wrong.ending.colours[one]) for one in self._concerned()),
                **case.bound._asdict(),
            },
        )

    def _related(self, place: Place) -> list[RelatedDraft]:
        return [RelatedDraft(place, "the tables that brokers choose from by colour")]

    # -- names --------------------------------------------------------------------------------------------------------

    def broker(self, number: int) -> str:
        """Its name."""
        return self.case.estate.brokers[self.part.brokers[number]].id

    def link(self, number: int) -> str:
        """Its name."""
        return self.case.estate.links[self.part.links[number]].id

    def _colour(self, number: int | None) -> str:
        return "" if number is None else self.colours[self.part.colours[number]]

    def _port(self, port: int) -> tuple[str, str]:
        """The brokers at this end of the link and at the other."""
        return self.broker(self.world.end(port)), self.broker(self.world.end(port ^ 1))

    def _notice(self, notice: Notice) -> str:
        return f"notice {notice.number} of {self.broker(notice.origin)}"

    # -- sentences ----------------------------------------------------------------------------------------------------

    def _concerned(self) -> list[int]:
        """Brokers that the finding is about."""
        ending = self.wrong.ending
        if self.wrong.story.fault == "waiting":
            port = ending.waiting[0][0]
            return [self.world.end(port), self.world.end(port ^ 1)]
        for part in ending.parts:
            first = {ending.colours[broker]: broker for broker in reversed(part)}
            if len(first) > 1:
                return sorted(first.values())
        wrong = zip(ending.right, ending.colours, strict=True)
        return [broker for broker, (want, held) in enumerate(wrong) if want not in (None, held)][:1]

    def _summary(self) -> str:
        ending, who = self.wrong.ending, self._concerned()
        if self.wrong.story.fault == "waiting":
            return f"`{self.broker(who[0])}` waits for ever for an acknowledgement of `{self.broker(who[1])}`"
        held = [f"`{self.broker(one)}` in colour `{self._colour(ending.colours[one])}`" for one in who[:2]]
        if len(who) > 1:
            return f"{held[0]} and {held[1].replace('in colour ', 'in ')} stay apart"
        return f"{held[0]} in place of `{self._colour(ending.right[who[0]])}`"

    def _end(self) -> str:
        ending = self.wrong.ending
        if self.wrong.story.fault == "waiting":
            port, notice = ending.waiting[0]
            here, there = self._port(port)
            return f"nothing more comes: {here} waits for {there} to acknowledge {self._notice(notice)}"
        held = [
            f"{self.broker(broker)} in colour {self._colour(colour)}"
            for broker, colour in enumerate(ending.colours)
            if colour is not None
        ]
        return f"nothing more comes: {listed(held, plain=True)}"

    def _lines(self) -> Iterator[str]:
        told = self.wrong.told
        down: set[object] = set()
        numbers = self.wrong.story.numbers
        tellers = dict.fromkeys(one.notice.origin for one in told if one.step.kind == "notice" and one.notice)
        for origin in tellers:
            if numbers[origin] + sum(one.step.kind == "notice" and one.step.origin == origin for one in told) > LARGEST:
                yield f"the last notice of {self.broker(origin)} had number {numbers[origin]}; the largest is {LARGEST}"
        for number, one in enumerate(told):
            step = one.step
            if step.kind == "strike":
                assert step.element is not None
                down ^= {step.element}
                name = self.link(step.element.number) if step.element.is_link else self.broker(step.element.number)
                yield f"{name} {'fails' if step.element in down else 'works again'}"
                continue
            assert one.notice is not None
            here, there = self._port(step.port)
            what = self._notice(one.notice)
            if step.kind == "notice":
                yield self._noticed(one, here)
            elif step.kind == "send":
                after = told[number + 1].step if number + 1 < len(told) else step
                # What comes at once is one line.
                if after != step._replace(kind="arrive"):
                    yield f"{here} sends {what} to {there}; it is slow"
            elif step.kind == "arrive":
                old = (
                    ""
                    if one.news
                    else ", its own"
                    if there == self.broker(one.notice.origin)
                    else ", which is not news"
                )
                yield f"{here} → {there}: {what}{old}"
            elif step.kind == "lose":
                yield f"{here} → {there}: {what} is lost"
            else:
                lost = " is lost" if step.kind == "unanswered" else ""
                yield f"{there} → {here}: acknowledgement of {what}{lost}"

    def _noticed(self, one: Told, here: str) -> str:
        assert one.notice is not None
        link = self.link(one.step.port // 2)
        dead = sorted(self.link(link) for link in one.notice.dead)
        shuts = self._shuts(one)
        says = f"{counted(len(dead), 'dead link')}, {listed(dead, plain=True)}" if dead else "no dead link"
        return f"{here} takes {link} for {'dead' if shuts else 'alive again'}, notice {one.notice.number}: {says}"

    def _shuts(self, one: Told) -> bool:
        """Whether the port shuts: it has changed an even number of times before."""
        before = 0
        for other in self.wrong.told:
            if other is one:
                break
            before += other.step.kind == "notice" and other.step.port == one.step.port
        return before % 2 == 0
