"""Notes in brief: those of one rule in one block, what cuts most first.

A note is nothing to mend today. Thirty of them with a snippet each hide the error that is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from momlint.escaping import printable
from momlint.findings import Severity
from momlint.report.wording import place, shown_path
from momlint.words import counted

if TYPE_CHECKING:
    from momlint.findings import Finding

#: Lines of elements shown for a rule; `--notes full` shows all.
LINES = 12
#: Of more files than this, each has one line.
FEW_FILES = 3


def gathered(findings: Sequence[Finding]) -> tuple[list[Finding], list[list[Finding]]]:
    """What is shown one by one, and the notes that are shown in blocks: two and more of one rule, by code."""
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        if finding.severity is Severity.NOTE:
            by_code.setdefault(finding.code, []).append(finding)
    blocks = [by_code[code] for code in sorted(by_code) if len(by_code[code]) > 1]
    gone = {id(finding) for block in blocks for finding in block}
    return [finding for finding in findings if id(finding) not in gone], blocks


def weight(finding: Finding) -> int:
    """How many pairs it cuts."""
    return finding.affected.pairs if finding.affected is not None else 0


def lines(block: Sequence[Finding], width: int) -> Iterator[str]:
    """The block's elements, file by file, those that cut most first; the rest is counted after `LINES` lines.

    Elements that have a name are packed into lines of `width` columns; others take a line each.
    """
    by_file: dict[str, list[Finding]] = {}
    for finding in sorted(block, key=weight, reverse=True):
        by_file.setdefault(finding.file, []).append(finding)
    told = shown = 0
    for_each = LINES // len(by_file) if len(by_file) <= FEW_FILES else 1
    for file, findings in by_file.items():
        head = f"{shown_path(file)}: " if len(by_file) > 1 else ""
        for line, number in islice(_packed(head, findings, width), for_each):
            if shown == LINES:
                break
            yield line
            shown += 1
            told += number
    if told < len(block):
        yield f"and {counted(len(block) - told, 'more', 'more')}"


def _packed(head: str, findings: Sequence[Finding], width: int) -> Iterator[tuple[str, int]]:
    """(line, how many elements are in it)."""
    line, number = head, 0
    for finding in findings:
        element = _element(finding)
        if number and (len(line) + 2 + len(element) > width or "element" not in finding.data):
            yield line, number
            line, number = " " * 2 if head else "", 0
        line += (", " if number else "") + element
        number += 1
    if number:
        yield line, number


def _element(finding: Finding) -> str:
    if "element" not in finding.data:
        pairs = f" ({counted(weight(finding), 'pair')})" if weight(finding) else ""
        return printable(f"{place(finding)}: {finding.message}{pairs}")
    name = printable(f"{finding.data['kind']} `{finding.data['element']}`")
    return f"{name} (line {finding.span.start.line}, {counted(weight(finding), 'pair')})"
