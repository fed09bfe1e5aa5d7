"""Fail-over as the document has it: when messages settle one broker is active, all know, and none else has work."""

from __future__ import annotations

import pytest

from tests.budget import ALL
from tests.delivery import site_states
from tests.delivery.site_states import Site, View, search


def test_a_site_of_two() -> None:
    """One broker crashes, or is slow and comes back at any moment; two senders suspect it when they like."""
    wrong, states = search(2, 1)
    assert wrong is None
    assert states > 1_000


@pytest.mark.skipif(not ALL, reason="half a minute")
def test_a_site_of_three() -> None:
    wrong, states = search(3, 1)
    assert wrong is None
    assert states > 10_000


def test_somebody_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search sees what is missing where the new active broker tells nobody."""
    monkeypatch.setattr(site_states, "_tell", lambda site, one: site)
    wrong, _ = search(2, 1)
    assert wrong is not None


def test_nothing_is_discarded(monkeypatch: pytest.MonkeyPatch) -> None:
    """And where a broker that comes back keeps what it had pending."""
    believe = site_states._believe

    def keep(site: Site, one: int, view: View) -> Site:
        return believe(site, one, view)._replace(pending=site.pending)

    monkeypatch.setattr(site_states, "_believe", keep)
    wrong, _ = search(2, 1)
    assert wrong is not None
    assert wrong.what == "a broker that is not active has something pending"
