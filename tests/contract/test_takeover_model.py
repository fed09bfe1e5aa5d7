"""The NuSMV model of take-overs, with lists of adopters, by brute force from the contract.

A broker's publishers and subscribers are at home, and while it is down at the first of its adopters that is alive. The
model lets at most one broker be down at a time, and they move a step after; its states are few, and all are looked at.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from momlint.cli import main
from momlint.routed.overlay import build_overlay
from momlint.routed.specs import SpecFalse, SpecTrue, decide_spec, names_of
from momlint.solving.nusmv import run
from tests.budget import ALL
from tests.contract.generator import quoted, random_estate
from tests.contract.oracle import Estate, parse
from tests.contract.test_models import resolved
from tests.routed.engines.nusmv import nusmv

A_BLOCK = 12
ROLES = {"publishers": "publisher", "subscribers": "subscriber"}


class Client(NamedTuple):
    """A publisher or subscriber of one topic: what a formula calls it, and its broker."""

    name: str
    home: str

    def on(self, broker: str) -> str:
        return f"{self.name}.{self.name[:3]}_bro{broker}"


def with_takeovers(rng: random.Random, text: str) -> str:
    """Lists of adopters for most brokers of an estate, in place of what it has; a broker may stand in its own."""
    text = re.sub(r"^  takeover:\n(?:    .*\n)*", "", text, flags=re.M)
    names = list(parse(text).brokers)
    lines = [
        f"    {quoted(name)}: [{', '.join(map(quoted, rng.sample(names, rng.randint(1, min(3, len(names))))))}]\n"
        for name in names
        if rng.random() < 0.8
    ]
    if not lines:
        return ""
    return text + ("" if re.search("^failures:", text, re.M) else "failures:\n") + "  takeover:\n" + "".join(lines)


def estates(block: int) -> Iterator[tuple[random.Random, str, Estate]]:
    """Those whose names a formula can say."""
    for seed in range(block * A_BLOCK, (block + 1) * A_BLOCK):
        rng = random.Random(f"take-overs {seed}")
        text = with_takeovers(rng, random_estate(rng))
        if text and re.search(r"^  [1a]:", text, re.M):
            yield rng, text, parse(text)


def clients(estate: Estate) -> list[Client]:
    """Numbered at each broker by its topics; where there are no topics each broker has one of both."""
    topics = list(estate.topics.values()) or [{end: [broker] for end in ROLES} for broker in estate.brokers]
    found = []
    for end, role in ROLES.items():
        for broker in estate.brokers:
            names = [role + broker] + [f"{role}{broker}_{number}" for number in range(2, len(topics) + 1)]
            found += [Client(name, broker) for name in names[: sum(broker in topic[end] for topic in topics)]]
    return found


def place(estate: Estate, home: str, down: set[str]) -> str:
    """Where the clients of a broker are; at home where nobody takes them."""
    return next((one for one in [home, *estate.takeover.get(home, ())] if one not in down), home)


def questions(rng: random.Random, estate: Estate) -> Iterator[tuple[str, str, bool]]:
    """(logic, formula, whether it holds), each of a client and a broker, in all states that are reached.

    The states are (what was down a step ago, what is down); any may follow whose first is the second of this.
    """
    down: list[set[str]] = [set(), *({broker} for broker in estate.brokers)]
    for client in rng.sample(clients(estate), min(3, len(clients(estate)))):
        at = {frozenset(one): place(estate, client.home, one) for one in down}
        near = [client.home, *estate.takeover.get(client.home, ())]
        for other in {rng.choice(list(estate.brokers)), rng.choice(near)}:
            here, up = client.on(other), f"broker{client.home}.state"
            where = [at[frozenset(before)] == other for before in down]
            gone = at[frozenset({client.home})] == other
            yield "ctl", f"EF {here}", any(where)
            yield "ctl", f"AG {here}", all(where)
            yield "ltl", f"G !{here}", not any(where)
            yield "ltl", f"G (!{up} -> X {here})", gone
            yield "ltl", f"G ({up} -> X {here})", client.home == other
            yield "ltl", f"F {here}", at[frozenset()] == other
            yield "ctl", f"AG (!{up} -> AX {here})", gone
            yield "ctl", f"EF (!{up} & {here})", any(where)


@pytest.mark.parametrize("block", range(25 if ALL else 1))
def test_nusmv_moves_clients_to_the_first_adopter_alive(
    block: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = nusmv()
    for rng, text, estate in estates(block):
        asked = list(questions(rng, estate))
        specs = [f'  - {{name: q{number}, {logic}: "{said}"}}' for number, (logic, said, _) in enumerate(asked)]
        path = tmp_path / "estate.yaml"
        path.write_text(text + "specs:\n" + "\n".join(specs) + "\n")
        modes = [["--literal"], []] if len(estate.brokers) < 6 and len(clients(estate)) < 8 else [[]]
        for literal in modes:
            assert main(["render", str(path), "--to", "smv", "--model", "takeover", *literal]) == 0
            answers = [one.holds for one in run(program, capsys.readouterr().out, traces=False, timeout=60)]
            # NuSMV answers all CTL first; what the model asks of itself is LTL, and comes before the estate's own.
            ctl, ltl = ([holds for logic, _, holds in asked if logic == one] for one in ("ctl", "ltl"))
            theirs = answers[len(ctl) : len(answers) - len(ltl)]
            assert answers == [*ctl, *theirs, *ltl], f"{literal}\n{text}\n" + "\n".join(specs)
            # Who is adopted moves and comes back, and every topic of the generator's has both ends.
            assert all(theirs), text


@pytest.mark.parametrize("block", range(50 if ALL else 2))
def test_specifications_speak_of_the_same_moves(block: int) -> None:
    for rng, text, estate in estates(block):
        found = resolved(text)
        overlay, names = build_overlay(found), names_of(found)
        for logic, said, holds in questions(rng, estate):
            told = decide_spec(overlay, names, said, logic)  # type: ignore[arg-type]
            assert isinstance(told, SpecTrue if holds else SpecFalse), f"{said}: {told}\n{text}"


def test_the_estates_are_of_all_kinds() -> None:
    found = [(estate, list(questions(rng, estate))) for block in range(4) for rng, _, estate in estates(block)]
    assert any(adopters[:1] == [broker] for estate, _ in found for broker, adopters in estate.takeover.items())
    assert any(len(adopters) > 2 for estate, _ in found for adopters in estate.takeover.values())
    # Each kind of question is true of some and false of others.
    kinds = {(number % 8, holds) for _, asked in found for number, (*_, holds) in enumerate(asked)}
    assert len(kinds) == 16
