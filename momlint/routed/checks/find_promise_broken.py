"""MOM502: a failure within `tolerate` cuts a needed pair, or breaks its walk by static tables."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from momlint.errors import ReplayError
from momlint.estate.resolved import Tolerate
from momlint.findings import Affected, Draft, Place, Witness
from momlint.routed.diagnosis.context import Context
from momlint.routed.overlay.elements import ElementKind, Elements, with_failures
from momlint.routed.overlay.following import walk
from momlint.routed.overlay.form import Overlay
from momlint.routed.overlay.ragged import distinct
from momlint.routed.questions.question import Question, Refuted
from momlint.routed.requests import SmallestOf
from momlint.words import arrow, counted, joined

if TYPE_CHECKING:
    from numpy.typing import NDArray


def find(context: Context) -> Iterator[Draft]:
    """One draft for each single element that cuts, one for the smallest set that cuts more; and one where only tables
    miss."""
    if not context.cutting.can_tell:
        return
    promise = context.estate.tolerate
    if promise is not None and not context.is_whole("failures.tolerate", *(("groups",) if promise.groups else ())):
        promise = None
    if promise is not None:
        yield from _single(context, promise)
        yield from _together(context, promise)
    yield from unreactive(context, promise)


def _place(context: Context) -> Place:
    return context.promise_place.entry


def promised(promise: Tolerate) -> str:
    """What is promised, in words: ``any 2 links and any broker``."""
    budgets = ((promise.links, "link"), (promise.brokers, "broker"), (promise.groups, "group"))
    parts = [f"any {kind}" if number == 1 else f"any {number} {kind}s" for number, kind in budgets if number]
    return joined(parts) + (" at once" if len(parts) > 1 else "")


def _single(context: Context, promise: Tolerate) -> Iterator[Draft]:
    cutting = context.cutting
    within = frozenset(cutting.elements.within(promise))
    for cut in cutting.survey:
        if cut.element not in within:
            continue
        failed = (cut.element,)
        if cutting.elements.kind(cut.element) == "group":
            # What a promised member cuts by itself is its own finding.
            pairs = cutting.beyond_members(cut.element, within)
            if not pairs.any():
                continue
            witness, affected = cutting.shown(failed, pairs)
        else:
            witness, affected = cutting.shown_alone(cut)
        yield _topological(context, promise, failed, witness, affected)


def _together(context: Context, promise: Tolerate) -> Iterator[Draft]:
    """The smallest set that cuts what no single element does; other sets that cut other topics are counted with it."""
    sets = sets_together(context, promise)
    if not sets:
        return
    cutting = context.cutting
    told = _told_alone(context, promise)
    cut = np.zeros_like(told)
    for failed in sets:
        cut |= cutting.pairs(failed) & ~told
    witness, _ = cutting.shown(sets[0], cutting.pairs(sets[0]) & ~told)
    _, affected = cutting.shown(sets[0], cut)
    yield _topological(context, promise, sets[0], witness, affected, len(sets) - 1)


def _told_alone(context: Context, promise: Tolerate) -> NDArray[np.bool_]:
    """bool[P]: the pairs that a promised element cuts alone."""
    cutting = context.cutting
    told = np.zeros(len(context.overlay.pair_source), np.bool_)
    for element in cutting.elements.within(promise):
        if element in cutting.cutting:
            told |= cutting.pairs((element,))
    return told


def sets_together(context: Context, promise: Tolerate) -> list[tuple[int, ...]]:
    """The smallest sets of several elements that cut topics which no single element cuts, each for other topics.

    All topics that any set cuts are found, or it is said that some stay undecided: the search for all of them is one
    question, and ends when its time does.
    """
    cutting = context.cutting
    if cutting.elements.largest(promise) < 2:
        return []
    overlay = context.overlay
    every = overlay.keys.pair(overlay.pair_source, overlay.pair_dest)
    told = _told_alone(context, promise)
    left = ~told & of_untold_topics(context, every, told)
    sets: list[tuple[int, ...]] = []
    cut = np.zeros(len(every), np.bool_)
    subject = f"whether the estate survives what it promises ({promised(promise)})"
    at_least, began = 2, time.monotonic()
    while left.any():
        asked = replace(overlay, pair_source=overlay.pair_source[left], pair_dest=overlay.pair_dest[left])
        found = context.ask.smallest(
            SmallestOf(asked, cutting.elements, promise, at_least, subject, second_opinion=len(sets) < SECOND_OPINIONS),
            time.monotonic() - began,
        )
        if found is None:
            break
        sets.append(found.failed)
        # What cuts pairs that those before leave cuts all pairs of those before too: it is no smaller.
        at_least = len(found.failed)
        subject = f"whether the topics that are left survive what is promised ({promised(promise)})"
        new = cutting.pairs(found.failed) & ~told
        if not (new & left).any():
            raise ReplayError(f"a path is left for every needed pair when {cutting.words(found.failed)} fail")
        cut |= new
        left &= ~cut & of_untold_topics(context, every, told | cut)
        if not context.estate.topics:
            break
    return sets


def of_untold_topics(context: Context, every: NDArray[np.int64], told: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool[P]: the pairs (all are `every`) that a topic needs of which no pair is `told`; all without topics."""
    needs = context.needs
    if not context.estate.topics:
        return np.ones(len(every), np.bool_)
    known = needs.topics_of(every[told])
    found: NDArray[np.bool_] = np.isin(every, needs.pair[~np.isin(needs.topic, known)])
    return found


def _topological(
    context: Context, promise: Tolerate, failed: tuple[int, ...], witness: Witness, affected: Affected, more: int = 0
) -> Draft:
    cutting = context.cutting
    if len(failed) == 1:
        how = f"if {cutting.words(failed)} fails"
        label, fix = "promised here", "add a path around it, or promise less"
    else:
        how = f"if {cutting.words(failed)} fail together"
        label, fix = "promised here, and no smaller failure breaks it", "add a path around them, or promise less"
        if more:
            label += f"; {counted(more, 'more set cuts', 'more sets cut')} other topics"
    return Draft(
        "MOM502",
        _place(context),
        f"{how}, no path leads from `{witness.source}` to `{witness.destination}`",
        label=label,
        help=fix,
        data={"promised": promised(promise), "elements": witness.cut},
        # The failure of several says nothing of each alone.
        about=[frozenset({("element", failed[0])})] if len(failed) == 1 else (),
        witness=witness,
        affected=affected,
        related=cutting.declared(failed),
    )


#: Of the sets of several elements, each for topics that those before leave, so many are found by both engines.
SECOND_OPINIONS = 8


class _Lost(NamedTuple):
    """Walks that a promised failure breaks though a path is left: `failure` of each (an index of `asked`), its pair
    ``source * n + dest``."""

    asked: list[tuple[int, ...]]
    failure: NDArray[np.int64]
    pair: NDArray[np.int64]


def unreactive(context: Context, promise: Tolerate | None, *, beyond_promise: bool = True) -> Iterator[Draft]:
    """Walks by next hops that stay as they are, over an element that fails, where a path is left that goes round it.

    One draft for all, since the cause is one: at the promise where it covers such a failure, else at the colours.
    Without `beyond_promise` colours that the promise does not cover say nothing.
    """
    if not context.keeps or not len(context.overlay.pair_source):
        return
    keys = context.overlay.keys
    lost = None
    if promise is not None:
        withdrawn = context.estate.withdraws_rows and context.estate.protocol == "shortest-path"
        lost = (_lost_in_colours if withdrawn and context.has_rows else _promised_and_lost)(context, promise)
    of_colours = context.unreactive if beyond_promise else context.unreactive[:0]
    colours = distinct(keys.colour_of(of_colours))
    pairs = context.pairs_of(of_colours)
    named = int(np.count_nonzero(colours < context.named_colours))
    if lost is None or not lost.pair.size:
        if named:
            yield _in_colours(context, pairs, named)
        return
    assert promise is not None
    source, dest = keys.split_pair(lost.pair)
    first = int(np.lexsort((dest, source, lost.failure))[0])
    failed = lost.asked[int(lost.failure[first])]
    a, b = int(source[first]), int(dest[first])
    found = walk(context.overlay, int(np.argmax(context.without_failure)), a, b)
    _replay(context, failed, found.brokers)
    pairs = distinct(np.concatenate((lost.pair, pairs)))
    witness = Witness(
        source=context.name(a),
        destination=context.name(b),
        walk=context.names(found.brokers),
        cut=tuple(context.cutting.name(element) for element in failed),
    )
    more = len(distinct(lost.failure)) - 1
    others = f", and {counted(more, 'more failure')} the same way" if more else ""
    when = "it fails" if len(failed) == 1 else "they fail together"
    yield Draft(
        "MOM502",
        _place(context),
        f"the static tables keep using {context.cutting.words(failed)} when {when}",
        label=f"promised here{others}",
        help=_REACT,
        data={"promised": promised(promise), "failures": more + 1, **({"colours": named} if named else {})},
        witness=witness,
        affected=Affected(context.topics_of(pairs), len(pairs)),
        related=context.cutting.declared(failed),
    )


_REACT = (
    "a path is left, but static tables do not switch to it: let `momlint plan` write recovery tables, or use "
    "`protocol: shortest-path`"
)


def _in_colours(context: Context, pairs: NDArray[np.int64], colours: int) -> Draft:
    """No promise covers such a failure, and colours stand for it."""
    keys = context.unreactive
    witness, found = context.witness(keys[context.overlay.keys.colour_of(keys) < context.named_colours])
    others = f"; the same in {counted(colours - 1, 'more colour')}" if colours > 1 else ""
    place = context.estate.section_places["failures.colours"]
    return Draft(
        "MOM502",
        place,
        f"the static tables stay as they are in colour `{witness.colour}`, and a message for `{witness.destination}` "
        f"ends at `{context.name(found.brokers[-1])}`",
        label=f"no row reacts to what fails here{others}",
        help=_REACT,
        data={"colours": colours},
        witness=witness,
        affected=Affected(context.topics_of(pairs), len(pairs)),
        related=context.colour_defined(witness),
    )


def _promised_and_lost(context: Context, promise: Tolerate) -> _Lost:
    """The walks that promised failures break.

    Any failure of several elements that breaks a walk has an element in it that breaks it alone, or takes all links of
    one of its hops: so single elements and those sets tell all.
    """
    cutting, overlay = context.cutting, context.overlay
    nothing = np.empty(0, np.int64)
    asked: list[tuple[int, ...]] = [(element,) for element in cutting.elements.within(promise)]
    if not asked:
        return _Lost([], nothing, nothing)
    asked += _hops_taken(overlay, cutting.elements, promise)
    static = with_failures(overlay, cutting.elements, [(), *asked])
    colours = np.arange(static.colours, dtype=np.int32)
    subject = "whether the walks by static tables survive what the estate promises to"
    verdict = context.ask(static, Question("arrive", overlay.pair_source, overlay.pair_dest, colours), subject)
    if not isinstance(verdict, Refuted):
        return _Lost(asked, nothing, nothing)
    colour, cell = overlay.keys.colour_and_cell(verdict.failing)
    broken_anyway = np.zeros(overlay.keys.cells, dtype=np.bool_)
    broken_anyway[cell[colour == 0]] = True
    keep = (colour > 0) & np.logical_not(broken_anyway[cell])
    colour, cell = colour[keep], cell[keep]
    starts = np.searchsorted(colour, np.arange(static.colours + 1))
    left = np.ones(colour.size, dtype=np.bool_)
    for index, failure in enumerate(asked):
        if len(failure) > 1 or failure[0] in cutting.cutting:
            # No path is left for these: that is the other kind.
            cut = np.flatnonzero(cutting.pairs(failure))
            gone = overlay.keys.cell(overlay.pair_dest[cut], overlay.pair_source[cut])
            part = slice(starts[index + 1], starts[index + 2])
            left[part] = ~np.isin(cell[part], gone)
    dest, source = overlay.keys.split_cell(cell[left])
    return _Lost(asked, colour[left] - 1, overlay.keys.pair(source, dest))


def _lost_in_colours(context: Context, promise: Tolerate) -> _Lost:
    """The same where rows are withdrawn, so that next hops are not those of the base: every promised failure has a
    colour then, with a name or without (see `Implied`)."""
    overlay, elements = context.overlay, context.cutting.elements
    keys = overlay.keys
    colours = keys.colour_of(context.unreactive)
    asked: dict[int, tuple[int, ...]] = {}
    for colour in distinct(colours).tolist():
        links = np.flatnonzero(overlay.failed_link[colour]).tolist()
        brokers = np.flatnonzero(overlay.failed_broker[colour]).tolist()
        if colour >= context.named_colours or elements.promises(promise, links, brokers):
            asked[colour] = (*links, *(elements.links + broker for broker in brokers))
    order = sorted(asked, key=lambda colour: (len(asked[colour]), asked[colour]))
    number = np.full(overlay.colours, -1, np.int64)
    number[order] = np.arange(len(order))
    failure = number[colours]
    return _Lost(
        [asked[colour] for colour in order], failure[failure >= 0], keys.pair_of(context.unreactive)[failure >= 0]
    )


def _hops_taken(overlay: Overlay, elements: Elements, promise: Tolerate) -> list[tuple[int, ...]]:
    """The smallest failures of several elements within `promise` that take all of several links of one hop."""
    between: defaultdict[tuple[int, int], set[int]] = defaultdict(set)
    for tail, head, link in zip(
        overlay.arc_tail.tolist(), overlay.arc_head.tolist(), overlay.arc_link.tolist(), strict=True
    ):
        between[tail, head].add(link)
    found: set[tuple[int, ...]] = set()
    for links in {frozenset(links) for links in between.values() if len(links) > 1}:
        found.update(_covers(links, elements, promise))
    return sorted(found, key=lambda failure: (len(failure), failure))


def _covers(links: frozenset[int], elements: Elements, promise: Tolerate) -> Iterator[tuple[int, ...]]:
    """The sets of two and more links and groups within `promise` that take all `links`, and need each of their own."""
    budgets: tuple[tuple[ElementKind, int], ...] = (("link", promise.links), ("group", promise.groups))
    takes = {
        element: elements.kills((element,))[0] & links
        for kind, budget in budgets
        if budget
        for element in elements.of_kind(kind)
    }

    def extend(failure: tuple[int, ...], left: frozenset[int]) -> Iterator[tuple[int, ...]]:
        if any(sum(elements.kind(one) == kind for one in failure) > budget for kind, budget in budgets):
            return
        if left:
            for element, taken in takes.items():
                if min(left) in taken:
                    yield from extend((*failure, element), left - taken)
        elif len(failure) > 1 and all(
            links.difference(*(takes[other] for other in failure if other != one)) for one in failure
        ):
            yield tuple(sorted(failure))

    yield from extend((), links)


def _replay(context: Context, failed: tuple[int, ...], brokers: tuple[int, ...]) -> None:
    """The walk arrives while nothing has failed, and needs what has failed. Raises `ReplayError`."""
    overlay = context.overlay
    links, down = context.cutting.elements.kills(failed)
    for at, to in pairwise(brokers):
        over = overlay.arc_link[(overlay.arc_tail == at) & (overlay.arc_head == to)]
        if {at, to} & down or links.issuperset(over.tolist()):
            return
    raise ReplayError(f"the walk {arrow(context.names(brokers))} does not need {context.cutting.words(failed)}")
