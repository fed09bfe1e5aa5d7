"""What every hand can be asked for; what it cannot write, it refuses."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from momlint.findings import Span
from momlint.source.patching import Patches, Unpatchable

#: What a hand does, by the names of its methods.
Act: TypeAlias = Literal[
    "leave_out",
    "disconnect",
    "join",
    "limit",
    "hear",
    "let_pass",
    "both_ways",
    "replace",
    "rename",
    "end_prefix",
    "join_port",
    "fan_out",
    "put_under",
    "move_before",
]


class Site(NamedTuple):
    """What is to be changed: at `span` of `file`. `outward`: the way that is meant, away from the file's broker; None
    for what leads one way only. `path`: its route in a document of momlint's own.
    """

    file: str
    span: Span
    outward: bool | None = None
    document: int = 0
    path: tuple[str | int, ...] = ()

    @property
    def row(self) -> int:
        """Its line, from 0."""
        return self.span.start.line - 1


class Hand:
    """Changes of one file. Every method raises `Unpatchable` where the change cannot be written."""

    def __init__(self, patches: Patches) -> None:
        self.patches = patches

    def leave_out(self, site: Site) -> None:
        """Take out one way: a filter, with its link if it has no other."""
        raise self.no(site)

    def disconnect(self, site: Site) -> None:
        """Take out the connection that the site is of."""
        raise self.no(site)

    def join(self, first: Site, second: Site) -> None:
        """Make of two connections one, in which the second's broker takes the first's place once that has failed."""
        del second
        raise self.no(first)

    def limit(self, site: Site, hops: int) -> None:
        """Let messages cross as their hop of that number at the latest."""
        del hops
        raise self.no(site)

    def hear(self, site: Site, away: int) -> None:
        """Let messages cross for subscriptions so many links away."""
        del away
        raise self.no(site)

    def let_pass(self, site: Site, filter_: str) -> None:
        """Let what the filter matches pass as well."""
        del filter_
        raise self.no(site)

    def both_ways(self, site: Site) -> None:
        """Let messages pass the other way too."""
        raise self.no(site)

    def move_before(self, site: Site, other: Site) -> None:
        """Let a filter come before another one, which takes what is meant for it."""
        del other
        raise self.no(site)

    def rename(self, site: Site, new: str) -> None:
        """Write another name for the one that stands there, in its quotes if it has such."""
        del new
        raise self.no(site)

    def end_prefix(self, site: Site, separator: str) -> None:
        """Let prefixes that are put before topics end with the separator."""
        del separator
        raise self.no(site)

    def join_port(self, site: Site) -> None:
        """Put a colon between a host and the port behind it."""
        raise self.no(site)

    def fan_out(self, site: Site, exchange: str) -> None:
        """Let all that comes to an exchange go to all that is bound to it."""
        del exchange
        raise self.no(site)

    def put_under(self, site: Site) -> None:
        """Let what is imported there come under names of its own, which begin with whom it is from."""
        raise self.no(site)

    def replace(self, site: Site, old: str, new: str) -> None:
        """Write `new` for `old`, which stands once at the site."""
        start, end = self.patches.range(site.span)
        text = self.patches.text.text[start:end]
        if text.count(old) != 1:
            raise self.no(site)
        at = start + text.index(old)
        self.patches.put(at, at + len(old), new)

    def no(self, site: Site) -> Unpatchable:
        """That it cannot be written here."""
        return Unpatchable(f"no change is known for what stands at {site.file}:{site.row + 1}")

    # -- whole lines --------------------------------------------------------------------------------------------------

    def line(self, row: int) -> int:
        """Where a line (from 0) starts; the end of the text behind the last."""
        return self.patches.index(row, 0)

    def cut_lines(self, rows: list[int]) -> None:
        """Take out lines, and of the empty ones around each run the one that would be too much."""
        lines = self.patches.text.lines
        runs: list[list[int]] = []
        for row in sorted(set(rows)):
            if runs and runs[-1][1] == row:
                runs[-1][1] = row + 1
            else:
                runs.append([row, row + 1])
        for start, end in runs:
            first = start
            behind = lines[end].strip() if end < len(lines) else ""
            if start and not lines[start - 1].strip() and not behind:
                first -= 1
            self.patches.put(self.line(first), self.line(end), "")


__all__ = ["Act", "Hand", "Site"]
