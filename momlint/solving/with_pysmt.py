"""Any other solver that pysmt knows and finds installed: pysmt reads the same text and dispatches."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from momlint.errors import InternalError
from momlint.solving.limits import SEED, SolverLimits
from momlint.solving.session import Every, No

if TYPE_CHECKING:
    from momlint.solving.session import Formula


def installed() -> tuple[str, ...]:
    """The solvers that pysmt finds here, by the names it gives them."""
    from pysmt.environment import Environment

    return tuple(sorted(Environment().factory.all_solvers()))


class PysmtSession:
    """A solver of pysmt that has read `text`; a `momlint.solving.session.Session`.

    pysmt has no common way to stop a solver: cvc5 is given both limits, with any other the clock is looked at
    between calls only. `name`: one of those `installed`.
    """

    def __init__(self, name: str, text: str, limits: SolverLimits) -> None:
        from pysmt.environment import Environment
        from pysmt.exceptions import PysmtSyntaxError
        from pysmt.smtlib.parser import SmtLibParser

        self._limits = limits
        environment = Environment()
        self._manager = environment.formula_manager
        options: dict[str, Any] = {}
        if name == "cvc5":
            options["rlimit-per"] = limits.rlimit
            milliseconds = limits.milliseconds_left()
            if milliseconds is not None:
                options["tlimit-per"] = milliseconds
        try:
            script = SmtLibParser(environment).get_script(io.StringIO(text))
        except PysmtSyntaxError as problem:
            raise InternalError(f"pysmt cannot read a rendered script: {problem}; please report it") from problem
        self._solver = environment.factory.Solver(
            name=name,
            logic="QF_UF",
            random_seed=SEED,
            incremental=True,
            generate_models=True,
            solver_options=options,
        )
        for command in script.filter_by_command_name("assert"):
            self._solver.add_assertion(command.args[0])
        self._pushed = False

    def find(self, also: Formula | None = None) -> PysmtModel | None:
        """A model of all that is required, and of `also` this once; None when there is none. Raises `GaveUp`."""
        from pysmt.exceptions import SolverReturnedUnknownResultError

        self._drop()
        if also is not None:
            # What is asked this once stays until the model has been read.
            self._solver.push()
            self._pushed = True
            self._solver.add_assertion(self._formula(also))
        self._limits.milliseconds_left()
        try:
            return PysmtModel(self._solver, self._manager) if self._solver.solve() else None
        except SolverReturnedUnknownResultError as unknown:
            self._limits.milliseconds_left()
            raise self._limits.exhausted() from unknown

    def require(self, formula: Formula) -> None:
        """From now on, models have to satisfy this too."""
        self._drop()
        self._solver.add_assertion(self._formula(formula))

    def _drop(self) -> None:
        if self._pushed:
            self._solver.pop()
            self._pushed = False

    def _formula(self, formula: Formula) -> Any:
        if isinstance(formula, str):
            return self._manager.get_symbol(formula)
        if isinstance(formula, No):
            return self._manager.Not(self._formula(formula.part))
        parts = [self._formula(part) for part in formula.parts]
        return self._manager.And(parts) if isinstance(formula, Every) else self._manager.Or(parts)


class PysmtModel:
    """The last model of a pysmt solver; a `momlint.solving.session.Model`."""

    def __init__(self, solver: Any, manager: Any) -> None:
        self._solver = solver
        self._manager = manager

    def true(self, names: Sequence[str]) -> list[int]:
        """Which of the Booleans `names` are true, as ascending indices into `names`."""
        value, symbol = self._solver.get_py_value, self._manager.get_symbol
        return [index for index, name in enumerate(names) if value(symbol(name))]
