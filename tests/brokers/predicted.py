"""What momlint expects of native files, in the terms in which real brokers are watched."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from momlint.access import Access
from momlint.estate.opening import Opened, open_bytes, open_natives
from momlint.native.reading import Named, known_kind
from momlint.relayed.classes import Classes, TopicClass
from momlint.relayed.form import relay_of
from momlint.relayed.graph import fate
from momlint.relayed.patterns import Tokens


class Predicted:
    """The overlay of native files, which are given by the name of their broker.

    `everywhere`: filters to which every broker's clients subscribe; such files are taken by a manifest.
    """

    def __init__(self, files: Mapping[str, str], everywhere: Sequence[str] = ()) -> None:
        (self.loaded,) = (_by_manifest(files, everywhere) if everywhere else _alone(files)).estates
        assert self.loaded.estate is not None
        self.estate = self.loaded.estate
        self.relay = relay_of(self.estate)
        self.names = self.relay.names
        classes = Classes(self.relay)
        self.sets = classes.sets
        self.by_origin = [list(classes.of(origin)) for origin in range(len(self.names))]

    @property
    def problems(self) -> list[str]:
        """The codes of what is wrong in single files."""
        return [one.code for one in self.loaded.problems]

    @property
    def grows(self) -> bool:
        """Whether a topic gets longer or shorter with every turn."""
        return any(one.deep for found in self.by_origin for one in found)

    def topics(self) -> list[str]:
        """One of each class of each broker."""
        language = self.relay.language
        return list(dict.fromkeys(language.text(one.example) for found in self.by_origin for one in found))

    def copies(self, publisher: str, topic: str) -> dict[tuple[str, str], int] | None:
        """Copies by broker and topic of what arrives, the message itself included; None for a loop."""
        tokens = self.relay.language.tokens(topic)
        (one,) = [found for found in self.by_origin[self.names.index(publisher)] if self._holds(found, tokens)]
        result = fate(self.relay, one)
        if result.cycles or result.growth:
            return None
        counted = {(publisher, topic): 1}
        for (broker, called), number in result.arrivals.items():
            key = self.names[broker], self.relay.language.text((*called.add, *tokens[called.cut :]))
            counted[key] = counted.get(key, 0) + number
        return counted

    def _holds(self, found: TopicClass, topic: Tokens) -> bool:
        inside = all(self.sets.matches(one, topic) for one in found.topics.inside)
        return inside and not any(self.sets.matches(one, topic) for one in found.topics.outside)


def _alone(files: Mapping[str, str]) -> Opened:
    named = []
    for name, text in files.items():
        kind = known_kind(f"{name}.conf", text.encode())
        assert kind is not None, text
        named.append(Named(f"{name}.conf", kind, text.encode()))
    return open_natives(named, Access.of)


def _by_manifest(files: Mapping[str, str], everywhere: Sequence[str]) -> Opened:
    lines = ["momlint: 1", "brokers:"]
    lines += [f"  {name}: {{config: {name}.conf}}" for name in files]
    lines += ["subscriptions:"]
    lines += [f'  - {{at: {name}, filter: "{one}"}}' for name in files for one in everywhere]
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            (Path(folder) / f"{name}.conf").write_text(text, encoding="utf-8")
        manifest = str(Path(folder) / "manifest.yaml")
        return open_bytes("\n".join(lines).encode(), manifest, Access.of(manifest))
