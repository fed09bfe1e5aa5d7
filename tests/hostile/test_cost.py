"""What a few bytes may cost, what is left of programs, and what no bytes may do: fail momlint itself."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from momlint.cli import main
from momlint.fleet import expected
from momlint.fleet.expected import expected_seconds
from momlint.source import read_source
from tests.budget import examples

ROOT = Path(__file__).parents[2]
HEAD = "momlint: 1\nbrokers: {1: , 2: }\nlinks: [{between: [1, 2]}]\n"
WITH_TABLES = HEAD + "failures: {colours: {1: [], 2: [1--2]}, recovery: {file: TABLES}}\n"


def findings(folder: Path, name: str = "x.mom.yaml", *options: str) -> tuple[int, list[dict[str, object]]]:
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    code = main(["check", str(folder / name), "--format", "json", "--output", str(report), *options])
    return code, json.loads(report.read_text())["findings"] if report.exists() else []


def test_merge_keys(tmp_path: Path) -> None:
    base = ", ".join(f"k{number}: 1" for number in range(900))
    uses = "".join(f"  t{number}: {{<<: *b}}\n" for number in range(1100))
    (tmp_path / "x.mom.yaml").write_text(f"{HEAD}x-b: &b {{{base}}}\ntopics:\n{uses}")
    started = time.monotonic()
    code, (finding,) = findings(tmp_path)
    assert (code, finding["code"]) == (1, "MOM101")
    assert "merge keys" in str(finding["message"])
    assert time.monotonic() - started < 10


def test_merge_keys_of_large_estates() -> None:
    """Every link with four defaults: no more than an entry for each character."""
    first = "  - &d {cost: 1, latency_ms: 1, availability: 0.9, between: [0, 1]}\n"
    links = "".join(f"  - {{<<: *d, between: [{number}, {number + 1}]}}\n" for number in range(1, 9000))
    brokers = ", ".join(f"{number}: " for number in range(9001))
    topics = "topics: {t: {publishers: [1], subscribers: [2]}}\n"
    text = f"momlint: 1\nbrokers: {{{brokers}}}\nlinks:\n{first}{links}{topics}"
    assert read_source(text.encode()).problems == []


# -- tables ------------------------------------------------------------------------------------------------------------


def test_parquet_of_millions_of_equal_rows(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = 3_000_000
    column = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int8()), ["1"])
    other = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int8()), ["2"])
    pq.write_table(pa.table({"broker": column, "to": other, "via": other, "colours": column}), tmp_path / "t.parquet")
    assert (tmp_path / "t.parquet").stat().st_size < 1_000_000
    (tmp_path / "x.mom.yaml").write_text(WITH_TABLES.replace("TABLES", "t.parquet"))
    started = time.monotonic()
    code, found = findings(tmp_path, "x.mom.yaml", "--select", "MOM102")
    assert (code, len(found)) == (1, 1)
    assert "3,000,000 rows" in str(found[0]["message"])
    assert time.monotonic() - started < 10


@pytest.mark.parametrize("column", ["broker", "to", "via", "colours"])
def test_parquet_of_latin_1(tmp_path: Path, column: str) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    wrong = pa.array([b"\xe9"], pa.binary()).view(pa.string())
    right = {name: pa.array(["1"]) for name in ("broker", "to", "via", "colours")}
    pq.write_table(pa.table({**right, column: wrong}), tmp_path / "t.parquet")
    (tmp_path / "x.mom.yaml").write_text(WITH_TABLES.replace("TABLES", "t.parquet"))
    (tmp_path / "y.mom.yaml").write_text(HEAD)
    code, found = findings(tmp_path, ".", "--select", "MOM102")
    assert (code, len(found)) == (1, 1)
    assert "not UTF-8" in str(found[0]["message"])


# -- the guard ---------------------------------------------------------------------------------------------------------


def test_no_file_is_opened_to_tell_its_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.mom.yaml").write_text(HEAD)
    opened: list[object] = []

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open" and watching and str(arguments[0]).startswith(str(tmp_path)):
            opened.append(arguments[0])

    watching = True
    sys.addaudithook(watch)
    assert expected_seconds([str(tmp_path / "x.mom.yaml")])[0] >= expected.A_FILE
    watching = False
    assert opened == []


@pytest.mark.parametrize("options", [[], ["--jobs", "2"], ["--shard-seconds", "5"]])
def test_standard_input_is_the_same_in_a_guard(options: list[str]) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "momlint", "check", "-", "--format", "json", *options],
        input="momlint: 1\nbrokers: 3\n",
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        timeout=120,
        check=False,
    )
    assert ran.returncode == 1
    (finding,) = json.loads(ran.stdout)["findings"]
    assert (finding["file"], finding["code"]) == ("<stdin>", "MOM102")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGKILL])
@pytest.mark.parametrize("options", [[], ["--shard-seconds", "60"]])
def test_nusmv_goes_with_momlint(tmp_path: Path, how: signal.Signals, options: list[str]) -> None:
    """A program that takes for ever stands for NuSMV; its first act is to tell its number."""
    program = tmp_path / "NuSMV"
    program.write_text(
        f'#!/bin/sh\necho $$ >"{tmp_path}/pid.new"\nmv "{tmp_path}/pid.new" "{tmp_path}/pid"\nsleep 100 & wait\n'
    )
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    (tmp_path / "x.mom.yaml").write_text(HEAD)
    folder = tmp_path / "tmp"
    folder.mkdir()
    process = subprocess.Popen(
        [sys.executable, "-m", "momlint", "check", str(tmp_path / "x.mom.yaml"), "--engine", "nusmv", *options],
        env={**os.environ, "PYTHONPATH": str(ROOT), "MOMLINT_NUSMV": str(program), "TMPDIR": str(folder)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while not (tmp_path / "pid").exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)
    pid = int((tmp_path / "pid").read_text())
    process.send_signal(how)
    process.wait(60)
    while os.path.exists(f"/proc/{pid}") and _state(pid) != "Z":
        assert time.monotonic() < deadline, "it is still there"
        time.sleep(0.05)
    assert list(folder.iterdir()) == []


def _state(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return "Z"


# -- fuzzing -----------------------------------------------------------------------------------------------------------

PIECES = [
    "1",
    "2",
    "3",
    ",",
    ";",
    "\t",
    '"',
    "\n",
    "\r",
    "colours",
    "except",
    "broker",
    "to",
    "via",
    " ",
    "\x00",
    "é",
    "9" * 30,
]


def never_fails(folder: Path, *options: str) -> None:
    """No internal fault, and none over 10 seconds."""
    started = time.monotonic()
    code, found = findings(folder, "x.mom.yaml", "--engine", "graph", *options)
    assert code in (0, 1)
    assert all(finding["code"] not in ("MOM901", "MOM902") for finding in found)
    assert time.monotonic() - started < 10


FUZZ = settings(deadline=None, max_examples=examples(200), suppress_health_check=list(HealthCheck))


@FUZZ
@given(
    body=st.one_of(
        st.binary(max_size=80), st.lists(st.sampled_from(PIECES), max_size=20).map(lambda p: "".join(p).encode())
    )
)
def test_any_csv(tmp_path_factory: pytest.TempPathFactory, body: bytes) -> None:
    folder = tmp_path_factory.mktemp("csv", numbered=True)
    (folder / "t.csv").write_bytes(b"broker,to,via,colours\n" * (body[:1] != b"b") + body)
    (folder / "x.mom.yaml").write_text(WITH_TABLES.replace("TABLES", "t.csv"))
    never_fails(folder)


@FUZZ
@given(cuts=st.lists(st.tuples(st.integers(0, 5000), st.binary(max_size=3), st.integers(0, 3)), min_size=1, max_size=4))
def test_any_parquet(tmp_path_factory: pytest.TempPathFactory, cuts: list[tuple[int, bytes, int]]) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    folder = tmp_path_factory.mktemp("parquet", numbered=True)
    table = {"broker": ["1", "2"], "to": ["2", "1"], "via": ["2", "1"], "colours": [["1"], ["1", "2"]]}
    pq.write_table(pa.table(table), folder / "t.parquet")
    data = (folder / "t.parquet").read_bytes()
    for at, piece, gone in cuts:
        start = at % (len(data) + 1)
        data = data[:start] + piece + data[start + gone :]
    (folder / "t.parquet").write_bytes(data)
    (folder / "x.mom.yaml").write_text(WITH_TABLES.replace("TABLES", "t.parquet"))
    never_fails(folder)


WORDS = ["AF", "AG", "E", "A", "U", "X", "(", ")", "[", "]", "!", "&", "|", "->", "=", "!=", "loc", "src", "dest",
         "colour", "1", "99999999999999999999", "x", " ", "<", "{", "}", "\\n", "é", "TRUE"]  # fmt: skip


@FUZZ
@given(
    words=st.lists(st.sampled_from(WORDS), max_size=25),
    repeat=st.sampled_from([1, 1, 1, 400]),
    logic=st.sampled_from(["ctl", "ltl"]),
)
def test_any_formula(tmp_path_factory: pytest.TempPathFactory, words: list[str], repeat: int, logic: str) -> None:
    folder = tmp_path_factory.mktemp("formula", numbered=True)
    formula = " ".join(words) * repeat
    (folder / "x.mom.yaml").write_text(f'{HEAD}specs: [{{name: a, {logic}: "{formula}"}}]\n')
    never_fails(folder)


KEYS = [
    "select",
    "ignore",
    "exclude",
    "fail-on",
    "format",
    "engine",
    "timeout",
    "jobs",
    "per-file-ignores",
    "nothing",
    "a.b",
]
VALUES = ["1", "-1", "1e400", "nan", '"MOM3"', '""', "[]", '["*"]', '["[z-a]", "**/**"]', "{}", '{"*" = ["MOM1"]}',
          "true", "1979-05-27", "9" * 5000, "[" * 3000, "'''", "\x00", '"graph"', '"\\u001b"', "["]  # fmt: skip


@FUZZ
@given(
    lines=st.lists(st.tuples(st.sampled_from(KEYS), st.sampled_from(VALUES)), max_size=4), tail=st.binary(max_size=5)
)
def test_any_configuration(tmp_path_factory: pytest.TempPathFactory, lines: list[tuple[str, str]], tail: bytes) -> None:
    folder = tmp_path_factory.mktemp("toml", numbered=True)
    (folder / "x.mom.yaml").write_text(HEAD)
    (folder / "momlint.toml").write_bytes("".join(f"{key} = {value}\n" for key, value in lines).encode() + tail)
    started = time.monotonic()
    report = folder / "report"
    assert main(["check", str(folder / "x.mom.yaml"), "--output", str(report), "--jobs", "1"]) in (0, 1, 2)
    assert time.monotonic() - started < 10
