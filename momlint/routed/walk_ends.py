"""How a walk ends, in words, and the link that each of its hops takes; for `trace` and for pictures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from momlint.routed.overlay import NO_HOP, live_arc
from momlint.words import counted, joined

if TYPE_CHECKING:
    from momlint.estate.resolved import Estate
    from momlint.routed.overlay import Overlay, Walk


def have_failed(brokers: Sequence[str]) -> str:
    """``broker 1 has failed``, ``brokers 1 and 3 have failed``."""
    return f"broker {brokers[0]} has failed" if len(brokers) == 1 else f"brokers {joined(brokers)} have failed"


def end_of(estate: Estate, overlay: Overlay, colour: int, taken: Walk, goal: int) -> str:
    """``arrived at 3 after 2 hops``, ``stopped at 1: the link to 2 has failed``."""
    last = estate.brokers[taken.brokers[-1]].id
    hops = len(taken.brokers) - 1
    if taken.end == "arrived":
        return f"arrived at {last} after {counted(hops, 'hop')}"
    if taken.end == "looped":
        return f"looped: back at {last}, and so on for ever"
    if taken.refused == NO_HOP:
        return f"stopped at {last}: it has no next hop for {estate.brokers[goal].id}"
    return f"stopped at {last}: {_refusal(estate, overlay, colour, taken.brokers[-1], taken.refused)}"


def _refusal(estate: Estate, overlay: Overlay, colour: int, here: int, there: int) -> str:
    """Why a message cannot go from `here` to `there` in this colour."""
    neighbours = overlay.arc_head[overlay.arc_tail == here]
    name = estate.brokers[there].id
    if there not in neighbours:
        return f"the next hop {name} is not its neighbour"
    failed = [estate.brokers[one].id for one in (here, there) if overlay.failed_broker[colour, one]]
    if failed:
        return have_failed(failed)
    return f"the link to {name} has failed"


def link_of(overlay: Overlay, colour: int, tail: int, head: int) -> tuple[int, bool]:
    """The link of a hop and whether it is alive: the cheapest live one, as messages take it; else one that has failed.

    -1 where there is no link.
    """
    arc = live_arc(overlay, colour, tail, head)
    if arc is not None:
        return int(overlay.arc_link[arc]), True
    dead = overlay.arc_link[(overlay.arc_tail == tail) & (overlay.arc_head == head)]
    return (int(dead[0]) if dead.size else -1), False


def circumstances(estate: Estate, tint: int) -> str:
    """The colour and what has failed in it; nothing for an estate that declares no colours."""
    if not estate.colours_declared or tint >= len(estate.colours):
        return ""
    colour = estate.colours[tint]
    failed = [estate.links[link].id for link in colour.failed_links]
    failed += [estate.brokers[one].id for one in colour.failed_brokers]
    return f" in colour {colour.name}" + (f" ({joined(failed)} failed)" if failed else "")
