"""What is said to mend a loop or duplicates does: counted by hand, and tried with brute force."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import yaml

from momlint.lint import Options, lint_bytes, lint_files
from momlint.relayed.fates import Fates
from momlint.relayed.form import relay_of
from momlint.relayed.mending import Doubled, Trials, cut_of, thinned
from tests.budget import ALL
from tests.relayed.brute import published, random_overlay
from tests.relayed.test_brute import estate_of

CASES = Path(__file__).parents[1] / "native" / "cases"


def helps(report: object, code: str) -> list[str]:
    return [one.help for one in report.findings if one.code == code]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("case", "help_"),
    [
        # With one way of two connections gone, what comes down twice still goes up by the other one and comes back.
        ("01-mosq-mutual-both-loop", "leave out the connection `south.to-north`: the others deliver already"),
        ("03-mosq-triangle-both-loop", "leave out the connection `b.b-c`: the others deliver already"),
        # Either way is the only one there is.
        (
            "17-vernemq-mutual-out-loop",
            "leave out the way from `west` to `east`, or narrow its filter; or rename so that no filter matches again",
        ),
    ],
)
def test_what_ends_a_loop(case: str, help_: str) -> None:
    assert helps(lint_files([str(path) for path in sorted((CASES / case).iterdir())], Options()), "MOM801") == [help_]


def mesh(hops: int) -> str:
    links = [(a, b) for a in "abc" for b in "abc" if a != b]
    return "momlint: 1\nbrokers: {a: , b: , c: }\n" + (
        "routing: {protocol: relay, syntax: amqp, guard: {visited: broker}}\nlinks:\n"
        + "".join(f"  - {{from: {a}, to: {b}, max_hops: {hops}}}\n" for a, b in links)
    )


def test_one_hop_is_enough_in_a_full_mesh() -> None:
    """A mesh of three with a limit of 2 makes two copies; the manual's advice is 1."""
    assert helps(lint_bytes(mesh(1).encode(), "mesh.yaml", Options()), "MOM804") == []
    assert helps(lint_bytes(mesh(2).encode(), "mesh.yaml", Options()), "MOM804") == [
        "lower the limit on hops here from 2 to 1, and on the other links likewise: the shorter ways deliver already"
    ]


def test_a_limit_that_one_link_has_too_much_of() -> None:
    text = """momlint: 1
brokers: {a: , b: , c: }
routing: {protocol: relay, syntax: amqp}
links:
  - {from: a, to: b, max_hops: 1}
  - {from: b, to: c, max_hops: 2}
  - {from: a, to: c, max_hops: 1}
"""
    report = lint_bytes(text.encode(), "estate.yaml", Options())
    (finding,) = [one for one in report.findings if one.code == "MOM804"]
    assert (finding.span.start.line, finding.help) == (
        6,
        "lower the limit on hops here from 2 to 1: the shorter way delivers already",
    )


@pytest.mark.parametrize("block", range(4 if ALL else 1))
def test_by_brute_force(block: int) -> None:
    rng = random.Random(f"mending {block}")
    ended = once = 0
    for _ in range(30):
        text = random_overlay(rng)
        relay = relay_of(estate_of(text))
        fates = Fates(relay, "graph")
        fates.work_out()
        if not fates.whole:
            continue
        plain = yaml.safe_load(text)
        looping = [one for one in fates.told if one.fate.cycles and not one.fate.growth]
        cut = cut_of(Trials(fates), looping[:10], looping[0].fate.cycles[0][-1].arc) if looping else None
        gone = {relay.arcs[arc].link for arc in cut.arcs} if cut else set()
        if cut is not None and (cut.connections or all("from" in plain["links"][one] for one in gone)):
            links = [link for number, link in enumerate(plain["links"]) if number not in gone]
            left = yaml.safe_dump({**plain, "links": links}, sort_keys=False)
            for one in looping[:10]:
                after = published(left, relay.names[one.found.origin], fates.name(one.found))
                assert not after.loops, text
                ended += 1
        for one in fates.told:
            several = [place for place, copies in one.fate.arrivals.items() if copies > 1]
            if not several or one.fate.cycles or one.fate.growth or once > 60:
                continue
            change = thinned(Trials(fates), [Doubled(one, several[0])])
            link = relay.arcs[change.arc].link if change else 0
            if change is None or change.everywhere or "from" not in plain["links"][link]:
                continue
            links = [dict(each) for each in plain["links"]]
            if change.limit is None:
                links[link] = {**links[link], "topics": [{"filter": "none", "deny": True}]}
            else:
                links[link]["max_hops"] = change.limit
            left = yaml.safe_dump({**plain, "links": links}, sort_keys=False)
            after = published(left, relay.names[one.found.origin], fates.name(one.found))
            broker, topic = several[0]
            assert after.arrivals[relay.names[broker], fates.name(one.found, topic)] == 1, text
            once += 1
    assert ended
    assert once
