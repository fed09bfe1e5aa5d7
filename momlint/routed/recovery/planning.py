"""The super broker's work: next hops for every failure that the estate promises to survive."""

from __future__ import annotations

from dataclasses import replace

from momlint.estate.resolved import Colour, Estate
from momlint.records import dataclass
from momlint.routed.overlay import Overlay, build_overlay
from momlint.routed.overlay.super_tables import RecoveryTable
from momlint.routed.recovery.colours import MOST_COLOURS, PlannedColour, planned_colours
from momlint.routed.recovery.condensing import condense
from momlint.routed.recovery.sizes import Sizes, neighbour_counts, sizes


@dataclass(frozen=True, slots=True)
class Plan:
    """Colours and the shortest paths in each of them.

    `colours`: C of them, in the order of the overlay's. `home`: the first in which nothing has failed. `overlay`:
    the arcs, what has failed (``failed_link``, ``failed_broker``), the next hops without failure (``base``) and
    what differs from them in each colour (``delta_key``, ``delta_next``).
    """

    colours: tuple[PlannedColour, ...]
    home: int
    overlay: Overlay

    def table(self) -> RecoveryTable:
        """The super routing tables of all brokers, condensed."""
        o = self.overlay
        return condense(o.n, o.colours, o.base, o.delta_key, o.delta_next)

    def sizes(self, table: RecoveryTable) -> Sizes:
        """What condensing this plan's tables into `table` saves."""
        o = self.overlay
        return sizes(table, o.n, neighbour_counts(o.n, o.arc_tail, o.arc_head))


def plan(estate: Estate, most: int = MOST_COLOURS, *, named: bool = False) -> Plan:
    """Plan the estate's recovery tables: `planned_colours`, and for each the shortest paths of what is left.

    Least cost, ties to the next hop that stands first in ``brokers`` (in the thesis Dijkstra's algorithm runs on a
    clone of the link state database for each failure, Figure 6-3; here only what lies below a failed element in
    the tree of a destination is computed anew, see `momlint.routed.overlay.healed_deltas`). ``routing.tables`` plays
    no part: where there are recovery rows, they alone are the tables.

    `named`: new colours are called after what fails. Raises `UsageError` (see `planned_colours`).
    """
    colours = tuple(planned_colours(estate, most, named=named))
    healing = replace(
        estate,
        topics=(),
        protocol="shortest-path",
        table_rows=(),
        recovery_rows=None,
        recovery_file=None,
        colours_declared=True,
        colours=[
            Colour(
                colour.name,
                colour.place or estate.place,
                colour.failure.links,
                colour.failure.brokers,
            )
            for colour in colours
        ],
    )
    home = next(index for index, colour in enumerate(colours) if not any(colour.failure))
    return Plan(colours, home, build_overlay(healing))
