"""Certificates are made exactly for what is sound, and accepted exactly when brute force finds every claim true."""

from __future__ import annotations

import copy
import json
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from momlint.estate import Estate, load_source
from momlint.routed.certificate.accept import check_record
from momlint.routed.certificate.form import Refused, read_potentials
from momlint.routed.certificate.given import Given, States
from momlint.routed.certificate.make import claims
from momlint.routed.certificate.verify import verify
from momlint.routed.overlay import build_overlay
from momlint.source import read_source
from tests.budget import examples
from tests.routed.certificate.models import Model, damage, decode, encode, is_true, random_model

SEEDS = st.integers(0, 2**32 - 1)


def accepts(estate: Estate, data: dict[str, Any]) -> bool:
    try:
        check_record(estate, data)
    except Refused:
        return False
    return True


def believed(model: Model, data: dict[str, Any]) -> bool:
    """`is_true`, and no to a record that is none."""
    try:
        return is_true(model, data)
    except (AssertionError, KeyError, TypeError, ValueError, ZeroDivisionError, AttributeError):
        return False


def made(model: Model) -> dict[str, Any]:
    estate = model.estate()
    return json.loads(json.dumps(claims(estate, build_overlay(estate))))  # type: ignore[no-any-return]


def check_made(seed: int, *, static: bool = False) -> None:
    model = random_model(seed, static=static)
    data = made(model)
    accepted = accepts(model.estate(), data)
    assert accepted == model.is_sound()
    assert accepted == believed(model, data)


@settings(max_examples=examples(400), deadline=None)
@given(SEEDS)
def test_a_certificate_is_made_exactly_for_what_is_sound(seed: int) -> None:
    check_made(seed)


@settings(max_examples=examples(500), deadline=None)
@given(SEEDS)
def test_a_certificate_is_made_exactly_for_sound_static_rows(seed: int) -> None:
    check_made(seed, static=True)


@pytest.mark.slow
@settings(max_examples=1500, deadline=None)
@given(SEEDS, st.booleans())
def test_a_certificate_is_made_exactly_for_what_is_sound_at_length(seed: int, static: bool) -> None:
    check_made(seed, static=static)


def check_other_tables(seed: int) -> None:
    """The record of sound tables, held against tables of which some entries are others."""
    rng = random.Random(seed)
    static = rng.random() < 0.3
    model = random_model(seed, static=static)
    while not model.is_sound():
        model = random_model(rng.getrandbits(32), static=static)
    data = made(model)
    other = copy.deepcopy(model)
    what = rng.randrange(9)
    if what < 2:
        damage(other, rng)
    elif what == 2 and other.links:
        index = rng.randrange(len(other.links))
        tail, head, _, one_way = other.links[index]
        other.links[index] = (tail, head, rng.choice(("1", "2", "0.3", "7")), one_way)
    elif what == 3 and other.links:
        index = rng.randrange(len(other.links))
        tail, head, cost, one_way = other.links[index]
        other.links[index] = (head, tail, cost, not one_way)
        other.cost_back.pop(index, None)
    elif what == 4:
        other.stubs ^= {rng.randrange(other.n)}
    elif what == 5:
        other.after = rng.choice(("heal", "keep"))
    elif what == 6:
        other.withdraws = not other.withdraws
    elif what == 7:
        other.tolerate = rng.choice((None, (0, 0, 0), (0, 1, 0), (1, 0, 0)))
    elif other.colours and other.links:
        down = other.colours[rng.randrange(len(other.colours))][0]
        down ^= {rng.randrange(len(other.links))}
    other.forget()
    assert accepts(other.estate(), data) == believed(other, data)


@settings(max_examples=examples(200), deadline=None)
@given(SEEDS)
def test_a_certificate_of_other_tables(seed: int) -> None:
    check_other_tables(seed)


@pytest.mark.slow
@settings(max_examples=1500, deadline=None)
@given(SEEDS)
def test_a_certificate_of_other_tables_at_length(seed: int) -> None:
    check_other_tables(seed)


def numbers_changed(data: dict[str, Any], rng: random.Random) -> None:
    """Change one number of one list."""
    places: list[tuple[dict[str, Any], str]] = [(data, "levels")] if data["levels"] else []
    for name in ("distances", "walks"):
        if data[name] is not None:
            places += [(data[name], key) for key in ("base", "counts", "cells", "values") if data[name][key]]
    where, key = rng.choice(places)
    numbers = decode(where[key])
    at = rng.randrange(len(numbers))
    what = rng.randrange(6)
    if what == 0:
        numbers[at] += 1
    elif what == 1:
        numbers[at] = max(numbers[at] - 1, 0)
    elif what == 2:
        numbers[at] = rng.choice((0, 1, 2, 3, 300, 2**31, 2**63, 2**64 + 5, 2**1000))
    elif what == 3:
        other = rng.randrange(len(numbers))
        numbers[at], numbers[other] = numbers[other], numbers[at]
    elif what == 4:
        del numbers[at]
    else:
        numbers.insert(at, numbers[at])
    where[key] = encode(numbers)


def check_changed_numbers(seed: int, other: int, times: int) -> None:
    rng = random.Random(other)
    model = random_model(seed, 5)
    data = made(model)
    for _ in range(times):
        numbers_changed(data, rng)
    assert accepts(model.estate(), data) == believed(model, data)


@settings(max_examples=examples(300), deadline=None)
@given(SEEDS, SEEDS, st.integers(1, 3))
def test_changed_numbers(seed: int, other: int, times: int) -> None:
    check_changed_numbers(seed, other, times)


@pytest.mark.slow
@settings(max_examples=1500, deadline=None)
@given(SEEDS, SEEDS, st.integers(1, 3))
def test_changed_numbers_at_length(seed: int, other: int, times: int) -> None:
    check_changed_numbers(seed, other, times)


JUNK = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(),
    st.text(max_size=8),
    st.binary(max_size=8).map(lambda data: encode(list(data))),
    st.sampled_from(
        ["", "0", "-1", "1/0", "1/3", "2/2", "1e9", "nan", "0.1", "9" * 5000, "AA==", "gA==", "gICA", "////"]
    ),
    st.lists(st.integers(0, 3), max_size=3),
    st.dictionaries(st.sampled_from(["base", "counts", "cells", "values"]), st.just("AA=="), max_size=4),
)


@settings(max_examples=examples(300), deadline=None)
@given(SEEDS, JUNK, st.data())
def test_changed_fields(seed: int, junk: Any, data: st.DataObject) -> None:
    model = random_model(seed, 4)
    record = made(model)
    places = [(record, key) for key in record]
    places += [(record["claims"], key) for key in record["claims"]]
    for name in ("distances", "walks"):
        if record[name] is not None:
            places += [(record[name], key) for key in record[name]]
    where, key = data.draw(st.sampled_from(places), label="where")
    if data.draw(st.booleans(), label="delete"):
        del where[key]
    else:
        where[key] = junk
    accepted = accepts(model.estate(), record)
    if accepted:
        # What was changed is not looked at: it is a part that this estate does not need.
        for name in ("distances", "walks", "levels"):
            record.setdefault(name, None)
        untouched = made(model)
        assert all(record[name] == untouched[name] for name in ("unit", "claims")), (where, key)
        needs = [name for name in ("distances", "walks", "levels") if untouched[name] is not None]
        assert all(record[name] == untouched[name] for name in needs) or believed(model, record)


def test_the_parts_of_a_certificate() -> None:
    """By hand: 0 – 1 – 2 and 0 – 2 at a cost of 3, planned for the failure of 0 – 1."""
    model = Model(3, [(0, 1, "1", False), (1, 2, "1", False), (0, 2, "3", False)], [(set(), set()), ({0}, set())])
    model.recovery = True
    for colour, (_, hops) in enumerate(model.best):
        model.rows |= {(colour, *cell): hop for cell, hop in hops.items()}
    data = made(model)
    counts = {"brokers": 3, "colours": 2, "intact": 0, "promised": 0, "unspoken": 0, "pairs": 6}
    assert data["claims"] == {**counts, "cut_calm": 0, "cut_failing": 0, "cut_promised": 0}
    assert data["unit"] == "1"
    assert data["distances"] is None
    assert decode(data["levels"]) == [2, 2, 2]
    walks = data["walks"]
    assert [number - 2 for number in decode(walks["base"])] == [0, 1, 2, 1, 0, 1, 2, 1, 0]
    assert decode(walks["counts"]) == [0, 4]
    # To 0: from 1 in 4, from 2 in 3. To 1: from 0 in 4. To 2: from 0 in 3. Cells 1, 2, 3, 6.
    assert decode(walks["cells"]) == [1, 1, 1, 3]
    assert [number - 2 for number in decode(walks["values"])] == [4, 3, 4, 3]
    assert accepts(model.estate(), data)


def test_the_unit_is_not_taken_on_trust() -> None:
    model = Model(2, [(0, 1, "0.3", False)])
    data = made(model)
    assert (data["unit"], decode(data["distances"]["base"])) == ("3/10", [2, 3, 3, 2])
    data["unit"] = "1/10"  # a finer unit would do, with other potentials
    assert not accepts(model.estate(), data)
    data["distances"]["base"] = encode([2, 5, 5, 2])
    assert accepts(model.estate(), data)
    data["unit"] = "1/5"  # 0.3 is no multiple of 0.2
    assert not accepts(model.estate(), data)


def test_costs_that_no_int64_holds() -> None:
    model = Model(3, [(0, 1, "1e15", False), (1, 2, "1e-30", False)])
    data = made(model)
    assert data["unit"] == f"1/{10**30}"
    assert max(decode(data["distances"]["base"])) == 10**45 + 1 + 2
    assert accepts(model.estate(), data)
    numbers = decode(data["distances"]["base"])
    data["distances"]["base"] = encode([number + (number > 10**45 + 2) for number in numbers])
    assert not accepts(model.estate(), data)


def test_a_loop_has_no_potentials() -> None:
    """0 → 1 → 0 for 2: whatever is claimed of it, D(0) = 1 + D(1) and D(1) = 1 + D(0) has no solution."""
    links = [(0, 1, "1", False), (1, 2, "1", False), (0, 2, "1", False)]
    model = Model(3, links, protocol="tables", topics=[([0], [2])])
    model.rows = {(0, 2, 0): 1, (0, 2, 1): 0}
    data = made(model)
    assert not accepts(model.estate(), data)
    for first in range(6):
        for second in range(6):
            data["walks"]["base"] = encode([2, 0, 0, 0, 2, 0, first, second, 2])
            data["levels"] = encode([0, 0, 0])
            assert not accepts(model.estate(), data)


def doubled(colours: list[tuple[set[int], set[int]]], row: int) -> Model:
    """0 – 1 by two cables, 1 – 2, 0 – 2 at a cost of 5, 2 – 3; messages for 2 go from 0 to `row`."""
    links = [(0, 1, "1", False), (0, 1, "2", False), (1, 2, "1", False), (0, 2, "5", False), (2, 3, "1", False)]
    return Model(4, links, colours, rows={(0, 2, 0): row}, topics=[([0], [2])], withdraws=True)


@pytest.mark.parametrize(
    ("down", "row", "price"),
    [
        (({0}, set()), 1, 3),  # one of two cables: the row stays
        (({0, 1}, set()), 1, 5),  # both: it is withdrawn
        ((set(), {1}), 1, 5),  # the next hop
        (({2}, set()), 1, None),  # another link: 1 has to send the message back
        (({0}, set()), 3, None),  # no link leads to 3, so that none is down
        (({4}, set()), 3, None),
        (({0, 1}, set()), 3, None),
        ((set(), {3}), 3, 2),  # 3 itself is
    ],
)
def test_when_a_row_is_withdrawn(down: tuple[set[int], set[int]], row: int, price: int | None) -> None:
    """By hand: what the walk from 0 to 2 costs in a colour, or None where it does not arrive."""
    # While nothing has failed a row to 3 is a black hole, so that state is not asked.
    model = doubled([down], row)
    walk = model.walk(0, 2, 0)
    assert (None if walk is None else walk[1]) == price
    states = States.of(model.estate())
    given = Given.of(model.estate(), states, Fraction(1))
    shortest = made(model)["distances"]
    distances = read_potentials(shortest, 4, len(states.failed))
    assert distances is not None
    _, computed = verify(given, distances, None, np.ones(4, np.int64), np.arange(len(states.failed)))
    hops = given.rows_beside(given.table_hops(), computed)
    assert np.all(np.diff(hops.key) > 0)
    wanted = [model.hop(0, d, loc) for d in range(4) for loc in range(4)]
    alive = [model.alive(0, d, loc) and d != loc for d in range(4) for loc in range(4)]
    found = hops.at(np.arange(16)).tolist()
    assert [hop for hop, here in zip(found, alive, strict=True) if here] == [
        -1 if hop is None else hop for hop, here in zip(wanted, alive, strict=True) if here
    ]


def test_potentials_where_the_estate_has_none() -> None:
    """Distances differ from their base only where something has failed, walks only where they are followed."""
    healed = Model(3, [(0, 1, "1", False), (1, 2, "1", False), (0, 2, "1", False)], [(set(), set()), ({0}, set())])
    given_rows = copy.deepcopy(healed)
    given_rows.protocol, given_rows.after = "tables", "heal"
    given_rows.rows = {(0, *cell): hop for cell, hop in healed.intact_best[1].items()}
    for model, part, state in ((healed, "distances", 0), (given_rows, "distances", 0), (given_rows, "walks", 1)):
        data = made(model)
        assert accepts(model.estate(), data)
        base, counts = decode(data[part]["base"]), decode(data[part]["counts"])
        # The same numbers once more, as a difference that is none.
        counts[state] += 1
        cells, values = decode(data[part]["cells"]), decode(data[part]["values"])
        here = 0 if state == 0 else len(cells)
        data[part]["counts"] = encode(counts)
        data[part]["cells"] = encode([*cells[:here], 1, *cells[here:]])
        data[part]["values"] = encode([*values[:here], base[1], *values[here:]])
        assert not believed(model, data)
        assert not accepts(model.estate(), data), (part, state)


def test_every_claim_is_made() -> None:
    model = Model(2, [(0, 1, "1", False)], tolerate=(1, 0, 0))
    whole = made(model)
    assert accepts(model.estate(), whole)
    for name in whole["claims"]:
        for other in (None, "1", 7):
            data = copy.deepcopy(whole)
            data["claims"][name] = other
            assert not accepts(model.estate(), data), name
        del data["claims"][name]
        assert not accepts(model.estate(), data), name


def test_a_claim_of_nothing_is_made_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """`unspoken` is null for too many: not the same as a claim that is missing."""
    monkeypatch.setattr("momlint.routed.certificate.given._MOST_PROMISED", 1)
    model = Model(2, [(0, 1, "1", False)], tolerate=(1, 0, 0))
    data = made(model)
    assert data["claims"]["unspoken"] is None
    assert accepts(model.estate(), data)
    del data["claims"]["unspoken"]
    assert not accepts(model.estate(), data)


def test_two_rows_for_one_entry() -> None:
    text = Model(2, [(0, 1, "1", False)], [(set(), set()), ({0}, set())]).text()
    rows = ["{to: b1, via: b1, colours: [c0]}", "{to: b1, via: b1, colours: [c0]}"]
    text += "  recovery:\n    b1: [{to: b0, via: b0, colours: [c0]}]\n    b0:\n"
    for written, wanted in ((rows[:1], True), (rows, False)):
        body = text + "".join(f"      - {row}\n" for row in written)
        (loaded,) = load_source(read_source(body.encode(), "estate.yaml"))
        assert loaded.estate is not None
        data = claims(loaded.estate, build_overlay(loaded.estate))
        if wanted:
            check_record(loaded.estate, data)
        else:
            with pytest.raises(Refused, match="two rows of broker `b0` give a next hop for `b1`"):
                check_record(loaded.estate, data)
