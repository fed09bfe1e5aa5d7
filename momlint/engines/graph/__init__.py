"""The explicit engine: exact, in numpy, on the condensed form."""

from __future__ import annotations

from momlint.engines.graph.engine import GraphEngine

__all__ = ["GraphEngine"]
