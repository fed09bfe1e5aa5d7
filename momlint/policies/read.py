"""From rule files to policies; what is wrong with a file is told at its line and column, all of it at once."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from momlint.access import MEGABYTE, Access, reason
from momlint.catalog import Rule, rule_names
from momlint.errors import UsageError
from momlint.findings import Severity
from momlint.policies.form import FAMILY, Policy, Selector
from momlint.source import MappingNode, Node, ScalarNode, SequenceNode
from momlint.source.reader import read_source

if TYPE_CHECKING:
    from momlint.findings import Span

#: Bytes of one rule file, and how many rules one configuration may have.
MOST_BYTES = MEGABYTE
MOST_RULES = 1000
#: What a count may be at most.
MOST = 1_000_000

CODE = re.compile("(?!MOM)[A-Z]{2,16}[0-9]{1,6}")
ID = re.compile("[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
#: Longer texts help nobody.
LONGEST_ID = 80
ENDINGS = (".yaml", ".yml")

#: The keys of a rule; those that it must have come first.
REQUIRED = ("code", "id", "title", "check")
KEYS = (*REQUIRED, "with", "severity", "why", "remedy", "bad", "good")
#: Check → its parameters.
PARAMETERS: Mapping[str, tuple[str, ...]] = {
    "stays-within": ("topics", "brokers"),
    "survives": ("topics", "links", "brokers", "groups"),
    "hops-within": ("topics", "at_most", "between"),
}
#: What may select topics, and brokers.
TOPIC_KEYS = ("tags", "names")
BROKER_KEYS = ("tags", "sites", "names")


def read_policies(paths: Sequence[str], base: str, where: str) -> tuple[Policy, ...]:
    """The policies in `paths`, files or folders relative to the folder `base` and below it; by code.

    `where` says who names them, for messages. Raises `UsageError` with a line for each mistake.
    """
    access = Access(base, MOST_BYTES)
    mistakes: list[str] = []
    policies: list[Policy] = []
    places: dict[str, str] = {}
    for file in _files(paths, base, where, access):
        try:
            data = access.read(file)
        except OSError as error:
            raise UsageError(f"{where}: rules: {_shown(file)}: {reason(error)}") from error
        for policy, place in _File(_shown(file), mistakes).read(data):
            for kind, name in (("code", policy.code), ("id", policy.rule.id)):
                if name in places:
                    mistakes.append(f"{place}: the {kind} `{name}` is taken already, by {places[name]}")
                places.setdefault(name, f"the rule at {place}")
            policies.append(policy)
    if len(policies) > MOST_RULES:
        mistakes.append(
            f"{where}: rules: these are {len(policies):,} rules; a configuration has at most {MOST_RULES:,}"
        )
    if mistakes:
        raise UsageError(*mistakes)
    return tuple(sorted(policies, key=lambda policy: policy.code))


def _files(paths: Sequence[str], base: str, where: str, access: Access) -> Iterator[str]:
    for named in paths:
        path = os.path.join(base, named)
        if not os.path.isdir(path):
            if not os.path.lexists(path):
                raise UsageError(f"{where}: rules: {named}: no such file or folder")
            yield path
            continue
        found = sorted(_in_folder(path))
        if not found:
            raise UsageError(f"{where}: rules: {named}: there is no rule in this folder; a rule is a file *.yaml")
        yield from found


def _in_folder(folder: str) -> Iterator[str]:
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (os.path.join(path, name) for name in files if name.endswith(ENDINGS) and not name.startswith("."))


def _shown(path: str) -> str:
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive on Windows
        return path
    return (path if relative.startswith(os.pardir) else relative).replace(os.sep, "/")


class _Wrong(Exception):
    """A mistake that has been written down, and leaves nothing to be read."""


class _File:
    """One file, and what is wrong with it."""

    def __init__(self, file: str, mistakes: list[str]) -> None:
        self.file = file
        self.mistakes = mistakes

    def place(self, span: Span) -> str:
        return f"{self.file}:{span.start.line}:{span.start.column}"

    def wrong(self, node: Node, message: str) -> _Wrong:
        self.mistakes.append(f"{self.place(node.span)}: {message}")
        return _Wrong()

    def read(self, data: bytes) -> Iterator[tuple[Policy, str]]:
        """The policies of the file, each with its place."""
        source = read_source(data, self.file)
        for problem in source.problems:
            self.mistakes.append(f"{self.place(problem.span)}: {problem.message}")
        count = 0
        for document in source.documents:
            root = document.root
            if root is None:
                continue
            count += 1
            before = len(self.mistakes)
            try:
                policy = self.policy(root)
            except _Wrong:
                continue
            if len(self.mistakes) == before:
                yield policy, self.place(root.span)
        if not count and not source.problems:
            self.mistakes.append(f"{self.file}:1:1: this file has no rule in it")

    def policy(self, root: Node) -> Policy:
        entries = self.mapping(root, "a rule", KEYS, REQUIRED)
        code = self.matching(entries["code"], "code", CODE, "capital letters and a number, as in ACME1, and not MOM")
        identifier = self.matching(entries["id"], "id", ID, "small letters, digits and hyphens, as in stays-in-the-eu")
        for name in rule_names():
            if name.id == identifier:
                raise self.wrong(entries["id"], f"the id `{identifier}` is that of {name.code}")
        check = self.choice(entries["check"], "check", tuple(PARAMETERS))
        texts = {
            key: self.text(entries[key], key).strip() if key in entries else ""
            for key in ("title", "why", "remedy", "bad", "good")
        }
        if not texts["title"]:
            raise self.wrong(entries["title"], "`title` is empty; say what the rule finds, in a sentence")
        severity = self.choice(entries["severity"], "severity", tuple(Severity)) if "severity" in entries else "error"
        rule = Rule(
            code=code,
            id=identifier,
            family=FAMILY,
            title=texts["title"],
            severity=Severity(severity),
            since="",
            why=texts["why"] or texts["title"],
            remedy=texts["remedy"],
            bad=texts["bad"],
            good=texts["good"],
            url="",
            yields_to={},
        )
        return Policy(rule, check, self.file, **self.parameters(root, entries, check))

    def parameters(self, root: Node, entries: Mapping[str, Node], check: str) -> dict[str, Any]:
        given = self.mapping(entries["with"], f"`with` of {check}", PARAMETERS[check]) if "with" in entries else {}
        found: dict[str, Any] = {}
        if "topics" in given:
            found["topics"] = self.selector(given["topics"], "topics", TOPIC_KEYS)
        match check:
            case "stays-within":
                if "brokers" not in given:
                    raise self.wrong(entries.get("with", root), "stays-within needs `with: {brokers: {tags: […]}}`")
                found["brokers"] = self.selector(given["brokers"], "brokers", BROKER_KEYS)
            case "survives":
                for key in ("links", "brokers", "groups"):
                    if key in given:
                        found[f"{key}_fail"] = self.count(given[key], key)
                if not any(found.get(f"{key}_fail") for key in ("links", "brokers", "groups")):
                    raise self.wrong(entries.get("with", root), "survives needs what may fail, as `with: {links: 2}`")
            case "hops-within":
                if "at_most" not in given:
                    raise self.wrong(entries.get("with", root), "hops-within needs `with: {at_most: 4}`")
                found["at_most"] = self.count(given["at_most"], "at_most")
                if "between" in given:
                    between = self.choice(given["between"], "between", ("brokers", "sites"))
                    found["between_sites"] = between == "sites"
        return found

    def selector(self, node: Node, what: str, keys: Sequence[str]) -> Selector:
        given = self.mapping(node, f"`{what}`", keys)
        if not given:
            raise self.wrong(node, f"`{what}` selects nothing; write {{{keys[0]}: […]}}, or leave it out for all")
        return Selector(**{key: self.words(value, key) for key, value in given.items()})

    # -- values -----------------------------------------------------------------------------------------------------

    def mapping(self, node: Node, what: str, known: Sequence[str], required: Iterable[str] = ()) -> dict[str, Node]:
        """The values by their keys. Unknown keys are all told, and what is known is read on."""
        if not isinstance(node, MappingNode):
            raise self.wrong(node, f"{what} is a mapping of {_listed(known)}")
        found: dict[str, Node] = {}
        unknown = []
        for entry in node.entries:
            if entry.key.text in known:
                found[entry.key.text] = entry.value
                continue
            unknown.append(entry.key.text)
            hint = _did_you_mean(entry.key.text, known) or f"; known here: {', '.join(known)}"
            self.wrong(entry.key, f"unknown key `{entry.key.text}` in {what}{hint}")
        lacking = [key for key in required if key not in found]
        if lacking and not unknown:
            self.wrong(node, f"{what} lacks {_listed(lacking)}")
        if lacking:
            raise _Wrong
        return found

    def text(self, node: Node, key: str) -> str:
        if not isinstance(node, ScalarNode) or node.value is None:
            raise self.wrong(node, f"`{key}` takes a string")
        return node.text

    def matching(self, node: Node, key: str, pattern: re.Pattern[str], takes: str) -> str:
        text = self.text(node, key)
        if not pattern.fullmatch(text) or len(text) > LONGEST_ID:
            raise self.wrong(node, f"`{key}` takes {takes}, not `{text[:LONGEST_ID]}`")
        return text

    def choice(self, node: Node, key: str, choices: Collection[str]) -> Any:
        text = self.text(node, key)
        if text not in choices:
            raise self.wrong(
                node, f"`{key}` takes {_listed(choices, 'or')}, not `{text}`{_did_you_mean(text, choices)}"
            )
        return text

    def count(self, node: Node, key: str) -> int:
        value = node.value if isinstance(node, ScalarNode) else None
        if type(value) is not int or not 0 <= value <= MOST:
            raise self.wrong(node, f"`{key}` takes a whole number from 0 to {MOST:,}")
        return value

    def words(self, node: Node, key: str) -> tuple[str, ...]:
        """A string, or a list of strings."""
        if isinstance(node, SequenceNode):
            if not node.items:
                raise self.wrong(node, f"`{key}` is an empty list, which nothing fits")
            return tuple(self.text(item, key) for item in node.items)
        return (self.text(node, key),)


def _listed(words: Collection[str], conjunction: str = "and") -> str:
    from momlint.words import joined

    return joined([f"`{word}`" for word in words], conjunction)


def _did_you_mean(word: str, words: Collection[str]) -> str:
    # Imported late: it is for people who mistyped.
    from momlint.estate.nearest import did_you_mean

    return did_you_mean(word, words)
