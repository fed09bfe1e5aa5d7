"""``momlint render``: the encodings, for a solver or a model checker of your own, and the topology as a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from momlint import config
from momlint.cli import estates, exits
from momlint.cli.console import refuse_input, write
from momlint.cli.reading import Reading
from momlint.errors import UsageError

if TYPE_CHECKING:
    from momlint.estate import Estate, LoadedEstate

#: The languages; there are templates for all but graphml. Cubicle's is of publish/subscribe clients.
LANGUAGES = ("smv", "smt2", "graphml", "cub")
#: The models in SMV; the first is what is written unless another is asked for.
MODELS = ("walk", "takeover", "addresses")


class Arguments(NamedTuple):
    """The command line of ``render`` as it was given; `None` where an option was not."""

    path: str
    to: str
    dest: str | None = None
    model: str | None = None
    all_pairs: bool = False
    literal: bool = False
    estate: str | None = None
    output: str | None = None
    reading: Reading = Reading()


def render(arguments: Arguments) -> int:
    """Write the question whether every needed message arrives, in every colour; or the graph. Raises `UsageError`."""
    config.choice("--to", arguments.to, LANGUAGES)
    if arguments.model is not None:
        config.choice("--model", arguments.model, MODELS)
    _refuse_what_has_no_effect(arguments)
    section = "pubsub" if arguments.to == "cub" else "brokers"
    loaded = estates.load(arguments.path, arguments.estate, arguments.reading, section=section)
    assert loaded.estate is not None
    refuse_input("--output", arguments.output, [source.file for source in loaded.sources])
    if arguments.to == "cub":
        write(_cub(loaded), arguments.output)
        return exits.OK
    make = {"smv": _smv, "smt2": _smt2, "graphml": _graphml}[arguments.to]
    write(make(loaded.estate, arguments), arguments.output)
    return exits.OK


def _refuse_what_has_no_effect(arguments: Arguments) -> None:
    smv = arguments.to == "smv"
    model = arguments.model or MODELS[0]
    where = f"--to {arguments.to}" + (f" --model {model}" if smv else "")
    effect = {
        "--dest": (arguments.dest is not None, arguments.to == "smt2"),
        "--model": (arguments.model is not None, smv),
        "--all-pairs": (arguments.all_pairs, smv and model != "takeover"),
        "--literal": (arguments.literal, smv and model != "addresses"),
    }
    for option, (given, has_effect) in effect.items():
        if given and not has_effect:
            raise UsageError(f"{option} has no effect with {where}")


def _cub(loaded: LoadedEstate) -> str:
    from momlint.pubsub.cubicle import render as render_cub
    from momlint.pubsub.read import read

    assert loaded.estate is not None
    clients = read(loaded).clients
    if clients is None:
        file = loaded.source.file
        raise UsageError(f"{file}: its clients cannot be read; `momlint check` says what is wrong with them")
    return render_cub(clients, loaded.estate.name)


def _smv(estate: Estate, arguments: Arguments) -> str:
    from momlint.routed.overlay import build_overlay
    from momlint.routed.smv import OwnSpec, render_addresses, render_overlay, render_takeover
    from momlint.routed.specs import names_of

    names = names_of(estate)
    specs = [OwnSpec(spec.name, spec.logic, spec.text) for spec in estate.specs]
    if arguments.model == "takeover":
        if not estate.takeover:
            raise UsageError("--model takeover: this estate has no `takeover`")
        return render_takeover(names, literal=arguments.literal, specs=specs)
    overlay = build_overlay(estate)
    if arguments.model == "addresses":
        return render_addresses(overlay, names, all_pairs=arguments.all_pairs)
    return render_overlay(overlay, names, literal=arguments.literal, all_pairs=arguments.all_pairs, specs=specs)


def _graphml(estate: Estate, arguments: Arguments) -> str:
    del arguments  # none of the options has an effect
    from momlint.exchange import graphml

    return graphml(estate)


def _smt2(estate: Estate, arguments: Arguments) -> str:
    import numpy as np

    from momlint.routed.overlay import build_overlay
    from momlint.routed.questions.question import Question
    from momlint.routed.smt import render as render_smt2

    overlay = build_overlay(estate)
    sources, dests = overlay.pair_source, overlay.pair_dest
    if arguments.dest is not None:
        wanted = dests == estates.broker(estate, arguments.dest, "--dest")
        sources, dests = sources[wanted], dests[wanted]
    question = Question("arrive", sources, dests, np.arange(overlay.colours, dtype=np.int32))
    return render_smt2(
        overlay,
        question,
        brokers=[one.id for one in estate.brokers],
        colours=[one.name for one in estate.colours] if estate.colours_declared else (),
        title=f"{estate.name}: every message arrives",
    )
