"""Pre-calculated routing tables: colours, their next hops, and the condensed super routing tables.

    plan(estate) -> Plan                     colours, and next hops as base + deltas (thesis 6.1, paper 002 III)
    Plan.table() -> RecoveryTable            the super routing tables of all brokers (thesis Table 6-4)
    uncondense(table, n, home) -> Entries    rows back to base + deltas, with clashes and missing entries as data
    look_up(table, broker, n) -> LookUp      the two-dimensional array of formulas 6-2 and 6-3
    read_recovery(path, brokers, colours)    rows from CSV or Parquet, with positions
    table_of_rows(rows, colours)             the rows of an estate as arrays
    attach_recovery(loaded)                  reads ``recovery: {file: …}`` into a loaded estate
    write_recovery(path, table, …), failures_yaml(…)

"Thesis" and "paper" are documents 000 and 002 of the sources. Nothing here is ever expanded to colours × brokers².
This package imports numpy; pyarrow only to read or write Parquet.
"""

from __future__ import annotations

from momlint.routed.overlay.super_tables import FileRows, RecoveryTable, table_of_rows
from momlint.routed.overlay.uncondensing import Clashes, Entries, uncondense
from momlint.routed.recovery.attach import attach_recovery
from momlint.routed.recovery.colours import (
    MOST_COLOURS,
    Failure,
    PlannedColour,
    count_tolerated,
    groups_of,
    planned_colours,
    tolerated,
)
from momlint.routed.recovery.condensing import condense
from momlint.routed.recovery.lookup import LookUp, look_up
from momlint.routed.recovery.parts import RecoveryProblem
from momlint.routed.recovery.planning import Plan, plan
from momlint.routed.recovery.read import Recovery, read_recovery
from momlint.routed.recovery.sizes import Sizes, neighbour_counts, row_bound, sizes
from momlint.routed.recovery.write import failures_yaml, write_recovery

__all__ = [
    "MOST_COLOURS",
    "Clashes",
    "Entries",
    "Failure",
    "FileRows",
    "LookUp",
    "Plan",
    "PlannedColour",
    "Recovery",
    "RecoveryProblem",
    "RecoveryTable",
    "Sizes",
    "attach_recovery",
    "condense",
    "count_tolerated",
    "failures_yaml",
    "groups_of",
    "look_up",
    "neighbour_counts",
    "plan",
    "planned_colours",
    "read_recovery",
    "row_bound",
    "sizes",
    "table_of_rows",
    "tolerated",
    "uncondense",
    "write_recovery",
]
