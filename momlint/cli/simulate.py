"""``momlint simulate``: scripts on simulated brokers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from momlint import config
from momlint.access import reason
from momlint.cli import estates, exits
from momlint.cli.console import Progress, coloured, columns, complain, refuse_input, write
from momlint.cli.reading import Reading
from momlint.errors import UsageError
from momlint.words import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from momlint.findings import Problem
    from momlint.report.options import Format
    from momlint.simulation.designs import Setting
    from momlint.simulation.steps import Step

FORMS = ("text", "json", "csv")
MOST_RUNS = 100_000
#: Of simulated time.
LATEST = 1e9


@dataclass(frozen=True, slots=True)
class Arguments:
    """What the command line says of ``momlint simulate``."""

    path: str
    script: str | None = None
    failures: str | None = None
    protocol: str | None = None
    until: float | None = None
    policy: str | None = None
    all_policies: bool = False
    seed: int = 0
    runs: int = 1
    form: str = "text"
    log: bool = False
    output: str | None = None
    plot: str | None = None
    jobs: str | None = None
    spark: str | None = None
    estate: str | None = None
    reading: Reading = field(default_factory=Reading)


def simulate(arguments: Arguments) -> int:
    """Run, and write what came of it: 0, or 1 where the script has mistakes. Raises `UsageError`."""
    config.choice("--format", arguments.form, FORMS)
    if not 1 <= arguments.runs <= MOST_RUNS:
        raise UsageError(f"--runs must be from 1 to {MOST_RUNS:,}, not {arguments.runs}")
    if arguments.script is not None and arguments.failures is not None:
        raise UsageError("--script and --failures: choose one")
    if arguments.failures is not None:
        if arguments.policy is not None or arguments.all_policies or arguments.log:
            raise UsageError("--policy, --all and --log go with --script")
        check_packages()
        return _failing(arguments, arguments.failures)
    if arguments.protocol is not None or arguments.until is not None:
        raise UsageError("--protocol and --until go with --failures")
    if arguments.script is None:
        raise UsageError("name the script with --script, or with --failures")
    if arguments.all_policies and arguments.policy is not None:
        raise UsageError("--policy and --all: choose one")
    if arguments.log and (arguments.form == "csv" or arguments.runs > 1):
        raise UsageError("--log goes with one run, as text or json")
    check_packages()
    return _scripted(arguments, arguments.script)


def check_packages() -> None:
    """Raises `UsageError` where the extra `simulation` is not installed."""
    try:
        import simpy  # noqa: F401
    except ImportError as error:
        raise UsageError("simulate needs simpy; install it with `pip install 'momlint[simulation]'`") from error


def _scripted(arguments: Arguments, script: str) -> int:
    from momlint.simulation.designs import POLICIES, setting_of
    from momlint.simulation.steps import Names, read_script

    loaded = estates.load(arguments.path, arguments.estate, arguments.reading, section="sites")
    read = [*(source.file for source in loaded.sources), script]
    refuse_input("--output", arguments.output, read)
    refuse_input("--plot", arguments.plot, read)
    setting = setting_of(loaded)
    names = [setting.policy.name] if arguments.policy is None else [arguments.policy]
    if arguments.all_policies:
        names = list(POLICIES)
    policies = {name: setting.under(name) for name in names}
    text, problems = _text(script, arguments.reading)
    if not problems:
        steps, problems = read_script(text, Names([one.name for one in setting.clients], setting.brokers))
    if problems:
        return _report(arguments, script, text, problems)
    _warn(setting, steps)
    from momlint.fleet.simulations import many_runs

    with Progress() as progress:
        done = many_runs(
            setting, policies, steps, arguments.seed, arguments.runs, arguments.jobs, arguments.spark, progress
        )
    from momlint.simulation import reports

    if arguments.plot is not None:
        from momlint.simulation.plots import plot_deliveries

        write(plot_deliveries(done), arguments.plot)
    if arguments.form == "json":
        write(reports.as_json(done, log=arguments.log), arguments.output)
    elif arguments.form == "csv":
        write(reports.as_csv(done, arguments.seed), arguments.output)
    else:
        write(reports.as_text(done, log=arguments.log), arguments.output)
    return exits.OK


def _failing(arguments: Arguments, script: str) -> int:
    from momlint.simulation.faults import read_faults
    from momlint.simulation.overlays import topology_of
    from momlint.simulation.recovering import PROTOCOLS

    protocols = arguments.protocol.split(",") if arguments.protocol is not None else list(PROTOCOLS)
    for name in protocols:
        if name not in PROTOCOLS:
            raise UsageError(f"--protocol: there is no protocol `{name}`; choose from {', '.join(PROTOCOLS)}")
    protocols = list(dict.fromkeys(protocols))
    if arguments.until is not None and not 0 < arguments.until <= LATEST:
        raise UsageError(f"--until must be above 0 and at most {LATEST:,.0f}, not {arguments.until:g}")
    loaded = estates.load(arguments.path, arguments.estate, arguments.reading)
    read = [*(source.file for source in loaded.sources), script]
    refuse_input("--output", arguments.output, read)
    refuse_input("--plot", arguments.plot, read)
    topology = topology_of(loaded, colours="pcrt" in protocols)
    text, problems = _text(script, arguments.reading)
    if not problems:
        faults, problems = read_faults(text, topology.elements())
    if problems:
        return _report(arguments, script, text, problems)
    # As long again as the script is, so that what it does can be seen to the end.
    until = arguments.until or (2 * faults[-1].at if faults and faults[-1].at else 100.0)
    from momlint.fleet.simulations import many_recoveries
    from momlint.simulation import recovery_reports

    with Progress() as progress:
        done = many_recoveries(
            topology,
            protocols,
            faults,
            until,
            arguments.seed,
            arguments.runs,
            arguments.jobs,
            arguments.spark,
            progress,
        )
    if arguments.plot is not None:
        from momlint.simulation.plots import plot_recovery

        write(plot_recovery(done), arguments.plot)
    if arguments.form == "json":
        write(recovery_reports.as_json(done), arguments.output)
    elif arguments.form == "csv":
        write(recovery_reports.as_csv(done, arguments.seed), arguments.output)
    else:
        write(recovery_reports.as_text(done), arguments.output)
    return exits.OK


def _text(file: str, reading: Reading) -> tuple[str, Sequence[Problem]]:
    """The script, and what of it is no text. Raises `UsageError` where it cannot be read."""
    from momlint.access import Access
    from momlint.source.decoding import decode

    try:
        # It is named on the command line, so wherever it is, it may be read.
        data = Access(None, reading.most_bytes).read(file)
    except OSError as error:
        raise UsageError(f"{file}: {reason(error)}") from error
    text, problems, _ = decode(data)
    return text.text, problems


def _report(arguments: Arguments, file: str, text: str, problems: Sequence[Problem]) -> int:
    """The script's mistakes, as `momlint check` reports those of an estate."""
    from momlint.lint import report_of_problems
    from momlint.report import render
    from momlint.simulation.lines import lines_of

    report = report_of_problems(file, lines_of(text), problems)
    form: Format = "json" if arguments.form == "json" else "text"
    to_terminal = arguments.output is None
    rendered = render(
        form, report, colour=to_terminal and coloured(), width=columns() if to_terminal else None, fail_on="error"
    )
    write(rendered.text, arguments.output)
    return exits.FINDINGS


def _warn(setting: Setting, steps: Sequence[Step]) -> None:
    """Say which topics the estate does not declare: what `momlint check` proves of it does not speak of them."""
    from momlint.simulation.steps import Publish, Subscribe

    declared = {client.name: client for client in setting.clients}
    strange: dict[str, None] = {}
    for step in steps:
        if isinstance(step, Subscribe) and step.wanted and step.topic not in declared[step.client].subscribes:
            strange[f"{step.client} subscribes to {step.topic}"] = None
        if isinstance(step, Publish) and step.topic not in declared[step.client].publishes:
            strange[f"{step.client} publishes {step.topic}"] = None
    if strange:
        told = listed(list(strange), plain=True)
        complain(f"momlint: note: the estate does not declare that {told}; `momlint check` does not speak of it")
