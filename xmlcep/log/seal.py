"""The hash chain that shows whether a log was altered: sealing and verifying.

Every record of a sealed log has two more fields: ``n``, its number in the log from 1, and ``hash``, the
SHA-256 (hex) of the hash of the record before it (64 zeros for the first) followed by the record's canonical
JSON: without ``hash``, keys sorted by code point, no spaces, UTF-8, nothing escaped that need not be. A
record altered, left out or moved breaks the chain there. The chain does not show that records were cut off
at the end, nor that all of it was written anew: keep the last hash (the *head*) elsewhere and compare. Of a record of
which values can be erased it has another form: `xmlcep.log.erasable`.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ..arguments import shown
from ..errors import ArgumentError
from .erasable import SALTS, salted, sealed_form
from .errors import BrokenChainError, LogError, Origin, UnsealedError
from .json_codec import FASTEST, STANDARD, DuplicateKeyError
from .opening import no_log
from .reading import read_lines
from .segments import Source, files_of

START = "0" * 64
"""The hash before the first record."""
_HEX = re.compile("[0-9a-f]{64}")


class Seal(NamedTuple):
    """The state of a chain: how many records it has and the hash of the last; whether their values can be erased."""

    length: int = 0
    head: str = START
    erasable: bool = False


class SealedLine(NamedTuple):
    """A line of a log, the entry that its tree has for it, and the chain with it."""

    line: bytes
    entry: bytes
    seal: Seal


def sealed_line(record: Mapping[str, Any], seal: Seal) -> SealedLine:
    """The line of a log that holds ``record``, sealed as the next in the chain."""
    number = seal.length + 1
    content = sealed = {**record, "n": number}
    if seal.erasable:
        content, sealed = salted(content)
    canonical = FASTEST.canonical(sealed)
    head = _digest(seal.head, canonical)
    entry = b'%s,"hash":"%s"}\n' % (canonical[:-1], head.encode("ascii"))
    line = FASTEST.dumps({**content, "hash": head}) + b"\n" if seal.erasable else entry
    return SealedLine(line, entry, Seal(number, head, seal.erasable))


def seal_of(record: Mapping[str, Any]) -> Seal | None:
    """The state of the chain behind a record; None if the record is not sealed."""
    number, head = record.get("n"), record.get("hash")
    sealed = type(number) is int and isinstance(head, str)
    return Seal(number, head, SALTS in record) if sealed else None  # type: ignore[arg-type]


def verify(log: Source, *, head: str | None = None) -> Seal:
    """Checks the chain of a sealed log; returns its length and head.

    Raises `BrokenChainError`, which names the first record that was altered, or before which one is missing,
    or that is not where it belongs, or that is not sealed although others are. With ``head``, the hash kept
    elsewhere, records cut off at the end are found too. `UnsealedError`: a log of which no record is sealed, without
    ``head``. `LogError`: a log without any record.
    """
    if head is not None and not _HEX.fullmatch(head):
        raise ArgumentError(
            f"head is {shown(head)}: expected the hash of a record, 64 hexadecimal digits in lower case"
        )
    seal = Seal()
    at_head = seal if head == START else None
    first = True
    for origin, line in read_lines(log):
        record = _first_record(log, line, origin) if first and head is None else _record(line, origin)
        if first and head is None and seal_of(record) is None and not _is_any_sealed(log):
            raise UnsealedError(
                f"{origin.file}: not sealed: no record has n and hash, so it cannot be verified"
            )
        first = False
        seal = _next(record, seal, origin)
        if seal.head == head:
            at_head = seal
    if first:
        raise LogError(f"{', '.join(map(str, files_of(log)))}: nothing to verify: the log has no records")
    if head is not None and at_head is None:
        raise BrokenChainError(
            f"{files_of(log)[-1]}: the log ends with record {seal.length} and hash {seal.head}, but the head"
            f" {head} is not in it: records were cut off at its end, or the log was rewritten"
        )
    return seal


def follow(lines: Iterable[tuple[Origin, bytes]], *, begins: bool = True) -> Seal:
    """The chain of lines of a log, those from its beginning on if it ``begins`` there; else the first is believed.

    Cheaper than `verify`: a line that is as `sealed_line` wrote it is hashed, not parsed. Raises
    `BrokenChainError`.
    """
    seal = Seal() if begins else None
    for origin, line in lines:
        if seal is None:
            record = _record(line, origin)
            seal = seal_of(record) or _next(record, Seal(), origin)
        else:
            seal = _next_as_written(line, seal) or _next(_record(line, origin), seal, origin)
    return seal or Seal()


def is_sealed(line: bytes) -> bool:
    """Whether a line of a log has a seal, be it a wrong one."""
    if not _HASH.search(line):  # most lines of unsealed logs
        return False
    try:
        record = FASTEST.loads(line)
    except ValueError:
        return False
    return isinstance(record, dict) and seal_of(record) is not None


_HASH = re.compile(rb'"hash"\s*:')
_TAIL = re.compile(rb',"hash":"([0-9a-f]{64})"}\n?')
_LENGTH_OF_TAIL = len(b',"hash":"') + 64 + len(b'"}')


def _is_any_sealed(log: Source) -> bool:
    return any(is_sealed(line) for _, line in read_lines(log))


def _next_as_written(line: bytes, before: Seal) -> Seal | None:
    """The chain with a line that is as it was sealed; None if it has to be looked at closely."""
    end = len(line) - _LENGTH_OF_TAIL - line.endswith(b"\n")
    tail = _TAIL.fullmatch(line, max(end, 0))
    number = before.length + 1
    if tail is None or b'"n":%d,' % number not in line:
        return None
    head = _digest(before.head, line[:end] + b"}")
    return Seal(number, head) if head.encode("ascii") == tail[1] else None


def _first_record(log: Source, line: bytes, origin: Origin) -> dict[str, Any]:
    """The record that a log begins with. Where nothing in a file is sealed, what is not a record is nothing altered."""
    try:
        return _record(line, origin)
    except BrokenChainError as error:
        if _is_any_sealed(log):
            raise
        raise LogError(f"{origin.file}: {no_log(line)}") from error


def _record(line: bytes, origin: Origin) -> dict[str, Any]:
    try:
        record = STANDARD.loads(line)
    except DuplicateKeyError as error:
        raise BrokenChainError(f"{origin}: altered: {error}") from error
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
    try:
        content = sealed_form({name: value for name, value in record.items() if name != "hash"})
    except ValueError as error:
        raise BrokenChainError(f"{origin}: record {expected} was altered: {error}") from error
    head = _digest(before.head, STANDARD.canonical(content))
    if head != claimed.head:
        raise BrokenChainError(
            f"{origin}: record {expected} was altered: its hash is {claimed.head}, but it gives {head}"
        )
    return claimed


def _digest(before: str, canonical: bytes) -> str:
    return hashlib.sha256(before.encode("ascii") + canonical).hexdigest()
