"""Rules of users' own on the command line: found, selected, ignored, silenced, weighed, explained, in every format."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from momlint.report import FORMATS
from tests.cli.conftest import Run, run

__all__ = ["run"]

EXAMPLE = Path(__file__).parents[2] / "examples" / "own-rules"
#: The example's findings, as its comments count them: line, code.
FOUND = [(23, "ACME1"), (25, "ACME2"), (25, "ACME3"), (27, "ACME3")]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(EXAMPLE, tmp_path / "own")
    monkeypatch.chdir(tmp_path / "own")
    return tmp_path / "own"


def found(run: Run, *options: str, code: int | None = None) -> list[tuple[int, str]]:
    ran = run("check", "topology.yaml", "--format", "json", *options)
    assert code is None or ran.code == code, ran.err
    return [(one["span"]["start"]["line"], one["code"]) for one in json.loads(ran.out)["findings"]]


def test_selecting_and_ignoring(run: Run) -> None:
    assert [one for one in found(run, code=1) if one[1].startswith("ACME")] == FOUND
    assert found(run, "--select", "ACME") == FOUND
    assert found(run, "--select", "ACME2,ACME1") == FOUND[:2]
    assert found(run, "--select", "ACME", "--ignore", "ACME3") == FOUND[:2]
    assert found(run, "--select", "MOM2", code=0) == []
    assert found(run, "--ignore", "ACME,MOM5", code=0) == []
    ran = run("check", "topology.yaml", "--select", "ACM1")
    assert ran.code == 2
    assert "there is no rule with the code or prefix `ACM1`; did you mean `ACME1`?" in ran.err
    assert "`ACME1`" in run("check", "topology.yaml", "--select", "pii-stays-in-the-eu").err


def test_engines_and_jobs_agree(run: Run) -> None:
    alone = run("check", "topology.yaml", "--format", "json").out
    for options in (
        ["--engine", "graph"],
        ["--engine", "smt"],
        ["--jobs", "2"],
        ["--jobs", "2", "momlint-rules/../topology.yaml"],
    ):
        assert run("check", "topology.yaml", "--format", "json", *options).out == alone, options


def test_settings(run: Run, here: Path) -> None:
    rules = 'rules = ["momlint-rules/"]\n'
    for text, expected in (
        ('extend-select = ["ACME1"]\nselect = ["MOM2"]\n', FOUND[:1]),
        ('extend-select = ["MOM203"]\nextend-ignore = ["MOM5", "ACME3"]\n', FOUND[:2]),
        ('select = ["ACME"]\n[per-file-ignores]\n"*.yaml" = ["ACME3", "ACME2"]\n', FOUND[:1]),
        ('select = ["ACME"]\n[severity]\nACME1 = "note"\nACME2 = "warning"\n', FOUND),
    ):
        (here / "momlint.toml").write_text(rules + text)
        assert found(run) == expected, text
    assert run("check", "topology.yaml").code == 0  # of the last settings: no error is left
    (here / "momlint.toml").write_text(rules + 'select = ["ACME9"]\n')
    assert "momlint.toml: select: there is no rule with the code or prefix `ACME9`" in run("check", "topology.yaml").err
    (here / "momlint.toml").write_text('rules = "momlint-rules"\n')
    assert "the setting `rules` must be a list of strings" in run("check", "topology.yaml").err
    (here / "momlint.toml").write_text(rules)
    assert 'rules             ["momlint-rules/"]' in run("config", "show").out


def test_comments_silence_by_code_and_by_name(run: Run, here: Path) -> None:
    text = (here / "topology.yaml").read_text()
    for comment, expected in (
        ("ACME1", []),
        ("pii-stays-in-the-eu", []),
        ("ACME", []),
        ("ACME2", [(23, "ACME1"), (23, "MOM109")]),
        ("ACME99", [(23, "ACME1"), (23, "MOM109")]),
    ):
        (here / "topology.yaml").write_text(
            text.replace("tags: [pii]}", f"tags: [pii]}}  # momlint: ignore[{comment}]")
        )
        assert found(run, "--select", "ACME1,ACME2,MOM109") == sorted([*expected, FOUND[1]]), comment
    # Where the rules are not configured, the comment speaks of a rule that there is not.
    (here / "topology.yaml").write_text(text.replace("tags: [pii]}", "tags: [pii]}  # momlint: ignore[ACME1]"))
    (here / "momlint.toml").write_text("")
    assert found(run, "--select", "MOM109") == [(23, "MOM109")]


def test_a_baseline_knows_them(run: Run, here: Path) -> None:
    assert run("baseline", "write", "topology.yaml").code == 0
    text = (here / "topology.yaml").read_text()
    (here / "topology.yaml").write_text("# moved\n" + text)
    assert found(run, "--baseline", "momlint-baseline.json", code=0) == []
    # Another broker outside is another finding.
    (here / "topology.yaml").write_text(text.replace("nyc1", "nyc2"))
    assert found(run, "--baseline", "momlint-baseline.json", "--select", "ACME1", code=1) == FOUND[:1]


@pytest.mark.parametrize("form", FORMATS)
def test_every_format_has_them(run: Run, form: str) -> None:
    ran = run("check", "topology.yaml", "--select", "ACME1", "--format", form)
    assert ran.code == 1
    assert "ACME1" in ran.out
    assert "nyc1" in ran.out
    if form == "sarif":
        rules = json.loads(ran.out)["runs"][0]["tool"]["driver"]["rules"]
        (own,) = (rule for rule in rules if rule["id"] == "ACME1")
        assert own["name"] == "PiiStaysInTheEu"
        assert own["shortDescription"] == {"text": "Personal data leaves the EU"}


def test_explaining(run: Run, here: Path) -> None:
    explained = run("explain", "ACME1").out
    assert explained.startswith("ACME1 pii-stays-in-the-eu\nPersonal data leaves the EU\nerror, a rule of your own")
    assert "Make a way through the EU cheaper" in explained
    assert run("explain", "gold-survives-two-links").out.startswith("ACME2 ")
    assert "What to do" not in run("explain", "ACME2").out
    assert "did you mean `ACME3`?" in run("explain", "ACME33").err
    assert [rule["code"] for rule in json.loads(run("rules", "--format", "json").out)][-3:] == [
        "ACME1",
        "ACME2",
        "ACME3",
    ]
    assert json.loads(run("schema", "--of", "rule").out)["$id"] == "urn:momlint:rule:1"
    # A mistake in a rule keeps nobody from reading about momlint's own.
    (here / "momlint-rules" / "pii.yaml").write_text("cod: X\n")
    assert run("explain", "MOM303").code == 0
    ran = run("explain", "ACME1")
    assert ran.code == 2
    assert "momlint-rules/pii.yaml:1:1: unknown key `cod` in a rule; did you mean `code`?" in ran.err
    # All mistakes are told, a line each.
    (here / "momlint-rules" / "gold.yaml").write_text("tilte: X\n")
    ran = run("check", "topology.yaml")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.splitlines() == [
        "momlint: error: momlint-rules/gold.yaml:1:1: unknown key `tilte` in a rule; did you mean `title`?",
        "momlint-rules/pii.yaml:1:1: unknown key `cod` in a rule; did you mean `code`?",
    ]


def test_a_relayed_overlay(run: Run, here: Path) -> None:
    text = (here / "topology.yaml").read_text() + "routing: {protocol: relay}\n"
    (here / "topology.yaml").write_text(text)
    ran = run("check", "topology.yaml", "--select", "ACME1", "--format", "concise")
    assert ran.code == 1
    where = "outside the brokers with tag `eu` (ams1 → nyc1)"
    assert ran.out == f"topology.yaml:23:3: ACME1 error topic `customers` comes to `nyc1`, {where}\n"
    # What is not judged there is undecided, whether or not that is selected.
    ran = run("check", "topology.yaml", "--select", "ACME3", "--format", "concise")
    assert (ran.code, ran.out) == (3, "")
    (here / "topology.yaml").write_text(text.replace("[pii]", "[public]"))
    assert run("check", "topology.yaml", "--select", "ACME1").code == 0


def test_a_rule_that_speaks_of_nothing_is_named(run: Run, here: Path) -> None:
    text = (here / "topology.yaml").read_text()
    (here / "topology.yaml").write_text(text.replace("[pii]", "[pll]"))
    told = "momlint: note: ACME1 (pii-stays-in-the-eu) speaks of nothing here: there are no topics with tag `pii`\n"
    for options in ([], ["--jobs", "2"]):
        assert run("check", "topology.yaml", "--select", "ACME", *options).err == told
    assert run("check", "topology.yaml", "--select", "ACME", "--quiet").err == ""
    assert run("check", "topology.yaml", "--select", "ACME2").err == ""
    # One estate of a run that has such topics is enough.
    (here / "other.yaml").write_text(text)
    assert run("check", ".", "--select", "ACME").err == ""


def test_a_rule_is_not_overwritten_by_a_report(run: Run, here: Path) -> None:
    before = (here / "momlint-rules" / "pii.yaml").read_bytes()
    for option in (["--output", "momlint-rules/pii.yaml"], ["--also", "json=momlint-rules/pii.yaml"]):
        ran = run("check", "topology.yaml", *option)
        assert ran.code == 2
        assert "momlint-rules/pii.yaml is read by this run" in ran.err
    assert (here / "momlint-rules" / "pii.yaml").read_bytes() == before
