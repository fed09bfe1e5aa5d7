"""``mosquitto.conf``: what becomes a link, what is refused, and where. Counted by hand, and asked of Mosquitto."""

from __future__ import annotations

from pathlib import Path

import pytest

from momlint.native.form import NativeFile, Pass
from momlint.native.mosquitto import read_mosquitto
from tests.brokers.processes import free_ports, program, refusal


def read(text: str) -> NativeFile:
    return read_mosquitto(text.encode(), "edge/mosquitto.conf")


def passes(native: NativeFile) -> list[tuple[str, list[tuple[str, str, str]]]]:
    return [(link.id, [one[:3] for one in link.passes]) for link in native.links]


def codes(native: NativeFile) -> list[tuple[str, int, int]]:
    return [(one.code, one.span.start.line, one.span.start.column) for one in native.problems]


def test_a_line_both_ways_is_a_link_each_way() -> None:
    native = read("connection up\naddress hub.example\ntopic sensors/# both 1 local/ remote/\n")
    assert passes(native) == [
        ("up.out", [("local/sensors/#", "local/", "remote/")]),
        ("up.in", [("remote/sensors/#", "remote/", "local/")]),
    ]
    assert {(link.addresses[0].host, link.addresses[0].port, link.connection) for link in native.links} == {
        ("hub.example", 1883, "up")
    }
    assert native.problems == []


def test_default_direction_is_out_and_quotes_mean_nothing() -> None:
    native = read('connection up\naddress hub.example\ntopic a/b\ntopic "" out 0 here there\ntopic c out 0 "" p/\n')
    assert passes(native) == [("up.out", [("here", "here", "there"), ("c", "", "p/"), ("a/b", "", "")])]


def test_lines_that_rename_go_first_and_keep_their_order() -> None:
    native = read("connection up\naddress h\ntopic # out\ntopic a/# out 0 p/ q/\ntopic a/b out 0 r/ s/\n")
    assert [one[0] for one in passes(native)[0][1]] == ["p/a/#", "r/a/b", "#"]
    assert isinstance(native.links[0].passes[0], Pass)
    # The link stands at the first of its lines, whatever goes first.
    assert native.links[0].at.span.start.line == 3


def test_places_are_in_characters() -> None:
    native = read("# grüße\r\nconnection bäh\r\n  address hub.example:1883\r\n  topic ü/# in 2 # comment\r\n")
    link = native.links[0]
    assert (link.at.line, link.at.column, link.at.end_column) == (3, 2, 16)
    assert (link.addresses[0].at.line, link.addresses[0].at.column) == (2, 10)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("topic # out", [("MOM813", 3, 1)]),
        ("connection x\ntopic # out", [("MOM813", 3, 1)]),
        ("connection x\naddress a:1", [("MOM813", 3, 1)]),
        ("connection\naddress a:1\ntopic # out", [("MOM813", 3, 1)]),
        ("connection x\naddress a:1\ntopic # up", [("MOM813", 5, 9)]),
        ("connection x\naddress a:1\ntopic # out 3", [("MOM813", 5, 13)]),
        ('connection x\naddress a:1\ntopic "" out', [("MOM813", 5, 1)]),
        ('connection x\naddress a:1\ntopic "" out 0 "" b', [("MOM813", 5, 1)]),
        ("connection x\naddress a:1\ntopic a out 0 p+/ q/", [("MOM813", 5, 1)]),
        ("connection x\naddress a:1\ntopic # out 0 p q/", [("MOM813", 5, 1)]),
        ("connection x\naddress a:1\ntopic # in 0 p/ q", [("MOM813", 5, 1)]),
        ("connection x\naddress a:99999\ntopic #", [("MOM813", 4, 9)]),
        ("connection x\naddress a:b\ntopic #", [("MOM813", 4, 9)]),
        ("connection x\naddress a:1\naddress b:1\ntopic #", [("MOM813", 5, 1)]),
        ("connection x\naddress a:1\ntopic #\nconnection x\naddress b:1\ntopic a", [("MOM813", 6, 1)]),
        (
            "connection x\naddress a:1\ntopic #\nremote_clientid m\n"
            "connection y\naddress b:1\ntopic a\nremote_clientid m",
            [("MOM813", 10, 17)],
        ),
        ("connection x\naddress a:1\ntopic #\nbridge_foo 1", [("MOM814", 6, 1)]),
        ("connection x\naddress a:1 b:2\ntopic # BOTH 0", []),
        ("connection x\naddresses a:1\ntopic # out # why not\ntopic a in 0 # so", []),
        ("connection x\naddress [::1]:1883\ntopic # out 0 a/ b/ c/", []),
        ("  connection x\n  address a:1\n  topic #", []),
        ("connection x y\naddress a:1\ntopic a/+/b out 0 p q/", []),
    ],
)
def test_what_mosquitto_refuses(lines: str, expected: list[tuple[str, int, int]], tmp_path: Path) -> None:
    """The places were counted by hand; whether Mosquitto starts is asked of it, with hosts that need no look-up."""
    (port,) = free_ports(1)
    head = f"listener {port} 127.0.0.1\nallow_anonymous true\n"
    assert codes(read(head + lines + "\n")) == expected
    mosquitto = program("mosquitto")
    asked = lines.replace(" a:", " 127.0.0.1:").replace(" b:", " 127.0.0.2:")
    said = refusal([mosquitto, "-c"], head + asked + "\n", tmp_path)
    refused = said is not None and "Error" in said
    assert refused == bool(expected), said


def test_one_fault_leaves_the_other_bridges() -> None:
    native = read("connection a\naddress x\ntopic # out 9\ntopic b out\nconnection c\naddress y\ntopic # in\n")
    assert codes(native) == [("MOM813", 3, 13)]
    assert passes(native) == [("a.out", [("b", "", "")]), ("c.in", [("#", "", "")])]


def test_a_port_behind_a_space_is_a_host() -> None:
    native = read("connection up\naddress hub.example 1883\ntopic # out\n")
    assert codes(native) == [("MOM808", 2, 21)]
    assert [address.host for address in native.links[0].addresses] == ["hub.example"]


def test_included_folder_is_part_of_the_broker() -> None:
    def read_folder(folder: str) -> list[tuple[str, bytes]]:
        assert folder == "/etc/conf.d"
        return [("conf.d/up.conf", b"connection up\naddress hub\ntopic # out\n")]

    native = read_mosquitto(b"listener 1884 10.0.0.7\ninclude_dir /etc/conf.d\n", "m.conf", read_folder)
    assert [(link.id, link.at.text, link.at.line) for link in native.links] == [("up.out", 1, 2)]
    assert (native.brokers[0].ports, native.brokers[0].hosts) == ({1884}, {"10.0.0.7"})


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\0" * 100,
        b"\xff\xfe\xfd connection x",
        b"connection " + b"x" * 5_000_000 + b"\naddress a\ntopic # out\n",
        b"connection x\naddress " + b"a:1 " * 300_000 + b"\ntopic #\n",
        b"topic\nconnection\naddress\nlistener\nremote_clientid\n" * 2000,
        "connection \ud800\n".encode("utf-8", "surrogatepass"),
        b"connection x\naddress h\ntopic " + b"a/" * 200_000 + b"# out\n",
        b"listener 99999999999999999999999999\nport x\nlistener \xc2\xb2\n",
    ],
)
def test_nothing_raises(data: bytes) -> None:
    native = read_mosquitto(data, "x.conf")
    assert all(one.code in ("MOM101", "MOM808", "MOM813", "MOM814") for one in native.problems)
