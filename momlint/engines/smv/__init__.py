"""NuSMV as a witness: models of the overlay as text, and the program's answers where it is installed.

    render_overlay(overlay, names_of(estate), …), render_addresses(…), render_takeover(…) -> str
    SmvEngine(program, timeout).decide(overlay, question) -> Verdict

Names are from `momlint.engines.ctl.names_of`.
"""

from __future__ import annotations

from momlint.engines.smv.engine import SmvEngine
from momlint.engines.smv.render import OwnSpec, render_addresses, render_overlay, render_takeover
from momlint.engines.smv.tool import Checked, Counterexample, GaveUp, find_nusmv, parse_answers, run

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
