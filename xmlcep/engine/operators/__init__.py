"""The running states of the operators: one module each, called like the operator's ``kind``.

Each has ``new_state``, which makes one of a `Blueprint`. Read `state` (what every operator has), then
`disjunction` (the simplest), `combining` with `conjunction` and `sequence`, `multiplicity`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from ...algebra import ALL, Promise
from ...events import CompositeType
from ...rules.trees import LeafNode, OperatorNode
from .deferrable import DeferrableState as DeferrableState
from .state import Account as Account
from .state import Blueprint as Blueprint
from .state import Input as Input
from .state import OperatorState as OperatorState


def new_state(of: Blueprint) -> OperatorState:
    """The running state of an operator, whichever it is."""
    module = import_module(f"{__name__}.{of.node.kind}")
    return cast("Callable[[Blueprint], OperatorState]", module.new_state)(of)


def promise(node: OperatorNode | LeafNode, reused: Promise) -> Promise:
    """What is promised of what ``node`` raises (G4); ``reused`` is that of the trees that this tree reuses."""
    if isinstance(node, LeafNode):
        return reused if isinstance(node.type, CompositeType) else ALL
    if node.parent is None and node.definition.creates_empty:
        return Promise(solid=False, prompt=False)
    given = [promise(child, reused) for child in node.children]
    promised = node.definition.promise(given)
    solid = all(each.solid for each in given) if node.optional else promised.solid
    return Promise(solid, solid and promised.prompt and not node.deferred)
