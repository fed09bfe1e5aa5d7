"""Fields: what is missing, unknown or of the wrong kind is one finding at the exact place."""

from __future__ import annotations

import pytest

from momlint.findings import Position, Span
from tests.estate.marks import expect, load, load_one, unmark


def test_the_marks_count_as_a_person_does() -> None:
    """Hand-counted: line 2, the fourth column up to the sixth, and the umlaut is one character."""
    marked = unmark("a: 1\nü: ⟦xy⟧ # z\n")
    assert marked.text == "a: 1\nü: xy # z\n"
    assert marked.primary == [Span(Position(2, 4), Position(2, 6))]


def test_an_unknown_field_in_numbers() -> None:
    """The same without marks: `publisher` stands in line 5, columns 6 to 14."""
    (loaded,) = load("momlint: 1\nbrokers: {1: , 2: }\nlinks: []\ntopics:\n  a: {publisher: [1]}\n")
    (problem,) = loaded.problems
    assert problem.span == Span(Position(5, 7), Position(5, 16))
    assert problem.message == "unknown field `publisher` in topic `a`; did you mean `publishers`?"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("brokers: {1: {⟦adress⟧: x}}", "did you mean `address`?"),
        ("brokers: {1: }\nlinks: []\n⟦topic⟧: {}", "did you mean `topics`?"),
        ("brokers: {1: , 2: }\nlinks: [{between: [1, 2], ⟦latency⟧: 3}]", "did you mean `latency_ms`?"),
        ("brokers: {1: , 2: }\nlinks: [{⟦betwen⟧: [1, 2]}]", "did you mean `between`?"),
        ("brokers: {1: }\nrouting: {⟦protocols⟧: tables}", "did you mean `protocol`?"),
        ("brokers: {1: }\nfailures: {⟦colors⟧: {1: []}}", "did you mean `colours`?"),
        ("brokers: {1: }\nfailures: {tolerate: {⟦link⟧: 1}}", "did you mean `links`?"),
        (
            "brokers: {1: }\nfailures: {colours: {1: []}, recovery: {1: [{⟦too⟧: 1, via: 1, colours: [1]}]}}",
            "did you mean `to`?",
        ),
        ("brokers: {1: }\nspecs: [{name: x, ⟦clt⟧: 'AF (loc = 1)'}]", "did you mean `ctl`?"),
        ("brokers: {1: }\n⟦zzz⟧: 3", "unknown field `zzz` at the top level"),
        ("brokers: {1: }\n⟦recovery⟧: {}", "unknown field `recovery`"),
    ],
)
def test_unknown_fields(text: str, message: str) -> None:
    """At the key, with the nearest name; a field that is missing because it is misspelt is no second finding."""
    (problem,) = expect(f"momlint: 1\n{text}\n", "MOM102")
    assert message in problem.message


def test_a_field_of_another_section_says_where_it_belongs() -> None:
    """`recovery` at the top level belongs under `failures`."""
    (problem,) = expect("momlint: 1\nbrokers: {1: }\n⟦recovery⟧: {}\n", "MOM102")
    assert problem.help == "`recovery` belongs under `failures`"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("⟦links⟧: []\nname: x", "the `momlint` key is missing"),
        ("⟦kind⟧: ConfigMap\napiVersion: v1", "the `momlint` key is missing"),
        (
            "momlint: 1\nbrokers: {1: }\nfailures: {colours: {1: []}, recovery: {1: [⟦{to: 1, colours: [1]}⟧]}}",
            "row 1 of broker `1` lacks `via`",
        ),
        ("momlint: 1\nbrokers: {1: }\nlinks: [⟦{cost: 2}⟧]", "link 1 lacks its ends"),
        ("momlint: 1\nbrokers: {1: }\nlinks:\n  - ⟦from: 1\n    cost: 3⟧", "link 1 lacks `to`"),
        ("momlint: 1\nbrokers: {1: }\nlinks: [⟦{to: 1}⟧]", "link 1 lacks `from`"),
        ("momlint: 1\nbrokers: {1: }\nspecs: [⟦{name: x}⟧]", "specification 1 lacks `ctl` or `ltl`"),
        ("⟦momlint⟧: 1\nname: nothing", "the estate declares no brokers"),
        ("momlint: 1\n⟦brokers⟧: {}", "the estate declares no brokers"),
    ],
)
def test_missing_fields(text: str, message: str) -> None:
    """At the key of what lacks it; for an item of a list, at the item; at the top level, at the first key."""
    text = text.replace("⟦links⟧: []", "⟦brokers⟧: {1: }")
    (problem,) = expect(f"{text}\n", "MOM102")
    assert message in problem.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("brokers: {1: }\nlinks: ⟦none⟧", "`links` takes a list of links, not the string `none`"),
        ("brokers: ⟦[1, 2]⟧", "`brokers` takes a mapping from ids to attributes, not a list"),
        ("brokers: ⟦1⟧", "`brokers` takes a mapping from ids to attributes, not `1`"),
        ("brokers: {1: ⟦london⟧}", "broker `1` takes a mapping of attributes, or nothing, not the string `london`"),
        ("brokers: {1: {tags: ⟦eu⟧}}", "`tags` of broker `1` takes a list of strings, not the string `eu`"),
        ("brokers: {1: {address: ⟦[a]⟧}}", "`address` of broker `1` takes a string, not a list"),
        ("brokers: {1: }\ntopics: ⟦[]⟧", "`topics` takes a mapping from names to topics, not an empty list"),
        (
            "brokers: {1: }\ntopics: {a: {publishers: ⟦1⟧}}",
            "`publishers` of topic `a` takes a list of broker ids, not `1`",
        ),
        (
            "brokers: {1: }\ntopics: {a: {subscribers: [1, ⟦{b: c}⟧]}}",
            "item 2 of `subscribers` of topic `a` takes an id, not a mapping",
        ),
        ("brokers: {1: }\nlinks: [⟦[1, 2]⟧]", "link 1 takes a link such as {between: [a, b]}, not a list"),
        ("brokers: {1: }\nlinks: [{between: ⟦1--2⟧}]", "takes a list of two broker ids, not the string `1--2`"),
        ("brokers: {1: }\nlinks: [{between: ⟦[1]⟧}]", "takes a list of two broker ids, not 1 item"),
        ("brokers: {1: }\nlinks: [{between: ⟦[1, 2, 3]⟧}]", "takes a list of two broker ids, not 3 items"),
        ("brokers: {1: }\ninclude: ⟦topics.yaml⟧", "`include` takes a list of paths, not the string `topics.yaml`"),
        ("brokers: {1: }\nrouting: ⟦tables⟧", "`routing` takes a mapping with protocol and tables"),
        ("brokers: {1: }\nrouting: {protocol: ⟦table⟧}", "did you mean `tables`?"),
        ("brokers: {1: }\nrouting: {protocol: ⟦ospf⟧}", "takes shortest-path, tables or relay, not the string `ospf`"),
        ("brokers: {1: }\nrouting: {tables: ⟦[]⟧}", "`tables` takes a mapping from brokers to their tables"),
        ("brokers: {1: }\nrouting: {tables: {1: ⟦[1]⟧}}", "a mapping from next hops to lists of destinations"),
        ("brokers: {1: }\nrouting: {tables: {1: {1: ⟦1⟧}}}", "`1` takes a list of broker ids, not `1`"),
        ("brokers: {1: }\nfailures: ⟦[]⟧", "`failures` takes a mapping with"),
        ("brokers: {1: }\nfailures: {tolerate: ⟦single-lnk⟧}", "did you mean `single-link`?"),
        ("brokers: {1: }\nfailures: {tolerate: ⟦[1]⟧}", "`tolerate` takes {links: …, brokers: …, groups: …}, or"),
        ("brokers: {1: }\nfailures: {tolerate: {links: ⟦one⟧}}", "a whole number, 0 or more, not the string `one`"),
        ("brokers: {1: }\nfailures: {colours: ⟦[]⟧}", "`colours` takes a mapping from colours"),
        ("brokers: {1: }\nfailures: {colours: {1: ⟦1--2⟧}}", "colour `1` takes a list of links, brokers and groups"),
        ("brokers: {1: }\nfailures: {recovery: ⟦x.csv⟧}", "`recovery` takes a mapping from brokers to lists of rows"),
        ("brokers: {1: }\nfailures: {recovery: {file:⟦⟧ }}", "`file` takes a path, not nothing"),
        ("brokers: {1: }\nfailures: {recovery: {1: ⟦{to: 1}⟧}}", "`1` takes a list of rows {to, via, colours}"),
        (
            "brokers: {1: }\nfailures: {colours: {1: }, recovery: {1: [{to: 1, via: 1, colours: ⟦1⟧}]}}",
            "takes a list of colours, not `1`",
        ),
        ("brokers: {1: }\nfailures: {takeover: ⟦[1, 2]⟧}", "`takeover` takes a mapping from brokers to brokers"),
        ("brokers: {1: }\nfailures: {takeover: {1: ⟦{2: }⟧}}", "`1` takes an id, or a list of ids, not a mapping"),
        ("brokers: {1: }\nspecs: ⟦AF x⟧", "`specs` takes a list of specifications, not the string `AF x`"),
        ("brokers: {1: }\nspecs: [{ctl: ⟦[a]⟧}]", "takes a formula as a string, not a list"),
        ("brokers: {1: }\nspecs: [{ctl: a, ⟦ltl⟧: b}]", "has both `ctl` and `ltl`"),
        ("brokers: {1: , 2: }\nlinks: [{between: [1, 2], ⟦from⟧: 1}]", "has `between` and `from`"),
        ("name: ⟦[x]⟧\nbrokers: {1: }", "`name` takes a string, not a list"),
    ],
)
def test_wrong_kinds(text: str, message: str) -> None:
    """At the value: what was found, and what belongs there. What refers to the rest is no second finding."""
    (problem,) = expect(f"momlint: 1\n{text}\n", "MOM102")
    assert message in problem.message


@pytest.mark.parametrize(
    "value", ["0", "-1", ".nan", ".inf", "-.inf", "1e400", "1e16", "many", '"3"', "[1]", "~", "true", "1_000"]
)
def test_cost(value: str) -> None:
    """A cost is greater than 0 and finite."""
    text = "momlint: 1\nbrokers: {1: , 2: }\nlinks: [{between: [1, 2], cost: ⟦VALUE⟧}]\n"
    (problem,) = expect(text.replace("VALUE", value), "MOM102")
    assert problem.message.startswith("`cost` of link 1 takes a number greater than 0, ")


@pytest.mark.parametrize("value", ["-1", "-0.001", ".nan", ".inf", "many"])
@pytest.mark.parametrize(
    "where",
    [
        "brokers: {1: {processing_ms: ⟦VALUE⟧}, 2: }\nlinks: [{between: [1, 2]}]",
        "brokers: {1: , 2: }\nlinks: [{between: [1, 2], latency_ms: ⟦VALUE⟧}]",
        "brokers: {1: , 2: }\nlinks: [{between: [1, 2]}]\ntopics: {a: {max_latency_ms: ⟦VALUE⟧}}",
    ],
)
def test_milliseconds(where: str, value: str) -> None:
    """Times are 0 or more and finite."""
    (problem,) = expect("momlint: 1\n" + where.replace("VALUE", value) + "\n", "MOM102")
    assert "takes a number of milliseconds, 0 or more, not " in problem.message


@pytest.mark.parametrize("value", ["-0.1", "1.01", "99.9", ".nan", "high"])
def test_probability(value: str) -> None:
    """Availability is from 0 to 1, of links and of brokers."""
    text = """
        momlint: 1
        brokers: {1: {availability: ⟦VALUE⟧}, 2: }
        links: [{between: [1, 2], availability: ⟦VALUE⟧}]
        """.replace("VALUE", value)
    for problem in expect(text, "MOM102", "MOM102"):
        assert "takes a probability from 0 to 1, not " in problem.message


@pytest.mark.parametrize("value", ["-1", "1.5", "few", "99999999999", "true"])
def test_counts(value: str) -> None:
    """Hops are whole numbers, 0 or more, that fit an int32."""
    text = f"momlint: 1\nbrokers: {{1: }}\ntopics: {{a: {{publishers: [1], max_hops: ⟦{value}⟧}}}}\n"
    (problem,) = expect(text, "MOM102")
    assert "takes a whole number, 0 or more, " in problem.message


def test_numbers_as_yaml_writes_them() -> None:
    """Exponents, hexadecimals and whole floats are numbers."""
    loaded = load_one(
        """
        momlint: 1
        brokers: {1: {processing_ms: 0x10}, 2: }
        links: [{between: [1, 2], cost: 1e3, latency_ms: 0, availability: 1}]
        topics: {a: {publishers: [1], subscribers: [2], max_hops: 3.0, max_latency_ms: +2.5}}
        """
    )
    assert loaded.problems == []
    assert loaded.estate is not None
    assert loaded.estate.brokers[0].processing_ms == 16.0
    (link,) = loaded.estate.links
    assert (link.cost, link.latency_ms, link.availability) == (1000.0, 0.0, 1.0)
    (topic,) = loaded.estate.topics
    assert (topic.max_hops, topic.max_latency_ms) == (3, 2.5)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("2", "this file is written in version 2 of the language, and this momlint reads version 1"),
        ("1.5", "`momlint` takes the version of the language, the number 1, not `1.5`"),
        ("0", "there is no version 0 of the language"),
        ('"1"', "`momlint` takes the version of the language, the number 1, not the string `1`"),
        ("yes", "not the string `yes`"),
        ("true", "not `true`"),
        ("[1]", "not a list"),
    ],
)
def test_versions(value: str, message: str) -> None:
    """One finding at the value. What a later version may mean is not judged by this one's rules."""
    rest = "brokers: {1: }" if value != "2" else "brokers: [{id: 1}]\nsomething: new"
    (problem,) = expect(f"momlint: ⟦{value}⟧\n{rest}\n", "MOM102")
    assert message in problem.message


def test_a_missing_version_does_not_hide_the_rest() -> None:
    """The rest is read as version 1."""
    problems = expect("⟦brokers⟧: {1: }\nlinks: ⟦x⟧\n", "MOM102", "MOM102")
    assert "is missing" in problems[0].message


def test_a_misspelt_version_key_is_one_finding() -> None:
    """`momlnt: 1` is an unknown field, and not also a missing one."""
    (problem,) = expect("⟦momlnt⟧: 1\nbrokers: {1: }\n", "MOM102")
    assert problem.message.endswith("did you mean `momlint`?")


@pytest.mark.parametrize("text", ["⟦[1, 2]⟧\n", "⟦just a text⟧\n", "⟦42⟧\n"])
def test_documents_that_are_no_mapping(text: str) -> None:
    """One finding at the whole."""
    (problem,) = expect(text, "MOM102")
    assert "an estate is a mapping" in problem.message


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n", "---\n---\n", "null\n"])
def test_empty_files(text: str) -> None:
    """One finding at the start of the file."""
    (loaded,) = load(text)
    (problem,) = loaded.problems
    assert loaded.estate is None
    assert (problem.code, problem.span) == ("MOM102", Span(Position(1, 1), Position(1, 1)))
    assert problem.file == "estate.yaml"


def test_the_same_mistake_in_every_link_is_one_finding() -> None:
    """More than ten of the same: one finding that counts them, twenty places at most."""
    lines = "".join(f"  - {{between: [1, 2], id: l{i}, latency: 1}}\n" for i in range(40))
    (loaded,) = load(f"momlint: 1\nbrokers: {{1: , 2: }}\nlinks:\n{lines}")
    (problem,) = loaded.problems
    assert "(and the same in 39 more places)" in problem.message
    assert len(problem.related) == 20
    assert problem.span.start.line == 4


def test_what_is_wrong_takes_nothing_else_with_it() -> None:
    """A wrong attribute leaves the broker, a wrong topic the other topics, a wrong row the other rows."""
    loaded = load_one(
        """
        momlint: 1
        brokers: {1: {processing_ms: fast}, 2: nonsense, 3: }
        links:
          - {between: [1, 2], cost: -1}
          - 7
          - {between: [2, 3]}
        topics:
          a: {publishers: [1], subscribers: 2}
          b: {publishers: [1], subscribers: [2, [x], 3], max_hops: many}
          c: nonsense
          d: {publishers: [1], subscribers: [3]}
        routing: {protocol: tables, tables: {1: {2: [2, ~, 3]}, 2: wrong, 3: {2: [1]}}}
        failures:
          colours: {1: [], 2: wrong, 3: [1--2, ~, 2--3]}
          recovery:
            1: [{to: 2}, {to: 3, via: 2, colours: [1, 3]}]
          takeover: {1: 2, 2: {x: }}
        specs: [{}, {ctl: AF x}]
        """
    )
    estate = loaded.estate
    assert estate is not None
    assert {problem.code for problem in loaded.problems} == {"MOM102"}
    # Counted in the text: 2 brokers, 2 links, 4 in topics, 2 in tables, 2 colours, 1 row, 1 takeover, 1 spec.
    assert len(loaded.problems) == 15
    assert [broker.id for broker in estate.brokers] == ["1", "2", "3"]
    assert [(link.id, link.cost, link.place.path) for link in estate.links] == [
        ("1--2", 1.0, ("links", 0)),
        ("2--3", 1.0, ("links", 2)),
    ]
    assert [
        (topic.name, topic.publishers, topic.subscribers, list(topic.subscriber_index), topic.incomplete)
        for topic in estate.topics
    ] == [
        ("a", (0,), (), [], True),
        ("b", (0,), (1, 2), [0, 2], True),
        ("c", (), (), [], True),
        ("d", (0,), (2,), [0], False),
    ]
    assert [(row.location, row.via, row.destinations, row.destination_index) for row in estate.table_rows] == [
        (0, 1, (1, 2), (0, 2)),
        (2, 1, (0,), (0,)),
    ]
    assert [(colour.name, colour.failed_links) for colour in estate.colours] == [("1", ()), ("2", ()), ("3", (0, 1))]
    assert estate.recovery_rows is not None
    assert [(row.place.path, row.colours) for row in estate.recovery_rows] == [
        (("failures", "recovery", "1", 1), (0, 2))
    ]
    assert estate.takeover == {0: (1,)}
    assert [spec.place.path for spec in estate.specs] == [("specs", 1)]
    assert estate.incomplete == {
        "brokers",
        "links",
        "topics",
        "routing.tables",
        "failures.colours",
        "failures.recovery",
        "failures.takeover",
        "specs",
    }


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("links: [{between: [1, 2], cost: 1e16}]", "takes a number greater than 0, and no more than 1e15, not `1e16`"),
        (
            "links: [{between: [1, 2], latency_ms: 9007199254740993}]",
            "takes a number of milliseconds, 0 or more, and no more than 1e15, not `9007199254740993`",
        ),
        (
            "failures: {tolerate: {links: 99999999999999999999}}",
            "takes a whole number, 0 or more, and no more than 2,147,483,647, not `99999999999999999999`",
        ),
        ("links: [{between: [1, 2], availability: 2}]", "takes a probability from 0 to 1, not `2`"),
        (
            "links: [{between: [1, 2], cost: 1.00000000000000001}]",
            "takes a number greater than 0, not `1.00000000000000001`: momlint keeps at most 15 digits exactly",
        ),
        (
            "links: [{between: [1, 2], latency_ms: 0.1234567890123456}]",
            "takes a number of milliseconds, 0 or more, not `0.1234567890123456`: "
            "momlint keeps at most 15 digits exactly",
        ),
        (
            "links: [{between: [1, 2], cost: 1e400}]",
            "takes a number greater than 0, not `1e400`: that is larger than any number may be here",
        ),
        (
            "links: [{between: [1, 2], cost: 1e-400}]",
            "takes a number greater than 0, not `1e-400`: that is so small that it would be read as 0",
        ),
        (
            "links: [{between: [1, 2], cost: .inf}]",
            "takes a number greater than 0, not `.inf`: that is not a finite number",
        ),
        (
            "topics: {t: {publishers: [1], subscribers: [2], max_hops: 1e400}}",
            "takes a whole number, 0 or more, not `1e400`: that is larger than any number may be here",
        ),
    ],
)
def test_a_number_that_is_too_large_is_told_the_limit(text: str, message: str) -> None:
    (problem,) = load_one(f"momlint: 1\nbrokers: {{1: , 2: }}\n{text}\n").problems
    assert problem.message.endswith(message)


@pytest.mark.parametrize(
    "number", ["0.123456789012345", "1.00000000000000000000", "123456789012345", "0.00000000000000000001"]
)
def test_fifteen_digits_are_kept(number: str) -> None:
    assert load_one(f"momlint: 1\nbrokers: {{1: , 2: }}\nlinks: [{{between: [1, 2], cost: {number}}}]\n").problems == []


def test_one_cable_may_have_two_costs() -> None:
    """`cost` and `latency_ms` by direction: one link, so one name and one failure; what is not said is the default."""
    loaded = load_one(
        """
        momlint: 1
        x-defaults: {anything: [at, all]}
        brokers: {a: {transit: false}, b: , c: }
        links:
          - {between: [a, b], cost: {a->b: 1, b->a: 4}, latency_ms: {b->a: 2.5}}
          - {from: b, to: c, cost: {b->c: 3}}
        routing: {after_failure: keep, static_rows: withdraw}
        failures: {takeover: {a: [b, c], b: c}}
        """
    )
    estate = loaded.estate
    assert loaded.problems == []
    assert estate is not None
    first, second = estate.links
    assert (first.cost, first.cost_back, first.latency_ms, first.latency_ms_back) == (1, 4, 0, 2.5)
    assert (second.cost, second.cost_back) == (3, None)
    assert [broker.transit for broker in estate.brokers] == [False, True, True]
    assert estate.takeover == {0: (1, 2), 1: (2,)}
    assert (estate.after_failure, estate.withdraws_rows, estate.heals) == ("keep", True, False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("links: [{between: [1, 2], cost: {⟦a⟧: 1}}]", "`a` is not a direction of this link"),
        ("links: [{from: 1, to: 2, cost: {⟦2->1⟧: 1}}]", "`2->1` is not a direction of this link"),
        ("links: [{between: [1, 2], cost: {1->2: ⟦0⟧}}]", "takes a number greater than 0"),
        ("routing: {after_failure: ⟦mend⟧}", "takes heal or keep"),
        ("routing: {static_rows: ⟦drop⟧}", "takes keep or withdraw"),
        ("failures: {takeover: {1: ⟦[]⟧}}", "takes an id, or a list of ids"),
    ],
)
def test_what_the_newer_fields_refuse(text: str, message: str) -> None:
    """Each mistake is told at its place."""
    (problem,) = expect(f"momlint: 1\nbrokers: {{1: , 2: }}\n{text}\n", "MOM102")
    assert message in problem.message
