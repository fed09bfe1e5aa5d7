"""The JSON Schemas of what momlint writes as JSON, for programs that read it."""

from __future__ import annotations

from typing import Any, get_args, get_type_hints

from momlint.changes import KINDS, Way
from momlint.findings import Severity
from momlint.report.json import VERSION

_COUNT = {"type": "integer", "minimum": 0}
_TEXT = {"type": "string"}
_POSITIVE = {"type": "integer", "minimum": 1}
#: Milliseconds, or the estate's own unit.
_TIME = {"type": "number", "minimum": 0}
_NUMBERING = {"enum": ["publisher", "link", "sequencer", "subscriber", None]}


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
    required = {"version": {"const": VERSION}, "summary": _summary(), "findings": findings}
    return _document("report", required, {"coverage": _list(_coverage())})


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


def simulation_schema() -> dict[str, Any]:
    """That of ``simulate --format json``: of a script's policies, or of the protocols that failures are run under."""
    both = {"policies": _outcomes(_run(), _runs()), "protocols": _outcomes(_recovery(), _recoveries())}
    document = _document("simulation", {})
    return {**document, "properties": both, "oneOf": [{"required": [name]} for name in both]}


def _outcomes(one: dict[str, Any], several: dict[str, Any]) -> dict[str, Any]:
    """By name: of one run, or of several."""
    either = {"if": {"required": ["runs"]}, "then": several, "else": one}
    return {"type": "object", "minProperties": 1, "additionalProperties": {"type": "object", **either}}


def _run() -> dict[str, Any]:
    event = {"publisher": _TEXT, "number": _POSITIVE, "topic": _TEXT}
    missing = _list(_object({"subscriber": _TEXT, **event}))
    crossed = {"subscriber": _TEXT, "compared_with": _TEXT, "first": _object(event), "second": _object(event)}
    status = _object({"at_ms": _TIME, "brokers": _by_name(_TEXT)})
    line = {"type": "array", "prefixItems": [_TIME, _TEXT], "items": False, "minItems": 2}
    return _object(
        {
            "numbering": _NUMBERING,
            "deliveries": _by_name(_list(_object({**event, "at_ms": _TIME}))),
            "published": _COUNT,
            "messages": _COUNT,
            "messages_by_kind": _by_name(_COUNT),
            "lost": {**missing, "description": "The subscription was known everywhere."},
            "missed": {**missing, "description": "The subscription was still under way."},
            "duplicates": missing,
            "out_of_order": _list(_object(crossed)),
            "last_delivery_ms": _perhaps(_TIME),
            "latency_ms": _object({"median": _perhaps(_TIME), "most": _perhaps(_TIME)}),
            "settled": {"type": "boolean"},
        },
        {"statuses": _list(status), "log": {**_list(line), "description": "When, in milliseconds, and what."}},
    )


def _runs() -> dict[str, Any]:
    times = ("last_delivery_ms", "median_latency_ms", "longest_latency_ms")
    counts = ("messages", "delivered", "lost", "missed", "duplicates", "out_of_order")
    fixed = {"numbering": _NUMBERING, "runs": _POSITIVE, "published": _COUNT, "settled": {"type": "boolean"}}
    return _object({**fixed, **dict.fromkeys(times, _perhaps(_SPREAD)), **dict.fromkeys(counts, _SPREAD)})


def _recovery() -> dict[str, Any]:
    point = {"type": "array", "prefixItems": [_TIME, _TIME], "items": False, "minItems": 2}
    return _object(
        {
            **dict.fromkeys(("sent", "received", "under_way"), _COUNT),
            "lost": _by_name(_COUNT),
            "latency": _latencies(_TIME),
            "converged_at": _converged(_TIME),
            "control_bits": _TIME,
            "false_alarms": _COUNT,
            "path_hops": {**_by_name(_COUNT), "description": "Packets by the number of hops that they took."},
            "load": _by_name(_TIME),
            "series": {**_list(point), "description": "When each packet was sent, and how long it took."},
        }
    )


def _recoveries() -> dict[str, Any]:
    counts = ("sent", "received", "control_bits", "false_alarms")
    inner = {
        "lost": _by_name(_SPREAD),
        "latency": _latencies(_SPREAD),
        "converged_at": _converged(_SPREAD),
    }
    return _object({"runs": _POSITIVE, **dict.fromkeys(counts, _SPREAD), **inner})


def why_schema() -> dict[str, Any]:
    """That of ``why --format json``."""
    texts = _list(_TEXT)
    lines = _list(line_schema())
    return _document(
        "why",
        {
            "version": {"const": VERSION},
            "estate": _TEXT,
            "from": _TEXT,
            "to": _TEXT,
            "arrives": {"type": "boolean"},
            "end": {"enum": ["arrived", "stopped", "looped", "failed"]},
            "walk": {
                **texts,
                "description": "The brokers that the message passes; none where one of the two has failed.",
            },
            "lines": {
                **lines,
                "description": "Those of which a change can stop it; if it does not arrive, those that mend it.",
            },
            "either": {**_list(lines), "description": "Groups of links of which one will do."},
            "way": {**texts, "description": "Of a failure: the way of the message, once the lines are changed."},
        },
        {"colour": _TEXT},
    )


def _coverage() -> dict[str, Any]:
    """What ``check --coverage`` says of an estate."""
    counts = _object({"covered": _COUNT, "all": _COUNT})
    by_file = _object({"file": _TEXT, "rows": counts, "links": counts, "colours": counts})
    return {
        **_object({"estate": _TEXT, "file": _TEXT, "files": _list(by_file), "uncovered": _list(line_schema())}),
        "description": "With --coverage: on how many lines proofs rest, and the lines on which none does.",
    }


def line_schema() -> dict[str, Any]:
    """A row, a link or a colour, and where it stands."""
    position = _object({"line": _POSITIVE, "column": _POSITIVE})
    return _object(
        {
            "kind": {"enum": ["row", "link", "colour", "new-row", "new-link"]},
            "name": _TEXT,
            "file": _TEXT,
            "span": _object({"start": position, "end": position}),
            "text": {**_TEXT, "description": "The line, without the blanks around it."},
        },
        {"change": {**_TEXT, "description": "What mends, where it does not arrive."}},
    )


def _latencies(value: dict[str, Any]) -> dict[str, Any]:
    return _object(dict.fromkeys(("median", "p99", "max"), _perhaps(value)))


def _converged(value: dict[str, Any]) -> dict[str, Any]:
    moments = dict.fromkeys(("detected", "all_agree", "first_delivery"), _perhaps(value))
    return _list(_object({"event": _TEXT, "at": _TIME, **moments}))


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}


def _by_name(values: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "additionalProperties": values}


def _perhaps(value: dict[str, Any]) -> dict[str, Any]:
    return {"anyOf": [value, {"type": "null"}]}


def _summary() -> dict[str, Any]:
    counts = ("files", "brokers", "links", "colours", "topics", "pairs", "errors", "warnings", "notes", "undecided")
    return _object(dict.fromkeys(counts, _COUNT), {"properties": _COUNT})


def _document(name: str, required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": f"urn:momlint:{name}:{VERSION}",
        "title": f"momlint {name}",
        **_object(required, optional),
    }


def _object(required: dict[str, Any], optional: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"type": "object", "required": list(required), "properties": {**required, **(optional or {})}}


_SPREAD = _object(dict.fromkeys(("least", "median", "most"), _TIME))
