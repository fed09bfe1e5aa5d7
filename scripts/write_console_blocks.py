"""Put the present output below each `$ momlint` command in the documents; read the change before you commit it.

python scripts/write_console_blocks.py

A block that shows no output stays as it is. `tests/docs` compares.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"(?<=^```console\n)(\$ momlint [^\n]*)\n(?!\$ )(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)


def filled(match: re.Match[str], folder: str) -> str:
    """The command and what it prints in `folder`."""
    arguments = shlex.split(match[1].removeprefix("$ momlint "))
    done = subprocess.run(
        [sys.executable, "-m", "momlint", *arguments],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return f"{match[1]}\n{done.stdout.rstrip()}\n"


# What a command writes is not to stay in the checkout.
with tempfile.TemporaryDirectory() as scratch:
    os.symlink(ROOT / "examples", os.path.join(scratch, "examples"))
    for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        text = path.read_text(encoding="utf-8")
        new = BLOCK.sub(partial(filled, folder=scratch), text)
        if new != text:
            path.write_text(new, encoding="utf-8", newline="\n")
            print(path.relative_to(ROOT))
