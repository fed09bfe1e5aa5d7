"""From a route of keys to a place."""

from __future__ import annotations

import pytest

from momlint.findings import Part
from momlint.source import Document
from tests.source.reading import at, read

TEXT = """\
momlint: 1
brokers: &all
  1: {site: london}
  2:
topics:
  weather: {publishers: [1], subscribers: &s [2, 3]}
  news:
    subscribers: *s
    <<: {max_hops: 3}
copies: [*all, *s]
"""


@pytest.fixture(scope="module")
def document() -> Document:
    (document,) = read(TEXT).documents
    return document


@pytest.mark.parametrize(
    ("path", "part", "span"),
    [
        ((), "entry", "1:1-10:19"),
        (("momlint",), "entry", "1:1-1:11"),
        (("momlint",), "key", "1:1-1:8"),
        (("momlint",), "value", "1:10-1:11"),
        (("brokers",), "value", "3:3-4:5"),
        (("brokers", "1", "site"), "entry", "3:7-3:19"),
        (("brokers", 1, "site"), "value", "3:13-3:19"),
        (("brokers", "2"), "value", "4:5-4:5"),
        (("brokers", "2"), "entry", "4:3-4:5"),
        (("topics", "weather", "subscribers", 1), "entry", "6:50-6:51"),
        (("topics", "weather", "subscribers", 1), "key", "6:50-6:51"),
        (("topics", "weather", "subscribers", 1), "value", "6:50-6:51"),
        (("topics", "news", "subscribers"), "entry", "8:5-8:20"),
        (("topics", "news", "subscribers"), "key", "8:5-8:16"),
        (("copies", 0), "entry", "10:10-10:14"),
        (("copies", 1), "key", "10:16-10:18"),
    ],
)
def test_places(document: Document, path: tuple[str | int, ...], part: Part, span: str) -> None:
    located = document.locate(path, part)
    assert located.found
    assert (at(located.span), located.via) == (span, ())


@pytest.mark.parametrize(
    ("path", "part", "span", "via"),
    [
        (("topics", "news", "subscribers"), "value", "6:46-6:52", ["8:18-8:20"]),
        (("topics", "news", "subscribers", 0), "entry", "6:47-6:48", ["8:18-8:20"]),
        (("topics", "news", "max_hops"), "key", "9:10-9:18", ["9:5-9:7"]),
        (("copies", 0), "value", "3:3-4:5", ["10:10-10:14"]),
        (("copies", 0, "1", "site"), "value", "3:13-3:19", ["10:10-10:14"]),
        (("copies", 1, 0), "entry", "6:47-6:48", ["10:16-10:18"]),
    ],
)
def test_routes_through_aliases_and_merges(
    document: Document, path: tuple[str | int, ...], part: Part, span: str, via: list[str]
) -> None:
    located = document.locate(path, part)
    assert located.found
    assert (at(located.span), [at(place) for place in located.via]) == (span, via)


@pytest.mark.parametrize(
    ("path", "span", "via"),
    [
        (("routing",), "1:1-1:8", []),
        (("brokers", "3"), "2:1-2:8", []),
        (("brokers", "1", "tags", 0), "3:3-3:4", []),
        (("topics", "weather", "subscribers", 2), "6:30-6:41", []),
        (("topics", "weather", "subscribers", -1), "6:30-6:41", []),
        (("topics", "weather", "subscribers", "0"), "6:30-6:41", []),
        (("momlint", "x", "y"), "1:1-1:8", []),
        (("topics", "news", "subscribers", 7), "8:5-8:16", []),
        (("topics", "news", "max_hops", "x"), "9:10-9:18", ["9:5-9:7"]),
        (("copies", 0, "9"), "10:10-10:14", []),
        (("copies", 0, "1", "x"), "3:3-3:4", ["10:10-10:14"]),
        (("copies", 2), "10:1-10:7", []),
    ],
)
@pytest.mark.parametrize("part", ["key", "value", "entry"])
def test_a_route_that_does_not_exist(
    document: Document, path: tuple[str | int, ...], part: Part, span: str, via: list[str]
) -> None:
    located = document.locate(path, part)
    assert not located.found
    assert (at(located.span), [at(place) for place in located.via]) == (span, via)


def test_roots_without_keys() -> None:
    empty, sequence, text, braces = read("---\n---\n- 1\n---\nword\n---\n {}\n").documents
    assert at(empty.locate(()).span) == "1:1-1:4"
    assert at(empty.locate(("a",)).span) == "1:1-1:4"
    assert not empty.locate(("a",)).found
    assert at(sequence.locate(("a",)).span) == "3:1-3:4"
    assert at(sequence.locate((0,)).span) == "3:3-3:4"
    assert at(text.locate(("a",)).span) == "5:1-5:5"
    assert at(braces.locate(("a",)).span) == "7:2-7:4"
