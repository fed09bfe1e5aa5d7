"""``momlint view``: a page, or a drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from momlint import discover
from momlint.cli import exits
from momlint.cli.check import Arguments, prepared
from momlint.cli.console import Progress, complain, read_stdin, refuse_input, write
from momlint.config import did_you_mean
from momlint.errors import UsageError
from momlint.words import counted

if TYPE_CHECKING:
    from momlint.view.form import Picture, Way


class Drawing(NamedTuple):
    """What ``--svg`` is to show, by name; None for what was not asked for."""

    estate: str | None = None
    colour: str | None = None
    source: str | None = None
    dest: str | None = None


def view(arguments: Arguments, drawing: Drawing | None) -> int:
    """Write the page of what `arguments` name, or `drawing`, one estate as SVG. Raises `UsageError`.

    Exit code: 0 written, 2 a file could not be read.
    """
    if drawing is not None and (drawing.source is None) != (drawing.dest is None):
        raise UsageError("--from and --to go together: a walk has two ends")
    options, files, failures = prepared(arguments)
    refuse_input("--output", arguments.output, files)
    given = {}
    if discover.STDIN in files:
        files = [options.stdin_name if file == discover.STDIN else file for file in files]
        given[options.stdin_name] = read_stdin(options.most_bytes)
    from momlint.view.gathering import gather
    from momlint.view.page import page, svg

    wanted: tuple[tuple[str, str], ...] = ()
    if drawing is not None and drawing.source is not None and drawing.dest is not None:
        wanted = ((drawing.source, drawing.dest),)
    with Progress(not arguments.quiet) as progress:
        gathered = gather(files, options, given, wanted, progress=progress)
    gathered.report.failures[:0] = failures
    refuse_input("--output", arguments.output, gathered.report.sources)
    if drawing is None:
        names = [picture.name for picture in gathered.pictures]
        title = names[0] if len(names) == 1 else counted(len(names), "estate") if names else "No estate"
        text = page(gathered, title)
    else:
        picture = _chosen(gathered.pictures, drawing)
        state = _state(picture, drawing.colour)
        text = svg(picture, state, _way(picture, state, drawing))
    write(text, arguments.output)
    for failure in gathered.report.failures:
        complain(f"momlint: error: {failure}")
    return exits.FAULT if gathered.report.failures else exits.OK


def _chosen(pictures: list[Picture], drawing: Drawing) -> Picture:
    drawn = [picture for picture in pictures if picture.brokers]
    names = [picture.name for picture in drawn]
    if not drawn:
        raise UsageError("there is nothing to draw here: no estate with brokers or sites")
    if drawing.estate is None:
        if len(drawn) > 1:
            raise UsageError(f"there are several estates here; choose one with --estate: {', '.join(names)}")
        return drawn[0]
    if drawing.estate not in names:
        raise UsageError(f"there is no estate `{drawing.estate}` to draw{did_you_mean(drawing.estate, names)}")
    return drawn[names.index(drawing.estate)]


def _state(picture: Picture, colour: str | None) -> int:
    if colour is None:
        return 0
    names = [state.name for state in picture.states if state.kind == "colour"]
    if colour not in names:
        raise UsageError(f"--colour: there is no colour `{colour}`{did_you_mean(colour, names)}")
    return next(i for i, state in enumerate(picture.states) if state.kind == "colour" and state.name == colour)


def _way(picture: Picture, state: int, drawing: Drawing) -> Way | None:
    if drawing.source is None or drawing.dest is None:
        return None
    names = [broker.id for broker in picture.brokers]
    for option, name in (("--from", drawing.source), ("--to", drawing.dest)):
        if name not in names:
            raise UsageError(f"{option}: there is no broker `{name}`{did_you_mean(name, names)}")
    tail, head = names.index(drawing.source), names.index(drawing.dest)
    for pair in picture.pairs:
        if (pair.tail, pair.head) == (tail, head):
            fare = pair.others.get(state, pair.usual)
            return picture.ways[fare.ways[0]] if fare.ways else None
    raise UsageError(f"no message goes from {drawing.source} to {drawing.dest} here")
