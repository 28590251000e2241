"""Logs of random histories, with a tree."""

from __future__ import annotations

from pathlib import Path

from tests.auditing.test_every_construct import log_of
from tests.strategies.histories import History
from xmlcep.log.records import ClockRecord, Header, change_record
from xmlcep.log.writing import create_log
from xmlcep.proofs import Signing


def written(folder: str, history: History, *, erasable: bool = False) -> Path:
    """The log of a history of the document "doc", sealed, under a checkpoint of all of it."""
    log = Path(folder) / "doc.jsonl"
    with create_log(log, Header("doc"), seal=True, tree=Signing(), erasable=erasable) as writer:
        for item in log_of(history, "doc"):
            writer.write_records([item.to_record() if isinstance(item, ClockRecord) else change_record(item)])
        writer.checkpoint()
    return log
