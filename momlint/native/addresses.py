"""Addresses as configuration files write them: ``host``, ``host:1883``, ``[::1]:1883``, ``amqp://user@host:5672/vhost``."""

from __future__ import annotations

import re
from urllib.parse import unquote

from momlint.native.form import Address, At

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_BRACKETS = re.compile(r"\[([^\]]*)\](?::(.*))?")

#: Hosts that are the machine itself.
LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1", "0.0.0.0", "::"))
#: Not a host but all of them.
ANY_HOST = frozenset(("", "0.0.0.0", "::", "*", "0"))


def read_address(written: str, at: At) -> Address:
    """The parts of an address; a port that is none is kept as None."""
    rest = written.strip()
    scheme = _SCHEME.match(rest)
    if scheme:
        rest = rest[scheme.end() :]
    rest, slash, path = rest.partition("/")
    path = path.partition("?")[0]
    rest = rest.partition("?")[0].rpartition("@")[2]
    brackets = _BRACKETS.fullmatch(rest)
    if brackets:
        host, port = brackets[1], brackets[2] or ""
    elif rest.count(":") > 1:
        host, port = rest, ""
    else:
        host, _, port = rest.partition(":")
    number = int(port) if port.isascii() and port.isdigit() and len(port) <= 5 else None
    return Address(written.strip(), host.lower().rstrip("."), number, at, unquote(path) if slash else "")


def is_loopback(host: str) -> bool:
    """Whether the host is the machine that asks."""
    return host in LOOPBACK or host.startswith("127.")
