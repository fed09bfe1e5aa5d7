"""Where the parts of a section `pubsub` stand in their document."""

from __future__ import annotations

from momlint.findings import Place


def message(document: int, name: str) -> Place:
    """A kind of message."""
    return Place(document, ("pubsub", "messages", name))


def role(document: int, name: str) -> Place:
    """A role."""
    return Place(document, ("pubsub", "clients", name))


def broker(document: int) -> Place:
    """How messages are handed out."""
    return Place(document, ("pubsub", "broker"))


def step(of: Place, index: int) -> Place:
    """A step of the role `of`."""
    return Place(of.document, (*of.path, "steps", index))


def action(of: Place) -> Place:
    """What the step `of` does."""
    return Place(of.document, (*of.path, "do"), "value")


def condition(of: Place) -> Place:
    """What else must hold for the step `of`."""
    return Place(of.document, (*of.path, "if"), "value")


def property_item(document: int, index: int) -> Place:
    """A property; `index` in the text."""
    return Place(document, ("pubsub", "properties", index))


def never(of: Place, item: int | None = None) -> Place:
    """What the property `of` rules out, or one formula of several."""
    path = (*of.path, "never") if item is None else (*of.path, "never", item)
    return Place(of.document, path, "value")


def part(of: Place, start: int, end: int) -> Place:
    """A part of the text that stands at `of`, as offsets, the end exclusive."""
    return of._replace(within=(start, end))
