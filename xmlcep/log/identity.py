"""Whether a file is still the one of which so many bytes were read before, whatever has been added at its end."""

from __future__ import annotations

import hashlib
from pathlib import Path

from ..files import reading

_LOOKED_AT = 4096


def digests(path: str | Path, size: int) -> tuple[str, str]:
    """Digests of the first bytes and of the last of the first ``size`` ones: what has others is another file."""
    with reading(path) as stream:
        begin = stream.read(min(size, _LOOKED_AT))
        stream.seek(max(size - _LOOKED_AT, 0))
        end = stream.read(min(size, _LOOKED_AT))
    return hashlib.sha256(begin).hexdigest(), hashlib.sha256(end).hexdigest()
