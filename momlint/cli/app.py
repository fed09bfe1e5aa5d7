"""The commands and their options, for typer. What a command does stands in the module of its name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Annotated, Any

import typer

from momlint.cli.completing import codes, words
from momlint.cli.completing import rules as rules_like
from momlint.cli.console import complain
from momlint.cli.reading import Reading
from momlint.config import FORMATS
from momlint.version import __version__

# typer has a copy of click in some versions, and in others uses click: what both raise for a wrong command line.
_Mistake: Any = typer.BadParameter.__mro__[1]

# What several commands take.
_Root = Annotated[
    str | None,
    typer.Option(metavar="FOLDER", help="Let estates read files below this folder, not only below their own."),
]
_MaxFileMb = Annotated[
    int | None, typer.Option("--max-file-mb", metavar="MB", help="Refuse larger files; by default 100.")
]

# Plain help and plain errors: the other kind takes a tenth of a second to load.
app = typer.Typer(
    name="momlint",
    help="A declarative linter for overlays of message brokers.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@cache
def _program_itself() -> Any:
    """What typer makes of the functions below, which takes longer than many a command."""
    return typer.main.get_command(app)


def run(arguments: Sequence[str]) -> int:
    """Run the command that `arguments` name; the exit code. Lets momlint's own exceptions through."""
    try:
        code = _program_itself()(args=list(arguments), prog_name="momlint", standalone_mode=False)
    except typer.Exit as stop:
        return stop.exit_code
    except typer.Abort:
        raise KeyboardInterrupt from None
    except SystemExit:
        # Typer ends so where the reader of its help has gone, which is no error; see `momlint.cli.console.write`.
        return 0
    except _Mistake as mistake:
        if type(mistake).__name__ == "NoArgsIsHelpError":
            mistake.show()  # a command without arguments: its help
        else:
            # In our words and not typer's, which would print what was given as it was given.
            usage = mistake.ctx.get_usage().splitlines() if mistake.ctx is not None else []
            complain(*usage, f"momlint: error: {mistake.format_message()}")
        return int(mistake.exit_code)
    return code if isinstance(code, int) else 0


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
        typer.Option(**words("auto|graph|smt|nusmv"), help="The engine; auto runs both on small estates."),
    ] = None,
    nusmv: Annotated[
        str | None,
        typer.Option(metavar="PROGRAM", help="NuSMV or nuXmv for that engine, if it is not MOMLINT_NUSMV or on PATH."),
    ] = None,
    solver: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The solver behind smt: z3, bitwuzla, cvc5, or another that pysmt finds."),
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", autocompletion=codes, help="Check only these codes or prefixes (MOM3,MOM602)."),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", autocompletion=codes, help="Do not check these codes or prefixes."),
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="PATTERNS", help="Skip these when searching folders.")
    ] = None,
    force_exclude: Annotated[
        bool, typer.Option("--force-exclude", help="Skip excluded files even when named (for pre-commit).")
    ] = False,
    estates_only: Annotated[
        bool, typer.Option("--estates-only", help="Skip named files that are no estates (for pre-commit).")
    ] = False,
    root: _Root = None,
    max_file_mb: _MaxFileMb = None,
    format: Annotated[
        str | None,
        typer.Option("--format", "-f", **words(FORMATS), help="How to report."),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="Write the report to this file.")
    ] = None,
    fail_on: Annotated[
        str | None,
        typer.Option(
            **words("error|warning|note|never"),
            help="Exit with 1 from this severity on; by default error. With never, undecided exits with 0 too.",
        ),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(metavar="SECONDS", help="Time limit for each question, for all engines; by default 60."),
    ] = None,
    bound: Annotated[
        str | None,
        typer.Option(
            metavar="NAME=NUMBER,…",
            help="How far checks within a bound look: events, publishers, crashes of take-overs (MOM826 to MOM829); "
            "brokers, failures, losses of the recovery protocol (MOM410).",
        ),
    ] = None,
    protocol: Annotated[
        bool,
        typer.Option(
            "--protocol", help="Also check whether the recovery protocol always settles on one colour (MOM410)."
        ),
    ] = False,
    spark: Annotated[
        str | None,
        typer.Option(
            metavar="MASTER", help="Spread the work over Spark (local[2], spark://host:7077) if there is enough of it."
        ),
    ] = None,
    spark_conf: Annotated[
        list[str] | None, typer.Option("--spark-conf", metavar="KEY=VALUE", help="A Spark setting; may be repeated.")
    ] = None,
    runner: Annotated[
        str | None,
        typer.Option(**words("auto|process|spark"), help="What runs the work; auto decides by how much there is."),
    ] = None,
    shard_seconds: Annotated[
        float | None,
        typer.Option("--shard-seconds", metavar="SECONDS", help="Give up on a file or part after this long (MOM901)."),
    ] = None,
    shard_memory: Annotated[
        int | None,
        typer.Option("--shard-memory", metavar="MIB", help="Give up on it above this much memory."),
    ] = None,
    jobs: Annotated[
        str | None,
        typer.Option(
            "--jobs", "-j", metavar="N|auto", help="Spread the work over N processes; auto: one per processor."
        ),
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Use this configuration, not the nearest momlint.toml or pyproject.toml."),
    ] = None,
    explain_transients: Annotated[
        bool,
        typer.Option(
            "--explain-transients",
            help="Also print the loops that are possible while brokers change colours, and orders that avoid them.",
        ),
    ] = False,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Also print the rows, links and colours that no proof rests on.")
    ] = False,
    report: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Also print: availability (of each subscription), invariants (of clients)."),
    ] = None,
    certificate: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="If nothing is wrong, write the proof to this file, for verify."),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only the findings: no closing lines, notes or progress.")
    ] = False,
    notes: Annotated[
        str | None,
        typer.Option(
            **words("full|brief"),
            help="In text: each note in its place (full), or the notes of a rule in one block (brief, the default).",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Report only what is not in this baseline; see baseline write."),
    ] = None,
    stdin_filename: Annotated[
        str | None,
        typer.Option("--stdin-filename", metavar="FILE", help="The name of what comes from standard input (-)."),
    ] = None,
    statistics: Annotated[
        bool, typer.Option("--statistics", help="Count the findings of each rule instead of showing them.")
    ] = False,
    watch: Annotated[
        bool,
        typer.Option("--watch", "-w", help="Check again whenever an estate, an included file or a setting changes."),
    ] = False,
    also: Annotated[
        list[str] | None,
        typer.Option(metavar="FORMAT=FILE", help="Write the report in this format to this file too; may be repeated."),
    ] = None,
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
        nusmv=nusmv,
        solver=solver,
        select=select or (),
        ignore=ignore or (),
        exclude=exclude or (),
        format=format,
        output=output,
        fail_on=fail_on,
        timeout=timeout,
        bound=bound,
        protocol=protocol,
        spark=spark,
        spark_conf=spark_conf or (),
        runner=runner,
        shard_seconds=shard_seconds,
        shard_memory=shard_memory,
        jobs=jobs,
        config=config,
        explain_transients=explain_transients,
        report=report or (),
        coverage=coverage,
        certificate=certificate,
        quiet=quiet,
        root=root,
        max_file_mb=max_file_mb,
        force_exclude=force_exclude,
        estates_only=estates_only,
        notes=notes,
        baseline=baseline,
        stdin_filename=stdin_filename,
        statistics=statistics,
        watch=watch,
        also=also or (),
    )
    raise typer.Exit(run_check(arguments))


@app.command()
def verify(
    path: Annotated[str, typer.Argument(metavar="FILE", help="A certificate that `check --certificate` wrote.")],
) -> None:
    """Check a certificate, independently of check.

    Reads the certificate and the estate files it names, and checks every claim by a small program of its own.

    Exit code: 0 accepted, 1 refused, 2 wrong usage or a file that cannot be read.
    """
    from momlint.cli.verify import verify as run_verify

    raise typer.Exit(run_verify(path))


baseline = typer.Typer(
    help="What is there today, and is not to fail the check.", no_args_is_help=True, rich_markup_mode=None
)
app.add_typer(baseline, name="baseline")


@baseline.command()
def write(
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH...", help="Files, folders or globs; by default this folder.")
    ] = None,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="The baseline.")
    ] = "momlint-baseline.json",
    engine: Annotated[
        str | None, typer.Option(**words("auto|graph|smt|nusmv"), help="The engine, as in check.")
    ] = None,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", autocompletion=codes, help="Only these codes or prefixes (MOM3,MOM602)."),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="CODES", autocompletion=codes, help="Not these codes or prefixes.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="PATTERNS", help="Skip these when searching folders.")
    ] = None,
    jobs: Annotated[
        str | None,
        typer.Option(
            "--jobs", "-j", metavar="N|auto", help="Spread the work over N processes; auto: one per processor."
        ),
    ] = None,
    config: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Use this configuration, not the nearest momlint.toml or pyproject.toml."),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say nothing but errors.")] = False,
    root: _Root = None,
    max_file_mb: _MaxFileMb = None,
) -> None:
    """Write down every finding of today, so that check --baseline fails on new ones only.

    A finding is known by its file, its code and what it is about, and stays known when lines move.

    Exit code: 0 written, 2 wrong usage or a file that could not be read.
    """
    from momlint.cli.baseline import write_baseline
    from momlint.cli.check import Arguments

    arguments = Arguments(
        paths=paths or (),
        engine=engine,
        select=select or (),
        ignore=ignore or (),
        exclude=exclude or (),
        jobs=jobs,
        config=config,
        quiet=quiet,
        root=root,
        max_file_mb=max_file_mb,
    )
    raise typer.Exit(write_baseline(arguments, output))


fleet = typer.Typer(help="Many estates at once, on Spark.", no_args_is_help=True, rich_markup_mode=None)
app.add_typer(fleet, name="fleet")


@fleet.command()
def inventory(
    output: Annotated[
        str,
        typer.Option(
            "--output", "-o", metavar="DIR", help="The folder for the tables, or an address that Spark can write to."
        ),
    ],
    paths: Annotated[
        list[str] | None, typer.Argument(metavar="PATH...", help="Files, folders or globs; by default this folder.")
    ] = None,
    spark: Annotated[str, typer.Option(metavar="MASTER", help="The Spark master to run on.")] = "local[*]",
    spark_conf: Annotated[
        list[str] | None, typer.Option("--spark-conf", metavar="KEY=VALUE", help="A Spark setting; may be repeated.")
    ] = None,
    shard_seconds: Annotated[
        float | None,
        typer.Option("--shard-seconds", metavar="SECONDS", help="Give up on a file after this long (MOM901)."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite existing tables.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    root: _Root = None,
    max_file_mb: _MaxFileMb = None,
) -> None:
    """Write brokers, links, topics, pairs and findings as Parquet tables.

    Exit code: 0 written, 2 wrong usage or a file that could not be read.
    """
    from momlint.cli.fleet import inventory as run_inventory

    reading = Reading(root, max_file_mb)
    raise typer.Exit(run_inventory(paths or (), output, spark, spark_conf or (), shard_seconds, force, quiet, reading))


@app.command()
def plan(
    path: Annotated[str, typer.Argument(metavar="PATH", help="An estate, or - for standard input.")],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file: .yaml, .csv or .parquet."),
    ] = None,
    show: Annotated[
        str | None,
        typer.Option(**words("slsd|colours|tables|super|lookup"), help="Print these tables instead."),
    ] = None,
    broker: Annotated[str | None, typer.Option(metavar="BROKER", help="Only this broker's; use with --show.")] = None,
    sets: Annotated[
        str,
        typer.Option(
            **words("auto|listed|except"),
            help="How a row names its colours: all listed, or all except some; auto uses the shorter form.",
        ),
    ] = "auto",
    estate: Annotated[str | None, typer.Option(metavar="NAME", help="Which estate, if the file holds several.")] = None,
    spark: Annotated[
        str | None, typer.Option(metavar="MASTER", help="Spread the work over Spark; --output is then a folder.")
    ] = None,
    jobs: Annotated[
        str | None,
        typer.Option("--jobs", "-j", metavar="N|auto", help="Spread it over N processes; --output is then a folder."),
    ] = None,
    names: Annotated[
        bool, typer.Option("--names", help="Name new colours after what fails (none, 1--2), not 1, 2, 3.")
    ] = False,
    in_place: Annotated[
        bool,
        typer.Option(
            "--in-place", "-i", help="Write the failures section into the estate; for a folder, into every estate."
        ),
    ] = False,
    root: _Root = None,
    max_file_mb: _MaxFileMb = None,
) -> None:
    """Plan recovery tables for what the estate promises to survive.

    Prints the estate's whole `failures` section, with a colour for each failure and the condensed tables of all
    brokers. With --output FILE.csv or FILE.parquet the tables go there, and the section names the file. With
    --in-place the section is written into the estate's file, and the rest of it stays as it is.
    """
    from momlint.cli.plan import Arguments
    from momlint.cli.plan import plan as run_plan

    reading = Reading(root, max_file_mb)
    raise typer.Exit(
        run_plan(Arguments(path, output, show, broker, sets, estate, spark, jobs, names, in_place, reading))
    )


@app.command()
def trace(
    path: Annotated[str, typer.Argument(metavar="PATH", help="An estate, or - for standard input.")],
    source: Annotated[str, typer.Option("--from", metavar="BROKER", help="Where the message is published.")],
    dest: Annotated[str, typer.Option("--to", metavar="BROKER", help="Where it is wanted.")],
    colour: Annotated[str | None, typer.Option(metavar="COLOUR", help="By default the first.")] = None,
    estate: Annotated[str | None, typer.Option(metavar="NAME", help="Which one, where the file holds several.")] = None,
    root: _Root = None,
    max_file_mb: _MaxFileMb = None,
) -> None:
    """Show the walk of a message, with the lines it uses.

    Hop by hop, with file and line of each table entry that sends it on.

    Exit code: 0 it arrives, 1 it does not, 2 wrong usage or an estate that cannot be read.
    """
    from momlint.cli.trace import trace as run_trace

    raise typer.Exit(run_trace(path, source, dest, colour, estate, Reading(root, max_file_mb)))


@app.command()
def simulate(
    path: Annotated[str, typer.Argument(metavar="PATH", help="An estate, or - for standard input.")],
    script: Annotated[str | None, typer.Option(metavar="FILE", help="What clients do, and what happens.")] = None,
    failures: Annotated[
        str | None, typer.Option(metavar="FILE", help="Which links and brokers fail and heal, and when.")
    ] = None,
    protocol: Annotated[
        str | None, typer.Option(metavar="NAMES", help="With --failures: of pcrt,ospf,rrl; by default all.")
    ] = None,
    until: Annotated[
        float | None, typer.Option(metavar="TIME", help="With --failures: by default twice its last time.")
    ] = None,
    policy: Annotated[
        str | None,
        typer.Option(metavar="ROUTING/ORDER", help="As flooding/fifo; by default the estate's own."),
    ] = None,
    all_policies: Annotated[bool, typer.Option("--all", help="All six policies, side by side.")] = False,
    seed: Annotated[int, typer.Option(metavar="NUMBER", help="Of the random delays; the same gives the same.")] = 0,
    runs: Annotated[int, typer.Option(metavar="NUMBER", help="So many seeds, from that one on.")] = 1,
    form: Annotated[str, typer.Option("--format", "-f", **words("text|json|csv"), help="How to report.")] = "text",
    log: Annotated[bool, typer.Option("--log", help="With every message that is sent.")] = False,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")] = None,
    plot: Annotated[str | None, typer.Option(metavar="FILE", help="Draw it, as SVG.")] = None,
    jobs: Annotated[str | None, typer.Option(metavar="NUMBER", help="Run in so many processes; or auto.")] = None,
    spark: Annotated[str | None, typer.Option(metavar="MASTER", help="Run on this Spark.")] = None,
    estate: Annotated[str | None, typer.Option(metavar="NAME", help="Which one, where the file holds several.")] = None,
    root: _Root = None,
    max_file_mb: _MaxFileMb = None,
) -> None:
    """Run a script on simulated brokers: of clients and crashes, or of failures on an overlay.

    Who gets what and when, what is lost, comes twice or out of order, and how many messages it takes, under one policy
    or all six. A run is an example and no proof; `momlint check` proves.

    Exit code: 0 it ran, 1 the script has mistakes, 2 wrong usage or an estate that cannot run.
    """
    from momlint.cli.simulate import Arguments
    from momlint.cli.simulate import simulate as run_simulate

    reading = Reading(root, max_file_mb)
    raise typer.Exit(
        run_simulate(
            Arguments(
                path,
                script,
                failures,
                protocol,
                until,
                policy,
                all_policies,
                seed,
                runs,
                form,
                log,
                output,
                plot,
                jobs,
                spark,
                estate,
                reading,
            )
        )
    )


@app.command()
def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The estate as it was.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The estate as it is to be, or - for standard input.")],
    form: Annotated[str, typer.Option("--format", "-f", **words("text|json|markdown"), help="How to report.")] = "text",
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")] = None,
    estate: Annotated[str | None, typer.Option(metavar="NAME", help="Which one, where files hold several.")] = None,
    root: _Root = None,
    max_file_mb: _MaxFileMb = None,
) -> None:
    """Show what a change of an estate does to its users.

    Which pairs are newly broken, newly mended or take another way: while nothing has failed, in every declared colour
    and in every failure that `tolerate` promises.

    Exit code: 0 nothing is newly broken, 1 something is, 2 wrong usage or an estate that cannot be read.
    """
    from momlint.cli.diff import diff as run_diff

    raise typer.Exit(run_diff(old, new, form, estate, output, Reading(root, max_file_mb)))


@app.command()
def fix(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH...", help="Files, folders or globs, or - for standard input; by default this folder."
        ),
    ] = None,
    diff: Annotated[
        bool, typer.Option("--diff", help="Print what would change, as a unified diff, and write nothing.")
    ] = False,
    safe: Annotated[
        bool,
        typer.Option(
            "--safe",
            help="Only mends that leave no choice: they take nothing away, not even a comment, and name nothing.",
        ),
    ] = False,
    select: Annotated[
        list[str] | None, typer.Option(metavar="CODES", help="Mend findings of these rules only, such as MOM3.")
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="CODES", help="Leave these rules' findings alone.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="PATTERNS", help="Skip these when searching folders.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="For each question to an engine; 60 by default.")
    ] = None,
    config: Annotated[str | None, typer.Option(metavar="FILE", help="Use this configuration.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Say only what could not be read.")] = False,
    root: _Root = None,
    max_file_mb: _MaxFileMb = None,
) -> None:
    """Mend tables, links and comments, where the mend is proved.

    Wrong rows are corrected, missing rows and colours added, rows and links that are there twice removed, and unused
    suppression comments too: as few rows as can be, with comments and layout left as they are. An estate is changed
    only if both engines find less wrong with it afterwards, and nothing new.

    Exit code: 0 nothing is left, 1 an error is left, or with --diff something would change, 2 a file that could not be
    read or written, 3 something stays undecided.
    """
    from momlint.cli.check import Arguments
    from momlint.cli.fix import fix as run_fix

    arguments = Arguments(
        paths=paths or (),
        select=select or (),
        ignore=ignore or (),
        exclude=exclude or (),
        timeout=timeout,
        config=config,
        quiet=quiet,
        root=root,
        max_file_mb=max_file_mb,
    )
    raise typer.Exit(run_fix(arguments, diff=diff, safe=safe))


@app.command()
def view(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH...", help="Files, folders or globs, or - for standard input; by default this folder."
        ),
    ] = None,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file, report.html or drawing.svg."),
    ] = None,
    svg: Annotated[bool, typer.Option("--svg", help="Only the drawing of one estate, as SVG.")] = False,
    estate: Annotated[
        str | None, typer.Option(metavar="NAME", help="Which one to draw, where there are several; with --svg.")
    ] = None,
    colour: Annotated[
        str | None, typer.Option(metavar="COLOUR", help="Show what has failed in this colour; with --svg.")
    ] = None,
    source: Annotated[
        str | None, typer.Option("--from", metavar="BROKER", help="Show the walk from this broker; with --svg.")
    ] = None,
    dest: Annotated[str | None, typer.Option("--to", metavar="BROKER", help="And to this one; with --svg.")] = None,
    coverage: Annotated[
        bool, typer.Option("--coverage", help="Also show the rows, links and colours that no proof rests on.")
    ] = False,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", autocompletion=codes, help="Only these codes or prefixes (MOM3,MOM602)."),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="CODES", autocompletion=codes, help="Not these codes or prefixes.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="PATTERNS", help="Skip these when searching folders.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="For each question to an engine; 60 by default.")
    ] = None,
    config: Annotated[str | None, typer.Option(metavar="FILE", help="Use this configuration.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
    root: _Root = None,
    max_file_mb: _MaxFileMb = None,
) -> None:
    """Draw estates: one page with brokers, walks, findings and a matrix of pairs and colours.

    The page loads nothing and sends nothing. In it one chooses a finding and sees the walk that shows it, hop by hop,
    with the lines of the file that send the message on; or a colour, a pair, a topic.

    Exit code: 0 written, 2 wrong usage or a file that cannot be read.
    """
    from momlint.cli.check import Arguments
    from momlint.cli.view import Drawing
    from momlint.cli.view import view as run_view

    arguments = Arguments(
        paths=paths or (),
        select=select or (),
        ignore=ignore or (),
        exclude=exclude or (),
        timeout=timeout,
        config=config,
        output=output,
        coverage=coverage,
        quiet=quiet,
        root=root,
        max_file_mb=max_file_mb,
    )
    raise typer.Exit(run_view(arguments, Drawing(estate, colour, source, dest) if svg else None))


@app.command()
def studio(
    path: Annotated[str, typer.Argument(metavar="PATH", help="An estate in YAML; one that is not there yet is begun.")],
    port: Annotated[
        int,
        typer.Option(metavar="NUMBER", min=0, max=65535, help="The port on loopback; 0, the default, for a free one."),
    ] = 0,
    opens: Annotated[bool, typer.Option("--open", help="Open the address in a browser.")] = False,
    select: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", autocompletion=codes, help="Only these codes or prefixes (MOM3,MOM602)."),
    ] = None,
    ignore: Annotated[
        list[str] | None, typer.Option(metavar="CODES", autocompletion=codes, help="Not these codes or prefixes.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="For each question to an engine; 60 by default.")
    ] = None,
    config: Annotated[str | None, typer.Option(metavar="FILE", help="Use this configuration.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the address and nothing else.")] = False,
    root: _Root = None,
    max_file_mb: _MaxFileMb = None,
) -> None:
    """Edit an estate in the browser: the drawing, the findings, what fails, live.

    Serves one page on loopback and prints its address, which has a token in it; Ctrl-C ends it. Nothing is written
    before you save. Needs the extra studio: pip install 'momlint[studio]'.

    Exit code: 0 ended, 2 wrong usage or a file that cannot be read.
    """
    from momlint.cli.check import Arguments
    from momlint.cli.studio import studio as run_studio

    arguments = Arguments(
        paths=[path],
        select=select or (),
        ignore=ignore or (),
        timeout=timeout,
        config=config,
        quiet=quiet,
        root=root,
        max_file_mb=max_file_mb,
    )
    raise typer.Exit(run_studio(arguments, port, opens=opens))


@app.command()
def render(
    path: Annotated[str, typer.Argument(metavar="PATH", help="An estate, or - for standard input.")],
    to: Annotated[str, typer.Option(**words("smv|smt2|graphml|cub"), help="The language to render to.")],
    model: Annotated[
        str | None,
        typer.Option(
            **words("walk|takeover|addresses"),
            help="smv: the walk of a message (the default), take-overs of clients while a broker is down, or the "
            "walk with addresses as source and destination.",
        ),
    ] = None,
    all_pairs: Annotated[
        bool, typer.Option("--all-pairs", help="smv: a specification for every pair, not only for super-paths.")
    ] = False,
    literal: Annotated[
        bool, typer.Option("--literal", help="smv: the form used in the literature, many times slower to check.")
    ] = False,
    dest: Annotated[
        str | None,
        typer.Option("--dest", metavar="BROKER", help="smt2: only messages for this broker."),
    ] = None,
    estate: Annotated[str | None, typer.Option(metavar="NAME", help="Which estate, if the file holds several.")] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")] = None,
    root: _Root = None,
    max_file_mb: _MaxFileMb = None,
) -> None:
    """Write the encodings, for a solver or a model checker of your own, or the topology as a graph.

    To smv and smt2, the question is whether every message that a topic needs arrives, in every colour; to smv, the
    estate's own specifications are asked too. To graphml, brokers and links are written, for programs that draw or
    measure graphs; `import` reads them back. To cub, publish/subscribe clients are written in Cubicle's language.
    """
    from momlint.cli.render import Arguments
    from momlint.cli.render import render as run_render

    reading = Reading(root, max_file_mb)
    raise typer.Exit(run_render(Arguments(path, to, dest, model, all_pairs, literal, estate, output, reading)))


@app.command("import")
def import_(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="Configuration files of brokers; or GraphML or node-link JSON; - for standard input.",
        ),
    ],
    label: Annotated[
        str | None,
        typer.Option(metavar="ATTRIBUTE", help="Name brokers by this attribute of the nodes, not by their ids."),
    ] = None,
    name: Annotated[str | None, typer.Option(metavar="NAME", help="The estate's name; by default the file's.")] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")] = None,
) -> None:
    """Print an estate for configuration files of brokers, or for a topology in GraphML or node-link JSON.

    Configuration files of one family become one estate, whose links name the lines that they come from. Of a graph,
    nodes become brokers, edges become links, with cost (or weight), latency_ms (or latency) and availability where
    they are given; directed edges are links one way.

    Exit code: 0 written, 2 wrong usage or a file that cannot be read.
    """
    from momlint.cli.importing import import_files

    raise typer.Exit(import_files(paths, label, name, output))


@app.command()
def explain(
    rule: Annotated[
        str, typer.Argument(metavar="CODE", autocompletion=rules_like, help="The code or the name of a rule.")
    ],
) -> None:
    """Say what a rule means, with examples."""
    import shutil

    from momlint.catalog import load_rules
    from momlint.cli.console import write
    from momlint.cli.explain import find, own_rules, page

    write(page(find(rule, load_rules(), own_rules), shutil.get_terminal_size().columns))


@app.command()
def rules(
    format: Annotated[str, typer.Option("--format", "-f", **words("text|json|markdown"))] = "text",
) -> None:
    """List the rules."""
    from momlint.catalog import load_rules
    from momlint.cli.console import write
    from momlint.cli.explain import own_rules, table
    from momlint.config import choice

    write(table([*load_rules(), *own_rules()], choice("--format", format, ("text", "json", "markdown"))))


settings = typer.Typer(no_args_is_help=True, help="The settings of momlint.toml and [tool.momlint].")
app.add_typer(settings, name="config")


@settings.command("show")
def show_settings(
    path: Annotated[str, typer.Argument(metavar="PATH", help="What would be checked.")] = ".",
    config: Annotated[str | None, typer.Option(metavar="FILE", help="This configuration, not the nearest one.")] = None,
    form: Annotated[str, typer.Option("--format", "-f", **words("text|json"), help="How to show them.")] = "text",
) -> None:
    """Show every setting, its value and where it comes from."""
    from momlint.cli.config import show

    raise typer.Exit(show(path, config, form))


@app.command()
def schema(
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="Write to this file.")] = None,
    of: Annotated[
        str,
        typer.Option(
            **words("estate|config|rule|report|statistics|diff|simulation|why"),
            help="Of estates, of momlint.toml, or of what is written as JSON.",
        ),
    ] = "estate",
) -> None:
    """Print a JSON Schema: of the language, of the settings, or of what momlint writes as JSON."""
    import json

    from momlint.cli.console import write
    from momlint.cli.schema import schema_of

    write(json.dumps(schema_of(of), ensure_ascii=False, indent=2) + "\n", output)


@app.command()
def init(
    paths: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="FILE...", help="The file to write, topology.yaml by default; with --from, files to name."
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
    kind: Annotated[
        str | None,
        typer.Option("--from", metavar="KIND", help="Print a manifest for configuration files of this kind of broker."),
    ] = None,
) -> None:
    """Write a starter estate with comments; or print a manifest: `momlint init --from mosquitto *.conf`."""
    from momlint.cli.init import init as run_init
    from momlint.cli.init import manifest
    from momlint.errors import UsageError

    if kind is not None:
        manifest(kind, paths or [])
        return
    if paths is not None and len(paths) > 1:
        raise UsageError("init writes one file; with --from, several are named")
    run_init(paths[0] if paths else "topology.yaml", force)


@app.command()
def why(
    path: Annotated[str, typer.Argument(metavar="PATH", help="An estate, or - for standard input.")],
    source: Annotated[str, typer.Option("--from", metavar="BROKER", help="Where the message starts.")],
    dest: Annotated[str, typer.Option("--to", metavar="BROKER", help="Where it is to arrive.")],
    colour: Annotated[
        str | None, typer.Option(metavar="COLOUR", help="In this colour; by default the first one.")
    ] = None,
    estate: Annotated[str | None, typer.Option(metavar="NAME", help="Which estate, if the file has several.")] = None,
    engine: Annotated[
        str | None,
        typer.Option(**words("auto|graph|smt"), help="Who says so; auto asks both, and they must agree."),
    ] = None,
    format: Annotated[str | None, typer.Option("--format", "-f", **words("text|json"), help="How to write it.")] = None,
    root: _Root = None,
    max_file_mb: _MaxFileMb = None,
) -> None:
    """Say why a message arrives, or what would mend it: the lines.

    For a message that arrives: the rows and links (and the colour) of which a change can stop it; no change of another
    line does. For one that does not: the fewest lines whose change lets it arrive.

    Exit code: 0 it arrives, 1 it does not.
    """
    from momlint.cli.why import why as run_why

    raise typer.Exit(run_why(path, source, dest, colour, estate, engine, format, Reading(root, max_file_mb)))


@app.command()
def lsp(
    stdio: Annotated[
        bool, typer.Option("--stdio", help="Talk over standard input and output, which it does in any case.")
    ] = False,
) -> None:
    """Serve an editor: findings while you type, hover, names, completion, mends.

    Editors start it themselves and talk to it over standard input and output (the Language Server Protocol). It needs
    the extra `lsp`: pip install "momlint[lsp]".
    """
    from momlint.cli.lsp import serve

    raise typer.Exit(serve())
