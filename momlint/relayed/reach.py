"""Who does not get what is published, and what would have to be changed for it (MOM803): one finding a cause."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from momlint.errors import ReplayError
from momlint.findings import Affected, Draft, Place, RelatedDraft, Witness
from momlint.relayed.classes import Rewritten
from momlint.relayed.fates import Fates, Told
from momlint.relayed.form import Need, Relay
from momlint.relayed.patterns import Tokens, beginning, whole
from momlint.relayed.repairs import Change, repairs
from momlint.words import counted, joined

#: Of so many classes it is looked for what keeps them back; what is missing of others is told where it is wanted.
MOST_CLASSES = 200
#: Findings, and related lines of one.
_MOST, _MOST_RELATED = 100, 5

#: What is mended at the subscription rather than on the way.
_AT_NEED = frozenset(("renamed",))
#: Where nobody says that the topic is published, a filter on the way is as likely right as the subscription's.
_AT_NEED_UNHEARD = frozenset(("renamed", "filter", "denied"))


@dataclass
class Missing:
    """A message that does not arrive. `changes`: by which it would; None where no links lead there."""

    source: int
    topic: Tokens
    need: Need
    changes: tuple[Change, ...] | None
    is_known: bool = True


@dataclass
class _Cause:
    """What is to be changed, with all that is missing for it, what needs the fewest changes first."""

    place: Place
    missing: list[Missing] = field(default_factory=list)


def out_of_reach(fates: Fates) -> Iterator[Draft]:
    """MOM803: who is to get a message and does not.

    What is published under a name that somebody wants has to arrive there. Where nobody says what is published,
    somebody has to be heard at all; the same holds for what arrives under another name only. Raises `ReplayError`.
    """
    causes: dict[tuple[str, Place], _Cause] = {}
    for one in missing(fates):
        kind, place = _cause(one)
        causes.setdefault((kind, place), _Cause(place)).missing.append(one)
    for (kind, _), cause in list(causes.items())[:_MOST]:
        cause.missing.sort(key=lambda one: len(one.changes or ()))
        yield _draft(fates, kind, cause)


def _cause(one: Missing) -> tuple[str, Place]:
    """What is to be changed first, and where; ``nobody`` where it is the subscription, for nobody publishes such."""
    if not one.changes:
        return "no links" if one.is_known else "nobody", one.need.place
    first = one.changes[0]
    if first.kind in (_AT_NEED if one.is_known else _AT_NEED_UNHEARD):
        return first.kind if one.is_known else "nobody", one.need.place
    return first.kind, first.place


def missing(fates: Fates) -> Iterator[Missing]:
    """All that does not arrive: by what is wanted, then by what is published."""
    relay = fates.relay
    lacking: list[tuple[Need, list[Told], bool]] = []
    at_home: dict[int, list[Told]] = {}
    origins = {one.found.origin for one in fates.told}
    if all(need.pattern is None for need in relay.published):
        # Anything may be published anywhere: a queue that has it at home is served. Who is said to want something in an
        # overlay is to get it from somebody else.
        for one in fates.told:
            at_home.setdefault(one.found.origin, []).append(one)
    for need in relay.wanted:
        local = need.local or len(origins) == 1
        if need.pattern is None or (local and _is_at_home(fates, need, at_home.get(need.broker, ()))):
            continue
        served = False
        absent: list[Told] = []
        elsewhere: list[Told] = []
        for one in fates.told:
            meets = fates.classes.meets(one.found, Rewritten(), relay.as_called(need, one.found.origin))
            if one.found.origin == need.broker:
                served = served or (meets and (local or not at_home))
            elif fates.arrives(one, need):
                served = True
            elif meets:
                (absent if _speaks(relay, one, need) else elsewhere).append(one)
        if absent:
            lacking.append((need, absent, True))
        elif not served and fates.told:
            lacking.append((need, elsewhere, False))
    wanted: dict[int, list[Need]] = {}
    for need, several, _ in lacking:
        for one in several:
            wanted.setdefault(id(one), []).append(need)
    repaired: dict[int, dict[Need, tuple[Change, ...]]] = {}
    for one in fates.told:
        if id(one) in wanted and len(repaired) < MOST_CLASSES:
            found, needs = one.found, wanted[id(one)]
            repaired[id(one)] = repairs(relay, fates.classes.sets, found.origin, found.example, needs)
    for need, several, is_known in lacking:
        yield from _of_need(fates, need, several, repaired, is_known=is_known)


def _is_at_home(fates: Fates, need: Need, classes: Sequence[Told]) -> bool:
    """Whether one of these classes, of what is published at the broker itself, is what a need means."""
    assert need.pattern is not None
    words = beginning(whole(need.pattern))
    return any(
        fates.classes.meets(one.found, Rewritten(), need)
        for one in classes
        if all(mine == theirs for mine, theirs in zip(words, one.found.topics.beginning, strict=False))
    )


def _of_need(
    fates: Fates,
    need: Need,
    several: Sequence[Told],
    repaired: dict[int, dict[Need, tuple[Change, ...]]],
    *,
    is_known: bool,
) -> Iterator[Missing]:
    found = []
    for one in several:
        changes = repaired.get(id(one), {}).get(need)
        if changes == ():
            relay = fates.relay
            what = f"`{fates.name(one.found)}` from `{relay.names[one.found.origin]}`"
            raise ReplayError(f"{what} is said not to come to `{relay.names[need.broker]}`, and does")
        found.append(Missing(one.found.origin, one.found.example, need, changes, is_known))
    if is_known:
        yield from found
        return
    # One of those that might be meant: the one by which it takes least.
    likely = min(found, key=lambda one: 99 if one.changes is None else len(one.changes), default=None)
    yield likely or Missing(-1, (), need, None, is_known=False)


def _speaks(relay: Relay, one: Told, need: Need) -> bool:
    """Whether it is said that just this is published there."""
    return any(
        other.broker == one.found.origin and other.pattern is not None and other.name == need.name
        for other in relay.published
    ) or all(other.pattern is not None for other in relay.published)


def _draft(fates: Fates, kind: str, cause: _Cause) -> Draft:
    relay, first = fates.relay, cause.missing[0]
    where, name = relay.names[first.need.broker], relay.language.text(first.topic)
    changes = _all_changes(cause)
    related = _related(fates, cause, changes)
    topics = [one.name for one in relay.estate.topics]
    wanted = dict.fromkeys(one.need.name for one in cause.missing)
    pairs = {(one.source, one.need.broker) for one in cause.missing}
    affected = Affected(tuple(one for one in wanted if one in topics), len(pairs))
    if kind == "nobody":
        anything = not first.need.local and all(need.pattern is None for need in relay.published)
        nobody = "no other broker" if anything else "nobody"
        return Draft(
            "MOM803",
            cause.place,
            f"`{where}` gets nothing that `{first.need.name}` matches, from {nobody}",
            help="mend the filter, widen one on the way, or add a link",
            witness=Witness(destination=where),
            affected=affected,
            related=related,
            label="wanted here",
            data={"topic": first.need.name, "broker": where},
        )
    source = relay.names[first.source]
    why, help_, label = _words(relay, kind, cause, changes)
    return Draft(
        "MOM803",
        cause.place,
        f"`{where}` does not get `{name}` from `{source}`: {why}",
        help=help_,
        witness=Witness(source=source, destination=where, topic=name),
        affected=affected,
        related=related,
        label=label,
        data={"topic": name, "broker": where, "source": source},
    )


def _all_changes(cause: _Cause) -> tuple[Change, ...]:
    """Those of the first message, and what others need beside the cause that they share, each place once."""
    first = cause.missing[0].changes or ()
    found = {one.place: one for one in first}
    for other in cause.missing[1:]:
        for one in (other.changes or ())[1:]:
            if len(found) <= _MOST_RELATED:
                found.setdefault(one.place, one)
    return tuple(found.values())


def _words(relay: Relay, kind: str, cause: _Cause, changes: Sequence[Change]) -> tuple[str, str, str]:
    """Why, the smallest change that mends it, and what the place is."""
    if not changes:
        return "no links lead there", "add a link, or take back that it is wanted", "wanted here"
    first = changes[0]
    tail, head = relay.names[first.tail], relay.names[first.head]
    topic = relay.language.text(first.topic)
    also = _also(relay, [one for one in changes[1:] if one.place != cause.place])
    match kind:
        case "hops":
            hop = max(one.changes[0].hop for one in cause.missing if one.changes)
            limit = counted(first.arc.max_hops or 0, "hop", "hops")
            why = f"from `{tail}` to `{head}` it would be hop {first.hop}, and the limit there is {limit}"
            return why, f"raise the limit of this link to {hop}{also}", f"at most {limit}"
        case "demand":
            near = counted(first.arc.demand_hops or 0, "link", "links")
            away = max(one.changes[0].away for one in cause.missing if one.changes)
            why = f"from `{tail}` to `{head}` goes only what is wanted at most {near} away, and nobody so near wants it"
            return why, f"let this link hear of subscriptions {away} links away{also}", f"at most {near} away"
        case "filter":
            why = f"no filter from `{tail}` to `{head}` lets `{topic}` pass"
            return why, f"widen the filter, or add one that lets `{topic}` pass{also}", "it does not pass here"
        case "denied":
            why = f"from `{tail}` to `{head}` it is denied"
            return why, f"leave out what denies it, or narrow that{also}", "denied here"
        case "renamed":
            why = f"it arrives there as `{relay.language.text(_as_it_arrives(changes))}`"
            return why, "subscribe to the name under which it arrives, or do not rename it on the way", "wanted here"
        case "transit":
            return f"`{tail}` passes nothing on", f"let `{tail}` pass on, or add a link around it{also}", "it ends here"
        case "split":
            why = f"`{tail}` does not hand it on to `{head}` over the connection that it came by"
            return why, f"add a link to `{head}` around `{tail}`{also}", "not handed back here"
        case "visited":
            why = f"`{head}` is taken for a broker that it has been at"
            return why, f"give `{head}` a name of its own for the guard{also}", "it has been there"
    return (
        f"the link from `{head}` to `{tail}` leads that way only",
        f"let it carry messages from `{tail}` to `{head}` as well{also}",
        "one way only",
    )


def _as_it_arrives(changes: Sequence[Change]) -> Tokens:
    return [one.topic for one in changes if one.kind == "renamed"][-1]


def _also(relay: Relay, changes: Sequence[Change]) -> str:
    """The further changes that one message needs, as the end of a sentence."""
    if not changes:
        return ""
    ends = [f"from `{relay.names[one.tail]}` to `{relay.names[one.head]}`" for one in changes]
    if all(one.kind == "hops" for one in changes):
        return ", and " + joined([f"that {end} to {one.hop}" for end, one in zip(ends, changes, strict=True)])
    return f"; the way {joined(ends)} has to be mended too"


def _related(fates: Fates, cause: _Cause, changes: Sequence[Change]) -> tuple[RelatedDraft, ...]:
    relay, seen = fates.relay, {cause.place}
    found: list[RelatedDraft] = []

    def add(place: Place, message: str) -> None:
        if place not in seen and len(found) < _MOST_RELATED:
            seen.add(place)
            found.append(RelatedDraft(place, message))

    for one in changes:
        tail, head = relay.names[one.tail], relay.names[one.head]
        what = {
            "hops": f"from `{tail}` to `{head}` it would be hop {one.hop}",
            "renamed": "it is renamed here",
            "backwards": f"it leads from `{head}` to `{tail}` only",
        }
        add(one.place, what.get(one.kind, f"nor does it pass from `{tail}` to `{head}`"))
    for other in cause.missing:
        add(other.need.place, f"wanted at `{relay.names[other.need.broker]}`")
    return tuple(found)
