"""What several tests of the log need."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lxml import etree

from tests.log.random_documents import RandomDocument
from xmlcep.events import PrimitiveEvent
from xmlcep.log.errors import BadRecord
from xmlcep.log.json_codec import FASTEST
from xmlcep.log.reading import read_log
from xmlcep.log.records import Header, change_record


def some_events(seed: int, count: int, doc: str = "d") -> list[PrimitiveEvent]:
    return RandomDocument(seed, doc).events(count)


def lines_of(events: Iterable[PrimitiveEvent], header: Header | None = None) -> list[bytes]:
    """The lines of a log."""
    records = [] if header is None else [header.to_record()]
    return [FASTEST.dumps(record) + b"\n" for record in [*records, *map(change_record, events)]]


def write_lines(path: Path, events: Iterable[PrimitiveEvent], header: Header | None = None) -> Path:
    path.write_bytes(b"".join(lines_of(events, header)))
    return path


def read(path: Path) -> tuple[list[Header | PrimitiveEvent], list[BadRecord]]:
    """What a log holds, and the bad records in it."""
    bad: list[BadRecord] = []
    return list(read_log(path, on_bad=bad.append)), bad


def canonical(xml: str | bytes | etree._Element) -> str:
    text = etree.tostring(xml, encoding="unicode") if isinstance(xml, etree._Element) else xml
    return str(etree.canonicalize(text, rewrite_prefixes=True))
