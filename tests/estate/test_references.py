"""References to brokers and colours that are not declared: at the reference, once for each unknown name."""

from __future__ import annotations

import pytest

from momlint.findings import Position, Span
from tests.estate.marks import expect, load, load_one


@pytest.mark.parametrize(
    "text",
    [
        "links: [{between: [one, ⟦tow⟧]}]",
        "links: [{between: [⟦tow⟧, one]}]",
        "links: [{from: ⟦tow⟧, to: one}]",
        "links: [{from: one, to: ⟦tow⟧}]",
        "topics: {a: {publishers: [one, ⟦tow⟧]}}",
        "topics: {a: {subscribers: [⟦tow⟧]}}",
        "routing: {tables: {⟦tow⟧: {one: [two]}}}",
        "routing: {tables: {one: {⟦tow⟧: [two]}}}",
        "routing: {tables: {one: {two: [one, ⟦tow⟧]}}}",
        "failures: {colours: {1: [⟦tow⟧]}}",
        "failures: {colours: {1: []}, recovery: {⟦tow⟧: []}}",
        "failures: {colours: {1: []}, recovery: {one: [{to: ⟦tow⟧, via: two, colours: [1]}]}}",
        "failures: {colours: {1: []}, recovery: {one: [{to: two, via: ⟦tow⟧, colours: [1]}]}}",
        "failures: {takeover: {⟦tow⟧: one}}",
        "failures: {takeover: {one: ⟦tow⟧}}",
        "links: [{between: [one, ⟦'tow'⟧]}]",
    ],
)
def test_an_unknown_broker_in_each_place(text: str) -> None:
    """The exact span of the reference, and the nearest name."""
    (problem,) = expect(f"momlint: 1\nbrokers: {{one: , two: }}\n{text}\n", "MOM104")
    assert problem.message == "broker `tow` is not declared; did you mean `two`?"


def test_in_numbers() -> None:
    """Without marks: line 4, columns 14 and 15."""
    (loaded,) = load("momlint: 1\nbrokers: {1: , 2: }\nlinks:\n  - between: [1, 77]\n")
    (problem,) = loaded.problems
    assert problem.span == Span(Position(4, 18), Position(4, 20))
    assert problem.message == "broker `77` is not declared"


def test_one_finding_for_each_unknown_name() -> None:
    """The first place in the text is the primary one, whatever the order of the sections."""
    (problem,) = expect(
        """
        momlint: 1
        topics:
          a: {publishers: [⟦9⟧], subscribers: [1, ⟪9⟫]}
        failures:
          takeover: {⟪9⟫: 1}
          colours: {1: [⟪9⟫]}
        links:
          - {to: ⟪9⟫, from: 1}
        brokers: {1: }
        routing: {tables: {1: {⟪9⟫: [⟪9⟫]}, ⟪9⟫: {1: [1]}}}
        """,
        "MOM104",
    )
    assert problem.message == "broker `9` is not declared (used in 8 places)"


def test_two_unknown_names_are_two_findings() -> None:
    """Each by itself."""
    expect("momlint: 1\nbrokers: {1: }\ntopics: {a: {publishers: [⟦8⟧, ⟦9⟧, 1]}}\n", "MOM104", "MOM104")


def test_at_most_twenty_places_are_listed() -> None:
    """And all are counted."""
    topics = "".join(f"  t{i}: {{publishers: [9], subscribers: [1]}}\n" for i in range(300))
    (loaded,) = load(f"momlint: 1\nbrokers: {{1: }}\ntopics:\n{topics}")
    (problem,) = loaded.problems
    assert problem.message == "broker `9` is not declared (used in 300 places)"
    assert problem.span.start.line == 4
    assert [other.span.start.line for other in problem.related] == list(range(5, 25))


def test_what_is_unknown_is_left_out() -> None:
    """And what it stood in says that something is missing."""
    loaded = load_one(
        """
        momlint: 1
        brokers: {1: , 2: }
        links: [{between: [1, 9]}, {between: [1, 2]}]
        topics: {a: {publishers: [9, 1, 1], subscribers: [2, 9, 1, 2]}, b: {publishers: [1], subscribers: [1, 1, 2]}}
        routing: {tables: {1: {2: [9, 2], 9: [2]}, 9: {1: [1]}}}
        failures:
          colours: {1: [9, 1--2], 2: [1--9]}
          recovery: {1: [{to: 9, via: 2, colours: [1]}, {to: 2, via: 2, colours: [1]}], 9: []}
          takeover: {1: 9, 2: 1}
        """
    )
    assert [problem.code for problem in loaded.problems] == ["MOM104"]
    estate = loaded.estate
    assert estate is not None
    assert [(link.id, link.place.path) for link in estate.links] == [("1--2", ("links", 1))]
    first, second = estate.topics
    assert (first.publishers, first.subscribers, first.subscriber_index) == ((0,), (1, 0), (0, 2))
    assert first.incomplete
    assert (second.publishers, second.subscribers, second.subscriber_index) == ((0,), (0, 1), (0, 2))
    assert not second.incomplete
    assert [(row.location, row.via, row.destinations, row.destination_index) for row in estate.table_rows] == [
        (0, 1, (1,), (1,))
    ]
    assert [(colour.failed_links, colour.failed_brokers) for colour in estate.colours] == [((0,), ()), ((), ())]
    assert estate.recovery_rows is not None
    assert [row.place.path[-1] for row in estate.recovery_rows] == [1]
    assert estate.takeover == {1: (0,)}
    assert {"links", "topics", "routing.tables", "failures.colours", "failures.recovery", "failures.takeover"} == set(
        estate.incomplete
    )


def test_unknown_colours() -> None:
    """MOM102 at the item, once for each unknown colour."""
    (problem,) = expect(
        """
        momlint: 1
        brokers: {1: , 2: }
        failures:
          colours: {normal: [], red: []}
          recovery:
            1:
              - {to: 2, via: 2, colours: [normal, ⟦rde⟧]}
              - {to: 2, via: 2, colours: [⟪rde⟫]}
        """,
        "MOM102",
    )
    assert problem.message == "colour `rde` is not declared; did you mean `red`? (used in 2 places)"


def test_recovery_without_colours_is_one_finding() -> None:
    """At the key of `recovery`, however many colours the rows name."""
    (problem,) = expect(
        """
        momlint: 1
        brokers: {1: , 2: }
        failures:
          ⟦recovery⟧:
            1: [{to: 2, via: 2, colours: [1, 2, 3]}]
        """,
        "MOM102",
    )
    assert "the estate declares none" in problem.message


def test_a_broken_section_hides_what_refers_to_it() -> None:
    """One mistake, one finding: no reference to a name that a broken section may have declared."""
    for text in (
        "⟦broker⟧: {1: , 2: }\nlinks: [{between: [1, 2]}]\ntopics: {a: {publishers: [1]}}",
        "brokers: ⟦[1, 2]⟧\nlinks: [{between: [1, 2]}]\nfailures: {takeover: {1: 2}}",
        "brokers: {1: , 2: }\nlinks: ⟦{a: [1, 2]}⟧\nfailures: {colours: {1: [1--2]}}",
        "brokers: {1: , 2: }\nlinks: [⟦[1, 2]⟧]\nfailures: {colours: {2: [1--2]}}",
        "brokers: {1: , 2: }\nfailures: {⟦colors⟧: {1: []}, recovery: {1: [{to: 2, via: 2, colours: [1]}]}}",
    ):
        expect(f"momlint: 1\n{text}\n", "MOM102")


def test_a_reference_in_an_anchored_list_is_one_place() -> None:
    """Where it is written; the alias uses it a second time at the same place."""
    (problem,) = expect(
        """
        momlint: 1
        brokers: {1: , 2: }
        topics:
          a: {publishers: &all [1, ⟦9⟧], subscribers: [2]}
          b: {publishers: *all, subscribers: [2]}
        """,
        "MOM104",
    )
    assert problem.message == "broker `9` is not declared (used in 2 places)"
    assert problem.related == ()


def test_the_way_through_a_merge_is_related() -> None:
    """A wrong value that a merge brought in stands where it is written; the merge is related."""
    (problem,) = expect(
        """
        momlint: 1
        brokers: {1: , 2: }
        failures:
          colours: {1: []}
          recovery:
            1:
              - ⟪<<⟫: {via: ⟦9⟧, to: 2}
                colours: [1]
        """,
        "MOM104",
    )
    assert [other.message for other in problem.related] == ["used through this alias or merge key"]


def test_entities_know_where_their_parts_stand() -> None:
    """Lines and columns counted by hand; an unknown broker and one listed twice move what follows."""
    loaded = load_one("""\
momlint: 1
brokers: {a: , b: , c: }
links: [{between: [a, b]}, {between: [b, c]}]
topics:
  t: {publishers: [z, b, a], subscribers: [c, c, a], max_hops: 3, max_latency_ms: 9}
routing:
  protocol: tables
  tables:
    a: {b: [q, b, c]}
failures:
  tolerate: {links: 1}
specs:
  - {ctl: "AG (loc = a)"}
""")
    estate = loaded.estate
    assert estate is not None
    (topic,), (row,), (spec,) = estate.topics, estate.table_rows, estate.specs
    assert estate.tolerate is not None
    assert estate.tolerate.place is not None
    places = {
        "publisher b": (topic.publisher_place(1), (5, 23, 24)),
        "publisher a": (topic.publisher_place(0), (5, 26, 27)),
        "subscriber c": (topic.subscriber_place(2), (5, 44, 45)),
        "subscriber a": (topic.subscriber_place(0), (5, 50, 51)),
        "max_hops": (topic.hops_place, (5, 54, 65)),
        "max_latency_ms": (topic.latency_place, (5, 67, 84)),
        "destination b": (row.destination_place(1), (9, 16, 17)),
        "destination c": (row.destination_place(2), (9, 19, 20)),
        "table": (row.table_place, (9, 5, 6)),
        "tolerate": (estate.tolerate.place, (11, 3, 11)),
        "formula": (spec.formula_place(), (13, 11, 25)),
        "loc": (spec.formula_place((4, 7)), (13, 16, 19)),
        "estate": (estate.place, (1, 1, 8)),
    }
    for name, (place, (line, start, end)) in places.items():
        _, span, _ = loaded.locate(place)
        assert (span.start, span.end) == ((line, start), (line, end)), name


def test_unknown_names_in_their_thousands_are_counted() -> None:
    """A missing include makes every name unknown; the report stays readable."""
    links = ", ".join(f"{{between: [x{number}, y{number}]}}" for number in range(1000))
    problems = load_one(f"momlint: 1\nbrokers: {{a: }}\nlinks: [{links}]\n").problems
    assert [problem.code for problem in problems] == ["MOM104"] * 101
    assert sum("and 1899 more are not declared" in problem.message for problem in problems) == 1
