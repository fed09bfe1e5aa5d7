"""Which lines no proof rests on: those that could say anything, one at a time, without a verdict changing.

A line is covered if some needed pair arrives, in some declared colour or in a failure that the estate promises to
survive, and `momlint why` names the line for it. Of pairs that do not arrive nothing is covered. All pairs of a colour
are worked out together; the tests hold the result to the union over them, one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from momlint.findings import Section
from momlint.records import dataclass
from momlint.routed.overlay.build import build
from momlint.routed.overlay.form import NO_HOP, NO_ROW, Overlay
from momlint.routed.overlay.tables import NEVER, count_hops, next_hops, usable_hops
from momlint.routed.recovery.implied import implied_failures
from momlint.routed.why.lines import Line, Lines
from momlint.routed.why.question import Question, basis, live_links, overlay_without, reaches

if TYPE_CHECKING:
    from momlint.estate.load import LoadedEstate
    from momlint.estate.resolved import Estate

#: Sections without which it is not known what rests on what.
_NEEDED = ("brokers", "links", "topics", "routing.tables", "failures.colours", "failures.recovery", "groups")
#: Uncovered lines that the text lists.
_MOST = 40
#: Promised failures that are looked at.
_MOST_PROMISED = 2_000
_KINDS = ("row", "link", "colour")


@dataclass(frozen=True, slots=True)
class Covered:
    """Rows as (index, destination), links and colours by dense ids."""

    rows: frozenset[tuple[int, int]]
    links: frozenset[int]
    colours: frozenset[int]


def covered(estate: Estate, overlay: Overlay) -> Covered:
    """What proofs rest on; `overlay`: with all the colours that are judged, the declared ones first."""
    rows: set[tuple[int, int]] = set()
    links: set[int] = set()
    colours: set[int] = set()
    trials: list[int] = []
    for colour in range(overlay.colours):
        by = basis(estate, overlay, colour)
        hop = usable_hops(overlay, colour)
        marked = _arriving(overlay, hop)
        if not marked.any():
            continue
        colours.add(colour)
        if by == "links":
            links |= _cutting(estate, overlay, colour, marked, links)
            continue
        used = _passed(hop, marked)
        row = next_hops(overlay, colour)[1]
        dests, locs = used.nonzero()
        own = row[dests, locs]
        kept = own != NO_ROW
        rows |= set(zip(own[kept].tolist(), dests[kept].tolist(), strict=True))
        if by == "rows":
            links |= _single(overlay, colour, set(zip(locs.tolist(), hop[dests, locs].tolist(), strict=True)))
        else:
            trials.append(colour)
    if trials:
        links |= _tried(estate, overlay, trials, links)
    return Covered(frozenset(rows), frozenset(links), frozenset(colours))


def _arriving(overlay: Overlay, hop: NDArray[np.int32]) -> NDArray[np.bool_]:
    """bool[dest, source]: the needed pairs whose messages arrive."""
    found = np.zeros((overlay.n, overlay.n), np.bool_)
    found[overlay.pair_dest, overlay.pair_source] = True
    found &= count_hops(hop, np.arange(overlay.n)) != NEVER
    return found


def _passed(hop: NDArray[np.int32], marked: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """bool[dest, loc]: where messages for `dest` that begin at `marked` places are sent on."""
    found = marked.copy()
    dests, locs = (axis.astype(np.int64) for axis in marked.nonzero())
    while dests.size:
        after = hop[dests, locs].astype(np.int64)
        new = (after != NO_HOP) & (after != dests)
        new[new] = ~found[dests[new], after[new]]
        dests, locs = dests[new], after[new]
        found[dests, locs] = True
    return found


def _single(overlay: Overlay, colour: int, hops: set[tuple[int, int]]) -> set[int]:
    """The links of hops that have one."""
    live = live_links(overlay, colour)
    return {live[ends][0] for ends in hops if len(live[ends]) == 1}


def _cutting(estate: Estate, overlay: Overlay, colour: int, marked: NDArray[np.bool_], known: set[int]) -> set[int]:
    """The links, but for those `known`, without which nothing leads from some source to its destination."""
    live = live_links(overlay, colour)
    ends_of: dict[int, list[tuple[int, int]]] = {}
    for ends, links in live.items():
        if len(links) == 1:
            ends_of.setdefault(links[0], []).append(ends)
    dests, sources = marked.nonzero()
    pairs = list(zip(sources.tolist(), dests.tolist(), strict=True))
    found = set()
    for link in sorted(ends_of.keys() - known):
        # Mostly another way leads from the one end to the other, and then nobody misses it.
        if all(reaches(Question(estate, overlay, colour, *ends), link) for ends in ends_of[link]):
            continue
        if any(not reaches(Question(estate, overlay, colour, *pair), link) for pair in pairs):
            found.add(link)
    return found


def _tried(estate: Estate, overlay: Overlay, colours: Iterable[int], known: set[int]) -> set[int]:
    """The links, but for those `known`, without which a message that arrives in one of `colours` does not."""
    before = {colour: _arriving(overlay, usable_hops(overlay, colour)) for colour in colours}
    found = set()
    for link in range(len(estate.links)):
        if link in known:
            continue
        without = overlay_without(estate, link)
        if any((was & ~_arriving(without, usable_hops(without, colour))).any() for colour, was in before.items()):
            found.add(link)
    return found


# -- told ------------------------------------------------------------------------------------------------------------


def section(loaded: LoadedEstate) -> Section:
    """The section of ``check --coverage`` for one estate."""
    estate = loaded.estate
    assert estate is not None
    title = f"Coverage of {estate.name} ({loaded.source.file})"
    if not estate.incomplete.isdisjoint(_NEEDED):
        return Section(title, ("unknown: part of the estate could not be read",))
    implied = implied_failures(estate, _MOST_PROMISED, walks=True)
    overlay = build(estate, None, implied.failures)[0]
    all_lines = list(_lines(loaded, estate, covered(estate, overlay)))
    idle = sorted((line for line, is_covered in all_lines if not is_covered), key=lambda line: line.order)
    table = list(_table(all_lines))
    data = {
        "estate": estate.name,
        "file": loaded.source.file,
        "files": [
            {"file": file, **{f"{kind}s": {"covered": counts[kind][0], "all": counts[kind][1]} for kind in _KINDS}}
            for file, counts in table
        ],
        "uncovered": [line.plain() for line in idle],
    }
    told = list(_told(table, idle))
    if implied.beyond:
        told.append(f"not looked at: the {implied.beyond:,} failures that `tolerate` promises, which are too many")
    return Section(title, tuple(told), data)


def _lines(loaded: LoadedEstate, estate: Estate, found: Covered) -> Iterator[tuple[Line, bool]]:
    """Every row, link and colour with whether a proof rests on it."""
    lines = Lines(loaded, estate)
    if estate.recovery_rows is not None:
        for number, row in enumerate(estate.recovery_rows):
            yield lines.row(number, row.destination), (number, row.destination) in found.rows
    else:
        for number, given in enumerate(estate.table_rows):
            for dest in given.destinations:
                yield lines.row(number, dest), (number, dest) in found.rows
    for link in range(len(estate.links)):
        yield lines.link(link), link in found.links
    for colour in range(len(estate.colours)):
        line = lines.colour(colour)
        if line is not None:
            yield line, colour in found.colours


def _table(lines: Iterable[tuple[Line, bool]]) -> Iterator[tuple[str, dict[str, list[int]]]]:
    """File → kind → how many are covered, and how many there are; by name."""
    found: dict[str, dict[str, list[int]]] = {}
    for line, is_covered in lines:
        count = found.setdefault(line.file, {kind: [0, 0] for kind in _KINDS})[line.kind]
        count[0] += is_covered
        count[1] += 1
    yield from sorted(found.items())


def _told(table: Iterable[tuple[str, dict[str, list[int]]]], idle: list[Line]) -> Iterator[str]:
    cells = [("file", "rows", "links", "colours")]
    for file, counts in table:
        cells.append((file, *(_share(*counts[kind]) for kind in _KINDS)))  # type: ignore[arg-type]
    widths = [max(len(cell[column]) for cell in cells) for column in range(4)]
    for cell in cells:
        yield "  ".join(f"{word:<{width}}" for word, width in zip(cell, widths, strict=True)).rstrip()
    if not idle:
        yield "a proof rests on every line"
        return
    yield "no proof rests on:"
    places = [f"{line.file}:{line.span.start.line}:{line.span.start.column}" for line in idle[:_MOST]]
    width, other = max(map(len, places)), max(len(line.name) for line in idle[:_MOST])
    for place, line in zip(places, idle, strict=False):
        yield f"  {place:{width}}  {line.name:{other}}  {line.text}".rstrip()
    if len(idle) > _MOST:
        yield f"  and {len(idle) - _MOST:,} more; --format json has them all"


def _share(some: int, whole: int) -> str:
    return f"{some:,} of {whole:,}" if whole else "none"


__all__ = ["Covered", "covered", "section"]
