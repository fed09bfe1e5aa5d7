"""The one intermediate form of an estate, and what can be read off it: shortest paths, walks, reach.

This package imports numpy; rustworkx only for shortest paths in large overlays.
"""

from __future__ import annotations

from momlint.forwarding.arcs import (
    Hops,
    components,
    dead_arcs,
    is_two_way,
    live_arcs,
    reach,
    unconnected,
)
from momlint.forwarding.build import build_overlay
from momlint.forwarding.healing import Healed, heal, healed_deltas
from momlint.forwarding.overlay import NO_HOP, NO_ROW, Overlay
from momlint.forwarding.paths import ShortestPaths, shortest_paths, solve
from momlint.forwarding.superpaths import super_paths
from momlint.forwarding.tables import NEVER, count_hops, hop_count, next_hops, usable_hops
from momlint.forwarding.walks import Measures, Walk, entries, entry, live_arc, measure, walk

__all__ = [
    "NEVER",
    "NO_HOP",
    "NO_ROW",
    "Healed",
    "Hops",
    "Measures",
    "Overlay",
    "ShortestPaths",
    "Walk",
    "build_overlay",
    "components",
    "count_hops",
    "dead_arcs",
    "entries",
    "entry",
    "heal",
    "healed_deltas",
    "hop_count",
    "is_two_way",
    "live_arc",
    "live_arcs",
    "measure",
    "next_hops",
    "reach",
    "shortest_paths",
    "solve",
    "super_paths",
    "unconnected",
    "usable_hops",
    "walk",
]
