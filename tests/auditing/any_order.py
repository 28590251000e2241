"""Records in any order, any cut, in all ``late`` modes: ``python -m tests.auditing.any_order 1 5000 [MODE]``."""

from __future__ import annotations

import json
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from tests.anew import draw_anew
from tests.auditing.growing import Growing, by_document, line
from tests.auditing.test_every_construct import log_of, of_document
from tests.auditing.test_since_cuts import growths
from tests.constructs import UNKNOWN_TO_THE_ENGINE
from tests.laws.agreement import rules_of
from tests.strategies import aimed_histories, rule_sets, show_rules
from tests.strategies.full_rules import EVERYTHING, full_rule_sets
from tests.strategies.timed import timed_histories
from xmlcep.auditing import standing
from xmlcep.auditing.failures import ReplayError
from xmlcep.auditing.request import Late
from xmlcep.events import PrimitiveEvent

MODES: tuple[Late, ...] = ("wait", "restart")
Case = tuple[Any, list[Any], list[dict[str, bytes]], Late]
"""Definitions, a log in order, the files that each run sees, and what is done with late records."""


@st.composite
def cases(draw: st.DrawFn, *, by_file: bool, late: Late | None = None) -> Case:
    """Changes come in any order, or files in any order: clock records and external events then come with the changes
    before them."""
    definitions = draw(full_rule_sets(constructs=EVERYTHING - UNKNOWN_TO_THE_ENGINE) | rule_sets())
    several = (
        timed_histories(max_edits=6)
        | aimed_histories(definitions, max_edits=8)
        | aimed_histories(definitions)
    )
    histories = [draw(several) for _ in range(draw(st.integers(1, 2)))]
    logs = [log_of(of_document(each, f"doc{n}"), f"doc{n}") for n, each in enumerate(histories)]
    late = late or draw(st.sampled_from(MODES))
    items = [item for log in logs for item in log if by_file or isinstance(item, PrimitiveEvent)]
    if not by_file:
        return definitions, items, _some_of(draw, draw(growths(draw(st.permutations(items))))), late
    files: list[list[Any]] = []
    for log in logs:
        files.append([])
        for item in log:
            if isinstance(item, PrimitiveEvent) and files[-1] and draw(st.booleans()):
                files.append([])
            files[-1].append(item)
    seen: list[dict[str, bytes]] = [{}]
    for number, file in enumerate(draw(st.permutations(files))):
        seen[-1][f"{number:02}.jsonl"] = b"".join(map(line, file))
        if draw(st.booleans()):
            seen.append(dict(seen[-1]))
    return definitions, items, _some_of(draw, seen), late


def _some_of(draw: st.DrawFn, seen: list[dict[str, bytes]]) -> list[dict[str, bytes]]:
    """What the files hold at a few of the runs, mostly: a run costs more than all else."""
    most = draw(st.sampled_from((1, 2, 2, 3, 3, 20)))
    chosen = sorted(draw(st.permutations(range(len(seen) - 1)))[:most])
    return [*(seen[number] for number in chosen), seen[-1]]


def check(case: Case) -> tuple[int, int]:
    """Audits runs, which wait for what is missing or go back for it, and one of all of it in order: what they have
    found, without what they have taken back, is what that finds. Returns how often something was taken back, and how
    much was found in all."""
    definitions, items, seen, late = case
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        growing = Growing(folder, rules_of(definitions))
        failed = False
        for number, files in enumerate(seen):
            for file, text in files.items():
                (growing.logs / file).write_bytes(text)
            try:
                growing.run(late=late, final=number == len(seen) - 1)
            except ReplayError:
                failed = True
        for file in growing.logs.iterdir():
            file.unlink()
        (growing.logs / "all.jsonl").write_bytes(b"".join(map(line, items)))
        try:
            whole = growing.whole(folder)
        except ReplayError:
            assert failed
            return 0, 0
        assert not (folder / ".audit.state.run").exists()
        found = growing.out.read_bytes()
        if late == "restart":
            left = standing(map(json.loads, found.splitlines()))
            assert sorted(map(json.dumps, left)) == sorted(map(json.dumps, whole.records()))
            return found.count(b'"retract":'), whole.summary.findings
        assert not failed
        assert by_document(found) == list(whole.lines())
        assert sum(each.summary.records for each in growing.results) == whole.summary.records
        assert not any(each.summary.quarantined for each in growing.results)
        return 0, whole.summary.findings


def main(first: str, count: str, *modes: str) -> None:
    """Prints what breaks the law, for each mode."""
    for late in MODES:
        if late not in (modes or MODES):
            continue
        for by_file in (False, True):
            said: Counter[str] = Counter()

            def look(case: Case, said: Counter[str] = said) -> None:
                said["cases"] += 1
                try:
                    retractions, findings = check(case)
                    said.update(retractions=retractions, findings=findings)
                except Exception as error:
                    said["broken"] += 1
                    if said["broken"] < 4:
                        print(show_rules(case[0]), case[1:], type(error), error, sep="\n")

            draw_anew(cases(by_file=by_file, late=late), int(first), int(count), look)
            print(late, "files" if by_file else "changes", dict(said), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
