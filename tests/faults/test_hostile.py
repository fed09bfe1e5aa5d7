"""What strangers once did with a few lines: each way, by the program itself, as they would."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FOLDER = Path(__file__).parent / "cases" / "hostile"
TRIANGLE = ROOT / "examples" / "triangle" / "topology.yaml"
HEAD = "momlint: 1\nbrokers: {1: , 2: }\nlinks: [{between: [1, 2]}]\n"


def momlint(
    *arguments: str, cwd: Path | None = None, before: str = "", after: str = "", seconds: float = 60
) -> subprocess.CompletedProcess[str]:
    """Run it from a shell; `before` and `after` stand around the command."""
    return subprocess.run(
        ["/bin/sh", "-c", f'{before} "$0" -m momlint "$@" {after}', sys.executable, *arguments],
        capture_output=True,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=seconds,
        check=False,
    )


def obeyed(text: str) -> list[str]:
    """The lines that a terminal or GitHub would obey, though a stranger wrote them."""
    return [
        line
        for line in text.split("\n")
        if re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f]", line) or re.match(r"::\w+( title=pwn)?::(x|n|injected)", line)
    ]


@pytest.mark.parametrize("options", [[], ["--jobs", "2"], ["--shard-seconds", "30"]], ids=" ".join)
def test_tables_in_latin_1(options: list[str], tmp_path: Path) -> None:
    for name in ("latin-1.mom.yaml", "latin-1.parquet"):
        shutil.copy(FOLDER / name, tmp_path)
    (tmp_path / "z.mom.yaml").write_text("momlint: 1\nbrokers: 3\n")
    pytest.importorskip("pyarrow")
    ran = momlint("check", ".", "--format", "json", *options, cwd=tmp_path)
    assert (ran.returncode, ran.stderr) == (1, "")
    found = [one for one in json.loads(ran.stdout)["findings"] if one["severity"] == "error"]
    assert [(one["code"], one["file"]) for one in found] == [("MOM102", "latin-1.mom.yaml"), ("MOM102", "z.mom.yaml")]
    start, end = (found[0]["span"][which] for which in ("start", "end"))
    line = (FOLDER / "latin-1.mom.yaml").read_text().splitlines()[start["line"] - 1]
    assert line[start["column"] - 1 : end["column"] - 1] == "latin-1.parquet"
    assert "not UTF-8" in found[0]["message"]


@pytest.mark.parametrize(
    ("arguments", "after", "code", "said"),
    [
        (["check", str(TRIANGLE)], "2>&- >/dev/null", 0, ""),
        (["check", "nothere.yaml"], "2>/dev/full >/dev/null", 2, ""),
        (["check", str(TRIANGLE)], ">/dev/full", 2, "the report cannot be written"),
        (["check", str(TRIANGLE)], ">&-", 2, "the report cannot be written"),
        (["check", "-"], "<&-", 2, "standard input is closed"),
        (["--version"], ">/dev/full", 2, "the version cannot be written"),
    ],
)
def test_streams_that_are_closed_or_full(arguments: list[str], after: str, code: int, said: str) -> None:
    ran = momlint(*arguments, after=after)
    assert ran.returncode == code
    assert "internal fault" not in ran.stderr
    assert "Traceback" not in ran.stderr
    if said and "2>" not in after:
        # A stream that is closed is opened on nothing for the programs that momlint starts; then what it says is lost.
        assert said in ran.stderr or after in (">&-", "<&-")


def test_a_version_that_nobody_reads() -> None:
    assert momlint("--version", after="| true").stderr == ""


def test_names_that_are_commands_on_standard_error(tmp_path: Path) -> None:
    link = tmp_path / "a\n::error title=pwn::injected\n.mom.yaml"
    link.symlink_to("/nonexistent")
    ran = momlint("check", ".", "--format", "github", cwd=tmp_path)
    assert (ran.returncode, obeyed(ran.stdout + ran.stderr)) == (2, [])
    link.unlink()

    (tmp_path / "x.mom.yaml").write_text("momlint: 1\n")
    (tmp_path / "momlint.toml").write_text('"a\\n::warning::injected\\u001b[31m" = 1\n')
    ran = momlint("check", ".", "--format", "github", cwd=tmp_path)
    assert (ran.returncode, obeyed(ran.stdout + ran.stderr)) == (2, [])
    assert "::warning::injected" in ran.stderr
    (tmp_path / "momlint.toml").unlink()

    (tmp_path / "s.yaml").write_text(
        'momlint: 1\nname: "a\\n::error::n\\e[31m"\nbrokers: {1: }\n---\nmomlint: 1\nname: b\nbrokers: {1: }\n'
    )
    ran = momlint("plan", "s.yaml", cwd=tmp_path)
    assert (ran.returncode, obeyed(ran.stdout + ran.stderr)) == (2, [])
    assert "::error::n" in ran.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        *(["plan", "{}", "--show", view] for view in ("super", "slsd", "colours", "tables", "lookup")),
        *(
            ["check", "{}", "--format", form]
            for form in ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown")
        ),
        ["plan", "{}"],
        ["trace", "{}", "--from", "b", "--to", "a\n::error::x\x1b[31m"],
        *(["render", "{}", "--to", form] for form in ("smv", "smt2", "dot", "graphml")),
    ],
    ids=lambda arguments: " ".join(arguments[:1] + arguments[2:])[:20].split("\n")[0],
)
def test_names_that_are_commands_on_standard_output(arguments: list[str]) -> None:
    file = str(FOLDER / "commands-in-names.mom.yaml")
    ran = momlint(*(file if word == "{}" else word for word in arguments))
    assert ran.returncode in (0, 1, 2)
    assert "internal fault" not in ran.stderr
    assert ran.stdout + ran.stderr
    assert obeyed(ran.stdout + ran.stderr) == []


def test_patterns_of_many_stars(tmp_path: Path) -> None:
    (tmp_path / ("a" * 60 + ".mom.yaml")).write_text(HEAD)
    pattern = "*a" * 8 + "*b"
    for text in (f'exclude = ["{pattern}"]', f'per-file-ignores = {{"{pattern}" = ["MOM5"]}}'):
        (tmp_path / "momlint.toml").write_text(text)
        assert momlint("check", ".", cwd=tmp_path, seconds=10).returncode == 0
    assert momlint("check", ".", "--exclude", pattern, cwd=tmp_path, seconds=10).returncode == 0


def test_merge_keys(tmp_path: Path) -> None:
    """26 kB that name 900 keys 1,100 times."""
    base = ", ".join(f"k{number}: 1" for number in range(900))
    uses = "".join(f"  t{number}: {{<<: *b}}\n" for number in range(1100))
    (tmp_path / "x.mom.yaml").write_text(f"{HEAD}x-b: &b {{{base}}}\ntopics:\n{uses}")
    ran = momlint("check", ".", "--format", "json", cwd=tmp_path, before="ulimit -v 1000000;", seconds=10)
    assert ran.returncode == 1
    assert len(json.loads(ran.stdout)["findings"]) == 1


def test_a_full_disk_keeps_the_old_report(tmp_path: Path) -> None:
    """A limit on the size of files stands for the disk; the report has more than that."""
    (tmp_path / "r.json").write_text("OLD")
    fifty = str(ROOT / "examples" / "fifty-brokers")
    arguments = ["check", fifty, "--format", "json", "--output", str(tmp_path / "r.json")]
    ran = momlint(*arguments, before='ulimit -f 1; trap "" XFSZ; PYTHONDONTWRITEBYTECODE=1')
    assert ran.returncode == 2
    assert "the report cannot be written" in ran.stderr
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [("r.json", "OLD")]


@pytest.mark.parametrize("command", ["check", "plan"])
def test_an_estate_does_not_make_way_for_its_report(command: str, tmp_path: Path) -> None:
    shutil.copy(TRIANGLE, tmp_path / "t.yaml")
    assert momlint(command, "t.yaml", "--output", "t.yaml", cwd=tmp_path).returncode == 2
    assert (tmp_path / "t.yaml").read_bytes() == TRIANGLE.read_bytes()


def test_files_that_include_each_other(tmp_path: Path) -> None:
    (tmp_path / "al").mkdir()
    for number in range(300):
        (tmp_path / "al" / f"{number}.yaml").write_text('include: ["*.yaml"]\n')
    (tmp_path / "x.mom.yaml").write_text(f"{HEAD}include: [al/0.yaml]\n")
    started = time.monotonic()
    ran = momlint("check", "x.mom.yaml", "--format", "concise", "--select", "MOM1", cwd=tmp_path)
    assert time.monotonic() - started < 10
    assert ran.returncode == 1
    (line,) = [line for line in ran.stdout.splitlines() if " MOM" in line]
    assert line.startswith("al/0.yaml:1:")
