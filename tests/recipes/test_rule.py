"""A rule: one file in ``rules/``, one module in the discipline's ``checks/``, and nothing else."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from momlint.findings import Draft, Span
from momlint.lint import Options, lint_bytes, merge
from momlint.routed.diagnosis.context import Context
from tests.recipes.catalogue import with_rule

TEXT = b"""\
momlint: 1
brokers: {a: {site: moon}, b: }
links: [{between: [a, b]}]
"""


def find(context: Context) -> Iterator[Draft]:
    """One draft for each broker on the moon."""
    for index, broker in enumerate(context.estate.brokers):
        if broker.site == "moon":
            yield Draft("MOM299", context.broker_place(index), f"broker `{broker.id}` is far away")


def test_a_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("momlint.routed.checks.find_far_broker")
    module.find = find  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with with_rule(tmp_path, "topology", "MOM299", "far-broker"):
        found = [
            merge([lint_bytes(TEXT, "a.yaml", options)], options).findings
            for options in (Options(select=("MOM299",)), Options(ignore=("MOM2", "MOM5")))
        ]
    assert [(one.code, one.rule, one.span, one.message) for one in found[0]] == [
        ("MOM299", "far-broker", Span((2, 11), (2, 12)), "broker `a` is far away")  # type: ignore[arg-type]
    ]
    assert found[1] == []
