"""What an audit counts of each document: on disk, for there may be millions of documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from typing import Any

from .temporary_tables import from_key, temporary_tables, to_key

_MOST_NEWS = 4096  # documents with counts that are not on disk yet
_WITHHELD, _DISORDERED = 1, 2
_TABLES = """
CREATE TABLE document (
    doc BLOB PRIMARY KEY, records INTEGER, quarantined INTEGER, first INTEGER, last INTEGER, seconds REAL, flags INTEGER
) WITHOUT ROWID;
CREATE TABLE found (doc BLOB, event INTEGER, findings INTEGER, PRIMARY KEY (doc, event)) WITHOUT ROWID;
"""
_ADD_DOCUMENTS = """
INSERT INTO document VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET
    records = records + excluded.records, quarantined = quarantined + excluded.quarantined,
    first = CASE last WHEN 0 THEN excluded.first ELSE first END, last = max(last, excluded.last),
    seconds = seconds + excluded.seconds, flags = flags | excluded.flags
"""
_ADD_FINDINGS = """
INSERT INTO found VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET findings = findings + excluded.findings
"""
_ENTRIES = """
SELECT doc, records, quarantined, first, last, seconds, flags, event, findings
FROM document LEFT JOIN found USING (doc)
"""


@dataclass(frozen=True, slots=True)
class DocumentSummary:
    """One document of an audit.

    ``records`` were replayed, ``findings`` written, ``quarantined`` were bad (as far as the document is known).
    ``first`` and ``last`` are its time points, ``missing`` how many between them no record has; ``disordered``
    says that its records were not in their order; ``withheld`` that its findings were left out because of
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
    """The documents of an audit by name, in the order of their names.

    All that is said of a document adds to what is known of it, and makes it be there. It goes to a temporary
    database, which is deleted with this object (or at exit); in memory is the latest of a few thousand documents only.
    """

    def __init__(self) -> None:
        self._database = temporary_tables(self, _TABLES)
        self._news: dict[str, _News] = {}
        self._names: list[str] = []  # of event types, by number
        self._codes: dict[str, int] = {}

    # ---- told ------------------------------------------------------------------------------------------------

    def replayed(self, doc: str, first: int, last: int, records: int, *, disordered: bool) -> None:
        """So many more records from one time point to another were replayed."""
        news = self._of(doc)
        if not news.last:
            news.first = first
        news.last = max(news.last, last)
        news.records += records
        if disordered:
            news.flags |= _DISORDERED

    def took(self, doc: str, seconds: float) -> None:
        """Its replay, or a part of it, took so long."""
        self._of(doc).seconds += seconds

    def quarantined(self, doc: str, records: int = 1) -> None:
        """So many more of its records were bad."""
        self._of(doc).quarantined += records

    def withheld(self, doc: str) -> None:
        """Its findings are left out."""
        news = self._of(doc)
        news.flags |= _WITHHELD
        news.findings.clear()
        self._database.execute("DELETE FROM found WHERE doc = ?", (to_key(doc),))

    def found(self, doc: str, findings: Mapping[str, int]) -> None:
        """So many more findings were made, by event type."""
        found = self._of(doc).findings
        for name, number in findings.items():
            code = self._codes.setdefault(name, len(self._names))
            if code == len(self._names):
                self._names.append(name)
            found[code] = found.get(code, 0) + number

    def replayed_anew(self, doc: str) -> None:
        """It is going to be replayed from its first record: what was counted of that is forgotten, not its time."""
        news = self._of(doc)
        news.records = news.first = news.last = 0
        news.findings.clear()
        key = (to_key(doc),)
        self._database.execute("UPDATE document SET records = 0, first = 0, last = 0 WHERE doc = ?", key)
        self._database.execute("DELETE FROM found WHERE doc = ?", key)

    def _of(self, doc: str) -> _News:
        news = self._news.get(doc)
        if news is None:
            if len(self._news) >= _MOST_NEWS:
                self._write()
            news = self._news[doc] = _News()
        return news

    def _write(self) -> None:
        news = sorted((to_key(doc), each) for doc, each in self._news.items())
        self._database.executemany(
            _ADD_DOCUMENTS,
            [(k, n.records, n.quarantined, n.first, n.last, n.seconds, n.flags) for k, n in news],
        )
        self._database.executemany(
            _ADD_FINDINGS,
            [(key, code, number) for key, each in news for code, number in each.findings.items()],
        )
        self._news.clear()

    # ---- asked -----------------------------------------------------------------------------------------------

    def __getitem__(self, doc: str) -> DocumentSummary:
        self._write()
        rows = self._database.execute(f"{_ENTRIES} WHERE doc = ?", (to_key(doc),)).fetchall()
        if not rows:
            raise KeyError(doc)
        return self._entry(rows)

    def __iter__(self) -> Iterator[str]:
        self._write()
        return (from_key(key) for (key,) in self._database.execute("SELECT doc FROM document ORDER BY doc"))

    def __len__(self) -> int:
        return int(self._total("count(*)"))

    def entries(self) -> Iterator[DocumentSummary]:
        """The entries in the order of their names."""
        self._write()
        rows = self._database.execute(f"{_ENTRIES} ORDER BY doc")
        return (self._entry(list(its)) for _, its in groupby(rows, key=itemgetter(0)))

    def _entry(self, rows: list[tuple[Any, ...]]) -> DocumentSummary:
        key, records, quarantined, first, last, seconds, flags, *_ = rows[0]
        per_rule = dict(sorted((self._names[row[-2]], row[-1]) for row in rows if row[-2] is not None))
        return DocumentSummary(
            from_key(key), records, sum(per_rule.values()), quarantined, first, last, bool(flags & _DISORDERED),
            bool(flags & _WITHHELD), seconds, per_rule,
        )  # fmt: skip

    def __repr__(self) -> str:
        return f"<the summaries of {len(self):,} documents>"

    @property
    def records(self) -> int:
        """How many records of all were replayed."""
        return int(self._total("coalesce(sum(records), 0)"))

    @property
    def largest(self) -> tuple[str, int]:
        """The document with the most records, the first of several by name, and how many these are."""
        self._write()
        most = "SELECT doc, records FROM document ORDER BY records DESC, doc LIMIT 1"
        found = self._database.execute(most).fetchone()
        return ("", 0) if found is None else (from_key(found[0]), found[1])

    @property
    def findings(self) -> int:
        """How many findings of all were written."""
        return sum(self.per_rule.values())

    @property
    def seconds(self) -> float:
        """How long their replays took."""
        return float(self._total("total(seconds)"))

    @property
    def per_rule(self) -> dict[str, int]:
        """Their findings by event type."""
        self._write()
        found = self._database.execute("SELECT event, sum(findings) FROM found GROUP BY event")
        return {self._names[code]: number for code, number in found}

    def _total(self, what: str) -> Any:
        """What all documents have together."""
        self._write()
        return self._database.execute(f"SELECT {what} FROM document").fetchone()[0]


class _News:
    """What was said of a document since it was written last."""

    __slots__ = ("findings", "first", "flags", "last", "quarantined", "records", "seconds")

    def __init__(self) -> None:
        self.records = 0
        self.quarantined = 0
        self.first = 0
        self.last = 0
        self.seconds = 0.0
        self.flags = 0
        self.findings: dict[int, int] = {}  # by the number of their event type
