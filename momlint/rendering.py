"""The templates of `templates/`, ready to be rendered. jinja2 is imported with the first of them."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from typing import TYPE_CHECKING

from momlint import resources

if TYPE_CHECKING:
    from jinja2 import Environment, FileSystemBytecodeCache, Template
    from jinja2.bccache import Bucket


@functools.cache
def template(name: str) -> Template:
    """The template `name` (``cut.smt2.j2``), which may include others.

    What it has no value for is an error when it is rendered, not an empty text. Raises `momlint.errors.InternalError`
    where this installation lacks it.
    """
    return _environment().get_template(name)


@functools.cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    return Environment(
        loader=FunctionLoader(lambda name: resources.read_text("templates", name)),
        bytecode_cache=_compiled_templates(),
        undefined=StrictUndefined,
        # Markup, and no other text.
        autoescape=lambda name: name is not None and name.endswith((".html.j2", ".svg.j2")),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _compiled_templates() -> FileSystemBytecodeCache:
    """Compiled templates, where Python keeps this module compiled: compiling them costs as much as a small estate.

    jinja2 looks whether they belong to the text, to its own version and to Python's.
    """
    from importlib.util import cache_from_source

    from jinja2 import FileSystemBytecodeCache

    class Compiled(FileSystemBytecodeCache):
        def dump_bytecode(self, bucket: Bucket) -> None:
            # A folder that is not there or cannot be written to costs time and nothing else.
            if not sys.dont_write_bytecode:
                with contextlib.suppress(OSError):
                    super().dump_bytecode(bucket)

    return Compiled(os.path.dirname(cache_from_source(__file__)), "momlint-%s.template")
