"""NuSMV or nuXmv as a program: where it is, how it is run, what it says."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from momlint.ending import orderly
from momlint.errors import InternalError, UsageError
from momlint.solving.limits import GaveUp

#: The environment variable that names the program.
VARIABLE = "MOMLINT_NUSMV"
#: What it is called where it is installed.
PROGRAMS = ("NuSMV", "nusmv", "nuXmv", "nuxmv")
#: MiB of memory one run may use.
DEFAULT_MEMORY = 4096
#: KiB of stack: NuSMV walks expressions by recursion, and a long case overflows the usual 8 MiB.
_STACK = 1 << 20
#: Where open files have names, on systems that have that.
_OPEN_FILES = "/dev/fd"


@dataclass(frozen=True, slots=True)
class Counterexample:
    """States by name of variable, all values in each; `loop` is the state that comes again after the last, or None."""

    states: tuple[Mapping[str, str], ...]
    loop: int | None


@dataclass(frozen=True, slots=True)
class Checked:
    """One specification as the program printed it, its verdict, and a counterexample where it was asked for one."""

    text: str
    holds: bool
    counterexample: Counterexample | None = None


def find_nusmv(option: str | None = None) -> str:
    """The program's path: `option`, else what ``MOMLINT_NUSMV`` says, else what PATH has.

    Raises `UsageError` where it is not there, or is not a program.
    """
    for origin, said in (("--nusmv", option), (VARIABLE, os.environ.get(VARIABLE))):
        if said:
            found = shutil.which(said)
            if found is None:
                raise UsageError(f"{origin} names `{said}` as NuSMV, but that is not a program")
            return found
    for name in PROGRAMS:
        found = shutil.which(name)
        if found is not None:
            return found
    raise UsageError(
        f"NuSMV was not found: install NuSMV or nuXmv, and put it on PATH or set {VARIABLE} to its path; "
        "the other engines do not need it"
    )


def run(
    program: str,
    model: str,
    *,
    traces: bool = True,
    timeout: float | None = None,
    memory: int = DEFAULT_MEMORY,
    options: Sequence[str] = (),
) -> list[Checked]:
    """Check every specification of `model`; the answers as printed: CTL in the order of the text, then LTL.

    `traces`: with counterexamples. `timeout`: seconds; `memory`: MiB. Raises `GaveUp` where one of them was not
    enough, and `InternalError` where the program does not accept the model.
    """
    command = [program, *([] if traces else ["-dcx"]), *options]
    if os.path.isdir(_OPEN_FILES):
        import fcntl

        # A file without a name: nothing of it is left, however momlint ends.
        with tempfile.TemporaryFile("w+", encoding="utf-8") as file:
            file.write(model)
            file.seek(0)
            # Above those that the shell below uses.
            number = fcntl.fcntl(file.fileno(), fcntl.F_DUPFD_CLOEXEC, 10)
            try:
                code, output, errors = _run([*command, f"{_OPEN_FILES}/{number}"], timeout, memory, (number,))
            finally:
                os.close(number)
    else:
        with orderly(), tempfile.TemporaryDirectory(prefix="momlint-") as folder:
            path = os.path.join(folder, "model.smv")
            with open(path, "w", encoding="utf-8") as file:
                file.write(model)
            code, output, errors = _run([*command, path], timeout, memory)
    answers = list(parse_answers(output))
    wanted = len(re.findall(r"^(?:CTL|LTL)?SPEC\b", model, re.MULTILINE))
    if len(answers) == wanted:
        # The exit code says nothing about the verdicts: it is 0 for false ones, too.
        return answers
    chatter = ("***", "WARNING: single-value")
    said = " ".join(line.strip() for line in errors.splitlines() if line.strip() and not line.startswith(chatter))
    if code < 0 or re.search(r"out of memory|memory exhausted|bad_alloc|allocat", errors + output, re.IGNORECASE):
        raise GaveUp(_why_it_died(code, memory))
    raise InternalError(
        f"{os.path.basename(program)} answered {len(answers)} of {wanted} specifications of a model that momlint wrote "
        f"(exit code {code}): {said[-500:] or 'it says nothing more'}; please report it with the estate"
    )


def _why_it_died(code: int, memory: int) -> str:
    if code in (-signal.SIGSEGV, -signal.SIGABRT, -signal.SIGKILL, -signal.SIGBUS) or code >= 0:
        return f"NuSMV ran out of memory ({memory} MiB are allowed)"
    return f"NuSMV was ended by signal {-code}"


def _run(
    command: Sequence[str], timeout: float | None, memory: int, keep: tuple[int, ...] = ()
) -> tuple[int, str, str]:
    alive: tuple[int, ...] = ()
    stdin = subprocess.DEVNULL
    if os.name == "posix":
        # Nobody writes to this pipe. When momlint ends, be it by a signal that cannot be caught, its end is closed, and
        # with it goes the whole group of the program.
        alive = os.pipe()
        stdin = alive[0]
        watch = "exec 9<&0 </dev/null; (read -r _ <&9; kill -9 0) >/dev/null 2>&1 & exec 9<&-; "
        # The limits are set in a shell that then becomes the program: safe with threads, unlike code between fork and
        # exec. The stack's is raised as far as it may be.
        limits = f"ulimit -v {memory * 1024}; ulimit -s {_STACK} 2>/dev/null || ulimit -s $(ulimit -H -s) 2>/dev/null; "
        command = ["/bin/sh", "-c", watch + limits + 'exec "$0" "$@"', *command]
    # MOMLINT_NUSMV_STACK: the wrapper around pynusmv's library need not start twice for its stack.
    environment = {**os.environ, "LC_ALL": "C", "MOMLINT_NUSMV_STACK": "raised"}
    process = subprocess.Popen(
        command,
        stdin=stdin,
        pass_fds=keep,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        errors="replace",
        start_new_session=True,
        env=environment,
    )
    try:
        output, errors = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        raise GaveUp(f"NuSMV did not answer within {timeout:g} s") from None
    finally:
        if process.poll() is None:
            # The whole group: a wrapper may have a child that does the work.
            if os.name == "posix":
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
            process.communicate()
        for descriptor in alive:
            os.close(descriptor)
    return process.returncode, output, errors


_ANSWER = re.compile(r"-- specification (?P<text>.*\S)\s+is (?P<verdict>true|false)\s*$")
_STATE = re.compile(r"\s*->\s*(?P<kind>State|Input):\s*\S+\s*<-\s*$")
_VALUE = re.compile(r"\s+(?P<name>\S+) = (?P<value>.*\S)\s*$")
_LOOP = re.compile(r"\s*-- Loop starts here\s*$")


@dataclass
class _Trace:
    states: list[dict[str, str]] = field(default_factory=list)
    loop: int | None = None
    loop_next: bool = False
    in_state: bool = False

    def line(self, line: str) -> None:
        if _LOOP.match(line):
            self.loop_next = True
        elif found := _STATE.match(line):
            self.in_state = found["kind"] == "State"
            if self.in_state:
                if self.loop_next:
                    # It may be said again for a later state of the same loop; the first counts.
                    self.loop = len(self.states) if self.loop is None else self.loop
                    self.loop_next = False
                # One layout prints what changes, the other all; what is not printed has stayed.
                self.states.append(dict(self.states[-1]) if self.states else {})
        elif self.in_state and (found := _VALUE.match(line)):
            self.states[-1][found["name"]] = found["value"]

    def done(self) -> Counterexample | None:
        if not self.states:
            return None
        states, loop = self.states, self.loop
        if loop is not None and len(states) - 1 > loop:
            # The state that closes the loop is printed once more, without a line where nothing changes.
            states = states[:-1]
        return Counterexample(tuple(states), loop)


def parse_answers(output: str) -> Iterator[Checked]:
    """The verdicts in what the program printed, in its order, each with the counterexample below it.

    Reads both layouts of traces, the one with changes only and the one with all variables in each state.
    """
    now: tuple[str, bool] | None = None
    trace = _Trace()
    for line in output.splitlines():
        if found := _ANSWER.match(line):
            if now is not None:
                yield Checked(*now, trace.done())
            now, trace = (found["text"], found["verdict"] == "true"), _Trace()
        elif now is not None:
            trace.line(line)
    if now is not None:
        yield Checked(*now, trace.done())
