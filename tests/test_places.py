"""Places are opaque: what a route looks like is the affair of `momlint.source` and `momlint.estate` alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

HOUSE = Path(__file__).parent.parent / "momlint"
MODULES = sorted(
    path
    for path in HOUSE.rglob("*.py")
    if path.relative_to(HOUSE).parts[0] not in {"source", "estate"} and path != HOUSE / "findings.py"
)
#: What only those may know of a place.
INSIDE = {"path", "document", "within", "_replace"}


def offences(text: str) -> Iterator[str]:
    """What a module says that needs to know how places are made."""
    tree = ast.parse(text)
    places = {
        name.asname or name.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and node.module == "momlint.findings"
        for name in node.names
        if name.name == "Place"
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in places:
            yield f"line {node.lineno}: makes a place"
        if (
            isinstance(node, ast.Attribute)
            and node.attr in INSIDE
            and "place" in ast.unparse(node.value).split(".")[-1]
        ):
            yield f"line {node.lineno}: looks into a place: {ast.unparse(node)}"


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(HOUSE)))
def test_nobody_else_makes_or_reads_one(module: Path) -> None:
    assert list(offences(module.read_text())) == []


def test_the_test_sees_what_it_looks_for() -> None:
    text = """
from momlint.findings import Place as P
P(0, ("links", 0))
topic.place.path
self.row_place(3).document
place._replace(part="key")
os.path.join(folder, name)
place.key
"""
    assert [found.split(":")[0] for found in offences(text)] == ["line 3", "line 4", "line 5", "line 6"]
