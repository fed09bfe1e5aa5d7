"""Windows line ends change nothing: the same findings, in the same places, for an example of every rule."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from momlint.lint import Options, lint_files
from momlint.report import render

ROOT = Path(__file__).parents[2]
FOLDERS = sorted(path for path in (ROOT / "tests" / "rules").glob("MOM*") if path.is_dir())


def reports(folder: Path, monkeypatch: pytest.MonkeyPatch, *, protocol: bool) -> dict[str, str]:
    """File → its JSON report, each checked by itself."""
    monkeypatch.chdir(folder)
    found = {}
    for path in sorted(folder.iterdir()):
        if path.is_file():
            found[path.name] = render("json", lint_files([path.name], Options(engine="graph", protocol=protocol))).text
    return found


@pytest.mark.parametrize("rule", FOLDERS, ids=lambda path: path.name)
def test_the_same_findings(rule: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unix, windows = tmp_path / "unix", tmp_path / "windows"
    shutil.copytree(rule, unix)
    shutil.copytree(rule, windows)
    for path in windows.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            path.write_bytes(data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n"))
    wanted = reports(unix, monkeypatch, protocol=rule.name == "MOM410")
    assert any('"code"' in text for text in wanted.values())
    assert reports(windows, monkeypatch, protocol=rule.name == "MOM410") == wanted
