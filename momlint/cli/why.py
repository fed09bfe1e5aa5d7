"""``momlint why``: the lines that a pass rests on, or the fewest whose change mends a failure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from momlint import config
from momlint.cli import estates, exits
from momlint.cli.console import complain, write
from momlint.cli.reading import Reading
from momlint.errors import UsageError
from momlint.escaping import json_printable, printable
from momlint.words import arrow, counted

if TYPE_CHECKING:
    from momlint.estate import Estate
    from momlint.routed.why.answers import Answer, Engine
    from momlint.routed.why.lines import Line

_ROW_SHOWN = 80
_ENGINES: tuple[Engine, ...] = ("auto", "graph", "smt")


def why(
    path: str,
    source: str,
    dest: str,
    colour: str | None,
    name: str | None,
    engine: str | None,
    form: str | None,
    reading: Reading,
) -> int:
    """Write why a message arrives, or what mends it; 0 if it arrives, else 1. Raises `UsageError`."""
    by: Engine = config.choice("--engine", engine or "auto", _ENGINES)
    as_json = config.choice("--format", form or "text", ("text", "json")) == "json"
    loaded = estates.load(path, name, reading)
    estate = loaded.estate
    assert estate is not None
    if estate.protocol == "relay":
        raise UsageError(f"{path}: a relayed overlay has no rows; `momlint check` says what does not arrive, and why")
    start, goal = estates.broker(estate, source, "--from"), estates.broker(estate, dest, "--to")
    if start == goal:
        raise UsageError(f"--from and --to name the same broker `{source}`: its messages need no way")
    tint = estates.colour(estate, colour)
    if loaded.problems or loaded.source.problems:
        complain(f"momlint: note: {loaded.source.file}: this estate has errors; `momlint check` shows them")
    from momlint.routed.overlay import build_overlay
    from momlint.routed.walk_ends import circumstances
    from momlint.routed.why.answers import answer
    from momlint.routed.why.question import Question
    from momlint.solving.limits import GaveUp

    try:
        found = answer(loaded, Question(estate, build_overlay(estate), tint, start, goal), by, 60.0)
    except GaveUp as reason:
        raise UsageError(f"{reason}; `--engine graph` asks no solver") from reason
    if as_json:
        write(
            json_printable(json.dumps(_plain(estate, source, dest, tint, found), ensure_ascii=False, indent=2) + "\n"),
            None,
        )
    else:
        lines = [f"estate {estate.name}: a message from {source} to {dest}{circumstances(estate, tint)}"]
        write("".join(printable(line) + "\n" for line in [*lines, *_told(found)]))
    return exits.OK if found.arrives else exits.FINDINGS


def _told(found: Answer) -> Iterator[str]:
    if found.arrives:
        yield f"arrives: {arrow(found.walk)}"
        if found.lines:
            yield f"It rests on {counted(len(found.lines), 'line')}; a change of one of them can stop it:"
            yield from _listed(found.lines)
        else:
            yield "No line alone can stop it: where one is gone, it takes another way."
        for group in found.either:
            yield f"and on one of these {len(group)}, whichever:"
            yield from _listed(group)
        return
    match found.end:
        case "failed":
            yield "does not arrive: one of the two brokers has failed"
        case "looped":
            yield f"does not arrive: it goes round, {arrow(found.walk)}"
        case _:
            way = f", {arrow(found.walk)}" if len(found.walk) > 1 else ""
            yield f"does not arrive: it ends at {found.walk[-1]}{way}"
    yield f"{counted(len(found.lines), 'line')} to change, and it arrives by {arrow(found.way)}; fewer will not do:"
    yield from _listed(found.lines)


def _listed(lines: Iterable[Line]) -> list[str]:
    """A line a line, in columns: where, what, what is written there or what to do."""
    told = list(lines)
    places = [f"{one.file}:{one.span.start.line}:{one.span.start.column}" for one in told]
    widths = max(map(len, places)), max(len(one.name) for one in told)
    listed = []
    for place, one in zip(places, told, strict=True):
        text = one.text if len(one.text) <= _ROW_SHOWN else one.text[: _ROW_SHOWN - 3] + "..."
        listed.append(f"  {place:{widths[0]}}  {one.name:{widths[1]}}  {text}".rstrip())
        if one.change:
            listed.append(f"  {'':{widths[0]}}  → {one.change}")
    return listed


def _plain(estate: Estate, source: str, dest: str, tint: int, found: Answer) -> dict[str, Any]:
    colour = estate.colours[tint].name if estate.colours_declared and tint < len(estate.colours) else None
    return {
        "version": 1,
        "estate": estate.name,
        "from": source,
        "to": dest,
        **({"colour": colour} if colour is not None else {}),
        "arrives": found.arrives,
        "end": found.end,
        "walk": list(found.walk),
        "lines": [one.plain() for one in found.lines],
        "either": [[one.plain() for one in group] for group in found.either],
        "way": list(found.way),
    }


__all__ = ["why"]
