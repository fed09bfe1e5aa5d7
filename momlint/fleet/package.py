"""momlint itself as one archive, which Spark unpacks on every worker.

What momlint depends on is compiled code and does not travel so; the workers have it installed, or get it with
``spark.archives`` (see docs/fleet.md).
"""

from __future__ import annotations

import importlib.util
import os
import py_compile
import tempfile
import zipfile
from pathlib import Path

from momlint import resources, version
from momlint.estate.language import KEPT

_FOLDERS: tuple[resources.Folder, ...] = ("rules", "templates")
#: The first moment that a zip archive can tell, so that the same momlint gives the same archive.
_LONG_AGO = (1980, 1, 1, 0, 0, 0)


def write_archive(folder: str) -> str:
    """Write ``momlint-<version>.zip`` into `folder`, and say where.

    Its modules bring their byte code along, since each worker would compile all of them again; a worker with another
    Python passes over it.
    """
    root = Path(version.__file__).resolve().parent
    path = os.path.join(folder, f"momlint-{version.__version__}.zip")
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        tempfile.TemporaryDirectory(dir=folder) as scratch,
    ):
        for source in sorted(root.rglob("*.py")):
            name = f"momlint/{source.relative_to(root).as_posix()}"
            _add(archive, name, source.read_bytes())
            _add(archive, importlib.util.cache_from_source(name), _compiled(source, name, scratch))
        _add(archive, "momlint/py.typed", b"")
        if os.path.isfile(KEPT):
            _add(archive, "momlint/estate/compiled.json", Path(KEPT).read_bytes())
        for kind in _FOLDERS:
            for name in resources.names(kind, ""):
                _add(archive, f"momlint/_data/{kind}/{name}", resources.read_text(kind, name).encode())
    return path


def _compiled(source: Path, name: str, scratch: str) -> bytes:
    # By the hash of its source, unchecked: unpacking does not keep the times of files.
    target = os.path.join(scratch, "module.pyc")
    py_compile.compile(
        str(source),
        target,
        dfile=name,
        doraise=True,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )
    return Path(target).read_bytes()


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    entry = zipfile.ZipInfo(name, _LONG_AGO)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, data)
