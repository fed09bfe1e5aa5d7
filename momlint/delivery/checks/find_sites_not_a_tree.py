"""MOM821: the sites are not a tree: a parent that nobody declares, a cycle, two roots."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from momlint.estate import delivery_places
from momlint.estate.nearest import did_you_mean
from momlint.findings import Draft, Place, RelatedDraft, Witness
from momlint.words import arrow

if TYPE_CHECKING:
    from momlint.delivery.form import Site
    from momlint.delivery.ways import Case


def find(case: Case) -> Iterator[Draft]:
    """One draft for each parent that is unknown, each cycle, and each root after the first."""
    sites = case.design.sites
    if sites is None or case.tree is not None:
        return
    names = [site.name for site in sites]
    roots = [site for site in sites if site.is_root]
    for site in sites:
        if site.parent_name and site.parent is None:
            yield Draft(
                "MOM821",
                _parent(site),
                f"the parent of site `{site.name}`, `{site.parent_name}`, is no site"
                f"{did_you_mean(site.parent_name, names)}",
                help="declare it under `sites`, or correct the name",
                label="nothing leads from here to the root",
                data={"site": site.name, "parent": site.parent_name},
            )
    for cycle in cycles(sites):
        walk = tuple(sites[number].name for number in (*cycle, cycle[0]))
        yield Draft(
            "MOM821",
            _parent(sites[cycle[0]]),
            f"the parents of {len(cycle)} sites go round: {arrow(walk)}"
            if len(cycle) > 1
            else f"site `{walk[0]}` is its own parent",
            help="leave out the `parent` of the site that is the root, or name a site nearer to it",
            witness=Witness(walk=walk),
            related=[RelatedDraft(_parent(sites[number]), "and on from here") for number in cycle[1:]],
            data={"sites": walk[:-1]},
        )
    for root in roots[1:]:
        yield Draft(
            "MOM821",
            root.place.key,
            f"site `{root.name}` is a second root: no event gets from it to `{roots[0].name}`",
            help="give all sites but one a `parent`",
            related=[RelatedDraft(roots[0].place.key, "the first root")],
            data={"site": root.name, "root": roots[0].name},
        )


def cycles(sites: tuple[Site, ...]) -> Iterator[list[int]]:
    """Every cycle of parents, from its first site in the file; by index."""
    done: set[int] = set()
    for start in range(len(sites)):
        walk: dict[int, None] = {}
        here: int | None = start
        while here is not None and here not in done and here not in walk:
            walk[here] = None
            here = sites[here].parent
        if here is not None and here in walk:
            members = list(walk)
            cycle = members[members.index(here) :]
            first = cycle.index(min(cycle))
            yield cycle[first:] + cycle[:first]
        done.update(walk)


def _parent(site: Site) -> Place:
    return delivery_places.value(site.place, "parent")
