"""The one intermediate form of an estate, and what can be read off it: shortest paths, walks, reach.

This package imports numpy; rustworkx only for shortest paths in large overlays.
"""

from __future__ import annotations

from momlint.routed.overlay.arcs import (
    Hops,
    components,
    dead_arcs,
    is_two_way,
    live_arcs,
    reach,
    unconnected,
)
from momlint.routed.overlay.build import build_overlay
from momlint.routed.overlay.following import Measures, Walk, entries, entry, live_arc, measure, walk
from momlint.routed.overlay.form import NO_HOP, NO_ROW, Overlay
from momlint.routed.overlay.healing import Healed, heal, healed_deltas
from momlint.routed.overlay.paths import ShortestPaths, shortest_paths, solve
from momlint.routed.overlay.superpaths import super_paths
from momlint.routed.overlay.tables import NEVER, count_hops, hop_count, next_hops, usable_hops

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
