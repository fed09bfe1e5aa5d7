"""Makes ``momlint/estate/compiled.json``: the models' validation rules as data.

Importing pydantic and building the models' validator costs more than half of checking a small file; what comes out
is a nested dictionary (pydantic-core's schema) that is the same every time. So it is kept when momlint is built or
installed (``hatch_build.py``), and pydantic-core, which does the validating, is all that a run needs. The models remain
what the language *is*: `momlint.estate.language` uses what is kept only where it was made of these very models for this
pydantic-core, and else the models themselves, which say the same and take longer.

``python -m momlint.estate.compiling`` makes it anew in a checkout; the tests do so before they start.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pydantic_core

from momlint.estate.language import KEPT, Kept, release, sum_of_models
from momlint.estate.model import EstateFile


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
    """What belongs in ``compiled.json``. Raises `OSError` where the models cannot be read as files."""
    kept = Kept(release(pydantic_core.__version__), sum_of_models(), compiled_schema())
    return json.dumps(kept._asdict(), separators=(",", ":")) + "\n"


def keep() -> None:
    """Write ``compiled.json`` into this package, unless it stands there as it should. Raises `OSError`."""
    made = text()
    path = Path(KEPT)
    if path.exists() and path.read_text(encoding="utf-8") == made:
        return
    # Beside it and then in its place: others may be reading, or doing the same.
    half = path.with_name(f"{path.name}.{os.getpid()}")
    half.write_text(made, encoding="utf-8")
    half.replace(path)


if __name__ == "__main__":
    keep()
