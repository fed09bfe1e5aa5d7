"""``momlint trace``: the walk of one message, with the line of each table entry it uses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momlint.cli import estates, exits
from momlint.cli.console import columns, complain, write
from momlint.cli.reading import Reading
from momlint.escaping import printable
from momlint.words import arrow

if TYPE_CHECKING:
    from momlint.estate import Estate, LoadedEstate
    from momlint.routed.overlay import Overlay, Walk

_ROW_SHOWN = 60
#: Fewer than this say nothing of a row.
_LEAST_SHOWN = 12


def trace(path: str, source: str, dest: str, colour: str | None, name: str | None, reading: Reading) -> int:
    """Write the walk from broker `source` to broker `dest`; 0 if it arrives, else 1. Raises `UsageError`."""
    from momlint.routed.overlay import build_overlay, walk
    from momlint.routed.walk_ends import circumstances, end_of, have_failed

    loaded = estates.load(path, name, reading)
    estate = loaded.estate
    assert estate is not None
    start = estates.broker(estate, source, "--from")
    goal = estates.broker(estate, dest, "--to")
    tint = estates.colour(estate, colour)
    if loaded.problems or loaded.source.problems:
        file = loaded.source.file
        complain(f"momlint: note: {file}: this estate has errors; `momlint check` shows them")
    overlay = build_overlay(estate)
    lines = [f"estate {estate.name}: a message from {source} to {dest}{circumstances(estate, tint)}"]
    down = [estate.brokers[one].id for one in dict.fromkeys((start, goal)) if overlay.failed_broker[tint, one]]
    if down:
        # No table speaks for it: a broker that has failed sends nothing and takes nothing.
        lines.append(f"no walk: {have_failed(down)} in this colour")
        arrived = False
    else:
        taken = walk(overlay, tint, start, goal)
        lines += _hops(loaded, estate, overlay, tint, taken, goal)
        lines.append(end_of(estate, overlay, tint, taken, goal))
        arrived = taken.end == "arrived"
    write("".join(printable(line) + "\n" for line in lines))
    return exits.OK if arrived else exits.FINDINGS


def _hops(loaded: LoadedEstate, estate: Estate, overlay: Overlay, tint: int, taken: Walk, goal: int) -> list[str]:
    """A line a hop, in columns: from, to, the link, where the entry stands, its text."""
    from momlint.routed.overlay import NO_HOP, NO_ROW

    stops = [*taken.brokers, taken.refused] if taken.refused != NO_HOP else list(taken.brokers)
    table = []
    for tail, head, row in zip(stops, stops[1:], taken.rows, strict=False):
        hop = arrow((estate.brokers[tail].id, estate.brokers[head].id)), _link(estate, overlay, tint, tail, head)
        if row == NO_ROW:
            table.append((*hop, "shortest path", ""))
        else:
            table.append((*hop, *_row(loaded, estate, row, goal)))
    widths = [max((len(line[column]) for line in table), default=0) for column in (0, 1, 2)]
    # What a terminal has no room for would go on in the next line.
    width = columns()
    room = _ROW_SHOWN if width is None else max(0, min(_ROW_SHOWN, width - sum(widths) - 8))
    return [
        f"  {hop:{widths[0]}}  {link:{widths[1]}}  {place:{widths[2]}}  {_cut(text, room)}".rstrip()
        for hop, link, place, text in table
    ]


def _cut(text: str, room: int) -> str:
    """What fits of the text of a row; nothing where that is too little to recognise it."""
    if len(text) <= room:
        return text
    return text[: room - 3] + "..." if room >= _LEAST_SHOWN else ""


def _link(estate: Estate, overlay: Overlay, tint: int, tail: int, head: int) -> str:
    """The link of a hop."""
    from momlint.routed.walk_ends import link_of

    link, _ = link_of(overlay, tint, tail, head)
    return "no link" if link < 0 else f"link {estate.links[link].id}"


def _row(loaded: LoadedEstate, estate: Estate, row: int, goal: int) -> tuple[str, str]:
    """``file:line:column`` of the entry for `goal` in this row, and the line's text."""
    if estate.recovery_rows is not None:
        place = estate.recovery_rows[row].place
    else:
        place = estate.table_rows[row].destination_place(goal)
    file, span, _ = loaded.locate(place)
    lines = next((one.lines for one in loaded.sources if one.file == file), [])
    text = lines[span.start.line - 1].strip() if span.start.line <= len(lines) else ""
    return f"{file}:{span.start.line}:{span.start.column}", text
