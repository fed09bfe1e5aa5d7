"""Plans for the networks of the Topology Zoo and SNDlib, as topohub ships them, against networkx."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import pytest
import topohub

from momlint.estate.resolved import Estate, Tolerate
from momlint.routed.overlay import NO_HOP, next_hops
from momlint.routed.overlay.uncondensing import uncondense
from momlint.routed.recovery.planning import plan
from tests.budget import one_in
from tests.routed.recovery.estates import make_estate, oracle_next_hops

DATA = Path(topohub.__file__).parent / "data"
NETWORKS = sorted(
    f"{path.parent.name}/{path.stem}" for folder in ("topozoo", "sndlib") for path in (DATA / folder).glob("*.json")
)
#: Colours compared with networkx in a large network.
SAMPLE = 2


def load(key: str, tolerate: Tolerate) -> Estate:
    network = json.loads((DATA / f"{key}.json").read_text(encoding="utf-8"))
    dense = {node["id"]: index for index, node in enumerate(network["nodes"])}
    links = [
        (dense[edge["source"]], dense[edge["target"]], max(round(edge["dist"], 3), 0.001))
        for edge in network.get("edges", network.get("links"))
        if edge["source"] != edge["target"]
    ]
    return make_estate(len(dense), links, tolerate)


@pytest.mark.parametrize("tolerate", [Tolerate(links=1), Tolerate(brokers=1)], ids=["links", "brokers"])
@pytest.mark.parametrize("key", one_in(4, NETWORKS))
def test_the_plan_of_a_real_network(key: str, tolerate: Tolerate) -> None:
    estate = load(key, tolerate)
    made = plan(estate)
    o = made.overlay
    assert o.colours == 1 + (len(estate.links) if tolerate.links else len(estate.brokers))
    chance = random.Random(key)
    for colour in sorted({0, *chance.sample(range(o.colours), min(SAMPLE, o.colours))}):
        hop, _ = next_hops(o, colour)
        found = {(int(loc), int(dest)): int(hop[dest, loc]) for dest, loc in np.argwhere(hop != NO_HOP)}
        assert found == oracle_next_hops(estate, made.colours[colour].failure)
    # The rows say the same as the overlay that they were condensed from.
    table = made.table()
    size = made.sizes(table)
    assert (size.rows <= size.bound).all()
    entries = uncondense(table, o.n, made.home)
    assert not entries.clashes.used.size
    assert np.array_equal(entries.base, o.base)
    assert np.array_equal(entries.delta_key, o.delta_key)
    assert np.array_equal(entries.delta_next, o.delta_next)
    # What no row gives is what the failure cuts off, and nothing else.
    gone = (o.delta_next == NO_HOP).sum() + o.colours * ((o.base == NO_HOP).sum() - o.n)
    assert entries.missing.set_sizes.sum() == gone
