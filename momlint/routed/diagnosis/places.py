"""Names and places: what the things of one estate are called, and where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from momlint.findings import Place
from momlint.routed.overlay.elements import Elements
from momlint.routed.overlay.form import NO_ROW
from momlint.words import joined

if TYPE_CHECKING:
    from momlint.estate.resolved import Estate, RecoveryRow, TableRow
    from momlint.routed.overlay.form import Overlay
    from momlint.routed.overlay.super_tables import RecoveryTable


class Places:
    """Those of one estate, by the dense ids of its overlay."""

    def __init__(self, estate: Estate, overlay: Overlay) -> None:
        self.estate = estate
        self.overlay = overlay

    def name(self, broker: int) -> str:
        """The broker's id as the user wrote it."""
        return self.estate.brokers[broker].id

    def names(self, brokers: Iterable[int]) -> tuple[str, ...]:
        """`name` of each."""
        return tuple(self.name(broker) for broker in brokers)

    def colour_name(self, colour: int) -> str | None:
        """The colour's name; None where the estate declares none, or none for this failure (see `Implied`)."""
        return self.estate.colours[colour].name if colour < self.named_colours else None

    @property
    def named_colours(self) -> int:
        """How many colours have a name: those that the estate declares, which come first."""
        return len(self.estate.colours) if self.estate.colours_declared else 0

    def failed_names(self, colour: int) -> tuple[str, ...]:
        """What has failed in a colour that has no name; nothing for one that has, or where nothing has failed."""
        if colour < self.named_colours:
            return ()
        o = self.overlay
        links = np.flatnonzero(o.failed_link[colour]).tolist()
        return (
            *(self.estate.links[link].id for link in links),
            *self.names(np.flatnonzero(o.failed_broker[colour]).tolist()),
        )

    def when(self, colour: int) -> str:
        """``in colour `x```, ``when link `1--2` fails`` or ``while nothing has failed``."""
        if colour < self.named_colours:
            return f"in colour `{self.colour_name(colour)}`"
        o = self.overlay
        links, brokers = (np.flatnonzero(failed[colour]).tolist() for failed in (o.failed_link, o.failed_broker))
        if not links and not brokers:
            return "while nothing has failed"
        return f"when {self.failure_words(links, brokers)} {'fails' if len(links + brokers) == 1 else 'fail'}"

    def unnamed(self, colour: int) -> str:
        """What `when` says for a failure without a colour, with a blank before it; else nothing."""
        return f" {self.when(colour)}" if self.failed_names(colour) else ""

    @property
    def rows_are_recovery(self) -> bool:
        """Whether given rows are those of ``failures.recovery`` (else of ``routing.tables``)."""
        return self.estate.recovery_rows is not None

    def is_whole(self, *sections: str) -> bool:
        """Whether nothing had to be left out of these sections: else what is missing may be what was left out."""
        return self.estate.incomplete.isdisjoint(sections)

    @property
    def has_rows(self) -> bool:
        """Whether the user gave any rows."""
        return bool(self.estate.recovery_rows) or (not self.rows_are_recovery and bool(self.estate.table_rows))

    def row_place(self, row: int) -> Place:
        """Where the given row stands; `row` must not be `NO_ROW`."""
        if self.estate.recovery_rows is not None:
            return self.estate.recovery_rows[row].place
        return self.estate.table_rows[row].place

    def row_hop(self, row: int) -> tuple[int, int]:
        """The broker whose table the row stands in, and its next hop."""
        if self.recovery_table is not None:
            return int(self.recovery_table.broker[row]), int(self.recovery_table.via[row])
        return self.estate.table_rows[row].location, self.estate.table_rows[row].via

    def tables_place(self, broker: int) -> Place:
        """Where a row missing at `broker` belongs: the key of its table, or the broker where it has none."""
        row = self._first_row.get(broker)
        if row is None:
            return self.broker_place(broker)
        if self.estate.recovery_rows is not None:
            return self.estate.recovery_rows[row].table_place
        return self.estate.table_rows[row].table_place

    @cached_property
    def _first_row(self) -> dict[int, int]:
        first: dict[int, int] = {}
        rows: Sequence[TableRow | RecoveryRow] = self.estate.table_rows
        if self.estate.recovery_rows is not None:
            # Imported late, with all that belongs to recovery: most estates have none.
            from momlint.routed.overlay.super_tables import FileRows

            rows = self.estate.recovery_rows
            if isinstance(rows, FileRows):
                return rows.first_of()
        for index, row in enumerate(rows):
            first.setdefault(row.location, index)
        return first

    def broker_place(self, broker: int) -> Place:
        """The key that declares the broker."""
        return self.estate.brokers[broker].place.key

    def topic_place(self, topic: int) -> Place:
        """The key that declares the topic."""
        return self.estate.topics[topic].place.key

    def subscriber_place(self, topic: int, broker: int) -> Place:
        """The item of the topic's ``subscribers`` that names the broker."""
        return self.estate.topics[topic].subscriber_place(broker)

    @property
    def estate_place(self) -> Place:
        """The document's own place: its ``momlint:`` key."""
        return self.estate.place

    @cached_property
    def recovery_table(self) -> RecoveryTable | None:
        """The rows of ``failures.recovery`` as arrays; None for an estate without them."""
        rows = self.estate.recovery_rows
        if rows is None:
            return None
        from momlint.routed.overlay.super_tables import table_of_rows

        return table_of_rows(rows, self.overlay.colours)

    def has_row(self, row: int) -> bool:
        """Whether `row` is one the user gave."""
        return row != NO_ROW

    @property
    def promise_place(self) -> Place:
        """Where ``failures.tolerate`` stands; the estate itself where no file has it."""
        promise = self.estate.tolerate
        return self.estate.place if promise is None or promise.place is None else promise.place

    def failure_words(self, links: Sequence[int], brokers: Sequence[int]) -> str:
        """``link `1--2` and broker `4```, or ``no failure``; in the order of the estate."""
        parts = [f"link `{self.estate.links[link].id}`" for link in links]
        parts += [f"broker `{self.name(broker)}`" for broker in brokers]
        return joined(parts) or "no failure"

    @cached_property
    def repeated_colours(self) -> dict[int, int]:
        """Colours whose failure an earlier colour stands for already: colour → the first such."""
        first: dict[tuple[tuple[int, ...], tuple[int, ...]], int] = {}
        repeated = {}
        for index, colour in enumerate(self.estate.colours):
            if not colour.incomplete:
                earlier = first.setdefault((colour.failed_links, colour.failed_brokers), index)
                if earlier != index:
                    repeated[index] = earlier
        return repeated

    @cached_property
    def merged_colours(self) -> list[tuple[int, tuple[str, ...]]]:
        """Colours that stand for several failures at once, each of which is promised alone and has no colour.

        A combination that ``tolerate`` promises is one failure; so is one that the estate adds to single failures
        which have their own colours.
        """
        promise = self.estate.tolerate
        if promise is None or not self.estate.colours_declared:
            return []
        single_links = {
            c.failed_links[0] for c in self.estate.colours if len(c.failed_links) == 1 and not c.failed_brokers
        }
        single_brokers = {
            c.failed_brokers[0] for c in self.estate.colours if len(c.failed_brokers) == 1 and not c.failed_links
        }
        groups = {(group.links, group.brokers) for group in self.estate.groups}
        elements = Elements.of(self.estate)
        merged = []
        for index, colour in enumerate(self.estate.colours):
            links, brokers = colour.failed_links, colour.failed_brokers
            if len(links) + len(brokers) < 2 or colour.incomplete or (links, brokers) in groups:
                continue
            if elements.promises(promise, links, brokers):
                continue
            bare_links = [link for link in links if promise.links and link not in single_links]
            bare_brokers = [broker for broker in brokers if promise.brokers and broker not in single_brokers]
            if len(bare_links) + len(bare_brokers) == len(links) + len(brokers):
                parts = [self.estate.links[link].id for link in bare_links]
                merged.append((index, (*parts, *self.names(bare_brokers))))
        return merged
