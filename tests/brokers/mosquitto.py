"""What happens to messages in an overlay of real Mosquitto brokers: copies of each at each subscriber, counted."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

import paho.mqtt.client as mqtt

from tests.brokers.processes import free_ports, program, running

#: More copies of one message, wherever they are, than any overlay of these tests delivers without a loop.
BEYOND = 80


@dataclass
class Seen:
    """Copies by publisher, topic published, subscriber and topic received; who went beyond every bound."""

    copies: Counter[tuple[str, str, str, str]] = field(default_factory=Counter)

    def at(self, publisher: str, topic: str) -> dict[tuple[str, str], int]:
        """Subscriber and topic received → copies."""
        return {key[2:]: count for key, count in self.copies.items() if key[:2] == (publisher, topic)}

    def loops(self, publisher: str, topic: str) -> bool:
        """Whether the message went round."""
        return sum(self.at(publisher, topic).values()) > BEYOND


def on_loopback(files: Mapping[str, str]) -> tuple[dict[str, str], dict[str, int]]:
    """The files with every ``name.example`` as a port of 127.0.0.1, and the ports."""
    ports = dict(zip(files, free_ports(len(files)), strict=True))

    def local(match: re.Match[str]) -> str:
        port = ports.get(match[1])
        return match[0] if port is None else f"127.0.0.1:{port}"

    changed = {}
    for name, original in files.items():
        text = re.sub(r"^listener .*$", f"listener {ports[name]} 127.0.0.1", original, flags=re.MULTILINE)
        text = re.sub(r"\b([\w-]+)\.example(?::[0-9]+)?", local, text)
        text = text.replace("notifications false\n", "restart_timeout 1\n")
        changed[name] = f"log_dest stderr\nlog_type all\nmax_queued_messages 100000\n{text}"
    return changed, ports


def observe(
    files: Mapping[str, str],
    ports: Mapping[str, int],
    together: Sequence[tuple[str, str]],
    singly: Sequence[tuple[str, str]],
    folder: Path,
    *,
    bridges: int,
    calm: float = 0.4,
    longest: float = 6.0,
) -> Seen:
    """Publish messages, given as broker and topic, and count copies.

    `files`, `ports`: see `on_loopback`. Those of `together` are published at once, and counted until `calm` seconds
    pass without a copy; those of `singly`, which may go round, one after the other. `bridges`: how many connections
    come up. `longest`: seconds for one wait.
    """
    mosquitto = program("mosquitto")
    seen = Seen()
    with running([mosquitto, "-c"], files, ports, folder) as logs, ExitStack() as stack:
        _wait_for(list(logs.values()), bridges)
        arrived = threading.Lock()
        latest = [time.monotonic()]
        clients: dict[str, mqtt.Client] = {}

        def on_message(client: mqtt.Client, name: str, message: mqtt.MQTTMessage) -> None:
            publisher, topic = message.payload.decode().split(" ", 1)
            with arrived:
                seen.copies[publisher, topic, name, message.topic] += 1
                latest[0] = time.monotonic()

        for name, port in ports.items():
            client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, f"watcher-{name}", userdata=name)
            ready = threading.Event()
            client.on_subscribe = lambda *_, ready=ready: ready.set()
            client.on_connect = lambda client, *_: client.subscribe("#", 0)
            client.on_message = on_message
            client.connect("127.0.0.1", port)
            client.loop_start()
            stack.callback(client.loop_stop)
            stack.callback(client.disconnect)
            assert ready.wait(20)
            clients[name] = client

        def publish(messages: Sequence[tuple[str, str]], calm: float) -> None:
            with arrived:
                latest[0] = start = time.monotonic()
            for publisher, topic in messages:
                clients[publisher].publish(topic, f"{publisher} {topic}".encode(), 0)
            while time.monotonic() - start < longest:
                time.sleep(0.02)
                with arrived:
                    if any(seen.loops(*one) for one in messages) or time.monotonic() - latest[0] > calm:
                        return

        publish(together, calm)
        for one in singly:
            publish([one], 4 * calm)
    return seen


def _wait_for(logs: Sequence[Path], bridges: int, seconds: float = 20.0) -> None:
    """Until so many bridges have subscribed at both ends."""
    until = time.monotonic() + seconds
    while True:
        text = "".join(path.read_text(errors="replace") for path in logs)
        if len(re.findall(r"Received CONNACK on connection", text)) >= bridges:
            time.sleep(0.4)
            return
        if time.monotonic() > until:
            raise AssertionError(f"the bridges do not come up: {text[-3000:]}")
        time.sleep(0.05)
