"""One HTTP request to a service that somebody named: no redirects, no proxies, an answer of bounded size."""

from __future__ import annotations

import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from .errors import ProofError

_LARGEST = 1_000_000  # bytes of an answer


class Posted(NamedTuple):
    """The status and the body of an answer."""

    status: int
    body: bytes


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(_NoRedirects, urllib.request.ProxyHandler({}))


def is_address(url: object) -> bool:
    """Whether it is a URL that `post` takes."""
    parts = urlsplit(url) if isinstance(url, str) else None
    return parts is not None and parts.scheme in ("http", "https") and bool(parts.hostname)


def post(url: str, body: bytes, headers: Mapping[str, str], *, seconds: float = 10.0) -> Posted:
    """Sends a body; returns what is answered, whatever its status. Raises `ProofError` if there is no answer."""
    if not is_address(url):
        raise ProofError(f"{url!r:.80} is not an address: expected http:// or https://")
    request = urllib.request.Request(url, body, dict(headers), method="POST")
    try:
        with _OPENER.open(request, timeout=seconds) as answer:
            return Posted(answer.status, answer.read(_LARGEST))
    except urllib.error.HTTPError as error:
        with error:
            return Posted(error.code, error.read(_LARGEST))
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        raise ProofError(f"{url}: no answer: {reason}") from error
