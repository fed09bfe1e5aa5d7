"""Random estates, judged by the contract alone and by momlint."""

from __future__ import annotations

import random

import pytest

from momlint.findings import Report
from momlint.lint import Options, lint_bytes, merge
from tests.budget import ALL
from tests.contract.generator import random_estate
from tests.contract.oracle import Estate, Judged, judge, parse
from tests.routed.engines.nusmv import nusmv

#: Rules that are judged here.
CODES = ("MOM301", "MOM304", "MOM401", "MOM402", "MOM403", "MOM404", "MOM405", "MOM409", "MOM501", "MOM502", "MOM601")
CODES += ("MOM602",)
#: What says that messages are lost.
LOSING = ("MOM301", "MOM302", "MOM303", "MOM304", "MOM403", "MOM404", "MOM405")
ENDS = {"arrives", "loop", "black hole", "missing", "no neighbour", "failed"}
A_BLOCK = 25
#: Blocks of estates for each engine: all, and those of a fast run.
BLOCKS = {"graph": (200, 3), "smt": (60, 1), "nusmv": (8, 1)}


def report(text: str, engine: str) -> Report:
    options = Options(engine=engine)  # type: ignore[arg-type]
    return merge([lint_bytes(text.encode(), "estate.yaml", options)], options)


def differences(estate: Estate, expected: Judged, found: Report) -> list[object]:
    """What the two say differently; empty if nothing."""
    codes = {finding.code for finding in found.findings}
    wrong: list[object] = []
    # Nothing is wrong with the text, and nothing stays open.
    wrong += sorted(codes & {"MOM101", "MOM102", "MOM103", "MOM104", "MOM106", "MOM108", "MOM901", "MOM902"})
    # MOM404 speaks for what two rows of one entry do.
    doubled = {"MOM304", "MOM403", "MOM405"} if "MOM404" in codes else set()
    # Of one thing one finding: MOM502 names the element, MOM302 or MOM303 the row.
    told = ({"MOM501"} if "MOM502" in codes else set()) | ({"MOM403"} if codes & {"MOM302", "MOM303"} else set())
    for code in CODES:
        if code in told - codes:
            continue
        if code not in expected.open and code not in doubled and (code in codes) != (code in expected.fires):
            wrong.append((code, "found" if code in codes else "expected"))
    losing = [finding for finding in found.findings if finding.code in LOSING]
    # Walks: whatever loses messages is told, with every pair and topic of it, and nothing else is.
    ends = {end for end, _ in expected.walks.values()}
    if {"MOM302", "MOM303"} & codes and not ends & {"loop", "black hole", "missing", "no neighbour", "failed"}:
        wrong.append(("a walk is lost", sorted(codes)))
    if expected.broken and not doubled:
        counted = sum(finding.affected.pairs for finding in losing if finding.affected)
        topics = {name for finding in losing if finding.affected for name in finding.affected.topics}
        if counted < len(expected.broken):
            wrong.append(("pairs", counted, sorted(expected.broken)))
        lost = {name for pair in expected.broken for name in estate.pairs[pair]}
        if topics != lost:
            wrong.append(("topics", topics, lost))
    for finding in found.findings:
        if finding.code in {"MOM302", "MOM303"} and finding.witness is not None and not doubled:
            witness = finding.witness
            # A failure without a colour is known by what has failed.
            colour = f"if {', '.join(witness.cut)} fail" if witness.colour is None and witness.cut else witness.colour
            key = (colour, witness.source or witness.walk[0], witness.destination or "")
            walks = [expected.walks[key]] if key in expected.walks else []
            if not walks or walks[0][0] == "arrives" or list(witness.walk)[: len(walks[0][1])] != walks[0][1]:
                wrong.append(("witness", finding.code, key, witness.walk, walks))
    errors = (expected.fires - {"MOM501"}) or any(end != "arrives" for end in ends)
    if bool(found.summary.errors) != bool(errors) and not expected.open:
        wrong.append(("errors", found.summary.errors))
    return wrong


@pytest.mark.parametrize(
    ("engine", "block"),
    [
        pytest.param(engine, block, marks=pytest.mark.slow if engine == "nusmv" else ())
        for engine, (every, few) in BLOCKS.items()
        for block in range(every if ALL else few)
    ],
)
def test_the_verdict_is_that_of_the_contract(engine: str, block: int) -> None:
    if engine == "nusmv":
        nusmv()
    for seed in range(block * A_BLOCK, (block + 1) * A_BLOCK):
        text = random_estate(random.Random(seed))
        estate = parse(text)
        assert differences(estate, judge(estate), report(text, engine)) == [], f"{engine} {seed}\n{text}"


def test_the_estates_are_of_all_kinds() -> None:
    """Among the first 400; no more are judged than it takes to see them all."""
    fired: set[str] = set()
    ends: set[str] = set()
    right = judged = 0
    for seed in range(400):
        one = judge(parse(random_estate(random.Random(seed))))
        fired |= one.fires
        ends |= {end for end, _ in one.walks.values()}
        right += not one.fires - {"MOM501"} and not one.broken
        judged += 1
        if judged >= 40 and fired == set(CODES) and ends == ENDS:
            break
    assert fired == set(CODES)
    assert ends == ENDS
    # And nothing is wrong with many of them.
    assert right * 10 > judged, judged
