"""z3 as the solver: its own parser reads the text. The only module that knows z3.

z3 takes long to import, so it is imported on use, and each process has one context of its own.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from momlint.errors import InternalError
from momlint.solving.limits import SEED, GaveUp, Limits

if TYPE_CHECKING:
    from momlint.solving.selectors import Selectors

#: z3's timer and ours agree to within this many milliseconds.
_CLOCK_SLACK_MS = 10

_context: tuple[int, Any] | None = None


def context() -> Any:
    """This process's z3 context: z3's own, which it makes in any case; a forked child makes another."""
    global _context
    if _context is None or _context[0] != os.getpid():
        import z3

        _context = (os.getpid(), z3.main_ctx() if _context is None else z3.Context())
    return _context[1]


def _solver(text: str, limits: Limits) -> Any:
    """A solver that has read `text`."""
    import z3

    solver = z3.SolverFor("QF_FD", ctx=context())
    solver.set("random_seed", SEED)
    solver.set("rlimit", limits.rlimit)
    try:
        solver.from_string(text)
    except z3.Z3Exception as problem:
        raise InternalError(f"z3 cannot read a rendered script: {problem}; please report it") from problem
    return solver


def _satisfiable(solver: Any, limits: Limits) -> bool:
    """Whether there is a model. Raises `GaveUp`."""
    import z3

    milliseconds = limits.milliseconds_left()
    if milliseconds is not None:
        solver.set("timeout", milliseconds)
    answer = solver.check()
    if answer != z3.unknown:
        return bool(answer == z3.sat)
    reason = solver.reason_unknown()
    if not any(word in reason for word in ("cancel", "resource", "timeout")):
        raise GaveUp(f"z3 gave up: {reason}")
    # z3 does not say which of the two limits stopped it; its clock may be a little ahead of ours.
    left = limits.milliseconds_left()
    raise limits.exhausted() if left is None or left > _CLOCK_SLACK_MS else limits.timed_out()


class Z3Choices:
    """A z3 solver that has read `text`; `symbols`: its Booleans that stand for failures.

    A `momlint.routed.smt.cutsets.Choices`.
    """

    def __init__(self, text: str, symbols: Sequence[str], limits: Limits) -> None:
        import z3

        self._limits = limits
        self._solver = _solver(text, limits)
        self._terms = {name: z3.Bool(name, context()) for name in symbols}

    def choose(self, some_of: Sequence[str] = ()) -> frozenset[str] | None:
        """The failures of a model, one of `some_of` among them if there are any; None when there is no model.

        Raises `GaveUp`.
        """
        import z3

        self._solver.push()
        if some_of:
            self._solver.add(z3.Or([self._terms[name] for name in some_of]))
        try:
            if not _satisfiable(self._solver, self._limits):
                return None
            model = self._solver.model()
            return frozenset(name for name, term in self._terms.items() if z3.is_true(model[term]))
        finally:
            self._solver.pop()

    def fix(self, symbol: str) -> None:
        """From now on this one has failed."""
        self._solver.add(self._terms[symbol])


class Z3Session:
    """A z3 solver that has read `text`, the script of `section` (a `momlint.routed.smt.solve.Session`).

    z3's phase is set to true: it tries brokers as part of the trap first, so that the greatest trap of a
    colour comes first and one model a colour is nearly always enough.
    """

    def __init__(self, section: Selectors, text: str, limits: Limits) -> None:
        self._section = section
        self._limits = limits
        self._ctx = context()
        self._symbols: _Symbols | None = None
        self._solver = _solver(text, limits)
        self._solver.set("phase", "always_true")

    def find(self) -> _Trap | None:
        """A trap that is not blocked, or None when there is none. Raises `GaveUp`."""
        if not _satisfiable(self._solver, self._limits):
            return None
        if self._symbols is None:
            self._symbols = _Symbols(self._section, self._ctx)
        return _Trap(self._symbols, self._solver.model())

    def ask_another(self, colour: int | None, left: Sequence[int]) -> None:
        """From now on, a trap in this colour has to hold one of the sources `left`."""
        if self._symbols is not None:
            self._solver.add(self._symbols.another(colour, left))


class _Symbols:
    """The Booleans of one section as z3 terms.

    Badly damaged tables have thousands of models, and z3's own `model[…]` and `Or` build a wrapper object
    for every symbol they meet; so this holds the terms once and calls the C interface.
    """

    def __init__(self, section: Selectors, ctx: Any) -> None:
        import z3

        self.z3 = z3
        self.ctx = ctx
        bits = [self._term(f"k{i}") for i in range(section.bits)]
        self._chosen = [self._term(name) for name in section.colour_symbols]
        self._unchosen = [z3.Not(x) for x in self._chosen]
        self._sources = [self._term(name) for name in section.asked]
        # A declaration lives as long as a term of it does.
        self._keep = bits
        self.bits = [self._declaration(k) for k in bits]
        self.colours = [self._declaration(x) for x in self._chosen]
        self.sources = [self._declaration(b) for b in self._sources]

    def _term(self, name: str) -> Any:
        return self.z3.Bool(name, self.ctx)

    def _declaration(self, term: Any) -> Any:
        return self.z3.Z3_get_app_decl(self.ctx.ref(), term.ast)

    def another(self, colour: int | None, left: Sequence[int]) -> Any:
        """The clause that asks, in this colour, for a trap with one of the sources `left`."""
        terms = list(self._chosen) if colour is None else [self._unchosen[colour]]
        terms += [self._sources[i] for i in left]
        array = (self.z3.Ast * len(terms))(*(term.ast for term in terms))
        return self.z3.BoolRef(self.z3.Z3_mk_or(self.ctx.ref(), len(terms), array), self.ctx)


class _Trap:
    """A z3 model, read through the symbols of its section."""

    def __init__(self, symbols: _Symbols, model: Any) -> None:
        self._symbols = symbols
        self._model = model

    @property
    def colour(self) -> int | None:
        """The colour chosen; the bits name the only one that can be true, so there is no need to try each."""
        symbols = self._symbols
        if not symbols.colours:
            return None
        number = sum(self._is_true(bit) << i for i, bit in enumerate(symbols.bits))
        chosen = number < len(symbols.colours) and self._is_true(symbols.colours[number])
        return number if chosen else None

    def held(self, candidates: Sequence[int]) -> list[int]:
        """Which of the sources `candidates` are in the trap."""
        sources = self._symbols.sources
        return [i for i in candidates if self._is_true(sources[i])]

    def _is_true(self, declaration: Any) -> bool:
        z3, ctx = self._symbols.z3, self._symbols.ctx.ref()
        value = z3.Z3_model_get_const_interp(ctx, self._model.model, declaration)
        # A symbol without a value may have either; false will do.
        return bool(value) and z3.Z3_get_bool_value(ctx, value) == z3.Z3_L_TRUE
