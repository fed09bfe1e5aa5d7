"""MOM824: another site is nearer to all publishers, at worst, than the sequencer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from momlint.decimals import written
from momlint.estate import delivery_places
from momlint.findings import Draft, Witness

if TYPE_CHECKING:
    from momlint.delivery.ways import Case


def find(case: Case) -> Iterator[Draft]:
    """One draft at most, with the table of distances."""
    sequencer, tree, way = case.sequencer(), case.tree, case.design.way
    publishers = case.publishers
    if sequencer is None or tree is None or way is None or not publishers or not case.design.distances_known:
        return
    homes = list(dict.fromkeys(publisher.site for publisher in publishers))
    worst = [max(tree.distance(home, site) for home in homes) for site in range(len(tree.sites))]
    best = min(range(len(worst)), key=lambda site: worst[site])
    if worst[best] >= worst[sequencer]:
        return
    unit, kind = ("ms", float) if tree.in_milliseconds else ("links", int)
    here, better = tree.sites[sequencer].name, tree.sites[best].name
    yield Draft(
        "MOM824",
        delivery_places.entry(way.place, "order" if way.sequencer is None else "sequencer"),
        f"the sequencer at `{here}` is up to {written(worst[sequencer])} {unit} from a publisher; at `{better}` it "
        f"would be {written(worst[best])} at most",
        help=f"write `sequencer: {better}`",
        witness=Witness(
            trace=tuple(
                f"{publisher.name} at {tree.sites[publisher.site].name}: "
                f"{written(tree.distance(publisher.site, sequencer))} to {here}, "
                f"{written(tree.distance(publisher.site, best))} to {better}"
                for publisher in publishers
            )
        ),
        data={
            "sequencer": here,
            "better": better,
            "worst": kind(worst[sequencer]),
            "best": kind(worst[best]),
            "unit": unit,
        },
    )
