"""A rule of a user's own, as the rest of momlint sees it. Imports no reader: worker processes need records alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from momlint.catalog import Rule
from momlint.records import dataclass
from momlint.words import listed

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from momlint.estate.resolved import Broker, Topic

#: What a policy may bind.
CheckName: TypeAlias = Literal["stays-within", "survives", "hops-within"]
#: The family of all policies.
FAMILY = "policy"


@dataclass(frozen=True, slots=True)
class Selector:
    """Which topics or brokers are meant: those with any of these tags, at any of these sites, of any of these names.

    Of each tuple that is not empty, one has to fit; of a name, with ``*`` and ``?``.
    """

    tags: tuple[str, ...] = ()
    sites: tuple[str, ...] = ()
    names: tuple[str, ...] = ()

    def fits(self, name: str, tags: Iterable[str], site: str | None = None) -> bool:
        """Whether one of this name, with these tags, at this site, is meant."""
        if self.tags and not set(self.tags).intersection(tags):
            return False
        if self.sites and site not in self.sites:
            return False
        if not self.names:
            return True
        from fnmatch import fnmatchcase

        return any(fnmatchcase(name, pattern) for pattern in self.names)

    def words(self, noun: str) -> str:
        """``brokers with tag `eu```, ``topics called `a/*` ``; `noun` as it is for all."""
        parts = [
            f"{said} {' or '.join(f'`{one}`' for one in some)}"
            for said, some in (("with tag", self.tags), ("at site", self.sites), ("called", self.names))
            if some
        ]
        return " ".join([noun, *parts])


@dataclass(frozen=True, slots=True)
class Policy:
    """A rule, the check that it binds, and with what.

    `topics`: those that it speaks of. ``stays-within``: `brokers`, those that their messages may come to.
    ``survives``: how many links, brokers and groups may fail at once. ``hops-within``: `at_most` hops, between brokers,
    or with `between_sites` only between brokers of different sites. `file`: where it is written.
    """

    rule: Rule
    check: CheckName
    file: str
    topics: Selector = Selector()
    brokers: Selector = Selector()
    links_fail: int = 0
    brokers_fail: int = 0
    groups_fail: int = 0
    at_most: int = 0
    between_sites: bool = False

    @property
    def code(self) -> str:
        """Its code."""
        return self.rule.code

    def declared(self, broker: Broker) -> str:
        """What is said of a broker where it is declared: what the rule chooses brokers by."""
        tags = f"with tags {listed(broker.tags)}" if broker.tags else "without tags"
        site = f" at site `{broker.site}`" if broker.site is not None else ""
        return f"`{broker.id}` is declared here, {tags}{site}"

    def speaks_of(self, topics: Sequence[Topic]) -> bool:
        """Whether it speaks of any of the topics of an estate; of one without topics if it chooses none."""
        if not topics:
            return self.topics == Selector()
        return any(self.topics.fits(topic.name, topic.tags) for topic in topics)
