"""The expressions of event trees, compiled, as values (rules F1, D4, V1 to V6, O1, Y10); `compiling` makes them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from path_types import PathType

from ..languages import CompiledText
from ..xpath import Expression, NodeKind
from . import variables as vs
from .braces import Text
from .trees import OperatorNode


class Questions(NamedTuple):
    """What is asked of an event at a node of some kind: the filter, and what variables are bound to, None for the
    node's value; ``compared`` is a filter that asks for variables of a combination, too, and beside one (A8)."""

    filter: Expression | None
    bindings: tuple[tuple[str, Expression | None], ...]
    compared: Expression | None = None

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """All of them."""
        given = (self.filter, self.compared, *(expression for _, expression in self.bindings))
        return tuple(expression for expression in given if expression is not None)


@dataclass(frozen=True, slots=True, eq=False)
class LeafProgram:
    """What a leaf asks of an event before it takes it, and what it binds (F1, V1), by the kind of the event's node.

    A leaf takes nodes of one kind, unless it has a scope (F5). ``name`` is what the operand is called (V10).
    """

    questions: Mapping[NodeKind, Questions]
    opaque: CompiledText | None = None
    name: str | None = None

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """All its expressions."""
        return tuple(expression for asked in self.questions.values() for expression in asked.expressions)

    @property
    def compares(self) -> bool:
        """Whether its filter is asked beside a combination (A8)."""
        return any(asked.compared is not None for asked in self.questions.values())

    @property
    def binds(self) -> frozenset[str]:
        """The variables that it binds."""
        declared = () if self.opaque is None else self.opaque.variables or ()
        return frozenset(declared).union(
            name for each in self.questions.values() for name, _ in each.bindings
        )

    @property
    def needs_document(self) -> bool:
        """Whether it asks the document (F3, O1)."""
        opaque = self.opaque is not None and self.opaque.needs_document
        return opaque or any(expression.needs_document for expression in self.expressions)

    @property
    def is_of_events_alone(self) -> bool:
        """Whether all that it asks, and binds, follows from the event: neither nodes nor an engine are asked."""
        return self.opaque is None and not any(expression.needs_nodes for expression in self.expressions)


@dataclass(frozen=True, slots=True, eq=False)
class Says:
    """What findings of an event say (Y10): its severity, and its message as text with expressions."""

    severity: str | None = None
    message: Text | None = None

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """Those of the message."""
        return tuple(part for part in self.message or () if isinstance(part, Expression))


@dataclass(frozen=True, slots=True, eq=False)
class OperatorProgram:
    """What an operator groups by beside the place, and what it makes of the variables of its constituents.

    ``single`` are variables of its composites with the one value of the first constituent that has it, ``lists`` those
    with all values; then ``lets`` are computed, ``having`` is asked of the combination (V6), ``guard`` when it would be
    raised (D4). ``variables`` are those of its composites. ``leaves`` are the programs of its operands, None for
    those that ask and bind nothing. ``test`` is the expression that turns true at elements, of which ``subject`` is the
    filter and the variables (B1, B2). ``says``: of a root what findings say; None for nothing.
    """

    grouping: vs.Grouping = vs.PLACE_ONLY
    lists: tuple[str, ...] = ()
    lets: tuple[tuple[str, Expression], ...] = ()
    having: Expression | None = None
    guard: Expression | None = None
    variables: vs.Variables = field(default_factory=dict)
    leaves: tuple[LeafProgram | None, ...] = ()
    test: Expression | None = None
    subject: Questions | None = None
    says: Says | None = None

    @property
    def asked_at_node(self) -> tuple[Expression, ...]:
        """Its expressions that ask the document from the node of a composite: guard, message, what turns true (which is
        asked of the elements that there are, whatever it reads)."""
        said = self.says.expressions if self.says else ()
        given = (expression for expression in (self.guard, *said) if expression is not None)
        asked = tuple(expression for expression in given if expression.needs_document)
        return asked if self.test is None else (self.test, *asked)

    @property
    def needs_document(self) -> bool:
        """Whether its guard, its message or a leaf asks the document, or it asks elements of it."""
        if self.asked_at_node:
            return True
        return any(leaf is not None and leaf.needs_document for leaf in self.leaves)

    @property
    def has_expressions(self) -> bool:
        """Whether any expression is in it."""
        asks = any(leaf is not None and (leaf.opaque or leaf.expressions) for leaf in self.leaves)
        said = self.says is not None and self.says.message
        return bool(self.lets or self.having or self.guard or self.test or asks or said)

    @property
    def expressions(self) -> tuple[Expression, ...]:
        """All expressions of the operator and of its leaves."""
        own = (*(expression for _, expression in self.lets), self.having, self.guard, self.test)
        asked = () if self.subject is None else self.subject.expressions
        of_leaves = (
            expression for leaf in self.leaves if leaf is not None for expression in leaf.expressions
        )
        said = self.says.expressions if self.says else ()
        return (*(expression for expression in own if expression is not None), *asked, *of_leaves, *said)

    @property
    def has_variables(self) -> bool:
        """Whether variables play any part in it, so that its entries have to carry them."""
        return bool(self.variables or self.having)


def bound_by_operands(node: OperatorNode, programs: Sequence[OperatorProgram]) -> list[frozenset[str]]:
    """The variables that each operand binds, given the programs of the operators of the tree."""
    return [
        frozenset(programs[child.index].variables)
        if isinstance(child, OperatorNode)
        else (frozenset() if leaf is None else leaf.binds)
        for child, leaf in zip(node.children, programs[node.index].leaves, strict=True)
    ]


def node_kind(path: PathType) -> NodeKind:
    """What a node of this path type is as the context node of expressions."""
    last = path.last
    if last.is_element:
        return NodeKind.ELEMENT
    return NodeKind.TEXT if last.test == "text()" else NodeKind.ATTRIBUTE
