"""The tables of the documents as text: what the super broker works with and what each broker gets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal

import numpy as np

from momlint.escaping import printable
from momlint.estate.resolved import Estate
from momlint.routed.overlay import NO_HOP
from momlint.routed.overlay.super_tables import RecoveryTable
from momlint.routed.recovery.lookup import look_up
from momlint.routed.recovery.planning import Plan

View = Literal["slsd", "colours", "tables", "super", "lookup"]
VIEWS: tuple[View, ...] = ("slsd", "colours", "tables", "super", "lookup")

#: A longer list of colours is said by what it leaves out.
_MOST_NAMES = 40
_NONE = "-"


def show(view: View, estate: Estate, plan: Plan, table: RecoveryTable, broker: int | None = None) -> Iterator[str]:
    """One of the documents' tables, for `broker` or for all, as pieces of text.

    ``slsd``: the super link state database, brokers and their neighbours (Figure 6-2). ``colours``: colours and
    failures (Table 6-3). ``tables``: a routing table a colour, before condensing (Tables 6-1, 6-2, 6-6, 6-8).
    ``super``: the super routing table (Tables 6-4, 6-7, 6-9) and the bound on its rows (6-1). ``lookup``: the
    look-up array with next hops (6-3, 6-10) and with the addresses of rows (6-2). For each broker at a time:
    nothing is held for all at once.
    """
    if view == "slsd":
        yield _link_state(estate, plan, broker)
        return
    if view == "colours":
        yield _colours(estate, plan)
        return
    printer = _PRINTERS[view]
    for one in range(plan.overlay.n) if broker is None else (broker,):
        if broker is None and one:
            yield "\n"
        yield printer(estate, plan, table, one)


def failure_text(estate: Estate, plan: Plan, colour: int) -> str:
    """``none``; ``F(1,2)`` for the link between 1 and 2, and its id if it has one of its own; ``F(1)`` for a broker."""
    failure = plan.colours[colour].failure
    names = [broker.id for broker in estate.brokers]
    parts = []
    for index in failure.links:
        link = estate.links[index]
        tail, head = names[link.tail], names[link.head]
        usual = f"{tail}->{head}" if link.one_way else f"{tail}--{head}"
        parts.append(f"F({tail},{head})" + ("" if link.id == usual else f" {link.id}"))
    parts += [f"F({names[index]})" for index in failure.brokers]
    return " + ".join(parts) or "none"


def _link_state(estate: Estate, plan: Plan, broker: int | None) -> str:
    o = plan.overlay
    names = [one.id for one in estate.brokers]
    lines = []
    for one in range(o.n) if broker is None else (broker,):
        near = np.unique(o.arc_head[o.arc_tail == one]).tolist()
        lines.append([names[one], ", ".join(names[other] for other in near) or _NONE])
    return "super link state database\n" + _grid(["broker", "neighbours"], lines, ragged=True)


def _colours(estate: Estate, plan: Plan) -> str:
    lines = [[colour.name, failure_text(estate, plan, index)] for index, colour in enumerate(plan.colours)]
    return "colours and failures\n" + _grid(["colour", "failure"], lines, ragged=True)


def _plain_tables(estate: Estate, plan: Plan, table: RecoveryTable, broker: int) -> str:
    names = [one.id for one in estate.brokers]
    found = look_up(table, broker, len(names))
    blocks = []
    for index, colour in enumerate(plan.colours):
        lines = [
            [names[dest], names[hop] if hop != NO_HOP else _NONE]
            for dest, hop in enumerate(found.next_hop[:, index].tolist())
            if dest != broker
        ]
        title = f"broker {names[broker]}, colour {colour.name} ({failure_text(estate, plan, index)})"
        blocks.append(printable(title) + "\n" + _grid(["to", "via"], lines))
    return "\n".join(blocks)


def _super_table(estate: Estate, plan: Plan, table: RecoveryTable, broker: int) -> str:
    names = [one.id for one in estate.brokers]
    rows = np.flatnonzero(table.broker == broker).tolist()
    lines = [
        [str(number), names[int(table.to[row])], names[int(table.via[row])], _set_text(plan, table, row)]
        for number, row in enumerate(rows, 1)
    ]
    size = plan.sizes(table)
    near = int(size.bound[broker]) // max(len(names) - 1, 1)
    return (
        f"super routing table of broker {printable(names[broker])}\n"
        + _grid(["address", "to", "via", "colours"], lines, ragged=True)
        + f"{len(rows)} rows, at most {int(size.bound[broker])} = ({len(names)} - 1) x {near}; without condensing "
        f"{size.plain_tables} tables, {size.plain_entries} entries\n"
    )


def _look_up_array(estate: Estate, plan: Plan, table: RecoveryTable, broker: int) -> str:
    names = [one.id for one in estate.brokers]
    found = look_up(table, broker, len(names))
    heads = ["to", *(colour.name for colour in plan.colours)]
    hops = [
        [names[dest], *(names[hop] if hop != NO_HOP else _NONE for hop in line)]
        for dest, line in enumerate(found.next_hop.tolist())
    ]
    addresses = [
        [names[dest], *(str(address) if address else _NONE for address in line)]
        for dest, line in enumerate(found.address.tolist())
    ]
    return (
        f"look-up array of broker {printable(names[broker])}: next hops by destination and colour\n"
        + _grid(heads, hops)
        + f"addresses in the super routing table of broker {printable(names[broker])}\n"
        + _grid(heads, addresses)
    )


_PRINTERS: Mapping[View, Callable[[Estate, Plan, RecoveryTable, int], str]] = {
    "tables": _plain_tables,
    "super": _super_table,
    "lookup": _look_up_array,
}


def _set_text(plan: Plan, table: RecoveryTable, row: int) -> str:
    run = table.listed[table.start[row] : table.start[row + 1]].tolist()
    if table.inverted[row] and table.colours - len(run) > _MOST_NAMES:
        return "all but " + ", ".join(plan.colours[colour].name for colour in run) if run else "all"
    return ", ".join(plan.colours[colour].name for colour in table.colours_of(row).tolist())


def _grid(heads: Sequence[str], lines: Sequence[Sequence[str]], *, ragged: bool = False) -> str:
    """Columns under their heads; the last one without padding, and, if `ragged`, free in width."""
    heads = [printable(head) for head in heads]
    lines = [[printable(text) for text in line] for line in lines]
    last = len(heads) - 1
    widths = [
        max([len(head), *(len(line[column]) for line in lines)]) if not (ragged and column == last) else 0
        for column, head in enumerate(heads)
    ]
    return "".join(
        ("  " + "  ".join(f"{text:{width}}" for text, width in zip(line, widths, strict=True))).rstrip() + "\n"
        for line in (heads, *lines)
    )
