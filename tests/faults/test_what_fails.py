"""Estates that were judged too kindly, each with the verdict that FORMAT's rules give it by hand."""

from __future__ import annotations

import re

import pytest

from momlint.lint import Options, lint_bytes, merge
from momlint.report.closing import proof_line

SQUARE = """
momlint: 1
brokers: {leaf: , border: , other: , ext: }
links:
  - {between: [leaf, border]}
  - {between: [border, ext]}
  - {between: [leaf, other]}
  - {between: [other, ext]}
topics: {egress: {publishers: [leaf], subscribers: [ext]}}
routing:
  tables: {leaf: {border: [ext]}}
"""
TRIANGLE = """
momlint: 1
brokers: {a: , b: , c: }
links:
  - {between: [a, b], latency_ms: 1}
  - {between: [b, c], latency_ms: 100}
  - {between: [a, c], latency_ms: 100}
"""
STUB = """
momlint: 1
brokers: {hub-1: , hub-2: , edge: {transit: false}}
links:
  - {between: [hub-1, hub-2]}
  - {between: [edge, hub-1]}
  - {between: [edge, hub-2]}
"""
TABLES = "routing: {protocol: tables, tables: {a: {b: [b]}}}\n"
# From a to b by a static row via c, which two cables join with b.
WITHDRAWN = """
momlint: 1
brokers: {a: , b: , c: }
links:
  - {between: [a, b]}
  - {id: up, between: [b, c]}
  - {id: down, between: [b, c]}
  - {between: [a, c]}
topics: {t: {publishers: [a], subscribers: [b]}}
routing:
  after_failure: keep
  static_rows: withdraw
  tables: {a: {c: [b]}}
"""
# Two cables make the hop; once the quick one is cut, messages take the slow one, and 20 ms in place of 1.
TWO_CABLES = """
momlint: 1
brokers: {a: , b: }
links:
  - {id: quick, between: [a, b], cost: 1, latency_ms: 1}
  - {id: slow, between: [a, b], cost: 2, latency_ms: 20}
topics: {t: {publishers: [a], subscribers: [b], max_latency_ms: 10}}
"""
A_TO_B = "topics: {t: {publishers: [a], subscribers: [b]}}\n"


def errors(text: str, engine: str = "auto") -> list[str]:
    """The codes of the errors, in order, each as often as it is found."""
    report = merge([lint_bytes(text.encode(), "estate.yaml", Options(engine=engine))], Options())  # type: ignore[arg-type]
    return sorted(finding.code for finding in report.findings if finding.severity.value == "error")


@pytest.mark.parametrize("engine", ["auto", "graph"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # A static row that is sent back once the link behind it has failed: said as a colour, and as a promise.
        (SQUARE + "failures: {colours: {well: [], up: [border--ext]}}", ["MOM302"]),
        # Its own link: the row stays in force, over what is dead, unless it is said to be taken back.
        (SQUARE + "failures: {colours: {well: [], down: [leaf--border]}}", ["MOM303"]),
        (SQUARE + "  static_rows: withdraw\nfailures: {colours: {well: [], down: [leaf--border]}}", []),
        # Tables that do not react: one finding, whichever way the failure is said.
        (TRIANGLE + A_TO_B + TABLES + "failures: {tolerate: {links: 1}}", ["MOM502"]),
        (TRIANGLE + A_TO_B + TABLES + "failures: {colours: {well: [], x: [a--b]}}", ["MOM502"]),
        (
            TRIANGLE + A_TO_B + TABLES + "failures: {tolerate: {links: 1}, colours: {w: [], x: [a--b]}}",
            ["MOM402", "MOM502"],
        ),
        # A row that is taken back while its link is down, beside next hops that stay: a sends straight to b then …
        (WITHDRAWN + "failures: {tolerate: {links: 1}}", []),
        (WITHDRAWN + "failures: {colours: {well: [], x: [a--c]}}", []),
        # … and while its next hop is down.
        (WITHDRAWN + "failures: {tolerate: {brokers: 1}}", []),
        # Both links of a cut it off; with both cables cut the row stays, and leads to c in vain.
        (WITHDRAWN + "failures: {tolerate: {links: 2}}", ["MOM502", "MOM502"]),
        # Tables that are said to heal do.
        (
            TRIANGLE + A_TO_B + "routing: {protocol: tables, after_failure: heal, tables: {a: {b: [b]}}}\n"
            "failures: {colours: {well: [], x: [a--b]}}",
            [],
        ),
        # A hop that stays as it is goes on over another cable, and takes longer.
        (TWO_CABLES + TABLES + "failures: {tolerate: {links: 1}}", ["MOM601"]),
        (TWO_CABLES + "routing: {after_failure: keep}\nfailures: {tolerate: {links: 1}}", ["MOM601"]),
        (TWO_CABLES + "failures: {tolerate: {links: 1}}", ["MOM601"]),
        (TWO_CABLES + TABLES + "failures: {colours: {well: [], x: [quick]}}", ["MOM601"]),
        (TWO_CABLES + TABLES + "failures: {colours: {well: [], x: [slow]}}", []),
        (
            TWO_CABLES + "groups: {duct: [quick]}\n" + TABLES + "failures: {tolerate: {groups: 1}}",
            ["MOM601"],
        ),
        # Budgets hold in promised failures: a by c to b takes two hops and 200 ms.
        (
            TRIANGLE + "topics: {t: {publishers: [a], subscribers: [b], max_hops: 1, max_latency_ms: 50}}\n"
            "failures: {tolerate: {links: 1}}",
            ["MOM601", "MOM602"],
        ),
        # The edge has two uplinks and passes nothing on.
        (
            STUB + "topics: {t: {publishers: [hub-1], subscribers: [hub-2]}}\nfailures: {tolerate: {links: 1}}",
            ["MOM502"],
        ),
        (
            STUB + "topics: {t: {publishers: [edge], subscribers: [hub-2]}}\nfailures: {tolerate: {links: 1}}",
            [],
        ),
    ],
)
def test_the_verdict(text: str, expected: list[str], engine: str) -> None:
    """Counted by hand."""
    assert errors(text, engine) == expected


RECOVERY = """
  recovery:
    a: [{to: b, via: b, colours: [w]}, {to: b, via: c, colours: [x]}]
    c: [{to: b, via: b, colours: [x]}]
"""


@pytest.mark.parametrize(
    ("text", "assumed"),
    [
        # Given tables stay, computed next hops heal, unless the estate says otherwise …
        (TABLES + "failures: {tolerate: {links: 1}}", "keep"),
        (TABLES + "failures: {colours: {well: [], x: [b--c]}}", "keep"),
        ("failures: {tolerate: {links: 1}}", "heal"),
        ("routing: {after_failure: keep}\nfailures: {tolerate: {links: 1}}", "keep"),
        (
            "routing: {protocol: tables, after_failure: heal, tables: {a: {b: [b]}}}\nfailures: {tolerate: {links: 1}}",
            "heal",
        ),
        # … and nothing is assumed where nothing fails, or recovery rows say what is done.
        (TABLES, None),
        (TABLES + "failures: {tolerate: none}", None),
        ("failures: {colours: {well: []}}", None),
        ("failures:\n  colours: {w: [], x: [a--b]}" + RECOVERY, None),
    ],
)
def test_the_proof_says_what_was_assumed_of_next_hops(text: str, assumed: str | None) -> None:
    options = Options(engine="graph")
    report = merge([lint_bytes((TRIANGLE + A_TO_B + text).encode(), "estate.yaml", options)], options)
    said = re.findall(r" \(`after_failure: (heal|keep)`\);", proof_line(report))
    assert said == ([] if assumed is None else [assumed])


def test_a_row_that_makes_it_pass_on_is_named() -> None:
    """MOM304, at the row, with the reason; the row for the broker itself is right."""
    text = STUB + "topics: {t: {publishers: [hub-1], subscribers: [hub-2, edge]}}\n"
    assert errors(text + "routing: {protocol: tables, tables: {hub-1: {edge: [edge], hub-2: [hub-2]}}}") == []
    assert errors(
        text + "routing: {protocol: tables, tables: {hub-1: {edge: [edge, hub-2]}, edge: {hub-2: [hub-2]}}}"
    ) == ["MOM304"]
