"""z3 as the solver: its own parser reads the text. Only this module and `optimising` know z3.

z3 takes long to import, so it is imported on use, and each process has one context of its own.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from momlint.errors import InternalError
from momlint.solving.limits import SEED, GaveUp, SolverLimits
from momlint.solving.session import Every, No, Some

if TYPE_CHECKING:
    from momlint.solving.session import Formula

#: z3's timer and ours agree to within this many milliseconds.
_CLOCK_SLACK_MS = 10

#: Booleans that are kept from one script to the next.
MOST_SYMBOLS = 100_000

_context: tuple[int, Any] | None = None


def context() -> Any:
    """This process's z3 context: z3's own, which it makes in any case; a forked child makes another."""
    global _context
    if _context is None or _context[0] != os.getpid():
        import z3

        _context = (os.getpid(), z3.main_ctx() if _context is None else z3.Context())
    return _context[1]


class _Library(NamedTuple):
    """The functions of z3's library that every symbol of a model or a formula is passed to."""

    Z3_model_get_const_interp: Any
    Z3_mk_and: Any
    Z3_mk_not: Any
    Z3_mk_or: Any
    Z3_inc_ref: Any
    Z3_dec_ref: Any


@functools.cache
def _library() -> _Library:
    """z3's Python functions look for an error after each call; their last default holds the function itself."""
    import z3

    def below(name: str) -> Any:
        function = getattr(z3, name)
        return getattr((function.__defaults__ or (None,))[-1], "f", function)

    return _Library(*(below(name) for name in _Library._fields))


class _Symbols:
    """The Booleans of a context by name, as the library's own pointers: (the term, its declaration, its negation).

    Scripts call their symbols alike, so each is made once in a process and not once a script.
    """

    def __init__(self, context: Any) -> None:
        self.context = context
        self.known: dict[str, tuple[Any, Any, Any]] = {}
        self._kept: list[Any] = []  # a declaration lives as long as a term of it does

    def make(self, name: str) -> tuple[Any, Any, Any]:
        import z3

        term = z3.Bool(name, self.context)
        negation = z3.Not(term)
        self._kept += (term, negation)
        found = term.ast, z3.Z3_get_app_decl(self.context.ref(), term.ast), negation.ast
        self.known[name] = found
        return found


_kept_symbols: _Symbols | None = None


def _symbols(context: Any) -> _Symbols:
    """Those of `context`; new ones where there is another context, or more than anybody will use again."""
    global _kept_symbols
    if _kept_symbols is None or _kept_symbols.context is not context or len(_kept_symbols.known) > MOST_SYMBOLS:
        _kept_symbols = _Symbols(context)
    return _kept_symbols


class Z3Session:
    """A z3 solver that has read `text`; a `momlint.solving.session.Session`.

    With `most_true`, z3 tries a Boolean as true first: where models are sets of brokers, the largest come first.

    Badly damaged tables have thousands of models, and z3's own `model[…]`, `Or` and `Not` build a wrapper object and
    look for an error at every symbol; so each symbol is held once, and the library called itself.
    """

    def __init__(self, text: str, limits: SolverLimits, *, most_true: bool = False) -> None:
        import z3

        self._z3 = z3
        self._limits = limits
        self._ctx = context()
        self._library = _library()
        self._symbols = _symbols(self._ctx)
        self._true = z3.BoolVal(True, self._ctx)
        self._truth = self._true.ast.value
        self._solver = z3.SolverFor("QF_FD", ctx=self._ctx)
        settings = {"random_seed": SEED, "rlimit": limits.rlimit}
        self._solver.set(**settings, **({"phase": "always_true"} if most_true else {}))
        try:
            self._solver.from_string(text)
        except z3.Z3Exception as problem:
            raise InternalError(f"z3 cannot read a rendered script: {problem}; please report it") from problem

    def find(self, also: Formula | None = None) -> Z3Model | None:
        """A model of all that is required, and of `also` this once; None when there is none. Raises `GaveUp`."""
        if also is None:
            return self._find()
        literals = _literals(also)
        if literals is not None:
            # Without a level of its own, which takes z3 longer than the answer.
            return self._find([self._literal(one) for one in literals])
        self._solver.push()
        try:
            self.require(also)
            return self._find()
        finally:
            self._solver.pop()

    def require(self, formula: Formula) -> None:
        """From now on, models have to satisfy this too."""
        made: list[Any] = []
        context = self._ctx.ref()
        term = self._term(formula, made)
        self._z3.Z3_solver_assert(context, self._solver.solver, term)
        for one in made:
            self._library.Z3_dec_ref(context, one)

    def symbol(self, name: str) -> tuple[Any, Any, Any]:
        """The term, the declaration and the negation of a Boolean of the script."""
        return self._symbols.known.get(name) or self._symbols.make(name)

    def true(self, model: Any, names: Sequence[str]) -> list[int]:
        """Which of `names` are true in a model of z3."""
        symbol, interpretation, truth = self.symbol, self._library.Z3_model_get_const_interp, self._truth
        context, found = self._ctx.ref(), []
        for index, name in enumerate(names):
            value = interpretation(context, model.model, symbol(name)[1])
            # A symbol without a value may have either; false will do. Terms that are alike are one for z3.
            if value and value.value == truth:
                found.append(index)
        return found

    def _literal(self, literal: str | No) -> Any:
        """A symbol or its negation, as the library's own pointer."""
        return self.symbol(literal)[0] if isinstance(literal, str) else self.symbol(str(literal.part))[2]

    def _find(self, assumed: Sequence[Any] = ()) -> Z3Model | None:
        milliseconds = self._limits.milliseconds_left()
        if milliseconds is not None:
            self._solver.set("timeout", milliseconds)
        array = (self._z3.Ast * len(assumed))(*assumed)
        # `Solver.check` looks up the sort of each literal again.
        answer = self._z3.Z3_solver_check_assumptions(self._ctx.ref(), self._solver.solver, len(assumed), array)
        if answer == self._z3.Z3_L_TRUE:
            return Z3Model(self, self._solver.model())
        if answer == self._z3.Z3_L_FALSE:
            return None
        reason = self._solver.reason_unknown()
        if not any(word in reason for word in ("cancel", "resource", "timeout")):
            raise GaveUp(f"z3 gave up: {reason}")
        # z3 does not say which of the two limits stopped it; its clock may be a little ahead of ours.
        left = self._limits.milliseconds_left()
        raise self._limits.exhausted() if left is None or left > _CLOCK_SLACK_MS else self._limits.timed_out()

    def _term(self, formula: Formula, made: list[Any]) -> Any:
        """`formula` as a term of the library; those made for it are counted in `made`, and to be released."""
        if isinstance(formula, str):
            return self.symbol(formula)[0]
        context = self._ctx.ref()
        if isinstance(formula, No):
            if isinstance(formula.part, str):
                return self.symbol(formula.part)[2]
            term = self._library.Z3_mk_not(context, self._term(formula.part, made))
        else:
            terms = [self._term(part, made) for part in formula.parts]
            array = (self._z3.Ast * len(terms))(*terms)
            make = self._library.Z3_mk_and if isinstance(formula, Every) else self._library.Z3_mk_or
            term = make(context, len(terms), array)
        self._library.Z3_inc_ref(context, term)
        made.append(term)
        return term


def _literals(formula: Formula) -> list[str | No] | None:
    """The symbols, and negations of symbols, that `formula` is the conjunction of; None where it is something else."""
    if isinstance(formula, str):
        return [formula]
    if isinstance(formula, No):
        if isinstance(formula.part, str):
            return [formula]
        if isinstance(formula.part, Some) and all(isinstance(part, str) for part in formula.part.parts):
            return [No(part) for part in formula.part.parts]
    elif isinstance(formula, Every):
        parts = [_literals(part) for part in formula.parts]
        if all(part is not None for part in parts):
            return [literal for part in parts for literal in part or ()]
    return None


class Z3Model:
    """A z3 model; a `momlint.solving.session.Model`."""

    def __init__(self, session: Z3Session, model: Any) -> None:
        self._session = session
        self._model = model

    def true(self, names: Sequence[str]) -> list[int]:
        """Which of the Booleans `names` are true, as ascending indices into `names`."""
        return self._session.true(self._model, names)
