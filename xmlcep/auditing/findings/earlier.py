"""What runs have found that is found anew, because records have come late."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from .corrections import corrections

_MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Earlier:
    """The lines of findings and of the quarantine that there are already."""

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
