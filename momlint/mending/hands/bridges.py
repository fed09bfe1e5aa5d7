"""Bridges of Mosquitto and VerneMQ: a setting a line, topic lines of words."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from momlint.mending.hands.form import Hand, Site
from momlint.source.patching import Patches, Unpatchable

#: Settings of a bridge by which it is told from another one, not by what it carries.
_OF_ONE = frozenset(
    ("connection", "address", "addresses", "topic", "remote_clientid", "clientid", "local_clientid", "client_id", "")
)
_BRIDGE_TEXT = """
    address addresses cleansession clientid idle_timeout keepalive_interval local_cleansession local_clientid
    local_password local_username notification_topic notifications notifications_local_only password remote_clientid
    remote_password remote_username restart_timeout retry_interval round_robin start_type threshold topic try_private
    username
"""
_OF_BRIDGES = frozenset(_BRIDGE_TEXT.split())


class _Word(NamedTuple):
    text: str
    start: int
    end: int


class _Setting(NamedTuple):
    """A line of a bridge: its number, the bridge, the key within it, and the words of the value with their columns."""

    row: int
    bridge: str
    key: str
    words: tuple[_Word, ...]

    def said(self) -> str:
        """What it says."""
        return " ".join(word.text for word in self.words)


class BridgeHand(Hand):
    """`read`: the settings of bridges in the lines of a file."""

    def __init__(self, patches: Patches, read: Callable[[list[str]], list[_Setting]]) -> None:
        super().__init__(patches)
        self.settings = read(list(patches.text.lines))

    def leave_out(self, site: Site) -> None:
        """See `Hand.leave_out`."""
        topic = self.topic(site)
        direction = self.direction(topic)
        if direction == "both" and site.outward is not None:
            word = topic.words[1]
            self.put(topic.row, word, "in" if site.outward else "out")
        elif sum(one.key == "topic" for one in self.of(topic.bridge)) == 1:
            self.disconnect(site)
        else:
            self.cut_lines([topic.row])

    def disconnect(self, site: Site) -> None:
        """See `Hand.disconnect`. Comments among its lines go with it."""
        rows = [one.row for one in self.of(self.at(site).bridge)]
        first, last = min(rows), max(rows)
        lines = self.patches.text.lines
        between = [row for row in range(first, last) if row not in rows]
        if all(not lines[row].strip() or lines[row].lstrip().startswith("#") for row in between):
            rows += between
        self.cut_lines(rows)

    def join(self, first: Site, second: Site) -> None:
        """See `Hand.join`: the two must say the same but for who is at the other end."""
        one, other = self.at(first).bridge, self.at(second).bridge
        if one == other or self.meant(one) != self.meant(other):
            raise Unpatchable("the two connections say different things")
        here, there = self.addresses(one), self.addresses(other)
        known = {word.text for word in here.words}
        more = [word.text for word in there.words if word.text not in known]
        if not more:
            raise Unpatchable("the two connections lead to one broker")
        self.insert(here.row, here.words[-1].end, "".join(f" {text}" for text in more))
        self.disconnect(second)

    def both_ways(self, site: Site) -> None:
        """See `Hand.both_ways`."""
        topic = self.topic(site)
        if self.direction(topic) == "both":
            raise self.no(site)
        if len(topic.words) == 1:
            self.insert(topic.row, topic.words[0].end, " both")
        else:
            self.put(topic.row, topic.words[1], "both")

    def let_pass(self, site: Site, filter_: str) -> None:
        """See `Hand.let_pass`: a topic line more, behind the one that is there."""
        topic = self.topic(site)
        renames = any(word.text != '""' for word in topic.words[3:])
        if renames or any(sign.isspace() for sign in filter_):
            raise Unpatchable("the line at this place renames")
        self.another_line(topic, filter_, self.way(topic, site))

    def way(self, topic: _Setting, site: Site) -> str:
        """The direction of a line that is to carry what the site is to carry."""
        direction = self.direction(topic)
        return direction if site.outward is None or direction != "both" else ("out" if site.outward else "in")

    def another_line(self, topic: _Setting, filter_: str, direction: str) -> None:
        """A line behind a topic line, for another filter."""
        text = self.patches.text.line(topic.row)
        start = topic.words[0].start
        rest = text[topic.words[2].start : topic.words[-1].end] if len(topic.words) > 2 else ""
        new = f"{text[:start]}{self.written(filter_)} {direction}" + (f" {rest}" if rest else "")
        self.patches.insert_line(topic.row, new)

    def written(self, filter_: str) -> str:
        """A filter as this file has it."""
        return filter_

    def end_prefix(self, site: Site, separator: str) -> None:
        """See `Hand.end_prefix`."""
        topic = self.topic(site)
        for word in topic.words[3:5]:
            if word.text != '""' and not word.text.endswith(separator):
                self.insert(topic.row, word.end, separator)

    def move_before(self, site: Site, other: Site) -> None:
        """See `Hand.move_before`: the whole line."""
        topic, first = self.topic(site), self.topic(other)
        if topic.bridge != first.bridge or topic.row <= first.row:
            raise self.no(site)
        text = self.patches.text.line(topic.row)
        self.cut_lines([topic.row])
        self.patches.insert_line(first.row - 1, text)

    def join_port(self, site: Site) -> None:
        """See `Hand.join_port`."""
        start, end = self.patches.range(site.span)
        text = self.patches.text.text
        before = len(text[:start].rstrip(" \t"))
        if not text[start:end].isdigit() or before == start or text[before - 1] in "\r\n":
            raise self.no(site)
        self.patches.put(before, start, ":")

    def rename(self, site: Site, new: str) -> None:
        """See `Hand.rename`: a word, or all of a line that names a connection."""
        start, end = self.patches.range(site.span)
        text = self.patches.text.text[start:end]
        if text.startswith("connection ") and self.at(site).key == "connection":
            start += len(text) - len(text.removeprefix("connection ").lstrip())
        elif any(sign.isspace() for sign in text):
            raise self.no(site)
        self.patches.put(start, end, new)

    # -- what is there ------------------------------------------------------------------------------------------------

    def at(self, site: Site) -> _Setting:
        """The setting on the line of a site."""
        for one in self.settings:
            if one.row == site.row:
                return one
        raise self.no(site)

    def topic(self, site: Site) -> _Setting:
        """The topic line there."""
        one = self.at(site)
        if one.key != "topic" or not one.words:
            raise self.no(site)
        return one

    def direction(self, topic: _Setting) -> str:
        """Out, in or both."""
        return topic.words[1].text.lower() if len(topic.words) > 1 else "out"

    def of(self, bridge: str) -> list[_Setting]:
        """All settings of a bridge."""
        return [one for one in self.settings if one.bridge == bridge]

    def meant(self, bridge: str) -> list[tuple[str, str]]:
        """What a bridge says but for its name and whom it leads to; topic lines as they are understood."""
        return sorted((one.key, one.said()) for one in self.of(bridge) if one.key not in _OF_ONE or one.key == "topic")

    def addresses(self, bridge: str) -> _Setting:
        """The line that says where a bridge leads."""
        for one in self.of(bridge):
            if one.key in ("address", "addresses") and one.words:
                return one
        raise Unpatchable("the connection has no address")

    # -- patches ------------------------------------------------------------------------------------------------------

    def put(self, row: int, word: _Word, text: str) -> None:
        """Write a text for a word."""
        self.patches.put(self.patches.index(row, word.start), self.patches.index(row, word.end), text)

    def insert(self, row: int, column: int, text: str) -> None:
        """Write a text where nothing is."""
        at = self.patches.index(row, column)
        self.patches.put(at, at, text)


class MosquittoHand(BridgeHand):
    """Of a ``mosquitto.conf``."""

    def __init__(self, patches: Patches) -> None:
        super().__init__(patches, _of_mosquitto)


class VerneHand(BridgeHand):
    """Of a ``vernemq.conf``: the bridge stands in the key of each line, ``*`` is ``#``."""

    def __init__(self, patches: Patches) -> None:
        super().__init__(patches, _of_vernemq)

    def move_before(self, site: Site, other: Site) -> None:
        """See `Hand.move_before`: the lines are numbered."""
        del other
        raise self.no(site)

    def join(self, first: Site, second: Site) -> None:
        """See `Hand.join`: its bridges have one address."""
        del second
        raise self.no(first)

    def let_pass(self, site: Site, filter_: str) -> None:
        """See `Hand.let_pass`: lines are numbered."""
        topic = self.topic(site)
        text = self.patches.text.line(topic.row)
        taken = [int(found[1]) for one in self.of(topic.bridge) if (found := _NUMBERED.search(self.line_of(one)))]
        numbered = _NUMBERED.search(text[: topic.words[0].start])
        if numbered is None or any(word.text != '""' for word in topic.words[3:]):
            raise Unpatchable("the line at this place renames")
        new = text[: numbered.start(1)] + str(max(taken) + 1) + text[numbered.end(1) : topic.words[0].start]
        rest = text[topic.words[2].start : topic.words[-1].end] if len(topic.words) > 2 else ""
        new += f"{self.written(filter_)} {self.way(topic, site)}" + (f" {rest}" if rest else "")
        self.patches.insert_line(topic.row, new)

    def line_of(self, one: _Setting) -> str:
        """The key of a topic line."""
        return self.patches.text.line(one.row)[: one.words[0].start] if one.key == "topic" and one.words else ""

    def written(self, filter_: str) -> str:
        """See `BridgeHand.written`."""
        return "/".join("*" if level == "#" else level for level in filter_.split("/"))


_NUMBERED = re.compile(r"\.topic\.([0-9]+)[ \t]*=[ \t]*$")
_VERNE = re.compile(r"[ \t]*vmq_bridge\.((?:tcp|ssl)\.[^.\s=]+)(?:\.([^\s=]+))?[ \t]*=[ \t]*")
_WORDS = re.compile(r"\S+")


def _of_mosquitto(lines: list[str]) -> list[_Setting]:
    found: list[_Setting] = []
    bridge, number = "", 0
    for row, line in enumerate(lines):
        words = [_Word(match[0], match.start(), match.end()) for match in _WORDS.finditer(line)]
        if not words or words[0].text.startswith("#"):
            continue
        key, rest = words[0].text, words[1:]
        # Behind the direction a `#` begins a comment, and in other settings behind the value.
        kept = rest[: 2 if key == "topic" else 1]
        for word in rest[len(kept) :]:
            if word.text.startswith("#"):
                break
            kept.append(word)
        if key == "connection":
            number += 1
            bridge = f"{number} {' '.join(word.text for word in kept)}"
        elif not bridge or not (key in _OF_BRIDGES or key.startswith("bridge_")):
            continue
        found.append(_Setting(row, bridge, key, tuple(kept)))
    return found


def _of_vernemq(lines: list[str]) -> list[_Setting]:
    found = []
    for row, line in enumerate(lines):
        match = _VERNE.match(line)
        if match is None:
            continue
        words = tuple(_Word(word[0], word.start(), word.end()) for word in _WORDS.finditer(line, match.end()))
        key = match[2] or ""
        found.append(_Setting(row, match[1], "topic" if key.startswith("topic.") else key, words))
    return found


__all__ = ["MosquittoHand", "VerneHand"]
