"""Shards: units in groups that take about as long as each other, so that a fleet is busy and not busy with itself."""

from __future__ import annotations

from collections.abc import Sequence

#: CPU seconds of a shard. A task on Spark costs a tenth of one; and when only the last shards are left, others wait.
TARGET = 2.0
#: Where there is little work, shards get smaller, so that each taker gets about so many.
ROUNDS = 3


def cut(seconds: Sequence[float], takers: int, target: float = TARGET) -> list[list[int]]:
    """The units, which take `seconds` each, as shards of consecutive ones, for so many `takers` at a time.

    A shard takes about `target` seconds, or less where all of them together give the takers no `ROUNDS` shards each.
    """
    total = sum(seconds)
    size = min(target, total / (max(takers, 1) * ROUNDS))
    shards: list[list[int]] = []
    held = 0.0
    for unit, each in enumerate(seconds):
        # Half a unit over is nearer to the target than half a unit under.
        if not shards or held + each / 2 > size:
            shards.append([])
            held = 0.0
        shards[-1].append(unit)
        held += each
    return shards
