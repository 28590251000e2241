"""JSON to and from bytes: by orjson where it is installed, else by json, to the same result."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import repeat
from typing import Any, NamedTuple

try:
    import orjson
except ImportError:  # an accelerator only
    orjson = None  # type: ignore[assignment]


class DuplicateKeyError(ValueError):
    """A JSON object in which a key is twice: which of its values holds depends on who reads it."""


class JsonCodec(NamedTuple):
    """Functions: ``loads`` raises ValueError for what is not JSON, ``dumps`` writes compact UTF-8, ``canonical``
    the same with sorted keys.

    ``written`` makes of what ``dumps`` has written a value that it writes as it is.

    `STANDARD` raises `DuplicateKeyError`; `FASTEST` takes the last value (see `refuse_repeated_keys`).
    """

    loads: Callable[[bytes], Any]
    dumps: Callable[[Any], bytes]
    canonical: Callable[[Any], bytes]
    written: Callable[[bytes], Any]


# What orjson reads as a float or refuses, so that both readers agree: whole numbers beyond 64 bits and
# halves of a surrogate pair.
_LONG_NUMBER = re.compile(rb"\d{19}")
_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_encode_sorted = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=True
).encode


def _whole_number(digits: str) -> int | float:
    if len(digits) > 20:
        return float(digits)
    number = int(digits)
    return number if -(2**63) <= number < 2**64 else float(digits)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs."""
    made = dict(pairs)
    if len(made) != len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise DuplicateKeyError(f"the key {twice!r} occurs more than once")
    return made


def key_bounds(lines: Sequence[bytes]) -> list[int]:
    """At most so many keys are in each line, those that are twice counted twice.

    Keys end in ``":``, and so may what a text has. A line whose record has as many keys as this repeats none.
    """
    text = b"".join(lines)
    if any(blank in text for blank in (b" ", b"\t", b"\r")):  # one may be between a key and its colon
        lines = text.translate(None, b" \t\r").split(b"\n")[: len(lines)]
    return list(map(bytes.count, lines, repeat(b'":')))


def refuse_repeated_keys(line: bytes, record: Any, bound: int) -> None:
    """Raises `DuplicateKeyError` if a key is twice in an object of the line that ``record`` was read from.

    ``bound`` is that of `key_bounds`.
    """
    if type(record) is dict:
        meta = record.get("meta")
        if bound == len(record) + (len(meta) if type(meta) is dict else 0):
            return
    _standard_loads(line)


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _standard_loads(data: bytes) -> Any:
    text = data.decode("utf-8")
    try:
        if _LONG_NUMBER.search(data):
            value = json.loads(
                text, parse_int=_whole_number, parse_constant=_refuse_constant, object_pairs_hook=_object
            )
        else:
            value = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_object)
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    if b"\\u" in data and _SURROGATE.search(data):
        _encode(value).encode("utf-8")  # half of a surrogate pair cannot be encoded
    return value


def _standard_dumps(value: Any) -> bytes:
    return _encode(value).encode("utf-8")


def _standard_canonical(value: Any) -> bytes:
    return _encode_sorted(value).encode("utf-8", "surrogatepass")


def _fastest() -> JsonCodec:
    if orjson is None:
        return STANDARD
    dumps, sort_keys = orjson.dumps, orjson.OPT_SORT_KEYS
    return JsonCodec(orjson.loads, dumps, lambda value: dumps(value, None, sort_keys), orjson.Fragment)


STANDARD = JsonCodec(_standard_loads, _standard_dumps, _standard_canonical, _standard_loads)
FASTEST = _fastest()
