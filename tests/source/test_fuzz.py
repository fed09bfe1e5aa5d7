"""Whatever the bytes are, the reader answers, and every place it names exists."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.findings import Span
from momlint.source import MappingNode, Node, ReadingLimits, ScalarNode, SequenceNode, Source, read_source
from tests.budget import examples
from tests.source.emitting import generate

LIMITS = ReadingLimits(alias_nodes=20_000, merged_entries=20_000)


def check(data: bytes) -> Source:
    """Read, and check what must hold for every input."""
    source = read_source(data, "a", limits=LIMITS)
    lines = source.lines

    def exists(span: Span) -> None:
        assert span.start <= span.end
        for line, column in span:
            assert line >= 1
            assert column >= 1
            written = lines[line - 1] if line <= len(lines) else ""
            assert line <= len(lines) + 1
            assert column <= len(written) + 1

    def walk(node: Node) -> None:
        todo, seen = [node], set()
        while todo:
            current = todo.pop()
            if id(current) in seen:
                continue
            seen.add(id(current))
            exists(current.span)
            if isinstance(current, ScalarNode):
                span = current.span
                written = lines[span.start.line - 1] if span.start.line <= len(lines) else ""
                if current.plain and span.start.line == span.end.line:
                    here = written[span.start.column - 1 : span.end.column - 1]
                    assert here == current.text or here.startswith("*")  # an alias as key
                assert current.value is None or isinstance(current.value, (str, int, float))
            elif isinstance(current, SequenceNode):
                for index, item in enumerate(current.items):
                    alias = current.alias(index)
                    exists(alias or item.span)
                    if alias is None:
                        assert current.span.start <= item.span.start
                        assert item.span.end <= current.span.end
                    todo.append(item)
            elif isinstance(current, MappingNode):
                texts = [entry.key.text for entry in current.entries]
                assert len(set(texts)) == len(texts)
                for entry in current.entries:
                    exists(entry.span)
                    for place in entry.via:
                        exists(place)
                    if not entry.via:
                        assert current.span.start <= entry.span.start
                        assert entry.span.end <= current.span.end
                    assert current.get(entry.key.text) is entry
                    todo += [entry.key, entry.value]

    for problem in source.problems:
        assert problem.code in {"MOM101", "MOM103", "MOM107"}
        assert problem.message
        assert "\n" not in problem.message
        exists(problem.span)
        for related in problem.related:
            exists(related.span)
    for suppression in source.suppressions:
        exists(suppression.span)
    for document in source.documents:
        exists(document.span)
        exists(document.locate(("momlint", 0), "value").span)
        if document.root is not None:
            walk(document.root)
    assert [problem.code for problem in source.problems].count("MOM107") <= 1
    assert source.unreadable == 0 or source.problems
    return source


PIECES = [
    "a", "b", "<<", ": ", ":", "- ", "? ", "[", "]", "{", "}", ", ",
    "&a ", "*a", "*b ", "!", "!!str ", "!x ", "|", ">-",
    "'", '"', "\\", "#", " #", "\n", "\n ", "\n  ", "\r\n", "\r", "\t", " ", "---", "\n---\n", "\n...\n",
    "%YAML 1.2\n", "{{", "}}", "{% x %}", "# momlint: ignore[MOM1]", "\ufeff", "\x85", "\u2028", "\x00", "\xa0", "é",
    "😀", "1", "010", "@", "`", "\\x41", "~",
]  # fmt: skip


@settings(max_examples=examples(400), deadline=None)
@given(st.binary(max_size=60))
def test_bytes(data: bytes) -> None:
    check(data)


@settings(max_examples=examples(600), deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=25))
def test_pieces_of_yaml(pieces: list[str]) -> None:
    check("".join(pieces).encode())


def mutate(data: bytes, rng: random.Random) -> bytes:
    """Damage a text in a few places: cut, double, swap, and put in what hurts."""
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(data) + 1)
        to = min(at + rng.randrange(8), len(data))
        match rng.randrange(4):
            case 0:
                data = data[:at] + data[to:]
            case 1:
                data = data[:at] + data[at:to] * 2 + data[to:]
            case 2:
                data = data[:at] + rng.choice(PIECES).encode() + data[at:]
            case _:
                data = data[:at] + bytes([rng.randrange(256)]) + data[to:]
    return data


@settings(max_examples=examples(300), deadline=None)
@given(st.integers(0, 2**32))
def test_damaged_documents(seed: int) -> None:
    text = generate(seed).text
    rng = random.Random(seed)
    check(mutate(text.encode(), rng))
