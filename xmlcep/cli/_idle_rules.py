"""What `xmlcep audit` says of rules that found nothing: which of their leaves nothing matches, and why not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from path_types import PathType

from ..auditing import Summary
from ..auditing.inputs import LogFile
from ..checking.occurred import MOST_TYPES
from ..checking.unmatched import Unmatched, unmatched
from ..log.batches import Batch
from ..log.decoding import ClockCheck
from ..log.reading import read_columns
from ..rules import Rules
from ._output import inform

_RECORDS = 200_000  # that are looked at again for what happened
_MOST_NOTES = 10


def say_idle_rules(files: Sequence[LogFile], rules: Rules, summary: Summary) -> None:
    """Says each leaf of a rule without findings that no record matches, on standard error.

    Only the beginning of the logs is read for it, and nothing where every rule found something.
    """
    idle = {each.name for each in summary.rules.values() if not each.findings}
    if not idle:
        return
    say_some(unmatched(rules, _happened([file.path for file in files]), idle))


def say_some(found: Iterator[Unmatched]) -> None:
    """Says the first leaves that nothing matches, and how many more there are, on standard error."""
    for each in islice(found, _MOST_NOTES):
        inform(str(each))
    more = sum(1 for _ in found)
    if more:
        inform(f"… and {more:,} more that nothing matches")


def _happened(files: Sequence[str]) -> set[tuple[str, PathType]]:
    found: set[tuple[str, PathType]] = set()
    left = _RECORDS
    for item in read_columns(list(files), on_bad=lambda bad: None, clock=ClockCheck.ANY):
        if isinstance(item, Batch):
            found.update((row[1], row[2]) for row in item.rows)
            left -= len(item.rows)
        if left < 0 or len(found) > MOST_TYPES:
            break
    return found
