"""Time on a wrapped document: what is due when time passes although nothing changes (W5, W6)."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from xmlcep import Detector, Document, fromstring, parse_rules
from xmlcep.auditing import audit
from xmlcep.errors import XmlCepError
from xmlcep.log import LogError, read_log
from xmlcep.recording.recorder import record
from xmlcep.recording.recovery import recover
from xmlcep.timestamps import TimeError
from xmlcep.wrapping import RefusedError

UNPAID = parse_rules('event Unpaid {within="3 days"} = ins(item) ; not ins(item/paid)')
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)


def ordered() -> Document:
    """A document in which it is the first of January when an item is inserted."""
    return fromstring("<order/>", now=lambda: BEGIN.timestamp())


def test_what_is_due_is_raised_when_time_passes() -> None:
    document = ordered()
    with document.watch(UNPAID) as watch:
        assert watch.next_due() is None and document.next_due() is None
        document.root.append(document.root.makeelement("item"))
        assert watch.next_due() == document.next_due() == "2026-01-04T00:00:00Z"
        assert watch.advance("2026-01-03T23:59:59Z") == []
        (unpaid,) = watch.advance("2026-01-04T00:00:00Z")
        assert (unpaid.name, unpaid.cause.at, unpaid.ts) == ("Unpaid", "2026-01-04T00:00:00Z", 1)
        assert list(watch.findings) == [unpaid]
        assert watch.next_due() is None
        assert watch.advance("2026-01-04T00:00:00Z") == []
    assert watch.advance("2026-02-01T00:00:00Z") == [] and watch.next_due() is None


@pytest.mark.parametrize(
    "time", ["2026-01-05T00:00:00Z", datetime(2026, 1, 5, tzinfo=UTC), 1_767_571_200_000_000]
)
def test_all_watches_hear_of_it_and_callbacks_edit_behind_it(time: str | datetime | int) -> None:
    document = ordered()
    raised = []
    first = document.watch(UNPAID, on_event=lambda found: document.element(found).set("late", "yes"))
    second = document.watch(UNPAID, on_event=lambda found: raised.append(document.root[0].get("late")))
    document.root.append(document.root.makeelement("item"))
    document.advance(time)
    assert raised == ["yes"]
    first.close()
    second.close()


@pytest.mark.parametrize("time", ["tomorrow", "2026-01-05", True, None, datetime(2026, 1, 5)])
def test_what_is_no_time(time: object) -> None:
    with pytest.raises(TimeError):
        ordered().advance(time)  # type: ignore[arg-type]
    with pytest.raises(XmlCepError):
        Detector(UNPAID).advance(time)  # type: ignore[arg-type]


def test_not_while_something_is_under_way() -> None:
    document = ordered()
    with document.transaction(), pytest.raises(RefusedError, match="advance"):
        document.advance("2026-01-05T00:00:00Z")
    with document.one_edit(), pytest.raises(RefusedError, match="advance"):
        document.advance("2026-01-05T00:00:00Z")
    refused: list[Exception] = []

    def callback(_: object) -> None:
        try:
            document.advance("2026-01-05T00:00:00Z")
        except RefusedError as error:
            refused.append(error)

    document.subscribe(callback)
    document.root.set("a", "b")
    assert len(refused) == 1


def test_the_log_knows_it_and_a_replay_agrees(tmp_path: Path) -> None:
    log = tmp_path / "order.jsonl"
    document = ordered()
    with record(document, log) as recording, recording.watch(UNPAID) as watch:
        document.root.append(document.root.makeelement("item"))
        document.advance("2026-01-02T00:00:00Z")
        document.root.append(document.root.makeelement("item"))
        document.advance("2026-01-04T12:00:00Z")
        with pytest.raises(LogError, match="before"):
            document.advance("2026-01-04T11:00:00Z")
        document.root.set("seen", "yes")
        live = [finding.to_record() for finding in watch.findings]
    assert [finding["at"] for finding in live] == ["2026-01-04T00:00:00Z"]  # the other came on the second
    assert [type(each).__name__ for each in read_log(log)].count("ClockRecord") == 2
    assert list(audit(log, UNPAID, engine="local").records()) == live


def test_recovery_goes_on_in_time(tmp_path: Path) -> None:
    log = tmp_path / "order.jsonl"
    document = ordered()
    recording = record(document, log)
    recording.watch(UNPAID)
    document.root.append(document.root.makeelement("item"))
    document.advance("2026-01-03T00:00:00Z")
    crashed = tmp_path / "crashed.jsonl"
    crashed.write_bytes(log.read_bytes())
    watch = recover(crashed, rules=UNPAID).watch
    assert watch is not None
    assert watch.next_due() == "2026-01-04T00:00:00Z"
    assert [finding.name for finding in watch.advance("2026-01-04T00:00:00Z")] == ["Unpaid"]
