"""What shells offer: the scripts that typer makes, in a real bash, and the words that momlint adds."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from momlint.cli import completing
from momlint.cli.app import app

ROOT = Path(__file__).parents[2]
CODES = sorted(path.name[:6] for path in (ROOT / "rules").glob("*/*.yaml"))


def momlint(*arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "momlint", *arguments],
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout


def offered(line: str, shell: str = "bash") -> list[str]:
    """What is offered at the end of `line`, a shell's words."""
    words = line.split(" ")
    asked = {"bash": {"COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}}.get(
        shell, {"_TYPER_COMPLETE_ARGS": line, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    )
    return momlint(**asked, _MOMLINT_COMPLETE=f"complete_{shell}").split("\n")[:-1]


def test_options_commands_and_codes() -> None:
    assert offered("momlint check --st") == ["--stdin-filename", "--statistics"]
    assert offered("momlint check --ignore MOM303,MOM60") == ["MOM303,MOM601", "MOM303,MOM602"]


def test_codes_and_names_of_rules() -> None:
    assert [code for code, _ in completing.codes("MOM80")] == [code for code in CODES if code.startswith("MOM80")]
    assert completing.codes("MOM3,MOM303") == [("MOM3,MOM303", "black-hole")]
    assert completing.codes("x") == []
    assert [code for code, _ in completing.rules("")] == CODES
    assert completing.rules("forward") == [("forwarding-loop", "MOM302")]
    assert completing.rules("MOM302") == [("MOM302", "forwarding-loop")]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_are_told_what_it_is(shell: str) -> None:
    said = "\n".join(offered("momlint check --select MOM30", shell))
    assert "MOM303" in said
    assert "black-hole" in said


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")
def test_in_a_real_bash(tmp_path: Path) -> None:
    program = tmp_path / "momlint"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m momlint "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(
        [
            "bash",
            "-c",
            'eval "$(momlint --show-completion bash)"; complete -p momlint; COMP_WORDS=(momlint check --fail-on w); '
            'COMP_CWORD=3; _momlint_completion momlint; echo "${COMPREPLY[@]}"',
        ],
        env={**os.environ, "PYTHONPATH": str(ROOT), "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert done.stdout.splitlines() == ["complete -o default -F _momlint_completion momlint", "warning"]


def parameters(command: Any, words: str = "momlint") -> Iterator[tuple[str, Any, Any]]:
    for name, inner in getattr(command, "commands", {}).items():
        yield from parameters(inner, f"{words} {name}")
    for parameter in command.params:
        yield words, command, parameter


def test_every_option_with_words_offers_them() -> None:
    found = 0
    for words, command, parameter in parameters(typer.main.get_command(app)):
        if "|" not in (parameter.metavar or "") or "N|auto" in parameter.metavar:
            continue
        with command.make_context(words, [], resilient_parsing=True) as context:
            offered = [item.value for item in parameter.shell_complete(context, "")]
        assert offered == parameter.metavar.split("|"), (words, parameter.name)
        found += 1
    assert found >= 12
