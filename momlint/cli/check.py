"""``momlint check``: configuration, files, the pipeline, the report, the exit code."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from momlint import config, discover
from momlint.access import Access
from momlint.baseline import NEVER
from momlint.cli import exits
from momlint.cli.console import Progress, clear, coloured, columns, complain, read_stdin, refuse_input, write
from momlint.cli.reading import Reading
from momlint.errors import UsageError
from momlint.findings import OWN_FAULT, Severity

if TYPE_CHECKING:
    from collections.abc import Callable

    from momlint.baseline import Baseline
    from momlint.catalog import RuleName
    from momlint.config import Config, EngineName, FailOnName, FormatName
    from momlint.findings import Finding, Report
    from momlint.fleet.choose import RunnerOptions
    from momlint.lint import Options
    from momlint.policies.form import Policy
    from momlint.report import Rendered
    from momlint.report.options import Notes

#: A solver gave up; counted apart from what was found.
UNDECIDED_CODE = "MOM901"
#: MiB; with less momlint's own imports do not fit.
LEAST_MEMORY = 512


class Arguments(NamedTuple):
    """The command line of ``check`` as it was given; `None` where an option was not."""

    paths: Sequence[str]
    engine: str | None = None
    nusmv: str | None = None
    solver: str | None = None
    select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    exclude: Sequence[str] = ()
    format: str | None = None
    output: str | None = None
    fail_on: str | None = None
    timeout: float | None = None
    bound: str | None = None
    protocol: bool = False
    spark: str | None = None
    spark_conf: Sequence[str] = ()
    runner: str | None = None
    shard_seconds: float | None = None
    shard_memory: int | None = None
    jobs: str | None = None
    config: str | None = None
    explain_transients: bool = False
    report: Sequence[str] = ()
    coverage: bool = False
    certificate: str | None = None
    quiet: bool = False
    root: str | None = None
    max_file_mb: int | None = None
    force_exclude: bool = False
    estates_only: bool = False
    notes: str | None = None
    baseline: str | None = None
    stdin_filename: str | None = None
    statistics: bool = False
    watch: bool = False
    also: Sequence[str] = ()


def check(arguments: Arguments) -> int:
    """Check what `arguments` name, write the report, and return the exit code. Raises `UsageError`.

    With `watch`: again whenever something changes, until it is interrupted.
    """
    return _watch(arguments) if arguments.watch else _check(arguments)[0]


def _watch(arguments: Arguments) -> NoReturn:
    from momlint.cli.watch import Watched, watch

    if discover.STDIN in _paths(arguments):
        raise UsageError("--watch checks files again when they change, and standard input does not; name files")
    written = [arguments.output, arguments.certificate, *(file for _, file in _also(arguments))]
    watched = Watched(
        tuple(_paths(arguments)),
        tuple(filter(None, (arguments.config, arguments.baseline))),
        frozenset(os.path.realpath(file) for file in written if file is not None),
    )
    read: set[str] | None = None

    def once() -> set[str]:
        nonlocal read
        clear()
        try:
            report = _check(arguments)[1]
            settings = _settings(arguments)
            baseline = _baseline_path(arguments, settings)
            rules = [policy.file for policy in policies_of(settings)]
        except UsageError as error:
            # At first that is what the user asked for; later a setting that is being edited.
            if read is None:
                raise
            complain(f"momlint: error: {error}", *error.more)
        else:
            read = {*report.sources, *(finding.file for finding in report.findings), *filter(None, [baseline]), *rules}
        return read

    watch(watched, once, lambda words: None if arguments.quiet else complain(f"momlint: {words}"))


def _check(arguments: Arguments) -> tuple[int, Report]:
    """The exit code, and the report that was written."""
    from momlint.catalog import rule_names

    if arguments.output is not None:
        _writable("--output", arguments.output)
    also = _also(arguments)
    if arguments.certificate is not None:
        _writable("--certificate", arguments.certificate)
    settings = _settings(arguments)
    options = _options(arguments, settings, rule_names())
    form: FormatName = config.choice("--format", arguments.format or settings.format or "text", config.FORMATS)
    if form != "text" and not {*options.sections} <= ({"coverage"} if form == "json" else set()):
        named = (("--explain-transients", arguments.explain_transients), ("--report", bool(arguments.report)))
        asked = next((option for option, is_given in named if is_given), "--coverage")
        raise UsageError(f"{asked} adds a section to the text report and cannot be used with --format {form}")
    if arguments.statistics and form not in ("text", "concise", "json"):
        raise UsageError(f"--statistics prints text or json and cannot be used with --format {form}")
    if arguments.statistics and options.sections:
        raise UsageError(
            "--statistics stands in place of the report, which --explain-transients, --report and --coverage add to"
        )
    fail_on: FailOnName = config.choice("--fail-on", arguments.fail_on or settings.fail_on or "error", config.FAIL_ON)

    notes: Notes = config.choice("--notes", arguments.notes or "brief", ("full", "brief"))
    if arguments.notes is not None and form != "text":
        raise UsageError(f"--notes shapes the text report; --format {form} has every note")

    runner_options = _runner_options(arguments, options.jobs)
    found = _found(arguments, settings, options)
    baseline = _baseline_path(arguments, settings)
    read = [*found.files, *(file for file in (settings.file, baseline) if file is not None)]
    read += [policy.file for policy in options.policies]
    refuse_input("--output", arguments.output, read)
    for _, file in also:
        refuse_input("--also", file, read)
    if arguments.certificate is not None:
        _certifiable(arguments.certificate, found.files, arguments.output)
    with Progress(not arguments.quiet) as progress:
        report = _judged(arguments, options, runner_options, found, progress)

        progress("writing the report")
        own = options.policies
        rendered = _rendered(form, report, arguments, fail_on, notes, own)
        besides = [(_rendered(other, report, arguments, fail_on, "full", own, file), file) for other, file in also]
    # What files include is known only now.
    refuse_input("--output", arguments.output, report.sources)
    refuse_input("--certificate", arguments.certificate, report.sources)
    for _, file in also:
        refuse_input("--also", file, report.sources)
    for other, file in besides:
        write(other.text, file)
    write(rendered.text, arguments.output)
    if not arguments.quiet:
        for notice in dict.fromkeys(
            notice for one in (rendered, *(other for other, _ in besides)) for notice in one.notices
        ):
            complain(f"momlint: note: {notice}")
        if baseline is not None:
            _tell_known(baseline, report)
        if report.summary.brokers:
            _tell_idle(options.policies, report)
    for failure in report.failures:
        complain(f"momlint: error: {failure}")
    code = exit_code(report, fail_on)
    return code if arguments.certificate is None else _certify(arguments.certificate, report, code), report


#: The variables that say where the repository begins, for formats of which services take names from there.
_ROOTS: dict[FormatName, tuple[str, ...]] = {
    "github": ("GITHUB_WORKSPACE",),
    "sarif": ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"),
    "gitlab": ("CI_PROJECT_DIR",),
    "markdown": ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"),
}


def _rendered(
    form: FormatName,
    report: Report,
    arguments: Arguments,
    fail_on: FailOnName,
    notes: Notes,
    policies: Sequence[Policy],
    also: str | None = None,
) -> Rendered:
    """The report in this format: for `--output` or standard output, or for the file `also`."""
    from momlint.catalog import load_rules
    from momlint.report import render

    root = next(filter(None, map(os.environ.get, _ROOTS.get(form, ()))), None)
    if root is not None:
        from momlint.report.placing import placed

        report = placed(report, os.path.realpath(root), os.path.realpath(os.curdir))
    to_terminal = also is None and arguments.output is None
    return render(
        form,
        report,
        rules=(*load_rules(), *(policy.rule for policy in policies)) if form == "sarif" else (),
        colour=to_terminal and coloured(),
        width=columns() if to_terminal else None,
        quiet=arguments.quiet,
        fail_on=fail_on,
        notes=notes,
        statistics=arguments.statistics and also is None,
    )


def _also(arguments: Arguments) -> list[tuple[FormatName, str]]:
    """What else is written: formats, each with its file."""
    found: list[tuple[FormatName, str]] = []
    taken = {os.path.realpath(file) for file in (arguments.output, arguments.certificate) if file is not None}
    for word in arguments.also:
        name, equals, file = word.partition("=")
        if not equals or not file:
            raise UsageError(f"--also takes FORMAT=FILE, as in sarif=momlint.sarif, not {word!r}")
        form: FormatName = config.choice("--also", name, config.FORMATS)
        _writable("--also", file)
        if os.path.realpath(file) in taken:
            raise UsageError(f"--also: {file} is also another file of this run; name a different one")
        taken.add(os.path.realpath(file))
        found.append((form, file))
    return found


def judge(arguments: Arguments, read: Callable[[], bytes] | None = None) -> Report:
    """The report that ``check`` would write of what `arguments` name. Raises `UsageError`.

    `read`: what stands for standard input.
    """
    from momlint.catalog import rule_names

    settings = _settings(arguments)
    options = _options(arguments, settings, rule_names())
    runner_options = _runner_options(arguments, options.jobs)
    found = _found(arguments, settings, options)
    with Progress(not arguments.quiet) as progress:
        return _judged(arguments, options, runner_options, found, progress, read)


def options_of(arguments: Arguments) -> Options:
    """How to check what `arguments` name, by its configuration too. Raises `UsageError`."""
    from momlint.catalog import rule_names

    return _options(arguments, _settings(arguments), rule_names())


def prepared(arguments: Arguments) -> tuple[Options, list[str], list[str]]:
    """How to check what `arguments` name, the files, and sentences about what could not be found or read.

    Raises `UsageError`.
    """
    from momlint.catalog import rule_names

    if arguments.timeout is not None and not 0 < arguments.timeout < float("inf"):
        raise UsageError(f"--timeout must be a number of seconds above 0, not {arguments.timeout}")
    settings = _settings(arguments)
    options = _options(arguments, settings, rule_names())
    found = _found(arguments, settings, options)
    return options, found.files, found.failures


def everything(arguments: Arguments, folder: str) -> Report:
    """A report whose `known` is all that is found, which a baseline in `folder` would have to know.

    A finding may keep others from being told, which speak up once it is known. Raises `UsageError`, also where
    something could not be read: what it holds would be missing.
    """
    from momlint.baseline import of_findings
    from momlint.catalog import rule_names

    settings = _settings(arguments)._replace(baseline=None)
    options = _options(arguments, settings, rule_names())
    runner_options = _runner_options(arguments, options.jobs)
    found = _found(arguments, settings, options)
    if discover.STDIN in found.files:
        raise UsageError("standard input has no name that a baseline could hold; name files or folders")
    told: list[Finding] = []
    with Progress(not arguments.quiet) as progress:
        while True:
            report = _judged(arguments, options, runner_options, found, progress)
            if report.failures:
                raise UsageError(*report.failures)
            for finding in report.findings:
                if finding.code == OWN_FAULT:
                    raise UsageError(f"{finding.file}: {finding.message}", finding.help)
            if all(finding.code in NEVER for finding in report.findings):
                return report
            told += report.findings
            options = replace(options, baseline=of_findings(told, folder))


def _paths(arguments: Arguments) -> list[str]:
    name = arguments.stdin_filename
    if name is None:
        return list(arguments.paths) or ["."]
    paths = list(arguments.paths) or [discover.STDIN]
    if discover.STDIN not in paths:
        raise UsageError(f"--stdin-filename names standard input, which is not checked; add {discover.STDIN}")
    if not os.path.basename(name) or os.path.isdir(name):
        raise UsageError(f"--stdin-filename must be the name of a file, not {name!r}")
    return paths


def _found(arguments: Arguments, settings: Config, options: Options) -> discover.Found:
    excluded = _excluded(arguments.exclude, settings)
    found = discover.discover(
        _paths(arguments),
        excluded,
        force=arguments.force_exclude,
        estates_only=arguments.estates_only,
        most=options.most_bytes,
    )
    name = arguments.stdin_filename
    if name is not None:
        # Standard input stands for the file of its name, whatever that holds on the disk.
        same = os.path.realpath(name)
        left_out = arguments.force_exclude and excluded(name)
        found.files = [
            file for file in found.files if (not left_out if file == discover.STDIN else os.path.realpath(file) != same)
        ]
    if not arguments.quiet:
        for note in found.notes:
            complain(f"momlint: note: {note}")
    return found


def _judged(
    arguments: Arguments,
    options: Options,
    runner_options: RunnerOptions | None,
    found: discover.Found,
    progress: Progress,
    read: Callable[[], bytes] | None = None,
) -> Report:
    from momlint.lint import lint_files

    read = read or _stdin(options)
    if runner_options is None:
        report = lint_files(found.files, options, read, progress)
    else:
        report = _lint_by_many(found.files, options, runner_options, arguments.quiet, progress, read)
    report.failures[:0] = found.failures
    return report


def _tell_idle(policies: Sequence[Policy], report: Report) -> None:
    """Say which rules of the user's own speak of nothing: a tag may be misspelt, and that is no pass."""
    for policy in policies:
        if policy.code in report.idle_rules:
            topics = policy.topics.words("topics")
            complain(f"momlint: note: {policy.code} ({policy.rule.id}) speaks of nothing here: there are no {topics}")


def _tell_known(baseline: str, report: Report) -> None:
    """Say what the baseline hides, and what it no longer needs to."""
    from momlint.words import counted

    if report.known:
        complain(f"momlint: note: {baseline} hides {counted(len(report.known), 'finding')}")
    if report.outdated:
        gone = counted(report.outdated, "finding")
        complain(
            f"momlint: note: {baseline} has {gone} that this run did not find; write it again once they are mended"
        )


def exit_code(report: Report, fail_on: FailOnName) -> int:
    """2 for what could not be read or is momlint's fault, 1 for findings, 3 for undecided, else 0.

    A finding that says "undecided" makes 3 and not 1, unless something else is an error; with ``never``
    nothing that was found or left open makes a run fail.
    """
    if report.failures or any(finding.code == OWN_FAULT for finding in report.findings):
        return exits.FAULT
    if fail_on == "never":
        return exits.OK
    found = [finding.severity for finding in report.findings if finding.code != UNDECIDED_CODE]
    undecided = report.summary.undecided > 0 or len(found) < len(report.findings)
    if undecided and Severity.ERROR not in found:
        return exits.UNDECIDED
    limit = Severity(fail_on).rank
    return exits.FINDINGS if any(severity.rank <= limit for severity in found) else exits.OK


def _runner_options(arguments: Arguments, jobs: int) -> RunnerOptions | None:
    """What is asked of a fleet; None where nothing is, and one file is checked after the other here."""
    from momlint.config import choice

    seconds, memory = arguments.shard_seconds, arguments.shard_memory
    if seconds is not None and not 0 < seconds < float("inf"):
        raise UsageError(f"--shard-seconds must be a number of seconds above 0, not {seconds}")
    if memory is not None and memory < LEAST_MEMORY:
        raise UsageError(f"--shard-memory must be at least {LEAST_MEMORY} (MiB), not {memory}")
    runner = None if arguments.runner is None else choice("--runner", arguments.runner, ("auto", "process", "spark"))
    if arguments.spark is not None and runner == "process":
        raise UsageError("--spark needs --runner auto or spark, not process")
    from momlint.cli.fleet import settings_of

    conf = settings_of(arguments.spark_conf)
    if conf and arguments.spark is None and runner != "spark":
        raise UsageError("--spark-conf needs --spark or --runner spark")
    if runner is None and arguments.spark is None and seconds is None and memory is None and jobs == 1:
        return None
    from momlint.fleet.choose import RunnerOptions

    asked = jobs if jobs > 1 or arguments.jobs is not None else None
    if runner is None and arguments.spark is None:
        asked = jobs
    return RunnerOptions(runner, arguments.spark, asked, seconds, None if memory is None else memory << 20, conf)


def _lint_by_many(
    files: Sequence[str],
    options: Options,
    runner_options: RunnerOptions,
    quiet: bool,
    progress: Progress,
    read: Callable[[], bytes],
) -> Report:
    from momlint.fleet import check_files
    from momlint.fleet.choose import choose

    choice = choose(files, runner_options, progress, options.engine)
    if not quiet and (runner_options.runner is not None or runner_options.master is not None):
        complain(f"momlint: note: {choice.reason}")
    with choice.runner as runner:
        return check_files(files, options, runner, read, choice.limits, fetch=choice.fetch, seconds=choice.seconds)


def _stdin(options: Options) -> Callable[[], bytes]:
    return lambda: read_stdin(options.most_bytes)


def _writable(option: str, output: str) -> None:
    """Say so before the work is done, not after, that there is no place for its result."""
    folder = os.path.dirname(output) or "."
    if os.path.isdir(output):
        raise UsageError(f"{option}: {output} is a folder; name a file")
    if not os.path.isdir(folder):
        raise UsageError(f"{option}: there is no folder {folder}")


def _certifiable(certificate: str, files: Sequence[str], output: str | None) -> None:
    """A certificate names the files it is of, and must not take the place of one."""
    if discover.STDIN in files:
        raise UsageError("--certificate: a certificate names its files, and standard input has no name")
    if any(os.path.realpath(certificate) == os.path.realpath(other) for other in [*files, output or ""]):
        raise UsageError(f"--certificate: {certificate} is also another file of this run; name a different one")


def _certify(certificate: str, report: Report, code: int) -> int:
    """Write the certificate, of all estates or not at all; the exit code."""
    wrong = report.failures or any(finding.severity is Severity.ERROR for finding in report.findings)
    if wrong or report.summary.undecided:
        complain(f"momlint: note: {certificate} is not written: only a run without errors can be certified")
        return code
    for reason in report.uncertified:
        complain(f"momlint: error: {reason}")
    if report.uncertified or not report.certificates:
        complain(f"momlint: error: {certificate} is not written: a certificate covers all estates of a run")
        return exits.FAULT
    from momlint.routed.certificate.form import write as certificate_of

    write(certificate_of(report.certificates), certificate)
    return code


def _settings(arguments: Arguments) -> Config:
    named, stdin_filename, paths = arguments.config, arguments.stdin_filename, _paths(arguments)
    if named is not None:
        return config.load(named)
    return config.find(stdin_filename or "." if paths[0] == discover.STDIN else paths[0])


#: What `--bound` takes, and from where to where. Beyond, nobody would see the end.
_BOUNDS = {
    "events": (1, 6),
    "publishers": (1, 6),
    "crashes": (0, 6),
    "brokers": (2, 6),
    "failures": (1, 4),
    "losses": (0, 4),
}


def _bound(given: str | None) -> tuple[tuple[str, int], ...]:
    """What ``events=4,crashes=2`` says. Raises `UsageError`."""
    found: dict[str, int] = {}
    for part in given.split(",") if given is not None else ():
        name, equals, number = (word.strip() for word in part.partition("="))
        if name not in _BOUNDS or not equals:
            names = ", ".join(f"{name}=N" for name in _BOUNDS)
            raise UsageError(f"--bound takes {names}, joined by commas, not {part.strip()!r}")
        least, most = _BOUNDS[name]
        if not (number.isascii() and number.isdigit() and len(number) < 9 and least <= int(number) <= most):
            raise UsageError(f"--bound: {name} must be a number from {least} to {most}, not {number!r}")
        found[name] = int(number)
    return tuple(found.items())


def _options(arguments: Arguments, settings: Config, rules: Sequence[RuleName]) -> Options:
    from momlint.lint import Options

    if arguments.timeout is not None and not 0 < arguments.timeout < float("inf"):
        raise UsageError(f"--timeout must be a number of seconds above 0, not {arguments.timeout}")
    policies = policies_of(settings)
    codes = [*(rule.code for rule in rules), *(policy.code for policy in policies)]
    ids = {**{rule.id: rule.code for rule in rules}, **{policy.rule.id: policy.code for policy in policies}}
    select, ignore = config.split_codes(arguments.select), config.split_codes(arguments.ignore)
    where = settings.file or "configuration"
    config.check_codes(select, codes, ids, "--select")
    config.check_codes(ignore, codes, ids, "--ignore")
    for key in ("select", "ignore", "extend_select", "extend_ignore"):
        config.check_codes(getattr(settings, key) or (), codes, ids, f"{where}: {key.replace('_', '-')}")
    config.check_codes([code for code, _ in settings.severity], codes, ids, f"{where}: severity")
    for pattern, ignored in settings.per_file_ignores:
        config.check_codes(ignored, codes, ids, f"{where}: per-file-ignores: {pattern}")
    reading = Reading(arguments.root, arguments.max_file_mb)
    engine: EngineName = config.choice("--engine", arguments.engine or settings.engine or "auto", config.ENGINES)
    return Options(
        engine=engine,
        nusmv=_nusmv(engine, arguments.nusmv),
        solver=_solver(engine, arguments.solver, settings),
        select=config.selected(select or settings.select or (), settings.extend_select, codes),
        ignore=(*(ignore or settings.ignore or ()), *settings.extend_ignore),
        timeout=arguments.timeout if arguments.timeout is not None else settings.timeout,
        bound=_bound(arguments.bound if arguments.bound is not None else settings.bound),
        protocol=arguments.protocol or bool(settings.protocol),
        jobs=config.jobs("--jobs", arguments.jobs) if arguments.jobs is not None else _at_most_auto(settings.jobs or 1),
        per_file_ignores=dict(settings.per_file_ignores),
        base=settings.base,
        root=reading.root_or(None if settings.file is None else settings.base),
        most_bytes=reading.most_bytes,
        sections=_sections(arguments),
        certificate_folder=os.path.dirname(arguments.certificate) if arguments.certificate is not None else None,
        baseline=_baseline(arguments, settings),
        severities=settings.severity,
        stdin_name=_stdin_name(arguments),
        policies=policies,
    )


def policies_of(settings: Config) -> tuple[Policy, ...]:
    """The rules of the user's own that the configuration names. Raises `UsageError` for mistakes in them."""
    if not settings.rules:
        return ()
    from momlint.policies.read import read_policies

    return read_policies(settings.rules, settings.base, settings.file or "configuration")


def _stdin_name(arguments: Arguments) -> str:
    from momlint.lint import STDIN

    name = arguments.stdin_filename
    return STDIN if name is None else name.replace(os.sep, "/")


def _baseline_path(arguments: Arguments, settings: Config) -> str | None:
    if arguments.baseline is not None or settings.baseline is None:
        return arguments.baseline
    return os.path.normpath(os.path.join(os.path.relpath(settings.base), settings.baseline))


def _baseline(arguments: Arguments, settings: Config) -> Baseline:
    """What is known. What a file says may come with a change from anyone: it leads nowhere but below its folder."""
    from momlint import baseline

    path = _baseline_path(arguments, settings)
    if path is None:
        return baseline.Baseline()
    if arguments.baseline is not None:
        return baseline.read(path)
    return baseline.read(path, Access(settings.base), f"{settings.file}: baseline")


def _at_most_auto(jobs: int) -> int:
    """What a file says may come with a change from anyone: it is not to fill the machine with processes."""
    return min(jobs, config.jobs("jobs", "auto"))


def _nusmv(engine: EngineName, named: str | None) -> str | None:
    """The program for the engine of that name; said before the work is done if there is none."""
    if engine != "nusmv":
        if named is not None:
            raise UsageError(f"--nusmv names a program that --engine {engine} does not use; use --engine nusmv")
        return None
    from momlint.solving.nusmv import find_nusmv

    return find_nusmv(named)


def _solver(engine: EngineName, named: str | None, settings: Config) -> str:
    """The solver that answers for smt; said before the work is done if there is none of that name."""
    if named is not None and engine == "graph":
        raise UsageError("--solver names a solver that --engine graph does not use; use --engine smt or auto")
    found = named or settings.solver or "z3"
    if found != "z3" and engine != "graph":
        from momlint.solving.choose import require_installed

        where = "--solver" if named is not None else f"{settings.file}: solver"
        require_installed(found, where)
    return found


def _sections(arguments: Arguments) -> tuple[str, ...]:
    """The sections that are asked for, each once."""
    words = [word for words in arguments.report for word in words.split(",")]
    tables = [config.choice("--report", word, ("availability", "invariants")) for word in words]
    flags = {"transients": arguments.explain_transients, "coverage": arguments.coverage}
    return tuple(dict.fromkeys([*(name for name, asked in flags.items() if asked), *tables]))


def _excluded(patterns: Sequence[str], settings: Config) -> Callable[[str], bool]:
    from momlint.patterns import matches

    wanted = [(pattern, os.curdir) for word in patterns for pattern in word.split(",") if pattern]
    wanted += [(pattern, settings.base) for pattern in settings.exclude]
    return lambda path: any(matches(pattern, path, base) for pattern, base in wanted)
