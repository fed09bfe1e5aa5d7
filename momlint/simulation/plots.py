"""Plots as SVG. The only module that knows matplotlib; the same data give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from momlint.errors import UsageError

if TYPE_CHECKING:
    from momlint.simulation.outcomes import Outcome
    from momlint.simulation.recovering import RecoveryOutcome

#: So many ways of links are drawn.
_SHOWN = 16
_COLOURS = ("#1b6ca8", "#d1603d", "#3a8a4d", "#7b5ea7", "#8c6d1f", "#444444")


def _figure(width: float, height: float, rows: int = 1) -> tuple[Any, Any]:
    """A figure and its axes (a list of them where there are several rows), without a window or matplotlib's state.

    Raises `UsageError` where matplotlib is missing.
    """
    try:
        from matplotlib import rcParams
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UsageError("--plot needs matplotlib; install it with `pip install 'momlint[simulation]'`") from error
    # Ids in the SVG are made from this and not from the time; text stays text.
    rcParams["svg.hashsalt"] = "momlint"
    rcParams["svg.fonttype"] = "none"
    figure = Figure(figsize=(width, height), layout="constrained")
    panels = list(figure.subplots(rows, 1, squeeze=False)[:, 0])
    for axes in panels:
        axes.spines[["top", "right"]].set_visible(False)
        axes.grid(axis="y", alpha=0.3)
    return figure, panels[0] if rows == 1 else panels


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


def plot_recovery(runs: Mapping[str, Sequence[RecoveryOutcome]]) -> str:
    """How long packets took, by when they were sent, and which were lost; below, how busy each link was, each way.

    Of several runs, of the first.
    """
    figure, (axes, below) = _figure(7.0, 6.4, rows=2)
    highest = max((one.latency for own in runs.values() for one in own[0].arrivals), default=1.0)
    for number, (name, own) in enumerate(runs.items()):
        run, colour = own[0], _COLOURS[number % len(_COLOURS)]
        series = sorted((one.sent_at, one.latency) for one in run.arrivals)
        axes.plot(
            [at for at, _ in series],
            [latency for _, latency in series],
            linestyle="none",
            # Where they agree, each is seen around the next.
            marker="o",
            markersize=max(1.5, 6.0 - 2.0 * number),
            color=colour,
            label=f"{name}: {len(series)} of {run.sent} came",
        )
        # Below the axis, a row for each protocol.
        level = -highest * (0.08 + 0.06 * number)
        axes.plot([at for at, _ in run.lost_at], [level] * len(run.lost_at), linestyle="none", marker="x", color=colour)
    first = next(iter(runs.values()))[0]
    for one in first.converged:
        axes.axvline(one.at, color="#888888", linewidth=0.8)
        axes.annotate(one.event, (one.at, highest * 1.02), fontsize="x-small", ha="center", annotation_clip=False)
    axes.set_xlabel("sent at")
    axes.set_ylabel("latency; crosses: lost")
    axes.legend(frameon=False, fontsize="small", loc="center left", bbox_to_anchor=(1.0, 0.5))
    _loads(below, {name: own[0].load for name, own in runs.items()})
    return _svg(figure)


def _loads(axes: Any, loads: Mapping[str, Mapping[str, float]]) -> None:
    """The busiest ways of links, by what any protocol sends over them: per cent of what they can carry."""
    ways = sorted({way for load in loads.values() for way in load})
    ways.sort(key=lambda way: -max(load.get(way, 0.0) for load in loads.values()))
    ways = ways[:_SHOWN]
    width = 0.8 / len(loads)
    for number, (name, load) in enumerate(loads.items()):
        places = [place + (number - (len(loads) - 1) / 2) * width for place in range(len(ways))]
        heights = [100 * load.get(way, 0.0) for way in ways]
        axes.bar(places, heights, width, label=name, color=_COLOURS[number % len(_COLOURS)])
    axes.set_xticks(range(len(ways)), ways, fontsize="x-small", rotation=45 if len(ways) > 10 else 0)
    axes.set_ylabel("load of the busiest links, %")


def plot_hops(shares: Mapping[str, Mapping[int, int]]) -> str:
    """Histograms of path lengths: of each name, how many paths have how many hops; drawn as shares."""
    figure, axes = _figure(7.0, 3.8)
    longest = max(max(counts) for counts in shares.values())
    width = 0.8 / len(shares)
    for number, (name, counts) in enumerate(shares.items()):
        total = sum(counts.values())
        places = [hops + (number - (len(shares) - 1) / 2) * width for hops in range(1, longest + 1)]
        heights = [100 * counts.get(hops, 0) / total for hops in range(1, longest + 1)]
        axes.bar(places, heights, width, label=name, color=_COLOURS[number % len(_COLOURS)])
    # The long paths are what it is about, and there are few of them.
    axes.set_yscale("log")
    axes.set_xticks(range(1, longest + 1))
    axes.set_xlabel("hops")
    axes.set_ylabel("per cent of all paths")
    axes.legend(frameon=False, fontsize="small")
    return _svg(figure)


def plot_timers(curves: Mapping[str, Sequence[tuple[float, float]]]) -> str:
    """Of each name: how soon a dead link is noticed, and how many false alarms that costs."""
    figure, axes = _figure(7.0, 3.8)
    for number, (name, points) in enumerate(curves.items()):
        axes.plot(
            [delay for delay, _ in points],
            [alarms for _, alarms in points],
            marker="o",
            markersize=4,
            # Two curves of one scene share a colour.
            color=_COLOURS[number // 2 % len(_COLOURS)],
            linestyle="--" if number % 2 else "-",
            label=name,
        )
    axes.set_yscale("symlog", linthresh=0.1)
    axes.set_xlabel("units until a dead link is noticed")
    axes.set_ylabel("false alarms in 100 units")
    axes.legend(frameon=False, fontsize="small")
    return _svg(figure)
