"""Findings in brokers' own files that are silenced: by comments in their syntax, by settings, by a baseline."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from momlint.cli import main
from momlint.lint import Options, lint_files
from tests.native.test_rabbitmq import mesh

CASES = Path(__file__).parent / "cases"
#: Case → the file and line of its one finding, and its code.
TOLD = {
    "01-mosq-mutual-both-loop": ("south.conf", 7, "MOM801"),
    "17-vernemq-mutual-out-loop": ("west.vernemq.conf", 5, "MOM801"),
    "49-nats-stream-import-cycle": ("server.conf", 5, "MOM813"),
}
SIGNS = [(case, sign) for case in TOLD for sign in ("#", "//") if sign == "#" or "nats" in case]


def copied(case: str, folder: Path) -> list[str]:
    return sorted(str(shutil.copy(path, folder / path.name)) for path in (CASES / case).iterdir())


def told(files: list[str], options: Options | None = None) -> list[tuple[str, str, int]]:
    report = lint_files(files, options or Options())
    return [(one.code, Path(one.file).name, one.span.start.line) for one in report.findings]


def edit(folder: Path, case: str, above: str = "", behind: str = "") -> None:
    """Write a line above the one that the finding stands in, or something at its end."""
    name, line, _ = TOLD[case]
    lines = (folder / name).read_text().splitlines()
    lines[line - 1] += behind
    lines[line - 1 : line - 1] = [above] if above else []
    (folder / name).write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize("case", TOLD)
def test_what_is_told(case: str, tmp_path: Path) -> None:
    name, line, code = TOLD[case]
    assert told(copied(case, tmp_path)) == [(code, name, line)]


@pytest.mark.parametrize(("case", "sign"), SIGNS)
def test_a_comment_above_or_behind(case: str, sign: str, tmp_path: Path) -> None:
    code = TOLD[case][2]
    files = copied(case, tmp_path)
    edit(tmp_path, case, above=f"  {sign} momlint: ignore[{code}] agreed with the other side")
    assert told(files) == []
    if "vernemq" not in case:  # its values go to the end of the line
        files = copied(case, tmp_path)
        edit(tmp_path, case, behind=f" {sign} momlint: ignore[{code[:4]}]")
        assert told(files) == []


@pytest.mark.parametrize(("case", "sign"), SIGNS)
def test_a_comment_that_silences_nothing_is_told(case: str, sign: str, tmp_path: Path) -> None:
    name, line, code = TOLD[case]
    files = copied(case, tmp_path)
    edit(tmp_path, case, above=f"{sign} momlint: ignore[MOM804]")
    assert told(files) == [("MOM109", name, line), (code, name, line + 1)]
    files = copied(case, tmp_path)
    edit(tmp_path, case, above=f"{sign} momlint: ignore {code}")
    assert told(files) == [("MOM109", name, line), (code, name, line + 1)]
    (finding, _) = lint_files(files, Options()).findings
    assert finding.message == "this suppression comment names no rule"


def test_mosquitto_and_yaml_have_one_sign(tmp_path: Path) -> None:
    """There ``//`` begins no comment, and so silences nothing."""
    case = "01-mosq-mutual-both-loop"
    files = copied(case, tmp_path)
    edit(tmp_path, case, behind=" // momlint: ignore[MOM801]")
    # It is the prefixes of the topic line.
    assert told(files) == [("MOM813", "south.conf", 7)]


@pytest.mark.parametrize("case", TOLD)
def test_settings_ignore_by_file(case: str, tmp_path: Path) -> None:
    name, line, code = TOLD[case]
    files = copied(case, tmp_path)
    options = Options(per_file_ignores={name: (code,)}, base=str(tmp_path))
    assert told(files, options) == []
    options = Options(per_file_ignores={"elsewhere.conf": (code,)}, base=str(tmp_path))
    assert told(files, options) == [(code, name, line)]


@pytest.mark.parametrize("case", TOLD)
def test_a_baseline_stays_when_lines_move(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    files = [Path(file).name for file in copied(case, tmp_path)]
    monkeypatch.chdir(tmp_path)
    assert main(["baseline", "write", *files]) == 0
    known = json.loads((tmp_path / "momlint-baseline.json").read_text())["findings"]
    assert [entry["code"] for entry in known] == [TOLD[case][2]]
    for file in files:
        text = (tmp_path / file).read_text()
        (tmp_path / file).write_text(f"# a new line\n\n# and another\n{text}".replace("\n", "\r\n"), newline="")
    capsys.readouterr()
    assert main(["check", *files, "--baseline", "momlint-baseline.json", "-f", "concise"]) == 0
    assert capsys.readouterr().out == ""
    # Given in another order, and by another way to the same place.
    named = [f"../{tmp_path.name}/{file}" for file in reversed(files)]
    assert main(["check", *named, "--baseline", "momlint-baseline.json", "-f", "concise"]) == 0
    assert capsys.readouterr().out == ""


def test_json_has_no_comments_and_is_ignored_by_settings_a_manifest_or_a_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """RabbitMQ's definitions: four brokers that federate from each other over two hops get copies (MOM804)."""
    monkeypatch.chdir(tmp_path)
    for name, text in mesh("abcd", 2).items():
        (tmp_path / name).write_text(text)
    names = sorted(path.name for path in tmp_path.glob("*.json"))
    ((code, file, line),) = told(names)
    assert code == "MOM804"
    # What looks like a comment is a value, and silences nothing.
    text = (tmp_path / file).read_text()
    lines = text.splitlines()
    lines[line - 1] = (
        lines[line - 1].rstrip(",") + ', "x": "# momlint: ignore[MOM804]"' + "," * lines[line - 1].endswith(",")
    )
    (tmp_path / file).write_text("\n".join(lines))
    assert (code, file, line) in told(names)
    (tmp_path / file).write_text(text)

    assert told(names, Options(per_file_ignores={"*.json": ("MOM804",)}, base=str(tmp_path))) == []
    brokers = ", ".join(f"{name}: {{config: {name}.json}}" for name in "abcd")
    (tmp_path / "manifest.yaml").write_text(f"momlint: 1\nbrokers: {{{brokers}}}\nignore: [{{code: MOM804}}]\n")
    assert told(["manifest.yaml"]) == []
    assert main(["baseline", "write", *names]) == 0
    for name in names:
        (tmp_path / name).write_text("\n\n" + (tmp_path / name).read_text())
    capsys.readouterr()
    assert main(["check", *names, "--baseline", "momlint-baseline.json", "-f", "concise", "--fail-on", "note"]) == 0
    assert capsys.readouterr().out == ""
