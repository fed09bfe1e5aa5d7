"""Comments that silence a finding: by code, by name, and those that are meant to and do not."""

from __future__ import annotations

import pytest

from momlint.lint import Options, lint_files
from tests.cli.conftest import Run

#: Broker 2 has no link: MOM203 at the second line.
ESTATE = """\
momlint: 1
brokers: {1: , 2: }  COMMENT
"""


def codes(comment: str, tmp_path: object) -> list[tuple[str, str]]:
    path = f"{tmp_path}/a.yaml"
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(ESTATE.replace("COMMENT", comment))
    report = lint_files([path], Options(select=("MOM203", "MOM109")))
    assert all(finding.span.start.line == 2 for finding in report.findings)
    return [(finding.code, finding.message) for finding in report.findings]


@pytest.mark.parametrize(
    "comment", ["# momlint: ignore[MOM203]", "# momlint: ignore[isolated-broker]", "#momlint:ignore[mom2]"]
)
def test_by_code_prefix_and_name(comment: str, tmp_path: object) -> None:
    assert codes(f"# momlint: {comment}", tmp_path) == []


@pytest.mark.parametrize(
    ("comment", "says"),
    [
        ("# momlint: ignore", "names no rule"),
        ("# momlint: ignore MOM203", "names no rule"),
        ("# momlint: ignore(MOM203)", "names no rule"),
        ("# momlint: disable=MOM203", "names no rule"),
        ("# momlint: ignore[]", "names no rule"),
        ("# momlint: ignore[MOM999]", "there is no rule `MOM999`"),
        ("# momlint: ignore[isolated-brokr]", "did you mean `isolated-broker`?"),
    ],
)
def test_what_silences_nothing_is_told(comment: str, says: str, tmp_path: object) -> None:
    found = codes(comment, tmp_path)
    assert [code for code, _ in found].count("MOM203") == 2
    (message,) = [message for code, message in found if code == "MOM109"]
    assert says in message


def test_a_comment_of_another_rule_stays_unused(tmp_path: object) -> None:
    found = codes("# momlint: ignore[MOM203, MOM109]", tmp_path)
    assert found == [("MOM109", "unused suppression: nothing here is reported as MOM109")]


def test_the_command_counts_it(run: Run, folder: object) -> None:
    with open(f"{folder}/a.yaml", "w", encoding="utf-8") as stream:
        stream.write(ESTATE.replace("COMMENT", "# momlint: ignore MOM203"))
    ran = run("check", "a.yaml", "--select", "MOM109", "--fail-on", "warning", "-f", "concise")
    assert ran.code == 1
    assert ran.out.startswith("a.yaml:2:22: MOM109 warning ")
