"""Bad input through the whole program: a finding at the exact place, a code, and never a traceback.

Places are counted by hand. The same by `momlint.source` and `momlint.estate` alone, and much more, is in their tests.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run

HEAD = "momlint: 1\nbrokers: {one: , two: }\n"

#: Name → the file, and all that is found: code, place, and words of the message.
CASES: dict[str, tuple[bytes, list[tuple[str, str, str]]]] = {
    "an empty file": (b"", [("MOM102", "1:1-1:1", "the file is empty")]),
    "only a comment": (b"# nothing\n", [("MOM102", "1:1-1:1", "the file is empty")]),
    "an empty document": (b"---\n...\n", [("MOM102", "1:1-1:1", "the file is empty")]),
    "a list": (b"- 1\n", [("MOM102", "1:1-1:4", "this is a list")]),
    "no closing bracket": (b"momlint: 1\nlinks: [1, 2\n", [("MOM101", "2:8-2:9", "never closed")]),
    "a tab as indentation": (b"momlint: 1\nbrokers:\n\tone:\n", [("MOM101", "3:1-3:2", "tab")]),
    "invalid UTF-8": (b"momlint: 1\nname: caf\xe9\nbrokers: {one: }\n", [("MOM101", "2:10-2:11", "not valid UTF-8")]),
    "a zero byte": (b"momlint: 1\nname: a\x00b\nbrokers: {one: }\n", [("MOM101", "2:8-2:9", "NUL")]),
    "a duplicate key": (
        b"momlint: 1\nbrokers: {one: , two: , one: }\n",
        [("MOM103", "2:25-2:28", "`one`")],
    ),
    "three of one key": (
        b"momlint: 1\nname: a\nname: b\nbrokers: {one: }\nname: c\n",
        [("MOM103", "3:1-3:5", "`name`"), ("MOM103", "5:1-5:5", "`name`")],
    ),
    "an undefined alias": (b"momlint: 1\nbrokers: {one: }\nlinks: *gone\n", [("MOM101", "3:8-3:13", "gone")]),
    "a recursive alias": (b"momlint: 1\nbrokers: &b\n  one: *b\n", [("MOM101", "3:8-3:10", "never end")]),
    "a template": (
        b"momlint: 1\nname: {{ site }}\nbrokers: {one: }\n",
        [("MOM107", "2:7-2:17", "`{{ site }}`")],
    ),
    "no version": (b"brokers: {one: }\n", [("MOM102", "1:1-1:8", "`momlint`")]),
    "a future version": (b"momlint: 2\nbrokers: {one: }\n", [("MOM102", "1:10-1:11", "version 2")]),
    "a version that is not a number": (b"momlint: one\nbrokers: {one: }\n", [("MOM102", "1:10-1:13", "one")]),
    "a string for a list of links": (HEAD.encode() + b"links: one\n", [("MOM102", "3:8-3:11", "list")]),
    "a string for a list of brokers": (
        HEAD.encode() + b"topics:\n  a: {publishers: one, subscribers: [two]}\n",
        [("MOM102", "4:19-4:22", "list")],
    ),
    "a list for a mapping": (b"momlint: 1\nbrokers: [one, two]\n", [("MOM102", "2:10-2:20", "mapping")]),
    "an unknown field": (
        HEAD.encode() + b"topics:\n  a: {publisher: [one], subscribers: [two]}\n",
        [("MOM102", "4:7-4:16", "did you mean `publishers`?")],
    ),
}

#: A line at the end of `HEAD`, with the reference to a broker that does not exist, and where that stands.
REFERENCES: dict[str, tuple[str, str]] = {
    "an end of a link": ("links: [{between: [one, tow]}]", "3:25-3:28"),
    "from": ("links: [{from: tow, to: one}]", "3:16-3:19"),
    "to": ("links: [{from: one, to: tow}]", "3:25-3:28"),
    "a group": ("groups: {g: [tow]}", "3:14-3:17"),
    "a publisher": ("topics: {a: {publishers: [tow]}}", "3:27-3:30"),
    "a subscriber": ("topics: {a: {subscribers: [tow]}}", "3:28-3:31"),
    "a table": ("routing: {tables: {tow: {one: [two]}}}", "3:20-3:23"),
    "a next hop": ("routing: {tables: {one: {tow: [two]}}}", "3:26-3:29"),
    "a destination": ("routing: {tables: {one: {two: [tow]}}}", "3:32-3:35"),
    "a colour": ("failures: {colours: {1: [tow]}}", "3:26-3:29"),
    "a recovery table": ("failures: {colours: {1: []}, recovery: {tow: []}}", "3:41-3:44"),
    "a recovery destination": (
        "failures: {colours: {1: []}, recovery: {one: [{to: tow, via: two, colours: [1]}]}}",
        "3:52-3:55",
    ),
    "a recovery next hop": (
        "failures: {colours: {1: []}, recovery: {one: [{to: two, via: tow, colours: [1]}]}}",
        "3:62-3:65",
    ),
    "a failed broker": ("failures: {takeover: {tow: one}}", "3:23-3:26"),
    "an adopter": ("failures: {takeover: {one: tow}}", "3:28-3:31"),
}


def found(out: str) -> list[tuple[str, str, str]]:
    """Code, place and message of each finding of a JSON report."""

    def place(span: dict[str, dict[str, int]]) -> str:
        return "-".join(f"{span[end]['line']}:{span[end]['column']}" for end in ("start", "end"))

    return [(one["code"], place(one["span"]), one["message"]) for one in json.loads(out)["findings"]]


@pytest.mark.parametrize("name", CASES)
def test_what_is_wrong_is_found_where_it_stands(run: Run, folder: Path, name: str) -> None:
    data, expected = CASES[name]
    (folder / "x.yaml").write_bytes(data)
    ran = run("check", "x.yaml", "--format", "json", "--engine", "graph", "--select", "MOM1")
    assert (ran.code, ran.err) == (1, "")
    assert [one[:2] for one in found(ran.out)] == [one[:2] for one in expected]
    for (_, _, message), (_, _, words) in zip(found(ran.out), expected, strict=True):
        assert words in message
    # The report for people shows the same place, and standard input is no different from a file.
    shown = run("check", "-", "--engine", "graph", "--select", "MOM1", stdin=data)
    assert shown.code == 1
    for code, place, _ in expected:
        assert f"error[{code}]" in shown.out
        assert f"--> <stdin>:{place.partition('-')[0]}\n" in shown.out


@pytest.mark.parametrize("name", REFERENCES)
def test_a_broker_that_does_not_exist(run: Run, folder: Path, name: str) -> None:
    line, place = REFERENCES[name]
    (folder / "x.yaml").write_text(f"{HEAD}{line}\n")
    ran = run("check", "x.yaml", "--format", "json", "--engine", "graph", "--select", "MOM1")
    assert (ran.code, ran.err) == (1, "")
    assert found(ran.out) == [("MOM104", place, "broker `tow` is not declared; did you mean `two`?")]


def test_an_alias_bomb(run: Run, folder: Path) -> None:
    bomb = "momlint: 1\nbrokers: {one: }\na0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
    bomb += "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 10)}]\n" for i in range(1, 10))
    (folder / "bomb.mom.yaml").write_text(bomb)
    ran = run("check", "bomb.mom.yaml", "good.mom.yaml", "-f", "concise", "--engine", "graph")
    assert ran.code == 1
    # One finding, at an alias, and what stands beside it is checked all the same.
    (line,) = ran.out.splitlines()
    assert line.startswith("bomb.mom.yaml:")
    assert " MOM101 " in line
    assert "alias" in line


def test_deep_nesting(run: Run, folder: Path) -> None:
    (folder / "deep.yaml").write_text("momlint: 1\nbrokers: " + "[" * 100_000 + "\n")
    ran = run("check", "deep.yaml", "-f", "concise")
    assert ran.code == 1
    assert "deep.yaml:2:" in ran.out
    assert "MOM101" in ran.out


def test_a_broken_document_takes_nothing_from_its_neighbours(run: Run, folder: Path) -> None:
    text = "momlint: 1\nbrokers: [\n---\nmomlint: 1\nbrokers: {one: , two: }\nlinks: [{between: [one, tow]}]\n"
    (folder / "two.yaml").write_text(text)
    ran = run("check", "two.yaml", "-f", "json", "--select", "MOM1")
    assert ran.code == 1
    assert [one[:2] for one in found(ran.out)] == [("MOM101", "2:10-2:11"), ("MOM104", "6:25-6:28")]


def test_what_cannot_be_read(run: Run, folder: Path) -> None:
    (folder / "dangling.mom.yaml").symlink_to("gone.yaml")
    (folder / "empty").mkdir()
    for path, said in (
        ("dangling.mom.yaml", "dangling.mom.yaml: No such file or directory"),
        ("gone.yaml", "gone.yaml: no such file or folder"),
        ("empty", "empty: no estates found in this folder: momlint looks for"),
    ):
        ran = run("check", path)
        assert (ran.code, ran.out) == (2, "No files were checked.\nNothing was proved: there is no overlay to check.\n")
        assert ran.err.startswith(f"momlint: error: {said}")
        # It keeps nothing else from being checked.
        both = run("check", path, "good.mom.yaml")
        assert both.code == 2
        assert "Proved: 2 pairs" in both.out


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_without_permission(run: Run, folder: Path) -> None:
    (folder / "secret.mom.yaml").write_text(HEAD)
    (folder / "secret.mom.yaml").chmod(0)
    ran = run("check", "secret.mom.yaml")
    assert (ran.code, ran.err) == (2, "momlint: error: secret.mom.yaml: Permission denied\n")


def test_a_folder_that_is_called_like_an_estate(run: Run, folder: Path) -> None:
    (folder / "x.mom.yaml").mkdir()
    ran = run("check", "x.mom.yaml")
    assert ran.code == 2
    assert "x.mom.yaml: no estates found in this folder" in ran.err


def test_the_program_itself_ends_with_the_code_and_all_of_the_report(folder: Path) -> None:
    """It leaves without taking itself apart; nothing that was written may get lost."""
    # Long names: a hundred are reported one by one, and the report has to be longer than a pipe holds (64 KiB).
    (folder / "many.yaml").write_text(
        HEAD + "topics:\n" + "".join(f"  t{i}: {{publishers: [{'x' * 1000}{i}]}}\n" for i in range(3000))
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", "import sys; from momlint.cli import main; sys.exit(main())", "check"]

    def program(*arguments: str) -> tuple[int, str, str]:
        ran = subprocess.run([*command, *arguments], capture_output=True, text=True, env=environment, check=False)
        return ran.returncode, ran.stdout, ran.stderr

    code, out, err = program("many.yaml", "-f", "json")
    assert (code, err) == (1, "")
    assert len(out) > 1 << 16
    report = json.loads(out)
    assert report["summary"]["errors"] == 101
    assert "and 2899 more are not declared" in report["findings"][-1]["message"]
    assert program("gone.yaml")[::2] == (2, "momlint: error: gone.yaml: no such file or folder\n")
