"""Where `rules/` and `templates/` are read from."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from momlint import resources
from momlint.errors import InternalError

CHECKOUT = Path(resources.__file__).parent.parent


def test_a_checkout_reads_its_own_folders() -> None:
    text = (CHECKOUT / "templates" / "trap.smt2.j2").read_text(encoding="utf-8")
    assert resources.read_text("templates", "trap.smt2.j2") == text
    assert {"bounded.smt2.j2", "cut.smt2.j2", "trap.smt2.j2"} <= set(resources.names("templates", ".smt2.j2"))


def test_a_missing_file_is_our_fault() -> None:
    with pytest.raises(InternalError, match=r"lacks its file templates/none\.j2; please report it"):
        resources.read_text("templates", "none.j2")


def installed(folder: Path, *, packed: bool) -> Path:
    """The package as a wheel lays it out, with somebody else's `templates` beside it."""
    package = folder / "momlint"
    package.mkdir()
    for name in ("__init__.py", "version.py", "resources.py", "errors.py"):
        shutil.copy(CHECKOUT / "momlint" / name, package / name)
    (folder / "templates").mkdir()
    (folder / "templates" / "page.html").write_text("not ours", encoding="utf-8")
    if packed:
        (package / "_data" / "templates" / "sub").mkdir(parents=True)
        (package / "_data" / "templates" / "sub" / "a.j2").write_text("ä", encoding="utf-8")
        (package / "_data" / "templates" / "z.j2").write_text("z", encoding="utf-8")
    return folder


def run(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """`code` with only this folder's momlint."""
    start = f"import sys; sys.path.insert(0, {str(folder)!r}); from momlint import resources as r; "
    return subprocess.run(
        [sys.executable, "-I", "-X", "utf8", "-c", start + code], capture_output=True, text=True, check=False
    )


def test_a_wheel_reads_what_is_packed_into_it(tmp_path: Path) -> None:
    code = "print(list(r.names('templates', '')), r.read_text('templates', 'sub/a.j2'))"
    done = run(installed(tmp_path, packed=True), code)
    assert done.stdout == "['sub/a.j2', 'z.j2'] ä\n", done.stderr


def test_a_broken_installation_says_so(tmp_path: Path) -> None:
    done = run(installed(tmp_path, packed=False), "r.read_text('templates', 'page.html')")
    assert "this installation of momlint has no folder 'templates'" in done.stderr
