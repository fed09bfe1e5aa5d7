"""The commands and their options, for typer. What a command does stands in the module of its name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from momlint import __version__

# Plain help and plain errors: the other kind takes a tenth of a second to load.
app = typer.Typer(
    name="momlint",
    help="A declarative linter for overlays of message brokers.",
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def run(arguments: Sequence[str]) -> int:
    """Run the command that `arguments` name; the exit code. Lets momlint's own exceptions through."""
    try:
        app(args=list(arguments), prog_name="momlint")
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 0
    return 0


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"momlint {__version__}")
        raise typer.Exit


@app.callback()
def _program(
    version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    pass


@app.command()
def check(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH...", help="Files, folders, globs, or - for standard input; by default this folder."
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(metavar="auto|graph|smt", help="Who decides; auto lets both decide small estates."),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", help="Check only these codes or prefixes (MOM3,MOM602)."),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="CODES", help="Do not check these codes or prefixes.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="PATTERNS", help="Pass over these when searching folders.")
    ] = None,
    format: Annotated[
        str | None,
        typer.Option("--format", "-f", metavar="text|concise|json|sarif|github|junit", help="How to report."),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the report to this file.")
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            metavar="error|warning|note|never",
            help="From which severity on to exit with 1; by default error.",
        ),
    ] = None,
    timeout: Annotated[float | None, typer.Option(metavar="SECONDS", help="For each question to a solver.")] = None,
    spark: Annotated[str | None, typer.Option(metavar="MASTER", help="Spread the files over Spark.")] = None,
    jobs: Annotated[
        int | None, typer.Option("--jobs", "-j", metavar="N", help="Spread the files over N processes.")
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="The configuration, instead of the nearest momlint.toml or pyproject.toml."),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Only the findings: no closing lines, notes or progress.")
    ] = False,
) -> None:
    """Check estates: the main job.

    Reports what is wrong with them, at the line, and what was proved.

    Exit code: 0 nothing at or above --fail-on, 1 findings, 2 wrong usage, an unreadable file or an internal
    fault, 3 something stayed undecided.
    """
    from momlint.cli.check import Arguments
    from momlint.cli.check import check as run_check

    arguments = Arguments(
        paths=paths or (),
        engine=engine,
        select=select or (),
        ignore=ignore or (),
        exclude=exclude or (),
        format=format,
        output=output,
        fail_on=fail_on,
        timeout=timeout,
        spark=spark,
        jobs=jobs,
        config=config,
        quiet=quiet,
    )
    raise typer.Exit(run_check(arguments))


@app.command()
def plan(
    path: Annotated[str, typer.Argument(metavar="PATH", help="An estate, or - for standard input.")],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file: .yaml, .csv or .parquet."),
    ] = None,
    show: Annotated[
        str | None,
        typer.Option(metavar="slsd|colours|tables|super|lookup", help="Print these tables instead."),
    ] = None,
    broker: Annotated[str | None, typer.Option(metavar="BROKER", help="Only this broker's; with --show.")] = None,
    sets: Annotated[
        str,
        typer.Option(
            metavar="auto|listed|except",
            help="How a row says in which colours it holds: all of them listed, or all except a few; auto lists "
            "them unless there are millions.",
        ),
    ] = "auto",
    estate: Annotated[str | None, typer.Option(metavar="NAME", help="Which one, where the file holds several.")] = None,
) -> None:
    """Plan recovery tables for what the estate promises to survive.

    Prints the estate's whole `failures` section, with a colour for each failure and the condensed tables of all
    brokers. With --output FILE.csv or FILE.parquet the tables go there, and the section names the file.
    """
    from momlint.cli.plan import plan as run_plan

    raise typer.Exit(run_plan(path, output, show, broker, sets, estate))


@app.command()
def trace(
    path: Annotated[str, typer.Argument(metavar="PATH", help="An estate, or - for standard input.")],
    source: Annotated[str, typer.Option("--from", metavar="BROKER", help="Where the message is published.")],
    dest: Annotated[str, typer.Option("--to", metavar="BROKER", help="Where it is wanted.")],
    colour: Annotated[str | None, typer.Option(metavar="COLOUR", help="By default the first.")] = None,
    estate: Annotated[str | None, typer.Option(metavar="NAME", help="Which one, where the file holds several.")] = None,
) -> None:
    """Show the walk of a message, with the lines it uses.

    Hop by hop, with file and line of each table entry that sends it on.

    Exit code: 0 it arrives, 1 it does not, 2 wrong usage or an estate that cannot be read.
    """
    from momlint.cli.trace import trace as run_trace

    raise typer.Exit(run_trace(path, source, dest, colour, estate))


@app.command()
def render(
    path: Annotated[str, typer.Argument(metavar="PATH", help="An estate, or - for standard input.")],
    to: Annotated[str, typer.Option(metavar="smt2", help="The language to render to.")],
    dest: Annotated[
        str | None,
        typer.Option("--dest", metavar="BROKER", help="The destination; by default one script for each."),
    ] = None,
    estate: Annotated[str | None, typer.Option(metavar="NAME", help="Which one, where the file holds several.")] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")] = None,
) -> None:
    """Write the encodings, for a solver of your own.

    The question is whether every message that a topic needs arrives, in every colour.
    """
    from momlint.cli.render import render as run_render

    raise typer.Exit(run_render(path, to, dest, estate, output))


@app.command()
def explain(
    rule: Annotated[str, typer.Argument(metavar="CODE", help="The code or the name of a rule.")],
) -> None:
    """Say what a rule means, with examples."""
    import shutil

    from momlint.catalog import load_rules
    from momlint.cli.console import write
    from momlint.cli.explain import find, page

    write(page(find(rule, load_rules()), shutil.get_terminal_size().columns))


@app.command()
def rules(
    format: Annotated[str, typer.Option("--format", "-f", metavar="text|json|markdown")] = "text",
) -> None:
    """List the rules."""
    from momlint.catalog import load_rules
    from momlint.cli.console import write
    from momlint.cli.explain import table
    from momlint.config import choice

    write(table(load_rules(), choice("--format", format, ("text", "json", "markdown"))))


@app.command()
def schema(
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")] = None,
) -> None:
    """Print the JSON Schema of the language, for editors."""
    import json

    from momlint.cli.console import write
    from momlint.estate import json_schema

    write(json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n", output)


@app.command()
def init(
    path: Annotated[str, typer.Argument(metavar="FILE", help="What to write.")] = "topology.yaml",
    force: Annotated[bool, typer.Option("--force", help="Overwrite what is there.")] = False,
) -> None:
    """Write a starter estate with comments."""
    from momlint.cli.init import init as run_init

    run_init(path, force)
