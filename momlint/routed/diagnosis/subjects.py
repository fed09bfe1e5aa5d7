"""The names of the things that findings speak of (`momlint.findings.Subject`): so that one thing is told once.

The kinds, as ``yields_to`` in the rules' files uses them: ``row`` (a given row), ``hop`` (from one broker to another),
``broker`` (all hops of it), ``entry`` (a broker's entries for a destination, in colours that rows name), ``colour``
(all entries in a colour that no row names), ``element`` (a link, broker or group that fails), ``repeated-colour``,
``merged-colour`` and ``merged-failure`` (what colours stand for).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from momlint.findings import Subject
    from momlint.routed.diagnosis.blame import TableEntry


def row(number: int) -> Subject:
    """A given row."""
    return "row", number


def hop(at: int, to: int) -> Subject:
    """A hop, one way."""
    return "hop", at, to


def broker(number: int) -> Subject:
    """All hops of a broker, or all its rows."""
    return "broker", number


def entry(dest: int, location: int) -> Subject:
    """A broker's entries for a destination."""
    return "entry", dest, location


def colour(number: int) -> Subject:
    """All entries in a colour that no row names."""
    return "colour", number


def missing(one: TableEntry) -> set[Subject]:
    """A missing entry by itself, by its hop."""
    return {entry(one.dest, one.location), hop(one.location, one.hop)}
