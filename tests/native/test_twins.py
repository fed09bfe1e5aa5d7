"""Faults and their fine twins, which differ in one thing. Verdicts and lines are from manuals, not from momlint.

Each test is a pair, or several twins of one fault. Notes are left out, unless they are what a pair is about.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from momlint.findings import Severity
from momlint.lint import Options, lint_files
from tests.native.told import verdict

#: What is told: the rule, the file, the line.
Verdict = list[tuple[str, str, int]]
Files = dict[str, str]


def manifest(files: Files, more: str, folder: Path) -> list[tuple[str, str, str, int]]:
    """What is told of files that a manifest names, notes too: severity, rule, file and line."""
    for name, text in files.items():
        (folder / name).write_text(text, newline="")
    brokers = ", ".join(f"{name.partition('.')[0]}: {{config: {name}}}" for name in files)
    (folder / "m.yaml").write_text(f"momlint: 1\nbrokers: {{{brokers}}}\n{more}")
    report = lint_files([str(folder / "m.yaml")], Options(ignore=("MOM501",)))
    assert report.failures == []
    return sorted((one.severity.value, one.code, Path(one.file).name, one.span.start.line) for one in report.findings)


def grave(told: list[tuple[str, str, str, int]]) -> Verdict:
    """Without severities, and without notes."""
    return [one[1:] for one in told if one[0] != Severity.NOTE.value]


# -- Mosquitto -------------------------------------------------------------------------------------------------------


def mosquitto(*bridges: tuple[str, ...]) -> str:
    """A file: bridges as (host, lines…); the lines of the first begin on line 4."""
    named = [f"connection to-{number}-{host}\naddress {host}.example\n" for number, (host, *_) in enumerate(bridges)]
    return "listener 1883\n" + "".join(
        head + "".join(f"{line}\n" for line in lines) for head, (_, *lines) in zip(named, bridges, strict=True)
    )


PARENT = {"edge.conf": mosquitto(("hub", "topic # both 0 old/ new/")), "hub.conf": mosquitto()}


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        # `old` is `new/old` at the hub: BROKERS, "parent-level topics escape". Manuals write such lines.
        ("", [("note", "MOM812", "edge.conf", 4)]),
        ("publications: [{at: edge, filter: old/#}]\n", [("note", "MOM812", "edge.conf", 4)]),
        ("publications: [{at: edge, filter: old}]\n", [("warning", "MOM812", "edge.conf", 4)]),
        ("publications: [{at: hub, filter: new}]\n", [("warning", "MOM812", "edge.conf", 4)]),
        # It is published where it does not come by the line, or it is not.
        ("publications: [{at: hub, filter: old}, {at: edge, filter: old/a}]\n", []),
        ("publications: [{at: edge, filter: old/a/#}]\n", []),
    ],
)
def test_the_topic_that_a_prefix_is_named_after_escapes(
    more: str, expected: list[tuple[str, str, str, int]], tmp_path: Path
) -> None:
    assert manifest(PARENT, more, tmp_path) == expected


def test_a_pattern_that_leaves_the_parent_out(tmp_path: Path) -> None:
    files = {**PARENT, "edge.conf": mosquitto(("hub", "topic +/# both 0 old/ new/"))}
    assert manifest(files, "", tmp_path) == []


def test_push_and_pull(tmp_path: Path) -> None:
    """The same flow pushed and pulled is there twice; pushed both ways in one connection, once."""
    pull = {"a.conf": mosquitto(("hub", "topic t/# out")), "hub.conf": mosquitto(("a", "topic t/# in"))}
    assert verdict(pull, tmp_path) == [("MOM804", "hub.conf", 4)]
    assert verdict({**pull, "hub.conf": mosquitto(("a", "topic u/# in"))}, tmp_path) == []
    assert verdict({**pull, "a.conf": mosquitto(("hub", "topic # both"))}, tmp_path) == [("MOM801", "hub.conf", 4)]


def test_wildcards_leave_out_what_begins_with_a_dollar(tmp_path: Path) -> None:
    """MQTT 3.1.1, 4.7.2: so what comes of `$SYS` does not go back by `#`. By its own name it does."""
    back = {"a.conf": mosquitto(("b", "topic # out")), "b.conf": mosquitto(("a", "topic $SYS/# out"))}
    assert verdict(back, tmp_path) == []
    assert verdict({**back, "a.conf": mosquitto(("b", "topic $SYS/# out"))}, tmp_path) == [("MOM801", "b.conf", 4)]
    assert verdict({**back, "b.conf": mosquitto(("a", "topic SYS/# out"))}, tmp_path) == [("MOM801", "b.conf", 4)]
    # Read by characters, as prefixes without a slash are.
    glued = {"a.conf": mosquitto(("b", 'topic t/# out 0 "" p', "topic + out"))}
    for name, expected in (("$SYS", []), ("SYS", [("MOM801", "b.conf", 4)])):
        files = {**glued, "b.conf": mosquitto(("a", f"topic {name} out"))}
        assert verdict(files, tmp_path) == [*expected, ("MOM812", "a.conf", 4)]
