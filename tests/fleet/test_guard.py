"""The guard: what hangs or dies takes nothing with it."""

from __future__ import annotations

import io
import os
import queue
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from momlint.errors import InternalError
from momlint.fleet import child
from momlint.fleet.frames import read_frame, write_frame
from momlint.fleet.guard import Guard, ShardLimits
from tests.fleet.processes import is_running
from tests.fleet.works import Obey, Said

LIMITS = ShardLimits(seconds=30.0, memory=4 << 30)


def obey(*orders: str, limits: ShardLimits = LIMITS) -> list[str]:
    with Guard(limits) as guard:
        return [said.text for _, said in guard.run(Obey(orders), range(len(orders)))]


def test_results_come_in_order_with_their_units() -> None:
    with Guard(LIMITS) as guard:
        assert list(guard.run(Obey(("a", "b", "c")), [2, 0])) == [(2, Said(2, "c")), (0, Said(0, "a"))]


def test_one_child_serves_many_shards() -> None:
    work = Obey(("pid", "pid"))
    with Guard(LIMITS) as guard:
        found = [said.text for _ in range(2) for _, said in guard.run(work, [0, 1])]
    assert len(set(found)) == 1
    assert found[0] != str(os.getpid())


@pytest.mark.parametrize("order", ["hang", "spin"])
def test_what_hangs_is_stopped_and_the_rest_goes_on(order: str) -> None:
    begin = time.monotonic()
    assert obey("a", order, "b", limits=ShardLimits(seconds=1.5)) == ["a", "deadline: it was stopped after 1.5 s", "b"]
    assert time.monotonic() - begin < 25


@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ("die", "crash: its process died (SIGKILL)"),
        ("exit", "crash: its process died (exit code 7)"),
        ("error", "crash: momlint failed on it (ValueError: no)"),
        ("memory", "memory: it needs more than 4,096 MiB of memory"),
        pytest.param(
            "hungry error",
            "memory: it needs more than 4,096 MiB of memory",
            marks=pytest.mark.skipif(sys.platform != "linux", reason="reads /proc"),
        ),
    ],
)
def test_what_dies_is_told_from_the_rest(order: str, reason: str) -> None:
    assert obey("a", order, "b") == ["a", reason, "b"]


def test_what_dies_of_what_others_left_gets_a_fresh_process() -> None:
    assert obey("a", "die unless first", "b") == ["a", "die unless first", "b"]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_programs_that_a_unit_has_started_go_with_it(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    assert obey(f"spawn {told}", "a", limits=ShardLimits(seconds=2.0)) == ["deadline: it was stopped after 2 s", "a"]
    assert not is_running(int(told.read_text()))


def test_results_that_nobody_takes_do_not_come_to_the_next() -> None:
    with Guard(LIMITS) as guard:
        assert next(guard.run(Obey(("a", "b", "c")), [0, 1, 2])) == (0, Said(0, "a"))
        assert list(guard.run(Obey(("d", "e")), [1])) == [(1, Said(1, "e"))]


def test_prints_do_not_come_between_the_results() -> None:
    assert obey("print", "a") == ["print", "a"]


def test_a_child_that_does_not_start_is_an_internal_error() -> None:
    with Guard(ShardLimits(memory=16 << 20)) as guard, pytest.raises(InternalError, match="does not start"):
        list(guard.run(Obey(("a",)), [0]))


def test_closing_ends_a_child_that_hangs() -> None:
    guard = Guard(ShardLimits(seconds=600))
    pid = int(next(iter(guard.run(Obey(("pid",)), [0])))[1].text)
    guard.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    with pytest.raises(InternalError):
        list(guard.run(Obey(("a",)), [0]))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_child_goes_with_its_guard_even_while_it_spins() -> None:
    program = (
        "import sys, threading\n"
        "from momlint.fleet.guard import Guard, ShardLimits\n"
        "from tests.fleet.works import Obey\n"
        "guard = Guard(ShardLimits(seconds=600))\n"
        "print(next(iter(guard.run(Obey(('pid',)), [0])))[1].text, flush=True)\n"
        "list(guard.run(Obey(('spin',)), [0]))\n"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    time.sleep(0.2)
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    parent.stdout.close()
    for _ in range(100):
        if not is_running(child):
            return
        time.sleep(0.1)
    pytest.fail("the child outlives its guard")


def test_an_answer_nobody_waits_for_any_more_is_not_taken_for_the_next() -> None:
    tasks: queue.SimpleQueue[object] = queue.SimpleQueue()
    helper = child._Helper(tasks, io.BytesIO())
    tasks.put(("results", 1, ["one"]))
    assert list(helper.run(Obey(("one",)), [1.0])) == ["one"]
    # The second is given up while it waits, as by an alarm, so that its answer comes when the third is asked for.
    tasks.put(None)
    with pytest.raises(TypeError):
        list(helper.run(Obey(("two",)), [1.0]))
    tasks.put(("results", 2, ["two"]))
    tasks.put(("results", 3, ["three"]))
    assert list(helper.run(Obey(("three",)), [1.0])) == ["three"]


def test_arrays_in_frames() -> None:
    square = np.arange(12, dtype=np.int32).reshape(3, 4)
    given = {"some": square, "turned": square.T, "every other": square[:, ::2], "none": np.zeros(0), "text": ("a", 1)}
    pipe = io.BytesIO()
    write_frame(pipe, given)
    write_frame(pipe, "next")
    pipe.seek(0)
    found = read_frame(pipe)
    assert found.keys() == given.keys()
    for name in given.keys() - {"text"}:
        assert found[name].dtype == given[name].dtype
        assert np.array_equal(found[name], given[name]), name
        found[name] += 1  # what has come is the receiver's own
    assert found["text"] == given["text"]
    assert read_frame(pipe) == "next"
    whole = pipe.getvalue()
    for length in range(0, len(whole) // 2, 7):
        with pytest.raises(EOFError):
            read_frame(io.BytesIO(whole[:length]))
