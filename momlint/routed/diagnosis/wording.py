"""Sentences that several checks share, so that one thing is said in one way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from momlint.findings import Affected, Witness
from momlint.routed.diagnosis.causes import Cause
from momlint.routed.diagnosis.context import Context

#: How many names a sentence lists before it counts the rest.
LISTED = 4


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``, or the first few and how many more; each in backticks."""
    shown = [f"`{name}`" for name in names[:LISTED]]
    if len(names) > LISTED:
        return f"{', '.join(shown)} and {len(names) - LISTED} more"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"


def counted(number: int, noun: str, plural: str | None = None) -> str:
    """``1 pair``, ``2 pairs``."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def arrow(walk: Iterable[str]) -> str:
    """``1 → 2 → 4``."""
    return " → ".join(walk)


def needed_by(affected: Affected, witness: Witness) -> str:
    """``topic `A`, pair 1 → 5`` (and how many more of each)."""
    pair = f"pair {witness.source} → {witness.destination}"
    more = f" and {affected.pairs - 1} more" if affected.pairs > 1 else ""
    if not affected.topics:
        return pair + more
    topics = listed(affected.topics)
    return f"{'topic' if len(affected.topics) == 1 else 'topics'} {topics}, {pair}{more}"


def in_colour(witness: Witness) -> str:
    """`` in colour `2```, or nothing where the estate has no colours."""
    return f" in colour `{witness.colour}`" if witness.colour is not None else ""


def destinations(context: Context, cause: Cause) -> str:
    """The destinations that a cause's entries are wrong for, in the order of brokers."""
    return listed(context.names(sorted({entry.dest for entry in cause.entries})))


def affected_words(affected: Affected) -> str:
    """``; topics `a` and `b` lose 3 pairs``, or nothing where no needed pair is lost."""
    if not affected.pairs:
        return ""
    pairs = counted(affected.pairs, "pair")
    if not affected.topics:
        return f"; {pairs} {'is' if affected.pairs == 1 else 'are'} lost"
    one = len(affected.topics) == 1
    return f"; {'topic' if one else 'topics'} {listed(affected.topics)} {'loses' if one else 'lose'} {pairs}"
