"""A real RabbitMQ on loopback, with federation and shovels, asked by its management plugin's HTTP interface."""

from __future__ import annotations

import base64
import json
import os
import signal
import subprocess
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.brokers.processes import free_ports

#: Where Debian keeps the programs that ask for no other user.
PROGRAMS = Path("/usr/lib/rabbitmq/bin")


class Rabbit:
    """One server, which stands for a cluster with many virtual hosts. `mqtt`: where it takes connections of MQTT."""

    def __init__(self, port: int, mqtt: int) -> None:
        self.mqtt = mqtt
        self._base = f"http://127.0.0.1:{port}/api/"

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """What the interface answers. Raises `OSError`."""
        user = base64.b64encode(b"guest:guest").decode()
        headers = {"Authorization": f"Basic {user}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self._base + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=120) as answer:
            text = answer.read()
        return json.loads(text) if text else None

    def load(self, definitions: dict[str, Any]) -> None:
        """Import definitions, with every right for the one user."""
        every = {"user": "guest", "configure": ".*", "write": ".*", "read": ".*"}
        rights = [{**every, "vhost": one["name"]} for one in definitions["vhosts"]]
        self.ask("POST", "definitions", {**definitions, "permissions": rights})

    def publish(self, vhost: str, exchange: str, key: str, text: str) -> None:
        """Publish a message."""
        message = {"properties": {}, "routing_key": key, "payload": text, "payload_encoding": "string"}
        self.ask("POST", f"exchanges/{vhost}/{exchange}/publish", message)

    def taken(self, vhost: str, queue: str) -> Counter[str]:
        """What is in a queue, which is then empty."""
        asked = {"count": 10_000, "ackmode": "ack_requeue_false", "encoding": "auto"}
        return Counter(one["payload"] for one in self.ask("POST", f"queues/{vhost}/{queue}/get", asked))

    def federated(self, vhosts: Sequence[str]) -> int:
        """How many links have come up in them: each has a queue."""
        return sum(
            one["name"].startswith("federation: ") for vhost in vhosts for one in self.ask("GET", f"queues/{vhost}")
        )


@contextmanager
def server(folder: Path, seconds: float = 180.0) -> Iterator[Rabbit]:
    """Start it, and end it with all that it has started. Skips the test where it is not installed, unless
    ``MOMLINT_TEST_BROKERS=1``.
    """
    program = PROGRAMS / "rabbitmq-server"
    if not program.exists():
        if os.environ.get("MOMLINT_TEST_BROKERS") == "1":
            pytest.fail("rabbitmq-server is not installed")
        pytest.skip("rabbitmq-server is not installed")
    amqp, mqtt, http, between, names = free_ports(5)
    (folder / "plugins").write_text("[rabbitmq_federation,rabbitmq_shovel,rabbitmq_management,rabbitmq_mqtt].")
    (folder / "rabbitmq.conf").write_text(
        f"listeners.tcp.1 = 127.0.0.1:{amqp}\nmanagement.tcp.port = {http}\nmanagement.tcp.ip = 127.0.0.1\n"
        f"mqtt.listeners.tcp.1 = 127.0.0.1:{mqtt}\nmqtt.allow_anonymous = true\n"
    )
    environment = {
        **os.environ,
        "HOME": str(folder),
        "RABBITMQ_NODENAME": "momlint@localhost",
        "RABBITMQ_MNESIA_BASE": str(folder / "data"),
        "RABBITMQ_LOG_BASE": str(folder / "log"),
        "RABBITMQ_DIST_PORT": str(between),
        "ERL_EPMD_PORT": str(names),
        "ERL_EPMD_ADDRESS": "127.0.0.1",
        "RABBITMQ_ENABLED_PLUGINS_FILE": str(folder / "plugins"),
        "RABBITMQ_CONFIG_FILE": str(folder / "rabbitmq.conf"),
        "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "+S 1:1 -kernel inet_dist_use_interface {127,0,0,1}",
    }
    with (folder / "out").open("wb") as out:
        process = subprocess.Popen([program], env=environment, stdout=out, stderr=out, start_new_session=True)
        try:
            rabbit = Rabbit(http, mqtt)
            until = time.monotonic() + seconds
            while True:
                try:
                    rabbit.ask("GET", "overview")
                    break
                except OSError as error:
                    if time.monotonic() > until or process.poll() is not None:
                        raise AssertionError(f"it does not start: {(folder / 'out').read_text()[-2000:]}") from error
                    time.sleep(0.3)
            yield rabbit
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            _end_names(names)


def _end_names(port: int) -> None:
    """End the process that keeps the names of nodes, as soon as it has none any more."""
    for _ in range(50):
        ended = subprocess.run(["epmd", "-port", str(port), "-kill"], check=False, capture_output=True)
        if b"Killed" in ended.stdout or b"Cannot connect" in ended.stderr:
            return
        time.sleep(0.1)
