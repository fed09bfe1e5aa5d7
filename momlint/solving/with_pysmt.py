"""Any other solver that pysmt knows and finds installed: pysmt reads the same text and dispatches."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from momlint.errors import InternalError, UsageError
from momlint.solving.limits import SEED, Limits

if TYPE_CHECKING:
    from momlint.solving.selectors import Selectors


class _Reader:
    """A solver of pysmt that has read `text`.

    pysmt has no common way to stop a solver: cvc5 is given both limits, with any other the clock is looked at
    between calls only. Raises `UsageError` for a solver that is not there.
    """

    def __init__(self, name: str, text: str, limits: Limits) -> None:
        from pysmt.environment import Environment
        from pysmt.exceptions import PysmtSyntaxError
        from pysmt.smtlib.parser import SmtLibParser

        self._limits = limits
        environment = Environment()
        self._manager = environment.formula_manager
        installed = environment.factory.all_solvers()
        if name not in installed:
            raise UsageError(f"there is no solver {name!r} here; pysmt finds {', '.join(sorted(installed))}")
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

    def _symbol(self, name: str) -> Any:
        return self._manager.get_symbol(name)

    def _satisfiable(self) -> bool:
        from pysmt.exceptions import SolverReturnedUnknownResultError

        self._limits.milliseconds_left()
        try:
            return bool(self._solver.solve())
        except SolverReturnedUnknownResultError as unknown:
            self._limits.milliseconds_left()
            raise self._limits.exhausted() from unknown


class PysmtChoices(_Reader):
    """A solver of pysmt that has read `text`; a `momlint.routed.smt.cutsets.Choices`."""

    def __init__(self, name: str, text: str, symbols: Sequence[str], limits: Limits) -> None:
        super().__init__(name, text, limits)
        self._names = tuple(symbols)

    def choose(self, some_of: Sequence[str] = ()) -> frozenset[str] | None:
        """The failures of a model, one of `some_of` among them if there are any; None when there is no model.

        Raises `GaveUp`.
        """
        self._solver.push()
        try:
            if some_of:
                self._solver.add_assertion(self._manager.Or(*(self._symbol(name) for name in some_of)))
            if not self._satisfiable():
                return None
            return frozenset(name for name in self._names if self._solver.get_py_value(self._symbol(name)))
        finally:
            self._solver.pop()

    def fix(self, symbol: str) -> None:
        """From now on this one has failed."""
        self._solver.add_assertion(self._symbol(symbol))


class PysmtSession(_Reader):
    """A solver of pysmt that has read `text`, the script of `section`; a `momlint.routed.smt.solve.Session`."""

    def __init__(self, name: str, section: Selectors, text: str, limits: Limits) -> None:
        super().__init__(name, text, limits)
        self._colours = [self._symbol(name) for name in section.colour_symbols]
        self._sources = [self._symbol(name) for name in section.asked]

    def find(self) -> _Trap | None:
        """A trap that is not blocked, or None when there is none. Raises `GaveUp`."""
        return _Trap(self._solver, self._colours, self._sources) if self._satisfiable() else None

    def ask_another(self, colour: int | None, left: Sequence[int]) -> None:
        """From now on, a trap in this colour has to hold one of the sources `left`."""
        terms = list(self._colours) if colour is None else [self._manager.Not(self._colours[colour])]
        self._solver.add_assertion(self._manager.Or(*terms, *(self._sources[i] for i in left)))


class _Trap:
    """The last model of a pysmt solver."""

    def __init__(self, solver: Any, colours: list[Any], sources: list[Any]) -> None:
        self._solver = solver
        self._colours = colours
        self._sources = sources

    @property
    def colour(self) -> int | None:
        """The colour chosen."""
        return next((i for i, x in enumerate(self._colours) if self._solver.get_py_value(x)), None)

    def held(self, candidates: Sequence[int]) -> list[int]:
        """Which of the sources `candidates` are in the trap."""
        return [i for i in candidates if self._solver.get_py_value(self._sources[i])]
