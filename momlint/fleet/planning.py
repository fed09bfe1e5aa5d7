"""A plan made by many processes: recovery tables of blocks of destinations, each written by whoever works it out.

The tree of a destination serves all colours, so that a block's rows are whole: no colour has to be brought together
with another. Next hops of the colours are nowhere in one place, neither as deltas nor as tables.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from momlint.errors import UsageError
from momlint.fleet.shards import TARGET
from momlint.fleet.work import Common, Fault, Runner, Work, new_key
from momlint.routed.overlay import NO_HOP, build_overlay
from momlint.routed.overlay.healing import healed_deltas
from momlint.routed.overlay.paths import ShortestPaths, solve
from momlint.routed.recovery.colours import planned_colours
from momlint.routed.recovery.condensing import condense
from momlint.routed.recovery.planning import Plan
from momlint.routed.recovery.write import write_recovery

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.estate.resolved import Estate
    from momlint.routed.recovery.write import Form


#: CPU seconds of a destination in a colour, for each broker: 3.6e-9 with 384 brokers and 1,153 colours, 1.3e-9 with
#: 3,000 and 9,001, measured with single links that fail; a little more, for writing.
SECONDS = 4.0e-9
#: CPU seconds that every part takes, whatever its size, for each pair of brokers.
SECONDS_OF_A_PART = 1.4e-7
#: A part takes so many times what it takes in any case.
_WORTH = 4


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """What all parts of a plan need: the shortest paths without failure, what fails in each colour, and the names."""

    solved: ShortestPaths
    arc_link: NDArray[np.int32]
    failed_link: NDArray[np.bool_]
    failed_broker: NDArray[np.bool_]
    brokers: tuple[str, ...]
    colours: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Written:
    """A part that was written: how many rows; or why it was not."""

    rows: int
    undecided: str | None = None


class PlanParts(Work[Written]):
    """Unit i plans the destinations from ``bounds[i]`` up to ``bounds[i + 1]`` and writes a file of `folder`.

    A unit that is done twice (a worker was lost) writes the same file again.
    """

    result_type: ClassVar[type[Any]] = Written

    def __init__(self, network: Network | None, bounds: Sequence[int], folder: str, form: Form) -> None:
        self._network = network
        self._key = new_key()
        self._bounds = list(bounds)
        self._folder = folder
        self._form: Form = form

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_network": None}

    @property
    def units(self) -> int:
        """Blocks of destinations."""
        return len(self._bounds) - 1

    @property
    def common(self) -> Common:
        """The network."""
        return Common(self._key, self._network)

    def bind(self, common: Any) -> None:
        """Take the network."""
        self._network = common

    def run(self, unit: int) -> Written:
        """Plan one block of destinations in all colours."""
        network = self._network
        assert network is not None
        dests = range(self._bounds[unit], self._bounds[unit + 1])
        key, hop = healed_deltas(network.solved, network.arc_link, network.failed_link, network.failed_broker, dests)
        base = np.full_like(network.solved.next, NO_HOP)
        base[dests.start : dests.stop] = network.solved.next[dests.start : dests.stop]
        table = condense(len(network.brokers), len(network.colours), base, key, hop)
        path = os.path.join(self._folder, f"part-{unit:05d}.parquet")
        write_recovery(path, table, network.brokers, network.colours, self._form)
        return Written(table.rows)

    def undecided(self, unit: int, fault: Fault) -> Written:
        """Nothing was written."""
        return Written(0, f"destinations `{self._bounds[unit]}` to `{self._bounds[unit + 1] - 1}`: {fault.reason}")


def plan_into(
    estate: Estate,
    folder: str,
    runner: Runner,
    form: Form = "auto",
    target: float | None = None,
    *,
    named: bool = False,
) -> Plan:
    """Plan as `momlint.routed.recovery.plan` does; write the tables as Parquet files into `folder`, which is made.

    The rows are those of ``plan(estate).table()``, in parts by destination. What is returned has the colours and the
    overlay without failure, and no deltas. `named`: as for `planned_colours`. Workers write the files themselves, so
    that they must see the folder.

    Raises `UsageError` (see `planned_colours`), for a folder that is not empty, and where a part was given up.
    """
    colours = tuple(planned_colours(estate, named=named))
    intact = build_overlay(
        replace(
            estate,
            topics=(),
            protocol="shortest-path",
            table_rows=(),
            recovery_rows=None,
            recovery_file=None,
            colours_declared=False,
            colours=[],
        )
    )
    failed_link = np.zeros((len(colours), len(estate.links)), bool)
    failed_broker = np.zeros((len(colours), intact.n), bool)
    for index, colour in enumerate(colours):
        failed_link[index, list(colour.failure.links)] = True
        failed_broker[index, list(colour.failure.brokers)] = True
    solved = solve(intact.n, intact.arc_tail, intact.arc_head, intact.arc_cost, intact.transit)
    names = tuple(broker.id for broker in estate.brokers), tuple(colour.name for colour in colours)
    network = Network(solved, intact.arc_link, failed_link, failed_broker, *names)

    _make_folder(folder)
    seconds = len(colours) * intact.n**2 * SECONDS
    if target is None:
        target = max(TARGET, _WORTH * SECONDS_OF_A_PART * intact.n**2)
    parts = max(1, min(intact.n, max(runner.takers, round(seconds / target))))
    bounds = np.linspace(0, intact.n, parts + 1).astype(int).tolist()
    work = PlanParts(network, bounds, os.path.abspath(folder), "except" if form == "auto" else form)
    lost = [done.undecided for done in runner.run(work, [seconds / parts] * parts) if done.undecided is not None]
    if lost:
        raise UsageError(f"{folder}: the plan is not complete: {lost[0]}")
    home = next(index for index, colour in enumerate(colours) if not any(colour.failure))
    return Plan(colours, home, replace(intact, failed_link=failed_link, failed_broker=failed_broker))


def _make_folder(folder: str) -> None:
    try:
        os.makedirs(folder, exist_ok=True)
        taken = os.listdir(folder)
    except OSError as error:
        raise UsageError(f"{folder}: the tables cannot be written: {error.strerror or error}") from error
    if taken:
        raise UsageError(f"{folder}: this folder is not empty; name another")
