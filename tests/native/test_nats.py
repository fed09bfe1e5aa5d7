"""nats-server's configuration: its grammar, what it refuses, and where. Counted by hand, and asked of nats-server."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from momlint.lint import Options, lint_files
from momlint.native.form import NativeFile
from momlint.native.nats import Server, collide, covers, read_nats, renaming
from momlint.native.nats_syntax import Items, Map, Scalar, Value, read_conf
from momlint.native.text import read_text
from tests.brokers.processes import program


def read(text: str) -> NativeFile:
    return read_nats(text.encode(), "n.conf")


def plain(text: str) -> object:
    content, _, _ = read_text(text.encode(), "n.conf")
    native = NativeFile("nats", [("n.conf", content)])
    root, _ = read_conf(native, None)
    assert native.problems == []
    return _plain(root)


def _plain(value: Value) -> object:
    if isinstance(value, Scalar):
        return value.text
    if isinstance(value, Items):
        return [_plain(one) for one in value.values]
    assert isinstance(value, Map)
    return {entry.key: _plain(entry.value) for entry in value.entries}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("port: 4222", {"port": "4222"}),
        ("port = 4222 # c\nhost 'a b'", {"port": "4222", "host": "a b"}),
        ('a: "x\\ty\\x41"', {"a": "x\tyA"}),
        ("a { b: [1, 2\n3] }, c: d", {"a": {"b": ["1", "2", "3"]}, "c": "d"}),
        ("routes = [ nats://a:6222, nats://b:6222 // why\n]", {"routes": ["nats://a:6222", "nats://b:6222"]}),
        ("P: 1\nx: { q: $P }", {"P": "1", "x": {"q": "1"}}),
        ("P: 1\nx: { P: 2, y { q: $P } }", {"P": "1", "x": {"P": "2", "y": {"q": "2"}}}),
        ('"quoted key": v; k2 v2', {"quoted key": "v", "k2": "v2"}),
        ("text (\n a: b }\n)\nport: 1", {"text": "\n a: b }\n", "port": "1"}),
        ("{ a: b }"[2:7], {"a": "b"}),
    ],
)
def test_grammar(text: str, expected: object) -> None:
    assert plain(text) == expected


def account(a: str, b: str) -> str:
    return f"accounts {{\n A {{ {a} }}\n B {{ {b} }}\n}}\n"


IMPORT_B = 'imports: [{stream: {account: B, subject: "t.>"}}]'
IMPORT_A = 'imports: [{stream: {account: A, subject: "t.>"}}]'
EXPORT = 'exports: [{stream: "t.>"}]'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (account(f"{EXPORT}, {IMPORT_B}", f"{EXPORT}, {IMPORT_A}"), [("MOM813", 3)]),
        (account(f"{EXPORT}, {IMPORT_B[:-2]}, prefix: x}}]", f"{EXPORT}, {IMPORT_A}"), []),
        (account(f"{EXPORT}, {IMPORT_B[:-2]}, prefix: t}}]", f"{EXPORT}, {IMPORT_A}"), [("MOM813", 3)]),
        (account(IMPORT_B, "users: [{user: a, password: b}]"), [("MOM808", 2)]),
        (account(IMPORT_B.replace("B", "Z"), ""), [("MOM808", 2)]),
        (account(IMPORT_B, 'exports: [{stream: "t.a"}]'), [("MOM808", 2)]),
        (account(IMPORT_B.replace("t.>", "t.a"), EXPORT), []),
        (
            account(
                'exports: [{service: "t.a"}], imports: [{service: {account: B, subject: "t.a"}}]',
                'exports: [{service: "t.a"}], imports: [{service: {account: A, subject: "t.a"}}]',
            ),
            [("MOM813", 3)],
        ),
        ("leafnodes {\n port: 1\n", [("MOM101", 1)]),
        ("a: }\n", [("MOM101", 1)]),
        ("leafnodes: [{]\n", [("MOM101", 1)]),
        ("P: 4222\nport: $P\n", []),
        ("server_name: a # b\n// c\nport: 4222 // there\n", []),
        ("cluster { name: x, routes = [ nats-route://a:6222, nats-route://b:6222 ] }\n", []),
        ("foo: bar\nport: 4222\n", [("MOM814", 1)]),
    ],
)
def test_what_the_server_refuses(text: str, expected: list[tuple[str, int]], tmp_path: Path) -> None:
    native = read(text)
    assert [(one.code, one.span.start.line) for one in native.problems] == expected
    server = program("nats-server")
    path = tmp_path / "n.conf"
    path.write_text(text)
    ran = subprocess.run([server, "-t", "-c", str(path)], capture_output=True, text=True, check=False, timeout=20)
    assert (ran.returncode != 0) == bool(expected), ran.stderr


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        ("a.*", "b.*", ("a.", "b.")),
        ("a.foo", "c.foo", ("a.", "c.")),
        ("t.>", "x.t.>", ("", "x.")),
        ("a", "b", ("a", "b")),
        ("a.*", "b.$1", ("a.", "b.")),
        ("a.*.*", "b.$2.$1", None),
        ("*.a", "*.b", None),
    ],
)
def test_renaming(source: str, target: str, expected: tuple[str, str] | None) -> None:
    assert renaming(source, target) == expected


def test_subjects() -> None:
    assert covers("a.>", "a.b.c")
    assert not covers("a.>", "a")
    assert not covers("a.*", "a.>")
    assert covers("*.b", "a.b")
    assert collide("a.*", "*.b")
    assert collide("a.>", "a.*.c")
    assert not collide("a", "a.>")
    assert not collide("a.b", "a.c")


@pytest.mark.parametrize(
    "data",
    [
        b"{" * 100_000,
        b"a: [" * 50_000,
        b"a: " + b"x" * 3_000_000,
        b"\0\0\0",
        b"\xff\xfe\xfd",
        b"a: $a\nb: $c\nc: $b\n",
        b"include \n",
        b"include x\n" * 500,
        b"cluster: 3\ngateway: []\naccounts: {A: 1, B: []}\nleafnodes: {remotes: {url: [{}]}}\n",
        b"accounts { A { imports: [{stream: {account: [], subject: {}}}] exports: 3 users: x } }\n",
        b'a: "' + b"\\" * 100_001,
        b"(" * 1000,
    ],
)
def test_nothing_raises(data: bytes) -> None:
    def read_file(parent: str, name: str) -> tuple[str, bytes]:
        assert name == "x"
        return "x", b"include x\ninclude x\n"

    native = read_nats(data, "n.conf", read_file)
    assert isinstance(native.server, Server)
    assert all(one.code in ("MOM101", "MOM808", "MOM813", "MOM814") for one in native.problems)


@pytest.mark.parametrize(
    ("denied", "subscribed", "goes_up"),
    [
        # Each seen on nats-server 2.9.10: a leaf node with `deny_imports`, its clients' subscriptions, and what of a.b,
        # a.c and b that is published there comes to the hub.
        ('["a.b"]', ["a.b", "a.c"], {"a.b", "a.c", "b"}),
        ('["a.b"]', ["a.>"], {"a.c", "b"}),
        ('["a.b"]', ["a.*"], {"a.c", "b"}),
        ('["a.b"]', ["*.*"], {"a.c", "b"}),
        ('["*.b"]', ["a.>"], {"a.b", "a.c", "b"}),
        ('["*.b"]', [">"], {"a.c", "b"}),
        ('["a.b", "b"]', ["a.>"], {"a.c"}),
        ('["a.>"]', ["a.>"], {"a.b", "a.c", "b"}),
        ('["a.*"]', ["a.>"], {"a.b", "a.c", "b"}),
        ('["*"]', [">"], {"a.b", "a.c", "b"}),
        ('["a.b"]', [], {"a.b", "a.c", "b"}),
    ],
)
def test_what_a_leaf_node_does_not_take_in_may_not_go_out(
    denied: str, subscribed: list[str], goes_up: set[str], tmp_path: Path
) -> None:
    (tmp_path / "hub.conf").write_text('server_name: hub\nleafnodes { listen: "0.0.0.0:7422" }\n')
    remote = f'{{ url: "nats-leaf://hub.example", deny_imports: {denied} }}'
    (tmp_path / "spoke.conf").write_text(f"server_name: spoke\nleafnodes {{ remotes: [ {remote} ] }}\n")
    wanted = [f'{{at: spoke, filter: "{one}"}}' for one in subscribed]
    wanted += [f"{{at: hub, filter: {one}}}" for one in ("a.b", "a.c", "b")]
    said = [f"{{at: spoke, filter: {one}}}" for one in ("a.b", "a.c", "b")]
    manifest = tmp_path / "manifest.yaml"
    manifest.write_text(
        "momlint: 1\nbrokers: {hub: {config: hub.conf}, spoke: {config: spoke.conf}}\n"
        f"subscriptions: [{', '.join(wanted)}]\npublications: [{', '.join(said)}]\n"
    )
    missed = {
        one.witness.topic
        for one in lint_files([str(manifest)], Options()).findings
        if one.code == "MOM803" and one.witness is not None and one.witness.destination == "hub"
    }
    assert {"a.b", "a.c", "b"} - missed == goes_up


def test_a_closed_manifest_knows_every_url_of_an_uplink(tmp_path: Path) -> None:
    urls = '["nats://hub.example:7422", "nats://else.example:7422"]'
    (tmp_path / "edge.conf").write_text(f"server_name: edge\nleafnodes {{ remotes: [ {{ urls: {urls} }} ] }}\n")
    (tmp_path / "hub.conf").write_text('server_name: hub\nleafnodes { listen: "0.0.0.0:7422" }\n')
    manifest = tmp_path / "estate.mom.yaml"
    manifest.write_text("momlint: 1\nclosed: true\nbrokers: {edge: {config: edge.conf}, hub: {config: hub.conf}}\n")
    found = [
        (one.code, Path(one.file).name, one.span.start.line) for one in lint_files([str(manifest)], Options()).findings
    ]
    assert found == [("MOM808", "edge.conf", 2)]
    manifest.write_text(manifest.read_text().replace("closed: true\n", ""))
    assert lint_files([str(manifest)], Options()).findings == []
