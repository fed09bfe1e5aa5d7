"""From what was gathered to text: the page, and plain SVG. All data goes into the page as JSON, or through autoescape.

The page loads nothing: its styles and its script stand in it, and its policy lets nothing else run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from momlint import resources
from momlint.rendering import template
from momlint.version import __version__
from momlint.view.showing import Index, shown

if TYPE_CHECKING:
    from momlint.findings import Finding, Report
    from momlint.view.form import Fare, Picture, State, Way
    from momlint.view.gathering import Gathered

#: Lines before and after the one that a finding stands at.
_AROUND = 3
#: Characters of a line that is shown.
_LONGEST = 400
#: Names of affected topics, lines of a trace.
_MOST_NAMES, _MOST_TRACE = 50, 400


def page(gathered: Gathered, title: str) -> str:
    """One HTML page that stands for itself."""
    styles, script = (resources.read_text("templates", name) for name in ("view.css", "view.js"))
    return template("view.html.j2").render(
        title=title,
        version=__version__,
        styles=styles,
        script=script,
        style_hash=_hash(styles),
        script_hash=_hash(script),
        data=in_script(data_of(gathered, title)),
    )


def studio_page(data: dict[str, Any]) -> tuple[str, str]:
    """The page of the studio, and its content security policy: as `page`, and it may talk to where it comes from."""
    styles = "\n".join(resources.read_text("templates", name) for name in ("view.css", "studio.css"))
    script = "\n".join(resources.read_text("templates", name) for name in ("view.js", "studio.js"))
    text = template("studio.html.j2").render(
        title=data["title"], version=__version__, styles=styles, script=script, data=in_script(data)
    )
    policy = (
        f"default-src 'none'; style-src '{_hash(styles)}'; script-src '{_hash(script)}'; connect-src 'self'; "
        "img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    return text, policy


def svg(picture: Picture, state: int = 0, way: Way | None = None) -> str:
    """The drawing as SVG, in one state and with one walk; it is light or dark as its reader is."""
    failed = picture.states[state] if picture.states else None
    return template("view.svg.j2").render(
        picture=picture,
        failed_links=set(failed.links) if failed else set(),
        failed_brokers=set(failed.brokers) if failed else set(),
        on_way=set(way.stops[:-1] if way.refused else way.stops) if way else set(),
        cables=set(way.cables[:-1] if way.refused else way.cables) if way else set(),
        says=way.says if way else "",
        radius=_radius(picture),
        state=failed,
    )


def in_script(value: object) -> str:
    """JSON that may stand in a script of an HTML page, whatever it holds."""
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=True, allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def data_of(gathered: Gathered, title: str) -> dict[str, Any]:
    """All that the script of the page knows."""
    indices = [Index(picture) for picture in gathered.pictures]
    findings = [
        _finding(finding, owner, gathered.pictures, indices)
        for finding, owner in zip(gathered.report.findings, gathered.findings, strict=True)
    ]
    estates = [_estate(picture) for picture in gathered.pictures]
    _add_coverage(estates, gathered)
    spots = gathered.places.spots
    return {
        "title": title,
        "version": __version__,
        "summary": _summary(gathered.report),
        "failures": gathered.report.failures,
        "findings": findings,
        "places": spots,
        "lines": _lines(gathered.report, spots),
        "estates": estates,
    }


def _summary(report: Report) -> dict[str, int]:
    summary = report.summary
    return {
        "errors": summary.errors,
        "warnings": summary.warnings,
        "notes": summary.notes,
        "undecided": summary.undecided,
    }


def _estate(picture: Picture) -> dict[str, Any]:
    return {
        "name": picture.name,
        "file": picture.file,
        "kind": picture.kind,
        "width": picture.width,
        "height": picture.height,
        "radius": _radius(picture),
        "needed": picture.needed,
        "notes": picture.notes,
        "brokers": [one._asdict() for one in picture.brokers],
        "links": [one._asdict() for one in picture.links],
        "topics": [one._asdict() for one in picture.topics],
        "states": [_state(one) for one in picture.states],
        # By position: there are many.
        "ways": [list(one) for one in picture.ways],
        "pairs": [
            [
                one.tail,
                one.head,
                one.label,
                one.topics,
                _fare(one.usual),
                [[state, *_fare(fare)] for state, fare in one.others.items()],
            ]
            for one in picture.pairs
        ],
    }


def _state(state: State) -> dict[str, Any]:
    """Without what only few have: there are many."""
    found = state._asdict()
    return {key: value for key, value in found.items() if value is not None and value is not False}


def _add_coverage(estates: Sequence[dict[str, Any]], gathered: Gathered) -> None:
    """What `check --coverage` says, to the estate of which it says it."""
    told = {
        (one.data["file"], one.data["estate"]): one.data for one in gathered.report.sections if one.data is not None
    }
    for estate in estates:
        said = told.get((estate["file"], estate["name"]))
        if said is not None:
            estate["coverage"] = {
                "files": [
                    [one["file"], *([one[kind]["covered"], one[kind]["all"]] for kind in ("rows", "links", "colours"))]
                    for one in said["files"]
                ],
                "idle": [
                    [one["name"], gathered.places.at(one["file"], one["span"]["start"]["line"])]
                    for one in said["uncovered"]
                ],
            }


def _fare(fare: Fare) -> list[object]:
    return [fare.status, list(fare.ways)]


def _radius(picture: Picture) -> float:
    """Of a broker, in pixels."""
    return (
        13.0
        if len(picture.brokers) <= 25
        else 11.0
        if len(picture.brokers) <= 70
        else 8.0
        if len(picture.brokers) <= 150
        else 6.0
    )


def _finding(
    finding: Finding, owner: int | None, pictures: Sequence[Picture], indices: Sequence[Index]
) -> dict[str, Any]:
    witness, affected, span = finding.witness, finding.affected, finding.span
    found: dict[str, Any] = {
        "code": finding.code,
        "rule": finding.rule,
        "severity": str(finding.severity),
        "file": finding.file,
        "line": span.start.line,
        "column": span.start.column,
        "endLine": span.end.line,
        "endColumn": span.end.column,
        "message": finding.message,
        "help": finding.help,
        "url": finding.url,
        "label": finding.label,
        "topics": list(affected.topics[:_MOST_NAMES]) if affected is not None else [],
        "topicCount": len(affected.topics) if affected is not None else 0,
        "pairs": affected.pairs if affected is not None else 0,
        "related": [
            {"file": one.file, "line": one.span.start.line, "message": one.message}
            for one in (*finding.steps, *finding.related)
        ],
        "trace": list(witness.trace[:_MOST_TRACE]) if witness is not None else [],
        "estate": owner,
    }
    if owner is not None and pictures[owner].brokers:
        found["show"] = shown(finding, pictures[owner], indices[owner])._asdict()
    return found


def _lines(report: Report, spots: Sequence[tuple[str, int]]) -> dict[str, dict[int, str]]:
    """The lines that are shown, by file and number."""
    wanted: dict[str, set[int]] = {}
    for file, line in spots:
        wanted.setdefault(file, set()).add(line)
    for finding in report.findings:
        for file, line in _shown_lines(finding):
            wanted.setdefault(file, set()).update(range(line - _AROUND, line + _AROUND + 1))
    found: dict[str, dict[int, str]] = {}
    for file in sorted(wanted):
        text = report.sources.get(file, ())
        found[file] = {line: text[line - 1][:_LONGEST] for line in sorted(wanted[file]) if 0 < line <= len(text)}
    return found


def _shown_lines(finding: Finding) -> Iterator[tuple[str, int]]:
    yield finding.file, finding.span.start.line
    for one in (*finding.steps, *finding.related):
        yield one.file, one.span.start.line


def _hash(text: str) -> str:
    """As a content security policy names a script or a style."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
