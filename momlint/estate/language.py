"""The validator of a document: from the compiled models where they fit, else from the models themselves."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, cast

import pydantic_core

from momlint.estate import compiled, forms

if TYPE_CHECKING:
    from momlint.estate.model import EstateFile


class Entry:
    """What stands for a model where the compiled schema is used: its fields as attributes."""

    # The names that pydantic-core sets.
    __slots__ = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__")


def release(version: str) -> str:
    """The part of a version of pydantic-core within which its schemas mean the same: ``2.50``."""
    return ".".join(version.split(".")[:2])


def validate(plain: dict[Any, Any]) -> EstateFile:
    """A plain tree as a model. Raises `pydantic_core.ValidationError`.

    What comes back has the fields of `EstateFile` and the models below it, and need not be instances of them.
    """
    return cast("EstateFile", _validator().validate_python(plain))


@cache
def _validator() -> Any:
    if release(pydantic_core.__version__) == compiled.MADE_WITH:
        return pydantic_core.SchemaValidator(_with_objects(compiled.SCHEMA))
    from momlint.estate.model import EstateFile

    EstateFile.model_rebuild()
    return EstateFile.__pydantic_validator__


def _with_objects(data: Any, *, by_name: bool = False) -> Any:
    """The schema with classes and functions in the place of their names; `by_name` as in `compiling`."""
    if isinstance(data, list):
        return [_with_objects(item) for item in data]
    if not isinstance(data, dict):
        return data
    made = {}
    for key, value in data.items():
        if by_name:
            made[key] = _with_objects(value)
        elif key == "cls":
            made[key] = Entry
        elif key in ("function", "discriminator") and isinstance(value, str):
            made[key] = getattr(forms, value)
        else:
            made[key] = _with_objects(value, by_name=key in ("fields", "choices"))
    return made
