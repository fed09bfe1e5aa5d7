"""The JSON report, version 1: the schema and the order of its keys are a contract (docs: "JSON").

No times and no engine are in it: the same input gives the same bytes, whatever decided it.
"""

from __future__ import annotations

import dataclasses
import json
from typing import TYPE_CHECKING, Any

from momlint.escaping import json_printable

if TYPE_CHECKING:
    from momlint.findings import Affected, Data, Finding, Report, Span, Witness

#: Goes up when a key changes its meaning or goes away; new keys may come without.
VERSION = 1


def render(report: Report) -> str:
    """The report as one JSON object with a finding a line, and a line end."""
    counts = dataclasses.asdict(report.summary)
    if not counts["properties"]:
        del counts["properties"]  # it joined version 1 later
    summary = json.dumps(counts, ensure_ascii=False)
    findings = [json.dumps(finding_object(finding), ensure_ascii=False) for finding in report.findings]
    listed = "[\n  " + ",\n  ".join(findings) + "\n ]" if findings else "[]"
    # Where it was asked for.
    told = [json.dumps(section.data, ensure_ascii=False) for section in report.sections if section.data is not None]
    coverage = ',\n "coverage": [\n  ' + ",\n  ".join(told) + "\n ]" if told else ""
    return json_printable(f'{{"version": {VERSION},\n "summary": {summary},\n "findings": {listed}{coverage}}}\n')


def finding_object(finding: Finding) -> dict[str, Any]:
    """One finding: ``related`` is always there, ``witness``, ``affected``, ``label`` and ``data`` where there is one.

    ``label`` and ``data`` joined version 1 later, so they stand last.
    """
    result: dict[str, Any] = {
        "code": finding.code,
        "rule": finding.rule,
        "severity": finding.severity.value,
        "file": finding.file,
        "span": span_object(finding.span),
        "message": finding.message,
        "help": finding.help,
        "url": finding.url,
    }
    if finding.witness is not None:
        result["witness"] = witness_object(finding.witness)
    if finding.affected is not None:
        result["affected"] = affected_object(finding.affected)
    result["related"] = [
        {"file": other.file, "span": span_object(other.span), "message": other.message} for other in finding.related
    ]
    if finding.label:
        result["label"] = finding.label
    if finding.data:
        result["data"] = data_object(finding.data)
    return result


def data_object(data: Data) -> dict[str, Any]:
    """Tuples as lists; the order is the check's."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in data.items()}


def span_object(span: Span) -> dict[str, Any]:
    """1-based lines and columns in characters; the end is exclusive."""
    return {
        "start": {"line": span.start.line, "column": span.start.column},
        "end": {"line": span.end.line, "column": span.end.column},
    }


def witness_object(witness: Witness) -> dict[str, Any]:
    """What is known of the witness; ``source`` only where no walk begins with it, most others where there is one.

    What clients do is no walk.
    """
    result: dict[str, Any] = {}
    if witness.colour is not None:
        result["colour"] = witness.colour
    if witness.source is not None and witness.walk[:1] != (witness.source,):
        result["source"] = witness.source
    if witness.destination is not None:
        result["destination"] = witness.destination
    if witness.topic is not None:
        result["topic"] = witness.topic
    if witness.clients:
        result["clients"] = list(witness.clients)
    else:
        result["walk"] = list(witness.walk)
    if witness.paths:
        result["paths"] = list(witness.paths)
    if witness.cut:
        result["cut"] = list(witness.cut)
    if witness.trace or witness.clients:
        result["trace"] = list(witness.trace)
    return result


def affected_object(affected: Affected) -> dict[str, Any]:
    """The names of the topics and the number of pairs."""
    return {"topics": list(affected.topics), "pairs": affected.pairs}
