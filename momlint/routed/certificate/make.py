"""Making a certificate: the potentials of an estate's walks, condensed.

Made from the overlay with all the means of `momlint.routed.overlay`. Whether it is right is for the checker to say,
which looks at every record before it is given out: what does not verify is not written.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from momlint.digests import seen_from
from momlint.routed.certificate.accept import check_record, digest
from momlint.routed.certificate.form import CUT, MOST_LEVEL, NONE, Potentials, Refused, dump, pack, write_potentials
from momlint.routed.certificate.given import States
from momlint.routed.overlay.arcs import components, is_two_way, reach
from momlint.routed.overlay.build import build
from momlint.routed.overlay.form import NO_ROW, Overlay
from momlint.routed.overlay.healing import Healed, heal
from momlint.routed.overlay.keys import Keys
from momlint.routed.overlay.paths import ShortestPaths, solve
from momlint.routed.overlay.potentials import Potentials as WalkCosts

if TYPE_CHECKING:
    from momlint.estate import LoadedEstate
    from momlint.estate.resolved import Estate

#: Colours whose connected parts are looked at together.
_COLOURS = 256


class Certified(NamedTuple):
    """A record, ready to be a line of a certificate; or none, and a sentence that says why."""

    record: str | None
    reason: str = ""


def certify(loaded: LoadedEstate, overlay: Overlay, folder: str) -> Certified:
    """The record of an estate for a certificate that will stand in `folder`, if its tables do what they should.

    The files are read again for their digests, and what is claimed is checked against the estate at hand: should a
    file have changed in between, the certificate is refused later.
    """
    estate = loaded.estate
    assert estate is not None
    files = list(dict.fromkeys(source.file for source in loaded.sources))
    try:
        sources = [[seen_from(folder, file), digest(file)] for file in files]
        record = {"file": sources[0][0], "document": loaded.index, "sources": sources, **claims(estate, overlay)}
        check_record(estate, record)
    except Refused as error:
        return Certified(None, f"{files[0]}: `{estate.name}` cannot be certified: {error}")
    return Certified(dump(record))


def claims(estate: Estate, overlay: Overlay) -> dict[str, Any]:
    """What a certificate says of the estate (see `momlint.routed.certificate.form`), as far as it is so.

    `overlay`: of its colours. One of all the states that claims speak of is built where there are others.
    """
    states = States.of(estate)
    o = overlay
    if o.colours < len(states.failed):
        o, _ = build(estate, beyond=states.failed[o.colours :])
    solved = solve(o.n, o.arc_tail, o.arc_head, o.arc_cost, o.transit)
    intact = ~(o.failed_link.any(axis=1) | o.failed_broker.any(axis=1))
    healed = heal(solved, o.arc_link, o.failed_link, o.failed_broker)
    best = _distances(o, solved, healed)
    distances, walks = None, None
    everywhere = True
    if estate.recovery_rows is not None:
        walks = _walks(o)
    elif estate.protocol == "shortest-path":
        distances = best if estate.heals else _base_alone(best)
        if (o.base_row != NO_ROW).any() or not (estate.heals or intact.all()):
            walks = _walks(o)
    elif estate.heals:
        everywhere = bool(intact.all())
        distances = None if everywhere else best
        walks = _intact_walks(o) if intact.any() else None
    else:
        walks = _walks(o)
    levels = None if walks is None else _levels(o, walks, best, solved, healed, everywhere=everywhere)
    cut = _cut_pairs(o)
    declared = np.arange(o.colours) < states.colours
    return {
        "unit": str(solved.costs.unit),
        "claims": {
            "brokers": o.n,
            "colours": states.colours,
            "intact": states.intact,
            "promised": states.promised,
            "unspoken": states.unspoken,
            "pairs": len(o.pair_source),
            "cut_calm": int(cut[intact].sum()),
            "cut_failing": int(cut[~intact & declared].sum()),
            "cut_promised": int(cut[~intact & ~declared].sum()),
        },
        "distances": None if distances is None else write_potentials(distances),
        "walks": None if walks is None else write_potentials(walks),
        "levels": None if levels is None else pack(levels),
    }


def _distances(overlay: Overlay, solved: ShortestPaths, healed: Healed) -> Potentials:
    infinite = solved.costs.infinite
    base = np.where(solved.whole >= infinite, CUT, solved.whole).reshape(-1)
    return _condensed(overlay, base, healed.key, np.where(healed.whole >= infinite, CUT, healed.whole))


def _walks(overlay: Overlay) -> Potentials:
    found = WalkCosts.of(overlay)
    infinite = found.costs.infinite
    base = np.where(found.base >= infinite, NONE, found.base).reshape(-1)
    whole = replace(
        overlay,
        failed_link=np.zeros_like(overlay.failed_link[:1]),
        failed_broker=np.zeros_like(overlay.failed_broker[:1]),
    )
    for _, cells in _cut_cells(whole):
        base[cells] = CUT
    cut = [np.zeros(0, np.int64)]
    cut += [colour * overlay.n**2 + cells for colour, cells in _cut_cells(overlay)]
    # Of two entries for one key the first counts.
    keys = np.concatenate((*cut, found.key))
    values = np.concatenate(
        (np.full(keys.size - found.key.size, CUT), np.where(found.value >= infinite, NONE, found.value))
    )
    key, first = np.unique(keys, return_index=True)
    return _condensed(overlay, base, key, values[first])


def _intact_walks(overlay: Overlay) -> Potentials:
    """Walks by the base with nothing failed; no colour differs."""
    intact = replace(
        overlay,
        delta_key=overlay.delta_key[:0],
        delta_next=overlay.delta_next[:0],
        delta_row=overlay.delta_row[:0],
        failed_link=np.zeros_like(overlay.failed_link[:1]),
        failed_broker=np.zeros_like(overlay.failed_broker[:1]),
    )
    return _base_alone(replace(_walks(intact), bounds=np.zeros(overlay.colours + 1, np.int64)))


def _base_alone(found: Potentials) -> Potentials:
    """Without what differs in a state."""
    return Potentials(found.base, np.zeros_like(found.bounds), found.cells[:0], found.values[:0])


def _condensed(overlay: Overlay, base: NDArray[Any], key: NDArray[np.int64], value: NDArray[Any]) -> Potentials:
    """Without the keys whose value is that of the base, and those of failed brokers, of which nothing is claimed."""
    colour, cell = overlay.keys.colour_and_cell(key)
    dest, loc = overlay.keys.split_cell(cell)
    gone = overlay.failed_broker[colour, dest] | overlay.failed_broker[colour, loc]
    kept = np.flatnonzero(~gone & (dest != loc) & np.asarray(value != base[cell], bool))
    bounds = np.searchsorted(key[kept], overlay.keys.in_colour(np.arange(overlay.colours + 1), 0))
    return Potentials(base, bounds, cell[kept], value[kept])


def _cut_cells(overlay: Overlay) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """For each colour that cuts any: the cells from whose broker no live path leads to the destination.

    Failed brokers are left out.
    """
    two_way = is_two_way(overlay)
    for first in range(0, overlay.colours, _COLOURS):
        colours = np.arange(first, min(first + _COLOURS, overlay.colours))
        labels = components(overlay, colours) if two_way else np.zeros((0, 0), np.int32)
        for place, colour in enumerate(colours.tolist()):
            alive = ~overlay.failed_broker[colour]
            if two_way:
                if np.unique(labels[place][alive]).size < 2:
                    continue  # most colours leave everything in one piece
                apart = labels[place][:, None] != labels[place]
            else:
                apart = ~reach(overlay, colour)
            yield colour, np.flatnonzero(apart & alive & alive[:, None])


def _cut_pairs(overlay: Overlay) -> NDArray[np.int64]:
    """int64[C]: how many needed pairs each colour cuts, both of whose ends are alive."""
    needed = np.zeros(overlay.keys.cells, bool)
    needed[overlay.keys.cell(overlay.pair_dest, overlay.pair_source)] = True
    count = np.zeros(overlay.colours, np.int64)
    for colour, cells in _cut_cells(overlay):
        count[colour] = np.count_nonzero(needed[cells])
    return count


def _levels(
    overlay: Overlay,
    walks: Potentials,
    best: Potentials,
    solved: ShortestPaths,
    healed: Healed,
    *,
    everywhere: bool,
) -> NDArray[np.int64]:
    """int64[N]: 2 for a destination to which, in all states, every walk is the shortest with the tie-break; 1, 0.

    Unless `everywhere` only those in which nothing has failed are meant.
    """
    n, keys = overlay.n, overlay.keys
    shortest = (walks.base == best.base).reshape(n, n).all(axis=1)
    hop, right = overlay.base.reshape(-1), solved.next.reshape(-1)
    reached = best.base > 0
    smallest = ~((hop != right) & reached).reshape(n, n).any(axis=1)
    if everywhere:
        shortest[keys.dest_of(_differing(_by_key(walks, keys), _by_key(best, keys), NONE - 1))] = False
        # Where the message has nowhere to go, an entry does neither good nor harm.
        given = overlay.delta_key, overlay.delta_next
        wanted = healed.key[healed.changed], healed.next[healed.changed]
        for key in (_differing(given, wanted, NONE - 1),):
            colour, cell = keys.colour_and_cell(key)
            is_given, is_wanted = _look_up(given, key, hop[cell]), _look_up(wanted, key, right[cell])
            value = _look_up(_by_key(best, keys), key, best.base[cell])
            dest, loc = keys.split_cell(cell)
            alive = ~(overlay.failed_broker[colour, dest] | overlay.failed_broker[colour, loc])
            smallest[dest[alive & np.asarray(value > 0, bool) & (is_given != is_wanted)]] = False
    return np.where(shortest, np.where(smallest, MOST_LEVEL, 1), 0)


def _by_key(found: Potentials, keys: Keys) -> tuple[NDArray[np.int64], NDArray[Any]]:
    colour = np.repeat(np.arange(found.bounds.size - 1), np.diff(found.bounds))
    return keys.in_colour(colour, found.cells), found.values


def _differing(
    one: tuple[NDArray[np.int64], NDArray[Any]], two: tuple[NDArray[np.int64], NDArray[Any]], absent: int
) -> NDArray[np.int64]:
    """The keys with other values in `one` than in `two`, or in only one of them."""
    both: NDArray[np.int64] = np.sort(np.concatenate((one[0], two[0])))
    key = both[np.diff(both, prepend=-1) > 0]
    differs: NDArray[np.bool_] = np.asarray(_look_up(one, key, absent) != _look_up(two, key, absent), bool)
    return key[differs]


def _look_up(
    pairs: tuple[NDArray[np.int64], NDArray[Any]], key: NDArray[np.int64], default: NDArray[Any] | int
) -> NDArray[Any]:
    """The values at `key`, from sorted keys; `default` where there is none."""
    if not pairs[0].size:
        return np.broadcast_to(np.asarray(default), key.shape)
    place = np.minimum(np.searchsorted(pairs[0], key), pairs[0].size - 1)
    return np.where(pairs[0][place] == key, pairs[1][place], default)
