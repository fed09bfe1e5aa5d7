"""Changes as texts: what comes and goes, and that everything else stays byte for byte."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from momlint.access import Access
from momlint.estate.opening import open_bytes
from momlint.routed.recovery.quoting import yaml_name
from momlint.source.patching import Unpatchable
from momlint.studio.editing import Editing

BLOCK = """\
# The plant.
momlint: 1
brokers:
  a:            # the press
  b: {site: x}
  # c is old
  c:
links:
  - {between: [a, b]}  # under the floor
  - between: [b, c]
    cost: 2
topics:
  t: {publishers: [a], subscribers: [b, c]}  # temperatures
  u:
    publishers:
      - a
    subscribers:
      - c
"""
FLOW = "momlint: 1\nbrokers: {a: , b: }\nlinks: [{between: [a, b]}]\n"


def edited(text: str, change: Callable[[Editing], None]) -> str:
    (loaded,) = open_bytes(text.encode(), "x.yaml", Access(None)).estates
    editing = Editing(loaded, lambda _: text.encode())
    change(editing)
    (data,) = editing.made().values()
    return data.decode()


def test_a_broker_comes_behind_the_others() -> None:
    after = edited(BLOCK, lambda one: one.add_broker("d", {"site": '"new hall"', "address": None}))
    assert after == BLOCK.replace("  c:\n", '  c:\n  d: {site: "new hall"}\n')
    after = edited(BLOCK, lambda one: one.add_broker("d", {}))
    assert after == BLOCK.replace("  c:\n", "  c:\n  d:\n")


def test_in_braces_too() -> None:
    assert edited(FLOW, lambda one: one.add_broker("c", {})) == FLOW.replace("b: }", "b: , c: {} }")
    after = edited(FLOW, lambda one: one.add_link("b", "a", "", {}, one_way=True))
    assert after == FLOW.replace("b]}]", "b]}, {from: b, to: a}]")


def test_a_link_comes_behind_the_others() -> None:
    after = edited(BLOCK, lambda one: one.add_link("a", "c", "fibre 1", {"cost": "2.5"}, one_way=False))
    assert after == BLOCK.replace("    cost: 2\n", '    cost: 2\n  - {id: "fibre 1", between: [a, c], cost: 2.5}\n')


def test_a_topic_comes_and_a_section_with_it() -> None:
    after = edited(BLOCK, lambda one: one.add_topic("v", ["a"], ["b", "c"]))
    assert after == BLOCK + "  v: {publishers: [a], subscribers: [b, c]}\n"
    after = edited(FLOW, lambda one: one.add_topic("v", ["a"], ["b"]))
    assert after == FLOW + "topics:\n  v: {publishers: [a], subscribers: [b]}\n"


def test_an_empty_section_is_filled() -> None:
    text = "momlint: 1\nbrokers:\n  a:\n  b:\nlinks:   # none yet\n"
    after = edited(text, lambda one: one.add_link("a", "b", "", {}, one_way=False))
    assert after == text.replace("links:", "links: [{between: [a, b]}]")


def test_a_link_goes_with_its_comment_and_no_other() -> None:
    after = edited(BLOCK, lambda one: one.remove_link("a--b"))
    assert after == BLOCK.replace("  - {between: [a, b]}  # under the floor\n", "")
    after = edited(BLOCK, lambda one: one.remove_link("b--c"))
    assert after == BLOCK.replace("  - between: [b, c]\n    cost: 2\n", "")


def test_the_last_link_goes_with_its_section() -> None:
    text = "momlint: 1\nbrokers:\n  a:\n  b:\nlinks:\n  - {between: [a, b]}\nname: x\n"
    after = edited(text, lambda one: one.remove_link("a--b"))
    assert after == text.replace("links:\n  - {between: [a, b]}\n", "")
    assert edited(FLOW, lambda one: one.remove_link("a--b")) == FLOW.replace("{between: [a, b]}", "")


def test_a_broker_goes_with_its_links_and_its_topics() -> None:
    after = edited(BLOCK, lambda one: one.remove_broker("c"))
    wanted = BLOCK.replace("  c:\n", "").replace("  - between: [b, c]\n    cost: 2\n", "").replace("[b, c]}", "[b]}")
    # Nobody else wants u: the list goes with its key.
    assert after == wanted.replace("    subscribers:\n      - c\n", "")


def test_a_topic_goes() -> None:
    after = edited(BLOCK, lambda one: one.remove_topic("t"))
    assert after == BLOCK.replace("  t: {publishers: [a], subscribers: [b, c]}  # temperatures\n", "")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda one: one.add_broker("a", {}), "there is a broker `a` already"),
        (lambda one: one.add_broker(" ", {}), "a broker needs a name"),
        (lambda one: one.add_link("a", "z", "", {}, one_way=False), "there is no broker `z`"),
        (lambda one: one.add_link("a", "a", "", {}, one_way=False), "a link joins two brokers"),
        (lambda one: one.add_link("a", "c", "a--b", {}, one_way=False), "there is a link `a--b` already"),
        (lambda one: one.add_topic("t", [], []), "there is a topic `t` already"),
        (lambda one: one.remove_link("zz"), "there is no link `zz`"),
        (lambda one: one.remove_topic("zz"), "there is no topic `zz`"),
        (lambda one: one.remove_broker("zz"), "there is no broker `zz`"),
    ],
)
def test_what_cannot_be_is_said(change: Callable[[Editing], None], said: str) -> None:
    with pytest.raises(Unpatchable, match=said):
        edited(BLOCK, change)


def test_what_an_anchor_holds_stays() -> None:
    text = "momlint: 1\nbrokers: {a: , b: , c: }\nlinks:\n  - &one {between: [a, b]}\n  - {between: [b, c]}\n"
    with pytest.raises(Unpatchable):
        edited(text, lambda one: one.remove_link("a--b"))


@pytest.mark.parametrize("name", ["yes", "1", "a: b", "#x", "- y", 'q"q', "null", "é→", "a,b", "[x]"])
def test_names_are_read_back_as_they_are(name: str) -> None:
    for text in (BLOCK, FLOW):
        after = edited(text, lambda one: one.add_broker(name, {"site": yaml_name(name)}))
        (loaded,) = open_bytes(after.encode(), "x.yaml", Access(None)).estates
        assert loaded.estate is not None
        assert (loaded.estate.brokers[-1].id, loaded.estate.brokers[-1].site) == (name, name)
