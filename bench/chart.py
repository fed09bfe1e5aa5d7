"""Line charts as SVG, plain enough to be read in a diff: the same numbers give the same bytes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple
from xml.sax.saxutils import escape

_COLOURS = ("#1b6ca8", "#c4472b", "#3c8d40", "#8a5a9e")
_WIDTH, _HEIGHT = 640, 400
_LEFT, _RIGHT, _TOP, _BOTTOM = 80, 20, 40, 60


class Line(NamedTuple):
    """A curve: its name, and its points as (x, y)."""

    name: str
    points: Sequence[tuple[float, float]]


def line_chart(title: str, x_label: str, y_label: str, lines: Sequence[Line], *, log: bool = False) -> str:
    """The text of an SVG; with `log` both axes are logarithmic (base 10), and the values must be positive."""
    xs = [x for line in lines for x, _ in line.points]
    ys = [y for line in lines for _, y in line.points]
    x_ticks, y_ticks = (_log_ticks(xs), _log_ticks(ys)) if log else (_ticks(xs), _ticks(ys))
    scale = math.log10 if log else float

    def place(x: float, y: float) -> tuple[str, str]:
        across = (scale(x) - scale(x_ticks[0])) / (scale(x_ticks[-1]) - scale(x_ticks[0]))
        up = (scale(y) - scale(y_ticks[0])) / (scale(y_ticks[-1]) - scale(y_ticks[0]))
        return (
            f"{_LEFT + across * (_WIDTH - _LEFT - _RIGHT):.1f}",
            f"{_HEIGHT - _BOTTOM - up * (_HEIGHT - _TOP - _BOTTOM):.1f}",
        )

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {_HEIGHT}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{_WIDTH}" height="{_HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_WIDTH / 2:.0f}" y="22" text-anchor="middle" font-size="14">{escape(title)}</text>',
    ]
    for tick in x_ticks:
        x, bottom = place(tick, y_ticks[0])
        _, top = place(tick, y_ticks[-1])
        out.append(f'<line x1="{x}" y1="{bottom}" x2="{x}" y2="{top}" stroke="#e0e0e0"/>')
        out.append(f'<text x="{x}" y="{float(bottom) + 18:.1f}" text-anchor="middle">{_number(tick)}</text>')
    for tick in y_ticks:
        left, y = place(x_ticks[0], tick)
        right, _ = place(x_ticks[-1], tick)
        out.append(f'<line x1="{left}" y1="{y}" x2="{right}" y2="{y}" stroke="#e0e0e0"/>')
        out.append(f'<text x="{_LEFT - 8}" y="{float(y) + 4:.1f}" text-anchor="end">{_number(tick)}</text>')
    middle = (_TOP + _HEIGHT - _BOTTOM) / 2
    out.append(f'<text x="{_WIDTH / 2:.0f}" y="{_HEIGHT - 18}" text-anchor="middle">{escape(x_label)}</text>')
    out.append(
        f'<text x="16" y="{middle:.0f}" text-anchor="middle" transform="rotate(-90 16 {middle:.0f})">'
        f"{escape(y_label)}</text>"
    )
    for index, line in enumerate(lines):
        colour = _COLOURS[index % len(_COLOURS)]
        places = [place(x, y) for x, y in line.points]
        joined = " ".join(f"{x},{y}" for x, y in places)
        out.append(f'<polyline points="{joined}" fill="none" stroke="{colour}" stroke-width="2"/>')
        out += [f'<circle cx="{x}" cy="{y}" r="3" fill="{colour}"/>' for x, y in places]
        y_at = _TOP + 16 + 18 * index
        out.append(f'<rect x="{_LEFT + 12}" y="{y_at - 9}" width="12" height="12" fill="{colour}"/>')
        out.append(f'<text x="{_LEFT + 30}" y="{y_at + 1}">{escape(line.name)}</text>')
    out.append("</svg>")
    return "\n".join(out) + "\n"


def _ticks(values: Sequence[float]) -> list[float]:
    low, high = min(0.0, *values), max(values)
    rough = (high - low) / 6 or 1.0
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 5, 10) if power * factor >= rough)
    first, last = math.floor(low / step), math.ceil(high / step)
    return [step * index for index in range(first, last + 1)]


def _log_ticks(values: Sequence[float]) -> list[float]:
    first, last = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return [10.0**index for index in range(first, max(last, first + 1) + 1)]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value == round(value) else f"{value:g}"
