"""``momlint diff`` on random estates and changes of them, against the contract's own reading of both."""

from __future__ import annotations

import random

import pytest

from momlint.access import Access
from momlint.changes import Comparison
from momlint.disciplines import complete
from momlint.estate import Estate as OurEstate
from momlint.estate.opening import open_bytes
from momlint.routed.difference import compare
from tests.budget import ALL
from tests.contract.generator import random_estate
from tests.contract.oracle import CALM, Estate, Failure, arcs, parse, promised, tables_in, walked

A_BLOCK = 10
BLOCKS = (120, 1)
#: Failed links and brokers, by name.
Named = tuple[frozenset[str], frozenset[str]]


def loaded(text: str) -> OurEstate:
    (one,) = open_bytes(text.encode(), "estate.yaml", Access.of("estate.yaml"), complete).estates
    assert one.estate is not None
    assert one.problems == []
    return one.estate


def changed(text: str, rng: random.Random) -> str:
    """Another estate, or the same with a line less, or with another cost."""
    lines = text.splitlines(keepends=True)
    links = [
        index for index, line in enumerate(lines) if line.startswith("  - {") and ("between" in line or "from" in line)
    ]
    topics = [index for index, line in enumerate(lines) if line.startswith("  t") and "publishers" in line]
    rows = [index for index, line in enumerate(lines) if "via:" in line]
    match rng.randrange(5):
        case 0 if len(rows) > 1:
            del lines[rng.choice(rows)]
        case 1 if len(topics) > 1:
            del lines[rng.choice(topics)]
        case 2 if links:
            index = rng.choice(links)
            lines[index] = lines[index].replace("cost: 1", "cost: 7")
        case 3 if len(links) > 1 and "failures" not in text:
            del lines[rng.choice(links)]
        case _:
            return random_estate(rng)
    return "".join(lines)


def named(estate: Estate, failure: Failure) -> Named:
    return frozenset(estate.links[index].names[0] for index in failure[0]), frozenset(failure[1])


class Side:
    """What the contract says of one of the two."""

    def __init__(self, text: str) -> None:
        self.estate = parse(text)
        self.colours: dict[Named, str | None] = {}
        for colour, failure in self.estate.colours.items():
            self.colours.setdefault(named(self.estate, failure), colour)
        self.pairs = set(self.estate.pairs)

    def failures(self) -> list[Named]:
        if self.estate.rows:
            return list(self.colours)
        return [*self.colours, *(named(self.estate, failure) for failure in [CALM, *promised(self.estate)])]

    def way(self, failed: Named, source: str, dest: str) -> tuple[str, ...] | None:
        """The brokers that a message passes; None where it does not arrive, or an end is down or not there."""
        estate = self.estate
        if not {source, dest} <= set(estate.brokers) or {source, dest} & failed[1]:
            return None
        links = frozenset(index for index, link in enumerate(estate.links) if link.names[0] in failed[0])
        failure = links, failed[1]
        tables = tables_in(estate, self.colours.get(failed), failure)
        end, walk, _ = walked(estate, tables, (arcs(estate, CALM), arcs(estate, failure)), source, dest)
        return tuple(walk) if end == "arrives" else None

    def knows(self, failed: Named) -> bool:
        if failed in self.colours:
            return True
        names = {link.names[0] for link in self.estate.links}
        return not self.estate.rows and failed[0] <= names and failed[1] <= set(self.estate.brokers)


def expected(old: Side, new: Side) -> set[tuple[str, str, str, Named]]:
    found = set()
    for failed in {*old.failures(), *new.failures(), named(new.estate, CALM)}:
        if not (old.knows(failed) and new.knows(failed)):
            continue
        for source, dest in old.pairs | new.pairs:
            before, after = old.way(failed, source, dest), new.way(failed, source, dest)
            was, now = (source, dest) in old.pairs, (source, dest) in new.pairs
            down = {source, dest} & failed[1]
            kind = ""
            if now and not down:
                if after is None:
                    kind = "broken" if before is not None or not was else ""
                elif not was:
                    kind = "added"
                elif before != after:
                    kind = "mended" if before is None else "moved"
            elif was and not now and not down:
                kind = "dropped"
            if kind:
                found.add((kind, source, dest, failed))
    return found


def found(comparison: Comparison, old: Side, new: Side) -> set[tuple[str, str, str, Named]]:
    brokers = {*old.estate.brokers, *new.estate.brokers}
    links = {link.names[0] for side in (old, new) for link in side.estate.links}
    assert not brokers & links
    return {
        (
            change.kind,
            change.source,
            change.destination,
            (frozenset(one.failed) & links, frozenset(one.failed) & brokers),
        )
        for change in comparison.changes
        for one in change.failures
    }


@pytest.mark.parametrize("block", range(BLOCKS[0] if ALL else BLOCKS[1]))
def test_the_same_changes_as_the_contract(block: int) -> None:
    rng = random.Random(f"diff {block}")
    kinds = set()
    for _ in range(A_BLOCK):
        old_text = random_estate(rng)
        new_text = changed(old_text, rng)
        old, new = Side(old_text), Side(new_text)
        comparison = compare(loaded(old_text), loaded(new_text))
        assert found(comparison, old, new) == expected(old, new), f"{old_text}\n---\n{new_text}"
        kinds |= {change.kind for change in comparison.changes}
        for change in comparison.changes:
            first = change.failures[0].failed
            failed = next(one for one in new.failures() + old.failures() if one[0] | one[1] == set(first))
            for side, way in ((old, change.old), (new, change.new)):
                arrives = way.brokers if way.end == "arrived" else None
                assert side.way(failed, change.source, change.destination) == arrives
    assert len(kinds) > 1


def test_nothing_changes_from_an_estate_to_itself() -> None:
    rng = random.Random("diff nothing")
    for _ in range(A_BLOCK):
        text = random_estate(rng)
        assert compare(loaded(text), loaded(text)).changes == ()
