"""Location paths, followed over any source of nodes: step by step, each node once, in document order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any, NamedTuple, TypeAlias

from .axes import REVERSE, step_function
from .checking import selects_by_place
from .kinds import Variables
from .nodes import Document, Node, Source, in_document_order, is_nested
from .syntax import Axis, NodeTest, Step

Subject: TypeAlias = Any
NodeSelection: TypeAlias = Callable[[Subject, Document, Sequence[Node]], Sequence[Node]]
"""What a predicate keeps of the nodes of a step."""
Stride: TypeAlias = Callable[[Subject, Document, Sequence[Node]], Sequence[Node]]
"""From the nodes before a step to those behind it, both in document order."""


class _Order(Enum):
    """In which order the nodes come that a step leads to from several."""

    KEPT = "document order, each once"
    IF_APART = "document order, each once, if none of the several is in another"
    ANY = "any order, perhaps more than once"


class _Seen(NamedTuple):
    """What is known of the nodes that steps lead to: that there is one at most, that none of them is in another."""

    single: bool
    apart: bool


_ORDERED = frozenset({Axis.SELF, Axis.ATTRIBUTE})


def strides(
    source: Source,
    steps: Sequence[Step],
    variables: Variables,
    selections: Callable[[Step], Sequence[NodeSelection]],
    *,
    single: bool,
) -> list[Stride]:
    """The strides of some steps; ``single``: from one node at most. ``selections`` makes a step's predicates."""
    seen, made = _Seen(single, single), []
    for step in _shortened(steps, variables):
        order, seen = _order(step.axis, seen)
        function = step_function(source, step.axis, step.test)
        made.append(_stride(source, function, tuple(selections(step)), order, back=step.axis in REVERSE))
    return made


def _order(axis: Axis, before: _Seen) -> tuple[_Order, _Seen]:
    apart = before.apart and axis in (*_ORDERED, Axis.CHILD)
    behind = _Seen(before.single and axis in (Axis.SELF, Axis.PARENT), apart)
    if behind.single:
        behind = _Seen(single=True, apart=True)
    if before.single or axis in _ORDERED:
        return _Order.KEPT, behind
    if axis is Axis.CHILD or (before.apart and axis in (Axis.DESCENDANT, Axis.DESCENDANT_OR_SELF)):
        return _Order.KEPT if before.apart else _Order.IF_APART, behind
    return _Order.ANY, behind


def _shortened(steps: Sequence[Step], variables: Variables) -> list[Step]:
    """``//x`` in one step, unless a predicate of x counts places among its siblings."""
    made: list[Step] = []
    for step in steps:
        shorthand = made[-1:] == [_ANY_DEPTH] and step.axis is Axis.CHILD
        if shorthand and not any(selects_by_place(predicate, variables) for predicate in step.predicates):
            made[-1] = replace(step, axis=Axis.DESCENDANT)
        else:
            made.append(step)
    return made


def from_top(steps: Sequence[Step], variables: Variables) -> tuple[Step, ...] | None:
    """Steps from the root node as steps from the top element; None if there are none that mean the same."""
    short = _shortened(steps, variables)
    if not short or short[0].axis not in _FROM_TOP:
        return None
    first, *rest = short
    if first.test is NodeTest.NODE and first.axis is Axis.DESCENDANT_OR_SELF:
        return None  # the root node is one, too
    return (replace(first, axis=_FROM_TOP[first.axis]), *rest)


_FROM_TOP = {
    Axis.CHILD: Axis.SELF, Axis.DESCENDANT: Axis.DESCENDANT_OR_SELF,
    Axis.DESCENDANT_OR_SELF: Axis.DESCENDANT_OR_SELF,
}  # fmt: skip
_ANY_DEPTH = Step(Axis.DESCENDANT_OR_SELF, NodeTest.NODE)


def _stride(
    source: Source,
    step: Callable[[Document, Node], Sequence[Node]],
    selections: Sequence[NodeSelection],
    order: _Order,
    *,
    back: bool,
) -> Stride:
    def reached(subject: Subject, document: Document, node: Node) -> Sequence[Node]:
        found = step(document, node)
        for selection in selections:
            found = selection(subject, document, found)
        return found

    def plain(subject: Subject, document: Document, nodes: Sequence[Node]) -> Sequence[Node]:
        if len(nodes) == 1:
            return step(document, nodes[0])
        return stride(subject, document, nodes)

    def stride(subject: Subject, document: Document, nodes: Sequence[Node]) -> Sequence[Node]:
        if len(nodes) == 1:
            found = reached(subject, document, nodes[0])
            return found[::-1] if back else found
        together = [each for node in nodes for each in reached(subject, document, node)]
        if order is _Order.KEPT or (order is _Order.IF_APART and not is_nested(source, document, nodes)):
            return together
        return in_document_order(source, document, together)

    return stride if selections or back else plain
