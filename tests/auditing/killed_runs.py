"""Kills runs of an audit that goes on, at every step they take towards the disk; a process of its own.

``python -m tests.auditing.killed_runs RUN once|twice same|new|late [FIRST EVERY]``: from which step on, every so many.

Each run is a child that kills itself (SIGKILL) before or behind its n-th call of what brings something to the disk, or
half way through a copy; then the audit goes on. Prints how many kills there were; says what is wrong, if something is.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

from tests.kills import fsync_at_once, killed
from xmlcep import parse_rules
from xmlcep.auditing import audit, standing

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


class Lives:
    """A growing log in a folder, whose run ``victim`` is killed, at one step after the other.

    What was before that run, and what one audit of the whole log finds, is the same in all of these lives.
    """

    def __init__(self, place: Path, victim: int, *, twice: bool, new_names: bool) -> None:
        self.folder = place / "life"
        self.victim = victim
        self.twice = twice
        self.new_names = new_names
        self._before = place / "before"
        (self.folder / "logs").mkdir(parents=True)
        for number in range(victim):
            self._grow(number)
            self._run(number)
        shutil.copytree(self.folder, self._before)
        for number in range(victim, RUNS):
            self._grow(number)
        whole, bad = place / "whole.jsonl", place / "whole-bad.jsonl"
        audit(self.folder / "logs", RULES, engine="local", out=whole, quarantine=bad)
        self._expected = whole.read_bytes().splitlines(), sorted(bad.read_bytes().splitlines())

    def one(self, at: int) -> bool:
        """The life in which the run is killed at a step; whether there was such a step."""
        shutil.rmtree(self.folder)
        shutil.copytree(self._before, self.folder)
        self._grow(self.victim)
        victim_run = partial(self._run, self.victim)
        was_killed = killed(victim_run, at)
        if was_killed and self.twice:
            with contextlib.suppress(AssertionError):
                killed(victim_run, at)
        for number in range(self.victim, RUNS):
            if number != self.victim:
                self._grow(number)
            if number != self.victim or was_killed:
                try:
                    self._run(number)
                except ValueError as error:
                    # The last run was killed behind its commit: delivered, and closed.
                    assert number == RUNS - 1 and "closed by its last run" in str(error), error
        self._check(f"run {self.victim}, step {at}, twice {self.twice}, new names {self.new_names}")
        return was_killed

    def _grow(self, number: int) -> None:
        log = self.folder / "logs" / ("a.jsonl" if number < 2 else f"b{number}.jsonl")
        with log.open("ab") as stream:
            stream.write(records(number))

    def _run(self, number: int) -> None:
        """One run of the audit."""
        audit(
            self.folder / "logs", RULES, since=self.folder / "state",
            out=self.folder / f"found-{number if self.new_names else 0}.jsonl",
            quarantine=self.folder / "bad.jsonl", summary_file=self.folder / "summary.json",
            final=number == RUNS - 1,
        )  # fmt: skip

    def _check(self, at: str) -> None:
        """Compares with one audit of the whole log."""
        texts = [path.read_bytes() for path in sorted(self.folder.glob("found-*.jsonl"))]
        found = sorted(b"".join(texts).splitlines(), key=lambda line: json.loads(line)["doc"])
        bad = sorted((self.folder / "bad.jsonl").read_bytes().splitlines())
        assert (found, bad) == self._expected, f"{at}: {len(found)} findings"
        left = {path.name for path in self.folder.iterdir() if path.name.startswith(".")}
        assert left == {".state.lock"}, f"{at}: {left}"


class LateLives(Lives):
    """The same with the records of run 1 behind those of run 2, for which run 2 goes back."""

    def _grow(self, number: int) -> None:
        number = (0, 2, 1, 3)[number]
        (self.folder / "logs" / f"{number}.jsonl").write_bytes(records(number))

    def _run(self, number: int) -> None:
        audit(
            self.folder / "logs", RULES, since=self.folder / "state", out=self.folder / "found.jsonl",
            quarantine=self.folder / "bad.jsonl", final=number == RUNS - 1, late="restart",
        )  # fmt: skip

    def _check(self, at: str) -> None:
        lines = (self.folder / "found.jsonl").read_bytes().splitlines()
        found = sorted(map(json.dumps, standing(map(json.loads, lines))))
        bad = sorted((self.folder / "bad.jsonl").read_bytes().splitlines())
        findings, expected_bad = self._expected
        assert found == sorted(json.dumps(json.loads(line)) for line in findings), at
        assert bad == expected_bad, at
        assert not (self.folder / ".state.run").exists(), at


def main() -> None:
    """The steps of one run: its number, whether it is killed twice, whether each run has a file of its own (or with
    ``late`` goes back for late records)."""
    os.fsync = fsync_at_once
    victim, twice, new_names = int(sys.argv[1]), sys.argv[2] == "twice", sys.argv[3] == "new"
    first, every = map(int, sys.argv[4:] or (1, 1))
    kills = 0
    with tempfile.TemporaryDirectory() as place:
        lives = (LateLives if sys.argv[3] == "late" else Lives)(
            Path(place), victim, twice=twice, new_names=new_names
        )
        for at in range(first, MOST_STEPS, every):
            if not lives.one(at):
                break
            kills += 1
    print(kills)


if __name__ == "__main__":
    main()
