"""What ``momlint diff`` writes: text for people, JSON for programs, Markdown for a comment on a pull request."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from momlint.escaping import json_printable, printable
from momlint.report.markdown import MOST, plain
from momlint.report.wording import no_command
from momlint.words import arrow, counted, listed

if TYPE_CHECKING:
    from momlint.changes import Change, Circumstances, Comparison, Kind, Way

#: Goes up when a key changes its meaning or goes away.
VERSION = 1
#: Of each kind so many pairs are shown to people, with so many failures and topics each.
SHOWN, FAILURES_SHOWN, TOPICS_SHOWN = 30, 4, 4

_TITLES: dict[Kind, str] = {
    "broken": "newly broken",
    "mended": "newly mended",
    "moved": "on another way",
    "added": "newly needed",
    "dropped": "no longer needed",
}


def text(comparison: Comparison) -> str:
    """A block a kind, a line a pair; then what was compared."""
    blocks = []
    for kind, title in _TITLES.items():
        changes = comparison.of(kind)
        if changes:
            lines = [f"{counted(len(changes), 'pair')} {title}:"]
            for change in changes[:SHOWN]:
                lines += [f"  {_who(change)}, {_where(change)}", *(f"    {line}" for line in _what(change))]
            if len(changes) > SHOWN:
                lines.append(f"  and {len(changes) - SHOWN:,} more (all of them: --format json)")
            blocks.append("".join(f"{no_command(printable(line), './')}\n" for line in lines))
    blocks.append("".join(f"{printable(line)}\n" for line in _closing(comparison)))
    return "\n".join(blocks)


def markdown(comparison: Comparison) -> str:
    """A table a kind. Rows that would make it longer than GitHub takes are left out, and counted."""
    counts = _counts(comparison)
    parts = [f"### momlint diff: {plain(counts)}\n\n"]
    length = len(parts[0])
    for kind, title in _TITLES.items():
        changes = comparison.of(kind)
        if not changes:
            continue
        head = f"**{counted(len(changes), 'pair')} {title}**\n\n| from | to | topics | failures | before | after |\n"
        parts.append(head + "|---|---|---|---|---|---|\n")
        length += len(parts[-1])
        for number, change in enumerate(changes):
            cells = (
                change.source, change.destination, _topics(change), _where(change), _way(change.old), _way(change.new)
            )  # fmt: skip
            row = f"| {' | '.join(plain(cell) for cell in cells)} |\n"
            if length + len(row) > MOST:
                parts.append(f"\n{len(changes) - number:,} more left out.\n")
                break
            parts.append(row)
            length += len(row)
        parts.append("\n")
    parts += [f"{plain(line)}\n" for line in _closing(comparison)[1:]]
    return "".join(parts)


def json_text(comparison: Comparison) -> str:
    """One object with a change a line: all of them, with all failures."""
    summary: dict[str, int] = {"pairs": comparison.pairs, "failures": comparison.failures}
    summary["not_compared"] = len(comparison.left_out) + comparison.too_many
    summary.update({kind: len(comparison.of(kind)) for kind in _TITLES})
    changes = [json.dumps(_object(change), ensure_ascii=False) for change in comparison.changes]
    listed_ = "[\n  " + ",\n  ".join(changes) + "\n ]" if changes else "[]"
    left_out = json.dumps([_failure(one) for one in comparison.left_out], ensure_ascii=False)
    return json_printable(
        f'{{"version": {VERSION},\n "summary": {json.dumps(summary)},\n "not_compared": {left_out},\n '
        f'"changes": {listed_}}}\n'
    )


def _object(change: Change) -> dict[str, Any]:
    return {
        "change": change.kind,
        "source": change.source,
        "destination": change.destination,
        "topics": list(change.topics),
        "failures": [_failure(one) for one in change.failures],
        "old": {"walk": list(change.old.brokers), "end": change.old.end},
        "new": {"walk": list(change.new.brokers), "end": change.new.end},
    }


def _failure(failure: Circumstances) -> dict[str, Any]:
    named = {} if failure.colour is None else {"colour": failure.colour}
    return {**named, "failed": list(failure.failed)}


def _who(change: Change) -> str:
    topics = _topics(change)
    return f"{change.source} → {change.destination}" + (f" ({topics})" if topics else "")


def _topics(change: Change) -> str:
    if not change.topics:
        return ""
    return f"{'topic' if len(change.topics) == 1 else 'topics'} {listed(change.topics, TOPICS_SHOWN, plain=True)}"


def _what(change: Change) -> list[str]:
    was, now = f"was {_way(change.old)}", f"now {_way(change.new)}"
    match change.kind:
        case "added":
            return [now]
        case "dropped":
            return [was]
    return [was, now]


def _way(way: Way) -> str:
    match way.end:
        case "absent":
            return "not there"
        case "failed":
            return "down"
        case "arrived":
            return arrow(way.brokers)
        case "looped":
            return f"{arrow(way.brokers)}, in a loop"
    return f"{arrow(way.brokers)}, and ends there" if len(way.brokers) > 1 else f"stuck at {way.brokers[0]}"


def _where(change: Change) -> str:
    """In which failures: the state without any first."""
    named = [one for one in change.failures if one.failed]
    words = ["while nothing has failed"] if len(named) < len(change.failures) else []
    if named:
        words.append(f"{'when' if len(named) == 1 else f'in {len(named):,} failures:'} {_failures(named)}")
    return " and ".join(words)


def _failures(failures: list[Circumstances]) -> str:
    names = [
        " and ".join(one.failed) + (f" (colour {one.colour})" if one.colour is not None else "") for one in failures
    ]
    return f"{listed(names, FAILURES_SHOWN, plain=True)} {'fails' if len(failures) == 1 else 'fail'}"


def _counts(comparison: Comparison) -> str:
    counts = [f"{len(comparison.of(kind)):,} {title}" for kind, title in _TITLES.items() if comparison.of(kind)]
    return ", ".join(counts) if counts else "nothing changes for anyone"


def _closing(comparison: Comparison) -> list[str]:
    states = "while nothing has failed" if comparison.failures == 1 else f"in {comparison.failures:,} states"
    counts = _counts(comparison)
    lines = [f"{counts[:1].upper()}{counts[1:]}; {counted(comparison.pairs, 'pair')} compared, {states}."]
    if comparison.left_out:
        names = listed(
            [" and ".join(one.failed) or "nothing" for one in comparison.left_out], FAILURES_SHOWN, plain=True
        )
        lines.append(f"Not compared, because only one of the two says what happens then: {names} failed.")
    if comparison.too_many:
        lines.append(f"Not compared: {comparison.too_many:,} failures that `tolerate` promises, which are too many.")
    return lines
