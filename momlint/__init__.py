"""momlint: a declarative linter for overlays of message brokers.

`check` and `check_text` are for programs; docs/python.md has examples. Nothing is loaded before it is used.
"""

from momlint.version import __version__

# typing has the same, and takes as long to load as all that `momlint --version` needs besides.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from momlint.api import check, check_text
    from momlint.errors import MomlintError, UsageError
    from momlint.findings import Finding, Position, Related, Report, Severity, Span, Summary, Witness

__all__ = [
    "Finding",
    "MomlintError",
    "Position",
    "Related",
    "Report",
    "Severity",
    "Span",
    "Summary",
    "UsageError",
    "Witness",
    "__version__",
    "check",
    "check_text",
]

#: Where what is not in `momlint.findings` comes from.
_ELSEWHERE = {"check": "api", "check_text": "api", "MomlintError": "errors", "UsageError": "errors"}


def __getattr__(name: str) -> "Any":
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(f"momlint.{_ELSEWHERE.get(name, 'findings')}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
