"""From a document's models to the form, with a MOM102 for each name that nobody declares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from momlint.estate import pubsub_places as places
from momlint.estate.nearest import did_you_mean
from momlint.findings import Draft, Place, RelatedDraft
from momlint.pubsub.form import Broker, Clients, Constant, Formula, Message, Property, Role, Step, Verb
from momlint.pubsub.formulas import FormulaError, Names, parse

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.estate.pubsub_model import ClientsEntry, PropertyEntry, PubsubBrokerEntry, PubsubEntry, StepEntry

T = TypeVar("T")

#: Verbs with nothing, a topic, or a message after them.
_VERBS: dict[str, tuple[Verb, str]] = {
    "local": ("local", ""),
    "connect": ("connect", ""),
    "disconnect": ("disconnect", ""),
    "subscribe": ("subscribe", "topic"),
    "unsubscribe": ("unsubscribe", "topic"),
    "publish": ("publish", "message"),
    "on": ("on", "message"),
}
_ACTIONS = "write local, subscribe TOPIC, unsubscribe TOPIC, publish MESSAGE, on MESSAGE, disconnect or connect"
_PREDICATES = (
    "formulas know states, roles, role.state, connected, subscribed(t), ever_subscribed(t), received(m), twice(m), "
    "late(m), missed(m), true, and, or, not"
)
#: A topic where none is given.
DEFAULT_TOPIC = "main"


class Reading(NamedTuple):
    """What was read. `clients` is None where what they do is not known; `drafts` say why."""

    clients: Clients | None
    drafts: list[Draft]


def read(loaded: LoadedEstate) -> Reading:
    """The section of an estate, whichever of its documents hold parts of it."""
    return _Read(loaded).run()


class _Read:
    def __init__(self, loaded: LoadedEstate) -> None:
        self.loaded = loaded
        self.drafts: list[Draft] = []
        #: Whether what clients do is known.
        self.known = loaded.estate is not None and "pubsub" not in loaded.estate.incomplete
        self.models: list[tuple[int, PubsubEntry]] = [
            (number, checked.model.pubsub)
            for number, checked in enumerate(loaded.checked)
            if checked.model is not None and checked.model.pubsub is not None
        ]
        self.lost = 0

    def run(self) -> Reading:
        if not self.known:
            return Reading(None, [])
        messages: dict[str, tuple[str, bool, Place]] = {}
        roles: dict[str, tuple[ClientsEntry, Place]] = {}
        broker: tuple[PubsubBrokerEntry, Place] | None = None
        for number, model in self.models:
            for name, entry in (model.messages or {}).items():
                topic, retained = (entry.topic, entry.retained) if entry is not None else (DEFAULT_TOPIC, False)
                value = (topic, retained, places.message(number, name))
                if self.is_new(f"message `{name}`", value[2], messages[name][2] if name in messages else None):
                    messages[name] = value
            for name, role in (model.clients or {}).items():
                place = places.role(number, name)
                if self.is_new(f"role `{name}`", place, roles[name][1] if name in roles else None):
                    roles[name] = role, place
            if model.broker is not None:
                place = places.broker(number)
                if self.is_new("the broker of the clients", place, broker[1] if broker else None):
                    broker = model.broker, place
        topics = tuple(dict.fromkeys(topic for topic, _, _ in messages.values()))
        self.topics = topics
        self.messages = tuple(messages)
        self.names = Names(tuple(roles), [_states(role) for role, _ in roles.values()], topics, self.messages)
        made = tuple(self.role(number, *roles[name]) for number, name in enumerate(roles))
        properties = self.properties()
        if not self.known:
            return Reading(None, self.drafts)
        return Reading(
            Clients(
                topics,
                tuple(Message(name, topics.index(topic), retained) for name, (topic, retained, _) in messages.items()),
                made,
                _broker(broker[0] if broker else None),
                properties,
                self.lost,
            ),
            self.drafts,
        )

    def is_new(self, what: str, place: Place, first: Place | None) -> bool:
        """Whether it is the first of its name; another is a finding, and does not count."""
        if first is None:
            return True
        self.drafts.append(
            Draft(
                "MOM103",
                place.key,
                f"{what} is declared twice; the first declaration counts",
                "remove one of the two",
                related=(RelatedDraft(first.key, "declared here first"),),
            )
        )
        return False

    def wrong(self, place: Place, message: str, help_: str) -> None:
        """A fault in what clients do: nothing can be said of them."""
        self.known = False
        self.drafts.append(Draft("MOM102", place, message, help_))

    def role(self, number: int, entry: ClientsEntry, place: Place) -> Role:
        states = self.names.states[number]
        steps = []
        for index, step in enumerate(entry.steps or ()):
            at = places.step(place, index)
            made = self.step(step, states, at)
            if made is not None:
                steps.append(made)
        return Role(
            self.names.roles[number],
            tuple(states),
            states.index(entry.start),
            entry.count,
            entry.offline,
            entry.crash,
            tuple(steps),
        )

    def step(self, entry: StepEntry, states: Sequence[str], place: Place) -> Step | None:
        sources = entry.sources if isinstance(entry.sources, list) else [entry.sources]
        action = self.action(entry.action, places.action(place))
        condition: Formula | None = Constant(True)
        if entry.condition:
            condition = self.formula(entry.condition, places.condition(place))
        if action is None or condition is None:
            self.known = False
            return None
        verb, found = action
        target = states.index(entry.target) if entry.target else None
        return Step(frozenset(states.index(state) for state in sources), target, verb, found, condition, place)

    def action(self, text: str, place: Place) -> tuple[Verb, int] | None:
        """What ``do`` says: the verb, and the topic or message that it is about."""
        word, _, rest = text.strip().partition(" ")
        rest = rest.strip()
        found = _VERBS.get(word)
        if found is None:
            hint = did_you_mean(word, tuple(_VERBS))
            self.wrong(place, f"there is no action `{word}`{hint}", _ACTIONS)
            return None
        verb, what = found
        if not what:
            if rest:
                self.wrong(place, f"`{word}` takes nothing after it, not `{rest}`", _ACTIONS)
                return None
            return verb, 0
        known = self.topics if what == "topic" else self.messages
        if not rest:
            if what == "topic" and len(known) == 1:
                return verb, 0
            self.wrong(place, f"`{word}` needs a {what}", _ACTIONS)
            return None
        if rest not in known:
            start = text.index(rest, text.index(word) + len(word))
            declared = "topics are those of `messages`" if what == "topic" else "declare it under `messages`"
            self.wrong(
                places.part(place, start, start + len(rest)),
                f"there is no {what} `{rest}`{did_you_mean(rest, known)}",
                declared,
            )
            return None
        return verb, known.index(rest)

    def formula(self, text: str, place: Place) -> Formula | None:
        try:
            return parse(text, self.names)
        except FormulaError as error:
            where = places.part(place, error.start, error.end)
            self.drafts.append(Draft("MOM102", where, error.message, _PREDICATES))
            return None

    def properties(self) -> tuple[Property, ...]:
        found = []
        for number, model in self.models:
            kept = self.loaded.checked[number].kept.get(("pubsub", "properties"))
            for position, entry in enumerate(model.properties or ()):
                index = position if kept is None else kept[position]
                made = self.property(entry, places.property_item(number, index))
                if made is not None:
                    found.append(made)
                else:
                    self.lost += 1
        return tuple(found)

    def property(self, entry: PropertyEntry, place: Place) -> Property | None:
        never = places.never(place)
        if isinstance(entry.never, list):
            texts = list(entry.never)
            where = [places.never(place, index) for index in range(len(texts))]
        else:
            texts, where = [entry.never], [never]
        formulas = [self.formula(text, at) for text, at in zip(texts, where, strict=True)]
        whole = [formula for formula in formulas if formula is not None]
        if len(whole) < len(formulas):
            return None
        return Property(entry.name or "", tuple(whole), tuple(texts), place, never)


def _states(role: ClientsEntry) -> list[str]:
    """The states of a role, in the order in which they are named."""
    found = {role.start: None}
    for step in role.steps or ():
        for source in step.sources if isinstance(step.sources, list) else [step.sources]:
            found[source] = None
        if step.target:
            found[step.target] = None
    return list(found)


def _broker(entry: PubsubBrokerEntry | None) -> Broker:
    if entry is None:
        return Broker()
    each = entry.notify == "each"
    return Broker(
        workers=entry.workers,
        live=entry.subscribers == "live",
        each=each,
        abort=each and entry.on_error == "abort",
        acknowledged=each and entry.qos == "1",
        persistent=entry.session == "persistent",
    )
