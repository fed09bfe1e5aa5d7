"""z3's optimiser: the best model of a script with soft assertions, and that there is no better one."""

from __future__ import annotations

from typing import Any

from momlint.errors import InternalError
from momlint.solving.contexts import OwnContext
from momlint.solving.limits import GaveUp, SolverLimits

_context = OwnContext()


def optimum(text: str, names: list[str], limits: SolverLimits) -> list[str] | None:
    """Which of the Booleans `names` are true in a best model of the SMT-LIB `text`; None where there is no model.

    What is soft (``assert-soft``) is optimised group by group (``:id``), in the order in which the groups come first:
    no model is better in the first of them, none of those in the second, and so on. z3 proves that. Raises
    `momlint.solving.limits.GaveUp` where it does not within `limits`.
    """
    import z3

    optimiser = z3.Optimize(ctx=_context.get())
    settings: dict[str, Any] = {"priority": "lex", "rlimit": limits.rlimit}
    milliseconds = limits.milliseconds_left()
    if milliseconds is not None:
        settings["timeout"] = milliseconds
    optimiser.set(**settings)
    try:
        optimiser.from_string(text)
    except z3.Z3Exception as problem:
        raise InternalError(f"z3 cannot read a rendered script: {problem}; please report it") from problem
    answer = optimiser.check()
    if answer == z3.unsat:
        return None
    if answer != z3.sat:
        if limits.is_over():
            raise limits.timed_out()
        raise GaveUp(f"z3 gave up: {optimiser.reason_unknown()}")
    model = optimiser.model()
    true = {str(symbol) for symbol in model.decls() if z3.is_true(model[symbol])}
    return [name for name in names if name in true]
