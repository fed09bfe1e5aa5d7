"""Evidence: what the engines said of one estate, asked on demand, with witnesses that are replayed."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from momlint.errors import ReplayError
from momlint.findings import Affected, RelatedDraft, Witness
from momlint.routed.diagnosis.places import Places
from momlint.routed.diagnosis.topic_names import TopicNames
from momlint.routed.overlay.elements import Elements, first_colours, with_failures
from momlint.routed.overlay.following import Walk, reached_from, walk
from momlint.routed.overlay.form import NO_ROW, Overlay
from momlint.routed.overlay.needs import Needs
from momlint.routed.overlay.ragged import among, distinct, without
from momlint.routed.questions.question import Kind, Question, Refuted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from momlint.estate.resolved import Estate
    from momlint.routed.ask import Ask
    from momlint.routed.overlay.sweeps import SweepKind, Swept


class Evidence(Places):
    """That of one estate. Every property is worked out once, when somebody first asks for it."""

    def __init__(self, estate: Estate, overlay: Overlay, ask: Ask, needs: Needs | None = None) -> None:
        """`needs`: those of the topics, where they have been worked out already."""
        super().__init__(estate, overlay)
        self.ask = ask
        self._needs = needs

    @cached_property
    def declared_overlay(self) -> Overlay:
        """The overlay with the colours that the estate declares, or the one it has without any; no implied ones."""
        return first_colours(self.overlay, max(self.named_colours, 1))

    @cached_property
    def declared_colours(self) -> NDArray[np.int32]:
        """int32: those of `all_colours` that the overlay of declared colours has."""
        return self.all_colours[self.all_colours < max(self.named_colours, 1)]

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
    def without_failure(self) -> NDArray[np.bool_]:
        """bool[C]: nothing has failed in that colour."""
        o = self.overlay
        none = np.logical_not(o.failed_link.any(axis=1) | o.failed_broker.any(axis=1))
        known = np.zeros(o.colours, np.bool_)
        known[self.all_colours] = True
        return none & known

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

    def swept(self, kind: SweepKind, overlay: Overlay, subject: str) -> Sequence[Swept]:
        """What a sweep of all columns finds, block by block; `subject`: what it tells, for parts that are given up."""
        from momlint.routed.overlay.columns import Network, blocks
        from momlint.routed.overlay.sweeps import sweep

        if self.ask.spread is not None:
            parts = self.ask.spread.sweep(kind, self.ask.timeout, overlay)
            if parts is not None:
                self.ask.undecided += [(subject, part.undecided) for part in parts if part.undecided is not None]
                return parts
        network = Network(overlay)
        return [sweep(kind, overlay, block, network) for block in blocks(overlay)]

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

    @property
    def assumed(self) -> Literal["heal", "keep"] | None:
        """What next hops were taken to do after a failure; None where recovery rows say it, or nothing is to fail."""
        promise = self.estate.tolerate
        promised = promise is not None and bool(promise.links or promise.brokers or promise.groups)
        if not promised and self.without_failure[self.all_colours].all():
            return None
        if self.rows_are_recovery or self.estate.recovery_file is not None:
            return None
        return "heal" if self.estate.heals else "keep"

    @cached_property
    def _not_arriving(self) -> NDArray[np.int64]:
        return self.failing("arrive", "whether every needed pair arrives by its next hops")

    @cached_property
    def broken(self) -> NDArray[np.int64]:
        """Keys of needed pairs whose walk does not arrive; without those of `unreactive`."""
        if not self.keeps:
            return self._not_arriving
        return self._not_arriving[self.without_failure[self.overlay.keys.colour_of(self._not_arriving)]]

    @cached_property
    def unreactive(self) -> NDArray[np.int64]:
        """Keys of needed pairs whose walk arrives while nothing has failed, and not in a colour where a path is left,
        because next hops stay as they are."""
        keys = self.overlay.keys
        if not self.keeps or not self.without_failure.any():
            return np.empty(0, np.int64)
        rest = self._not_arriving[~self.without_failure[keys.colour_of(self._not_arriving)]]
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
    def cut_without_failure(self) -> NDArray[np.int64]:
        """Those keys of `cut` for which no failure is the reason: those in which nothing has failed, and where there is
        no such colour, those of pairs that no path would join without any failure."""
        o = self.overlay
        if self.without_failure.any() or not len(o.pair_source) or not len(self.all_colours):
            return self.cut[self.without_failure[o.keys.colour_of(self.cut)]]
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

    @property
    def refuted_pairs(self) -> int:
        """How many (pair, colour) are known to be broken or cut with nothing failed; asks nothing by itself."""
        known = [self.__dict__[name] for name in ("broken", "cut") if name in self.__dict__]
        if not known:
            return 0
        keys = distinct(np.concatenate(known))
        cut = self.__dict__.get("cut", np.empty(0, np.int64))
        # What a failure itself cuts off is no fault of the tables; what is cut without one is.
        unexcused = self.__dict__.get(
            "cut_without_failure", cut[self.without_failure[cut // max(self.overlay.n**2, 1)]]
        )
        return int(np.count_nonzero(~among(keys, cut) | among(keys, unexcused)))

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
        """Search from the source of a pair of `cut_without_failure` over live links; over all where each fails some.

        Raises `ReplayError` when its destination is found after all.
        """
        colour, dest, source = self.overlay.keys.split(key)
        overlay, colour = (self.overlay, colour) if self.without_failure.any() else (self._without_failures, 0)
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
            if colour.name == witness.colour and not self.without_failure[index]:
                return [RelatedDraft(colour.place, f"colour {colour.name} is defined here")]
        return []
