"""MOM401: two colours for one failure, or one colour for two."""

from __future__ import annotations

from collections.abc import Iterator

from momlint.findings import Draft, RelatedDraft
from momlint.routed.diagnosis.context import Context
from momlint.words import listed


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
            f"colours `{other.name}` and `{colour.name}` both stand for {what}",
            label="the same failure again",
            help="remove one of them: brokers that learn of a failure must all use the same rows",
            related=[RelatedDraft(other.place, f"colour `{other.name}` already stands for it")],
            data={"colour": colour.name, "other": other.name},
            about=[frozenset({("repeated-colour", index)})],
        )
    for index, parts in context.merged_colours:
        colour = estate.colours[index]
        yield Draft(
            "MOM401",
            colour.place,
            f"colour `{colour.name}` merges {listed(parts)}, and each of them needs a colour of its own",
            label="`tolerate` promises each of these failures alone",
            help="declare a colour for each of these failures",
            data={"colour": colour.name, "failures": parts},
            about=[
                frozenset({("merged-colour", index)}),
                *(frozenset({("merged-failure", "link", link)}) for link in colour.failed_links),
                *(frozenset({("merged-failure", "broker", broker)}) for broker in colour.failed_brokers),
            ],
        )
