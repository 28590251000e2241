"""What an audit found: findings, a summary, the quarantine."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import MissingExtraError
from ..events import bindings_in_finding
from ..log.json_codec import FASTEST
from ..log.parquet import load_pyarrow
from .document_summaries import DocumentSummaries, DocumentSummary
from .findings.columns import findings_table, record_of
from .findings.corrections import RETRACT
from .findings.rows import Admits
from .seals import SealCheck

if TYPE_CHECKING:
    import pyarrow


@dataclass(frozen=True, slots=True)
class RuleSummary:
    """One rule of an audit, by the ``name`` of its event type.

    ``records`` is how many records its leaves take, each counted once; 0 says that nothing in the log concerns the
    rule, perhaps because a path is misspelt; None that it takes no records itself, but events of other rules only.
    ``findings`` were written.
    """

    name: str
    records: int | None
    findings: int

    def to_record(self) -> dict[str, Any]:
        """The counts as a JSON object, without the name."""
        return {"records": self.records, "findings": self.findings}


@dataclass(slots=True)
class Summary:
    """Counts of an audit, in all, per document and per rule; ``seconds`` is how long all of it took.

    ``records_per_rule`` has all rules, also those that found nothing, see `RuleSummary`. ``notes`` are sentences that a
    person should read: which engine was taken and why, what was left out, what may be wrong with a log or a rule.
    ``references`` is the digest (SHA-256) of each reference document, by name (V8), ``params`` the
    values of the rules' parameters (V9). ``seals`` say of each log whether its seal is unbroken; of a broken one there
    is a note, too. ``unjudged`` are events that read values which were erased: notes say where.
    """

    engine: str
    files: int = 0
    quarantined: int = 0
    seconds: float = 0.0
    documents: DocumentSummaries = field(default_factory=DocumentSummaries)
    records_per_rule: dict[str, int | None] = field(default_factory=dict)
    references: dict[str, str] = field(default_factory=dict)
    params: dict[str, float | str] = field(default_factory=dict)
    seals: list[SealCheck] = field(default_factory=list)
    unjudged: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def records(self) -> int:
        """How many records were replayed."""
        return self.documents.records

    @property
    def findings(self) -> int:
        """How many findings were written."""
        return self.documents.findings

    @property
    def replay_seconds(self) -> float:
        """How long the replays of all documents took, in all processes together."""
        return self.documents.seconds

    @property
    def per_rule(self) -> Mapping[str, int]:
        """Findings by event type, over all documents."""
        return self.documents.per_rule

    @property
    def rules(self) -> Mapping[str, RuleSummary]:
        """All rules, in order of their names."""
        findings = self.per_rule
        return {
            name: RuleSummary(name, records, findings.get(name, 0))
            for name, records in sorted(self.records_per_rule.items())
        }

    def to_record(self) -> dict[str, Any]:
        """The summary as a JSON object: rules and documents in order of names, documents with their ``seconds``;
        ``references`` and ``params`` only if there are any."""
        return self._in_all() | {"documents": [_with_seconds(each) for each in self.documents.entries()]}

    def _in_all(self) -> dict[str, Any]:
        """All but the documents."""
        return {
            "engine": self.engine, "files": self.files, "records": self.records, "findings": self.findings,
            "quarantined": self.quarantined, "seconds": round(self.seconds, 6), "notes": list(self.notes),
            "seals": [each.to_record() for each in self.seals],
            "per_rule": dict(sorted(self.per_rule.items())),
            "rules": {name: each.to_record() for name, each in self.rules.items()},
            **({"unjudged": self.unjudged} if self.unjudged else {}),
            **({"references": dict(sorted(self.references.items()))} if self.references else {}),
            **({"params": bindings_in_finding(self.params)} if self.params else {}),
        }  # fmt: skip

    def json_text(self) -> Iterator[bytes]:
        """The same as JSON text, piece by piece, for there may be millions of documents."""
        yield _json_text(self._in_all(), 0).removesuffix(b"\n}") + b',\n  "documents": ['
        ending = b"]\n}\n"
        for number, each in enumerate(self.documents.entries()):
            yield (b",\n    " if number else b"\n    ") + _json_text(_with_seconds(each), 4)
            ending = b"\n  ]\n}\n"
        yield ending


def _with_seconds(document: DocumentSummary) -> dict[str, Any]:
    return document.to_record() | {"seconds": round(document.seconds, 6)}


def _json_text(record: dict[str, Any], indent: int) -> bytes:
    """A record as it stands so far to the right."""
    try:
        text = json.dumps(record, ensure_ascii=False, indent=2).encode()
    except UnicodeEncodeError:  # half of a surrogate pair, in the name that a bad record has
        text = json.dumps(record, indent=2).encode()
    return text.replace(b"\n", b"\n" + b" " * indent)  # there are no other line breaks


@dataclass(frozen=True, slots=True)
class AuditResult:
    """The outcome of `audit`.

    ``summary`` has the counts; ``out`` is the file of the findings, ``quarantine`` that of the bad records (None if
    there were none). All three are about all findings, even if ``where`` selected some. Without an output file, the
    findings are in a temporary file, which is deleted with this object.
    """

    summary: Summary
    out: Path
    quarantine: Path | None
    format: str
    _temporary: Any = field(default=None, repr=False)
    _start: int = field(default=0, repr=False)
    """Where in the file the findings of this run begin, if there are those of earlier ones."""
    _where: tuple[Admits, ...] = field(default=(), repr=False)

    def lines(self) -> Iterator[bytes]:
        """The findings, each as the JSON text of its record."""
        if self.format == "jsonl" and not self._where:
            yield from self._stored_lines()
        else:
            yield from map(FASTEST.dumps, self.records())

    def records(self) -> Iterator[dict[str, Any]]:
        """The findings as finding records."""
        found = map(FASTEST.loads, self._stored_lines()) if self.format == "jsonl" else self._stored_rows()
        return (
            record
            for record in found
            if RETRACT not in record and all(admits(record) for admits in self._where)
        )

    def _stored_lines(self) -> Iterator[bytes]:
        for path in self._files():
            with path.open("rb") as stream:
                stream.seek(self._start)
                for line in stream:
                    yield line.rstrip(b"\n")

    def _stored_rows(self) -> Iterator[dict[str, Any]]:
        for path in self._files():
            with load_pyarrow().parquet.ParquetFile(path) as file:
                for batch in file.iter_batches():
                    yield from map(record_of, batch.to_pylist())

    def _files(self) -> list[Path]:
        """The files of findings; of several, parts or by event type, in order of their names."""
        if not self.out.is_dir():
            return [self.out]
        its = [*self.out.glob(f"name=*/findings.{self.format}"), *self.out.glob(f"part-*.{self.format}")]
        return sorted(its)

    @property
    def notes(self) -> list[str]:
        """What a person should read, see `Summary`."""
        return self.summary.notes

    def to_arrow(self) -> pyarrow.Table:
        """The findings as an Arrow table; raises `MissingExtraError` without pyarrow (Y8)."""
        return self.findings

    def to_pandas(self) -> Any:
        """The findings as a pandas frame; raises `MissingExtraError` without pyarrow or pandas (Y8)."""
        findings = self.findings
        try:
            return findings.to_pandas(maps_as_pydicts="strict")
        except ImportError:
            raise MissingExtraError("a pandas frame", "pandas", "spark") from None

    def to_polars(self) -> Any:
        """The findings as a polars frame; raises `MissingExtraError` without polars, which no extra brings (Y8)."""
        try:
            import polars
        except ImportError:
            raise MissingExtraError("a polars frame", "polars", None) from None
        return polars.from_arrow(self.findings)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(name)}</td><td>{count:,}</td></tr>"
            for name, count in sorted(self.summary.per_rule.items())
        )
        return f"<p>{self.summary.findings:,} findings in {self.summary.records:,} records</p><table>{rows}</table>"

    @property
    def findings(self) -> pyarrow.Table:
        """The findings as an Arrow table (columns: docs/findings.md). Raises `MissingExtraError` without pyarrow."""
        return findings_table(self.records())
