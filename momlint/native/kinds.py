"""Which product a configuration file is for, told by its name and by what is in it. Reads nothing and loads nothing."""

from __future__ import annotations

import re
from typing import Final

#: Endings of names that native files have; others are not looked into.
ENDINGS: Final = (".conf", ".config", ".json", ".xml", ".properties")

#: The family of a kind that is no other family's.
_FAMILIES: Final = {"rabbitmq": "amqp", "nats": "nats", "activemq": "jms", "artemis": "artemis", "mm2": "kafka"}

#: So many bytes of a file tell what it is.
LOOKED_AT: Final = 4_000_000

_NAMES: Final = {
    "mosquitto.conf": "mosquitto",
    "vernemq.conf": "vernemq",
    "nats-server.conf": "nats",
    "nats.conf": "nats",
    "emqx.conf": "emqx",
    "nanomq.conf": "nanomq",
    "activemq.xml": "activemq",
    "mm2.properties": "mm2",
    "connect-mirror-maker.properties": "mm2",
}
_BOM: Final = b"\xef\xbb\xbf"


class _Pattern:
    """A pattern that is compiled when a file is looked into: most are told by their names."""

    def __init__(self, pattern: bytes) -> None:
        self._pattern = pattern

    def search(self, data: bytes) -> re.Match[bytes] | None:
        """The first place that matches, where ``^`` and ``$`` are a line's; re keeps what it has compiled."""
        return re.search(self._pattern, data, re.MULTILINE)


def _line(pattern: bytes) -> _Pattern:
    return _Pattern(rb"^[ \t]*" + pattern)


_CONNECTION: Final = _line(rb"connection[ \t]+\S")
_ADDRESS: Final = _line(rb"address(?:es)?[ \t]+\S")
# Settings that no other broker's file writes so.
_MOSQUITTO: Final = _line(
    rb"(?:listener[ \t]+[0-9]+[ \t\r]*(?:$|[\w.:/*-]+[ \t\r]*$)|allow_anonymous[ \t]+(?:true|false)|"
    rb"per_listener_settings[ \t]+(?:true|false)|persistence_location[ \t]+/|include_dir[ \t]+\S)"
)
_VERNEMQ: Final = _line(rb"(?:vmq_bridge\.|plugins\.vmq_|listener\.vmq\.|metadata_plugin[ \t]*=)")
_FLAT_BRIDGE: Final = _line(rb"bridge\.mqtt\.[^.\s=]+\.(?:address|bridge_mode)[ \t]*=[ \t]*([^\r\n]*)")
_NATS: Final = _line(rb"[\"']?(?:cluster|leafnodes?|leaf|gateway|accounts)[\"']?[ \t]*[:=]?[ \t]*\{")
_NATS_OTHER: Final = _line(rb"[\"']?(?:server_name|jetstream|http_port|monitor_port)[\"']?[ \t]*[:=]?[ \t]*[\w\"'{]")
_NATS_LISTEN: Final = _line(
    rb"[\"']?(?:listen|port)[\"']?[ \t]*[:=]?[ \t]*[\"']?[\w.:-]{0,80}[0-9]{1,5}[\"']?[ \t\r]*$"
)
_HOCON: Final = _line(
    rb"(?:discovery_strategy|dashboard|node\.cookie|listeners?\.[a-z]+\.|(?:bridges|connectors)\.mqtt|"
    rb"bridges[ \t]*[:=]?[ \t]*\{)"
)
_NANOMQ: Final = _Pattern(rb"mqtt-(?:tcp|quic)://|^[ \t]*forwards[ \t]*[=:]")
_EMQX: Final = _Pattern(rb"(?:ingress|egress|node\.cookie|connectors|rule_engine|discovery_strategy|emqx)")
_RABBIT: Final = _Pattern(rb'"exchanges"\s*:\s*\[')
_RABBIT_ALSO: Final = _Pattern(rb'"(?:vhosts?|queues|bindings|rabbit(?:mq)?_version)"\s*:')
_RABBIT_PARAMETERS: Final = _Pattern(rb'"parameters"\s*:\s*\[')
_RABBIT_OTHER: Final = _Pattern(
    rb'"(?:rabbit_version|rabbitmq_version|global_parameters|vhosts)"\s*:|"component"\s*:\s*"(?:federation|shovel)'
)
_ACTIVEMQ: Final = _Pattern(rb"<(?:[\w.-]+:)?(?:networkConnectors?|transportConnectors?)[\s>/]")
# Its own namespaces; files of before 2.0 may have none but that of the whole.
_ARTEMIS: Final = _Pattern(rb"[\"']urn:activemq(?::core)?[\"']")
_CLUSTERS: Final = _line(rb"clusters[ \t]*[=:]")
_FLOW: Final = _line(rb"[\w.-]{1,200}->[\w.-]{1,200}[ \t]*[=:]")
_MOMLINT: Final = _line(rb"[\"']?momlint[\"']?[ \t]*:")
_MOMLINT_KEY: Final = _Pattern(rb'"momlint"\s*:')


def may_be_native(name: str) -> bool:
    """Whether a file of this name is worth a look."""
    return name.lower().endswith(ENDINGS)


#: Kinds that have a reader.
READABLE: Final = frozenset(
    ("mosquitto", "vernemq", "nanomq", "emqx", "nats", "rabbitmq", "activemq", "artemis", "mm2")
)


def kind_of(name: str, data: bytes) -> str | None:
    """The kind of a native file (`momlint.native.form.Kind`), None where it is none that is read.

    `name`: of the file, with or without its folder; of standard input whatever does not end as other files do.
    """
    found = _kind_of(name, data)
    return found if found in READABLE else None


def _kind_of(name: str, data: bytes) -> str | None:
    base = name.replace("\\", "/").rpartition("/")[2].lower()
    data = data[:LOOKED_AT]
    if base.endswith(".json"):
        return _kind_of_json(data)
    if not (base.endswith(ENDINGS) or "." not in base):
        return None
    if base in _NAMES:
        return _NAMES[base]
    if base.endswith(".xml"):
        return _kind_of_xml(data)
    if base.endswith(".properties"):
        return "mm2" if _FLOW.search(data) and _CLUSTERS.search(data) else None
    data = data.removeprefix(_BOM)
    start = data.lstrip()[:1]
    if start == b"{" and _kind_of_json(data):
        return "rabbitmq"
    if _VERNEMQ.search(data):
        return "vernemq"
    flat = _FLAT_BRIDGE.search(data)
    if flat:
        return "nanomq" if b"mqtt-tcp" in flat[1] or b"bridge_mode" in flat[0] else "emqx"
    if _MOMLINT.search(data):
        return None
    if (_CONNECTION.search(data) and _ADDRESS.search(data)) or _MOSQUITTO.search(data):
        return "mosquitto"
    if _HOCON.search(data):
        if _NANOMQ.search(data):
            return "nanomq"
        return "emqx" if _EMQX.search(data) else None
    if _NATS.search(data) or (_NATS_OTHER.search(data) and _NATS_LISTEN.search(data)):
        return "nats"
    return None


def family_of(kind: str) -> str:
    """The family of a kind: its files make one estate together (`momlint.native.form.Family`)."""
    return _FAMILIES.get(kind, "mqtt")


def _kind_of_xml(data: bytes) -> str | None:
    if _ARTEMIS.search(data):
        return "artemis"
    return "activemq" if _ACTIVEMQ.search(data) else None


def _kind_of_json(data: bytes) -> str | None:
    if _MOMLINT_KEY.search(data):
        return None
    is_rabbit = _RABBIT.search(data) and _RABBIT_ALSO.search(data)
    if is_rabbit or (_RABBIT_PARAMETERS.search(data) and _RABBIT_OTHER.search(data)):
        return "rabbitmq"
    return None
