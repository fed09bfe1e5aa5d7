"""What the documents say is so: commands print what is shown, estates are clean, links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Protocol

import pytest
from _pytest.mark.structures import ParameterSet

from momlint.cli import main

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "examples").rglob("*.md")])
WRITTEN = [path for path in DOCUMENTS if path.parent != ROOT / "docs" / "rules"]

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: What would change what is printed.
_OF_TERMINALS = ("COLUMNS", "FORCE_COLOR", "CLICOLOR_FORCE", "MOMLINT_DEBUG")
_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(language: str, having: str = "", apart_from: re.Pattern[str] | None = None) -> list[ParameterSet]:
    """The fenced blocks in `language` with the text `having`, as parameters named by document and line.

    Not those of documents in which something matches `apart_from`.
    """
    found = []
    for path in WRITTEN:
        text = path.read_text(encoding="utf-8")
        if apart_from is not None and apart_from.search(text):
            continue
        for match in _BLOCK.finditer(text):
            if match[1] == language and having in match[2]:
                line = text.count("\n", 0, match.start()) + 1
                found.append(pytest.param(match[2], id=f"{name(path)}:{line}"))
    return found


def commands(block: str) -> list[tuple[str, str]]:
    """(command, the output shown below it) for each `$ ` line of a block."""
    found: list[tuple[str, str]] = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append((line[2:].strip(), ""))
        elif found:
            found[-1] = (found[-1][0], found[-1][1] + line)
    return found


def run(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if key not in _OF_TERMINALS}
    environment["PYTHONPATH"] = str(ROOT)
    return subprocess.run(
        [sys.executable, "-m", "momlint", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=120,
    )


class Here(Protocol):
    def __call__(self, *arguments: str) -> tuple[int, str, str]:
        """Exit code, standard output and standard error of momlint."""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Here:
    """momlint in this process, which saves a start for each of many blocks, and in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    for variable in _OF_TERMINALS:
        monkeypatch.delenv(variable, raising=False)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        return code, *capsys.readouterr()

    return call


@pytest.mark.parametrize("block", blocks("console", apart_from=re.compile(r'^```\w+ title="', re.MULTILINE)))
def test_a_command_prints_what_is_shown(block: str, tmp_path: Path, here: Here) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    wanted = commands(block)
    assert wanted, "a console block begins with `$ `"
    for command, shown in wanted:
        program, *arguments = shlex.split(command)
        assert program == "momlint"
        code, out, err = here(*arguments)
        assert code in {0, 1}, err
        assert shown.rstrip() == out.rstrip()


@pytest.mark.parametrize("block", blocks("yaml", having="momlint: 1"))
def test_an_estate_in_the_documents_is_clean(block: str, tmp_path: Path, here: Here) -> None:
    path = tmp_path / "topology.yaml"
    path.write_text(block, encoding="utf-8")
    code, out, _ = here("check", "--fail-on", "warning", str(path))
    assert code == 0, out


@pytest.mark.parametrize("path", DOCUMENTS, ids=name)
def test_links_lead_somewhere(path: Path) -> None:
    for target in _LINK.findall(path.read_text(encoding="utf-8")):
        if not re.match(r"[a-z]+:", target):
            assert (path.parent / target.partition("#")[0]).exists(), target


def test_rule_pages_are_what_the_rules_say() -> None:
    done = subprocess.run(
        [sys.executable, "scripts/write_rule_pages.py", "--check"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_every_dependency_has_its_sentence() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wanted = [
        *project["build-system"]["requires"],
        *project["project"]["dependencies"],
        *(one for extra in project["project"]["optional-dependencies"].values() for one in extra),
        *(one for group in project["dependency-groups"].values() for one in group),
    ]
    names = {re.split(r"[\[<>=!~;\s]", one)[0].lower() for one in wanted}
    table = (ROOT / "docs/adr/0003-dependencies.md").read_text(encoding="utf-8").lower()
    listed = {word.strip() for row in re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE) for word in row.split(",")}
    assert names - listed == set()
    assert listed - names - {"package", "---"} == set()


def test_the_gate_is_one_command() -> None:
    """README, CONTRIBUTING and CI name the same script."""
    assert "scripts/check --slow" in (ROOT / ".ci/run").read_text(encoding="utf-8")
    assert "scripts/build_site.py" in (ROOT / "scripts/check").read_text(encoding="utf-8")
    for document in ("README.md", "CONTRIBUTING.md"):
        assert "scripts/check" in (ROOT / document).read_text(encoding="utf-8")
    for script in (".ci/run", "scripts/setup", "scripts/check"):
        assert os.access(ROOT / script, os.X_OK), script


@pytest.mark.parametrize(
    "part",
    [
        "EstateFile",
        "BrokerEntry",
        "LinkEntry",
        "RoutingEntry",
        "GuardEntry",
        "PassEntry",
        "InterestEntry",
        "IgnoreEntry",
    ],
)
def test_the_language_has_a_word_on_every_key(part: str) -> None:
    """Each is named as code somewhere on the page, in text or in an example."""
    from momlint.estate import json_schema

    schema = json_schema()
    properties = (schema if part == "EstateFile" else schema["$defs"][part])["properties"]
    text = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
    prose = re.sub(r"``.*?``", "", _BLOCK.sub("", text), flags=re.DOTALL)
    named = {match[1] for match in re.finditer(r"^## ([a-z]+(?:, [a-z]+)*)$", text, re.MULTILINE)}
    named = {word for heading in named for word in heading.split(", ")}
    named |= {word for code in re.findall(r"(?<!`)`([^`]+)`", prose) for word in re.findall(r"[a-z_]+", code)}
    named |= {match[1] for block in _BLOCK.finditer(text) for match in re.finditer(r"([a-z_]+):", block[2])}
    assert set(properties) <= named
