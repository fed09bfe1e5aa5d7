"""Writes `momlint.estate.compiled`: the models' validation rules as data.

``python -m momlint.estate.compiling && ruff format momlint/estate`` after every change of `momlint.estate.model`,
and with a new pydantic.

Importing pydantic and building the models' validator costs more than half of checking a small file; what comes out
is a nested dictionary (pydantic-core's schema) that is the same every time. So it is kept, and pydantic-core, which
does the validating, is all that a run needs. The models remain what the language *is*: the file is made of them and
a test holds the two together; with another pydantic-core the models are used themselves.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pydantic_core

from momlint.estate.language import release
from momlint.estate.model import EstateFile

_HEAD = '''"""Made by `momlint.estate.compiling` out of `momlint.estate.model`; not to be edited."""

# ruff: noqa: E501

from typing import Any

#: The release of pydantic-core that it was made with.
MADE_WITH = {release!r}

#: The core schema; classes and functions by their names.
SCHEMA: dict[str, Any] = {schema}
'''


def compiled_schema() -> dict[str, Any]:
    """The core schema of `EstateFile` as plain data: without descriptions, classes and functions by name."""
    EstateFile.model_rebuild()
    data = _as_data(EstateFile.__pydantic_core_schema__)
    assert isinstance(data, dict)
    return data


def _as_data(value: Any, *, by_name: bool = False) -> Any:
    """`by_name`: the keys of a dictionary are names of fields or forms, and not words of the schema."""
    if isinstance(value, dict):
        data = {}
        for key, inner in value.items():
            if by_name:
                data[key] = _as_data(inner)
            elif key in ("metadata", "serialization", "serialization_alias", "title", "computed_fields"):
                continue  # for JSON Schema, for writing, for messages
            elif key in ("ref", "schema_ref"):
                data[key] = inner.rpartition(":")[0].rpartition(".")[2]  # without the address in memory
            elif key in ("function", "discriminator") and callable(inner):
                data[key] = inner.__name__
            else:
                data[key] = _as_data(inner, by_name=key in ("fields", "choices"))
        return data
    if isinstance(value, list | tuple):
        return [_as_data(item) for item in value]
    if isinstance(value, type):
        return value.__name__
    if value is None or isinstance(value, str | int | float | bool):
        return value
    raise TypeError(f"{value!r} cannot be kept as data")


def text() -> str:
    """What belongs in ``compiled.py``."""
    return _HEAD.format(release=release(pydantic_core.__version__), schema=repr(compiled_schema()))


if __name__ == "__main__":
    Path(__file__).with_name("compiled.py").write_text(text(), encoding="utf-8")
