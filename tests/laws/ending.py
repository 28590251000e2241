"""Whether `can_still_raise` ever says no and is wrong (Y11): ``python -m tests.laws.ending 1 5000 [MODE …]``."""

from __future__ import annotations

import sys
from collections import Counter

from tests.anew import draw_anew
from tests.laws.agreement import as_the_engine_sees, rules_of, take
from tests.laws.long_run import MODES
from tests.strategies import History
from xmlcep.algebra import EventDefinition
from xmlcep.engine import Detector
from xmlcep.events import CompositeEvent, PrimitiveEvent

Case = tuple[tuple[EventDefinition, ...], History]


def untrue(definitions: tuple[EventDefinition, ...], history: History) -> tuple[list[CompositeEvent], int]:
    """The composites that came where it was said that none can, and how often that was said."""
    detector = Detector(rules_of(definitions))
    names = [tree.tree.name for tree in detector.trees.values()]
    nodes: dict[int, bool] = {}  # whether they exist
    ended: set[tuple[str, int]] = set()
    found = []
    for step in [*map(as_the_engine_sees, history.steps), "flush", "close"]:
        found += [each for each in take(detector, step) if each.ids and (each.name, each.ids[-1]) in ended]
        if isinstance(step, PrimitiveEvent):
            nodes.update(dict.fromkeys(step.ids, True))
            nodes[step.ids[-1]] = step.op != "del"
        ended |= {
            (name, node)
            for node, exists in nodes.items()
            for name in names
            if not detector.can_still_raise(name, node, exists=exists)
        }
    return found, len(ended)


def main(arguments: list[str]) -> int:
    first, count, *modes = arguments
    status = 0
    for mode in modes or MODES:
        said: Counter[str] = Counter()

        def look(case: Case, said: Counter[str] = said) -> None:
            found, ended = untrue(*case)
            said["untrue"] += len(found)
            said["no"] += ended

        draw_anew(MODES[mode], int(first), int(count), look)
        print(f"{mode}: {count} cases, {said['no']} times no, {said['untrue']} untrue", flush=True)
        status |= bool(said["untrue"])
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
