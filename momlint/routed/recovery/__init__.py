"""Pre-calculated routing tables: colours, their next hops, and the condensed super routing tables.

    planning.plan(estate) -> Plan                  colours, and next hops as base + deltas (thesis 6.1, paper 002 III)
    Plan.table() -> RecoveryTable                  the super routing tables of all brokers (thesis Table 6-4)
    lookup.look_up(table, broker, n) -> LookUp     the two-dimensional array of formulas 6-2 and 6-3
    read.read_recovery(path, brokers, colours)     rows from CSV or Parquet, with positions
    attach.attach_recovery(loaded)                 reads ``recovery: {file: …}`` into a loaded estate
    write.write_recovery(path, table, …)           … and `write.failures_yaml` the colours

"Thesis" and "paper" are documents 000 and 002 of the sources. Nothing here is ever expanded to colours × brokers².
The modules import numpy, and pyarrow only to read or write Parquet; this file imports none of them, so that a check
loads only what its estate needs.
"""
