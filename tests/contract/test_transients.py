"""``--explain-transients`` by brute force: every mix of brokers that have changed, and every order in which they may.

While brokers change from the state without failures to a colour, or back, each uses all its entries of the one or of
the other. The oracle gives both tables; here every mix of them is followed for every destination.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import pytest

from momlint.routed.checks.explain_transients import explain
from tests.budget import ALL
from tests.contract.generator import random_estate
from tests.contract.oracle import CALM, Arcs, Estate, Failure, Tables, arcs, parse, tables_in
from tests.routed.checks.timed_estates import context_of

A_BLOCK = 20
#: Brokers that have changed.
Mix = frozenset[str]


@dataclass
class Change:
    """From the tables `before` to `after`; in `left` of what the estate declares (`full`) messages go."""

    estate: Estate
    before: Tables
    after: Tables
    full: Arcs
    left: Arcs
    loops_known: dict[tuple[str, bool, Mix], bool] = field(default_factory=dict)

    def onward(self, at: str, dest: str, left: Arcs, changed: Mix) -> str | None:
        hop = (self.after if at in changed else self.before).get((at, dest))
        if at == dest or hop is None or at not in left or hop not in left[at]:
            return None
        return None if hop in self.estate.stubs and hop != dest else hop

    def loops(self, dest: str, changed: Mix, *, failed: bool) -> bool:
        """Whether a message for `dest` goes round somewhere; `failed`: while the failure lasts."""
        key = (dest, failed, changed)
        if key not in self.loops_known:
            left = self.left if failed else self.full
            self.loops_known[key] = False
            for start in self.estate.brokers:
                at: str | None = start
                for _ in self.estate.brokers:
                    at = None if at is None else self.onward(at, dest, left, changed)
                if at is not None:
                    self.loops_known[key] = True
        return self.loops_known[key]

    @cached_property
    def mixes(self) -> list[Mix]:
        """All of them; only brokers whose entries differ count."""
        differ = sorted(
            {
                at
                for at, dest in {**self.before, **self.after}
                if self.before.get((at, dest)) != self.after.get((at, dest))
            }
        )
        return [
            frozenset(one for at, one in enumerate(differ) if number >> at & 1) for number in range(1 << len(differ))
        ]

    @cached_property
    def judged(self) -> list[str]:
        """Destinations whose messages go round neither before nor after: else that is another fault."""
        ends = (self.mixes[0], self.mixes[-1])
        return [dest for dest in self.estate.brokers if not any(self.loops(dest, one, failed=False) for one in ends)]

    def looping(self, *, failed: bool) -> list[str]:
        """The destinations for which some mix loops."""
        return [dest for dest in self.judged if any(self.loops(dest, one, failed=failed) for one in self.mixes)]

    def is_sound(self, changed: Mix, *, failed: bool) -> bool:
        """Whether nothing loops in a mix."""
        return not any(self.loops(dest, changed & self.mixes[-1], failed=failed) for dest in self.judged)

    def has_order(self, *, failed: bool) -> bool:
        """Whether brokers can change one by one through sound mixes only: every order, by the mixes it passes."""
        reached = {self.mixes[0]}
        for number in range(len(self.mixes[-1])):
            reached = {
                one
                for one in self.mixes
                if len(one) == number + 1
                and any(one - {at} in reached for at in one)
                and self.is_sound(one, failed=failed)
            }
        return bool(reached)

    def keeps(self, order: list[str], *, failed: bool) -> bool:
        """Whether nothing loops when the brokers of `order` change one after the other and all others at any time."""
        others = self.mixes[-1].difference(order)
        return all(
            self.is_sound(changed, failed=failed)
            for length in range(len(order) + 1)
            for changed in self.mixes
            if changed - others == self.mixes[-1].intersection(order[:length])
        )


def changes(estate: Estate) -> Iterator[tuple[str, Failure, Change]]:
    """One for each colour, from the first colour without failures or, where next hops need no colour, from calm."""
    calm = next((colour for colour, failure in estate.colours.items() if failure == CALM), None)
    before, full = tables_in(estate, calm, CALM), arcs(estate, CALM)
    for colour, failure in estate.colours.items():
        assert colour is not None
        after = tables_in(estate, colour, failure)
        yield colour, failure, Change(estate, before, after, full, arcs(estate, failure))


def tangled(rng: random.Random) -> str:
    """Five to seven brokers with many links, and in each colour a tree of its own towards each destination: right rows
    that have nothing to do with each other, so that orders are few, or none."""
    names = [str(number) for number in range(1, rng.randint(5, 7) + 1)]
    pairs = [(a, b) for a in names for b in names if a < b and rng.random() < 0.7]
    head = "momlint: 1\nbrokers:\n" + "".join(f"  {name}:\n" for name in names)
    head += "links:" + (" []\n" if not pairs else "\n") + "".join(f"  - {{between: [{a}, {b}]}}\n" for a, b in pairs)
    elements = [f"{a}--{b}" for a, b in pairs] + names[:1]
    failed = [rng.sample(elements, min(rng.choice([0, 1, 3, 5, 7]), len(elements))) for _ in "ab"]
    head += "failures:\n  colours:\n    c: []\n" + "".join(
        f"    {c}: [{', '.join(f)}]\n" for c, f in zip("ab", failed, strict=True)
    )
    estate = parse(head)
    rows: dict[str, list[str]] = {}
    spared = rng.choice([0.0, 0.3, 0.5])
    for dest in names:
        calm: dict[str, str] = {}
        for colour, failure in estate.colours.items():
            left = arcs(estate, failure)
            tree: dict[str, str] = {}
            while todo := [
                (at, to) for at in left for to in left[at] if at not in {dest, *tree} and to in {dest, *tree}
            ]:
                at, to = rng.choice(todo)
                tree[at] = to
            calm = calm or tree
            if rng.random() < spared and all(to in left.get(at, {}) for at, to in calm.items()):
                tree = calm
            for at, to in tree.items():
                rows.setdefault(at, []).append(f"      - {{to: {dest}, via: {to}, colours: [{colour}]}}\n")
    if not rows:
        return head
    return head + "  recovery:\n" + "".join(f"    {at}:\n{''.join(lines)}" for at, lines in rows.items())


def told(text: str) -> list[str]:
    return list(explain(context_of(text)))


_COLOUR = re.compile(r"colour (.+) \(.*\): loops are possible for (\d+) destinations?")
_TOWARDS = re.compile(r"  towards (.+?): (.+?)( \(only on the way back to normal\))?")
_ORDER = re.compile(r"  order without loops(?:, (into the failure|back to normal))?: (.*)")
_BEFORE = re.compile(r"(\S+) must change before (\S+) \(towards (\S+)\)")


def differences(estate: Estate, lines: list[str]) -> list[object]:
    """What the section says otherwise than all mixes and orders do."""
    wrong: list[object] = []
    said: dict[str, list[str]] = {}
    for line in lines:
        if found := _COLOUR.fullmatch(line):
            said[found[1]] = [line]
        else:
            said[list(said)[-1]].append(line)
    for colour, _, change in changes(estate):
        back, failed = (change.looping(failed=one) for one in (False, True))
        if not back:
            wrong += [("no loop", colour)] if colour in said else []
            continue
        if colour not in said:
            wrong.append(("loops", colour, back))
            continue
        head, *rest = said[colour]
        towards = [found for line in rest if (found := _TOWARDS.fullmatch(line))]
        if _COLOUR.fullmatch(head)[2] != str(len(back)) or [found[1] for found in towards] != back:  # type: ignore[index]
            wrong.append(("destinations", colour, back, rest))
        for found in towards:
            if (found[3] is None) != (found[1] in failed):
                wrong.append(("only on the way back", colour, found[1]))
            wrong += _wrong_cycle(change, found[1], found[2].split(" → "))
        orders = {found[1]: found[2] for line in rest if (found := _ORDER.fullmatch(line))}
        wrong += [(colour, *one) for one in _wrong_orders(change, orders)]
    return wrong


def _wrong_cycle(change: Change, dest: str, cycle: list[str]) -> Iterator[object]:
    """A cycle comes back to where it began, passes nobody twice, and each broker on it may send so."""
    if cycle[0] != cycle[-1] or len(set(cycle)) < len(cycle) - 1:
        yield "no cycle", cycle
    for at, to in pairwise(cycle):
        if to not in {change.onward(at, dest, change.full, one) for one in (change.mixes[0], change.mixes[-1])}:
            yield "no hop", dest, at, to


def _wrong_orders(change: Change, orders: dict[str | None, str]) -> Iterator[tuple[object, ...]]:
    """`orders`: into the failure, back to normal, or (None) both, as they were told."""
    both = orders.get(None)
    if set(orders) not in ({None}, {"into the failure", "back to normal"}):
        yield "lines", orders
        return
    ways = [(True, orders.get("into the failure", both)), (False, orders.get("back to normal", both))]
    for failed, order in ways:
        assert order is not None
        if order.startswith("none: "):
            if change.has_order(failed=failed):
                yield "there is an order", failed, order
            for first, second, dest in _BEFORE.findall(order):
                # Whenever the second has changed and the first has not, something loops.
                if any(
                    not change.loops(dest, one, failed=failed)
                    for one in change.mixes
                    if second in one and first not in one
                ):
                    yield "no need", failed, first, second
            continue
        there, *back = re.split("; ", order.removesuffix("; others at any time"))
        brokers = [] if there == "any" else there.split(" → ")
        if not change.keeps(brokers, failed=failed):
            yield "loops", failed, order
        if back and back != ["back to normal: " + " → ".join(reversed(brokers))]:
            yield "not the same way back", order


@pytest.mark.parametrize("block", range(40 if ALL else 1))
@pytest.mark.parametrize("kind", ["random", "tangled"])
def test_orders_are_those_without_loops(kind: str, block: int) -> None:
    for seed in range(block * A_BLOCK, (block + 1) * A_BLOCK):
        rng = random.Random(f"transients {kind} {seed}")
        text = random_estate(rng) if kind == "random" else tangled(rng)
        estate, lines = parse(text), told(text)
        if not estate.declared:
            assert lines == ["no colours are declared, so brokers never change colour"], text
        elif estate.rows and CALM not in estate.colours.values():
            assert len(lines) == 1, text
            assert lines[0].startswith("unknown: "), text
        elif lines[0].startswith("no loop is possible while brokers change between "):
            assert len(lines) == 1, text
            assert not any(change.looping(failed=False) for _, _, change in changes(estate)), f"{seed}\n{text}"
        else:
            assert differences(estate, lines) == [], f"{seed}\n{text}\n" + "\n".join(lines)


def test_the_estates_are_of_all_kinds() -> None:
    lines = [line for seed in range(120) for line in told(tangled(random.Random(f"transients tangled {seed}")))]
    for said in (
        r"  order without loops: (?!none).*",
        r"  order without loops: none: .* must change before .*",
        r"  order without loops, into the failure: (?!none).*",
        r"  order without loops, back to normal: none: .*",
        r"  order without loops.*: none: every order of .* loops",
        r"  towards .* \(only on the way back to normal\)",
    ):
        assert any(re.fullmatch(said, line) for line in lines), said
