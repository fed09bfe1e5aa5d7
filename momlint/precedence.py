"""Which of several findings about one thing is told: the one that the others yield to.

The rules' files say which rule yields to which, and by what kind of thing (``yields_to``); the drafts say what they are
about (`Draft.about`). A draft yields only to one that is really reported: whoever ignores that one, by whatever means,
hears the next.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from momlint.errors import InternalError, ReplayError
from momlint.findings import Draft, Subject
from momlint.records import dataclass

#: Code → the codes that it yields to, each with the kinds of things by which it does.
Yields = Callable[[str], Mapping[str, frozenset[str]]]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A draft of a selected rule; `is_reported`: nothing at its place keeps it from the report (see `momlint.lint`)."""

    draft: Draft
    is_reported: bool


def settle(candidates: Iterable[Candidate], yields: Yields, failed: Callable[[str, ReplayError], None]) -> list[Draft]:
    """The drafts of `candidates` that yield to no other, rule by rule in the order of precedence.

    Rules that yield to nobody come first. Of two rules that yield to each other, the draft with the smaller
    `Draft.rank` comes first, then the smaller code. A draft yields where each of the things it is about is told already
    by one of its names; one that can say less (`Draft.without`) is asked for what is left of it.

    `failed` is called with the code of a draft of which that raised a `ReplayError`; the draft is left out.

    Raises `InternalError` where rules yield in a circle.
    """
    found = list(candidates)
    level = _levels({one.draft.code for one in found}, yields)
    found.sort(key=lambda one: (level[one.draft.code], one.draft.rank, one.draft.code))
    told: dict[str, set[Subject]] = {}
    kept: list[Draft] = []
    for one in found:
        is_told = _Told(yields(one.draft.code), told)
        try:
            draft = _left(one.draft, is_told) if is_told.possible else one.draft
        except ReplayError as error:
            failed(one.draft.code, error)
            continue
        if draft is None:
            continue
        kept.append(draft)
        if one.is_reported:
            told.setdefault(draft.code, set()).update(*draft.about)
    return kept


class _Told:
    """Whether a thing is told by a rule that one rule yields to, by a kind of thing that counts between the two."""

    def __init__(self, yields: Mapping[str, frozenset[str]], told: Mapping[str, set[Subject]]) -> None:
        self.by = [(kinds, told[code]) for code, kinds in yields.items() if code in told]

    @property
    def possible(self) -> bool:
        """Whether anything is told at all."""
        return bool(self.by)

    def __call__(self, subject: Subject) -> bool:
        return any(subject[0] in kinds and subject in subjects for kinds, subjects in self.by)


def _left(draft: Draft, is_told: Callable[[Subject], bool]) -> Draft | None:
    if draft.without is not None:
        return draft.without(is_told)
    if draft.about and all(any(map(is_told, names)) for names in draft.about):
        return None
    return draft


def _levels(codes: set[str], yields: Yields) -> dict[str, int]:
    """For each of `codes` how many of them stand before it in the longest chain; those that yield mutually are one."""
    yielding_to = {code: codes.intersection(yields(code)) for code in codes}
    peers = {code: {other for other in yielding_to[code] if code in yielding_to[other]} for code in codes}
    known: dict[str, int] = {}

    def level(code: str, path: tuple[str, ...]) -> int:
        if code in path:
            raise InternalError(f"rules yield in a circle: {', '.join((*path, code))}")
        if code not in known:
            first = yielding_to[code].union(*(yielding_to[peer] for peer in peers[code])) - peers[code] - {code}
            known[code] = 1 + max((level(other, (*path, code)) for other in first), default=-1)
        return known[code]

    return {code: level(code, ()) for code in codes}
