"""Sentences and parts of sentences that several checks share, so that one thing is said in one way."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from momlint.findings import RelatedDraft
from momlint.routed.diagnosis.causes import Cause, Kind
from momlint.routed.diagnosis.context import Context
from momlint.words import listed

#: The label of a row that sends messages to the broker it belongs to.
OWN_NEXT_HOP = "a broker cannot be its own next hop"


def destinations(context: Context, cause: Cause) -> tuple[str, ...]:
    """The destinations that a cause's entries are wrong for, in the order of brokers."""
    return context.names(sorted({entry.dest for entry in cause.entries}))


def them(names: Sequence[str]) -> str:
    """``it`` for one, ``them`` for several."""
    return "it" if len(names) == 1 else "them"


def comes_back(names: Sequence[str]) -> str:
    """``it comes back``: what is sent to the destinations `names` does."""
    return "it comes back" if len(names) == 1 else "they come back"


def ends_at(names: Sequence[str], to: str, stop: str) -> str:
    """``it ends there``, or ``it ends at `7```, where `to` is the next hop and `stop` the last broker."""
    ends = "it ends" if len(names) == 1 else "they end"
    return f"{ends} there" if to == stop else f"{ends} at `{stop}`"


def no_nearer(to: str, names: Sequence[str]) -> str:
    """The label of a row whose next hop `to` leads nowhere."""
    return f"`{to}` is no nearer to {listed(names)}"


def nearer_hop(at: str, names: Sequence[str]) -> str:
    """What to do about such a row of broker `at`."""
    return f"give broker `{at}` a next hop nearer to {listed(names)}"


def other_ways(context: Context, row: int, kind: Kind) -> tuple[tuple[str, ...], list[RelatedDraft]]:
    """The other ways than `kind` in which a row loses messages: their kinds, and a place with an example for each."""
    kinds, places = [], []
    for cause in context.causes.of_rows.get(row, ()):
        if cause.kind != kind:
            witness, found = context.witness(cause.key_array)
            end = {"loop": "comes back", "failed-hop": "is sent over what has failed"}.get(
                cause.kind, f"ends at `{witness.walk[-1]}`"
            )
            defined = context.colour_defined(witness)
            place = defined[0].place if defined else context.tables_place(found.brokers[-1])
            when = f" in colour `{witness.colour}`" if witness.colour is not None else ""
            kinds.append(cause.kind)
            places.append(RelatedDraft(place, f"with the same row, a message for `{witness.destination}` {end}{when}"))
    return tuple(kinds), places


def colour_names(context: Context, colours: Iterable[int]) -> tuple[str, ...]:
    """The names of colours of an estate that declares some."""
    return tuple(str(context.colour_name(colour)) for colour in colours)


def in_colours(names: Sequence[str]) -> str:
    """``colour `2```, ``colours `2` and `3```."""
    return f"{'colour' if len(names) == 1 else 'colours'} {listed(names)}"
