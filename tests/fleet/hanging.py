"""A file that hangs whoever opens it, as one on a dead network drive does; named pipes are refused before."""

from __future__ import annotations

from pathlib import Path

#: What its name ends with.
HANGING = "hangs.mom.yaml"

_SITE = f"""\
import sys, time

def hang(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and arguments[0].endswith({HANGING!r}):
        time.sleep(10_000)

sys.addaudithook(hang)
"""


def hanging_site(folder: Path) -> str:
    """A new folder below `folder`: with it on its path, a Python that starts hangs where it opens such a file."""
    site = folder / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text(_SITE)
    return str(site)
