"""The rendered models: NuSMV reads all of them, and what they say is so."""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.errors import UsageError
from momlint.routed.overlay.form import Overlay
from momlint.routed.smv import OwnSpec, render_addresses, render_overlay, render_takeover, run
from momlint.routed.smv.constants import constants
from momlint.routed.specs import Names, TopicEnds
from tests.oracles import Oracle
from tests.routed.engines.nusmv import nusmv
from tests.strategies import Case, F, make_overlay, overlays

#: Names that a person may give and NuSMV cannot read, or reads as something else.
ODD = [
    "1", "010", "10", "eu west", "eu-west", "A", "E", "loc", "src", "next", "case", "TRUE", "mod", "a.b", "x--y",
    "y-", "Zürich", "\N{SNOWMAN}", "new\nline", "-- x", "broker1", "broker_A", "99999999999", "", "main", "self",
    "_", "$", "a$b", "none", "elsewhere", "union", "in", "max", "word8", "0d3_7", "publisher1", "needed", "state",
    "\"", "a;b", "{}", "W", "O",
]  # fmt: skip


def names_for(overlay: Overlay, rng: random.Random) -> Names:
    brokers = tuple(rng.sample(ODD, overlay.n))
    addresses = rng.sample(range(40), overlay.n)
    return Names(
        brokers,
        tuple(rng.sample(ODD, overlay.colours)),
        tuple(TopicEnds(one, (0,), (overlay.n - 1,)) for one in rng.sample(ODD, 2)),
        {i: ((i + 1) % overlay.n,) for i in range(overlay.n)},
        tuple(f"{a % 2}.0.{a % 3}.{a}" for a in addresses),
        "odd\nnames",
    )


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(overlays(max_n=6, max_colours=3), st.integers(0, 2**32))
def test_every_shape_says_the_same(case: Case, seed: int) -> None:
    """All pairs in the fast, the literal and the address shape, under odd names; and the specification of loops."""
    overlay = case.overlay
    names = names_for(overlay, random.Random(seed))
    oracle = Oracle(overlay)
    pairs = oracle.pairs
    arrive = [all(oracle.holds("arrive", c, s, d) for c in range(overlay.colours)) for s, d in pairs]
    looping: set[int] = set()
    for c in range(overlay.colours):
        for s, d in pairs:
            walk, end = oracle.walk(c, s, d)
            if end == "looped" and walk[-1] != walk[-2]:
                looping |= set(walk[walk.index(walk[-1]) :])
    program = nusmv()
    for literal in (False, True):
        answers = run(program, render_overlay(overlay, names, all_pairs=True, literal=literal), traces=False)
        assert [a.holds for a in answers[: len(pairs)]] == arrive
        if pairs:
            assert [a.holds for a in answers[len(pairs) :]] == [b not in looping for b in range(overlay.n)]
    answers = run(program, render_addresses(overlay, names, all_pairs=True), traces=False)
    assert [a.holds for a in answers] == arrive
    # The super-paths alone are enough to know whether anything is wrong.
    answers = run(program, render_overlay(overlay, names, loops=False), traces=False)
    assert all(a.holds for a in answers) == all(arrive)
    assert len(answers) <= len(pairs)
    for literal in (False, True):
        assert all(
            a.holds or "_topic" in a.text for a in run(program, render_takeover(names, literal=literal), traces=False)
        )


@pytest.mark.parametrize("literal", [False, True])
@pytest.mark.parametrize("colours", [1, 2])
def test_one_broker(literal: bool, colours: int) -> None:
    """NuSMV makes a constant of a variable with one value, and refuses assignments to it."""
    overlay = make_overlay(1, [], colours=[F()] * colours, pairs=[(0, 0)])
    names = Names(("elsewhere",), tuple(f"c{i}" for i in range(colours)), addresses=("1.2.3.4",))
    specs = [OwnSpec(None, "ctl", "AG loc = src")]
    assert all(a.holds for a in run(nusmv(), render_overlay(overlay, names, literal=literal, specs=specs)))
    assert all(a.holds for a in run(nusmv(), render_addresses(overlay, names)))
    assert run(nusmv(), render_takeover(names, literal=literal))


@given(st.lists(st.one_of(st.sampled_from(ODD), st.text(max_size=6)), unique=True, max_size=12))
def test_constants_are_legal_and_distinct(names: list[str]) -> None:
    found = constants(names, "broker")
    assert len(set(found)) == len(names) == len(found)
    assert all(re.fullmatch(r"0|[1-9][0-9]*|[A-Za-z_][A-Za-z0-9_$#-]*", one) for one in found)
    for name, one in zip(names, found, strict=True):
        if re.fullmatch(r"[1-9][0-9]{0,8}|[a-z]{7,}", name) and one != name:
            assert name.isalpha()  # a reserved word


def chain(names: Names | None = None) -> tuple[Overlay, Names]:
    """1 - 2 - 3, all next hops, topics from 1 to 3 and from 1 to 2."""
    base = {(2, 0): 1, (2, 1): 2, (1, 0): 1, (1, 2): 1, (0, 1): 0, (0, 2): 1}
    overlay = make_overlay(3, [(0, 1), (1, 2)], base, pairs=[(0, 1), (0, 2)])
    return overlay, names or Names(("1", "2", "3"), title="chain")


def test_super_paths_only() -> None:
    overlay, names = chain()
    model = render_overlay(overlay, names)
    assert re.findall(r"^SPEC \(.* AF .*", model, re.MULTILINE) == [
        "SPEC (src = 1 & dest = 3 & loc = 1) -> AF (loc = 3)"
    ]
    assert "1 super-paths of 2 pairs" in model
    assert len(re.findall("AF", render_overlay(overlay, names, all_pairs=True))) == 2
    mask = np.array([True, False])
    assert "dest = 2 & loc = 1) -> AF" in render_overlay(overlay, names, super_paths=mask)


def test_names_are_kept_or_explained() -> None:
    overlay, _ = chain()
    model = render_overlay(overlay, Names(("hub", "eu west", "A"), title="two\nlines"))
    assert "loc : {hub, broker_eu_west, broker_A};" in model
    assert "-- broker_eu_west: broker eu west\n-- broker_A: broker A\n" in model
    assert model.startswith("-- momlint: two lines\n")


def test_the_literal_shape() -> None:
    overlay, names = chain()
    model = render_overlay(overlay, names, literal=True)
    assert "FROZENVAR" not in model
    assert "init(loc) := src;" in model
    assert "      loc = 1 & dest = 3 : 2;\n" in model
    # Formula 2 of paper 001.
    assert "SPEC (src = 1 & dest = 3 & loc = 1) -> AF (src = 1 & dest = 3 & loc = 3)" in model


def test_the_literal_shape_has_an_end() -> None:
    n = 200
    base = {(d, u): (u + 1) % n for d in range(n) for u in range(n) if d != u}
    overlay = make_overlay(n, [(i, (i + 1) % n) for i in range(n)], base, colours=[F()] * 60)
    names = Names(tuple(map(str, range(n))), tuple(map(str, range(60))))
    with pytest.raises(UsageError, match="would have 2,388,000 branches here; leave --literal out"):
        render_overlay(overlay, names, literal=True)


def test_own_specifications() -> None:
    overlay, names = chain(Names(("1", "2", "3"), topics=(TopicEnds("t", (0,), (2,)),), takeover={0: (1,)}))
    specs = [
        OwnSpec("arrives", "ctl", "topic = t -> AF loc = dest"),
        OwnSpec(None, "ltl", "G (broker1.state | X publisher1.pub_bro2)"),
        OwnSpec("wrong", "ctl", "loc = 9"),
    ]
    walk = render_overlay(overlay, names, specs=specs)
    assert "-- arrives\nSPEC loc = src -> ((topic = t) -> (AF (loc = dest)))\n" in walk
    assert "-- wrong is not rendered: unknown broker `9`\n" in walk
    assert "publisher" not in walk
    takeover = render_takeover(names, specs=specs)
    assert "-- specification 2\nLTLSPEC G (broker1.state | (X publisher1.pub_bro2))\n" in takeover
    assert "wrong" not in takeover
    assert run(nusmv(), walk)[-1].holds
    assert run(nusmv(), takeover)[-1].holds


def test_a_loop_is_told_from_an_arrival() -> None:
    """Source and destination on one broker, and a message that stops: neither is a loop."""
    overlay = make_overlay(3, [(0, 1), (1, 2)], {(2, 0): 1}, pairs=[(0, 0), (0, 2)])
    names = Names(("1", "2", "3"))
    answers = run(nusmv(), render_overlay(overlay, names, all_pairs=True))
    assert [a.holds for a in answers] == [True, False, True, True, True]
    looping = make_overlay(3, [(0, 1), (1, 2)], {(2, 0): 1, (2, 1): 0}, pairs=[(0, 0), (0, 2)])
    answers = run(nusmv(), render_overlay(looping, names, all_pairs=True))
    assert [a.holds for a in answers] == [True, False, False, False, True]


def test_addresses_must_be_addresses() -> None:
    overlay, _ = chain()
    for addresses, message in (
        (("1.0.0.1", None, "1.0.0.3"), "broker `2` has none"),
        (("1.0.0.1", "hub.example.org", "1.0.0.3"), "broker `2` has `hub.example.org`"),
        (("1.0.0.1", "1.0.0.2", "1.0.0.1"), "brokers `1` and `3` have 1.0.0.1"),
    ):
        with pytest.raises(UsageError, match=message):
            render_addresses(overlay, Names(("1", "2", "3"), addresses=addresses))
