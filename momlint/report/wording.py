"""Words that several formats share: counts, lists, and characters that must not reach a terminal raw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from momlint.findings import Affected, Finding, Report, Witness

#: Between the brokers of a walk.
HOP = " → "
#: More names than this in one line help nobody; the JSON report has them all.
NAMES_SHOWN = 5
#: The same for the states of a trace.
TRACE_SHOWN = 40


def count(number: int, noun: str) -> str:
    """``1 pair``, ``50,000 pairs``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listing(words: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def some_names(names: Sequence[str]) -> str:
    """The first few of `names`, and how many more there are."""
    shown = list(names[:NAMES_SHOWN])
    if len(names) > len(shown):
        shown.append(f"{len(names) - len(shown):,} more")
    return listing(shown)


def by_severity(report: Report) -> list[Finding]:
    """The findings, errors first; within a severity in the report's order."""
    return sorted(report.findings, key=lambda finding: finding.severity.rank)


def place(finding: Finding) -> str:
    """``file:line:column``."""
    return f"{finding.file}:{finding.span.start.line}:{finding.span.start.column}"


def witness_line(witness: Witness) -> str:
    """One line that can be followed by hand: the walk, or the failures that together do the harm."""
    where = f" in colour {witness.colour}" if witness.colour is not None else ""
    if witness.cut:
        between = ""
        if witness.source is not None and witness.destination is not None:
            cuts = "cuts" if len(witness.cut) == 1 else "cut"
            between = f" {cuts} {witness.source} from {witness.destination}"
        together = " together" if len(witness.cut) > 1 else ""
        return f"failing{together}{where}: {listing(witness.cut)}{between}"
    goal = f" to {witness.destination}" if witness.destination is not None else ""
    if witness.walk:
        return f"walk{goal}{where}: {HOP.join(witness.walk)}"
    origin = f" from {witness.source}" if witness.source is not None else ""
    return f"no walk{origin}{goal}{where}"


def trace_lines(witness: Witness) -> list[str]:
    """The states of a counterexample, the first of them where there are many; empty where there is none."""
    if len(witness.trace) <= TRACE_SHOWN:
        return list(witness.trace)
    return [*witness.trace[: TRACE_SHOWN - 1], f"… {len(witness.trace) - TRACE_SHOWN + 1:,} more lines"]


def affected_line(affected: Affected) -> str:
    """``topics a and b; 12 pairs``; empty if nothing is affected."""
    parts = []
    if affected.topics:
        parts.append(f"{'topic' if len(affected.topics) == 1 else 'topics'} {some_names(affected.topics)}")
    if affected.pairs:
        parts.append(count(affected.pairs, "pair"))
    return "; ".join(parts)


def details(finding: Finding) -> list[str]:
    """What is known besides the message, a line each: the witness, what is affected, the help.

    A walk that the message tells already is not told again.
    """
    lines = []
    if finding.witness is not None and not is_told(finding):
        lines.append(witness_line(finding.witness))
    if finding.witness is not None and finding.witness.trace:
        lines += ["trace:", *trace_lines(finding.witness)]
    if finding.affected is not None and (affected := affected_line(finding.affected)):
        lines.append(f"affects: {affected}")
    if finding.help:
        lines.append(f"help: {finding.help}")
    return lines


def is_told(finding: Finding) -> bool:
    """Whether the message has the walk of the witness in it, or a trace follows that says more."""
    if finding.witness is not None and finding.witness.trace:
        return True
    walk = finding.witness.walk if finding.witness is not None else ()
    return len(walk) > 1 and HOP.join(walk) in finding.message


def totals_line(report: Report) -> str:
    """How many findings there are, by severity."""
    summary = report.summary
    if not summary.files:
        return "No file was checked."
    counted = [
        count(number, noun)
        for number, noun in (
            (summary.errors, "error"),
            (summary.warnings, "warning"),
            (summary.notes, "note"),
        )
        if number
    ]
    if summary.undecided:
        counted.append(f"{summary.undecided:,} undecided")
    files = count(summary.files, "file")
    return f"Found {listing(counted)} in {files}." if counted else f"No findings in {files}."


def proof_line(report: Report) -> str:
    """What was proved, on what, and by which engine."""
    summary, proof = report.summary, report.proof
    estate = listing(
        [
            count(summary.brokers, "broker"),
            count(summary.links, "link"),
            count(summary.colours, "colour"),
            count(summary.topics, "topic"),
        ]
    )
    if not proof.engines:
        if not summary.brokers:
            return "Nothing was proved: there was no overlay to read."
        return f"Nothing was proved: no question was put to an engine ({estate})."
    pairs = f"{count(summary.pairs, 'pair')} ({count(proof.super_paths, 'super-path')})"
    if proof.specifications:
        pairs += f" and {count(proof.specifications, 'specification')}"
    engines = listing(proof.engines)
    if proof.decided_twice:
        twice = f"{proof.decided_twice:,} of {count(proof.questions, 'question')}"
        engines += ", " + ("" if proof.decided_twice == proof.questions else f"{twice} ") + "decided twice"
    if summary.undecided:
        verdict = f"Not all was decided ({summary.undecided:,} of {count(proof.questions, 'question')} open)"
    elif summary.errors:
        verdict = "Not proved, see the errors"
    elif proof.refuted or proof.false_specifications:
        refuted = [
            count(number, noun)
            for number, noun in ((proof.refuted, "pair"), (proof.false_specifications, "specification"))
            if number
        ]
        verdict = f"Not proved ({listing(refuted)} refuted, and ignored or suppressed)"
    else:
        verdict = "Proved"
    noun = "engine" if len(proof.engines) == 1 else "engines"
    return f"{verdict}: {pairs} on {estate}; {noun} {engines}."
