"""What can go wrong before there is a session, in words; none of it starts Java."""

from __future__ import annotations

import importlib.metadata
import socket
import sys
from pathlib import Path

import pytest

from momlint.errors import UsageError
from momlint.fleet import session
from momlint.fleet.session import check_requirements, master_url


@pytest.mark.parametrize(
    ("master", "url"),
    [
        ("local", "local[1,4]"),
        ("local[3]", "local[3,4]"),
        ("local[3,1]", "local[3,1]"),
        ("spark://host:7077", "spark://host:7077"),
        ("spark://a:7077,b:7077", "spark://a:7077,b:7077"),
        ("local-cluster[2,1,1024]", "local-cluster[2,1,1024]"),
        ("yarn", "yarn"),
        ("k8s://https://host:6443", "k8s://https://host:6443"),
    ],
)
def test_masters(master: str, url: str) -> None:
    assert master_url(master) == url


def test_all_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 6)
    assert master_url("local[*]") == "local[6,4]"


@pytest.mark.parametrize("master", ["", "local[]", "local[0]", "local[2", "host:7077", "spark://", "http://host:7077"])
def test_no_masters(master: str) -> None:
    with pytest.raises(UsageError, match="--spark"):
        master_url(master)


def installed(monkeypatch: pytest.MonkeyPatch, **versions: str) -> None:
    def version(package: str) -> str:
        if package not in versions:
            raise importlib.metadata.PackageNotFoundError(package)
        return versions[package]

    monkeypatch.setattr("importlib.metadata.version", version)


def java(folder: Path, monkeypatch: pytest.MonkeyPatch, says: str) -> None:
    program = folder / "java"
    program.write_text(f"#!/bin/sh\necho '{says}' >&2\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")
    monkeypatch.delenv("JAVA_HOME", raising=False)


def test_without_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, pandas="2.3.0")
    with pytest.raises(UsageError, match=r"needs the package pyspark: .*momlint\[spark\]"):
        check_requirements()


def test_without_pandas(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, pyspark="4.0.0")
    with pytest.raises(UsageError, match="needs the package pandas"):
        check_requirements()


def test_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, pyspark="4.0.0", pandas="2.3.0")
    with pytest.raises(UsageError, match=r"needs the package pyarrow: .*momlint\[spark\]"):
        session.check_requirements()


def test_with_pandas_3(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, pyspark="4.0.0", pandas="3.0.1", pyarrow="15.0.0")
    with pytest.raises(UsageError, match=r"pandas 3\.0\.1; it needs one below 3"):
        check_requirements()


def test_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, pyspark="4.0.0", pandas="2.3.0", pyarrow="15.0.0")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(UsageError, match="needs Java 17 or later, and there is none"):
        check_requirements()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(UsageError, match="JAVA_HOME names none"):
        check_requirements()


@pytest.mark.skipif(sys.platform == "win32", reason="a script of the shell")
@pytest.mark.parametrize(
    ("says", "complaint"),
    [
        ('openjdk version "17.0.15" 2025-04-15', None),
        ('java version "21" 2023-09-19', None),
        ('java version "1.8.0_392"', "is Java 8; set JAVA_HOME"),
        ('openjdk version "11.0.2"', "is Java 11; set JAVA_HOME"),
        ("hello", "does not tell its version"),
    ],
)
def test_javas(says: str, complaint: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, pyspark="4.0.0", pandas="2.3.0", pyarrow="15.0.0")
    java(tmp_path, monkeypatch, says)
    if complaint is None:
        check_requirements()
    else:
        with pytest.raises(UsageError, match=complaint):
            check_requirements()


def test_a_master_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "check_requirements", lambda: None)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (
        pytest.raises(UsageError, match=rf"nothing answers at spark://127\.0\.0\.1:{port}"),
        session.Session(f"spark://127.0.0.1:{port}"),
    ):
        pass
