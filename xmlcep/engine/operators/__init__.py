"""The running states of the operators: one module each, called like the operator's ``kind``.

Each has ``new_state``, which makes one of a `Blueprint`. Read `state` (what every operator has), then
`disjunction` (the simplest), `combining` with `conjunction` and `sequence`, `multiplicity`.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import cast

from .deferrable import DeferrableState as DeferrableState
from .state import Account as Account
from .state import Blueprint as Blueprint
from .state import Input as Input
from .state import OperatorState as OperatorState


def new_state(of: Blueprint) -> OperatorState:
    """The running state of an operator, whichever it is."""
    module = import_module(f"{__name__}.{of.node.kind}")
    return cast("Callable[[Blueprint], OperatorState]", module.new_state)(of)
