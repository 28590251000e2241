"""What an audit is asked for, and what cannot be asked for."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

from ..errors import XmlCepError
from ..rules import Rules
from .choice import Engine
from .progress import Progress
from .quarantine import OnBadRecord

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Format: TypeAlias = Literal["jsonl", "parquet"]
Policy: TypeAlias = Literal["skip", "document", "fail"]


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
    progress: Progress | None

    def check(self) -> None:
        """Raises `AuditError` for what cannot be, `TypeError` for rules that are none."""
        if not isinstance(self.rules, Rules):
            raise TypeError(
                f"an audit needs rules, not {self.rules!r}: use load_rules(file) or parse_rules(text)"
            )
        if self.format not in ("jsonl", "parquet"):
            raise AuditError(f"format is {self.format!r}: expected 'jsonl' or 'parquet'")
        if self.engine not in ("auto", "local", "spark"):
            raise AuditError(f"engine is {self.engine!r}: expected 'auto', 'local' or 'spark'")
        if self.policy not in {policy.value for policy in OnBadRecord}:
            raise AuditError(f"on_bad_record is {self.policy!r}: expected 'skip', 'document' or 'fail'")
        if self.partitions is not None and self.partitions < 1:
            raise AuditError(f"partitions is {self.partitions}: expected 1 or more")
        if self.partition_by_rule and self.out is None:
            raise AuditError("partition_by_rule needs out: the folder for the findings")
        if self.since is not None:
            self._check_since()
        elif self.final:
            raise AuditError("final needs since: without it every audit is of the whole log")

    def _check_since(self) -> None:
        if self.out is None:
            raise AuditError("since needs out: the file to which each run appends its findings")
        if self.format != "jsonl" or self.partition_by_rule:
            raise AuditError(
                "since appends findings to a JSON Lines file: leave out format='parquet' and partition_by_rule"
            )
        if self.policy == OnBadRecord.DOCUMENT.value:
            raise AuditError(
                "on_bad_record='document' withholds findings, and those of earlier runs cannot be taken back: use"
                " 'skip' or 'fail' with since"
            )
        if self.until is not None and not self.final:
            raise AuditError("until is about the end of documents: with since it needs final, the last run")
