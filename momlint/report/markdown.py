"""Markdown as GitHub and GitLab show it: for a job's summary, or a comment on a pull request.

What strangers wrote stands in it, so nothing but letters, digits and harmless signs is written as it is: all else is a
character reference, which no Markdown and no HTML comes out of.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from momlint.escaping import printable
from momlint.report.closing import proof_line, totals_line
from momlint.report.wording import by_severity, details, see
from momlint.words import counted

if TYPE_CHECKING:
    from momlint.findings import Finding, Report

#: GitHub refuses a step's summary above 1 MiB and a comment above 65,536 characters.
MOST = 60_000

# A colon or a dot within a word may make an address, which GitHub would make a link of.
_SPECIAL = re.compile(r"[^\w \t.,;:()/=+\-→…'%?–]|_|[:.](?=\S)")


def render(report: Report) -> str:
    """A heading, the last lines of the text report, and a table with a row a finding, the most severe first.

    Rows that would make it longer than `MOST` characters are left out, and counted.
    """
    head = f"### momlint: {plain(totals_line(report))}\n\n"
    head += "".join(f"{plain(line)}\n" for line in (proof_line(report), *report.proof.bounds))
    head += "".join(f"\n- **could not be checked:** {_text(sentence)}\n" for sentence in report.failures)
    findings = by_severity(report)
    if not findings:
        return head
    parts = [head, "\n| | rule | where | what |\n|---|---|---|---|\n"]
    length = sum(map(len, parts))
    for number, finding in enumerate(findings):
        row = _row(finding)
        if length + len(row) > MOST:
            parts.append(f"\n{counted(len(findings) - number, 'more finding')} left out, the least severe.\n")
            break
        parts.append(row)
        length += len(row)
    return "".join(parts)


def _row(finding: Finding) -> str:
    start = finding.span.start
    where = f"<code>{plain(finding.file)}:{start.line}:{start.column}</code>"
    more = "".join(f"<br>{_text(line)}" for line in details(finding))
    what = f"{_text(finding.message)}<details><summary>more</summary>{more}<br>{_text(see(finding))}</details>"
    return f"| {finding.severity.value} | {finding.code} {plain(finding.rule)} | {where} | {what} |\n"


def _text(text: str) -> str:
    """A sentence of momlint's: what stands in backticks is code."""
    parts = [plain(part) for part in printable(text).split("`")]
    closed = len(parts) % 2
    return "".join(f"<code>{part}</code>" if index % 2 and (closed or index < len(parts) - 1) else part
                   for index, part in enumerate(parts))  # fmt: skip


def plain(text: str) -> str:
    """`text` so that nothing in it is Markdown or HTML."""
    return _SPECIAL.sub(lambda match: f"&#{ord(match.group())};", printable(text))
