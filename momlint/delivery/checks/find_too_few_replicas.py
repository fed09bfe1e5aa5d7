"""MOM825: a site may lose all its brokers in a failure that `tolerate` promises."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from momlint.findings import Draft, RelatedDraft, Witness
from momlint.words import counted

if TYPE_CHECKING:
    from momlint.delivery.ways import Case


def find(case: Case) -> Iterator[Draft]:
    """One draft for each site that needs more brokers."""
    promise = case.design.promise
    if promise is None or promise.place is None:
        return
    for site in case.design.sites or ():
        has = len(site.brokers)
        if has <= promise.brokers:
            yield Draft(
                "MOM825",
                site.place.key,
                f"site `{site.name}` has {counted(has, 'broker')} and may lose {promise.brokers:,}: nobody is left",
                help=f"it needs {counted(promise.brokers + 1, 'broker')}",
                witness=Witness(cut=site.brokers),
                related=[RelatedDraft(promise.place, "promised for each site")],
                data={"site": site.name, "brokers": has, "tolerated": promise.brokers},
            )
