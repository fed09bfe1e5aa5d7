"""Files that bring in other files."""

from __future__ import annotations

from pathlib import Path

import pytest

from momlint.estate import LoadedEstate, load_source, read_file
from momlint.findings import Place, Position, Span
from tests.estate.marks import load, unmark

MAIN = """\
momlint: 1
brokers: {1: , 2: }
links: [{between: [1, 2]}]
include: [INCLUDE]
"""


def one(include: str, **files: str) -> LoadedEstate:
    """The main estate with an `include`, and files beside it (``__`` in a name is a dot)."""
    (loaded,) = load(MAIN.replace("INCLUDE", include), {name.replace("__", "."): text for name, text in files.items()})
    return loaded


def test_sections_come_together_in_the_order_they_were_read() -> None:
    """A pattern is sorted; every section may stand in every file; `Place.document` counts documents."""
    loaded = one(
        '"t*.yaml", more.yaml',
        t2__yaml="topics: {b: {publishers: [3]}}\nbrokers: {3: }\n",
        t1__yaml="topics: {a: {publishers: [3]}}\n---\nlinks: [{between: [3, 2]}]\n",
        more__yaml="momlint: 1\nname: ignored beside the main name\nfailures: {tolerate: single-link}\n",
    )
    assert loaded.problems == []
    assert [source.file for source in loaded.sources] == ["estate.yaml", "t1.yaml", "t2.yaml", "more.yaml"]
    estate = loaded.estate
    assert estate is not None
    assert [broker.id for broker in estate.brokers] == ["1", "2", "3"]
    assert [topic.name for topic in estate.topics] == ["a", "b"]
    assert [link.place for link in estate.links] == [Place(0, ("links", 0)), Place(2, ("links", 0))]
    assert estate.tolerate is not None
    assert (estate.tolerate.links, estate.tolerate.brokers) == (1, 0)
    file, span, via = loaded.locate(estate.brokers[2].place._replace(part="key"))
    assert (file, span, via) == ("t2.yaml", Span(Position(2, 11), Position(2, 12)), ())
    assert loaded.locate(Place(2, ("links", 0, "between", 1)))[1] == Span(Position(3, 23), Position(3, 24))


@pytest.mark.parametrize(
    ("section", "what"),
    [
        ("brokers: {3: , ⟦2⟧: {site: x}}", "broker `2`"),
        ("topics: {⟦a⟧: {publishers: [2]}}", "topic `a`"),
        ("links: [{id: ⟦f⟧, between: [1, 2]}]", "link `f`"),
        ("routing: {⟦protocol⟧: tables}", "`routing.protocol`"),
        ("routing: {tables: {⟦1⟧: {2: [2]}}}", "the table of broker `1`"),
        ("failures: {⟦tolerate⟧: none}", "`failures.tolerate`"),
        ("failures: {colours: {⟦1⟧: []}}", "colour `1`"),
        ("failures: {recovery: {⟦1⟧: []}}", "the recovery table of broker `1`"),
        ("failures: {⟦recovery⟧: {file: x.csv}}", "`failures.recovery`"),
        ("failures: {takeover: {⟦1⟧: 2}}", "the takeover of broker `1`"),
    ],
)
def test_declared_twice(section: str, what: str) -> None:
    """MOM103 at the second, with the first as related; the first counts."""
    main = """\
momlint: 1
brokers: {1: , ⟪2⟫: }
topics: {a: {publishers: [1]}}
links: [{id: f, between: [1, 2]}]
routing: {protocol: shortest-path, tables: {1: {2: [2]}}}
failures:
  tolerate: {links: 1}
  colours: {1: [f]}
  recovery: {1: [{to: 2, via: 2, colours: [1]}]}
  takeover: {1: 2}
include: [more.yaml]
"""
    text, (span,), _ = unmark(section)
    (loaded,) = load(unmark(main).text, {"more.yaml": text})
    (problem,) = loaded.problems
    assert (problem.code, problem.file, problem.span) == ("MOM103", "more.yaml", span)
    assert problem.message == f"{what} is declared twice; the first declaration counts"
    (related,) = problem.related
    assert related.file == "estate.yaml"
    if what == "broker `2`":
        assert related.span == unmark(main).related[0]
    estate = loaded.estate
    assert estate is not None
    assert estate.brokers[1].site is None
    assert estate.topics[0].publishers == (0,)
    assert estate.protocol == "shortest-path"
    assert estate.tolerate is not None
    assert estate.tolerate.links == 1
    assert estate.colours[0].failed_links == (0,)
    assert estate.recovery_rows is not None
    assert estate.takeover == {0: (1,)}


@pytest.mark.parametrize(
    ("include", "message"),
    [
        ("⟦nowhere.yaml⟧", "`nowhere.yaml` cannot be read: no such file or directory"),
        ('⟦"none*.yaml"⟧', "no file matches `none*.yaml`"),
        ("⟦./estate.yaml⟧", "`./estate.yaml` includes the file itself"),
        ('⟦"est*.yaml"⟧', "`est*.yaml` includes the file itself"),
        ("⟦sub/x.yaml⟧, fine.yaml", "`sub/x.yaml` cannot be read"),
    ],
)
def test_includes_that_bring_nothing(include: str, message: str) -> None:
    """MOM102 at the entry; what is missing for it is no second finding."""
    main = "momlint: 1\nbrokers: {1: }\ninclude: [INCLUDE]\ntopics: {a: {publishers: [9]}}\n"
    text, (span,), _ = unmark(main.replace("INCLUDE", include))
    if "itself" in message:
        text = text.replace("[9]", "[1]")
    (loaded,) = load(text, {"fine.yaml": "brokers: {2: }", "estate.yaml": text})
    (problem,) = loaded.problems
    assert (problem.code, problem.file, problem.span) == ("MOM102", "estate.yaml", span)
    assert message in problem.message
    assert loaded.estate is not None


def test_includes_within_includes() -> None:
    """A path is relative to the file that names it; a circle is refused where it closes."""
    loaded = one(
        "sub/a.yaml",
        **{
            "sub/a.yaml": "include: [b.yaml]\n",
            "sub/b.yaml": "brokers: {3: }\ninclude:\n  - c/c.yaml\n",
            "sub/c/c.yaml": "topics: {t: {publishers: [3]}}\ninclude: [../b.yaml]\n",
        },
    )
    assert [source.file for source in loaded.sources] == [
        "estate.yaml",
        "sub/a.yaml",
        "sub/b.yaml",
        "sub/c/c.yaml",
    ]
    (problem,) = loaded.problems
    assert (problem.code, problem.file) == ("MOM102", "sub/c/c.yaml")
    assert problem.span == Span(Position(2, 11), Position(2, 20))
    assert "which this file is included from" in problem.message
    assert loaded.estate is not None
    assert loaded.estate.topics[0].publishers == (2,)


def test_one_file_by_two_ways_is_read_once() -> None:
    """A shared part is no duplicate of itself."""
    loaded = one(
        'a.yaml, b.yaml, "*b.yaml"',
        a__yaml="include: [shared.yaml]",
        b__yaml="include: [shared.yaml]",
        shared__yaml="brokers: {3: }",
    )
    assert loaded.problems == []
    assert [source.file for source in loaded.sources] == ["estate.yaml", "a.yaml", "shared.yaml", "b.yaml"]


def test_what_is_wrong_in_an_included_file_is_reported_there() -> None:
    """Its own YAML, its fields and its references, under its own name; suppressions come with `sources`."""
    loaded = one(
        "a.yaml, broken.yaml, list.yaml, empty.yaml",
        a__yaml="topics:\n  a: {publishers: [1, 9], max_hop: 3}\n",
        broken__yaml="topics: {a: [\n",
        list__yaml="- 1\n",
        empty__yaml="# nothing yet\n",
    )
    found = [(problem.file, problem.code) for problem in loaded.problems]
    # The unknown broker 9 may be declared in the broken file.
    assert sorted(found, key=str) == [("a.yaml", "MOM102"), ("broken.yaml", "MOM101"), ("list.yaml", "MOM102")]
    (field,) = [problem for problem in loaded.problems if problem.file == "a.yaml"]
    assert field.span == Span(Position(2, 27), Position(2, 34))


def test_an_unknown_broker_in_an_included_file() -> None:
    """With its file, and related places in other files with theirs."""
    (loaded,) = load(
        "momlint: 1\ninclude: [a.yaml, b.yaml]\nbrokers: {1: }\n",
        {"a.yaml": "topics: {a: {publishers: [9]}}", "b.yaml": "topics: {b: {publishers: [1, 9]}}"},
    )
    (problem,) = loaded.problems
    assert (problem.code, problem.file, problem.span) == ("MOM104", "a.yaml", Span(Position(1, 27), Position(1, 28)))
    assert [(other.file, other.span) for other in problem.related] == [
        ("b.yaml", Span(Position(1, 30), Position(1, 31)))
    ]


def test_brokers_may_come_from_an_include() -> None:
    """Then the main file needs none."""
    (loaded,) = load("momlint: 1\ninclude: [b.yaml]\n", {"b.yaml": "brokers: {1: }"})
    assert loaded.problems == []
    assert loaded.estate is not None


def test_from_disk(tmp_path: Path) -> None:
    """Real files: a pattern with folders, a directory, an unreadable file, a name that is no path."""
    (tmp_path / "topics" / "deep").mkdir(parents=True)
    (tmp_path / "topics" / "b.yaml").write_text("topics: {b: }\n")
    (tmp_path / "topics" / "deep" / "a.yaml").write_text("topics: {a: }\n")
    main = tmp_path / "estate.yaml"
    main.write_text(
        'momlint: 1\nbrokers: {1: }\ninclude: ["topics/**/*.yaml", topics, "a\\0b"]\n'
        "failures: {recovery: {file: tables/all.csv}}\n"
    )
    (loaded,) = load_source(read_file(str(main)))
    assert loaded.estate is not None
    assert [topic.name for topic in loaded.estate.topics] == ["b", "a"]
    assert loaded.estate.name == "estate"
    assert loaded.estate.recovery_file == f"{tmp_path.as_posix()}/tables/all.csv"
    assert loaded.locate(loaded.estate.section_places["failures.recovery.file"])[1] == Span(
        Position(4, 29), Position(4, 43)
    )
    assert [(problem.code, problem.span.start) for problem in loaded.problems] == [
        ("MOM102", Position(3, 31)),
        ("MOM102", Position(3, 39)),
    ]
    assert "it is a folder" in loaded.problems[0].message


def test_several_documents_are_several_estates() -> None:
    """Each with its own index and problems; one that is broken does not hide the others."""
    found = load(
        "momlint: 1\nbrokers: {1: }\n---\nmomlint: 1\nname: two\nbrokers: [1]\n---\nmomlint: 1\nbrokers: {3: }\n"
    )
    assert [loaded.index for loaded in found] == [0, 1, 2]
    assert [loaded.estate is None for loaded in found] == [False, True, False]
    assert [len(loaded.problems) for loaded in found] == [0, 1, 0]
    assert found[1].problems[0].span == Span(Position(6, 10), Position(6, 13))
