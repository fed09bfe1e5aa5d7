"""The explicit engine: exact, in numpy, on the condensed form."""

from __future__ import annotations

from momlint.routed.graph.engine import GraphEngine

__all__ = ["GraphEngine"]
