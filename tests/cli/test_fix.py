"""``momlint fix``: what is written, what is printed, and how it ends."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Run

RIGHT = """\
momlint: 1
brokers: {1: , 2: , 3: }
links:
  - {between: [1, 2]}
  - {between: [2, 3]}
routing:
  protocol: tables
  tables:
    1: {2: [2, 3]}  # all by 2
    2: {1: [1], 3: [3]}
    3: {2: [1, 2]}
"""
WRONG = RIGHT.replace("2: {1: [1], 3: [3]}", "2: {1: [1, 3]}")
#: No row is to blame: a topic has no path.
CUT = RIGHT.replace("  - {between: [2, 3]}\n", "").partition("routing:")[0]
DIFF = """\
--- wrong.yaml
+++ wrong.yaml
@@ -7,5 +7,5 @@
   protocol: tables
   tables:
     1: {2: [2, 3]}  # all by 2
-    2: {1: [1, 3]}
+    2: {1: [1], 3: [3]}
     3: {2: [1, 2]}
"""


@pytest.fixture
def wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "wrong.yaml"
    path.write_text(WRONG)
    return path


def test_it_is_written_and_told(run: Run, wrong: Path) -> None:
    ran = run("fix", "wrong.yaml", "--ignore", "MOM5")
    assert wrong.read_text() == RIGHT
    assert ran.out.splitlines() == [
        "wrong.yaml:10:9: mended MOM302: broker `2` sends `3` to `1`, and it comes back",
        "Mended 1 finding by changing 1 row in 1 file.",
    ]
    assert (ran.code, ran.err) == (0, "")
    assert run("check", "wrong.yaml", "--ignore", "MOM5").code == 0
    before = os.stat(wrong).st_mtime_ns
    again = run("fix", "wrong.yaml", "--ignore", "MOM5")
    assert (again.code, again.out) == (0, "Nothing to mend.\n")
    assert os.stat(wrong).st_mtime_ns == before


def test_a_diff_changes_nothing_and_can_be_applied(run: Run, wrong: Path) -> None:
    ran = run("fix", "--diff", "wrong.yaml", "--ignore", "MOM5")
    assert (ran.code, ran.out) == (1, DIFF)
    assert ran.err == "momlint: Would mend 1 finding by changing 1 row in 1 file.\n"
    assert wrong.read_text() == WRONG
    subprocess.run(["git", "apply", "-p0", "-"], input=ran.out, text=True, check=True, cwd=wrong.parent)
    assert wrong.read_text() == RIGHT
    done = run("fix", "--diff", "wrong.yaml", "--ignore", "MOM5")
    assert (done.code, done.out) == (0, "")


def test_standard_input(run: Run, wrong: Path) -> None:
    ran = run("fix", "-", "--ignore", "MOM5", stdin=WRONG.encode())
    assert (ran.code, ran.out) == (0, RIGHT)
    ran = run("fix", "-", "--diff", "-q", "--ignore", "MOM5", stdin=WRONG.encode())
    assert (ran.code, ran.out, ran.err) == (1, DIFF.replace("wrong.yaml", "<stdin>"), "")
    assert run("fix", "-", "wrong.yaml").code == 2


def test_what_no_change_mends_is_left(run: Run, wrong: Path) -> None:
    wrong.write_text(CUT)
    ran = run("fix", "wrong.yaml", "--select", "MOM301")
    assert ran.code == 1
    assert "are left: see `momlint check`" in ran.out or "is left: see `momlint check`" in ran.out
    assert wrong.read_text() == CUT


def test_only_what_is_selected(run: Run, wrong: Path) -> None:
    assert run("fix", "wrong.yaml", "--ignore", "MOM3,MOM5").out == "Nothing to mend.\n"
    assert wrong.read_text() == WRONG


def test_a_link_leads_where_it_did(run: Run, wrong: Path) -> None:
    (wrong.parent / "link.yaml").symlink_to("wrong.yaml")
    assert run("fix", "link.yaml", "--ignore", "MOM5").code == 0
    assert (wrong.parent / "link.yaml").is_symlink()
    assert wrong.read_text() == RIGHT


def test_what_is_no_estate(run: Run, wrong: Path) -> None:
    assert run("fix", "nothere.yaml").code == 2
    wrong.write_text("momlint: 1\nbrokers: [\n")
    ran = run("fix", "wrong.yaml")
    assert ran.code == 1
    assert wrong.read_text() == "momlint: 1\nbrokers: [\n"


def test_brokers_own_files(run: Run, wrong: Path) -> None:
    del wrong
    one, other = (
        f"listener 1883\n# to {there}\nconnection to-{there}\naddress {there}\ntopic # both\n" for there in "ba"
    )
    Path("a.conf").write_text(one)
    Path("b.conf").write_text(other)
    ran = run("fix", "a.conf", "b.conf")
    message = "messages such as `x` go round for ever between `a` and `b`"
    assert ran.out == f"b.conf:5:1: mended MOM801: {message}\nMended 1 finding in 1 file.\n"
    assert (ran.code, ran.err) == (0, "")
    assert Path("a.conf").read_text() == one
    assert Path("b.conf").read_text() == "listener 1883\n# to a\n"


@pytest.mark.parametrize("named", [["."], ["x/north.conf", "y/south.conf"]])
def test_native_files_of_several_folders(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: list[str]
) -> None:
    """Two brokers that bridge to each other, each with a folder of its own: one connection of the two is enough."""
    monkeypatch.chdir(tmp_path)
    for folder, name, other in (("x", "north", "south"), ("y", "south", "north")):
        Path(folder).mkdir()
        bridge = f"connection to-{other}\naddress {other}.example:1883\nnotifications false\ntopic # both 0\n"
        Path(folder, f"{name}.conf").write_text(f"listener 1883\n\n{bridge}")
    ran = run("fix", "--diff", *named)
    assert ran.code == 1
    assert [line for line in ran.out.splitlines() if line.startswith("-conn")] == ["-connection to-north"]
    assert ran.err == "momlint: Would mend 1 finding in 1 file.\n"
    assert run("fix", *named).code == 0
    assert Path("y/south.conf").read_text() == "listener 1883\n"
    assert run("check", *named).code == 0


def test_only_what_is_safe(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wrong row is turned; nobody is named who takes over from a broker that may fail."""
    monkeypatch.chdir(tmp_path)
    topics = "topics: {t: {publishers: [1], subscribers: [3]}}\nfailures: {tolerate: {brokers: 1}, takeover: {1: 2}}\n"
    Path("both.yaml").write_text(WRONG.replace("routing:", "  - {between: [1, 3]}\nrouting:"))
    Path("named.yaml").write_text(WRONG.partition("routing:")[0] + "  - {between: [1, 3]}\n" + topics)
    assert "mended MOM409" not in run("fix", "--safe", "named.yaml").out
    assert run("fix", "--safe", "both.yaml").code == 0
    assert "mended MOM409" in run("fix", "named.yaml").out
