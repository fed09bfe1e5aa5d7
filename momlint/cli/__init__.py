"""The command line. `main` is the entry point; everything else is imported only when a command needs it."""

from __future__ import annotations

import atexit
import contextlib
import gc
import os
import sys
from collections.abc import Sequence

from momlint.cli.exits import FAULT, INTERRUPTED, OK
from momlint.version import __version__

__all__ = ["main"]

#: Objects to be made before the cyclic garbage collector looks at them; Python's own value is 700.
_COLLECT_AFTER = 200_000


def main(argv: Sequence[str] | None = None) -> int:
    """Run momlint on `argv` (without the program's name); the exit code.

    Never raises on account of what the user wrote, and shows no traceback unless ``MOMLINT_DEBUG`` is set. Without
    `argv` it is the program itself: it takes the arguments of the process, and ends it.
    """
    if argv is not None:
        return _run(list(argv))
    # What is made while modules are loaded stays; searching it for garbage takes a tenth of a small check.
    gc.set_threshold(_COLLECT_AFTER, *gc.get_threshold()[1:])
    _fill_streams()
    return _leave(_run(sys.argv[1:]))


def _fill_streams() -> None:
    """Where a standard stream is closed, the next file to be opened would be taken for it by every program started."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _leave(code: int) -> int:
    """End the process at once: taking apart what nobody will miss takes as long as a small check."""
    for stream in (sys.stdout, sys.stderr):
        # A closed or broken stream has been dealt with where it was written to.
        with contextlib.suppress(OSError, ValueError, AttributeError):
            stream.flush()
    atexit._run_exitfuncs()
    os._exit(code)


def _run(arguments: list[str]) -> int:
    if arguments in (["--version"], ["-V"]):  # without the time it takes to load the rest
        try:
            print(f"momlint {__version__}", flush=True)  # noqa: T201
        except BrokenPipeError:
            return OK
        except OSError as error:
            return _say(FAULT, f"momlint: error: the version cannot be written: {error.strerror}")
        return OK

    # pydantic would read the metadata of every installed package, in search of plug-ins for its own tracing.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")

    # numpy's linear algebra would start a thread for each core, which takes longer than anything it is asked here.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    from momlint.ending import Ended
    from momlint.errors import InternalError, MomlintError

    try:
        if arguments[:1] == ["check"]:
            from momlint.cli.quick import plain_check

            plain = plain_check(arguments[1:])
            if plain is not None:
                from momlint.cli.check import check

                return check(plain)
        from momlint.cli.app import run

        return run(arguments)
    except InternalError as error:
        return _fault(str(error))
    except MomlintError as error:
        return _say(FAULT, f"momlint: error: {error}", *error.more)
    except KeyboardInterrupt:
        return _say(INTERRUPTED, "momlint: interrupted")
    except Ended as end:
        return _say(128 + end.number, f"momlint: ended by signal {end.number}")
    except OSError as error:
        return _refusal(error)
    except Exception as error:  # noqa: BLE001  the edge: whatever is left is ours to answer for
        return _fault(f"{type(error).__name__}: {error}")


def _fault(what: str) -> int:
    if os.environ.get("MOMLINT_DEBUG"):
        import traceback

        traceback.print_exc()
    first = what.splitlines()[0] if what else "no more is known"
    return _say(
        FAULT,
        f"momlint: internal fault: {first}",
        "This is a bug in momlint, not in your estate. Please report it with the file it happened on; "
        "MOMLINT_DEBUG=1 in the environment shows where.",
    )


def _refusal(error: OSError) -> int:
    """What the system refuses is no fault of momlint: a full disk, no more processes, a folder that is gone."""
    if os.environ.get("MOMLINT_DEBUG"):
        import traceback

        traceback.print_exc()
    try:
        os.getcwd()
    except OSError:
        return _say(FAULT, "momlint: error: the current folder is gone; change to one that is there")
    where = f"{error.filename}: " if error.filename else ""
    return _say(FAULT, f"momlint: error: {where}the system refuses: {error.strerror or error or type(error).__name__}")


def _say(code: int, *lines: str) -> int:
    from momlint.cli.console import complain

    complain(*lines)
    return code
