"""What is counted of documents: the same as an object for each of them would say."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xmlcep.auditing import DocumentSummary, document_summaries
from xmlcep.auditing.document_summaries import DocumentSummaries
from xmlcep.auditing.result import Summary

docs = st.sampled_from(("b", "a", "", "é", "z\0", "\ud800", "\U00010000"))
numbers = st.integers(0, 2**40)
times = st.integers(1, 2**63 - 1)
news = st.one_of(
    st.tuples(st.just("replayed"), docs, times, times, numbers, st.booleans()),
    st.tuples(st.just("took"), docs, st.floats(0, 9)),
    st.tuples(st.just("quarantined"), docs, numbers),
    st.tuples(st.just("withheld"), docs),
    st.tuples(st.just("replayed_anew"), docs),
    st.tuples(st.just("found"), docs, st.dictionaries(st.sampled_from(("A", "B", "C")), st.integers(1, 9))),
)


def told(own: DocumentSummary, kind: str, *what: Any) -> DocumentSummary:
    """What is known of a document after one more thing is said of it."""
    match kind, what:
        case "replayed", (first, last, records, disordered):
            own = replace(
                own, first=own.first or first, last=max(own.last, last), records=own.records + records,
                disordered=own.disordered or disordered,
            )  # fmt: skip
        case "took", (seconds,):
            own = replace(own, seconds=own.seconds + seconds)
        case "quarantined", (records,):
            own = replace(own, quarantined=own.quarantined + records)
        case "withheld", ():
            own = replace(own, withheld=True, per_rule={})
        case "replayed_anew", ():
            own = replace(own, first=0, last=0, records=0, per_rule={})
        case "found", (findings,):
            names = own.per_rule.keys() | findings.keys()
            own = replace(
                own, per_rule={name: own.per_rule.get(name, 0) + findings.get(name, 0) for name in names}
            )
    return replace(own, findings=sum(own.per_rule.values()))


@given(st.lists(news, max_size=30), st.sampled_from((1, 2, 100)))
def test_tables_say_what_objects_would(what: list[tuple[Any, ...]], most_news: int) -> None:
    summary = Summary("test")
    summaries = summary.documents
    expected: dict[str, DocumentSummary] = {}
    with mock.patch.object(document_summaries, "_MOST_NEWS", most_news):
        for kind, doc, *details in what:
            expected[doc] = told(expected.get(doc, DocumentSummary(doc)), kind, *details)
            if kind == "replayed":
                *counts, disordered = details
                summaries.replayed(doc, *counts, disordered=disordered)
            else:
                getattr(summaries, kind)(doc, *details)
    rounded = {doc: replace(own, seconds=pytest.approx(own.seconds)) for doc, own in expected.items()}
    assert dict(summaries) == rounded and list(summaries) == sorted(expected)
    assert {doc: summaries[doc] for doc in expected} == rounded
    assert [each.doc for each in summaries.values()] == sorted(expected) and len(summaries) == len(expected)
    objects = expected.values()
    assert summaries.records == sum(each.records for each in objects)
    assert summaries.findings == sum(each.findings for each in objects) == sum(summaries.per_rule.values())
    assert summaries.seconds == pytest.approx(sum(each.seconds for each in objects))
    text = b"".join(summary.json_text())
    assert json.loads(text) == summary.to_record()
    if "\ud800" not in expected:
        assert text.decode() == json.dumps(summary.to_record(), ensure_ascii=False, indent=2) + "\n"


def test_who_is_not_there() -> None:
    summaries = DocumentSummaries()
    assert "a" not in summaries and summaries.get("a") is None and not summaries
    with pytest.raises(KeyError):
        summaries["a"]
    summaries.quarantined("a")
    assert (
        summaries["a"] == DocumentSummary("a", quarantined=1)
        and repr(summaries) == "<the summaries of 1 documents>"
    )
