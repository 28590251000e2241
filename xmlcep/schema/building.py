"""Expressions over the elements of one place, with explicit path types only where T2 gives another one."""

from __future__ import annotations

from collections.abc import Sequence as SequenceOf
from dataclasses import dataclass, replace

from path_types import PathType

from ..algebra import (
    NO_OPTIONS,
    Conjunction,
    Disjunction,
    EventDefinition,
    Expression,
    Leaf,
    Multiplicity,
    Operator,
    Options,
    Order,
    Sequence,
    Termination,
    leaves_of,
    path_of,
)
from ..events import CompositeType, PrimitiveType
from ..matching import MOVED_FROM, MOVED_TO
from .errors import SchemaError

MAX_BOUND = 999_999_999
"""The largest bound that the event language reads."""


@dataclass(frozen=True, slots=True)
class DerivedEvent:
    """An event definition and the comments that are above it."""

    definition: EventDefinition
    comments: tuple[str, ...] = ()


def inserted(path: PathType, *, moved: bool = True) -> Leaf:
    """``ins(path)``; without ``moved`` not of what only stood elsewhere before."""
    return Leaf(PrimitiveType("ins", path), None if moved else f"not($meta:{MOVED_FROM})")


def updated(path: PathType) -> Leaf:
    """``upd(path)``."""
    return Leaf(PrimitiveType("upd", path))


def deleted(path: PathType, *, moved: bool = True) -> Leaf:
    """``del(path)``; without ``moved`` not of what is elsewhere now."""
    return Leaf(PrimitiveType("del", path), None if moved else f"not($meta:{MOVED_TO})")


def raised(name: str, path: PathType) -> Leaf:
    """``name(path)``."""
    return Leaf(CompositeType(name, path))


def conjunction(operands: SequenceOf[Expression], path: PathType) -> Expression | None:
    """All of the operands, grouped by ``path``; the only operand itself; None without operands."""
    return _joined(Conjunction, operands, path)


def disjunction(operands: SequenceOf[Expression], path: PathType) -> Expression | None:
    """One of the operands, grouped by ``path``."""
    return _joined(Disjunction, operands, path)


def alternatives(operands: SequenceOf[Expression], path: PathType) -> Operator:
    """One of several operands, alternatives among them opened."""
    flat: list[Expression] = []
    for operand in operands:
        opened = isinstance(operand, Disjunction) and operand.options.when is None
        flat.extend(operand.operands if isinstance(operand, Disjunction) and opened else (operand,))
    return _at(Disjunction(tuple(flat)), path)


def multiplicity(
    operand: Expression, lower: int, upper: int | None, path: PathType, when: str | None = None
) -> Operator:
    """``x[lower,upper] operand``, grouped by ``path``; raises `SchemaError` when ``lower`` is above `MAX_BOUND`."""
    if lower > MAX_BOUND:
        raise SchemaError(
            f"{path}: the schema asks for more than {MAX_BOUND:,} children of a kind (MAX_BOUND): no event can be "
            "made of so many; derive what does not contain it with --root NAME"
        )
    upper = None if upper is not None and upper > MAX_BOUND else upper  # nobody gets there
    return _at(Multiplicity((operand,), lower, upper, Options(when=when) if when else NO_OPTIONS), path)


def times(operand: Expression, lower: int, upper: int | None, path: PathType) -> Expression:
    """The operand itself if it is to occur exactly once."""
    return operand if (lower, upper) == (1, 1) else multiplicity(operand, lower, upper, path)


def when(operand: Expression, condition: str, path: PathType) -> Operator:
    """The operand while the condition holds; a leaf gets a multiplicity to carry the condition."""
    if isinstance(operand, Leaf) or operand.options.when is not None:
        return multiplicity(operand, 1, 1, path, condition)
    return operand.with_options(replace(operand.options, when=condition))


def event(
    name: str,
    path: PathType,
    operands: SequenceOf[Expression],
    *,
    end: Termination | None = None,
    when: str | None = None,
    negated: tuple[int, ...] = (),
    order: Order = Order.INTERVAL,
) -> EventDefinition:
    """``event name(path) = operand ; operand …``, those at the positions ``negated`` with a ``not``."""
    options = Options(path=path, end=end, when=when)
    first = operands[0]
    root: Operator
    if len(operands) > 1:
        root = Sequence(tuple(operands), options, negated=negated)
    elif isinstance(first, Leaf):
        root = Disjunction((first,), options)
    else:
        root = first.with_options(replace(first.options, path=path, end=end, when=when or first.options.when))
    return EventDefinition(name, root, order=order)


def size(expression: Expression) -> int:
    """How many leaves it has."""
    return sum(1 for _ in leaves_of(expression))


def _joined(
    kind: type[Conjunction | Disjunction], operands: SequenceOf[Expression], path: PathType
) -> Expression | None:
    if len(operands) < 2:
        return operands[0] if operands else None
    return _at(kind(tuple(operands)), path)


def _at(operator: Operator, path: PathType) -> Operator:
    """The operator with the path type ``path``, written out if T2 would not derive it."""
    if path_of(operator) is path:
        return operator
    return operator.with_options(replace(operator.options, path=path))
