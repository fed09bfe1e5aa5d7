"""Random documents: places against the writer that made them, values against ruamel.yaml."""

from __future__ import annotations

import io
import math
import re

from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from momlint.source import MappingNode, Node, ScalarNode, SequenceNode
from tests.budget import examples
from tests.source.emitting import Written, generate
from tests.source.reading import plain, read


def compare(node: Node, written: Written) -> None:
    assert (node.span.start, node.span.end) == (written.start, written.end)
    if written.kind == "scalar":
        assert isinstance(node, ScalarNode)
        assert (node.text, node.plain) == (written.text, written.plain)
    elif written.kind == "list":
        assert isinstance(node, SequenceNode)
        assert len(node.items) == len(written.items)
        for index, (item, expected) in enumerate(zip(node.items, written.items, strict=True)):
            alias = node.alias(index)
            if expected.alias_of is None:
                assert alias is None
                compare(item, expected)
            else:
                assert alias == (expected.start, expected.end)
                compare(item, expected.alias_of)
    else:
        assert isinstance(node, MappingNode)
        assert len(node.entries) == len(written.entries)
        for entry, (key, value) in zip(node.entries, written.entries, strict=True):
            compare(entry.key, key)
            assert (entry.span.start, entry.span.end) == (key.start, value.end)
            if value.alias_of is None:
                assert entry.alias is None
                compare(entry.value, value)
            else:
                assert entry.alias == (value.start, value.end)
                compare(entry.value, value.alias_of)


@settings(max_examples=examples(400), deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(["", "\ufeff"]))
def test_places(seed: int, mark: str) -> None:
    generated = generate(seed)
    source = read(mark + generated.text)
    assert source.problems == []
    (document,) = source.documents
    assert document.root is not None
    compare(document.root, generated.root)
    assert [tuple(suppression.span) for suppression in source.suppressions] == generated.suppressions


def through_ruamel(text: str) -> object:
    def pairs(value: object) -> object:
        if isinstance(value, dict):
            return [(key_text(key), pairs(item)) for key, item in value.items()]
        if isinstance(value, list):
            return [pairs(item) for item in value]
        return value

    def key_text(key: object) -> str:
        assert isinstance(key, (str, int))  # the generator writes no key that means anything else
        return str(key)

    yaml = YAML(typ="safe", pure=True)
    yaml.version = (1, 2)
    yaml.allow_duplicate_keys = False
    return pairs(yaml.load(io.StringIO(text)))


def same(left: object, right: object) -> bool:
    """Equal values of equal types; NaN equals itself."""
    if type(left) is not type(right):
        return False
    if isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, float) and isinstance(right, float) and math.isnan(left):
        return math.isnan(right)
    return left == right


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**32))
def test_documents_mean_what_ruamel_says(seed: int) -> None:
    # ruamel.yaml reads a leading zero as a decimal number; by our contract it is text (see test_scalars).
    text = generate(seed).text.replace("010", "o10")
    (document,) = read(text).documents
    assert document.root is not None
    assert same(plain(document.root), through_ruamel(text))


#: Where ruamel.yaml, although asked for YAML 1.2, keeps more than its core schema, or we say less by contract:
#: leading zeros, underscores, binary numbers, signs before 0x and 0o, dates, `=`; exponents without digits before.
OTHERWISE = re.compile(
    r"[-+]?0[0-9].*|.*_.*|[-+]?0b.*|[-+]0[xo].*|\d{4}-\d.*|=|[-+]?0[xo]?|[-+]?\..*|.*[eE].*\..*", re.S
)


@settings(max_examples=examples(150), deadline=None)
@given(
    st.one_of(
        st.from_regex(r"[-+]?[0-9]{1,4}(\.[0-9]{0,3})?([eE][-+]?[0-9]{1,2})?", fullmatch=True),
        st.from_regex(r"0[xo][0-9a-fA-F]{1,6}", fullmatch=True),
        st.sampled_from(
            ["true", "True", "TRUE", "tRUE", "null", "~", "nul", "yes", "no", "on", "off", "y", ".inf", "-.inf", ".NaN"]
        ),
        st.text("0123456789.eExo+-abfnu", min_size=1, max_size=6).filter(lambda text: not text.startswith("-")),
    )
)
def test_scalars_mean_what_ruamel_says(text: str) -> None:
    if OTHERWISE.fullmatch(text) and text not in {".inf", "-.inf", ".NaN"}:
        return
    (document,) = read(f"a: {text}\n").documents
    assert document.root is not None
    assert same(plain(document.root), through_ruamel(f"a: {text}\n"))


def test_the_generator_writes_what_it_should() -> None:
    """So that a change of the generator cannot hollow out the tests above."""
    texts = [generate(seed).text for seed in range(300)]
    joined = "".join(texts)
    for piece in ["\r\n", "&n", "*n", "|", "[", "{", " # ", "'", '"', "😀", ":\n", "- -"]:
        assert piece in joined
