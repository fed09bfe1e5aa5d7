"""The JSON Schemas of what momlint writes as JSON, for programs that read it."""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

from momlint.changes import KINDS, Way
from momlint.findings import Severity
from momlint.report.json import VERSION

_COUNT = {"type": "integer", "minimum": 0}


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of version 1. New keys may come without a new version; none goes away."""
    text = {"type": "string"}
    texts = {"type": "array", "items": text}
    position = _object({"line": {"type": "integer", "minimum": 1}, "column": {"type": "integer", "minimum": 1}})
    span = {**_object({"start": position, "end": position}), "description": "In characters, from 1; the end excluded."}
    witness = {
        "colour": text,
        "source": text,
        "destination": text,
        "topic": text,
        "walk": {**texts, "description": "The brokers that a message passes, from the first."},
        "clients": texts,
        "paths": texts,
        "cut": {**texts, "description": "Links and brokers whose failure together is the witness."},
        "trace": {**texts, "description": "The states or steps of a counterexample, a line each."},
    }
    finding = _object(
        {
            "code": {"type": "string", "pattern": "^MOM[0-9]{3}$"},
            "rule": text,
            "severity": {"enum": [severity.value for severity in Severity]},
            "file": text,
            "span": span,
            "message": text,
            "help": text,
            "url": text,
            "related": {"type": "array", "items": _object({"file": text, "span": span, "message": text})},
        },
        {
            "witness": _object({}, witness),
            "affected": _object({"topics": texts, "pairs": _COUNT}),
            "label": text,
            "data": {
                "type": "object",
                "description": "What the finding is about, by name.",
                "additionalProperties": {"type": ["string", "number", "array"], "items": text},
            },
        },
    )
    findings = {"type": "array", "items": finding}
    return _document("report", {"version": {"const": VERSION}, "summary": _summary(), "findings": findings})


def statistics_schema() -> dict[str, Any]:
    """That of ``check --statistics --format json``."""
    row = _object(
        {
            "code": {"type": "string", "pattern": "^MOM[0-9]{3}$"},
            "rule": {"type": "string"},
            "severity": {"enum": [severity.value for severity in Severity]},
            "count": {"type": "integer", "minimum": 1},
        }
    )
    rows = {"type": "array", "items": row}
    return _document("statistics", {"version": {"const": VERSION}, "summary": _summary(), "statistics": rows})


def diff_schema() -> dict[str, Any]:
    """That of ``diff --format json``."""
    text, texts = {"type": "string"}, {"type": "array", "items": {"type": "string"}}
    failure = {
        **_object({"failed": {**texts, "description": "Links and brokers."}}, {"colour": text}),
        "description": "What has failed; nothing in the state without failures.",
    }
    failures = {"type": "array", "items": failure}
    way = _object({"walk": texts, "end": {"enum": list(get_args(get_type_hints(Way)["end"]))}})
    change = _object(
        {
            "change": {"enum": list(KINDS)},
            "source": text,
            "destination": text,
            "topics": texts,
            "failures": {**failures, "minItems": 1},
            "old": {**way, "description": "In the first of the failures."},
            "new": way,
        }
    )
    summary = _object(dict.fromkeys(("pairs", "failures", "not_compared", *KINDS), _COUNT))
    changes = {"type": "array", "items": change}
    return _document(
        "diff", {"version": {"const": VERSION}, "summary": summary, "not_compared": failures, "changes": changes}
    )


def _summary() -> dict[str, Any]:
    counts = ("files", "brokers", "links", "colours", "topics", "pairs", "errors", "warnings", "notes", "undecided")
    return _object(dict.fromkeys(counts, _COUNT), {"properties": _COUNT})


def _document(name: str, required: dict[str, Any]) -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:momlint:{name}:{VERSION}",
        "title": f"momlint {name}",
        **_object(required),
    }


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": {**required, **(optional or {})}}
