"""bitwuzla as the solver, which pysmt does not know: its own parser reads the text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from momlint.errors import InternalError
from momlint.solving.limits import SEED, SolverLimits
from momlint.solving.session import Every, No

if TYPE_CHECKING:
    from momlint.solving.session import Formula


class BitwuzlaSession:
    """bitwuzla, which has read `text`; a `momlint.solving.session.Session`.

    It is held to the clock only: it has no measure of work that does not depend on the machine.
    """

    def __init__(self, text: str, limits: SolverLimits) -> None:
        import bitwuzla

        self._library = bitwuzla
        self._limits = limits
        self._terms = bitwuzla.TermManager()
        options = bitwuzla.Options()
        options.set(bitwuzla.Option.PRODUCE_MODELS, True)
        options.set(bitwuzla.Option.SEED, SEED)
        # The parser ends with the solver that it makes.
        self._parser = bitwuzla.Parser(self._terms, options)
        try:
            self._parser.parse(text, True, False)
        except bitwuzla.BitwuzlaException as problem:
            raise InternalError(f"bitwuzla cannot read a rendered script: {problem}; please report it") from problem
        self._solver = self._parser.bitwuzla()
        self._symbols = {term.symbol(): term for term in self._parser.get_declared_funs()}
        self._pushed = False

    def find(self, also: Formula | None = None) -> BitwuzlaModel | None:
        """A model of all that is required, and of `also` this once; None when there is none. Raises `GaveUp`."""
        self._drop()
        if also is not None:
            # What is asked this once stays until the model has been read.
            self._solver.push(1)
            self._pushed = True
            self._solver.assert_formula(self._term(also))
        if self._limits.milliseconds_left() is not None:
            self._solver.configure_terminator(self._limits.is_over)
        answer = self._solver.check_sat()
        if answer == self._library.Result.SAT:
            return BitwuzlaModel(self._solver, self._symbols)
        if answer == self._library.Result.UNSAT:
            return None
        self._limits.milliseconds_left()
        raise self._limits.exhausted()

    def require(self, formula: Formula) -> None:
        """From now on, models have to satisfy this too."""
        self._drop()
        self._solver.assert_formula(self._term(formula))

    def _drop(self) -> None:
        if self._pushed:
            self._solver.pop(1)
            self._pushed = False

    def _term(self, formula: Formula) -> Any:
        if isinstance(formula, str):
            return self._symbols[formula]
        kind = self._library.Kind
        if isinstance(formula, No):
            return self._terms.mk_term(kind.NOT, [self._term(formula.part)])
        parts = [self._term(part) for part in formula.parts]
        if len(parts) < 2:
            every = isinstance(formula, Every)
            return parts[0] if parts else self._terms.mk_true() if every else self._terms.mk_false()
        return self._terms.mk_term(kind.AND if isinstance(formula, Every) else kind.OR, parts)


class BitwuzlaModel:
    """The last model of bitwuzla; a `momlint.solving.session.Model`."""

    def __init__(self, solver: Any, symbols: dict[str, Any]) -> None:
        self._solver = solver
        self._symbols = symbols

    def true(self, names: Sequence[str]) -> list[int]:
        """Which of the Booleans `names` are true, as ascending indices into `names`."""
        value, symbols = self._solver.get_value, self._symbols
        return [index for index, name in enumerate(names) if value(symbols[name]).value()]
