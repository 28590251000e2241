"""What ``xmlcep audit`` says at the end: a table of documents, a table of rules, and rules that nothing concerns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from rich.console import RenderableType
from rich.table import Table

from ..auditing import DocumentSummary, RuleSummary, Summary
from ._output import plain

_MOST_ROWS = 20


def audit_tables(summary: Summary, *, continued: bool = False) -> Iterator[RenderableType]:
    """The counts of an audit, to be printed one below the other; ``continued``: it went on from earlier runs."""
    yield _documents(summary)
    rules = list(summary.rules.values())
    if rules:
        yield _rules(rules)
    idle = [plain(each.name) for each in rules if each.records == 0]
    if idle and (summary.records or summary.quarantined):
        more = f" and {len(idle) - _MOST_ROWS:,} more rules" if len(idle) > _MOST_ROWS else ""
        # What was quarantined might have fitted; of the records of earlier runs these counts say nothing.
        which = f"no {'usable ' if summary.quarantined else ''}record{' of this run' if continued else ''}"
        yield f"{which} fits the paths of {', '.join(idle[:_MOST_ROWS])}{more}"


def seal_lines(summary: Summary) -> Iterator[str]:
    """What the seals of the logs say; of a broken one a note does."""
    unbroken = [each for each in summary.seals if each.state == "unbroken"]
    for each in unbroken[:_MOST_ROWS]:
        yield plain(f"{each.log}: the seal is unbroken up to record {each.records:,}, head {each.head}")
    if len(unbroken) > _MOST_ROWS:
        yield f"… {len(unbroken) - _MOST_ROWS:,} more logs with unbroken seals"
    unsealed = sum(each.state == "unsealed" for each in summary.seals)
    if unsealed:
        yield "1 log is not sealed" if unsealed == 1 else f"{unsealed:,} logs are not sealed"


def _documents(summary: Summary) -> Table:
    table = Table(title=f"audit with {summary.engine}, {summary.seconds:.1f} s", title_justify="left")
    table.add_column("document")
    for heading in ("records", "findings", "quarantined", "seconds"):
        table.add_column(heading, justify="right")
    table.add_column("findings by event type, remarks")
    documents = summary.documents
    for each in islice(documents.values(), _MOST_ROWS):
        counts = (f"{number:,}" for number in (each.records, each.findings, each.quarantined))
        remarks = plain(", ".join(_remarks(each)))
        table.add_row(plain(each.doc) or "(no name)", *counts, f"{each.seconds:.2f}", remarks)
    if len(documents) > _MOST_ROWS:
        table.add_row(f"… {len(documents) - _MOST_ROWS:,} more")
    table.add_section()
    table.add_row(
        "all", f"{summary.records:,}", f"{summary.findings:,}", f"{summary.quarantined:,}",
        f"{summary.replay_seconds:.2f}",
    )  # fmt: skip
    return table


def _remarks(document: DocumentSummary) -> Iterator[str]:
    # Most findings first: there may be many event types.
    counts = sorted(document.per_rule.items(), key=lambda each: (-each[1], each[0]))
    names = sorted(counts[:_MOST_ROWS])
    yield from (f"{name} {count:,}" for name, count in names)
    if len(counts) > _MOST_ROWS:
        yield f"… {len(counts) - _MOST_ROWS:,} more event types"
    if document.missing:
        points = "1 time point" if document.missing == 1 else f"{document.missing:,} time points"
        yield f"{points} missing"
    if document.disordered:
        yield "was out of order: sorted"
    if document.withheld:
        yield "findings withheld: bad records"


def _rules(rules: Sequence[RuleSummary]) -> Table:
    """The rules by name; of many those that found and took most."""
    table = Table()
    table.add_column("event")
    table.add_column("records", justify="right")
    table.add_column("findings", justify="right")
    most = sorted(rules, key=lambda each: (-each.findings, -(each.records or 0), each.name))[:_MOST_ROWS]
    for each in sorted(most, key=lambda each: each.name):
        records = "–" if each.records is None else f"{each.records:,}"
        table.add_row(plain(each.name), records, f"{each.findings:,}")
    left = len(rules) - len(most)
    if left:
        findings = sum(each.findings for each in rules) - sum(each.findings for each in most)
        table.add_row(f"… {left:,} more", "", f"{findings:,}")
    return table
