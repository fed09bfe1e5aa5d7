"""z3's unsatisfiable cores: which assumptions a script cannot do with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from momlint.errors import InternalError
from momlint.solving.contexts import OwnContext
from momlint.solving.limits import GaveUp, SolverLimits

_context = OwnContext()


class Assuming:
    """One SMT-LIB script, asked under assumptions. Methods raise `GaveUp` where z3 does not answer within `limits`."""

    def __init__(self, text: str, limits: SolverLimits) -> None:
        import z3

        self._limits = limits
        self._solver = z3.Solver(ctx=_context.get())
        settings: dict[str, Any] = {"rlimit": limits.rlimit}
        milliseconds = limits.milliseconds_left()
        if milliseconds is not None:
            settings["timeout"] = milliseconds
        self._solver.set(**settings)
        try:
            self._solver.from_string(text)
        except z3.Z3Exception as problem:
            raise InternalError(f"z3 cannot read a rendered script: {problem}; please report it") from problem

    def core(self, names: Sequence[str]) -> list[str] | None:
        """Of the Booleans `names`, some that cannot all be true; None where they can."""
        import z3

        literals = [z3.Bool(name, ctx=self._solver.ctx) for name in names]
        answer = self._solver.check(*literals)
        if answer == z3.sat:
            return None
        if answer != z3.unsat:
            if self._limits.is_over():
                raise self._limits.timed_out()
            raise GaveUp(f"z3 gave up: {self._solver.reason_unknown()}")
        found = {str(literal) for literal in self._solver.unsat_core()}
        return [name for name in names if name in found]


__all__ = ["Assuming"]
