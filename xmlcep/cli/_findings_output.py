"""Findings for people: as a table at a terminal, as CSV, chosen and sorted (rule Y9)."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypeAlias

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from ..algebra import Severity
from ..auditing import AuditError, Summary
from ..auditing.conditions import conditions_of
from ..auditing.findings.rows import COLUMNS, SHOWN, Admits, row_of
from ..auditing.findings.writers import ParquetFindings
from ..auditing.request import named_format
from ..log.json_codec import FASTEST
from ..rules import Rules
from ._exchange_formats import write_cloud_events, write_junit, write_sarif
from ._output import plain

LONGEST_CELL = 300
"""Of a table; the other formats have all of a text."""


def any_so_severe(summary: Summary, rules: Rules, least: Severity) -> bool:
    """Whether anything so severe was found."""
    severities = {each.name: each.severity or Severity.WARNING for each in rules.definitions}
    return any(count and severities[name].rank >= least.rank for name, count in summary.per_rule.items())


class Choice(NamedTuple):
    """Which findings are wanted: those that all of ``where`` admit, sorted, so many at most."""

    where: tuple[Admits, ...]
    sort: str | None
    limit: int | None

    @property
    def is_everything(self) -> bool:
        """Whether it is all of them in their order."""
        return not self.where and self.sort is None and self.limit is None

    def of(self, records: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[tuple[str, dict[str, Any]]]:
        """These findings; each comes, and goes, with what names it."""
        chosen: Iterable[tuple[str, dict[str, Any]]] = (
            each for each in records if all(admits(each[1]) for admits in self.where)
        )
        if self.sort is not None:
            column, down = self.sort.removeprefix("-"), self.sort.startswith("-")
            of = SHOWN[COLUMNS.index(column)].of
            chosen = sorted(chosen, key=lambda each: of(each[1]), reverse=down)
        yield from islice(chosen, self.limit)


class Counted:
    """Findings, and how many of them have been asked for."""

    def __init__(self, records: Iterable[tuple[str, dict[str, Any]]]) -> None:
        self._records = records
        self.count = 0

    def __iter__(self) -> Iterator[tuple[str, dict[str, Any]]]:
        for record in self._records:
            self.count += 1
            yield record


def choice_of(where: Sequence[str], sort: str | None, limit: int | None, events: Sequence[str]) -> Choice:
    """What the options ask for of findings of these events; raises `click.BadParameter` for what they cannot."""
    if sort is not None and sort.removeprefix("-") not in COLUMNS:
        raise click.BadParameter(
            f"{sort!r}: expected one of {', '.join(COLUMNS)}, or -COLUMN", param_hint="--sort"
        )
    try:
        return Choice(conditions_of(where, events), sort, limit)
    except AuditError as error:
        raise click.BadParameter(str(error), param_hint="--where") from None


_NAMED = {".csv": "csv", ".html": "html", ".htm": "html", ".sarif": "sarif", ".xml": "junit"}


def format_of(out: str | None) -> str | None:
    """The format that the name of a file asks for; None if it says nothing."""
    suffix = "" if out is None else Path(out).suffix.lower()
    return _NAMED.get(suffix) or (named_format(Path(out)) if out else None)


Keyed: TypeAlias = Iterable[tuple[str, dict[str, Any]]]
"""Findings with what names them."""


def write_lines(stream: BinaryIO, records: Keyed, _: Rules) -> None:
    """As JSON Lines."""
    for _key, record in records:
        stream.write(FASTEST.dumps(record) + b"\n")


def write_parquet(stream: BinaryIO, records: Keyed, _: Rules) -> None:
    """As Parquet."""
    writer = ParquetFindings(stream)
    for _key, record in records:
        writer.write(FASTEST.dumps(record))
    writer.close()


_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""How a cell begins that a spreadsheet may take for a formula."""


def write_csv(stream: BinaryIO, records: Keyed, _: Rules) -> None:
    """As CSV; what a spreadsheet would run as a formula is made text."""
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for _key, record in records:
        texts = map(plain, row_of(record))
        writer.writerow(f"'{text}" if text.startswith(_FORMULA) else text for text in texts)
    text.flush()
    text.detach()


WRITERS: dict[str, Callable[[BinaryIO, Keyed, Rules], None]] = {
    "jsonl": write_lines,
    "parquet": write_parquet,
    "csv": write_csv,
    "cloudevents": write_cloud_events,
    "sarif": write_sarif,
    "junit": write_junit,
}
"""What writes findings into a file or to standard output, by format."""


def _cell(text: str) -> str:
    return plain(text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…")


def show_table(console: Console, records: Keyed) -> None:
    """As a table, without the columns in which there is nothing."""
    rows = [tuple(map(_cell, row_of(record))) for _key, record in records]
    table = Table(box=None, pad_edge=False)
    kept = [place for place in range(len(COLUMNS)) if not rows or any(row[place] for row in rows)]
    for place in kept:
        table.add_column(COLUMNS[place], overflow="fold", no_wrap=COLUMNS[place] == "time")
    for row in rows:
        table.add_row(*(_STYLED.get(COLUMNS[place], Text)(row[place]) for place in kept))
    console.print(table)


_STYLED: dict[str, Callable[[str], Text]] = {
    "time": lambda text: Text(text.replace("T", " ").partition(".")[0].removesuffix("Z")),
    "event": lambda text: Text(text, style="bold cyan"),
}
