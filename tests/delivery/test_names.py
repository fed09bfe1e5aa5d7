"""What stands in the sections: names that nobody declares, defaults, and what a faulty value takes with it."""

from __future__ import annotations

import pytest

from momlint.access import Access
from momlint.delivery.form import Design
from momlint.delivery.read import read
from momlint.estate.opening import open_bytes
from tests.delivery.reading import findings_of, report_of

ESTATE = """\
momlint: 1
sites:
  s1: {brokers: [b1]}
  s2: {parent: s1, brokers: [b2]}
  s3: {parent: s1, brokers: [b3]}
delivery: {routing: filtering, order: total, sequencer: s1}
clients:
  news: {site: s1, publishes: [A, B]}
  reader: {site: s2, subscribes: [A]}
  both: {site: s3, subscribes: [A, B]}
failures: {tolerate: {brokers: 1}}
"""


def design_of(text: str) -> Design:
    (loaded,) = open_bytes(text.encode(), "sites.yaml", Access(None), lambda _: None).estates
    return read(loaded).design


def codes(text: str) -> list[str]:
    return [f"{f.code} {f.span.start.line}:{f.span.start.column}" for f in findings_of(text)]


#: What the estate has without a fault.
SOUND = ["MOM825 3:3", "MOM825 4:3", "MOM825 5:3", "MOM822 9:3"]


def test_without_a_fault() -> None:
    assert codes(ESTATE) == SOUND


@pytest.mark.parametrize(
    ("old", "new", "place", "message", "left"),
    [
        ("sequencer: s1", "sequencer: s11", "6:57", "there is no site `s11`; did you mean `s1`?", SOUND[:3]),
        ("news: {site: s1", "news: {site: s12", "8:16", "there is no site `s12`; did you mean `s1`?", SOUND[:3]),
        (
            "sequencer: s1}",
            "numbering: link}",
            "6:57",
            "`numbering` takes sequencer or subscriber with `order: total`, not `link`",
            SOUND[:3],
        ),
        (
            "order: total",
            "order: totl",
            "6:39",
            "`order` of `delivery` takes none, fifo or total, not the string `totl`; did you mean `total`?",
            SOUND[:3],
        ),
        (
            "sequencer: s1",
            "retransmit: often",
            "6:58",
            "`retransmit` of `delivery` takes true or false, not the string `often`",
            SOUND,
        ),
        (
            "parent: s1, brokers: [b2]",
            "parnt: s1, brokers: [b2]",
            "4:8",
            "unknown field `parnt` in site `s2`; did you mean `parent`?",
            [],
        ),
        (
            "brokers: [b2]}",
            "brokers: [b2], latency_ms: -1}",
            "4:47",
            "`latency_ms` of site `s2` takes milliseconds, 0 or more, not `-1`",
            SOUND,
        ),
        (
            "subscribes: [A]}",
            "subscribes: A}",
            "9:34",
            "`subscribes` of client `reader` takes a list of topics, not the string `A`",
            SOUND[:3],
        ),
        ("{tolerate: {brokers: 1}}", "{tolerate: {brokers: x}}", "11:32", "", SOUND[3:]),
    ],
)
def test_a_faulty_value(old: str, new: str, place: str, message: str, left: list[str]) -> None:
    """One finding at its place, and all that does not depend on it."""
    assert ESTATE.count(old) == 1
    text = ESTATE.replace(old, new)
    (finding,) = findings_of(text, "MOM102")
    assert f"{finding.span.start.line}:{finding.span.start.column}" == place
    assert message in finding.message
    assert sorted(code for code in codes(text) if not code.startswith("MOM102")) == sorted(left)


def test_declared_twice() -> None:
    text = ESTATE.replace("brokers: [b2]", "brokers: [b2, b1]")
    (finding,) = findings_of(text, "MOM103")
    assert finding.message == "broker `b1` is declared twice; the first declaration counts"
    assert (finding.span.start.line, finding.span.start.column) == (4, 34)


@pytest.mark.parametrize("text", ["delivery: {routing: flooding, order: none}", "clients: {p: {site: s1}}"])
def test_without_sites(text: str) -> None:
    (finding,) = findings_of(f"momlint: 1\n{text}\n")
    assert (finding.code, finding.message) == ("MOM102", "there are no sites")


@pytest.mark.parametrize(("order", "numbering"), [("none", None), ("fifo", "publisher"), ("total", "sequencer")])
def test_defaults(order: str, numbering: str | None) -> None:
    text = ESTATE.replace("order: total, sequencer: s1", f"order: {order}")
    design = design_of(text)
    assert design.way is not None
    assert (design.way.order, design.way.numbering, design.way.sequencer) == (order, numbering, None)
    assert design.sites is not None
    assert [site.latency_ms for site in design.sites] == [None, None, None]


def test_defaults_of_what_keeps_events_safe() -> None:
    way = design_of(ESTATE).way
    assert way is not None
    safe = way.safeguards
    assert (safe.ordered, safe.subscriptions, safe.counters, safe.seen) == (False, True, True, True)
    assert (safe.early, safe.retransmit, safe.suspect_after_ms, safe.dead_after_ms) == (False, True, 500, 2000)


def test_what_keeps_events_safe_is_read() -> None:
    text = ESTATE.replace(
        "sequencer: s1}",
        "channels: ordered, replicate: [seen], acknowledge: before-forwarding, retransmit: false, "
        "suspect_after_ms: 10, dead_after_ms: 20}",
    )
    way = design_of(text).way
    assert way is not None
    safe = way.safeguards
    assert (safe.ordered, safe.subscriptions, safe.counters, safe.seen) == (True, False, False, True)
    assert (safe.early, safe.retransmit, safe.suspect_after_ms, safe.dead_after_ms) == (True, False, 10, 20)


def test_routing_and_order_are_asked_for() -> None:
    (finding,) = findings_of(
        ESTATE.replace("routing: filtering, order: total, sequencer: s1", "retransmit: true"), "MOM102"
    )
    assert finding.message == "`delivery` lacks `routing` and `order`"


def test_nothing_is_claimed_of_what_is_not_known() -> None:
    proof = report_of(ESTATE.replace("news: {site: s1", "news: {site: r1")).proof
    assert {claim.one for claim in proof.claims} == {
        "site is a tree",
        "site keeps a broker in what `tolerate` promises",
    }


def test_sites_of_an_included_file(tmp_path) -> None:
    from momlint.lint import Options, lint_files

    (tmp_path / "clients.yaml").write_text("clients: {news: {site: s9, publishes: [A]}}\n")
    (tmp_path / "main.yaml").write_text("momlint: 1\ninclude: [clients.yaml]\nsites: {s1: {brokers: [b1]}}\n")
    (finding,) = lint_files([str(tmp_path / "main.yaml")], Options()).findings
    assert finding.file.endswith("clients.yaml")
    assert finding.message.startswith("there is no site `s9`")
