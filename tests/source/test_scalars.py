"""YAML 1.2's core schema, value by value."""

from __future__ import annotations

import math

import pytest

from momlint.source import ScalarNode
from tests.source.reading import at, child, only_problem, read, root_of


@pytest.mark.parametrize(
    "text",
    ["no", "No", "yes", "on", "off", "y", "n", "010", "-010", "00", "007.5", "12:30:45", "1_000", "0b101", "2001-12-14",
     "0x", "0xfg", "-0x1F", "+0o17", "0o8", "1e", "e3", ".", "+", "1.2.3", "tRUE", "nULL", ".iNF", "<<", "=",
     "1--2", "1e5e", "NaN", "inf", "1" * 301, "0x" + "f" * 300, "10.0.0.1", "٣"],
)  # fmt: skip
def test_text(text: str) -> None:
    node = child(root_of(f"- x\n- {text}\n"), 1)
    assert isinstance(node, ScalarNode)
    assert node.plain
    assert node.value == text
    assert isinstance(node.value, str)


@pytest.mark.parametrize(
    ("text", "value"),
    [("0", 0), ("-0", 0), ("+12", 12), ("-7", -7), ("0x1F", 31), ("0o17", 15), ("1e3", 1000.0), ("1.", 1.0),
     (".5", 0.5), ("-.5", -0.5), ("0.999", 0.999), ("1.5E-2", 0.015), ("0e0", 0.0), (".inf", math.inf),
     ("-.INF", -math.inf), ("+.Inf", math.inf), ("1e999", math.inf), ("true", True), ("False", False),
     ("TRUE", True), ("null", None), ("~", None), ("Null", None), ("", None), ("9" * 300, 10**300 - 1)],
)  # fmt: skip
def test_value(text: str, value: object) -> None:
    node = child(root_of(f"a: {text}\n"), "a")
    assert isinstance(node, ScalarNode)
    assert node.value == value
    assert type(node.value) is type(value)
    assert node.text == text


def test_not_a_number() -> None:
    node = child(root_of("[.nan, .NaN, .NAN]"), 0)
    assert isinstance(node, ScalarNode)
    assert isinstance(node.value, float)
    assert math.isnan(node.value)


@pytest.mark.parametrize("text", ["'1'", '"true"', "'null'", "''", "|\n  12\n", "! 12", "!!str 12", "!!str"])
def test_not_plain_is_text(text: str) -> None:
    node = child(root_of(f"a: {text}\n"), "a")
    assert isinstance(node, ScalarNode)
    assert not node.plain
    assert isinstance(node.value, str)


@pytest.mark.parametrize(
    ("text", "value"),
    [("!!int '12'", 12), ("!!float 3", 3.0), ("!!bool 'true'", True), ("!!null ''", None), ("!!int 0x1F", 31)],
)
def test_core_tags(text: str, value: object) -> None:
    node = child(root_of(f"a: {text}\n"), "a")
    assert isinstance(node, ScalarNode)
    assert node.value == value
    assert type(node.value) is type(value)


@pytest.mark.parametrize(
    ("text", "span", "culprit"),
    [
        ("a: !!int x\n", "1:4-1:9", "`x` is not a value for the tag `!!int`"),
        ("a: &b !!bool 1\n", "1:7-1:13", "`1` is not a value for the tag `!!bool`"),
        ("a: !foo 1\n", "1:4-1:8", "the tag `!foo` is unknown"),
        ("a: !!binary aGk=\n", "1:4-1:12", "the tag `!!binary` is unknown"),
        ("- !foo\n  a: 1\n", "1:3-1:7", "the tag `!foo` is unknown"),
        ("a: !!seq {}\n", "1:4-1:9", "the tag `!!seq` does not fit a mapping"),
        ("a: !!map [1]\n", "1:4-1:9", "the tag `!!map` does not fit a list"),
        ("a: !!seq x\n", "1:4-1:9", "the tag `!!seq` does not fit a single value"),
        ("%TAG !e! tag:e,2000:\n---\na: !e!x 1\n", "3:4-3:8", "the tag `tag:e,2000:x` is unknown"),
    ],
)
def test_wrong_tags(text: str, span: str, culprit: str) -> None:
    problem = only_problem(text)
    assert problem.code == "MOM101"
    assert at(problem.span) == span
    assert problem.message.startswith(culprit)
    assert len(read(text).documents) == 1
