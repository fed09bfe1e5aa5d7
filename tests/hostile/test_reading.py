"""What may be read: regular files below the root. Secrets must not come out, and nothing must hang."""

from __future__ import annotations

import json
import os
import re
import socket
import time
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from momlint import patterns
from momlint.access import Access, Refused
from momlint.cli import main
from tests.budget import examples

HEAD = "momlint: 1\nbrokers: {1: , 2: }\nlinks: [{between: [1, 2]}]\n"
SECRET = "hunter2"


def check(*arguments: str, out: str = "report.json") -> tuple[int, list[dict[str, object]], str]:
    """The exit code, the findings, and the whole report."""
    code = main(["check", *arguments, "--format", "json", "--output", out])
    text = Path(out).read_text() if os.path.exists(out) else ""
    return code, json.loads(text)["findings"] if text else [], text


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``secret.yaml`` beside the folder of the estate, which is the working folder."""
    (tmp_path / "secret.yaml").write_text(f"password: {SECRET}\n")
    (tmp_path / "secret.csv").write_text(f"{SECRET},{SECRET}\n")
    here = tmp_path / "here"
    here.mkdir()
    (here / "link.yaml").symlink_to("../secret.yaml")
    (here / "link.csv").symlink_to("../secret.csv")
    (here / "folder").mkdir()
    os.mkfifo(here / "pipe.yaml")
    os.mkfifo(here / "pipe.csv")
    monkeypatch.chdir(here)
    return here


OUTSIDE = ["../secret.yaml", "link.yaml", "/etc/passwd", "/proc/self/environ", "../*.yaml", "folder/../../secret.yaml",
           "l*.yaml", "*/../../*.yaml", "/etc/*", "../nowhere.yaml",
           "file:///etc/passwd", "FILE://host/etc/passwd"]  # fmt: skip


@pytest.mark.parametrize("name", OUTSIDE)
def test_includes_stay_below_the_root(tree: Path, name: str) -> None:
    Path("x.mom.yaml").write_text(f'{HEAD}include: ["{name}"]\n')
    code, findings, text = check("x.mom.yaml")
    assert code == 1
    assert [finding["code"] for finding in findings] == ["MOM102"]
    assert "cannot be read" in str(findings[0]["message"])
    assert findings[0]["span"]["start"]["line"] == 4  # type: ignore[index]
    assert SECRET not in text
    assert "root:" not in text


@pytest.mark.parametrize("name", ["../secret.csv", "link.csv", "/etc/passwd.csv", "/proc/self/mem.csv", "../a.parquet"])
def test_tables_stay_below_the_root(tree: Path, name: str) -> None:
    Path("x.mom.yaml").write_text(f"{HEAD}failures:\n  colours: {{1: []}}\n  recovery: {{file: {name}}}\n")
    code, findings, text = check("x.mom.yaml")
    assert code == 1
    messages = [str(finding["message"]) for finding in findings if finding["code"] == "MOM102"]
    assert [message for message in messages if "cannot be read" in message] == messages
    assert len(messages) == 1
    assert SECRET not in text


@pytest.mark.parametrize(("name", "words"), [("pipe.yaml", "named pipe"), ("folder", "a folder")])
def test_includes_are_regular_files(tree: Path, name: str, words: str) -> None:
    Path("x.mom.yaml").write_text(f"{HEAD}include: [{name}]\n")
    started = time.monotonic()
    code, (finding,), _ = check("x.mom.yaml")
    assert (code, finding["code"]) == (1, "MOM102")
    assert words in str(finding["message"])
    assert time.monotonic() - started < 5


def test_tables_are_no_pipes(tree: Path) -> None:
    Path("x.mom.yaml").write_text(f"{HEAD}failures:\n  colours: {{1: []}}\n  recovery: {{file: pipe.csv}}\n")
    code, findings, _ = check("x.mom.yaml")
    assert code == 1
    assert any("named pipe" in str(finding["message"]) for finding in findings)


def test_the_root_widens(tree: Path) -> None:
    (tree.parent / "topics.yaml").write_text("topics: {weather: {publishers: [1], subscribers: [2]}}\n")
    Path("x.mom.yaml").write_text(f"{HEAD}include: [../topics.yaml]\n")
    assert check("x.mom.yaml")[0] == 1
    code, _, text = check("x.mom.yaml", "--root", "..")
    assert code == 0
    assert json.loads(text)["summary"]["topics"] == 1
    (tree.parent / "momlint.toml").write_text("")  # so does the folder of the configuration
    assert check("x.mom.yaml")[0] == 0


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_estates_are_regular_files_below_the_root(tree: Path, jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo("pipe.mom.yaml")
    Path("out.mom.yaml").symlink_to("../secret.yaml")
    Path("null.mom.yaml").symlink_to("/dev/zero")
    Path("good.mom.yaml").write_text(HEAD)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("s.mom.yaml")
        started = time.monotonic()
        code, _, text = check(".", "--jobs", jobs)
    assert code == 2
    said = capsys.readouterr().err
    assert SECRET not in said + text
    for name in ("pipe.mom.yaml", "out.mom.yaml", "null.mom.yaml", "s.mom.yaml"):
        assert f"momlint: error: {name}: it cannot be read: " in said
    assert json.loads(text)["summary"]["brokers"] == 2
    assert time.monotonic() - started < 20


@pytest.mark.parametrize("make", [os.mkfifo, lambda name: os.symlink("/dev/zero", name)], ids=["pipe", "device"])
@pytest.mark.parametrize("named", [True, False])
def test_configurations_are_regular_files(
    tree: Path, make: object, named: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    make("momlint.toml")  # type: ignore[operator]
    Path("good.mom.yaml").write_text(HEAD)
    assert check("good.mom.yaml", *(["--config", "momlint.toml"] if named else []))[0] == 2
    assert "the configuration cannot be read" in capsys.readouterr().err


def test_a_configuration_that_leads_away(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree.parent / "c.toml").write_text(f"{SECRET} = 1\n")
    Path("momlint.toml").symlink_to("../c.toml")
    Path("good.mom.yaml").write_text(HEAD)
    assert check("good.mom.yaml")[0] == 2
    assert SECRET not in capsys.readouterr().err


@pytest.mark.parametrize(
    "text",
    ["timeout = 1e300", "timeout = inf", "timeout = nan", "jobs = 100000", "jobs = -1", "jobs = " + "9" * 5000,
     "select = " + "[" * 5000, "exclude = [" + "[" * 200 + "]" * 201, "exclude = ['" + "a" * 2000 + "']",
     "exclude = [" + '"a",' * 2000 + "]", "a." * 3000 + "b = 1", "exclude = 1979-05-27", "\x00", "#" * 2_000_000],
    ids=range(14),
)  # fmt: skip
def test_what_no_configuration_may_say(tree: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("momlint.toml").write_text(text)
    Path("good.mom.yaml").write_text(HEAD)
    assert main(["check", "good.mom.yaml"]) == 2
    said = capsys.readouterr().err
    assert said.startswith("momlint: error: ")
    assert "internal fault" not in said
    assert len(said) < 1000


def test_large_files_are_refused(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("big.mom.yaml").write_text(HEAD + "# " + "x" * 1_000_000)
    Path("x.mom.yaml").write_text(f"{HEAD}include: [big.mom.yaml]\n")
    assert check("big.mom.yaml", "--max-file-mb", "2")[0] == 0
    assert check("big.mom.yaml", "--max-file-mb", "1")[0] == 2
    assert "big.mom.yaml: it cannot be read: it is larger than 1 MB" in capsys.readouterr().err
    code, findings, _ = check("x.mom.yaml", "--max-file-mb", "1")
    assert code == 1
    assert "is larger than 1 MB" in str(findings[0]["message"])


COMMANDS = [
    ["plan", "x.mom.yaml"],
    ["trace", "x.mom.yaml", "--from", "1", "--to", "2"],
    ["diff", "x.mom.yaml", "x.mom.yaml"],
    ["render", "x.mom.yaml", "--to", "smt2"],
    ["check", "x.mom.yaml"],
    ["baseline", "write", "x.mom.yaml"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_every_command_reads_below_the_root(command: list[str], tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tree.parent / "more.yaml").write_text("topics: {weather: {publishers: [1], subscribers: [2]}}\n" + "#" * 1_500_000)
    Path("x.mom.yaml").write_text(f"{HEAD}include: [../more.yaml]\nfailures: {{tolerate: {{links: 0}}}}\n")

    def said(*options: str) -> str:
        main([*command, *options])
        written = Path("momlint-baseline.json")
        baseline = written.read_text() if written.exists() else ""
        written.unlink(missing_ok=True)
        found = capsys.readouterr()
        assert "internal fault" not in found.err
        return found.out + found.err + baseline

    whole = said("--root", "..")
    for other in (said(), said("--root", "..", "--max-file-mb", "1")):
        assert other != whole
    assert said("--root", "..", "--max-file-mb", "2") == whole
    assert main([*command, "--root", "nowhere"]) == 2
    assert "--root: there is no folder nowhere" in capsys.readouterr().err
    for mb in ("0", "-1", "100001"):
        assert main([*command, "--max-file-mb", mb]) == 2
        assert "--max-file-mb must be from 1 to 100,000" in capsys.readouterr().err


@pytest.mark.parametrize("command", [*COMMANDS, ["fleet", "inventory", "x.mom.yaml", "--output", "out"]])
def test_every_command_refuses_large_files(command: list[str], tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("x.mom.yaml").write_text(HEAD + "#" * 1_500_000)
    if command[0] == "fleet":
        pytest.importorskip("pyspark")
    assert main([*command, "--max-file-mb", "1"]) == 2
    assert "x.mom.yaml: it cannot be read: it is larger than 1 MB" in capsys.readouterr().err


def test_force_exclude(tree: Path) -> None:
    Path("bad.mom.yaml").write_text("momlint: 1\nbrokers: 3\n")
    assert check("bad.mom.yaml", "--exclude", "bad*")[0] == 1
    assert check("bad.mom.yaml", "--exclude", "bad*", "--force-exclude")[0] == 0
    (tree / "momlint.toml").write_text('exclude = ["bad*"]\n')
    assert check("bad.mom.yaml", "--force-exclude")[0] == 0
    assert check("bad.mom.yaml")[0] == 1


def test_files_that_include_one_another(tree: Path) -> None:
    for number in range(100):
        (tree / "folder" / f"{number}.yaml").write_text('include: ["*.yaml"]\n')
    Path("x.mom.yaml").write_text(f"{HEAD}include: [folder/0.yaml]\n")
    started = time.monotonic()
    code, (finding,), _ = check("x.mom.yaml")
    assert (code, finding["code"], finding["file"]) == (1, "MOM102", "folder/0.yaml")
    assert time.monotonic() - started < 5


def test_a_name_that_would_be_a_command(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("::error::a.mom.yaml", "##[error]b.mom.yaml"):
        Path(name).write_text("momlint: 1\nbrokers: 3\n")
    for form in ("text", "concise", "github"):
        assert main(["check", ".", "::error::a.mom.yaml", "--format", form]) == 1
        said = capsys.readouterr().out.splitlines()
        assert not [line for line in said if line.startswith(("::error::a", "##"))]


# -- patterns ----------------------------------------------------------------------------------------------------------


def expression(pattern: str) -> re.Pattern[str]:
    """What a pattern means, as a regular expression: an oracle for short ones, since it may take for ever."""
    pieces = []
    for token in re.findall(r"\*\*/|\*\*|\*|\?|\[!?[^\]]+\]|.", pattern, re.DOTALL):
        meaning = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}.get(token)
        if meaning is None and len(token) > 1:
            meaning = f"[^/{token[2:-1]}]" if token[1] == "!" else token
        pieces.append(meaning or re.escape(token))
    return re.compile("".join(pieces), re.DOTALL)


@settings(max_examples=examples(2000), deadline=None)
@example(["./", "./", "a"], ["a"])
@given(
    st.lists(st.sampled_from(["a", "b", "/", "*", "**", "**/", "?", "[ab]", "[!a]", "."]), min_size=1, max_size=7),
    st.lists(st.sampled_from(["a", "b", "ab", "aab", ".a"]), min_size=1, max_size=4),
)
def test_patterns_mean_what_they_meant(pieces: list[str], names: list[str]) -> None:
    written = pattern = "".join(pieces)
    while pattern.startswith("./"):
        pattern = pattern[2:]
    pattern = pattern.rstrip("/")
    if not pattern or pattern.startswith("/"):
        return
    wanted = expression(pattern)
    if "/" in pattern:
        expected = any(wanted.fullmatch("/".join(names[:end])) for end in range(1, len(names) + 1))
    else:
        expected = any(wanted.fullmatch(name) for name in names)
    assert patterns.matches(written, "/".join(names), ".") == expected


def test_patterns_are_linear() -> None:
    started = time.monotonic()
    assert not patterns.matches("*a*a*a*a*a*a*a*a*b", "a" * 60 + ".mom.yaml", ".")
    assert not patterns.matches("*a" * 400 + "b", "a" * 4000, ".")
    assert not patterns.matches("**/*a" * 200 + "b", "/".join(["a" * 100] * 40), ".")
    assert patterns.matches("**/" * 300 + "b", "a/" * 500 + "b", ".")
    assert time.monotonic() - started < 5


def test_globs_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(8):
        (tmp_path / f"l{number}").symlink_to(".")
    (tmp_path / "a.yaml").write_text("")
    access = Access(str(tmp_path))
    assert access.find(f"{tmp_path}/**/*.yaml") == [f"{tmp_path}/a.yaml"]
    monkeypatch.setattr("momlint.access.MOST_LOOKED_AT", 100)
    with pytest.raises(Refused, match="more than 100 names"):
        access.find(f"{tmp_path}/*/*/*/*/*/*.yaml")
