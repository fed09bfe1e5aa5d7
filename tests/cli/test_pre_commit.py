"""The hooks, with the real pre-commit tool, in a fresh repository."""

from __future__ import annotations

import os
import re
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
    run("git", *identity, "commit", "--quiet", "--no-verify", "--allow-empty", "--message", name, cwd=where)
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


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A repository of this checkout, and its commit."""
    where = tmp_path_factory.mktemp("hooks") / "momlint"
    return where, checkout(where)


def configured(where: Path, hooks: tuple[Path, str], *names: str) -> Path:
    """A fresh repository that uses the hooks of these names."""
    project = repository(where)
    ids = "".join(f"      - id: {name}\n" for name in names)
    (project / ".pre-commit-config.yaml").write_text(
        f"repos:\n  - repo: {hooks[0]}\n    rev: {hooks[1]}\n    hooks:\n{ids}"
    )
    return project


def pre_commit(project: Path, *options: str, ok: bool = True) -> subprocess.CompletedProcess[str]:
    return run(sys.executable, "-m", "pre_commit", *(options or ("run",)), cwd=project, ok=ok)


def results(printed: str) -> list[tuple[str, str]]:
    """What pre-commit says of each hook: its name, and how it ended."""
    return re.findall(r"^(momlint[^.\n]*?)\.+(?:\([^)]*\))?(Passed|Failed|Skipped)$", printed, re.MULTILINE)


def test_try_repo(tmp_path: Path, hooks: tuple[Path, str]) -> None:
    """Both hooks from a fresh repository, by `pre-commit try-repo`, with blanks in names."""
    project = repository(tmp_path / "project")
    (project / "sites of london").mkdir()
    (project / "sites of london" / "the good one.mom.yaml").write_text(GOOD)
    (project / "docker-compose.yaml").write_text("services: {}\n")
    run("git", "add", "--all", cwd=project)
    tried = pre_commit(project, "try-repo", str(hooks[0]), "--ref", hooks[1], "--all-files")
    assert results(tried.stdout) == [("momlint", "Passed"), ("momlint (whole repository)", "Passed")]

    (project / "sites of london" / "six of them.yaml").write_text(BLACK_HOLE)
    run("git", "add", "--all", cwd=project)
    tried = pre_commit(project, "try-repo", str(hooks[0]), "--ref", hooks[1], "--all-files", ok=False)
    assert tried.returncode == 1
    assert results(tried.stdout) == [("momlint", "Failed"), ("momlint (whole repository)", "Failed")]
    assert tried.stdout.count("error[MOM303]") == 2
    assert tried.stdout.count("sites of london/six of them.yaml:21:") == 2
    assert "docker-compose" not in tried.stdout


def test_files_of_a_commit(tmp_path: Path, hooks: tuple[Path, str]) -> None:
    """`momlint` looks at what is staged, and at nothing else."""
    project = configured(tmp_path / "project", hooks, "momlint")
    (project / "good.mom.yaml").write_text(GOOD)
    (project / "notes.txt").write_text("a note\n")
    run("git", "add", "--all", cwd=project)
    assert results(pre_commit(project).stdout) == [("momlint", "Passed")]
    commit(project)

    # A file that is nothing to momlint does not set it off, and another tool's YAML is passed over.
    (project / "notes.txt").write_text("another note\n")
    run("git", "add", "--all", cwd=project)
    assert results(pre_commit(project).stdout) == [("momlint", "Skipped")]
    (project / "values.yaml").write_text("replicas: {{ .Values.replicas }}\n")
    run("git", "add", "--all", cwd=project)
    assert results(pre_commit(project).stdout) == [("momlint", "Passed")]
    commit(project)

    # A mistake in a file that git does not know, and one in a change that is not staged.
    (project / "new.mom.yaml").write_text(BLACK_HOLE)
    (project / "values.yaml").write_text("replicas: 3\n")
    run("git", "add", "values.yaml", cwd=project)
    assert results(pre_commit(project).stdout) == [("momlint", "Passed")]
    (project / "good.mom.yaml").write_text(GOOD + "# staged\n")
    run("git", "add", "good.mom.yaml", cwd=project)
    (project / "good.mom.yaml").write_text(BLACK_HOLE)
    ran = pre_commit(project)
    assert "Unstaged files detected" in ran.stdout + ran.stderr
    assert results(ran.stdout) == [("momlint", "Passed")]
    assert (project / "good.mom.yaml").read_text() == BLACK_HOLE

    # Staged it fails, though the working tree is mended.
    run("git", "add", "good.mom.yaml", cwd=project)
    (project / "good.mom.yaml").write_text(GOOD)
    ran = pre_commit(project, ok=False)
    assert (ran.returncode, results(ran.stdout)) == (1, [("momlint", "Failed")])
    assert "good.mom.yaml:21:" in ran.stdout
    assert "new.mom.yaml" not in ran.stdout

    # What the configuration excludes stays excluded, though pre-commit names it.
    (project / "momlint.toml").write_text('exclude = ["good.mom.yaml"]\n')
    assert results(pre_commit(project).stdout) == [("momlint", "Passed")]


def test_the_whole_repository(tmp_path: Path, hooks: tuple[Path, str]) -> None:
    """`momlint-all` finds what a change in a part of an estate, or in a broker's own file, does to the whole."""
    project = configured(tmp_path / "project", hooks, "momlint-all")
    (project / "good.mom.yaml").write_text(
        GOOD.partition("topics:")[0] + "include: [topics.yaml]\nrouting:\n  protocol: shortest-path\n"
    )
    (project / "topics.yaml").write_text("topics:\n  weather: {publishers: [1], subscribers: [2, 3]}\n")
    name = "momlint (whole repository)"

    # A good estate, whose topics stand in a file that is no estate by itself.
    run("git", "add", "--all", cwd=project)
    assert results(pre_commit(project).stdout) == [(name, "Passed")]
    commit(project)

    # A file that is nothing to momlint does not set it off.
    (project / "notes.txt").write_text("a note\n")
    run("git", "add", "--all", cwd=project)
    assert results(pre_commit(project).stdout) == [(name, "Skipped")]

    # The mistake is made in the included file alone, and found in the estate it belongs to.
    (project / "topics.yaml").write_text("topics:\n  weather: {publishers: [1], subscribers: [2, 33]}\n")
    run("git", "add", "--all", cwd=project)
    failed = pre_commit(project, ok=False)
    assert failed.returncode == 1
    assert "error[MOM104]" in failed.stdout
    assert "topics.yaml:2:" in failed.stdout
    (project / "topics.yaml").write_text("topics:\n  weather: {publishers: [1], subscribers: [2, 3]}\n")
    run("git", "add", "--all", cwd=project)

    # Two brokers that bridge to each other, both ways; only the second file is part of the commit.
    for one, other in (("north", "south"), ("south", "north")):
        commit(project)
        (project / one).mkdir()
        (project / one / "mosquitto.conf").write_text(
            f"listener 1883\nconnection to-{other}\naddress {other}:1883\ntopic # both 0\n"
        )
    run("git", "add", "--all", cwd=project)
    failed = pre_commit(project, ok=False)
    assert failed.returncode == 1
    assert "error[MOM801]" in failed.stdout
    assert "good.mom.yaml" not in failed.stdout
