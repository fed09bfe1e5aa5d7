"""Mosquitto's ``mosquitto.conf``: a setting a line, ``connection`` begins a bridge.

What the broker refuses was tried out on Mosquitto 2.0.11. Settings that have nothing to do with where messages go are
passed over; those that momlint has never heard of are told once.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from momlint.native.addresses import ANY_HOST, read_address
from momlint.native.bridging import DIRECTIONS, Connection, Topic, add_connection
from momlint.native.form import TOP, Address, At, Broker, NativeFile, Token
from momlint.native.text import read_text
from momlint.source.decoding import Text

#: Gives the files of a folder that ``include_dir`` names, with their contents; raises `OSError`.
ReadFolder = Callable[[str], Sequence[tuple[str, bytes]]]

_WORD: Final = re.compile(r"[^ ]+")

#: Settings of a bridge, and of a broker, that momlint knows and passes over.
_KNOWN_TEXT: Final = """
    accept_protocol_versions acl_file allow_anonymous allow_duplicate_messages allow_zero_length_clientid auth_plugin
    auth_plugin_deny_special_chars auto_id_prefix autosave_interval autosave_on_changes bind_interface bridge_alpn
    bridge_attempt_unsubscribe bridge_bind_address bridge_cafile bridge_capath bridge_certfile bridge_ciphers
    bridge_identity bridge_insecure bridge_keyfile bridge_max_packet_size bridge_max_topic_alias
    bridge_outgoing_retain bridge_protocol_version bridge_psk bridge_receive_maximum bridge_reload_type
    bridge_require_ocsp bridge_session_expiry_interval bridge_tcp_keepalive bridge_tcp_user_timeout
    bridge_tls_use_os_certs bridge_tls_version cafile capath certfile check_retain_source ciphers ciphers_tls1.3
    cleansession clientid_prefixes connection_messages crlfile dhparamfile disable_client_cert_date_checks
    enable_control_api enable_proxy_protocol global_max_clients global_max_connections global_plugin http_dir
    idle_timeout keepalive_interval keyfile listener_allow_anonymous listener_auto_id_prefix local_cleansession
    local_password local_username log_dest log_facility log_timestamp log_timestamp_format log_type max_connections
    max_inflight_bytes max_inflight_messages max_keepalive max_packet_size max_qos max_queued_bytes
    max_queued_messages max_topic_alias max_topic_alias_broker memory_limit message_size_limit mount_point
    notification_topic notifications notifications_local_only packet_buffer_size password password_file
    per_listener_settings persistence persistence_file persistence_location persistent_client_expiration pid_file
    plugin plugin_load plugin_use protocol proxy_protocol_v2_require_tls psk_file psk_hint queue_qos0_messages
    remote_password remote_username require_certificate restart_timeout retain_available retain_expiry_interval
    retained_persistence retry_interval round_robin set_tcp_nodelay socket_domain start_type store_clean_interval
    sys_interval threshold tls_engine tls_engine_kpass_sha1 tls_keyform tls_version trace_level
    upgrade_outgoing_qos use_identity_as_username use_subject_as_username use_username_as_clientid user username
    websockets_headers_size websockets_log_level websockets_origin
"""
_KNOWN: Final = frozenset(_KNOWN_TEXT.split())
_KNOWN_STARTS: Final = ("plugin_opt_", "auth_opt_")


@dataclass(slots=True)
class _Line:
    key: str
    words: list[Token]
    at: At

    @property
    def rest(self) -> Token | None:
        """All that stands behind the key."""
        return self.words[0] if self.words else None


def read_mosquitto(data: bytes, file: str, read_folder: ReadFolder | None = None) -> NativeFile:
    """Read a ``mosquitto.conf``, and what its ``include_dir`` names. Raises nothing on account of the bytes."""
    text, problems, is_text = read_text(data, file)
    native = NativeFile("mosquitto", [(file, text)], problems=problems)
    native.brokers.append(Broker("", TOP))
    if is_text:
        _Reader(native, read_folder).run()
    return native


class _Reader:
    def __init__(self, native: NativeFile, read_folder: ReadFolder | None) -> None:
        self.native = native
        self.broker = native.brokers[0]
        self.read_folder = read_folder
        self.connections: list[Connection] = []
        self.local_ids: list[tuple[Connection, str, At]] = []
        self.given_local: dict[int, Token] = {}
        self.current: Connection | None = None
        self.unknown: dict[str, At] = {}
        self.listens = False

    def run(self) -> None:
        self.read(0)
        self.check_local_ids()
        for one in self.connections:
            self.current = one
            self.finish(one)
        if not self.listens:
            self.broker.ports.add(1883)
        if self.unknown:
            _tell_unknown(self.native, self.unknown)

    def read(self, number: int) -> None:
        _, text = self.native.texts[number]
        for line in lines_of(text, number):
            self.setting(line)

    def setting(self, line: _Line) -> None:
        match line.key:
            case "connection":
                self.connection(line)
            case "address" | "addresses":
                self.address(line)
            case "topic":
                self.topic(line)
            case "remote_clientid" | "clientid" | "local_clientid" | "try_private":
                self.of_bridge(line)
            case "listener" | "port" | "bind_address":
                self.listener(line)
            case "include_dir":
                self.include(line)
            case key if key not in _KNOWN and not key.startswith(_KNOWN_STARTS):
                self.unknown.setdefault(key, line.at)

    # -- bridges -----------------------------------------------------------------------------------------------------

    def connection(self, line: _Line) -> None:
        name = " ".join(word.text for word in line.words)
        if not name:
            self.refuse(line.at, "this connection has no name", "write `connection <name>`")
        elif any(one.name == name for one in self.connections):
            first = next(one for one in self.connections if one.name == name)
            self.native.report(
                "MOM813",
                line.at,
                f"there are two connections called `{name}`; the broker refuses this file",
                "give each connection a name of its own",
                label="the same name",
                related=(self.native.related(first.at, "the first of them"),),
            )
            number = 2
            while any(one.name == f"{name} #{number}" for one in self.connections):
                number += 1
            name = f"{name} #{number}"
        self.current = Connection(name or f"line {line.at.line + 1}", line.at)
        self.connections.append(self.current)

    def in_bridge(self, line: _Line) -> Connection | None:
        if self.current is None:
            self.refuse(
                line.at, f"`{line.key}` stands before any `connection`", "move it below the connection that it is of"
            )
        return self.current

    def address(self, line: _Line) -> None:
        bridge = self.in_bridge(line)
        if bridge is None:
            return
        if bridge.addresses:
            self.refuse(
                line.at, "a second `address` line", "list alternatives on one line: `address host:1883 other:1883`"
            )
            return
        if not line.words:
            self.refuse(line.at, f"`{line.key}` names no address", "write `address <host>:1883`")
        for number, word in enumerate(line.words):
            found = read_address(word.text, word.at)
            if number and word.text.isascii() and word.text.isdigit():
                before = line.words[number - 1].text
                self.native.report(
                    "MOM808",
                    word.at,
                    f"`{word.text}` is taken for a second host: no broker is called that",
                    f"join host and port with a colon: `{before}:{word.text}`",
                    label="a host, not a port",
                    about={"broker": word.text},
                )
                continue
            if _has_bad_port(word.text, found):
                self.refuse(word.at, f"`{word.text}` has no valid port", "a port is a number from 1 to 65535")
                continue
            bridge.addresses.append(found if found.port is not None else found._replace(port=1883))

    def topic(self, line: _Line) -> None:
        bridge = self.in_bridge(line)
        if bridge is None:
            return
        # Behind the direction a `#` begins a comment.
        words = line.words[:2]
        for word in line.words[2:]:
            if word.text.startswith("#"):
                break
            words.append(word)
        if not words:
            self.refuse(line.at, "this topic line has no pattern", "write `topic <pattern> out`")
            return
        at = words[0].at._replace(line=line.at.line, column=line.at.column).to(words[-1].at)
        pattern, direction, qos, local, remote = ([word.text for word in words] + [""] * 5)[:5]
        if (direction or "out").lower() not in DIRECTIONS:
            self.refuse(words[1].at, f"`{direction}` is no direction", "write out, in or both")
            return
        if qos and not _is_qos(qos):
            self.refuse(words[2].at, f"`{qos}` is no QoS level", "write 0, 1 or 2")
            return
        pattern, local, remote = ("" if word == '""' else word for word in (pattern, local, remote))
        if not pattern and not (local and remote):
            self.refuse(
                at, 'the pattern `""` maps one topic, and needs both prefixes', "give the topic's names here and there"
            )
            return
        outward, inward = DIRECTIONS[(direction or "out").lower()]
        bridge.topics.append(Topic(pattern, outward, inward, local, remote, len(words) > 3, at))

    def of_bridge(self, line: _Line) -> None:
        bridge = self.in_bridge(line)
        if bridge is None or line.rest is None:
            return
        match line.key:
            case "try_private":
                bridge.heard_there = line.rest.text.lower() not in ("false", "0")
            case "local_clientid":
                self.given_local[len(self.connections) - 1] = line.rest
            case _:
                bridge.client_id = line.rest

    def finish(self, one: Connection) -> None:
        # Where a line of it was refused, that is enough to say.
        if not one.addresses and not one.faulty:
            self.refuse(one.at, f"the connection `{one.name}` has no address", "add `address <host>:1883`")
        if not one.topics and not one.faulty:
            self.refuse(one.at, f"the connection `{one.name}` has no topic line", "add `topic <pattern> out`")
        add_connection(self.native, one)

    def check_local_ids(self) -> None:
        seen: dict[str, Connection] = {}
        for number, one in enumerate(self.connections):
            given = self.given_local.get(number)
            if given is not None:
                key, at = given.text, given.at
            elif one.client_id is not None:
                key, at = f"local.{one.client_id.text}", one.client_id.at
            else:
                continue  # made of its name, of which there are no two
            first = seen.setdefault(key, one)
            if first is not one:
                one.faulty = True
                self.native.report(
                    "MOM813",
                    at,
                    f"two connections have the local client id `{key}`; the broker refuses this file",
                    "give each connection a `remote_clientid` or `local_clientid` of its own",
                    label="the same client id",
                    related=(
                        self.native.related(first.client_id.at if first.client_id else first.at, "the first of them"),
                    ),
                )

    # -- the broker --------------------------------------------------------------------------------------------------

    def listener(self, line: _Line) -> None:
        words = [word.text for word in line.words]
        if line.key == "bind_address":
            self.host(words[:1])
            return
        if words and words[0].isascii() and words[0].isdigit() and len(words[0]) <= 5:
            self.broker.ports.add(int(words[0]))
            self.listens = True
        self.host(words[1:2])

    def host(self, words: Sequence[str]) -> None:
        self.broker.hosts.update(word.lower() for word in words if word.lower() not in ANY_HOST and "/" not in word)

    def include(self, line: _Line) -> None:
        if line.rest is None or self.read_folder is None:
            return
        if line.at.text:
            self.native.report(
                "MOM814",
                line.at,
                "`include_dir` in an included file is not followed",
                "name the file on the command line",
            )
            return
        folder = " ".join(word.text for word in line.words)
        try:
            files = self.read_folder(folder)
        except (OSError, ValueError) as error:
            why = getattr(error, "strerror", None) or "it is no path"
            self.native.report(
                "MOM814",
                line.at,
                f"`{folder}` is not read: {why[:1].lower() + why[1:]}",
                "name its files on the command line: each is then a broker's file of its own",
            )
            return
        for name, data in files:
            text, problems, is_text = read_text(data, name)
            self.native.texts.append((name, text))
            self.native.problems += problems
            if is_text:
                self.read(len(self.native.texts) - 1)

    def refuse(self, at: At, what: str, help_: str) -> None:
        if self.current is not None:
            self.current.faulty = True
        self.native.report("MOM813", at, f"{what}; the broker refuses this file", help_)


def _tell_unknown(native: NativeFile, unknown: dict[str, At]) -> None:
    from difflib import get_close_matches

    for key, at in list(unknown.items())[:20]:
        near = get_close_matches(key[:80], [*_KNOWN, "connection", "address", "topic", "listener"], 1, 0.8)
        hint = f"did you mean `{near[0]}`?" if near else "if it says where messages go, momlint does not see it"
        native.report("MOM814", at, f"momlint does not know the setting `{key[:80]}`", hint)


def _is_qos(word: str) -> bool:
    return word in ("0", "1", "2")


def _has_bad_port(written: str, found: Address) -> bool:
    if found.port is not None:
        return not 0 < found.port <= 65535
    tail = written.rpartition("]")[2]
    return ":" in tail and tail.count(":") == 1


def lines_of(text: Text, number: int) -> list[_Line]:
    """The settings of a text, in order; only spaces part words."""
    found = []
    for row, line in enumerate(text.lines):
        words = [Token(match[0], At(row, match.start(), row, match.end(), number)) for match in _WORD.finditer(line)]
        while words and not words[-1].text.strip():
            words.pop()
        if not words or words[0].text.lstrip().startswith("#"):
            continue
        if "\t" in words[0].text:
            words = _apart(words, row, number)
        for place, word in enumerate(words):
            if place and word.text.startswith("#") and "momlint" in "".join(other.text for other in words[place:])[:12]:
                words = words[:place]
                break
        if words:
            found.append(_Line(words[0].text, words[1:], words[0].at.to(words[-1].at)))
    return found


def _apart(words: list[Token], row: int, number: int) -> list[Token]:
    """Words that tabs part as well: newer brokers take them, and nobody means anything else."""
    found = []
    for word in words:
        for match in re.finditer(r"[^\t]+", word.text):
            start = word.at.column + match.start()
            found.append(Token(match[0], At(row, start, row, start + len(match[0]), number)))
    return found
