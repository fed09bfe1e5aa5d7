"""MOM404: two rows of a broker for the same destination (and colour)."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.checks.context import Context
from momlint.checks.wording import listed
from momlint.findings import Draft, RelatedDraft


def find(context: Context) -> Iterator[Draft]:
    """One draft for each two rows that claim one entry, at the later row; the earlier is the one that is used."""
    if context.rows_are_recovery:
        return
    first: dict[tuple[int, int], int] = {}
    clashes: dict[tuple[int, int], list[int]] = {}
    for index, row in enumerate(context.estate.table_rows):
        for dest in row.destinations:
            earlier = first.setdefault((row.location, dest), index)
            if earlier != index:
                clashes.setdefault((earlier, index), []).append(dest)
    for (earlier, later), dests in sorted(clashes.items(), key=lambda item: (item[0][1], item[0][0])):
        one, two = context.estate.table_rows[earlier], context.estate.table_rows[later]
        names = listed(context.names(sorted(set(dests))))
        yield Draft(
            "MOM404",
            context.row_place(later),
            f"ambiguous entry: broker `{context.name(one.location)}` already sends what is for {names} to "
            f"`{context.name(one.via)}`, this row to `{context.name(two.via)}`",
            help=f"keep {names} in one of the two rows",
            related=[RelatedDraft(context.row_place(earlier), "the first row for it, which is the one used")],
        )
