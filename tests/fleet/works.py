"""Works for tests: units that do what they are told, and some of it is bad."""

from __future__ import annotations

import mmap
import os
import signal
import subprocess
import time
from dataclasses import dataclass
from typing import Any, ClassVar

from momlint.fleet.work import Fault, Work


@dataclass(frozen=True, slots=True)
class Said:
    """What a unit gave: its number, and what it was told or why it failed."""

    number: int
    text: str


_done = 0


@dataclass(frozen=True, slots=True)
class Obey(Work[Said]):
    """Unit i does ``orders[i]``."""

    orders: tuple[str, ...]
    result_type: ClassVar[type[Any]] = Said

    @property
    def units(self) -> int:
        return len(self.orders)

    def run(self, unit: int) -> Said:
        global _done
        order = self.orders[unit]
        if order == "hang":
            time.sleep(10_000)
        elif order == "spin":
            while True:
                pass
        elif order == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        elif order == "exit":
            os._exit(7)
        elif order == "memory":
            bytearray(1 << 40)
        elif order == "error":
            raise ValueError("no")
        elif order == "hungry error":
            kept = mmap.mmap(-1, 3 << 30)  # reserved, not filled
            raise ValueError(f"no, after {len(kept)} bytes")
        elif order == "die unless first" and _done:
            os._exit(9)
        elif order == "print":
            print("to standard output")
            os.write(1, b"and to its descriptor\n")
        elif order.startswith("sleep "):
            time.sleep(float(order.removeprefix("sleep ")))
        elif order.startswith("spawn "):
            with open(order.removeprefix("spawn "), "w") as stream:
                stream.write(str(subprocess.Popen(["sleep", "1000"]).pid))
            time.sleep(10_000)
        elif order == "pid":
            order = str(os.getpid())
        _done += 1
        return Said(unit, order)

    def undecided(self, unit: int, fault: Fault) -> Said:
        return Said(unit, f"{fault.kind}: {fault.reason}")
