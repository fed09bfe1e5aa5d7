"""Damages to the right estates of the contract's tests: costs, stubs, budgets, one-way links, sparse tables.

Whether messages arrive afterwards is judged by the brute force of the contract's tests; that all else is as it was, by
the findings of the estate before it was damaged.
"""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from momlint.findings import Severity
from momlint.lint import Options
from momlint.mending.routed import ROW_CODES
from tests.budget import ALL
from tests.contract.generator import quoted, right_estate
from tests.contract.oracle import judge, parse
from tests.mending.test_damages import DOUBLE, SINGLE, found, mend

A_BLOCK = 20
BLOCKS = 8 if ALL else 1
_RECOVERY = re.compile(r"^      - \{to: (.*), via: (.*), colours: \[(.*)\]\}$")
_GIVEN = re.compile(r"^      ([^-\s].*): \[(.*)\]$")


def damage(text: str, rng: random.Random) -> str:
    """A row is changed, goes or comes, in either kind of tables."""
    estate, lines = parse(text), text.split("\n")
    rows = [index for index, line in enumerate(lines) if _RECOVERY.match(line)]
    given = [index for index, line in enumerate(lines) if _GIVEN.match(line) and not rows]
    index = rng.choice(rows or given)
    at = next(line for line in reversed(lines[:index]) if re.match("    [^ ]", line)).strip()[:-1]
    other = rng.choice([quoted(name) for name in estate.brokers if quoted(name) != at])
    if rows:
        colours = [quoted(str(colour)) for colour in estate.colours]
        lines[index : index + 1] = _damaged_row(lines[index], other, colours, rng)
        return "\n".join(lines)
    match = _GIVEN.match(lines[index])
    assert match is not None
    via, dests = match[1], match[2].split(", ")
    dest = rng.choice(dests)
    kind = rng.choice(["hop", "hop", "gone", "double"])
    if kind != "double":
        lines[index] = f"      {via}: [{', '.join(one for one in dests if one != dest)}]"
    if kind != "gone":
        table = re.compile(rf"^      {re.escape(other)}: \[(.*)\]$")
        first = max(number for number in range(index) if re.match("    [^ ]", lines[number])) + 1
        last = next(number for number in range(index, len(lines)) if not lines[number].startswith("      "))
        same = next((number for number in range(first, last) if table.match(lines[number])), None)
        if same is None:
            lines.insert(last, f"      {other}: [{dest}]")
        else:
            held = [one for one in lines[same].partition("[")[2][:-1].split(", ") if one and one != dest]
            lines[same] = f"      {other}: [{', '.join([*held, dest])}]"
    return "\n".join(lines)


def _damaged_row(line: str, other: str, every: list[str], rng: random.Random) -> list[str]:
    match = _RECOVERY.match(line)
    assert match is not None
    to, via, colours = match[1], match[2], match[3].split(", ")
    more = [one for one in every if one not in colours]

    def row(via: str, colours: list[str]) -> str:
        return f"      - {{to: {to}, via: {via}, colours: [{', '.join(colours)}]}}"

    match rng.choice(["hop", "hop", "hop", "fewer", "gone", "more", "moved", "double"]):
        case "fewer" if len(colours) > 1:
            return [row(via, rng.sample(colours, len(colours) - 1))]
        case "gone":
            return []
        case "more" if more:
            return [row(via, [*colours, rng.choice(more)])]
        case "moved" if len(colours) > 1:
            return [row(via, colours[1:]), row(other, colours[:1])]
        case "double":
            return [row(other, [rng.choice(colours)]), line]
    return [row(other, colours)]


@pytest.mark.slow
@pytest.mark.parametrize(("times", "share"), [(1, SINGLE), (2, DOUBLE)])
@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("block", range(BLOCKS))
def test_damages_are_mended(times: int, share: float, sparse: bool, block: int) -> None:
    tried = mended_whole = seed = 0
    while tried < A_BLOCK:
        rng = random.Random(f"{times} {sparse} {block} {seed}")
        seed += 1
        right = right_estate(rng, sparse=sparse)
        estate = parse(right)
        if sum(map(len, estate.rows.values())) + len(estate.given) < times + 2:
            continue
        text = right
        for _ in range(times):
            text = damage(text, rng)
        known = Counter((one.code, one.message) for one in found(right, Options()))
        wrong = Counter((one.code, one.message) for one in found(text, Options())) - known
        if not wrong:
            continue
        tried += 1
        # Colours that are missing without any damage take rows, and time; so only sparse tables get them.
        mended, after = mend(text, () if sparse else ("MOM402", "MOM409"))
        # In sparse tables there may be latent faults besides, which are mended too.
        besides = ROW_CODES if not sparse else ROW_CODES | {"MOM402"}
        assert mended.rows <= times or any(code in besides for code, _ in known)
        # Other tables may be as good, with other notes on the moments between colours; and that a colour is of more
        # than is promised (MOM408) is told when it no longer clashes with another one.
        last = [one for one in found(after, Options()) if one.severity is not Severity.NOTE]
        left = Counter((one.code, one.message) for one in last) - known
        mended_whole += not left
        broken = [set(judge(parse(one)).broken) for one in (right, text, after)]
        assert broken[2] <= broken[1], "never worse"
        assert left or broken[2] <= broken[0], "what is clean arrives"
    assert mended_whole >= share * A_BLOCK, (mended_whole, A_BLOCK)
