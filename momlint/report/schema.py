"""The JSON Schema of the JSON report, for programs that read it."""

from __future__ import annotations

from typing import Any

from momlint.findings import Severity
from momlint.report.json import VERSION


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of version 1. New keys may come without a new version; none goes away."""
    count = {"type": "integer", "minimum": 0}
    text = {"type": "string"}
    texts = {"type": "array", "items": text}
    position = _object({"line": {"type": "integer", "minimum": 1}, "column": {"type": "integer", "minimum": 1}})
    span = {**_object({"start": position, "end": position}), "description": "In characters, from 1; the end excluded."}
    counts = ("files", "brokers", "links", "colours", "topics", "pairs", "errors", "warnings", "notes", "undecided")
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
            "affected": _object({"topics": texts, "pairs": count}),
            "label": text,
            "data": {
                "type": "object",
                "description": "What the finding is about, by name.",
                "additionalProperties": {"type": ["string", "number", "array"], "items": text},
            },
        },
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:momlint:report:{VERSION}",
        "title": "momlint report",
        **_object(
            {
                "version": {"const": VERSION},
                "summary": _object(dict.fromkeys(counts, count), {"properties": count}),
                "findings": {"type": "array", "items": finding},
            }
        ),
    }


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": {**required, **(optional or {})}}
