"""The configuration file: where it is found, what it says, what is said about mistakes."""

from __future__ import annotations

from pathlib import Path

import pytest

from momlint import config
from momlint.errors import UsageError
from tests.cli.conftest import Run

FULL = """\
select = ["MOM3", "MOM2,MOM602"]
ignore = ["MOM306"]
exclude = ["build"]
fail-on = "warning"
format = "concise"
engine = "graph"
solver = "cvc5"
timeout = 2
jobs = 3
[per-file-ignores]
"legacy/*.yaml" = ["MOM305"]
"""


def test_everything_it_can_say(tmp_path: Path) -> None:
    (tmp_path / "momlint.toml").write_text(FULL)
    found = config.find(str(tmp_path))
    assert found.base == str(tmp_path)
    assert found.select == ("MOM3", "MOM2", "MOM602")
    assert found.ignore == ("MOM306",)
    assert found.exclude == ("build",)
    assert (found.fail_on, found.format, found.engine) == ("warning", "concise", "graph")
    assert found.solver == "cvc5"
    assert (found.timeout, found.jobs) == (2.0, 3)
    assert found.per_file_ignores == (("legacy/*.yaml", ("MOM305",)),)


def test_every_key_is_read(tmp_path: Path) -> None:
    (tmp_path / "momlint.toml").write_text(FULL)
    assert all(f"{key} =" in FULL or f"[{key}]" in FULL for key in config.KEYS)


def test_the_nearest_one_counts_and_momlint_toml_before_pyproject(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "momlint.toml").write_text('engine = "smt"\n')
    assert config.find(str(inner / "x.yaml")).engine == "smt"
    (tmp_path / "a" / "pyproject.toml").write_text('[tool.momlint]\nengine = "graph"\n')
    assert config.find(str(inner)).engine == "graph"
    (tmp_path / "a" / "momlint.toml").write_text('engine = "auto"\n')
    assert config.find(str(inner)).engine == "auto"
    # Without the table it is somebody else's.
    (inner / "pyproject.toml").write_text("[tool.other]\n")
    assert config.find(str(inner / "gone" / "x.yaml")).engine == "auto"


def test_a_named_file(tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text('engine = "smt"\n')
    assert config.load(str(other)).engine == "smt"
    project = tmp_path / "pyproject.toml"
    project.write_text("")
    with pytest.raises(UsageError, match=r"there is no table \[tool.momlint\]"):
        config.load(str(project))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("selct = []", "momlint.toml: unknown setting `selct`; did you mean `select`?"),
        ("fail_on = 'error'", "unknown setting `fail_on`; did you mean `fail-on`?"),
        ("select = 'MOM3'", "the setting `select` must be a list of strings, not 'MOM3'"),
        ("select = [3]", "the setting `select` must be a list of strings, not [3]"),
        ("engine = 'grph'", "`engine` must be one of auto, graph, smt, nusmv, not 'grph'; did you mean `graph`?"),
        ("engine = 1", "the setting `engine` must be one of auto, graph, smt, nusmv, not 1"),
        ("timeout = 0", "the setting `timeout` must be a number of seconds above 0, not 0"),
        ("timeout = true", "the setting `timeout` must be a number of seconds above 0, not True"),
        ('jobs = "many"', "the setting `jobs` must be a whole number of at least 1, or auto, not 'many'"),
        ("jobs = 0", "the setting `jobs` must be a whole number of at least 1, or auto, not '0'"),
        ("per-file-ignores = []", "the setting `per-file-ignores` must be a table"),
        ("[per-file-ignores]\n'a' = 'MOM3'", "per-file-ignores: `a` must have a list of codes"),
        ("select = [", "the configuration is not valid TOML"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "momlint.toml").write_text(text)
    with pytest.raises(UsageError) as caught:
        config.find(str(tmp_path))
    assert said in str(caught.value)


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    (tmp_path / "momlint.toml").write_bytes(b"select = ['\xff']")
    with pytest.raises(UsageError, match="not UTF-8"):
        config.find(str(tmp_path))


def test_it_governs_a_run_and_the_command_line_wins(run: Run, folder: Path) -> None:
    (folder / "momlint.toml").write_text('format = "concise"\nfail-on = "warning"\nexclude = ["bad.yaml"]\n')
    ran = run("check", ".")
    assert ran.code == 1
    assert ran.out.startswith("warning.mom.yaml:")
    assert ran.out.count("\n") == 1
    assert run("check", ".", "--fail-on", "error").code == 0
    assert run("check", "warning.mom.yaml", "--format", "text").out.startswith("warning[MOM201]")


def test_select_and_ignore_on_the_command_line_replace_those_of_the_file(run: Run, folder: Path) -> None:
    (folder / "momlint.toml").write_text('ignore = ["MOM3"]\n')
    assert run("check", "bad.yaml").code == 0
    assert run("check", "bad.yaml", "--ignore", "MOM2").code == 1


def test_unknown_codes_in_it(run: Run, folder: Path) -> None:
    (folder / "momlint.toml").write_text('ignore = ["MOM33"]\n')
    ran = run("check", "bad.yaml")
    assert ran.code == 2
    assert "momlint.toml: ignore: there is no rule with the code or prefix `MOM33`" in ran.err


def test_per_file_ignores_are_relative_to_the_file(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "momlint.toml").write_text('[per-file-ignores]\n"old/*.yaml" = ["MOM3"]\n')
    (folder / "old").mkdir()
    (folder / "bad.yaml").rename(folder / "old" / "bad.yaml")
    assert run("check", "old/bad.yaml").code == 0
    monkeypatch.chdir(folder / "old")
    assert run("check", "bad.yaml").code == 0
    (folder / "momlint.toml").write_text('[per-file-ignores]\n"new/*.yaml" = ["MOM3"]\n')
    assert run("check", "bad.yaml").code == 1
