"""Places as editors count them, held to Python's own encoders; edits, done by hand."""

from __future__ import annotations

import random

import pytest

from momlint.findings import Position, Span
from momlint.lsp.texts import Edit, Spot, Stretch, Text
from tests.budget import examples

ALPHABET = ["a", "ö", "𝕃", "🇬🇧", "\u2028", "\f", " ", "\n", "\r\n", "\r"]
CODECS = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


def random_text(rng: random.Random) -> str:
    text = "".join(rng.choices(ALPHABET, k=rng.randint(0, 30)))
    return text.replace("\r\n", "\n").replace("\r", "\r\n") if rng.random() < 0.5 else text


def index_of(text: str, spot: Spot, encoding: str) -> int:
    """Where a place is in the text: lines end with ``\\r\\n``, ``\\n`` and ``\\r``, and with nothing else."""
    codec, width = CODECS[encoding]
    index = 0
    for _ in range(spot.line):
        ends = [(text.find(end, index), end) for end in ("\r\n", "\n", "\r")]
        at, end = min((at, -len(end), end) for at, end in ends if at != -1)[::2]
        index = at + len(end)
    return index + len(text[index:].encode(codec)[: spot.unit * width].decode(codec, "ignore"))


@pytest.mark.parametrize("encoding", CODECS)
def test_places_there_and_back(encoding: str) -> None:
    rng = random.Random(encoding)
    for _ in range(examples(300)):
        text = random_text(rng)
        held = Text(text, encoding)
        for line, letters in enumerate(held.lines):
            for column in range(len(letters) + 1):
                place = Position(line + 1, column + 1)
                spot = held.spot(place)
                assert held.place(spot) == place
                assert text[: index_of(text, spot, encoding)].endswith(letters[:column])
                assert held.before(spot) == text[: index_of(text, spot, encoding)]
        assert held.spot(Position(999, 999)) == held.spot_of_end()
        assert index_of(text, held.spot_of_end(), encoding) == len(text)


@pytest.mark.parametrize("encoding", CODECS)
def test_edits_make_the_new_text(encoding: str) -> None:
    rng = random.Random(encoding)
    for _ in range(examples(300)):
        old, new = random_text(rng), random_text(rng)
        text = old
        for edit in reversed(Text(old, encoding).edits(new)):
            start, end = (index_of(old, one, encoding) for one in edit.stretch)
            text = text[:start] + edit.text + text[end:]
        assert text == new


def test_a_byte_order_mark_is_a_character_of_the_editor() -> None:
    held = Text("\ufeffmomlint: 1\nname: x\n")
    assert held.stretch(Span(Position(1, 1), Position(1, 8))) == Stretch(Spot(0, 1), Spot(0, 8))
    assert held.place(Spot(0, 1)) == held.place(Spot(0, 0)) == Position(1, 1)
    assert held.before(Spot(0, 3)) == "mo"
    assert held.stretch(Span(Position(2, 1), Position(2, 5))) == Stretch(Spot(1, 0), Spot(1, 4))


def test_edits_are_of_lines() -> None:
    assert Text("a\nb\nc\n").edits("a\nx\nc\n") == [Edit(Stretch(Spot(1, 0), Spot(2, 0)), "x\n")]
    assert Text("a\nb").edits("a\nb\n") == [Edit(Stretch(Spot(1, 0), Spot(1, 1)), "b\n")]
    assert Text("a\n").edits("a\n") == []


def test_a_lone_surrogate_is_no_text() -> None:
    assert b"\xed\xa0\x80" in Text("name: \ud800").data
