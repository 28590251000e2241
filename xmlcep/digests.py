"""Plain data that is read as it was written, or not at all: it has a digest of all that is in it.

What is changed in a state makes another detector, another document; where that would show nobody knows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

_DIGEST = "digest"


def with_digest(state: Mapping[str, Any]) -> dict[str, Any]:
    """The state as JSON reads it, of plain lists and dicts, and the digest of it, in whatever order it is written."""
    plain: dict[str, Any] = json.loads(json.dumps(state, separators=(",", ":"), allow_nan=False))
    return {**plain, _DIGEST: _digest(plain)}


def is_as_written(state: Mapping[str, Any]) -> bool:
    """Whether it is what `with_digest` gave; also False for what JSON cannot hold."""
    rest = {name: part for name, part in state.items() if name != _DIGEST}
    try:
        return bool(state.get(_DIGEST) == _digest(rest))
    except (TypeError, ValueError, RecursionError):
        return False


def _digest(state: Mapping[str, Any]) -> str:
    text = json.dumps(state, separators=(",", ":"), sort_keys=True, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()
