"""How a change of a relayed overlay is written: a hand for every kind of file, each of which patches its text."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from momlint.estate.rewriting import Rewriting
from momlint.mending.hands.bridges import MosquittoHand, VerneHand
from momlint.mending.hands.form import Hand
from momlint.mending.hands.own import OwnHand
from momlint.mending.hands.settings import ActiveHand, MirrorHand
from momlint.mending.hands.trees import DefinitionsHand, HoconHand, NatsHand
from momlint.native.kinds import kind_of
from momlint.routed.recovery.quoting import yaml_name
from momlint.source.nodes import Document
from momlint.source.patching import Patches, Unpatchable

_HANDS: dict[str, Callable[[Patches], Hand]] = {
    "mosquitto": MosquittoHand,
    "vernemq": VerneHand,
    "rabbitmq": DefinitionsHand,
    "nats": NatsHand,
    "emqx": HoconHand,
    "nanomq": HoconHand,
    "activemq": ActiveHand,
    "mm2": MirrorHand,
}


def hand_of(rewriting: Rewriting, file: str) -> Hand:
    """What changes a file of the estate. Raises `Unpatchable` where nothing does."""
    patches = rewriting.patches(file)
    kind = kind_in(rewriting, file)
    if kind is None:
        return OwnHand(patches, lambda number: rewriting.loaded.documents[number][1], yaml_name)
    if kind not in _HANDS:
        raise Unpatchable(f"files of {kind} are not changed")
    return _HANDS[kind](patches)


def kind_in(rewriting: Rewriting, file: str) -> str | None:
    """Of which broker's product the file is; None for momlint's own. What a file includes is of its kind."""
    last = None
    for source in rewriting.loaded.sources:
        kind = kind_of(source.file, rewriting.patches(source.file).text.text.encode("utf-8", "replace"))
        last = kind if kind is not None else last
        if source.file == file:
            return last if kind is not None or not _is_own(source.documents) else None
    return None


def _is_own(documents: Sequence[Document]) -> bool:
    """Whether these were read from YAML: what stands for native files has no place of its own."""
    return any(one.span.start != one.span.end for one in documents)


__all__ = ["Hand", "hand_of", "kind_in"]
