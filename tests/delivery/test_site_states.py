"""Fail-over as the document has it: when messages settle one broker is active, all know, and none else has work."""

from __future__ import annotations

from random import Random

import pytest

from tests.budget import ALL
from tests.delivery import site_states
from tests.delivery.site_states import Site, View, back_again, search, start, walk


@pytest.mark.parametrize(("brokers", "failures", "states"), [(2, 1, 500), (3, 1, 1_500)])
def test_a_site_settles(brokers: int, failures: int, states: int) -> None:
    """A broker crashes, or is slow and comes back at any moment; two senders suspect it when they like."""
    wrong, looked_at = search(brokers, failures)
    assert wrong is None
    assert looked_at > states


def wrong_at_random(site: Site, failures: int, walks: int) -> list[str]:
    """What is wrong where larger sites settle, on so many random ways."""
    random = Random(1)
    ends = [walk(site, failures, random) for _ in range(walks)]
    settled = [end for end in ends if end is not None]
    assert len(settled) > walks / 2
    return [what for end in settled for what in end]


@pytest.mark.parametrize(("brokers", "failures"), [(3, 2), (4, 3)])
def test_successors_may_fail_as_well(brokers: int, failures: int) -> None:
    """Too many states to look at all."""
    assert wrong_at_random(start(brokers), failures, 4_000 if ALL else 60) == []
    assert wrong_at_random(back_again(brokers), failures, 1_000 if ALL else 60) == []


def test_a_broker_that_comes_back_takes_over_too_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were it the first standby again, senders who have heard of it and who have not would tell two: both take over."""

    def first(view: View) -> int | None:
        return view.states.index("standby") if "standby" in view.states else None

    monkeypatch.setattr(View, "first_standby", first)
    assert "2 brokers are active" in wrong_at_random(back_again(3), 2, 200)


@pytest.mark.slow
def test_nothing_is_hidden_by_what_is_left_out() -> None:
    """Every state, with messages that change nothing and with senders that are alike told apart."""
    wrong, looked_at = search(2, 1, tidy=lambda site: site)
    assert wrong is None
    assert looked_at > 10_000
    before, _ = search(2, 1)
    assert before is None


def test_nobody_looks_after_an_earlier_suspect(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search sees what is missing where a successor probes its predecessor alone: it was a mistake of ours."""
    take_over = site_states._take_over

    def forget(site: Site, heir: int) -> Site:
        active = site.views[heir].active
        after = take_over(site, heir)
        probing = frozenset(pair for pair in after.probing if pair == (heir, active) or pair in site.probing)
        probes = {one for one in after.messages - site.messages if one.kind == "probe" and one.to != active}
        return after._replace(probing=probing, messages=after.messages - probes)

    monkeypatch.setattr(site_states, "_take_over", forget)
    assert "0 is suspected for the others" in wrong_at_random(start(3), 2, 60)


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
