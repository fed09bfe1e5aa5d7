"""The Dockerfile, without an engine for containers: its steps are read and done in folders of their own.

What this cannot show is the base image. The interpreter is the one that runs the tests, and the paths of the image
(`/source`, `/wheels`, `/opt/momlint`) stand below a temporary folder.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PLACES = ("/source", "/wheels", "/opt/momlint", "/work")


class Step(NamedTuple):
    stage: int
    word: str
    rest: str


def steps() -> list[Step]:
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    found: list[Step] = []
    stage = -1
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        word, _, rest = line.partition(" ")
        stage += word == "FROM"
        found.append(Step(stage, word, rest.strip()))
    return found


def of(word: str, stage: int) -> list[str]:
    return [step.rest for step in steps() if step.word == word and step.stage == stage]


def test_the_base_is_a_python_that_momlint_takes() -> None:
    (argument,) = of("ARG", -1)
    version = tuple(map(int, argument.removeprefix("PYTHON=").split(".")))
    wanted = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert version >= tuple(map(int, wanted.removeprefix(">=").split(".")))
    assert of("FROM", 0) == ["python:${PYTHON}-slim AS build"]
    assert of("FROM", 1) == ["python:${PYTHON}-slim"]


def test_what_is_copied_is_there_and_is_sent() -> None:
    kept = [line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")]
    sources = [word for rest in of("COPY", 0) for word in rest.split()[:-1]]
    assert sorted(sources) == sorted(kept)
    assert all((ROOT / source).exists() for source in sources)


def test_it_runs_as_nobody_and_starts_momlint() -> None:
    assert of("USER", 1) == ["65534:65534"]
    assert json.loads(of("ENTRYPOINT", 1)[0]) == ["/opt/momlint/bin/momlint"]
    assert of("COPY", 1) == ["--from=build /opt/momlint /opt/momlint"]
    # Nothing is fetched or run in the image that is shipped.
    assert of("RUN", 1) == []


@pytest.mark.slow
def test_its_steps_give_a_momlint_that_works(tmp_path: Path) -> None:
    def here(text: str) -> str:
        return re.sub(
            "|".join(f"(?<![\\w.]){place}\\b" for place in PLACES), lambda match: f"{tmp_path}{match[0]}", text
        )

    source = tmp_path / "source"
    ignored = shutil.ignore_patterns("__pycache__", "compiled.json*")
    for rest in of("COPY", 0):
        *names, target = rest.split()
        for name in names:
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, source / target, ignore=ignored)
            else:
                (source / target).mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, source / target)
    (tmp_path / "opt").mkdir()
    ours = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    environment["PATH"] = f"{Path(sys.executable).parent}:{environment['PATH']}"
    for command in of("RUN", 0):
        done = subprocess.run(
            ["sh", "-c", here(command)], cwd=source, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    # Only what the second stage takes over is left.
    shutil.rmtree(source)
    shutil.rmtree(tmp_path / "wheels")
    work = tmp_path / "work"
    shutil.copytree(ROOT / "examples" / "six-brokers", work)
    program = json.loads(here(of("ENTRYPOINT", 1)[0]))
    for arguments, code, said in (
        (json.loads(of("CMD", 1)[0]), 0, "Usage: momlint"),
        (["check", "topology.yaml"], 0, "Proved: 6 pairs of 4 topics arrive"),
        (["check", "misrouted.yaml"], 1, "error[MOM303] black-hole"),
    ):
        done = subprocess.run(
            [*program, *arguments], cwd=work, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        assert said in done.stdout
