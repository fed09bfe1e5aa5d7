"""Clocks: what takes too long is undecided, whoever works on it, and the rest is told."""

from __future__ import annotations

import json
import random
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from momlint import clock
from momlint.cli import main
from momlint.clock import limited, listening, unhurried
from momlint.lint import Options, lint_bytes, merge
from momlint.routed.graph import GraphEngine
from momlint.routed.graph import cutsets as graph_cutsets
from momlint.routed.smt import SmtEngine

TRIANGLE = """\
momlint: 1
brokers: {1: , 2: , 3: , 4: }
links: [{between: [1, 2]}, {between: [2, 3]}, {between: [1, 3]}]
topics: {t: {publishers: [1], subscribers: [2]}}
failures: {tolerate: {links: 1}}
"""


def spin(*_: object, **__: object) -> object:
    """Work for ever, as a loop of numpy's does."""
    while True:
        sum(range(1000))


def check(text: str, **options: object) -> tuple[dict[str, list[str]], bool]:
    """The messages of each code, and whether it is claimed that the promise is kept."""
    wanted = Options(**options)  # type: ignore[arg-type]
    report = merge([lint_bytes(text.encode(), "x.mom.yaml", wanted)], wanted)
    assert report.failures == []
    found: dict[str, list[str]] = {}
    for finding in report.findings:
        found.setdefault(finding.code, []).append(finding.message)
    assert report.summary.undecided == len(found.get("MOM901", []))
    return found, bool(report.proof.promise_kept)


def test_what_is_in_time() -> None:
    assert limited(5.0, lambda: 3) == 3
    with pytest.raises(KeyError):
        limited(5.0, lambda: {}[1])
    assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_many_clocks_while_somebody_listens() -> None:
    before = signal.signal(signal.SIGALRM, signal.SIG_IGN)
    try:
        with listening():
            assert limited(0.2, spin) is None
            with listening():
                assert limited(5.0, lambda: 3) == 3
            assert limited(0.2, spin) is None
        assert signal.getsignal(signal.SIGALRM) == signal.SIG_IGN
        assert limited(0.2, spin) is None
        assert signal.getsignal(signal.SIGALRM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGALRM, before)


def test_what_is_not() -> None:
    started = time.monotonic()
    assert limited(0.2, spin) is None
    assert 0.2 <= time.monotonic() - started < 5
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_a_clock_within_a_clock() -> None:
    """The outer one stands still meanwhile, and goes on after."""

    def inner_first() -> str:
        assert limited(0.6, spin) is None
        return "done"

    assert limited(0.4, inner_first) == "done"

    def outer_after() -> None:
        assert limited(0.2, lambda: 1) == 1
        spin()

    started = time.monotonic()
    assert limited(0.3, outer_after) is None
    assert time.monotonic() - started < 5


def test_a_clock_that_stands_still_while_others_work() -> None:
    def waits() -> str:
        assert unhurried(lambda: time.sleep(0.6)) is None
        # Clocks of those who work within go by themselves.
        assert unhurried(lambda: limited(0.2, spin)) is None
        return unhurried(lambda: limited(5.0, lambda: "done")) or "late"

    assert limited(0.4, waits) == "done"

    def goes_on_after() -> None:
        unhurried(lambda: time.sleep(0.1))
        spin()

    started = time.monotonic()
    assert limited(0.3, goes_on_after) is None
    assert 0.3 <= time.monotonic() - started < 5
    assert unhurried(lambda: 3) == 3
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_what_rings_where_nobody_hears_it_rings_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clock, "_AGAIN", 0.2)

    def deaf() -> None:
        try:
            spin()
        except clock.OutOfTime:
            spin()

    started = time.monotonic()
    assert limited(0.2, deaf) is None
    assert time.monotonic() - started < 5


def test_no_import_is_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "takes_its_time.py").write_text("import time\ntime.sleep(0.5)\nWHOLE = 1\n")
    monkeypatch.syspath_prepend(tmp_path)

    def load() -> None:
        import takes_its_time

        loaded.append(takes_its_time.WHOLE)
        spin()

    loaded: list[int] = []
    assert limited(0.1, load) is None
    assert loaded == [1]


def test_other_threads_have_no_alarm() -> None:
    found: list[int | None] = []
    thread = threading.Thread(target=lambda: found.append(limited(0.01, lambda: time.sleep(0.1) or 7)))
    thread.start()
    thread.join()
    assert found == [7]


def test_where_nothing_hangs_the_promise_is_kept() -> None:
    assert check(TRIANGLE, timeout=30.0) == ({"MOM203": ["broker `4` has no link"]}, True)


@pytest.mark.parametrize(
    ("engine", "choice", "name"),
    [(GraphEngine, "graph", "graph"), (SmtEngine, "smt", "smt"), (GraphEngine, "auto", "graph")],
)
def test_an_engine_that_hangs(
    engine: type[GraphEngine | SmtEngine], choice: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "decide", spin)
    started = time.monotonic()
    found, kept = check(TRIANGLE, engine=choice, timeout=0.3)
    assert time.monotonic() - started < 15
    assert any(f"{name} found no answer within 0.3 s" in message for message in found["MOM901"])
    assert found["MOM203"] == ["broker `4` has no link"]
    assert not kept


@pytest.mark.parametrize(("engine", "choice"), [(GraphEngine, "graph"), (SmtEngine, "smt"), (GraphEngine, "auto")])
def test_a_survey_that_hangs(
    engine: type[GraphEngine | SmtEngine], choice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "survey", spin)
    found, kept = check(TRIANGLE, engine=choice, timeout=0.3)
    assert len(found["MOM901"]) == 1
    assert not kept


def test_a_search_that_hangs_does_not_double_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Out of time, graph's search among failures does not fall to smt."""
    asked: list[object] = []
    monkeypatch.setattr(graph_cutsets, "smallest", spin)
    monkeypatch.setattr(SmtEngine, "smallest", lambda *arguments: asked.append(arguments))
    found, kept = check(TRIANGLE.replace("links: 1}", "links: 2}"), timeout=0.3, select=("MOM502", "MOM901"))
    assert len(found["MOM901"]) == 1
    assert asked == []
    assert not kept


@pytest.mark.parametrize("code", ["MOM502", "MOM301", "MOM601"])
def test_a_rule_that_hangs(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from momlint.catalog import RuleName

    check_of = RuleName.check

    def patched(self: RuleName, where: str) -> Callable[..., object]:
        return spin if self.code == code else check_of(self, where)

    monkeypatch.setattr(RuleName, "check", patched)
    found, kept = check(TRIANGLE, timeout=0.3)
    assert found["MOM901"] == [f"undecided: whether {code} applies: it takes more than 0.3 s"]
    assert "MOM203" in found
    assert not kept


def test_an_overlay_that_is_never_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("momlint.routed.overlay.build.build", spin)
    found, kept = check(TRIANGLE, timeout=0.3)
    assert found == {"MOM901": ["undecided: whether anything is wrong with this estate: it takes more than 0.3 s"]}
    assert not kept


@pytest.mark.parametrize("options", [[], ["--shard-seconds", "60"]])
def test_a_large_estate(options: list[str], tmp_path: Path) -> None:
    """700 brokers that all send to all, with budgets, and 2,000 promised failures."""
    draw = random.Random(1)
    links = {(draw.randrange(i), i) for i in range(1, 700)}
    while len(links) < 2000:
        one, other = sorted(draw.sample(range(700), 2))
        links.add((one, other))
    everyone = ", ".join(f"b{i}" for i in range(700))
    text = "momlint: 1\nbrokers: {" + ", ".join(f"b{i}: " for i in range(700)) + "}\nlinks:\n"
    text += "".join(f"  - {{between: [b{a}, b{b}], latency_ms: {draw.randrange(50)}}}\n" for a, b in sorted(links))
    text += f"topics: {{t: {{publishers: [{everyone}], subscribers: [{everyone}], max_hops: 5, max_latency_ms: 50}}}}\n"
    (tmp_path / "x.mom.yaml").write_text(text + "failures: {tolerate: {links: 1}}\n")
    report = tmp_path / "report"
    arguments = ["check", str(tmp_path), "--timeout", "1", "--format", "json", "--output", str(report), *options]
    started = time.monotonic()
    code = main(arguments)
    passed = time.monotonic() - started
    found = json.loads(report.read_text())
    assert code in (1, 3)
    assert found["summary"]["undecided"] >= 1
    # Every rule may take its second; reading and what is started besides have theirs.
    assert passed < 60


@pytest.mark.parametrize("engine", ["graph", "auto"])
def test_who_asked_for_graph_is_not_sent_to_it(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GraphEngine, "decide", spin)
    wanted = Options(engine=engine, timeout=0.2)  # type: ignore[arg-type]
    report = merge([lint_bytes(TRIANGLE.encode(), "x.mom.yaml", wanted)], wanted)
    helps = {finding.help for finding in report.findings if finding.code == "MOM901"}
    assert helps == {"allow more with `--timeout`" + ("" if engine == "graph" else ", or let `--engine graph` decide")}
