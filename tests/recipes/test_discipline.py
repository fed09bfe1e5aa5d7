"""A discipline: an object with five members, and a line in `momlint.disciplines`. Here rumours, told to neighbours."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

from momlint import disciplines
from momlint.discipline import Discipline, FleetServices, Judgement, Outcome, Request
from momlint.errors import ReplayError
from momlint.estate import LoadedEstate
from momlint.findings import Draft, Proof, Report, Summary
from momlint.lint import Options, lint_bytes, merge
from momlint.routed.discipline import ROUTED
from tests.recipes.catalogue import with_rule


class Rumours:
    """Overlays whose name says so; wrong where a broker has nobody to tell."""

    name = "rumours"
    section = "brokers"

    def claims(self, loaded: LoadedEstate) -> bool:
        return loaded.estate is not None and loaded.estate.name == self.name

    def complete(self, loaded: LoadedEstate, helpers: FleetServices) -> str | None:
        return None

    def judge(self, loaded: LoadedEstate, request: Request) -> Judgement:
        return Hearsay(loaded, request)


class Hearsay:
    """The judgement of one."""

    def __init__(self, loaded: LoadedEstate, request: Request) -> None:
        assert loaded.estate is not None
        self.estate, self.selects = loaded.estate, request.selects

    def drafts(self) -> Iterator[Draft]:
        told = {end for link in self.estate.links for end in (link.tail, link.head)}
        for index, broker in enumerate(self.estate.brokers):
            if index not in told and self.selects("MOM951"):
                yield Draft("MOM951", broker.place.key, f"broker `{broker.id}` has nobody to tell")

    def disagreed(self, code: str, error: ReplayError) -> None:
        raise error

    def outcome(self, found: Collection[str]) -> Outcome:
        undecided = [Draft("MOM901", self.estate.place, "undecided: whether it is true")]
        return Outcome(Summary(brokers=len(self.estate.brokers), undecided=1), Proof(engines=("ears",)), undecided)


RUMOURS: Discipline = Rumours()
TEXT = """\
momlint: 1
name: NAME
brokers: {a: , b: , lone: }
links: [{between: [a, b]}]
"""


def judged(name: str, **options: tuple[str, ...]) -> Report:
    wanted = Options(select=options.get("select", ("MOM",)))
    return merge([lint_bytes(TEXT.replace("NAME", name).encode(), "a.yaml", wanted)], wanted)


@pytest.fixture
def with_rumours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(disciplines, "disciplines", lambda: (RUMOURS, ROUTED))
    with with_rule(tmp_path, "rumours", "MOM951", "nobody-to-tell"):
        yield


@pytest.mark.usefixtures("with_rumours")
def test_a_discipline_judges_what_it_claims() -> None:
    report = judged("rumours")
    assert [(one.code, one.span.start) for one in report.findings] == [("MOM901", (1, 1)), ("MOM951", (3, 21))]
    assert (report.summary.brokers, report.summary.undecided, report.proof.engines) == (3, 1, ("ears",))
    assert [one.code for one in judged("rumours", select=("MOM2",)).findings] == []


@pytest.mark.usefixtures("with_rumours")
def test_the_others_keep_theirs() -> None:
    report = judged("other")
    assert "MOM203" in {one.code for one in report.findings}
    assert "MOM951" not in {one.code for one in report.findings}
    assert report.summary.undecided == 0


class Gossips(Rumours):
    """What people say beside what their brokers route: a section of its own."""

    section = "people"


@pytest.mark.usefixtures("with_rumours")
def test_an_estate_is_judged_once_for_each_section(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disciplines, "disciplines", lambda: (Gossips(), ROUTED))
    assert {"MOM951", "MOM203"} <= {one.code for one in judged("rumours").findings}
    assert {"ears", "graph"} <= set(judged("rumours").proof.engines)
    assert "MOM951" not in {one.code for one in judged("other").findings}
