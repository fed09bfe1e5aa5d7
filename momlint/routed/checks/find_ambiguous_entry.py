"""MOM404: two rows of a broker for the same destination (and colour)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from momlint.findings import Draft, RelatedDraft
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.subjects import hop
from momlint.routed.diagnosis.subjects import row as row_subject
from momlint.routed.diagnosis.wording import colour_names, in_colours, them
from momlint.words import listed

#: How many of the rows that a row clashes with are shown.
RELATED_ROWS = 20


def find(context: Context) -> Iterator[Draft]:
    """One draft for each row that claims what another row gives."""
    if context.recovery is not None:
        yield from _recovery(context)
    else:
        yield from _tables(context)


def _tables(context: Context) -> Iterator[Draft]:
    """At the later row; the earlier is the one that is used."""
    first: dict[tuple[int, int], int] = {}
    clashes: dict[tuple[int, int], list[int]] = {}
    for index, row in enumerate(context.estate.table_rows):
        for dest in row.destinations:
            earlier = first.setdefault((row.location, dest), index)
            if earlier != index:
                clashes.setdefault((earlier, index), []).append(dest)
    for (earlier, later), dests in sorted(clashes.items(), key=lambda item: (item[0][1], item[0][0])):
        one, two = context.estate.table_rows[earlier], context.estate.table_rows[later]
        names = context.names(sorted(set(dests)))
        at, to, also = context.name(one.location), context.name(one.via), context.name(two.via)
        yield Draft(
            "MOM404",
            context.row_place(later),
            f"broker `{at}` has two rows for {listed(names)}, via `{to}` and via `{also}`",
            label=f"this row sends {them(names)} to `{also}`",
            help=f"list {listed(names)} in one of the two rows only",
            related=[RelatedDraft(context.row_place(earlier), f"the first row, via `{to}`, is the one used")],
            data={"broker": at, "destinations": names, "via": to, "other": also},
        )


def _recovery(context: Context) -> Iterator[Draft]:
    """At the row that is wrong where one of two is, else at the later; with what walks lose by it."""
    facts = context.recovery
    assert facts is not None
    lost: dict[int, list[int]] = {}
    for blamed in context.causes.blamed if facts.ambiguities else ():
        lost.setdefault(blamed.entry.row, []).extend(blamed.keys)
    for ambiguity in facts.ambiguities:
        row, table = ambiguity.row, facts.table
        other = ambiguity.others[0]
        broker, to = context.name(int(table.broker[row])), context.name(int(table.to[row]))
        keys = np.array(sorted(lost.get(row, [])), np.int64)
        affected = context.affected(keys)
        colours = np.intersect1d(table.colours_of(row), table.colours_of(other)).tolist()
        names = colour_names(context, colours or [ambiguity.colour])
        via, other_via = context.name(int(table.via[row])), context.name(int(table.via[other]))
        apart = f"via `{via}` and via `{other_via}`" if via != other_via else f"both via `{via}`"
        yield Draft(
            "MOM404",
            context.row_place(row),
            f"broker `{broker}` has two rows for `{to}` in {in_colours(names)}, {apart}",
            label=f"this row sends it to `{via}`",
            help="list each colour in only one row for a destination",
            witness=context.witness(keys)[0] if len(keys) else None,
            affected=affected,
            about=[frozenset({row_subject(row), hop(*context.row_hop(row))} if len(keys) else {row_subject(row)})],
            related=[
                RelatedDraft(context.row_place(one), f"this row sends it to `{context.name(int(table.via[one]))}`")
                for one in ambiguity.others[:RELATED_ROWS]
            ],
            data={"broker": broker, "destinations": (to,), "via": via, "other": other_via, "colours": names},
        )
