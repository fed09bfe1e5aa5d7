"""A Spark session that keeps quiet: its start, its end, and clear words for what can go wrong with either.

The Java process writes warnings on file descriptor 2 before any logging can be set up; here it gets a log of its own,
which is shown when it fails and thrown away when it does not.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from momlint.ending import orderly
from momlint.errors import UsageError
from momlint.fleet import scratch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

R = TypeVar("R")

#: Spark 4 needs this Java or a later one.
JAVA = 17
#: pyspark does not work with this pandas or a later one.
PANDAS = 3
#: How often a task is tried before the job fails, also where Spark is local (which by itself never tries again).
ATTEMPTS = 4
#: Seconds to wait for a master to answer the telephone.
_PATIENCE = 10.0
#: Seconds for Spark to stop, and then for Java to end.
_FAREWELL = 15.0
_INSTALL = "install momlint with its extra: pip install 'momlint[spark]'"
_LINES_SHOWN = 12
_LOOK = 0.1


def check_requirements() -> None:
    """Raise `UsageError` where a package or Java is missing or of the wrong version."""
    check_packages()
    _check_java()


def check_packages() -> None:
    """Raise `UsageError` where pyspark, pandas or pyarrow is missing or of the wrong version."""
    from importlib.metadata import PackageNotFoundError, version

    found = {}
    for package in ("pyspark", "pandas", "pyarrow"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            raise UsageError(f"Spark needs the package {package}: {_INSTALL}") from None
    if int(found["pandas"].split(".")[0]) >= PANDAS:
        raise UsageError(
            f"pyspark does not work with pandas {found['pandas']}; it needs one below {PANDAS}: "
            f"pip install 'pandas<{PANDAS}'"
        )


def _check_java() -> None:
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if java is None:
        raise UsageError(
            f"Spark needs Java {JAVA} or later, and there is none: no `java` on the path, and JAVA_HOME is not set"
        )
    try:
        said = subprocess.run([java, "-version"], capture_output=True, text=True, check=True, timeout=60)
    except FileNotFoundError:
        raise UsageError(f"Spark needs Java {JAVA} or later, and JAVA_HOME names none: there is no {java}") from None
    except (OSError, subprocess.SubprocessError) as error:
        raise UsageError(f"Spark needs Java {JAVA} or later, and {java} does not run: {error}") from None
    found = re.search(r'version "(?:1\.)?(\d+)', said.stderr + said.stdout)
    if found is None:
        raise UsageError(f"Spark needs Java {JAVA} or later, and {java} does not tell its version")
    if int(found[1]) < JAVA:
        raise UsageError(
            f"Spark needs Java {JAVA} or later, and {java} is Java {found[1]}; set JAVA_HOME to a later one"
        )


def master_url(master: str) -> str:
    """`master` as Spark is told it: a local one tries its tasks `ATTEMPTS` times. Raises `UsageError`."""
    if master == "local":
        return f"local[1,{ATTEMPTS}]"
    local = re.fullmatch(r"local\[\s*(\*|\d+)\s*(?:,\s*(\d+)\s*)?\]", master)
    if local is not None:
        if local[1] == "0" or local[2] == "0":
            raise UsageError(f"--spark: {master} has no cores to work on; write local[*] or local[2]")
        cores = os.cpu_count() or 1 if local[1] == "*" else int(local[1])
        return f"local[{cores},{local[2] or ATTEMPTS}]"
    if re.match(r"(spark://[^/:]|k8s://|yarn$|local-cluster\[\d+,\d+,\d+\]$)", master):
        return master
    raise UsageError(
        f"--spark: `{master}` is not a Spark master: write local[*], local[2], spark://host:7077, yarn or "
        "k8s://https://host:port"
    )


def is_local(master: str) -> bool:
    """Whether all of Spark is on this machine."""
    return master.startswith("local")


def _hosts(master: str) -> list[tuple[str, int]]:
    """The hosts of a standalone master (there may be several, in case one is down)."""
    if not master.startswith("spark://"):
        return []
    found = []
    for part in master.removeprefix("spark://").split(","):
        try:
            url = urlsplit(f"//{part}")
            found.append((url.hostname or "", url.port or 7077))
        except ValueError:
            raise UsageError(f"--spark: `{part}` is not a host and port") from None
    return found


def _check_reachable(master: str) -> None:
    """A standalone master that nobody answers at is waited for minutes by Spark; here only seconds."""
    reasons = []
    for host, port in _hosts(master):
        try:
            with socket.create_connection((host, port), _PATIENCE):
                return
        except OSError as error:
            reasons.append(f"{host}:{port}: {error.strerror or error}")
    if reasons:
        raise UsageError(f"--spark: nothing answers at {master} ({'; '.join(reasons)}); is the master running?")


def _on_loopback(master: str) -> bool:
    """Whether nothing has to leave this machine, so that nothing should."""
    return is_local(master) or all(
        host == "localhost" or host.startswith("127.") for host, _ in _hosts(master) or [("", 0)]
    )


class Session:
    """A context manager: a Spark session with its Java process, both gone at the end.

    `conf`: settings of Spark that the user makes, which win over ours. Raises `UsageError` where Spark cannot start.
    """

    def __init__(self, master: str, conf: Mapping[str, str] | None = None) -> None:
        self.master = master_url(master)
        self._conf = dict(conf or {})
        self._log: IO[bytes] | None = None
        self._java: subprocess.Popen[bytes] | None = None
        self._spark: SparkSession | None = None
        self._around = contextlib.ExitStack()
        self._scratch: str | None = None
        self._lock: int | None = None

    @property
    def scratch(self) -> str:
        """A folder for files of this session, which goes with it; only between start and end."""
        assert self._scratch is not None
        return self._scratch

    @property
    def spark(self) -> SparkSession:
        """The session; only between start and end."""
        assert self._spark is not None
        return self._spark

    def __enter__(self) -> Session:
        check_requirements()
        _check_reachable(self.master)
        # What asks momlint to end finds Java and its files gone, too.
        self._around.enter_context(orderly())
        try:
            self._log = tempfile.TemporaryFile()
            # Its name is known before it is there: whenever momlint is asked to end, it can be taken away.
            scratch.sweep()
            self._scratch = scratch.new_name()
            self._lock = scratch.occupy(self._scratch)
            aside(self._start)
        except BaseException as error:
            # Before Java ends: an error of its own has its text there.
            said = first_line(error) if isinstance(error, Exception) else ""
            words = self.last_words()
            self._end()
            if isinstance(error, Exception):
                raise UsageError(f"Spark does not start at {self.master}: {said}", *words) from error
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def _start(self) -> None:
        from pyspark import SparkConf, SparkContext, java_gateway
        from pyspark.sql import SparkSession

        conf = SparkConf(loadDefaults=False)
        for key, value in {**_settings(self.master, self.scratch), **self._conf}.items():
            conf.set(key, value)
        with _environment(self.master), _temporary_files_in(self.scratch), self._keeping_java():
            launch: Any = java_gateway.launch_gateway
            gateway = launch(conf, {"stdout": self._log, "stderr": self._log})
            context = SparkContext(conf=conf, gateway=gateway)
            context.setLogLevel("WARN")
            self._spark = SparkSession(context)

    @contextlib.contextmanager
    def _keeping_java(self) -> Iterator[None]:
        """Keep hold of the Java process from its first moment on: pyspark tells of it only once it has answered."""
        from pyspark import java_gateway

        module: Any = java_gateway
        popen = module.Popen

        def keeping(*arguments: Any, **more: Any) -> subprocess.Popen[bytes]:
            self._java = popen(*arguments, **more)
            return self._java

        module.Popen = keeping
        try:
            yield
        finally:
            module.Popen = popen

    def last_words(self) -> list[str]:
        """The last lines of the log for an error message; empty without any."""
        if self._log is None:
            return []
        self._log.seek(0)
        lines = self._log.read().decode("utf-8", "replace").strip().splitlines()
        # Frames of Java's stack traces say nothing to whoever runs a linter.
        lines = [line for line in lines if not re.match(r"\s+at |\s*\.\.\. \d+ more", line)]
        return [f"  Spark's log: {line}" for line in lines[-_LINES_SHOWN:]]

    def _end(self) -> None:
        from pyspark import SparkContext

        spark, self._spark = self._spark, None
        java, self._java = self._java, None
        # py4j writes a stack trace for every call that Java's end cuts short; what matters of it is raised as well.
        logging.getLogger("py4j").setLevel(logging.CRITICAL)
        try:
            if spark is not None:
                # Java may be gone already, which is where this leads; or past answering.
                with contextlib.suppress(Exception):
                    aside(spark.stop, _FAREWELL)
        finally:
            if java is not None:
                _end_java(java, spark is not None)
                # The next session in this process starts a Java of its own.
                SparkContext._gateway = None
                SparkContext._jvm = None
                SparkContext._active_spark_context = None
            if self._log is not None:
                self._log.close()
                self._log = None
            if self._scratch is not None:
                scratch.take_away(self._scratch)
                self._scratch = None
            if self._lock is not None:
                os.close(self._lock)
                self._lock = None
            self._around.close()


def aside(action: Callable[[], R], seconds: float | None = None) -> R:
    """Do `action` in another thread and wait for it; where that takes longer than `seconds`, raise `TimeoutError`.

    Everything that calls Java is done so. An interrupt finds the main thread waiting, and not in the middle of a call,
    whose answer the next call would take for its own. And Spark's own handler of interrupts, which calls Java from
    wherever it is, is set up in main threads only.
    """
    result: list[R] = []
    failure: list[BaseException] = []

    def act() -> None:
        try:
            result.append(action())
        except BaseException as error:  # noqa: BLE001  raised again below
            failure.append(error)

    thread = threading.Thread(target=act, daemon=True)
    thread.start()
    until = None if seconds is None else time.monotonic() + seconds
    while thread.is_alive():
        thread.join(_LOOK)
        if until is not None and time.monotonic() > until:
            raise TimeoutError
    if failure:
        raise failure[0]
    return result[0]


def _end_java(process: subprocess.Popen[bytes], started: bool) -> None:
    if process.stdin is not None:
        with contextlib.suppress(OSError):
            process.stdin.close()  # which is how Java is told that nobody needs it any more
    try:
        # One that was interrupted while it started does not listen yet.
        process.wait(_FAREWELL if started else 0)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def _temporary_files_in(folder: str) -> Iterator[None]:
    """Where pyspark puts the file by which Java tells its port, which it removes unless it is interrupted."""
    before, tempfile.tempdir = tempfile.tempdir, folder
    try:
        yield
    finally:
        tempfile.tempdir = before


def _settings(master: str, scratch: str) -> dict[str, str]:
    settings = {
        "spark.master": master,
        "spark.app.name": "momlint",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.task.maxFailures": str(ATTEMPTS),
        "spark.driver.maxResultSize": "0",
        # Results come in a few columns; nothing is joined or sorted.
        "spark.sql.shuffle.partitions": "8",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
        # Half of the time that Java takes to start goes into compilers and a collector that this never needs.
        "spark.driver.extraJavaOptions": f"-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Djava.io.tmpdir={scratch}",
    }
    if re.match(r"local(\[|$)", master):  # elsewhere it would be the executors' folder as well
        settings["spark.local.dir"] = scratch
    if _on_loopback(master):
        settings["spark.driver.host"] = "127.0.0.1"
        settings["spark.driver.bindAddress"] = "127.0.0.1"
    return settings


@contextlib.contextmanager
def _environment(master: str) -> Iterator[None]:
    """The environment of Java and its workers: this interpreter unless the user names one; loopback if it is enough."""
    import pyspark

    wanted = {"PYSPARK_PYTHON": sys.executable}
    if _on_loopback(master):
        wanted["SPARK_LOCAL_IP"] = "127.0.0.1"
    if master.startswith("local-cluster"):
        wanted["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    added = {name: value for name, value in wanted.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


def first_line(error: Exception) -> str:
    """The first line of its text, its type where it has none."""
    return (text_of(error).strip().splitlines() or [type(error).__name__])[0]


def text_of(error: Exception) -> str:
    """Its text; of an error of Java's what that says, which only Java can tell, and nothing where Java has ended."""
    try:
        java = getattr(error, "java_exception", None)
        if java is None:
            return str(error)
        said = str(java.getMessage() or "")
        # A name alone says nothing without the kind of error.
        return said if " " in said else str(java.toString())
    except Exception:  # noqa: BLE001  whatever the connection to Java raises; what matters is what is reported of it
        return ""
