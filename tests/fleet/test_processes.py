"""The pool of processes: the same report as one after the other, whatever happens to a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from momlint.findings import Report
from momlint.fleet import Processes, Serial, ShardLimits, check_files
from momlint.lint import Options, lint_files
from tests.cli.estates import GOOD
from tests.fleet.estates import write_many
from tests.fleet.hanging import HANGING, hanging_site
from tests.fleet.reports import rendered
from tests.fleet.works import Obey

LIMITS = ShardLimits(seconds=60.0, memory=4 << 30)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return write_many(tmp_path_factory.mktemp("many"), 45, brokers=(4, 8), broken_every=4, fault_every=5)


def by_pool(paths: list[str], options: Options, limits: ShardLimits = LIMITS, jobs: int = 2) -> Report:
    with Processes(jobs, limits) as pool:
        return check_files(paths, options, pool, limits=limits)


@pytest.mark.slow
def test_the_report_is_that_of_one_after_the_other(many: list[str]) -> None:
    alone = lint_files(many, Options())
    codes = {finding.code for finding in alone.findings}
    assert {"MOM101", "MOM102", "MOM103", "MOM104", "MOM105", "MOM106", "MOM107", "MOM304", "MOM601"} <= codes
    expected = rendered(alone)
    assert rendered(by_pool(many, Options())) == expected
    assert rendered(by_pool(many, Options(), jobs=1)) == expected
    assert rendered(check_files(many, Options(), Serial())) == expected


def test_a_process_lives_as_long_as_the_pool() -> None:
    with Processes(1, LIMITS) as pool:
        first, second = ([said.text for said in pool.run(Obey(("pid", "pid")), [1.0, 1.0])] for _ in range(2))
    assert first == second
    assert len({*first, *second}) == 1


def test_the_order_is_that_of_the_files_given(many: list[str]) -> None:
    missing = [*many[5:0:-1], "no such file", many[0], "none either"]
    alone, together = lint_files(missing, Options()), by_pool(missing, Options())
    assert together.failures == alone.failures
    assert list(together.sources) == list(alone.sources)


def test_standard_input_is_read_here(tmp_path: Path) -> None:
    path = tmp_path / "a.mom.yaml"
    path.write_text(GOOD)
    paths = ["-", str(path)]
    with Processes(2, LIMITS) as pool:
        together = check_files(paths, Options(), pool, GOOD.encode)
    assert rendered(together) == rendered(lint_files(paths, Options(), GOOD.encode))


def test_includes_and_suppressions_are_shown_where_they_stand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "topics").mkdir()
    (tmp_path / "topics" / "one.yaml").write_text("topics:\n  lonely: {publishers: [1], subscribers: []}\n")
    for name in ("a.mom.yaml", "b.mom.yaml"):
        Path(name).write_text(f"include: [topics/*.yaml]  # momlint: ignore[MOM302]\n{GOOD}")
    paths = ["a.mom.yaml", "b.mom.yaml"]
    alone = lint_files(paths, Options())
    assert {finding.code for finding in alone.findings} == {"MOM109", "MOM201"}
    assert rendered(by_pool(paths, Options())) == rendered(alone)


@pytest.mark.slow
def test_a_file_that_hangs_is_one_undecided_and_the_rest_is_unchanged(
    many: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(hanging_site(tmp_path))  # the children of the pool take over this path
    file = tmp_path / HANGING
    file.write_text(GOOD)
    paths = many[:40]
    alone = lint_files(paths, Options())
    together = by_pool([*paths[:11], str(file), *paths[11:]], Options(), ShardLimits(seconds=3.0))
    (undecided,) = [finding for finding in together.findings if finding.code == "MOM901"]
    assert undecided.file == str(file)
    assert "stopped after 3 s" in undecided.message
    assert [finding for finding in together.findings if finding is not undecided] == alone.findings
    assert together.summary.undecided == 1
    assert together.summary.files == alone.summary.files + 1


# It ends at another place each time, and not everywhere does Python say that it was for want of memory.
@pytest.mark.slow
@pytest.mark.parametrize("mebibytes", [640, 680, 700])
def test_a_file_that_needs_too_much_memory_is_one_undecided(many: list[str], tmp_path: Path, mebibytes: int) -> None:
    large = tmp_path / "large.mom.yaml"
    large.write_text("momlint: 1\nbrokers:\n" + "".join(f"  b{i}: {{site: s}}\n" for i in range(400_000)))
    paths = [*many[:5], str(large), *many[5:10]]
    together = by_pool(paths, Options(), ShardLimits(seconds=120.0, memory=mebibytes << 20))
    (undecided,) = [finding for finding in together.findings if finding.code == "MOM901"]
    assert undecided.file == str(large)
    assert f"more than {mebibytes} MiB" in undecided.message
    rest = [finding for finding in together.findings if finding is not undecided]
    assert rest == lint_files(many[:10], Options()).findings


def test_what_is_deselected_is_not_printed_and_still_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(hanging_site(tmp_path))
    file = tmp_path / HANGING
    file.write_text(GOOD)
    together = by_pool([str(file)], Options(select=("MOM3",)), ShardLimits(seconds=1.0))
    assert together.findings == []
    assert together.summary.undecided == 1


def test_an_abandoned_run_ends_its_children() -> None:
    with Processes(2, LIMITS) as pool:
        results = pool.run(Obey(("a", "sleep 100", "sleep 100")), [1.0] * 3)
        assert next(results).text == "a"


def test_progress_counts_what_is_done() -> None:
    said: list[str] = []
    with Processes(2, LIMITS, said.append) as pool:
        assert [one.text for one in pool.run(Obey(("a",) * 6), [1.0] * 6)] == ["a"] * 6
    assert said == [f"{number} of 6" for number in range(1, 7)]
