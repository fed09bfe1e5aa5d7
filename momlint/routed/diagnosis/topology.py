"""Parts of the overlay, by its declared links alone."""

from __future__ import annotations

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
    """For each broker the smallest broker of its strongly connected component (Tarjan, iterative)."""
    n = overlay.n
    out: list[list[int]] = [[] for _ in range(n)]
    for tail, head in zip(overlay.arc_tail.tolist(), overlay.arc_head.tolist(), strict=True):
        out[tail].append(head)
    number = [-1] * n
    low = [0] * n
    part = [-1] * n
    stack: list[int] = []
    count = 0
    for start in range(n):
        if number[start] >= 0:
            continue
        work = [(start, 0)]
        while work:
            at, index = work.pop()
            if index == 0:
                number[at] = low[at] = count
                count += 1
                stack.append(at)
            for position in range(index, len(out[at])):
                to = out[at][position]
                if number[to] < 0:
                    work.append((at, position + 1))
                    work.append((to, 0))
                    break
                if part[to] < 0:
                    low[at] = min(low[at], low[to])
            else:
                if low[at] == number[at]:
                    members = stack[stack.index(at) :]
                    del stack[-len(members) :]
                    name = min(members)
                    for member in members:
                        part[member] = name
    return part
