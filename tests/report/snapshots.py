"""Every rule's report in every format, as text that a person can read through.

`scripts/write_snapshots.py` writes it, `test_snapshots.py` compares. The estate of a rule is the bad one of its page;
for the rules that no estate brings about there is a finding by hand.
"""

from __future__ import annotations

from pathlib import Path

from momlint import __version__
from momlint.catalog import Rule, load_rules
from momlint.findings import Finding, Position, Report, Span, Summary
from momlint.lint import Options, lint_bytes, merge
from momlint.report import FORMATS, render

FOLDER = Path(__file__).parent / "snapshots"
FILE = "estate.mom.yaml"
#: A note that nearly every small estate has; it is left out where it is not the rule's own affair.
OFTEN = "MOM501"
#: Rules about what engines answer.
BY_HAND = {
    "MOM802": ("this uplink closes a cycle of leaf nodes: the server breaks it off", "leave out one uplink"),
    "MOM901": ("could not decide whether every needed pair arrives: z3 ran out of time", "allow more with `--timeout`"),
    "MOM902": ("the engines disagree on whether every needed pair arrives: smt alone refutes 1", "please report this"),
}


def report_of(rule: Rule) -> Report:
    """What a check of the rule's bad estate reports."""
    if rule.code in BY_HAND:
        message, help_text = BY_HAND[rule.code]
        start = Position(1, 1)
        found = Finding(rule.code, rule.id, rule.severity, FILE, Span(start, Position(1, 8)), message, help_text)
        return Report([found], Summary(files=1, errors=1), sources={FILE: ["momlint: 1"]})
    ignore = () if rule.family == "resilience" else (OFTEN,)
    options = Options(engine="graph", ignore=ignore, protocol=rule.code == "MOM410")
    return merge([lint_bytes(rule.bad.encode(), FILE if rule.file.endswith(".yaml") else rule.file, options)], options)


def snapshot(rule: Rule) -> str:
    """The report in every format, one after the other."""
    parts = []
    for form in FORMATS:
        text = render(form, report_of(rule)).text.replace(f'"{__version__}"', '"VERSION"')
        parts.append(f"======== {form}\n{text.rstrip()}\n")
    return "\n".join(parts)


def all_snapshots() -> dict[str, str]:
    """Code → snapshot."""
    return {rule.code: snapshot(rule) for rule in load_rules()}
