"""What a request asks for and cannot have."""

from __future__ import annotations

from typing import Any

from ..errors import XmlCepError


class RequestError(XmlCepError, ValueError):
    """A request that is refused: with which HTTP status, and what is said besides."""

    def __init__(self, status: int, message: str, **more: Any) -> None:
        super().__init__(message)
        self.status = status
        self.more = more
