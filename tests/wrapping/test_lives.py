"""Documents whose process ends at any moment go on as if it had not (see `lives`)."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from tests.wrapping.lives import run
from xmlcep import audit, parse_rules
from xmlcep.recording.recorder import record
from xmlcep.recording.recovery import recover
from xmlcep.wrapping import fromstring


@pytest.mark.parametrize("seed", range(8))
def test_lives(tmp_path: Path, seed: int) -> None:
    assert run(seed, tmp_path, edits=25) > 2


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
