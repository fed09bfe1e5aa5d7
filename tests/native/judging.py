"""What momlint takes native files to mean: how many copies of a message come where. For tests against simulations."""

from __future__ import annotations

from momlint.access import Access
from momlint.estate.load import load_natives
from momlint.native.reading import Kind, Named
from momlint.relayed.classes import Classes
from momlint.relayed.form import Relay, relay_of
from momlint.relayed.graph import fate
from momlint.relayed.smt import decide
from tests.relayed.test_brute import by_graph, by_smt, holds


def relay_of_files(files: dict[str, str], kind: Kind) -> Relay:
    """The overlay that these files make, in which nothing may be wrong."""
    named = [Named(file, kind, text.encode()) for file, text in files.items()]
    loaded = load_natives(named, Access.of)
    assert [one for one in loaded.problems if one.code != "MOM814"] == [], loaded.problems
    assert loaded.estate is not None
    return relay_of(loaded.estate)


def copies(relay: Relay, origin: str, topic: str, *, twice: bool = False) -> tuple[str, dict[tuple[str, str], int]]:
    """What becomes of a message: it ``ends``, ``loops`` or ``grows``; where it ends, (broker, name) → copies.

    `twice`: by both engines.
    """
    broker = relay.names.index(origin)
    classes = Classes(relay)
    tokens = relay.language.tokens(topic)
    (found,) = [one for one in classes.of(broker) if holds(classes, one, tokens)]
    if fate(relay, found).growth:
        return "grows", {}
    loops, arrivals = by_graph(relay, found, tokens)
    if twice:
        assert decide(relay, found).loops == loops
        assert loops or by_smt(relay, found, tokens)[1] == arrivals
    return ("loops", {}) if loops else ("ends", arrivals)
