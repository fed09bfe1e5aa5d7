"""No module of momlint imports in a circle, however it imports: the layers of the house, held over the syntax trees."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import networkx as nx
import pytest

ROOT = Path(__file__).resolve().parents[1]


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw_modules", ROOT / "scripts" / "draw_modules.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


draw_modules = script()


def test_no_circle_between_modules() -> None:
    graph = draw_modules.import_graph(ROOT / "momlint")
    assert list(draw_modules.circles(graph)) == []


def test_no_circle_between_folders() -> None:
    graph = draw_modules.import_graph(ROOT / "momlint")
    folders = draw_modules.folders(graph)
    assert {"momlint", "momlint.routed", "momlint.routed.checks"} <= set(folders)
    for folder in folders:
        assert list(draw_modules.circles(draw_modules.by_folder(graph, folder))) == [], folder


def test_the_drawing_is_of_these_modules() -> None:
    """If this fails: ``python scripts/draw_modules.py``."""
    drawn = (ROOT / "docs" / "design" / "modules.md").read_text(encoding="utf-8")
    assert drawn == draw_modules.drawing(draw_modules.import_graph(ROOT / "momlint"))


IMPORTS = {
    "at the top": ("import house.b", {"house.b"}),
    "with another name": ("import house.b as c", {"house.b"}),
    "of a name": ("from house.b import thing", {"house.b"}),
    "of a module": ("from house import b", {"house.b"}),
    "of a module deep down": ("import house.room.chair", {"house.room.chair"}),
    "of a name deep down": ("from house.room.chair import Leg", {"house.room.chair"}),
    "of a folder": ("from house.room import window", {"house.room"}),
    "relative": ("from . import b", {"house.b"}),
    "relative of a name": ("from .b import thing", {"house.b"}),
    "relative deep down": ("from .room import chair", {"house.room.chair"}),
    "in a function": ("def f():\n    from house.b import thing", {"house.b"}),
    "in a method": ("class C:\n    def f(self):\n        import house.b", {"house.b"}),
    "for types": ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from house.b import thing", {"house.b"}),
    "that may fail": ("try:\n    import house.b\nexcept ImportError:\n    pass", {"house.b"}),
    "of others": ("import os, housekeeping\nfrom os import path", set()),
}


@pytest.mark.parametrize(("line", "expected"), IMPORTS.values(), ids=IMPORTS)
def test_every_kind_of_import_counts(line: str, expected: set[str], tmp_path: Path) -> None:
    house = tmp_path / "house"
    (house / "room").mkdir(parents=True)
    for empty in ("__init__", "b", "room/__init__", "room/chair"):
        (house / f"{empty}.py").write_text("")
    (house / "a.py").write_text(line + "\n")
    graph = draw_modules.import_graph(house)
    assert set(graph) == {"house", "house.a", "house.b", "house.room", "house.room.chair"}
    assert set(graph["house.a"]) == expected


def test_relative_imports_in_a_folder_and_from_the_folder_above(tmp_path: Path) -> None:
    house = tmp_path / "house"
    (house / "room").mkdir(parents=True)
    (house / "__init__.py").write_text("")
    (house / "b.py").write_text("")
    (house / "room" / "__init__.py").write_text("from .chair import Leg\n")
    (house / "room" / "chair.py").write_text("from .. import b\nfrom ..room import table\n")
    (house / "room" / "table.py").write_text("from .chair import Leg\n")
    graph = draw_modules.import_graph(house)
    assert set(graph.edges) == {
        ("house.room", "house.room.chair"),
        ("house.room.chair", "house.b"),
        ("house.room.chair", "house.room.table"),
        ("house.room.table", "house.room.chair"),
    }
    assert draw_modules.circles(graph) == [["house.room.chair", "house.room.table"]]
    # Folders are one: what is in the room needs what stands beside it, and not the other way round.
    assert set(draw_modules.by_folder(graph, "house").edges) == {("room", "b")}


def test_arrows_that_follow_from_others_are_left_out() -> None:
    units = nx.DiGraph([("a", "b"), ("b", "c"), ("a", "c")])
    lines = draw_modules.diagram(units).splitlines()
    assert [line.strip() for line in lines if "-->" in line] == ["n_a --> n_b", "n_b --> n_c"]


def test_the_script_says_when_its_drawing_is_old(tmp_path: Path) -> None:
    """In a copy of the checkout's shape: a new import makes the drawing old; a circle is named."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "docs" / "design").mkdir(parents=True)
    (tmp_path / "scripts" / "draw_modules.py").write_bytes((ROOT / "scripts" / "draw_modules.py").read_bytes())
    house = tmp_path / "momlint"
    house.mkdir()
    for name in ("__init__", "a", "b"):
        (house / f"{name}.py").write_text("")

    def run(*arguments: str) -> tuple[int, str]:
        command = [sys.executable, str(tmp_path / "scripts" / "draw_modules.py"), *arguments]
        ran = subprocess.run(command, cwd=tmp_path, env=dict(os.environ), capture_output=True, text=True, check=False)
        return ran.returncode, ran.stderr

    assert run("--check")[0] == 1
    assert run() == (0, "")
    assert run("--check") == (0, "")
    (house / "a.py").write_text("import momlint.b\n")
    code, said = run("--check")
    assert (code, "run scripts/draw_modules.py" in said) == (1, True)
    (house / "b.py").write_text("def f():\n    import momlint.a\n")
    code, said = run()
    assert code == 1
    assert said.splitlines()[0] == "import each other: momlint.a, momlint.b"
