"""MOM823: a publisher's site cannot reach the sequencer, with the failures that `tolerate` promises."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from momlint.estate import delivery_places
from momlint.findings import Draft, RelatedDraft, Witness
from momlint.words import counted, listed

if TYPE_CHECKING:
    from momlint.delivery.form import Client
    from momlint.delivery.ways import Case


class Cut(NamedTuple):
    """What fails, so many elements at once: all brokers of the site, or, with `is_link`, its link to its parent."""

    cost: int
    site: int
    is_link: bool


def cut_of(case: Case, publisher: Client) -> Cut | None:
    """The fewest promised failures between a publisher's site and the sequencer; the nearest of several."""
    sequencer, tree, promise = case.sequencer(), case.tree, case.design.promise
    if sequencer is None or tree is None or promise is None:
        return None
    path = tree.path(publisher.site, sequencer)
    cuts = []
    for near, far in pairwise(path):
        if promise.links:
            cuts.append(Cut(1, max(near, far, key=lambda site: tree.depth[site]), True))
        brokers = len(tree.sites[far].brokers)
        if brokers <= promise.brokers:
            cuts.append(Cut(brokers, far, False))
    return min(cuts, key=lambda cut: cut.cost, default=None)


def find(case: Case) -> Iterator[Draft]:
    """One draft for each site or link whose failure keeps publishers from the sequencer, with all of these."""
    sequencer, tree, way = case.sequencer(), case.tree, case.design.way
    if sequencer is None or tree is None or way is None:
        return
    cut_off: dict[Cut, list[Client]] = {}
    for publisher in case.publishers:
        cut = cut_of(case, publisher)
        if cut is not None:
            cut_off.setdefault(cut, []).append(publisher)
    for cut, publishers in cut_off.items():
        site = tree.sites[cut.site]
        failed: tuple[str, ...]
        if cut.is_link:
            failed = (f"{site.name}--{site.parent_name}",)
            what = f"the link `{failed[0]}` has failed"
            help_ = "promise no link in `tolerate`: a tree has one way only"
        else:
            failed = site.brokers
            what = f"site `{site.name}` has lost {'its only broker' if cut.cost == 1 else f'its {cut.cost} brokers'}"
            help_ = f"give site `{site.name}` another broker, or promise less in `tolerate`"
        names = tuple(publisher.name for publisher in publishers)
        yield Draft(
            "MOM823",
            publishers[0].place.key,
            f"{counted(len(names), 'publisher')} cannot ask the sequencer at `{tree.sites[sequencer].name}` for "
            f"numbers when {what}: {listed(names)}",
            help=help_,
            witness=Witness(
                walk=tuple(tree.sites[number].name for number in tree.path(publishers[0].site, sequencer)), cut=failed
            ),
            related=[
                RelatedDraft(site.place.key, "the way leads through here"),
                *(RelatedDraft(one.place.key, "cut off as well") for one in publishers[1:]),
                RelatedDraft(delivery_places.entry(way.place, "order"), "so that every event needs a number"),
            ],
            data={"publishers": names, "failed": failed},
        )
