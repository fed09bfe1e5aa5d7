"""What momlint expects of native files, in the terms in which real brokers are watched."""

from __future__ import annotations

from collections.abc import Mapping

from momlint.access import Access
from momlint.estate.opening import open_natives
from momlint.native.reading import Named, known_kind
from momlint.relayed.form import Form
from momlint.relayed.search import copies, start


class Predicted:
    """The overlay of native files, which are given by the name of their broker."""

    def __init__(self, files: Mapping[str, str]) -> None:
        named = []
        for name, text in files.items():
            kind = known_kind(f"{name}.conf", text.encode())
            assert kind is not None, text
            named.append(Named(f"{name}.conf", kind, text.encode()))
        (self.loaded,) = open_natives(named, Access.of).estates
        assert self.loaded.estate is not None
        self.estate = self.loaded.estate
        self.form = Form(self.estate)
        self.names = [broker.id for broker in self.estate.brokers]

    @property
    def problems(self) -> list[str]:
        """The codes of what is wrong in single files."""
        return [one.code for one in self.loaded.problems]

    def topics(self) -> list[str]:
        """One of each class that anybody's filter matches."""
        return [self.form.classes.examples[klass] for klass in self.form.used()]

    def copies(self, publisher: str, topic: str) -> dict[tuple[str, int], int] | None:
        """Copies by broker and class of what arrives; None for a loop."""
        first = start(self.form, self.names.index(publisher), self.form.classes.class_of(topic))
        found = copies(self.form, first)
        return (
            None
            if found is None
            else self.classes({(self.names[broker], called): number for (broker, called), number in found.items()})
        )

    def classes(self, seen: Mapping[tuple[str, str], int]) -> dict[tuple[str, int], int]:
        """What was seen, by broker and topic, as `copies` has it."""
        found: dict[tuple[str, int], int] = {}
        for (broker, topic), number in seen.items():
            key = broker, self.form.classes.class_of(topic)
            found[key] = found.get(key, 0) + number
        return found
