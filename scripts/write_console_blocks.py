"""Put the present output below each `$ momlint` command in the documents; read the change before you commit it.

python scripts/write_console_blocks.py

A block that shows no output stays as it is, except in walks: pages that have blocks with a title. Those are files, and
what follows is run where they are, in the order of the page; Python is run too, and what it prints goes into the block
`text` below it. `tests/docs` compares.
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
#: A block of a walk, and the output below a block of Python.
STEP = re.compile(
    r'^```(?P<language>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<body>.*?)^```\n'
    r"(?P<shown>(?<=^```\n)\n```text\n.*?^```\n)?",
    re.MULTILINE | re.DOTALL,
)


def output(command: list[str], folder: str, given: str = "") -> str:
    """What a program prints in `folder`."""
    done = subprocess.run(
        command, cwd=folder, input=given, stdout=subprocess.PIPE, encoding="utf-8", check=False, timeout=300
    )
    return done.stdout.rstrip()


def momlint(line: str, folder: str) -> str:
    """What a line that begins with `$ momlint` prints."""
    return output([sys.executable, "-m", "momlint", *shlex.split(line.removeprefix("$ momlint "))], folder)


def filled(match: re.Match[str], folder: str) -> str:
    """The command and what it prints in `folder`."""
    return f"{match[1]}\n{momlint(match[1], folder)}\n"


def walked(match: re.Match[str], folder: str) -> str:
    """One step of a walk, done in `folder`."""
    language, title, body = match["language"], match["title"], match["body"]
    if title is not None:
        path = Path(folder, title)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, encoding="utf-8")
    elif language == "console":
        lines = []
        for line in body.splitlines():
            if line.startswith("$ "):
                lines += [line, *filter(None, [momlint(line, folder)])]
        return "```console\n" + "\n".join(lines) + "\n```\n" + (match["shown"] or "")
    elif language == "python" and match["shown"]:
        return f"```python\n{body}```\n\n```text\n{output([sys.executable, '-'], folder, body)}\n```\n"
    return match[0]


def main() -> None:
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]:
        text = path.read_text(encoding="utf-8")
        # What a command writes is not to stay in the checkout.
        with tempfile.TemporaryDirectory() as scratch:
            os.symlink(ROOT / "examples", os.path.join(scratch, "examples"))
            if re.search(r'^```\w+ title="', text, re.MULTILINE):
                new = STEP.sub(partial(walked, folder=scratch), text)
            else:
                new = BLOCK.sub(partial(filled, folder=scratch), text)
        if new != text:
            path.write_text(new, encoding="utf-8", newline="\n")
            print(path.relative_to(ROOT))


if __name__ == "__main__":
    main()
