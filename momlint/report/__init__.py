"""Reports: a `momlint.findings.Report` as text for people and for other programs.

One module a format, each with ``render(report, …) -> str``; `render` here picks one by its name. A report
depends on nothing but `momlint.findings`: what a format needs to know of the rules is handed in. The same
report gives the same bytes, every time and on every machine.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from momlint.report.options import FORMATS, FailOn, Format, Notes, RuleInfo

if TYPE_CHECKING:
    from momlint.findings import Report

__all__ = ["FORMATS", "FailOn", "Format", "Notes", "Rendered", "RuleInfo", "render"]


class Rendered(NamedTuple):
    """A finished report, and sentences for standard error about what it could not hold."""

    text: str
    notices: tuple[str, ...] = ()


def render(
    name: Format,
    report: Report,
    *,
    rules: Sequence[RuleInfo] = (),
    colour: bool = False,
    width: int | None = None,
    quiet: bool = False,
    fail_on: FailOn = "error",
    notes: Notes = "brief",
    statistics: bool = False,
) -> Rendered:
    """Render `report` in the format `name`.

    `rules` is the catalogue (``sarif`` only); `colour`, `width` (columns of the terminal) and `quiet` (no
    closing lines) shape ``text`` only; `fail_on` says which findings are failures to ``junit``.
    `statistics`: how often each rule reports, in place of the findings; as JSON for ``json``, else as text.
    """
    if statistics:
        from momlint.report.statistics import render_json, render_text

        return Rendered(render_json(report) if name == "json" else render_text(report, quiet=quiet))
    match name:
        case "text":
            from momlint.report import text

            return Rendered(text.render(report, colour=colour, width=width, quiet=quiet, notes=notes))
        case "concise":
            from momlint.report import concise

            return Rendered(concise.render(report))
        case "json":
            from momlint.report import json

            return Rendered(json.render(report))
        case "sarif":
            from momlint.report import sarif

            notice = sarif.left_out(report)
            return Rendered(sarif.render(report, rules), (notice,) if notice else ())
        case "github":
            from momlint.report import github

            return Rendered(github.render(report))
        case "gitlab":
            from momlint.report import gitlab

            return Rendered(gitlab.render(report))
        case "markdown":
            from momlint.report import markdown

            return Rendered(markdown.render(report))
        case "junit":
            from momlint.report import junit

            return Rendered(junit.render(report, fail_on=fail_on))
