"""MOM409: a failed broker's clients have nowhere to go, or do not come back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from momlint.findings import Affected, Draft, Place, RelatedDraft, Witness
from momlint.routed.diagnosis.context import Context
from momlint.routed.diagnosis.timing import adopter_of
from momlint.routed.overlay.following import Walk, measure, reached_from, walk
from momlint.routed.overlay.keys import Packing
from momlint.routed.overlay.latency import placed, with_failed_end
from momlint.routed.overlay.ragged import distinct
from momlint.routed.overlay.tables import NEVER
from momlint.words import counted, listed

#: How many brokers without an adopter are listed as related places; the message counts all.
RELATED_BROKERS = 20


def find(context: Context) -> Iterator[Draft]:
    """Drafts at entries of ``takeover``: one for each reason an entry is wrong; one at the section for all missing.

    Where ``takeover`` is given, in every colour and every promised failure in which a broker has failed its publishers
    and subscribers are the first of its adopters' that is alive; where all have failed they are down (see `placed`).
    """
    if not context.estate.takeover:
        return
    yield from _adopts_itself(context)
    yield from _fails_with_adopter(context)
    yield from _never_back(context)
    yield from _missing(context)
    yield from _out_of_reach(context)


def _adopts_itself(context: Context) -> Iterator[Draft]:
    for failed, adopters in context.estate.takeover.items():
        if failed in adopters:
            yield Draft(
                "MOM409",
                context.estate.takeover_places[failed],
                f"broker `{context.name(failed)}` takes over from itself",
                label="it cannot serve its clients while it is down",
                help="name another broker",
                data={"broker": context.name(failed), "adopter": context.name(failed)},
            )


def _fails_with_adopter(context: Context) -> Iterator[Draft]:
    for failed, named in context.estate.takeover.items():
        adopters = [adopter for adopter in named if adopter != failed]
        if not adopters:
            continue
        down = context.overlay.failed_broker[context.all_colours]
        colours = context.all_colours[down[:, [failed, *adopters]].all(axis=1)]
        if not colours.size:
            continue
        colour = int(colours[0])
        all_down = context.names((failed, *adopters))
        witness = Witness(context.colour_name(colour), cut=all_down)
        who = "its adopter" if len(adopters) == 1 else "its adopters"
        noun = "other colour" if int(colours[-1]) < context.named_colours else "other failure"
        more = f", and in {counted(len(colours) - 1, noun)}" if len(colours) > 1 else ""
        yield Draft(
            "MOM409",
            context.estate.takeover_places[failed],
            f"broker `{all_down[0]}` and {who} {listed(all_down[1:])} fail together {context.when(colour)}",
            label=f"its clients have nowhere to go then{more}",
            help=f"name a broker that does not fail together with `{all_down[0]}`",
            data={"broker": all_down[0], "adopter": ", ".join(all_down[1:]), "colours": len(colours)},
            witness=witness,
            related=context.colour_defined(witness),
        )


def _never_back(context: Context) -> Iterator[Draft]:
    """A broker that every colour fails: there is none in which its clients are back."""
    if not context.estate.colours_declared or not context.is_whole("failures.colours") or not len(context.all_colours):
        return
    for failed in context.estate.takeover:
        if context.declared_overlay.failed_broker[:, failed].all():
            yield Draft(
                "MOM409",
                context.estate.takeover_places[failed],
                f"broker `{context.name(failed)}` fails in every colour",
                label="its clients never come back to it",
                help=f"declare a colour in which `{context.name(failed)}` works, or move its clients for good",
                data={"broker": context.name(failed)},
                related=[RelatedDraft(context.estate.colours[0].place, "the first colour in which it has failed")],
            )


def _missing(context: Context) -> Iterator[Draft]:
    """Brokers that have clients, may fail, and have no adopter."""
    estate = context.estate
    if not context.is_whole("brokers", "failures.takeover"):
        return
    tolerated = estate.tolerate is not None and estate.tolerate.brokers > 0
    down = context.overlay.failed_broker
    may_fail = np.full(context.overlay.n, tolerated) | down[context.all_colours].any(axis=0)
    if estate.tolerate is not None and estate.tolerate.groups:
        may_fail[[broker for group in estate.groups for broker in group.brokers]] = True
    clients = np.full(context.overlay.n, not len(estate.topics), np.bool_)
    for topic in estate.topics:
        clients[[*topic.publishers, *topic.subscribers]] = True
    lost = [broker for broker in np.flatnonzero(may_fail & clients).tolist() if broker not in estate.takeover]
    if not lost:
        return
    lost_set = set(lost)
    topics = tuple(
        topic.name for topic in estate.topics if not lost_set.isdisjoint((*topic.publishers, *topic.subscribers))
    )
    first = down[:, lost[0]].nonzero()[0]
    names = context.names(lost)
    colour = context.colour_name(int(first[0])) if len(first) else None
    if colour is not None:
        when = f"`{names[0]}` fails in colour `{colour}`"
    else:
        when = f"`tolerate` lets {'any broker' if tolerated else f'a group with `{names[0]}`'} fail"
    yield Draft(
        "MOM409",
        estate.section_places["failures.takeover"],
        f"no broker takes over the clients of {listed(names)}",
        label=when,
        help=f"add {'an entry' if len(lost) == 1 else 'entries'} for {listed(names)}",
        data={"brokers": names},
        affected=Affected(topics),
        related=[
            RelatedDraft(context.broker_place(broker), f"broker `{context.name(broker)}` is declared here")
            for broker in lost[:RELATED_BROKERS]
        ],
    )


# -- the moved clients' pairs ---------------------------------------------------------------------------------------


class _Lost(NamedTuple):
    """A pair that its clients' move breaks: home brokers, where they are now, in which colour."""

    colour: int
    home: tuple[int, int]
    now: tuple[int, int]


def _out_of_reach(context: Context) -> Iterator[Draft]:
    if not context.is_whole("brokers", "links", "routing.tables", "failures.recovery"):
        return
    by_entry: dict[int, list[_Lost]] = {}
    for lost in _lost(context):
        failed = context.overlay.failed_broker[lost.colour]
        culprit = lost.home[0] if failed[lost.home[0]] else lost.home[1]
        by_entry.setdefault(culprit, []).append(lost)
    for culprit in context.estate.takeover:
        if culprit in by_entry:
            yield _draft(context, culprit, by_entry[culprit])


def _lost(context: Context) -> list[_Lost]:
    """The pairs that do not arrive because of a move, by colour and then by home pair.

    A message between the same two brokers that a topic needs anyway is left to the rule that names the wrong row.
    """
    keys = context.overlay.keys
    needed = context.needs.pairs if context.estate.topics else np.arange(keys.cells)
    home_source, home_dest = keys.split_pair(needed)
    pair, colour = with_failed_end(context.overlay, home_source.astype(np.int32), home_dest.astype(np.int32))
    in_colour = Packing(len(needed))  # of a colour and a pair, by its index
    colour, pair = in_colour.split(distinct(in_colour.pack(colour, pair)))
    source = placed(context.overlay, colour, home_source[pair].astype(np.int32), context.estate.takeover)
    dest = placed(context.overlay, colour, home_dest[pair].astype(np.int32), context.estate.takeover)
    keep = (source >= 0) & (dest >= 0) & (source != dest) & np.isin(colour, context.all_colours)
    colour, pair, source, dest = colour[keep], pair[keep], source[keep], dest[keep]
    lost = measure(context.overlay, colour, source, dest).hops == NEVER
    if lost.any():
        by_rows = np.union1d(np.setdiff1d(context.broken, context.cut), context.unreactive)
        lost &= ~np.isin(keys.pack(colour, dest, source), by_rows)
    return [
        _Lost(c, (hs, hd), (s, d))
        for c, hs, hd, s, d in zip(
            colour[lost].tolist(),
            home_source[pair[lost]].tolist(),
            home_dest[pair[lost]].tolist(),
            source[lost].tolist(),
            dest[lost].tolist(),
            strict=True,
        )
    ]


def _draft(context: Context, culprit: int, lost: list[_Lost]) -> Draft:
    first = lost[0]
    colour = context.colour_name(first.colour)
    cut = context.failed_names(first.colour)
    adopter = adopter_of(context, first.colour, culprit)
    homes = np.unique(np.array([context.overlay.keys.pair(*one.home) for one in lost], np.int64))
    affected = Affected(
        tuple(context.estate.topics[index].name for index in context.needs.topics_of(homes).tolist()), len(homes)
    )
    source, dest = context.names(first.now)
    related: list[RelatedDraft] = []
    if first.now[1] not in reached_from(context.overlay, first.colour, first.now[0]):
        witness = Witness(colour, source, dest, cut=cut)
        how = f"no path leads from `{source}` to `{dest}`"
    else:
        found = walk(context.overlay, first.colour, *first.now)
        witness = Witness(colour, source, dest, context.names(found.brokers), cut)
        ends = "loops" if found.end == "looped" else f"stops at `{witness.walk[-1]}`"
        how = f"a message from `{source}` to `{dest}` {ends}"
        related += _last_row(context, found)
    other = first.home[1] if culprit == first.home[0] else first.home[0]
    if context.overlay.failed_broker[first.colour, other]:
        place = context.estate.takeover_places[other]
        related.append(RelatedDraft(place, f"and `{context.name(other)}` has failed too"))
    return Draft(
        "MOM409",
        context.estate.takeover_places[culprit],
        f"while `{context.name(adopter)}` takes over from `{context.name(culprit)}`, {how}",
        label=context.when(first.colour),
        help="name an adopter that can reach the partners of these clients, or add the links or rows it lacks",
        data={"broker": context.name(culprit), "adopter": context.name(adopter)},
        witness=witness,
        affected=affected,
        related=[*related, *context.colour_defined(witness)],
    )


def _last_row(context: Context, found: Walk) -> list[RelatedDraft]:
    """The last given row that the message read."""
    for row in reversed(found.rows):
        if context.has_row(row):
            place: Place = context.row_place(row)
            return [RelatedDraft(place, "the last row on its path")]
    return []
