"""The configuration file: where it is found, what it says, what is said about mistakes."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import pytest

from momlint import config
from momlint.errors import UsageError
from tests.cli.conftest import Run

FULL = """\
version = 1
select = ["MOM3", "MOM2,MOM602"]
extend-select = ["MOM101"]
ignore = ["MOM306"]
extend-ignore = ["MOM204"]
baseline = "known.json"
exclude = ["build"]
fail-on = "warning"
format = "concise"
engine = "graph"
solver = "cvc5"
timeout = 2
bound = "events=2"
protocol = true
jobs = 3
rules = ["ci/rules"]
[severity]
MOM5 = "warning"
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
    assert (found.bound, found.protocol) == ("events=2", True)
    assert found.per_file_ignores == (("legacy/*.yaml", ("MOM305",)),)
    assert (found.extend_select, found.extend_ignore) == (("MOM101",), ("MOM204",))
    assert (found.severity, found.baseline) == ((("MOM5", "warning"),), "known.json")
    assert found.rules == ("ci/rules",)
    assert found.given == config.KEYS


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
        ("bound = 3", "the setting `bound` must be names and numbers, as events=3,failures=2, not 3"),
        ("protocol = 'yes'", "the setting `protocol` must be true or false, not 'yes'"),
        ("timeout = true", "the setting `timeout` must be a number of seconds above 0, not True"),
        ('jobs = "many"', "the setting `jobs` must be a whole number of at least 1, or auto, not 'many'"),
        ("jobs = 0", "the setting `jobs` must be a whole number of at least 1, or auto, not '0'"),
        ("per-file-ignores = []", "the setting `per-file-ignores` must be a table"),
        ("[per-file-ignores]\n'a' = 'MOM3'", "per-file-ignores: `a` must have a list of codes"),
        ("select = [", "the configuration is not valid TOML"),
        pytest.param(f"select = {'[' * 5000}{']' * 5000}", "the configuration is nested too deep", id="deep list"),
        pytest.param(f"x = {'{a = ' * 5000}1{'}' * 5000}", "the configuration is nested too deep", id="deep table"),
        pytest.param(f"timeout = {'9' * 5000}", "a number in the configuration has too many digits", id="digits"),
        pytest.param(f"timeout = -0x{'f' * 5000}", "the configuration is not valid TOML", id="a sign before 0x"),
        pytest.param(f"timeout = 0x{'f' * 5000}", "must be a number of seconds up to 3,600, not", id="base 16"),
        pytest.param("timeout = 1e400", "must be a number of seconds up to 3,600, not", id="no double"),
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


# -- what is added, and what is made of findings --

BROKEN = "momlint: 1\nbrokers: {a: , b: , c: }\nlinks: [{between: [a, b]}]\n"


def codes(run: Run, *options: str) -> set[tuple[str, str]]:
    found = json.loads(run("check", "x.mom.yaml", "--format", "json", *options).out)["findings"]
    return {(one["code"], one["severity"]) for one in found}


def test_extending_keeps_what_was_selected(run: Run, folder: Path) -> None:
    Path("x.mom.yaml").write_text(BROKEN)
    everything = codes(run)
    assert everything == {("MOM203", "warning"), ("MOM501", "note"), ("MOM301", "error")}
    Path("momlint.toml").write_text('extend-select = ["MOM203"]\n')
    assert codes(run) == everything
    Path("momlint.toml").write_text('select = ["MOM5"]\nextend-select = ["MOM203"]\n')
    assert codes(run) == {("MOM203", "warning"), ("MOM501", "note")}
    assert codes(run, "--select", "MOM3") == {("MOM203", "warning"), ("MOM301", "error")}
    Path("momlint.toml").write_text('ignore = ["MOM2"]\nextend-select = ["MOM203"]\nextend-ignore = ["MOM5"]\n')
    assert codes(run) == {("MOM203", "warning"), ("MOM301", "error")}
    assert codes(run, "--ignore", "MOM3") == {("MOM203", "warning")}
    Path("momlint.toml").write_text('extend-select = ["MOM999"]\n')
    assert "momlint.toml: extend-select: there is no rule" in run("check", "x.mom.yaml").err


def test_severities(run: Run, folder: Path) -> None:
    Path("x.mom.yaml").write_text(BROKEN)
    Path("momlint.toml").write_text('[severity]\nMOM = "note"\nMOM5 = "error"\nMOM203 = "error"\n')
    assert codes(run) == {("MOM203", "error"), ("MOM501", "error"), ("MOM301", "note")}
    summary = json.loads(run("check", "x.mom.yaml", "--format", "json").out)["summary"]
    assert (summary["errors"], summary["warnings"], summary["notes"]) == (2, 0, 1)
    Path("momlint.toml").write_text('[severity]\nMOM = "note"\n')
    ran = run("check", "x.mom.yaml")
    # Lowered or not, it is no proof.
    assert (ran.code, "Not proved" in ran.out) == (0, True)


def test_no_severity_makes_a_verdict_of_none(run: Run, folder: Path) -> None:
    Path("x.mom.yaml").write_text(BROKEN)
    for code in ("MOM901", "MOM902"):
        Path("momlint.toml").write_text(f'[severity]\n{code} = "note"\n')
        ran = run("check", "x.mom.yaml")
        assert (ran.code, "stays an error" in ran.err) == (2, True)


def test_a_baseline_of_the_settings(run: Run, folder: Path) -> None:
    Path("x.mom.yaml").write_text(BROKEN)
    Path("momlint.toml").write_text('baseline = "known.json"\n')
    assert "momlint.toml: baseline: known.json" in run("check", "x.mom.yaml").err
    assert run("baseline", "write", "x.mom.yaml", "--output", "known.json").code == 0
    assert codes(run) == set()
    assert run("baseline", "write", "x.mom.yaml", "--output", "known.json").code == 0
    assert codes(run) == set()
    Path("inner").mkdir()
    Path("inner/momlint.toml").write_text('baseline = "../known.json"\n')
    Path("inner/x.mom.yaml").write_text(BROKEN)
    ran = run("check", "inner")
    assert (ran.code, "inner/momlint.toml: baseline" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("version = 2", "upgrade momlint"),
        ("version = 0", "the number 1"),
        ("version = true", "the number 1"),
        ("severity = 3", "a table of codes and severities"),
        ('severity = {MOM3 = "fatal"}', "must be one of error, warning, note"),
        ("severity = {MOM3 = 1}", "must be one of error, warning, note"),
        ('severity = {MOMX = "note"}', "there is no rule with the code or prefix `MOMX`"),
        ("baseline = 3", "the path of a baseline"),
        ('baseline = ""', "the path of a baseline"),
    ],
)
def test_mistakes_in_the_new_settings(run: Run, folder: Path, text: str, said: str) -> None:
    Path("x.mom.yaml").write_text(BROKEN)
    Path("momlint.toml").write_text(text + "\n")
    ran = run("check", "x.mom.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err


# -- config show, and the schema --


def test_show(run: Run, folder: Path) -> None:
    defaults = run("config", "show")
    assert defaults.code == 0
    assert [line.split()[0] for line in defaults.out.splitlines()] == list(config.KEYS)
    assert all(line.endswith("  default") for line in defaults.out.splitlines())
    Path("momlint.toml").write_text(FULL)
    shown = {
        key: (value["value"], value["from"])
        for key, value in json.loads(run("config", "show", "-f", "json").out).items()
    }
    assert shown["select"] == (["MOM3", "MOM2", "MOM602"], "momlint.toml")
    assert shown["severity"] == ({"MOM5": "warning"}, "momlint.toml")
    assert shown["per-file-ignores"] == ({"legacy/*.yaml": ["MOM305"]}, "momlint.toml")
    assert {source for _, source in shown.values()} == {"momlint.toml"}
    Path("momlint.toml").write_text('engine = "graph"\n')
    lines = run("config", "show").out.splitlines()
    assert [line.split() for line in lines if "momlint.toml" in line] == [["engine", '"graph"', "momlint.toml"]]
    Path("other.toml").write_text("timeout = 3\n")
    assert "other.toml" in run("config", "show", "--config", "other.toml").out
    Path("momlint.toml").write_text("engin = 3\n")
    ran = run("config", "show")
    assert (ran.code, "did you mean `engine`" in ran.err) == (2, True)


@pytest.mark.parametrize(
    "text",
    [
        FULL,
        "",
        'jobs = "auto"',
        "engin = 3",
        "version = 2",
        'severity = {MOM3 = "fatal"}',
        'severity = {MOM901 = "note"}',
        "timeout = 0",
        "timeout = 4000",
        "jobs = 0",
        'jobs = "many"',
        'select = "MOM3"',
        "baseline = 3",
        'per-file-ignores = {"a" = "MOM3"}',
        'format = "xml"',
    ],
)
def test_the_schema_says_what_the_reader_says(tmp_path: Path, run: Run, text: str) -> None:
    schema = json.loads(run("schema", "--of", "config").out)
    jsonschema.Draft202012Validator.check_schema(schema)
    (tmp_path / "momlint.toml").write_text(text)
    try:
        config.find(str(tmp_path))
    except UsageError:
        read = False
    else:
        read = True
    assert jsonschema.Draft202012Validator(schema).is_valid(tomllib.loads(text)) == read


def test_schemas(run: Run) -> None:
    assert run("schema").out == run("schema", "--of", "estate").out
    assert json.loads(run("schema", "--of", "report").out)["$id"] == "urn:momlint:report:1"
    assert run("schema", "--of", "estates").code == 2
