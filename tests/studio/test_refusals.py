"""The studio's door: no token, another origin, another host, other files; a real server, and requests byte for byte."""

from __future__ import annotations

import http.client
import json
import signal
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.studio.serving import Studio, needed, studio

pytestmark = pytest.mark.slow

TEXT = "# kept\nmomlint: 1\nbrokers: {a: , b: }\nlinks: [{between: [a, b]}]\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studio")
    (folder / "estate").mkdir()
    (folder / "estate" / "topology.yaml").write_text(TEXT)
    (folder / "secret.yaml").write_text("secret: 1\n")
    return folder


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[Studio]:
    needed()
    with studio(folder / "estate" / "topology.yaml") as running:
        yield running


def send(
    running: Studio, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None, token: bool = True
) -> tuple[int, str, http.client.HTTPMessage]:
    """Status, text and headers of the answer. `headers` go before what is sent otherwise, empty ones not at all."""
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=30)
    data = None if body is None else json.dumps(body).encode()
    sent = {"Host": f"127.0.0.1:{running.port}"}
    if data is not None:
        sent |= {"Content-Type": "application/json", "Content-Length": str(len(data))}
    if token:
        sent["X-Momlint-Token"] = running.token
    sent |= headers or {}
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in sent.items():
        if value:
            connection.putheader(name, value)
    connection.endheaders(data)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text, answer.headers


def test_the_page_of_the_address_is_served_and_says_what_it_may(running: Studio) -> None:
    status, text, headers = send(running, "GET", f"/?token={running.token}", token=False)
    assert status == 200
    assert "momlint studio" in text
    policy = headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; ")
    assert "connect-src 'self'" in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert not any(name.lower().startswith("access-control") for name in headers)


PATHS = [("GET", "/"), ("GET", "/data"), *(("POST", f"/{one}") for one in ("change", "text", "fail", "undo", "save"))]


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize("given", ["", "wrong", "é"])
def test_without_the_token_nothing_is_told_or_done(running: Studio, method: str, path: str, given: str) -> None:
    headers = {"X-Momlint-Token": given}
    query = f"?token={'' if given == 'é' else given}" if path == "/" else f"?token={running.token}"
    body = {"revision": 0} if method == "POST" else None
    status, text, _ = send(running, method, path + query, body, headers)
    assert (status, "the token is missing or wrong" in text) == (403, True)
    assert "brokers" not in text


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize(
    "origin",
    ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1:{port}", "http://localhost:{port}"],
)
def test_other_origins_are_refused(running: Studio, method: str, path: str, origin: str) -> None:
    query = f"?token={running.token}" if path == "/" else ""
    body = {"revision": 0} if method == "POST" else None
    status, text, _ = send(running, method, path + query, body, {"Origin": origin.format(port=running.port)})
    assert (status, text) == (403, "this comes from another origin\n")


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "localhost.evil.example:{port}", ""]
)
def test_other_hosts_are_refused(running: Studio, host: str) -> None:
    """A name of somebody else's that is made to lead to this machine (DNS rebinding)."""
    for path in (f"/?token={running.token}", "/data"):
        status, text, _ = send(running, "GET", path, None, {"Host": host.format(port=running.port)})
        # Without any host it is no HTTP at all.
        assert status in ((400,) if not host else (403,))
        assert "brokers" not in text


def test_requests_from_other_sites_are_refused(running: Studio) -> None:
    for site in ("cross-site", "same-site"):
        status, text, _ = send(running, "GET", "/data", None, {"Sec-Fetch-Site": site})
        assert (status, text) == (403, "this comes from another site\n")
    assert send(running, "GET", "/data", None, {"Sec-Fetch-Site": "same-origin"})[0] == 200


def test_a_form_of_another_page_cannot_post(running: Studio) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", ""):
        status, _, _ = send(running, "POST", "/save", {"revision": 0}, {"Content-Type": kind})
        assert status == 415


def test_a_preflight_allows_nothing(running: Studio) -> None:
    asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    status, _, headers = send(running, "OPTIONS", "/save", None, asked, token=False)
    assert status == 403
    assert not any(name.lower().startswith("access-control") for name in headers)


@pytest.mark.parametrize(
    "name", ["/etc/passwd", "../secret.yaml", "{folder}/secret.yaml", "{folder}/estate/../secret.yaml", "other.yaml"]
)
def test_files_that_are_not_the_estates_are_refused(running: Studio, folder: Path, name: str) -> None:
    body = {"revision": 0, "file": name.format(folder=folder), "text": "gone"}
    status, text, _ = send(running, "POST", "/text", body)
    assert (status, json.loads(text)) == (403, {"error": "this file is none of the estate's"})
    assert (folder / "secret.yaml").read_text() == "secret: 1\n"


@pytest.mark.parametrize(
    "path", ["/secret.yaml", "/../secret.yaml", "/%2e%2e/secret.yaml", "/topology.yaml", "/etc/passwd", "/docs"]
)
def test_no_files_are_served(running: Studio, path: str) -> None:
    status, text, _ = send(running, "GET", path)
    assert status == 404
    assert "secret" not in text


@pytest.mark.parametrize("body", [b"{", b"[1]", b"\xff", b"[" * 100_000])
def test_what_is_no_json_is_refused(running: Studio, body: bytes) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=30)
    headers = {"Content-Type": "application/json", "X-Momlint-Token": running.token}
    connection.request("POST", "/change", body, headers)
    assert connection.getresponse().status == 400
    connection.close()


#: Requests byte for byte, as no browser sends them; all with the token, but where it is what is wrong. `{end}`: of the
#: other headers.
ODD = {
    "the token in the query": "GET /data?token={token} HTTP/1.1\r\n{host}{end}",
    "the token in a cookie": "GET /data HTTP/1.1\r\n{host}Cookie: X-Momlint-Token={token}\r\n{end}",
    "the token as a bearer's": "GET /data HTTP/1.1\r\n{host}Authorization: Bearer {token}\r\n{end}",
    "a part of the token": "GET /data HTTP/1.1\r\n{host}X-Momlint-Token: {part}\r\n{end}",
    "two tokens": "GET /data HTTP/1.1\r\n{host}{given}X-Momlint-Token: x\r\n{end}",
    "two tokens of a page": "GET /?token=x&token={token} HTTP/1.1\r\n{host}{end}",
    "a token in a folded line": "GET /data HTTP/1.1\r\n{host}X-A: b\r\n {given}{end}",
    "two hosts": "GET /data HTTP/1.1\r\n{host}Host: evil.example\r\n{given}{end}",
    "no host": "GET /data HTTP/1.0\r\n{given}{end}",
    "a host behind a name": "GET /data HTTP/1.1\r\nHost: 127.0.0.1:{port}@evil.example\r\n{given}{end}",
    "a host with a dot": "GET /data HTTP/1.1\r\nHost: localhost.:{port}\r\n{given}{end}",
    "a host by another name": "GET /data HTTP/1.1\r\nHost: 0.0.0.0:{port}\r\n{given}{end}",
    "a host of version 6": "GET /data HTTP/1.1\r\nHost: [::1]:{port}\r\n{given}{end}",
    "a host that was forwarded": "GET /data HTTP/1.1\r\nHost: x\r\nX-Forwarded-Host: 127.0.0.1:{port}\r\n{given}{end}",
    "a proxy's address": "GET http://evil.example/data HTTP/1.1\r\n{host}{given}{end}",
    "two origins": "GET /data HTTP/1.1\r\n{host}{given}Origin: http://127.0.0.1:{port}\r\nOrigin: http://x\r\n{end}",
    "an empty origin": "GET /data HTTP/1.1\r\n{host}{given}Origin: \r\n{end}",
    "two sites": (
        "GET /data HTTP/1.1\r\n{host}{given}Sec-Fetch-Site: same-origin\r\nSec-Fetch-Site: cross-site\r\n{end}"
    ),
    "another method": "PUT /save HTTP/1.1\r\n{host}{given}{end}",
    "a method behind another": "GET /save HTTP/1.1\r\n{host}{given}X-HTTP-Method-Override: POST\r\n{end}",
    "a connection": "CONNECT 127.0.0.1:22 HTTP/1.1\r\n{host}{given}{end}",
    "a slash more": "GET /data/ HTTP/1.1\r\n{host}{given}{end}",
    "two slashes": "GET //etc/passwd HTTP/1.1\r\n{host}{given}{end}",
    "a folder above, twice encoded": "GET /%252e%252e/secret.yaml HTTP/1.1\r\n{host}{given}{end}",
    "a folder above, overlong": "GET /%c0%ae%c0%ae/secret.yaml HTTP/1.1\r\n{host}{given}{end}",
    "a folder above, with a backslash": "GET /..\\secret.yaml HTTP/1.1\r\n{host}{given}{end}",
    "a zero byte": "GET /data%00 HTTP/1.1\r\n{host}{given}{end}",
    "two lengths": "POST /save HTTP/1.1\r\n{host}{given}Content-Length: 2\r\nContent-Length: 9\r\n{end}{{}}",
    "a length and pieces": (
        "POST /save HTTP/1.1\r\n{host}{given}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n{end}0\r\n\r\n"
        "GET /data HTTP/1.1\r\n{host}{end}"
    ),
    "a web socket": (
        "GET /data HTTP/1.1\r\n{host}Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    ),
    "no HTTP": "GET /data\r\n\r\n",
}


@pytest.mark.parametrize("why", ODD)
def test_odd_requests_get_nothing(running: Studio, why: str) -> None:
    told = {"token": running.token, "part": running.token[:-1], "port": running.port}
    told["given"] = f"X-Momlint-Token: {running.token}\r\n"
    told |= {"host": f"Host: 127.0.0.1:{running.port}\r\n", "end": "Connection: close\r\n\r\n"}
    with socket.create_connection(("127.0.0.1", running.port), timeout=30) as connection:
        connection.sendall(ODD[why].format(**told).encode())
        answer = b""
        while piece := connection.recv(1 << 16):
            answer += piece
    assert answer.split(b" ")[1] in (b"400", b"403", b"404", b"405", b"415")
    assert b"brokers" not in answer
    assert b"secret" not in answer


def test_it_listens_on_loopback_only(running: Studio) -> None:
    for address in {str(one[4][0]) for one in socket.getaddrinfo(socket.gethostname(), running.port, socket.AF_INET)}:
        if address.startswith("127."):
            continue
        with pytest.raises(OSError, match=r"refused|timed out"):
            socket.create_connection((address, running.port), timeout=2)


def test_nothing_of_all_this_was_done(running: Studio, folder: Path) -> None:
    status, text, _ = send(running, "GET", "/data")
    found = json.loads(text)["studio"]
    assert (status, found["revision"], found["changed"]) == (200, 0, [])
    assert (folder / "estate" / "topology.yaml").read_text() == TEXT


def test_changes_are_saved_and_it_ends_with_ctrl_c(tmp_path: Path) -> None:
    needed()
    file = tmp_path / "topology.yaml"
    file.write_text(TEXT)
    with studio(file) as running:
        body = {"revision": 0, "estate": 0, "do": "add-broker", "name": "c"}
        status, text, _ = send(running, "POST", "/change", body, {"Origin": f"http://127.0.0.1:{running.port}"})
        assert (status, json.loads(text)["studio"]["says"]) == (200, "Broker c added.")
        status, text, _ = send(running, "POST", "/save", {"revision": 1})
        assert (status, json.loads(text)["studio"]["changed"]) == (200, [])
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(20) == 0
    assert file.read_text() == TEXT.replace("b: }", "b: , c: {} }")
