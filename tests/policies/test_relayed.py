"""Rules of users' own in relayed overlays, by the engine and by following every copy."""

from __future__ import annotations

import random
import re

import pytest
import yaml

from momlint.lint import Options, lint_bytes, merge
from momlint.policies.form import Selector
from tests.budget import ALL
from tests.policies.making import policy
from tests.relayed.brute import published, random_overlay, random_topic

A_BLOCK = 25


def tagged(rng: random.Random) -> tuple[str, dict[str, tuple[list[str], list[str], bool]]]:
    """An overlay with tags at its brokers, and topics: publishers, subscribers, whether the rule speaks of it."""
    text = random_overlay(rng)
    names = re.findall(r"^  (n\d+): \{", text, re.MULTILINE)
    for name in names:
        tags = rng.choice(["eu", "eu", "eu", "us"])
        text = re.sub(rf"^  {name}: \{{", f"  {name}: {{tags: [{tags}], ", text, flags=re.MULTILINE)
    syntax = yaml.safe_load(text)["routing"].get("syntax", "mqtt")
    topics = {}
    for _ in range(rng.randint(1, 3)):
        publishers = rng.sample(names, rng.randint(1, 2))
        subscribers = rng.sample(names, rng.randint(0, 2))
        topics[random_topic(rng, syntax)] = (publishers, subscribers, rng.random() < 0.7)
    text += "topics:\n"
    for name, (publishers, subscribers, chosen) in topics.items():
        lists = f"publishers: [{', '.join(publishers)}], subscribers: [{', '.join(subscribers)}]"
        text += f'  "{name}": {{{lists}, tags: [{"pii" if chosen else "public"}]}}\n'
    return text, topics


@pytest.mark.parametrize("block", range(40 if ALL else 4))
@pytest.mark.parametrize("engine", ["graph", "auto"])
def test_copies_outside_are_found_as_by_brute_force(engine: str, block: int) -> None:
    seen = set()
    for seed in range(block * A_BLOCK, (block + 1) * A_BLOCK):
        rng = random.Random(f"relayed policies {seed}")
        text, topics = tagged(rng)
        brokers = yaml.safe_load(text)["brokers"]
        outside = {name for name, about in brokers.items() if "eu" not in about["tags"]}
        expected: dict[str, set[str]] = {}
        unsure = False
        for name, (publishers, subscribers, chosen) in topics.items():
            if not chosen:
                continue
            for broker in outside & {*publishers, *subscribers}:
                expected.setdefault(broker, set()).add(name)
            for origin in set(publishers) - outside:
                found = published(text, origin, name)
                # Of what gets longer for ever, or has very many copies, the brute force does not see the end.
                unsure |= found.grows or found.many
                for broker, _ in found.arrivals:
                    if broker in outside:
                        expected.setdefault(broker, set()).add(name)
        own = policy("stays-within", topics=Selector(tags=("pii",)), brokers=Selector(tags=("eu",)))
        options = Options(engine=engine, select=("ACME",), policies=(own,))  # type: ignore[arg-type]
        report = merge([lint_bytes(text.encode(), "estate.yaml", options)], options)
        if unsure or report.summary.undecided:
            seen.add("unsure")
            continue
        told = {
            str(finding.data["broker"]): set(finding.affected.topics) for finding in report.findings if finding.affected
        }
        assert len(told) == len(report.findings), (seed, text)
        assert set(told) == set(expected), (seed, text)
        for broker, names in told.items():
            assert names == expected[broker], (seed, broker, text)
        seen.add("outside" if expected else "inside")
        for finding in report.findings:
            walk = finding.witness.walk if finding.witness is not None else ()
            assert (not walk and finding.witness is None) or (
                walk[0] not in outside and walk[-1] == finding.data["broker"]
            ), (seed, text)
    assert {"outside", "inside"} <= seen


def test_what_is_not_judged_yet_is_undecided() -> None:
    text, _ = tagged(random.Random(3))
    for own in (policy("survives", links_fail=1), policy("hops-within", at_most=1)):
        options = Options(select=("ACME",), policies=(own,))
        assert merge([lint_bytes(text.encode(), "estate.yaml", options)], options).summary.undecided >= 1
