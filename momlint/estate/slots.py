"""What the models say about a place in a document: which fields it has, and what belongs there."""

from __future__ import annotations

import types
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

from pydantic import BaseModel, Tag
from pydantic.fields import FieldInfo

from momlint.estate.model import EstateFile, Takes


class Slot(NamedTuple):
    """A place as the models see it: `takes` in words, its field's `description`, its `model` if any."""

    takes: str
    description: str
    model: type[BaseModel] | None


def slot(location: tuple[str | int, ...]) -> Slot:
    """The slot at the location of a pydantic error; the deepest the models know, if they do not know it."""
    annotation, takes = _unwrap(EstateFile)
    description = ""
    for segment in location:
        if isinstance(segment, str) and segment.startswith("\0"):
            annotation, takes = _unwrap(_tagged(annotation, segment), takes)
        elif _is_model(annotation):
            field = fields(annotation).get(str(segment))
            if field is None:
                break
            annotation, takes = _unwrap(field.annotation, _words(field.metadata))
            description = field.description or ""
        elif get_origin(annotation) is dict:
            annotation, takes = _unwrap(get_args(annotation)[1])
        elif get_origin(annotation) is list:
            annotation, takes = _unwrap(get_args(annotation)[0])
        else:
            break
    return Slot(takes, description, annotation if _is_model(annotation) else None)


def known_fields(location: tuple[str | int, ...]) -> dict[str, FieldInfo]:
    """The fields that may stand at a location, by the names that stand in the YAML; none where no model is known."""
    model = slot(location).model
    return fields(model) if model is not None else {}


def fields(model: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields by the names that stand in the YAML."""
    return {field.alias or name: field for name, field in model.model_fields.items()}


def home_of(name: str) -> str | None:
    """Where a field called `name` belongs: a section, "" for the top level, or None for nowhere."""
    top = fields(EstateFile)
    if name in top:
        return ""
    for section, field in top.items():
        annotation, _ = _unwrap(field.annotation)
        if _is_model(annotation) and name in fields(annotation):
            return section
    return None


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _words(metadata: Any) -> str:
    return next((item.words for item in metadata if isinstance(item, Takes)), "")


def _unwrap(annotation: Any, takes: str = "") -> tuple[Any, str]:
    # Peels Annotated and Optional; the outermost words win, they speak of the whole.
    while True:
        origin = get_origin(annotation)
        if origin is Annotated:
            annotation, *metadata = get_args(annotation)
            takes = takes or _words(metadata)
        elif _is_union(origin):
            members = [item for item in get_args(annotation) if item is not types.NoneType]
            if len(members) != 1:
                return annotation, takes
            annotation = members[0]
        else:
            return annotation, takes


def _is_union(origin: Any) -> bool:
    return origin is Union or origin is types.UnionType


def _tagged(union: Any, tag: str) -> Any:
    for member in get_args(union):
        if any(isinstance(item, Tag) and item.tag == tag for item in get_args(member)[1:]):
            return member
    return union
