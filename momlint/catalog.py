"""The catalogue of rules: what ``rules/`` says, bound to the checks that find it.

A rule is one YAML file, ``rules/<family>/<CODE>-<id>.yaml``. Its code, id and family stand in the file's name, so
that choosing rules (``--select``) reads a directory and no file; the rest is read when a finding, ``explain`` or a
report asks for it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

from momlint import resources
from momlint.errors import InternalError
from momlint.findings import Severity
from momlint.records import dataclass

if TYPE_CHECKING:
    from momlint.findings import Draft

#: Families whose rules have nothing to say of an estate without any of these sections; they are not even loaded for it.
#: (Two rows for one entry, MOM404, may stand in ``routing.tables`` too.)
SECTIONS_OF_FAMILY = {"recovery": ("failures", "routing.tables"), "spec": ("specs",)}

#: Where the rules' pages are, without the last slash. Empty while they have no address: then a finding's ``url`` is
#: empty too, and people are sent to ``momlint explain``.
DOCUMENTATION = ""

#: How what a rule says of ``momlint fix`` begins, where that leaves its findings to people.
LEFT_TO_PEOPLE = "Left to you: "

#: From what a discipline gives its checks to look at to drafts.
Check = Callable[[Any], "Iterator[Draft]"]


@dataclass(frozen=True, slots=True)
class RuleName:
    """A rule as its file's name tells it."""

    code: str
    id: str
    family: str

    @property
    def url(self) -> str:
        """The rule's page in the documentation; empty while that has no address."""
        return f"{DOCUMENTATION}/{self.code}/" if DOCUMENTATION else ""

    def load(self) -> Rule:
        """Everything the file says. Raises `InternalError` for a file that is no rule."""
        return _load(self)

    def check(self, checks: str) -> Check:
        """The function that finds it, ``find`` of a module in the package `checks`; see the rule's discipline."""
        return _check(checks, self.id)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule with all that its file says; `bad` and `good` are estates as text, empty where there can be none.

    `yields_to`: the codes of rules whose findings make one of this rule superfluous, each with the kinds of things
    (`momlint.findings.Subject`) of which one finding is enough. `file`: what a file with such text is called. `mend`:
    what ``momlint fix`` makes of it, or why nothing; empty for rules of users' own.
    """

    code: str
    id: str
    family: str
    title: str
    severity: Severity
    since: str
    why: str
    remedy: str
    bad: str
    good: str
    url: str
    yields_to: Mapping[str, frozenset[str]]
    file: str = "estate.yaml"
    mend: str = ""

    @property
    def is_mended(self) -> bool:
        """Whether there are findings of it that ``momlint fix`` mends."""
        return bool(self.mend) and not self.mend.startswith(LEFT_TO_PEOPLE)


@cache
def _check(checks: str, identifier: str) -> Check:
    check: Check = importlib.import_module(f"{checks}.find_{identifier.replace('-', '_')}").find
    return check


@cache
def rule_names() -> tuple[RuleName, ...]:
    """All rules, by code."""
    found = []
    for path in resources.names("rules", ".yaml"):
        family, _, name = path.removesuffix(".yaml").rpartition("/")
        code, _, identifier = name.partition("-")
        found.append(RuleName(code, identifier, family))
    return tuple(sorted(found, key=lambda rule: rule.code))


@cache
def rule_name(code: str) -> RuleName:
    """The rule with this code. Raises `InternalError` when a check reports a code that no rule has."""
    for name in rule_names():
        if name.code == code:
            return name
    raise InternalError(f"there is no rule {code}")


@cache
def _load(name: RuleName) -> Rule:
    import yaml

    path = f"{name.family}/{name.code}-{name.id}.yaml"
    text = resources.read_text("rules", path)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    data: dict[str, Any] = yaml.load(text, Loader=loader)
    try:
        return Rule(
            code=data["code"],
            id=data["id"],
            family=name.family,
            title=data["title"],
            severity=Severity(data["severity"]),
            since=data["since"],
            why=data["why"].strip(),
            remedy=data["remedy"].strip(),
            bad=data.get("bad", ""),
            good=data.get("good", ""),
            url=name.url,
            yields_to={code: frozenset(kinds) for code, kinds in data.get("yields_to", {}).items()},
            file=data.get("file", "estate.yaml"),
            mend=data["mend"].strip(),
        )
    except (AttributeError, KeyError, ValueError, TypeError) as error:
        raise InternalError(f"rules/{path} is no rule: {error!r}") from error


def load_rules() -> tuple[Rule, ...]:
    """Every rule, read, by code."""
    return tuple(name.load() for name in rule_names())


def yields_to(code: str) -> Mapping[str, frozenset[str]]:
    """What the rule with this code yields to, as `Rule.yields_to`."""
    return rule_name(code).load().yields_to


@lru_cache(1 << 12)  # every rule is asked about for every file, and options are few
def is_selected(code: str, select: tuple[str, ...], ignore: tuple[str, ...]) -> bool:
    """Whether ``--select`` (all when empty) and ``--ignore``, codes or prefixes, leave `code` in.

    The longer prefix wins, so that ``--ignore MOM3 --select MOM302`` keeps MOM302; at equal length ignoring wins.
    """
    chosen = max((len(prefix) for prefix in select if code.startswith(prefix)), default=0 if select else 1)
    dropped = max((len(prefix) for prefix in ignore if code.startswith(prefix)), default=0)
    return chosen > dropped
