"""The text files that momlint is made of besides its code: `rules/` and `templates/`.

They stand at the top of a checkout and as ``momlint/_data`` in an installed wheel; nothing else in the code
knows which of the two it is. `os` and not `pathlib`, which takes longer to load than all rules' names to read.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, TypeAlias

from momlint.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Iterator

Folder: TypeAlias = Literal["rules", "templates"]


def folder(name: Folder) -> str:
    """The path of the folder `name`. Raises `InternalError` when this installation lacks it."""
    package = os.path.dirname(os.path.realpath(__file__))
    checkout = os.path.dirname(package)
    # A folder `templates` beside an installed package is somebody else's: the project file tells a checkout.
    if os.path.isfile(os.path.join(checkout, "pyproject.toml")) and os.path.isdir(os.path.join(checkout, name)):
        return os.path.join(checkout, name)
    packed = os.path.join(package, "_data", name)
    if not os.path.isdir(packed):
        raise InternalError(
            f"this installation of momlint has no folder {name!r}; reinstall it, and if that does "
            "not help, report it with the command you used to install it"
        )
    return packed


def read_text(name: Folder, path: str) -> str:
    """The text of one file, `path` with ``/`` as separator. Raises `InternalError` when it is not there."""
    try:
        with open(os.path.join(folder(name), *path.split("/")), encoding="utf-8") as stream:
            return stream.read()
    except OSError as error:
        raise InternalError(f"this installation of momlint lacks its file {name}/{path}; please report it") from error


def names(name: Folder, ending: str) -> Iterator[str]:
    """The paths of all files below the folder whose name ends with `ending`, relative to it, sorted."""
    yield from sorted(_walk(folder(name), "", ending))


def _walk(place: str, prefix: str, ending: str) -> Iterator[str]:
    with os.scandir(place) as children:
        for child in children:
            if child.is_dir():
                yield from _walk(child.path, f"{prefix}{child.name}/", ending)
            elif child.name.endswith(ending):
                yield prefix + child.name
