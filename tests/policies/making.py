"""Policies as records, and estates with tags, for tests."""

from __future__ import annotations

import random
import re

from momlint.catalog import Rule
from momlint.findings import Severity
from momlint.policies.form import CheckName, Policy


def policy(check: CheckName, code: str = "ACME1", **parameters: object) -> Policy:
    rule = Rule(code, f"rule-{code.lower()}", "policy", "a rule", Severity.ERROR, "", "why", "", "", "", "", {})
    return Policy(rule, check, "rules.yaml", **parameters)  # type: ignore[arg-type]


def tagged(rng: random.Random, text: str) -> str:
    """`text` with tags and sites at its brokers, and tags at its topics, one entry a line as the generator has them."""
    section, lines = "", []
    for written in text.splitlines():
        line = written
        if re.match(r"\S", line):
            section = line.partition(":")[0]
        elif section == "brokers":
            some = [f"tags: [{rng.choice(['eu', 'eu', 'eu', 'eu, core', 'us'])}]"] if rng.random() < 0.9 else []
            some += [f"site: {rng.choice('abc')}"] if rng.random() < 0.7 else []
            line = _with(line, some)
        elif section == "topics":
            tags = [tag for tag in ("pii", "gold") if rng.random() < 0.6]
            line = _with(line, [f"tags: [{', '.join(tags)}]"] if tags else [])
        lines.append(line)
    return "\n".join(lines) + "\n"


def _with(line: str, fields: list[str]) -> str:
    if not fields:
        return line
    joined = ", ".join(fields)
    return f"{line[:-1]}, {joined}}}" if line.endswith("}") else f"{line} {{{joined}}}"
