"""Which operators of two operands need no search, and the running state that is theirs: see `pairs`."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import CONTEXTS
from contexts.context import Takes

from ...algebra import Order, Promise
from ...events import PrimitiveType
from ...rules.trees import LeafNode, OperatorNode
from .pairs import PairState
from .prompt_pairs import PromptPairState
from .state import Blueprint
from .waiting_pairs import WaitingPairState
from .windowed_pairs import WindowedPairState


def pair_state(of: Blueprint, *, ordered: bool) -> PairState | None:
    """The running state of two operands that nothing joins but perhaps their order and a window; None for others."""
    node, tree = of.node, of.tree
    program = of.setting.programs[tree.index][node.index]
    if (
        len(node.children) != 2
        or of.setting.general
        or node.definition.aside
        or (tree.flat or node.may_repeat or node.optional)
        or tree.order is not Order.INTERVAL
        # Between its events there is nothing to ask; that they carry moments and variables is no obstacle.
        or program.having is not None
        or (program.grouping.names and node.definition.optional_binders)
    ):
        return None
    if is_windowed(node):
        return WindowedPairState(of, ordered=ordered)
    if not is_plain(node, of.operands) or (tree.extended and node.deferred):
        return None
    if not node.deferred:
        return PromptPairState(of, ordered=ordered)
    if not ordered and CONTEXTS[node.context.value].takes is Takes.NEWEST_FIRST:
        return None  # what waits for a release does so in the order in which it came
    return WaitingPairState(of, ordered=ordered)


def is_plain(node: OperatorNode, operands: Sequence[Promise]) -> bool:
    """Whether there is nothing between the operands but perhaps their order."""
    return (
        not (node.needs_moments or CONTEXTS[node.context.value].runs)
        and all(operand.prompt for operand in operands)
        # What takes back what it raised wants to know of its consumption (M1, H7).
        and not any(child.takes_back for child in node.children if not isinstance(child, LeafNode))
    )


def is_windowed(node: OperatorNode) -> bool:
    """Whether there is a window, in chronicle context, and what it is about comes in the order of its moments."""
    options = node.definition.options
    return (
        options.within is not None
        and node.windows == (options.within,)
        and CONTEXTS[node.context.value].takes_oldest
        and not (node.deferred or options.strict)
        and all(isinstance(leaf, LeafNode) and isinstance(leaf.type, PrimitiveType) for leaf in node.children)
    )
