"""``check --explain-transients`` and ``--report availability``: sections of the text report."""

from __future__ import annotations

from pathlib import Path

import pytest

from momlint.cli import main

RING = """\
momlint: 1
name: {name}
brokers: {{1: , 2: , 3: , 4: }}
links:
  - {{between: [1, 2], availability: 0.5}}
  - {{between: [2, 3]}}
  - {{between: [3, 4]}}
  - {{between: [4, 1]}}
topics:
  t: {{publishers: [1], subscribers: [2]}}
failures:
  colours: {{ok: [], cut: [1--2]}}
"""


@pytest.fixture
def estate(tmp_path: Path) -> str:
    path = tmp_path / "topology.yaml"
    path.write_text(RING.format(name="one") + "---\n" + RING.format(name="two"))
    return str(path)


def test_both_sections_for_each_estate_in_order(estate: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        main(["check", "--quiet", "--select", "MOM302", "--explain-transients", "--report", "availability", estate])
        == 0
    )
    titles = [line for line in capsys.readouterr().out.splitlines() if line and not line.startswith(" ")]
    assert titles == [
        f"Transients of one ({estate})",
        f"Availability of one ({estate})",
        f"Transients of two ({estate})",
        f"Availability of two ({estate})",
    ]


def test_sections_stand_after_the_findings_and_before_the_totals(
    estate: str, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", "--explain-transients", estate])
    out = capsys.readouterr().out
    assert out.index("MOM407") < out.index("Transients of one") < out.index("Transients of two") < out.index("Found 2")


def test_nothing_is_added_unasked(estate: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", estate])
    out = capsys.readouterr().out
    assert "Transients" not in out
    assert "Availability" not in out


def test_jobs_give_the_same(estate: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.mom.yaml"
    other.write_text(RING.format(name="three"))
    said = []
    for jobs in ("1", "2"):
        main(["check", "--report", "availability", "--explain-transients", "--jobs", jobs, estate, str(other)])
        said.append(capsys.readouterr().out)
    assert said[0] == said[1]
    assert "Transients of three" in said[0]


@pytest.mark.parametrize("form", ["json", "sarif", "concise", "github", "gitlab", "junit", "markdown"])
@pytest.mark.parametrize("asked", [["--explain-transients"], ["--report", "availability"]])
def test_other_formats_have_no_sections(
    form: str, asked: list[str], estate: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["check", "--format", form, *asked, estate]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert f"{asked[0]} adds a section to the text report and cannot be used with --format {form}" in captured.err


def test_an_unknown_table_is_wrong_usage(estate: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--report", "avail", estate]) == 2
    assert "availability" in capsys.readouterr().err
