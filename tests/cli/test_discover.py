"""From paths to files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from momlint.discover import discover, is_estate
from momlint.patterns import matches
from tests.cli.conftest import Run


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "topology.yaml": "",
        "z.mom.yml": "",
        "other.yaml": "a: 1\nnested:\n  momlint: 1\n",
        "notes.txt": "momlint: 1\n",
        "sub/keyed.yml": "# comment\n---\nname: x\nmomlint: 1\n",
        "sub/deep/topology.yml": "",
        ".hidden/a.mom.yaml": "",
        "node_modules/a.mom.yaml": "",
        ".venv/a.mom.yaml": "",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_a_folder(tree: Path) -> None:
    found = discover(["."])
    assert found.files == ["sub/deep/topology.yml", "sub/keyed.yml", "topology.yaml", "z.mom.yml"]
    assert found.failures == []
    assert discover([str(tree / "sub")]).files == [f"{tree}/sub/deep/topology.yml", f"{tree}/sub/keyed.yml"]


def test_named_files_are_checked_whatever_they_are_called(tree: Path) -> None:
    assert discover(["notes.txt", "other.yaml", ".hidden/a.mom.yaml"]).files == [
        ".hidden/a.mom.yaml",
        "notes.txt",
        "other.yaml",
    ]


def test_one_file_named_twice_is_one(tree: Path) -> None:
    os.symlink("topology.yaml", "link.mom.yaml")
    found = discover(["./topology.yaml", "sub/../topology.yaml", ".", str(tree / "topology.yaml")])
    assert sum("topology.yaml" in name or "link" in name for name in found.files) == 1


def test_globs(tree: Path) -> None:
    assert discover(["*.yaml"]).files == ["other.yaml", "topology.yaml"]
    assert discover(["sub/**/*.yml"]).files == ["sub/deep/topology.yml", "sub/keyed.yml"]
    assert discover(["s*"]).files == ["sub/deep/topology.yml", "sub/keyed.yml"]
    assert discover(["sub/**"]).files == ["sub/deep/topology.yml", "sub/keyed.yml"]
    assert discover(["*.json"]).failures == ["*.json: no file matches this pattern"]


def test_a_file_whose_name_looks_like_a_glob(tree: Path) -> None:
    Path("a[1].yaml").write_text("")
    assert discover(["a[1].yaml"]).files == ["a[1].yaml"]


def test_what_is_not_there_is_said(tree: Path) -> None:
    found = discover(["gone.yaml", "node_modules", "topology.yaml"])
    assert found.files == ["node_modules/a.mom.yaml", "topology.yaml"]
    assert found.failures == ["gone.yaml: no such file or folder"]
    Path("none").mkdir()
    (failure,) = discover(["none"]).failures
    assert failure.startswith("none: no estates found in this folder")


def test_excluded_folders_are_not_entered(tree: Path) -> None:
    found = discover(["."], lambda path: matches("sub", path, "."))
    assert found.files == ["topology.yaml", "z.mom.yml"]


def test_standard_input_stays_itself(tree: Path) -> None:
    assert discover(["-", "-"]).files == ["-"]


def test_a_pipe_is_not_waited_for(tree: Path) -> None:
    os.mkfifo("sub/pipe.yaml")
    assert "sub/pipe.yaml" not in discover(["sub"]).files


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (b"momlint: 1\n", True),
        (b"momlint: 1", True),
        (b"momlint:\n  1\n", True),
        (b'"momlint": 1\n', True),
        (b"'momlint' : 1\n", True),
        (b"\xef\xbb\xbfmomlint: 1\n", True),
        (b"# c\r\nname: x\r\nmomlint: 1\r\n", True),
        (b"%YAML 1.2\n---\nmomlint: 1\n", True),
        (b"--- {momlint: 1}\n", True),
        (b"{momlint: 1, name: x}\n", True),
        (b"  name: x\n  momlint: 1\n", True),
        (b"a: 1\n---\nmomlint: 1\n", True),
        (b"a:\n  momlint: 1\n", False),
        (b"# momlint: 1\n", False),
        (b"momlint-config: 1\n", False),
        (b"not-momlint: 1\n", False),
        (b"momlint\n", False),
        (b"a: momlint: 1\n", False),
        (b"", False),
    ],
)
def test_the_key_at_the_top_level(tmp_path: Path, text: bytes, is_one: bool) -> None:
    path = tmp_path / "x.yaml"
    path.write_bytes(text)
    assert is_estate(str(path)) is is_one


@pytest.mark.parametrize(
    ("pattern", "file", "matched"),
    [
        ("*.yaml", "a.yaml", True),
        ("*.yaml", "sub/a.yaml", True),
        ("sub", "sub/deep/a.yaml", True),
        ("sub/", "sub/deep/a.yaml", True),
        ("sub/*.yaml", "sub/a.yaml", True),
        ("sub/*.yaml", "sub/deep/a.yaml", False),
        ("sub/**/*.yaml", "sub/a.yaml", True),
        ("sub/**/*.yaml", "sub/x/y/a.yaml", True),
        ("./sub/a.yaml", "sub/a.yaml", True),
        ("deep/a.yaml", "sub/deep/a.yaml", False),
        ("**/deep/a.yaml", "sub/deep/a.yaml", True),
        ("a.yam?", "a.yaml", True),
        ("a.yam", "a.yaml", False),
        ("[ab].yaml", "b.yaml", True),
        ("[!ab].yaml", "b.yaml", False),
        ("[z-a].yaml", "b.yaml", False),
        ("a+b.yaml", "a+b.yaml", True),
        ("", "a.yaml", False),
    ],
)
def test_patterns(pattern: str, file: str, matched: bool) -> None:
    assert matches(pattern, file, ".") is matched


def test_patterns_belong_to_their_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    assert matches("sub/*.yaml", "a.yaml", str(tmp_path))
    assert not matches("*.txt", "a.yaml", str(tmp_path))


def test_a_topology_of_another_tool_is_noted(run: Run, folder: Path) -> None:
    """TOSCA and network simulators have files of that name."""
    (folder / "topology.yaml").write_text(
        "---\n# theirs\ntosca_definitions_version: 1\nnode_types:\n  brokers: {a: }\n"
    )
    ran = run("check", "topology.yaml")
    assert ran.code == 0
    assert ran.err.startswith("momlint: note: topology.yaml: skipped: this is not an estate")
    assert run("check", ".", "-q").err == ""


@pytest.mark.parametrize("text", ["brokers: {a: }\n", "momlnt: 1\nlinks: []\n", "", "[1]\n", "{x: 1}\n", ": :\n"])
def test_a_topology_that_may_be_ours_is_judged(run: Run, folder: Path, text: str) -> None:
    (folder / "topology.yaml").write_text(text)
    assert run("check", "topology.yaml").code == 1


def test_a_folder_wholly_excluded(run: Run, folder: Path) -> None:
    (folder / "d").mkdir()
    for name in ("a", "b"):
        (folder / "d" / f"{name}.mom.yaml").write_text("momlint: 1\nbrokers: {a: }\n")
    ran = run("check", "d", "--exclude", "d/*")
    assert ran.code == 2
    assert ran.err == "momlint: error: d: all 2 estates in this folder are excluded, so nothing is checked\n"


def test_named_files_that_are_no_estates_are_skipped_on_demand(tree: Path) -> None:
    paths = ["z.mom.yml", "other.yaml", "sub/keyed.yml", "notes.txt", "gone.yaml", "-"]
    found = discover(paths, estates_only=True)
    assert found.files == ["-", "sub/keyed.yml", "z.mom.yml"]
    assert found.failures == ["gone.yaml: no such file or folder"]
    assert discover(["other.yaml"]).files == ["other.yaml"]
    assert discover(["sub"], estates_only=True).files == discover(["sub"]).files
