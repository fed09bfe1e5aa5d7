"""Bridges of EMQX (``emqx.conf``) and NanoMQ (``nanomq.conf``), in HOCON or as older versions have them, a line each.

EMQX passes on what it has imported, and NanoMQ does not get back what it sent only with version 5 of MQTT: where a
bridge leads both ways, nothing else stops a message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from momlint.native.addresses import ANY_HOST, read_address
from momlint.native.bridging import is_filter
from momlint.native.form import TOP, Address, At, Broker, Client, Kind, Link, NativeFile, Pass, Token
from momlint.native.hocon_syntax import read_flat, read_hocon
from momlint.native.nats_syntax import Entry, Items, Map, ReadFile, Scalar, Value
from momlint.native.text import read_text

_FLAT: Final = re.compile(r"^[ \t]*bridge\.mqtt\.[^.\s=]+\.(?:address|bridge_mode)[ \t]*=", re.MULTILINE)
_FROM: Final = re.compile(r"\bFROM\b(.*?)(?:\bWHERE\b|$)", re.IGNORECASE | re.DOTALL)
_QUOTED: Final = re.compile(r"\"([^\"]*)\"|'([^']*)'")
_SHARED: Final = re.compile(r"\$(?:share/[^/]+|queue)/")
_TOPIC: Final = "${topic}"

_KNOWN_TEXT: Final = """
    address bind bridge_mode cacertfile cafile capath certfile ciphers clean_start cleansession clientid clientid_prefix
    client_id conn_properties connector congestion copy_over description direction dump_interval egress enable
    fast_reconnect forward_mountpoint forwards hybrid_bridging hybrid_servers idle_timeout ingress keepalive
    keepalive_interval keyfile local local_topic local_qos max_ack_delay max_buffer_size max_inflight max_inflight_size
    max_parallel_processes max_recv_queue_len max_send_queue_len metadata mode multi_stream mountpoint mqtt_version
    password parameters payload pool_size proto_ver proto_version qkeepalive qos queue quic_cc_algorithm quic_conn_max
    quic_handshake_timeout quic_idle_timeout quic_keepalive quic_multi_stream quic_qos_priority receive_mountpoint
    reconnect_interval remote remote_qos remote_topic resend_interval resend_wait resource_opts retain retry_interval
    send_timeout server ssl static_clientids start_type sub_properties subscription tcp tls tls_versions username
    will transparent verify verify_peer discard_old mqueue connect_timeout health_check_topic
    quic_send_idle_timeout quic_initial_rtt_ms quic_max_ack_delay_ms quic_disconnect_timeout quic_0rtt retry_interval
    request_ttl network_interface interface upwards
"""
_KNOWN: Final = frozenset(_KNOWN_TEXT.split())


def read_emqx(data: bytes, file: str, kind: Kind, read_file: ReadFile | None = None) -> NativeFile:
    """Read a configuration of EMQX or NanoMQ. Raises nothing on account of the bytes."""
    text, problems, is_text = read_text(data, file)
    native = NativeFile(kind, [(file, text)], problems=problems)
    native.brokers.append(Broker("", TOP))
    if is_text:
        flat = _FLAT.search(text.text) is not None
        _Reader(native, read_flat(native) if flat else read_hocon(native, read_file), flat=flat).run()
    return native


class _Reader:
    def __init__(self, native: NativeFile, root: Map, *, flat: bool) -> None:
        self.native = native
        self.root = root
        self.flat = flat
        self.broker = native.brokers[0]
        self.unknown: set[str] = set()

    def run(self) -> None:
        self.listeners()
        for section in ("bridges", "bridge"):
            mqtt = _map(_at(self.root, section, "mqtt"))
            for entry in _named(mqtt):
                if isinstance(entry.value, Map):
                    self.bridge(entry.key, entry, entry.value)
        self.actions()

    def listeners(self) -> None:
        node = _text(_at(self.root, "node", "name"))
        if node is not None and "@" in node.text:
            self.broker.hosts.add(node.text.rpartition("@")[2].lower())
        waiting: list[tuple[str, Value]] = []
        for entry in self.root.entries:
            if entry.key.lower() in ("listeners", "listener"):
                waiting.append((entry.key, entry.value))
        steps = 0
        while waiting and steps < 1000:
            steps += 1
            key, value = waiting.pop()
            if isinstance(value, Map):
                waiting += [(entry.key, entry.value) for entry in value.entries]
            elif isinstance(value, Scalar) and key.lower() in ("bind", "url", "external", "internal", "default"):
                if value.text.isascii() and value.text.isdigit():
                    self.broker.ports.add(int(value.text[:5]))
                    continue
                address = read_address(value.text, value.at)
                if address.port is not None:
                    self.broker.ports.add(address.port)
                if address.host not in ANY_HOST and not value.variable:
                    self.broker.hosts.add(address.host)
        if not self.broker.ports:
            self.broker.ports.add(1883)

    # -- a bridge ------------------------------------------------------------------------------------------------------

    def bridge(self, name: str, entry: Entry, block: Map) -> None:
        for one in block.entries:
            if one.key.lower() not in _KNOWN:
                self.note(one.key, one.key_at, f"momlint does not know the setting `{one.key[:80]}` of a bridge")
        if _is_no(block.get("enable")) or (self.flat and _is_no(block.get("bridge_mode"))):
            return
        connector = block.get("connector")
        inner = connector.value if connector is not None and isinstance(connector.value, Map) else block
        address = self.address(name, inner, entry.key_at) or None
        if address is None:
            return
        version = _text(block.get("proto_ver", "mqtt_version", "proto_version"))
        guarded = self.native.kind == "nanomq" and version is not None and version.text.lower() in ("5", "mqttv5", "v5")
        outward: list[Pass] = []
        inward: list[Pass] = []
        for value in self.entries_of(block.get("forwards")):
            outward += self.nano(value, "local_topic", "remote_topic", _text(block.get("forward_mountpoint")))
        for value in self.entries_of(block.get("subscription")):
            inward += self.nano(value, "remote_topic", "local_topic", _text(block.get("receive_mountpoint")))
        for side, passes, source, target in (
            ("egress", outward, "local", "remote"),
            ("ingress", inward, "remote", "local"),
        ):
            part = _map(block.get(side))
            if part is not None:
                passes.extend(self.mapped(_at(part, source, "topic"), _at(part, target, "topic")))
            direction = _text(block.get("direction"))
            if direction is not None and direction.text.lower() == side:
                passes.extend(self.mapped(block.get(f"{source}_topic"), block.get(f"{target}_topic")))
        # EMQX asks rules as well what goes out by a bridge, and what becomes of what comes in.
        egress, ingress = _map(block.get("egress")), _map(block.get("ingress"))
        if self.native.kind == "emqx" and not self.flat:
            outward += self.from_rules(name, _at(egress, "remote", "topic") if egress is not None else None)
            if ingress is not None:
                inward += self.republished(name, _at(ingress, "remote", "topic"))
        self.link(name, address, outward, inward, entry.key_at, guarded=guarded)
        client = _text(block.get("clientid", "client_id"))
        if client is not None and self.native.kind == "nanomq":
            mend = "give each bridge a `clientid` of its own"
            self.native.clients.append(Client(client.text, True, address, client.at, mend=mend))

    def link(
        self, name: str, address: Address, outward: list[Pass], inward: list[Pass], at: At, *, guarded: bool
    ) -> None:
        for way, passes in (("out", outward), ("in", inward)):
            if not passes:
                continue
            first = min((one.at for one in passes), key=lambda place: (place.text, place.line), default=at)
            self.native.links.append(
                Link(
                    f"{name}.{way}",
                    "",
                    way == "out",
                    first,
                    passes,
                    [address],
                    connection=name if guarded else f"{name} {way}",
                )
            )

    def address(self, name: str, block: Map, at: At) -> Address | None:
        server = _text(block.get("server", "address"))
        if server is None or not server.text:
            self.refuse(at, f"the bridge `{name[:80]}` says nowhere it leads to", 'add `server = "host:1883"`')
            return None
        address = read_address(server.text.partition(",")[0], server.at)
        if not address.host:
            self.refuse(server.at, f"`{server.text[:80]}` names no host", 'write `server = "host:1883"`')
            return None
        return address if address.port is not None else address._replace(port=1883)

    def entries_of(self, entry: Entry | None) -> Iterator[Value]:
        """The entries of a list, of numbered keys, or of a line with commas."""
        if entry is None:
            return
        if isinstance(entry.value, Items):
            yield from entry.value.values
        elif isinstance(entry.value, Map):
            if entry.value.get("topic", "remote_topic", "local_topic") is not None:
                yield entry.value
                return
            for one in _named(entry.value):
                if one.key.isdigit():
                    yield one.value
        else:
            value = entry.value
            column = value.at.column
            for part in value.text.split(","):
                bare = part.strip()
                start = column + len(part) - len(part.lstrip())
                column += len(part) + 1
                if bare:
                    place = value.at
                    if len(value.text) == place.end_column - place.column and place.line == place.end_line:
                        place = At(place.line, start, place.line, start + len(bare), place.text)
                    yield Scalar(bare, value.quoted, place, value.variable)

    def nano(self, value: Value, source: str, target: str, mount: Token | None) -> Iterator[Pass]:
        """An entry of `forwards` or `subscription`: a filter, or a map with names here and there."""
        prefix = "" if mount is None else mount.text
        if isinstance(value, Scalar):
            yield from self.passing(value.text, value.at, "", prefix)
            return
        if not isinstance(value, Map):
            return
        given = _text(value.get(source)) or _text(value.get("topic")) or _text(value.get(target))
        if given is None:
            self.refuse(value.at, "this entry names no topic", 'write `topic = "a/#"`')
            return
        other = _text(value.get(target))
        before, behind = _text(value.get("prefix")), _text(value.get("suffix"))
        if behind is not None and behind.text:
            self.note("suffix", behind.at, "momlint does not follow what is put behind topics; this entry is left out")
            return
        prefix += "" if before is None else before.text
        renamed = "" if other is None or other.text == given.text else other.text
        yield from self.renamed(given, renamed, value.at, prefix)

    def mapped(self, source: Entry | None, target: Entry | None) -> Iterator[Pass]:
        """A filter at one end, and the pattern of names at the other."""
        given, template = _text(source), _text(target)
        if given is None or not given.text:
            return
        yield from self.renamed(given, "" if template is None else template.text, given.at, "")

    def renamed(self, given: Token, template: str, at: At, prefix: str) -> Iterator[Pass]:
        head, found, tail = template.partition(_TOPIC)
        if not template or (found and not tail and "${" not in head):
            yield from self.passing(given.text, at, "", prefix + head)
        elif "${" not in template and "+" not in given.text and "#" not in given.text:
            yield from self.passing(given.text, at, given.text, prefix + template)
        else:
            self.note(
                f"template {template}",
                at,
                f"momlint does not follow how topics become `{template[:80]}`; this way is left out",
            )

    def passing(self, written: str, at: At, strip: str, add: str) -> Iterator[Pass]:
        topic = _SHARED.sub("", written, count=1) if written.startswith("$") else written
        if not is_filter(topic):
            self.refuse(
                at,
                f"`{written[:80]}` is no filter: `#` stands alone in the last level, `+` alone in a level",
                "mend the pattern; this line carries nothing",
            )
            return
        if topic == add and strip == topic:
            strip = add = ""
        yield Pass(topic, strip, add, at)

    # -- rules of EMQX -------------------------------------------------------------------------------------------------

    def rules(self) -> Iterator[tuple[list[Token], list[Value]]]:
        """What each rule takes from, and what it does."""
        for entry in _named(_map(_at(self.root, "rule_engine", "rules"))):
            if not isinstance(entry.value, Map) or _is_no(entry.value.get("enable")):
                continue
            sql, actions = _text(entry.value.get("sql")), entry.value.get("actions")
            if sql is None or actions is None:
                continue
            found = _FROM.search(sql.text)
            names = [Token(one[1] or one[2] or "", sql.at) for one in _QUOTED.finditer(found[1])] if found else []
            values: list[Value] = list(actions.value.values) if isinstance(actions.value, Items) else [actions.value]
            yield names, values

    def from_rules(self, name: str, target: Entry | None) -> Iterator[Pass]:
        """What rules send out by a bridge or action."""
        for names, actions in self.rules():
            if not any(isinstance(one, Scalar) and one.text.lower() == f"mqtt:{name}".lower() for one in actions):
                continue
            for topic in names:
                if topic.text.startswith("$"):
                    self.note(topic.text, topic.at, f"momlint does not follow what comes from `{topic.text[:80]}`")
                    continue
                template = _text(target)
                yield from self.renamed(topic, "" if template is None else template.text, topic.at, "")

    def republished(self, name: str, source: Entry | None) -> Iterator[Pass]:
        """What rules publish here of what a bridge or source brings in."""
        given = _text(source)
        if given is None:
            return
        wanted = {f"$bridges/mqtt:{name}".lower(), f"$sources/mqtt:{name}".lower()}
        for names, actions in self.rules():
            if not any(one.text.lower() in wanted for one in names):
                continue
            for action in actions:
                function = _text(action.get("function")) if isinstance(action, Map) else None
                if not isinstance(action, Map) or function is None or function.text != "republish":
                    continue
                template = _text(_at(action, "args", "topic"))
                yield from self.renamed(given, "" if template is None else template.text, given.at, "")

    def actions(self) -> None:
        """Connectors with what goes out and comes in by them, as EMQX has it since 5.6."""
        connectors = _map(_at(self.root, "connectors", "mqtt"))
        for section in ("actions", "sources"):
            for entry in _named(_map(_at(self.root, section, "mqtt"))):
                block = entry.value
                if not isinstance(block, Map) or _is_no(block.get("enable")):
                    continue
                called = _text(block.get("connector"))
                found = None if connectors is None or called is None else connectors.get(called.text.lower())
                if called is None or found is None or not isinstance(found.value, Map):
                    missing = entry.key if called is None else called.text
                    self.native.report(
                        "MOM808",
                        entry.key_at if called is None else called.at,
                        f"there is no connector `{missing[:80]}` under `connectors.mqtt`; nothing passes here",
                        "mend the name, or declare the connector",
                        label="a connector that nobody declares",
                        about={"broker": missing},
                    )
                    continue
                if _is_no(found.value.get("enable")):
                    continue
                address = self.address(found.key, found.value, found.key_at)
                if address is None:
                    continue
                topic = _at(block, "parameters", "topic")
                outward = list(self.from_rules(entry.key, topic)) if section == "actions" else []
                inward = list(self.republished(entry.key, topic)) if section == "sources" else []
                self.link(f"{section}.{entry.key}", address, outward, inward, entry.key_at, guarded=False)

    # -- what is odd ---------------------------------------------------------------------------------------------------

    def note(self, key: str, at: At, message: str) -> None:
        if key not in self.unknown and len(self.unknown) < 20:
            self.unknown.add(key)
            self.native.report("MOM814", at, message, "if it says where messages go, momlint does not see it")

    def refuse(self, at: At, what: str, help_: str) -> None:
        self.native.report("MOM813", at, f"{what}; the broker refuses this file", help_)


def _at(block: Map | None, *path: str) -> Entry | None:
    found = None
    here: Value | None = block
    for part in path:
        found = here.get(part) if isinstance(here, Map) else None
        here = None if found is None else found.value
    return found


def _map(entry: Entry | None) -> Map | None:
    return entry.value if entry is not None and isinstance(entry.value, Map) else None


def _named(block: Map | None) -> Iterator[Entry]:
    """The entries of a map, the last of each name."""
    if block is not None:
        yield from {entry.key: entry for entry in block.entries}.values()


def _text(entry: Entry | None) -> Token | None:
    if entry is None or not isinstance(entry.value, Scalar):
        return None
    return Token(entry.value.text, entry.value.at)


def _is_no(entry: Entry | None) -> bool:
    text = _text(entry)
    return text is not None and text.text.lower() in ("false", "off", "no")
