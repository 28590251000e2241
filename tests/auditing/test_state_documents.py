"""The lines of documents in a state: found, replaced and copied as a dictionary would, without reading the others."""

from __future__ import annotations

import io
import json
from mmap import mmap
from typing import Any
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from xmlcep.auditing.document_lines import line_of
from xmlcep.auditing.since import state_documents
from xmlcep.auditing.since.state_documents import PastLines, StateDocuments
from xmlcep.auditing.temporary_tables import to_key

NAMES = st.text(st.sampled_from('ab"\\\né\ud800\U0001f600{}:,'), max_size=4)
# Of what waits in a document one kind keeps the whole line to ASCII.
STATES = st.sampled_from([0, 1, "x" * 50, '{"doc":"a"', "\ud800", "\\"])
DOCUMENTS = st.dictionaries(NAMES, STATES, max_size=30)


def line(doc: str, state: Any) -> bytes:
    return line_of({"doc": doc, "ts": state})


def written(documents: dict[str, Any], begin: bytes = b"") -> bytes:
    return begin + b"".join(line(doc, documents[doc]) for doc in sorted(documents, key=to_key))


def past_of(content: bytes, begin: int = 0, end: int | None = None) -> PastLines:
    """The lines of a file with this content from one place to another."""
    text = mmap(-1, max(len(content), 1))
    text.write(content)
    return PastLines(text, begin, len(content) if end is None else end)


@given(DOCUMENTS, DOCUMENTS, st.lists(NAMES))
def test_lines_are_found_and_replaced(past: dict[str, Any], new: dict[str, Any], asked: list[str]) -> None:
    begin = b"before\n"
    content = written(past, begin)
    found = StateDocuments(past_of(content + b"after\n", len(begin), len(content)))
    assert len(found) == len(past) and list(found) == sorted(past, key=to_key)
    for doc, state in new.items():
        found[doc] = line(doc, state)
    known = past | new
    for doc in (*known, *asked):
        assert found.get(doc) == (line(doc, known[doc]) if doc in known else None)
    assert len(found) == len(known) and sorted(found, key=to_key) == sorted(known, key=to_key)
    target = io.BytesIO()
    found.write(target)
    assert target.getvalue() == written(known)


def test_lines_that_nobody_asks_for_are_not_read() -> None:
    past = {f"d{number:05}": number for number in range(10_000)}
    looked_at = mock.Mock(side_effect=state_documents.name_in)
    with mock.patch.object(state_documents, "name_in", looked_at):
        found = StateDocuments(past_of(written(past)))
        found["d05000"] = line("d05000", -1)
        assert json.loads(found["d09999"])["ts"] == 9999
        target = io.BytesIO()
        found.write(target)
    assert target.getvalue() == written(past | {"d05000": -1})
    assert looked_at.call_count < 50  # those of two searches by halves
