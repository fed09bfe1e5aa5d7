"""The report for people at a terminal: each finding with its place in the source, then what was proved.

The layout follows what users know from compilers. Colour and width are the caller's to decide; without them
the bytes depend on the report alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from momlint.escaping import printable
from momlint.findings import Severity
from momlint.report import brief
from momlint.report.closing import proof_line, totals_line
from momlint.report.folding import folded
from momlint.report.snippet import Row, rows
from momlint.report.wording import (
    affected_line,
    by_severity,
    no_command,
    place,
    see,
    shown_path,
    trace_lines,
    witness_line,
)
from momlint.words import counted, joined

if TYPE_CHECKING:
    from momlint.findings import Finding, Related, Report, Section
    from momlint.report.options import Notes

#: Columns where no terminal says how many it has.
WIDTH = 120
#: Related places shown for a finding; the JSON report has them all.
RELATED_SHOWN = 5
#: Of more places than this that say the same, the first is shown, and of the others the line.
ALIKE_SHOWN = 2
#: So many such lines are told.
LINES_TOLD = 12
BACKSLASH = "\\"

_RESET = "\x1b[0m"
_BOLD = "\x1b[1m"
_GUTTER = "\x1b[1;34m"
_HELP = "\x1b[1;32m"
_SEVERITY = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m", Severity.NOTE: "\x1b[1;36m"}


def render(
    report: Report,
    *,
    colour: bool = False,
    width: int | None = None,
    quiet: bool = False,
    notes: Notes = "brief",
) -> str:
    """Errors, warnings, notes, the report's sections, then the totals and what was proved, unless `quiet`.

    `notes`: "brief" puts the notes of one rule into one block, "full" shows each as the other findings are.
    """
    painter = _Painter(colour)
    findings = by_severity(report)
    gathered: list[list[Finding]] = []
    if notes == "brief":
        findings, gathered = brief.gathered(findings)
    blocks = [_finding(finding, report.sources, painter, width) for finding in findings]
    blocks += [_brief(block, painter, width) for block in gathered]
    blocks += [_section(section, painter) for section in report.sections]
    if not quiet:
        blocks.append(_closing(report, painter, width))
    return "\n".join(blocks)


def _closing(report: Report, painter: _Painter, width: int | None) -> str:
    totals = totals_line(report)
    proof = "\n".join(folded(line, width, 2) for line in (proof_line(report), *report.proof.bounds))
    good = not (report.summary.errors or report.summary.undecided or report.failures)
    if good:
        proof = painter(proof, _HELP if report.proof.engines else "")
    return f"{totals}\n{proof}\n"


def _section(section: Section, painter: _Painter) -> str:
    title = painter(no_command(printable(section.title), "./"), _BOLD)
    lines = [title, *(f"  {no_command(printable(line), BACKSLASH)}" for line in section.lines)]
    return "".join(line.rstrip() + "\n" for line in lines)


def _brief(block: list[Finding], painter: _Painter, width: int | None) -> str:
    """The notes of one rule."""
    first = block[0]
    files = list(dict.fromkeys(finding.file for finding in block))
    head = painter(f"{first.severity.value}[{first.code}]", _SEVERITY[first.severity])
    title = painter(f" {first.rule}: {counted(len(block), 'note')}, those that cut most first", _BOLD)
    lines = [head + title]
    if len(files) == 1:
        lines.append(f" {painter('-->', _GUTTER)} {shown_path(files[0])}")
    lines += [f"  {painter('=', _GUTTER)} {line}" for line in brief.lines(block, (width or WIDTH) - 4)]
    lines.append(_note(1, painter, "see", f"{see(first)}; --notes full shows each in its place"))
    return "".join(line.rstrip() + "\n" for line in lines)


class _Painter:
    """Wraps text in a colour, or leaves it as it is."""

    def __init__(self, enabled: bool) -> None:
        self._enabled = enabled

    def __call__(self, text: str, style: str) -> str:
        return f"{style}{text}{_RESET}" if self._enabled and style and text else text


def _finding(finding: Finding, sources: dict[str, Sequence[str]], painter: _Painter, width: int | None) -> str:
    style = _SEVERITY[finding.severity]
    head = painter(f"{finding.severity.value}[{finding.code}]", style)
    # A message stands alone, and may begin as the rule is called.
    message = finding.message.removeprefix(f"{finding.rule}: ")
    title = painter(f" {finding.rule}: {printable(message)}", _BOLD)
    related, alike = _by_message(finding.related)

    shown = [finding.span.start.line, finding.span.end.line]
    shown += [line for other in related[:RELATED_SHOWN] for line in (other.span.start.line, other.span.end.line)]
    gutter = len(str(max(shown)))
    columns = (width or WIDTH) - gutter - 3

    lines = [folded(head + title, width, 2), f"{' ' * gutter}{painter('-->', _GUTTER)} {place(finding)}"]
    primary = rows(sources.get(finding.file, ()), finding.span, columns, parent=True)
    lines += _source(primary, gutter, columns, painter, style, printable(finding.label))
    if not primary and finding.label:
        lines.append(_note(gutter, painter, "here", finding.label))
    for other in related[:RELATED_SHOWN]:
        lines += _related(other, sources, gutter, columns, painter)
    notes = len(lines)
    if len(related) > RELATED_SHOWN:
        more = len(related) - RELATED_SHOWN
        lines.append(_note(gutter, painter, "related", f"{more:,} more {'place' if more == 1 else 'places'}"))
    for others in alike:
        lines.append(_note(gutter, painter, others[0].message, _places(others, finding.file)))
    if finding.witness is not None and (line := witness_line(finding.witness)):
        lines.append(_note(gutter, painter, "", line))
    if finding.witness is not None and finding.witness.trace:
        first, *rest = trace_lines(finding.witness)
        lines.append(_note(gutter, painter, "trace", first))
        lines += [f"{' ' * (gutter + 10)}{printable(line)}" for line in rest]
    if finding.affected is not None and (affected := affected_line(finding.affected)):
        lines.append(_note(gutter, painter, "affects", affected))
    if finding.help:
        lines.append(_note(gutter, painter, "help", finding.help, _HELP))
    lines.append(_note(gutter, painter, "see", see(finding)))
    lines[notes:] = [folded(line, width, gutter + 3) for line in lines[notes:]]
    return "".join(line.rstrip() + "\n" for line in lines)


def _by_message(related: Sequence[Related]) -> tuple[list[Related], list[list[Related]]]:
    """The places to show, and of each message that more say those that are told by their lines."""
    groups: dict[str, list[Related]] = {}
    for other in related:
        groups.setdefault(other.message, []).append(other)
    alike = {message: group[1:] for message, group in groups.items() if len(group) > ALIKE_SHOWN}
    told = {id(other) for group in alike.values() for other in group}
    return [other for other in related if id(other) not in told], list(alike.values())


def _places(others: Sequence[Related], file: str) -> str:
    """``lines 12, 14 and 18``; with their files where one of them stands in another."""
    shown = others[:LINES_TOLD]
    here = all(other.file == file for other in shown)
    names = [
        f"{other.span.start.line}" if here else f"{shown_path(other.file)}:{other.span.start.line}" for other in shown
    ]
    if len(others) > len(shown):
        names.append(f"{len(others) - len(shown):,} more")
    return (("line " if len(others) == 1 else "lines ") if here else "") + joined(names)


def _related(
    other: Related, sources: dict[str, Sequence[str]], gutter: int, columns: int, painter: _Painter
) -> list[str]:
    where = f"{shown_path(other.file)}:{other.span.start.line}:{other.span.start.column}"
    found = rows(sources.get(other.file, ()), other.span, columns, mark="-")
    header = f"{' ' * gutter}{painter(':::', _GUTTER)} {where}"
    if not found:
        return [f"{header}: {printable(other.message)}"]
    return [header, *_source(found, gutter, columns, painter, _GUTTER, printable(other.message))]


def _source(found: list[Row], gutter: int, columns: int, painter: _Painter, style: str, label: str) -> list[str]:
    if not found:
        return []
    bar = painter("|", _GUTTER)
    empty = f"{' ' * gutter} {bar}"
    lines = [empty]
    previous = found[0].number
    for index, row in enumerate(found):
        if row.number > previous + 1:
            lines.append(painter("." * min(3, gutter + 2), _GUTTER))
        previous = row.number
        lines.append(f"{painter(str(row.number).rjust(gutter), _GUTTER)} {bar} {row.text}")
        if row.mark is not None:
            said = label if index == len(found) - 1 else ""
            if said and len(row.mark) + 1 + len(said) > columns:
                # No room beside the mark: it stands below.
                indent = " " * min(len(row.mark) - len(row.mark.lstrip()), max(0, columns - len(said)))
                lines += [f"{empty} {painter(row.mark, style)}", f"{empty} {indent}{painter(said, style)}"]
            else:
                lines.append(f"{empty} {painter(f'{row.mark} {said}'.rstrip(), style)}")
    lines.append(empty)
    return lines


def _note(gutter: int, painter: _Painter, label: str, text: str, style: str = _BOLD) -> str:
    named = painter(f"{label}:", style) + " " if label else ""
    return f"{' ' * gutter} {painter('=', _GUTTER)} {named}{printable(text)}"
