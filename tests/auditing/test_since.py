"""Audits that go on over a growing log, one case at a time; what is refused (rule G6)."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.auditing.growing import Growing, change, line, read_bad, write
from xmlcep import parse_rules
from xmlcep.auditing import AuditError, BadRecordError, audit
from xmlcep.engine import StateError
from xmlcep.errors import XmlCepError
from xmlcep.log import LogError
from xmlcep.log.json_codec import FASTEST
from xmlcep.log.records import ClockRecord

BOTH = "event Both = ins(item/price) & ins(item/quantity)"


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
        "ts 3 of document 'A' comes too late: an earlier run had already read up to ts 5",
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
    assert len(reasons) == 4 and all(f"had already read up to ts {far}" in each for each in reasons[:3])
    assert result.summary.notes == [
        f"document 'A': 4 records came too late: an earlier run had already read up to ts {far:,}. Findings"
        " that need them are missing: to include them, audit the whole log again,"
        " with a new state and a new file of findings"
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
        ({"out": None}, "`since` needs `out`"),
        ({"format": "parquet"}, "`since` appends findings to a JSON Lines file"),
        ({"partition_by_rule": True}, "`since` appends findings to a JSON Lines file"),
        ({"on_bad_record": "document"}, "those of earlier runs cannot be taken back"),
        ({"until": "2026-01-01T00:00:00Z"}, "`until` is about the end of documents"),
        ({"since": None, "final": True}, "`final` needs `since`"),
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
    with pytest.raises(
        StateError,
        match=r"audit\.state: the state was written with other rules \(removed: \w+; added: Other\)",
    ):
        growing.run()


def test_other_options(growing: Growing) -> None:
    write(growing.logs / "a.jsonl", change("A", 1, "price"))
    growing.run()
    with pytest.raises(StateError, match="the runs before had operators false, this one has true"):
        growing.run(operators=True)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is not a state of an audit"), (b"[]", "not the state of an audit"),
        (b"\xff\xfe", "is not a state of an audit"),
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
        with pytest.raises(StateError, match="is not a state of an audit, or a damaged one"):
            growing.run()


def test_a_state_that_was_changed(growing: Growing) -> None:
    """Whatever was changed in it, it is not gone on from, and stands as it was."""
    write(growing.logs / "a.jsonl", change("A", 1, "price"), change("B", 1, "price"))
    growing.run()
    content = growing.state.read_bytes()
    for place in range(0, len(content), 7):
        damaged = content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :]
        growing.state.write_bytes(damaged)
        with pytest.raises(
            StateError, match=r"is not a state of an audit|not the state of an audit|another version"
        ):
            growing.run()
        assert growing.state.read_bytes() == damaged
    lines = content.splitlines(keepends=True)
    for number, each in enumerate(lines):
        others = [lines[:number] + lines[number + 1 :], [*lines[:number], each, *lines[number:]], lines[::-1]]
        for other in others:
            growing.state.write_bytes(b"".join(other))
            with pytest.raises(StateError, match=r"is not a state of an audit|not the state of an audit"):
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
        pytest.raises(XmlCepError, match="another run is using this state"),
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
    assert "engine local: since resumes a state, which Spark cannot read" in result.notes


def cut_short(growing: Growing, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that ends when its state is written, and before anything is delivered."""
    write(growing.logs / "a.jsonl", change("A", 1, "price"), change("A", 2, "quantity"))
    with monkeypatch.context() as patched:
        patched.setattr("xmlcep.auditing.since.Delivery.make", lambda self: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            growing.run()


def reseal(state: Path, **changed: Any) -> None:
    """Another header for a state, as somebody could write it."""
    header, *lines, _ = state.read_bytes().splitlines(keepends=True)
    text = FASTEST.dumps(json.loads(header) | changed) + b"\n" + b"".join(lines)
    digest = hashlib.sha256(text).hexdigest()
    state.write_bytes(text + line(FASTEST.dumps({"sha256": digest})))


def test_what_a_state_names_is_never_written_to(
    growing: Growing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_short(growing, monkeypatch)
    mine = tmp_path / "mine.txt"
    mine.write_text("mine", encoding="utf-8")
    for name in ("1.findings", "../mine.txt", str(mine)):
        for at in (0, None):
            reseal(growing.state, deliveries=[{"from": name, "to": str(mine), "at": at}])
            with contextlib.suppress(StateError):
                growing.run()
            assert mine.read_text(encoding="utf-8") == "mine"


def test_a_run_that_was_cut_short_is_ended_by_one_with_its_output(
    growing: Growing, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_short(growing, monkeypatch)
    former, growing.out = growing.out, tmp_path / "other.jsonl"
    with pytest.raises(
        StateError, match=r"before its findings were in .*findings\.jsonl, and this run writes to"
    ):
        growing.run()
    assert not former.exists() and not growing.out.exists()
    growing.out = former
    with pytest.raises(StateError, match="the runs before had operators false, this one has true"):
        growing.run(operators=True)
    assert not former.exists()
    growing.run()
    assert len(former.read_bytes().splitlines()) == 1


def test_nothing_beside_a_state_is_deleted_but_what_runs_have_made(growing: Growing, tmp_path: Path) -> None:
    name = growing.state.name
    others = [tmp_path / each for each in (f".{name}.mybackup", f"..{name}.notes", f".{name}.1.findings")]
    own = tmp_path / f".{name}.run"
    own.mkdir()
    others += [own / "mine", own / ".hidden"]
    for each in others:
        each.write_text("mine", encoding="utf-8")
    (own / "7.findings").write_text("left by a run that was killed", encoding="utf-8")
    write(growing.logs / "a.jsonl", change("A", 1, "price"))
    growing.run()
    growing.run()
    assert [each.read_text(encoding="utf-8") for each in others] == ["mine"] * len(others)
    assert sorted(each.name for each in own.iterdir()) == [".hidden", "mine"]


def test_the_folder_of_runs_is_not_followed_elsewhere(growing: Growing, tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "1.findings").write_text("mine", encoding="utf-8")
    (tmp_path / f".{growing.state.name}.run").symlink_to(tmp_path / "mine", target_is_directory=True)
    write(growing.logs / "a.jsonl", change("A", 1, "price"))
    with pytest.raises(StateError, match="is not a folder made by runs with this state"):
        growing.run()
    assert (tmp_path / "mine" / "1.findings").read_text(encoding="utf-8") == "mine"
