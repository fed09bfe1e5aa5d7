"""Several reports of one run, and names of files from the root of the repository."""

from __future__ import annotations

import json
from pathlib import Path
from unittest import mock

import pytest

import momlint.cli.check as checking
from momlint.report import FORMATS
from tests.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("folder")


def test_every_format_at_once(run: Run, folder: Path) -> None:
    also = [word for name in FORMATS for word in ("--also", f"{name}={name}.out")]
    with mock.patch("momlint.cli.check._judged", wraps=checking._judged) as judged:
        ran = run("check", "bad.yaml", "--format", "concise", *also)
    assert judged.call_count == 1
    assert ran.code == 1
    for name in FORMATS:
        alone = run(
            "check", "bad.yaml", "--format", name, "--output", "alone", *(["--notes=full"] if name == "text" else [])
        )
        assert alone.code == 1
        assert (folder / f"{name}.out").read_bytes() == (folder / "alone").read_bytes(), name
    assert ran.out == (folder / "concise.out").read_text()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--also", "sarif"], "--also takes FORMAT=FILE"),
        (["--also", "sarif="], "--also takes FORMAT=FILE"),
        (["--also", "sarfi=x"], "did you mean `sarif`?"),
        (["--also", "sarif=gone/x"], "there is no folder gone"),
        (["--also", "json=x", "--also", "sarif=./x"], "x is also another file of this run"),
        (["--output", "x", "--also", "sarif=x"], "x is also another file of this run"),
        (["--also", "json=bad.yaml"], "bad.yaml is read by this run"),
        (["--also", "json=momlint.toml"], "momlint.toml is read by this run"),
    ],
)
def test_wrong_usage(run: Run, folder: Path, options: list[str], said: str) -> None:
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    ran = run("check", "bad.yaml", *options)
    assert ran.code == 2
    assert said in ran.err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_what_one_of_them_leaves_out_is_told_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("momlint.report.sarif.CAP", 1)
    ran = run("check", "bad.yaml", "--also", "sarif=a", "--also", "sarif=b", "--format", "sarif")
    assert ran.err.count("SARIF services show 1 results") == 1


@pytest.mark.parametrize(
    ("variable", "forms"),
    [("GITHUB_WORKSPACE", {"github", "sarif", "markdown"}), ("CI_PROJECT_DIR", {"gitlab", "sarif", "markdown"})],
)
def test_services_get_names_from_the_root(
    run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch, variable: str, forms: set[str]
) -> None:
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    (folder / "a b").mkdir()
    (folder / "a b" / "six.json").write_bytes(b"")
    (folder / "a b" / "six.yaml").write_bytes((folder / "bad.yaml").read_bytes())
    monkeypatch.chdir(folder / "a b")
    monkeypatch.setenv(variable, str(folder))
    for name in FORMATS:
        ran = run("check", "six.yaml", "--format", name, "--select", "MOM303")
        text = ran.out.replace("&#46;", ".").replace("%20", " ")
        if name == "text":
            assert "--> six.yaml:" in text
        assert ("a b/six.yaml" in text) == (name in forms), name
    monkeypatch.setenv(variable, "")
    assert (
        json.loads(run("check", "six.yaml", "--format", "sarif", "--select", "MOM303").out)["runs"][0]["results"][0][
            "locations"
        ][0]["physicalLocation"]["artifactLocation"]["uri"]
        == "six.yaml"
    )
