"""What failures cut in one estate: the engines' answers with names and places, replayed before anyone sees them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from momlint.errors import ReplayError
from momlint.findings import Affected, Place, RelatedDraft, Witness
from momlint.routed.overlay.arcs import unconnected
from momlint.routed.overlay.cuts import Graph
from momlint.routed.overlay.elements import Elements, connected_pairs, cut_pairs, with_failures
from momlint.routed.questions.failures import Cut, Survey
from momlint.words import joined

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from momlint.routed.diagnosis.evidence import Evidence

#: Elements whose cuts are worked out at once: so many masks over the needed pairs are kept.
_TOGETHER = 64


class Cutting:
    """The elements of an estate and what each cuts. Every property is worked out once, when it is first asked for."""

    def __init__(self, context: Evidence) -> None:
        self.context = context
        self.elements = Elements.of(context.estate)
        self._alone: dict[int, NDArray[np.bool_]] = {}

    @property
    def can_tell(self) -> bool:
        """Whether links, brokers and needs are all there; a link that could not be read may be the second way."""
        context = self.context
        return context.is_whole("brokers", "links") and (bool(context.estate.topics) or context.is_whole("topics"))

    @cached_property
    def survey(self) -> Survey:
        """What each element cuts by failing alone; empty where that stays undecided (see `Ask`)."""
        asked = range(len(self.elements))
        return self.context.ask.survey(
            self.context.overlay, self.elements, asked, "which single failures cut a needed pair"
        )

    @cached_property
    def cutting(self) -> dict[int, Cut]:
        """The survey by element."""
        return {cut.element: cut for cut in self.survey}

    # -- names and places ---------------------------------------------------------------------------------------

    def name(self, element: int) -> str:
        """The link's, broker's or group's id."""
        estate, index = self.context.estate, self.elements.index(element)
        match self.elements.kind(element):
            case "link":
                return estate.links[index].id
            case "broker":
                return estate.brokers[index].id
            case "group":
                return estate.groups[index].name

    def words(self, elements: Sequence[int]) -> str:
        """``link `1--2` and broker `4```."""
        parts = [f"{self.elements.kind(element)} `{self.name(element)}`" for element in elements]
        return joined(parts)

    def place(self, element: int) -> Place:
        """A link's entry, the key of a broker or a group."""
        estate, index = self.context.estate, self.elements.index(element)
        match self.elements.kind(element):
            case "link":
                return estate.links[index].place
            case "broker":
                return self.context.broker_place(index)
            case "group":
                return estate.groups[index].place.key

    def declared(self, elements: Iterable[int]) -> list[RelatedDraft]:
        """Where each is declared."""
        return [
            RelatedDraft(self.place(element), f"{self.elements.kind(element)} `{self.name(element)}` is declared here")
            for element in elements
        ]

    # -- pairs --------------------------------------------------------------------------------------------------

    @cached_property
    def connected(self) -> NDArray[np.bool_]:
        """bool[P]: the needed pairs that a path joins while nothing has failed."""
        return connected_pairs(self.context.overlay)

    def pairs(self, failed: Sequence[int]) -> NDArray[np.bool_]:
        """bool[P]: the needed pairs that the failure of all of `failed` cuts; by a search of its own."""
        if len(failed) != 1 or failed[0] not in self.cutting:
            return cut_pairs(self.context.overlay, self.elements, failed, self.connected)
        if failed[0] not in self._alone:
            # Checks go through the survey in its order: the next ones will be asked for too, and a search of many
            # failures at once takes hardly longer than that of one.
            some = [element for element in self.cutting if element >= failed[0]][:_TOGETHER]
            self._alone = dict(zip(some, self._cut_alone(some), strict=True))
        return self._alone[failed[0]]

    def _cut_alone(self, elements: Sequence[int]) -> Iterator[NDArray[np.bool_]]:
        """As `cut_pairs`, for the failure of each of `elements` alone."""
        overlay = self.context.overlay
        after = with_failures(overlay, self.elements, [(element,) for element in elements])
        colours = np.arange(len(elements))
        for colour, cut in unconnected(after, colours, overlay.pair_source, overlay.pair_dest):
            down = after.failed_broker[colour]
            yield cut & self.connected & ~down[overlay.pair_source] & ~down[overlay.pair_dest]

    def beyond_members(self, group: int, members_count: Iterable[int]) -> NDArray[np.bool_]:
        """bool[P]: the pairs that a group cuts and none of the elements `members_count` of it cuts alone."""
        links, brokers = self.elements.groups[self.elements.index(group)]
        members = {*links, *(self.elements.links + broker for broker in brokers)}
        cut = self.pairs((group,))
        for member in sorted(members.intersection(members_count)):
            if member in self.cutting:
                cut = cut & ~self.pairs((member,))  # in place would change what `pairs` keeps
        return cut

    def shown(self, failed: Sequence[int], cut: NDArray[np.bool_]) -> tuple[Witness, Affected]:
        """The first of the pairs `cut` as a witness, and all that is affected. Raises `ReplayError` if none is."""
        which = np.flatnonzero(cut)
        if not which.size:
            raise ReplayError(f"a path is left for every needed pair when {self.words(failed)} fails")
        overlay, context = self.context.overlay, self.context
        pairs = overlay.keys.pair(overlay.pair_source[which], overlay.pair_dest[which])
        source, dest = overlay.keys.split_pair(int(pairs[0]))
        return self._witness(failed, source, dest), Affected(context.topics_of(pairs), which.size)

    def shown_alone(self, cut: Cut) -> tuple[Witness, Affected]:
        """The same for one element of the survey. Raises `ReplayError` where the survey is wrong about it."""
        failed = (cut.element,)
        if self.context.estate.topics:
            witness, affected = self.shown(failed, self.pairs(failed))
            if affected.pairs != cut.pairs or witness != self._witness(failed, cut.source, cut.dest):
                raise ReplayError(f"{self.words(failed)} cuts {affected.pairs} pairs, and not {cut.pairs}")
            return witness, affected
        # All pairs are needed: there may be a million of them, and the count needs no topics.
        if self._is_joined(cut):
            raise ReplayError(f"a path is left when {self.words(failed)} fails")
        return self._witness(failed, cut.source, cut.dest), Affected((), cut.pairs)

    def _witness(self, failed: Sequence[int], source: int, dest: int) -> Witness:
        name = self.context.name
        return Witness(source=name(source), destination=name(dest), cut=tuple(self.name(element) for element in failed))

    @cached_property
    def _graph(self) -> Graph:
        return Graph(self.context.overlay)

    def _is_joined(self, cut: Cut) -> bool:
        """Whether a path is left for the witness of `cut`."""
        links, brokers = self.elements.kills((cut.element,))
        transit = self.context.overlay.transit
        seen = {cut.source, *brokers}
        stack = [cut.source]
        while stack:
            at = stack.pop()
            if at != cut.source and transit is not None and not transit[at]:
                continue
            for to, link in self._graph.out[at]:
                if to not in seen and link not in links:
                    seen.add(to)
                    stack.append(to)
        return cut.dest in seen
