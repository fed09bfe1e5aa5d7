"""A section or list that is there and empty is as if it were absent, or a finding; it silences no rule."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import pytest
import yaml

from momlint.lint import Options, lint_bytes
from tests.budget import one_in

#: Tables that loop, lose messages and take a detour, with every section and list that the language has.
WHOLE: dict[str, Any] = {
    "momlint": 1,
    "name": "whole",
    "brokers": {"a": {"tags": ["x"]}, "b": None, "c": None, "d": None},
    "links": [{"between": ["a", "b"]}, {"between": ["b", "c"]}, {"between": ["a", "c"]}],
    "include": [],
    "groups": {"g": ["a--b"]},
    "topics": {"t": {"publishers": ["a"], "subscribers": ["b", "c"]}, "u": {"publishers": ["c"], "subscribers": ["a"]}},
    "routing": {"protocol": "tables", "tables": {"a": {"a": ["b"], "c": ["c"]}, "c": {"b": ["a", "b"]}}},
    "failures": {
        "tolerate": {},
        "colours": {"n": []},
        "recovery": {"a": []},
        "takeover": {},
    },
    "specs": [],
}
ROUTES: tuple[tuple[Any, ...], ...] = (
    ("include",),
    ("groups",),
    ("groups", "g"),
    ("brokers", "a"),
    ("brokers", "a", "tags"),
    ("topics",),
    ("topics", "t", "publishers"),
    ("topics", "t", "subscribers"),
    ("routing",),
    ("routing", "tables"),
    ("routing", "tables", "a"),
    ("routing", "tables", "a", "a"),
    ("failures",),
    ("failures", "tolerate"),
    ("failures", "colours"),
    ("failures", "recovery"),
    ("failures", "recovery", "a"),
    ("failures", "takeover"),
    ("specs",),
    ("links",),
)
EMPTY: tuple[Any, ...] = (None, {}, [])


def absent(document: dict[str, Any], route: tuple[Any, ...]) -> None:
    place = at(document, route[:-1])
    if route == ("brokers", "a"):  # the broker is there, and has nothing more to say
        place["a"] = None
    elif isinstance(place, dict):
        place.pop(route[-1], None)


def at(document: Any, route: tuple[Any, ...]) -> Any:
    for segment in route:
        document = document.get(segment) if isinstance(document, dict) else None
    return document


def report(document: dict[str, Any]) -> list[tuple[str, str]]:
    """Codes and messages, without what speaks of lines."""
    text = yaml.safe_dump(document, sort_keys=False)
    result = lint_bytes(text.encode(), "e.yaml", Options(engine="graph"))
    assert not result.faults
    return sorted((finding.code, finding.message) for finding in result.findings)


PAIRS = [
    (first, second)
    for first, second in itertools.combinations(ROUTES, 2)
    # One within the other is the outer one alone.
    if second[: len(first)] != first and first[: len(second)] != second
]


@pytest.mark.parametrize("first", one_in(4, ROUTES), ids=".".join)
def test_two_empty_sections_are_two_absent_ones(first: tuple[Any, ...]) -> None:
    seen = 0
    for one, second in PAIRS:
        if one != first:
            continue
        without = copy.deepcopy(WHOLE)
        absent(without, first)
        absent(without, second)
        expected = report(without)
        for here, there in itertools.product(EMPTY, repeat=2):
            document = copy.deepcopy(WHOLE)
            for route, value in ((first, here), (second, there)):
                place = at(document, route[:-1])
                place[route[-1]] = value
            found = report(document)
            refused = [finding for finding in found if finding[0] in ("MOM102", "MOM201", "MOM202")]
            assert found == expected or refused, (first, here, second, there)
            seen += 1
    assert seen == 9 * sum(one == first for one, _ in PAIRS)


@pytest.mark.parametrize("colours", ["colours: {}", "colours: ", "colours: []", "takeover: {}"])
def test_an_empty_section_silences_nothing(colours: str) -> None:
    """Broker a sends to itself what is for b, and there is no way to c."""
    text = f"""\
momlint: 1
brokers: {{a: , b: , c: }}
links: [{{between: [a, b]}}]
topics: {{t: {{publishers: [a], subscribers: [b, c]}}}}
routing: {{protocol: tables, tables: {{a: {{a: [b]}}}}}}
failures: {{{colours}}}
"""
    result = lint_bytes(text.encode(), "e.yaml", Options())
    codes = {finding.code for finding in result.findings}
    if colours == "colours: []":  # a list is not a mapping: that is told, and colours are not known then
        assert "MOM102" in codes
    else:
        assert {"MOM301", "MOM302"} <= codes


@pytest.mark.parametrize("row", ["colours: []", "except: []", "colours: [x]"])
def test_rows_without_any_colour(row: str) -> None:
    text = f"""\
momlint: 1
brokers: {{a: , b: }}
links: [{{between: [a, b]}}]
failures: {{recovery: {{a: [{{to: b, via: b, {row}}}]}}}}
"""
    result = lint_bytes(text.encode(), "e.yaml", Options())
    errors = [(finding.code, finding.span.start.line) for finding in result.findings if finding.severity == "error"]
    assert errors == [("MOM102", 4)]
    assert "declares none" in next(finding.message for finding in result.findings if finding.code == "MOM102")
