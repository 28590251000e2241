"""JSON to and from bytes: by orjson where it is installed, else by json, to the same result."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, NamedTuple

try:
    import orjson
except ImportError:  # an accelerator only
    orjson = None  # type: ignore[assignment]


class JsonCodec(NamedTuple):
    """Functions: ``loads`` raises ValueError for what is not JSON, ``dumps`` writes compact UTF-8, ``canonical``
    the same with sorted keys."""

    loads: Callable[[bytes], Any]
    dumps: Callable[[Any], bytes]
    canonical: Callable[[Any], bytes]


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


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _standard_loads(data: bytes) -> Any:
    text = data.decode("utf-8")
    try:
        if _LONG_NUMBER.search(data):
            value = json.loads(text, parse_int=_whole_number, parse_constant=_refuse_constant)
        else:
            value = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    if _SURROGATE.search(data):
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
    return JsonCodec(orjson.loads, dumps, lambda value: dumps(value, None, sort_keys))


STANDARD = JsonCodec(_standard_loads, _standard_dumps, _standard_canonical)
FASTEST = _fastest()
