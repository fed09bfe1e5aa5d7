"""What was once judged wrong: an estate of each kind, and what is right about it, by hand.

A case under ``cases`` begins with the reason and ends with what is expected, ``# expect: MOM302 13:9``, all of it and
nothing else but MOM501. The places were counted by hand.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from momlint.lint import Options, lint_bytes, merge
from tests.cli.conftest import Run, run
from tests.routed.engines.nusmv import nusmv

__all__ = ["run"]

FOLDER = Path(__file__).parent / "cases"
CASES = sorted(FOLDER.glob("*.yaml"))
EXPECTATION = re.compile(r"^# expect: (MOM\d+ \d+:\d+)$", re.MULTILINE)
FORMATS = ["text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown"]


def case(name: str) -> str:
    return str(FOLDER / f"{name}.yaml")


def findings(text: str, engine: str = "auto") -> list[str]:
    """``MOM302 13:9`` for every finding but MOM501, sorted."""
    options = Options(engine=engine, ignore=("MOM501",))  # type: ignore[arg-type]
    report = merge([lint_bytes(text.encode(), "case.yaml", options)], options)
    assert report.failures == []
    return sorted(f"{one.code} {one.span.start.line}:{one.span.start.column}" for one in report.findings)


@pytest.mark.parametrize("engine", ["auto", "graph", "smt", "nusmv"])
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_case(path: Path, engine: str) -> None:
    if engine == "nusmv":
        nusmv()
    text = path.read_text()
    expected = EXPECTATION.findall(text)
    assert expected
    assert findings(text, engine) == sorted(expected)


def test_every_case_is_told_in_every_format(run: Run) -> None:
    for path in CASES:
        codes = {expected.split()[0] for expected in EXPECTATION.findall(path.read_text())}
        for form in FORMATS:
            ran = run("check", str(path), "--format", form)
            # A warning alone fails nothing.
            assert ran.code == (0 if path.stem == "missing-row-beside-right-one" else 1)
            assert not [code for code in codes if code not in ran.out], form
            assert ran.err == ""


# -- what else is right about some -------------------------------------------------------------------------------------


def test_the_case_without_topics_as_with_one_that_needs_all_pairs() -> None:
    text = Path(case("takeover-without-topics")).read_text()
    all_pairs = "topics: {t: {publishers: [h, i, f], subscribers: [h, i, f]}}\n"
    assert findings(text + all_pairs) == ["MOM409 12:14"]


def test_a_needed_row_is_the_missing_one_alone() -> None:
    text = Path(case("missing-row-beside-right-one")).read_text()
    assert findings(text.replace("subscribers: [b]", "subscribers: [b, c]")) == ["MOM405 15:5"]


def test_nothing_is_certified_by_digits_that_are_not_kept(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "certificate"
    assert run("check", case("more-digits-than-are-kept"), "--certificate", str(target)).code == 1
    assert not target.exists()


def test_six_failures_have_no_colour(run: Run) -> None:
    ran = run("check", case("colour-of-a-promised-link-and-group"), "--format", "json", "--select", "MOM402")
    (finding,) = json.loads(ran.out)["findings"]
    assert finding["message"] == "6 promised failures have no colour: link `x`, link `y`, link `z` and 3 more"


@pytest.mark.parametrize("empty", ["", "~", "{}", "[]"])
def test_empty_sections_are_none(empty: str, run: Run, tmp_path: Path) -> None:
    """As without the section, or a finding that says what is wrong with it besides."""
    text = Path(case("empty-colours")).read_text()
    without = findings(text[: text.index("failures:")])
    assert without == ["MOM203 3:21", "MOM301 7:41", "MOM302 11:9"]
    found = findings(text.replace("colours: {}", f"colours: {empty}"))
    assert found == without or (empty == "[]" and found == sorted([*without, "MOM102 13:12"]))


def test_a_trace_of_the_empty_colours(run: Run) -> None:
    ran = run("trace", case("empty-colours"), "--from", "a", "--to", "b")
    assert ran.code == 1
    assert "a → a  no link" in ran.out
    assert ran.out.endswith("looped: back at a, and so on for ever\n")


def test_moved_clients_are_served_by_availability_alike(run: Run) -> None:
    """a is up in 0.9 of the time; while it is down its client at b needs two hops, and one is allowed."""
    ran = run("check", case("hop-budget-of-moved-clients"), "--report", "availability")
    assert re.search(r"^ *t +a → d +0\.9000+ +0\.9000+$", ran.out, re.MULTILINE)


@pytest.mark.parametrize("form", FORMATS)
def test_no_control_character_in_any_format(form: str, run: Run) -> None:
    ran = run("check", case("control-characters"), "--format", form)
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", ran.out + ran.err)


def test_one_name_for_two_links(run: Run) -> None:
    ran = run("check", case("id-that-is-another-links-name"), "--format", "json", "--select", "MOM105")
    (finding,) = json.loads(ran.out)["findings"]
    assert finding["message"] == "`b--c` can mean two links: this one by its brokers, another by its id"
    assert "parallel" not in finding["message"] + finding["help"]
    assert finding["help"].startswith("rename the id")


def test_the_edge_that_passes_on() -> None:
    text = Path(case("edge-that-does-not-relay")).read_text()
    assert findings(text.replace("{transit: false}", "{}")) == []


def test_a_folder_is_its_estates(run: Run) -> None:
    folder = FOLDER / "included-brokers"
    alone = run("check", str(folder / "topology.yaml"), "--format", "json")
    assert alone.code == 0
    assert json.loads(alone.out)["summary"]["brokers"] == 2
    for jobs in ("1", "2"):
        ran = run("check", str(folder), "--format", "json", "--jobs", jobs)
        assert (ran.code, ran.err) == (0, "")
        assert json.loads(ran.out)["findings"] == json.loads(alone.out)["findings"]
        # The other file is counted, and that is all that is said of it.
        assert json.loads(ran.out)["summary"] == {**json.loads(alone.out)["summary"], "files": 2}
