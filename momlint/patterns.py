"""File patterns as users write them in ``exclude`` and ``per-file-ignores``. Imports nothing of momlint."""

from __future__ import annotations

import os
import re
from functools import lru_cache


def matches(pattern: str, file: str, base: str) -> bool:
    """Whether `pattern`, which belongs to the folder `base`, matches `file` or a folder that `file` is in.

    ``*`` and ``?`` stay within a name, ``**`` crosses folders. A pattern without ``/`` (save at its end)
    matches a name at any depth, one with ``/`` is relative to `base`. `file` may be relative to the working
    directory.
    """
    try:
        relative = os.path.relpath(file, base)
    except ValueError:  # another drive on Windows: nothing there belongs to `base`
        return False
    parts = relative.replace(os.sep, "/").split("/")
    pattern = pattern.replace(os.sep, "/").removeprefix("./").rstrip("/")
    if not pattern:
        return False
    expression = _expression(pattern)
    if "/" not in pattern:
        return any(expression.fullmatch(part) for part in parts)
    return any(expression.fullmatch("/".join(parts[:end])) for end in range(1, len(parts) + 1))


@lru_cache(maxsize=256)
def _expression(pattern: str) -> re.Pattern[str]:
    pieces = []
    for token in re.findall(r"\*\*/|\*\*|\*|\?|\[!?[^\]]+\]|.", pattern, re.DOTALL):
        match token:
            case "**/":
                pieces.append("(?:[^/]+/)*")
            case "**":
                pieces.append(".*")
            case "*":
                pieces.append("[^/]*")
            case "?":
                pieces.append("[^/]")
            case _ if len(token) > 1:
                inner = token[1:-1].replace("\\", "\\\\").replace("[", "\\[")
                pieces.append(f"[^{inner[1:]}]" if inner.startswith("!") else f"[{inner}]")
            case _:
                pieces.append(re.escape(token))
    try:
        return re.compile("".join(pieces), re.DOTALL)
    except re.error:  # a set such as [z-a] is no set: take the pattern as it stands
        return re.compile(re.escape(pattern))
