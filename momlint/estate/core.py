"""pydantic-core without its Python half, which describes schemas to type checkers and takes as long to load as YAML.

The package's own file is not run; its compiled module needs nothing of it. Whoever imports ``pydantic_core`` later
(pydantic does) gets the whole package, with this same compiled module in it.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType
from typing import TYPE_CHECKING

__all__ = ["PydanticCustomError", "SchemaValidator", "ValidationError", "__version__", "from_json"]

_PACKAGE = "pydantic_core"
_COMPILED = f"{_PACKAGE}._pydantic_core"


def _compiled() -> ModuleType:
    spec = PathFinder.find_spec(_PACKAGE)
    if _PACKAGE in sys.modules or spec is None or spec.submodule_search_locations is None:
        return import_module(_COMPILED)
    # Stands for the package while its compiled module is found and loaded, and no longer.
    stand_in = ModuleType(_PACKAGE)
    stand_in.__path__ = list(spec.submodule_search_locations)
    sys.modules[_PACKAGE] = stand_in
    try:
        return import_module(_COMPILED)
    finally:
        del sys.modules[_PACKAGE]


if TYPE_CHECKING:
    from pydantic_core import PydanticCustomError, SchemaValidator, ValidationError, __version__, from_json
else:
    _module = _compiled()
    PydanticCustomError = _module.PydanticCustomError
    SchemaValidator = _module.SchemaValidator
    ValidationError = _module.ValidationError
    __version__ = _module.__version__
    from_json = _module.from_json
