"""MOM303: a message that a topic needs ends at a broker that is not its destination."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from momlint.findings import LAST_RANK, Data, Draft, RelatedDraft
from momlint.routed.diagnosis.about import missing_of, rows_of
from momlint.routed.diagnosis.causes import Cause
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.subjects import colour
from momlint.routed.diagnosis.subjects import entry as entry_subject
from momlint.routed.diagnosis.wording import (
    colour_names,
    destinations,
    ends_at,
    in_colours,
    nearer_hop,
    no_nearer,
    other_ways,
    them,
)
from momlint.routed.overlay.ragged import distinct
from momlint.words import listed

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.findings import Subject
    from momlint.routed.diagnosis.blame import TableEntry


def find(context: Context) -> Iterator[Draft]:
    """One draft for each wrong row, or for each hop or broker whose rows are missing.

    Where the rows are those of recovery tables, other rules say more of those over what has failed and of those that
    are missing, and these drafts yield to them.
    """
    recovery = context.rows_are_recovery
    # A row that could not be read is not missing.
    whole = context.is_whole("brokers", *(("links", "failures.recovery") if recovery else ("routing.tables",)))
    for cause in context.causes.needed:
        if cause.kind == "black-hole":
            yield _wrong_row(context, cause)
        elif cause.kind == "failed-hop":
            ends = {other.kind for other in context.causes.of_rows[cause.subject[0]]}
            if not recovery:
                yield _static_row(context, cause)
            elif "black-hole" not in ends and context.is_whole("brokers", "links"):
                yield _row_over_what_has_failed(context, cause)
        elif cause.kind == "missing" and whole:
            draft = _missing_rows(context, cause, _parts(context, cause))
            yield replace(draft, without=partial(_left, context, cause)) if recovery else draft


def _wrong_row(context: Context, cause: Cause) -> Draft:
    keys = cause.key_array
    witness, walk = context.witness(keys)
    row = cause.subject[0]
    affected = context.affected(context.causes.lost_by(row))
    also, elsewhere = other_ways(context, row, "black-hole")
    entry = cause.entries[0]
    at, to, stop = context.name(entry.location), context.name(entry.hop), witness.walk[-1]
    names = destinations(context, cause)
    related = []
    if len(walk.rows) and (last := walk.rows[-1]) != row and context.has_row(last):
        related.append(RelatedDraft(context.row_place(last), f"this row hands it to `{stop}`, where it stops"))
    related.append(
        RelatedDraft(
            context.tables_place(walk.brokers[-1]),
            f"`{stop}` has no next hop for `{witness.destination}`",
        )
    )
    return Draft(
        "MOM303",
        context.row_place(row),
        f"broker `{at}` sends {listed(names)} to `{to}`, and {ends_at(names, to, stop)}",
        about=rows_of(context, cause),
        rank=int(keys[0]),
        label=no_nearer(to, names),
        help=nearer_hop(at, names),
        data={"broker": at, "via": to, "destinations": names, "stop": stop, **({"also": also} if also else {})},
        witness=witness,
        steps=context.steps(walk),
        affected=affected,
        related=[*related, *context.colour_defined(witness), *elsewhere],
    )


def _static_row(context: Context, cause: Cause) -> Draft:
    """A row beside computed next hops that stays in force over what has failed."""
    keys = cause.key_array
    witness, walk = context.witness(keys)
    row = cause.subject[0]
    also, elsewhere = other_ways(context, row, "failed-hop")
    entry = cause.entries[0]
    at, to = context.name(entry.location), context.name(entry.hop)
    names = destinations(context, cause)
    colour = context.overlay.keys.colour_of(int(keys[0]))
    return Draft(
        "MOM303",
        context.row_place(row),
        f"broker `{at}` keeps sending {listed(names)} to `{to}` after the way there has failed",
        about=rows_of(context, cause),
        rank=int(keys[0]),
        label=f"this row stays in force {context.when(colour)}",
        help="remove the row, or set `static_rows: withdraw` if the broker withdraws it while its link is down",
        data={
            "broker": at,
            "via": to,
            "destinations": names,
            "stop": witness.walk[-1],
            **({"also": also} if also else {}),
        },
        witness=witness,
        steps=context.steps(walk),
        affected=context.affected(context.causes.lost_by(row)),
        related=[*context.colour_defined(witness), *elsewhere],
    )


def _row_over_what_has_failed(context: Context, cause: Cause) -> Draft:
    """A recovery row over what has failed in a colour in which it is used."""
    draft = _static_row(context, cause)
    names = colour_names(context, distinct(context.overlay.keys.colour_of(cause.key_array)).tolist())
    return replace(
        draft,
        label=f"this hop has failed in {in_colours(names)}",
        help=f"take {listed(names)} out of the row's colours; add a row with another next hop for {them(names)}",
        # Behind the rules that say the same of this row, whichever of its messages is the first to be lost.
        rank=LAST_RANK,
    )


def _left(context: Context, cause: Cause, is_told: Callable[[Subject], bool]) -> Draft | None:
    """What is left of the missing rows but for the entries that are told already."""
    left = [part for part in _parts(context, cause) if not any(map(is_told, part.names))]
    if not left:
        return None
    entries = list({id(part.entry): part.entry for part in left}.values())
    keys = [key for part in left for key in part.keys.tolist()]
    return _missing_rows(context, replace(cause, entries=entries, keys=keys), left)


class _Part(NamedTuple):
    """A missing entry by all its names, in the colours that rows name or in one that no row names; the keys lost."""

    entry: TableEntry
    names: frozenset[Subject]
    keys: NDArray[np.int64]


def _parts(context: Context, cause: Cause) -> Iterator[_Part]:
    """The missing entries of a cause; a colour that no row names may repeat another, which says it all."""
    facts, missing = context.recovery, context.causes.missing
    for entry, names in zip(cause.entries, missing_of(cause), strict=True):
        blamed = missing[entry.location, entry.dest, entry.hop]
        if facts is None:
            yield _Part(entry, names, np.array(blamed.keys, np.int64))
            continue
        for number, keys in facts.parts(blamed):
            if number is None:
                yield _Part(entry, names, keys)
            else:
                others = names - {entry_subject(entry.dest, entry.location)}
                yield _Part(entry, others | {colour(number), ("repeated-colour", number)}, keys)


def _missing_rows(context: Context, cause: Cause, parts: Iterable[_Part]) -> Draft:
    keys = cause.key_array
    witness, walk = context.witness(keys)
    affected = context.affected(keys)
    stop, end = walk.brokers[-1], witness.walk[-1]
    related = []
    if len(walk.rows) and context.has_row(walk.rows[-1]):
        related.append(RelatedDraft(context.row_place(walk.rows[-1]), f"this row hands it to `{end}`"))
    if cause.scope == "broker":
        broker = context.name(cause.subject[0])
        message = f"broker `{broker}` is missing from the tables: no row uses its links"
        place = context.tables_place(cause.subject[0])
        fix = f"add rows for broker `{broker}`, or route around it"
        data: Data = {"broker": broker}
    else:
        at, to = context.name(cause.entries[0].location), context.name(cause.entries[0].hop)
        both = {entry.location for entry in cause.entries} == set(cause.subject)
        names = destinations(context, cause)
        if both:
            message = f"no row for {listed(names)} uses the link between `{at}` and `{to}`, either way"
        else:
            message = f"broker `{at}` has no next hop for {listed(names)}"
        place = context.tables_place(cause.entries[0].location)
        add = "add rows for {} to the table" if context.rows_are_recovery else "add {} to a row"
        fix = f"{add.format(listed(names))} of broker `{at}`; the shortest path is via `{to}`"
        data = {"broker": at, "via": to, "destinations": names}
        if both:
            related.append(
                RelatedDraft(context.tables_place(cause.subject[1]), f"`{to}` has no row over this link either")
            )
    if place == context.tables_place(stop) and related and related[0].place == place:
        related = related[1:]
    return Draft(
        "MOM303",
        place,
        message,
        about=[part.names for part in parts],
        label=f"a message for `{witness.destination}` ends at `{end}`",
        help=fix,
        data=data,
        witness=witness,
        steps=context.steps(walk),
        affected=affected,
        related=[*related, *context.colour_defined(witness)],
    )
