"""How long a solver may take, and what is said when it takes longer."""

from __future__ import annotations

import time

from momlint.records import dataclass

#: Any number, but always the same: the same input takes the same course.
SEED = 1


class GaveUp(Exception):
    """Time, memory or steps are used up, and nothing is proved or refuted; the text is one clause for the user."""


@dataclass(frozen=True, slots=True)
class SolverLimits:
    """`rlimit`: resource units for one call. `deadline`: of all calls together, by `time.monotonic`, None
    without one. `seconds`: what that was set to, for the message."""

    rlimit: int
    deadline: float | None = None
    seconds: float | None = None

    def milliseconds_left(self) -> int | None:
        """What is left until the deadline. Raises `GaveUp` when nothing is."""
        if self.deadline is None:
            return None
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise self.timed_out()
        return max(1, int(left * 1000))

    def is_over(self) -> bool:
        """Whether there is a deadline, and nothing is left until then."""
        return self.deadline is not None and time.monotonic() >= self.deadline

    def timed_out(self) -> GaveUp:
        """The time is over."""
        return GaveUp(f"the solver found no answer within {self.seconds:g} s")

    def exhausted(self) -> GaveUp:
        """The resources are."""
        return GaveUp(f"the solver found no answer within {self.rlimit} resource units")
