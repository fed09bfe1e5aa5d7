#!/usr/bin/env python3
"""Turn three real networks of the `topohub` package into estates, with generated topics.

    python examples/real-networks/from_topohub.py            # write the three committed files
    python examples/real-networks/from_topohub.py --check    # are the committed files what this would write?

What is real: the nodes, their names, the links and the lengths of the links, as topohub 1.5.1 ships them.
What is derived: a broker stands at every node, its id is the node's name (lower case, `-` for what is no
letter or digit); a link costs its length in kilometres, so that shortest paths are the shortest cables; its
latency is that length over the speed of light in fibre, 200 km a millisecond. What is ours: the topics,
drawn with a fixed seed, one for every second broker, each with one publisher and three subscribers.

The networks:

* Abilene (Internet Topology Zoo), the research backbone of the United States, 11 nodes, 14 links;
* nobel-germany (SNDlib), a German reference backbone, 17 nodes, 26 links;
* Geant2012 (Internet Topology Zoo), the European research backbone in 2012, 37 nodes, 58 links.

Sources to cite: S. Knight, H. X. Nguyen, N. Falkner, R. Bowden and M. Roughan, The Internet Topology Zoo,
IEEE Journal on Selected Areas in Communications 29(9), 2011, doi 10.1109/JSAC.2011.111002; S. Orlowski, R.
Wessäly, M. Pióro and A. Tomaszewski, SNDlib 1.0, Networks 55, 2010, doi 10.1002/net.20371; P. Jurkiewicz,
TopoHub, SoftwareX 24, 2023, article 101540. topohub is under the MIT licence, copyright 2023 Piotr
Jurkiewicz; its files of the two collections carry no further licence text. README.md beside this script
repeats this with the licence.
"""

from __future__ import annotations

import argparse
import random
import re
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

NETWORKS = ("topozoo/Abilene", "sndlib/nobel-germany", "topozoo/Geant2012")

SEED = 2012
SUBSCRIBERS_PER_TOPIC = 3
FIBRE_KM_PER_MS = 200.0


def broker_id(name: str) -> str:
    """A node's name as a broker id: ASCII lower case, one `-` for each run of other characters."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


def estate(key: str, network: dict[str, Any]) -> Iterator[str]:
    """The lines of the estate for `network`, a topology in the node-link form of topohub.

    Raises ValueError where two nodes would get the same id.
    """
    ids = {node["id"]: broker_id(node["name"]) for node in network["nodes"]}
    if len(set(ids.values())) != len(ids):
        raise ValueError(f"{key}: two nodes have the same name")
    collection = "the Internet Topology Zoo" if key.startswith("topozoo/") else "SNDlib"
    name = key.partition("/")[2]
    yield f"# The network {name} of {collection}, from the package topohub, with generated topics."
    yield "# Written by from_topohub.py in this folder; README.md says what is real and whom to cite."
    yield "# cost: the length of the link in km; latency_ms: that length at 200 km a millisecond."
    yield "momlint: 1"
    yield f"name: {broker_id(name)}"
    yield "brokers:"
    for node in network["nodes"]:
        yield f"  {ids[node['id']]}:"
    yield "links:"
    for edge in network["edges"]:
        ends = f"{ids[edge['source']]}, {ids[edge['target']]}"
        latency = round(edge["dist"] / FIBRE_KM_PER_MS, 3)
        yield f"  - {{between: [{ends}], cost: {edge['dist']}, latency_ms: {latency}}}"
    yield "topics:"
    draw = random.Random(f"{SEED} {key}")
    names = list(ids.values())
    for number in range(1, len(names) // 2 + 1):
        publisher, *subscribers = draw.sample(names, 1 + SUBSCRIBERS_PER_TOPIC)
        wanted = ", ".join(sorted(subscribers, key=names.index))
        yield f"  t{number:02}: {{publishers: [{publisher}], subscribers: [{wanted}]}}"
    yield "routing:"
    yield "  protocol: shortest-path"


def main(arguments: list[str] | None = None) -> int:
    import topohub  # only where it is used: the development dependencies bring it

    parser = argparse.ArgumentParser(description="Turn networks of topohub into estates.")
    parser.add_argument("--check", action="store_true", help="compare the committed files, write nothing")
    options = parser.parse_args(arguments)
    stale = []
    for key in NETWORKS:
        text = "\n".join(estate(key, topohub.get(key))) + "\n"
        path = Path(__file__).parent / f"{broker_id(key.partition('/')[2])}.yaml"
        if not options.check:
            path.write_text(text, encoding="utf-8", newline="\n")
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            stale.append(path.name)
    for file in stale:
        print(f"{file} is not what from_topohub.py writes; run it without --check", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    raise SystemExit(main())
