"""The page: safe whatever names are, of one piece, the same every time, and what it says of findings."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from momlint.lint import Options
from momlint.view.gathering import gather
from momlint.view.page import data_of, in_script, page, svg
from tests.view.pages import Page

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
EVIL = "</script><img src=x onerror=alert(1)>&\"'`\u2028"


def _page(*names: str) -> Page:
    gathered = gather([str(EXAMPLES / name) for name in names], Options(engine="graph"))
    return Page(page(gathered, gathered.pictures[0].name))


def _hostile(folder: Path) -> Path:
    name = json.dumps(EVIL)
    file = folder / "evil.yaml"
    file.write_text(
        f"momlint: 1\nname: {name}\nbrokers: {{{name}: {{site: {name}}}, b: }}\n"
        f"links: [{{id: {name}, between: [{name}, b]}}]\n"
        f"topics: {{{name}: {{publishers: [{name}], subscribers: [b]}}}}\n"
        "routing: {protocol: tables, tables: {}}\n",
        encoding="utf-8",
    )
    return file


def test_names_of_all_kinds_stay_text(tmp_path: Path) -> None:
    gathered = gather([str(_hostile(tmp_path))], Options(engine="graph"))
    found = Page(page(gathered, gathered.pictures[0].name))
    names = [name for name, _ in found.elements]
    assert names.count("script") == 2
    assert "img" not in names
    assert not [key for _, attributes in found.elements for key in attributes if key.startswith("on")]
    assert found.texts["title"] == [EVIL]
    (estate,) = found.data["estates"]
    assert [broker["id"] for broker in estate["brokers"]] == [EVIL, "b"]
    assert found.data["findings"]
    assert EVIL in found.data["findings"][0]["topics"]


def test_a_drawing_with_such_names_is_well_formed(tmp_path: Path) -> None:
    gathered = gather([str(_hostile(tmp_path))], Options(engine="graph"))
    root = ET.fromstring(svg(gathered.pictures[0]))
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "title", "style", "defs", "marker", "path", "g", "circle", "text"}
    assert EVIL in [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_json_in_a_script_cannot_end_it() -> None:
    text = in_script({"a": EVIL, "b": "<!--<script"})
    assert not set("<>&\u2028\u2029") & set(text)
    assert json.loads(text) == {"a": EVIL, "b": "<!--<script"}


def test_the_page_loads_nothing() -> None:
    found = _page("triangle/topology.yaml")
    assert not [one for _, one in found.elements if "src" in one]
    assert [one["href"] for name, one in found.elements if name == "link"] == ["data:,"]
    assert not re.search(r"@import|url\(", "".join(found.texts["style"]))
    script = found.texts["script"][1]
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|EventSource|sendBeacon|innerHTML|eval|import)\b", script)


def test_its_policy_names_what_it_runs_and_nothing_else() -> None:
    found = _page("triangle/topology.yaml")
    (policy,) = [one["content"] for name, one in found.elements if name == "meta" and "http-equiv" in one]
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))

    def named(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == named(found.texts["script"][1])
    assert rules["style-src"] == named(found.texts["style"][0])


@pytest.mark.slow
def test_two_processes_write_the_same_bytes(tmp_path: Path) -> None:
    written = []
    for seed in ("1", "2"):
        out = tmp_path / f"{seed}.html"
        command = [sys.executable, "-m", "momlint", "view", "-q", str(EXAMPLES / "six-brokers"), "-o", str(out)]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed})
        written.append(out.read_bytes())
    assert written[0] == written[1]


def _finding(data: dict[str, Any], code: str) -> dict[str, Any]:
    return next(one for one in data["findings"] if one["code"] == code)


def test_a_finding_shows_its_walk_by_hand() -> None:
    found = _page("six-brokers/misrouted.yaml")
    finding = _finding(found.data, "MOM303")
    names = [broker["id"] for broker in found.data["estates"][0]["brokers"]]
    assert (finding["severity"], finding["line"]) == ("error", 36)
    assert [[names[stop] for stop in walk] for walk in finding["show"]["walks"]] == [["1", "2", "4", "6"]]
    assert found.data["lines"][finding["file"]]["36"].strip().startswith("6: [5, 6]")
    cut = next(
        one for one in found.data["findings"] if one["message"] == "if link `4--5` fails, no path leads from `1` to `5`"
    )
    states = found.data["estates"][0]["states"]
    assert states[cut["show"]["state"]]["name"] == "4--5"


def test_findings_go_with_the_estate_that_they_are_about(tmp_path: Path) -> None:
    file = tmp_path / "two.yaml"
    good = "momlint: 1\nname: good\nbrokers: {a: , b: }\nlinks: [{between: [a, b]}]\n"
    bad = "---\nmomlint: 1\nname: bad\nbrokers: {a: , b: , c: }\nlinks: [{between: [a, b]}]\n"
    file.write_text(good + bad + "topics: {t: {publishers: [a], subscribers: [c]}}\n")
    gathered = gather([str(file)], Options(engine="graph"))
    assert [picture.name for picture in gathered.pictures] == ["good", "bad"]
    owners = {finding.code: owner for finding, owner in zip(gathered.report.findings, gathered.findings, strict=True)}
    assert owners["MOM301"] == 1
    assert owners["MOM203"] == 1


def test_copies_of_relayed_messages_have_their_ways(tmp_path: Path) -> None:
    file = tmp_path / "relay.yaml"
    file.write_text(
        "momlint: 1\nbrokers: {a: , b: , c: , d: }\nrouting: {protocol: relay, syntax: mqtt}\nlinks:\n"
        "  - {from: a, to: b}\n  - {from: a, to: c}\n  - {from: b, to: d}\n  - {from: c, to: d}\n"
        "topics: {t: {publishers: [a], subscribers: [d]}}\n"
    )
    (picture,) = gather([str(file)], Options(engine="graph")).pictures
    (pair,) = picture.pairs
    assert pair.usual.status == "many"
    assert [picture.ways[one].stops for one in pair.usual.ways] == [(0, 1, 3), (0, 2, 3)]


def test_native_files_are_drawn_and_a_loop_is_shown() -> None:
    found = _page("bridges/north.conf", "bridges/south.conf")
    finding = _finding(found.data, "MOM801")
    (estate,) = found.data["estates"]
    names = [broker["id"] for broker in estate["brokers"]]
    assert sorted(names) == ["north", "south"]
    (walk,) = finding["show"]["walks"]
    assert walk[0] == walk[-1]
    assert {names[stop] for stop in walk} == {"north", "south"}
    assert {fare[4][0] for fare in estate["pairs"]} == {"endless"}


def test_what_does_not_arrive_in_a_relayed_overlay_is_lost(tmp_path: Path) -> None:
    file = tmp_path / "relay.yaml"
    file.write_text(
        "momlint: 1\nbrokers: {a: , b: }\nrouting: {protocol: relay, syntax: mqtt}\n"
        "links: [{from: a, to: b, topics: [{filter: other}]}]\ntopics: {t: {publishers: [a], subscribers: [b]}}\n"
    )
    gathered = gather([str(file)], Options(engine="graph"))
    (pair,) = gathered.pictures[0].pairs
    assert (pair.tail, pair.head, pair.usual.status) == (0, 1, "lost")


@pytest.mark.parametrize(
    ("name", "kind", "brokers"),
    [("sites/report/three-sites-1.yaml", "sites", 3), ("clients/live-list.yaml", "none", 0)],
)
def test_other_disciplines_have_the_drawing_that_there_is(name: str, kind: str, brokers: int) -> None:
    (estate,) = _page(name).data["estates"]
    assert (estate["kind"], len(estate["brokers"])) == (kind, brokers)


def test_parts_of_an_estate_are_drawn_once(tmp_path: Path) -> None:
    (tmp_path / "main.yaml").write_text("momlint: 1\nname: main\nbrokers: {a: , b: }\ninclude: [part.yaml]\n")
    (tmp_path / "part.yaml").write_text("momlint: 1\nlinks: [{between: [a, b]}]\n")
    files = [str(tmp_path / name) for name in ("main.yaml", "part.yaml")]
    gathered = gather(files, Options(engine="graph"))
    assert [picture.name for picture in gathered.pictures] == ["main"]
    assert [link.id for link in gathered.pictures[0].links] == ["a--b"]


def test_a_file_that_is_not_there_is_told() -> None:
    gathered = gather(["nothere.yaml"], Options(engine="graph"))
    assert data_of(gathered, "x")["failures"] == ["nothere.yaml: No such file or directory"]


def test_the_drawing_in_the_documents_is_what_is_written() -> None:
    gathered = gather([str(EXAMPLES / "triangle" / "topology.yaml")], Options(engine="graph"))
    (picture,) = gathered.pictures
    (pair,) = [one for one in picture.pairs if (one.tail, one.head) == (0, 1)]
    drawn = svg(picture, 1, picture.ways[pair.others[1].ways[0]])
    assert drawn == (ROOT / "docs" / "images" / "view-triangle.svg").read_text(encoding="utf-8")
