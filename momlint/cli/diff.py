"""``momlint diff``: what changes for users from one state of an estate to the next."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from momlint import config
from momlint.cli import estates, exits
from momlint.cli.console import complain, refuse_input, write
from momlint.cli.reading import Reading

if TYPE_CHECKING:
    from momlint.estate import LoadedEstate

Form: TypeAlias = Literal["text", "json", "markdown"]


def diff(old: str, new: str, form: str, name: str | None, output: str | None, reading: Reading) -> int:
    """Write what changes from `old` to `new`; 1 where a pair is newly broken, else 0. Raises `UsageError`."""
    from momlint.report import changes
    from momlint.routed.difference import compare

    chosen: Form = config.choice("--format", form, get_args(Form))
    refuse_input("--output", output, [old, new])
    loaded = [estates.load(path, name, reading) for path in (old, new)]
    for one in loaded:
        _warn(one)
    before, after = (one.estate for one in loaded)
    assert before is not None
    assert after is not None
    comparison = compare(before, after)
    renderers = {"text": changes.text, "json": changes.json_text, "markdown": changes.markdown}
    write(renderers[chosen](comparison), output)
    return exits.FINDINGS if comparison.of("broken") else exits.OK


def _warn(loaded: LoadedEstate) -> None:
    if loaded.problems or loaded.source.problems:
        file = loaded.source.file
        complain(f"momlint: note: {file}: this estate has errors; `momlint check` shows them")
