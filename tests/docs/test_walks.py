"""Pages to be followed from top to bottom: their files are written, their commands run, their output compared."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.docs.test_documents import ROOT, commands, name, run

_STEP = re.compile(r'^```(\w+)(?: title="([^"]+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
#: Pages with blocks that have a title, which is the name of a file.
WALKS = [
    path
    for path in sorted((ROOT / "docs").rglob("*.md"))
    if re.search(r'^```\w+ title="', path.read_text(), re.MULTILINE)
]


class Step(NamedTuple):
    language: str
    title: str
    body: str
    line: int


def steps(path: Path) -> list[Step]:
    text = path.read_text(encoding="utf-8")
    return [
        Step(match[1], match[2] or "", match[3], text.count("\n", 0, match.start()) + 1)
        for match in _STEP.finditer(text)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("path", WALKS, ids=name)
def test_a_page_works_as_it_reads(path: Path, tmp_path: Path) -> None:
    walk = steps(path)
    done = 0
    for step, after in zip(walk, [*walk[1:], Step("", "", "", 0)], strict=True):
        if step.title:
            file = tmp_path / step.title
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step.body, encoding="utf-8")
        elif step.language == "console":
            for command, shown in commands(step.body):
                program, *arguments = shlex.split(command)
                assert program == "momlint"
                ran = run(arguments, tmp_path)
                assert ran.returncode in {0, 1, 3}, ran.stderr
                assert shown.rstrip() == ran.stdout.rstrip(), f"{name(path)}:{step.line}: {command}"
                done += 1
        elif step.language == "python":
            program = subprocess.run(
                [sys.executable, "-"],
                input=step.body,
                cwd=tmp_path,
                env={"PYTHONPATH": str(ROOT)},
                capture_output=True,
                text=True,
                check=False,
                timeout=120,
            )
            assert program.returncode == 0, program.stderr
            if after.language == "text":
                assert after.body.rstrip() == program.stdout.rstrip(), f"{name(path)}:{step.line}"
            done += 1
    assert done, "a page with files runs something on them"


def families() -> set[str]:
    """The folders of rules/, which are the families."""
    return {path.name for path in (ROOT / "rules").iterdir() if path.is_dir()}


def test_every_family_is_shown_before_and_after() -> None:
    """In docs/findings.md: a check that finds something, a file that changes, and the same check that does not."""
    page = ROOT / "docs" / "findings.md"
    where = {code: path.parent.name for path in (ROOT / "rules").glob("*/*.yaml") for code in [path.name[:6]]}
    shown: set[str] = set()
    sections = page.read_text(encoding="utf-8").split("\n## ")[1:]
    for section in sections:
        outputs = [
            shown for _, shown in commands("".join(re.findall(r"^```console\n(.*?)^```$", section, re.M | re.S)))
        ]
        found = [re.findall(r"^(?:error|warning|note)\[(MOM\d+)\]", output, re.MULTILINE) for output in outputs]
        assert found[0], section
        assert not found[-1], section
        assert "   = help: " in outputs[0] or "  = help: " in outputs[0]
        shown |= {where[code] for code in found[0]}
    assert shown == families()
