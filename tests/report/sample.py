"""A report by hand, for the tests of the formats: the six-broker fault, and one of everything else."""

from __future__ import annotations

from momlint.findings import (
    Affected,
    Finding,
    Position,
    Proof,
    Related,
    Report,
    Severity,
    Span,
    Summary,
    Witness,
)

SIX = """\
momlint: 1
name: six
brokers: {1: , 2: , 3: , 4: , 5: , 6: }
links:
  - {between: [1, 2]}
topics:
  A: {publishers: [1], subscribers: [2, 5]}
routing:
  protocol: tables
  tables:
    # what broker 4 knows
    4:
      6: [5, 6]
      2: [1, 2, 3]
"""


def span(start_line: int, start_column: int, end_line: int, end_column: int) -> Span:
    return Span(Position(start_line, start_column), Position(end_line, end_column))


BLACK_HOLE = Finding(
    code="MOM303",
    rule="black-hole",
    severity=Severity.ERROR,
    file="six.mom.yaml",
    span=span(13, 7, 13, 16),
    message="broker `4` sends `5` to `6`, and it ends there",
    help="let broker 4 send it to 5",
    url="https://example.org/rules/MOM303/",
    witness=Witness(source="1", destination="5", walk=("1", "2", "4", "6")),
    affected=Affected(("A",), 1),
    related=(Related("six.mom.yaml", span(3, 36, 3, 38), "the message stops here"),),
    label="`6` is no nearer to `5`",
    data={"broker": "4", "via": "6", "destinations": ("5",)},
)
ISOLATED = Finding(
    code="MOM203",
    rule="isolated-broker",
    severity=Severity.WARNING,
    file="six.mom.yaml",
    span=span(3, 16, 3, 17),
    message="broker 3 has no link",
)
SINGLE_POINT = Finding(
    code="MOM501",
    rule="single-point-of-failure",
    severity=Severity.NOTE,
    file="six.mom.yaml",
    span=span(5, 5, 5, 22),
    message="if link `1--2` fails, no path leads from `1` to `2`",
    witness=Witness(colour="normal", source="1", destination="2", cut=("1--2",)),
    affected=Affected(("A",), 1),
    data={"kind": "link", "element": "1--2"},
)


def report(*findings: Finding, **more: object) -> Report:
    """A report of these findings about `SIX`, with the counts that follow from them."""
    by = {severity: sum(one.severity is severity for one in findings) for severity in Severity}
    made = Report(
        findings=sorted(findings, key=lambda one: one.sort_key),
        summary=Summary(
            files=1,
            brokers=6,
            links=5,
            colours=1,
            topics=4,
            pairs=6,
            errors=by[Severity.ERROR],
            warnings=by[Severity.WARNING],
            notes=by[Severity.NOTE],
        ),
        proof=Proof(engines=("graph", "smt"), questions=2, decided_twice=2, estates=1),
        sources={"six.mom.yaml": SIX.splitlines()},
    )
    for name, value in more.items():
        setattr(made, name, value)
    return made
