"""Which solver answers: z3, or another that is installed."""

from __future__ import annotations

import functools
import importlib.util
from typing import TYPE_CHECKING

from momlint.errors import UsageError

if TYPE_CHECKING:
    from momlint.solving.limits import SolverLimits
    from momlint.solving.session import Session

#: The solver that comes with momlint.
DEFAULT = "z3"

#: What pysmt calls a solver that everybody calls otherwise.
_PYSMT_NAMES = {"mathsat": "msat", "boolector": "btor"}
_NAMES = {pysmt: name for name, pysmt in _PYSMT_NAMES.items()}


@functools.cache
def installed() -> tuple[str, ...]:
    """The names of the solvers that are found here, sorted."""
    from momlint.solving import with_pysmt

    found = {_NAMES.get(name, name) for name in with_pysmt.installed()}
    if importlib.util.find_spec("bitwuzla") is not None:
        found.add("bitwuzla")
    return tuple(sorted({DEFAULT, *found}))


def require_installed(name: str, where: str) -> None:
    """Raises `UsageError` with the names of those there are, for a solver that is not there; `where` says who asked."""
    if name != DEFAULT and name not in (found := installed()):
        raise UsageError(f"{where}: there is no solver {name!r} here; found: {', '.join(found)}")


def open_session(name: str, text: str, limits: SolverLimits, *, most_true: bool = False) -> Session:
    """A session of the solver `name` that has read `text`.

    `most_true`: models in which more is true are wanted first; a hint that z3 takes. Raises `UsageError` for a solver
    that is not there, `GaveUp` when the time is over.
    """
    if name == DEFAULT:
        from momlint.solving.with_z3 import Z3Session

        return Z3Session(text, limits, most_true=most_true)
    require_installed(name, "the solver")
    if name == "bitwuzla":
        from momlint.solving.with_bitwuzla import BitwuzlaSession

        return BitwuzlaSession(text, limits)
    from momlint.solving.with_pysmt import PysmtSession

    return PysmtSession(_PYSMT_NAMES.get(name, name), text, limits)
