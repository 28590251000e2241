"""Operators that can never be satisfied because every change has a time point of its own (E3).

So a window that counts changes can be too narrow for what it is about, changes that are not the same never begin or end
at one time point (R1), where only the newest event counts (recent) nothing comes before itself, and what is below a
node is inserted after it, one element after the other (E6), so that this happens in between in any case (A1, S3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import NamedTuple

from path_types import PathType, equals_or_ends
from path_types.relations import offsets

from ..algebra import (
    AnyOf,
    Becomes,
    Conjunction,
    ContextName,
    Disjunction,
    EventDefinition,
    Expression,
    Leaf,
    Multiplicity,
    Operator,
    Order,
    Relation,
    Sequence,
    Unit,
    leaves_of,
    path_of,
    walk,
)
from ..events import ANY, PrimitiveType, Scope
from ..language import print_path
from ..rules.overlap import may_repeat
from .definitions import takes_all

Found = tuple[Leaf | Operator, str, str]
"""What is wrong: where, what, and what to write instead."""

_AT_ONE_TIME = frozenset(["equals", "meets", "met-by", "starts", "started-by", "finishes", "finished-by"])
"""The relations in which an end of one interval is an end of the other (R1)."""


class TimePoints:
    """What time points rule out in the operators of an event."""

    def __init__(self, definition: EventDefinition, namespaces: Mapping[str, str]) -> None:
        self._definition = definition
        self._namespaces = namespaces

    def problems(self, operator: Operator) -> Iterator[Found]:
        """Why an operator is never satisfied; nothing if it can be, for all that is known here."""
        yield from self._window(operator)
        if isinstance(operator, Relation):
            yield from self._relation(operator)
        elif isinstance(operator, Sequence):
            yield from self._newest(operator)
            yield from self._counted(operator)
            if not self._definition.flat:
                yield from self._between(operator)

    # ---- windows ----------------------------------------------------------------------------------------

    def _window(self, operator: Operator) -> Iterator[Found]:
        within = operator.options.within
        if within is None or within.unit is not Unit.CHANGES:
            return
        least = self._least_span(operator) + 1
        if least > within.amount:
            said = f"its events are at least {_changes(least)}, and the window is {_changes(within.amount)}"
            yield (
                operator,
                f"{said}, so that it never matches",
                f'write within="{least} changes", or more (W3)',
            )

    def _least_span(self, expression: Expression) -> int:
        """How many changes there are at least behind the first of what an operand is raised for."""
        if not isinstance(expression, Operator):
            return 0
        spans = [self._least_span(operand) for operand in expression.operands]
        if isinstance(expression, Sequence):
            solid = [k for k in expression.positive if self._needs_change(expression.operands[k])]
            inside = sum(spans[k] for k in solid) if self._definition.order is Order.INTERVAL else 0
            return inside + len(solid) - 1 if solid else 0
        if isinstance(expression, Disjunction):
            return min(spans)
        changes = [each.type for each in map(_change, expression.operands) if each is not None]
        if isinstance(expression, Multiplicity):
            if expression.lower and changes:
                return expression.lower - 1
            return spans[0] if expression.lower and self._needs_change(expression.operands[0]) else 0
        if isinstance(expression, AnyOf):
            return expression.count - 1 if len(changes) == len(spans) else 0
        if isinstance(expression, Conjunction | Relation):
            changes = [each.type for k in expression.required if (each := _change(expression.operands[k]))]
            apart = len(changes) - 1 if changes and not may_repeat(changes) else 0
            solid = [k for k in expression.required if self._needs_change(expression.operands[k])]
            return max([apart, *(spans[k] for k in solid)])
        return 0

    def _needs_change(self, expression: Expression) -> bool:
        return needs_change(expression, self._definition.order)

    # ---- relations --------------------------------------------------------------------------------------

    def _relation(self, operator: Relation) -> Iterator[Found]:
        both = None not in map(_change, operator.operands)
        if not (operator.word in _AT_ONE_TIME or (operator.word == "par" and both)):
            return
        types = [_changes_in(operand) for operand in operator.operands]
        if types[0] is None or types[1] is None:
            return
        if any(may_repeat((one, other)) for one in types[0] for other in types[1]):
            return
        said = "no change is part of both operands, and each has its own time point"
        said += f", so that {operator.word!r} never holds"
        yield operator, said, "write 'before', 'after' or &"

    # ---- recent -----------------------------------------------------------------------------------------

    def _newest(self, operator: Sequence) -> Iterator[Found]:
        if (operator.options.context or self._definition.context) is not ContextName.RECENT:
            return
        operands = [_change(operator.operands[k]) for k in operator.positive]
        binds = any(leaf.bindings for leaf in leaves_of(operator))
        for k, second in enumerate(operands):
            for first in operands[:k]:
                if first is not None and second is not None and _takes_all(first, second, binds=binds):
                    said = "in recent context only the newest event of each operand counts, and whatever"
                    shown = f"{second.type.operation}({self._shown(second.type.path)})"
                    said += f" {shown} takes an operand before it takes, too: it never comes before itself"
                    hint = "write {context=chronicle}, or x[2,*]"
                    yield second.leaf, f"{said}, so that the sequence never matches", hint
                    return

    # ---- counts ------------------------------------------------------------------------------------------

    def _counted(self, operator: Sequence) -> Iterator[Found]:
        if self._definition.order is not Order.INTERVAL:
            return
        for j, k in pairwise(operator.positive):
            before, counted = operator.operands[j], operator.operands[k]
            if counts_before(before, counted, path_of(operator), flat=self._definition.flat):
                assert isinstance(counted, Multiplicity)
                said = f"x[{counted.lower},*] counts the event before it, too, and so never begins after it"
                upper = f"x[{counted.lower},{counted.lower}]"
                yield (
                    counted,
                    f"{said}: the sequence never matches",
                    f"write {upper}, which starts again (M2)",
                )

    # ---- what happens in between ------------------------------------------------------------------------

    def _between(self, operator: Sequence) -> Iterator[Found]:
        """Of a sequence that goes from the insertion of its node to something deeper: what is inserted on the way."""
        path = path_of(operator)
        if path is None:
            return
        for k, following in pairwise(operator.positive):
            first, last = _change(operator.operands[k]), _change(operator.operands[following])
            if first is None or last is None or first.type.operation != "ins":
                continue
            if not equals_or_ends(first.type.path, path):
                continue
            inserted = _inserted_below(path, last.type)
            if inserted and operator.options.strict:
                said = f"between them ins({self._shown(inserted[0])}) happens in any case, so that it is never strict"
                yield last.leaf, said, "leave strict out (S3)"
                return
            between = [operator.operands[n] for n in operator.negated if k < n < following]
            for negated in map(_change, between):
                for each in inserted:
                    if negated is not None and _takes_insertion(negated, each):
                        said = f"ins({self._shown(each)}) happens here in any case, and must not"
                        yield negated.leaf, f"{said}, so that the sequence never matches", "leave it out (A1)"
                        return

    def _shown(self, path: PathType) -> str:
        return print_path(path, self._namespaces)


def needs_change(expression: Expression, order: Order) -> bool:
    """Whether an operand needs a change, in the order that its sequence sees."""
    if isinstance(expression, Leaf):
        return isinstance(expression.type, PrimitiveType)
    if order is not Order.INTERVAL:
        return False  # it can be raised later than what it is made of
    if isinstance(expression, Multiplicity):
        return expression.lower > 0 and needs_change(expression.operand, order)
    if isinstance(expression, Disjunction):
        return all(needs_change(operand, order) for operand in expression.operands)
    if isinstance(expression, Sequence):
        return any(needs_change(expression.operands[k], order) for k in expression.positive)
    return isinstance(expression, Conjunction) and any(
        needs_change(expression.operands[k], order) for k in expression.required
    )


def counts_before(before: Expression, counted: Expression, path: PathType | None, *, flat: bool) -> bool:
    """Whether a multiplicity without end counts each event before it in a sequence of groups of a path (M1)."""
    if not isinstance(counted, Multiplicity) or counted.upper is not None or not counted.lower:
        return False
    options = counted.options
    asks = (options.within, options.gap, options.having, options.end, options.when, options.guard)
    if any(each is not None for each in asks) or not (flat or path_of(counted) is path):
        return False
    first, second = _change(before), _change(counted.operand)
    return (
        first is not None
        and second is not None
        and _takes_all(second, first, binds=bool(first.leaf.bindings or second.leaf.bindings))
    )


class _Change(NamedTuple):
    """A leaf that takes changes at the very nodes its path names."""

    leaf: Leaf
    type: PrimitiveType


def _change(expression: Expression) -> _Change | None:
    if not isinstance(expression, Leaf) or not isinstance(expression.type, PrimitiveType):
        return None
    return _Change(expression, expression.type) if expression.type.scope is Scope.NODE else None


def _changes(count: int) -> str:
    return f"{count} change{'' if count == 1 else 's'}"


def _changes_in(expression: Expression) -> list[PrimitiveType] | None:
    """The types of all changes that an operand is made of; None if they are not known."""
    if any(isinstance(part, Becomes) for part in walk(expression)):
        return None  # of any
    found = []
    for leaf in leaves_of(expression):
        if not isinstance(leaf.type, PrimitiveType):
            return None
        found.append(leaf.type)
    return found or None


def _takes_all(first: _Change, second: _Change, *, binds: bool) -> bool:
    """Whether every event that the second leaf takes into a group is taken into it by the first one as well."""
    same = not binds or first.leaf.bindings == second.leaf.bindings
    return same and takes_all(first.leaf, second.leaf)


def _inserted_below(path: PathType, last: PrimitiveType) -> list[PathType]:
    """What is inserted between the node of a path and a change below it, if that node is new."""
    found = offsets(path, last.path)
    if not found:
        return []
    end = found[0] + len(path)
    length = len(last.path) if last.operation in ("upd", "del") else len(last.path) - 1
    return [PathType.of(last.path.absolute, last.path.steps[:n]) for n in range(end + 1, length + 1)]


def _takes_insertion(negated: _Change, path: PathType) -> bool:
    """Whether an operand takes each insertion at a path."""
    if negated.leaf.filter or negated.leaf.opaque or negated.leaf.bindings:
        return False
    return negated.type.operation in (ANY, "ins") and equals_or_ends(negated.type.path, path)
