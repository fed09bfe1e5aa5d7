"""The archive that Spark's workers unpack."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from momlint.fleet.package import write_archive


def test_the_archive_is_a_whole_momlint(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with zipfile.ZipFile(write_archive(str(tmp_path))) as archive:
        archive.extractall(tmp_path / "there")
    (tmp_path / "a.mom.yaml").write_text("momlint: 1\nbrokers: {1: }\nlinks: [{between: [1, 2]}]\n")
    program = (
        "import sys; sys.path.insert(0, 'there')\n"
        "import momlint, momlint.lint\n"
        "from momlint.catalog import load_rules\n"
        "from momlint.resources import read_text\n"
        "assert 'there' in momlint.__file__, momlint.__file__\n"
        "assert 'template' or read_text('templates', 'starter.yaml')\n"
        "(finding,) = momlint.lint.lint_files(['a.mom.yaml'], momlint.lint.Options(select=('MOM1',))).findings\n"
        "print(len(load_rules()), finding.code)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-P", "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    rules = len(list((Path(__file__).parents[2] / "rules").rglob("*.yaml")))
    assert ran.stdout.split() == [str(rules), "MOM104"]


@pytest.mark.slow
def test_the_same_momlint_gives_the_same_archive(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / name).mkdir()
    one, other = (Path(write_archive(str(tmp_path / name))).read_bytes() for name in "ab")
    assert one == other
