"""Audits that go on: what several runs over a growing log find is what one audit finds in all of it (rule G6)."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, note, settings
from hypothesis import strategies as st

from tests.auditing.logs import interleaved, lives
from tests.auditing.test_every_construct import log_of, of_document
from tests.auditing.tired import tired
from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.laws.agreement import rules_of
from tests.strategies import show_rules
from tests.strategies.full_rules import EVERYTHING, full_rule_sets
from tests.strategies.timed import timed_histories
from xmlcep import parse_rules
from xmlcep.auditing import AuditError, AuditResult, BadRecordError, audit
from xmlcep.auditing.failures import ReplayError
from xmlcep.engine import StateError
from xmlcep.errors import XmlCepError
from xmlcep.events import PrimitiveEvent
from xmlcep.log import LogError
from xmlcep.log.json_codec import FASTEST
from xmlcep.log.records import ClockRecord, change_record
from xmlcep.rules import Rules

BOTH = "event Both = ins(item/price) & ins(item/quantity)"


def line(item: Any) -> bytes:
    """An item of a log as a line; bytes are one already."""
    if isinstance(item, bytes):
        return item + b"\n"
    record = change_record(item) if isinstance(item, PrimitiveEvent) else item.to_record()
    return FASTEST.dumps(record) + b"\n"


def change(doc: str, ts: int, name: str, item: int = 2, **more: Any) -> dict[str, Any]:
    path = f"/order/item/{name}"
    return {"doc": doc, "ts": ts, "op": "ins", "path": path, "ids": [1, item, 1000 + ts], **more}


def write(path: Path, *records: dict[str, Any] | bytes) -> None:
    """Appends records to a log."""
    lines = [each + b"\n" if isinstance(each, bytes) else FASTEST.dumps(each) + b"\n" for each in records]
    with path.open("ab") as stream:
        stream.write(b"".join(lines))


def by_document(findings: bytes) -> list[bytes]:
    """The findings of several runs as one audit orders them."""
    return sorted(findings.splitlines(), key=lambda found: str(json.loads(found)["doc"]))


class Growing:
    """A folder of logs that grows, audited after each growth."""

    def __init__(self, folder: Path, rules: Rules, **options: Any) -> None:
        self.logs, self.out, self.state = folder / "logs", folder / "findings.jsonl", folder / "audit.state"
        self.logs.mkdir()
        self.rules = rules
        self.options = options
        self.results: list[AuditResult] = []

    def run(self, *, final: bool = False, **more: Any) -> AuditResult:
        result = audit(
            self.logs, self.rules, since=self.state, out=self.out, final=final, **self.options, **more
        )
        self.results.append(result)
        return result

    def whole(self, folder: Path, **more: Any) -> AuditResult:
        return audit(
            self.logs, self.rules, engine="local", out=folder / "whole.jsonl", **self.options, **more
        )

    def check(self, whole: AuditResult) -> None:
        """All runs together have found what the whole has: findings, counts, bad records."""
        assert by_document(self.out.read_bytes()) == list(whole.lines())
        assert [found for each in self.results for found in each.lines()] or not list(whole.lines())
        runs, one = [each.summary for each in self.results], whole.summary
        assert sum(each.records for each in runs) == one.records
        assert sum((Counter(each.per_rule) for each in runs), Counter()) == Counter(one.per_rule)
        assert sum(each.quarantined for each in runs) == one.quarantined
        for name, records in one.records_per_rule.items():
            told = [each.records_per_rule[name] for each in runs]
            assert (None if records is None else sum(each or 0 for each in told)) == records, name
        for doc, document in one.documents.items():
            assert (
                sum(each.documents[doc].missing for each in runs if doc in each.documents) == document.missing
            )
        said = [read_bad(each.quarantine) for each in (self.results[-1], whole)]
        bad = self.out.with_name("findings.jsonl.quarantine.jsonl")
        said[0] = read_bad(bad if bad.exists() else None)
        assert sorted(said[0]) == sorted(said[1])


def read_bad(path: Path | None) -> list[tuple[Any, ...]]:
    if path is None:
        return []
    records = [json.loads(each) for each in path.read_bytes().splitlines()]
    return [(each["file"], each["record"], each["offset"], each["reason"], each["raw"]) for each in records]


@st.composite
def growths(draw: st.DrawFn, items: Sequence[Any]) -> list[dict[str, bytes]]:
    """What files hold at each run, by name: files grow, also by parts of lines, and new ones come."""
    files: dict[str, bytes] = {}
    current = "00.jsonl"
    seen: list[dict[str, bytes]] = []
    for index, item in enumerate(items):
        text = line(item)
        cut = draw(st.sampled_from(("no", "no", "no", "no", "run", "part", "file", "both")))
        if cut == "part" and current in files:
            seen.append({**files, current: files[current] + text[: len(text) // 2]})
        elif cut in ("run", "both") and files:
            seen.append(dict(files))
        if cut in ("file", "both") and files:
            current = f"{index + 1:02}.jsonl"
        files[current] = files.get(current, b"") + text
    return [*seen, files]


def check_runs(
    rules: Rules,
    items: Sequence[Any],
    seen: Sequence[dict[str, bytes]],
    until: str | None = None,
    *,
    rest: bool = False,
    **options: Any,
) -> None:
    """Audits each growth, where documents ``rest`` if they can, and the whole."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        growing = Growing(folder, rules, **options)
        failed = False
        for number, files in enumerate(seen):
            for file, text in files.items():
                (growing.logs / file).write_bytes(text)
            final = number == len(seen) - 1
            try:
                with tired(rest):
                    growing.run(final=final, until=until if final else None)
            except ReplayError:
                failed = True
        try:
            whole = growing.whole(folder, until=until)
        except ReplayError:
            assert failed
            return
        assert not failed
        growing.check(whole)


@settings(max_examples=30, deadline=None)
@given(full_rule_sets(constructs=EVERYTHING - UNKNOWN_TO_THE_ENGINE), st.data())
def test_random_cuts_with_every_construct(definitions: Any, data: st.DataObject) -> None:
    note(show_rules(definitions))
    count = data.draw(st.integers(1, 3))
    logs = [
        log_of(of_document(data.draw(timed_histories(max_edits=8)), f"doc{n}"), f"doc{n}")
        for n in range(count)
    ]
    items: list[Any] = data.draw(interleaved(logs))  # type: ignore[arg-type]
    until = data.draw(st.sampled_from((None, "2026-01-01T00:00:30Z")))
    seen, rest, operators = data.draw(growths(items)), data.draw(st.booleans()), data.draw(st.booleans())
    check_runs(rules_of(definitions), items, seen, until, rest=rest, operators=operators)


@settings(max_examples=25, deadline=None)
@given(full_rule_sets(constructs=EVERYTHING - UNKNOWN_TO_THE_ENGINE - {"time"}), st.data())
def test_random_cuts_of_logs_with_headers_and_bad_lines(definitions: Any, data: st.DataObject) -> None:
    rules = rules_of(definitions)
    if rules.graph.needs_time:
        return  # these histories have none
    logs = [life.log() for life in data.draw(lives(busy=True))]
    items: list[Any] = data.draw(interleaved(logs))
    for place in data.draw(st.lists(st.integers(0, 30), max_size=2)):
        items.insert(min(place, len(items)), b'{"doc": "doc0", "op": "nonsense"}')
    check_runs(rules, items, data.draw(growths(items)), rest=data.draw(st.booleans()))


# ---- one case at a time --------------------------------------------------------------------------------------


@pytest.fixture
def growing(tmp_path: Path) -> Growing:
    return Growing(tmp_path, parse_rules(BOTH))


def test_a_file_that_grows_and_one_that_comes(growing: Growing, tmp_path: Path) -> None:
    write(growing.logs / "a.jsonl", change("A", 1, "price"), change("B", 1, "price"))
    assert growing.run().summary.findings == 0
    write(growing.logs / "a.jsonl", change("A", 2, "quantity"))
    second = growing.run()
    assert [found["doc"] for found in second.records()] == ["A"]
    assert (second.summary.records, second.summary.files) == (1, 1)
    write(growing.logs / "b.jsonl", change("B", 2, "quantity"))
    third = growing.run(final=True)
    assert [found["doc"] for found in third.records()] == ["B"]
    growing.check(growing.whole(tmp_path))


def test_nothing_new(growing: Growing) -> None:
    write(growing.logs / "a.jsonl", change("A", 1, "price"), change("A", 2, "quantity"))
    growing.run()
    before = growing.out.read_bytes()
    result = growing.run()
    assert (result.summary.files, result.summary.records, list(result.lines())) == (0, 0, [])
    assert growing.out.read_bytes() == before


def test_packed_files_and_parquet_are_read_once(growing: Growing, tmp_path: Path) -> None:
    import gzip

    (growing.logs / "a.jsonl.gz").write_bytes(gzip.compress(line(FASTEST.dumps(change("A", 1, "price")))))
    growing.run()
    (growing.logs / "b.jsonl.gz").write_bytes(gzip.compress(line(FASTEST.dumps(change("A", 2, "quantity")))))
    assert growing.run().summary.findings == 1
    growing.run(final=True)
    growing.check(growing.whole(tmp_path))


def test_a_deleted_file_is_not_missed(growing: Growing) -> None:
    write(growing.logs / "a.jsonl", change("A", 1, "price"))
    growing.run()
    (growing.logs / "a.jsonl").unlink()
    write(growing.logs / "b.jsonl", change("A", 2, "quantity"))
    assert growing.run().summary.findings == 1


def test_a_line_without_an_end_waits(growing: Growing) -> None:
    write(growing.logs / "a.jsonl", change("A", 1, "price"))
    begun = FASTEST.dumps(change("A", 2, "quantity"))
    with (growing.logs / "a.jsonl").open("ab") as stream:
        stream.write(begun[:20])
    first = growing.run()
    assert first.summary.quarantined == 0
    assert any("the last line has no end yet" in note for note in first.notes)
    with (growing.logs / "a.jsonl").open("ab") as stream:
        stream.write(begun[20:] + b"\n")
    assert growing.run().summary.findings == 1


def test_an_open_transaction_is_not_ended_by_a_run(growing: Growing) -> None:
    growing.rules = parse_rules("event Both {end=custom} = ins(item/price) & ins(item/quantity)")
    write(growing.logs / "a.jsonl", change("A", 1, "price", txn=1), change("A", 2, "quantity", txn=1))
    assert growing.run().summary.findings == 0
    write(growing.logs / "a.jsonl", change("A", 3, "comment", txn=1))
    assert growing.run().summary.findings == 0
    write(growing.logs / "a.jsonl", change("A", 4, "comment", txn=2))
    (found,) = growing.run().records()
    assert found["ts"] == 3


def test_the_final_run_finds_what_waits_for_the_end(growing: Growing) -> None:
    growing.rules = parse_rules("event Both {end=custom} = ins(item/price) & ins(item/quantity)")
    write(growing.logs / "a.jsonl", change("A", 1, "price", txn=1), change("A", 2, "quantity", txn=1))
    growing.run()
    assert growing.run(final=True).summary.findings == 1
    with pytest.raises(StateError, match=r"audit\.state: the audit was closed by its last run"):
        growing.run()


def test_what_comes_too_late_is_a_bad_record(growing: Growing) -> None:
    write(growing.logs / "a.jsonl", change("A", 1, "price"), change("A", 5, "comment"))
    growing.run()
    write(
        growing.logs / "a.jsonl",
        change("A", 5, "quantity"),
        change("A", 3, "quantity"),
        change("A", 6, "quantity"),
    )
    result = growing.run()
    assert [reason for _, _, _, reason, _ in read_bad(result.quarantine)] == [
        "ts 5 occurs twice in document 'A': expected one record per time point",
        "ts 3 of document 'A' comes too late: an earlier run has gone on to 5",
    ]
    assert [record for _, record, *_ in read_bad(result.quarantine)] == [3, 4]
    assert result.summary.findings == 1


def test_what_a_damaged_time_point_at_the_end_of_a_run_costs_is_said(growing: Growing) -> None:
    """One audit of the whole sorts that record behind all others; here it was taken already."""
    far = 7 | 1 << 62
    write(
        growing.logs / "a.jsonl",
        change("A", 1, "price"),
        change("B", 1, "price"),
        change("A", far, "comment"),
    )
    assert growing.run().summary.notes == []
    write(growing.logs / "a.jsonl", *(change(doc, ts, "quantity") for ts in (8, 9, 10) for doc in "AB"))
    write(growing.logs / "a.jsonl", line(ClockRecord("A", 10, "2026-01-01T00:00:00Z")).strip())
    result = growing.run()
    assert result.summary.documents["B"].findings == 1
    reasons = [reason for _, _, _, reason, _ in read_bad(result.quarantine)]
    assert len(reasons) == 4 and all(f"has gone on to {far}" in each for each in reasons[:3])
    assert result.summary.notes == [
        f"document 'A': 4 records came too late, for an earlier run has gone on to ts {far:,}: if that one is wrong, "
        "put the log right and audit all of it again, with a new state and a new file of findings"
    ]
    whole = audit(growing.logs, growing.rules).summary
    assert (whole.documents["A"].findings, whole.quarantined) == (1, 0)


@pytest.mark.parametrize("file", ["a.jsonl", "b.jsonl"])
def test_an_external_event_that_is_delivered_again_counts_once(tmp_path: Path, file: str) -> None:
    """It belongs to the last time point, which an earlier run has gone beyond without having ended it (L7)."""
    rules = parse_rules(
        "event Closed(/order) = external\nevent Both = ins(/order/item/price) ; Closed(/order)"
    )
    growing = Growing(tmp_path, rules)
    raised = {
        "xmlcep": 1,
        "control": "raised",
        "doc": "A",
        "ts": 1,
        "name": "Closed",
        "path": "/order",
        "ids": [1],
    }
    write(growing.logs / "a.jsonl", change("A", 1, "price"), raised)
    growing.run()
    write(
        growing.logs / file, change("A", 1, "price"), raised, {**raised, "nth": 2}
    )  # delivered again, with one more
    assert growing.run().summary.quarantined == 2
    write(growing.logs / file, raised)
    assert growing.run().summary.quarantined == 1
    write(growing.logs / file, change("A", 2, "price"))
    growing.run(final=True)
    whole = growing.whole(tmp_path)
    assert Counter(found["name"] for found in whole.records())["Closed"] == 2
    growing.check(whole)


def test_disorder_within_a_run_is_sorted(growing: Growing, tmp_path: Path) -> None:
    write(growing.logs / "a.jsonl", change("A", 1, "price"))
    growing.run()
    write(
        growing.logs / "a.jsonl",
        change("A", 4, "comment"),
        change("A", 3, "quantity"),
        change("A", 2, "price"),
    )
    result = growing.run(final=True)
    assert result.summary.documents["A"].disordered
    growing.check(growing.whole(tmp_path))


def test_numbers_and_offsets_of_bad_records_are_those_of_the_file(growing: Growing) -> None:
    write(growing.logs / "a.jsonl", change("A", 1, "price"), change("A", 2, "comment"))
    growing.run()
    size = (growing.logs / "a.jsonl").stat().st_size
    write(growing.logs / "a.jsonl", change("A", 3, "comment"), b'{"op": "no"}')
    ((_, record, offset, _, _),) = read_bad(growing.run().quarantine)
    assert record == 4
    assert offset == size + len(line(FASTEST.dumps(change("A", 3, "comment"))))


def test_a_header_is_remembered_until_its_document_begins(growing: Growing, tmp_path: Path) -> None:
    growing.rules = parse_rules('event Priced {when="comment"} = ins(item/price)[1] & ins(item/quantity)')
    xml = "<order><item><comment/></item></order>"
    header = {"xmlcep": 1, "doc": "A", "snapshot": xml, "ids": [1, 2, 3], "ts": 3, "commits": False}
    write(growing.logs / "a.jsonl", header)
    growing.run()
    write(growing.logs / "a.jsonl", change("A", 4, "price"))
    growing.run()
    write(growing.logs / "a.jsonl", change("A", 5, "quantity"))
    assert growing.run(final=True).summary.findings == 1
    growing.check(growing.whole(tmp_path))


def test_names_of_all_kinds(growing: Growing, tmp_path: Path) -> None:
    names = ['a "quoted" one', "back\\slash", "Ürük \u2028", "", "\ud800"]
    for ts, name in enumerate(("price", "quantity"), start=1):
        write(growing.logs / "a.jsonl", *(json.dumps(change(doc, ts, name)).encode() for doc in names[:4]))
        growing.run(final=ts == 2)
    assert growing.results[-1].summary.findings == 4


def test_a_summary_is_of_the_run(growing: Growing, tmp_path: Path) -> None:
    write(growing.logs / "a.jsonl", change("A", 1, "price"))
    growing.run(summary_file=tmp_path / "summary.json")
    write(growing.logs / "a.jsonl", change("A", 2, "quantity"), change("A", 3, "quantity"))
    growing.run(summary_file=tmp_path / "summary.json")
    assert json.loads((tmp_path / "summary.json").read_text())["records"] == 2


# ---- what is refused -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"out": None}, "since needs out"),
        ({"format": "parquet"}, "since appends findings to a JSON Lines file"),
        ({"partition_by_rule": True}, "since appends findings to a JSON Lines file"),
        ({"on_bad_record": "document"}, "those of earlier runs cannot be taken back"),
        ({"until": "2026-01-01T00:00:00Z"}, "until is about the end of documents"),
        ({"since": None, "final": True}, "final needs since"),
    ],
)
def test_what_does_not_go_together(growing: Growing, options: dict[str, Any], sentence: str) -> None:
    write(growing.logs / "a.jsonl", change("A", 1, "price"))
    with pytest.raises(AuditError, match=sentence):
        audit(growing.logs, growing.rules, **({"since": growing.state, "out": growing.out} | options))
    assert not growing.state.exists()


def test_other_rules(growing: Growing) -> None:
    write(growing.logs / "a.jsonl", change("A", 1, "price"))
    growing.run()
    growing.rules = parse_rules("event Other = ins(item)")
    with pytest.raises(StateError, match=r"audit\.state: the state is of other rules than those given"):
        growing.run()


def test_other_options(growing: Growing) -> None:
    write(growing.logs / "a.jsonl", change("A", 1, "price"))
    growing.run()
    with pytest.raises(StateError, match="the runs before had operators false, this one has true"):
        growing.run(operators=True)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "not the state of an audit"), (b"[]", "not the state of an audit"),
        (b"\xff\xfe", "is no state of an audit"),
        (b'{"xmlcep": "audit", "version": 0}', "written by another version of xmlcep"),
    ],
)  # fmt: skip
def test_what_is_no_state(growing: Growing, content: bytes, sentence: str) -> None:
    write(growing.logs / "a.jsonl", change("A", 1, "price"))
    growing.state.write_bytes(content)
    with pytest.raises(StateError, match=sentence):
        growing.run()
    assert growing.state.read_bytes() == content


def test_a_state_that_was_cut_off(growing: Growing) -> None:
    write(growing.logs / "a.jsonl", change("A", 1, "price"), change("B", 1, "price"))
    growing.run()
    content = growing.state.read_bytes()
    for end in (len(content) - 1, len(content) - 40, content.rindex(b'{"doc"')):
        growing.state.write_bytes(content[:end])
        with pytest.raises(StateError, match="is no state of an audit, or a damaged one"):
            growing.run()


@pytest.mark.parametrize("kind", ["shorter", "other", "packed"])
def test_a_file_that_is_another_one(growing: Growing, kind: str) -> None:
    import gzip

    name = "a.jsonl.gz" if kind == "packed" else "a.jsonl"
    content = b"".join(line(FASTEST.dumps(change("A", ts, "price"))) for ts in range(1, 4))
    changed = {
        "shorter": content[:-5], "other": content.replace(b"price", b"ecirp"),
        "packed": gzip.compress(content, mtime=0) + gzip.compress(content, mtime=0),
    }[kind]  # fmt: skip
    (growing.logs / name).write_bytes(gzip.compress(content, mtime=0) if kind == "packed" else content)
    growing.run()
    state = growing.state.read_bytes()
    (growing.logs / name).write_bytes(changed)
    sentence = (
        "only JSON Lines files may" if kind == "packed" else "is not the file that was read in an earlier run"
    )
    with pytest.raises(LogError, match=sentence):
        growing.run()
    assert growing.state.read_bytes() == state


def test_two_runs_at_once(growing: Growing) -> None:
    from xmlcep.auditing.since import holding

    write(growing.logs / "a.jsonl", change("A", 1, "price"))
    with (
        holding(growing.state),
        pytest.raises(XmlCepError, match="another run goes on from this state just now"),
    ):
        growing.run()
    growing.run()


def test_a_run_that_fails_changes_nothing(growing: Growing) -> None:
    write(growing.logs / "a.jsonl", change("A", 1, "price"))
    growing.run()
    state, out = growing.state.read_bytes(), growing.out.read_bytes()
    write(growing.logs / "a.jsonl", change("A", 2, "quantity"), b"{")
    with pytest.raises(BadRecordError):
        growing.run(on_bad_record="fail")
    assert (growing.state.read_bytes(), growing.out.read_bytes()) == (state, out)
    assert growing.run().summary.findings == 1


def test_pipes_are_refused(growing: Growing) -> None:
    with pytest.raises(AuditError, match="is a pipe"):
        audit("/dev/null", growing.rules, since=growing.state, out=growing.out)


def test_spark_is_not_taken_and_it_is_said(growing: Growing) -> None:
    write(growing.logs / "a.jsonl", change("A", 1, "price"))
    result = growing.run(engine="spark")
    assert result.summary.engine == "local"
    assert "engine local: since goes on from a state, which Spark does not read" in result.notes
