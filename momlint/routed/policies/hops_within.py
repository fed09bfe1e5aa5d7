"""A policy that bounds walks: no message takes more than so many hops, in every colour and promised failure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from momlint.estate.resolved import Topic
from momlint.findings import Affected, Draft
from momlint.routed.checks import find_hop_budget_exceeded
from momlint.routed.overlay.needs import Needs
from momlint.routed.policies.deriving import chosen, derived, place_of
from momlint.words import counted

if TYPE_CHECKING:
    from momlint.policies.form import Policy
    from momlint.routed.diagnosis.context import Context


def find(policy: Policy, context: Context) -> Iterator[Draft]:
    """One draft a topic, at its name, with the longest walk; of an estate without topics one for all pairs."""
    topics = chosen(policy, context)
    if topics is None:
        return
    estate = context.estate
    if not topics:
        every = tuple(range(len(estate.brokers)))
        topics = [Topic("", estate.place, every, every)]
    bounded = [replace(topic, max_hops=policy.at_most) for topic in topics]
    needed = _between_sites(context) if policy.between_sites else None
    own = derived(policy, context, bounded, walks=True, needed=needed)
    for draft in find_hop_budget_exceeded.find(own):
        assert draft.witness is not None
        assert draft.affected is not None
        name = str(draft.data["topic"])
        source, dest = draft.witness.source, draft.witness.destination
        of = f"topic `{name}` takes" if name else "a message takes"
        yield replace(
            draft,
            code=policy.code,
            place=place_of(own, name) if name else estate.place,
            message=f"{of} {draft.data['takes_hops']} hops from `{source}` to `{dest}`; {policy.rule.id} allows "
            f"{policy.at_most}",
            label=draft.label.replace("exceeded", f"at most {counted(policy.at_most, 'hop')}", 1),
            help=policy.rule.remedy or "shorten the path",
            data={key: value for key, value in draft.data.items() if key != "topic" or name},
            affected=draft.affected if name else Affected((), draft.affected.pairs),
        )


def _between_sites(context: Context) -> Callable[[Needs], Needs]:
    """Of needs those between two sites. A broker without one is a site by itself."""
    names = {site: index for index, site in enumerate({broker.site for broker in context.estate.brokers} - {None})}
    site = np.array(
        [
            names[broker.site] if broker.site is not None else len(names) + index
            for index, broker in enumerate(context.estate.brokers)
        ],
        np.int64,
    )

    def of(needs: Needs) -> Needs:
        source, dest = context.overlay.keys.split_pair(needs.pair)
        apart = site[source] != site[dest]
        return Needs(needs.n, needs.pair[apart], needs.topic[apart], needs.publishers, needs.subscribers)

    return of
