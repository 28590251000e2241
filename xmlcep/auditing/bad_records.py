"""What a bad record means for the audit, and where it is kept."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from ..errors import XmlCepError
from ..log import BadRecord
from ..log.json_codec import STANDARD


class OnBadRecord(Enum):
    """What to do with a record that cannot be used."""

    SKIP = "skip"
    """Put it aside and go on without it."""
    DOCUMENT = "document"
    """Put it aside and leave out all findings of its document; if that cannot be told, of all in its file."""
    FAIL = "fail"
    """Stop."""


class BadRecordError(XmlCepError, ValueError):
    """A bad record in an audit that was told to stop at one."""


def document_of(bad: BadRecord) -> str | None:
    """The document that a bad record says it belongs to; None if that cannot be told."""
    try:
        record = STANDARD.loads(bad.raw)
    except ValueError:
        return None
    doc = record.get("doc") if isinstance(record, Mapping) else None
    return doc if isinstance(doc, str) else None
