"""The estate as a policy sees it: its topics alone, and what they have to survive."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from momlint.routed.diagnosis.context import Context
from momlint.routed.overlay.build import build
from momlint.routed.overlay.needs import Needs
from momlint.routed.recovery.implied import implied_failures

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from momlint.estate.resolved import Tolerate, Topic
    from momlint.findings import Place
    from momlint.policies.form import Policy


def chosen(policy: Policy, context: Context) -> Sequence[Topic] | None:
    """The topics that the policy speaks of; None where it speaks of none.

    An estate without topics is judged on all pairs, by policies that choose no topics: then these are none as well.
    """
    topics = context.estate.topics
    if not policy.speaks_of(topics) or not (topics or context.is_whole("topics")):
        return None
    return [topic for topic in topics if policy.topics.fits(topic.name, topic.tags)]


def derived(
    policy: Policy,
    context: Context,
    topics: Sequence[Topic],
    *,
    promise: Tolerate | None = None,
    walks: bool = False,
    needed: Callable[[Needs], Needs] | None = None,
) -> Context:
    """The evidence of the same estate with these topics only. What engines say of it goes into the same record.

    `promise`: what is to be survived, in place of what the estate itself promises. `walks`: the walks count that next
    hops take in each promised failure. `needed`: the needs that count, of all that the topics have.
    """
    estate = replace(context.estate, topics=topics)
    if promise is not None:
        places = {**estate.section_places, "failures.tolerate": estate.place}
        # What the estate itself promises may be hard to read: this is not.
        incomplete = estate.incomplete - {"failures.tolerate"}
        estate = replace(estate, tolerate=promise, section_places=places, incomplete=incomplete)
    needs = Needs.of(len(estate.brokers), topics)
    if needed is not None:
        needs = needed(needs)
    implied, beyond = implied_failures(estate, walks=walks)
    overlay, entries = build(estate, needs, implied)
    if beyond:
        reason = f"there are {beyond:,} failures to look at, which is too many"
        context.ask.undecided.append((subject(policy), reason))
    return Context(estate, overlay, context.ask, entries, needs)


def subject(policy: Policy) -> str:
    """What is asked, for what stays undecided."""
    return f"whether {policy.code} ({policy.rule.id}) holds"


def place_of(context: Context, name: str | None) -> Place:
    """The key of the topic of this name; the estate's where there is none."""
    for topic in context.estate.topics if name is not None else ():
        if topic.name == name:
            return topic.place.key
    return context.estate.place
