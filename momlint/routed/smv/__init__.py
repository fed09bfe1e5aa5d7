"""NuSMV as a witness: models of the overlay as text, and the program's answers where it is installed.

    render_overlay(overlay, names_of(estate), …), render_addresses(…), render_takeover(…) -> str
    SmvEngine(program, timeout).decide(overlay, question) -> Verdict

Names are from `momlint.routed.specs.names_of`.
"""

from __future__ import annotations

from momlint.routed.smv.engine import SmvEngine
from momlint.routed.smv.models import OwnSpec, render_addresses, render_overlay, render_takeover
from momlint.solving.limits import GaveUp
from momlint.solving.nusmv import Checked, Counterexample, find_nusmv, parse_answers, run

__all__ = [
    "Checked",
    "Counterexample",
    "GaveUp",
    "OwnSpec",
    "SmvEngine",
    "find_nusmv",
    "parse_answers",
    "render_addresses",
    "render_overlay",
    "render_takeover",
    "run",
]
