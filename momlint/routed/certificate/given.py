"""What the checker takes from an estate: arcs with whole costs, what fails, needed pairs, and the tables as given.

Read from the resolved estate alone. None of the code that builds, plans, condenses or walks is used here: what the
checker believes of an estate must not be what the prover made of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from momlint.routed.certificate.form import CUT, NONE, Refused

if TYPE_CHECKING:
    from momlint.estate.resolved import Estate
    from momlint.routed.overlay.super_tables import RecoveryTable

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
#: No next hop.
NO_HOP = -1


class NextHops(NamedTuple):
    """Next hops by cell, ``destination * N + broker``: int64[N * N], and what differs from them in a colour.

    `key`: int64, sorted, unique, ``colour * N * N + cell``; `next`: the next hop there. `NO_HOP` for none.
    """

    base: Ints
    key: Ints
    next: Ints


@dataclass(frozen=True)
class Given:
    """An estate in arrays, with A arcs and C colours.

    `tail`, `head`, `link`: int64[A], sorted by tail; `cost`: A whole numbers, in units. `failed`: the links and the
    brokers that have failed in each colour; one colour without any where the estate declares none. `needed`:
    bool[N * N] by cell.
    """

    estate: Estate
    n: int
    tail: Ints
    head: Ints
    link: Ints
    cost: list[int]
    failed: list[tuple[tuple[int, ...], tuple[int, ...]]]
    needed: Bools

    @classmethod
    def of(cls, estate: Estate, unit: Fraction) -> Given:
        """The arcs of all links but those from a broker to itself; a cost is the decimal that the user wrote.

        Raises `Refused` where `unit` does not divide every cost, and for an estate that something was left out of.
        """
        if estate.incomplete:
            raise Refused(f"something is wrong with `{'`, `'.join(sorted(estate.incomplete))}` of the estate")
        found = sorted(
            (tail, head, index, Fraction(repr(link.cost)) / unit)
            for index, link in enumerate(estate.links)
            for tail, head in [(link.tail, link.head), (link.head, link.tail)][: 1 if link.one_way else 2]
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
        failed = [(one.failed_links, one.failed_brokers) for one in estate.colours] or [((), ())]
        return cls(estate, n, tail, head, link, [cost.numerator for *_, cost in found], failed, needed.reshape(-1))

    def down(self, colour: int) -> tuple[Bools, Bools]:
        """The brokers that have failed, bool[N], and the arcs that are not live, bool[A]."""
        links, brokers = self.failed[colour]
        gone = np.isin(np.arange(self.n), brokers)
        return gone, np.isin(self.link, links) | gone[self.tail] | gone[self.head]

    def refuse(self, colour: int, cell: int, grade: int, value: int) -> NoReturn:
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
        raise Refused(f"in colour `{self.estate.colours[colour].name}` {what}" if self.estate.colours else what)

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
