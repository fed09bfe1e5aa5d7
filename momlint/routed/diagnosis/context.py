"""What checks look at: one estate, its overlay, and what the engines said of it, worked out on demand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from momlint.errors import ReplayError
from momlint.findings import Affected, Place, RelatedDraft, Witness
from momlint.routed.diagnosis.topic_names import TopicNames
from momlint.routed.overlay.elements import Elements, first_colours, with_failures
from momlint.routed.overlay.following import Walk, reached_from, walk
from momlint.routed.overlay.form import NO_ROW, Overlay
from momlint.routed.overlay.needs import Needs
from momlint.routed.overlay.ragged import among, distinct, without
from momlint.routed.questions.question import Kind, Question, Refuted
from momlint.words import joined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.estate.resolved import Estate, Link, RecoveryRow, TableRow
    from momlint.routed.ask import Ask
    from momlint.routed.diagnosis.causes import Causes
    from momlint.routed.diagnosis.cutting import Cutting
    from momlint.routed.diagnosis.recovery_facts import RecoveryFacts
    from momlint.routed.overlay.uncondensing import Entries


class Context:
    """One estate under check. Every property is worked out once, when the first check asks for it."""

    def __init__(
        self,
        estate: Estate,
        overlay: Overlay,
        ask: Ask,
        entries: Entries | None = None,
        needs: Needs | None = None,
    ) -> None:
        """`entries`: what the recovery rows leave open or say twice; `needs`: those of the topics, where known."""
        self.estate = estate
        self.overlay = overlay
        self.ask = ask
        self.entries = entries
        self._needs = needs

    # -- names and places ---------------------------------------------------------------------------------------

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

    @cached_property
    def declared_overlay(self) -> Overlay:
        """The overlay with the colours that the estate declares, or the one it has without any; no implied ones."""
        return first_colours(self.overlay, max(self.named_colours, 1))

    @cached_property
    def declared_colours(self) -> NDArray[np.int32]:
        """int32: those of `all_colours` that the overlay of declared colours has."""
        return self.all_colours[self.all_colours < max(self.named_colours, 1)]

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
        if self.recovery is not None:
            return int(self.recovery.table.broker[row]), int(self.recovery.table.via[row])
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

    def link_name(self, link: Link) -> str:
        """``a–b`` or ``a→b`` by the ids of its ends."""
        return f"{self.name(link.tail)}{'→' if link.one_way else '–'}{self.name(link.head)}"

    @property
    def estate_place(self) -> Place:
        """The document's own place: its ``momlint:`` key."""
        return self.estate.place

    # -- what is needed -----------------------------------------------------------------------------------------

    @cached_property
    def needs(self) -> Needs:
        """Topics and pairs; empty for an estate without topics, which is judged on all pairs."""
        return self._needs or Needs.of(self.overlay.n, self.estate.topics)

    @cached_property
    def all_colours(self) -> NDArray[np.int32]:
        """int32: every colour of which it is known what has failed in it."""
        known = np.ones(self.overlay.colours, np.bool_)
        if self.estate.colours_declared:
            known[: self.named_colours] = [not colour.incomplete for colour in self.estate.colours]
        return np.flatnonzero(known).astype(np.int32)

    @cached_property
    def calm(self) -> NDArray[np.bool_]:
        """bool[C]: nothing has failed in that colour."""
        o = self.overlay
        calm = np.logical_not(o.failed_link.any(axis=1) | o.failed_broker.any(axis=1))
        known = np.zeros(o.colours, np.bool_)
        known[self.all_colours] = True
        return calm & known

    def pairs_of(self, keys: NDArray[np.int64]) -> NDArray[np.int64]:
        """Distinct ``source * n + dest`` of keys ``(colour * n + dest) * n + source``."""
        return distinct(self.overlay.keys.pair_of(keys))

    def affected(self, keys: NDArray[np.int64]) -> Affected:
        """Topics and pairs that `keys` break."""
        pairs = self.pairs_of(keys)
        return Affected(self.topics_of(pairs), len(pairs))

    def topics_of(self, pairs: NDArray[np.int64]) -> TopicNames:
        """The names of the topics that need any of `pairs` (``source * n + dest``), in the order of the file."""
        return TopicNames(self.estate.topics, self.needs.topics_of(pairs))

    # -- questions ----------------------------------------------------------------------------------------------

    def failing(self, kind: Kind, subject: str, *, bound: int | None = None) -> NDArray[np.int64]:
        """The needed pairs that `kind` fails for, in every colour: sorted keys (empty where proved or undecided)."""
        o = self.overlay
        return self.refuted(Question(kind, o.pair_source, o.pair_dest, self.all_colours, bound), subject)

    def refuted(self, question: Question, subject: str) -> NDArray[np.int64]:
        """The failing keys of `question`; empty where it is proved, and where it stays undecided (see `Ask`)."""
        if not len(question.sources) or not len(question.colours):
            return np.empty(0, dtype=np.int64)
        verdict = self.ask(self.overlay, question, subject)
        return verdict.failing if isinstance(verdict, Refuted) else np.empty(0, dtype=np.int64)

    @property
    def keeps(self) -> bool:
        """Whether next hops stay as they are when something has failed: nobody says they react, nor how."""
        return not self.rows_are_recovery and self.estate.recovery_file is None and not self.estate.heals

    @cached_property
    def _not_arriving(self) -> NDArray[np.int64]:
        return self.failing("arrive", "whether every needed pair arrives by its next hops")

    @cached_property
    def broken(self) -> NDArray[np.int64]:
        """Keys of needed pairs whose walk does not arrive; without those of `unreactive`."""
        if not self.keeps:
            return self._not_arriving
        return self._not_arriving[self.calm[self.overlay.keys.colour_of(self._not_arriving)]]

    @cached_property
    def unreactive(self) -> NDArray[np.int64]:
        """Keys of needed pairs whose walk arrives while nothing has failed, and not in a colour where a path is left,
        because next hops stay as they are."""
        keys = self.overlay.keys
        if not self.keeps or not self.calm.any():
            return np.empty(0, np.int64)
        rest = self._not_arriving[~self.calm[keys.colour_of(self._not_arriving)]]
        if not len(rest):
            return rest
        broken_anyway = among(keys.cell_of(rest), distinct(keys.cell_of(self.broken)))
        found: NDArray[np.int64] = without(rest[~broken_anyway], self.cut)
        return found

    @cached_property
    def cut(self) -> NDArray[np.int64]:
        """Keys of needed pairs between which no path of live links is left."""
        return self.failing("connected", "whether a path exists for every needed pair")

    @cached_property
    def apart(self) -> NDArray[np.int64]:
        """Those keys of `cut` for which no failure is the reason: those in which nothing has failed, and where there is
        no such colour, those of pairs that no path would join without any failure."""
        o = self.overlay
        if self.calm.any() or not len(o.pair_source) or not len(self.all_colours):
            return self.cut[self.calm[o.keys.colour_of(self.cut)]]
        question = Question("connected", o.pair_source, o.pair_dest, np.zeros(1, np.int32))
        verdict = self.ask(
            self._without_failures, question, "whether a path exists for every needed pair while nothing has failed"
        )
        if not isinstance(verdict, Refuted):
            return np.empty(0, dtype=np.int64)
        found = self.cut[among(o.keys.cell_of(self.cut), verdict.failing)]
        # One whose end is down in every colour is asked in none; it has no path in the first one either.
        unasked = without(verdict.failing, o.keys.cell_of(found))
        return distinct(np.concatenate([found, o.keys.in_colour(int(self.all_colours[0]), unasked)]))

    @cached_property
    def _without_failures(self) -> Overlay:
        """The overlay with one colour, in which nothing has failed."""
        return with_failures(self.overlay, Elements(self.overlay.links, self.overlay.n), [()])

    @property
    def asked_arrival(self) -> bool:
        """Whether a rule has asked an engine if the needed pairs arrive."""
        return "broken" in self.__dict__

    def keeps_promise(self, silent: Set[str]) -> bool:
        """Whether it is known that the estate survives what ``tolerate`` promises.

        `silent`: the codes of the rules that were asked and found nothing, wanted in the report or not. It is known
        where those that would say otherwise are among them: what is cut, and, where colours say what is done, whether
        each promised failure has one.
        """
        promise = self.estate.tolerate
        if promise is None or not (promise.links or promise.brokers or promise.groups):
            return False
        asked = {"MOM502", "MOM402"} if self.estate.colours_declared else {"MOM502"}
        known = self.cutting.can_tell and self.is_whole("failures.tolerate", "failures.colours", "groups")
        return known and asked <= silent

    @cached_property
    def causes(self) -> Causes:
        """The root causes of what is broken."""
        from momlint.routed.diagnosis.causes import Causes

        return Causes(self)

    @cached_property
    def cutting(self) -> Cutting:
        """What failures cut."""
        from momlint.routed.diagnosis.cutting import Cutting

        return Cutting(self)

    @property
    def refuted_pairs(self) -> int:
        """How many (pair, colour) are known to be broken or cut with nothing failed; asks nothing by itself."""
        known = [self.__dict__[name] for name in ("broken", "cut") if name in self.__dict__]
        if not known:
            return 0
        keys = distinct(np.concatenate(known))
        cut = self.__dict__.get("cut", np.empty(0, np.int64))
        # What a failure itself cuts off is no fault of the tables; what is cut without one is.
        apart = self.__dict__.get("apart", cut[self.calm[cut // max(self.overlay.n**2, 1)]])
        return int(np.count_nonzero(~among(keys, cut) | among(keys, apart)))

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

    @cached_property
    def recovery(self) -> RecoveryFacts | None:
        """What the recovery rows say wrongly, twice or not at all; None for an estate without such rows."""
        if self.entries is None or self.estate.recovery_rows is None:
            return None
        from momlint.routed.diagnosis.recovery_facts import RecoveryFacts

        return RecoveryFacts(self, self.entries)

    # -- witnesses ----------------------------------------------------------------------------------------------

    def _walk(self, key: int) -> tuple[Witness, Walk]:
        colour, dest, source = self.overlay.keys.split(key)
        found = walk(self.overlay, colour, source, dest)
        names = self.names(found.brokers)
        cut = self.failed_names(colour)
        return Witness(self.colour_name(colour), self.name(source), self.name(dest), names, cut=cut), found

    def walk_of(self, keys: NDArray[np.int64]) -> tuple[Witness, Walk]:
        """The canonical one of `keys`, walked: the first colour, in it the first pair in the order of brokers."""
        colour, dest, source = self.overlay.keys.split(keys)
        return self._walk(int(keys[np.lexsort((dest, source, colour))[0]]))

    def witness(self, keys: NDArray[np.int64]) -> tuple[Witness, Walk]:
        """Like `walk_of`, for keys that an engine refuted to arrive: the walk is replayed before it is shown.

        Raises `ReplayError` when the message arrives after all: then an engine refuted what holds.
        """
        witness, found = self.walk_of(keys)
        if found.end == "arrived":
            raise ReplayError(
                f"a refuted pair arrives when it is replayed: {witness.source} → {witness.destination}"
                + (f" in colour {witness.colour}" if witness.colour is not None else "")
            )
        return witness, found

    def confirm_cut(self, key: int) -> None:
        """Search from the source of a pair of `apart` over live links; over all where every colour has a failure.

        Raises `ReplayError` when its destination is found after all.
        """
        colour, dest, source = self.overlay.keys.split(key)
        overlay, colour = (self.overlay, colour) if self.calm.any() else (self._without_failures, 0)
        if dest in reached_from(overlay, colour, source):
            raise ReplayError(f"a path does lead from {self.name(source)} to {self.name(dest)}")

    def steps(self, found: Walk) -> list[RelatedDraft]:
        """Where each broker of a walk sends the message on: its row, or the broker where no row was given."""
        names, steps = self.names(found.brokers), []
        for at, broker in enumerate(found.brokers):
            row = found.rows[at] if at < len(found.rows) else NO_ROW
            place = self.row_place(row) if self.has_row(row) else self.broker_place(broker)
            sent = f"`{names[at]}` sends it to `{names[at + 1]}`" if at + 1 < len(names) else f"it is at `{names[at]}`"
            steps.append(RelatedDraft(place, sent))
        return steps

    def colour_defined(self, witness: Witness) -> list[RelatedDraft]:
        """Where the witness's colour is defined, unless nothing has failed in it or there are no colours."""
        for index, colour in enumerate(self.estate.colours if witness.colour is not None else ()):
            if colour.name == witness.colour and not self.calm[index]:
                return [RelatedDraft(colour.place, f"colour {colour.name} is defined here")]
        return []

    def has_row(self, row: int) -> bool:
        """Whether `row` is one the user gave."""
        return row != NO_ROW
