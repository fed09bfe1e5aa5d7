"""Files of braces and brackets: RabbitMQ's JSON, nats-server's own grammar, and the HOCON of EMQX and NanoMQ."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import ClassVar

from momlint.mending.hands.form import Hand, Site
from momlint.native.form import At, NativeFile
from momlint.native.hocon_syntax import read_hocon
from momlint.native.nats_syntax import Items, Map, Value, read_conf
from momlint.source import read_source
from momlint.source.nodes import MappingNode, Node, ScalarNode, SequenceNode
from momlint.source.patching import Patches, Unpatchable


@dataclass(slots=True)
class Part:
    """A value: the characters from `start` up to `end`. Of a list `parts` are the items, of a map the values under
    `keys`, each of which begins at `begins`.
    """

    kind: str
    start: int
    end: int
    text: str = ""
    parts: list[Part] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    begins: list[int] = field(default_factory=list)

    def get(self, key: str) -> Part | None:
        """The value under a key."""
        return next((part for name, part in zip(self.keys, self.parts, strict=True) if name == key), None)

    def whole(self, index: int) -> tuple[int, int]:
        """An item, or key and value."""
        return self.begins[index] if self.begins else self.parts[index].start, self.parts[index].end


class TreeHand(Hand, ABC):
    """What all of these have in common. `comments`: how comments begin."""

    comments: ClassVar[tuple[str, ...]] = ("#", "//")
    #: What divides a key from its value where one is put in, and two entries on one line.
    between, comma = ": ", ", "

    def __init__(self, patches: Patches) -> None:
        super().__init__(patches)
        self.root = self.read()

    @abstractmethod
    def read(self) -> Part:
        """The tree."""

    def rename(self, site: Site, new: str) -> None:
        """See `Hand.rename`: quotes stay."""
        start, end = self.patches.range(site.span)
        chain = list(self.chain(start, end))
        scalar = chain[-1][0].parts[chain[-1][1]] if chain else None
        if scalar is None or scalar.kind != "scalar" or (scalar.start, scalar.end) != (start, end):
            raise self.no(site)
        quote = self.patches.text.text[start]
        if quote in "\"'":
            if quote in new or "\\" in new:
                raise self.no(site)
            new = f"{quote}{new}{quote}"
        elif not re.fullmatch(r"[A-Za-z_][\w-]*", new):
            raise self.no(site)
        self.patches.put(start, end, new)

    # -- what is there ------------------------------------------------------------------------------------------------

    def chain(self, start: int, end: int) -> Iterator[tuple[Part, int]]:
        """The parts around these characters, from outside: each with the number of its part that has them."""
        here: Part | None = self.root
        while here is not None:
            inner = None
            for index, part in enumerate(here.parts):
                if here.whole(index)[0] <= start and end <= part.end:
                    inner = part
                    yield here, index
                    break
            here = inner

    def around(self, site: Site) -> list[tuple[Part, int]]:
        """The parts around a site, the innermost last."""
        return list(self.chain(*self.patches.range(site.span)))

    def map_at(self, site: Site) -> Part:
        """The innermost map that has the site or is it."""
        for part, index in reversed(self.around(site)):
            if part.parts[index].kind == "map":
                return part.parts[index]
            if part.kind == "map":
                return part
        raise self.no(site)

    # -- patches ------------------------------------------------------------------------------------------------------

    def cut(self, part: Part, index: int) -> None:
        """Take out an item, or key and value, with what divides it from its neighbour."""
        text = self.patches.text.text
        start, end = part.whole(index)
        before = part.parts[index - 1].end if index else None
        behind = part.whole(index + 1)[0] if index + 1 < len(part.parts) else None
        rest = text[end : self.line(self.patches.text.place(end)[0] + 1)]
        gap = text[before:start] if before is not None else ""
        if self.has_comment(gap) or self.has_comment(rest) or self.has_comment(text[start:end]):
            self.cut_whole_lines(start, end)
        elif before is not None:
            self.patches.put(before, end, "")
        elif behind is not None:
            self.patches.put(start, behind, "")
        else:
            self.patches.put(start, end, "")

    def cut_whole_lines(self, start: int, end: int) -> None:
        """Take out the lines on which nothing else stands; with a comment behind it, and those within it."""
        text = self.patches.text.text
        first, last = self.patches.text.place(start)[0], self.patches.text.place(end)[0]
        lead, tail = text[self.line(first) : start], text[end : self.line(last + 1)].strip().lstrip(",").strip()
        if lead.strip() or (tail and not tail.startswith(self.comments)):
            raise Unpatchable("a comment would be lost")
        self.patches.put(self.line(first), self.line(last + 1), "")

    def has_comment(self, text: str) -> bool:
        """Whether a comment begins in this text, as far as anybody can tell."""
        bare = re.sub(r"\"(?:[^\"\\]|\\.)*\"|'[^']*'|\w+://\S*", "", text)
        return any(sign in bare for sign in self.comments)

    def add_entry(self, part: Part, key: str, value: str) -> None:
        """Put a key and a value behind the last of a map."""
        entry = f"{self.key(key)}{self.between}{value}"
        text = self.patches.text.text
        if not part.parts:
            self.patches.put(part.start + 1, part.start + 1, entry)
            return
        last = len(part.parts) - 1
        begin, end = part.begins[last], part.parts[last].end
        row = self.patches.text.place(begin)[0]
        margin = text[self.line(row) : begin]
        if margin.strip() or text[end : part.end].lstrip(" \t,").startswith("}"):
            self.patches.put(end, end, f"{self.comma}{entry}")
        elif self.comments:
            self.patches.insert_line(self.patches.text.place(end)[0], f"{margin}{entry}")
        else:
            self.patches.put(end, end, f",{self.patches.line_break}{margin}{entry}")

    def key(self, key: str) -> str:
        """A key as it is written."""
        return key

    def add_item(self, part: Part, value: str) -> None:
        """Put an item behind the last of a list."""
        at = part.parts[-1].end if part.parts else part.start + 1
        self.patches.put(at, at, f"{self.comma}{value}" if part.parts else value)


class DefinitionsHand(TreeHand):
    """Of RabbitMQ's definitions: upstreams and shovels are parameters."""

    comments = ()

    def read(self) -> Part:
        """See `TreeHand.read`. Escapes become letters of the same width, which is enough to find one's way."""
        text = re.sub(r"\\u[0-9a-fA-F]{4}", "______", self.patches.text.text)
        source = read_source(text.encode("utf-8", "surrogatepass"), "definitions")
        node = source.documents[0].root if source.documents else None
        if source.problems or not isinstance(node, MappingNode):
            raise Unpatchable("the file is not right as JSON")
        return self.part(node)

    def part(self, node: Node) -> Part:
        """A node and all that is in it."""
        start, end = self.patches.place_of(node)
        if isinstance(node, MappingNode):
            pairs = list(node.pairs())
            return Part(
                "map",
                start,
                end,
                "",
                [self.part(value) for _, value in pairs],
                [key.text for key, _ in pairs],
                [self.patches.place_of(key)[0] for key, _ in pairs],
            )
        if isinstance(node, SequenceNode):
            return Part("list", start, end, "", [self.part(item) for item in node.items])
        return Part("scalar", start, end, node.text if isinstance(node, ScalarNode) else "")

    def leave_out(self, site: Site) -> None:
        """See `Hand.leave_out`: an upstream or a shovel."""
        self.disconnect(site)

    def disconnect(self, site: Site) -> None:
        """See `Hand.disconnect`."""
        parameters = self.root.get("parameters")
        for part, index in self.around(site):
            if part is parameters:
                self.cut(part, index)
                return
        raise self.no(site)

    def limit(self, site: Site, hops: int) -> None:
        """See `Hand.limit`: ``max-hops`` of the upstream, or of the element of a set."""
        for part, index in reversed(self.around(site)):
            here = [part, part.parts[index]] if part.parts[index].kind == "map" else [part]
            for one in here:
                inner = one.get("value") if one.kind == "map" and one.get("component") is not None else one
                if inner is None or inner.kind != "map":
                    continue
                held = inner.get("max-hops")
                if held is not None:
                    self.patches.put(held.start, held.end, str(hops))
                    return
                if inner.get("uri") is not None or inner.get("upstream") is not None:
                    self.add_entry(inner, "max-hops", str(hops))
                    return
        raise self.no(site)

    def fan_out(self, site: Site, exchange: str) -> None:
        """See `Hand.fan_out`: an exchange that is bound to one queue at the most, so that others get nothing more."""
        chain = self.around(site)
        owner = next((one for one, _ in reversed(chain) if one.kind == "map" and one.get("vhost") is not None), None)
        if owner is None:
            raise self.no(site)
        vhost = _text(owner, "vhost")
        bound = {
            (_text(one, "destination_type"), _text(one, "destination"))
            for one in self.things("bindings")
            if (_text(one, "vhost"), _text(one, "source")) == (vhost, exchange)
        }
        found = [
            one for one in self.things("exchanges") if (_text(one, "vhost"), _text(one, "name")) == (vhost, exchange)
        ]
        kind = found[0].get("type") if len(found) == 1 else None
        if kind is None or len(bound) > 1:
            raise Unpatchable("more than one queue would get all of it")
        self.patches.put(kind.start, kind.end, '"fanout"')

    def things(self, section: str) -> Sequence[Part]:
        """The objects of a section."""
        part = self.root.get(section)
        return [] if part is None else [one for one in part.parts if one.kind == "map"]

    def key(self, key: str) -> str:
        """See `TreeHand.key`."""
        return f'"{key}"'


def _text(part: Part, key: str) -> str:
    found = part.get(key)
    return found.text if found is not None else ""


class _OtherTree(TreeHand):
    """Read by the readers of nats-server's files and of HOCON."""

    def part(self, value: Value) -> Part:
        """A value and all that is in it, as far as it stands within it."""
        start, end = self.place(value.at)
        if isinstance(value, Map):
            entries = [(self.place(entry.key_at)[0], entry) for entry in value.entries if entry.value.at.text == 0]
            found = Part("map", start, end)
            for begin, entry in sorted(entries, key=lambda one: one[0]):
                found.parts.append(self.part(entry.value))
                found.keys.append(entry.key)
                found.begins.append(begin)
            # A map that only stands for a part of a longer key is as long as what it has.
            found.end = max([end, *(one.end for one in found.parts)])
            return found
        if isinstance(value, Items):
            return Part("list", start, end, "", [self.part(one) for one in value.values if one.at.text == 0])
        return Part("scalar", start, end, value.text)

    def place(self, at: At) -> tuple[int, int]:
        """The characters of a place."""
        return self.patches.index(at.line, at.column), self.patches.index(at.end_line, at.end_column)

    def native(self, kind: str) -> NativeFile:
        """A file for a reader; what it includes is not looked at."""
        return NativeFile("nats" if kind == "nats" else "emqx", [("", self.patches.text)])

    def item_around(self, site: Site) -> tuple[Part, int] | None:
        """The innermost item of a list that is a map, around the site or at it."""
        found = None
        for part, index in self.around(site):
            if part.kind == "list" and part.parts[index].kind == "map":
                found = part, index
        return found


class NatsHand(_OtherTree):
    """Of a ``nats-server.conf``."""

    def read(self) -> Part:
        """See `TreeHand.read`."""
        return self.part(read_conf(self.native("nats"), None)[0])

    def leave_out(self, site: Site) -> None:
        """See `Hand.leave_out`: what is denied, if the site is that; else an uplink or an import."""
        chain = self.around(site)
        span = self.patches.range(site.span)
        for (holder, key), (part, index) in pairwise(chain):
            denies = holder.kind == "map" and holder.keys[key].lower().startswith("deny_")
            if denies and part.kind == "list" and (part.parts[index].start, part.parts[index].end) == span:
                self.cut(part, index)
                return
        self.disconnect(site)

    def disconnect(self, site: Site) -> None:
        """See `Hand.disconnect`."""
        found = self.item_around(site)
        if found is None:
            raise self.no(site)
        self.cut(*found)

    def put_under(self, site: Site) -> None:
        """See `Hand.put_under`: subjects of a stream get the account's name as a prefix, those of a service in `to`."""
        block = self.map_at(site)
        stream, service = block.get("stream"), block.get("service")
        given = stream or service
        account = given.get("account") if given is not None else None
        subject = given.get("subject") if given is not None else None
        if account is None or subject is None or block.get("to") is not None or block.get("prefix") is not None:
            raise self.no(site)
        if not re.fullmatch(r"[A-Za-z_][\w-]*", account.text):
            raise self.no(site)
        if stream is not None:
            self.add_entry(block, "prefix", f'"{account.text}"')
        else:
            self.add_entry(block, "to", f'"{account.text}.{subject.text}"')


class HoconHand(_OtherTree):
    """Of EMQX and NanoMQ."""

    between = " = "

    def read(self) -> Part:
        """See `TreeHand.read`."""
        if not re.search(r"[{\[]", self.patches.text.text):
            raise Unpatchable("files with a key and a value a line are not changed")
        return self.part(read_hocon(self.native("emqx"), None))

    def leave_out(self, site: Site) -> None:
        """See `Hand.leave_out`: an entry of a list of topics, or a way of a bridge."""
        chain = self.around(site)
        for (holder, key), (part, index) in pairwise(chain):
            name = holder.keys[key].lower() if holder.kind == "map" else ""
            if name in ("forwards", "subscription") and part.kind == "list":
                self.cut(part, index)
                return
            if name in ("egress", "ingress"):
                self.cut(holder, key)
                return
        raise self.no(site)

    def disconnect(self, site: Site) -> None:
        """See `Hand.disconnect`: the whole bridge."""
        names: list[str] = []
        for part, index in self.around(site):
            if part.kind == "map":
                names.append(part.keys[index].lower())
                if names[0] in ("bridges", "bridge") and names[1:2] == ["mqtt"] and len(names) == 3:
                    self.cut(part, index)
                    return
        raise self.no(site)

    def let_pass(self, site: Site, filter_: str) -> None:
        """See `Hand.let_pass`: one more in the list of topics."""
        chain = self.around(site)
        for (holder, key), (part, _) in pairwise(chain):
            name = holder.keys[key].lower() if holder.kind == "map" else ""
            if name in ("forwards", "subscription") and part.kind == "list" and '"' not in filter_:
                scalars = all(one.kind == "scalar" for one in part.parts)
                self.add_item(part, f'"{filter_}"' if scalars else f'{{ topic = "{filter_}" }}')
                return
        raise self.no(site)


__all__ = ["DefinitionsHand", "HoconHand", "NatsHand"]
