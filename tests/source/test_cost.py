"""What reading costs before the first byte is read."""

from __future__ import annotations

import subprocess
import sys


def test_the_import_is_cheap() -> None:
    code = "import sys, momlint.source; print(' '.join(sorted(sys.modules)))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"yaml", "numpy", "pydantic", "typer", "z3", "jinja2", "networkx", "rustworkx", "json", "datetime"}
    assert not heavy & set(loaded)


def test_the_collector_is_left_as_it_was() -> None:
    code = """
import gc
from momlint.source import read_source
frozen = gc.get_freeze_count()  # none before Python 3.12
read_source(b"a: 1")
assert gc.isenabled() and gc.get_freeze_count() == frozen
gc.disable()
read_source(b"a: 1")
assert not gc.isenabled()
gc.freeze()
gc.enable()
frozen = gc.get_freeze_count()
read_source(b"a: [")
assert gc.isenabled() and gc.get_freeze_count() == frozen
"""
    subprocess.run([sys.executable, "-c", code], check=True)
