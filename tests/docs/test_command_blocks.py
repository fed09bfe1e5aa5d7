"""Commands in the documents that show no output: blocks of a shell run, others are command lines that exist."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from momlint.cli.app import app
from tests.docs.test_documents import ROOT, WRITTEN, blocks, name

#: What runs on a machine of the reader's alone: containers, environments, packages.
_ELSEWHERE = re.compile(r"\b(docker|pip|pipx|venv|git|ssh)\b")
_FENCED = re.compile(r"^```(bash|sh|yaml)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_INDENTED = re.compile(r"(?:^    \S.*\n)+", re.MULTILINE)
_LINE = re.compile(r"(?:^|run: |- |&& |pipx run |\$\()\s*(?:\w+=\S+\s+)*(?:\S*/)?momlint ([a-z-].*)")
_INLINE = re.compile(r"`momlint ([^`\n]+)`")
_SHELL = re.compile(r"\s+(#|\||<|>|2>|&&|\\$).*")


def words(text: str) -> list[str]:
    return shlex.split(_SHELL.sub("", text.rstrip(")")), comments=True)


@cache
def program() -> Any:
    return typer.main.get_command(app)


def parsed(given: list[str]) -> None:
    """Raise what typer raises where there is no such command, or it has no such option."""
    command = program()
    while hasattr(command, "commands"):
        assert given, "which command?"
        if given[0].startswith("-"):
            assert given[0] in [option for one in command.params for option in one.opts], f"there is no {given[0]}"
            return
        assert given[0] in command.commands, f"there is no command {given[0]}"
        command, given = command.commands[given[0]], given[1:]
    with command.make_context(command.name, list(given)):
        pass


RUN = [block for block in blocks("bash") if not _ELSEWHERE.search(str(block.values[0]))]


@pytest.mark.parametrize("block", RUN)
def test_a_block_of_a_shell_runs(block: str, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "momlint"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m momlint "$@"\n')
    program.chmod(0o755)
    folder = tmp_path / "work"
    for place in ("estates", "overlays", "deploy"):
        shutil.copytree(ROOT / "examples" / "triangle", folder / place)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{program.parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def command_lines() -> list[Any]:
    found = []
    for path in WRITTEN:
        text = path.read_text(encoding="utf-8")
        parts = [(match.start(2), match[2]) for match in _FENCED.finditer(text)]
        bare = re.sub(r"^```.*?^```$", lambda match: re.sub(r"[^\n]", " ", match[0]), text, flags=re.M | re.S)
        parts += [(match.start(), match[0]) for match in _INDENTED.finditer(bare)]
        for start, part in parts:
            for line in part.replace("\\\n", "  ").splitlines():
                if match := _LINE.search(line):
                    where = f"{name(path)}:{text.count(chr(10), 0, start) + 1}"
                    found.append(pytest.param(match[1], id=f"{where} {match[1]}"))
    return found


@pytest.mark.parametrize("line", command_lines())
def test_a_command_line_is_one(line: str) -> None:
    parsed(words(line))


#: Decisions, changes and reviews tell what was, too.
_OF_TODAY = [path for path in WRITTEN if path.parent.name != "adr" and path.name not in {"CHANGELOG.md", "review.md"}]


@pytest.mark.parametrize("path", _OF_TODAY, ids=name)
def test_commands_in_sentences_exist(path: Path) -> None:
    """They leave out what is not their point, but have no option that there is not."""
    for match in _INLINE.finditer(path.read_text(encoding="utf-8")):
        given = [word for word in words(match[1].replace("…", "").replace("\\|", "/")) if word]
        try:
            parsed(given)
        except Exception as error:
            if type(error).__name__ == "NoSuchOption" or isinstance(error, AssertionError):
                raise AssertionError(f"{match[0]}: {error}") from error
