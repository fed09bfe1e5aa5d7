"""MOM851: a property of clients can fail; the shortest trace for the fewest clients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from momlint.findings import Draft, Place, RelatedDraft, Witness
from momlint.words import counted, joined

if TYPE_CHECKING:
    from momlint.pubsub.asking import Ask, Story


def find(ask: Ask) -> Iterator[Draft]:
    """One draft for each property that does not hold, at the property."""
    for number, asked in enumerate(ask.form.properties):
        answer, story = ask.property(number)
        if answer.trace is None or story is None:
            continue
        clients, steps = len(story.clients), len(story.lines)
        how = f"after {counted(steps, 'step')}" if steps else "from the start"
        yield Draft(
            "MOM851",
            asked.place,
            f"{asked.title} fails with {counted(clients, 'client')}, {how}",
            help="follow the trace; then change a step, its `if`, or how the broker hands out messages",
            witness=Witness(clients=story.clients, trace=story.lines),
            related=_taken(ask, story),
            label="a client can be so" if len(asked.never) == 1 else "clients can be so at the same time",
            data={"property": asked.name, "clients": clients, "steps": steps},
            steps=_lines(ask, story, asked.place),
        )


def _lines(ask: Ask, story: Story, otherwise: Place) -> tuple[RelatedDraft, ...]:
    """Every line of the trace, at the first step that is taken in it; `otherwise` where a worker alone acts."""
    places: dict[int, Place] = {}
    for (role, step), lines in story.taken.items():
        for line in lines:
            places.setdefault(line, ask.form.roles[role].steps[step].place)
    return tuple(RelatedDraft(places.get(number, otherwise), line) for number, line in enumerate(story.lines, 1))


def _taken(ask: Ask, story: Story) -> tuple[RelatedDraft, ...]:
    """The steps of the trace, in the order in which they are first taken."""
    return tuple(
        RelatedDraft(
            ask.form.roles[role].steps[step].place,
            f"line{'s' * (len(lines) > 1)} {joined([str(line) for line in lines])} of the trace",
        )
        for (role, step), lines in story.taken.items()
    )
