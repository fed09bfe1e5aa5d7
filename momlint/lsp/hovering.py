"""What an editor shows of what is under the cursor: the rule of a finding, and where a broker's messages go."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from momlint.catalog import Rule
from momlint.estate.resolved import Estate
from momlint.findings import Finding
from momlint.words import arrow, counted, listed

if TYPE_CHECKING:
    from momlint.routed.overlay import Overlay

#: Lines on one topic or broker, and topics.
_MOST = 12


def on_finding(finding: Finding, rule: Rule) -> str:
    """Markdown: what was found, and what the rule says."""
    parts = [f"**{finding.code} {finding.rule}**: {_plain(finding.message)}"]
    if finding.witness is not None and finding.witness.walk:
        colour = f" in colour {finding.witness.colour}" if finding.witness.colour is not None else ""
        parts.append(f"Walk{_plain(colour)}: {_plain(arrow(finding.witness.walk))}")
    parts += [_plain(rule.title), _plain(rule.why), f"*Remedy:* {_plain(finding.help or rule.remedy)}"]
    return "\n\n".join(filter(None, parts))


def on_broker(estate: Estate, name: str) -> str:
    """Markdown: what the broker reaches, topic by topic, and through which hop; while nothing has failed."""
    ids = [one.id for one in estate.brokers]
    if name not in ids:
        return f"broker {_code(name)} is not declared"
    here = ids.index(name)
    broker = estate.brokers[here]
    about = [word for word in (broker.address, broker.site) if word]
    parts = [f"**broker {_code(name)}**" + (f" ({', '.join(map(_plain, about))})" if about else "")]
    if estate.protocol == "relay":
        parts += _relayed(estate, here)
    else:
        parts += _routed(estate, here)
    return "\n\n".join(parts)


def on_topic(estate: Estate, name: str) -> str:
    """Markdown: who publishes and subscribes."""
    topic = next((one for one in estate.topics if one.name == name), None)
    if topic is None:
        return f"topic {_code(name)} is not declared"
    sending = listed([estate.brokers[one].id for one in topic.publishers], _MOST) or "nobody"
    wanting = listed([estate.brokers[one].id for one in topic.subscribers], _MOST) or "nobody"
    parts = [f"**topic {_code(name)}**", f"published at {sending}, wanted at {wanting}"]
    budgets = []
    if topic.max_hops is not None:
        budgets.append(f"at most {counted(topic.max_hops, 'hop')}")
    if topic.max_latency_ms is not None:
        budgets.append(f"at most {topic.max_latency_ms:g} ms")
    return "\n\n".join([*parts, *([", ".join(budgets)] if budgets else [])])


# -- routed ----------------------------------------------------------------------------------------------------------


def _routed(estate: Estate, here: int) -> Iterator[str]:
    from momlint.routed.overlay import build_overlay

    overlay = build_overlay(estate)
    colour = _calm(overlay)
    if colour is None:
        yield "no colour stands for the state in which nothing has failed"
        return
    topics = [one for one in estate.topics if here in one.publishers and set(one.subscribers) - {here}]
    for topic in topics[:_MOST]:
        ways = [_way(estate, overlay, colour, here, one) for one in topic.subscribers if one != here]
        yield _list(f"reaches with {_code(topic.name)}:", ways)
    if len(topics) > _MOST:
        yield f"and {counted(len(topics) - _MOST, 'more topic')}"
    wanted = [one.name for one in estate.topics if here in one.subscribers]
    if wanted:
        yield f"wants {listed(wanted, _MOST)}"
    if not topics:
        others = [one for one in range(len(estate.brokers)) if one != here]
        yield _list("publishes nothing; its tables lead:", [_way(estate, overlay, colour, here, one) for one in others])


def _calm(overlay: Overlay) -> int | None:
    """The first colour in which nothing has failed."""
    failed = overlay.failed_link.any(axis=1) | overlay.failed_broker.any(axis=1)
    return None if failed.all() else int(failed.argmin())


def _way(estate: Estate, overlay: Overlay, colour: int, here: int, there: int) -> str:
    from momlint.routed.overlay import walk

    taken = walk(overlay, colour, here, there)
    names = [estate.brokers[one].id for one in taken.brokers]
    if taken.end == "arrived":
        by = "directly" if len(names) == 2 else f"through {_code(names[1])}, {counted(len(names) - 1, 'hop')}"
        return f"{_code(names[-1])} {by}"
    goal = _code(estate.brokers[there].id)
    if taken.end == "looped":
        return f"**not** {goal}: the message goes round, {_plain(arrow(names))}"
    return f"**not** {goal}: the message ends at {_code(names[-1])}"


# -- relayed ---------------------------------------------------------------------------------------------------------


def _relayed(estate: Estate, here: int) -> Iterator[str]:
    out = []
    for link in estate.links:
        other = link.head if link.tail == here else link.tail
        if link.tail == here or (link.head == here and not link.one_way):
            filters = "everything" if link.passes is None else listed([one.filter for one in link.passes], _MOST)
            out.append(f"{_code(estate.brokers[other].id)} over {_code(link.id)}: {filters}")
    yield _list("passes on to:", out) if out else "passes nothing on"


def _list(title: str, items: Sequence[str]) -> str:
    shown = [f"- {item}" for item in items[:_MOST]]
    if len(items) > _MOST:
        shown.append(f"- and {len(items) - _MOST:,} more")
    return "\n".join([title, "", *shown])


def _code(name: str) -> str:
    """A name in backticks that end where it does."""
    ticks = "`"
    while ticks in name:
        ticks += "`"
    pad = " " if name.startswith("`") or name.endswith("`") else ""
    return f"{ticks}{pad}{' '.join(name.split())}{pad}{ticks}"


def _plain(text: str) -> str:
    """Text that is to be read as it is, backticks apart: names of an estate are no markup."""
    return "".join("\\" + letter if letter in "\\*_[]<>#" else letter for letter in text)


__all__ = ["on_broker", "on_finding", "on_topic"]
