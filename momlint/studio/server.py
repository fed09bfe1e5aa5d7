"""The studio's server: starlette behind a guard, uvicorn on loopback.

Whoever may run programs here may as well edit the file; the guard is against pages of other origins that this browser
shows, and against names that are made to lead here. So each request needs the token, which only this page's address
has, a host that is this one, and, where the browser tells, this page's own origin.
"""

from __future__ import annotations

import hmac
import json
import secrets
import socket
from typing import TYPE_CHECKING, Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from momlint.studio.asking import Refused
from momlint.studio.session import ACTIONS
from momlint.view.page import studio_page

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from momlint.studio.session import Session

HOST: Final = "127.0.0.1"
#: The header that has the token; other origins cannot send one without being asked for it first.
TOKEN: Final = "x-momlint-token"
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Guard:
    """Lets through what comes from the studio's own page, and refuses everything else with 403."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self.app = app
        self.token = token.encode()
        self.hosts = {f"{name}:{port}" for name in (HOST, "localhost")}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        why = self._refusal(Request(scope))
        if why is None:
            await self.app(scope, receive, send)
        else:
            await PlainTextResponse(f"{why}\n", 403, headers=_HEADERS)(scope, receive, send)

    def _refusal(self, request: Request) -> str | None:
        # Each of them once: of two, another program may look at the other.
        hosts, origins = request.headers.getlist("host"), request.headers.getlist("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return "this host is not the studio"
        if origins and origins != [f"http://{hosts[0].lower()}"]:
            return "this comes from another origin"
        sites = request.headers.getlist("sec-fetch-site")
        if sites not in ([], ["same-origin"], ["none"]):
            return "this comes from another site"
        is_page = request.url.path == "/" and request.method in ("GET", "HEAD")
        tokens = request.query_params.getlist("token") if is_page else request.headers.getlist(TOKEN)
        if len(tokens) != 1 or not hmac.compare_digest(tokens[0].encode(), self.token):
            return "the token is missing or wrong; open the address that momlint printed"
        return None


def application(session: Session, token: str, port: int) -> ASGIApp:
    """The app of one session."""

    async def show(request: Request) -> Response:
        text, policy = studio_page(session.data())
        return HTMLResponse(text, headers={**_HEADERS, "Content-Security-Policy": policy})

    async def data(request: Request) -> Response:
        return JSONResponse(session.data(), headers=_HEADERS)

    async def act(request: Request) -> Response:
        try:
            asked = await _body(request, 2 * session.options.most_bytes)
            # In this thread, the main one, where checks have clocks; there is one user.
            says = ACTIONS[request.url.path](session, asked)
        except Refused as refusal:
            return JSONResponse({"error": str(refusal)}, refusal.status, headers=_HEADERS)
        return JSONResponse(session.data(says), headers=_HEADERS)

    routes = [Route("/", show), Route("/data", data), *(Route(path, act, methods=["POST"]) for path in ACTIONS)]
    app = Starlette(routes=routes)
    # What is asked for under another name is not there.
    app.router.redirect_slashes = False
    return Guard(app, token, port)


async def _body(request: Request, most: int) -> dict[str, Any]:
    """The body, an object of JSON. Raises `Refused`."""
    if request.headers.get("content-type", "").partition(";")[0] != "application/json":
        raise Refused(415, "this is not JSON")
    pieces, size = [], 0
    async for piece in request.stream():
        size += len(piece)
        if size > most:
            raise Refused(413, "this is too large")
        pieces.append(piece)
    try:
        found = json.loads(b"".join(pieces))
    except (ValueError, RecursionError) as error:
        raise Refused(400, "this is not valid JSON") from error
    if not isinstance(found, dict):
        raise Refused(400, "this is not an object of JSON")
    return found


def listen(port: int) -> socket.socket:
    """A socket on loopback; `port` 0 for one that is free. Raises `OSError`."""
    listening = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((HOST, port))
        listening.listen()
    except OSError:
        listening.close()
        raise
    return listening


def address(listening: socket.socket, token: str) -> str:
    """What to open in a browser."""
    return f"http://{HOST}:{listening.getsockname()[1]}/?token={token}"


def new_token() -> str:
    """A token that nobody guesses."""
    return secrets.token_urlsafe(24)


def serve(session: Session, listening: socket.socket, token: str) -> None:
    """Answer until the program is interrupted."""
    import uvicorn

    app = application(session, token, listening.getsockname()[1])
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="off",
        loop="asyncio",
        http="h11",
    )
    uvicorn.Server(config).run(sockets=[listening])
