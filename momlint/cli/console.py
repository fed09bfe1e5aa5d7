"""Standard output and error: bytes out, colour or not, and signs of life while something takes long."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import time
from collections.abc import Iterable
from types import TracebackType
from typing import NoReturn, Self, TextIO

from momlint.access import MEGABYTE, MOST_MEGABYTES, read_stream, reason
from momlint.escaping import printable

#: Seconds before anything is said about progress.
PATIENCE = 1.0
_REFRESH = 0.25
_COUNT = re.compile(r"\b(\d{1,9}) of (\d{1,9})\b")
# Signs that momlint writes itself, and what stands for them on a terminal that has no such sign.
_SIGNS = (("\u2192", "->"), ("\u2013", "-"), ("\u201c", '"'), ("\u201d", '"'))


def write(text: str, output: str | None = None) -> None:
    """Write `text` to the file `output`, or to standard output; UTF-8, line ends as they are.

    Raises `momlint.errors.UsageError` where that cannot be done; the file that stood there stays then.
    A reader of standard output that
    has gone away (``| head``) is no error.
    """
    # A lone surrogate (a file name that is not UTF-8) becomes an escape, which JSON reads as what it was.
    data = text.encode("utf-8", "backslashreplace")
    if output is not None:
        from momlint.errors import UsageError
        from momlint.writing import write_file

        try:
            write_file(output, data)
        except (OSError, ValueError) as error:
            words = getattr(error, "strerror", None) or error
            raise UsageError(f"{output}: the report cannot be written: {words}") from error
        return
    if sys.stdout is None:  # closed by whoever started momlint
        _unwritten("standard output is closed")
    try:
        if _is_terminal(sys.stdout):
            sys.stdout.write(_showable(text, sys.stdout.encoding or "utf-8"))
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except BrokenPipeError:
        # Python flushes once more when it ends; let that go nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError) as error:
        _unwritten(getattr(error, "strerror", None) or str(error))


def _unwritten(why: str) -> NoReturn:
    from momlint.errors import UsageError

    raise UsageError(f"the report cannot be written: {why}")


def refuse_input(option: str, output: str | None, inputs: Iterable[str]) -> None:
    """Raise `UsageError` where `output`, which `option` names, is a file that this run reads."""
    if output is None or not os.path.exists(output):
        return
    if any(os.path.realpath(output) == os.path.realpath(file) for file in inputs):
        from momlint.errors import UsageError

        raise UsageError(f"{option}: {output} is read by this run, and would be lost; name another file")


def read_stdin(most: int = MOST_MEGABYTES * MEGABYTE) -> bytes:
    """All of standard input. Raises `UsageError` where it is closed, cannot be read, or has more than so many bytes."""
    from momlint.errors import UsageError

    try:
        if sys.stdin is None:
            raise UsageError("standard input is closed")
        return read_stream(sys.stdin.buffer, most)
    except OSError as error:
        raise UsageError(f"standard input: {reason(error)}") from error


def complain(*lines: str) -> None:
    """Lines on standard error, in whatever it can show; that nobody reads there, or nobody can, is no error.

    A line is one: what names in it would make of it is escaped. On a terminal it is folded at blanks, as reports are.
    """
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    with contextlib.suppress(OSError, ValueError, AttributeError):
        shown = [_showable(printable(line), encoding) for line in lines]
        if _is_terminal(sys.stderr):
            from momlint.report.folding import folded

            width = _width_of(sys.stderr)
            # The rest of a sentence stands in from its beginning.
            shown = [folded(line, width, len(line) - len(line.lstrip()) + 2) for line in shown]
        sys.stderr.write("".join(line + "\n" for line in shown))
        sys.stderr.flush()


def _width_of(terminal: TextIO) -> int:
    """Its columns: those that ``COLUMNS`` says, or the terminal itself, or 80."""
    said = os.environ.get("COLUMNS", "")
    if re.fullmatch("[0-9]{1,5}", said) and int(said) > 0:
        return int(said)
    try:
        return os.get_terminal_size(terminal.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def _showable(text: str, encoding: str) -> str:
    """`text` as a terminal of this encoding can show it."""
    for sign, plain in _SIGNS:
        if sign in text:
            try:
                sign.encode(encoding)
            except UnicodeEncodeError:
                text = text.replace(sign, plain)
    return text.encode(encoding, "backslashreplace").decode(encoding)


def _is_terminal(stream: TextIO | None) -> bool:
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed in the meantime
        return False


def coloured() -> bool:
    """Whether standard output takes colours: a terminal, ``FORCE_COLOR``, and not ``NO_COLOR``."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return _is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb"


def clear() -> None:
    """Make room on a terminal, as for a new page; what is no terminal stays as it is."""
    if _is_terminal(sys.stdout) and os.environ.get("TERM") != "dumb":
        sys.stdout.write("\x1b[2J\x1b[3J\x1b[H")
        sys.stdout.flush()


def columns() -> int | None:
    """The width of the terminal on standard output, `None` where there is none."""
    if not _is_terminal(sys.stdout):
        return None
    import shutil

    return shutil.get_terminal_size().columns


def time_left(doing: str, passed: float) -> str:
    """``, about 40 s left``, where `doing` counts (``3 of 40``) and enough is done to tell by what has `passed`."""
    count = _COUNT.search(doing)
    if count is None:
        return ""
    done, whole = int(count[1]) - 1, int(count[2])
    if done < 1 or done >= whole:
        return ""
    seconds = passed * (whole - done) / done
    return f", about {seconds / 60:.0f} min left" if seconds >= 90 else f", about {seconds:.0f} s left"


class Progress:
    """One line on standard error that says what is being done, from the second second on, and how long it may last.

    Call it with what is being done now; a count in it (``3 of 40``: so many are done or in hand) tells how much is
    left. Use it as a context manager, which clears the line at the end.
    Without a terminal on standard error, or when `enabled` is false, it does nothing.
    """

    def __init__(self, enabled: bool = True) -> None:
        self._live = enabled and _is_terminal(sys.stderr)
        self._doing = ""
        self._started = time.monotonic()

    def __call__(self, doing: str) -> None:
        self._doing = doing

    def __enter__(self) -> Self:
        if self._live:
            import threading

            # A thread, so that a single long question shows that time passes.
            self._done = threading.Event()
            self._thread = threading.Thread(target=self._run, name="progress", daemon=True)
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._done.set()
            self._thread.join()

    def _run(self) -> None:
        wait, shown = PATIENCE, False
        with contextlib.suppress(OSError):
            while not self._done.wait(wait):
                doing = self._doing
                passed = time.monotonic() - self._started
                line = f"momlint: {printable(doing) or 'working'} ({int(passed)} s{time_left(doing, passed)})"
                width = _width_of(sys.stderr) - 1
                sys.stderr.write("\r\x1b[K" + line.encode("ascii", "replace").decode()[:width])
                sys.stderr.flush()
                wait, shown = _REFRESH, True
            if shown:
                sys.stderr.write("\r\x1b[K")
                sys.stderr.flush()
