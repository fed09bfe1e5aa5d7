"""The GitHub Action: its steps, run as the runner runs them, from what ``action.yml`` says."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.estates import BLACK_HOLE, GOOD

ROOT = Path(__file__).parents[2]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
STEPS: list[dict[str, Any]] = ACTION["runs"]["steps"]

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="the steps are scripts for bash")


@dataclass
class Job:
    """A job on a runner: a workspace, and what the runner keeps for it."""

    folder: Path
    inputs: dict[str, str] = field(default_factory=dict)
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)
    ran: list[str] = field(default_factory=list)
    log: str = ""

    def __post_init__(self) -> None:
        for name in ("workspace", "temp"):
            (self.folder / name).mkdir(exist_ok=True)
        self.inputs = {name: one.get("default", "") for name, one in ACTION["inputs"].items()} | self.inputs

    @property
    def workspace(self) -> Path:
        return self.folder / "workspace"

    @property
    def summary(self) -> str:
        return (self.folder / "summary").read_text() if (self.folder / "summary").exists() else ""

    def value(self, text: str) -> str:
        """`text` with its expressions replaced."""

        def of(match: re.Match[str]) -> str:
            words = match[1].split(".")
            if words[0] == "inputs":
                return self.inputs[words[1]]
            if words[0] == "steps":
                assert words[2] == "outputs"
                return self.outputs.get(words[1], {}).get(words[3], "")
            assert match[1] == "github.action_path"
            return str(ROOT)

        return re.sub(r"\$\{\{ *([^ }]+) *\}\}", of, text)

    def run(self, step: dict[str, Any]) -> int:
        """Run a step that is a script; its exit code."""
        assert step["shell"] == "bash"
        output = self.folder / "output"
        output.write_text("")
        script = self.folder / "script.sh"
        script.write_text(step["run"])
        environment = {
            name: value
            for name, value in os.environ.items()
            if not name.startswith(("GITHUB_", "RUNNER_", "CI_")) and name not in ("NO_COLOR", "FORCE_COLOR")
        } | {
            "GITHUB_WORKSPACE": str(self.workspace),
            "GITHUB_OUTPUT": str(output),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            "RUNNER_TEMP": str(self.folder / "temp"),
            "RUNNER_OS": "Linux",
            "RUNNER_ARCH": "X64",
        }
        environment |= {name: self.value(value) for name, value in step.get("env", {}).items()}
        ran = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.workspace, env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        self.log += ran.stdout + ran.stderr
        lines = output.read_text().splitlines()
        self.outputs[step.get("id", "")] = dict(line.split("=", 1) for line in lines)
        self.ran.append(step["name"])
        return ran.returncode

    def check(self) -> int:
        """The step that checks, with the momlint of this environment; its exit code."""
        self.outputs["install"] = {"bin": os.path.dirname(sys.executable)}
        return self.run(next(step for step in STEPS if step.get("id") == "check"))

    def annotations(self) -> list[tuple[str, str]]:
        """Kind and file of each."""
        return re.findall(r"^::(error|warning|notice) (?:file=([^,:]*),)?.*$", self.log, re.MULTILINE)


def test_the_file_is_what_github_takes() -> None:
    assert ACTION["runs"]["using"] == "composite"
    for name, one in (*ACTION["inputs"].items(), *ACTION["outputs"].items()):
        assert one["description"].strip(), name
    text = (ROOT / "action.yml").read_text()
    documented = (ROOT / "docs" / "ci-integration.md").read_text()
    for name in ACTION["inputs"]:
        assert f"inputs.{name} " in text, name
        assert f"| `{name}` |" in documented, name
    for step in STEPS:
        # What the steps of others are is settled by a hash, and said in words.
        if "uses" in step:
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", step["uses"]), step
            assert re.search(rf"{re.escape(step['uses'])} # v\d+\.\d+\.\d+$", text, re.MULTILINE)
        else:
            assert "${{" not in step["run"], "an input in a script is code"


def test_no_third_party_step_of_the_documents_is_unpinned() -> None:
    documented = (ROOT / "docs" / "ci-integration.md").read_text()
    used = re.findall(r"uses: (\S+)(.*)", documented)
    assert used
    for name, comment in used:
        if not name.startswith("momlint/"):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name), name
            assert re.fullmatch(r" # v\d+\.\d+\.\d+", comment), name


def test_a_good_workspace(tmp_path: Path) -> None:
    job = Job(tmp_path)
    (job.workspace / "good.mom.yaml").write_text(GOOD)
    assert job.check() == 0, job.log
    assert job.outputs["check"] == {"exit-code": "0"}
    assert job.summary.startswith("### momlint: ")
    assert "Proved: " in job.summary
    assert job.annotations() == []
    assert sorted(path.name for path in job.workspace.iterdir()) == ["good.mom.yaml"]


def test_a_run_in_a_folder_annotates_the_right_files(tmp_path: Path) -> None:
    job = Job(
        tmp_path,
        {"working-directory": "sites/north east", "sarif-file": "reports/momlint.sarif", "args": "--select MOM303"},
    )
    folder = job.workspace / "sites" / "north east"
    folder.mkdir(parents=True)
    (folder / "six.yaml").write_text(BLACK_HOLE)
    job.inputs["paths"] = "six.yaml"
    assert job.check() == 1
    assert job.annotations() == [("error", "sites/north east/six.yaml")]
    assert job.outputs["check"] == {"exit-code": "1", "sarif-file": "reports/momlint.sarif"}
    log = json.loads((job.workspace / "reports" / "momlint.sarif").read_text())
    (result,) = log["runs"][0]["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri == "sites/north%20east/six.yaml"
    assert result["relatedLocations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri
    assert "sites/north east/six&#46;yaml:" in job.summary
    assert "MOM303" in job.summary


def test_paths_with_blanks_and_paths_that_look_like_something_else(tmp_path: Path) -> None:
    job = Job(tmp_path, {"args": "--select MOM303"})
    names = [
        "the good one.mom.yaml",
        "-q.mom.yaml",
        "$(touch evil).yaml",
        "'quoted' \"twice\".yaml",
        "back\\slash.yaml",
    ]
    for name in names:
        (job.workspace / name).write_text(BLACK_HOLE)
    (job.workspace / "not named.mom.yaml").write_text(BLACK_HOLE)
    job.inputs["paths"] = "\n".join([*names[:2], "", *(f"{name}\r" for name in names[2:])]) + "\n"
    job.check()
    assert sorted(file for _, file in job.annotations()) == sorted(names)
    assert not (job.workspace / "evil").exists()


def test_options_are_read_as_a_shell_reads_them_and_not_run(tmp_path: Path) -> None:
    job = Job(tmp_path, {"args": "--config 'my settings.toml' --select MOM3"})
    (job.workspace / "six.yaml").write_text(BLACK_HOLE)
    (job.workspace / "my settings.toml").write_text("fail-on = 'never'\n")
    job.inputs["paths"] = "six.yaml"
    assert job.check() == 0, job.log
    assert job.annotations() == [("error", "six.yaml")]
    job.inputs["args"] = "--select $(touch evil)"
    assert job.check() == 2
    assert not (job.workspace / "evil").exists()
    job.inputs["args"] = "--select 'MOM3"
    assert job.check() != 0


def test_a_wrong_path_is_told(tmp_path: Path) -> None:
    job = Job(tmp_path, {"paths": "gone.yaml", "upload-sarif": "true", "summary": "false"})
    assert job.check() == 2
    assert "::error title=momlint::gone.yaml: no such file or folder" in job.log
    assert job.outputs["check"] == {"exit-code": "2", "sarif-file": "momlint.sarif"}
    assert job.summary == ""


def test_sixty_errors(tmp_path: Path) -> None:
    """GitHub shows ten a kind and step: the rest is counted, in a line that it shows."""
    job = Job(tmp_path, {"sarif-file": "all.sarif"})
    for number in range(60):
        (job.workspace / f"{number:02}.mom.yaml").write_text(BLACK_HOLE)
    assert job.check() == 1
    kinds = [kind for kind, _ in job.annotations()]
    assert kinds.count("error") == 60
    assert kinds[:61] == ["error"] * 60 + ["notice"]
    assert "Left out: 50 errors" in job.log
    assert job.summary.count("| error | MOM303 ") == 60
    results = json.loads((job.workspace / "all.sarif").read_text())["runs"][0]["results"]
    assert [result["level"] for result in results[:61]] == ["error"] * 60 + ["note"]


@pytest.mark.slow
def test_all_steps(tmp_path: Path) -> None:
    """From nothing to a report, and once more with the environment that the first run left."""
    job = Job(tmp_path)
    (job.workspace / "six.yaml").write_text(BLACK_HOLE)
    before = subprocess.run([sys.executable, "-m", "pip", "freeze"], capture_output=True, text=True, check=False).stdout
    made = []
    for _ in range(2):
        job.log, job.inputs["paths"], job.inputs["args"] = "", "six.yaml", "--select MOM303"
        for step in STEPS:
            if "uses" in step:
                continue
            expected = 1 if step.get("id") == "check" else 0
            assert job.run(step) == expected, job.log
        assert job.annotations() == [("error", "six.yaml")]
        environments = [path for path in (tmp_path / "temp").iterdir() if path.is_dir()]
        assert len(environments) == 1
        made.append((environments[0] / "pyvenv.cfg").stat().st_mtime_ns)
    assert made[0] == made[1]
    assert job.outputs["python"]["venv"] == str(environments[0])
    after = subprocess.run([sys.executable, "-m", "pip", "freeze"], capture_output=True, text=True, check=False).stdout
    assert before == after


def test_a_runner_without_a_python(tmp_path: Path) -> None:
    job = Job(tmp_path, {"python": "/nowhere/python"})
    assert job.run(STEPS[0]) == 2
    assert "::error title=momlint::there is no Python 3.11 or later" in job.log
