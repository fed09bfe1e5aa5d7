"""Links that cannot be told apart, links of a broker to itself, and colours that fail no such link."""

from __future__ import annotations

import pytest

from momlint.lint import Options, lint_bytes
from tests.estate.marks import expect, load_one


@pytest.mark.parametrize(
    "links",
    [
        "[{between: ⟪[1, 2]⟫}, {between: ⟦[1, 2]⟧}]",
        "[{between: ⟪[1, 2]⟫}, {between: ⟦[2, 1]⟧}]",
        "[{between: ⟪[1, 2]⟫}, {id: x, between: ⟦[1, 2]⟧}]",
        "[{id: x, between: ⟪[1, 2]⟫}, {between: ⟦[2, 1]⟧}]",
        "[{id: ⟪x⟫, between: [1, 2]}, {id: ⟦x⟧, between: [1, 2]}]",
        "[{id: ⟪x⟫, between: [1, 2]}, {id: ⟦x⟧, between: [2, 3]}]",
        "[{from: 1, to: ⟪2⟫}, {from: 1, to: ⟦2⟧}]",
        "[{between: ⟪[1, 2]⟫}, {from: 1, to: ⟦2⟧}]",
        "[{from: 2, to: ⟪1⟫}, {between: ⟦[1, 2]⟧}]",
        "[{id: ⟪1--2⟫, between: [2, 3]}, {between: ⟦[1, 2]⟧}]",
        "[{between: ⟪[1, 2]⟫}, {id: ⟦1--2⟧, between: [2, 3]}]",
    ],
)
def test_duplicate_links(links: str) -> None:
    """At the later link, with the earlier one as related; both stay."""
    (problem,) = expect(f"momlint: 1\nbrokers: {{1: , 2: , 3: }}\nlinks: {links}\n", "MOM105")
    assert [other.message for other in problem.related] == ["the other link is declared here"]


@pytest.mark.parametrize(
    "links",
    [
        "[{id: x, between: [1, 2]}, {id: y, between: [1, 2]}, {id: z, between: [2, 1]}]",
        "[{from: 1, to: 2}, {from: 2, to: 1}]",
        "[{between: [1, 2]}, {between: [1, 3]}, {between: [2, 3]}]",
        "[{id: x, from: 1, to: 2}, {id: y, between: [1, 2]}]",
    ],
)
def test_links_that_are_no_duplicates(links: str) -> None:
    """Parallel links with an id each, and the two directions."""
    loaded = load_one(f"momlint: 1\nbrokers: {{1: , 2: , 3: }}\nlinks: {links}\n")
    assert loaded.problems == []


@pytest.mark.parametrize(
    ("links", "advice"),
    [
        ("[{id: x, between: [1, 2]}, {id: ⟦x⟧, between: [2, 1]}]", "remove one, or give each parallel link"),
        ("[{id: x, between: [1, 2]}, {id: ⟦x⟧, between: [2, 3]}]", "give each link an `id` of its own"),
        ("[{id: 1--2, between: [2, 3]}, {between: ⟦[1, 2]⟧}]", "rename the id: avoid ids that look like `a--b`"),
    ],
)
def test_links_that_only_share_a_name_are_told_from_doubles(links: str, advice: str) -> None:
    (problem,) = expect(f"momlint: 1\nbrokers: {{1: , 2: , 3: }}\nlinks: {links}\n", "MOM105")
    assert problem.help.startswith(advice)


def test_each_further_link_is_a_finding() -> None:
    """Three links without ids: two findings, each with the first."""
    expect(
        "momlint: 1\nbrokers: {1: , 2: }\nlinks: [{between: [1, 2]}, {between: ⟦[1, 2]⟧}, {between: ⟦[1, 2]⟧}]\n",
        "MOM105",
        "MOM105",
    )


@pytest.mark.parametrize("link", ["{between: ⟦[1, 1]⟧}", "{from: 1, to: ⟦1⟧}", "{id: x, between: ⟦[1, '1']⟧}"])
def test_self_links(link: str) -> None:
    """At the ends; the link is left out, and a colour that fails it is no second finding."""
    text = f"momlint: 1\nbrokers: {{1: , 2: }}\nlinks: [{link}]\nfailures: {{colours: {{1: [1--1]}}}}\n"
    (problem,) = expect(text, "MOM106")
    assert "joins broker `1` to itself" in problem.message


def test_ids_of_links() -> None:
    """What the user gave, else the ends."""
    loaded = load_one(
        """
        momlint: 1
        brokers: {1: , 2: , 3: }
        links: [{between: [2, 1]}, {from: 3, to: 1}, {id: f, between: [2, 3], cost: 4}]
        """
    )
    assert loaded.problems == []
    assert loaded.estate is not None
    assert [(link.id, link.tail, link.head, link.one_way, link.cost) for link in loaded.estate.links] == [
        ("2--1", 1, 0, False, 1.0),
        ("3->1", 2, 0, True, 1.0),
        ("f", 1, 2, False, 4.0),
    ]


@pytest.mark.parametrize(
    ("item", "links", "brokers"),
    [
        ("1--2", (0,), ()),
        ("2--1", (0,), ()),
        ("f", (1,), ()),
        ("2--3", (1,), ()),
        ("1->3", (2,), ()),
        ("1--3", (2,), ()),
        ("3--1", (2,), ()),
        ("3--4", (3, 4), ()),
        ("4--3", (3, 4), ()),
        ("3->4", (3,), ()),
        ("4->3", (4,), ()),
        ("a--b--c", (5,), ()),
        ("a--b", (), (4,)),
        ("c--a--b", (5,), ()),
        ("2", (), (1,)),
    ],
)
def test_what_an_item_of_a_colour_fails(item: str, links: tuple[int, ...], brokers: tuple[int, ...]) -> None:
    """A link by its id or its ends in either order, one direction with ``->``, a broker by its id."""
    loaded = load_one(
        f"""
        momlint: 1
        brokers: {{1: , 2: , 3: , 4: , a--b: , c: , west: }}
        links:
          - {{between: [1, 2]}}
          - {{id: f, between: [2, 3]}}
          - {{from: 1, to: 3}}
          - {{from: 3, to: 4}}
          - {{from: 4, to: 3}}
          - {{between: [a--b, c]}}
          - {{id: west, between: [west, 1]}}
        failures: {{colours: {{1: [{item}]}}}}
        """
    )
    assert loaded.problems == []
    assert loaded.estate is not None
    (colour,) = loaded.estate.colours
    assert (colour.failed_links, colour.failed_brokers) == (links, brokers)


def test_what_is_a_link_and_a_broker_does_not_say_what_fails() -> None:
    loaded = load_one(
        """
        momlint: 1
        brokers: {1: , west: , north: }
        links:
          - {id: west, between: [west, 1]}
          - {between: [1, north]}
        groups: {g: [west]}
        failures: {colours: {n: [], a: [west, north], b: [g], c: [north, west]}}
        """
    )
    # Once for the group, once for the colours.
    assert [(problem.code, problem.span.start.line, problem.message) for problem in loaded.problems] == [
        ("MOM102", 6, "`west` is both a link and a broker, so it is unclear which of them fails"),
        ("MOM102", 7, "`west` is both a link and a broker, so it is unclear which of them fails"),
    ]
    assert [(related.span.start.line, related.message) for related in loaded.problems[0].related] == [
        (4, "the link `west`"),
        (2, "the broker `west`"),
    ]
    assert loaded.estate is not None
    assert [colour.incomplete for colour in loaded.estate.colours] == [False, True, True, True]


def test_what_could_not_be_read_of_a_failure_makes_it_incomplete() -> None:
    loaded = load_one(
        """
        momlint: 1
        brokers: {1: , 2: }
        links: [{between: [1, 2]}]
        groups: {g: [nobody], h: 1--2}
        failures: {colours: {n: [], a: 1--2, b: [1--2, 7], c: [g], d: [h], e: [1--2], f: }}
        """
    )
    assert sorted(problem.code for problem in loaded.problems) == ["MOM102", "MOM102", "MOM104", "MOM104"]
    assert loaded.estate is not None
    found = {colour.name: colour.incomplete for colour in loaded.estate.colours}
    assert found == {"n": False, "a": True, "b": True, "c": True, "d": True, "e": False, "f": False}


@pytest.mark.parametrize(
    ("item", "code", "hint"),
    [
        ("1--3", "MOM108", "there is no link `1--3`"),
        ("1--9", "MOM108", "there is no link `1--9`"),
        ("2->1", "MOM108", "the link between `2` and `1` goes both ways: write `1--2`"),
        ("fibre-b--x", "MOM108", "there is no link `fibre-b--x`"),
        ("fibre-b", "MOM108", "there is no link `fibre-b`; did you mean `fibre-a`?"),
        ("7", "MOM104", "broker `7` is not declared"),
    ],
)
def test_items_of_a_colour_that_are_nothing(item: str, code: str, hint: str) -> None:
    """A link if it looks like one (or like a declared one), else a broker."""
    (problem,) = expect(
        f"""
        momlint: 1
        brokers: {{1: , 2: , 3: }}
        links: [{{between: [1, 2]}}, {{id: fibre-a, between: [2, 3]}}]
        failures: {{colours: {{1: [], 2: [1--2, ⟦{item}⟧]}}}}
        """,
        code,
    )
    assert hint in problem.message


def test_one_finding_for_each_unknown_link() -> None:
    """However many colours fail it."""
    (problem,) = expect(
        """
        momlint: 1
        brokers: {1: , 2: }
        links: [{between: [1, 2]}]
        failures: {colours: {1: [⟦1--3⟧], 2: [⟪1--3⟫], 3: [1--2, ⟪1--3⟫]}}
        """,
        "MOM108",
    )
    assert "(used in 3 places)" in problem.message


def test_ends_of_parallel_links_are_ambiguous() -> None:
    """It is said once, with the links, and all of them fail."""
    loaded = load_one(
        """
        momlint: 1
        brokers: {1: , 2: }
        links: [{id: x, between: [1, 2]}, {id: y, between: [1, 2]}]
        failures: {colours: {1: [1--2], 2: [2--1], 3: [1--2], 4: [y]}}
        """
    )
    assert loaded.estate is not None
    assert [colour.failed_links for colour in loaded.estate.colours] == [(0, 1), (0, 1), (0, 1), (1,)]
    (problem,) = expect(
        """
        momlint: 1
        brokers: {1: , 2: }
        links: [⟪{id: x, between: [1, 2]}⟫, ⟪{id: y, between: [1, 2]}⟫]
        failures: {colours: {1: [⟦1--2⟧], 3: [1--2], 4: [y]}}
        """,
        "MOM108",
    )
    assert problem.message == "`1--2` can mean 2 links (`x`, `y`); all of them are taken to fail"


def test_a_duplicate_link_is_not_also_ambiguous() -> None:
    """The missing id is the one mistake."""
    expect(
        """
        momlint: 1
        brokers: {1: , 2: }
        links: [{between: [1, 2]}, {between: ⟦[1, 2]⟧}]
        failures: {colours: {1: [1--2]}}
        """,
        "MOM105",
    )


def test_a_link_left_out_is_still_declared() -> None:
    """A colour that fails a link to an unknown broker repeats no mistake."""
    expect(
        """
        momlint: 1
        brokers: {1: , 2: }
        links: [{between: [1, ⟦9⟧]}, {id: x, between: [2, ⟪9⟫]}]
        failures: {colours: {1: [1--9], 2: [x], 3: [9--1]}}
        """,
        "MOM104",
    )


@pytest.mark.parametrize(
    ("links", "line", "how"),
    [
        (["{id: b--c, between: [a, b]}", "{between: [b, c]}"], 5, "this one by its brokers, another by its id"),
        (["{between: [b, c]}", "{id: b--c, between: [a, b]}"], 5, "this one by its id, another by its brokers"),
    ],
)
def test_an_id_like_another_links_name(links: list[str], line: int, how: str) -> None:
    """They are no doubles: removing one would be wrong advice."""
    text = "momlint: 1\nbrokers: {a: , b: , c: }\nlinks:\n" + "".join(f"  - {link}\n" for link in links)
    (found,) = [one for one in lint_bytes(text.encode(), "e.yaml", Options()).findings if one.code == "MOM105"]
    assert found.span.start.line == line
    assert found.message == f"`b--c` can mean two links: {how}"
    assert "rename" in found.help
