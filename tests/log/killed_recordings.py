"""Kills recordings at every step they take towards the disk; a process of its own.

``python -m tests.log.killed_recordings AGAIN [FIRST EVERY]``: from which step on, every so many.

Each life is a child that records edits, writes states, and kills itself (SIGKILL) before or behind its n-th call of
what brings something to the disk; then the next one recovers and goes on. Prints how many kills there were; says what
is wrong, if something is.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from tests.kills import fsync_at_once, killed
from tests.log.helpers import canonical
from tests.log.test_recovery import RULES as TEXT
from tests.log.test_recovery import START, edit, without_ids
from xmlcep import parse_rules
from xmlcep.recording import FindingsFile, rebuild
from xmlcep.recording.recorder import record
from xmlcep.recording.recovery import recover
from xmlcep.wrapping import fromstring

RULES = parse_rules(TEXT)
STEPS = 12
MOST_STEPS = 400


def life(log: Path) -> None:
    """Records the edits that are left; the root element says how far it has come."""
    with FindingsFile(log.with_name("findings.jsonl")) as findings:
        if log.exists() and log.stat().st_size:
            back = recover(
                log, RULES, on_event=findings, delivered=findings.count, max_bytes=3_000, now=lambda: 0.0
            )
            document, recording = back.document, back.recording
            assert not back.notes, back.notes
        else:
            document = fromstring(START, name="order", now=lambda: 0.0)
            recording = record(document, log, max_bytes=3_000)
            recording.watch(RULES, on_event=findings)
        for step in range(int(document.root.get("step", "0")), STEPS):
            with document.transaction():
                edit(document, random.Random(f"1.{step}"))
                document.root.set("step", str(step + 1))
            if step % 3 == 1:
                recording.checkpoint()


def outcome(log: Path) -> tuple[list[Any], str]:
    """Findings without the ids of nodes, which are not used again after a kill, and the document."""
    lines = log.with_name("findings.jsonl").read_text(encoding="utf-8").splitlines()
    return [without_ids(json.loads(line)) for line in lines], canonical(rebuild(log))


def main() -> None:
    os.fsync = fsync_at_once
    again = int(sys.argv[1])  # how many steps behind the first kill the next life is killed; 0: it is not
    first, every = map(int, sys.argv[2:] or (1, 1))
    expected: tuple[list[Any], str] | None = None
    kills = 0
    for at in (0, *range(first, MOST_STEPS, every)):
        with tempfile.TemporaryDirectory() as name:
            log = Path(name) / "log.jsonl"
            if at:
                if not killed(partial(life, log), at):
                    break
                kills += 1
                if again:
                    killed(partial(life, log), again)
            life(log)
            found = outcome(log)
            if expected is None:
                expected = found
            assert found == expected, f"step {at}: {len(found[0])} findings, expected {len(expected[0])}"
            left = sorted(path.name for path in log.parent.iterdir() if path.name.endswith(".unfinished"))
            assert not left, left
    print(kills)


if __name__ == "__main__":
    main()
