"""What is counted of documents: the same as an object for each of them would say."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xmlcep.auditing import DocumentSummary
from xmlcep.auditing.document_summaries import DocumentSummaries

docs = st.sampled_from(("b", "a", "", "c"))
numbers = st.integers(0, 2**40)
news = st.one_of(
    st.tuples(st.just("replayed"), docs, numbers, numbers, numbers, st.booleans()),
    st.tuples(st.just("took"), docs, st.floats(0, 9)),
    st.tuples(st.just("quarantined"), docs, numbers),
    st.tuples(st.just("withheld"), docs),
    st.tuples(st.just("found"), docs, st.dictionaries(st.sampled_from(("A", "B", "C")), st.integers(1, 9))),
)


@given(st.lists(news, max_size=30))
def test_columns_say_what_objects_would(told: list[tuple[Any, ...]]) -> None:
    summaries = DocumentSummaries()
    expected: dict[str, dict[str, Any]] = {}
    for kind, doc, *what in told:
        own = expected.setdefault(doc, {"doc": doc, "per_rule": {}})
        if kind == "replayed":
            first, last, records, disordered = what
            summaries.replayed(doc, first, last, records, disordered=disordered)
            own |= {"first": first, "last": last, "records": records, "disordered": disordered}
        elif kind == "withheld":
            summaries.withheld(doc)
            own["withheld"] = True
        elif kind == "found":
            summaries.found(doc, what[0])
            for name, number in what[0].items():
                own["per_rule"][name] = own["per_rule"].get(name, 0) + number
            own["findings"] = sum(own["per_rule"].values())
        else:
            getattr(summaries, kind)(doc, what[0])
            name = "seconds" if kind == "took" else kind
            own[name] = own.get(name, 0) + what[0]
    objects = {doc: DocumentSummary(**own) for doc, own in expected.items()}
    assert dict(summaries) == objects and list(summaries) == list(objects)
    assert [list(each.per_rule) for each in summaries.values()] == [
        list(own["per_rule"]) for own in expected.values()
    ]
    assert summaries.records == sum(each.records for each in objects.values())
    assert (
        summaries.findings
        == sum(each.findings for each in objects.values())
        == sum(summaries.per_rule.values())
    )
    assert summaries.seconds == pytest.approx(sum(each.seconds for each in objects.values()))


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
