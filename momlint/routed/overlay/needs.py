"""Which topic needs which pair."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from operator import attrgetter
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from momlint.records import dataclass
from momlint.routed.overlay.keys import Keys
from momlint.routed.overlay.ragged import ramp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from momlint.estate.resolved import Topic


@dataclass(frozen=True)
class Needs:
    """Pairs and the topics that need them: int64[K] each, one item for each (topic, publisher, subscriber).

    `pair` is packed (`Keys.pair`); a topic whose publisher and subscriber share a broker needs no pair there. In the
    order of topics; hundreds of thousands of topics are told from their tuples once, and nothing is sorted
    before something needs it. `publishers` and `subscribers` count those of each topic: int64[topics] each.
    """

    n: int
    pair: NDArray[np.int64]
    topic: NDArray[np.int64]
    publishers: NDArray[np.int64]
    subscribers: NDArray[np.int64]

    @classmethod
    def of(cls, n: int, topics: Sequence[Topic]) -> Needs:
        """The needs of `topics` in an overlay of `n` brokers."""
        count = len(topics)
        fans, subscribers = _flat(list(map(attrgetter("subscribers"), topics)))
        sources, publishers = _flat(list(map(attrgetter("publishers"), topics)))
        # Each publisher of topic t meets the fans[t] subscribers of t.
        owner = np.repeat(np.arange(count), sources)
        width = fans[owner]
        topic = np.repeat(owner, width)
        within = np.arange(topic.size) - np.repeat(np.cumsum(width) - width, width)
        dest = subscribers[np.repeat((np.cumsum(fans) - fans)[owner], width) + within]
        source = np.repeat(publishers, width)
        apart = source != dest
        return cls(n, Keys(n).pair(source[apart], dest[apart]), topic[apart], sources, fans)

    @cached_property
    def pairs(self) -> NDArray[np.int64]:
        """int64[P]: the distinct pairs, sorted."""
        seen = np.zeros(Keys(self.n).cells, np.bool_)
        seen[self.pair] = True
        return np.flatnonzero(seen).astype(np.int64)

    @cached_property
    def _by_pair(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        # Numbers of 16 bits are sorted by their digits, ten times as quickly as larger ones.
        small = self.pair.astype(np.uint16) if self.n < 1 << 8 else self.pair
        order = np.argsort(small, kind="stable")
        return self.pair[order], self.topic[order]

    def topics_of(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """The topics (ascending, distinct) that need any of `pairs` (``source * n + dest``)."""
        ordered, topics = self._by_pair
        first = np.searchsorted(ordered, pairs)
        times = np.searchsorted(ordered, pairs, "right") - first
        # Marking is quicker than sorting.
        found = np.zeros(self.publishers.size, np.bool_)
        found[topics[np.repeat(first, times) + ramp(times)]] = True
        return np.flatnonzero(found).astype(np.int64)

    def topics_of_pair(self, pair: int) -> NDArray[np.int64]:
        """The topics (ascending) that need this one pair; quick to ask many times."""
        pairs, topics = self._by_pair
        first, last = np.searchsorted(pairs, (pair, pair + 1))
        return topics[first:last]


def _flat(lists: list[tuple[int, ...]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """How many each of the tuples has, and all that they have, one after the other."""
    lengths = np.array(list(map(len, lists)), np.int64)
    return lengths, np.array(list(chain.from_iterable(lists)), np.int64)
