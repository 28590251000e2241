"""Who may ask, and how much: before any route sees a request."""

from __future__ import annotations

import asyncio
import binascii
import hmac
from base64 import b64decode
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection, Request
from starlette.responses import JSONResponse

from .errors import RequestError

Authenticate = Callable[[HTTPConnection], bool]
"""Whether whoever asks may."""

_READING = ("GET", "HEAD", "OPTIONS")


def by_token(token: str) -> Authenticate:
    """Lets in who has the token: ``Authorization: Bearer TOKEN``, or the password that a browser asks for."""

    def authenticate(request: HTTPConnection) -> bool:
        kind, _, given = request.headers.get("authorization", "").partition(" ")
        if kind.lower() == "basic":
            try:
                given = b64decode(given).decode().partition(":")[2]
            except (binascii.Error, UnicodeDecodeError):
                return False
        return hmac.compare_digest(given.encode(), token.encode())

    return authenticate


class Guard:
    """Refuses who is not let in, and what a page of another origin sends."""

    def __init__(self, app: Any, authenticate: Authenticate | None) -> None:
        self._app = app
        self._authenticate = authenticate

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            refused = self._refused(HTTPConnection(scope), scope["method"])
            if refused is not None:
                await refused(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _refused(self, request: HTTPConnection, method: str) -> JSONResponse | None:
        if self._authenticate is not None and not self._authenticate(request):
            headers = {"www-authenticate": 'Basic realm="xmlcep"'}
            return JSONResponse({"error": "a token is needed"}, 401, headers)
        origin = request.headers.get("origin")
        is_own = origin is None or urlsplit(origin).netloc == request.headers.get("host")
        if method not in _READING and not is_own:
            return JSONResponse({"error": f"a page of {origin} changes nothing here"}, 403)
        return None


async def body_of(request: Request, largest: int, seconds: float) -> bytes:
    """The body of a request; raises `RequestError` for one that is too large, or too slow."""
    data = bytearray()
    try:
        async with asyncio.timeout(seconds):
            async for part in request.stream():
                data += part
                if len(data) > largest:
                    raise RequestError(413, f"the request has more than {largest:,} bytes: see --largest")
    except TimeoutError:
        raise RequestError(408, f"the request took longer than {seconds:g} seconds") from None
    return bytes(data)
