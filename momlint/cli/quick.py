"""``momlint check`` without typer, where its arguments are plain.

typer brings pydantic along, and the two take longer than all of the checking of a small file. So the arguments of
``check`` are first read here: options by their full names or their letters, with sound values, and paths. Anything
else (help, a mistake, an unusual form) is left to typer, which has the last word on what an argument means: the two
make the same of the same arguments, and a test holds them to it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from momlint.cli.check import Arguments

if TYPE_CHECKING:
    from collections.abc import Sequence

_LETTERS = {"-f": "--format", "-o": "--output", "-j": "--jobs", "-q": "--quiet", "-w": "--watch"}
#: Option → the field of `Arguments`, and its type as it is written there.
_OPTIONS = {
    f"--{name.replace('_', '-')}": (name, getattr(kind, "__forward_arg__", kind))
    for name, kind in Arguments.__annotations__.items()
    if name != "paths"
}
#: How a value of these types is written, and what makes it one.
_NUMBERS = {
    "int | None": (re.compile("[0-9]{1,9}"), int),
    "float | None": (re.compile("[0-9]{1,9}([.][0-9]+)?"), float),
}


def plain_check(words: Sequence[str]) -> Arguments | None:
    """What `words`, those after ``check``, ask for; None where they are for typer to judge."""
    found: dict[str, Any] = {}
    paths: list[str] = []
    rest = iter(words)
    for word in rest:
        if word == "--":
            paths.extend(rest)
            break
        if word == "-" or not word.startswith("-"):
            paths.append(word)
            continue
        option, joined, value = word.partition("=")
        if joined and option in _LETTERS:
            return None
        name, kind = _OPTIONS.get(_LETTERS.get(option, option), ("", ""))
        if not kind or (joined and kind == "bool"):
            return None
        if kind == "bool":
            found[name] = True
            continue
        if not joined:
            value = next(rest, "")
        if not value or value.startswith("-"):
            return None
        if kind == "Sequence[str]":
            found.setdefault(name, []).append(value)
        elif kind == "str | None":
            found[name] = value
        else:
            form, convert = _NUMBERS[kind]
            if not form.fullmatch(value):
                return None
            found[name] = convert(value)
    return Arguments(paths, **found)
