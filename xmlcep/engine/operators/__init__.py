"""The running states of the operators: one module each, called like the operator's ``kind``.

Each has a function ``new_state(node, tree, report, setting, operands)``. Read `state` (what every operator has), then
`disjunction` (the simplest), `combining` with `conjunction` and `sequence`, `multiplicity`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TypeAlias, cast

from ...algebra import Promise
from ...events import CompositeEvent
from ...rules.trees import EventTree, OperatorNode
from ..setting import Setting
from .deferrable import DeferrableState as DeferrableState
from .state import Account as Account
from .state import Input as Input
from .state import OperatorState as OperatorState

_NewState: TypeAlias = Callable[
    [OperatorNode, EventTree, "list[CompositeEvent] | None", Setting, Sequence[Promise]], OperatorState
]


def new_state(
    node: OperatorNode, tree: EventTree, report: list[CompositeEvent] | None, setting: Setting,
    operands: Sequence[Promise],
) -> OperatorState:  # fmt: skip
    """The running state of an operator, whichever it is; ``operands`` is what its operands promise."""
    module = import_module(f"{__name__}.{node.kind}")
    return cast("_NewState", module.new_state)(node, tree, report, setting, operands)
