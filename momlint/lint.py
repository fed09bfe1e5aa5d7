"""The main job: from files to a report. Everything above (the command line, the fleet) calls this, and only this.

For each file: text → positioned nodes → estates → overlays → checks → drafts → findings at lines. What is wrong with
one document, topic or file takes nothing from the others.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, replace
from typing import TYPE_CHECKING, TypeAlias

from momlint.access import MEGABYTE, MOST_MEGABYTES, Access, reason
from momlint.baseline import NEVER, Baseline
from momlint.catalog import is_selected, rule_name, rule_names
from momlint.clock import listening
from momlint.discipline import EngineChoice, FleetServices, Judgement, Request, Tables
from momlint.disciplines import complete, disciplines_of
from momlint.errors import InternalError, ReplayError, UsageError
from momlint.findings import (
    OWN_FAULT,
    Draft,
    Finding,
    Place,
    Position,
    Problem,
    Proof,
    Related,
    RelatedDraft,
    Report,
    Section,
    Severity,
    Span,
    Summary,
)
from momlint.memory import near_the_cap
from momlint.patterns import matches
from momlint.precedence import Candidate, settle
from momlint.records import dataclass
from momlint.source import Source

if TYPE_CHECKING:
    from momlint.catalog import Rule
    from momlint.estate.load import LoadedEstate
    from momlint.estate.opening import Opened
    from momlint.native.reading import Named
    from momlint.policies.form import Policy

#: The name under which standard input is reported.
STDIN = "<stdin>"


@dataclass(frozen=True, slots=True)
class Options:
    """How to check. `select` and `ignore` are codes or prefixes; `timeout` is seconds for each solver question.

    The patterns of `per_file_ignores` are relative to the folder `base`. `sections`: what else to explain in the text
    report, by the names of `momlint.routed.checks.sections`. `nusmv`: the program for the engine of that name, where it
    is named. `solver`: who answers for smt. `certificate_folder`: where a certificate of the estates will stand; None
    where none is asked for.
    `root`: the folder below which estates may name other files (see `momlint.access`), None for each estate's own;
    `most_bytes`: of one file. `baseline`: what is known and not reported. `severities`: (code or prefix, severity)
    where findings are to have another than their rule's; the longest prefix counts. `stdin_name`: what standard input
    is called in the report, and where its ``include`` starts from. `policies`: rules of users' own. `protocol`: whether
    the recovery protocol is checked too.
    """

    engine: EngineChoice = "auto"
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    timeout: float | None = None
    nusmv: str | None = None
    solver: str = "z3"
    jobs: int = 1
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    base: str = "."
    sections: tuple[str, ...] = ()
    certificate_folder: str | None = None
    root: str | None = None
    most_bytes: int = MOST_MEGABYTES * MEGABYTE
    baseline: Baseline = field(default_factory=Baseline)
    severities: tuple[tuple[str, str], ...] = ()
    bound: tuple[tuple[str, int], ...] = ()
    stdin_name: str = STDIN
    policies: tuple[Policy, ...] = ()
    protocol: bool = False

    def access(self, file: str) -> Access:
        """What the estate in `file` may read."""
        return Access.of(file, self.root, self.most_bytes)

    def rule(self, code: str) -> Rule:
        """The rule with this code, momlint's or a user's own. Raises `InternalError` where there is none."""
        for policy in self.policies:
            if policy.code == code:
                return policy.rule
        return rule_name(code).load()

    def yields_to(self, code: str) -> Mapping[str, frozenset[str]]:
        """What it yields to, as `Rule.yields_to`."""
        return self.rule(code).yields_to

    def names(self) -> Iterator[tuple[str, str]]:
        """Code and id of every rule that there is."""
        yield from ((name.code, name.id) for name in rule_names())
        yield from ((policy.code, policy.rule.id) for policy in self.policies)

    def selects(self, code: str) -> bool:
        """Whether findings of this code are wanted at all; a fault of momlint is told to everybody."""
        return code == OWN_FAULT or is_selected(code, self.select, self.ignore)

    def selects_in(self, file: str, code: str) -> bool:
        """Whether they are wanted in this file."""
        if code == OWN_FAULT or not self.selects(code):
            return code == OWN_FAULT
        return not any(
            any(code.startswith(prefix) for prefix in codes) and matches(pattern, file, self.base)
            for pattern, codes in self.per_file_ignores.items()
        )


#: A comment that silences rules: the line it is for, the codes or prefixes it names, where it stands.
Suppression: TypeAlias = tuple[int, tuple[str, ...], Span]
#: Those of each file.
Suppressions: TypeAlias = Mapping[str, Sequence[Suppression]]


@dataclass(slots=True)
class FileResult:
    """What one file gave; `failure` is a sentence where it could not be read. Picklable, for worker processes."""

    findings: list[Finding] = field(default_factory=list)
    summary: Summary = field(default_factory=Summary)
    proof: Proof = field(default_factory=Proof)
    sources: dict[str, Sequence[str]] = field(default_factory=dict)
    suppressions: dict[str, list[Suppression]] = field(default_factory=dict)
    failure: str | None = None
    faults: list[str] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    certificates: list[str] = field(default_factory=list)
    uncertified: list[str] = field(default_factory=list)
    #: Addresses of recovery tables that are to be fetched first; with any, nothing else in this counts.
    wanted: list[str] = field(default_factory=list)
    #: The name of the file.
    file: str | None = None
    #: Sentences about files of the unit that could not be read; the others were checked.
    unread: list[str] = field(default_factory=list)
    #: The codes of users' own rules that speak of something in it.
    spoken: list[str] = field(default_factory=list)


_ALONE = FleetServices()


def lint_files(
    paths: Sequence[str],
    options: Options,
    read_stdin: Callable[[], bytes] | None = None,
    progress: Callable[[str], None] | None = None,
) -> Report:
    """Check the files at `paths` (``-`` for standard input) and report.

    Files are taken as given: discovery is the caller's. They are checked one after the other in this process;
    `momlint.fleet` spreads them, with the same report. Unreadable files are in the report's `failures`.
    """
    return merge(_results(paths, options, read_stdin, progress), options)


def _results(
    paths: Sequence[str],
    options: Options,
    read_stdin: Callable[[], bytes] | None,
    progress: Callable[[str], None] | None,
) -> Iterator[FileResult]:
    say = progress or (lambda _: None)
    natives = native_files(paths, options)
    results: list[FileResult] = []
    for number, path in enumerate((path for path in paths if path not in natives), 1):
        say(f"file {number} of {len(paths)}: {path}")
        results.append(_result(path, options, read_stdin))
    yield from results
    for unit in together(natives, results):
        say(f"{len(unit.files)} of {len(paths)} files together: {unit.files[0]}")
        yield _result(unit, options, read_stdin)


def _result(unit: Unit, options: Options, read_stdin: Callable[[], bytes] | None) -> FileResult:
    try:
        return lint_stdin(read_stdin, options) if unit == "-" else lint_unit(unit, options)
    except MemoryError:
        help_text = "check it on a machine that has more"
        first = unit if isinstance(unit, str) else unit.files[0]
        return undecided_file(options.stdin_name if unit == "-" else first, "it ran out of memory", help_text, options)


@dataclass(frozen=True, slots=True)
class Together:
    """Native files of one family: the brokers of one estate."""

    files: tuple[str, ...]


#: What is checked by itself: a file, or native files that belong together.
Unit: TypeAlias = str | Together


def native_files(paths: Sequence[str], options: Options) -> dict[str, str]:
    """Those of `paths` that are native files of brokers, each with its family.

    Files are looked into only if their names could be those of native files, and not far.
    """
    from momlint.access import open_regular
    from momlint.native.kinds import LOOKED_AT, family_of, kind_of, may_be_native

    found: dict[str, str] = {}
    for path in paths:
        if path == "-" or not may_be_native(path):
            continue
        try:
            with open_regular(path) as stream:
                kind = kind_of(path, stream.read(LOOKED_AT))
        except (OSError, ValueError):
            continue  # whoever checks it will say what is wrong
        if kind is not None:
            found[path] = family_of(kind)
    return found


def together(natives: Mapping[str, str], results: Iterable[FileResult]) -> list[Together]:
    """The native files as units, one a family; not those that belong to the estate of a result."""
    taken = {
        os.path.realpath(file)
        for result in results
        for file in result.sources
        if result.file is not None and file != result.file
    }
    families: dict[str, list[str]] = {}
    for path in sorted(natives):
        if os.path.realpath(path) not in taken:
            families.setdefault(natives[path], []).append(path)
    return [Together(tuple(files)) for _, files in sorted(families.items())]


def lint_unit(unit: Unit, options: Options, services: FleetServices = _ALONE) -> FileResult:
    """Check a file, or files that belong together."""
    return lint_file(unit, options, services) if isinstance(unit, str) else lint_together(unit, options, services)


def read_together(unit: Together, options: Options) -> tuple[list[Named], list[str]]:
    """The native files of one estate, and sentences on those that cannot be read.

    Where no file is left, something is.
    """
    from momlint.native import reading

    named: list[Named] = []
    failures: list[str] = []
    for path in unit.files:
        try:
            data = options.access(path).read(path)
        except OSError as error:
            failures.append(f"{path}: {reason(error)}")
            continue
        kind = reading.known_kind(path, data)
        if kind is not None:
            named.append(reading.Named(path, kind, data))
    if not named and not failures:
        failures.append(f"{unit.files[0]}: it has changed while it was read")
    return named, failures


def lint_together(unit: Together, options: Options, services: FleetServices = _ALONE) -> FileResult:
    """Check the one estate of native files. One that cannot be read takes nothing from the others."""
    named, failures = read_together(unit, options)
    if not named:
        return FileResult(failure="\n".join(failures))

    def judge() -> FileResult:
        from momlint.estate.opening import open_natives

        opened = open_natives(named, options.access, lambda loaded: complete(loaded, services))
        result = lint_opened(opened, options, services)
        result.summary.files = len(named)
        return result

    result = judged(judge, named[0].file)
    result.unread = failures
    return result


def lint_stdin(
    read_stdin: Callable[[], bytes] | None, options: Options, services: FleetServices = _ALONE
) -> FileResult:
    """Check what `read_stdin` returns."""
    return lint_bytes(read_stdin() if read_stdin is not None else b"", options.stdin_name, options, services)


def lint_file(path: str, options: Options, services: FleetServices = _ALONE) -> FileResult:
    """Check one file."""
    try:
        data = options.access(path).read(path)
    except OSError as error:
        return FileResult(failure=f"{path}: {reason(error)}")
    except MemoryError:
        raise  # the guard's affair
    except Exception as error:  # noqa: BLE001  one file's, see `_internal`
        return _internal(path, error)
    return lint_bytes(data, path, options, services)


def undecided_file(path: str, reason: str, help_text: str, options: Options) -> FileResult:
    """What is reported of a file whose check was given up (see `momlint.fleet`): one MOM901, at its start."""
    result = FileResult(summary=Summary(files=1, undecided=1), sources={path: ()})
    if options.selects_in(path, "MOM901"):
        start = Position(1, 1)
        message = f"undecided: whether this file is right: {reason}"
        result.findings.append(_finding("MOM901", path, Span(start, start), message, help_text))
    return result


def lint_bytes(data: bytes, file: str, options: Options, services: FleetServices = _ALONE) -> FileResult:
    """Check one file's content; `file` is its name in the report, and where its ``include`` starts from."""
    return judged(lambda: lint_opened(open_for(data, file, options, services), options, services), file)


def judged(judge: Callable[[], FileResult], file: str) -> FileResult:
    """What `judge` gives; of a failure of momlint's own, what is told of it."""
    import gc

    # Reading and checking make many small objects that all live to the end; looking for cycles among them is a
    # tenth of the time of a large file.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return judge()
    except (MemoryError, UsageError):
        raise  # the guard's affair, and the user's
    except OSError as error:  # no fault of momlint: a full disk, no more processes
        return FileResult(failure=f"{file}: the system refuses: {reason(error)}")
    except Exception as error:  # noqa: BLE001  one file's, see `_internal`
        return _internal(file, error)
    finally:
        if was_enabled:
            gc.enable()


def _internal(file: str, error: Exception) -> FileResult:
    """One MOM902 at the start of a file over which momlint fails: no other file is to pay for it.

    To be called in a handler. Raises `MemoryError` where a lack of memory can be the cause.
    """
    if os.environ.get("MOMLINT_DEBUG"):
        raise error
    if near_the_cap():
        raise MemoryError from error
    start = Position(1, 1)
    result = FileResult(summary=Summary(files=1), sources={file: ()})
    result.findings.append(_finding(OWN_FAULT, file, Span(start, start), _fault(error), _REPORT_IT))
    return result


_REPORT_IT = (
    "this is a bug in momlint, not in your estate: please report it with this file and this text; "
    "`MOMLINT_DEBUG=1` in the environment shows where"
)
#: Characters of an exception's text; it may quote the file.
_LONGEST_FAULT = 200
#: Where an object lies in memory, which is elsewhere in every process.
_ADDRESS = re.compile(r"\b0x[0-9a-fA-F]{6,}")


def _fault(error: Exception) -> str:
    """``internal fault in this file: IndexError: list index out of range``: the same in every process."""
    lines = str(error).splitlines()
    text = _ADDRESS.sub("0x...", lines[0]) if lines else ""
    if len(text) > _LONGEST_FAULT and not isinstance(error, InternalError):
        text = text[:_LONGEST_FAULT] + "..."
    # One of momlint's own says itself what is wrong.
    parts = [text] if isinstance(error, InternalError) else [type(error).__name__, text]
    return ": ".join(["internal fault in this file", *filter(None, parts)])


def open_for(data: bytes, file: str, options: Options, services: FleetServices = _ALONE) -> Opened:
    """The estates of a file's content, with what belongs to them; see `momlint.estate.opening`."""
    from momlint.estate.opening import open_bytes

    return open_bytes(data, file, options.access(file), lambda loaded: complete(loaded, services))


def lint_opened(opened: Opened, options: Options, services: FleetServices = _ALONE) -> FileResult:
    """Check what has been opened. Where something has to be fetched first, the result says so in `wanted`."""
    source = opened.source
    result = FileResult(summary=Summary(files=1), file=source.file, wanted=opened.wanted)
    result.sources[source.file] = source.lines
    _keep_suppressions(result, source, options)
    for problem in source.problems:
        _add_problem(result, problem, source.file, options)
    for loaded in () if opened.wanted else opened.estates:
        for other in loaded.sources:
            if other.file not in result.sources:
                result.sources[other.file] = other.lines
                _keep_suppressions(result, other, options)
        for problem in loaded.problems:
            _add_problem(result, problem, source.file, options)
            result.summary.undecided += problem.code == "MOM901"
        if loaded.estate is not None:
            topics = loaded.estate.topics
            result.spoken += [policy.code for policy in options.policies if policy.speaks_of(topics)]
            _check_estate(result, loaded, options, services)
        elif options.certificate_folder is not None:
            result.uncertified.append(f"{source.file}: there is no estate to certify")
        _take_out_ignored(result, loaded)
    return result


def _take_out_ignored(result: FileResult, loaded: LoadedEstate) -> None:
    """Drop the findings that the estate's ``ignore`` names: not all native files have comments. Those in its own text
    only where an entry says what it is about, as `momlint import` writes.
    """
    from momlint.estate.files import directory, join

    entries = [
        (entry.code, None if entry.file is None else os.path.normpath(join(directory(source.file), entry.file)), entry)
        for (source, _), checked in zip(loaded.documents, loaded.checked, strict=False)
        for entry in (() if checked.model is None else checked.model.ignore or ())
    ]
    if not entries:
        return

    def is_ignored(finding: Finding) -> bool:
        if finding.code in {"MOM901", "MOM902"}:
            return False
        is_own = finding.file == loaded.source.file
        span = finding.span
        lines = result.sources.get(finding.file, ())[span.start.line - 1 : span.end.line]
        said = "\n".join([finding.message, *lines])
        return any(
            finding.code.startswith(code)
            and (file is None or os.path.normpath(finding.file) == file)
            and (entry.about in said if entry.about is not None else not is_own)
            for code, file, entry in entries
        )

    result.findings = [finding for finding in result.findings if not is_ignored(finding)]


def _keep_suppressions(result: FileResult, source: Source, options: Options) -> None:
    if source.suppressions:
        codes = {name: code for code, name in options.names()}
        result.suppressions[source.file] = [
            (one.target, tuple(codes.get(code, code) for code in one.codes), one.span) for one in source.suppressions
        ]


def report_of_problems(file: str, lines: Sequence[str], problems: Iterable[Problem]) -> Report:
    """A report on a file that is no estate (a script): its problems, located already, by the catalogue's rules."""
    result, options = FileResult(), Options()
    result.sources[file] = lines
    for problem in problems:
        _add_problem(result, problem, file, options)
    result.summary.files = 1
    return merge([result], options)


def _add_problem(result: FileResult, problem: Problem, file: str, options: Options) -> None:
    where = problem.file or file
    if options.selects_in(where, problem.code):
        result.findings.append(
            _finding(
                problem.code,
                where,
                problem.span,
                problem.message,
                problem.help,
                related=problem.related,
                about=problem,
            )
        )


def _finding(
    code: str,
    file: str,
    span: Span,
    message: str,
    help_text: str,
    *,
    about: Draft | Problem | None = None,
    related: Iterable[Related] = (),
    steps: Iterable[Related] = (),
    rule: Rule | None = None,
) -> Finding:
    """`rule`: the one with this code, where it may be a user's own."""
    rule = rule_name(code).load() if rule is None else rule
    noted = isinstance(about, Draft) and about.noted
    return Finding(
        code,
        rule.id,
        Severity.NOTE if noted else rule.severity,
        file,
        span,
        message,
        help_text,
        rule.url,
        about.witness if isinstance(about, Draft) else None,
        about.affected if isinstance(about, Draft) else None,
        tuple(related),
        about.label if about else "",
        about.data if about else {},
        tuple(steps),
    )


# -- one estate -----------------------------------------------------------------------------------------------------


def _check_estate(result: FileResult, loaded: LoadedEstate, options: Options, services: FleetServices) -> None:
    claiming = disciplines_of(loaded)
    if not claiming:
        raise InternalError("no discipline claims an estate that was read")
    request = Request(
        options.selects,
        options.engine,
        options.timeout,
        options.nusmv,
        options.solver,
        options.sections,
        options.certificate_folder,
        services.spread,
        options.policies,
        options.bound,
        options.protocol,
    )
    with listening():
        for discipline in claiming:
            _add_judgement(result, loaded, discipline.judge(loaded, request), options)


def _add_judgement(result: FileResult, loaded: LoadedEstate, judgement: Judgement, options: Options) -> None:
    found = list(judgement.drafts())
    for draft in _told(loaded, found, _Selection(options, result.suppressions), judgement.disagreed):
        _add_draft(result, loaded, draft, options)
    outcome = judgement.outcome({draft.code for draft in found})
    for draft in outcome.verdicts:
        _add_draft(result, loaded, draft, options)
    result.sections += outcome.sections
    result.certificates += outcome.certificates
    result.uncertified += outcome.uncertified
    _add_numbers(result.summary, outcome.summary)
    _add_proof(result.proof, outcome.proof)


def _told(
    loaded: LoadedEstate,
    found: Iterable[Draft],
    selection: _Selection,
    disagreed: Callable[[str, ReplayError], None],
) -> list[Draft]:
    """What is told of one estate: what the selected checks `found`, less what yields to something that is reported."""
    candidates = []
    for draft in found:
        file, span, _ = loaded.locate(draft.place)
        if selection.options.selects_in(file, draft.code):
            candidates.append(Candidate(draft, not selection.is_silenced(file, span, draft)))
    return settle(candidates, selection.options.yields_to, disagreed)


def _add_draft(result: FileResult, loaded: LoadedEstate, draft: Draft, options: Options) -> None:
    file, span, via = loaded.locate(draft.place)
    if not options.selects_in(file, draft.code):
        return
    related = [Related(file, place, "used through this alias or merge key") for place in via]
    related += [_related(loaded, one) for one in draft.related]
    steps = [_related(loaded, one) for one in draft.steps]
    result.findings.append(
        _finding(
            draft.code,
            file,
            span,
            draft.message,
            draft.help,
            about=draft,
            related=related,
            steps=steps,
            rule=options.rule(draft.code),
        )
    )


def _related(loaded: LoadedEstate, draft: RelatedDraft) -> Related:
    file, span, _ = loaded.locate(draft.place)
    return Related(file, span, draft.message)


# -- many files -----------------------------------------------------------------------------------------------------


def merge(results: Iterable[FileResult], options: Options) -> Report:
    """One report of many files: suppressions applied, findings sorted, the same thing said once."""
    report = Report()
    findings: set[Finding] = set()
    suppressions: dict[str, list[Suppression]] = {}
    spoken: set[str] = set()
    for result in _without_included(results):
        if result.failure is not None:
            report.failures.append(result.failure)
            continue
        report.failures += result.unread
        spoken.update(result.spoken)
        findings.update(result.findings)
        report.sources.update(result.sources)
        suppressions.update(result.suppressions)
        report.sections += result.sections
        report.certificates += result.certificates
        report.uncertified += result.uncertified
        _add_numbers(report.summary, result.summary)
        _add_proof(report.proof, result.proof)
    report.idle_rules = [one.code for one in options.policies if options.selects(one.code) and one.code not in spoken]
    kept = sorted(_suppress(findings, _Selection(options, suppressions)), key=lambda finding: finding.sort_key)
    kept = [_weighed(finding, options.severities) for finding in kept] if options.severities else kept
    _take_out_known(report, kept, options.baseline)
    for finding in report.findings:
        if finding.code == "MOM901":
            continue  # counted as undecided, where the engine gave up
        if finding.severity is Severity.ERROR:
            report.summary.errors += 1
        elif finding.severity is Severity.WARNING:
            report.summary.warnings += 1
        else:
            report.summary.notes += 1
    return report


def _weighed(finding: Finding, severities: Iterable[tuple[str, str]]) -> Finding:
    """The finding with the severity that its users give it. What stands for no verdict at all keeps its own."""
    fitting = [(len(prefix), severity) for prefix, severity in severities if finding.code.startswith(prefix)]
    if not fitting or finding.code in NEVER:
        return finding
    return replace(finding, severity=Severity(max(fitting)[1]))


def _without_included(results: Iterable[FileResult]) -> Iterator[FileResult]:
    """`results`; of a file that another one of the run includes only that it is there: all else is said there.

    Files that include one another, and that nobody else includes, are judged each by itself.
    """
    held = list(results)
    included: set[str] = set()
    for result in held:
        included.update(_brought_in(result))
    # What a file that nobody includes brings in is a part of it.
    parts: set[str] = set()
    for result in held:
        if result.file is not None and os.path.normpath(result.file) not in included:
            parts.update(_brought_in(result))
    for result in held:
        if result.file is not None and os.path.normpath(result.file) in parts:
            yield FileResult(summary=Summary(files=1), sources=result.sources)
        else:
            yield result


def _brought_in(result: FileResult) -> set[str]:
    """The other files that went into the estates of one file."""
    own = result.file
    return {os.path.normpath(file) for file in result.sources if file != own} if own is not None else set()


def _add_numbers(total: Summary | Proof, one: Summary | Proof) -> None:
    """Add what `one` counts to what `total`, of the same class, counts."""
    for each in fields(total):
        number = getattr(one, each.name)
        if isinstance(number, int):
            setattr(total, each.name, getattr(total, each.name) + number)


def _add_proof(total: Proof, one: Proof) -> None:
    _add_numbers(total, one)
    total.engines = tuple(sorted({*total.engines, *one.engines}))
    for claim, number in one.claims.items():
        total.claims[claim] = total.claims.get(claim, 0) + number
    total.bounds = tuple(dict.fromkeys((*total.bounds, *one.bounds)))


class _Selection:
    """What is reported of what was found: the one place that knows of options, configuration, comments and baseline."""

    def __init__(self, options: Options, suppressions: Suppressions) -> None:
        """`suppressions`: the comments of every file that findings may stand in."""
        self.options = options
        self.suppressions = suppressions
        self._by_line: dict[tuple[str, int], list[tuple[Span, tuple[str, ...]]]] = {}
        for file, comments in suppressions.items():
            for target, codes, span in comments:
                self._by_line.setdefault((file, target), []).append((span, codes))

    def silenced_by(self, file: str, span: Span, code: str) -> list[tuple[str, Span, str]]:
        """The comments on the line, or alone on the line above, that silence `code` there: file, place, what it says.

        Undecided and internal faults are nothing a comment can make good.
        """
        if code in {"MOM901", OWN_FAULT}:
            return []
        return [
            (file, place, prefix)
            for place, codes in self._by_line.get((file, span.start.line), ())
            for prefix in codes
            if code.startswith(prefix)
        ]

    def is_silenced(self, file: str, span: Span, draft: Draft) -> bool:
        """Whether a comment silences it, or the baseline knows it."""
        return bool(self.silenced_by(file, span, draft.code)) or self.options.baseline.knows(file, draft)


def _suppress(findings: set[Finding], selection: _Selection) -> list[Finding]:
    """Drop what a comment silences; report comments that do nothing."""
    options = selection.options
    used: set[tuple[str, Span, str]] = set()
    kept: list[Finding] = []
    for finding in findings:
        comments = selection.silenced_by(finding.file, finding.span, finding.code)
        used.update(comments)
        if not comments:
            kept.append(finding)
    for file, given in selection.suppressions.items():
        for _, codes, span in given:
            idle = [code for code in codes if (file, span, code) not in used and _could_match(code, options)]
            if (idle or not codes) and options.selects_in(file, "MOM109"):
                unused = _idle(idle, span, options)
                kept.append(_finding("MOM109", file, span, unused.message, unused.help, about=unused))
    return kept


def _take_out_known(report: Report, findings: list[Finding], baseline: Baseline) -> None:
    """Put `findings`, which are sorted, into the report; apart those that the baseline knows, of each key the first."""
    left = dict(baseline.known)
    for finding in findings:
        key = baseline.key(finding.file, finding) if left else None
        if key is not None and left.get(key) and baseline.knows(finding.file, finding):
            left[key] -= 1
            report.known.append(finding)
        else:
            report.findings.append(finding)
    if left:
        looked_at = baseline.named(report.sources)
        report.outdated = sum(count for (file, _, _), count in left.items() if file in looked_at)


def _idle(codes: Sequence[str], span: Span, options: Options) -> Problem:
    """What to say of a comment at `span` of which `codes` silence nothing, or that names none.

    ``data`` has the codes that nothing is reported as, of rules that there are.
    """
    form = "write `# momlint: ignore[MOM302]`, or several codes separated by commas"
    if not codes:
        return Problem("MOM109", span, "this suppression comment names no rule", form)
    known = [code for code, _ in options.names()]
    unknown = [code for code in codes if not any(one.startswith(code) for one in known)]
    if unknown:
        from momlint.config import did_you_mean

        names = [*known, *(name for _, name in options.names())]
        return Problem("MOM109", span, f"there is no rule `{unknown[0]}`{did_you_mean(unknown[0], names)}", form)
    return Problem(
        "MOM109",
        span,
        f"unused suppression: nothing here is reported as {', '.join(codes)}",
        "remove the comment, or the code that no longer applies",
        data={"codes": tuple(codes)},
    )


def _could_match(code: str, options: Options) -> bool:
    """Whether a rule with this code or prefix ran: a comment for a rule that did not run may well be in use."""
    names = [name for name, _ in options.names() if name.startswith(code)]
    return not names or any(options.selects(name) for name in names)


__all__ = [
    "STDIN",
    "FileResult",
    "FleetServices",
    "Options",
    "Place",
    "Tables",
    "Together",
    "Unit",
    "judged",
    "lint_bytes",
    "lint_file",
    "lint_files",
    "lint_opened",
    "lint_stdin",
    "lint_together",
    "lint_unit",
    "merge",
    "native_files",
    "open_for",
    "together",
    "undecided_file",
]
