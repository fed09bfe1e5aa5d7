"""pyarrow, which reads and writes Parquet, is an extra of momlint's; what to say where it is missing."""

from __future__ import annotations

from typing import Final

#: What helps.
INSTALL: Final = 'pip install "momlint[parquet]"'


def is_parquet(path: str) -> bool:
    """Whether a file or folder of rows is Parquet, which its ending says."""
    return path.lower().endswith((".parquet", ".pq"))


def why_no_parquet() -> str | None:
    """Why Parquet can be neither read nor written here, as the end of a sentence; None where it can."""
    try:
        import pyarrow.parquet  # noqa: F401
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "pyarrow":
            return "Parquet needs pyarrow, which is not installed"
        return f"Parquet needs pyarrow, which cannot be loaded: {error}"
    except ImportError as error:
        return f"Parquet needs pyarrow, which cannot be loaded: {error}"
    return None
