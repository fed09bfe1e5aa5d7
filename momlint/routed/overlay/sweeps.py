"""What is looked for in all columns of an overlay, by blocks of destinations, here or by others.

A sweep says what there is in arrays of plain numbers, so that it can come from another process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from momlint.records import dataclass
from momlint.routed.overlay.columns import Block, Network, towards
from momlint.routed.overlay.form import NO_HOP, NO_ROW, Overlay
from momlint.routed.overlay.potentials import Potentials, dead_base_entries
from momlint.routed.overlay.ragged import Finder, distinct
from momlint.routed.overlay.transients import Left, MixedLoops, joined, left_in

if TYPE_CHECKING:
    from collections.abc import Sequence

#: ``longer``: entries whose walk arrives, in columns some walk of which could be shorter. ``dead``: entries over hops
#: that have failed. ``loops``: what mixed colours leave to loop (`momlint.routed.overlay.transients`, phase ``back``).
SweepKind: TypeAlias = Literal["longer", "dead", "loops"]


@dataclass(frozen=True, slots=True)
class Swept:
    """What a sweep of one block has found: keys, and what else belongs to each of them.

    ``longer``: `key` alone, sorted. ``dead``: the keys and their rows, those of the base first. ``loops``: keys,
    sorted, and which of them follows, `before` and `after` (-1 for none). `undecided`: why there is nothing.
    """

    key: NDArray[np.int64]
    row: NDArray[np.int32]
    before: NDArray[np.int32]
    after: NDArray[np.int32]
    undecided: str | None = None


def unswept(reason: str) -> Swept:
    """What stands for a block that nobody could sweep."""
    none = np.zeros(0, np.int32)
    return Swept(np.zeros(0, np.int64), none, none, none, reason)


def sweep(kind: SweepKind, overlay: Overlay, block: Block, network: Network) -> Swept:
    """Look through the columns of `block`."""
    none = np.zeros(0, np.int32)
    if kind == "longer":
        return Swept(_longer(overlay, block, network), none, none, none)
    if kind == "dead":
        return Swept(*_dead(overlay, block, network), none, none)
    left = left_in(overlay, block, network)
    return Swept(overlay.keys.in_column(left.group, left.loc), none, left.before, left.after)


def loops_of(overlay: Overlay, parts: Sequence[Swept]) -> MixedLoops:
    """What the parts of a sweep for ``loops`` have found."""
    return joined(overlay, [_left_of(overlay, part) for part in parts])


def _left_of(overlay: Overlay, part: Swept) -> Left:
    group, loc = overlay.keys.column_and_loc(part.key)
    return Left(group, loc.astype(np.int32), part.before, part.after)


def _longer(overlay: Overlay, block: Block, network: Network) -> NDArray[np.int64]:
    potentials = Potentials.of(overlay, block, network)
    columns = distinct(overlay.keys.column_of(potentials.improvable))
    if not columns.size:
        return columns
    arrives = np.asarray(potentials.value < potentials.costs.infinite, bool)
    found: NDArray[np.int64] = potentials.key[Finder(columns).has(overlay.keys.column_of(potentials.key)) & arrives]
    return found


def _dead(overlay: Overlay, block: Block, network: Network) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    keys, part, hops = overlay.keys, towards(overlay, block), network.hops
    base = dead_base_entries(overlay, block, network)
    base = base[~Finder(part.delta_key).has(base)]
    colour, _, loc = keys.split(part.delta_key)
    hop = part.delta_next
    number = np.where((hop == NO_HOP) | (hop == loc), -1, hops.index[loc, np.maximum(hop, 0)])
    known = np.flatnonzero((number >= 0) & (part.delta_row != NO_ROW))
    dead = known[network.is_dead(colour[known], number[known])]
    rows = overlay.base_row.reshape(-1)[keys.cell_of(base)]
    return np.concatenate((base, part.delta_key[dead])), np.concatenate((rows, part.delta_row[dead]))
