"""The last two lines of a report for people: how much was found, and what was proved."""

from __future__ import annotations

from typing import TYPE_CHECKING

from momlint.words import counted, joined

if TYPE_CHECKING:
    from momlint.findings import Proof, Report, Summary

UNASKED = "Nothing was proved: no selected rule asks whether messages arrive."


def totals_line(report: Report) -> str:
    """How many findings there are, by severity."""
    summary = report.summary
    if not summary.files:
        return "No files were checked."
    found = [
        counted(number, noun)
        for number, noun in (
            (summary.errors, "error"),
            (summary.warnings, "warning"),
            (summary.notes, "note"),
        )
        if number
    ]
    if summary.undecided:
        found.append(f"{summary.undecided:,} undecided")
    files = counted(summary.files, "file")
    return f"Found {joined(found)} in {files}." if found else f"No findings in {files}."


def proof_line(report: Report) -> str:
    """What was proved, in which failures, and by how many engines."""
    summary, proof = report.summary, report.proof
    if not proof.engines:
        if not summary.brokers:
            return "Nothing was proved: there is no overlay to check."
        return UNASKED if summary.pairs else "Nothing was proved: no topic sends messages from one broker to another."
    claims = [claim for claim in (_arrive(summary, proof), _hold(proof), *_others(proof)) if claim]
    if not claims:
        return UNASKED
    if summary.undecided:
        verdict = f"Not proved, {summary.undecided:,} of {counted(proof.questions, 'question')} undecided"
    elif summary.errors:
        verdict = "Not proved, see the errors"
    elif proof.refuted or proof.false_specifications or proof.false_claims:
        hidden = [
            counted(number, noun)
            for number, noun in (
                (proof.refuted, "pair"),
                (proof.false_specifications, "specification"),
                (proof.false_claims, "claim"),
            )
            if number
        ]
        verdict = f"Not proved, ignored or suppressed findings refute {joined(hidden)}"
    else:
        verdict = "Proved"
    that = "" if verdict == "Proved" else "that "
    return f"{verdict}: {that}{' and '.join(claims) if that else '; '.join(claims)}; {_by(proof)}."


def _arrive(summary: Summary, proof: Proof) -> str:
    """``6 pairs of 4 topics arrive while nothing has failed``."""
    if not proof.estates or (not summary.pairs and proof.specifications):
        return ""
    pairs = counted(summary.pairs, "pair")
    who = (
        f"{pairs} of {counted(summary.topics, 'topic')}"
        if summary.topics
        else f"{pairs} (no topics: all pairs are judged)"
    )
    arrive = "arrives" if summary.pairs == 1 else "arrive"
    return f"{who} {arrive} {_failures(summary.colours, proof)}"


def _failures(colours: int, proof: Proof) -> str:
    """In which failures: none, every declared colour, all that ``tolerate`` promises."""
    where = "while nothing has failed"
    if proof.with_colours == proof.estates:
        where = "in the one declared colour" if colours == 1 else f"in each of {colours:,} declared colours"
    elif proof.with_colours:
        where = "while nothing has failed and in every declared colour"
    if proof.with_promise and proof.promise_kept == proof.with_promise:
        where += ", and in every failure that `tolerate` promises"
    return where + _assumed(proof)


def _assumed(proof: Proof) -> str:
    """`` (`after_failure: keep`)``: what next hops were taken to do where no recovery rows say it."""
    ways = [(way, number) for way, number in (("heal", proof.healing), ("keep", proof.keeping)) if number]
    if len(ways) == 1:
        return f" (`after_failure: {ways[0][0]}`)"
    return f" (`after_failure`: {joined([f'`{way}` in {number:,}' for way, number in ways])})" if ways else ""


def _hold(proof: Proof) -> str:
    if not proof.specifications:
        return ""
    return f"{counted(proof.specifications, 'specification')} {'holds' if proof.specifications == 1 else 'hold'}"


def _others(proof: Proof) -> list[str]:
    """What estates claim that have no next hops."""
    return [f"{number:,} {claim.one if number == 1 else claim.many}" for claim, number in proof.claims.items()]


def _by(proof: Proof) -> str:
    """By how many engines: who they are, and whether each question was decided by two of them."""
    names = joined(proof.engines)
    if len(proof.engines) == 1:
        return f"1 engine ({names})"
    engines = f"{len(proof.engines)} engines ({names})"
    if not proof.decided_twice:
        return engines
    if proof.decided_twice == proof.questions and len(proof.engines) == 2:
        return f"{len(proof.engines)} engines agree ({names})"
    return f"{engines}, {proof.decided_twice:,} of {counted(proof.questions, 'question')} decided twice"
