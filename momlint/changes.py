"""What a change of an estate does to those who use it: pairs of brokers, in failures. Plain values for reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

#: broken: it arrives no longer, or is needed from now on and does not arrive. mended: it arrives now. moved: it takes
#: another way. added, dropped: needed from now on (and arrives), needed no longer.
Kind: TypeAlias = Literal["broken", "mended", "moved", "added", "dropped"]
KINDS: tuple[Kind, ...] = ("broken", "mended", "moved", "added", "dropped")


class Way(NamedTuple):
    """What a message does: the brokers it passes, by name, and how it ends.

    ``failed``: its source or destination is down. ``absent``: the estate has no such broker.
    """

    brokers: tuple[str, ...]
    end: Literal["arrived", "stopped", "looped", "failed", "absent"]


class Circumstances(NamedTuple):
    """Links and brokers that have failed, by name, in the order of the estate; and the colour that stands for it."""

    failed: tuple[str, ...]
    colour: str | None = None


class Change(NamedTuple):
    """What becomes of the messages from `source` to `destination` in all of `failures`.

    `old`, `new`: what they do in the first of these.
    """

    kind: Kind
    source: str
    destination: str
    topics: tuple[str, ...]
    failures: tuple[Circumstances, ...]
    old: Way
    new: Way


@dataclass(frozen=True, slots=True)
class Comparison:
    """All that changes, by kind, in the order of the brokers.

    `pairs`: those needed before or after. `failures`: in how many they were compared, the state without failures
    included. `left_out`: failures that only one of the two says anything about, as the other has no element of that
    name, or recovery tables without a colour for it. `too_many`: promised failures, where they were not looked at.
    """

    old: str
    new: str
    pairs: int
    failures: int
    left_out: tuple[Circumstances, ...] = ()
    too_many: int = 0
    changes: tuple[Change, ...] = ()

    def of(self, kind: Kind) -> list[Change]:
        """The changes of a kind."""
        return [change for change in self.changes if change.kind == kind]
