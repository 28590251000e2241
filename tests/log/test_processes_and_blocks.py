"""Who may write a recording, and when it may be closed: nothing is lost, and nothing of others is written."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import xmlcep
from xmlcep.log.errors import LogError
from xmlcep.recording import rebuild
from xmlcep.wrapping import CallbackError, Document


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
def test_a_forked_process_does_not_write_into_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    with xmlcep.fromstring("<r/>", name="d") as document, xmlcep.record(document, log) as recording:
        document.root.set("k", "1")
        child = os.fork()
        if not child:
            os._exit(_refused(document, recording))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2
        document.root.set("k", "3")
        with pytest.raises(LogError):
            xmlcep.record(document, log)  # the lock is still held
    assert etree.tostring(rebuild(log)) == b'<r k="3"/>'


def _refused(document: Document, recording: Any) -> int:
    """How many of two calls that write say that another process writes the log."""
    said = 0
    for call in (lambda: document.root.set("k", "2"), recording.checkpoint):
        try:
            call()
        except (CallbackError, LogError) as error:
            said += "another process" in str(error)
    recording.close()
    return said


@pytest.mark.parametrize("block", [Document.transaction, Document.one_edit, Document.observe])
def test_a_recording_is_not_closed_while_what_is_done_is_to_be_told(
    block: Callable[[Document], Any], tmp_path: Path
) -> None:
    log = tmp_path / "log.jsonl"
    document = xmlcep.fromstring("<r/>", name="d")
    recording = xmlcep.record(document, log)
    with block(document):
        document.root.set("k", "1")
        with pytest.raises(LogError, match="when the block has ended"):
            recording.close()
    recording.close()
    assert etree.tostring(rebuild(log)) == b'<r k="1"/>'
