"""What shells are offered for the words of a command line: codes, rules, and the words of an option."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def codes(incomplete: str) -> list[tuple[str, str]]:
    """Codes and families after the last comma of ``MOM3,MOM6``, with what they stand for."""
    from momlint.catalog import rule_names

    before, comma, last = incomplete.rpartition(",")
    found = [(rule.code, rule.id) for rule in rule_names()]
    families = [(family, "all that begin so") for family in dict.fromkeys(code[:4] for code, _ in found)]
    return [(before + comma + code, words) for code, words in (*families, *found) if code.startswith(last)]


def rules(incomplete: str) -> list[tuple[str, str]]:
    """Codes, or names of rules."""
    from momlint.catalog import rule_names

    found = [(rule.code, rule.id) for rule in rule_names()]
    by_name = [(id_, code) for code, id_ in found if incomplete and id_.startswith(incomplete)]
    return [pair for pair in found if pair[0].startswith(incomplete)] + by_name


def words(of: str | Sequence[str]) -> dict[str, Any]:
    """The parameters of an option that takes one of `of`: ``"text|json"``, or the words."""
    known = of.split("|") if isinstance(of, str) else list(of)

    def complete(incomplete: str) -> list[str]:
        return [word for word in known if word.startswith(incomplete)]

    complete_words: Callable[[str], list[str]] = complete
    return {"metavar": "|".join(known), "autocompletion": complete_words}
