"""``momlint view`` as it is run: what is written where, and wrong usage."""

from __future__ import annotations

import io
import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from momlint.cli import main
from tests.view.pages import Page

ROOT = Path(__file__).parents[2]
TRIANGLE = str(ROOT / "examples" / "triangle" / "topology.yaml")
SVG = "{http://www.w3.org/2000/svg}"


def run(*arguments: str) -> int:
    try:
        return main(list(arguments))
    except SystemExit as stop:
        return int(stop.code or 0)


def test_a_page_is_written_whatever_is_found(tmp_path: Path) -> None:
    out = tmp_path / "report.html"
    assert run("view", "-q", str(ROOT / "examples" / "six-brokers" / "misrouted.yaml"), "-o", str(out)) == 0
    assert Page(out.read_text(encoding="utf-8")).data["summary"]["errors"] == 1


def test_a_drawing_shows_the_colour_and_the_walk(tmp_path: Path) -> None:
    out = tmp_path / "drawing.svg"
    assert run("view", "-q", TRIANGLE, "--svg", "--colour", "3", "--from", "1", "--to", "3", "-o", str(out)) == 0
    root = ET.parse(out).getroot()
    links = {path.findtext(f"{SVG}title", "").partition(":")[0]: path.get("class") for path in root.iter(f"{SVG}path")}
    del links[""]  # the arrow head
    assert links == {"1--2": "link walk", "1--3": "link failed", "fibre-a": "link walk"}
    assert root.findtext(f"{SVG}title") == "triangle: 3 brokers and 3 links, colour 3; arrived at 3 after 2 hops"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--colour", "9"), "--colour: there is no colour `9`"),
        (("--from", "1"), "--from and --to go together"),
        (("--from", "1", "--to", "4"), "--to: there is no broker `4`"),
        (("--estate", "triangel"), "there is no estate `triangel` to draw; did you mean `triangle`?"),
    ],
)
def test_what_makes_no_sense_is_said(options: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("view", "-q", TRIANGLE, "--svg", *options) == 2
    assert said in capsys.readouterr().err


def test_several_estates_want_a_choice(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("view", "-q", str(ROOT / "examples" / "six-brokers"), "--svg") == 2
    assert "choose one with --estate" in capsys.readouterr().err


def test_an_input_is_not_written_over(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text(Path(TRIANGLE).read_text())
    assert run("view", "-q", str(file), "-o", str(file)) == 2
    assert "is read by this run" in capsys.readouterr().err
    assert file.read_text() == Path(TRIANGLE).read_text()


def test_standard_input_is_drawn(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    class Given:
        buffer = io.BytesIO(Path(TRIANGLE).read_bytes())

    monkeypatch.setattr("sys.stdin", Given)
    out = tmp_path / "report.html"
    assert run("view", "-q", "-", "-o", str(out)) == 0
    (estate,) = Page(out.read_text(encoding="utf-8")).data["estates"]
    assert (estate["name"], json.dumps([one["id"] for one in estate["brokers"]])) == ("triangle", '["1", "2", "3"]')


def test_the_lines_that_no_proof_rests_on(tmp_path: Path) -> None:
    """Of the triangle: rows for 1, which nobody sends to; `check --coverage` is held to the same lines."""
    out = tmp_path / "page.html"
    assert run("view", "-q", "--coverage", TRIANGLE, "-o", str(out)) == 0
    data = Page(out.read_text(encoding="utf-8")).data
    (estate,) = data["estates"]
    ((name, *shares),) = estate["coverage"]["files"]
    assert shares == [[6, 12], [3, 3], [4, 4]]
    places = [data["places"][at] for _, at in estate["coverage"]["idle"]]
    assert places == [[name, line] for line in (36, 37, 39, 41, 43, 44)]
    text = Path(TRIANGLE).read_text(encoding="utf-8").splitlines()
    assert [data["lines"][name][str(line)] for _, line in places] == [text[line - 1] for _, line in places]


def test_overlays_without_rows_have_no_such_lines(tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    assert run("view", "-q", "--coverage", str(ROOT / "examples" / "relayed" / "plant.yaml"), "-o", str(out)) == 0
    (estate,) = Page(out.read_text(encoding="utf-8")).data["estates"]
    assert "coverage" not in estate
