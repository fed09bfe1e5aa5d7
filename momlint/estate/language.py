"""The validator of a document: from the compiled models where they fit, else from the models themselves."""

from __future__ import annotations

import os
import zlib
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from momlint.estate import core, forms

if TYPE_CHECKING:
    from momlint.estate.model import EstateFile


_HERE: Final = os.path.dirname(os.path.abspath(__file__))
#: The compiled models: made when momlint is built or installed (`momlint.estate.compiling`), and not in git.
KEPT: Final = os.path.join(_HERE, "compiled.json")
#: What they are made of.
_MODELS: Final = ("model.py", "kinds.py", "pubsub_model.py", "delivery_model.py", "forms.py", "compiling.py")


class Kept(NamedTuple):
    """The compiled models, and what they were made with and of: they fit nothing else.

    `made_with`: the `release` of pydantic-core. `made_of`: `sum_of_models`. `schema`: the core schema; classes and
    functions by their names.
    """

    made_with: str
    made_of: int
    schema: dict[str, Any]


class ModelStandIn:
    """What stands for a model where the compiled schema is used: its fields as attributes."""

    # The names that pydantic-core sets.
    __slots__ = ("__dict__", "__pydantic_extra__", "__pydantic_fields_set__", "__pydantic_private__")


def release(version: str) -> str:
    """The part of a version of pydantic-core within which its schemas mean the same: ``2.50``."""
    return ".".join(version.split(".")[:2])


def validate(plain: dict[Any, Any]) -> EstateFile:
    """A plain tree as a model. Raises `momlint.estate.core.ValidationError`.

    What comes back has the fields of `EstateFile` and the models below it, and need not be instances of them.
    """
    return cast("EstateFile", _validator().validate_python(plain))


@cache
def _validator() -> Any:
    kept = _kept()
    if kept is not None:
        return core.SchemaValidator(_with_objects(kept.schema))
    from momlint.estate.model import EstateFile

    EstateFile.model_rebuild()
    return EstateFile.__pydantic_validator__


def _kept() -> Kept | None:
    """The compiled models, if they are there and fit these models and this pydantic-core."""
    try:
        with open(KEPT, "rb") as stream:
            # Not `json`, which would have to be loaded.
            kept = Kept(**core.from_json(stream.read()))
        fits = kept.made_with == release(core.__version__) and kept.made_of == sum_of_models()
    except (OSError, TypeError, ValueError):
        return None  # never made, or cut short: the models say the same
    return kept if fits else None


def sum_of_models() -> int:
    """A checksum of the files that the compiled models are made of. Raises `OSError` where they are not here."""
    found = 0
    for name in _MODELS:
        with open(os.path.join(_HERE, name), "rb") as stream:
            found = zlib.crc32(stream.read(), found)
    return found


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
            made[key] = ModelStandIn
        elif key in ("function", "discriminator") and isinstance(value, str):
            made[key] = getattr(forms, value)
        else:
            made[key] = _with_objects(value, by_name=key in ("fields", "choices"))
    return made
