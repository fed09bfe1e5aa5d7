"""Random clusters of RabbitMQ against brute force: what comes where in how many copies, and whether it goes round.

The model is built and followed without momlint. What momlint makes of the definitions is asked of its search, and,
written down as an estate, of the brute force of relayed overlays.
"""

from __future__ import annotations

import random
from collections import Counter

import pytest

from momlint.access import Access
from momlint.estate.opening import open_natives
from momlint.native.joining import join
from momlint.native.language import estate_lines
from momlint.native.reading import Named, read_natives
from momlint.relayed.classes import Classes
from momlint.relayed.form import relay_of
from momlint.relayed.graph import fate
from momlint.routed.recovery.quoting import yaml_name
from tests.budget import ALL
from tests.native.rabbit_model import KEYS, Clusters, definitions, published, random_clusters
from tests.relayed import brute

A_BLOCK = 20
BLOCKS = (40, 3)
#: What is wrong inside of single virtual hosts takes nothing from the links.
OF_ONE = {"MOM805", "MOM811", "MOM814"}


class Judged:
    """What momlint says of definitions."""

    def __init__(self, files: dict[str, str]) -> None:
        named = [Named(f"{name}.json", "rabbitmq", text.encode()) for name, text in files.items()]
        (loaded,) = open_natives(named, Access.of).estates
        assert {one.code for one in loaded.problems} <= OF_ONE, loaded.problems
        assert loaded.estate is not None
        self.relay = relay_of(loaded.estate)
        self.classes = Classes(self.relay)
        self.by_origin = [list(self.classes.of(origin)) for origin in range(len(self.relay.names))]
        self.imported = "".join(estate_lines(join(read_natives(named, Access.of)), "amqp", yaml_name))

    def copies(self, publisher: str, topic: str) -> Counter[tuple[str, str]] | None:
        """Copies by broker and topic; None for a loop."""
        language, sets = self.relay.language, self.classes.sets
        tokens = language.tokens(topic)
        (one,) = [
            each
            for each in self.by_origin[self.relay.names.index(publisher)]
            if all(sets.matches(inside, tokens) for inside in each.topics.inside)
            and not any(sets.matches(outside, tokens) for outside in each.topics.outside)
        ]
        result = fate(self.relay, one)
        assert not result.growth
        if result.cycles:
            return None
        found: Counter[tuple[str, str]] = Counter()
        for (broker, called), count in result.arrivals.items():
            found[self.relay.names[broker], language.text((*called.add, *tokens[called.cut :]))] += count
        return found


def name_of(clusters: Clusters, broker: str) -> str:
    """What momlint calls a broker."""
    file = clusters.brokers[broker].file
    return f"{file}/{broker}" if file == "c" else file


@pytest.mark.parametrize("block", range(BLOCKS[0] if ALL else BLOCKS[1]))
def test_the_same_as_by_brute_force(block: int) -> None:
    rng = random.Random(f"rabbit {block}")
    seen: Counter[str] = Counter()
    for _ in range(A_BLOCK):
        clusters = random_clusters(rng, one_cluster=rng.random() < 0.3)
        files = definitions(clusters)
        judged = Judged(files)
        for broker, about in clusters.brokers.items():
            for exchange in about.exchanges:
                for key in rng.sample(KEYS, 3):
                    where = (files, broker, exchange, key)
                    expected = published(clusters, broker, exchange, key)
                    topic = f"{exchange}.{key}"
                    found = judged.copies(name_of(clusters, broker), topic)
                    if expected.many and not expected.loops:
                        continue
                    assert (found is None) == expected.loops, where
                    again = brute.published(judged.imported, name_of(clusters, broker), topic)
                    if not again.many:
                        assert again.loops == expected.loops, where
                    if found is None:
                        seen["loops"] += 1
                        continue
                    landed = Counter(
                        {
                            (name_of(clusters, at), f"{'amq.default.' if what == 'queue' else ''}{name}.{key}"): count
                            for (at, what, name), count in expected.landed.items()
                        }
                    )
                    assert found == landed, where
                    assert again.many or again.arrivals == landed, where
                    seen["copies" if max(landed.values(), default=0) > 1 else "single"] += 1
    assert {"copies", "single"} <= set(seen)
    # A block in four has no loop; those of a fast run do.
    assert "loops" in seen or block >= BLOCKS[1]
