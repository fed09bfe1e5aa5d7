"""A context of z3 for one kind of question, so that what other questions left behind changes no answer."""

from __future__ import annotations

import os
from typing import Any

from momlint.solving.limits import SEED


class OwnContext:
    """Made when it is first asked for, and anew in each process."""

    def __init__(self) -> None:
        self._made: tuple[int, Any] | None = None

    def get(self) -> Any:
        """The `z3.Context`."""
        if self._made is None or self._made[0] != os.getpid():
            import z3

            z3.set_param("smt.random_seed", SEED)
            z3.set_param("sat.random_seed", SEED)
            self._made = (os.getpid(), z3.Context())
        return self._made[1]
