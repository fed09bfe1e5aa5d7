"""MOM401: two colours for one failure, or one colour for two."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.findings import Draft, RelatedDraft
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.wording import listed


def find(context: Context) -> Iterator[Draft]:
    """One draft for each colour that repeats another's failure, and for each that stands for several."""
    estate = context.estate
    if not estate.colours_declared:
        return
    for index, earlier in context.repeated_colours.items():
        colour, other = estate.colours[index], estate.colours[earlier]
        what = context.failure_words(colour.failed_links, colour.failed_brokers)
        yield Draft(
            "MOM401",
            colour.place,
            f"colour clash: colours `{other.name}` and `{colour.name}` are both for {what}",
            help="let one failure have one colour: brokers that hear of it must take the same tables",
            related=[RelatedDraft(other.place, f"colour {other.name} is defined here")],
        )
    for index, parts in context.merged_colours:
        colour = estate.colours[index]
        yield Draft(
            "MOM401",
            colour.place,
            f"colour clash: colour `{colour.name}` stands for {len(parts)} failures at once ({listed(parts)}), each of "
            "which is to be survived alone and has no colour of its own",
            help="give each of these failures its own colour",
        )
