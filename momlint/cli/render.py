"""``momlint render``: the encodings, for a solver of your own."""

from __future__ import annotations

from momlint import cli, config
from momlint.cli import estates
from momlint.cli.console import write

#: The languages there are templates for.
LANGUAGES = ("smt2",)


def render(path: str, to: str, dest: str | None, name: str | None, output: str | None) -> int:
    """Write the question whether every needed message arrives, in every colour. Raises `UsageError`.

    With `dest` only the messages for that broker are asked.
    """
    config.choice("--to", to, LANGUAGES)

    import numpy as np

    from momlint.engines.question import Question
    from momlint.engines.smt import render as render_smt2
    from momlint.forwarding import build_overlay

    loaded = estates.load(path, name)
    estate = loaded.estate
    assert estate is not None
    overlay = build_overlay(estate)
    sources, dests = overlay.pair_source, overlay.pair_dest
    if dest is not None:
        wanted = dests == estates.broker(estate, dest, "--dest")
        sources, dests = sources[wanted], dests[wanted]
    question = Question("arrive", sources, dests, np.arange(overlay.colours, dtype=np.int32))
    text = render_smt2(
        overlay,
        question,
        brokers=[one.id for one in estate.brokers],
        colours=[one.name for one in estate.colours] if estate.colours_declared else (),
        title=f"{estate.name}: every message arrives",
    )
    write(text, output)
    return cli.OK
