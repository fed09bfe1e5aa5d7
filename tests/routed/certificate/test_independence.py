"""The checker stands alone: what it loads, and how long it is."""

from __future__ import annotations

import ast
import io
import subprocess
import sys
import tokenize
from pathlib import Path

FOLDER = Path(__file__).parents[3] / "momlint" / "routed" / "certificate"
CHECKER = ("form", "given", "verify")


def test_what_the_checker_loads() -> None:
    """In a fresh interpreter: of momlint itself, only the checker; of others, only numpy."""
    code = """
import sys
before = set(sys.modules)
import momlint.routed.certificate.verify
loaded = {name for name in set(sys.modules) - before}
print(sorted(name for name in loaded if name.partition(".")[0] == "momlint"))
print(sorted({name.partition(".")[0] for name in loaded} - set(sys.stdlib_module_names) - {"momlint", "numpy"}))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    momlint, others = done.stdout.splitlines()
    assert ast.literal_eval(momlint) == [
        "momlint",
        "momlint.routed",
        "momlint.routed.certificate",
        "momlint.routed.certificate.form",
        "momlint.routed.certificate.given",
        "momlint.routed.certificate.verify",
        "momlint.version",
    ]
    assert [name for name in ast.literal_eval(others) if not name.startswith("_")] == []


def test_what_the_checker_may_import() -> None:
    """Nowhere in it, late imports included, unless for types alone."""
    for name in CHECKER:
        tree = ast.parse((FOLDER / f"{name}.py").read_text(encoding="utf-8"))
        for_types = {
            inner
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            if node in for_types or not isinstance(node, ast.Import | ast.ImportFrom):
                continue
            modules = [node.module] if isinstance(node, ast.ImportFrom) else [one.name for one in node.names]
            for module in modules:
                assert module is not None
                allowed = {*sys.stdlib_module_names, "numpy"}
                assert module.partition(".")[0] in allowed or module in {
                    "momlint.routed.certificate.form",
                    "momlint.routed.certificate.given",
                }, (name, module)
                assert "importlib" not in module


def test_verifying_a_file_computes_no_path(tmp_path: Path) -> None:
    """The whole command, for an estate without a file of tables: neither engine, planner nor overlay is loaded."""
    estate = tmp_path / "estate.yaml"
    estate.write_text("momlint: 1\nbrokers: {1: , 2: }\nlinks: [{between: [1, 2]}]\nfailures: {colours: {1: []}}\n")
    certificate = str(tmp_path / "x.cert")
    check = [sys.executable, "-m", "momlint", "check", "-q", "--certificate", certificate, str(estate)]
    subprocess.run(check, check=True, timeout=60)
    code = f"""
import sys
from momlint.cli import main
assert main(["verify", {certificate!r}]) == 0
print([name for name in sys.modules if name.startswith((
    "momlint.routed.graph", "momlint.routed.smt", "momlint.routed.checks", "momlint.lint",
    "momlint.routed.overlay", "momlint.routed.recovery",
    "momlint.routed.certificate.make", "rustworkx", "networkx", "z3", "pysmt"))])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]"


def lines_of_code(path: Path) -> int:
    """Without blank lines, comments and docstrings."""
    text = path.read_text(encoding="utf-8")
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {
        line
        for node in ast.walk(ast.parse(text))
        if isinstance(node, documented) and ast.get_docstring(node) is not None
        for line in range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1)
    }
    idle = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
    code = {
        line
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in idle
        for line in range(token.start[0], token.end[0] + 1)
    }
    return len(code - docstrings)


def test_the_checker_is_short() -> None:
    assert lines_of_code(FOLDER / "verify.py") < 90
