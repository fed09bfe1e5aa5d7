"""The runs of the source documents, by NuSMV: six brokers (thesis 5.2), fifty (5.2.6, paper 001), PCRT (6)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from momlint.estate import Estate, load_source
from momlint.routed.graph import GraphEngine
from momlint.routed.overlay import Overlay, build_overlay
from momlint.routed.overlay.moves import moves
from momlint.routed.questions.question import Proved, Refuted
from momlint.routed.smt import SmtEngine
from momlint.routed.smv import Checked, OwnSpec, SmvEngine, render_addresses, render_overlay, render_takeover, run
from momlint.routed.specs import Names, SpecFalse, SpecTrue, decide_spec, names_of, takeover_properties
from momlint.routed.specs.ltl import decide_ltl
from momlint.routed.specs.parse import parse
from momlint.routed.specs.resolve import resolve
from momlint.source import read_source
from tests.routed.engines.locate import Located, locate_faults
from tests.routed.engines.nusmv import nusmv
from tests.strategies import question

EXAMPLES = Path(__file__).parents[3] / "examples"


def load(example: str, change: tuple[str, str] | None = None) -> tuple[Overlay, Names]:
    text = (EXAMPLES / example).read_text(encoding="utf-8")
    if change is not None:
        assert change[0] in text
        text = text.replace(*change)
    (loaded,) = load_source(read_source(text.encode(), example))
    assert loaded.estate is not None
    return build_overlay(loaded.estate), names_of(loaded.estate)


def locs(answer: Checked) -> list[str]:
    assert answer.counterexample is not None
    return [state["loc"] for state in answer.counterexample.states]


class TestSixBrokers:
    def test_every_topic_arrives(self) -> None:
        overlay, names = load("six-brokers/topology.yaml")
        for model in (render_overlay(overlay, names), render_addresses(overlay, names)):
            assert all(answer.holds for answer in run(nusmv(), model))

    def test_one_path_is_a_part_of_another(self) -> None:
        """Topic A goes 1, 2, 4, 5: with it proved, 1 → 2 needs no specification of its own."""
        overlay, names = load("six-brokers/topology.yaml")
        assert render_overlay(overlay, names, all_pairs=True, loops=False).count("SPEC") == 6
        assert render_overlay(overlay, names, loops=False).count("SPEC") == 5

    def test_the_counterexample_is_1_2_4_6(self) -> None:
        overlay, names = load("six-brokers/misrouted.yaml")
        for model in (
            render_overlay(overlay, names, all_pairs=True, loops=False),
            render_overlay(overlay, names, all_pairs=True, loops=False, literal=True),
            render_addresses(overlay, names, all_pairs=True),
        ):
            (wrong,) = (answer for answer in run(nusmv(), model) if not answer.holds)
            assert locs(wrong) == ["1", "2", "4", "6"]
            assert wrong.counterexample is not None
            # It stays at 6.
            assert wrong.counterexample.loop == 3
        answer = decide_spec(overlay, names, "(src = 1 & dest = 5 & loc = 1) -> AF (loc = 5)", "ctl")
        assert isinstance(answer, SpecFalse)
        assert [state["loc"] for state in answer.trace.states] == ["1", "2", "4", "6"]

    def test_addresses_are_in_the_trace(self) -> None:
        overlay, names = load("six-brokers/misrouted.yaml")
        (wrong,) = (a for a in run(nusmv(), render_addresses(overlay, names, all_pairs=True)) if not a.holds)
        assert wrong.counterexample is not None
        first = wrong.counterexample.states[0]
        assert [first[f"s{i}"] for i in (0, 2, 3)] == ["2", "0", "1"]
        assert (first["loc_src"], first["loc_des"]) == ("1", "5")

    def test_formula_5_7(self) -> None:
        """EF loc = loc_des: with one path a message it says the same as AF."""
        for example, expected in (("topology", True), ("misrouted", False)):
            overlay, names = load(f"six-brokers/{example}.yaml")
            answer = decide_spec(overlay, names, "src = 1 & dest = 5 -> EF loc = dest", "ctl")
            assert isinstance(answer, SpecTrue if expected else SpecFalse)

    def test_broker_1_fails(self) -> None:
        """Scenario 2 (tables 5-3 and 5-4): its publisher is on broker 2 and its subscriber on 3."""
        before = """  A: {publishers: [1], subscribers: [2, 5]}
  B: {publishers: [3], subscribers: [4]}
  C: {publishers: [5], subscribers: [1, 6]}
"""
        after = before.replace("publishers: [1]", "publishers: [2]").replace("[1, 6]", "[3, 6]")
        overlay, names = load("six-brokers/topology.yaml", (before, after))
        answers = run(nusmv(), render_overlay(overlay, names, all_pairs=True))
        assert all(answer.holds for answer in answers)
        assert len(answers) == 5 + 6


@pytest.mark.slow
class TestFiftyBrokers:
    @pytest.mark.parametrize(
        ("example", "kind", "brokers"),
        [
            ("link-13-17-failed", "link", ("13", "17")),
            ("rows-13-17-missing", "link", ("13", "17")),
            ("broker-17-failed", "broker", ("17",)),
            ("broker-17-without-tables", "broker", ("17",)),
        ],
    )
    def test_the_fault_is_named(self, example: str, kind: str, brokers: tuple[str, ...]) -> None:
        """NuSMV finds the broken pairs, and hop by hop the link or broker; graph comes to the same."""
        overlay, names = load(f"fifty-brokers/{example}.yaml")
        expected = [Located(0, kind, tuple(names.brokers.index(one) for one in brokers))]  # type: ignore[arg-type]
        verdicts = []
        for engine in (SmvEngine(nusmv()), GraphEngine()):
            verdict = engine.decide(overlay, question("arrive", overlay))
            assert isinstance(verdict, Refuted)
            verdicts.append(verdict.failing.tolist())
            assert locate_faults(engine, overlay, verdict.failing) == expected
        assert verdicts[0] == verdicts[1]

    def test_exactly_the_pairs_whose_path_uses_the_link_fail(self) -> None:
        healthy, names = load("fifty-brokers/topology.yaml")
        broken, _ = load("fifty-brokers/link-13-17-failed.yaml")
        a, b = names.brokers.index("13"), names.brokers.index("17")
        n = healthy.n
        using = []
        for s, d in zip(healthy.pair_source.tolist(), healthy.pair_dest.tolist(), strict=True):
            at = s
            while at != d:
                hop = int(healthy.base[d, at])
                if {at, hop} == {a, b}:
                    using.append(d * n + s)
                at = hop
        verdict = SmvEngine(nusmv()).decide(broken, question("arrive", broken))
        assert isinstance(verdict, Refuted)
        assert verdict.failing.tolist() == sorted(using)
        # 1 → 13 runs 1, 16, 17, 13 (table II of the paper).
        assert a * n + names.brokers.index("1") in using

    def test_the_healthy_overlay(self) -> None:
        overlay, names = load("fifty-brokers/topology.yaml")
        assert isinstance(SmvEngine(nusmv()).decide(overlay, question("arrive", overlay)), Proved)
        answers = run(nusmv(), render_overlay(overlay, names), traces=False)
        assert all(answer.holds for answer in answers)


class TestTriangle:
    def test_in_every_colour(self) -> None:
        overlay, names = load("triangle/topology.yaml")
        assert overlay.colours == 4
        for literal in (False, True):
            assert all(a.holds for a in run(nusmv(), render_overlay(overlay, names, literal=literal)))
        assert isinstance(SmvEngine(nusmv()).decide(overlay, question("arrive", overlay)), Proved)
        assert all(answer.holds for answer in run(nusmv(), render_takeover(names)) if "topic" not in answer.text)

    def test_the_printed_cell_is_a_slip(self) -> None:
        """Broker 3 in colour 3, F(1,3), destination 1: the printed table has 1, over the failed link."""
        overlay, names = load(
            "triangle/topology.yaml", ("- {to: 1, via: 2, colours: [3]}", "- {to: 1, via: 1, colours: [3]}")
        )
        for literal in (False, True):
            answers = run(nusmv(), render_overlay(overlay, names, literal=literal, loops=False, all_pairs=True))
            # weather needs 1 → 2 and 1 → 3 only; the wrong cell is for 3 → 1.
            assert all(answer.holds for answer in answers)
        every = question("arrive", overlay, pairs=[(s, d) for s in range(3) for d in range(3) if s != d])
        verdict = SmvEngine(nusmv()).decide(overlay, every)
        assert isinstance(verdict, Refuted)
        colour, dest, source = 2, 0, 2
        assert verdict.failing.tolist() == np.array([(colour * 3 + dest) * 3 + source]).tolist()


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted(str(p.relative_to(EXAMPLES)) for p in EXAMPLES.rglob("*.yaml")))
def test_nusmv_reads_every_example(path: str) -> None:
    """The rendered text as the command writes it: NuSMV's verdicts are those of graph, smt and ctl."""
    source = read_source((EXAMPLES / path).read_bytes(), str(EXAMPLES / path))
    for loaded in load_source(source):
        if loaded.estate is not None and loaded.estate.brokers:
            check_example(loaded.estate)


def check_example(estate: Estate) -> None:
    overlay, names = build_overlay(estate), names_of(estate)
    n, steps = overlay.n, moves(overlay)
    specs = [OwnSpec(spec.name, spec.logic, spec.text) for spec in estate.specs]
    answers = [a.holds for a in run(nusmv(), render_overlay(overlay, names, all_pairs=True, specs=specs), traces=False)]
    pairs = list(zip(overlay.pair_source.tolist(), overlay.pair_dest.tolist(), strict=True))

    failing: list[list[int]] = []
    for engine in (GraphEngine(), SmtEngine()):
        verdict = engine.decide(overlay, question("arrive", overlay))
        failing.append(verdict.failing.tolist() if isinstance(verdict, Refuted) else [])
    assert failing[0] == failing[1]
    broken = {(key % n, key // n % n) for key in failing[0]}
    assert answers[: len(pairs)] == [pair not in broken for pair in pairs]

    plain = Names(tuple(f"b{i}" for i in range(n)), tuple(f"c{i}" for i in range(overlay.colours)))
    for pair, holds in zip(pairs, answers, strict=False):
        s, d = pair
        said = f"(src = b{s} & dest = b{d} & loc = b{s} & b{s}.state & b{d}.state) -> AF (loc = b{d})"
        found = decide_spec(overlay, plain, said, "ctl", None, steps)
        assert isinstance(found, SpecTrue if holds else SpecFalse)

    loops = answers[len(pairs) : len(pairs) + (n if pairs else 0)]
    assert all(loops)  # what is wrong with the examples are messages that stop
    own: dict[tuple[str, str], list[bool]] = {}
    for spec in specs:
        model = resolve(parse(spec.text, spec.logic), names).model
        found = decide_spec(overlay, names, spec.text, spec.logic, None, steps)
        assert isinstance(found, SpecTrue | SpecFalse)
        own.setdefault((model, spec.logic), []).append(isinstance(found, SpecTrue))
    # NuSMV answers what is in CTL first.
    assert answers[len(pairs) + len(loops) :] == own.get(("overlay", "ctl"), []) + own.get(("overlay", "ltl"), [])
    if names.takeover:
        answers = [a.holds for a in run(nusmv(), render_takeover(names, specs=specs), traces=False)]
        properties = [isinstance(decide_ltl(names, p.formula), SpecTrue) for p in takeover_properties(names)]
        ctl, ltl = own.get(("takeover", "ctl"), []), own.get(("takeover", "ltl"), [])
        assert answers == ctl + properties + ltl
