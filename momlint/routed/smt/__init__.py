"""The solver engine: trap sets as SMT-LIB text, decided by a solver.

``templates/*.smt2.j2`` are the encodings, `encode` and `entries` fill them, `solve` finds all that fails with z3
(`with_z3`) or another solver (`with_pysmt`), and `engine` makes the verdict. Importing this imports
none of z3, pysmt and jinja2.
"""

from momlint.routed.smt.engine import SmtEngine
from momlint.routed.smt.expected import expected_seconds, expected_smallest_seconds, expected_survey_seconds
from momlint.routed.smt.scripts import render

__all__ = [
    "SmtEngine",
    "expected_seconds",
    "expected_smallest_seconds",
    "expected_survey_seconds",
    "render",
]
