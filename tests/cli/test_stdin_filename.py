"""``check --stdin-filename``: standard input stands for a file, with its name, its folder and its settings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.estates import BLACK_HOLE, GOOD

pytestmark = pytest.mark.usefixtures("folder")

QUIET = ("--format", "concise", "--ignore", "MOM501")


@pytest.mark.parametrize("paths", [["-"], []])
def test_findings_carry_the_name(paths: list[str], run: Run) -> None:
    ran = run("check", *paths, "--stdin-filename", "lab/six.yaml", *QUIET, stdin=BLACK_HOLE.encode())
    assert ran.code == 1
    assert ran.out.startswith("lab/six.yaml:21:7: MOM303 error ")


def test_the_file_itself_is_not_read(run: Run) -> None:
    """Named beside standard input, it is still checked once, as it is in the editor."""
    for paths in (["-"], ["-", "bad.yaml"], ["bad.yaml", "./bad.yaml", "-"]):
        ran = run("check", *paths, "--stdin-filename", "bad.yaml", "--format", "json", stdin=GOOD.encode())
        report = json.loads(ran.out)
        assert (ran.code, report["summary"]["files"], report["findings"]) == (0, 1, [])


def test_include_starts_from_its_folder(run: Run) -> None:
    Path("lab").mkdir()
    Path("lab/topics.yaml").write_text("momlint: 1\ntopics:\n  weather: {publishers: [1], subscribers: []}\n")
    estate = GOOD.partition("topics:")[0] + "include: [topics.yaml]\nrouting: {protocol: shortest-path}\n"
    ran = run("check", "--stdin-filename", "lab/main.yaml", *QUIET, stdin=estate.encode())
    assert ran.out == "lab/topics.yaml:3:3: MOM201 warning topic `weather` has no subscriber\n"


def test_its_configuration_counts(run: Run) -> None:
    Path("lab").mkdir()
    Path("lab/momlint.toml").write_text('[per-file-ignores]\n"six.yaml" = ["MOM3"]\n')
    ignored = run("check", "--stdin-filename", "lab/six.yaml", *QUIET, stdin=BLACK_HOLE.encode())
    assert (ignored.code, ignored.out) == (0, "")
    told = run("check", "--stdin-filename", "lab/seven.yaml", *QUIET, stdin=BLACK_HOLE.encode())
    assert told.code == 1
    elsewhere = run("check", "--stdin-filename", "six.yaml", *QUIET, stdin=BLACK_HOLE.encode())
    assert elsewhere.code == 1


def test_excluded_where_that_is_asked(run: Run) -> None:
    Path("momlint.toml").write_text('exclude = ["lab/**"]\n')
    words = ("--stdin-filename", "lab/six.yaml", *QUIET)
    assert run("check", "-", *words, stdin=BLACK_HOLE.encode()).code == 1
    assert run("check", "-", *words, "--force-exclude", stdin=BLACK_HOLE.encode()).code == 0


def test_the_name_decides_how_it_is_read(run: Run) -> None:
    """As a file of that name would be: JSON, or a broker's own configuration."""
    wrong = run("check", "--stdin-filename", "x.json", "--format", "concise", stdin=b"{]")
    assert wrong.out.startswith("x.json:1:2: MOM101 error ")
    broker = run("check", "--stdin-filename", "mosquitto.conf", *QUIET, stdin=b"listener 1883\nno_such_word 1\n")
    assert broker.out.startswith("mosquitto.conf:2:")


def test_with_processes_too(run: Run) -> None:
    words = ("--stdin-filename", "lab/six.yaml", *QUIET)
    alone = run("check", "-", "good.mom.yaml", *words, stdin=BLACK_HOLE.encode())
    assert alone.out.startswith("lab/six.yaml:21:")
    assert run("check", "-", "good.mom.yaml", *words, "--jobs", "2", stdin=BLACK_HOLE.encode()).out == alone.out


@pytest.mark.parametrize("name", ["", ".", "lab/"])
def test_what_names_no_file(name: str, run: Run) -> None:
    ran = run("check", "-", "--stdin-filename", name)
    assert ran.code == 2
    assert "--stdin-filename must be the name of a file" in ran.err


def test_it_needs_standard_input(run: Run) -> None:
    ran = run("check", "good.mom.yaml", "--stdin-filename", "six.yaml")
    assert ran.code == 2
    assert "names standard input, which is not checked; add -" in ran.err


def test_its_report_does_not_take_its_place(run: Run) -> None:
    ran = run("check", "-", "--stdin-filename", "bad.yaml", "--output", "bad.yaml", stdin=GOOD.encode())
    assert ran.code == 2
    assert Path("bad.yaml").read_text() == BLACK_HOLE
