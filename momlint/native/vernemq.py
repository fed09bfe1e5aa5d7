"""VerneMQ's ``vernemq.conf``: a key and a value a line, bridges under ``vmq_bridge.tcp.<name>`` or ``.ssl.``.

Keys and topic lines are Mosquitto's, but ``*`` stands for ``#``, which begins a comment here, and nothing stops what
came by a bridge from going back over it: `try_private` is taken and does nothing.
"""

from __future__ import annotations

import re
from typing import Final

from momlint.native.addresses import ANY_HOST, read_address
from momlint.native.bridging import DIRECTIONS, Connection, Topic, add_connection
from momlint.native.form import TOP, At, Broker, NativeFile, Token
from momlint.native.text import read_text

_SETTING: Final = re.compile(r"[ \t]*([^\s=#][^\s=]*)[ \t]*=[ \t]*(.*)")
_BRIDGE: Final = re.compile(r"vmq_bridge\.(?:tcp|ssl)\.([^.\s]+)(?:\.(.+))?")
_WORD: Final = re.compile(r"\S+")
_IRRELEVANT: Final = re.compile(
    r"cleansession|keepalive_interval|restart_timeout|max_outgoing_buffered_messages|username|password|cafile|capath|"
    r"certfile|keyfile|insecure|tls_version|identity|psk|try_private|mqtt_version|persistent|segment_size|"
    r"persistent_queue.*|retry_interval|retain_available|alpn|customize_hostname_check|depth|ciphers"
)


def read_vernemq(data: bytes, file: str) -> NativeFile:
    """Read a ``vernemq.conf``. Raises nothing on account of the bytes."""
    text, problems, is_text = read_text(data, file)
    native = NativeFile("vernemq", [(file, text)], problems=problems)
    native.brokers.append(Broker("", TOP))
    if is_text:
        _Reader(native).run(text.lines)
    return native


class _Reader:
    def __init__(self, native: NativeFile) -> None:
        self.native = native
        self.broker = native.brokers[0]
        self.connections: dict[str, Connection] = {}

    def run(self, lines: list[str]) -> None:
        for row, line in enumerate(lines):
            found = _SETTING.match(line)
            if found is None:
                continue
            written = found[2].rstrip()
            end = found.start(2) + len(written)
            at = At(row, found.start(1), row, end)
            value = Token(written, At(row, found.start(2), row, end))
            bridge = _BRIDGE.fullmatch(found[1])
            if bridge is not None:
                self.bridge(bridge[1], bridge[2], at, value)
            elif found[1].startswith("listener.tcp.") and found[1].count(".") == 2:
                address = read_address(value.text, value.at)
                if address.port is not None:
                    self.broker.ports.add(address.port)
                if address.host not in ANY_HOST:
                    self.broker.hosts.add(address.host)
            elif found[1] == "nodename":
                host = value.text.rpartition("@")[2].lower()
                if host:
                    self.broker.hosts.add(host)
        if not self.broker.ports:
            self.broker.ports.add(1883)
        for one in self.connections.values():
            add_connection(self.native, one)

    def bridge(self, name: str, key: str | None, at: At, value: Token) -> None:
        one = self.connections.setdefault(name, Connection(name, at, guarded=False))
        if key is None:
            address = read_address(value.text, value.at)
            one.at = at
            one.addresses = [address if address.port is not None else address._replace(port=1883)]
        elif key == "client_id":
            one.client_id = value
        elif re.fullmatch(r"topic\.[0-9]+", key):
            self.topic(one, at, value)
        elif not _IRRELEVANT.fullmatch(key):
            self.native.report(
                "MOM814",
                at,
                f"momlint does not know the setting `{key[:80]}` of a bridge",
                "if it says where messages go, momlint does not see it",
            )

    def topic(self, one: Connection, at: At, value: Token) -> None:
        words = [match[0] for match in _WORD.finditer(value.text)]
        if not words:
            self.refuse(one, at, "this topic line has no pattern", "write `<pattern> out`")
            return
        pattern, direction, qos, local, remote = ([*words, "", "", "", "", ""])[:5]
        if (direction or "out").lower() not in DIRECTIONS:
            self.refuse(one, at, f"`{direction}` is no direction", "write out, in or both")
            return
        if qos and qos not in ("0", "1", "2"):
            self.refuse(one, at, f"`{qos}` is no QoS level", "write 0, 1 or 2")
            return
        pattern, local, remote = ("" if word == '""' else word for word in (pattern, local, remote))
        levels = ["#" if level == "*" else level for level in pattern.split("/")]
        outward, inward = DIRECTIONS[(direction or "out").lower()]
        one.topics.append(Topic("/".join(levels), outward, inward, local, remote, len(words) > 3, at))

    def refuse(self, one: Connection, at: At, what: str, help_: str) -> None:
        one.faulty = True
        self.native.report("MOM813", at, f"{what}; the broker refuses this file", help_)
