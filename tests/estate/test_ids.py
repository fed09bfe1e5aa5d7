"""Ids are raw text, wherever they stand."""

from __future__ import annotations

import pytest

from tests.estate.marks import expect, load_one

ODD = ["True", "0x1F", "1e3", "1.0", "010", "no", "on", "-1", "+1", ".5", "0o17", "12:30:45", "NaN", ".nan", "a b"]


@pytest.mark.parametrize("odd", ODD)
def test_ids_stay_the_text_they_are(odd: str) -> None:
    """As keys and as values, in every place where an id may stand; quoted or not is the same."""
    for written in (odd, f'"{odd}"', f"'{odd}'"):
        loaded = load_one(
            f"""
            momlint: 1
            brokers:
              {odd}: {{tags: [{written}]}}
              other: {{}}
            links:
              - {{id: {written}, between: [{written}, other]}}
              - {{from: other, to: {written}, id: back}}
            topics:
              {odd}: {{publishers: [{written}], subscribers: [other, {written}]}}
            routing:
              protocol: tables
              tables:
                {odd}: {{other: [other]}}
                other: {{ {written}: [{written}] }}
            failures:
              colours:
                {odd}: []
                link: [back]
              recovery:
                {odd}: [{{to: other, via: other, colours: [{written}]}}]
              takeover: {{ {written}: other, other: {written} }}
            """
        )
        assert loaded.problems == []
        estate = loaded.estate
        assert estate is not None
        assert [broker.id for broker in estate.brokers] == [odd, "other"]
        assert estate.brokers[0].tags == (odd,)
        assert [(link.id, link.tail, link.head) for link in estate.links] == [(odd, 0, 1), ("back", 1, 0)]
        assert [(topic.name, topic.publishers, topic.subscribers) for topic in estate.topics] == [(odd, (0,), (1, 0))]
        assert [(row.location, row.via, row.destinations) for row in estate.table_rows] == [
            (0, 1, (1,)),
            (1, 0, (0,)),
        ]
        assert [(colour.name, colour.failed_links, colour.failed_brokers) for colour in estate.colours] == [
            (odd, (), ()),
            ("link", (1,), ()),
        ]
        assert estate.recovery_rows is not None
        assert [row.colours for row in estate.recovery_rows] == [(0,)]
        assert estate.takeover == {0: (1,), 1: (0,)}


def test_different_texts_are_different_brokers() -> None:
    """1, 1.0, 01 and 0x1 are four brokers."""
    loaded = load_one("momlint: 1\nbrokers: {1: , 1.0: , 01: , 0x1: }\ntopics: {a: {publishers: [0x1, 01]}}\n")
    assert loaded.estate is not None
    assert [broker.id for broker in loaded.estate.brokers] == ["1", "1.0", "01", "0x1"]
    assert loaded.estate.topics[0].publishers == (3, 2)


@pytest.mark.parametrize("null", ["~", "null", "Null", "NULL"])
def test_null_is_no_id(null: str) -> None:
    """As a key and as a value; in quotes it is the word."""
    key, value = expect(
        f"""
        momlint: 1
        brokers: {{1: , ⟦{null}⟧: }}
        topics: {{a: {{publishers: [⟦{null}⟧]}}}}
        """,
        "MOM102",
        "MOM102",
    )
    assert key.message == "an id is missing: a key of `brokers` is null"
    assert "item 1 of `publishers` of topic `a` takes an id, not " in value.message
    loaded = load_one(f"momlint: 1\nbrokers: {{'{null}': }}\ntopics: {{a: {{publishers: ['{null}']}}}}\n")
    assert loaded.problems == []


@pytest.mark.parametrize(
    "text",
    [
        "brokers: {1: , 2: }\nlinks: [{between: [1, ⟦~⟧]}]",
        "brokers: {1: , 2: }\nlinks: [{from: 1, to: ⟦~⟧}]",
        "brokers: {1: , 2: }\nlinks: [{id: ⟦~⟧, between: [1, 2]}]",
        "brokers: {1: }\ntopics: {⟦~⟧: {publishers: [1]}}",
        "brokers: {1: }\nrouting: {tables: {⟦~⟧: {1: [1]}}}",
        "brokers: {1: }\nrouting: {tables: {1: {⟦~⟧: [1]}}}",
        "brokers: {1: }\nrouting: {tables: {1: {1: [⟦~⟧]}}}",
        "brokers: {1: }\nfailures: {colours: {⟦~⟧: []}}",
        "brokers: {1: }\nfailures: {colours: {1: [⟦~⟧]}}",
        "brokers: {1: }\nfailures: {colours: {1: []}, recovery: {⟦~⟧: []}}",
        "brokers: {1: }\nfailures: {colours: {1: []}, recovery: {1: [{to: ⟦~⟧, via: 1, colours: [1]}]}}",
        "brokers: {1: }\nfailures: {colours: {1: []}, recovery: {1: [{to: 1, via: ⟦~⟧, colours: [1]}]}}",
        "brokers: {1: }\nfailures: {colours: {1: []}, recovery: {1: [{to: 1, via: 1, colours: [⟦~⟧]}]}}",
        "brokers: {1: }\nfailures: {takeover: {⟦~⟧: 1}}",
        "brokers: {1: }\nfailures: {takeover: {1: ⟦~⟧}}",
        'brokers: {1: , ⟦""⟧: }',
        'brokers: {1: }\ntopics: {a: {publishers: [⟦""⟧]}}',
    ],
)
def test_null_or_empty_in_each_place(text: str) -> None:
    """One finding at the very null, and none that follows from it."""
    expect(f"momlint: 1\n{text}\n", "MOM102")


def test_names_and_labels_may_look_like_numbers() -> None:
    """Texts are texts, whatever YAML would read them as."""
    loaded = load_one(
        """
        momlint: 1
        name: 007
        brokers: {1: {address: 10.1, site: no, tags: [1, true, "2"]}}
        specs: [{name: 5, ctl: 'AF (loc = 1)'}]
        """
    )
    assert loaded.problems == []
    assert loaded.estate is not None
    assert loaded.estate.name == "007"
    (broker,) = loaded.estate.brokers
    assert (broker.address, broker.site, broker.tags) == ("10.1", "no", ("1", "true", "2"))
    assert loaded.estate.specs[0].name == "5"
