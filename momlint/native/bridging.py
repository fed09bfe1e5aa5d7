"""Bridges of MQTT brokers, whatever file they stand in: connections with topic lines become links."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from momlint.native.form import Address, At, Client, Link, NativeFile, Pass, Token

#: The ways of a topic line: away from the broker, to it.
DIRECTIONS: Final = {"out": (True, False), "in": (False, True), "both": (True, True)}

_SHARED: Final = re.compile(r"\$share/([^/+#]+)/(?=.)")


@dataclass(slots=True)
class Topic:
    """A topic line. `mapped`: it names prefixes, if only empty ones."""

    pattern: str
    outward: bool
    inward: bool
    local_prefix: str
    remote_prefix: str
    mapped: bool
    at: At


@dataclass(slots=True)
class Connection:
    """A bridge's connection. `client_id`: given, or None for a made-up one.

    `heard_here`, `heard_there`: whether this broker, and the other one, keep from sending back over a connection what
    came in by it. `faulty`: a line of it was refused. `guarded`: it keeps
    from sending back at all.
    """

    name: str
    at: At
    addresses: list[Address] = field(default_factory=list)
    topics: list[Topic] = field(default_factory=list)
    client_id: Token | None = None
    heard_here: bool = True
    heard_there: bool = True
    faulty: bool = False
    guarded: bool = True


def add_connection(native: NativeFile, one: Connection, *, broker: str = "") -> None:
    """The links of a connection, at most one each way.

    Where several topic lines match, a message still crosses once: the first line with a prefix renames it, and lines
    without any rename nothing. So those with prefixes come first.
    """
    usable = [_unshared(native, topic) for topic in one.topics if not _is_wrong(native, topic)]
    if not one.addresses:
        return
    for outward in (True, False):
        lines = [topic for topic in usable if (topic.outward if outward else topic.inward)]
        lines = [topic for topic in lines if _renames(topic)] + [topic for topic in lines if not _renames(topic)]
        if not lines:
            continue
        first = min(lines, key=lambda topic: (topic.at.text, topic.at.line))
        native.links.append(
            Link(
                f"{one.name}.{'out' if outward else 'in'}",
                broker,
                outward,
                first.at,
                [_pass(topic, outward=outward) for topic in lines],
                list(one.addresses),
                connection=one.name if one.guarded else f"{one.name} {'out' if outward else 'in'}",
                unheard=not (one.heard_there if outward else one.heard_here),
            )
        )
    if one.faulty:
        return  # as which client it would come is no question before that is mended
    if one.client_id is not None:
        native.clients.append(Client(one.client_id.text, True, one.addresses[0], one.client_id.at))
    else:
        native.clients.append(Client(one.name, False, one.addresses[0], one.at))


def _unshared(native: NativeFile, topic: Topic) -> Topic:
    """A line that is a shared subscription is taken for what is shared (so does Mosquitto 2.0.11)."""
    found = _SHARED.match(topic.pattern)
    if found is None or _renames(topic):
        return topic
    native.report(
        "MOM814",
        topic.at,
        f"of all who subscribe as `{found[1]}` one gets each message; momlint takes it that it comes by this bridge",
        "leave out the group, if nobody else is in it",
    )
    return replace(topic, pattern=topic.pattern[found.end() :])


def _renames(topic: Topic) -> bool:
    return bool(topic.local_prefix or topic.remote_prefix)


def _pass(topic: Topic, *, outward: bool) -> Pass:
    near, far = topic.local_prefix, topic.remote_prefix
    if not outward:
        near, far = far, near
    return Pass(near + topic.pattern, near, far, topic.at)


def _is_wrong(native: NativeFile, topic: Topic) -> bool:
    """Whether the line is none that a broker takes, which is told."""
    for prefix, words in ((topic.local_prefix, "local"), (topic.remote_prefix, "remote")):
        if "+" in prefix or "#" in prefix:
            native.report(
                "MOM813",
                topic.at,
                f"the {words} prefix `{prefix}` has a wildcard; the broker refuses this file",
                "a prefix is put before topics as it is: leave out `+` and `#`",
                label="no prefix",
            )
            return True
    for prefix, words in ((topic.local_prefix, "local"), (topic.remote_prefix, "remote")):
        joined = prefix + topic.pattern
        if is_filter(joined):
            continue
        if is_filter(topic.pattern) or not topic.pattern:
            native.report(
                "MOM813",
                topic.at,
                f"{words} prefix and pattern join to `{joined}`, which is no filter; the broker refuses this file",
                f"end the prefix with a slash: `{prefix}/`",
                label=f"`{joined}`",
            )
        else:
            native.report(
                "MOM813",
                topic.at,
                f"`{topic.pattern}` is no filter: `#` stands alone in the last level, `+` alone in a level",
                "mend the pattern; this line carries nothing",
                label="no filter",
            )
        return True
    return False


def is_filter(text: str) -> bool:
    """Whether the text is a topic filter of MQTT (MQTT 3.1.1, section 4.7)."""
    if not text or len(text.encode("utf-8", "surrogatepass")) > 65535 or "\0" in text:
        return False
    levels = text.split("/")
    last = len(levels) - 1
    return all(
        level == "+" or (level == "#" and place == last) or ("+" not in level and "#" not in level)
        for place, level in enumerate(levels)
    )
