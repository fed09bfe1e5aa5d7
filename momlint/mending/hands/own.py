"""Relayed overlays in momlint's own YAML: links, what they let pass, and their limits on hops."""

from __future__ import annotations

from collections.abc import Callable

from momlint.mending.hands.form import Hand, Site
from momlint.source.nodes import Document, MappingNode, Node, ScalarNode, SequenceNode
from momlint.source.patching import Patches, Unpatchable, has_comment


class OwnHand(Hand):
    """`document`: gives the tree of a document. `quote`: a text as YAML."""

    def __init__(self, patches: Patches, document: Callable[[int], Document], quote: Callable[[str], str]) -> None:
        super().__init__(patches)
        self.document = document
        self.quote = quote

    def leave_out(self, site: Site) -> None:
        """See `Hand.leave_out`."""
        link = self.link(site)
        passes = link.get("topics")
        is_all = passes is None or not isinstance(passes.value, SequenceNode) or len(passes.value.children) == 1
        if site.outward is not None and link.get("between") is not None and (len(site.path) < 4 or is_all):
            self.turn(link, outward=not site.outward)
            return
        if len(site.path) >= 4 and passes is not None and isinstance(passes.value, SequenceNode):
            if link.get("between") is not None and site.outward is not None:
                raise Unpatchable("the filter is for both ways")
            if len(passes.value.children) > 1:
                index = site.path[3]
                assert isinstance(index, int)
                self.patches.change_items(passes.value, [index])
                return
        self.remove(site, [self.index(site)])

    def disconnect(self, site: Site) -> None:
        """See `Hand.disconnect`: in this document, all links of the connection."""
        name = _said(self.link(site), "connection")
        links = self.links(site)
        gone = [
            index
            for index, item in enumerate(links.items)
            if name is not None and isinstance(item, MappingNode) and _said(item, "connection") == name
        ]
        self.remove(site, gone or [self.index(site)])

    def limit(self, site: Site, hops: int) -> None:
        """See `Hand.limit`."""
        self.count(site, "max_hops", hops)

    def hear(self, site: Site, away: int) -> None:
        """See `Hand.hear`."""
        self.count(site, "demand_hops", away)

    def count(self, site: Site, key: str, value: int) -> None:
        """Give a number of a link another value, or put it in behind the others."""
        link = self.link(site)
        held = link.get(key)
        if held is not None:
            if held.via or held.alias is not None:
                raise Unpatchable("the limit comes from an anchor or a merge key")
            self.patches.replace_scalar(held.value, str(value))
        else:
            self.patches.change_items(link, (), {len(link.children) // 2 - 1: [f"{key}: {value}"]})

    def let_pass(self, site: Site, filter_: str) -> None:
        """See `Hand.let_pass`."""
        passes = self.link(site).get("topics")
        if passes is None or not isinstance(passes.value, SequenceNode):
            raise self.no(site)
        last = len(passes.value.children) - 1
        self.patches.change_items(passes.value, (), {last: [f"{{filter: {self.quote(filter_)}}}"]})

    def both_ways(self, site: Site) -> None:
        """See `Hand.both_ways`."""
        link = self.link(site)
        ends = [link.get("from"), link.get("to")]
        keys = [entry.key.text for entry in link.entries]
        if None in ends or len(keys) * 2 != len(link.children) or abs(keys.index("from") - keys.index("to")) != 1:
            raise Unpatchable("the ends of the link do not stand together")
        if any(entry is not None and (entry.via or entry.alias is not None) for entry in ends):
            raise Unpatchable("the link comes from an anchor")
        order = sorted((entry for entry in ends if entry is not None), key=lambda entry: keys.index(entry.key.text))
        first, last = order
        names = [self.source(entry.value) for entry in ends if entry is not None]
        start, end = self.patches.place_of(first.key)[0], self.patches.place_of(last.value)[1]
        if has_comment(self.patches.text.text[start:end]):
            raise Unpatchable("a comment would be lost")
        self.patches.put(start, end, f"between: [{', '.join(names)}]")

    def move_before(self, site: Site, other: Site) -> None:
        """See `Hand.move_before`: an entry on one line."""
        passes = self.link(site).get("topics")
        here, there = (one.path[3] if len(one.path) >= 4 else None for one in (site, other))
        if site.path[:2] != other.path[:2] or passes is None or not isinstance(passes.value, SequenceNode):
            raise self.no(site)
        if not isinstance(here, int) or not isinstance(there, int) or here <= there:
            raise self.no(site)
        start, end = self.patches.place_of(passes.value.items[here])
        text = self.patches.text.text[start:end]
        if "\n" in text or "&" in text:
            raise Unpatchable("the entry does not stand on one line")
        self.patches.change_items(passes.value, [here], {there - 1: [text]})

    def end_prefix(self, site: Site, separator: str) -> None:
        """See `Hand.end_prefix`."""
        document = self.document(site.document)
        entry = document.find(site.path)
        if not isinstance(entry, MappingNode) or document.locate(site.path).via:
            raise self.no(site)
        for key in ("strip", "add"):
            held = entry.get(key)
            if held is not None and isinstance(held.value, ScalarNode) and not held.value.text.endswith(separator):
                self.patches.replace_scalar(held.value, self.quote(f"{held.value.text}{separator}"))

    def turn(self, link: MappingNode, *, outward: bool) -> None:
        """Let a link both ways lead from its first end to its second alone, or back."""
        entry = link.get("between")
        if entry is None or entry.via or entry.alias is not None or not isinstance(entry.value, SequenceNode):
            raise Unpatchable("the link comes from an anchor")
        ends = [self.source(item) for item in entry.value.items]
        tail, head = ends if outward else reversed(ends)
        start, end = self.patches.place_of(entry.key)[0], self.patches.place_of(entry.value)[1]
        if has_comment(self.patches.text.text[start:end]):
            raise Unpatchable("a comment would be lost")
        at = self.patches.place_of(link)[0]
        margin = entry.key.start_column
        gap = ", " if self.patches.text.text[at : at + 1] == "{" else f"{self.patches.line_break}{' ' * margin}"
        self.patches.put(start, end, f"from: {tail}{gap}to: {head}")

    def remove(self, site: Site, gone: list[int]) -> None:
        """Take out links."""
        self.patches.change_items(self.links(site), gone)

    # -- what is there ------------------------------------------------------------------------------------------------

    def links(self, site: Site) -> SequenceNode:
        """The list of links."""
        node = self.document(site.document).find(("links",))
        if not isinstance(node, SequenceNode):
            raise self.no(site)
        return node

    def link(self, site: Site) -> MappingNode:
        """The link that a site is of."""
        if site.path[:1] != ("links",) or len(site.path) < 2:
            raise self.no(site)
        document = self.document(site.document)
        node = document.find(site.path[:2])
        if not isinstance(node, MappingNode) or document.locate(site.path[:2]).via:
            raise Unpatchable("the link comes from an anchor")
        return node

    def index(self, site: Site) -> int:
        """Its number in the list."""
        index = site.path[1]
        assert isinstance(index, int)
        return index

    def source(self, node: Node) -> str:
        """A scalar as it is written."""
        if not isinstance(node, ScalarNode):
            raise Unpatchable("this is not a name")
        start, end = self.patches.place_of(node)
        return self.patches.text.text[start:end]


def _said(link: MappingNode, key: str) -> str | None:
    entry = link.get(key)
    return entry.value.text if entry is not None and isinstance(entry.value, ScalarNode) else None


__all__ = ["OwnHand"]
