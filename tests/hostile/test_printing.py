"""What is printed: nothing that a stranger wrote as it was written, by no command."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from momlint.cli import main
from momlint.escaping import printable

ROOT = Path(__file__).parents[2]
GOOD = str(ROOT / "examples" / "triangle" / "topology.yaml")
EVIL = "a\n::error::x\x1b[31m\u2028\u202e"
#: As it stands in YAML and in TOML.
WRITTEN = r"a\n::error::x\u001b[31m\u2028\u202e"
ESTATE = f"""\
momlint: 1
name: "{WRITTEN}"
brokers: {{"{WRITTEN}": , "b": , "::error::c": }}
links: [{{between: ["{WRITTEN}", b]}}, {{between: [b, "::error::c"]}}, {{between: ["::error::c", "{WRITTEN}"]}}]
topics: {{"{WRITTEN}": {{publishers: [b], subscribers: ["{WRITTEN}", "{WRITTEN}2"]}}}}
failures:
  tolerate: single-link
specs: [{{name: "{WRITTEN}", ctl: "AF (loc = 9{WRITTEN})"}}]
"""


def is_clean(text: str) -> None:
    assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e]", text), text
    for line in text.splitlines():
        assert not line.startswith(("::error::x", "::error::c", "::error title=pwn", "::warning::inj")), text


VIEWS = ["slsd", "colours", "tables", "super", "lookup"]
COMMANDS = [
    *(["plan", "{}", "--show", view] for view in VIEWS),
    *(["plan", "{}", "--show", view, "--broker", EVIL] for view in VIEWS),
    ["plan", "{}"],
    ["plan", "{}", "--names"],
    ["plan", "{}", "--broker", EVIL],
    ["plan", "{}", "--show", EVIL],
    ["plan", "{}", "--estate", EVIL + "2"],
    ["plan", "{}", EVIL],
    ["trace", "{}", "--from", EVIL, "--to", "b"],
    ["trace", "{}", "--from", "::error::c", "--to", EVIL],
    ["trace", "{}", "--from", EVIL + "2", "--to", "b"],
    ["trace", "{}", "--from", "b", "--to", "b", "--colour", EVIL],
    ["diff", "{}", "{}"],
    ["diff", "{}", EVIL],
    ["diff", "{}", "{}", "--format", "markdown"],
    ["render", "{}", "--to", "smv"],
    ["render", "{}", "--to", "smt2"],
    ["render", "{}", "--to", EVIL],
    ["check", "{}", "--format", "text"],
    ["check", "{}", "--format", "concise"],
    ["check", "{}", "--explain-transients", "--report", "availability"],
    ["check", "{}", "--select", EVIL],
    ["check", "{}", "--engine", EVIL],
    ["check", EVIL],
    ["check", "{}", f"--{EVIL}"],
    ["check", "{}", "--config", EVIL],
    ["verify", "{}"],
    ["verify", EVIL],
    ["explain", EVIL],
    ["init", EVIL + "/x"],
    [EVIL],
    ["fleet", EVIL],
]


@pytest.mark.parametrize("arguments", COMMANDS, ids=range(len(COMMANDS)))
def test_every_command(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    name = "a\n::error title=pwn::x\x1b.mom.yaml"
    Path(name).write_text(ESTATE)
    code = main([name if word == "{}" else word for word in arguments])
    said = capsys.readouterr()
    assert code in (0, 1, 2)
    assert "internal fault" not in said.err
    assert said.out + said.err
    is_clean(said.out)
    is_clean(said.err)


@pytest.mark.parametrize(
    "text",
    [f'"{WRITTEN}" = 1', f'select = ["{WRITTEN}"]', f'engine = "{WRITTEN}"', f'timeout = "{WRITTEN}"',
     f'per-file-ignores = {{"{WRITTEN}" = 1}}', f'per-file-ignores = {{"{WRITTEN}" = ["{WRITTEN}"]}}', "\x1b"],
    ids=range(7),
)  # fmt: skip
def test_settings(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("momlint.toml").write_text(text)
    Path("x.mom.yaml").write_text("momlint: 1\n")
    assert main(["check", ".", "--format", "github"]) == 2
    said = capsys.readouterr()
    assert said.err.startswith("momlint: error: ")
    is_clean(said.err + said.out)


def test_names_of_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a\n::error title=pwn::injected\n.mom.yaml").symlink_to("/nonexistent")
    assert main(["check", ".", "--format", "github"]) == 2
    is_clean(capsys.readouterr().err)


def test_several_estates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("s.yaml").write_text(f'momlint: 1\nname: "{WRITTEN}"\nbrokers: {{1: }}\n---\nmomlint: 1\nbrokers: {{1: }}\n')
    assert main(["plan", "s.yaml"]) == 2
    is_clean(capsys.readouterr().err)


def test_printable() -> None:
    assert printable("a\n\x1b\u2028\u202e\udc80 é→") == "a\\n\\x1b\\u2028\\u202e\\udc80 é→"


# -- files -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("command", [["check"], ["plan"], ["render", "--to", "smt2"]])
def test_inputs_stay(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    estate = tmp_path / "t.yaml"
    estate.write_bytes(Path(GOOD).read_bytes())
    assert main([command[0], str(estate), *command[1:], "--output", str(tmp_path / "." / "t.yaml")]) == 2
    assert "read by this run" in capsys.readouterr().err
    assert estate.read_bytes() == Path(GOOD).read_bytes()


def test_included_files_and_the_configuration_stay(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "x.mom.yaml").write_text("momlint: 1\nbrokers: {1: }\ninclude: [t.yaml]\n")
    (tmp_path / "t.yaml").write_text("topics: {}\n")
    (tmp_path / "momlint.toml").write_text("jobs = 1\n")
    for name in ("t.yaml", "momlint.toml"):
        before = (tmp_path / name).read_text()
        assert main(["check", str(tmp_path / "x.mom.yaml"), "--output", str(tmp_path / name)]) == 2
        assert (tmp_path / name).read_text() == before
        assert "read by this run" in capsys.readouterr().err


def test_a_link_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("mine")
    (tmp_path / "r.json").symlink_to("elsewhere")
    assert main(["check", GOOD, "--format", "json", "--output", str(tmp_path / "r.json")]) == 0
    assert (tmp_path / "elsewhere").read_text() == "mine"
    assert json.loads((tmp_path / "r.json").read_text())["version"] == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["elsewhere", "r.json"]


@pytest.mark.parametrize("command", [["check", "--format", "json"], ["plan"], ["schema"]])
def test_a_full_disk_keeps_the_old_file(command: list[str], tmp_path: Path) -> None:
    """A limit on the size of files stands for the full disk."""
    for name in ("old.yaml", "new.yaml"):
        target = tmp_path / name
        if name == "old.yaml":
            target.write_text("OLD")
        where = [str(ROOT / "examples" / "fifty-brokers")] if command[0] == "check" else [GOOD][: command[0] == "plan"]
        arguments = [command[0], *where, *command[1:], "--output", str(target)]
        ran = subprocess.run(
            ["/bin/sh", "-c", 'ulimit -f 1; trap "" XFSZ; exec "$0" -m momlint "$@"', sys.executable, *arguments],
            env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        if command[0] == "plan" and ran.returncode == 0:
            continue  # it is smaller than a block
        assert ran.returncode == 2, ran.stderr
        assert "cannot be written" in ran.stderr
        assert target.read_text() == "OLD" if name == "old.yaml" else not target.exists()
    assert not [path for path in tmp_path.iterdir() if "part" in path.name]


def test_a_pipe_that_nobody_reads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "r.json")
    assert main(["check", GOOD, "--output", str(tmp_path / "r.json")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_device(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["check", GOOD, "--format", "json", "--output", "/dev/stdout"]) == 0
    assert json.loads(capfd.readouterr().out)["version"] == 1
