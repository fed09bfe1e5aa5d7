"""Contrast of the pages' colours in both themes, by the formula of WCAG 2.2: 4.5 for text, 3 for graphics."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

STYLES = (Path(__file__).parents[2] / "templates" / "view.css").read_text()
TEXT = [
    *(("ink", one) for one in ("paper", "sheet", "broker", "on", "mark", "ok", "moved", "cut", "many")),
    *(("ink", one) for one in ("note-soft", "error-soft")),
    *(("faint", one) for one in ("paper", "sheet", "on")),
    ("error", "sheet"),
    ("error", "on"),
    ("error", "error-soft"),
    ("warning", "warning-soft"),
    ("note", "note-soft"),
    ("accent", "sheet"),
    ("white", "lost"),
    ("white", "endless"),
]
GRAPHICS = [
    *(("stroke", one) for one in ("paper", "sheet")),
    *(("edge", one) for one in ("paper", "broker")),
    *(("accent", one) for one in ("paper", "sheet", "on")),
    *(("error", one) for one in ("paper", "error-soft")),
    *(("note", one) for one in ("paper", "note-soft", "broker")),
    ("warning", "sheet"),
    ("lost", "sheet"),
]


def themes() -> list[dict[str, str]]:
    """The colours, light and dark; the dark ones stand twice, and are the same."""
    blocks = re.findall(r":root[^{]*\{([^}]*)\}", STYLES)
    light, *dark = [{"white": "#ffffff", **dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{6})", one))} for one in blocks]
    assert len(dark) == 2
    assert dark[0] == dark[1]
    return [light, dark[0]]


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_the_formula_is_that_of_the_standard() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    # The lightest grey that may stand on white, as WebAIM and others give it.
    assert contrast("#767676", "#ffffff") == pytest.approx(4.54, abs=0.005)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_text_and_graphics_are_seen(theme: int) -> None:
    colours = themes()[theme]
    found = {
        (one, other, least): round(ratio, 2)
        for pairs, least in ((TEXT, 4.5), (GRAPHICS, 3.0))
        for one, other in pairs
        if (ratio := contrast(colours[one], colours[other])) < least
    }
    assert found == {}
