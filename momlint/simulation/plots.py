"""Plots as SVG. The only module that knows matplotlib; the same data give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from momlint.errors import UsageError

if TYPE_CHECKING:
    from momlint.simulation.outcomes import Outcome

_COLOURS = ("#1b6ca8", "#d1603d", "#3a8a4d", "#7b5ea7", "#8c6d1f", "#444444")


def _figure(width: float, height: float) -> tuple[Any, Any]:
    """A figure and its axes, without a window or any state of matplotlib's. Raises `UsageError` where it is missing."""
    try:
        from matplotlib import rcParams
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError("--plot needs matplotlib; install it with `pip install 'momlint[simulation]'`") from error
    # Ids in the SVG are made from this and not from the time; text stays text.
    rcParams["svg.hashsalt"] = "momlint"
    rcParams["svg.fonttype"] = "none"
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.3)
    return figure, axes


def _svg(figure: Any) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def plot_deliveries(runs: Mapping[str, Sequence[Outcome]]) -> str:
    """How many deliveries there were by when, a line for each policy; of several runs, of the first."""
    figure, axes = _figure(7.0, 3.8)
    for number, (name, own) in enumerate(runs.items()):
        times = sorted(one.at_ms for got in own[0].deliveries.values() for one in got)
        # Flooding and filtering of one order share a colour.
        axes.step(
            [0.0, *times],
            range(len(times) + 1),
            where="post",
            label=name,
            color=_COLOURS[number % 3 if len(runs) == 6 else number],
            linestyle="--" if name.startswith("filtering") else "-",
        )
    axes.set_xlabel("milliseconds")
    axes.set_ylabel("deliveries")
    axes.legend(frameon=False, fontsize="small")
    return _svg(figure)
