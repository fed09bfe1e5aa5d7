"""What is told of native files, short enough to be written down in a test."""

from __future__ import annotations

from pathlib import Path

from momlint.findings import Severity
from momlint.lint import Options, lint_files
from momlint.native.form import NativeFile


def codes(native: NativeFile) -> list[tuple[str, int, int]]:
    return [(one.code, one.span.start.line, one.span.start.column) for one in native.problems]


def verdict(files: dict[str, str], folder: Path) -> list[tuple[str, str, int]]:
    for name, text in files.items():
        (folder / name).write_text(text, newline="")
    report = lint_files([str(folder / name) for name in files], Options())
    assert report.failures == []
    return sorted(
        (one.code, Path(one.file).name, one.span.start.line)
        for one in report.findings
        if one.severity is not Severity.NOTE
    )
