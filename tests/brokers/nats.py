"""What happens to messages in an overlay of real nats-servers: copies of each at each subscriber, counted."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import nats

from tests.brokers.mosquitto import Seen
from tests.brokers.processes import free_ports, program, running

#: Port as the files write it → what it is.
_PORTS = {"4222": "client", "6222": "route", "7422": "leaf", "7222": "gateway"}


def on_loopback(files: Mapping[str, str]) -> tuple[dict[str, str], dict[str, int]]:
    """The files with every ``name.example:port`` and every ``0.0.0.0:port`` on 127.0.0.1, and the ports for clients."""
    free = iter(free_ports(len(files) * len(_PORTS)))
    ports = {name: {kind: next(free) for kind in _PORTS.values()} for name in files}

    def there(match: re.Match[str]) -> str:
        return f"127.0.0.1:{ports[match[1]][_PORTS[match[2]]]}" if match[1] in ports else match[0]

    changed = {}
    for name, original in files.items():
        text = re.sub(r"\b([\w-]+)\.example:([0-9]+)", there, original)
        text = re.sub(r"0\.0\.0\.0:([0-9]+)", lambda m, name=name: f"127.0.0.1:{ports[name][_PORTS[m[1]]]}", text)
        changed[name] = text
    return changed, {name: kinds["client"] for name, kinds in ports.items()}


def observe(
    files: Mapping[str, str],
    ports: Mapping[str, int],
    messages: Sequence[tuple[str, str]],
    folder: Path,
    *,
    links: int,
    calm: float = 0.5,
) -> Seen:
    """Publish messages, given as server and subject, all at once; count copies until `calm` seconds pass without one.

    `files`, `ports`: see `on_loopback`. `links`: how many routes and leaf nodes come up, and gateways, each way.
    """
    server = program("nats-server")
    seen = Seen()
    with running([server, "-D", "-c"], files, ports, folder) as logs:
        until = time.monotonic() + 20
        while True:
            text = "".join(path.read_text(errors="replace") for path in logs.values())
            up = len(
                re.findall(r"(?:Leafnode|Route) connection created|gateway connection (?:to|from) .*registered", text)
            )
            if up >= 2 * links:
                # Servers that name each other connect twice, and drop one connection: let them settle.
                time.sleep(1.5)
                break
            if time.monotonic() > until:
                raise AssertionError(f"{up} of {2 * links} ends come up: {text[-3000:]}")
            time.sleep(0.05)
        asyncio.run(_watch(ports, messages, calm, seen))
    return seen


async def _watch(ports: Mapping[str, int], messages: Sequence[tuple[str, str]], calm: float, seen: Seen) -> None:
    latest = time.monotonic()
    clients = {}
    for name, port in ports.items():
        clients[name] = client = await nats.connect(f"nats://127.0.0.1:{port}")

        async def arrived(message: object, name: str = name) -> None:
            nonlocal latest
            publisher, subject = message.data.decode().split(" ", 1)  # type: ignore[attr-defined]
            seen.copies[publisher, subject, name, message.subject] += 1  # type: ignore[attr-defined]
            latest = time.monotonic()

        for subject in dict.fromkeys(subject.split(".")[0] for _, subject in messages):
            await client.subscribe(subject, cb=arrived)
            await client.subscribe(f"{subject}.>", cb=arrived)
        await client.flush()
    # Interest has to travel.
    await asyncio.sleep(1.0)
    for publisher, subject in messages:
        await clients[publisher].publish(subject, f"{publisher} {subject}".encode())
    start = latest = time.monotonic()
    while time.monotonic() - latest < calm and time.monotonic() - start < 8:
        await asyncio.sleep(0.05)
    for client in clients.values():
        await client.close()
