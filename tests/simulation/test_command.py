"""`momlint simulate` from the outside: mistakes, options, plots."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from momlint.cli import main

ROOT = Path(__file__).parents[2]
REPORT = ROOT / "examples" / "sites" / "report"
ESTATE = f"{REPORT}/crash.yaml"
SCRIPT = f"{REPORT}/crash.txt"


def test_a_bad_line_is_a_finding_and_nothing_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "script.txt"
    script.write_text("Subscriber subscriber0 Subscribe A\nCrush broker0\nWait x\n")
    assert main(["simulate", ESTATE, "--script", str(script)]) == 1
    text = capsys.readouterr().out
    assert f"--> {script}:2:1" in text
    assert "no step begins with `Crush`; did you mean `Crash`?" in text
    assert main(["simulate", ESTATE, "--script", str(script), "-f", "json"]) == 1
    report = json.loads(capsys.readouterr().out)
    assert [(one["code"], one["span"]["start"]) for one in report["findings"]] == [
        ("MOM102", {"line": 2, "column": 1}),
        ("MOM102", {"line": 3, "column": 6}),
    ]
    assert report["summary"]["errors"] == 2


def test_bytes_that_are_no_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "script.txt"
    script.write_bytes(b"Status\n\xff\xfe\n")
    assert main(["simulate", ESTATE, "--script", str(script)]) == 1
    assert f"{script}:2:1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([ESTATE], "name the script with --script"),
        ([ESTATE, "--script", "nothere.txt"], "nothere.txt: "),
        ([ESTATE, "--script", SCRIPT, "--policy", "flooding"], "--policy: there is no policy `flooding`"),
        ([ESTATE, "--script", SCRIPT, "--policy", "flooding/none", "--all"], "--policy and --all: choose one"),
        ([ESTATE, "--script", SCRIPT, "--runs", "0"], "--runs must be from 1 to 100,000, not 0"),
        ([ESTATE, "--script", SCRIPT, "--format", "xml"], "--format"),
        ([ESTATE, "--script", SCRIPT, "--log", "--runs", "2"], "--log goes with one run"),
        ([ESTATE, "--script", SCRIPT, "--jobs", "2", "--spark", "local"], "choose one"),
        ([ESTATE, "--script", SCRIPT, "-o", SCRIPT], "is read by this run"),
        ([str(ROOT / "examples/triangle/topology.yaml"), "--script", SCRIPT], "has no `sites`"),
    ],
)
def test_wrong_usage(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", *arguments]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("s0: {brokers", "s0: {parent: s4, brokers", "the sites of this estate are not a tree"),
        ("site: s3, publishes", "site: s9, publishes", "this estate cannot run"),
        ("order: fifo", "order: fife", "this estate"),
    ],
)
def test_an_estate_that_cannot_run(
    old: str, new: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """MOM821 and others: there is nothing to run, and `momlint check` says why."""
    text = Path(ESTATE).read_text(encoding="utf-8")
    assert text.count(old) == 1
    estate = tmp_path / "estate.yaml"
    estate.write_text(text.replace(old, new))
    assert main(["simulate", str(estate), "--script", SCRIPT]) == 2
    assert message in capsys.readouterr().err


def test_topics_that_the_estate_does_not_declare(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "script.txt"
    script.write_text("Subscriber subscriber0 Subscribe new\nPublisher publisher3 Publish 1 Ontopic new Interval 0\n")
    assert main(["simulate", ESTATE, "--script", str(script)]) == 0
    streams = capsys.readouterr()
    assert "subscriber0 subscribes to new and publisher3 publishes new" in streams.err


def test_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", ESTATE, "--script", SCRIPT, "--log", "-f", "json"]) == 0
    (outcome,) = json.loads(capsys.readouterr().out)["policies"].values()
    lines = [line for _, line in outcome["log"]]
    assert lines[:2] == ["subscriber0 → broker0: subscriber0 wants /p00-0", "broker0 crashes"]
    assert "broker00 takes over from broker0" in lines


def test_a_plot_is_the_same_svg_each_time(tmp_path: Path) -> None:
    for name in ("one.svg", "two.svg"):
        arguments = [ESTATE, "--script", SCRIPT, "--all", "--plot", str(tmp_path / name), "-o", str(tmp_path / "out")]
        assert main(["simulate", *arguments]) == 0
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()
    root = ElementTree.parse(tmp_path / "one.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    words = {"".join(one.itertext()).strip() for one in root.iter("{http://www.w3.org/2000/svg}text")}
    assert {"flooding/none", "filtering/total", "deliveries", "milliseconds"} <= words


@pytest.mark.parametrize(("package", "message"), [("simpy", "simulate needs simpy"), ("matplotlib", "--plot needs")])
def test_without_the_extra(package: str, message: str, tmp_path: Path) -> None:
    """A sentence that says what to install, in a Python that does not find it."""
    program = (
        "import sys, importlib.machinery as m\n"
        "class Nothing:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.split('.')[0] == {package!r}: raise ModuleNotFoundError(name)\n"
        "sys.meta_path.insert(0, Nothing())\n"
        "from momlint.cli import main\n"
        f"sys.exit(main(['simulate', {ESTATE!r}, '--script', {SCRIPT!r}, '--plot', {str(tmp_path / 'x.svg')!r}]))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 2
    assert message in done.stderr
    assert "pip install 'momlint[simulation]'" in done.stderr


def test_starting_needs_none_of_it() -> None:
    program = "import sys; import momlint.cli.app; from momlint.lint import lint_files; print(*sorted(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert loaded & {"simpy", "matplotlib"} == set()
