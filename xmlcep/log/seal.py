"""The hash chain that shows whether a log was altered: sealing and verifying.

Every record of a sealed log has two more fields: ``n``, its number in the log from 1, and ``hash``, the
SHA-256 (hex) of the hash of the record before it (64 zeros for the first) followed by the record's canonical
JSON: without ``hash``, keys sorted by code point, no spaces, UTF-8, nothing escaped that need not be. A
record altered, left out or moved breaks the chain there. The chain does not show that records were cut off
at the end, nor that all of it was written anew: keep the last hash (the *head*) elsewhere and compare.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from .errors import BrokenChainError, LogError, Origin
from .json_codec import FASTEST, STANDARD
from .reading import read_lines
from .segments import Source, files_of

START = "0" * 64
"""The hash before the first record."""


class Seal(NamedTuple):
    """The state of a chain: how many records it has and the hash of the last."""

    length: int = 0
    head: str = START


def sealed_line(record: Mapping[str, Any], seal: Seal) -> tuple[bytes, Seal]:
    """The line of a log that holds ``record``, sealed as the next in the chain, and the chain with it."""
    number = seal.length + 1
    canonical = FASTEST.canonical({**record, "n": number})
    head = _digest(seal.head, canonical)
    return b'%s,"hash":"%s"}\n' % (canonical[:-1], head.encode("ascii")), Seal(number, head)


def seal_of(record: Mapping[str, Any]) -> Seal | None:
    """The state of the chain behind a record; None if the record is not sealed."""
    number, head = record.get("n"), record.get("hash")
    return Seal(number, head) if type(number) is int and isinstance(head, str) else None


def verify(log: Source, *, head: str | None = None) -> Seal:
    """Checks the chain of a sealed log; returns its length and head.

    Raises `BrokenChainError`, which names the first record that was altered, or before which one is missing,
    or that does not stand where it belongs, or that is not sealed. With ``head``, the hash kept elsewhere,
    records cut off at the end are found too. `LogError`: a log without any record.
    """
    seal = Seal()
    at_head = seal if head == START else None
    first = True
    for origin, line in read_lines(log):
        record = _record(line, origin)
        first = False
        seal = _next(record, seal, origin)
        if seal.head == head:
            at_head = seal
    if first:
        raise LogError(f"{', '.join(map(str, files_of(log)))}: nothing to verify: the log has no records")
    if head is not None and at_head is None:
        raise BrokenChainError(
            f"{files_of(log)[-1]}: the log ends with record {seal.length} and hash {seal.head}, the head"
            f" {head} is not in it: records were cut off at its end, or the log was written anew"
        )
    return seal


def _record(line: bytes, origin: Origin) -> dict[str, Any]:
    try:
        record = STANDARD.loads(line)
    except ValueError as error:
        raise BrokenChainError(f"{origin}: altered or cut off: not a JSON object: {error}") from error
    if not isinstance(record, dict):
        raise BrokenChainError(f"{origin}: altered: not a JSON object but {type(record).__name__}")
    return record


def _next(record: dict[str, Any], before: Seal, origin: Origin) -> Seal:
    claimed = seal_of(record)
    if claimed is None:
        raise BrokenChainError(
            f"{origin}: not sealed: it has no n and hash (a log is sealed from its first record or not)"
        )
    expected = before.length + 1
    if claimed.length > expected:
        raise BrokenChainError(
            f"{origin}: this is record {claimed.length}, expected {expected}: records are missing"
            " before it or"
            " were moved"
        )
    if claimed.length < expected:
        raise BrokenChainError(
            f"{origin}: this is record {claimed.length}, expected {expected}: it was moved here or repeated"
        )
    content = {name: value for name, value in record.items() if name != "hash"}
    head = _digest(before.head, STANDARD.canonical(content))
    if head != claimed.head:
        raise BrokenChainError(
            f"{origin}: record {expected} was altered: its hash is {claimed.head}, but it gives {head}"
        )
    return claimed


def _digest(before: str, canonical: bytes) -> str:
    return hashlib.sha256(before.encode("ascii") + canonical).hexdigest()
