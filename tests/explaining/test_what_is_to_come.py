"""What is said of events that are yet to come is so once they have come (Y1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import permutations
from typing import Any

from path_types import PathType
from tests.explaining.law import law
from tests.explaining.test_laws import PLAIN, after
from tests.laws.agreement import rules_of
from tests.strategies import show_history, show_rules
from tests.strategies.full_rules import full_rule_sets
from tests.strategies.timed import timed_histories
from xmlcep.algebra import Leaf, leaves_of
from xmlcep.engine import Detector
from xmlcep.engine.errors import EvaluationError
from xmlcep.events import ANY, CompositeEvent, PrimitiveEvent, PrimitiveType
from xmlcep.explaining import PendingGroup
from xmlcep.explaining.nodes import written

# What has come may have become too old otherwise, or what comes now is too late.
UNBOUND = PLAIN - {"within", "gap", "strict"}
FRESH = 300_000
"""Ids of nodes that are new."""


@law(full_rule_sets(max_events=1, constructs=UNBOUND), timed_histories(edits=False), examples=60)
def test_one_more_event_raises_it_again(definitions, history) -> None:  # type: ignore[no-untyped-def]
    """Of a group that has been raised: an event of one of its leaves raises it, with what releases it."""
    rules = rules_of(definitions)
    try:
        present = after(rules, history)
    except EvaluationError:
        return
    gone = {event.ids[-1] for event in history.events if event.op == "del"}
    for group in present.pending(limit=None):
        if not group.raised or not group.ids or gone.intersection(group.ids):
            continue
        if "one more event raises it again" not in str(group):
            continue
        more = [one for leaf in leaves_of(definitions[0].expression) for one in coming(leaf, group)]
        said = "\n".join([show_rules(definitions), show_history(history), group.text()])
        assert not more or any(raises(after(rules, history), [one], group, history) for one in more), said


@law(
    full_rule_sets(max_events=1, constructs=UNBOUND - {"relation"}), timed_histories(edits=False), examples=60
)
def test_what_is_missing_completes_it(definitions, history) -> None:  # type: ignore[no-untyped-def]
    """Of a group of one operator in which leaves are missing: once they have come, in some order, it is raised, or has
    more."""
    if not all(isinstance(operand, Leaf) for operand in definitions[0].expression.operands):
        return
    rules = rules_of(definitions)
    try:
        present = after(rules, history)
    except EvaluationError:
        return
    leaves = {written(leaf, {}): leaf for leaf in leaves_of(definitions[0].expression)}
    gone = {event.ids[-1] for event in history.events if event.op == "del"}
    for group in present.pending(limit=None):
        missing = group.missing
        if group.raised or not missing or len(missing) > 3 or not group.ids or gone.intersection(group.ids):
            continue
        if group.causes:  # something else holds it back
            continue
        each = [next(coming(leaves[text], group), None) for text in missing]
        taking = [
            leaf for leaf in leaves.values() for one in each if one and leaf.type.accepts(one[0], one[1])
        ]
        if None in each or len(taking) > len(each):  # what others take, too, may count for them
            continue
        said = "\n".join([show_rules(definitions), show_history(history), group.text()])
        assert any(
            completes(after(rules, history), list(order), group, history) for order in permutations(each)
        ), said


def completes(detector: Detector, more: list[Any], group: PendingGroup, history: Any) -> bool:
    """Whether a group is raised by these events, or lacks less than before."""
    if raises(detector, more, group, history, release=False):
        return True
    (now,) = [one for one in detector.pending(limit=None) if one.ids == group.ids] or [None]
    if now is not None and (
        now.share.satisfied > group.share.satisfied or len(now.missing) < len(group.missing)
    ):
        return True
    return raises(detector, [], group, history)


def coming(leaf: Leaf, group: PendingGroup) -> Iterator[tuple[str, PathType, tuple[int, ...]]]:
    """An event that the leaf takes, in the group: its operation, path and ids."""
    own = group.path
    assert own is not None and isinstance(leaf.type, PrimitiveType)
    path = leaf.type.path
    steps = path.steps
    if not path.absolute:
        most = min(len(own), len(path))
        overlap = max(n for n in range(most + 1) if own.steps[len(own) - n :] == path.steps[:n])
        steps = (*own.steps, *path.steps[overlap:])
    new = len(steps) - len(own)
    if len(set(steps)) < len(steps):  # which is in no group (P3)
        return
    if new < 0 or steps[: len(own)] != own.steps or (not new and leaf.type.operation not in (ANY, "upd")):
        return
    operation = leaf.type.operation if leaf.type.operation != ANY else "ins" if new else "upd"
    found = PathType.of(True, steps), (*group.ids, *range(FRESH, FRESH + new))
    if leaf.type.accepts(operation, found[0]):
        yield operation, *found


def raises(
    detector: Detector, more: Iterable[Any], group: PendingGroup, history: Any, *, release: bool = True
) -> bool:
    """Whether these events, and what releases them, raise the group's event."""
    last = history.events[-1]
    ts, raised = last.ts if detector.last_fed is None else detector.last_fed.ts, list[CompositeEvent]()
    for number, (operation, path, ids) in enumerate(more, 1):
        new = tuple(node + 100 * number if node >= FRESH else node for node in ids)
        raised += detector.feed(PrimitiveEvent(ts + number, operation, path, new, at=last.at))
    if release:
        raised += detector.flush()
        due = detector.next_due()
        while due is not None and due < "2026-01-01T00:30":
            raised += detector.advance(due)
            raised += detector.flush()
            due = detector.next_due()
    return any(one.name == group.event and one.ids == group.ids for one in raised)
