"""The JSON Schema of rule files, for editors."""

from __future__ import annotations

from typing import Any

from momlint.findings import Severity
from momlint.policies.read import LONGEST_ID, MOST

_WORDS = {
    "oneOf": [
        {"type": ["string", "number", "boolean"]},
        {"type": "array", "items": {"type": ["string", "number", "boolean"]}, "minItems": 1},
    ]
}
_COUNT = {"type": "integer", "minimum": 0, "maximum": MOST}


def _selector(what: str, **keys: str) -> dict[str, Any]:
    return {
        "type": "object",
        "description": what,
        "additionalProperties": False,
        "minProperties": 1,
        "properties": {key: {**_WORDS, "description": said} for key, said in keys.items()},
    }


def _bound(check: str, required: list[str], properties: dict[str, Any]) -> dict[str, Any]:
    """What `with` is where `check` is this."""
    with_ = {
        "type": "object",
        "additionalProperties": False,
        "required": required,
        "properties": {
            "topics": _selector(
                "The topics that the rule speaks of; all of them if left out.",
                tags="With any of these tags.",
                names="Called so; * and ? stand for any characters, and any one.",
            ),
            **properties,
        },
    }
    return {"properties": {"check": {"const": check}, "with": with_}, "required": ["with"]}


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one document of a rule file."""
    text = {"type": ["string", "number", "boolean"]}
    brokers = _selector(
        "The brokers that messages of these topics may come to.",
        tags="With any of these tags.",
        sites="At any of these sites.",
        names="Called so; * and ? stand for any characters, and any one.",
    )
    fails = {
        key: {**_COUNT, "description": f"How many {key} may fail, at once with the others."}
        for key in ("links", "brokers", "groups")
    }
    survives = _bound("survives", [], fails)
    survives["properties"]["with"]["anyOf"] = [
        {"required": [key], "properties": {key: {"minimum": 1}}} for key in ("links", "brokers", "groups")
    ]
    between = {"enum": ["brokers", "sites"], "description": "sites: only where publisher and subscriber are at two."}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:momlint:rule:1",
        "title": "A rule of your own for momlint",
        "type": "object",
        "additionalProperties": False,
        "required": ["code", "id", "title", "check"],
        "properties": {
            "code": {
                "type": "string",
                "pattern": "^(?!MOM)[A-Z]{2,16}[0-9]{1,6}$",
                "description": "A prefix of your own, and a number: ACME1.",
            },
            "id": {
                "type": "string",
                "pattern": "^[a-z][a-z0-9]*(-[a-z0-9]+)*$",
                "maxLength": LONGEST_ID,
                "description": "A name to call it by: pii-stays-in-the-eu.",
            },
            "title": {**text, "minLength": 1, "description": "What it finds, in a sentence."},
            "severity": {"enum": [one.value for one in Severity], "description": "error if left out."},
            "why": {**text, "description": "Why it matters, for `momlint explain`."},
            "remedy": {**text, "description": "What to do, in `momlint explain` and in findings."},
            "bad": {**text, "description": "An estate with the fault."},
            "good": {**text, "description": "The same without it."},
            "check": {
                "enum": ["stays-within", "survives", "hops-within"],
                "description": "The check of momlint's that the rule binds.",
            },
            "with": {"type": "object", "description": "The parameters of the check."},
        },
        "oneOf": [
            _bound("stays-within", ["brokers"], {"brokers": brokers}),
            survives,
            _bound("hops-within", ["at_most"], {"at_most": {**_COUNT, "description": "Hops."}, "between": between}),
        ],
    }
