"""Changes by form: what is changed, and only that, in any layout; names follow wherever they stand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from momlint.lint import Options
from momlint.studio.asking import Refused
from momlint.studio.session import Session

TEXT = """\
# The plant.
momlint: 1
brokers:
  a:            # the press
  b: {site: x, tags: [eu, old]}  # in the hall
  c:
    site: y     # far away
    processing_ms: 2
links:
  - {between: [a, b], cost: 2}  # under the floor
  - between: [b, c]
    # measured
    latency_ms: 3
    cost: {b->c: 1, c->b: 4}
  - {id: fibre, from: a, to: c}
groups:
  duct: [a--b, fibre]
topics:
  t: {publishers: [a], subscribers: [b, c], max_hops: 3}  # temperatures
  u:
    publishers:
      - a   # by the press
    subscribers:
      - b
      - c   # twice a day
failures:
  colours:
    0: []
    1: [b--a]   # the floor
    2: [fibre]
  recovery:
    a:
      - {to: b, via: b, colours: [0]}  # direct
specs:
  - {name: arrives, ctl: "(src = a & dest = b) -> AF (loc = b)"}
"""


def change(folder: Path, text: str, do: str, **asked: Any) -> tuple[str, str]:
    """What it says, and the text then; the change is one step, and is taken back as one."""
    file = folder / "topology.yaml"
    file.write_text(text)
    session = Session(str(file), Options())
    says = session.change({"estate": 0, "revision": session.revision, "do": do, **asked})
    after = session.read(session.file).decode()
    session.undo({"revision": session.revision})
    assert session.read(session.file).decode() == text
    with pytest.raises(Refused):
        session.undo({"revision": session.revision})
    return says, after


BROKER: dict[str, Any] = {"site": "", "address": "", "tags": [], "processing_ms": "", "transit": True}


@pytest.mark.parametrize(
    ("name", "told", "old", "new"),
    [
        ("a", {"site": "hall 2"}, "  a:            #", '  a: {site: "hall 2"}            #'),
        ("a", {"transit": False, "tags": ["x", "y z"]}, "  a:     ", '  a: {tags: [x, "y z"], transit: false}     '),
        ("b", {"site": "x", "tags": ["eu"]}, "tags: [eu, old]", "tags: [eu]"),
        ("b", {"tags": ["eu", "old"]}, "{site: x, tags: [eu, old]}", "{tags: [eu, old]}"),
        ("b", {"site": "x", "tags": ["eu", "old"], "address": "::1"}, "old]}", 'old], address: "::1"}'),
        ("b", {}, "{site: x, tags: [eu, old]}", "{}"),
        ("c", {"site": "z", "processing_ms": "2"}, "site: y     # far", "site: z     # far"),
        ("c", {"site": "y", "processing_ms": "2.5"}, "processing_ms: 2\n", "processing_ms: 2.5\n"),
        ("c", {"site": "y", "processing_ms": ""}, "    processing_ms: 2\n", ""),
        ("c", {"processing_ms": "2.0"}, "    site: y     # far away\n", ""),
        ("c", {}, "    site: y     # far away\n    processing_ms: 2\n", ""),
    ],
)
def test_attributes_of_a_broker(tmp_path: Path, name: str, told: dict[str, Any], old: str, new: str) -> None:
    says, after = change(tmp_path, TEXT, "change-broker", old=name, name=name, **{**BROKER, **told})
    assert TEXT.count(old) == 1
    assert after == TEXT.replace(old, new)
    assert says == f"Broker {name} changed."


def test_a_broker_is_renamed_wherever_it_stands(tmp_path: Path) -> None:
    told = {**BROKER, "site": "x", "tags": ["eu", "old"], "address": "10.0.0.1"}
    _, after = change(tmp_path, TEXT, "change-broker", old="b", name="hub", **told)
    wanted = TEXT.replace("  b: {site: x, tags: [eu, old]}", "  hub: {site: x, tags: [eu, old], address: 10.0.0.1}")
    for old, new in [
        ("[a, b]", "[a, hub]"),
        ("[b, c]", "[hub, c]"),
        ("{b->c: 1, c->b: 4}", "{hub->c: 1, c->hub: 4}"),
        ("a--b", "a--hub"),
        ("      - b\n", "      - hub\n"),
        ("b--a", "hub--a"),
        ("to: b, via: b", "to: hub, via: hub"),
        ("dest = b", "dest = hub"),
        ("loc = b", "loc = hub"),
    ]:
        assert old in wanted
        wanted = wanted.replace(old, new)
    assert after == wanted


LINK: dict[str, Any] = {"cost": "", "cost_back": "", "latency_ms": "", "latency_ms_back": "", "availability": ""}


@pytest.mark.parametrize(
    ("name", "told", "changes"),
    [
        ("a--b", {"name": "", "from": "a", "to": "b", "cost": "3"}, [("cost: 2}", "cost: 3}")]),
        ("a--b", {"name": "", "from": "a", "to": "b"}, [(", cost: 2}", "}")]),
        (
            "a--b",
            {"name": "", "from": "a", "to": "b", "cost": "2", "cost_back": "5"},
            [("cost: 2}", "cost: {a->b: 2, b->a: 5}}")],
        ),
        # Colours and groups follow, also where they name it from its other end.
        (
            "a--b",
            {"name": "floor", "from": "a", "to": "b", "cost": "2"},
            [("[a, b], cost: 2}", "[a, b], cost: 2, id: floor}"), ("duct: [a--b,", "duct: [floor,"), ("b--a", "floor")],
        ),
        (
            "a--b",
            {"name": "", "from": "a", "to": "b", "cost": "2", "one_way": True},
            [("{between: [a, b],", "{from: a, to: b,"), ("duct: [a--b,", "duct: [a->b,"), ("b--a", "a->b")],
        ),
        (
            "fibre",
            {"name": "", "from": "a", "to": "c", "one_way": True},
            [("id: fibre, ", ""), ("a--b, fibre]", "a--b, a->c]"), ("2: [fibre]", "2: [a->c]")],
        ),
        (
            "fibre",
            {"name": "fibre", "from": "c", "to": "b", "one_way": True},
            [("from: a, to: c}", "from: c, to: b}")],
        ),
        ("fibre", {"name": "fibre", "from": "a", "to": "c"}, [("from: a, to: c}", "between: [a, c]}")]),
        (
            "b--c",
            {"name": "", "from": "b", "to": "c", "latency_ms": "3.25", "cost": "1", "cost_back": "4"},
            [("latency_ms: 3\n", "latency_ms: 3.25\n")],
        ),
        (
            "b--c",
            {"name": "", "from": "b", "to": "c", "latency_ms": "3", "availability": "0.99"},
            [("    cost: {b->c: 1, c->b: 4}\n", "    availability: 0.99\n")],
        ),
        (
            "b--c",
            {"name": "", "from": "b", "to": "c", "latency_ms": "3", "cost": "1", "cost_back": "4", "one_way": True},
            [("  - between: [b, c]\n", "  - from: b\n    to: c\n"), ("    cost: {b->c: 1, c->b: 4}\n", "")],
        ),
        (
            "b--c",
            {"name": "", "from": "b", "to": "c", "latency_ms": "3", "cost": "1", "cost_back": "4", "availability": "1"},
            [("c->b: 4}\n", "c->b: 4}\n    availability: 1\n")],
        ),
    ],
)  # fmt: skip
def test_a_link(tmp_path: Path, name: str, told: dict[str, Any], changes: list[tuple[str, str]]) -> None:
    wanted = TEXT
    for old, new in changes:
        assert wanted.count(old) == 1, old
        wanted = wanted.replace(old, new)
    says, after = change(tmp_path, TEXT, "change-link", old=name, **{**LINK, **told})
    assert after == wanted
    assert says == f"Link {name} changed."


def test_what_is_as_it_was_is_no_change(tmp_path: Path) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text(TEXT)
    session = Session(str(file), Options())
    told = {**LINK, "name": "", "from": "a", "to": "b", "cost": "2.0"}
    session.change({"estate": 0, "revision": 0, "do": "change-link", "old": "a--b", **told})
    assert (session.changed(), session.revision) == ([], 0)


@pytest.mark.parametrize(
    ("name", "told", "changes"),
    [
        ("t", {"publishers": ["a"], "subscribers": ["b", "c"], "max_hops": "4"}, [("max_hops: 3}", "max_hops: 4}")]),
        ("t", {"publishers": ["a", "b"], "subscribers": ["c"], "max_hops": "3"},
         [("publishers: [a], subscribers: [b, c]", "publishers: [a, b], subscribers: [c]")]),
        ("t", {"publishers": ["a"], "subscribers": [], "max_hops": ""}, [(", subscribers: [b, c], max_hops: 3}", "}")]),
        ("u", {"publishers": ["a"], "subscribers": ["c", "a"], "max_latency_ms": "5"},
         [("      - b\n      - c   # twice a day\n", "      - c   # twice a day\n      - a\n    max_latency_ms: 5\n")]),
        ("u", {"publishers": [], "subscribers": ["b", "c"]}, [("    publishers:\n      - a   # by the press\n", "")]),
    ],
)  # fmt: skip
def test_a_topic(tmp_path: Path, name: str, told: dict[str, Any], changes: list[tuple[str, str]]) -> None:
    wanted = TEXT
    for old, new in changes:
        assert wanted.count(old) == 1, old
        wanted = wanted.replace(old, new)
    asked = {"max_latency_ms": "", "max_hops": "", **told}
    assert change(tmp_path, TEXT, "change-topic", old=name, name=name, **asked) == (f"Topic {name} changed.", wanted)


RELAYED = """\
momlint: 1
routing: {protocol: relay}
brokers: {a: , b: , c: }
links:
  - from: a
    to: b
    topics:
      - {filter: "x/#", add: p/}   # all of x
      - {filter: "y/#"}            # and y
  - {from: b, to: c, topics: [{filter: "#"}]}
subscriptions:
  - {at: c, filter: "x/#"}   # for the archive
  - at: b                    # the hall
    filter: y/1
"""
FILTERS = """\
    topics:
      - {filter: "x/#", add: p/}   # all of x
      - {filter: "y/#"}            # and y
"""


@pytest.mark.parametrize(
    ("asked", "changes"),
    [
        ([{"filter": "x/#", "add": "p/"}, {"filter": "z/#"}], [('"y/#"}            #', '"z/#"}            #')]),
        ([{"filter": "y/#"}], [('      - {filter: "x/#", add: p/}   # all of x\n', "")]),
        ([{"filter": "x/#", "add": "p/", "strip": "x/"}, {"filter": "y/#"}], [("add: p/}", "add: p/, strip: x/}")]),
        (
            [{"filter": "q", "deny": True}, {"filter": "x/#", "add": "p/"}, {"filter": "y/#"}],
            [("    topics:\n", "    topics:\n      - {filter: q, deny: true}\n")],
        ),
        (
            [{"filter": "x/#", "add": "p/"}, {"filter": "q"}, {"filter": "y/#"}],
            [("# all of x\n", "# all of x\n      - {filter: q}\n")],
        ),
        (
            [],
            [(FILTERS, "    topics: []\n")],
        ),
        (
            None,
            [(FILTERS, "")],
        ),
    ],
)  # fmt: skip
def test_filters_of_a_link(tmp_path: Path, asked: Any, changes: list[tuple[str, str]]) -> None:
    wanted = RELAYED
    for old, new in changes:
        assert wanted.count(old) == 1, old
        wanted = wanted.replace(old, new)
    told = {**LINK, "name": "", "from": "a", "to": "b", "one_way": True, "connection": "", "max_hops": ""}
    assert change(tmp_path, RELAYED, "change-link", old="a->b", filters=asked, **told)[1] == wanted


def test_limits_of_a_link(tmp_path: Path) -> None:
    told = {**LINK, "name": "up", "from": "b", "to": "c", "connection": "uplink", "max_hops": "2", "filters": None}
    _, after = change(tmp_path, RELAYED, "change-link", old="b->c", **{**told, "one_way": False})
    assert after == RELAYED.replace(
        '{from: b, to: c, topics: [{filter: "#"}]}', "{between: [b, c], connection: uplink, max_hops: 2, id: up}"
    )


def test_who_wants_what(tmp_path: Path) -> None:
    asked = {"section": "subscriptions", "at": "b", "filter": "x/2"}
    says, after = change(tmp_path, RELAYED, "add-interest", **asked)
    assert (says, after) == ("x/2 wanted at b, added.", RELAYED + "  - {at: b, filter: x/2}\n")
    _, after = change(tmp_path, RELAYED, "change-interest", number=1, **asked)
    assert after == RELAYED.replace("filter: y/1", "filter: x/2")
    _, after = change(tmp_path, RELAYED, "change-interest", number=0, **asked)
    assert after == RELAYED.replace('{at: c, filter: "x/#"}', "{at: b, filter: x/2}")
    _, after = change(tmp_path, RELAYED, "remove-interest", number=0, **asked)
    assert after == RELAYED.replace('  - {at: c, filter: "x/#"}   # for the archive\n', "")
    _, after = change(tmp_path, RELAYED, "add-interest", section="publications", at="a", filter="x/#")
    assert after == RELAYED + 'publications:\n  - {at: a, filter: "x/#"}\n'


def test_a_specification_goes_with_what_it_speaks_of(tmp_path: Path) -> None:
    says, after = change(tmp_path, TEXT, "remove-broker", name="b")
    assert says == (
        "Broker b removed, and with it 2 links, 2 places in topics, 1 colour, 1 recovery row and 1 specification."
    )
    assert "specs" not in after
    says, after = change(tmp_path, TEXT, "remove-broker", name="c")
    assert "specs" in after
    assert says == "Broker c removed, and with it 2 links, 2 places in topics and 1 colour."


@pytest.mark.parametrize(
    ("do", "asked", "said"),
    [
        ("change-broker", {**BROKER, "old": "zz", "name": "zz"}, "there is no broker `zz`"),
        ("change-broker", {**BROKER, "old": "a", "name": "b"}, "there is a broker `b` already"),
        ("change-broker", {**BROKER, "old": "a", "name": ""}, "a name has at least one character"),
        ("change-topic", {"old": "t", "name": "u"}, "there is a topic `u` already"),
        ("change-topic", {"old": "t", "name": "t", "publishers": ["zz"]}, "there is no broker `zz`"),
        ("change-link", {**LINK, "old": "zz", "name": "", "from": "a", "to": "b"}, "there is no link `zz`"),
        ("change-link", {**LINK, "old": "a--b", "name": "fibre", "from": "a", "to": "b"}, "a link `fibre` already"),
        ("change-link", {**LINK, "old": "a--b", "name": "", "from": "b", "to": "c"}, "a link `b--c` already"),
        ("change-link", {**LINK, "old": "a--b", "name": "", "from": "a", "to": "a"}, "joins two brokers"),
        ("change-interest", {"section": "subscriptions", "number": 0, "at": "a", "filter": "x"}, "no such"),
        ("remove-interest", {"section": "subscriptions", "number": 7, "at": "a", "filter": "x"}, "no such"),
    ],
)
def test_what_cannot_be_is_said(tmp_path: Path, do: str, asked: dict[str, Any], said: str) -> None:
    file = tmp_path / "topology.yaml"
    file.write_text(TEXT)
    session = Session(str(file), Options())
    with pytest.raises(Refused, match=said) as refused:
        session.change({"estate": 0, "revision": 0, "do": do, **asked})
    assert refused.value.status == 422
    assert session.read(session.file).decode() == TEXT


def test_a_name_that_tables_elsewhere_have_is_not_changed(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("broker,to,via,colours\na,b,b,0\n")
    text = "momlint: 1\nbrokers: {a: , b: }\nlinks: [{between: [a, b]}]\n"
    text += "failures: {colours: {0: []}, recovery: {file: rows.csv}}\n"
    file = tmp_path / "topology.yaml"
    file.write_text(text)
    session = Session(str(file), Options())
    with pytest.raises(Refused, match=r"the rows of .*rows\.csv name brokers too"):
        session.change({"estate": 0, "revision": 0, "do": "change-broker", **BROKER, "old": "a", "name": "z"})
