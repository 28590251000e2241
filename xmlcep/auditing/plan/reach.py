"""Trees that see documents as a whole: what they raise depends on more than the records of their own keys."""

from __future__ import annotations

from collections.abc import Iterator

from ...algebra import External, Termination
from ...rules.event_graph import EventGraph
from ...rules.trees import EventTree
from .value_keys import dividing_variables


def is_external(tree: EventTree) -> bool:
    """Whether a rule raises it, not records (L7)."""
    return isinstance(tree.definition.expression, External)


def whole_trees(graph: EventGraph) -> frozenset[int]:
    """The indexes of the trees that see documents as a whole, and of those that take what such a tree raises."""
    found: set[int] = set()
    for tree in graph.trees:  # dependencies come first (G2)
        if tree.across:
            continue  # its keys are values, whatever its documents are
        if found.intersection(tree.dependencies) or next(obstacles(graph, tree), None) is not None:
            found.add(tree.index)
    return frozenset(found)


def obstacles(graph: EventGraph, tree: EventTree) -> Iterator[str]:
    """What keeps a tree from being divided, in words that go on after its name; nothing if it can be."""
    if is_external(tree):
        yield "is raised by an action rule between the records of the document (L7)"
    if any(node.termination is not Termination.EARLIEST for node in tree.operators):
        yield "is released by other records of the document (D2, D3)"
    if any(node.has_timers for node in tree.operators):
        yield "is raised by the time of any record of the document (W5)"
    elif any(node.windows for node in tree.operators):
        yield "measures time, which all records of the document advance (W1, W2)"
    if tree.dependencies and any(node.definition.options.strict for node in tree.operators):
        yield "looks at whatever happens between the events of others (S3)"
    if graph.asks_document(tree):
        yield "reads the document, edit by edit (U2)"
    for language in sorted({text.language for text in graph.opaque_texts(tree) if text.needs_document}):
        yield f"uses {language}, which may read the whole document (O1)"
    if tree.flat and not dividing_variables(graph, tree):
        yield "is flat: all events of a document form one group (H2)"
