"""What the commands that read logs do about bad records: one policy.

A command that looks for something in a log (audit, report, pending, why, why-not) goes on without the bad ones. One
that makes the document (rebuild, blame, log, apply, audit --actions) stops at the first, for the document would be a
wrong one; only a last line that a crash has cut off was never in the log. Either says how many were left out and why
the first is bad, and ends with status 3. What nothing can be said of ends with 2, as all wrong input.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path

from ..auditing.erased import Unjudged, erased_in
from ..auditing.inputs import LogPath, find_files
from ..files import reading
from ..log.errors import BadRecord
from ..log.json_codec import STANDARD
from ..log.quarantine import refuse
from ..rules import Rules
from ..suggestions import listed
from ._output import inform

QUARANTINED = 3
_SHOWN = 20


class LeftOut:
    """A policy for bad records, which remembers them; ``only_torn`` refuses all but a last line that is cut off."""

    def __init__(self, *, only_torn: bool = False) -> None:
        self._only_torn = only_torn
        self._count = 0
        self._first: BadRecord | None = None

    def __call__(self, bad: BadRecord) -> None:
        if self._only_torn and not bad.torn:
            refuse(bad)
        self._count += 1
        self._first = self._first or bad

    def status(self) -> int:
        """Says what was left out, on standard error; returns the exit status of a command that is done otherwise."""
        return say_left_out(
            self._count, "" if self._first is None else f"{self._first.origin}: {self._first.reason}"
        )


def say_unjudged(logs: Sequence[LogPath], rules: Rules) -> int:
    """Says which events read values that were erased from the logs; returns the exit status, 0 if none does."""
    unjudged = Unjudged(rules, erased_in(find_files(logs).files))
    for note in unjudged.notes():
        inform(f"xmlcep: {note}")
    return QUARANTINED if unjudged else 0


def say_left_out(count: int, first: str) -> int:
    """Says that so many records were left out and why the first; returns the exit status, 0 if there are none."""
    if not count:
        return 0
    records = "1 bad record" if count == 1 else f"{count:,} bad records"
    inform(f"xmlcep: {records} left out; the first: {first}")
    return QUARANTINED


def say_quarantined(count: int, file: Path, *, appended: bool) -> int:
    """The same of an audit, whose bad records are in a file, perhaps ``appended`` to those of earlier runs."""
    with reading(file) as lines:
        bad = STANDARD.loads(deque(lines, maxlen=count)[0] if appended else next(iter(lines)))
    return say_left_out(count, f"{bad['file']}:{bad['record']}: {bad['reason']} (all in {file})")


def said(what: str, numbers: Sequence[int]) -> str:
    """Records or nodes by number, of many the first."""
    return f"{what}{'' if len(numbers) == 1 else 's'} {listed(list(map(str, numbers)), _SHOWN)}"
