"""The JSON Schema that editors use: it takes what the reader takes, and refuses what is obviously wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest

from momlint.estate import json_schema
from tests.estate.marks import load_one

#: The example of the language contract.
EXAMPLE: dict[str, Any] = {
    "momlint": 1,
    "name": "triangle",
    "brokers": {
        "1": {"address": "2.0.0.1", "site": "london", "tags": ["eu"]},
        "2": None,
        "3": {"processing_ms": 2},
    },
    "links": [
        {"between": [1, 2], "cost": 1, "latency_ms": 5, "availability": 0.999},
        {"between": [1, 3]},
        {"id": "fibre-a", "between": [2, 3]},
    ],
    "include": ["topics/*.yaml"],
    "topics": {"weather": {"publishers": [1], "subscribers": [2, 3], "max_latency_ms": 40, "max_hops": 3}},
    "routing": {"protocol": "shortest-path", "tables": {"1": {"2": [2], "3": [3]}}},
    "failures": {
        "tolerate": {"links": 1, "brokers": 0},
        "colours": {"1": [], "2": ["1--2"], "3": ["1--3"], "4": ["2--3"]},
        "recovery": {
            "1": [
                {"to": 2, "via": 2, "colours": [1, 3, 4]},
                {"to": 3, "via": 3, "colours": [1, 2, 4]},
                {"to": 2, "via": 3, "colours": [2]},
                {"to": 3, "via": 2, "colours": [3]},
            ]
        },
        "takeover": {"1": 2, "2": 3, "3": 1},
    },
    "specs": [{"name": "arrives", "ctl": "(src = 1 & dest = 2 & loc = 1) -> AF (loc = 2)"}],
}

#: The same as YAML, without the include.
EXAMPLE_YAML = """
momlint: 1
name: triangle
brokers:
  1: {address: 2.0.0.1, site: london, tags: [eu]}
  2:
  3: {processing_ms: 2}
links:
  - {between: [1, 2], cost: 1, latency_ms: 5, availability: 0.999}
  - {between: [1, 3]}
  - {id: fibre-a, between: [2, 3]}
topics:
  weather: {publishers: [1], subscribers: [2, 3], max_latency_ms: 40, max_hops: 3}
routing:
  protocol: shortest-path
  tables:
    1: {2: [2], 3: [3]}
failures:
  tolerate: {links: 1, brokers: 0}
  colours:
    1: []
    2: [1--2]
    3: [1--3]
    4: [2--3]
  recovery:
    1:
      - {to: 2, via: 2, colours: [1, 3, 4]}
      - {to: 3, via: 3, colours: [1, 2, 4]}
      - {to: 2, via: 3, colours: [2]}
      - {to: 3, via: 2, colours: [3]}
  takeover: {1: 2, 2: 3, 3: 1}
specs:
  - {name: arrives, ctl: "(src = 1 & dest = 2 & loc = 1) -> AF (loc = 2)"}
"""


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    """The schema itself is valid, too."""
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def with_(**changes: Any) -> dict[str, Any]:
    """The example, changed at the top level."""
    return {**EXAMPLE, **changes}


def test_the_example_is_accepted(validator: jsonschema.Draft202012Validator) -> None:
    """The contract's example, ids as numbers."""
    assert list(validator.iter_errors(EXAMPLE)) == []


@pytest.mark.parametrize(
    "document",
    [
        {"momlint": 1},
        with_(brokers={"1": {}}, links=None, topics=None),
        with_(topics={"a": None, "b": {}, "c": {"publishers": [], "subscribers": ["1"]}}),
        with_(links=[{"from": 1, "to": "2"}, {"id": 7, "between": ["1", 2]}]),
        with_(failures={"tolerate": "single-link"}),
        with_(failures={"tolerate": "none", "recovery": {"file": "tables.parquet"}}),
        with_(failures={"colours": {"1": None, "2": [3, "1--2"]}}),
        with_(failures={"recovery": {"file": [{"to": 1, "via": 2, "colours": []}]}}),
        with_(specs=[{"ltl": "G x"}]),
        with_(brokers={"1": {"address": 10.1, "tags": ["a", 1, True]}}),
    ],
)
def test_accepted(validator: jsonschema.Draft202012Validator, document: Any) -> None:
    """Everything that may be left out or written in two forms."""
    assert list(validator.iter_errors(document)) == []


@pytest.mark.parametrize(
    "document",
    [
        {},
        [],
        "text",
        {"name": "no version"},
        with_(momlint=2),
        with_(momlint="1"),
        with_(broker={}),
        with_(brokers=[1, 2]),
        with_(brokers={"1": {"adress": "x"}}),
        with_(brokers={"1": {"processing_ms": -1}}),
        with_(brokers={"1": {"availability": 1.5}}),
        with_(brokers={"1": "london"}),
        with_(links={}),
        with_(links=[{}]),
        with_(links=[{"between": [1]}]),
        with_(links=[{"between": [1, 2, 3]}]),
        with_(links=[{"between": "1--2"}]),
        with_(links=[{"between": [1, None]}]),
        with_(links=[{"from": 1}]),
        with_(links=[{"between": [1, 2], "from": 1, "to": 2}]),
        with_(links=[{"between": [1, 2], "to": 2}]),
        with_(links=[{"between": [1, 2], "cost": 0}]),
        with_(links=[{"between": [1, 2], "cost": "cheap"}]),
        with_(links=[{"between": [1, 2], "latency_ms": -1}]),
        with_(links=[[1, 2]]),
        with_(include="topics.yaml"),
        with_(topics=[]),
        with_(topics={"a": {"publishers": 1}}),
        with_(topics={"a": {"publisher": [1]}}),
        with_(topics={"a": {"publishers": [[1]]}}),
        with_(topics={"a": {"max_hops": 1.5}}),
        with_(topics={"a": {"max_hops": -1}}),
        with_(routing="tables"),
        with_(routing={"protocol": "ospf"}),
        with_(routing={"tables": {"1": [2]}}),
        with_(routing={"tables": {"1": {"2": 3}}}),
        with_(failures={"tolerate": "all"}),
        with_(failures={"tolerate": {"links": -1}}),
        with_(failures={"tolerate": {"nodes": 1}}),
        with_(failures={"colours": [1]}),
        with_(failures={"colours": {"1": "1--2"}}),
        with_(failures={"recovery": "x.csv"}),
        with_(failures={"recovery": {"1": [{"to": 1, "via": 2}]}}),
        with_(failures={"recovery": {"1": [{"to": 1, "via": 2, "colours": 1}]}}),
        with_(failures={"takeover": {"1": {}}}),
        with_(failures={"colors": {}}),
        with_(specs=[{"name": "empty"}]),
        with_(specs=[{"ctl": "a", "ltl": "b"}]),
        with_(specs=[{"ctl": ""}]),
    ],
)
def test_refused(validator: jsonschema.Draft202012Validator, document: Any) -> None:
    """Each has one thing wrong."""
    assert list(validator.iter_errors(document)) != []


def test_the_reader_takes_the_example() -> None:
    """All of it is resolved."""
    loaded = load_one(EXAMPLE_YAML)
    assert loaded.problems == []
    estate = loaded.estate
    assert estate is not None
    assert estate.name == "triangle"
    assert [broker.id for broker in estate.brokers] == ["1", "2", "3"]
    assert (estate.brokers[0].address, estate.brokers[0].site, estate.brokers[0].tags) == ("2.0.0.1", "london", ("eu",))
    assert estate.brokers[2].processing_ms == 2.0
    assert [link.id for link in estate.links] == ["1--2", "1--3", "fibre-a"]
    (topic,) = estate.topics
    assert (topic.publishers, topic.subscribers, topic.max_latency_ms, topic.max_hops) == ((0,), (1, 2), 40.0, 3)
    assert estate.protocol == "shortest-path"
    assert [(row.location, row.via, row.destinations) for row in estate.table_rows] == [(0, 1, (1,)), (0, 2, (2,))]
    assert [(colour.name, colour.failed_links) for colour in estate.colours] == [
        ("1", ()),
        ("2", (0,)),
        ("3", (1,)),
        ("4", (2,)),
    ]
    assert estate.colours_declared
    assert estate.recovery_rows is not None
    assert [(row.location, row.destination, row.via, row.colours) for row in estate.recovery_rows] == [
        (0, 1, 1, (0, 2, 3)),
        (0, 2, 2, (0, 1, 3)),
        (0, 1, 2, (1,)),
        (0, 2, 1, (2,)),
    ]
    assert estate.recovery_rows[2].place.path == ("failures", "recovery", "1", 2)
    assert estate.tolerate is not None
    assert (estate.tolerate.links, estate.tolerate.brokers) == (1, 0)
    assert estate.takeover == {0: (1,), 1: (2,), 2: (0,)}
    assert [(spec.name, spec.logic) for spec in estate.specs] == [("arrives", "ctl")]
    assert estate.incomplete == frozenset()
    assert set(estate.section_places) == {
        "brokers",
        "links",
        "topics",
        "routing",
        "routing.protocol",
        "routing.tables",
        "failures",
        "failures.tolerate",
        "failures.colours",
        "failures.recovery",
        "failures.takeover",
        "specs",
    }


def _fields(schema: Any) -> Iterator[tuple[str, Any]]:
    for model in [schema, *schema["$defs"].values()]:
        for name, field in model["properties"].items():
            yield f"{model['title']}.{name}", field


def test_every_field_is_described() -> None:
    """Each field says what it is; each number of milliseconds says so."""
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"]
    assert schema["title"]
    for name, field in _fields(schema):
        assert field.get("description"), name
        assert not name.endswith("_ms") or "milliseconds" in field["description"], name
    assert not re.search(r'"default": (null|""|\[\])', str(schema))


def test_the_schema_does_not_change_from_run_to_run() -> None:
    """Two calls give the same."""
    assert json_schema() == json_schema()


def test_the_schema_speaks_british() -> None:
    """As the language does."""
    assert "color" not in str(json_schema())
