"""``momlint schema``: the JSON Schemas of what momlint reads and writes."""

from __future__ import annotations

from typing import Any

from momlint import config


def schema_of(name: str) -> dict[str, Any]:
    """The schema of ``estate``, ``config``, ``report`` or ``rule``. Raises `UsageError` for another name."""
    match config.choice("--of", name, ("estate", "config", "report", "rule")):
        case "config":
            return config.json_schema()
        case "report":
            from momlint.report.schema import json_schema as report_schema

            return report_schema()
        case "rule":
            from momlint.policies.schema import json_schema as rule_schema

            return rule_schema()
    from momlint.estate import json_schema

    return json_schema()
