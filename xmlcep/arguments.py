"""What arguments of public calls have to be, and what is said of those that are not.

The checks stand at the doors: behind them everything is what its annotation says. They are made at a call, not at its
first event.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from enum import Enum
from inspect import iscoroutinefunction
from typing import NamedTuple, NoReturn

from path_types import PathType

from .errors import ArgumentError
from .events import CompositeEvent, PrimitiveEvent


class Kind(NamedTuple):
    """What an argument has to be: a test, the words for it, and what more is to be said of a value that is not."""

    accepts: Callable[[object], bool]
    expected: str
    why: Callable[[object], str] = lambda value: ""


def check(call: str, **given: tuple[object, Kind]) -> None:
    """Raises `ArgumentError` for the first argument of ``call`` that is not of its kind.

    >>> check("watch()", keep=(5, optional(whole_number(0))))
    """
    for name, (value, kind) in given.items():
        if not kind.accepts(value):
            refuse(call, name, value, kind.expected + kind.why(value))


def check_event(call: str, event: object) -> None:
    """Raises `ArgumentError` for what is not a primitive event, nor a plain tuple of the same layout."""
    if (
        not isinstance(event, tuple)
        or len(event) != len(PrimitiveEvent._fields)
        or not isinstance(event[0], int)
        or event[1] not in ("ins", "upd", "del")
        or not isinstance(event[2], PathType)
    ):
        refuse(call, "event", event, "a PrimitiveEvent, as of read_log() or document.subscribe()")


def refuse(call: str, name: str, value: object, expected: str) -> NoReturn:
    """Raises the error of an argument that cannot be."""
    raise ArgumentError(f"{call}: {name} is {shown(value)}: expected {expected}")


def shown(value: object) -> str:
    """A value as messages show it: not a page of it."""
    text = repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


_LONGEST = 80


def _is_text(value: object) -> bool:
    if not isinstance(value, str):
        return False
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True


def _is_path(value: object) -> bool:
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    return _is_text(text) and text != "" and "\0" not in str(text)


def _why_no_path(value: object) -> str:
    text = os.fspath(value) if isinstance(value, os.PathLike) else value
    if isinstance(text, bytes):
        return " as text: os.fsdecode() makes that of bytes"
    return "; a name has no null byte" if isinstance(text, str) and "\0" in text else _why_no_text(text)


def _why_no_text(value: object) -> str:
    """What is to be said of the name of a file that is not UTF-8: logs, findings and summaries, which are, could not
    name it."""
    # Python reads each byte that is not UTF-8 as one of these characters (PEP 383).
    text = value if isinstance(value, str) else ""
    odd = next((character for character in text if "\udc80" <= character <= "\udcff"), None)
    if odd is None:
        return ""
    return f"; the name is not UTF-8, as its byte 0x{ord(odd) - 0xDC00:02x} shows: rename the file or folder"


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def is_function(value: object) -> bool:
    """Whether it can be called and does then what it is to do: what ``async def`` makes would only begin if awaited."""
    return callable(value) and not any(map(iscoroutinefunction, (value, getattr(value, "__call__", None))))  # noqa: B004


def function_of(argument: str, given: object) -> str:
    """What to say of a callback that is none; ``argument`` is what it is called with."""
    why = ", not of async def: nothing would await it, so let it start a task" if callable(given) else ""
    return f"pass a function of one argument{argument}{why}"


def whole_number(least: int) -> Kind:
    """A whole number from ``least`` on."""
    return Kind(
        lambda value: _is_whole(value) and least <= value < 2**63,  # type: ignore[operator]
        f"a whole number from {least} on",
    )


def one_of(words: type[Enum]) -> Kind:
    """A member of an enumeration."""
    return Kind(lambda value: isinstance(value, words), f"one of {', '.join(map(str, words))}")


def one_word(*words: str) -> Kind:
    """One of these words."""
    return Kind(lambda value: isinstance(value, str) and value in words, " or ".join(map(repr, words)))


def optional(kind: Kind) -> Kind:
    """None, or what is of this kind."""
    return Kind(lambda value: value is None or kind.accepts(value), f"{kind.expected}, or None", kind.why)


TEXT = Kind(_is_text, "text", _why_no_text)
STRING = Kind(lambda value: isinstance(value, str), "text")
"""Whatever is in it: what reads it points at what is wrong."""
PATH = Kind(_is_path, "the path of a file", _why_no_path)
COMPOSITE = Kind(lambda value: isinstance(value, CompositeEvent), "a CompositeEvent")
ITERABLE = Kind(lambda value: isinstance(value, Iterable), "a list")
FUNCTION = Kind(is_function, "a function, not of async def: nothing would await it")
NAMES = Kind(
    lambda value: (
        isinstance(value, Collection) and not isinstance(value, (str, bytes)) and all(map(_is_text, value))
    ),
    "a list of names",
)
MAPPING = Kind(lambda value: isinstance(value, Mapping), "a dictionary")
BY_NAME = Kind(
    lambda value: isinstance(value, Mapping) and all(map(_is_text, value)), "a dictionary by names"
)
IDS = Kind(
    lambda value: isinstance(value, (list, tuple, range)) and all(map(_is_whole, value)), "a list of node ids"
)
