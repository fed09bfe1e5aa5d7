"""Why no number of clients can do what must never be, and a checker that shares nothing with the search.

violation(model, invariant, limits, solver) -> str | None     what an invariant fails to show; None: it is a proof
in_words(model, invariant) -> list[str]                       what it says of clients
"""

from __future__ import annotations

from momlint.pubsub.certificate.check import violation
from momlint.pubsub.certificate.invariant import Excluded, Invariant

__all__ = ["Excluded", "Invariant", "violation"]
