"""The parts that reports put together: where, what, the walk, what is affected, what to do.

A finding's message says one thing; what its witness and its affected pairs have to say is put into words here, once
for all formats. Nothing here reads a message.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from momlint.escaping import printable
from momlint.words import arrow, counted, listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from momlint.findings import Affected, Finding, Report, Witness

#: More names than this in one line help nobody; the JSON report has them all.
NAMES_SHOWN = 5
#: The same for the states of a trace, and the brokers of a walk.
TRACE_SHOWN = 40
#: Of a message that arrives in several copies, so many ways are shown.
PATHS_SHOWN = 6
WALK_SHOWN = 40


def by_severity(report: Report) -> list[Finding]:
    """The findings, errors first; within a severity in the report's order."""
    return sorted(report.findings, key=lambda finding: finding.severity.rank)


def place(finding: Finding) -> str:
    """``file:line:column``."""
    return f"{shown_path(finding.file)}:{finding.span.start.line}:{finding.span.start.column}"


def shown_path(file: str) -> str:
    """A file's name as it may begin a line: printable, and no command to whoever reads logs (``::error::``)."""
    return no_command(printable(file), "./")


def no_command(line: str, guard: str) -> str:
    """`line`, after `guard` where a reader of logs would take it for a command (GitHub, Azure)."""
    return guard + line if line.lstrip().startswith(("::", "##")) else line


def see(finding: Finding) -> str:
    """Where more is said of the rule: its page, or the command that prints it while the pages have no address."""
    return finding.url or f"momlint explain {finding.code}"


def in_colour(witness: Witness) -> str:
    """`` in colour 2``, or nothing where the estate has no colours."""
    return f" in colour {witness.colour}" if witness.colour is not None else ""


def walk_line(witness: Witness) -> str:
    """``walk to 5 in colour 2: 1 → 2 → 4``; empty where no walk is known. The middle of a long one is left out."""
    if not witness.walk:
        return ""
    goal = f" to {witness.destination}" if witness.destination is not None else ""
    brokers = arrow(shortened(witness.walk)) if len(witness.walk) > 1 else f"it never leaves {witness.walk[0]}"
    return f"walk{goal}{in_colour(witness)}: {brokers}"


def shortened(walk: Sequence[str]) -> Sequence[str]:
    """`walk`, without its middle where it is long."""
    if len(walk) <= WALK_SHOWN:
        return walk
    half = WALK_SHOWN // 2
    return [*walk[:half], f"… {len(walk) - 2 * half:,} more …", *walk[-half:]]


def witness_line(witness: Witness) -> str:
    """The walk, the ways of copies, or the colour in which there is none.

    Empty where a trace follows, or nothing is left to say.
    """
    if witness.trace:
        return ""
    if witness.paths:
        return f"copies: {'; '.join(witness.paths[:PATHS_SHOWN])}" + (
            f"; … {len(witness.paths) - PATHS_SHOWN:,} more" if len(witness.paths) > PATHS_SHOWN else ""
        )
    return walk_line(witness) or (f"colour: {witness.colour}" if witness.colour is not None else "")


def trace_lines(witness: Witness) -> list[str]:
    """The states of a counterexample, the first of them where there are many; empty where there is none."""
    states = [no_command(printable(state), "\\") for state in witness.trace[:TRACE_SHOWN]]
    if len(witness.trace) <= TRACE_SHOWN:
        return states
    return [*states[:-1], f"… {len(witness.trace) - TRACE_SHOWN + 1:,} more lines"]


def affected_line(affected: Affected) -> str:
    """``topics a and b; 12 pairs``; empty if nothing is affected."""
    parts = []
    if affected.topics:
        names = listed(affected.topics, NAMES_SHOWN, plain=True)
        parts.append(f"{'topic' if len(affected.topics) == 1 else 'topics'} {names}")
    if affected.pairs:
        parts.append(counted(affected.pairs, "pair"))
    return "; ".join(parts)


def details(finding: Finding) -> list[str]:
    """What is known besides the message, a line each: the label, the witness, what is affected, the help."""
    lines = [f"here: {finding.label}"] if finding.label else []
    if finding.witness is not None and (line := witness_line(finding.witness)):
        lines.append(line)
    if finding.witness is not None and finding.witness.trace:
        lines += ["trace:", *trace_lines(finding.witness)]
    if finding.affected is not None and (affected := affected_line(finding.affected)):
        lines.append(f"affects: {affected}")
    if finding.help:
        lines.append(f"help: {finding.help}")
    return [printable(line) for line in lines]


def aside(finding: Finding) -> str:
    """`` (colour 2: 1 → 2 → 4)``: the witness for a report of one line a finding; empty where there is none."""
    witness = finding.witness
    if witness is None:
        return ""
    colour = f"colour {witness.colour}" if witness.colour is not None else ""
    walk = arrow(shortened(witness.walk)) if len(witness.walk) > 1 else ""
    inner = ": ".join(part for part in (colour, walk) if part)
    return f" ({inner})" if inner else ""
