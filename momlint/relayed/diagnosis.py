"""From what the search finds to root causes: one finding a loop, a set of duplicates, a filter, a pair out of reach."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence

from momlint.estate.resolved import Interest
from momlint.findings import Affected, Draft, Place, RelatedDraft, Witness
from momlint.relayed.form import Form
from momlint.relayed.search import Named, Reached, State, Step, copies, named_steps, start, walks_to

#: So many loops, and sets of duplicates, are told of one estate.
_MOST = 100
#: Ways of copies that a finding shows.
_MOST_WAYS = 3


def loops(form: Form, starts: Sequence[State]) -> tuple[list[Draft], frozenset[int]]:
    """MOM801 and MOM807: one of each cycle; and the links without which there is none.

    The later of a cycle's links is taken for the cause, and taken out before the next cycle is looked for.
    """
    found: list[Draft] = []
    without: frozenset[int] = frozenset()
    while len(found) < _MOST:
        reached = Reached(form, starts, without)
        cyclic = reached.cyclic()
        if not cyclic:
            break
        cycle = min(
            (reached.shortest_cycle(members) for members in cyclic),
            key=lambda steps: (len(steps), [step.arc for step in steps]),
        )
        found.append(_loop(form, cycle))
        last = max(cycle, key=lambda step: step.arc)
        without |= frozenset(_same_connection(form, last.arc))
    return found, without


def _same_connection(form: Form, arc: int) -> Iterator[int]:
    """The link of an arc, and those of its connection: they are one thing that someone set up."""
    link = form.arcs[arc].link
    yield link
    connection = form.estate.links[link].connection
    if connection is not None:
        yield from (number for number, one in enumerate(form.estate.links) if one.connection == connection)


def _loop(form: Form, cycle: list[Step]) -> Draft:
    names = form.estate.brokers
    last = max(cycle, key=lambda step: step.arc)
    # The walk begins where the example of the cycle's first class is at home.
    first = cycle[-1].state
    walk = [names[first.broker].id, *(names[step.state.broker].id for step in cycle)]
    topic = form.classes.examples[first.klass]
    after = _renamed(form, topic, cycle)
    grows = len(after) > len(topic) or (after != topic and form.classes.class_of(after) == first.klass)
    related = []
    seen = {form.place_of(last.arc, last.entry)}
    for step in cycle:
        place = form.place_of(step.arc, step.entry)
        if place not in seen:
            seen.add(place)
            arc = form.arcs[step.arc]
            related.append(RelatedDraft(place, f"`{names[arc.tail].id}` passes it on to `{names[arc.head].id}` here"))
    tail, head = names[form.arcs[last.arc].tail].id, names[form.arcs[last.arc].head].id
    witness = Witness(walk=tuple(walk), topic=topic)
    if grows:
        return Draft(
            "MOM807",
            form.place_of(last.arc, last.entry),
            f"`{topic}` comes back to `{walk[0]}` as `{after}`, and goes round again, longer every time",
            help="narrow the filter so that it does not match what has been renamed already",
            witness=witness,
            related=tuple(related),
            label=f"`{tail}` passes it on to `{head}`",
            data={"topic": topic, "broker": walk[0]},
        )
    return Draft(
        "MOM801",
        form.place_of(last.arc, last.entry),
        f"messages such as `{topic}` go round for ever between {_listed(sorted(set(walk)))}",
        help=f"leave out this way from `{tail}` to `{head}`, or narrow its filter: the others deliver already",
        witness=witness,
        related=tuple(related),
        label=f"`{tail}` passes them on to `{head}`",
        data={"topic": topic, "broker": tail, "to": head},
    )


def _renamed(form: Form, topic: str, steps: Sequence[Step]) -> str:
    for step in steps:
        topic = form.renamed(step.arc, step.entry, topic)
    return topic


def _listed(names: Sequence[str]) -> str:
    shown = [f"`{name}`" for name in names[:6]]
    if len(names) > 6:
        shown.append(f"{len(names) - 6} more")
    return ", ".join(shown[:-1]) + f" and {shown[-1]}" if len(shown) > 1 else "".join(shown)


def duplicates(form: Form, starts: Sequence[State], reached: Reached) -> Iterator[Draft]:
    """MOM804: several copies of one message at a broker under one name; ways that share a link are one finding.

    `reached`: from all of `starts`.
    """
    causes: list[tuple[frozenset[int], int, Draft]] = []
    groups: dict[int, int] = {}

    def root(link: int) -> int:
        while groups.setdefault(link, link) != link:
            link = groups[link]
        return link

    for first in starts:
        if reached.is_tree(first):
            continue
        counted = copies(form, first)
        if counted is None:
            continue
        for (broker, topic), number in counted.items():
            if number < 2:
                continue
            walks = walks_to(form, first, broker, topic, _MOST_WAYS)
            links = frozenset(form.arcs[step.arc].link for walk in walks for step in walk)
            if not links:
                continue
            one, *others = sorted(links)
            for other in others:
                groups[root(other)] = root(one)
            causes.append((links, number, _duplicate(form, first, broker, number, walks)))
    told: dict[int, list[tuple[frozenset[int], int, Draft]]] = {}
    for cause in causes:
        told.setdefault(root(min(cause[0])), []).append(cause)
    for same in list(told.values())[:_MOST]:
        yield same[0][2]


def _duplicate(form: Form, first: State, broker: int, number: int, walks: list[list[Step]]) -> Draft:
    names = form.estate.brokers
    topic = form.classes.examples[first.klass]
    paths = tuple(
        " → ".join([names[first.broker].id, *(names[step.state.broker].id for step in walk)]) for walk in walks
    )
    entering = sorted(
        {(walk[-1].arc, walk[-1].entry) for walk in walks if walk}, key=lambda one: (one[0], one[1]), reverse=True
    )
    place = form.place_of(*entering[0])
    related = [RelatedDraft(form.place_of(*one), "another copy comes by this") for one in entering[1:]]
    where, source = names[broker].id, names[first.broker].id
    return Draft(
        "MOM804",
        place,
        f"`{where}` gets {number:,} copies of messages such as `{topic}` from `{source}`",
        help="leave out one of the ways, or narrow its filter",
        witness=Witness(source=source, destination=where, topic=topic, paths=paths),
        related=tuple(one for one in related if one.place != place),
        label="one copy comes by this",
        data={"topic": topic, "broker": where, "copies": number},
    )


def dead_filters(form: Form, reached: Reached) -> Iterator[Draft]:
    """MOM805: an entry that nothing crosses by, of an arc."""
    used: set[tuple[int, int]] = set()
    for following in reached.following.values():
        used.update((step.arc, step.entry) for step in following)
    everything = form.estate.publications is None and form.estate.subscriptions is None and not form.estate.topics
    for number, arc in enumerate(form.arcs):
        for entry, one in enumerate(arc.passes or ()):
            if one.deny or (number, entry) in used:
                continue
            shadow = _shadow(form, number, entry)
            if shadow is None and everything:
                continue
            if shadow is not None:
                first = (arc.passes or ())[shadow]
                yield Draft(
                    "MOM805",
                    one.place,
                    f"nothing passes by `{one.filter}`: an earlier entry, `{first.filter}`, takes all of it",
                    help="put it before the other entry, or leave it out",
                    related=(RelatedDraft(first.place, "this one comes first"),),
                    label="never used",
                    data={"filter": one.filter},
                )
            elif shadow is None:
                tail = form.estate.brokers[arc.tail].id
                yield Draft(
                    "MOM805",
                    one.place,
                    f"nothing that is published comes to `{tail}` and matches `{one.filter}`",
                    help="mend the filter, or leave it out",
                    label="never used",
                    data={"filter": one.filter},
                )


def _shadow(form: Form, arc: int, entry: int) -> int | None:
    """The earlier entry that takes what this one matches; None where something is left for it."""
    passes = form.arcs[arc].passes or ()
    numbers = [form.classes.filters[one.filter] for one in passes]
    first = None
    for klass in form.having.get(numbers[entry], ()):
        matched = form.classes.matched[klass]
        earlier = next((place for place in range(entry) if numbers[place] in matched), None)
        if earlier is None:
            return None
        first = earlier if first is None else first
    return first


def out_of_reach(form: Form, expected: Callable[[str], bool]) -> Iterator[Draft]:
    """MOM803: who is to get a message and does not."""
    estate = form.estate
    if not expected("MOM803"):
        return
    arriving: dict[tuple[int, int], dict[tuple[int, int], str]] = {}

    def arrives(broker: int, klass: int) -> dict[tuple[int, int], str]:
        """By broker and class: what the class's example is called where it comes there first."""
        key = broker, klass
        if key not in arriving:
            arriving[key] = _arriving(form, start(form, broker, klass))
        return arriving[key]

    for topic in estate.topics:
        klass = form.classes.class_of(topic.name)
        for position, subscriber in zip(topic.subscriber_index, topic.subscribers, strict=False):
            missing = [one for one in topic.publishers if (subscriber, klass) not in arrives(one, klass)]
            if missing:
                place = Place(topic.place.document, (*topic.place.path, "subscribers", position), "value")
                yield _unreached(
                    form, place, topic.name, missing, subscriber, arrives(missing[0], klass), (topic.name,)
                )
    publications = estate.publications
    if publications is None:
        return
    for wanted in estate.subscriptions or ():
        number = form.classes.filters[wanted.filter]
        for klass in form.matched_by(wanted.filter):
            missing = [
                one.broker
                for one in publications
                if form.classes.filters[one.filter] in form.classes.matched[klass]
                and not any(
                    broker == wanted.broker and number in form.classes.matched[other]
                    for broker, other in arrives(one.broker, klass)
                )
            ]
            if missing:
                yield _of_interest(form, wanted, klass, missing, arrives(missing[0], klass))
                break


def _arriving(form: Form, first: State) -> dict[tuple[int, int], str]:
    found: dict[tuple[int, int], str] = {}
    seen = {first}
    pending = deque([Named(first, form.classes.examples[first.klass])])
    while pending:
        at = pending.popleft()
        found.setdefault((at.state.broker, at.state.klass), at.topic)
        for _, after in named_steps(form, at):
            if after.state not in seen:
                seen.add(after.state)
                pending.append(after)
    return found


def _of_interest(
    form: Form, wanted: Interest, klass: int, missing: list[int], got: dict[tuple[int, int], str]
) -> Draft:
    return _unreached(form, wanted.place, form.classes.examples[klass], missing, wanted.broker, got, ())


def _unreached(
    form: Form,
    place: Place,
    topic: str,
    missing: Sequence[int],
    subscriber: int,
    got: dict[tuple[int, int], str],
    topics: tuple[str, ...],
) -> Draft:
    names = form.estate.brokers
    source, where = names[missing[0]].id, names[subscriber].id
    renamed = sorted(called for (broker, _), called in got.items() if broker == subscriber)
    if renamed:
        why = f"it arrives there as `{renamed[0]}`"
    elif not _connected(form, missing[0], subscriber):
        why = "no links lead there"
    elif form.most_hops or form.remembers:
        why = "a hop limit, a guard or a filter on the way stops it"
    else:
        why = "no filters on the way let it pass"
    return Draft(
        "MOM803",
        place,
        f"`{where}` does not get `{topic}` from `{source}`: {why}",
        help="widen a filter or a limit on the way, or add a link",
        witness=Witness(source=source, destination=where, topic=topic),
        affected=Affected(topics, len(missing)),
        data={"topic": topic, "broker": where, "source": source},
    )


def _connected(form: Form, source: int, target: int) -> bool:
    seen, pending = {source}, [source]
    while pending:
        for number in form.leaving[pending.pop()]:
            head = form.arcs[number].head
            if head not in seen:
                seen.add(head)
                pending.append(head)
    return target in seen
