"""``momlint schema``: the JSON Schemas of what momlint reads and writes."""

from __future__ import annotations

from typing import Any

from momlint import config

KINDS = ("estate", "config", "rule", "report", "statistics", "diff", "simulation", "why")


def schema_of(name: str) -> dict[str, Any]:
    """The schema of one of `KINDS`. Raises `UsageError` for another name."""
    match config.choice("--of", name, KINDS):
        case "config":
            return config.json_schema()
        case "report":
            from momlint.report.schema import json_schema as report_schema

            return report_schema()
        case "rule":
            from momlint.policies.schema import json_schema as rule_schema

            return rule_schema()
        case "statistics":
            from momlint.report.schema import statistics_schema

            return statistics_schema()
        case "diff":
            from momlint.report.schema import diff_schema

            return diff_schema()
        case "simulation":
            from momlint.report.schema import simulation_schema

            return simulation_schema()
        case "why":
            from momlint.report.schema import why_schema

            return why_schema()
    from momlint.estate import json_schema

    return json_schema()
