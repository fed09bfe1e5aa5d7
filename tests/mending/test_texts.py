"""What is changed in the text, and that nothing else is: expected texts are written by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from momlint.lint import Options
from momlint.mending.mend import Mended, Mending
from momlint.source.patching import comments
from tests.mending.test_damages import FILE, mend

HEAD = """\
momlint: 1  # a triangle
brokers: {1: , 2: , 3: }
links:
  - {between: [1, 2]}
  - {between: [1, 3]}
  - {between: [2, 3]}
"""
COLOURS = """\
failures:
  colours: {1: [], 2: [1--2], 3: [1--3], 4: [2--3]}
  recovery:
"""
#: Right rows, in several layouts, with comments.
RIGHT = """\
    1:   # the first
      - {to: 2, via: 2, colours: [1, 3, 4]}   # straight on
      - {to: 3,   via: "3", colours: [ 1, 2,4 ]}
      - to: 2        # around
        via: 3
        colours:
          - 2  # only then

      # the last of broker 1
      - {to: 3, via: 2, colours: [3]}
    2: [{to: 1, via: 1, except: [2]}, {to: 1, via: 3, colours: [2]},
        {to: 3, via: 3, except: [4]}, {to: 3, via: 1, colours: [4]}]
    3:
      - to: 1
        via: 1
        except: [3]
      - {to: 1, via: 2, colours: [3]}
      - {to: 2, via: 2, except: [4]}
      - {to: 2, via: 1, colours: [4]}
"""
#: Damage: what stands in the right text, and what instead. What mends it is the right text, but for the last item.
DAMAGES: dict[str, tuple[str, str, str | None]] = {
    "a wrong next hop": ("via: 2, colours: [1, 3, 4]}", "via: 3, colours: [1, 3, 4]}", None),
    "a wrong next hop in a row of several lines": ("        via: 3\n", "        via: 2\n", None),
    "a wrong next hop in quotes": ('via: "3", colours: [ 1', 'via: "2", colours: [ 1', "via: 3, colours: [ 1"),
    "a colour is missing": ("colours: [1, 3, 4]", "colours: [1, 4]", None),
    "the first colour is missing": ("colours: [1, 3, 4]", "colours: [3, 4]", None),
    "the last colour is missing": ("[ 1, 2,4 ]", "[ 1, 2 ]", "[ 1, 2, 4 ]"),
    "a colour too many": ("to: 3, via: 2, colours: [3]}", "to: 3, via: 2, colours: [3, 4]}", None),
    "a colour too many in several lines": (
        "          - 2  # only then\n",
        "          - 1\n          - 2  # only then\n",
        None,
    ),
    "an exception is missing": ("via: 1, except: [2]}", "via: 1, except: []}", None),
    "an exception too many": ("via: 3, except: [4]}, {to: 3, via: 1", "via: 3, except: [1, 4]}, {to: 3, via: 1", None),
    "a row is missing": (
        "      - {to: 2, via: 1, colours: [4]}\n",
        "",
        "      - {to: 2, via: 1, colours: [4]}\n",
    ),
    "a row is missing in brackets": (", {to: 1, via: 3, colours: [2]},\n", ",\n", ", {to: 1, via: 3, colours: [2]},\n"),
    "a row too many": (
        "      # the last of broker 1\n",
        "      # the last of broker 1\n      - {to: 2, via: 1, colours: [1]}   # nonsense\n",
        None,
    ),
    "a row too many in brackets": ("    2: [{to: 1", "    2: [{to: 1, via: 3, colours: [1]}, {to: 1", None),
}


@pytest.mark.parametrize("name", DAMAGES)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_recovery_rows(name: str, line_end: str) -> None:
    old, new, mended_to = DAMAGES[name]
    whole = HEAD + COLOURS + RIGHT
    assert whole.count(old) == 1
    text = whole.replace(old, new).replace("\n", line_end)
    mended, after = mend(text)
    assert after == whole.replace(old, old if mended_to is None else mended_to).replace("\n", line_end)
    assert mended.rows == 1
    assert mended.left == [finding for finding in mended.left if finding.severity == "note"]


def test_right_rows_stay() -> None:
    mended, after = mend(HEAD + COLOURS + RIGHT)
    assert not mended.contents
    assert after == HEAD + COLOURS + RIGHT
    assert mended.gone == []


@pytest.mark.parametrize(
    ("table", "mended_to"),
    [
        # A destination moves to the row of its next hop, or to a new one; a row for it alone gets another.
        ("{2: [2, 3]}", "{2: [2], 3: [3]}"),
        ("{2: [2], 3: [3, 2]}", "{2: [2], 3: [3]}"),
        ("{2: [2]}", "{2: [2], 3: [3]}"),
        ("{3: [2, 3]}  # turned", "{3: [3], 2: [2]}  # turned"),
        ("\n      2: [2]  # right\n      1: [3]", "\n      2: [2]  # right\n      3: [3]"),
        ("\n      2:\n        - 2\n        - 3  # wrong\n      3: []", "\n      2:\n        - 2\n      3: [3]"),
    ],
)
def test_given_rows(table: str, mended_to: str) -> None:
    text = HEAD + "routing:\n  protocol: tables\n  tables:\n"
    text += "    1: {}\n    2: {1: [1], 3: [3]}\n    3: {1: [1], 2: [2]}\n"
    damaged, right = (text.replace("1: {}", f"1: {rows}") for rows in (table, mended_to))
    _, after = mend(damaged)
    assert after == right


def test_a_static_row_that_loops_goes_or_is_turned() -> None:
    text = HEAD + "routing:\n  tables:\n    1: {2: [3]}  # the long way\n    2: {1: [3]}\n"
    _, after = mend(text)
    assert after == HEAD + "routing:\n  tables:\n    1: {3: [3]}  # the long way\n    2: {3: [3]}\n"


STATIC = HEAD + "topics: {t: {publishers: [1], subscribers: [3]}}\n"
TOLERATE = "failures: {tolerate: single-link}\n"
#: A static row for 3 holds in whatever fails, and in each failure that cuts its way it is wrong; so it goes.
EMPTIED = {
    "the tables": (
        "routing:\n  protocol: shortest-path\n  tables:\n    1:\n      2: [3]\n",
        "routing:\n  protocol: shortest-path\n",
    ),
    "the whole section": ("routing:\n  tables:\n    1:\n      2: [3]\n    2:\n      1:\n        - 3\n", ""),
    "in braces": (
        "routing: {protocol: shortest-path, tables: {1: {2: [3]}}}\n",
        "routing: {protocol: shortest-path}\n",
    ),
    "the table of one broker": (
        "routing:\n  tables:\n    1:  # of 1\n      2: [3]\n    3: {}  # of 3\n",
        "routing:\n  tables:\n    3: {}  # of 3\n",
    ),
}


@pytest.mark.parametrize("name", EMPTIED)
def test_nothing_empty_is_left(name: str) -> None:
    """With the last row of a table its key goes, and with the last table the section."""
    wrong, right = EMPTIED[name]
    mended, after = mend(STATIC + wrong + TOLERATE)
    assert after == STATIC + right + TOLERATE
    assert mended.gone


def test_a_double_link_goes() -> None:
    double = HEAD.replace(
        "  - {between: [2, 3]}\n", "  - {between: [2, 3]}  # kept\n  - { between: [3, 2] }  # again\n"
    )
    mended, after = mend(double)
    assert after == HEAD.replace("  - {between: [2, 3]}\n", "  - {between: [2, 3]}  # kept\n")
    assert [finding.code for finding in mended.gone] == ["MOM105"]


def test_links_of_one_name_that_differ_stay() -> None:
    text = HEAD + "  - {between: [3, 2], cost: 5}\n"
    mended, after = mend(text)
    assert after == text
    assert "MOM105" in {finding.code for finding in mended.left}


@pytest.mark.parametrize(
    ("comment", "mended_to"),
    [
        ("  # momlint: ignore[MOM302] once it looped", ""),
        ("  # momlint: ignore[MOM105, MOM302]", "  # momlint: ignore[MOM105]"),
        # Whoever wrote these meant something; nobody knows what.
        ("  # momlint: ignore[MOM105, MOM999]", "  # momlint: ignore[MOM105, MOM999]"),
    ],
)
def test_unused_comments(comment: str, mended_to: str) -> None:
    text = HEAD + "  - {between: [3, 2], cost: 5}" + comment + "\n"
    if "MOM105" not in comment:
        text = HEAD + "topics: {}" + comment + "\n"
    _, after = mend(text)
    assert after == text.replace(comment, mended_to)


def test_a_comment_on_a_line_of_its_own() -> None:
    _, after = mend(HEAD + "# momlint: ignore[forwarding-loop]\ntopics: {}\n")
    assert after == HEAD + "topics: {}\n"


def test_what_a_comment_silences_is_left_alone() -> None:
    broken = RIGHT.replace(
        "via: 2, colours: [1, 3, 4]}   #", "via: 3, colours: [1, 3, 4]}  # momlint: ignore[MOM3, MOM4]"
    )
    mended, after = mend(HEAD + COLOURS + broken)
    assert after == HEAD + COLOURS + broken
    assert mended.gone == []


def test_what_is_included_is_mended_where_it_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    main = HEAD + "include: [parts/*.yaml]\n"
    broken = RIGHT.replace("via: 2, colours: [1, 3, 4]}", "via: 3, colours: [1, 3, 4]}")
    (tmp_path / "parts").mkdir()
    (tmp_path / "main.mom.yaml").write_text(main)
    (tmp_path / "parts" / "rows.yaml").write_text("# rows\n" + COLOURS + broken)
    mending = Mending(Options())
    results = mending.mend(["main.mom.yaml", "parts/rows.yaml"])
    assert [one.file for one in results] == ["main.mom.yaml"]
    assert results[0].contents == {"parts/rows.yaml": ("# rows\n" + COLOURS + RIGHT).encode()}


def test_an_estate_that_shares_the_file_is_not_harmed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The row that is wrong for one of two estates is right for the other, which has no link there."""
    monkeypatch.chdir(tmp_path)
    rows = "routing:\n  protocol: tables\n  tables:\n"
    rows += "    1: {2: [2], 3: [3]}\n    2: {1: [1], 3: [3]}\n    3: {1: [1, 2]}\n"
    (tmp_path / "rows.yaml").write_text(rows)
    (tmp_path / "one.mom.yaml").write_text(HEAD + "include: [rows.yaml]\n")
    line = HEAD.replace("  - {between: [2, 3]}\n", "")
    (tmp_path / "two.mom.yaml").write_text(
        line + "include: [rows.yaml]\ntopics: {t: {publishers: [3], subscribers: [2]}}\n"
    )
    alone = Mending(Options()).mend(["one.mom.yaml"])[0]
    assert b"2: [2]" in alone.contents["rows.yaml"], "by itself it is mended"
    both = Mending(Options()).mend(["one.mom.yaml", "two.mom.yaml"])
    assert [one.contents for one in both] == [{}, {}]


def test_a_byte_order_mark_and_no_last_line_end_stay() -> None:
    whole = "\ufeff" + (HEAD + COLOURS + RIGHT).rstrip("\n")
    _, after = mend(whole.replace("via: 2, colours: [1, 3, 4]}", "via: 3, colours: [1, 3, 4]}"))
    assert after == whole


def test_rows_from_an_anchor_are_left_alone() -> None:
    text = HEAD + COLOURS + RIGHT.replace("{to: 2, via: 2, colours: [1, 3, 4]}", "{to: 2, via: 3, <<: *c}")
    text = text.replace("momlint: 1", "x-common: &c {colours: [1, 3, 4]}\nmomlint: 1")
    mended, after = mend(text)
    assert after == text
    assert mended.left != []
    assert mended.notes == [
        "estate.yaml: a mend was found and cannot be written: part of the row comes from an anchor or a merge key"
    ]


def test_why_a_mend_is_not_offered() -> None:
    """The message that goes round would arrive, but by two links where one is allowed."""
    text = HEAD.replace("  - {between: [1, 3]}\n", "") + (
        "topics: {t: {publishers: [1], subscribers: [3], max_hops: 1}}\n"
        "routing:\n  protocol: tables\n  tables: {1: {2: [2, 3]}, 2: {1: [1, 3]}, 3: {2: [1, 2]}}\n"
    )
    mended, after = mend(text)
    assert after == text
    assert mended.notes == [
        "estate.yaml: a mend is not offered, for it would bring MOM602: topic `t` allows 1 hop, and `1` to `3` takes 2"
    ]


def safely(text: str) -> tuple[Mended, str]:
    mending = Mending(Options(), {FILE: text.encode()}, safe=True)
    (mended,) = mending.mend([FILE])
    return mended, mending.contents[FILE].decode()


@pytest.mark.parametrize("name", DAMAGES)
def test_what_is_safe_keeps_comments(name: str) -> None:
    """One damage puts a row with a comment in, and only without --safe they go; all others are mended as ever."""
    old, new, _ = DAMAGES[name]
    text = (HEAD + COLOURS + RIGHT).replace(old, new)
    mended, after = safely(text)
    if "nonsense" not in text:
        assert after == mend(text)[1] != text
        return
    assert after == text
    assert mended.notes == [
        "estate.yaml: a mend was found and cannot be written: a comment would go with it; without --safe it is made"
    ]


def test_what_is_safe_takes_nothing_away_and_names_nothing() -> None:
    loop = (
        "momlint: 1\nbrokers: {a: , b: }\nrouting: {protocol: relay, guard: {split_horizon: connection}}\n"
        "links: [{id: x, between: [a, b]}, {id: y, between: [b, a]}]\n"
    )
    assert mend(loop)[1] != loop
    mended, after = safely(loop)
    assert after == loop
    assert [note.partition(": what")[0] for note in mended.notes] == ["estate.yaml:4: MOM801 is not mended"]
    wildcard = (
        "momlint: 1\nbrokers: {a: , b: }\nrouting: {protocol: relay}\n"
        'links: [{from: a, to: b, topics: [{filter: "x/*"}]}]  # of a\n'
    )
    assert safely(wildcard)[1] == wildcard.replace("x/*", "x/+")
    idle = HEAD + "topics: {}  # momlint: ignore[MOM302]\n"
    assert safely(idle)[1] == HEAD + "topics: {}\n"


def test_comments() -> None:
    text = 'a: \'#no\' # one\n# two\nb: "\\" # no"\nc: x#no\nd: [1,   #three \n 2]\n'
    assert comments(text) == ["# one", "# two", "#three"]
