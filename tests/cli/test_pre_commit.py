"""The hook, with the real pre-commit tool, in a fresh repository."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.estates import BLACK_HOLE, GOOD

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("git") is None, reason="pre-commit needs git"),
]

ROOT = Path(__file__).parents[2]


def run(*command: str, cwd: Path, ok: bool = True) -> subprocess.CompletedProcess[str]:
    # Nothing of the repository that the test runs in, or of a hook that runs the test, may show.
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))}
    environment |= {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
    environment["PRE_COMMIT_HOME"] = str(cwd.parent / "cache")
    ran = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert not ok or ran.returncode == 0, ran.stdout + ran.stderr
    return ran


def commit(where: Path, name: str = "state") -> str:
    identity = (
        "-c",
        "user.name=momlint",
        "-c",
        "user.email=momlint@example.org",
        "-c",
        "commit.gpgsign=false",
    )
    run("git", "add", "--all", cwd=where)
    run("git", *identity, "commit", "--quiet", "--no-verify", "--message", name, cwd=where)
    return run("git", "rev-parse", "HEAD", cwd=where).stdout.strip()


def repository(where: Path) -> Path:
    where.mkdir()
    run("git", "init", "--quiet", "--initial-branch=main", cwd=where)
    return where


def checkout(where: Path) -> str:
    """A repository of what a commit of this checkout would hold; the commit."""
    names = run("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", cwd=ROOT).stdout
    repository(where)
    for name in filter(None, names.split("\0")):
        if (ROOT / name).is_file():  # a file may be deleted and still be in the index
            (where / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, where / name)
    return commit(where)


def test_the_hook(tmp_path: Path) -> None:
    revision = checkout(tmp_path / "momlint")
    project = repository(tmp_path / "project")
    (project / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {tmp_path / 'momlint'}\n    rev: {revision}\n    hooks:\n      - id: momlint\n"
    )
    (project / "good.mom.yaml").write_text(
        GOOD.partition("topics:")[0] + "include: [topics.yaml]\nrouting:\n  protocol: shortest-path\n"
    )
    (project / "topics.yaml").write_text("topics:\n  weather: {publishers: [1], subscribers: [2, 3]}\n")
    pre_commit = (sys.executable, "-m", "pre_commit", "run")

    # A good estate, whose topics stand in a file that is no estate by itself.
    run("git", "add", "--all", cwd=project)
    passed = run(*pre_commit, cwd=project)
    assert "Passed" in passed.stdout
    commit(project)

    # A file that is nothing to momlint does not set it off.
    (project / "notes.txt").write_text("a note\n")
    run("git", "add", "--all", cwd=project)
    assert "Skipped" in run(*pre_commit, cwd=project).stdout

    # The mistake is made in the included file alone, and found in the estate it belongs to.
    (project / "topics.yaml").write_text("topics:\n  weather: {publishers: [1], subscribers: [2, 33]}\n")
    run("git", "add", "--all", cwd=project)
    failed = run(*pre_commit, cwd=project, ok=False)
    assert failed.returncode == 1
    assert "error[MOM104]" in failed.stdout
    assert "topics.yaml:2:" in failed.stdout
    (project / "topics.yaml").write_text("topics:\n  weather: {publishers: [1], subscribers: [2, 3]}\n")

    # One failing file beside the passing one.
    (project / "six.yaml").write_text(BLACK_HOLE)
    run("git", "add", "--all", cwd=project)
    failed = run(*pre_commit, cwd=project, ok=False)
    assert failed.returncode == 1
    assert "error[MOM303]" in failed.stdout
    assert "six.yaml:21:" in failed.stdout
    assert "good.mom.yaml" not in failed.stdout
