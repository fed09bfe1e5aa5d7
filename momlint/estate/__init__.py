"""The language: YAML documents as pydantic models, and estates with their names resolved to dense integers.

    load_source(source, access=Access.of(file, root)) -> list[LoadedEstate]

One `LoadedEstate` a document: `.estate` (an `Estate`, or None), `.problems` (located, each with its file),
`.locate(place)` → file, span, via; `.problem(draft)` → a located `Problem`; `.sources` (the main one first,
then the included ones). An `Estate` with something left out says so in `Estate.incomplete` (section names) and
`Topic.incomplete`.

    json_schema() -> dict            the JSON Schema of the language, draft 2020-12

A problem has one of the codes MOM102 (invalid-estate), MOM103 (declared twice, across files), MOM104
(unknown-broker), MOM105 (duplicate-link), MOM106 (self-link), MOM108 (unknown-link); those of included files
also have the codes of the source reader. What the user wrote wrong never raises.
"""

from __future__ import annotations

from typing import Any

from momlint.estate.files import read_file
from momlint.estate.load import LoadedEstate, load_source
from momlint.estate.resolved import (
    Broker,
    Colour,
    Estate,
    Group,
    Link,
    RecoveryRow,
    Spec,
    TableRow,
    Tolerate,
    Topic,
)


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one document; see `momlint.estate.model`."""
    from momlint.estate.model import json_schema as make

    return make()


__all__ = [
    "Broker",
    "Colour",
    "Estate",
    "Group",
    "Link",
    "LoadedEstate",
    "RecoveryRow",
    "Spec",
    "TableRow",
    "Tolerate",
    "Topic",
    "json_schema",
    "load_source",
    "read_file",
]
