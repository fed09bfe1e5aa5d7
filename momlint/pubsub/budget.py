"""What a search may use before it gives up, which is never a verdict."""

from __future__ import annotations

import time
from dataclasses import dataclass


class OutOfBudget(Exception):
    """Neither a trace nor the absence of one was found; the text is one clause for the user."""


@dataclass(slots=True)
class Budget:
    """What a search may use: configurations (or cubes), and time by `time.monotonic`."""

    most: int
    deadline: float | None = None
    seconds: float | None = None

    def check(self, used: int) -> None:
        """Raises `OutOfBudget` when something is used up."""
        if used > self.most:
            raise OutOfBudget(f"the search stops after {self.most:,} configurations")
        if self.deadline is not None and time.monotonic() > self.deadline:
            raise OutOfBudget(f"it takes more than {self.seconds:g} s")
