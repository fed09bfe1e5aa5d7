"""Sections of the text report that are no findings: what an option asks to be explained."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from momlint.errors import ReplayError
from momlint.findings import Section
from momlint.routed.ask import Disagreement

if TYPE_CHECKING:
    from momlint.routed.diagnosis.context import Context

#: Section → its module, which has a ``TITLE`` and ``explain(context)``, the lines for one estate.
MODULES = {"transients": "explain_transients", "availability": "report_availability"}


def section(name: str, context: Context, file: str) -> Section:
    """The section called `name` for one estate, which stands in `file`."""
    module = importlib.import_module(f"momlint.routed.checks.{MODULES[name]}")
    explain: Callable[[Context], Iterator[str]] = module.explain
    try:
        lines = tuple(explain(context))
    except ReplayError as error:
        context.ask.disagreements.append(Disagreement(f"the section {name}", str(error)))
        lines = ("left out: see MOM902",)
    return Section(f"{module.TITLE} of {context.estate.name} ({file})", lines)
