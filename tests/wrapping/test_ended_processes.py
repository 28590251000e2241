"""Documents whose process ends at any moment go on as if it had not (see `lives`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from tests.wrapping.ended_processes import run
from xmlcep import audit, parse_rules
from xmlcep.recording.recorder import record
from xmlcep.recording.recovery import recover
from xmlcep.wrapping import fromstring


@pytest.mark.parametrize("seed", range(2))
def test_lives(tmp_path: Path, seed: int) -> None:
    assert run(seed, tmp_path, edits=30) > 2


def test_an_edit_that_is_there_in_part_has_ended_for_a_recovered_watch_as_for_its_log(tmp_path: Path) -> None:
    """Recovery says so in the log (U1); the next one, and every audit, go by that."""
    rules = parse_rules('event Known {if="@k"} = (ins(item))')
    log = tmp_path / "log.jsonl"
    document = fromstring("<order/>", name="order")
    recording = record(document, log)
    recording.watch(rules)
    document.root.append(etree.fromstring("<item k='1'>x</item>"))
    recording.close()
    document.close()
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[: next(n for n, line in enumerate(lines) if b"text()" in line)]))
    found: list[str] = []
    with recover(log, rules, on_event=lambda each: found.append(str(each))) as again:
        assert found == ["Known(/order#1/item#2) at 1 {ins@1}"]
        again.document.root.set("k", "1")
    assert len(found) == 1
    assert [each["name"] for each in audit(log, rules).records()] == ["Known"]


def test_a_root_that_was_being_renamed_is_what_it_was(tmp_path: Path) -> None:
    """Half of that edit would leave no document to go on with."""
    log = tmp_path / "log.jsonl"
    with fromstring("<order k='1'><item>x</item></order>", name="order") as document, record(document, log):
        document.root[0].text = "y"
        document.root.tag = "bill"
    lines = log.read_bytes().splitlines(keepends=True)
    for missing in range(1, 8):
        log.write_bytes(b"".join(lines[:-missing]))
        with recover(log) as again:
            root = again.document.root
            assert root.tag == ("bill" if missing < 4 else "order")
            assert missing != 4 or root.findtext("item") == "y"
            again.document.close()
