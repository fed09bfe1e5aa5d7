"""The text files that momlint is made of besides its code: `rules/` and `templates/`.

They stand at the top of a checkout and as ``momlint/_data`` in an installed wheel; nothing else in the code
knows which of the two it is.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from momlint.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

Folder: TypeAlias = Literal["rules", "templates"]


def folder(name: Folder) -> Path | Traversable:
    """The folder `name`. Raises `InternalError` when this installation lacks it."""
    checkout = Path(__file__).resolve().parent.parent
    # A folder `templates` beside an installed package is somebody else's: the project file tells a checkout.
    if (checkout / "pyproject.toml").is_file() and (checkout / name).is_dir():
        return checkout / name
    from importlib.resources import files

    packed = files("momlint").joinpath("_data", name)
    if not packed.is_dir():
        raise InternalError(
            f"this installation of momlint has no folder {name!r}; install it again, and if that does "
            "not help report it with the command you installed it with"
        )
    return packed


def read_text(name: Folder, path: str) -> str:
    """The text of one file, `path` with ``/`` as separator. Raises `InternalError` when it is not there."""
    found = folder(name).joinpath(*path.split("/"))
    if not found.is_file():
        raise InternalError(f"this installation of momlint lacks its file {name}/{path}; please report it")
    return found.read_text(encoding="utf-8")


def names(name: Folder, ending: str) -> Iterator[str]:
    """The paths of all files below the folder whose name ends with `ending`, relative to it, sorted."""
    yield from sorted(_walk(folder(name), "", ending))


def _walk(place: Path | Traversable, prefix: str, ending: str) -> Iterator[str]:
    for child in place.iterdir():
        if child.is_dir():
            yield from _walk(child, f"{prefix}{child.name}/", ending)
        elif child.name.endswith(ending):
            yield prefix + child.name
