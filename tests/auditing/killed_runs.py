"""Kills runs of an audit that goes on, at every step they take towards the disk; a process of its own.

Each run is a child that kills itself (SIGKILL) before or behind its n-th call of what brings something to the disk, or
half way through a copy; then the audit goes on. Prints how many kills there were; says what is wrong, if something is.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.kills import fsync_at_once, killed
from xmlcep import parse_rules
from xmlcep.auditing import audit

RULES = parse_rules(
    "event Both = ins(item/price) & ins(item/quantity)\n"
    "event Done {end=custom} = ins(item/price) ; ins(item/comment)"
)
NAMES = ("price", "quantity", "comment")
RUNS = 4
MOST_STEPS = 200


def records(run: int) -> bytes:
    """What a run finds new: two documents, transactions that go on over its end, a bad line."""
    lines = []
    for ts in range(5 * run + 1, 5 * run + 6):
        for doc in ("A", "B"):
            path, ids = f"/order/item/{NAMES[ts % 3]}", [1, 2 + ts // 4, 1000 + ts]
            lines.append(
                json.dumps({"doc": doc, "ts": ts, "op": "ins", "path": path, "ids": ids, "txn": 1 + ts // 4})
            )
    return "\n".join([*lines, '{"doc": "A", "op": "no"}', ""]).encode()


def run(folder: Path, number: int, out: str) -> None:
    """One run of the audit."""
    audit(
        folder / "logs", RULES, since=folder / "state", out=folder / out, quarantine=folder / "bad.jsonl",
        summary_file=folder / "summary.json", final=number == RUNS - 1,
    )  # fmt: skip


def check(folder: Path, at: str) -> None:
    """Compares with one audit of the whole log."""
    whole = folder / "whole.jsonl"
    audit(folder / "logs", RULES, engine="local", out=whole, quarantine=folder / "whole-bad.jsonl")
    texts = [path.read_bytes() for path in sorted(folder.glob("found-*.jsonl"))]
    found = sorted(b"".join(texts).splitlines(), key=lambda line: json.loads(line)["doc"])
    assert found == whole.read_bytes().splitlines(), f"{at}: {len(found)} findings"
    bad = sorted((folder / "bad.jsonl").read_bytes().splitlines())
    assert bad == sorted((folder / "whole-bad.jsonl").read_bytes().splitlines()), at
    left = {path.name for path in folder.iterdir() if path.name.startswith(".")}
    assert left == {".state.lock"}, f"{at}: {left}"


def one_life(victim: int, at: int, *, twice: bool, new_names: bool) -> bool:
    """A growing log whose run ``victim`` is killed at a step; whether there was such a step."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "logs").mkdir()
        was_killed = False
        for number in range(RUNS):
            log = folder / "logs" / ("a.jsonl" if number < 2 else f"b{number}.jsonl")
            with log.open("ab") as stream:
                stream.write(records(number))
            out = f"found-{number if new_names else 0}.jsonl"
            if number == victim:
                victim_run = partial(run, folder, number, out)
                was_killed = killed(victim_run, at)
                if was_killed and twice:
                    with contextlib.suppress(AssertionError):
                        killed(victim_run, at)
            if number != victim or was_killed:
                try:
                    run(folder, number, out)
                except (
                    ValueError
                ) as error:  # the last run was killed behind its commit: delivered, and closed
                    assert number == RUNS - 1 and "closed by its last run" in str(error), error
        check(folder, f"run {victim}, step {at}, twice {twice}, new names {new_names}")
    return was_killed


def main() -> None:
    """All steps of one run: its number, whether it is killed twice, whether each run has a file of its own."""
    os.fsync = fsync_at_once
    victim, twice, new_names = int(sys.argv[1]), sys.argv[2] == "twice", sys.argv[3] == "new"
    at = 1
    while at < MOST_STEPS and one_life(victim, at, twice=twice, new_names=new_names):
        at += 1
    print(at - 1)


if __name__ == "__main__":
    main()
