"""MOM826 to MOM829: the losses of the document, each default taken away by itself, and what the report says."""

from __future__ import annotations

import pytest

from momlint.findings import Finding, Report
from momlint.lint import Options, lint_bytes, merge

ESTATE = """\
momlint: 1
sites:
  s1: {brokers: [b1, b11, b111]}
  s2: {parent: s1, brokers: [b2, b22, b222]}
  s3: {parent: s1, brokers: [b3, b33, b333]}
delivery: {routing: flooding, order: none}
clients:
  news: {site: s2, publishes: [A]}
  near: {site: s2, subscribes: [A]}
  far: {site: s3, subscribes: [A]}
failures: {tolerate: {brokers: 1}}
"""
ORDERS = [
    "none",
    "fifo, numbering: publisher",
    "fifo, numbering: link",
    "total, numbering: sequencer",
    "total, numbering: subscriber",
]


def report_of(text: str, **options: object) -> Report:
    chosen = Options(**options)  # type: ignore[arg-type]
    return merge([lint_bytes(text.encode(), "sites.yaml", chosen)], chosen)


def found(order: str, more: str = "", **options: object) -> list[Finding]:
    settings = f"order: {order}{', ' + more if more else ''}"
    return report_of(ESTATE.replace("order: none", settings), **options).findings


def codes(order: str, more: str = "") -> list[str]:
    # The sequencer's place is not what this is about.
    return [finding.code for finding in found(order, more) if finding.code != "MOM824"]


@pytest.mark.parametrize("order", ORDERS)
def test_nothing_is_wrong_with_the_defaults(order: str) -> None:
    assert codes(order) == []
    report = report_of(ESTATE.replace("order: none", f"order: {order}"))
    assert report.proof.bounds == (
        "No violation with up to 3 events of 2 publishers and 1 crash or false suspicion: no event is lost, doubled or "
        "out of order; nothing is proved beyond that.",
    )


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("setting", ["acknowledge: before-forwarding", "retransmit: false"])
def test_events_are_lost(order: str, setting: str) -> None:
    """A broker takes along what it had acknowledged; what nobody sends again is lost with it."""
    assert codes(order, setting) == ["MOM827"]


@pytest.mark.parametrize("order", ORDERS)
def test_subscribers_are_forgotten(order: str) -> None:
    assert codes(order, "replicate: [counters, seen]") == ["MOM826"]


def test_counters_are_lost() -> None:
    """The successor waits for number 1; with a sequencer, it gives number 1 again, and subscribers come to differ."""
    (finding,) = found("fifo, numbering: publisher", "replicate: [subscriptions, seen]")
    assert finding.code == "MOM826"
    assert finding.witness is not None
    assert finding.witness.trace[-1].startswith("nothing is left to be sent")
    assert "b1 crashes; b11 takes over" in " ".join(finding.witness.trace) or "takes over" in str(finding.witness.trace)
    assert codes("fifo, numbering: link", "replicate: [subscriptions, seen]") == ["MOM826"]
    # Without an order nobody counts.
    assert codes("none", "replicate: [subscriptions, seen]") == []


def test_lost_counters_do_two_things() -> None:
    """A number is given twice, and two subscribers get two events in two orders: neither hides the other."""
    text = ESTATE.replace("news: {site: s2", "news: {site: s1").replace("near: {site: s2", "near: {site: s1")
    text = text.replace("order: none", "order: total, replicate: [subscriptions, seen]")
    lost, disordered = report_of(text).findings
    assert (lost.code, disordered.code) == ("MOM826", "MOM829")
    assert lost.span == disordered.span
    assert lost.data["fault"] == "number"
    assert (disordered.data["subscribers"], len(disordered.data["events"])) == (("near", "far"), 2)  # type: ignore[arg-type]
    assert (lost.data["bound_events"], lost.data["bound_publishers"], lost.data["bound_crashes"]) == (3, 2, 1)


def test_together_they_do_harm_beside_one_that_does_alone() -> None:
    """With one event nobody counts in vain: only without `seen` as well is it delivered twice."""
    one = (("events", 1), ("publishers", 1))
    together = "replicate: [subscriptions]"
    (twice,) = found("fifo", together, bound=one)
    assert (twice.code, twice.data["causes"]) == ("MOM828", ("counters", "seen"))
    early = found("fifo", f"{together}, acknowledge: before-forwarding", bound=one)
    assert [finding.code for finding in early] == ["MOM828", "MOM827"]
    assert early[0].data["causes"] == ("counters", "seen")


def test_two_events_have_one_number() -> None:
    text = ESTATE.replace("order: none", "order: total, replicate: [subscriptions, seen]")
    (finding,) = report_of(text, select=("MOM826",)).findings
    assert finding.data["fault"] == "number"
    assert finding.witness is not None
    assert sum(": number 1 for A" in line for line in finding.witness.trace) == 2


@pytest.mark.parametrize("order", ORDERS)
def test_events_come_twice_where_nothing_tells_them_apart(order: str) -> None:
    """Numbers in order tell copies apart as well: a number whose turn is over has no other."""
    assert codes(order, "replicate: [subscriptions, counters]") == (["MOM828"] if order == "none" else [])


def test_several_at_once() -> None:
    """Each cause by itself; where none does harm alone, the design as it is."""
    assert sorted(codes("none", "replicate: [], retransmit: false")) == ["MOM826", "MOM827", "MOM828"]
    assert codes("fifo", "replicate: [subscriptions]") == ["MOM826"]


def test_who_starves_is_not_looked_at() -> None:
    text = ESTATE.replace("publishes: [A]", "publishes: [A, B]").replace(
        "flooding, order: none", "filtering, order: fifo"
    )
    report = report_of(text)
    assert [finding.code for finding in report.findings] == ["MOM822"]
    assert "not looked at: `far`, which MOM822 is about" in report.proof.bounds[0]


def test_too_few_replicas_are_not_said_twice() -> None:
    """A site with one broker cannot lose it: MOM825 says so, and nothing is lost with it here."""
    text = ESTATE.replace("brokers: [b1, b11, b111]", "brokers: [b1]")
    assert [finding.code for finding in report_of(text).findings] == ["MOM825"]


def test_the_bound_is_said_and_can_be_set() -> None:
    more = "replicate: [subscriptions, seen]"
    # One event has no number before it, and none after it.
    assert found("fifo", more, bound=(("events", 1),)) == []
    (finding,) = found("fifo", more, bound=(("events", 2), ("publishers", 1)))
    assert finding.label == "with up to 2 events of 1 publisher and 1 crash or false suspicion"
    assert found("fifo", more, bound=(("crashes", 0),)) == []


def test_time_is_over() -> None:
    (finding,) = found("fifo, numbering: link", timeout=1e-9)
    assert finding.code == "MOM901"
    assert "whether events are lost, doubled or out of order with up to 3 events" in finding.message
