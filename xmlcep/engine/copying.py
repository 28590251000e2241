"""A detector copied with all that it has stored, so that what it has seen can be taken back (rule L4).

Definitions, programs and events are values: the copy shares them. What was worked out from rules alone, and what is
looked up by functions that know their own detector, the copy makes anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import deepcopy
from types import MappingProxyType
from typing import Any, TypeVar

from contexts import CONTEXTS
from contexts.group import NO_STORES
from contexts.search import NOTHING

from ..events import OPERATIONS
from .bound_dispatch import BoundDispatches
from .dispatch import ActiveTrees
from .evaluation import Evaluation
from .setting import Setting

D = TypeVar("D")


def copied(
    detector: D, rules: Sequence[object], active: ActiveTrees, setting: Setting, evaluation: Evaluation
) -> D:
    """Another object of the same kind that has seen the same; neither knows of what the other sees from now on.

    ``rules`` are shared; ``active``, ``setting`` and ``evaluation`` are the parts of it that say what else can be. It
    takes time in proportion to all that is stored.
    """
    memo: dict[int, Any] = {id(each): each for each in (*rules, *_shared(active, setting))}
    dispatch, evaluation.dispatch = evaluation.dispatch, {}
    found: dict[str, BoundDispatches] = {}
    memo[id(evaluation.dispatch)] = found
    try:
        other = object.__new__(type(detector))
        memo[id(detector)] = other
        for name, value in vars(detector).items():
            setattr(other, name, value if isinstance(value, MappingProxyType) else deepcopy(value, memo))
    finally:
        evaluation.dispatch = dispatch
    copy: Evaluation = memo[id(evaluation)]
    for tree in copy.trees.values():
        for leaf in tree.leaves.values():
            leaf.forget_questions()
    found.update((operation, BoundDispatches(operation, active, copy.trees)) for operation in OPERATIONS)
    return other


def _shared(active: ActiveTrees, setting: Setting) -> Iterator[object]:
    """What a copy has in common with what it is copied from: all that depends on rules alone."""
    yield active
    yield from vars(active).values()
    yield setting.programs
    yield setting.references
    yield from setting.references.values()
    yield from CONTEXTS.values()
    yield from (NO_STORES, NOTHING)
    for tree in active.trees:
        programs = setting.programs[tree.index]
        yield tree
        yield tree.definition
        yield tree.operators
        yield programs
        for node, program in zip(tree.operators, programs, strict=True):
            yield from (node, node.definition, node.children, program, program.grouping)
            yield from node.children
            yield from (leaf for leaf in program.leaves if leaf is not None)
