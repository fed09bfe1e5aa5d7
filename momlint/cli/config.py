"""``momlint config show``: every setting, its value, and where it comes from."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from momlint import config
from momlint.cli import exits
from momlint.cli.console import write
from momlint.escaping import printable

if TYPE_CHECKING:
    from momlint.config import Config

#: What holds where no file says anything, as it would be written in one.
DEFAULTS: dict[str, Any] = {
    "version": config.VERSION,
    "select": [],
    "extend-select": [],
    "ignore": [],
    "extend-ignore": [],
    "severity": {},
    "exclude": [],
    "fail-on": "error",
    "format": "text",
    "engine": "auto",
    "solver": "z3",
    "timeout": 60,
    "bound": None,
    "protocol": False,
    "jobs": 1,
    "baseline": None,
    "per-file-ignores": {},
    "rules": [],
}


def show(path: str, named: str | None, form: str) -> int:
    """Write the settings that a check of `path` would have. Raises `UsageError`, also for wrong settings."""
    chosen = config.choice("--format", form, ("text", "json"))
    settings = config.find(path) if named is None else config.load(named)
    if chosen == "json":
        values = {key: {"value": value, "from": source} for key, value, source in _rows(settings)}
        write(json.dumps(values, ensure_ascii=False, indent=2) + "\n")
        return exits.OK
    rows = [(key, _written(value), source) for key, value, source in _rows(settings)]
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    lines = [f"{key:{widths[0]}}  {value:{widths[1]}}  {source}".rstrip() for key, value, source in rows]
    write("".join(printable(line) + "\n" for line in lines))
    return exits.OK


def _rows(settings: Config) -> list[tuple[str, Any, str]]:
    found = []
    for key in config.KEYS:
        given = key in settings.given
        value = getattr(settings, key.replace("-", "_"), None) if given else DEFAULTS[key]
        if key in ("severity", "per-file-ignores"):
            value = dict(value or ())
        if key == "version":
            value = config.VERSION
        found.append((key, value, settings.file if given and settings.file is not None else "default"))
    return found


def _written(value: Any) -> str:
    """As TOML has it, on one line."""
    if value is None:
        return "(none)"
    if isinstance(value, dict):
        inner = ", ".join(f"{json.dumps(key, ensure_ascii=False)} = {_written(one)}" for key, one in value.items())
        return f"{{{inner}}}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(_written(one) for one in value)}]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value, ensure_ascii=False)
