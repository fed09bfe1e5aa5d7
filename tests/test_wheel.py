"""The wheel, in a clean virtual environment outside the checkout: it has all that momlint is made of."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
pytestmark = pytest.mark.slow


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a command that knows nothing of this checkout and of the environment the tests run in."""
    ours = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    return subprocess.run(
        [str(word) for word in command], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


def done(*command: str | Path, cwd: Path) -> str:
    """What a command prints that has to succeed."""
    ran = run(*command, cwd=cwd)
    assert ran.returncode == 0, f"{command}\n{ran.stdout}\n{ran.stderr}"
    return ran.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from this checkout."""
    folder = tmp_path_factory.mktemp("dist")
    done(sys.executable, "-m", "build", "--wheel", "--outdir", folder, CHECKOUT, cwd=folder)
    (built,) = folder.glob("momlint-*.whl")
    return built


@pytest.fixture(scope="module")
def momlint(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, installed from the wheel with what it depends on, and nothing else."""
    environment = tmp_path_factory.mktemp("venv")
    done(sys.executable, "-m", "venv", environment, cwd=environment)
    programs = environment / ("Scripts" if os.name == "nt" else "bin")
    done(programs / "python", "-m", "pip", "install", "--quiet", wheel, cwd=environment)
    return programs / "momlint"


def test_the_wheel_holds_rules_and_templates(wheel: Path) -> None:
    packed = set(zipfile.ZipFile(wheel).namelist())
    for folder, pattern in (("rules", "*/*.yaml"), ("templates", "*.j2")):
        files = sorted((CHECKOUT / folder).glob(pattern))
        assert files
        for file in files:
            assert f"momlint/_data/{folder}/{file.relative_to(CHECKOUT / folder).as_posix()}" in packed
    assert "momlint/py.typed" in packed
    assert "momlint/estate/compiled.json" in packed
    assert not [name for name in packed if name.startswith(("tests/", "bench/", "rules/", "templates/"))]


def test_parquet_is_an_extra(momlint: Path, tmp_path: Path) -> None:
    """Plain momlint does without pyarrow, which weighs as much as all the rest, and says how to get it."""
    installed = done(momlint.with_name("python"), "-m", "pip", "list", "--format", "freeze", cwd=tmp_path)
    names = {line.partition("==")[0].lower() for line in installed.splitlines()}
    assert {"numpy", "z3-solver"} <= names
    assert not names & {"pyarrow", "pyspark", "pandas"}
    done(momlint, "init", cwd=tmp_path)
    ran = run(momlint, "plan", "topology.yaml", "--output", "tables.parquet", cwd=tmp_path)
    assert ran.returncode == 2
    assert 'pip install "momlint[parquet]"' in ran.stderr
    metadata = "from importlib.metadata import metadata; print(*metadata('momlint').get_all('Provides-Extra'))"
    assert set(done(momlint.with_name("python"), "-c", metadata, cwd=tmp_path).split()) == {
        "docs",
        "lsp",
        "parquet",
        "simulation",
        "spark",
        "studio",
    }


def test_the_installed_program(momlint: Path, tmp_path: Path) -> None:
    where = done(momlint.with_name("python"), "-c", "import momlint; print(momlint.__file__)", cwd=tmp_path)
    assert not Path(where.strip()).is_relative_to(CHECKOUT)
    rules = done(momlint, "rules", cwd=tmp_path)
    codes = [line.split()[0] for line in rules.splitlines()]
    assert codes == sorted(path.name.partition("-")[0] for path in (CHECKOUT / "rules").glob("*/*.yaml"))
    assert done(momlint, "explain", "MOM302", cwd=tmp_path).startswith("MOM302 forwarding-loop\n")
    assert done(momlint, "--version", cwd=tmp_path).startswith("momlint ")

    done(momlint, "init", cwd=tmp_path)
    # The models were compiled with the wheel, and nothing of pydantic but its core is loaded for a plain check.
    program = (
        "import sys; from momlint.cli import main; code = main(['check', '--engine', 'graph', '--quiet']); "
        "assert 'pydantic_core._pydantic_core' in sys.modules; sys.exit(code or 'pydantic' in sys.modules)"
    )
    done(momlint.with_name("python"), "-c", program, cwd=tmp_path)
    # The solver's templates come from the wheel as well.
    last = done(momlint, "check", cwd=tmp_path).splitlines()[-1]
    assert last.startswith("Proved: ")
    assert last.endswith("2 engines agree (graph and smt).")
    assert "(check-sat)" in done(momlint, "render", "--to", "smt2", "topology.yaml", cwd=tmp_path)

    bad = (CHECKOUT / "examples" / "six-brokers" / "misrouted.yaml").read_text(encoding="utf-8")
    (tmp_path / "misrouted.yaml").write_text(bad, encoding="utf-8")
    for engine in ("auto", "graph", "smt"):
        ran = run(momlint, "check", "--engine", engine, "misrouted.yaml", cwd=tmp_path)
        assert (ran.returncode, ran.stderr) == (1, "")
        assert "error[MOM303] black-hole" in ran.stdout
