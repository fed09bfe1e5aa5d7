"""What is told of native files, short enough to be written down in a test."""

from __future__ import annotations

from pathlib import Path

from momlint.cli.importing import import_files
from momlint.findings import Finding, Severity
from momlint.lint import Options, lint_files
from momlint.native.form import NativeFile


def codes(native: NativeFile) -> list[tuple[str, int, int]]:
    return [(one.code, one.span.start.line, one.span.start.column) for one in native.problems]


def verdict(files: dict[str, str], folder: Path) -> list[tuple[str, str, int]]:
    """What is told of files, notes apart; the estate that they are imported as has the same codes."""
    for name, text in files.items():
        (folder / name).write_text(text, newline="")
    findings = told(folder, list(files))
    return sorted(
        (one.code, Path(one.file).name, one.span.start.line) for one in findings if one.severity is not Severity.NOTE
    )


def told(folder: Path, names: list[str]) -> list[Finding]:
    """What is told of files of one family, which is told of them as an estate in YAML too."""
    paths = [str(folder / name) for name in names]
    report = lint_files(paths, Options())
    assert report.failures == []
    estate = folder / "imported.mom.yaml"
    import_files(paths, None, None, str(estate))
    again = lint_files([str(estate)], Options())
    assert again.failures == []
    assert codes_of(again.findings) == codes_of(report.findings), estate.read_text()
    return report.findings


def codes_of(findings: list[Finding]) -> list[str]:
    """The codes, one for each finding; a comment that silences nothing is its own file's affair."""
    return sorted(one.code for one in findings if one.code != "MOM109")
