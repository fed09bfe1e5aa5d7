"""More knowledge makes no verdict kinder: what was told lost stays told when more is declared, promised or wanted.

A failure that is also declared as a colour, a promise that is added, a topic that is added; with the contract's random
estates. What is compared are findings, not the oracle.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
import yaml

from momlint.findings import Finding
from momlint.lint import Options, lint_bytes, merge
from tests.budget import ALL
from tests.contract.generator import quoted, random_estate
from tests.contract.oracle import CALM, Estate, parse, promised

A_BLOCK = 20
#: What says that messages are lost; any of these may take over from any other.
LOSING = frozenset(f"MOM{number}" for number in (301, 302, 303, 304, 402, 403, 404, 405, 409, 502))


class Told(NamedTuple):
    """What a report says: the codes of errors, and the topics that lose messages."""

    errors: set[str]
    topics: set[str]


def told(text: str) -> Told:
    options = Options(engine="graph")
    found: list[Finding] = merge([lint_bytes(text.encode(), "estate.yaml", options)], options).findings
    assert not {finding.code for finding in found} & {
        "MOM101",
        "MOM102",
        "MOM103",
        "MOM104",
        "MOM108",
        "MOM901",
        "MOM902",
    }
    errors = [finding for finding in found if finding.severity.value == "error"]
    return Told(
        {finding.code for finding in errors},
        {name for finding in errors if finding.code in LOSING and finding.affected for name in finding.affected.topics},
    )


def with_failure_declared(rng: random.Random, estate: Estate, data: dict[str, Any]) -> bool:
    """A colour more: for a promised failure without one, or any link or broker."""
    failures = data.setdefault("failures", {})
    some = [one for one in promised(estate) if one != CALM and one not in estate.colours.values()]
    if some and rng.random() < 0.8:
        failed = rng.choice(some)
        members = [estate.links[index].names[0] for index in sorted(failed[0])] + sorted(failed[1])
    else:
        members = [rng.choice([link.names[0] for link in estate.links] + list(estate.brokers))]
    if not members:
        return False
    colours = failures.get("colours") or {}
    failures["colours"] = {**colours, "one more": members}
    return True


def with_promise(rng: random.Random, estate: Estate, data: dict[str, Any]) -> bool:
    """More is promised than was."""
    links, brokers, groups = estate.promise
    more = rng.choice([(1, 0), (0, 1), (1, 1)])
    data.setdefault("failures", {})["tolerate"] = {
        "links": str(links + more[0]),
        "brokers": str(brokers + more[1]),
        "groups": str(groups),
    }
    return links + brokers + groups < 2


def with_topic(rng: random.Random, estate: Estate, data: dict[str, Any]) -> bool:
    """One topic more; where there are none all pairs are judged, and a topic is no addition."""
    if not estate.topics:
        return False
    names = list(estate.brokers)
    data["topics"]["one more"] = {
        "publishers": rng.sample(names, rng.randint(1, 2)),
        "subscribers": rng.sample(names, rng.randint(1, 3)),
    }
    return True


#: An error that need not stay, and what may tell the same thing.
INSTEAD = {
    "MOM301": {"MOM304"},
    "MOM302": {"MOM303", "MOM304", "MOM403", "MOM404", "MOM502"},
    "MOM303": {"MOM302", "MOM304", "MOM403", "MOM404", "MOM405", "MOM502"},
    "MOM304": set[str](),
    "MOM401": set[str](),
    # Once the failure has a colour it has one.
    "MOM402": set[str](),
    "MOM403": {"MOM302", "MOM303"},
    "MOM405": {"MOM303", "MOM404"},
    "MOM409": set[str](),
    "MOM502": {"MOM302", "MOM303"},
    "MOM601": set[str](),
    "MOM602": set[str](),
}


#: Errors that what is added may mend: a failure that has its own colour now; a combination that is promised now, so
#: that one colour for it is right.
_OF_COLOURS = {
    "with_failure_declared": {"MOM401", "MOM402"},
    "with_promise": {"MOM401"},
    "with_topic": set[str](),
}


def written(data: Any, indent: int = 0) -> str:
    """Block style for mappings, so that nothing is written in another way than people do."""
    if isinstance(data, dict):
        if not data:
            return " {}\n"
        head = "\n" if indent else ""
        return head + "".join(
            f"{' ' * indent}{quoted(str(key))}:{written(value, indent + 2)}" for key, value in data.items()
        )
    if isinstance(data, list):
        return " [" + ", ".join(_flow(item) for item in data) + "]\n"
    return f" {_flow(data)}\n"


def _flow(data: Any) -> str:
    if isinstance(data, dict):
        return "{" + ", ".join(f"{_flow(key)}: {_flow(value)}" for key, value in data.items()) + "}"
    if isinstance(data, list):
        return "[" + ", ".join(map(_flow, data)) + "]"
    text = str(data)
    return (
        text if text.replace(".", "", 1).isdigit() or not text else f'"{text}"' if not text.isalnum() else quoted(text)
    )


CHANGES: list[Callable[[random.Random, Estate, dict[str, Any]], bool]] = [
    with_failure_declared,
    with_promise,
    with_topic,
]


@pytest.mark.parametrize("block", range(50 if ALL else 1))
@pytest.mark.parametrize("change", CHANGES)
def test_no_verdict_becomes_kinder(change: Callable[[random.Random, Estate, dict[str, Any]], bool], block: int) -> None:
    for seed in range(block * A_BLOCK, (block + 1) * A_BLOCK):
        rng = random.Random(f"{change.__name__} {seed}")
        text = random_estate(rng)
        data = yaml.load(text, Loader=yaml.BaseLoader)
        if not change(rng, parse(text), data):
            continue
        more = written(data)
        before, after = told(text), told(more)
        said = f"{seed}\n{text}\n-- becomes --\n{more}\n{before}\n{after}"
        assert before.topics <= after.topics, said
        for code in sorted(before.errors - after.errors):
            if code in _OF_COLOURS[change.__name__]:
                continue
            assert INSTEAD[code] & after.errors, f"{code} {said}"
