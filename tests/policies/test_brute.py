"""Rules of users' own on random estates, by the engines and by brute force."""

from __future__ import annotations

import random

import pytest

from momlint.findings import Report
from momlint.lint import Options, lint_bytes, merge
from momlint.policies.form import Policy, Selector
from tests.budget import ALL
from tests.contract.generator import random_estate
from tests.policies.brute import Model, does_not_survive, leaves, too_long
from tests.policies.making import policy, tagged

A_BLOCK = 20
#: The estates of a block that a run tries.
TRIED = A_BLOCK if ALL else 10
BLOCKS = {"auto": (60, 1), "graph": (100, 1), "smt": (30, 1)}


def report(text: str, policies: tuple[Policy, ...], engine: str) -> Report:
    options = Options(engine=engine, select=("ACME",), policies=policies)  # type: ignore[arg-type]
    return merge([lint_bytes(text.encode(), "estate.yaml", options)], options)


def topics_of(found: Report, code: str) -> tuple[bool, set[str]]:
    """Whether the policy is broken, and by which topics; of an estate without topics the empty name."""
    own = [finding for finding in found.findings if finding.code == code]
    names = {name for finding in own if finding.affected for name in finding.affected.topics or ("",)}
    return bool(own), names


@pytest.mark.parametrize(
    ("engine", "block"),
    [(engine, block) for engine, (every, few) in BLOCKS.items() for block in range(every if ALL else few)],
)
def test_policies_are_decided_as_by_brute_force(engine: str, block: int) -> None:
    seen = set()
    for seed in range(block * A_BLOCK, block * A_BLOCK + TRIED):
        rng = random.Random(f"policies {seed}")
        text = tagged(rng, random_estate(rng))
        model = Model(text)
        topics = rng.choice([Selector(tags=("pii",)), Selector(tags=("pii",)), Selector()])
        tag = topics.tags[0] if topics.tags else None
        most, sites = rng.randint(1, 3), rng.random() < 0.5
        fail = rng.choice([(1, 0, 0), (2, 0, 0), (0, 1, 0), (1, 1, 0)])
        within = policy("stays-within", "ACME1", topics=topics, brokers=Selector(tags=("eu",)))
        hops = policy("hops-within", "ACME2", topics=topics, at_most=most, between_sites=sites)
        lives = policy("survives", "ACME3", topics=topics, links_fail=fail[0], brokers_fail=fail[1])
        found = report(text, (within, hops, lives), engine)
        assert {finding.code for finding in found.findings} <= {"ACME1", "ACME2", "ACME3"}, (seed, found.findings, text)
        assert not found.summary.undecided, (seed, text)

        gone, long = leaves(model, tag, "eu"), too_long(model, tag, most, sites)
        assert topics_of(found, "ACME1") == (bool(gone), gone), (seed, text)
        assert topics_of(found, "ACME2") == (bool(long), long), (seed, text)
        lost, without_colour = does_not_survive(model, tag, fail)
        is_broken, names = topics_of(found, "ACME3")
        assert is_broken == bool(lost or without_colour), (seed, fail, lost, text)
        # What no colour says is not known.
        if not without_colour:
            assert names == lost, (seed, fail, text)
        seen.update(code for code, some in (("in", gone), ("hops", long), ("lives", lost)) if some)
        seen.update(code for code, some in (("not in", gone), ("not hops", long), ("not lives", lost)) if not some)
    assert len(seen) == 6, seen


def test_no_two_findings_are_of_one_cause() -> None:
    """Of one policy: one finding a broker outside; one a topic with long walks; a topic in one finding that cuts it."""
    for seed in range(60 if ALL else 20):
        rng = random.Random(f"causes {seed}")
        text = tagged(rng, random_estate(rng))
        within = policy("stays-within", "ACME1", brokers=Selector(tags=("eu",)))
        hops = policy("hops-within", "ACME2", at_most=1)
        found = report(text, (within, hops), "graph").findings
        outside = [finding.data["broker"] for finding in found if finding.code == "ACME1"]
        assert len(outside) == len(set(outside))
        long = [finding.data.get("topic") for finding in found if finding.code == "ACME2"]
        assert len(long) == len(set(long))
