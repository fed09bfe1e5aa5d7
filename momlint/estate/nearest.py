"""The nearest of the names that exist, for “did you mean”."""

from __future__ import annotations

from collections.abc import Collection

#: Comparing with more names than this takes longer than the hint is worth.
_MOST_NAMES = 20_000
_ALIKE = 0.6


def nearest(name: str, names: Collection[str], alike: float = _ALIKE) -> str | None:
    """The name most like `name` (Ratcliff/Obershelp ratio of at least `alike`, case aside), or None.

    The first of `names` wins among equals. At most 20,000 names are looked at: with more there is no hint.
    """
    if len(names) > _MOST_NAMES:
        return None
    # Imported late: a correct estate needs no hint.
    from difflib import SequenceMatcher

    matcher: SequenceMatcher[str] = SequenceMatcher(autojunk=False)
    matcher.set_seq2(name.casefold())
    best, best_ratio = None, alike
    for candidate in names:
        matcher.set_seq1(candidate.casefold())
        # The quick ratios are upper bounds.
        if min(matcher.real_quick_ratio(), matcher.quick_ratio()) < best_ratio:
            continue
        ratio = matcher.ratio()
        if ratio > best_ratio or (best is None and ratio >= best_ratio):
            best, best_ratio = candidate, ratio
    return best


def did_you_mean(name: str, names: Collection[str]) -> str:
    """``; did you mean `x`?`` or the empty text."""
    near = nearest(name, names)
    return f"; did you mean `{near}`?" if near is not None else ""


def looks_like(name: str, names: Collection[str]) -> float:
    """How much `name` is like the most similar of `names`, in letters and in shape: from 0 to 2.

    The shape of a name is what is left when every digit is taken for one and every letter for another: ``9`` is
    shaped like ``4``, and ``fibre-b`` like ``fibre-a``. Only the first 2,000 names are compared.
    """
    from difflib import SequenceMatcher
    from itertools import islice

    best = 0.0
    for candidate in islice(names, 2_000):
        letters = SequenceMatcher(None, candidate, name, autojunk=False).ratio()
        shapes = SequenceMatcher(None, _shape(candidate), _shape(name), autojunk=False).ratio()
        best = max(best, letters + shapes)
    return best


def _shape(name: str) -> str:
    return "".join("9" if letter.isdigit() else "a" if letter.isalpha() else letter for letter in name)
