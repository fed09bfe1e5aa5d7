"""A catalogue with one rule more, as a newcomer would write it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from momlint import catalog, resources

RULES = Path(__file__).parents[2] / "rules"


def _forget() -> None:
    for cached in (catalog.rule_names, catalog.rule_name, catalog._load):
        cached.cache_clear()


@contextmanager
def with_rule(folder: Path, family: str, code: str, id_: str) -> Iterator[None]:
    """`RULES` and one warning more, while the block runs; `folder`: an empty one."""
    rules = folder / "rules"
    shutil.copytree(RULES, rules)
    (rules / family).mkdir(exist_ok=True)
    (rules / family / f"{code}-{id_}.yaml").write_text(
        f"code: {code}\nid: {id_}\ntitle: a toy\nseverity: warning\nsince: 0.1.0\nwhy: to try it\nremedy: none\nmend: "
        f"'Left to you: it is a toy.'\n"
    )
    folder_of = resources.folder
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(resources, "folder", lambda name: str(rules) if name == "rules" else folder_of(name))
        _forget()
        yield
    _forget()
