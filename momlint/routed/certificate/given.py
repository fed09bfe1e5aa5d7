"""What the checker takes from an estate: arcs with whole costs, what fails, needed pairs, and next hops as given.

Read from the resolved estate alone. None of the code that builds, plans, condenses or walks is used here: what the
checker believes of an estate must not be what the prover made of it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain, combinations, product
from math import comb, prod
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from momlint.routed.certificate.form import CUT, NONE, Refused

if TYPE_CHECKING:
    from momlint.estate.resolved import Estate
    from momlint.routed.overlay.super_tables import RecoveryTable

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
#: Links and brokers that have failed, each ascending.
Failed = tuple[tuple[int, ...], tuple[int, ...]]
#: No next hop.
NO_HOP = -1
#: So many promised failures are listed, or as many as there are colours: then each may have one.
_MOST_PROMISED = 20_000


class NextHops(NamedTuple):
    """Next hops by cell, ``destination * N + broker``: int64[N * N], and what differs from them in a state.

    `key`: int64, sorted, unique, ``state * N * N + cell``; `next`: the next hop there. `NO_HOP` for none.
    """

    base: Ints
    key: Ints
    next: Ints

    def at(self, key: Ints) -> Ints:
        """The next hops at any keys."""
        place = np.searchsorted(self.key, key)
        differs = np.append(self.key, -1)[place] == key
        return np.where(differs, np.append(self.next, NO_HOP)[place], self.base[key % max(self.base.size, 1)])


class States(NamedTuple):
    """What claims speak of: `failed`, what has failed in each state.

    First the estate's `colours`. Then, unless recovery rows say colour by colour what is done: the state in which
    nothing has failed, where no colour stands for it (`intact`, 0 or 1), and as many `promised` failures without a
    colour. An estate without colours begins with that state. `unspoken`: how many states without a colour are promised
    and not among these, None for too many to be counted.
    """

    failed: list[Failed]
    colours: int
    intact: int
    promised: int
    unspoken: int | None

    @classmethod
    def of(cls, estate: Estate) -> States:
        """The states of an estate, in this order: promised failures by links, then by brokers."""
        declared = [(tuple(one.failed_links), tuple(one.failed_brokers)) for one in estate.colours]
        nothing: Failed = ((), ())
        promised = _promised(estate)
        lacking = None if promised is None else sorted({nothing, *promised}.difference(declared))
        if estate.recovery_rows is not None and declared:
            return cls(declared, len(declared), 0, 0, None if lacking is None else len(lacking))
        intact = int(nothing not in declared)
        failures = [] if lacking is None else [one for one in lacking if one != nothing]
        spoken = [] if estate.recovery_rows is not None else failures
        unspoken = None if lacking is None else len(failures) - len(spoken)
        return cls(declared + [nothing] * intact + spoken, len(declared), intact, len(spoken), unspoken)


def _promised(estate: Estate) -> set[Failed] | None:
    """The failures that ``tolerate`` promises to survive, that of nothing among them; None for too many."""
    promise = estate.tolerate
    if promise is None:
        return set()
    kinds: list[tuple[list[Failed], int]] = [
        ([((link,), ()) for link in range(len(estate.links))], promise.links),
        ([((), (broker,)) for broker in range(len(estate.brokers))], promise.brokers),
        ([(tuple(group.links), tuple(group.brokers)) for group in estate.groups], promise.groups),
    ]
    number = prod(sum(comb(len(kind), size) for size in range(min(most, len(kind)) + 1)) for kind, most in kinds)
    if number > max(_MOST_PROMISED, len(estate.colours) + 1):
        return None
    ways = [
        [some for size in range(min(most, len(kind)) + 1) for some in combinations(kind, size)] for kind, most in kinds
    ]
    return {_together(chain.from_iterable(chosen)) for chosen in product(*ways)}


def _together(failures: Iterable[Failed]) -> Failed:
    links, brokers = set[int](), set[int]()
    for some, others in failures:
        links.update(some)
        brokers.update(others)
    return tuple(sorted(links)), tuple(sorted(brokers))


@dataclass(frozen=True)
class Given:
    """An estate in arrays, with A arcs and the states that claims speak of.

    `tail`, `head`, `link`: int64[A], sorted by tail; `cost`: A whole numbers, in units. `stub`: bool[N], the brokers
    that pass nothing on. `needed`: bool[N * N] by cell.
    """

    estate: Estate
    n: int
    tail: Ints
    head: Ints
    link: Ints
    cost: list[int]
    stub: Bools
    states: States
    needed: Bools

    @classmethod
    def of(cls, estate: Estate, states: States, unit: Fraction) -> Given:
        """The arcs of all links but those from a broker to itself; a cost is the decimal that the user wrote.

        Raises `Refused` where `unit` does not divide every cost, and for an estate that something was left out of.
        """
        if estate.incomplete:
            raise Refused(f"something is wrong with `{'`, `'.join(sorted(estate.incomplete))}` of the estate")
        found = sorted(
            (tail, head, index, Fraction(repr(cost)) / unit)
            for index, link in enumerate(estate.links)
            for tail, head, cost in [
                (link.tail, link.head, link.cost),
                (link.head, link.tail, link.cost if link.cost_back is None else link.cost_back),
            ][: 1 if link.one_way else 2]
            if tail != head
        )
        if any(cost <= 0 or cost.denominator != 1 for *_, cost in found):
            raise Refused(f"its unit of cost, {unit}, does not divide the costs of all links")
        tail, head, link = (np.array([arc[place] for arc in found], np.int64) for place in range(3))
        n = len(estate.brokers)
        needed = np.full((n, n), not estate.topics)
        for topic in estate.topics:
            needed[np.ix_(topic.subscribers, topic.publishers)] = True
        np.fill_diagonal(needed, False)
        stub = np.array([not broker.transit for broker in estate.brokers], bool)
        whole = [cost.numerator for *_, cost in found]
        return cls(estate, n, tail, head, link, whole, stub, states, needed.reshape(-1))

    def down(self, state: int) -> tuple[Bools, Bools]:
        """The brokers that have failed, bool[N], and the arcs that are not live, bool[A]."""
        links, brokers = self.states.failed[state]
        gone = np.isin(np.arange(self.n), brokers)
        return gone, np.isin(self.link, links) | gone[self.tail] | gone[self.head]

    def refuse(self, state: int, cell: int, grade: int, value: int) -> NoReturn:
        """Say what is wrong at a cell with the potential `value`."""
        at, to = self.estate.brokers[cell % self.n].id, self.estate.brokers[cell // self.n].id
        if grade >= 0:
            what = f"the walk from `{at}` to `{to}` is not as short as claimed, or not by the smallest next hop"
        elif value == NONE:
            what = f"nothing is claimed of messages from `{at}` to `{to}`: they may not arrive"
        elif value == CUT:
            what = f"`{at}` is said to be cut off from `{to}`, and a live link leads to a broker that is not"
        else:
            what = f"messages from `{at}` to `{to}` do not arrive at the cost that is claimed"
        raise Refused(f"{self._where(state)}{what}")

    def _where(self, state: int) -> str:
        """The state, as the beginning of a sentence; empty where nothing else is spoken of."""
        if state < self.states.colours:
            return f"in colour `{self.estate.colours[state].name}` "
        links, brokers = self.states.failed[state]
        down = [self.estate.links[link].id for link in links] + [self.estate.brokers[one].id for one in brokers]
        if down:
            return f"while `{'` and `'.join(down)}` {'is' if len(down) == 1 else 'are'} down, "
        return "while nothing has failed, " if len(self.states.failed) > 1 else ""

    def table_hops(self) -> NextHops:
        """The next hops of ``routing.tables``. Raises `Refused` where two rows give different ones."""
        found: dict[int, int] = {}
        for row in self.estate.table_rows:
            for dest in row.destinations:
                cell = dest * self.n + row.location
                if found.setdefault(cell, row.via) != row.via:
                    self._refuse_twice(cell)
        base = np.full(self.n**2, NO_HOP, np.int64)
        base[list(found.keys())] = list(found.values())
        base[:: self.n + 1] = NO_HOP
        return NextHops(base, base[:0], base[:0])

    def rows_beside(self, rows: NextHops, computed: NextHops) -> NextHops:
        """Next hops where `rows` (of ``routing.tables``) stay in force beside `computed` ones, in every state.

        ``static_rows: withdraw`` takes a row back while its next hop has failed, or all links to it have.
        """
        size = self.n**2
        cell = np.flatnonzero(rows.base != NO_HOP)
        free = rows.base[computed.key % size] == NO_HOP
        keys, hops = [computed.key[free]], [computed.next[free]]
        via = rows.base[cell]
        hop, number = np.unique(self.tail * self.n + self.head, return_inverse=True)
        wanted = cell % self.n * self.n + via
        own = np.searchsorted(hop, wanted)
        own[np.append(hop, -1)[own] != wanted] = hop.size  # no link leads there, so none of them is down
        for state in range(len(self.states.failed) if self.estate.withdraws_rows else 0):
            gone, dead = self.down(state)
            live = np.arange(hop.size + 1) == hop.size
            live[number[~dead]] = True
            key = state * size + cell[gone[via] | ~live[own]]
            keys.append(key)
            hops.append(computed.at(key))
        key = np.concatenate(keys)
        order = np.argsort(key)
        base = np.where(rows.base == NO_HOP, computed.base, rows.base)
        return NextHops(base, key[order], np.concatenate(hops)[order])

    def recovery_hops(self, rows: RecoveryTable) -> NextHops:
        """The next hops of recovery rows. Raises `Refused` where two rows give one.

        The base is the row that holds in all colours but a few (`RecoveryTable.inverted`), where a cell has one; the
        colours that it leaves out, and those that other rows list, differ.
        """
        size = self.n**2
        cell = rows.to.astype(np.int64) * self.n + rows.broker
        useful = rows.to != rows.broker
        row_of = np.repeat(np.arange(rows.rows), np.diff(rows.start))
        key = rows.listed * np.int64(size) + cell[row_of]
        wide = useful & rows.inverted
        base = np.full(size, NO_HOP, np.int64)
        base[cell[wide]] = rows.via[wide]
        left_out = np.sort(key[wide[row_of]])
        listing = np.flatnonzero((useful & ~rows.inverted)[row_of])
        listing = listing[np.argsort(key[listing], kind="stable")]
        listed, via = key[listing], rows.via[row_of[listing]].astype(np.int64)
        beyond = listed[(base[listed % size] != NO_HOP) & ~_among(listed, left_out)]
        for twice in (_repeated(cell[wide]), _repeated(listed), beyond):
            if twice.size:
                self._refuse_twice(int(twice[0] % size))
        gaps = left_out[~_among(left_out, listed)]
        keys = np.concatenate((listed, gaps))
        order = np.argsort(keys)
        return NextHops(base, keys[order], np.concatenate((via, np.full(gaps.size, NO_HOP, np.int64)))[order])

    def _refuse_twice(self, cell: int) -> NoReturn:
        at, to = self.estate.brokers[cell % self.n].id, self.estate.brokers[cell // self.n].id
        raise Refused(f"two rows of broker `{at}` give a next hop for `{to}`")


def _repeated(values: Ints) -> Ints:
    """The values that are there more than once."""
    ordered: Ints = np.sort(values)
    again: Ints = ordered[1:][ordered[1:] == ordered[:-1]]
    return again


def _among(values: Ints, ordered: Ints) -> Bools:
    """Which values are in `ordered`, which ascends."""
    place = np.searchsorted(ordered, values)
    found: Bools = np.append(ordered, -1)[place] == values
    return found
