"""How far trees see: whether they raise at records of their own key only, measure, or look outside of their groups."""

from __future__ import annotations

from ...algebra import External, Termination
from ...rules.event_graph import EventGraph
from ...rules.trees import EventTree
from ...xpath import NodeKind


def is_external(tree: EventTree) -> bool:
    """Whether a rule raises it, not records (L7)."""
    return isinstance(tree.definition.expression, External)


def looks_outside(graph: EventGraph, tree: EventTree) -> bool:
    """Whether an expression of the tree, or another language (O1), may ask nodes that are not below the node of one of
    its groups."""
    if any(text.needs_document for text in graph.opaque_texts(tree)):
        return True
    for program in graph.programs[tree.index]:
        asked = () if program.subject is None else program.subject.expressions
        for expression in (*program.asked_at_node, *asked):
            if expression.needs_document and not expression.reads.stays_inside:
                return True
        for leaf in program.leaves:
            for expression in () if leaf is None else leaf.expressions:
                inside = expression.node is NodeKind.ELEMENT and expression.reads.stays_inside
                if expression.needs_document and not inside:
                    return True
    return False


def prompt_trees(graph: EventGraph) -> list[bool]:
    """For each tree: whether it and all it uses raise composites only at records that are fed to their own key."""
    found: list[bool] = []
    for tree in graph.trees:  # dependencies come first (G2)
        at_once = not is_external(tree) and all(
            operator.termination is Termination.EARLIEST and not operator.has_timers
            for operator in tree.operators
        )
        found.append(at_once and all(found[used] for used in tree.dependencies))
    return found


def measured_trees(graph: EventGraph) -> set[int]:
    """The trees that look at the moments of events, and those whose composites these take."""
    found: set[int] = set()
    for tree in reversed(graph.trees):
        if tree.needs_moments or tree.index in found:
            found |= {tree.index, *tree.dependencies}
    return found
