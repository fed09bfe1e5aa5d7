"""Where names stand, held to the places at which the resolver looks them up; and renaming, held to the verdicts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from momlint.access import Access
from momlint.disciplines import complete
from momlint.estate.load import LoadedEstate
from momlint.estate.opening import Opened, open_bytes
from momlint.estate.resolve import Resolver
from momlint.findings import Place
from momlint.lint import FleetServices, Options, lint_opened, merge
from momlint.lsp.names import uses
from momlint.lsp.renaming import Refused, rename
from momlint.source.patching import Patches

ROOT = Path(__file__).parents[2]
ESTATES = sorted(
    str(path)
    for folder in (ROOT / "examples", ROOT / "tests" / "rules")
    for path in folder.rglob("*.yaml")
    if path.stat().st_size < 20_000
)
#: One of everything that can name a broker.
ALL = """\
momlint: 1
brokers: {"1": , b: {site: b}, 'c d': , "e": }
links:
  - {between: [1, b], cost: {1->b: 1, b->1: 2}}
  - {from: b, to: 'c d'}
  - {between: ["c d", 1]}
  - {id: b--e, between: [b, e]}
groups: {duct: [1--b, b, b--e]}
topics: {t: {publishers: [1, b], subscribers: [c d]}, b: {publishers: [b], subscribers: ["1"]}}
routing: {tables: {1: {b: [b]}}}
failures:
  colours: {none: [], b: [b], x: [b->c d, 1--b], g: [duct]}
  takeover: {b: 1, 1: [b, c d]}
specs:
  - {ctl: "src = b & dest = 1 & loc = b -> AF loc = 1"}
  - {ctl: 'loc in {b, "c d"} -> topic = b'}
  - ltl: |
      G (broker1.state -> F brokerb.state)
"""


def opened_of(text: str, file: str, instead: dict[str, bytes] | None = None) -> Opened:
    access = Access.of(file)
    access = access.instead({access.identity(name): data for name, data in (instead or {}).items()})
    return open_bytes(text.encode(), file, access, lambda loaded: complete(loaded, FleetServices()))


def looked_up(
    monkeypatch: pytest.MonkeyPatch, text: str, file: str
) -> tuple[Opened, list[tuple[str, Place, Resolver]]]:
    found: list[tuple[str, Place, Resolver]] = []
    real = Resolver.broker

    def broker(self: Resolver, name: str, number: int, path: Any, part: Any = "entry") -> int | None:
        found.append((name, Place(number, path, part), self))
        return real(self, name, number, path, part)

    monkeypatch.setattr(Resolver, "broker", broker)
    return opened_of(text, file), found


@pytest.mark.parametrize("file", ESTATES, ids=lambda file: str(Path(file).relative_to(ROOT)))
def test_every_name_that_is_looked_up_is_known(monkeypatch: pytest.MonkeyPatch, file: str) -> None:
    check_looked_up(monkeypatch, Path(file).read_bytes().decode("utf-8", "replace"), file)


def test_every_name_that_is_looked_up_is_known_in_all_sections(monkeypatch: pytest.MonkeyPatch) -> None:
    check_looked_up(monkeypatch, ALL, "all.yaml")


def check_looked_up(monkeypatch: pytest.MonkeyPatch, text: str, file: str) -> None:
    opened, found = looked_up(monkeypatch, text, file)
    for loaded in opened.estates:
        if any(source.file.endswith((".conf", ".json", ".xml", ".properties")) for source in loaded.sources):
            continue
        known = {(use.name, use.file, use.span) for use in uses(loaded) if use.kind == "broker"}
        models = {id(one.model) for one in loaded.checked}
        for name, place, resolver in found:
            if {id(one.model) for one in resolver.documents} == models:
                at, span, _ = loaded.locate(place)
                assert (name, at, span) in known, (name, place)


def test_all_of_a_name_is_renamed() -> None:
    """What is a link's id, a colour, a site or a topic stays; counted by hand."""
    (loaded,) = opened_of(ALL, "all.yaml").estates
    assert not loaded.problems
    made = renamed(ALL, "b", "broker", "zürich")
    expected = ALL
    for old, new in (
        ('"1": , b: {', '"1": , zürich: {'),
        ("[1, b], cost: {1->b: 1, b->1: 2}", "[1, zürich], cost: {1->zürich: 1, zürich->1: 2}"),
        ("{from: b,", "{from: zürich,"),
        ("between: [b, e]", "between: [zürich, e]"),
        ("[1--b, b, b--e]", "[1--zürich, zürich, b--e]"),
        ("publishers: [1, b]", "publishers: [1, zürich]"),
        ("b: {publishers: [b]", "b: {publishers: [zürich]"),
        ("{1: {b: [b]}}", "{1: {zürich: [zürich]}}"),
        ("b: [b], x: [b->c d, 1--b]", "b: [zürich], x: [zürich->c d, 1--zürich]"),
        ("{b: 1, 1: [b, c d]}", "{zürich: 1, 1: [zürich, c d]}"),
        ("src = b & dest = 1 & loc = b", "src = zürich & dest = 1 & loc = zürich"),
        ('{b, "c d"} -> topic', '{zürich, "c d"} -> topic'),
        ("brokerb.state", "brokerzürich.state"),
    ):
        assert expected.count(old) == 1, old
        expected = expected.replace(old, new)
    assert made == expected


def test_a_topic_is_renamed() -> None:
    made = renamed(ALL, "b", "topic", "b/c")
    assert made == ALL.replace(", b: {publishers", ", b/c: {publishers").replace("topic = b'", 'topic = "b/c"\'')


@pytest.mark.parametrize(
    ("name", "new", "why"),
    [
        ("b", "c d", "already"),
        ("b", "e f", "no name that a specification can have"),  # brokere f.state
        ("1", "duct", "cannot be its name: group `duct` has the name of a broker"),
        ("b", "  b", "no space at its ends"),
    ],
)
def test_what_would_mean_something_else_is_refused(name: str, new: str, why: str) -> None:
    with pytest.raises(Refused, match=why):
        renamed(ALL, name, "broker", new)


def renamed(text: str, name: str, kind: str, new: str, file: str = "all.yaml") -> str:
    opened = opened_of(text, file)
    use = next(one for loaded in opened.estates for one in uses(loaded) if (one.kind, one.name) == (kind, name))

    def again(contents: dict[str, bytes]) -> Opened:
        return opened_of(contents.get(file, text.encode()).decode(), file, contents)

    def read(other: str) -> bytes:
        return text.encode() if other == file else Path(other).read_bytes()

    patches = Patches(text.encode())
    for change in rename(opened, use, new, read, again):
        assert change.file == file
        patches.replace(change.span, change.text)
    return patches.made().decode()


def names_of(loaded: LoadedEstate) -> Iterator[tuple[str, str]]:
    yield from {(use.kind, use.name) for use in uses(loaded) if use.declares}


@pytest.mark.slow
@pytest.mark.parametrize("file", ESTATES, ids=lambda file: str(Path(file).relative_to(ROOT)))
def test_renaming_changes_no_verdict(file: str) -> None:
    """Findings are the same, at the same lines; and nothing is left of the name but what it also is."""
    data = Path(file).read_bytes()
    if not data.isascii() or b"include" in data or b"config:" in data or b"file:" in data:
        pytest.skip("not one file of plain text")
    text = data.decode()
    opened = opened_of(text, file)
    if len(opened.estates) != 1 or opened.estates[0].problems or opened.source.problems:
        pytest.skip("there is something wrong with it")
    before = verdicts(text, file)
    for kind, name in sorted(names_of(opened.estates[0]))[:6]:
        new = f"new-{len(name)}"
        try:
            made = renamed(text, name, kind, new, file)
        except Refused as why:
            assert re.search("by hand", str(why)), (name, str(why))  # noqa: PT017
            continue
        assert verdicts(made, file) == before
        assert (kind, name) not in set(names_of(opened_of(made, file).estates[0]))


def verdicts(text: str, file: str) -> list[tuple[str, int]]:
    options = Options(engine="graph")
    report = merge([lint_opened(opened_of(text, file), options)], options)
    return sorted((one.code, one.span.start.line) for one in report.findings)
