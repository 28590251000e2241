"""The purchase order sample by itself: document, edits and schema fit together without xmlcep."""

from __future__ import annotations

from pathlib import Path

import pytest
from lxml import etree

from xmlcep.cli import main
from xmlcep.cli._sample import find_sample

SAMPLE = find_sample()
STEPS = SAMPLE.edits.STEPS


@pytest.mark.parametrize(
    ("steps", "valid"), [(0, False), (1, False), (2, True), (3, True), (4, False), (5, True), (6, True)]
)
def test_the_order_is_valid_from_the_addresses_on_but_for_the_slips(steps: int, valid: bool) -> None:
    order = etree.fromstring(SAMPLE.document.read_bytes())
    for step in STEPS[:steps]:
        step.edit(order)
    schema = etree.XMLSchema(etree.fromstring(SAMPLE.schema.read_bytes()))
    assert schema.validate(order) is valid


def test_the_story_can_be_recorded_without_the_demo(tmp_path: Path) -> None:
    """As the module's docstring says: a log for trying out commands on."""
    log = tmp_path / "orders.jsonl"
    SAMPLE.edits.main(str(log))
    assert main.run(["audit", str(log), "--rules", str(SAMPLE.rules), "--fail-on-findings", "--quiet"]) == 1
