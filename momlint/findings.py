"""Findings: what momlint tells its user, and where in the text it stands.

This module imports nothing of momlint, so that every layer, and every report, can use it.

Two shapes of one thing:

* a `Draft` is *symbolic*: its places are routes of keys through a document (`Place`). Checks build drafts and
  know nothing of lines;
* a `Finding` is *located*: its places are spans of lines and columns in a named file. The edge (``momlint.lint``)
  turns drafts into findings, once.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Literal, NamedTuple, TypeAlias

from momlint.records import dataclass


class Severity(enum.StrEnum):
    """How much a finding matters; the order of the members is the order of their weight."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"

    @property
    def rank(self) -> int:
        """0 for an error, 1 for a warning, 2 for a note."""
        return _RANKS[self]


_RANKS = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.NOTE: 2}

#: The code of what is a fault of momlint: no option, setting, comment or baseline takes it out, and it always exits 2.
OWN_FAULT = "MOM902"


class Position(NamedTuple):
    """A place between characters: 1-based line, 1-based column, counted in characters (not bytes)."""

    line: int
    column: int


class Span(NamedTuple):
    """From `start` up to, not including, `end`."""

    start: Position
    end: Position


#: Which part of a mapping's entry a `Place` means: its key, its value, or both from key to end of value.
#: For an item of a sequence the three are the same.
Part = Literal["key", "value", "entry"]


class Place(NamedTuple):
    """A symbolic location: a route of keys and indices through one document of an estate.

    Opaque to all but `momlint.source` and `momlint.estate`, which make places and find them again: what a route looks
    like is the document's affair (keys of YAML, a line of CSV, whatever a native file has). Everybody else takes the
    places that entities carry, and chooses a part of them by `key` and `entry`.

    `document` counts the documents an estate is made of: 0 is the one with ``momlint:``, the others are the
    files that ``include`` brought in, in the order they were read. `within`: a part of the value alone, as offsets into
    the characters of its text, the end exclusive; for a `part` of "value".
    """

    document: int
    path: tuple[str | int, ...]
    part: Part = "entry"
    within: tuple[int, int] | None = None

    @property
    def key(self) -> Place:
        """The key alone of what stands here."""
        return Place(self.document, self.path, "key")

    @property
    def entry(self) -> Place:
        """All of what stands here, key and value."""
        return Place(self.document, self.path)


@dataclass(frozen=True, slots=True)
class Witness:
    """Something the user can follow by hand: a walk in one colour, or a set of failures.

    All fields are names as the user wrote them, in the order of the walk. `cut` names links and brokers whose
    failure together is the witness (MOM501, MOM502). `trace`: the states or steps of a counterexample, a line each
    (MOM701); `clients`: who takes these steps, where clients do. `topic`: an example of the messages it is about,
    `paths`: the ways of their copies, each as the brokers joined by arrows, where there are several.
    """

    colour: str | None = None
    source: str | None = None
    destination: str | None = None
    walk: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()
    trace: tuple[str, ...] = ()
    clients: tuple[str, ...] = ()
    topic: str | None = None
    paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Affected:
    """What one root cause breaks: topic names in the order of the file, and the number of pairs."""

    # Not hashed: there may be very many, and findings that differ in nothing else are rare.
    topics: Sequence[str] = field(default=(), hash=False)
    pairs: int = 0


#: One value of a finding's ``data``: plain, so that every report can write it down.
Datum: TypeAlias = str | int | float | tuple[str, ...]
#: What a finding is about, by name (``broker``, ``via``, ``destinations``): for programs, which read no sentences.
Data: TypeAlias = Mapping[str, Datum]


@dataclass(frozen=True, slots=True)
class RelatedDraft:
    """A second place that a draft speaks of."""

    place: Place
    message: str


#: A thing that findings speak of, by one of its names: a kind and what tells it from others of its kind, as
#: ``("row", 12)``, ``("hop", 1, 2)`` or ``("colour", 3)``. For `momlint.precedence`; no report sees it.
Subject: TypeAlias = tuple[str | int, ...]
#: The `Draft.rank` of drafts that let others of their rank go first.
LAST_RANK = 1 << 63


@dataclass(frozen=True, slots=True)
class Draft:
    """A finding as a check builds it: symbolic places, no file, no line, no severity but its rule's.

    `message` is one short sentence that says what is wrong and stands alone; `label` says of the primary place what it
    has to do with it; `help` says what to do. What `witness`, `affected` and `related` hold, none of them repeats: the
    reports put the parts together. `data` has the names that the sentence is made of. `steps`: where each broker of the
    witness's walk sends the message on, in its order. `noted`: this one is a note, whatever its rule is.

    The rest is for `momlint.precedence`. `about`: the things it speaks of, each with all the names by which another
    finding may speak of it. `rank`: which goes first of two about one thing whose rules yield to each other. `without`:
    what is left of the draft, given which things another finding tells; None where nothing is.
    """

    code: str
    place: Place
    message: str
    help: str = ""
    witness: Witness | None = None
    affected: Affected | None = None
    related: Sequence[RelatedDraft] = ()
    label: str = ""
    data: Data = field(default_factory=dict, hash=False)
    steps: Sequence[RelatedDraft] = ()
    noted: bool = False
    about: Sequence[frozenset[Subject]] = field(default=(), hash=False, compare=False)
    rank: int = field(default=LAST_RANK, hash=False, compare=False)
    without: Callable[[Callable[[Subject], bool]], Draft | None] | None = field(default=None, hash=False, compare=False)


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that a finding speaks of, located."""

    file: str
    span: Span
    message: str


@dataclass(frozen=True, slots=True)
class Finding:
    """A finding with its place in the text. Reports need nothing else.

    `file` is the path as the user named it (with ``/`` as separator); `rule` and `url` come from the catalogue.
    """

    code: str
    rule: str
    severity: Severity
    file: str
    span: Span
    message: str
    help: str = ""
    url: str = ""
    witness: Witness | None = None
    affected: Affected | None = None
    related: tuple[Related, ...] = ()
    label: str = ""
    data: Data = field(default_factory=dict, hash=False)
    steps: tuple[Related, ...] = ()

    @property
    def sort_key(self) -> tuple[object, ...]:
        """By file, place and code, as the contract asks; the message last, so that the order is total."""
        return (self.file, self.span.start, self.span.end, self.code, self.message)


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong that a reader already has a span for (invalid YAML, an invalid estate).

    `file` is set where the problem stands in another file than the one being read. `label` and `data` as in a `Draft`.
    """

    code: str
    span: Span
    message: str
    help: str = ""
    related: tuple[Related, ...] = ()
    file: str | None = None
    label: str = ""
    data: Data = field(default_factory=dict, hash=False)


@dataclass(slots=True)
class Summary:
    """The counts of the JSON report's ``summary``; every field is a number of things.

    `properties`: those of publish/subscribe clients that were judged; not told where there are none.
    """

    files: int = 0
    brokers: int = 0
    links: int = 0
    colours: int = 0
    topics: int = 0
    pairs: int = 0
    errors: int = 0
    warnings: int = 0
    notes: int = 0
    undecided: int = 0
    properties: int = 0


class Claim(NamedTuple):
    """Something that was proved, to be counted: what stands behind the number 1, and behind others.

    ``Claim("property holds for any number of clients", "properties hold for any number of clients")``
    """

    one: str
    many: str


@dataclass(slots=True)
class Proof:
    """What the last line of a text report says was proved; not part of the JSON (the engine is not in it).

    `questions` counts what the engines were asked, `decided_twice` how many of them two engines decided, `refuted`
    the needed pairs (a pair in two colours counts twice) that do not arrive or have no path, whether or not a
    selected rule reports them. `estates` counts those of which it was asked whether all pairs arrive, `with_colours`
    those of them that declare colours, `with_promise` those with a ``tolerate``, `promise_kept` those that were proved
    to keep it. `specifications` counts those that were decided, `false_specifications` those that do not hold.
    `healing` and `keeping` count the estates that were judged in failures without recovery rows for them, by what their
    next hops were taken to do then.

    The rest is for disciplines without next hops. `claims`: what was proved, each with how often; `false_claims`: how
    many of what was asked do not hold, whether or not a selected rule reports them. `bounds`: sentences on what was
    looked for within a bound and not found, which is no proof.
    """

    engines: tuple[str, ...] = ()
    questions: int = 0
    decided_twice: int = 0
    refuted: int = 0
    estates: int = 0
    with_colours: int = 0
    with_promise: int = 0
    promise_kept: int = 0
    specifications: int = 0
    false_specifications: int = 0
    healing: int = 0
    keeping: int = 0
    claims: dict[Claim, int] = field(default_factory=dict)
    false_claims: int = 0
    bounds: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the text report that was asked for by an option; `lines` without line ends.

    `data`: the same for the JSON report, as it will be written there; None where it is for the text alone.
    """

    title: str
    lines: tuple[str, ...]
    data: Mapping[str, Any] | None = field(default=None, hash=False)


@dataclass(slots=True)
class Report:
    """One run: its findings in order, the counts, what was proved, and how to show source text.

    `sources` maps a file name to its lines without line ends, for snippets; a file that could not be read is
    not in it. `failures` are sentences about files that could not be read (exit code 2). `sections` are for the text
    report alone. `certificates` and `uncertified`, where certificates are asked for: for each estate a record, or why
    there is none. `known`: the findings that the baseline knows, which are not in `findings`; `outdated`: how many of
    this run's files it has that were not found. `idle_rules`: codes of users' own rules that speak of nothing in it.
    """

    findings: list[Finding] = field(default_factory=list)
    summary: Summary = field(default_factory=Summary)
    proof: Proof = field(default_factory=Proof)
    sources: dict[str, Sequence[str]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    sections: list[Section] = field(default_factory=list)
    certificates: list[str] = field(default_factory=list)
    uncertified: list[str] = field(default_factory=list)
    known: list[Finding] = field(default_factory=list)
    outdated: int = 0
    idle_rules: list[str] = field(default_factory=list)
