"""Shared-risk groups: links and brokers that fail together, by name."""

from __future__ import annotations

import pytest

from momlint.estate import Estate, load_source
from momlint.source import read_source
from tests.estate.marks import expect

OVERLAY = """\
momlint: 1
brokers: {1: , 2: , 3: }
links:
  - {between: [1, 2]}
  - {id: west, between: [2, 3]}
  - {id: east, between: [2, 3]}
"""


def load(text: str) -> Estate:
    (loaded,) = load_source(read_source(text.encode(), "estate.yaml"))
    assert loaded.problems == []
    assert loaded.estate is not None
    return loaded.estate


def test_members_by_id_by_ends_and_brokers() -> None:
    estate = load(OVERLAY + "groups:\n  duct: [west, 1--2]\n  rack: [3, west]\n  empty:\n")
    assert [(g.name, g.links, g.brokers) for g in estate.groups] == [
        ("duct", (0, 1), ()),
        ("rack", (1,), (2,)),
        ("empty", (), ()),
    ]
    assert [g.place.path for g in estate.groups] == [("groups", name) for name in ("duct", "rack", "empty")]


def test_a_promise_counts_groups() -> None:
    estate = load(OVERLAY + "groups: {duct: [west]}\nfailures: {tolerate: {groups: 1, links: 2}}\n")
    assert estate.tolerate is not None
    assert (estate.tolerate.links, estate.tolerate.brokers, estate.tolerate.groups) == (2, 0, 1)


def test_a_colour_fails_a_group_by_its_name() -> None:
    estate = load(OVERLAY + "groups: {duct: [west, 1--2, 3]}\nfailures: {colours: {ok: [], cut: [duct, east]}}\n")
    assert (estate.colours[1].failed_links, estate.colours[1].failed_brokers) == ((0, 1, 2), (2,))


@pytest.mark.parametrize(
    ("groups", "code", "message"),
    [
        ("groups: ⟦[duct]⟧", "MOM102", "`groups` takes a mapping from groups to lists of links and brokers"),
        ("groups: {duct: ⟦west⟧}", "MOM102", "group `duct` takes a list of links and brokers, not the string `west`"),
        ("groups: {duct: [⟦{west: }⟧]}", "MOM102", "item 1 of group `duct` takes an id, not a mapping"),
        ("groups: {duct: [⟦4⟧]}", "MOM104", "broker `4` is not declared"),
        ("groups: {duct: [⟦1--3⟧]}", "MOM108", "there is no link `1--3`"),
        ("groups: {duct: [⟦2--3⟧]}", "MOM108", "`2--3` can mean 2 links"),
        # A group of groups is nothing that the language has.
        ("groups: {9: [west], duct: [⟦9⟧]}", "MOM104", "broker `9` is not declared"),
        ("groups: {⟦2⟧: [west]}", "MOM102", "group `2` has the name of a broker"),
        ("groups: {⟦east⟧: [west]}", "MOM102", "group `east` has the name of a link"),
        ("groups: {⟦1--2⟧: [west]}", "MOM102", "group `1--2` has the name of a link"),
        ("failures: {tolerate: {groups: ⟦-1⟧}}", "MOM102", "`groups` takes a whole number, 0 or more"),
        ("groups: {duct: [west]}\nfailures: {colours: {1: [⟦dukt⟧]}}", "MOM104", "did you mean `duct`?"),
        ("⟦group⟧: {duct: [west]}", "MOM102", "did you mean `groups`?"),
    ],
)
def test_what_is_wrong_is_shown_where_it_stands(groups: str, code: str, message: str) -> None:
    (problem,) = expect(OVERLAY + groups + "\n", code)
    assert message in problem.message


def test_a_colour_may_name_a_group_that_could_not_be_read() -> None:
    """The section is misspelt; that the colour's name is unknown then is no second finding."""
    expect(OVERLAY + "⟦group⟧: {duct: [west]}\nfailures: {colours: {1: [], 2: [duct]}}\n", "MOM102")
