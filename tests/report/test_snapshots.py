"""The reports of every rule are those that were read by eye; write_snapshots.py shows what has changed."""

from __future__ import annotations

import pytest

from momlint.catalog import Rule, load_rules
from tests.report.snapshots import FOLDER, snapshot


@pytest.mark.parametrize("rule", load_rules(), ids=lambda rule: rule.code)
def test_snapshot(rule: Rule) -> None:
    written = (FOLDER / f"{rule.code}.txt").read_text(encoding="utf-8")
    assert snapshot(rule) == written, "read the change (scripts/write_snapshots.py, git diff) before you commit it"
    assert f"[{rule.code}]" in written, "the rule's own finding is in it"


def test_no_snapshot_is_left_over() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == {rule.code for rule in load_rules()}
