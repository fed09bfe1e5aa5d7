"""An estate of which only a part has been read again is the estate of the whole text."""

from __future__ import annotations

import pytest

from momlint.access import Access
from momlint.estate.load import LoadedEstate, load_source
from momlint.source import Source, read_source

TEXT = """\
momlint: 1
brokers:
  a:
  b:
  c:
  file:
links:
  - {between: [a, b]}
  - {between: [b, c]}
  - {between: [c, a]}
routing:
  protocol: tables
  tables:
    a: {b: [b, c]}
    b: {a: [a], c: [c]}
failures:
  colours:
    x: [a--b]
    y: [b--c]
  recovery:
    a:
      - {to: b, via: c, colours: [x]}
      - {to: c, via: b, except: [x, y]}
    b: &rows
      - {to: c, via: a, colours: [y]}
    c:
      - {to: a, via: b, colours: []}
    file:
      - {to: a, via: b, colours: [x]}
"""
EDITS = [
    ("c:\n      - {to: a", "c:\n      - {to: b", "a row"),
    ("  a:\n  b:\n", "  b:\n  a:\n", "brokers in another order"),
    ("  c:\n  file:\n", "  file:\n", "a broker that rows name is gone"),
    ("  file:\nlinks", "  file:\n  z:\nlinks", "one more broker"),
    ("    x: [a--b]\n    y: [b--c]\n", "    y: [b--c]\n    x: [a--b]\n", "colours in another order"),
    ("    y: [b--c]\n", "", "a colour that rows name is gone"),
    ("    y: [b--c]\n", "    y: [b--q]\n", "a colour of something unknown"),
    ("    a:\n      - {to: b, via", "    q:\n      - {to: b, via", "the rows of an unknown broker"),
    ("c:\n      - {to: a, via: b, colours: []}", "c: *rows", "the rows of another broker"),
    ("{to: c, via: a, colours: [y]}", "{to: c, via: a}", "a row without colours"),
    ("{to: c, via: a, colours: [y]}", "{to: c, via: a, colour: [y]}", "a row with a strange key"),
    ("cost", "cost", "nothing"),
    ("- {between: [a, b]}", "- {between: [a, b], cost: x}", "something wrong elsewhere"),
    ("momlint: 1", "momlint: 2", "another version"),
    ("momlint: 1", "momlint: x", "no version"),
    ("protocol: tables", "protocol: relay", "another discipline"),
    ("b: {a: [a], c: [c]}", "b: {a: [a], c: c}", "a table that is none"),
    ("  recovery:\n", "  takeover:\n", "the key of another section"),
    ("failures:\n", "routing:\n", "a section twice"),
    ("    a: {b: [b, c]}\n", "", "a table less"),
]


def loaded(source: Source) -> LoadedEstate:
    (found,) = load_source(source, access=Access(None))
    return found


def told(found: LoadedEstate) -> tuple[object, ...]:
    return found.estate, found.problems, [(one.incomplete, one.lost, one.order) for one in found.checked]


@pytest.mark.parametrize(("old", "new"), [pytest.param(old, new, id=name) for old, new, name in EDITS])
def test_there_and_back(old: str, new: str) -> None:
    source = read_source(TEXT.encode(), "a.yaml")
    first = told(loaded(source))
    text = TEXT.replace(old, new, 1)
    again = read_source(text.encode(), "a.yaml", before=source)
    assert told(loaded(again)) == told(loaded(read_source(text.encode(), "a.yaml")))
    base = again if again.can_be_read_again else source
    back = read_source(TEXT.encode(), "a.yaml", before=base)
    assert told(loaded(back)) == first == told(loaded(source))


def test_rows_of_other_tables_are_the_same_objects() -> None:
    source = read_source(TEXT.replace("&rows", "").encode(), "a.yaml")
    first = loaded(source).estate
    text = TEXT.replace("&rows", "").replace("{between: [a, b]}", "{between: [a, b]}\n  # a comment")
    second = loaded(read_source(text.encode(), "a.yaml", before=source)).estate
    assert first is not None
    assert second is not None
    assert first.recovery_rows
    assert second.recovery_rows
    same = [one is other for one, other in zip(first.recovery_rows, second.recovery_rows, strict=True)]
    # The table of the broker that is called like the other form is read anew.
    assert same == [True, True, True, True, False]
