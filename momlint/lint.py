"""The main job: from files to a report. Everything above (the command line, the fleet) calls this, and only this.

For each file: text → positioned nodes → estates → overlays → checks → drafts → findings at lines. What is wrong with
one document, topic or file takes nothing from the others.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from momlint.access import MEGABYTE, MOST_MEGABYTES, Access, reason
from momlint.catalog import SECTIONS_OF_FAMILY, is_selected, rule_name, rule_names
from momlint.errors import ReplayError
from momlint.findings import (
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
from momlint.patterns import matches
from momlint.routed.ask import Ask, Disagreement, EngineChoice
from momlint.source import Source, read_source

if TYPE_CHECKING:
    from momlint.estate import LoadedEstate
    from momlint.routed.diagnosis.context import Context
    from momlint.routed.questions.spread import Spread
    from momlint.routed.recovery.parquet import Elsewhere, Fetched

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
    `most_bytes`: of one file.
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

    def access(self, file: str) -> Access:
        """What the estate in `file` may read."""
        return Access.of(file, self.root, self.most_bytes)

    def selects(self, code: str) -> bool:
        """Whether findings of this code are wanted at all."""
        return is_selected(code, self.select, self.ignore)

    def selects_in(self, file: str, code: str) -> bool:
        """Whether they are wanted in this file."""
        if not self.selects(code):
            return False
        return not any(
            any(code.startswith(prefix) for prefix in codes) and matches(pattern, file, self.base)
            for pattern, codes in self.per_file_ignores.items()
        )


@dataclass(slots=True)
class FileResult:
    """What one file gave; `failure` is a sentence where it could not be read. Picklable, for worker processes."""

    findings: list[Finding] = field(default_factory=list)
    summary: Summary = field(default_factory=Summary)
    proof: Proof = field(default_factory=Proof)
    sources: dict[str, Sequence[str]] = field(default_factory=dict)
    suppressions: dict[str, list[tuple[int, tuple[str, ...], Span]]] = field(default_factory=dict)
    failure: str | None = None
    faults: list[str] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    certificates: list[str] = field(default_factory=list)
    uncertified: list[str] = field(default_factory=list)
    #: Addresses of recovery tables that are to be fetched first; with any, nothing else in this counts.
    wanted: list[str] = field(default_factory=list)
    #: The name of the file where all in it are parts of estates, without brokers of their own.
    fragment: str | None = None


#: Recovery tables by address: what was read there.
Tables: TypeAlias = "Mapping[str, Fetched]"


class Helpers(NamedTuple):
    """What others do for the check of a file (`momlint.fleet`).

    `spread`: who may take parts of what the checks ask. `elsewhere`: who may read pieces of recovery tables. `tables`:
    those that were fetched from addresses so far, None where nobody fetches; those that are not in it are told in
    `FileResult.wanted`.
    """

    spread: Spread | None = None
    elsewhere: Elsewhere | None = None
    tables: Tables | None = None


_ALONE = Helpers()


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
    for number, path in enumerate(paths, 1):
        say(f"file {number} of {len(paths)}: {path}")
        yield lint_stdin(read_stdin, options) if path == "-" else lint_file(path, options)


def lint_stdin(read_stdin: Callable[[], bytes] | None, options: Options, helpers: Helpers = _ALONE) -> FileResult:
    """Check what `read_stdin` returns."""
    return lint_bytes(read_stdin() if read_stdin is not None else b"", STDIN, options, helpers)


def lint_file(path: str, options: Options, helpers: Helpers = _ALONE) -> FileResult:
    """Check one file."""
    try:
        data = options.access(path).read(path)
    except OSError as error:
        return FileResult(failure=f"{path}: {reason(error)}")
    return lint_bytes(data, path, options, helpers)


def undecided_file(path: str, reason: str, help_text: str, options: Options) -> FileResult:
    """What is reported of a file whose check was given up (see `momlint.fleet`): one MOM901, at its start."""
    result = FileResult(summary=Summary(files=1, undecided=1), sources={path: ()})
    if options.selects_in(path, "MOM901"):
        start = Position(1, 1)
        message = f"undecided: whether anything is wrong with this file: {reason}"
        result.findings.append(_finding("MOM901", path, Span(start, start), message, help_text))
    return result


def lint_bytes(data: bytes, file: str, options: Options, helpers: Helpers = _ALONE) -> FileResult:
    """Check one file's content; `file` is its name in the report, and where its ``include`` starts from."""
    import gc

    # Reading and checking make many small objects that all live to the end; looking for cycles among them is a
    # tenth of the time of a large file.
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        return _lint_source(read_source(data, file), options, helpers)
    finally:
        if was_enabled:
            gc.enable()


def _lint_source(source: Source, options: Options, helpers: Helpers) -> FileResult:
    from momlint.estate import load_source
    from momlint.estate.files import is_address

    result = FileResult(summary=Summary(files=1), sources={source.file: source.lines})
    _keep_suppressions(result, source)
    for problem in source.problems:
        _add_problem(result, problem, source.file, options)
    estates = load_source(source, access=options.access(source.file))
    if estates and all(loaded.fragment for loaded in estates):
        result.fragment = source.file
    for loaded in estates:
        if loaded.estate is not None and loaded.estate.recovery_file is not None:
            from momlint.routed.recovery import attach_recovery

            address = loaded.estate.recovery_file
            if helpers.tables is not None and address not in helpers.tables and is_address(address):
                result.wanted.append(address)
                continue
            attach_recovery(loaded, helpers.tables, helpers.elsewhere)
        for other in loaded.sources:
            if other.file not in result.sources:
                result.sources[other.file] = other.lines
                _keep_suppressions(result, other)
        for problem in loaded.problems:
            _add_problem(result, problem, source.file, options)
            result.summary.undecided += problem.code == "MOM901"
        if loaded.estate is not None:
            _check_estate(result, loaded, options, helpers.spread)
        elif options.certificate_folder is not None:
            result.uncertified.append(f"{source.file}: there is no estate to certify")
    return result


def _keep_suppressions(result: FileResult, source: Source) -> None:
    if source.suppressions:
        codes = {name.id: name.code for name in rule_names()}
        result.suppressions[source.file] = [
            (one.target, tuple(codes.get(code, code) for code in one.codes), one.span) for one in source.suppressions
        ]


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
) -> Finding:
    rule = rule_name(code).load()
    return Finding(
        code,
        rule.id,
        rule.severity,
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


def _check_estate(result: FileResult, loaded: LoadedEstate, options: Options, spread: Spread | None) -> None:
    from momlint.routed.checks.sections import section
    from momlint.routed.diagnosis.context import Context
    from momlint.routed.overlay.build import build
    from momlint.routed.overlay.needs import Needs

    estate = loaded.estate
    assert estate is not None
    needs = Needs.of(len(estate.brokers), estate.topics)
    overlay, entries = build(estate, needs)
    ask = Ask(options.engine, options.timeout, options.nusmv, options.solver, spread=spread)
    context = Context(estate, overlay, ask, entries, options.selects, needs)
    result.sections += [section(name, context, loaded.source.file) for name in options.sections]
    found: set[str] = set()
    for draft in run_checks(context, options):
        found.add(draft.code)
        _add_draft(result, loaded, draft, options)

    if options.certificate_folder is not None:
        from momlint.routed.certificate.make import certify

        made = certify(loaded, overlay, options.certificate_folder)
        if made.record is not None:
            result.certificates.append(made.record)
        else:
            result.uncertified.append(made.reason)

    summary = result.summary
    summary.brokers += len(estate.brokers)
    summary.links += len(estate.links)
    summary.colours += overlay.colours
    summary.topics += len(estate.topics)
    summary.pairs += len(overlay.pair_source)
    summary.undecided += len(ask.undecided)
    if context.asked_arrival:
        result.proof.estates += 1
        result.proof.with_colours += estate.colours_declared
        result.proof.with_promise += estate.tolerate is not None
        result.proof.promise_kept += context.keeps_promise(found)
    result.proof.engines = tuple(sorted({*result.proof.engines, *ask.engines_used}))
    result.proof.questions += ask.questions
    result.proof.decided_twice += ask.decided_twice
    result.proof.refuted += context.refuted_pairs
    result.proof.specifications += ask.specifications
    result.proof.false_specifications += ask.false_specifications


def run_checks(context: Context, options: Options) -> Iterator[Draft]:
    """The drafts of every selected rule that has a check, then what the engines themselves gave cause to report."""
    for name in rule_names():
        sections = SECTIONS_OF_FAMILY.get(name.family)
        if not options.selects(name.code):
            continue
        if sections is not None and context.estate.section_places.keys().isdisjoint(sections):
            continue
        check = name.check()
        if check is None:
            continue
        try:
            yield from check(context)
        except ReplayError as error:
            context.ask.disagreements.append(Disagreement(f"what {name.code} found", str(error)))
    if context.estate.specs and options.selects("MOM102"):
        from momlint.routed.diagnosis.specifications import unreadable

        yield from unreadable(context)
    where = context.estate_place
    # Undecided and disagreement cannot be deselected into a pass: only what is printed is selected.
    for subject, why in context.ask.undecided:
        yield Draft(
            "MOM901",
            where,
            f"undecided: {subject}: {why}",
            help="allow more with `--timeout`, or let `--engine graph` decide",
        )
    for difference in context.ask.disagreements:
        yield Draft(
            "MOM902",
            where,
            f"the engines disagree on {difference.subject}: {difference.details}",
            help="this is a fault of momlint: please report it with this estate and this text",
        )


def _add_draft(result: FileResult, loaded: LoadedEstate, draft: Draft, options: Options) -> None:
    file, span, via = loaded.locate(draft.place)
    if not options.selects_in(file, draft.code):
        return
    related = [Related(file, place, "it comes in here") for place in via]
    related += [_related(loaded, one) for one in draft.related]
    steps = [_related(loaded, one) for one in draft.steps]
    result.findings.append(
        _finding(draft.code, file, span, draft.message, draft.help, about=draft, related=related, steps=steps)
    )


def _related(loaded: LoadedEstate, draft: RelatedDraft) -> Related:
    file, span, _ = loaded.locate(draft.place)
    return Related(file, span, draft.message)


# -- many files -----------------------------------------------------------------------------------------------------


def merge(results: Iterable[FileResult], options: Options) -> Report:
    """One report of many files: suppressions applied, findings sorted, the same thing said once."""
    report = Report()
    findings: set[Finding] = set()
    suppressions: dict[str, list[tuple[int, tuple[str, ...], Span]]] = {}
    engines: set[str] = set()
    for result in _without_included(results):
        if result.failure is not None:
            report.failures.append(result.failure)
            continue
        findings.update(result.findings)
        report.sources.update(result.sources)
        suppressions.update(result.suppressions)
        report.sections += result.sections
        report.certificates += result.certificates
        report.uncertified += result.uncertified
        _add_counts(report.summary, result.summary)
        report.proof.estates += result.proof.estates
        report.proof.with_colours += result.proof.with_colours
        report.proof.with_promise += result.proof.with_promise
        report.proof.promise_kept += result.proof.promise_kept
        report.proof.questions += result.proof.questions
        report.proof.decided_twice += result.proof.decided_twice
        report.proof.refuted += result.proof.refuted
        report.proof.specifications += result.proof.specifications
        report.proof.false_specifications += result.proof.false_specifications
        engines.update(result.proof.engines)
    report.proof.engines = tuple(sorted(engines))
    kept = _suppress(findings, suppressions, options)
    report.findings = sorted(kept, key=lambda finding: finding.sort_key)
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


def _without_included(results: Iterable[FileResult]) -> Iterator[FileResult]:
    """`results`; of a part of an estate that another file includes only that it is there: all else is said there."""
    parts: list[FileResult] = []
    included: set[str] = set()
    for result in results:
        if result.fragment is not None:
            parts.append(result)
            continue
        if len(result.sources) > 1:
            included.update(os.path.normpath(file) for file in result.sources)
        yield result
    for part in parts:
        assert part.fragment is not None
        if os.path.normpath(part.fragment) in included:
            yield FileResult(summary=Summary(files=1), sources=part.sources)
        else:
            yield part


def _add_counts(total: Summary, one: Summary) -> None:
    total.files += one.files
    total.brokers += one.brokers
    total.links += one.links
    total.colours += one.colours
    total.topics += one.topics
    total.pairs += one.pairs
    total.undecided += one.undecided


def _suppress(
    findings: set[Finding],
    suppressions: Mapping[str, list[tuple[int, tuple[str, ...], Span]]],
    options: Options,
) -> list[Finding]:
    """Drop what a comment on the line, or alone on the line above, suppresses; report comments that do nothing."""
    by_line: dict[tuple[str, int], list[tuple[Span, tuple[str, ...]]]] = {}
    used: set[tuple[str, Span, str]] = set()
    for file, comments in suppressions.items():
        for target, codes, span in comments:
            by_line.setdefault((file, target), []).append((span, codes))
    kept: list[Finding] = []
    for finding in findings:
        matched = [
            (finding.file, span, code)
            for span, codes in by_line.get((finding.file, finding.span.start.line), ())
            for code in codes
            if finding.code.startswith(code)
        ]
        # Undecided and internal faults are nothing a comment can make good.
        if matched and finding.code not in {"MOM901", "MOM902"}:
            used.update(matched)
        else:
            kept.append(finding)
    for file, comments in suppressions.items():
        for _, codes, span in comments:
            idle = [code for code in codes if (file, span, code) not in used and _could_match(code, options)]
            if (idle or not codes) and options.selects_in(file, "MOM109"):
                message, help_ = _idle(idle)
                kept.append(_finding("MOM109", file, span, message, help_))
    return kept


def _idle(codes: Sequence[str]) -> tuple[str, str]:
    """What to say of a comment of which `codes` silence nothing, or that names none; message and help."""
    form = "write `# momlint: ignore[MOM302]`; several codes with commas between them"
    if not codes:
        return "this comment is meant to silence something, and names no rule", form
    known = [name.code for name in rule_names()]
    unknown = [code for code in codes if not any(one.startswith(code) for one in known)]
    if unknown:
        from momlint.config import did_you_mean

        names = [*known, *(name.id for name in rule_names())]
        return f"there is no rule `{unknown[0]}`{did_you_mean(unknown[0], names)}", form
    return (
        f"unused suppression: nothing here is reported as {', '.join(codes)}",
        "remove the comment, or the code that no longer applies",
    )


def _could_match(code: str, options: Options) -> bool:
    """Whether a rule with this code or prefix ran: a comment for a rule that did not run may well be in use."""
    names = [name.code for name in rule_names() if name.code.startswith(code)]
    return not names or any(options.selects(name) for name in names)


__all__ = [
    "STDIN",
    "FileResult",
    "Options",
    "Place",
    "lint_bytes",
    "lint_files",
    "merge",
    "run_checks",
    "undecided_file",
]
