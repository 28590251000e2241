"""What an audit is asked for, and what cannot be asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..algebra import Unit
from ..algebra.windows import WindowError, parse_window
from ..arguments import FUNCTION, TEXT, check, one_word, optional, whole_number
from ..engine import ON_REMOVED, SINCE, OnRemoved
from ..errors import ArgumentError, XmlCepError
from ..rules import Rules
from .choice import Engine
from .progress import Progress
from .quarantine import OnBadRecord

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Format: TypeAlias = Literal["jsonl", "parquet"]
Late: TypeAlias = Literal["wait", "refuse", "restart"]
Policy: TypeAlias = Literal["skip", "document", "fail"]
_NAMED: dict[str, Format] = {".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}


def named_format(out: Path | None) -> Format | None:
    """The format that the name of a file says; None if it says nothing."""
    return None if out is None else _NAMED.get(out.suffix.lower())


class AuditError(XmlCepError, ValueError):
    """An audit that was asked for in a way that cannot be."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditRequest:
    """What an audit is asked for; see `audit`."""

    rules: Rules
    engine: Engine
    out: Path | None
    format: Format
    partition_by_rule: bool
    in_parts: bool
    operators: bool
    policy: Policy
    quarantine: Path | None
    summary_file: Path | None
    ignore_whitespace: bool
    spark: SparkSession | None
    master: str | None
    partitions: int | None
    until: str | None
    since: Path | None
    final: bool
    on_removed: OnRemoved | None
    new_since: Literal["now", "begin"]
    late: Late | None
    wait: str | None
    progress: Progress | None

    def check(self) -> None:
        """Raises `AuditError` for what cannot be, `TypeError` for rules that are none."""
        if not isinstance(self.rules, Rules):
            raise ArgumentError(
                f"an audit needs rules, not {self.rules!r}: use load_rules(file) or parse_rules(text)"
            )
        if self.format not in ("jsonl", "parquet"):
            raise AuditError(f"format is {self.format!r}: expected 'jsonl' or 'parquet'")
        if self.engine not in ("auto", "local", "spark"):
            raise AuditError(f"engine is {self.engine!r}: expected 'auto', 'local' or 'spark'")
        if self.policy not in [policy.value for policy in OnBadRecord]:
            raise AuditError(f"on_bad_record is {self.policy!r}: expected 'skip', 'document' or 'fail'")
        check("audit()", partitions=(self.partitions, optional(whole_number(1))))
        check("audit()", progress=(self.progress, optional(FUNCTION)))
        check(
            "audit()", on_removed=(self.on_removed, optional(ON_REMOVED)), new_since=(self.new_since, SINCE)
        )
        check(
            "audit()",
            late=(self.late, optional(one_word("wait", "refuse", "restart"))),
            wait=(self.wait, optional(TEXT)),
        )
        if self.partition_by_rule and self.out is None:
            raise AuditError("`partition_by_rule` needs `out`: the folder for the findings")
        if self.since is not None:
            self._check_since()
        elif self.final:
            raise AuditError("`final` needs `since`: without it every audit is of the whole log")
        elif self.on_removed is not None or self.new_since != "now":
            raise AuditError(
                "`on_removed` and `new_since` need `since`: they are about the rules of earlier runs"
            )
        elif self.late is not None or self.wait is not None:
            raise AuditError("`late` and `wait` need `since`: one audit of a whole log sorts its records")

    def longest_wait(self) -> int | None:
        """How long records are held above a gap, in microseconds; None: until it is filled. Raises `AuditError`."""
        if self.wait is None:
            return None
        if self.late in ("refuse", "restart"):
            raise AuditError(f"`wait` is about records that are held: leave it out, or `late={self.late!r}`")
        try:
            window = parse_window(self.wait)
        except WindowError as error:
            raise AuditError(f"`wait`: {error.problem}; {error.hint}") from error
        if window.unit is not Unit.TIME or window.parameter:
            raise AuditError(f"`wait` is {self.wait!r}: expected a time, as '1 h'")
        return window.amount

    def _check_since(self) -> None:
        self.longest_wait()
        if self.out is None:
            raise AuditError("`since` needs `out`: the file to which each run appends its findings")
        if self.format != "jsonl" or self.partition_by_rule:
            raise AuditError(
                "`since` appends findings to a JSON Lines file: leave out `format='parquet'` and `partition_by_rule`,"
                " or name another file"
            )
        if self.policy == OnBadRecord.DOCUMENT.value:
            raise AuditError(
                "`on_bad_record='document'` withholds findings, and those of earlier runs cannot be taken back: use"
                " 'skip' or 'fail' with `since`"
            )
        if self.until is not None and not self.final:
            raise AuditError(
                "`until` is about the end of documents: with `since` it needs `final`, the last run"
            )
