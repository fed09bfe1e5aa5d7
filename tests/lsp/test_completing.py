"""What is offered, without a server; expected by hand from the language."""

from __future__ import annotations

import pytest

from momlint.lsp.completing import Names, offers, word_before

NAMES = Names(["a", "b c"], ["t"], ["a--b c"], ["none"], ["duct"])


@pytest.mark.parametrize(
    ("before", "offered", "not_offered"),
    [
        ("", {"momlint", "brokers", "links", "topics"}, {"between", "a"}),
        ("momlint: 1\nbro", {"brokers", "routing"}, {"momlint", "a"}),
        ("links:\n  - {between: [", {"a", "b c"}, {"t", "cost"}),
        ("links:\n  - {between: [a, ", {"a", "b c"}, {"t"}),
        ("links:\n  - {", {"between", "from", "to", "cost"}, set()),
        ("links:\n  - {between: [a, b], ", {"cost", "latency_ms"}, {"between", "from", "to"}),
        ("links:\n  - from: a\n    t", {"to", "cost"}, {"from", "a", "between"}),
        ("failures:\n  recovery:\n    a:\n      - {colours: [none], ", {"to", "via"}, {"colours", "except"}),
        ("specs:\n  - name: x\n    ", {"ctl", "ltl"}, {"name"}),
        ("specs:\n  - ltl: x\n    ", {"name"}, {"ctl"}),
        ("topics:\n  t:\n    publishers: [", {"a", "b c"}, {"t"}),
        ("topics: {t: {pub", {"publishers", "subscribers"}, {"a"}),
        ("routing:\n  protocol: ", {"tables", "shortest-path", "relay"}, {"a"}),
        ("routing:\n  tables:\n    a:\n      ", {"a", "b c"}, {"protocol"}),
        ("brokers:\n  a: {transit: ", {"true", "false"}, {"a"}),
        ("failures:\n  colours:\n    x: [", {"a", "a--b c", "duct"}, {"none", "t"}),
        ("failures:\n  takeover:\n    a: ", {"a", "b c"}, {"t"}),
        ("failures:\n  recovery:\n    a:\n      - {to: a, via: ", {"a", "b c"}, {"t", "none"}),
        ("failures:\n  recovery:\n    a:\n      - {to: a, via: a, colours: [", {"none"}, {"a", "t"}),
        ("groups: {x: [", {"a", "a--b c"}, {"duct"}),
        ("name: x # ", set(), {"brokers"}),
        ("name: 'it is [", set(), {"brokers"}),
        ("- [", set(), {"brokers"}),
    ],
)
def test_what_belongs_there(before: str, offered: set[str], not_offered: set[str]) -> None:
    found = {offer.label for offer in offers(before, NAMES)}
    assert offered <= found
    assert not_offered.isdisjoint(found)


def test_what_is_inserted() -> None:
    by_name = {offer.label: offer.insert for offer in offers("links:\n  - {between: [", NAMES)}
    assert by_name == {"a": "a", "b c": '"b c"'}
    keys = {offer.label: offer.insert for offer in offers("rou", NAMES)}
    assert keys["routing"] == "routing: "


def test_names_of_the_text_count() -> None:
    typed = "brokers: {x: , y: }\nlinks:\n  - {between: [x, "
    assert {offer.label for offer in offers(typed, Names())} == {"x", "y"}


@pytest.mark.parametrize(
    ("before", "word"), [("a: lon", "lon"), ("a: ", ""), ("[x, y", "y"), ("a--b", "a--b"), ("k:", "")]
)
def test_the_word_that_is_typed(before: str, word: str) -> None:
    assert word_before(before) == word
