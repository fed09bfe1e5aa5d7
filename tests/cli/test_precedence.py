"""Rules that yield: ``precedence/A-B.yaml`` is an estate in which A has something to say that B says already.

Whoever ignores B, in whatever way, hears A. The estates were found by chance and cut down; what is asked of them is
the contract's, and needs no expected values: that A is heard exactly where B is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from momlint.baseline import of_findings
from momlint.catalog import load_rules
from momlint.errors import InternalError
from momlint.findings import Draft, Place, Report, Subject
from momlint.lint import Options, lint_bytes, merge
from momlint.precedence import Candidate, settle
from tests.cli.conftest import Run

ESTATES = Path(__file__).parents[1] / "rules" / "precedence"
PAIRS = [(rule.code, other) for rule in load_rules() for other in rule.yields_to]


def reported(text: str, options: Options) -> list[tuple[str, int]]:
    report: Report = merge([lint_bytes(text.encode(), "estate.yaml", options)], options)
    return [(finding.code, finding.span.start.line) for finding in report.findings]


def silenced(text: str, code: str, options: Options) -> str:
    """The text with a comment on each line where `code` is reported, until it is not."""
    lines = text.splitlines()
    while found := [line for one, line in reported("\n".join(lines) + "\n", options) if one == code]:
        for line in found:
            lines[line - 1] += f"  # momlint: ignore[{code}]"
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(("code", "other"), PAIRS)
def test_who_ignores_the_first_hears_the_second(
    code: str, other: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = (ESTATES / f"{code}-{other}.yaml").read_text()
    both = Options(select=(code, other))
    alone = [line for one, line in reported(text, Options(select=(code,))) if one == code]
    assert alone
    told = reported(text, both)
    assert {one for one, _ in told} == {other}

    def heard(found: list[tuple[str, int]]) -> bool:
        return [line for one, line in found if one == code] == alone and other not in dict(found)

    assert heard(reported(text, Options(select=(code, other), ignore=(other,))))
    assert heard(reported(text, Options(select=(code, other), per_file_ignores={"estate.yaml": (other,)})))
    # Of another file it says nothing.
    assert reported(text, Options(select=(code, other), per_file_ignores={"another.yaml": (other,)})) == told
    assert heard(reported(silenced(text, other, both), both))
    first: Report = merge([lint_bytes(text.encode(), "estate.yaml", both)], both)
    assert heard(reported(text, replace(both, baseline=of_findings(first.findings, "."))))

    monkeypatch.chdir(tmp_path)
    for name, content, config in (
        ("option.yaml", text, ""),
        ("config.yaml", text, f'ignore = ["{other}"]\n'),
        ("per-file.yaml", text, f'[per-file-ignores]\n"per-file.yaml" = ["{other}"]\n'),
        ("comment.yaml", silenced(text, other, both), ""),
    ):
        Path(name).write_text(content)
        Path("momlint.toml").write_text(config)
        option = ("--ignore", other) if name == "option.yaml" else ()
        ran = run("check", name, "--select", f"{code},{other}", *option, "--format", "concise", "--fail-on", "note")
        assert ran.code == 1, name
        assert [int(line.split(":")[1]) for line in ran.out.splitlines() if f" {code} " in line] == alone, name
        assert f" {other} " not in ran.out, name


def test_there_is_an_estate_for_each_pair_and_no_other() -> None:
    assert {path.stem for path in ESTATES.glob("*.yaml")} == {f"{code}-{other}" for code, other in PAIRS}


#: Broker 1 sends what is for 3 to 2 and, by the second row, to 3; broker 2 to 1 and to 3. The first rows count: a loop.
REPORTED = """\
momlint: 1
brokers: {1: , 2: , 3: }
links:
  - {between: [1, 2]}
  - {between: [1, 3]}
  - {between: [2, 3]}
topics:
  weather: {publishers: [1], subscribers: [3]}
failures:
  colours: {1: []}
  recovery:
    1:
      - {to: 3, via: 2, colours: [1]}
      - {to: 3, via: 3, colours: [1]}
    2:
      - {to: 3, via: 1, colours: [1]}
      - {to: 3, via: 3, colours: [1]}
"""


def test_a_loop_is_not_hidden_by_what_is_ignored_for_a_file(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The case that was reported: it said nothing, and passed."""
    monkeypatch.chdir(tmp_path)
    Path("estate.yaml").write_text(REPORTED)
    by_option = run("check", "estate.yaml", "--ignore", "MOM404,MOM405", "--format", "concise")
    Path("momlint.toml").write_text('[per-file-ignores]\n"estate.yaml" = ["MOM404", "MOM405"]\n')
    by_file = run("check", "estate.yaml", "--format", "concise")
    assert (by_file.code, by_file.out) == (by_option.code, by_option.out)
    assert by_file.code == 1
    assert by_file.out.startswith("estate.yaml:13:9: MOM302 ")


# -- the stage by itself --------------------------------------------------------------------------------------------


def draft(code: str, *about: Subject, rank: int = 0) -> Draft:
    return Draft(code, Place(0, (code,)), code, about=[frozenset({one}) for one in about], rank=rank)


def kept(table: dict[str, dict[str, set[str]]], *drafts: Draft, hidden: str = "") -> list[str]:
    def yields(code: str) -> dict[str, frozenset[str]]:
        return {other: frozenset(kinds) for other, kinds in table.get(code, {}).items()}

    def never(code: str, error: Exception) -> None:
        raise AssertionError((code, error))

    candidates: Iterator[Candidate] = (Candidate(one, one.code != hidden) for one in drafts)
    return [one.code for one in settle(candidates, yields, never)]


ROW, OTHER_ROW, HOP = ("row", 1), ("row", 2), ("hop", 1, 2)


def test_a_draft_yields_only_where_all_it_is_about_is_told_by_the_kind_that_counts() -> None:
    table = {"B": {"A": {"row"}}}
    assert kept(table, draft("B", ROW), draft("A", ROW)) == ["A"]
    assert kept(table, draft("B", ROW, OTHER_ROW), draft("A", ROW)) == ["A", "B"]
    assert kept(table, draft("B", ROW, OTHER_ROW), draft("A", ROW), draft("A", OTHER_ROW)) == ["A", "A"]
    assert kept(table, draft("B", HOP), draft("A", HOP)) == ["A", "B"]
    assert kept(table, draft("B"), draft("A", ROW)) == ["A", "B"]
    assert kept({}, draft("B", ROW), draft("A", ROW)) == ["A", "B"]


def test_what_yields_itself_or_is_not_reported_tells_nothing() -> None:
    table = {"B": {"A": {"row"}}, "C": {"B": {"row"}}}
    assert kept(table, draft("C", ROW), draft("B", ROW), draft("A", ROW)) == ["A", "C"]
    assert kept(table, draft("B", ROW), draft("A", ROW), hidden="A") == ["A", "B"]


def test_of_rules_that_yield_to_each_other_the_first_by_rank_goes_first() -> None:
    table = {"A": {"B": {"row"}}, "B": {"A": {"row"}}}
    assert kept(table, draft("A", ROW, rank=2), draft("B", ROW, rank=1)) == ["B"]
    assert kept(table, draft("A", ROW, rank=1), draft("B", ROW, rank=1)) == ["A"]
    assert kept(table, draft("A", ROW, rank=2), draft("B", ROW, rank=1), hidden="B") == ["B", "A"]


def test_a_draft_may_be_left_with_less() -> None:
    def without(is_told: Callable[[Subject], bool]) -> Draft | None:
        left = [one for one in (ROW, OTHER_ROW) if not is_told(one)]
        return draft("B" * len(left), *left) if left else None

    both = Draft("B", Place(0, ()), "B", without=without)
    table = {"B": {"A": {"row"}}}
    assert kept(table, both, draft("A", HOP)) == ["A", "BB"]
    assert kept(table, both, draft("A", ROW)) == ["A", "B"]
    assert kept(table, both, draft("A", ROW, OTHER_ROW)) == ["A"]


def test_a_circle_of_rules_is_refused() -> None:
    table = {"A": {"B": {"row"}}, "B": {"C": {"row"}}, "C": {"A": {"row"}}}
    with pytest.raises(InternalError, match="circle"):
        kept(table, draft("A", ROW), draft("B", ROW), draft("C", ROW))
