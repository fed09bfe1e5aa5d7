"""The engine: few scripts a question, their answers put together into one verdict."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import numpy as np

from momlint.routed.overlay.ragged import distinct
from momlint.routed.questions.question import Proved, Refuted, Undecided
from momlint.routed.smt.solve import failing
from momlint.solving.choose import DEFAULT, open_session
from momlint.solving.limits import GaveUp, SolverLimits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from momlint.estate.resolved import Tolerate
    from momlint.routed.overlay.elements import Elements
    from momlint.routed.overlay.form import Overlay
    from momlint.routed.questions.failures import Kept, Smallest, Survey
    from momlint.routed.questions.question import Question, Verdict
    from momlint.routed.smt.encode import Cuts, Walks
    from momlint.routed.smt.entries import Entries
    from momlint.solving.session import Session

#: z3 resource units that one call may use when the user sets no limit: about a minute of one core.
DEFAULT_RLIMIT = 300_000_000

#: What z3 uses in a second, measured on the scripts of bench/bench_smt.py (4 to 7 million), on the low
#: side: the limit that is the same on every machine should be met before the clock's.
RLIMIT_PER_SECOND = 4_000_000


def rlimit_of(seconds: float) -> int:
    """Resource units for so many seconds."""
    return int(seconds * RLIMIT_PER_SECOND)


class SmtEngine:
    """Decides questions by asking a solver for a trap.

    `timeout`: seconds for one question (one call of `decide`), None for no clock. It is turned into a limit
    of z3 resource units for each solver call, which does not depend on the machine, and holds as wall clock
    on top. `rlimit`: that limit itself, where `timeout` should not decide it. `traps`: stop after so many
    models of traps, None for no limit; for a second opinion that should not cost more on damaged tables than
    `expected_seconds` says. `solver`: ``z3``, or the name of another one that pysmt finds installed.
    """

    def __init__(
        self,
        timeout: float | None = None,
        rlimit: int | None = None,
        traps: int | None = None,
        solver: str = "z3",
    ) -> None:
        if rlimit is None:
            rlimit = DEFAULT_RLIMIT if timeout is None else rlimit_of(timeout)
        self._timeout = timeout
        # z3 takes 0 for no limit at all, and counts in 32 bits.
        self._rlimit = min(max(1, rlimit), 2**32 - 1)
        self._traps = traps
        self._solver = solver
        #: ``smt``, or ``smt by cvc5`` where it is another solver than z3: what reports say, and `named` takes.
        self.name = "smt" if solver == DEFAULT else f"smt by {solver}"

    @classmethod
    def named(cls, name: str, timeout: float | None = None) -> SmtEngine:
        """The engine of that `name`; for whoever takes a part of a question."""
        return cls(timeout, solver=name.partition(" by ")[2] or DEFAULT)

    def decide(self, overlay: Overlay, question: Question) -> Verdict:
        """All failing keys of `question`, or that there are none, or why the solver gave up.

        Raises `ValueError` for an ``arrive-within`` question without a bound or with one below 0.
        """
        from momlint.routed.smt.scripts import sections_of

        limits = self._limits()
        keys: list[NDArray[np.int64]] = []
        models = 0
        try:
            for section in sections_of(overlay, question):
                session = self._session(overlay.n, section, limits)
                for found in failing(overlay.n, section, session):
                    models += 1
                    if self._traps is not None and models > self._traps:
                        return Undecided(f"more than {self._traps} traps were found, and the search was stopped")
                    keys.append(found)
        except GaveUp as reason:
            return Undecided(str(reason))
        failed = distinct(np.concatenate(keys)) if keys else np.zeros(0, np.int64)
        return Refuted(failed) if len(failed) else Proved()

    def survey(
        self, overlay: Overlay, elements: Elements, asked: Sequence[int], guesses: Survey = ()
    ) -> Survey | Undecided:
        """Which of the elements `asked` cut needed pairs, each failing alone; see `FailureEngine`.

        `guesses`: what another engine says. Each is looked at before the solver is asked for more: what does not cut is
        no part of the answer, and that there is nothing else the solver proves.
        """
        from momlint.routed.smt import cutsets

        limits = self._limits()

        def open_cuts(section: Cuts) -> Session:
            return self._session(overlay.n, section, limits)

        return cutsets.survey(overlay, elements, asked, open_cuts, self._traps, guesses)

    def smallest(
        self, overlay: Overlay, elements: Elements, promise: Tolerate, at_least: int = 1
    ) -> Smallest | Kept | Undecided:
        """The smallest failure within `promise` that cuts a needed pair; see `FailureEngine`."""
        from momlint.routed.smt import cutsets
        from momlint.routed.smt.scripts import failures as render

        limits = self._limits()
        # What no path joins in the first place, no failure cuts.
        intact, joined = cutsets.singles(overlay, elements, ())
        apart = self.decide(intact, joined)
        if isinstance(apart, Undecided):
            return apart
        connected = np.ones(len(overlay.pair_source), dtype=np.bool_)
        if isinstance(apart, Refuted):
            keys = overlay.keys.cell(overlay.pair_dest, overlay.pair_source)
            connected = ~np.isin(keys, apart.failing)

        def choose_from(script: cutsets.FailureScript) -> Session:
            return open_session(self._solver, render(script), limits)

        return cutsets.smallest(overlay, elements, promise, at_least, connected, choose_from)

    def _limits(self) -> SolverLimits:
        deadline = None if self._timeout is None else time.monotonic() + self._timeout
        return SolverLimits(self._rlimit, deadline, self._timeout)

    def _session(self, n: int, section: Entries | Walks | Cuts, limits: SolverLimits) -> Session:
        from momlint.routed.smt.scripts import bare

        # The largest sets first: then one model a colour is nearly always enough.
        return open_session(self._solver, bare(n, section), limits, most_true=True)
