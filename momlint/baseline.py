"""What was there when a baseline was written, and is not to fail a check.

The key of a finding holds no line and no sentence, so that it stays when lines move or words change: it is the file,
the code and the names that the finding speaks of (its ``data``; of a finding without any, its message less the lines
that it names). A finding that gets worse, say a wrong row with one more destination, has another key and is told.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, TypeAlias

from momlint.access import MEGABYTE, MOST_MEGABYTES, Access, read_regular, reason
from momlint.errors import UsageError
from momlint.findings import Draft, Finding
from momlint.records import dataclass
from momlint.words import without_lines

#: The version of the file's form.
VERSION = 1
#: Characters; of a finding that is about more (thousands of failures without a colour), a digest is kept.
LONGEST = 400
#: What no baseline makes good: nobody knows what is behind it.
NEVER = frozenset({"MOM901", "MOM902"})
#: File (as named from the baseline's folder), code, what it is about (JSON).
Key: TypeAlias = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Baseline:
    """`known`: how many findings of each key there may be. `folder`: what their files are named from."""

    folder: str = os.curdir
    known: Mapping[Key, int] = field(default_factory=dict)

    def key(self, file: str, one: Draft | Finding) -> Key:
        """The key of a draft or finding that stands in `file`."""
        return _from(self.folder, file), one.code, _about(one)

    def named(self, files: Iterable[str]) -> set[str]:
        """How the baseline names `files`."""
        return {_from(self.folder, file) for file in files}

    def knows(self, file: str, one: Draft | Finding) -> bool:
        """Whether it, or another of its key, was there."""
        return bool(self.known) and one.code not in NEVER and self.key(file, one) in self.known


def read(path: str, access: Access | None = None, where: str = "--baseline") -> Baseline:
    """Read the baseline at `path`. Raises `UsageError` where it cannot be read or is none.

    `access`: what may be read, where a file and not a person names it. `where`: who named it, for messages.
    """
    try:
        data = read_regular(path, MOST_MEGABYTES * MEGABYTE) if access is None else access.read(path)
    except OSError as error:
        raise UsageError(f"{where}: {path}: {reason(error)}") from error
    import json

    try:
        found = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{where}: {path} is not JSON; `momlint baseline write` makes one") from error
    if not isinstance(found, dict) or not isinstance(found.get("findings"), list):
        raise UsageError(f"{where}: {path} is no baseline; `momlint baseline write` makes one")
    if found.get("version") != VERSION:
        raise UsageError(f"{where}: {path} is of another version; write it again with `momlint baseline write`")
    known: Counter[Key] = Counter()
    for number, entry in enumerate(found["findings"], 1):
        match entry:
            case {"file": str(file), "code": str(code), "about": dict() | str() as about, **rest} if not rest or (
                set(rest) == {"count"} and type(rest["count"]) is int and rest["count"] > 0
            ):
                number_of = rest.get("count", 1)
                of = without_lines(about) if isinstance(about, str) else about
                known[file, code, _text(of)] += number_of if isinstance(number_of, int) else 1
            case _:
                raise UsageError(f"{where}: {path}: entry {number} is not one that `momlint baseline write` makes")
    return Baseline(os.path.dirname(path) or os.curdir, known)


def of_findings(findings: Iterable[Finding], folder: str) -> Baseline:
    """A baseline in `folder` that knows `findings`."""
    empty = Baseline(folder)
    return Baseline(folder, Counter(empty.key(one.file, one) for one in findings if one.code not in NEVER))


def written(baseline: Baseline) -> str:
    """Its text: an entry a line, sorted, so that a change of it reads well."""
    import json

    entries = []
    for (file, code, about), count in sorted(baseline.known.items()):
        entry: dict[str, Any] = {"file": file, "code": code, "about": json.loads(about)}
        entries.append("    " + json.dumps(entry if count == 1 else {**entry, "count": count}, ensure_ascii=False))
    listed = "\n" + ",\n".join(entries) + "\n  " if entries else ""
    return f'{{\n  "version": {VERSION},\n  "findings": [{listed}]\n}}\n'


def _about(one: Draft | Finding) -> str:
    text = _text(dict(one.data) if one.data else without_lines(one.message))
    if len(text) <= LONGEST:
        return text
    import hashlib

    return _text({"sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()})


def _text(about: Any) -> str:
    import json  # not needed, and not loaded, without a baseline

    return json.dumps(about, sort_keys=True, ensure_ascii=False)


def _from(folder: str, file: str) -> str:
    try:
        named = os.path.relpath(file, folder)
    except ValueError:  # on another drive
        named = os.path.abspath(file)
    return named.replace(os.sep, "/")
