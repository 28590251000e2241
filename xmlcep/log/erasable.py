"""Records of which a value can be taken out later, by law, without breaking the seal or the tree of their log.

Every record of such a log has ``salts``, a random text for each value in it: `value` and `old` of a change, the texts
and attributes of a snapshot, in document order. What is sealed, and what the tree has as its entry, is the record with
the salted digests of the values in their place. A value that was erased is ``[erased]``; its salt is null, its digest
in ``erased``, so that the seal is what it was. Without the salt nobody can try which value had this digest.
"""

from __future__ import annotations

import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from hashlib import sha256
from html import unescape
from secrets import token_urlsafe
from typing import Any, NamedTuple

from .json_codec import STANDARD
from .records import MARK

ERASED = "[erased]"
"""What a record has in place of a value that was erased."""
SALTS, GONE = "salts", "erased"
"""The fields of a record that have the salts of its values, and the digests of those that were erased."""
_SALTED, _WITH_GONE = b'"salts":', b'"erased":['
_SALT, _DIGEST = re.compile("[A-Za-z0-9_-]{22}"), re.compile("[A-Za-z0-9_-]{43}=")

# Each part matches whatever follows it, so that no text takes longer than its length.
_TEXT = r"(?P<text>(?:[^<]+|<!\[CDATA\[(?:.*?\]\]>|.*))+)"
_ASIDE = r"<!--(?:.*?-->|.*)|<\?(?:.*?\?>|.*)|</[^>]*>?"
_TAG = r"""(?P<tag><(?:[^"'<>]|"[^"]*"|'[^']*')*+>?)"""
_MARKUP = re.compile(f"{_TEXT}|{_ASIDE}|{_TAG}", re.DOTALL)
_ATTRIBUTE = re.compile(r"""\s([^\s=]+)=(?:"([^"]*)"|'([^']*)')""")
_VALUES = ("value", "old")


class _Values(NamedTuple):
    """The values in a record, the ids that lead to the node of each, and the record with others in their place."""

    texts: Sequence[str]
    nodes: Sequence[Sequence[int]]
    replaced: Callable[[Sequence[str]], dict[str, Any]]


def salted(record: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The record with a new salt for each of its values, and its `sealed_form`."""
    values = _values(record)
    salts = [token_urlsafe(16) for _ in values.texts]
    sealed = values.replaced(list(map(_digest, salts, values.texts)))
    sealed[SALTS] = len(salts)
    return {**record, SALTS: salts}, sealed


def sealed_form(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """What of a record is sealed; one of a log that is not erasable as it is. Raises `ValueError` for a record whose
    salts or digests are not those of its values."""
    if SALTS not in record and GONE not in record:
        return record
    values, salts, gone = _values(record), record.get(SALTS), record.get(GONE, [])
    if not _are(salts, _SALT, or_none=True) or not _are(gone, _DIGEST):
        raise ValueError(f"{SALTS} or {GONE} is not what a recording writes")
    assert isinstance(salts, list)
    if len(salts) != len(values.texts) or salts.count(None) != len(gone):
        raise ValueError(f"it has {len(values.texts)} values, and not as many {SALTS} and {GONE}")
    digests = iter(gone)
    sealed = values.replaced(
        [
            _digest(salt, text) if salt is not None else _of_erased(text, next(digests))
            for salt, text in zip(salts, values.texts, strict=True)
        ]
    )
    sealed.pop(GONE, None)
    sealed[SALTS] = len(salts)
    return sealed


def erased(record: Mapping[str, Any], nodes: Set[int]) -> dict[str, Any]:
    """The record without the values of these nodes and of nodes below them; its `sealed_form` stays."""
    values, gone = _values(record), iter(record.get(GONE, ()))
    texts, salts, digests = list(values.texts), list(record[SALTS]), []
    for index, (text, ids) in enumerate(zip(values.texts, values.nodes, strict=True)):
        if salts[index] is None:
            digests.append(next(gone))
        elif not nodes.isdisjoint(ids):
            digests.append(_digest(salts[index], text))
            texts[index], salts[index] = ERASED, None
    return {**values.replaced(texts), SALTS: salts, **({GONE: digests} if digests else {})}


class Value(NamedTuple):
    """A value in a record: the ids that lead to its node, its text, None if it was erased."""

    ids: Sequence[int]
    text: str | None


def values_in(record: Mapping[str, Any]) -> Iterator[Value]:
    """The values in a record of an erasable log."""
    values, salts = _values(record), record.get(SALTS)
    plain = unescape if MARK in record else str
    for ids, text, salt in zip(
        values.nodes, values.texts, salts if isinstance(salts, list) else (), strict=False
    ):
        yield Value(ids, None if salt is None else plain(text))


def has_erased(line: bytes) -> bool:
    """Whether a line of a log may have an erased value."""
    return _WITH_GONE in line


def entry_of(line: bytes) -> bytes:
    """The entry that the tree of a log has for a line, without its end: the line itself, unless the log is erasable.

    Raises `ValueError` for a record whose salts or digests are not those of its values."""
    if _SALTED not in line:
        return line
    record = STANDARD.loads(line)
    if not isinstance(record, dict) or SALTS not in record:
        return line
    sealed = dict(sealed_form(record))
    head = sealed.pop("hash", None)
    return b'%s,"hash":"%s"}' % (STANDARD.canonical(sealed)[:-1], str(head).encode())


def _values(record: Mapping[str, Any]) -> _Values:
    if MARK not in record:
        names = [name for name in _VALUES if isinstance(record.get(name), str)]
        return _Values(
            [record[name] for name in names], [_ids(record) or (0,)] * len(names),
            lambda texts: {**record, **dict(zip(names, texts, strict=True))},
        )  # fmt: skip
    snapshot = record.get("snapshot")
    if "control" in record or not isinstance(snapshot, str):
        return _Values((), (), lambda _: dict(record))
    ids, spans = _ids(record), list(_spans(snapshot))
    return _Values(
        [snapshot[start:end] for _, start, end in spans],
        [[ids[place] for place in places if place < len(ids)] or (0,) for places, _, _ in spans],
        lambda texts: {**record, "snapshot": _put(snapshot, spans, texts)},
    )


def _ids(record: Mapping[str, Any]) -> Sequence[int]:
    ids = record.get("ids")
    return ids if isinstance(ids, (list, tuple)) and {*map(type, ids)} <= {int} else ()


class _Span(NamedTuple):
    """Where in a snapshot a value is, and the places of the nodes that lead there."""

    places: Sequence[int]
    start: int
    end: int


def _spans(snapshot: str) -> Iterator[_Span]:
    place, above = 0, list[int]()
    for found in _MARKUP.finditer(snapshot):
        tag = found["tag"]
        if found["text"] is not None:
            yield _Span((*above, place), *found.span())
            place += 1
        elif tag is not None:
            above.append(place)
            place += 1
            for each in _ATTRIBUTE.finditer(tag):
                if each[1] != "xmlns" and not each[1].startswith("xmlns:"):
                    start, end = each.span(2 if each[2] is not None else 3)
                    yield _Span((*above, place), found.start() + start, found.start() + end)
                    place += 1
            if tag.endswith("/>"):
                above.pop()
        elif found[0].startswith("</") and above:
            above.pop()


def _put(snapshot: str, spans: Sequence[_Span], texts: Sequence[str]) -> str:
    parts, done = [], 0
    for span, text in zip(spans, texts, strict=True):
        parts += [snapshot[done : span.start], text]
        done = span.end
    return "".join([*parts, snapshot[done:]])


def _digest(salt: str, text: str) -> str:
    """The salt has a fixed length, so nothing else has these bytes."""
    return urlsafe_b64encode(sha256(f"{salt}{text}".encode("utf-8", "surrogatepass")).digest()).decode()


def _of_erased(text: str, digest: str) -> str:
    if text != ERASED:
        raise ValueError(f"a value that was erased is {text!r:.60}: expected {ERASED}")
    return digest


def _are(given: object, form: re.Pattern[str], *, or_none: bool = False) -> bool:
    return isinstance(given, list) and all(
        (each is None and or_none) or (isinstance(each, str) and form.fullmatch(each)) for each in given
    )
