"""A policy that promises: messages of its topics arrive whatever fails, of so many links, brokers and groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from momlint.estate.resolved import Tolerate
from momlint.findings import Affected, Draft
from momlint.routed.checks import find_failure_without_colour, find_promise_broken
from momlint.routed.overlay.ragged import among, distinct, without
from momlint.routed.policies.deriving import chosen, derived, place_of
from momlint.words import counted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.policies.form import Policy
    from momlint.routed.diagnosis.context import Context


def find(policy: Policy, context: Context) -> Iterator[Draft]:
    """One draft for each smallest failure that cuts topics, at the first of them; and one each where next hops do not
    go round a failure, where failures have no colour, and where messages are lost in a colour.

    A topic that several failures cut is told once, with the first of the smallest.
    """
    if not context.is_whole("brokers", "links", *(("groups",) if policy.groups_fail else ())):
        return
    topics = chosen(policy, context)
    if topics is None:
        return
    promise = Tolerate(policy.links_fail, policy.brokers_fail, policy.groups_fail)
    own = derived(policy, context, topics, promise=promise)
    if not own.cutting.can_tell:
        return
    words = find_promise_broken.promised(promise)
    yield from _cut(policy, own, promise, words)
    for draft in find_promise_broken.unreactive(own, promise, beyond_promise=False):
        yield _at_first_topic(policy, own, draft, words)
    if own.estate.recovery_rows is not None or own.estate.recovery_file is not None:
        for draft in find_failure_without_colour.find(own):
            yield _at_first_topic(policy, own, draft, words)
    yield from _lost(policy, own, promise, words)


def _cut(policy: Policy, own: Context, promise: Tolerate, words: str) -> Iterator[Draft]:
    """Failures after which no path is left."""
    cutting, overlay = own.cutting, own.overlay
    within = frozenset(cutting.elements.within(promise))
    alone = [(cut.element,) for cut in cutting.survey if cut.element in within]
    together = find_promise_broken.sets_together(own, promise)
    every = overlay.keys.pair(overlay.pair_source, overlay.pair_dest)
    told = np.zeros(len(every), np.bool_)
    for failed in (*alone, *together):
        cut = cutting.pairs(failed)
        new = find_promise_broken.of_untold_topics(own, every, told) & cut
        told |= cut
        if not new.any():
            continue
        witness, affected = cutting.shown(failed, new)
        fail = "fails" if len(failed) == 1 else "fail together"
        yield Draft(
            policy.code,
            place_of(own, affected.topics[0] if affected.topics else None),
            f"if {cutting.words(failed)} {fail}, no path leads from `{witness.source}` to `{witness.destination}`",
            label=f"has to survive {words}",
            help=policy.rule.remedy or "add a path around it, or ask for less",
            data={"promised": words, "elements": witness.cut},
            witness=witness,
            affected=affected,
            related=cutting.declared(failed),
        )


def _at_first_topic(policy: Policy, own: Context, draft: Draft, words: str) -> Draft:
    """What a check of momlint's says of the promise, as this policy's."""
    topics = draft.affected.topics if draft.affected is not None else ()
    first = topics[0] if topics else (own.estate.topics[0].name if own.estate.topics else None)
    return Draft(
        policy.code,
        place_of(own, first),
        draft.message,
        label=f"has to survive {words}",
        help=policy.rule.remedy or draft.help,
        data=draft.data,
        witness=draft.witness,
        affected=draft.affected,
        related=draft.related,
    )


def _lost(policy: Policy, own: Context, promise: Tolerate, words: str) -> Iterator[Draft]:
    """Messages that do not arrive though a path is left, or with nothing failed; in colours that the promise covers."""
    keys = own.overlay.keys
    covered = _covered(own, promise)
    missing = own.cut_without_failure
    lost = distinct(np.concatenate((without(own.broken, own.cut), missing)))
    lost = lost[covered[keys.colour_of(lost)]]
    if not lost.size:
        return
    witness, _ = own.walk_of(lost)
    affected: Affected = own.affected(lost)
    colour, dest, source = keys.split(lost)
    first = lost[np.lexsort((dest, source, colour))[0]]
    if among(np.array([first]), missing)[0]:
        own.confirm_cut(int(first))
        message = f"no path leads from `{witness.source}` to `{witness.destination}`, whatever fails"
    else:
        witness, _ = own.witness(lost)
        when = own.when(int(colour.min()))
        message = f"a message from `{witness.source}` to `{witness.destination}` does not arrive {when}"
    yield Draft(
        policy.code,
        place_of(own, affected.topics[0] if affected.topics else None),
        message,
        label=f"has to survive {words}",
        help=policy.rule.remedy or f"see what other rules say of these {counted(affected.pairs, 'pair')}",
        data={"promised": words},
        witness=witness,
        affected=affected,
        related=own.colour_defined(witness),
    )


def _covered(own: Context, promise: Tolerate) -> NDArray[np.bool_]:
    """bool[C]: what has failed in the colour is a failure that the promise covers, that of nothing included."""
    elements, overlay = own.cutting.elements, own.overlay
    return np.array(
        [
            elements.promises(promise, np.flatnonzero(links).tolist(), np.flatnonzero(brokers).tolist())
            for links, brokers in zip(overlay.failed_link, overlay.failed_broker, strict=True)
        ],
        np.bool_,
    )
