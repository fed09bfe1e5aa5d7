"""Parts of the overlay, by its declared links alone."""

from __future__ import annotations

from momlint.routed.overlay import cuts
from momlint.routed.overlay.form import Overlay


def weak_parts(overlay: Overlay) -> list[int]:
    """For each broker the smallest broker it is joined to, whatever the direction of links (union–find)."""
    parent = list(range(overlay.n))

    def root(at: int) -> int:
        while parent[at] != at:
            parent[at] = parent[parent[at]]
            at = parent[at]
        return at

    for tail, head in zip(overlay.arc_tail.tolist(), overlay.arc_head.tolist(), strict=True):
        one, other = root(tail), root(head)
        if one != other:
            parent[max(one, other)] = min(one, other)
    return [root(at) for at in range(overlay.n)]


def strong_parts(overlay: Overlay) -> list[int]:
    """For each broker the smallest broker of its strongly connected component."""
    part, parts = cuts.strong_parts(cuts.Graph(overlay))
    names = [min(members) for members in parts]
    return [names[index] for index in part]
