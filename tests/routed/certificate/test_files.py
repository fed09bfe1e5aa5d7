"""Certificate files: written by ``check``, judged by ``verify``; any damage is refused without a fault."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import tracemalloc
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from momlint.routed.certificate.accept import verify_file
from momlint.routed.certificate.form import Refused
from tests.budget import examples
from tests.cli.conftest import Run, run
from tests.cli.estates import BLACK_HOLE, GOOD, LOOP, WARNING
from tests.routed.certificate.models import encode

__all__ = ["run"]

PLANNED = """\
momlint: 1
name: triangle
brokers: {1: , 2: , 3: }
links:
  - {between: [1, 2]}
  - {between: [1, 3]}
  - {between: [2, 3]}
topics:
  weather: {publishers: [1], subscribers: [2, 3]}
failures:
  tolerate: single-link
  colours:
    1: []
    2: [1--2]
    3: [1--3]
    4: [2--3]
  recovery:
    1:
      - {to: 2, via: 2, colours: [1, 3, 4]}
      - {to: 3, via: 3, colours: [1, 2, 4]}
      - {to: 2, via: 3, colours: [2]}
      - {to: 3, via: 2, colours: [3]}
    2:
      - {to: 1, via: 1, colours: [1, 3, 4]}
      - {to: 3, via: 3, colours: [1, 2, 3]}
      - {to: 1, via: 3, colours: [2]}
      - {to: 3, via: 1, colours: [4]}
    3:
      - {to: 1, via: 1, colours: [1, 2, 4]}
      - {to: 2, via: 2, colours: [1, 2, 3]}
      - {to: 1, via: 2, colours: [3]}
      - {to: 2, via: 1, colours: [4]}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "momlint.toml").write_text("")
    (tmp_path / "triangle.yaml").write_text(PLANNED)
    return tmp_path


def sealed(lines: list[str]) -> str:
    """The lines with a seal that fits, made here."""
    body = "".join(f"{line}\n" for line in lines)
    return body + json.dumps({"sha256": hashlib.sha256(body.encode()).hexdigest()}) + "\n"


def changed(path: Path, change: Any) -> None:
    """Apply `change` to the first record, and seal it anew."""
    head, record, *_ = path.read_text().splitlines()
    data = json.loads(record)
    change(data)
    path.write_text(sealed([head, json.dumps(data)]))


# -- writing and accepting ---------------------------------------------------------------------------------------------


def test_written_and_accepted(folder: Path, run: Run) -> None:
    assert run("check", "-q", "--certificate", "proof.cert", "triangle.yaml").code == 0
    done = run("verify", "proof.cert")
    assert done == (
        0,
        "triangle.yaml: `triangle`: 2 pairs arrive in each of 4 colours, by shortest walks, ties by the "
        "smallest next hop\nAccepted: 1 estate.\n",
        "",
    )
    head, record, seal = (folder / "proof.cert").read_text().splitlines()
    assert json.loads(head) == {"momlint-certificate": 1}
    data = json.loads(record)
    digest = hashlib.sha256(PLANNED.encode()).hexdigest()
    assert (data["file"], data["document"], data["sources"]) == ("triangle.yaml", 0, [["triangle.yaml", digest]])
    counts = {"brokers": 3, "colours": 4, "intact": 0, "promised": 0, "unspoken": 0, "pairs": 2}
    assert data["claims"] == {**counts, "cut_calm": 0, "cut_failing": 0, "cut_promised": 0}
    assert seal == sealed([head, record]).splitlines()[-1]


def test_files_are_named_as_seen_from_the_certificate(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "estates" / "topics").mkdir(parents=True)
    (folder / "proofs").mkdir()
    text = GOOD.replace("topics:\n  weather: {publishers: [1], subscribers: [2, 3]}\n", "include: [topics/*.yaml]\n")
    (folder / "estates" / "main.yaml").write_text(text)
    (folder / "estates" / "topics" / "a.yaml").write_text("topics:\n  a: {publishers: [1], subscribers: [2]}\n")
    assert run("check", "-q", "--certificate", "proofs/x.cert", "estates/main.yaml").code == 0
    written = (folder / "proofs" / "x.cert").read_bytes()
    record = json.loads(written.splitlines()[1])
    assert [name for name, _ in record["sources"]] == ["../estates/main.yaml", "../estates/topics/a.yaml"]
    assert run("verify", "proofs/x.cert").code == 0

    monkeypatch.chdir(folder / "proofs")  # the same bytes from another folder, and accepted from there
    assert run("check", "-q", "--certificate", "y.cert", "../estates/main.yaml").code == 0
    assert (folder / "proofs" / "y.cert").read_bytes() == written
    assert run("verify", "y.cert").code == 0
    monkeypatch.chdir(folder)
    shutil.copytree(folder, folder / "moved", ignore=shutil.ignore_patterns("moved"))
    assert run("verify", "moved/proofs/x.cert").code == 0

    (folder / "estates" / "topics" / "b.yaml").write_text("topics:\n  b: {publishers: [2], subscribers: [3]}\n")
    done = run("verify", "proofs/x.cert")
    assert done.code == 1
    assert "now uses other files" in done.out
    (folder / "estates" / "topics" / "b.yaml").unlink()
    (folder / "estates" / "topics" / "a.yaml").write_text("topics:\n  a: {publishers: [1], subscribers: [3]}\n")
    done = run("verify", "proofs/x.cert")
    assert done.code == 1
    assert "`estates/topics/a.yaml` has changed" in done.out.replace("proofs/../", "")


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_tables_in_a_file(folder: Path, run: Run, ending: str) -> None:
    topology = PLANNED.partition("failures:")[0] + "failures: {tolerate: single-link}\n"
    (folder / "topology.yaml").write_text(topology)
    section = run("plan", "topology.yaml", "--output", f"tables.{ending}").out
    (folder / "topology.yaml").write_text(topology.replace("failures: {tolerate: single-link}\n", section))
    assert run("check", "-q", "--certificate", "proof.cert", "topology.yaml").code == 0
    record = json.loads((folder / "proof.cert").read_text().splitlines()[1])
    assert [name for name, _ in record["sources"]] == ["topology.yaml", f"tables.{ending}"]
    assert run("verify", "proof.cert").code == 0
    with open(folder / f"tables.{ending}", "ab") as stream:
        stream.write(b"\n")
    assert run("verify", "proof.cert").code == 1


def test_many_estates_and_many_processes(folder: Path, run: Run) -> None:
    (folder / "two.yaml").write_text(GOOD + "---\n" + GOOD.replace("triangle", "second"))
    (folder / "warning.yaml").write_text(WARNING)
    paths = ["triangle.yaml", "two.yaml", "warning.yaml"]
    assert run("check", "-q", "--certificate", "one.cert", *paths).code == 0
    assert run("check", "-q", "--certificate", "two.cert", "--jobs", "2", *paths).code == 0
    assert (folder / "one.cert").read_bytes() == (folder / "two.cert").read_bytes()
    done = run("verify", "one.cert")
    assert done.code == 0
    assert done.out.endswith("Accepted: 4 estates.\n")
    assert "two.yaml: `second`" in done.out


def test_what_a_failure_cuts_off_is_said(folder: Path, run: Run) -> None:
    line = "momlint: 1\nname: line\nbrokers: {1: , 2: , 3: }\nlinks: [{between: [1, 2]}, {between: [2, 3]}]\n"
    (folder / "line.yaml").write_text(line + "failures: {colours: {1: [], 2: [1--2], 3: [2]}}\n")
    assert run("check", "-q", "--certificate", "proof.cert", "line.yaml").code == 0
    # Without 1--2: 1 and 2, 1 and 3, both ways. Without broker 2: 1 and 3, both ways.
    assert "except where failures cut them off, 6 times" in run("verify", "proof.cert").out


def test_hand_made_tables_by_a_longer_way(folder: Path, run: Run) -> None:
    tables = "routing:\n  protocol: tables\n  tables:\n    1: {2: [2, 3]}\n    2: {3: [3]}\n"
    text = GOOD.partition("routing:")[0] + tables
    (folder / "detour.yaml").write_text(text)
    assert run("check", "-q", "--certificate", "proof.cert", "detour.yaml").code == 0  # MOM305 is a warning
    assert run("verify", "proof.cert").out.startswith("detour.yaml: `triangle`: 2 pairs arrive\n")


# -- not writing -------------------------------------------------------------------------------------------------------


def test_no_certificate_of_a_run_with_errors(folder: Path, run: Run) -> None:
    (folder / "bad.yaml").write_text(BLACK_HOLE)
    done = run("check", "-q", "--certificate", "proof.cert", "triangle.yaml", "bad.yaml")
    assert done.code == 1
    assert "proof.cert is not written" in done.err
    assert run("check", "-q", "--certificate", "proof.cert", "triangle.yaml", "nowhere.yaml").code == 2
    assert run("check", "-q", "--fail-on", "never", "--certificate", "proof.cert", "bad.yaml").code == 0
    assert not (folder / "proof.cert").exists()


@pytest.mark.parametrize("text", [LOOP, BLACK_HOLE])
def test_what_is_ignored_is_not_certified(folder: Path, run: Run, text: str) -> None:
    (folder / "bad.yaml").write_text(text)
    done = run("check", "-q", "--ignore", "MOM302,MOM303", "--certificate", "proof.cert", "bad.yaml")
    assert done.code == 2
    assert "cannot be certified" in done.err
    assert "they may not arrive" in done.err
    assert not (folder / "proof.cert").exists()


def test_an_estate_with_something_left_out_is_not_certified(folder: Path, run: Run) -> None:
    (folder / "bad.yaml").write_text(GOOD.replace("subscribers: [2, 3]", "subscribers: [2, 4]"))
    done = run("check", "-q", "--ignore", "MOM104", "--certificate", "proof.cert", "bad.yaml")
    assert done.code == 2
    assert "something is wrong with `topics`" in done.err
    (folder / "none.yaml").write_text("momlint: 1\n")
    done = run("check", "-q", "--ignore", "MOM102", "--certificate", "proof.cert", "none.yaml")
    assert (done.code, (folder / "proof.cert").exists()) == (2, False)
    assert "no estate to certify" in done.err


def test_wrong_usage(folder: Path, run: Run) -> None:
    for where in (".", "nowhere/proof.cert", "triangle.yaml"):
        done = run("check", "--certificate", where, "triangle.yaml")
        assert (done.code, done.err.count("momlint: error: --certificate")) == (2, 1)
    assert run("check", "--certificate", "proof.cert", "-", stdin=GOOD.encode()).code == 2
    assert run("check", "--certificate", "x", "--output", "x", "triangle.yaml").code == 2
    assert run("verify", "nowhere.cert").code == 2
    assert run("verify", ".").code == 2
    assert run("verify").code == 2
    assert (folder / "triangle.yaml").read_text() == PLANNED


# -- refusing ----------------------------------------------------------------------------------------------------------


def proof(folder: Path, run: Run, *paths: str) -> Path:
    assert run("check", "-q", "--certificate", "proof.cert", *(paths or ["triangle.yaml"])).code == 0
    return folder / "proof.cert"


def refused(run: Run, why: str) -> None:
    done = run("verify", "proof.cert")
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("proof.cert: refused: ")
    assert why in done.out


def test_another_estate(folder: Path, run: Run) -> None:
    path = proof(folder, run)
    other = PLANNED.replace("{to: 2, via: 3, colours: [2]}", "{to: 2, via: 2, colours: [2]}", 1)
    assert other != PLANNED
    (folder / "triangle.yaml").write_text(other)
    refused(run, "`triangle.yaml` has changed: its SHA-256 is different")

    def patched(data: dict[str, Any]) -> None:
        data["sources"][0][1] = hashlib.sha256(other.encode()).hexdigest()

    changed(path, patched)
    refused(run, "triangle.yaml: `triangle`: in colour `2` messages from `1` to `2` do not arrive at the cost")


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("via: 3, colours: [2]}", "via: 2, colours: [2]}", "in colour `2` messages from `1` to `2` do not arrive"),
        ("      - {to: 2, via: 3, colours: [2]}\n", "", "in colour `2` messages from `1` to `2` do not arrive"),
        ("2: [1--2]", "2: [1--3]", "in colour `2` "),
        ("{between: [2, 3]}", "{between: [2, 3], cost: 2}", "in colour "),
        ("{between: [1, 2]}", "{between: [1, 2], cost: 0.5}", "its unit of cost, 1, does not divide"),
        ("subscribers: [2, 3]", "subscribers: [2]", "it claims 2 for `pairs`, and shows 1"),
        ("    4: [2--3]\n", "    4: [2--3]\n    5: []\n", "a list has 4 numbers where the estate needs 5"),
        ("brokers: {1: , 2: , 3: }", "brokers: {1: , 2: , 3: , 4: }", "a list has 3 numbers where the estate needs 4"),
        ("colours: [1, 3, 4]}", "colours: [1, 2, 3, 4]}", "two rows of broker `1` give a next hop for `2`"),
        ("subscribers: [2, 3]", "subscribers: [2, 9]", "something is wrong with `topics` of the estate"),
    ],
)
def test_another_row(folder: Path, run: Run, old: str, new: str, why: str) -> None:
    path = proof(folder, run)
    other = PLANNED.replace(old, new, 1)
    (folder / "triangle.yaml").write_text(other)

    def patched(data: dict[str, Any]) -> None:
        data["sources"][0][1] = hashlib.sha256(other.encode()).hexdigest()

    changed(path, patched)
    refused(run, why)


def test_files_that_are_none(folder: Path, run: Run) -> None:
    path = proof(folder, run)
    os.mkfifo(folder / "pipe")
    for name in ("/dev/zero", "pipe", "nowhere.yaml", ".", "a\0b", "x" * 5000, "\udc80"):

        def patched(data: dict[str, Any], name: str = name) -> None:
            data["file"] = data["sources"][0][0] = name

        changed(path, patched)
        refused(run, "there is no file")


def test_other_documents(folder: Path, run: Run) -> None:
    path = proof(folder, run)
    for document in (1, -1, 10**30):
        changed(path, lambda data, document=document: data.update(document=document))
        refused(run, "`triangle.yaml` has no document")
    for document in ("0", 0.0, True, None):
        changed(path, lambda data, document=document: data.update(document=document))
        refused(run, "does not name its estate")


def test_cut_short(folder: Path, run: Run) -> None:
    path = proof(folder, run)
    whole = path.read_bytes()
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        with pytest.raises(Refused):
            verify_file(str(path))
    for more in (b"\n", b"x", whole):
        path.write_bytes(whole + more)
        with pytest.raises(Refused):
            verify_file(str(path))


@settings(max_examples=examples(400), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.randoms(use_true_random=False))
def test_any_byte_damaged(tmp_path_factory: pytest.TempPathFactory, rng: random.Random) -> None:
    folder = tmp_path_factory.getbasetemp() / "bytes"
    path = folder / "proof.cert"
    if not path.exists():
        from momlint.cli import main

        folder.mkdir(exist_ok=True)
        (folder / "triangle.yaml").write_text(PLANNED)
        assert main(["check", "-q", "--certificate", str(path), str(folder / "triangle.yaml")]) == 0
    whole = path.read_bytes()
    data = bytearray(whole)
    for _ in range(rng.randint(1, 3)):
        at = rng.randrange(len(data))
        what = rng.randrange(4)
        if what == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif what == 1:
            data[at] = rng.randrange(256)
        elif what == 2:
            del data[at : at + rng.randint(1, 40)]
        else:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 5)))
    broken = folder / "broken.cert"
    broken.write_bytes(bytes(data))
    if data == whole:
        return
    with pytest.raises(Refused):
        verify_file(str(broken))
    # The same with a seal that fits: refused, or nothing is said that was not said before.
    lines = bytes(data).decode("ascii", "replace").splitlines()[:-1]
    broken.write_text(sealed(lines), encoding="utf-8", newline="")
    try:
        accepted = verify_file(str(broken))
    except Refused:
        return
    assert accepted == verify_file(str(path))


def test_no_certificate_at_all(folder: Path, run: Run) -> None:
    path = folder / "proof.cert"
    for data in (b"", b"\n", b"momlint: 1\n", b"\xff\xfe\0\0", PLANNED.encode(), b'{"momlint-certificate": 2}\n'):
        path.write_bytes(data)
        refused(run, "this is not a certificate")
    path.write_text(sealed(['{"momlint-certificate": 1}']))
    refused(run, "it certifies nothing")
    for line in ("", "[]", "null", "{", "1", "[" * 100_000, '{"a":' * 100_000, "1" * 100_000, "NaN"):
        path.write_text(sealed(['{"momlint-certificate": 1}', line]))
        refused(run, "line 2 is not ")


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data["walks"].update(base=encode([1] * 3_000_000)),
        lambda data: data["walks"].update(base="/" * 4_000_000),
        lambda data: data["walks"].update(base=encode([2**60] * 8 + [2**5000])),
        lambda data: data["walks"].update(counts=encode([2**40] * 4)),
        lambda data: data["walks"].update(counts=encode([2**62] * 4)),
        lambda data: data["walks"].update(counts=encode([2**70] * 4)),
        lambda data: data["walks"].update(counts=encode([6, 0, 0, 0]), cells=encode([1] * 5 + [2**62])),
        lambda data: data["walks"].update(counts=encode([6, 0, 0, 0]), cells=encode([2**62] * 6)),
        lambda data: data.update(unit=f"1/{10**900}"),
        lambda data: data.update(unit="1e-99999999"),
        lambda data: data.update(unit="9" * 1_000_000),
        lambda data: data.update(levels=encode([2**62] * 3)),
        lambda data: data["claims"].update(pairs=10**4000),
        lambda data: data["claims"].update(pairs="x" * 1_000_000),
        lambda data: data.update(sources=[["triangle.yaml", "0"]] * 100_000),
    ],
)
def test_absurd_sizes(folder: Path, run: Run, change: Any) -> None:
    path = proof(folder, run)
    changed(path, change)
    size = path.stat().st_size
    tracemalloc.start()
    try:
        refused(run, "")
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 20_000_000 + 12 * size
