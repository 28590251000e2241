"""Forms of what is like nothing else: timers, runs, groups of deleted nodes, what an edit holds back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from contexts.grouping import Key
from contexts.pairing import Ending, Waiting
from contexts.runs import Member, Run

from ...algebra import Unit
from ..edits import HeldRecord, HeldTimePoint
from ..timers import Due
from .forms import NO_ITEMS, BothItems, Items
from .layouts import Divided, Form, Interpreter, Scribe, read_key
from .pool import Json

_NO_TIMERS: dict[Unit, list[Any]] = {unit: [] for unit in Unit}


class Heaps(Divided):
    """What is due, by measure: each with the group that it is of."""

    new = _NO_TIMERS

    def pairs(self, value: Any, tree: int) -> Iterable[tuple[int, Key, Any]]:
        return [(each[2].tree, each[2].key, (unit, *each)) for unit, heap in value.items() for each in heap]

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        unit, _, number, due = value
        return [unit.value, number, due.at, due.tree, due.operator]

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        unit, number, at, of_tree, operator = data
        tree = reader.tree(of_tree)
        if tree is not None:
            owner.restore(Unit(unit), number, Due(at, tree, operator, present))

    def put(self, present: Any, key: Key, one: Any) -> None:
        """It is set already."""


def _due(data: Json) -> Due:
    at, tree, operator, key = data
    return Due(at, tree, operator, read_key(key))


class WaitingPair(Form):
    """What two operands that wait for a release have in a group."""

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        endings = [ending.event for ending in value.endings]
        return {
            "stored": BothItems().write(writer, value.stored, owner),
            "endings": Items(1).write(writer, endings, owner),
            "before": [[ending.at, ending.before] for ending in value.endings],
            "fresh": value.fresh, "told": value.told,
        }  # fmt: skip

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        waiting = Waiting(BothItems().read(reader, data["stored"], owner, None))
        events = Items(1).read(reader, data["endings"], owner, None)
        waiting.endings = [
            Ending(event, at, before) for event, (at, before) in zip(events, data["before"], strict=True)
        ]
        waiting.fresh, waiting.told = data["fresh"], tuple(data["told"])
        return waiting


class RunsForm(Form):
    """The runs of a group, of which it is known by identity what they have: here by operand and entry."""

    new = None

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        if value is None:
            return None
        members = {member.identity: member for run in value.open for member in run.members}
        return {
            "open": [[int(run.is_complete), _written(writer, run.members)] for run in value.open],
            "used": _written(
                writer, [member for identity, member in members.items() if identity in value.used]
            ),
        }

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        if data is None:
            return present
        for is_complete, members in data["open"]:
            first, *others = [Member(operand, reader.entry(entry)) for operand, entry in members]
            run = Run(first, len(owner.stored))
            for member in others:
                run.take(member)
            run.is_complete = bool(is_complete)
            present.open.append(run)
        present.used = {Member(operand, reader.entry(entry)).identity for operand, entry in data["used"]}
        return present


def _written(writer: Scribe, members: Iterable[Member]) -> Json:
    return [[operand, writer.entry(entry)] for operand, entry in members]


class Departures(Form):
    """Operators' groups of deleted nodes: tree and operator by index, the node with those above it."""

    new = NO_ITEMS

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return [[tree.tree.index, state.node.index, list(ids)] for tree, state, ids in value]

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        kept = ((index, *of) for tree, *of in data if (index := reader.tree(tree)) is not None)
        return [*present, *owner.restore(kept)]


class Held(Form):
    """What an edit that goes on has held back: records and time points. Rules are not replaced within one (G7)."""

    new = NO_ITEMS

    def write(self, writer: Scribe, value: Any, owner: Any) -> Json:
        return [
            self._record(writer, one) if hasattr(one, "event") else self._time_point(writer, one)
            for one in value
        ]

    def _record(self, writer: Scribe, held: HeldRecord) -> Json:
        before = [[list(place), writer.bindings(answer)] for place, answer in held.before.items()]
        return {
            "event": writer.event(held.event),
            "point": held.point,
            **_outside(writer, held),
            "before": before,
        }

    def _time_point(self, writer: Scribe, held: HeldTimePoint) -> Json:
        due = [[tree, [list(one) for one in all_]] for tree, all_ in held.due.items()]
        return {
            "cause": writer.event(held.cause), "point": held.point, **_outside(writer, held), "due": due,
        }  # fmt: skip

    def read(self, reader: Interpreter, data: Json, owner: Any, present: Any) -> Any:
        held: list[HeldRecord | HeldTimePoint] = []
        for one in data:
            outside = {tree: [reader.event(number) for number in numbers] for tree, numbers in one["outside"]}
            if "event" in one:
                before = {tuple(place): reader.bindings(answer) for place, answer in one["before"]}
                held.append(HeldRecord(reader.event(one["event"]), one["point"], outside, before))
                continue
            due = {tree: list(map(_due, all_)) for tree, all_ in one["due"]}
            held.append(HeldTimePoint(reader.event(one["cause"]), one["point"], outside, due))
        return held


def _outside(writer: Scribe, held: Any) -> dict[str, Json]:
    return {
        "outside": [[tree, [writer.event(event) for event in all_]] for tree, all_ in held.outside.items()]
    }
