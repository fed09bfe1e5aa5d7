"""Designs by hand, sentence by sentence of the language's page: the rule and its line, and a twin that is fine."""

from __future__ import annotations

import pytest

from momlint.lint import Options, lint_bytes, merge

ROOT, CHILD = "s1: {brokers: [a]}", "s2: {parent: s1, brokers: [b]}"
NEAR, GRANDCHILD = "s3: {parent: s1, brokers: [c]}", "s3: {parent: s2, brokers: [c]}"
PAIR = ("s1: {brokers: [a, aa]}", "s2: {parent: s1, brokers: [b, bb]}")
BOTH, WANTS = "p: {site: s2, publishes: [A, B]}", "q: {site: s1, subscribes: [A]}"
ONE = "p: {site: s2, publishes: [A]}"
NUMBERED = ("p: {site: s2, publishes: [A], subscribes: [A]}", "o: {site: s1, publishes: [A]}")
SAFE_ONLY_WHILE_NOTHING_FAILS = "replicate: [], retransmit: false, acknowledge: before-forwarding"
BROKER, LINK = "{brokers: 1}", "{links: 1}"


def text(sites: tuple[str, ...], delivery: str, clients: tuple[str, ...], tolerate: str = "") -> str:
    """A line for each site and client, `delivery` on one line."""
    lines = ["momlint: 1", "sites:", *(f"  {site}" for site in sites), f"delivery: {{{delivery}}}", "clients:"]
    lines += [f"  {client}" for client in clients]
    return "\n".join([*lines, *([f"failures: {{tolerate: {tolerate}}}"] if tolerate else []), ""])


def found(estate: str, engine: str = "graph") -> list[str]:
    options = Options(engine=engine)  # type: ignore[arg-type]
    report = merge([lint_bytes(estate.encode(), "sites.yaml", options)], options)
    return [f"{finding.code} {finding.span.start.line}" for finding in report.findings]


@pytest.mark.parametrize(
    ("wanted", "estate"),
    [
        # A tree: lines 3 and 4 are the sites.
        (["MOM821 4"], text((ROOT, "s2: {brokers: [b]}"), "routing: flooding, order: none", ())),
        (["MOM821 4"], text((ROOT, "s2: {parent: s2, brokers: [b]}"), "routing: flooding, order: none", ())),
        (
            ["MOM821 4"],
            text((ROOT, "s2: {parent: s9, brokers: [b]}"), "routing: filtering, order: fifo", (BOTH, WANTS)),
        ),
        ([], text(("s2: {parent: s1, brokers: [b]}", ROOT), "routing: flooding, order: none", ())),
        # A1 A2 B3 A4: the subscriber of A waits for 3.
        (["MOM822 8"], text((ROOT, CHILD), "routing: filtering, order: fifo", (BOTH, WANTS))),
        ([], text((ROOT, CHILD), "routing: flooding, order: fifo", (BOTH, WANTS))),
        ([], text((ROOT, CHILD), "routing: filtering, order: fifo, numbering: link", (BOTH, WANTS))),
        ([], text((ROOT, CHILD), "routing: filtering, order: none, sequencer: s2", (BOTH, WANTS))),
        # A site counts what comes for others: of its own, or behind it.
        ([], text((ROOT, CHILD), "routing: filtering, order: fifo", (BOTH, WANTS, "r: {site: s1, subscribes: [B]}"))),
        (
            ["MOM822 10"],
            text(
                (ROOT, CHILD, NEAR), "routing: filtering, order: fifo", (BOTH, WANTS, "r: {site: s3, subscribes: [B]}")
            ),
        ),
        ([], text((ROOT, CHILD), "routing: filtering, order: fifo", (BOTH, "q: {site: s2, subscribes: [A]}"))),
        # Another publisher's event takes a number of the sequencer, and none of a publisher's own or a subscriber's.
        (
            ["MOM822 9"],
            text(
                (ROOT, CHILD),
                "routing: filtering, order: total",
                ("p: {site: s1, publishes: [A]}", "o: {site: s1, publishes: [B]}", "q: {site: s2, subscribes: [A]}"),
            ),
        ),
        (
            [],
            text(
                (ROOT, CHILD),
                "routing: filtering, order: total, numbering: subscriber",
                ("p: {site: s1, publishes: [A]}", "o: {site: s1, publishes: [B]}", "q: {site: s2, subscribes: [A]}"),
            ),
        ),
        (
            [],
            text(
                (ROOT, CHILD),
                "routing: filtering, order: fifo",
                ("p: {site: s1, publishes: [A]}", "o: {site: s1, publishes: [B]}", "q: {site: s2, subscribes: [A]}"),
            ),
        ),
        # The sequencer: out of reach over a link, or behind a site that may go; not of whoever is at its site.
        (["MOM823 7"], text((ROOT, CHILD), "routing: flooding, order: total", NUMBERED, LINK)),
        ([], text((ROOT, CHILD), "routing: flooding, order: total", NUMBERED[1:], LINK)),
        ([], text((ROOT, CHILD), "routing: flooding, order: fifo", NUMBERED, LINK)),
        (["MOM825 3", "MOM823 7"], text((ROOT, PAIR[1]), "routing: flooding, order: total", NUMBERED, BROKER)),
        (["MOM825 4"], text((PAIR[0], CHILD), "routing: flooding, order: total", NUMBERED, BROKER)),
        # Nearer to all publishers at worst.
        (
            ["MOM824 6"],
            text((ROOT, CHILD, GRANDCHILD), "routing: flooding, order: total", ("p: {site: s3, publishes: [A]}",)),
        ),
        (
            [],
            text(
                (ROOT, CHILD, GRANDCHILD),
                "routing: flooding, order: total, sequencer: s2",
                ("p: {site: s3, publishes: [A]}", "o: {site: s1, publishes: [A]}"),
            ),
        ),
        # Replicas, also of a site without clients.
        (["MOM825 5"], text((*PAIR, NEAR), "routing: flooding, order: none", (ONE, WANTS), BROKER)),
        (["MOM825 3", "MOM825 4"], text(PAIR, "routing: flooding, order: none", (ONE, WANTS), "{brokers: 2}")),
        # Take-overs: each default that is taken away has its rule, and where nothing may fail none has.
        (
            ["MOM828 5"],
            text(PAIR, "routing: flooding, order: none, replicate: [subscriptions, counters]", (ONE, WANTS), BROKER),
        ),
        ([], text(PAIR, "routing: flooding, order: fifo, replicate: [subscriptions, counters]", (ONE, WANTS), BROKER)),
        ([], text(PAIR, "routing: flooding, order: none, replicate: [subscriptions, seen]", (ONE, WANTS), BROKER)),
        (["MOM826 5"], text(PAIR, "routing: flooding, order: fifo, replicate: [counters, seen]", (ONE, WANTS), BROKER)),
        (
            ["MOM827 5"],
            text(
                PAIR,
                "routing: flooding, order: fifo, channels: ordered, acknowledge: before-forwarding",
                (ONE, WANTS),
                BROKER,
            ),
        ),
        (
            [],
            text(PAIR, f"routing: flooding, order: fifo, {SAFE_ONLY_WHILE_NOTHING_FAILS}", (ONE, WANTS)),
        ),
        (
            ["MOM822 8"],
            text(PAIR, "routing: filtering, order: fifo, acknowledge: before-forwarding", (BOTH, WANTS), BROKER),
        ),
    ],
)
def test_what_is_said(wanted: list[str], estate: str) -> None:
    assert found(estate) == wanted


def test_each_setting_has_its_line() -> None:
    estate = text(PAIR, "…", (ONE, WANTS), BROKER).replace(
        "delivery: {…}",
        "delivery:\n  routing: flooding\n  replicate: []\n  acknowledge: before-forwarding\n  retransmit: false\n"
        "  order: none",
    )
    assert sorted(found(estate)) == ["MOM826 7", "MOM827 8", "MOM827 9", "MOM828 7"]
    silent = estate.replace("retransmit: false", "retransmit: false  # momlint: ignore[MOM827]")
    assert sorted(found(silent)) == ["MOM826 7", "MOM827 8", "MOM828 7"]


@pytest.mark.parametrize("engine", ["auto", "graph", "smt"])
def test_a_broker_of_two_sites_is_one_slip(engine: str) -> None:
    """It is told once, and both sites have a broker: nothing is lost with it, and the engines agree."""
    estate = text((ROOT, "s2: {parent: s1, brokers: [a]}"), "routing: flooding, order: none", (ONE, WANTS))
    assert found(estate, engine) == ["MOM103 4"]
