"""Families of brokers: how messages travel in each, and what becomes of a bridge that leads from one to another.

Only MQTT is spoken by brokers of other families as well. RabbitMQ keeps what comes by it in the exchange ``amq.topic``,
with dots for slashes; nats-server and ActiveMQ keep it as their own topics. So a topic of MQTT is the same words
everywhere, behind a prefix at RabbitMQ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, TypeAlias, cast

from momlint.native.form import FAMILY_OF, Family, Kind, Link, NativeFile

Syntax: TypeAlias = Literal["mqtt", "amqp", "nats", "jms", "kafka"]

#: How messages travel in the overlays of a family.
ROUTING: Final[dict[Family, dict[str, object]]] = {
    "mqtt": {"protocol": "relay", "syntax": "mqtt", "guard": {"split_horizon": "connection"}},
    "amqp": {"protocol": "relay", "syntax": "amqp", "guard": {"visited": "broker"}},
    "nats": {"protocol": "relay", "syntax": "nats", "guard": {"split_horizon": "connection"}},
    # A message remembers where it has been; of several bridges to one broker one is asked for it.
    "jms": {"protocol": "relay", "syntax": "jms", "guard": {"visited": "broker", "once": True}},
    # Federation over AMQP does not send back to the broker that a message came from.
    "artemis": {"protocol": "relay", "syntax": "amqp", "guard": {"split_horizon": "connection"}},
    # Its guard depends on what its files call clusters. Several processes with one flow share its work.
    "kafka": {"protocol": "relay", "syntax": "kafka"},
}
SEPARATORS: Final[dict[str, str]] = {"mqtt": "/", "amqp": ".", "nats": ".", "jms": ".", "kafka": "."}
#: What RabbitMQ's plug-in for MQTT publishes to, unless `mqtt.exchange` says otherwise.
EXCHANGE: Final = "amq.topic"
#: One word, and any number of them at the end.
_WILD: Final = {"amqp": ("*", "#"), "nats": ("*", ">"), "jms": ("*", ">"), "mqtt": ("+", "#")}
#: Families whose brokers take connections of MQTT.
_SPEAK_MQTT: Final = frozenset(("mqtt", "amqp", "nats", "jms", "artemis"))
_NAMES: Final = {
    "mqtt": "MQTT",
    "amqp": "AMQP",
    "nats": "NATS",
    "jms": "OpenWire",
    "artemis": "AMQP or Artemis' own protocol",
    "kafka": "Kafka's protocol",
}


def speak(asking: Kind, there: Kind) -> bool:
    """Whether what a file of one kind bridges to can be a broker of the other kind."""
    families = FAMILY_OF[asking], FAMILY_OF[there]
    return families[0] == families[1] or (families[0] == "mqtt" and families[1] in _SPEAK_MQTT)


def protocol_of(kind: Kind) -> str:
    """What brokers of a kind speak to each other, for messages."""
    return _NAMES[FAMILY_OF[kind]]


def common_syntax(files: Sequence[NativeFile]) -> Syntax:
    """How topics are written in an estate of these files: as in MQTT where any of them has it."""
    found = [syntax_of(native.kind) for native in files]
    # Names of Kafka have no words, so no other topics can be written so.
    syntaxes: tuple[Syntax, ...] = ("mqtt", *found)
    return next((one for one in syntaxes if one in found and one != "kafka"), found[0])


def syntax_of(kind: Kind) -> Syntax:
    """How topics are written in files of a kind."""
    return cast("Syntax", ROUTING[FAMILY_OF[kind]]["syntax"])


def prefix_of(kind: Kind, syntax: Syntax) -> str:
    """What a broker of this kind puts before a topic of another protocol, as `syntax` writes it."""
    if kind != "rabbitmq" or syntax in ("amqp", "kafka"):
        return ""
    separator = SEPARATORS[syntax]
    return EXCHANGE.replace(".", separator) + separator


def translated(filter_: str, before: str, after: str) -> str:
    """A filter in another syntax; the same words."""
    if before == after or "kafka" in (before, after):
        return filter_
    one, rest = _WILD[before]
    wild = {one: _WILD[after][0], rest: _WILD[after][1]}
    words = filter_.split(SEPARATORS[before])
    return SEPARATORS[after].join(wild.get(word, word) for word in words)


def cross(link: Link, prefix: str) -> None:
    """Make the link of a bridge one that leads to, or from, a broker that speaks MQTT beside a protocol of its own.

    Hops and memory of that protocol end there, and no such broker keeps from sending back over the connection.
    `prefix`: of what that broker keeps, as MQTT has it. What RabbitMQ lets out depends on its bindings, see
    `momlint.native.rabbitmq_links`.
    """
    link.forgets = True
    link.syntax = "mqtt"
    if link.outward:
        link.unheard = True
        link.passes = [one if one.denied else one._replace(add=prefix + one.add) for one in link.passes]
