"""ActiveMQ's XML and MirrorMaker 2's properties: attributes of network connectors, settings of flows."""

from __future__ import annotations

import re

from momlint.mending.hands.form import Hand, Site
from momlint.native.form import NativeFile
from momlint.native.properties import Setting, read_properties
from momlint.native.xml_syntax import Element, read_xml
from momlint.source.patching import Patches, Unpatchable


class ActiveHand(Hand):
    """Of an ``activemq.xml``."""

    def __init__(self, patches: Patches) -> None:
        super().__init__(patches)
        self.root = read_xml(NativeFile("activemq", [("", patches.text)]))

    def leave_out(self, site: Site) -> None:
        """See `Hand.leave_out`: of a connector both ways only the way back can go."""
        element = self.element(site)
        duplex = element.attributes.get("duplex")
        if duplex is not None and duplex.text.strip().lower() == "true":
            if site.outward is not False:
                raise Unpatchable("the connector is needed for the way back")
            self.write(element, "duplex", "false")
        else:
            self.disconnect(site)

    def disconnect(self, site: Site) -> None:
        """See `Hand.disconnect`: the element, with its lines if nothing else is on them."""
        element = self.element(site)
        text = self.patches.text.text
        start = self.patches.index(element.at.line, element.at.column)
        end = self.end_of(start)
        first, last = self.patches.text.place(start)[0], self.patches.text.place(end)[0]
        lead, tail = text[self.line(first) : start], text[end : self.line(last + 1)]
        if lead.strip() or tail.strip():
            self.patches.put(start, end, "")
        else:
            self.cut_lines(list(range(first, last + 1)))

    def limit(self, site: Site, hops: int) -> None:
        """See `Hand.limit`: ``messageTTL`` where it is written, else ``networkTTL``."""
        element = self.element(site)
        self.write(element, "messageTTL" if "messageTTL" in element.attributes else "networkTTL", str(hops))

    def hear(self, site: Site, away: int) -> None:
        """See `Hand.hear`: ``consumerTTL``, which goes before ``networkTTL``."""
        self.write(self.element(site), "consumerTTL", str(away))

    def both_ways(self, site: Site) -> None:
        """See `Hand.both_ways`."""
        self.write(self.element(site), "duplex", "true")

    def rename(self, site: Site, new: str) -> None:
        """See `Hand.rename`: the value of an attribute."""
        start, end = self.patches.range(site.span)
        if self.patches.text.text[start - 1 : start] not in ('"', "'") or not re.fullmatch(r"[\w.-]+", new):
            raise self.no(site)
        self.patches.put(start, end, new)

    def element(self, site: Site) -> Element:
        """The connector whose name stands at the site."""
        for one in self.root.all("networkConnector"):
            if one.at.span == site.span:
                return one
        raise self.no(site)

    def write(self, element: Element, key: str, value: str) -> None:
        """Give an attribute another value, or put one in behind the others."""
        held = element.attributes.get(key)
        if held is not None:
            start = self.patches.index(held.at.line, held.at.column)
            self.patches.put(start, self.patches.index(held.at.end_line, held.at.end_column), value)
            return
        last = max((one.at for one in element.attributes.values()), default=None)
        if last is None or last == element.at:
            at = self.patches.index(element.at.end_line, element.at.end_column)
        else:
            at = self.patches.index(last.end_line, last.end_column) + 1  # behind its quote
        self.patches.put(at, at, f' {key}="{value}"')

    def end_of(self, start: int) -> int:
        """Where the element ends that begins there; there is none of its kind in it."""
        text = self.patches.text.text
        name = re.match(r"<[^\s/>]*", text[start:])
        opened = _OPENING.match(text, start)
        if name is None or opened is None:
            raise Unpatchable("the end of the element is not found")
        if opened[0].endswith("/>"):
            return opened.end()
        closing = re.compile(rf"</{re.escape(name[0][1:])}\s*>").search(text, opened.end())
        if closing is None:
            raise Unpatchable("the end of the element is not found")
        return closing.end()


_OPENING = re.compile(r"""<(?:[^"'>]|"[^"]*"|'[^']*')*>""")


class MirrorHand(Hand):
    """Of an ``mm2.properties``."""

    def __init__(self, patches: Patches) -> None:
        super().__init__(patches)
        self.settings = list(read_properties(patches.text))

    def leave_out(self, site: Site) -> None:
        """See `Hand.leave_out`: a name in a list of topics, else the flow, which is switched off where it is on."""
        for setting in self.settings:
            items = list(setting.value.items())
            spans = [item.at.span for item in items]
            if setting.key.text.endswith(".topics") and site.span in spans and len(items) > 1:
                index = spans.index(site.span)
                ends = [self.patches.range(span) for span in spans]
                start, end = (ends[0][0], ends[1][0]) if index == 0 else (ends[index - 1][1], ends[index][1])
                self.patches.put(start, end, "")
                return
        self.disconnect(site)

    def disconnect(self, site: Site) -> None:
        """See `Hand.disconnect`."""
        flow = self.flow(site)
        for setting in self.settings:
            if setting.key.text == f"{flow}.enabled":
                self.write(setting, "false")
                return
        raise self.no(site)

    def let_pass(self, site: Site, filter_: str) -> None:
        """See `Hand.let_pass`: one more in the flow's list, as a regular expression."""
        flow = self.flow(site)
        if not re.fullmatch(r"[\w.*-]+", filter_):
            raise self.no(site)
        written = filter_.replace(".", r"\\.").replace("*", ".*")
        for setting in self.settings:
            if setting.key.text == f"{flow}.topics" and setting.value.text:
                at = self.patches.index(setting.value.at.end_line, setting.value.at.end_column)
                self.patches.put(at, at, f", {written}")
                return
        raise self.no(site)

    def flow(self, site: Site) -> str:
        """The flow that a setting is of."""
        for setting in self.settings:
            rows = range(setting.key.at.line, setting.value.at.end_line + 1)
            if site.row in rows and "->" in setting.key.text:
                return setting.key.text.rpartition(".")[0]
        raise self.no(site)

    def write(self, setting: Setting, value: str) -> None:
        """Give a setting another value."""
        at = setting.value.at
        self.patches.put(self.patches.index(at.line, at.column), self.patches.index(at.end_line, at.end_column), value)


__all__ = ["ActiveHand", "MirrorHand"]
