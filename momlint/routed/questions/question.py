"""What a check asks, and what an engine answers. Engines share this and `Overlay`, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from momlint.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from momlint.routed.overlay.form import Overlay

#: ``arrive``: the walk by next hops reaches the destination. ``arrive-within``: in at most `Question.bound` hops.
#: ``connected``: some path of live arcs leads there, whatever the tables say.
Kind: TypeAlias = Literal["arrive", "arrive-within", "connected"]


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """Does it hold for every one of these pairs in every one of these colours?

    `sources`, `dests`: int32[P], distinct pairs (a pair with source = destination holds trivially).
    `colours`: int32[K], distinct colours. A pair whose source or destination broker has failed in a colour is not
    asked in that colour: it holds there. `bound`: hops, for ``arrive-within`` only.
    """

    kind: Kind
    sources: NDArray[np.int32]
    dests: NDArray[np.int32]
    colours: NDArray[np.int32]
    bound: int | None = None


@dataclass(frozen=True, slots=True)
class Proved:
    """It holds for every pair in every colour asked."""


@dataclass(frozen=True, slots=True, eq=False)
class Refuted:
    """It fails for exactly these: int64[F], sorted keys ``(colour * n + dest) * n + source``; never empty."""

    failing: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Undecided:
    """The engine gave up; `reason` is one clause for the user. Never a pass."""

    reason: str


Verdict: TypeAlias = Proved | Refuted | Undecided


class Engine(Protocol):
    """An engine decides questions on an overlay; it raises nothing on account of what the user wrote."""

    name: str

    def decide(self, overlay: Overlay, question: Question) -> Verdict:
        """Decide `question`; a `Refuted` lists every failing pair, not only the first."""
        ...
