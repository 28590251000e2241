"""Findings by their keys, and what takes some back and adds others (``late="restart"``)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby, islice
from operator import itemgetter
from pathlib import Path
from typing import Any

from ...log.json_codec import FASTEST
from .rows import event

_MOST_NAMED = 3
RETRACT = "retract"
"""The field that a retraction has beside ``doc``: the key of the finding that it takes back."""


def keyed(records: Iterable[dict[str, Any]]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Findings, each with what names it in its document: ``TS:EVENT:IDS``, ``:n`` for the n-th of several alike.

    ``xmlcep why`` takes it. Findings of a time point follow each other.
    """
    for _, of_moment in groupby(records, itemgetter("doc", "ts")):
        alike = Counter[str]()
        for record in of_moment:
            yield _next_key(record, alike), record


def corrections(before: Iterable[bytes], now: Iterable[bytes]) -> tuple[list[bytes], list[bytes]]:
    """The lines that make of the findings ``before`` those that there are ``now``: retractions, and findings.

    Where one of several alike differs all of them are taken back, so that those that come are numbered as ever.
    """
    old, new = _alike(before), _alike(now)
    retractions = [
        FASTEST.dumps({"doc": doc, RETRACT: _nth(key, number)})
        for (doc, key), lines in old.items()
        if new.get((doc, key)) != lines
        for number in range(len(lines), 0, -1)
    ]
    return retractions, [line for name, lines in new.items() if old.get(name) != lines for line in lines]


def standing(records: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The findings of a file that nothing in it takes back, as they came."""
    found: dict[tuple[Any, str], dict[str, Any]] = {}
    alike: dict[Any, Counter[str]] = defaultdict(Counter)
    for record in records:
        doc = record["doc"]
        if RETRACT not in record:
            found[doc, _next_key(record, alike[doc])] = record
        elif (gone := found.pop((doc, record[RETRACT]), None)) is not None:
            alike[doc][_name(gone)] -= 1
    return list(found.values())


def _name(record: Mapping[str, Any]) -> str:
    return f"{record['ts']}:{event(record)}:{','.join(map(str, record['ids']))}"


def _next_key(record: Mapping[str, Any], alike: Counter[str]) -> str:
    """The key of a finding that comes after as many of the same name as were counted, which counts it, too."""
    name = _name(record)
    alike[name] += 1
    return _nth(name, alike[name])


def _nth(name: str, number: int) -> str:
    return name if number == 1 else f"{name}:{number}"


def _alike(lines: Iterable[bytes]) -> dict[tuple[Any, str], list[bytes]]:
    found: dict[tuple[Any, str], list[bytes]] = {}
    for line in lines:
        record = FASTEST.loads(line)
        found.setdefault((record["doc"], _name(record)), []).append(line)
    return found


@dataclass(frozen=True, slots=True)
class Earlier:
    """The lines of findings and of the quarantine that runs have written, and that are found anew, because records have
    come late."""

    findings: list[bytes]
    bad: list[bytes]

    @classmethod
    def of(cls, findings: Path, bad: Path) -> Earlier:
        """What an audit has written."""
        return cls(_lines(findings), _lines(bad))

    def correct(self, findings: Path, bad: Path, late: Mapping[str, int]) -> str:
        """Leaves in the files of a run, which has found all anew, what is to be appended; says what that is."""
        retracted, added = corrections(self.findings, _lines(findings))
        _write(findings, [*retracted, *added])
        _write(bad, (Counter(_lines(bad)) - Counter(self.bad)).elements())
        first = [f"document {doc!r}, ts {ts:,}" for doc, ts in islice(late.items(), _MOST_NAMED)]
        more = [f"{len(late) - _MOST_NAMED:,} more documents"] if len(late) > _MOST_NAMED else []
        said = f"late records ({'; '.join([*first, *more])})"
        return f"{said}: findings retracted: {len(retracted):,}, added: {len(added):,}"


def _write(path: Path, lines: Iterable[bytes]) -> None:
    if path.exists():
        path.write_bytes(b"".join(line + b"\n" for line in lines))


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines() if path.exists() else []
