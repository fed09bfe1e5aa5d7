"""The configuration file: ``momlint.toml``, or ``[tool.momlint]`` in ``pyproject.toml``.

It is searched from the first path upwards; the nearest one counts, ``momlint.toml`` before
``pyproject.toml``, and a ``pyproject.toml`` without the table is passed over. What the command line says
wins.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from momlint.access import CONFIGURATIONS, MOST_OF_CONFIGURATION, Access, Refused
from momlint.baseline import NEVER
from momlint.errors import UsageError

EngineName: TypeAlias = Literal["auto", "graph", "smt", "nusmv"]
FormatName: TypeAlias = Literal["text", "concise", "json", "sarif", "github", "gitlab", "junit", "markdown"]
FailOnName: TypeAlias = Literal["error", "warning", "note", "never"]

ENGINES: tuple[str, ...] = get_args(EngineName)
FORMATS: tuple[str, ...] = get_args(FormatName)
FAIL_ON: tuple[str, ...] = get_args(FailOnName)

#: What may stand in a configuration file.
KEYS = (
    "version",
    "select",
    "extend-select",
    "ignore",
    "extend-ignore",
    "severity",
    "exclude",
    "fail-on",
    "format",
    "engine",
    "solver",
    "timeout",
    "bound",
    "protocol",
    "jobs",
    "baseline",
    "per-file-ignores",
    "rules",
)
#: The version of what these mean; a file need not say it.
VERSION = 1
#: What a rule's findings may be made.
SEVERITIES = ("error", "warning", "note")

#: Seconds for a question, processes, and patterns with their characters, that a configuration may ask for.
LONGEST = 3600
MOST_JOBS = 1000
MOST_PATTERNS = 1000
LONGEST_PATTERN = 1000
#: Characters of a wrong value that are shown.
_SHOWN = 100


class Config(NamedTuple):
    """What a configuration file says; `None` where it says nothing.

    `file` is the path for messages, `base` the folder that `exclude`, `baseline`, `rules` and the patterns of
    `per_file_ignores` (pattern → codes) are relative to. `severity`: (code or prefix, severity). `timeout` is in
    seconds. `given`: the keys that the file has.
    """

    file: str | None = None
    base: str = "."
    select: tuple[str, ...] | None = None
    ignore: tuple[str, ...] | None = None
    exclude: tuple[str, ...] = ()
    fail_on: FailOnName | None = None
    format: FormatName | None = None
    engine: EngineName | None = None
    solver: str | None = None
    timeout: float | None = None
    bound: str | None = None
    protocol: bool | None = None
    jobs: int | None = None
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()
    extend_select: tuple[str, ...] = ()
    extend_ignore: tuple[str, ...] = ()
    severity: tuple[tuple[str, str], ...] = ()
    baseline: str | None = None
    rules: tuple[str, ...] = ()
    given: tuple[str, ...] = ()


def json_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of ``momlint.toml``, and of ``[tool.momlint]``, for editors."""
    code = {"type": "string", "description": "Codes or prefixes, separated by commas: MOM3,MOM602."}
    codes = {"type": "array", "items": code, "maxItems": MOST_PATTERNS}
    patterns = {"type": "array", "items": {"type": "string", "maxLength": LONGEST_PATTERN}, "maxItems": MOST_PATTERNS}
    properties: dict[str, Any] = {
        "version": {"const": VERSION, "description": "The version of these settings."},
        "select": {**codes, "description": "Check only these."},
        "extend-select": {**codes, "description": "Check these too, besides what is selected."},
        "ignore": {**codes, "description": "Do not check these."},
        "extend-ignore": {**codes, "description": "Do not check these either."},
        "severity": {
            "type": "object",
            "description": "Code or prefix → the severity of its findings; the longest prefix wins.",
            "propertyNames": {"not": {"enum": sorted(NEVER)}},
            "additionalProperties": {"enum": list(SEVERITIES)},
        },
        "exclude": {**patterns, "description": "Skip these when searching folders; relative to this file."},
        "fail-on": {"enum": list(FAIL_ON), "description": "Exit with 1 from this severity on."},
        "format": {"enum": list(FORMATS), "description": "How to report."},
        "engine": {"enum": list(ENGINES), "description": "Who decides; auto runs both engines on small estates."},
        "solver": {"type": "string", "minLength": 1, "description": "The solver behind smt."},
        "timeout": {
            "type": "number",
            "exclusiveMinimum": 0,
            "maximum": LONGEST,
            "description": "Seconds for each question.",
        },
        "bound": {
            "type": "string",
            "minLength": 1,
            "description": "How far checks within a bound look: events=3,publishers=2,failures=2.",
        },
        "protocol": {"type": "boolean", "description": "Also check the recovery protocol (MOM410)."},
        "jobs": {
            "description": "Processes; auto for one a processor.",
            "oneOf": [{"type": "integer", "minimum": 1, "maximum": MOST_JOBS}, {"const": "auto"}],
        },
        "baseline": {"type": "string", "minLength": 1, "description": "Report only what is not in this baseline."},
        "per-file-ignores": {
            "type": "object",
            "description": "Pattern, relative to this file → codes that are not checked in files that it matches.",
            "additionalProperties": {"type": "array", "items": code},
        },
        "rules": {**patterns, "description": "Files and folders with rules of your own, relative to this file."},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:momlint:settings:1",
        "title": "momlint settings",
        "type": "object",
        "additionalProperties": False,
        "properties": {key: properties[key] for key in KEYS},
    }


def find(start: str) -> Config:
    """The configuration that governs `start`, a file or folder; an empty one if there is none.

    Raises `UsageError` where a file cannot be read or says something that does not exist.
    """
    folder = os.path.abspath(start)
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    while True:
        for name in CONFIGURATIONS:
            path = os.path.join(folder, name)
            if os.path.lexists(path):
                config = _read(path)
                if config is not None:
                    return config
        parent = os.path.dirname(folder)
        if parent == folder:
            return Config()
        folder = parent


def load(path: str) -> Config:
    """The configuration in the file `path`. Raises `UsageError` as `find` does, and for a missing table."""
    config = _read(path, named=True)
    if config is None:
        raise UsageError(f"{path}: there is no table [tool.momlint] in this file")
    return config


def check_codes(patterns: Iterable[str], codes: Sequence[str], ids: Mapping[str, str], where: str) -> None:
    """Raise `UsageError` unless each of `patterns` is one of `codes` or begins one.

    `ids` maps a rule's name to its code, for those who write the name. `where` says who asked.
    """
    for pattern in patterns:
        if pattern and any(code.startswith(pattern) for code in codes):
            continue
        if pattern in ids:
            hint = f"; the code of this rule is `{ids[pattern]}`"
        else:
            hint = did_you_mean(pattern, [*codes, *dict.fromkeys(code[:4] for code in codes)])
        raise UsageError(f"{where}: there is no rule with the code or prefix `{pattern}`{hint}")


def selected(select: tuple[str, ...], extend: tuple[str, ...], codes: Iterable[str]) -> tuple[str, ...]:
    """What is selected of `codes` where `extend` is, besides `select`; no code at all stands for all of them."""
    return (*(select or sorted({code[0] for code in codes})), *extend) if extend else select


def did_you_mean(word: str, words: Collection[str]) -> str:
    """``; did you mean `x`?`` or the empty text."""
    # Imported late: it brings the models along, and it is for people who mistyped.
    from momlint.estate.nearest import did_you_mean as hint

    return hint(word, words)


def jobs(what: str, value: str) -> int:
    """How many processes: a whole number, or ``auto`` for one a processor. Raises `UsageError` for anything else."""
    if value == "auto":
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    if not re.fullmatch("[0-9]{1,4}", value) or int(value) < 1:
        raise UsageError(f"{what} must be a whole number of at least 1, or auto, not {value!r}")
    return int(value)


def choice(where: str, value: str, choices: tuple[str, ...]) -> Any:
    """`value`, which must be one of `choices`. Raises `UsageError` with the nearest one."""
    if value in choices:
        return value
    hint = did_you_mean(value, choices)
    raise UsageError(f"{where} must be one of {', '.join(choices)}, not {value!r}{hint}")


def split_codes(words: Iterable[str]) -> tuple[str, ...]:
    """``["MOM3,MOM401", "MOM2"]`` → ``("MOM3", "MOM401", "MOM2")``."""
    return tuple(code for word in words for part in word.split(",") if (code := part.strip()))


def _read(path: str, *, named: bool = False) -> Config | None:
    """A configuration that was found must not lead out of its folder; one that was `named` may be anywhere."""
    shown = _shown(path)
    try:
        if os.path.isdir(path) and not os.path.islink(path):
            return None
        access = Access(None if named else os.path.dirname(path), MOST_OF_CONFIGURATION)
        data = access.read(path)
    except Refused as error:
        raise UsageError(f"{shown}: the configuration cannot be read: {error.strerror}") from error
    except (OSError, ValueError) as error:
        words = error.strerror if isinstance(error, OSError) else error
        raise UsageError(f"{shown}: the configuration cannot be read: {words or error}") from error
    if os.path.basename(path) == "pyproject.toml" and b"momlint" not in data:
        return None  # most are other tools' affair, and whether they are valid as well

    import tomllib

    try:
        document = tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown}: the configuration is not UTF-8 text") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{shown}: the configuration is not valid TOML: {error}") from error
    except RecursionError as error:
        raise UsageError(f"{shown}: the configuration is nested too deep") from error
    except ValueError as error:
        # Python converts no number of more than 4,300 digits.
        raise UsageError(f"{shown}: a number in the configuration has too many digits") from error
    table: Any = document
    if os.path.basename(path) == "pyproject.toml":
        tool = document.get("tool")
        table = tool.get("momlint") if isinstance(tool, dict) else None
        if table is None:
            return None
        if not isinstance(table, dict):
            raise UsageError(f"{shown}: tool.momlint must be a table")
    return _Reader(shown, os.path.dirname(os.path.abspath(path)), table).config()


def _shown(path: str) -> str:
    try:
        relative = os.path.relpath(path)
    except ValueError:  # another drive on Windows
        return path
    return path if relative.startswith(os.pardir) else relative.replace(os.sep, "/")


def _brief(value: object) -> str:
    try:
        written = repr(value)
    except (RecursionError, ValueError):  # too deep, or a number of too many digits
        return "this"
    return written if len(written) <= _SHOWN else written[: _SHOWN - 3] + "..."


class _Reader(NamedTuple):
    """One table, and how its mistakes are said."""

    file: str
    base: str
    table: Mapping[str, Any]

    def config(self) -> Config:
        for key in self.table:
            if key not in KEYS:
                raise UsageError(f"{self.file}: unknown setting `{key}`{did_you_mean(key, KEYS)}")
        self._version()
        return Config(
            file=self.file,
            base=self.base,
            select=self._codes("select"),
            ignore=self._codes("ignore"),
            exclude=self._strings("exclude", self.table.get("exclude")) or (),
            fail_on=self._choice("fail-on", FAIL_ON),
            format=self._choice("format", FORMATS),
            engine=self._choice("engine", ENGINES),
            solver=self._solver(),
            timeout=self._timeout(),
            bound=self._bound(),
            protocol=self._protocol(),
            jobs=self._jobs(),
            per_file_ignores=self._per_file_ignores(),
            extend_select=self._codes("extend-select") or (),
            extend_ignore=self._codes("extend-ignore") or (),
            severity=self._severity(),
            baseline=self._baseline(),
            rules=self._strings("rules", self.table.get("rules")) or (),
            given=tuple(key for key in KEYS if key in self.table),
        )

    def _version(self) -> None:
        value = self.table.get("version", VERSION)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._fault("version", f"the version of the settings, the number {VERSION}")
        if value > VERSION:
            raise UsageError(
                f"{self.file}: these settings are of version {value}, and this momlint reads version {VERSION}; "
                "upgrade momlint"
            )
        if value < VERSION:
            raise self._fault("version", f"the number {VERSION}")

    def _severity(self) -> tuple[tuple[str, str], ...]:
        value = self.table.get("severity")
        if value is None:
            return ()
        if not isinstance(value, dict):
            raise self._fault("severity", "a table of codes and severities")
        self._check_lengths("severity", value)
        for code, severity in value.items():
            if not isinstance(severity, str):
                raise UsageError(f"{self.file}: severity: `{code}` must be one of {', '.join(SEVERITIES)}")
            choice(f"{self.file}: severity: `{code}`", severity, SEVERITIES)
            if code in NEVER:
                raise UsageError(f"{self.file}: severity: `{code}` stays an error: it says that no verdict was reached")
        return tuple(value.items())

    def _baseline(self) -> str | None:
        value = self.table.get("baseline")
        if value is None:
            return None
        if not isinstance(value, str) or not value:
            raise self._fault("baseline", "the path of a baseline, relative to this file")
        return value

    def _solver(self) -> str | None:
        value = self.table.get("solver")
        if value is not None and (not isinstance(value, str) or not value):
            raise self._fault("solver", "the name of a solver")
        return value

    def _fault(self, key: str, wanted: str) -> UsageError:
        return UsageError(f"{self.file}: the setting `{key}` must be {wanted}, not {_brief(self.table.get(key))}")

    def _strings(self, key: str, value: object) -> tuple[str, ...] | None:
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self._fault(key, "a list of strings")
        self._check_lengths(key, value)
        return tuple(value)

    def _check_lengths(self, key: str, patterns: Collection[str]) -> None:
        if len(patterns) > MOST_PATTERNS or any(len(pattern) > LONGEST_PATTERN for pattern in patterns):
            raise UsageError(
                f"{self.file}: the setting `{key}` takes at most {MOST_PATTERNS:,} entries of at most "
                f"{LONGEST_PATTERN:,} characters"
            )

    def _codes(self, key: str) -> tuple[str, ...] | None:
        found = self._strings(key, self.table.get(key))
        return None if found is None else split_codes(found)

    def _choice(self, key: str, choices: tuple[str, ...]) -> Any:
        value = self.table.get(key)
        if value is None:
            return None
        if not isinstance(value, str):
            raise self._fault(key, f"one of {', '.join(choices)}")
        return choice(f"{self.file}: the setting `{key}`", value, choices)

    def _timeout(self) -> float | None:
        value = self.table.get("timeout")
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not value > 0:
            raise self._fault("timeout", "a number of seconds above 0")
        if value > LONGEST:
            raise self._fault("timeout", f"a number of seconds up to {LONGEST:,}")
        return float(value)

    def _bound(self) -> str | None:
        value = self.table.get("bound")
        if value is not None and (not isinstance(value, str) or not value):
            raise self._fault("bound", "names and numbers, as events=3,failures=2")
        return value

    def _protocol(self) -> bool | None:
        value = self.table.get("protocol")
        if value is not None and not isinstance(value, bool):
            raise self._fault("protocol", "true or false")
        return value

    def _jobs(self) -> int | None:
        value = self.table.get("jobs")
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, str)):
            raise self._fault("jobs", "a whole number of at least 1, or auto")
        if isinstance(value, int) and value > MOST_JOBS:
            raise self._fault("jobs", f"a whole number of at most {MOST_JOBS:,}, or auto")
        return jobs(f"{self.file}: the setting `jobs`", str(value))

    def _per_file_ignores(self) -> tuple[tuple[str, tuple[str, ...]], ...]:
        value = self.table.get("per-file-ignores")
        if value is None:
            return ()
        if not isinstance(value, dict):
            raise self._fault("per-file-ignores", "a table of file patterns and lists of codes")
        self._check_lengths("per-file-ignores", value)
        result = []
        for pattern, codes in value.items():
            if not isinstance(codes, list) or not all(isinstance(code, str) for code in codes):
                raise UsageError(f"{self.file}: per-file-ignores: `{pattern}` must have a list of codes")
            result.append((pattern, split_codes(codes)))
        return tuple(result)
