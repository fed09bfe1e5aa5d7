"""``momlint explain`` and ``momlint rules``: what the catalogue says, for a terminal or another program."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from momlint import config
from momlint.config import did_you_mean
from momlint.errors import UsageError
from momlint.words import joined

if TYPE_CHECKING:
    from momlint.catalog import Rule

#: Lines longer than this are hard to read, however wide the terminal is.
_WIDEST = 100


def own_rules() -> list[Rule]:
    """The rules of the user's own, by the configuration of this folder. Raises `UsageError` for mistakes in them."""
    from momlint.cli.check import policies_of

    return [policy.rule for policy in policies_of(config.find("."))]


def find(name: str, rules: Sequence[Rule], own: Callable[[], Sequence[Rule]] = tuple) -> Rule:
    """The rule with the code or id `name`, in any case; `own` gives those to look at last.

    Raises `UsageError` with the nearest one.
    """
    wanted = name.casefold()
    for some in (rules, None):
        # Those of the configuration are read only for who does not mean one of momlint's.
        known = own() if some is None else some
        for rule in known:
            if wanted in (rule.code.casefold(), rule.id.casefold()):
                return rule
    rules = [*rules, *own()]
    hint = did_you_mean(name, [word for rule in rules for word in (rule.code, rule.id)])
    raise UsageError(f"there is no rule `{name}`{hint or '; `momlint rules` lists them'}")


def page(rule: Rule, width: int) -> str:
    """All there is to know of a rule, as plain text of `width` columns (examples keep their lines)."""
    width = max(40, min(width, _WIDEST))
    since = f"since {rule.since}" if rule.since else "a rule of your own"
    parts = [
        f"{rule.code} {rule.id}\n{_wrapped(rule.title, width, '')}"
        f"{rule.severity.value}, {since}, family {rule.family}\n",
        f"Why\n{_wrapped(rule.why, width)}",
    ]
    if rule.remedy:
        parts.append(f"What to do\n{_wrapped(rule.remedy, width)}")
    if rule.mend:
        parts.append(f"What `momlint fix` does\n{_wrapped(rule.mend, width)}")
    if rule.yields_to:
        parts.append(f"Yields to\n{_wrapped(yields(rule), width)}")
    if rule.bad.strip():
        parts.append(f"Bad\n{_quoted(rule.bad)}")
    if rule.good.strip():
        parts.append(f"Good\n{_quoted(rule.good)}")
    if rule.url:
        parts.append(f"See {rule.url}\n")
    return "\n".join(parts)


def yields(rule: Rule) -> str:
    """``Not reported where MOM404 already reports the same row.``, for each rule that it yields to."""
    by_kinds: dict[str, list[str]] = {}
    for code, kinds in rule.yields_to.items():
        by_kinds.setdefault(" or ".join(sorted(kind.replace("-", " ") for kind in kinds)), []).append(code)
    parts = [
        f"{joined(codes, 'or')} already {'reports' if len(codes) == 1 else 'report'} the same {kinds}"
        for kinds, codes in by_kinds.items()
    ]
    return f"Not reported where {', or '.join(parts)}."


def table(rules: Sequence[Rule], form: str) -> str:
    """The rules as aligned ``text``, as ``json`` or as a ``markdown`` table."""
    if form == "json":
        keys = ("code", "id", "title", "severity", "since", "family", "url", "mend")
        rows = [{key: getattr(rule, key) for key in keys} for rule in rules]
        return json.dumps(rows, ensure_ascii=False, indent=2) + "\n"
    if form == "markdown":
        lines = ["| code | rule | severity | what it finds |", "|---|---|---|---|"]
        for rule in rules:
            name = f"[{rule.id}]({rule.url})" if rule.url else rule.id
            lines.append(f"| {rule.code} | {name} | {rule.severity.value} | {rule.title.replace('|', chr(92) + '|')} |")
        return "\n".join(lines) + "\n"
    longest = max((len(rule.id) for rule in rules), default=0)
    width = max((len(rule.code) for rule in rules), default=0)
    return "".join(
        f"{rule.code:{width}}  {rule.severity.value:7}  {rule.id:{longest}}  {rule.title}\n" for rule in rules
    )


def _wrapped(text: str, width: int, indent: str = "  ") -> str:
    """Paragraphs and list items of `text`, each wrapped; lines that are indented stay as they are."""
    result = []
    for paragraph in text.strip("\n").split("\n\n"):
        if paragraph.startswith("  "):
            result.append(textwrap.indent(paragraph.rstrip(), indent) + "\n")
            continue
        items: list[list[str]] = [[]]
        for line in paragraph.splitlines():
            if line.startswith("- ") and items[-1]:
                items.append([])
            items[-1].append(line.strip())
        for item in items:
            joined = " ".join(item)
            hang = indent + ("  " if joined.startswith("- ") else "")
            lines = textwrap.wrap(
                joined,
                width,
                initial_indent=indent,
                subsequent_indent=hang,
                break_long_words=False,
                break_on_hyphens=False,
            )
            result.append("\n".join(lines) + "\n")
        result.append("\n")
    return "".join(result).rstrip("\n") + "\n"


def _quoted(example: str) -> str:
    return textwrap.indent(example.strip("\n"), "    ") + "\n"
