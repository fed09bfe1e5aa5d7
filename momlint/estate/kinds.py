"""What the models of all sections are made of: ids, texts, flags, counts, and the words for them in messages."""

# Annotations are read at run time, so no `from __future__ import annotations`: it would cost a pass of
# `eval`.
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from momlint.estate.forms import LARGEST_COUNT, read_count, read_flag


class Takes:
    """What belongs in a place, in the words of a message: “takes *a list of broker ids*”."""

    __slots__ = ("words",)

    def __init__(self, words: str) -> None:
        self.words = words


_SCALAR = ["string", "number", "boolean"]

Id = Annotated[
    str,
    Field(min_length=1),
    Takes("an id"),
    WithJsonSchema({"type": _SCALAR, "minLength": 1}),
]
Text = Annotated[str, Takes("a string"), WithJsonSchema({"type": _SCALAR})]
Formula = Annotated[str, Field(min_length=1), Takes("a formula as a string")]
Path = Annotated[str, Field(min_length=1), Takes("a path"), WithJsonSchema({"type": "string", "minLength": 1})]

Flag = Annotated[bool, BeforeValidator(read_flag), Takes("true or false")]
Count = Annotated[int, Field(ge=0, le=LARGEST_COUNT), BeforeValidator(read_count), Takes("a whole number, 0 or more")]


class Model(BaseModel):
    """A mapping with known keys, and no others."""

    # Building a validator costs a millisecond a model: only the one of the whole document is needed.
    model_config = ConfigDict(extra="forbid", defer_build=True)
