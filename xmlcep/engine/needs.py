"""What rules need of a document: what their expressions can read (rule U2). A replica for them holds no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from path_types import PathType

from ..documents import Needs
from ..events import Scope
from ..rules.programs import OperatorProgram, Questions
from ..rules.trees import EventTree, LeafNode, OperatorNode
from ..xpath import Reads


def document_needs(trees: Iterable[EventTree], programs: tuple[tuple[OperatorProgram, ...], ...]) -> Needs:
    """What the expressions of these trees read; ``programs`` are those of all trees, by index.

    What an engine of another language reads of a document nobody knows (O1).
    """
    below: list[tuple[PathType, Reads]] = []
    anywhere: list[Reads] = []
    for tree in trees:
        for node, program in zip(tree.operators, programs[tree.index], strict=True):
            if node.condition is not None:
                below.append((node.path, node.condition.truth_reads))
            for asked in program.asked_at_node:
                anywhere.append(
                    asked.reads_from(node.path, truth=asked is program.guard or asked is program.test)
                )
            if program.subject is not None:
                anywhere += _of_questions(program.subject, node.path)
            if any(leaf and leaf.opaque and leaf.opaque.needs_document for leaf in program.leaves):
                return Needs.everything()
            anywhere += _of_leaves(node, program)
    return Needs.of(below, anywhere)


def _of_leaves(node: OperatorNode, program: OperatorProgram) -> Iterator[Reads]:
    for child, leaf in zip(node.children, program.leaves, strict=True):
        if leaf is None or not leaf.needs_document:
            continue
        assert isinstance(child, LeafNode)
        exact = child.type.scope is Scope.NODE  # else it takes nodes below its path, too (F5)
        for asked in leaf.questions.values():
            yield from _of_questions(asked, child.path if exact else None)


def _of_questions(asked: Questions, path: PathType | None) -> Iterator[Reads]:
    """What is read to answer these of nodes of this path type, as far as it is known."""
    for expression in asked.expressions:
        if expression.needs_document:
            yield expression.reads_from(path, truth=expression is asked.filter)
