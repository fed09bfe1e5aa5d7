"""Files that others include, checked beside them: what is in them is said once, of the estate."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run

ESTATE = """\
momlint: 1
brokers: {1: , 2: }
links: [{between: [1, 2]}]
include: [topics/*.yaml]
"""
TOPICS = "momlint: 1\ntopics: {t: {publishers: [1], subscribers: [SUBSCRIBER]}}\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "topics").mkdir()
    (tmp_path / "topology.yaml").write_text(ESTATE)
    (tmp_path / "topics" / "t.yaml").write_text(TOPICS.replace("SUBSCRIBER", "2"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("arguments", [["."], ["topics/t.yaml", "topology.yaml"], ["./topics/t.yaml", "."]])
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_part_is_judged_where_it_is_included(run: Run, folder: Path, arguments: list[str], jobs: str) -> None:
    ran = run("check", *arguments, "--ignore", "MOM501", "--jobs", jobs, "-f", "json")
    assert (ran.code, json.loads(ran.out)["findings"]) == (0, [])
    assert json.loads(ran.out)["summary"]["files"] == 2


def test_what_is_wrong_in_it_is_said_once(run: Run, folder: Path) -> None:
    (folder / "topics" / "t.yaml").write_text(TOPICS.replace("SUBSCRIBER", "3"))
    ran = run("check", ".", "-f", "concise")
    assert [line.split()[0:2] for line in ran.out.splitlines() if "MOM1" in line] == [["topics/t.yaml:2:45:", "MOM104"]]


def test_a_part_that_nothing_includes_is_no_estate(run: Run, folder: Path) -> None:
    (folder / "topology.yaml").write_text(ESTATE.replace("include: [topics/*.yaml]\n", ""))
    ran = run("check", ".", "-f", "concise")
    assert ran.code == 1
    assert "topics/t.yaml:1:1: MOM102 error the estate declares no brokers" in ran.out


@pytest.fixture
def brokers_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The brokers stand in a file of their own, which is an estate too, and a bad one."""
    (tmp_path / "brokers.yaml").write_text("momlint: 1\nbrokers: {a: , b: }\n")
    (tmp_path / "topology.yaml").write_text(
        "momlint: 1\ninclude: [brokers.yaml]\nlinks:\n  - {between: [a, b]}\n"
        "topics:\n  t: {publishers: [a], subscribers: [b]}\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("arguments", [["."], ["brokers.yaml", "topology.yaml"]])
def test_a_part_with_brokers_is_judged_where_it_is_included(
    run: Run, brokers_apart: Path, arguments: list[str], jobs: str
) -> None:
    ran = run("check", *arguments, "--jobs", jobs, "-f", "json")
    alone = run("check", "topology.yaml", "-f", "json")
    told, expected = json.loads(ran.out), json.loads(alone.out)
    assert told["findings"] == expected["findings"]
    assert [finding["code"] for finding in told["findings"]] == ["MOM501"]
    assert told["summary"] == {**expected["summary"], "files": 2}


def test_named_alone_it_is_judged_as_what_it_is(run: Run, brokers_apart: Path) -> None:
    ran = run("check", "brokers.yaml", "-f", "concise")
    assert [line.split()[1] for line in ran.out.splitlines() if "MOM" in line].count("MOM203") == 2


def test_a_part_of_a_part_is_a_part(run: Run, brokers_apart: Path) -> None:
    (brokers_apart / "region.yaml").write_text("momlint: 1\ninclude: [topology.yaml]\n")
    ran = run("check", ".", "-f", "json")
    assert {finding["file"] for finding in json.loads(ran.out)["findings"]} == {"topology.yaml"}
    assert json.loads(ran.out)["summary"]["brokers"] == 2


def test_files_that_include_each_other_are_not_all_passed_over(run: Run, brokers_apart: Path) -> None:
    (brokers_apart / "brokers.yaml").write_text("momlint: 1\ninclude: [topology.yaml]\nbrokers: {a: , b: }\n")
    ran = run("check", ".", "-f", "concise")
    assert ran.code == 1
    assert "includes" in ran.out
