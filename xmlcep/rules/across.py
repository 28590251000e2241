"""Events over documents: what the trees that are ``across`` must be like (rule V11)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..algebra import Disjunction, External, Termination, Unit
from ..errors import RuleProblem
from ..events import CompositeType
from .programs import OperatorProgram, bound_by_operands
from .trees import EventTree, OperatorNode


def joined_throughout(
    programs: Sequence[OperatorProgram], operators: Sequence[OperatorNode]
) -> frozenset[str]:
    """The variables by which all operators of a tree group, so that what has one value never meets another (V2, V3).

    Of one that stores nothing, as what it raises is of one event (H6), all operands have to bind them.
    """
    found: frozenset[str] | None = None
    for node, program in zip(operators, programs, strict=True):
        if isinstance(node.definition, Disjunction) and node.termination is Termination.EARLIEST:
            names = frozenset.intersection(*bound_by_operands(node, programs))
        else:
            grouping = program.grouping
            names = frozenset(
                name for name in grouping.names if all(name in bound for bound in grouping.bound)
            )
        found = names if found is None else found & names
    return found or frozenset()


def problems_of(
    tree: EventTree, programs: Sequence[OperatorProgram], across: Mapping[str, EventTree]
) -> Iterator[RuleProblem]:
    """What is wrong with a tree, given those that are across, by name."""
    wrong = _of_across(tree, programs) if tree.across else ()
    for message, hint in (*wrong, *_uses(tree, across)):
        yield RuleProblem(f"event {tree.name}: {message} (V11)", hint, tree.definition.at)


def _uses(tree: EventTree, across: Mapping[str, EventTree]) -> Iterator[tuple[str, str]]:
    for leaf in tree.leaves():
        if isinstance(leaf.type, CompositeType) and leaf.type.name in across:
            yield (
                f"it is made of {leaf.type.name}, which is about several documents",
                "events are made of changes and of events of one document: put the two into one expression",
            )


def _of_across(tree: EventTree, programs: Sequence[OperatorProgram]) -> Iterator[tuple[str, str]]:
    if isinstance(tree.definition.expression, External):
        yield "an external event is raised in one document", "leave across out"
        return
    if any(program.needs_document for program in programs):
        yield (
            "it asks a document, and there are several",
            "ask in an event of one document, and combine that: event Ordered(item) = ins(item) as $part = (@id)",
        )
        return
    windows = [window for node in tree.operators for window in node.windows]
    if any(window.unit is not Unit.TIME for window in windows):
        yield (
            "changes and transactions are counted in each document by itself",
            'give a time, such as within="3 days"',
        )
    if any(node.termination is not Termination.EARLIEST for node in tree.operators):
        yield (
            "no transaction is over several documents",
            "leave end out; for what must not happen give within",
        )
    if any(node.definition.options.strict for node in tree.operators):
        yield "strict is about what happens at one place", "leave it out"
    if not joined_throughout(programs, tree.operators):
        yield (
            "there is no variable that all its operands bind, so nothing says what belongs together",
            "write  as $name  after each operand (of an event that has it  as $name = ($name)), "
            'and by="name" after x[…]',
        )
