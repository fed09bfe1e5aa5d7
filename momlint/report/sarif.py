"""SARIF 2.1.0, for code scanning services and editors.

Services refuse a run of more than 25,000 results and show 5,000; so at most `CAP` are given, the most severe
first, and a notification in the run says how many were left out. The fingerprint of a result does not depend
on its line.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from momlint.escaping import json_printable, printable
from momlint.findings import OWN_FAULT, Severity
from momlint.report.json import affected_object, data_object, witness_object
from momlint.report.line_hash import line_hashes
from momlint.report.wording import by_severity, details
from momlint.version import __version__

if TYPE_CHECKING:
    from momlint.findings import Finding, Report, Span
    from momlint.report.options import RuleInfo

#: Results a service shows for one run.
CAP = 5000
#: What an address of the tool may be; a service shows it beside the tool's name.
INFORMATION = "https://github.com/momlint/momlint"
#: The folder that relative paths start from: whoever uploads the log knows which that is.
ROOT = "%SRCROOT%"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

_PROBLEM = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "recommendation"}


def left_out(report: Report) -> str | None:
    """A sentence about the results over the cap, if there are any."""
    total = len(report.findings)
    if total <= CAP:
        return None
    return (
        f"SARIF services show {CAP:,} results of a run: this report has the {CAP:,} most severe of {total:,} "
        f"findings and leaves out {total - CAP:,}. The JSON report has them all."
    )


def render(report: Report, rules: Sequence[RuleInfo] = ()) -> str:
    """The report as a SARIF log of one run; `rules` is the whole catalogue, in its order.

    A finding whose code is not in the catalogue gets a descriptor of its own, so that every result has one.
    """
    findings = by_severity(report)[:CAP]
    descriptors = [_descriptor(rule) for rule in rules]
    index = {rule.code: position for position, rule in enumerate(rules)}
    for finding in sorted(findings, key=lambda finding: finding.code):
        if finding.code not in index:
            index[finding.code] = len(descriptors)
            descriptors.append({"id": finding.code, "name": _pascal(finding.rule)})

    fingerprints = _fingerprints(report, findings)
    faulty = any(finding.code == OWN_FAULT for finding in findings)
    invocation: dict[str, Any] = {"executionSuccessful": not (faulty or report.failures)}
    notifications = [{"level": "error", "message": {"text": sentence}} for sentence in report.failures]
    if notice := left_out(report):
        notifications.append({"level": "warning", "message": {"text": notice}})
    if notifications:
        invocation["toolExecutionNotifications"] = notifications

    run = {
        "tool": {
            "driver": {
                "name": "momlint",
                "version": __version__,
                "semanticVersion": __version__,
                "informationUri": INFORMATION,
                "rules": descriptors,
            }
        },
        "automationDetails": {"id": "momlint/"},
        "originalUriBaseIds": {ROOT: {"description": {"text": "The folder in which momlint was run."}}},
        "invocations": [invocation],
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, index[finding.code], fingerprints[id(finding)]) for finding in findings],
    }
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}
    return json_printable(json.dumps(log, ensure_ascii=False, indent=2) + "\n")


def _descriptor(rule: RuleInfo) -> dict[str, Any]:
    descriptor: dict[str, Any] = {
        "id": rule.code,
        "name": _pascal(rule.id),
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why.strip() or rule.title},
        "help": {"text": rule.remedy.strip() or rule.title, "markdown": _markdown(rule)},
        "defaultConfiguration": {"level": rule.severity.value},
        "properties": {
            "tags": [rule.family],
            "problem.severity": _PROBLEM[rule.severity],
            "precision": "very-high",
        },
    }
    if rule.url:
        descriptor["helpUri"] = rule.url
    return descriptor


def _markdown(rule: RuleInfo) -> str:
    """The rule's page in short: what, why, what to do, an estate with the fault and one without."""
    parts = [f"# {rule.code} {rule.id}", f"{rule.title}.", rule.why.strip(), f"**What to do.** {rule.remedy.strip()}"]
    for title, text in (("An estate with the fault", rule.bad), ("Without it", rule.good)):
        if text:
            language = "yaml" if rule.file.endswith(".yaml") else "text"
            parts.append(f"{title}:\n\n```{language}\n{text.strip()}\n```")
    return "\n\n".join(parts) + "\n"


def _pascal(rule_id: str) -> str:
    return "".join(word.capitalize() for word in rule_id.split("-"))


def _result(finding: Finding, rule_index: int, fingerprints: dict[str, str]) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": rule_index,
        "level": finding.severity.value,
        "message": {"text": _message(finding)},
        "locations": [{"physicalLocation": _physical(finding.file, finding.span)}],
        "partialFingerprints": fingerprints,
    }
    if finding.related:
        result["relatedLocations"] = [
            {
                "id": number,
                "physicalLocation": _physical(other.file, other.span),
                "message": {"text": _unlinked(other.message)},
            }
            for number, other in enumerate(finding.related, start=1)
        ]
    if finding.steps:
        # One thread: a message is at one broker at a time.
        steps = [
            {
                "location": {
                    "physicalLocation": _physical(step.file, step.span),
                    "message": {"text": _unlinked(step.message)},
                }
            }
            for step in finding.steps
        ]
        result["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    properties: dict[str, Any] = {}
    if finding.witness is not None:
        properties["witness"] = witness_object(finding.witness)
    if finding.affected is not None:
        properties["affected"] = affected_object(finding.affected)
    if finding.data:
        properties["data"] = data_object(finding.data)
    if properties:
        result["properties"] = properties
    return result


def _message(finding: Finding) -> str:
    """The message and what is known besides, and a link to each related place."""
    lines = [_unlinked(line) for line in (printable(finding.message), *details(finding))]
    links = [
        f"[{_in_link(printable(other.message))}]({number})" for number, other in enumerate(finding.related, start=1)
    ]
    if links:
        lines.append(f"see: {', '.join(links)}")
    return "\n".join(lines)


def _unlinked(text: str) -> str:
    """`text` with nothing in it that a viewer would take for a link: names come from outside."""
    return re.sub(r"\[(?=[^\]]*\]\()", r"\\[", printable(text))


def _in_link(text: str) -> str:
    return re.sub(r"([\\\[\]])", r"\\\1", text)


def _physical(file: str, span: Span) -> dict[str, Any]:
    return {
        "artifactLocation": _artifact(file),
        "region": {
            "startLine": span.start.line,
            "startColumn": span.start.column,
            "endLine": span.end.line,
            "endColumn": span.end.column,
        },
    }


def _artifact(file: str) -> dict[str, Any]:
    uri = _uri(file)
    # A relative path says from where it is to be read.
    return {"uri": uri} if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", uri) else {"uri": uri, "uriBaseId": ROOT}


def _uri(file: str) -> str:
    """A relative path as a relative reference, an absolute one as a ``file:`` URI, an address as itself, escaped."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*://", file) is not None:
        return quote(os.fsencode(file), safe="/:@")
    absolute = file.startswith("/") or re.match(r"[A-Za-z]:/", file) is not None
    if absolute:
        return "file://" + ("" if file.startswith("/") else "/") + quote(os.fsencode(file), safe="/:")
    return quote(os.fsencode(file), safe="/")


def _fingerprints(report: Report, findings: Sequence[Finding]) -> dict[int, dict[str, str]]:
    """``id(finding)`` → its fingerprints, which stay the same when it moves to another line.

    Ours is of the file, the code, the text the span covers, and which of several alike it is; the other is GitHub's.
    """
    wanted: dict[str, set[int]] = {}
    for finding in findings:
        wanted.setdefault(finding.file, set()).add(finding.span.start.line)
    hashes = {file: line_hashes(report.sources.get(file, ()), lines) for file, lines in wanted.items()}
    seen: dict[tuple[str, str, str], int] = {}
    result: dict[int, dict[str, str]] = {}
    for finding in report.findings:
        about = _covered(report.sources.get(finding.file, ()), finding.span) or finding.message
        key = (finding.file, finding.code, about)
        number = seen.get(key, 0)
        seen[key] = number + 1
        text = "\0".join((*key, str(number)))
        ours = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
        line = hashes.get(finding.file, {}).get(finding.span.start.line)
        result[id(finding)] = {"momlint/v1": ours} | ({"primaryLocationLineHash": line} if line else {})
    return result


def _covered(lines: Sequence[str], span: Span) -> str:
    """The source text within `span`, white space made one blank; at most the first eight lines of it."""
    first, last = span.start.line - 1, min(span.end.line - 1, span.start.line + 6)
    taken = list(lines[first : last + 1])
    if not taken:
        return ""
    if last == span.end.line - 1:
        taken[-1] = taken[-1][: span.end.column - 1]
    taken[0] = taken[0][span.start.column - 1 :]
    return " ".join(" ".join(taken).split())
