"""The lines of a pass, by unsatisfiable cores: each line is an assumption of "the message does not arrive"."""

from __future__ import annotations

from typing import Any

from momlint.rendering import template
from momlint.routed.overlay.form import NO_HOP, NO_ROW
from momlint.routed.why.graph import Rests
from momlint.routed.why.question import Question
from momlint.solving.cores import Assuming
from momlint.solving.limits import SolverLimits


def rests_on(question: Question, limits: SolverLimits) -> Rests | None:
    """As `momlint.routed.why.graph.rests_on`; None where the message does not arrive. Not for next hops of both kinds.

    A core is enough for the message to arrive. Of its lines, those count without which it need not: the others are of
    several of which one will do. Raises `momlint.solving.limits.GaveUp`.
    """
    steps = _steps(question)
    rows = sorted({step["row"] for step in steps if step["row"]})
    links = sorted({link for step in steps for link in step["links"]})
    names = rows + links
    text = template("why.smt2.j2").render(
        title=f"{question.source} to {question.dest} in colour {question.colour}",
        brokers=[f"b{one}" for one in range(question.overlay.n)],
        lines=names,
        source=f"b{question.source}",
        dest=f"b{question.dest}",
        steps=steps,
    )
    asking = Assuming(text, limits)
    core = asking.core(names)
    if core is None:
        return None
    alone = [line for line in core if asking.core([one for one in names if one != line]) is None]
    for line in [one for one in core if one not in alone]:
        # z3 promises no smallest core.
        core = asking.core([one for one in core if one != line]) or core
    in_core = set(core) - set(alone)
    either = [step["links"] for step in steps if question.basis == "rows" and not in_core.isdisjoint(step["links"])]
    return Rests(
        tuple(int(line[1:]) for line in alone if line[0] == "r"),
        tuple(sorted(int(line[1:]) for line in alone if line[0] == "k")),
        tuple(sorted(tuple(int(link[1:]) for link in links) for links in either)),
    )


def _steps(question: Question) -> list[dict[str, Any]]:
    """Where a message goes on from each broker that it may be at: by its row, or along every link."""
    steps: list[dict[str, Any]] = []
    if question.basis == "rows":
        for loc in range(question.overlay.n):
            hop, row = question.entry(loc)
            links = question.live.get((loc, hop), ()) if hop != NO_HOP else ()
            if loc != question.dest and links:
                steps.append(_step(loc, hop, links, row))
        return steps
    for (tail, head), links in sorted(question.live.items()):
        if tail != question.dest and question.passes(tail):
            steps.append(_step(tail, head, links, NO_ROW))
    return steps


def _step(tail: int, head: int, links: tuple[int, ...], row: int) -> dict[str, Any]:
    return {
        "tail": f"b{tail}",
        "head": f"b{head}",
        "row": f"r{row}" if row != NO_ROW else "",
        "links": [f"k{link}" for link in links],
    }


__all__ = ["rests_on"]
