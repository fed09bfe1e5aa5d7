"""What a broker does with events, subscriptions and questions, step by step and without the time that it takes.

A step is: to take in a copy, to ask the sequencer for a number, to deliver an event in its turn, to pass it on to a
site, to acknowledge it. `work_on` takes all that can be taken now; nothing keeps others from taking them one by one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable, Sequence
from dataclasses import replace

from momlint.simulation.memory import Due, Job, Memory, Sent
from momlint.simulation.network import Network
from momlint.simulation.sending import Sender
from momlint.simulation.sites import SiteNode
from momlint.simulation.wire import (
    Acknowledgement,
    Answer,
    Ask,
    Carry,
    Event,
    Numbered,
    Parcel,
    Subscription,
    carry_key,
    key_of,
    question_key,
)


class Handler(Sender):
    """A broker of the site `home`. Not all of it is replicated: see `Memory` and `Job`."""

    def __init__(self, name: str, home: SiteNode, network: Network) -> None:
        super().__init__(name, home.index, network)
        self.home = home
        self.memory = Memory()
        self.jobs: dict[Hashable, Job] = {}
        #: Jobs that wait for a turn, by its counter and number.
        self._waiting: dict[tuple[Hashable, int], list[Job]] = {}
        #: Copies that what is handled now has led to so far: for other sites, which go first, and for subscribers.
        self._copies = 0
        self._delivered = 0

    @property
    def believed(self) -> dict[int, str]:
        """The site's."""
        return self.home.believed

    @property
    def is_broker(self) -> bool:
        """It is one."""
        return True

    def discard(self) -> bool:
        """Forget what is in hand; whether there was something."""
        had = bool(self.outbox) or any(not job.acknowledged for job in self.jobs.values())
        self.jobs.clear()
        self._waiting.clear()
        self.outbox.clear()
        return had

    # Steps.

    def take_in(self, parcel: Parcel) -> Job:
        """A copy has come. Whoever sends again what was acknowledged is told so."""
        key = key_of(parcel.load)
        job = self.jobs.get(key)
        if job is None:
            has_number = self.network.policy.order != "total" or parcel.came >= 0
            job = self.jobs[key] = Job(parcel.load, parcel.came, numbered=has_number)
        job.sources[parcel.sender, parcel.came] = parcel.load
        if isinstance(parcel.load, Subscription):
            self._learn(job, parcel.load)
        if job.acknowledged:
            self._confirm(job, parcel.sender, parcel.came)
        return job

    def _learn(self, job: Job, said: Subscription) -> None:
        known = self.memory.subscriptions
        if known.get((said.client, said.topic), (0, False))[0] < said.version:
            known[said.client, said.topic] = said.version, said.wanted
        if not job.turned:
            job.turned.add("")
            self.home.heard(self.site, said)

    def may_ask(self, job: Job) -> bool:
        """Whether it is the event's turn to get a number: its publisher's events get theirs in their order."""
        if not isinstance(job.load, Carry) or job.numbered or job.asked:
            return False
        event = job.load.event
        return self.home.asked.get(event.publisher, 0) >= event.number - 1

    def ask(self, jobs: Sequence[Job]) -> None:
        """Ask the sequencer for numbers of these events of one publisher, with numbering by subscriber for each who
        wants them.
        """
        for job in jobs:
            job.asked = True
        ask = Ask(tuple((job.carry.event, self._interested(job.carry.event)) for job in jobs), self.site)
        if self.network.policy.sequencer == self.site:
            self.number(self._numbers(ask))
        else:
            self.send(self.network.setting.towards[self.site][self.network.policy.sequencer], ask)

    def _interested(self, event: Event) -> tuple[str, ...]:
        if self.network.policy.numbering != "subscriber":
            return ()
        # In the order of the estate, so that nothing depends on when subscriptions came.
        wanting = (client.name for client in self.network.setting.clients)
        return tuple(name for name in wanting if self.memory.wants(name, event.topic))

    def question(self, job: Job) -> None:
        """A site asks for numbers: give them, or pass the question on."""
        assert isinstance(job.load, Ask)
        policy = self.network.policy
        if policy.sequencer != self.site:
            self.send(self.network.setting.towards[self.site][policy.sequencer], job.load)
        else:
            self._answer(self._numbers(job.load))

    def _numbers(self, ask: Ask) -> Answer:
        """The numbers that the events have, or get now."""
        given = []
        for event, interested in ask.wanted:
            key = carry_key(event)
            if self.network.policy.numbering == "sequencer":
                given.append(Numbered(event, self.memory.give(("all",), key), ()))
            else:
                numbers = tuple((name, self.memory.give(("for", name), key)) for name in interested)
                given.append(Numbered(event, 0, numbers))
        return Answer(tuple(given), ask.origin)

    def _answer(self, answer: Answer) -> None:
        """Tell whoever has asked here."""
        job = self.jobs.pop(question_key(answer), None)
        for sender, site in job.sources if job is not None else ():
            self.reply(sender, site, answer)

    def reply(self, sender: str, site: int, answer: Answer) -> None:
        """Send an answer on its way back; nobody waits for an acknowledgement of it."""
        self.post(sender, site, Parcel(answer, self.name, self.site), "answers")

    def answered(self, parcel: Parcel) -> list[Job]:
        """An answer has come: the events that have their numbers now; none where it is another site's."""
        answer = parcel.load
        assert isinstance(answer, Answer)
        self.outbox.pop((parcel.came, question_key(answer)), None)
        if answer.origin != self.site:
            self._answer(answer)
            return []
        return self.number(answer)

    def number(self, answer: Answer) -> list[Job]:
        """Events of a publisher here have their numbers; those that had none."""
        found = []
        for event, number, numbers in answer.given:
            job = self.jobs.get(carry_key(event))
            if job is not None and not job.numbered:
                job.numbered = True
                job.load = Carry(event, number, numbers)
                self.home.asked[event.publisher] = max(event.number, self.home.asked.get(event.publisher, 0))
                found.append(job)
        return found

    def dues(self, job: Job) -> list[Due]:
        """The turns that an event needs, as far as they are known."""
        if not isinstance(job.load, Carry) or not job.numbered:
            return []
        numbering, event = self.network.policy.numbering, job.load.event
        match numbering:
            case None:
                return [Due(("once",), 0)]
            case "publisher":
                return [Due(("of", event.publisher), event.number)]
            case "link":
                found: dict[Due, None] = {}
                for (_, came), load in job.sources.items():
                    assert isinstance(load, Carry)
                    own = Due(("of", event.publisher), event.number)
                    found[own if came < 0 else Due(("from", came), load.number)] = None
                return list(found)
            case "sequencer":
                return [Due(("all",), job.load.number)]
        here = (pair for pair in job.load.numbers if pair[0] in self.home.clients)
        # Of those whom it has forgotten a successor knows nothing.
        known = (pair for pair in here if (pair[0], event.topic) in self.memory.subscriptions)
        return [Due(("for", name), number, name) for name, number in known]

    def is_next(self, job: Job, due: Due) -> bool:
        """Whether it is this turn now."""
        if self.network.policy.numbering is None:
            return not job.turned
        return self.memory.reached.get(due.counter, 0) + 1 == due.number

    def is_over(self, job: Job, due: Due) -> bool:
        """Whether this turn, or one after it, was had."""
        if self.network.policy.numbering is None:
            return bool(job.turned)
        return self.memory.reached.get(due.counter, 0) >= due.number

    def turn(self, job: Job, due: Due) -> None:
        """Deliver an event, or count it where it was delivered before."""
        memory, event = self.memory, job.carry.event
        if self.network.policy.numbering is not None:
            memory.reached[due.counter] = due.number
        key = (event.publisher, event.number, due.name)
        is_known = key in memory.seen
        memory.seen.add(key)
        job.turned.add(due.name)
        if self.network.policy.numbering == "link":
            memory.passed.add(carry_key(event))
            for site in self.targets(job):
                memory.give(("to", site), carry_key(event))
        if not is_known:
            for name in [due.name] if due.name else self.home.clients:
                self._deliver(name, event)

    def _deliver(self, name: str, event: Event) -> None:
        if self.memory.wants(name, event.topic):
            self._delivered += 1
            self.network.say(f"{self.name} → {name}: {event.topic}{event.number} of {event.publisher}")
            self.network.near(name, Parcel(Carry(event), self.name, -1), "deliveries")

    def may_pass(self, job: Job) -> bool:
        """Whether it may go on to other sites."""
        if isinstance(job.load, Carry) and self.network.policy.numbering == "link":
            return carry_key(job.load.event) in self.memory.passed
        return isinstance(job.load, Subscription) or (isinstance(job.load, Carry) and job.numbered)

    def targets(self, job: Job) -> tuple[int, ...]:
        """The sites that it goes to."""
        if job.targets is None:
            setting = self.network.setting
            others = [site for site in setting.neighbours[self.site] if site != job.came]
            if isinstance(job.load, Carry) and self.network.policy.filtering:
                goals = self._goals(job.load)
                others = [site for site in others if any(setting.towards[self.site][goal] == site for goal in goals)]
            job.targets = tuple(others)
        return job.targets

    def _goals(self, carry: Carry) -> set[int]:
        """The sites that it is for, other than this one."""
        known, topic = self.memory.subscriptions, carry.event.topic
        if self.network.policy.numbering == "subscriber":
            # Also those who have left since: numbers must have no gaps.
            names = [name for name, _ in carry.numbers if (name, topic) in known]
        else:
            names = [name for (name, one), (_, wanted) in known.items() if one == topic and wanted]
        return {self.network.sites_of[name] for name in names} - {self.site}

    def pass_on(self, job: Job, site: int) -> None:
        """Send it to one of its targets."""
        job.sent.add(site)
        load = job.load
        if isinstance(load, Carry) and self.network.policy.numbering == "link":
            load = replace(load, number=self.memory.give(("to", site), carry_key(load.event)))
        self.send(site, load)

    def may_acknowledge(self, job: Job) -> bool:
        """Whether it may be acknowledged: it had its turn, and has arrived wherever it goes to from here."""
        if job.acknowledged or isinstance(job.load, Ask):
            return False
        if self.network.policy.acknowledge_first:
            return True
        passes = self.may_pass(job)
        if isinstance(job.load, Carry):
            over = [self.is_over(job, due) for due in self.dues(job)]
            if self.network.policy.numbering == "link":
                if not passes:
                    return any(over)
            elif not (passes and all(over)):
                return False
        return job.heard.issuperset(self.targets(job))

    def acknowledge(self, job: Job) -> None:
        """Tell all who have sent it."""
        job.acknowledged = True
        for sender, came in job.sources:
            self._confirm(job, sender, came)

    def _confirm(self, job: Job, sender: str, came: int) -> None:
        note = Acknowledgement(key_of(job.load), self.site, self.name)
        self.post(sender, came if came >= 0 else self.site, note, "acknowledgements")

    def hear(self, note: Acknowledgement) -> Job | None:
        """A site has acknowledged: the job that it was, where one is in hand. What is not active has nothing to say."""
        if self.believed[note.site] != note.broker:
            return None
        self.outbox.pop((note.site, note.key), None)
        job = self.jobs.get(note.key)
        if job is not None:
            job.heard.add(note.site)
        return job

    # All of them.

    def work_on(self, *jobs: Job) -> list[Job]:
        """Number, deliver and pass on what can be: these, and what has waited for them. Those that were touched."""
        touched: dict[Job, None] = {}
        todo = deque(jobs)
        while todo:
            job = todo.popleft()
            touched[job] = None
            if self.may_ask(job):
                # With all that have waited for it: one question at a time keeps their order.
                asked = [job, *self.following(job)]
                self.ask(asked)
                todo.extend(one for one in asked[1:] if one.numbered)
            for due in self.dues(job):
                if self.is_next(job, due):
                    self.turn(job, due)
                    # It is another one's turn, and over for what had the same number.
                    for number in (due.number, due.number + 1):
                        todo.extend(self._waiting.pop((due.counter, number), ()))
                elif not self.is_over(job, due):
                    waiting = self._waiting.setdefault((due.counter, due.number), [])
                    if job not in waiting:
                        waiting.append(job)
            if self.may_pass(job):
                for site in self.targets(job):
                    if site not in job.sent:
                        self.pass_on(job, site)
        return list(touched)

    def following(self, job: Job) -> list[Job]:
        """The next events of the same publisher that are here and have no numbers."""
        found: list[Job] = []
        event = job.carry.event
        while True:
            event = event._replace(number=event.number + 1)
            following = self.jobs.get(carry_key(event))
            if following is None or following.numbered or following.asked:
                return found
            found.append(following)

    def forgotten(self, site: int, entry: Sent) -> None:
        """It will not be sent again: nobody waits for it any longer."""
        job = self.jobs.get(key_of(entry.load))
        if job is not None and not isinstance(job.load, Ask):
            job.heard.add(site)
            self.conclude(job)

    def conclude(self, job: Job) -> None:
        """Acknowledge it if it may be."""
        if self.may_acknowledge(job):
            self.acknowledge(job)
