"""What an audit counts of each document: columns of numbers, for there may be millions of documents."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

_WITHHELD, _DISORDERED = 1, 2
_NONE = -1


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """One document of an audit.

    ``records`` were replayed, ``findings`` written, ``quarantined`` were bad (as far as the document is known).
    ``first`` and ``last`` are its time points, ``missing`` how many between them no record has; ``disordered``
    says that its records did not stand in their order; ``withheld`` that its findings were left out because of
    a bad record. ``per_rule`` counts findings by event type. ``seconds`` is how long its replay took, in all
    processes together, without the reading of files.
    """

    doc: str
    records: int = 0
    findings: int = 0
    quarantined: int = 0
    first: int = 0
    last: int = 0
    disordered: bool = False
    withheld: bool = False
    seconds: float = 0.0
    per_rule: Mapping[str, int] = field(default_factory=dict)

    @property
    def missing(self) -> int:
        """How many time points between first and last have no record."""
        return self.last - self.first + 1 - self.records if self.records else 0

    def to_record(self) -> dict[str, Any]:
        """The counts as a JSON object: what depends on nothing but log and rules, so without ``seconds``."""
        return {
            "doc": self.doc, "records": self.records, "findings": self.findings, "quarantined": self.quarantined,
            "first": self.first, "last": self.last, "missing": self.missing, "disordered": self.disordered,
            "withheld": self.withheld, "per_rule": dict(sorted(self.per_rule.items())),
        }  # fmt: skip


class DocumentSummaries(Mapping[str, DocumentSummary]):
    """The documents of an audit by name, in the order in which they were first heard of.

    An entry is made when it is asked for: kept are numbers only, a fifth of what the entries would be. Whatever is told
    of a document that is not there makes it be there.
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._records = array("q")
        self._quarantined = array("q")
        self._firsts = array("q")
        self._lasts = array("q")
        self._seconds = array("d")
        self._flags = bytearray()
        # Findings by event type: of each document its last such count, and of each count the one before of the same.
        self._latest = array("q")
        self._before = array("q")
        self._events = array("i")
        self._findings = array("q")
        self._names: list[str] = []
        self._codes: dict[str, int] = {}

    # ---- told ------------------------------------------------------------------------------------------------

    def replayed(self, doc: str, first: int, last: int, records: int, *, disordered: bool) -> None:
        """So many records from one time point to another were replayed."""
        place = self._place(doc)
        self._records[place], self._firsts[place], self._lasts[place] = records, first, last
        self._flags[place] = self._flags[place] & ~_DISORDERED | (_DISORDERED if disordered else 0)

    def took(self, doc: str, seconds: float) -> None:
        """Its replay, or a part of it, took so long."""
        self._seconds[self._place(doc)] += seconds

    def quarantined(self, doc: str, records: int = 1) -> None:
        """So many more of its records were bad."""
        self._quarantined[self._place(doc)] += records

    def withheld(self, doc: str) -> None:
        """Its findings are left out."""
        self._flags[self._place(doc)] |= _WITHHELD

    def found(self, doc: str, findings: Mapping[str, int]) -> None:
        """So many more findings were written, by event type."""
        place = self._place(doc)
        counts = {self._events[count]: count for count in self._counts(place)}
        for name, number in findings.items():
            code = self._codes.setdefault(name, len(self._names))
            if code == len(self._names):
                self._names.append(name)
            if code in counts:
                self._findings[counts[code]] += number
                continue
            self._before.append(self._latest[place])
            self._latest[place] = len(self._events)
            self._events.append(code)
            self._findings.append(number)

    def _place(self, doc: str) -> int:
        place = self._places.setdefault(doc, len(self._records))
        if place == len(self._records):
            for column in (self._records, self._quarantined, self._firsts, self._lasts, self._seconds):
                column.append(0)
            self._flags.append(0)
            self._latest.append(_NONE)
        return place

    def _counts(self, place: int) -> Iterator[int]:
        count = self._latest[place]
        while count != _NONE:
            yield count
            count = self._before[count]

    # ---- asked -----------------------------------------------------------------------------------------------

    def __getitem__(self, doc: str) -> DocumentSummary:
        place = self._places[doc]
        counts = list(self._counts(place))[::-1]
        per_rule = {self._names[self._events[count]]: self._findings[count] for count in counts}
        flags = self._flags[place]
        return DocumentSummary(
            doc, self._records[place], sum(per_rule.values()), self._quarantined[place], self._firsts[place],
            self._lasts[place], bool(flags & _DISORDERED), bool(flags & _WITHHELD), self._seconds[place], per_rule,
        )  # fmt: skip

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return f"<the summaries of {len(self):,} documents>"

    @property
    def records(self) -> int:
        """How many records of all were replayed."""
        return sum(self._records)

    @property
    def findings(self) -> int:
        """How many findings of all were written."""
        return sum(self._findings)

    @property
    def seconds(self) -> float:
        """How long their replays took."""
        return sum(self._seconds)

    @property
    def per_rule(self) -> dict[str, int]:
        """Their findings by event type."""
        found: Counter[int] = Counter()
        for code, findings in zip(self._events, self._findings, strict=True):
            found[code] += findings
        return {self._names[code]: findings for code, findings in found.items()}
