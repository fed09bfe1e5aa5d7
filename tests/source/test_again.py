"""Reading a changed text with the tree of the text before gives what reading it whole gives."""

from __future__ import annotations

import random

import pytest

from momlint.source import Node, ReadingLimits, ScalarNode, SequenceNode, Source, again, read_source, reader
from momlint.source.composing import Region
from momlint.source.decoding import Text
from momlint.source.nodes import AliasUse
from momlint.source.readers import Readings
from tests.budget import ALL
from tests.source.emitting import generate
from tests.source.reading import read

LIMITS = ReadingLimits(depth=12, alias_nodes=2_000, merged_entries=200)

ESTATE = """\
# a comment
momlint: 1
brokers:
  1:
  2: {site: x}   # why
  3:
    site: y
links:
- {between: [1, 2]}
- {between: [2, 3], cost: 4}  # momlint: ignore[MOM4]
- between: [1, 3]
  cost: 2
topics:
  a: {publishers: [1], subscribers: [2, 3]}
  "b c":
    publishers: [1]
    subscribers:
      - 2
      - 3
failures:
  colours:
    none: []
    x: [1--2]
  recovery:
    1:
      - {to: 2, via: 3, colours: [x]}
      - {to: 3, via: 2, colours:
          [x]}

      # momlint: ignore[MOM3]
      - to: 3
        via: 3
        except: [x]
    2:
specs:
  - name: |
      text
        more
    ctl: >-
      AG x
  - {ctl: 'a
      b', name: "c\\
      d"}
"""
TIED = """\
x-base: &base {cost: 2, latency_ms: 3}
x-list: &list [1, 2, 3]
links:
  - {<<: *base, between: [1, 2]}
  - <<: *base
    between: [2, 3]
  - &last
    between: [3, 4]
topics:
  a:
    publishers: *list
    subscribers: [1]
  b:
    publishers: &own
      - 1
      - 2
    subscribers: *own
  c: !!map
    publishers: [!!str 1]
d:
  <<: [*base, *last]
  cost: 7
  e: *last
"""
DOCUMENTS = (
    "# head\n"
    + ESTATE
    + "---\n"
    + TIED
    + "...\n# between\n---\na: 1\nb:\n  - c\n  - d\n--- # last\n- e\n-\n- f: 1\n  g:\n"
)
#: What is put in: what begins, ends and joins things in YAML.
PIECES = [
    *"-:?,[]{}&*!|>'\"%@`#~x1 \t\n\r\f\u2028\x85\ufeff\x07",
    "\n",
    "\n",
    "\r\n",
    "- ",
    ": ",
    "? ",
    " #",
    "\n#",
    "\n---\n",
    "\n...\n",
    "\n- ",
    "\n  - ",
    "\n    - x\n",
    "\n  a: 1\n",
    "\nbrokers: 1",
    "<<: *base",
    "&base ",
    "*base",
    "*list",
    "!!str ",
    "|\n",
    ">+\n",
    "{{ x }}",
    "# momlint: ignore[MOM1]",
    "\n  # momlint: ignore[MOM1]\n",
    "{a: b}",
    "[a, b]",
    "'a b'",
    '"a\\\n b"',
    "a\n b",
    "[[[[[[[[[[[[[[",
    "é",
    "😀",
]


def shape(source: Source) -> object:
    """All that a reader tells, aliases by the place of what they name."""
    return (
        [(one.index, one.span, one.root and node_shape(one.root)) for one in source.documents],
        source.problems,
        source.suppressions,
        source.unreadable,
        source.lines,
    )


def node_shape(root: Node) -> object:
    places: dict[int, int] = {}

    def of(node: Node | AliasUse) -> object:
        place = (node.start_line, node.start_column, node.end_line, node.end_column)
        if isinstance(node, AliasUse):
            # What it names has been met.
            return place, "alias", places[id(node.target)]
        places[id(node)] = len(places)
        if isinstance(node, ScalarNode):
            return place, node.text, node.style
        children = [of(child) for child in node.children]
        if isinstance(node, SequenceNode):
            return place, "list", children, [places[id(item)] for item in node.items]
        entries = [(one.key.text, places[id(one.value)], one.span, one.alias, one.via) for one in node.entries]
        return place, "mapping", children, entries

    return of(root)


def edited(rng: random.Random, text: str) -> str:
    """The text with one stretch replaced, put in or taken out."""
    start = rng.randrange(len(text) + 1)
    kind = rng.random()
    if kind < 0.15:  # a whole line, or several
        ends = [0, *(at + 1 for at, letter in enumerate(text) if letter == "\n"), len(text)]
        first = rng.randrange(len(ends))
        last = min(first + rng.choice([0, 1, 1, 1, 2, 5]), len(ends) - 1)
        other = rng.randrange(len(ends))
        lines = text[ends[other] : ends[min(other + 1, len(ends) - 1)]]
        return text[: ends[first]] + (lines if rng.random() < 0.7 else "") + text[ends[last] :]
    stop = start if kind < 0.55 else min(start + rng.choice([1, 1, 1, 2, 3, 8, 40]), len(text))
    piece = rng.choice(PIECES) if rng.random() < 0.8 else ""
    if rng.random() < 0.15:
        other = rng.randrange(len(text) + 1)
        piece = text[other : other + rng.randrange(30)]
    return text[:start] + piece + text[stop:]


def session(rng: random.Random, text: str, edits: int) -> int:
    """Edit a text again and again; how many readings took something from the one before."""
    built = 0
    before = read_source(text.encode(), "a", limits=LIMITS)
    good = text
    for _ in range(edits):
        text = edited(rng, text)
        data = text.encode()
        base = before if before.can_be_read_again else None
        found = read_source(data, "a", limits=LIMITS, before=base)
        assert shape(found) == shape(read_source(data, "a", limits=LIMITS)), (good, text)
        if base is not None:
            built += bool(nodes(found) & nodes(base))
            # Nothing of the reading before has changed.
            assert shape(base) == shape(read_source(good.encode(), "a", limits=LIMITS)), (good, text)
        if found.can_be_read_again:
            before, good = found, text
        elif rng.random() < 0.8:
            text = good  # what is broken is put right
    return built


def nodes(source: Source) -> set[int]:
    """The nodes next to the roots of documents, by identity."""
    roots = [one.root for one in source.documents]
    return {id(child) for root in roots if root and not isinstance(root, ScalarNode) for child in root.children}


def a_text(rng: random.Random) -> str:
    kind = rng.randrange(6)
    if kind < 3:
        text = (ESTATE, TIED, DOCUMENTS)[kind]
        return text.replace("\n", "\r\n") if rng.random() < 0.1 else text
    return generate(rng.randrange(1 << 32)).text


def test_random_edits() -> None:
    rng = random.Random(43)
    built = 0
    for _ in range(2000 if ALL else 25):
        built += session(rng, a_text(rng), 25)
    assert built > (5_000 if ALL else 40)  # of 50,000 and of 625: most edits leave nothing that can be built on


@pytest.mark.slow
def test_more_random_edits() -> None:
    rng = random.Random(1943)
    assert sum(session(rng, a_text(rng), 25) for _ in range(150)) > 400


#: An edit of `ESTATE`, and what is parsed of the new text.
PARTS = [
    pytest.param(
        "to: 3, via: 2",
        "to: 3, via: 1",
        "      - {to: 3, via: 1, colours:\n          [x]}\n\n      # momlint: ignore[MOM3]\n",
        id="an item, and the comments behind it",
    ),
    pytest.param("  cost: 2\n", "  cost: 5\n", "  cost: 5\n", id="the last entry of an item"),
    pytest.param("cost: 4}", "cost: 4, id: x}", "- {between: [2, 3], cost: 4, id: x}  # momlint: ignore[MOM4]\n"),
    pytest.param(
        "  2: {site", "  7:\n  2: {site", "  1:\n  7:\n  2: {site: x}   # why\n", id="a line put in, between two"
    ),
    pytest.param("      - 3\n", "", "      - 2\n", id="the last item taken out"),
    pytest.param('"c\\\n', '"d\\\n', "  - {ctl: 'a\n      b', name: \"d\\\n      d\"}\n", id="a text over two lines"),
    pytest.param("# why", "# because", "  2: {site: x}   # because\n", id="a comment behind an entry"),
    pytest.param("# a comment\n", "# a\n# comment\n\n", None, id="comments before everything"),
]


@pytest.mark.parametrize(("old", "new", "expected"), PARTS)
def test_what_is_parsed_again(monkeypatch: pytest.MonkeyPatch, old: str, new: str, expected: str | None) -> None:
    parsed: list[str] = []
    part = again.compose_part

    def noted(text: Text, start: int, stop: int, limits: ReadingLimits, *, under_key: bool) -> Region | None:
        parsed.append(text.text[start:stop])
        return part(text, start, stop, limits, under_key=under_key)

    def whole(*_: object) -> list[Region]:
        raise AssertionError("it is read whole")

    assert ESTATE.count(old) == 1
    before, text = read(ESTATE), ESTATE.replace(old, new)
    as_whole = shape(read(text))
    monkeypatch.setattr(again, "compose_part", noted)
    monkeypatch.setattr(reader, "compose", whole)
    assert shape(read_source(text.encode(), "a.yaml", before=before)) == as_whole
    assert parsed == ([] if expected is None else [expected])


#: Edits that say more of the rest of a text than meets the eye.
FAR = [
    pytest.param("a:\n  b: 1\n  c: 2\nd: 3\n", "  b: 1", "  b: |", id="a block of text begins"),
    pytest.param("a:\n  - b: x\n  - c\nd: 3\n", "b: x", "b: 'x", id="a quote is opened"),
    pytest.param("a:\n  - b\n  - c\n", "  - b", "  - [b", id="a bracket is opened"),
    pytest.param("a:\n  - b\n  - c\n", "  - b", "    - b", id="indented more"),
    pytest.param("a:\n  - b\n  - c\n  - d\n", "  - c", "    c", id="an item becomes a part of the one before"),
    pytest.param("a: 1\nb: 2\nc: 3\n", "b: 2", "a: 2", id="a key twice"),
    pytest.param("a: &x 1\nb: 2\nc: *x\n", "&x 1", "&x 5", id="what an anchor names"),
    pytest.param("a: &x\n  k: 1\nb: 2\nc: *x\n", "k: 1", "k: 5", id="below what an anchor names"),
    pytest.param("a: &x 1\nb: 2\nc: *x\n", "b: 2", "b: &x 2", id="an anchor anew"),
    pytest.param("a: &x 1\nb: 2\nc: *x\n", "b: 2", "b: 2\nbb: 3", id="aliases move"),
    pytest.param("a: &x {k: 1}\nb: {l: 2}\nc: 1\n", "b: {l: 2}", "b: {l: 2, <<: *x}", id="a merge key"),
    pytest.param("a: 1\nb: 2\n", "b: 2", "b: 2\n---\nc: 3", id="another document"),
    pytest.param("a: 1\nb: 2\n---\nc: 3\n", "\n---", "\n", id="two documents become one"),
    pytest.param("a: 1\nb: 2\n---\nc: 3\n---\nd: 1\n", "b: 2", "b: 2\nbb: 2", id="documents move"),
    pytest.param("a: 1\nb: 2\n", "b: 2", "b: 2\n...\n%YAML 1.2", id="a directive"),
    pytest.param("a: 1\nb:\n  - c\n", "- c", "- c\u2028- d", id="U+2028"),
    pytest.param("a: 1\nb:\n  - c\n", "- c", "- c\f- d", id="a form feed"),
    pytest.param("a: 1\nb:\n  - c\n", "- c", "- c\r  - d", id="a carriage return"),
    pytest.param("a: 1\r\nb: 2\r\nc: 3\r\n", "b: 2\r\n", "b: 2\r", id="half a line end"),
    pytest.param("a: 1\nb: 2\nc: 3\n", "\nb", "\n\ufeffb", id="a byte order mark"),
    pytest.param("a: 1\nb:\n  - c\n", "  - c", "\t- c", id="a tab"),
    pytest.param("a: 1\nb:\n- c\nd: 1\n", "- c", "- c\ne: 1", id="a key behind items indented as it"),
    pytest.param("# momlint: ignore[MOM1]\na: 1\nb: 2\n", "\na", "\n# x\n\na", id="a comment and its line"),
    pytest.param("a: 1\nb: {{ x }}\nc: 1\n", "c: 1", "c: {{ y }}", id="templates"),
    pytest.param("a: 1\nb: 2\n", "b: 2", "b: [[[[[[[[[[[[[[1]]]]]]]]]]]]]]", id="too deep"),
]


@pytest.mark.parametrize(("text", "old", "new"), FAR)
def test_what_changes_more(text: str, old: str, new: str) -> None:
    changed = text.replace(old, new, 1)
    assert changed != text
    before = read_source(text.encode(), "a", limits=LIMITS)
    found = read_source(changed.encode(), "a", limits=LIMITS, before=before)
    assert shape(found) == shape(read_source(changed.encode(), "a", limits=LIMITS))


def test_readings_keep_what_is_read() -> None:
    readings = Readings(most=3 * len(ESTATE))
    data = ESTATE.encode()
    first = readings(data, "a.yaml")
    assert readings(data, "a.yaml") is first
    broken = readings(data + b"x: [", "a.yaml")
    assert [one.code for one in broken.problems] == ["MOM101"]
    # What is put right is built on what was right before.
    right = readings(data + b"x: 1", "a.yaml")
    assert nodes(right) & nodes(first)
    assert shape(right) == shape(read(data + b"x: 1"))
    for name in ("b.yaml", "c.yaml", "d.yaml"):
        readings(data, name)
    assert readings(data, "d.yaml") is readings(data, "d.yaml")
    assert readings(data, "a.yaml") is not first
