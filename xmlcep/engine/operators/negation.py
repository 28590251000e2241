"""What a negated operand forbids (A1): the events of it that occur, or, of a multiplicity, so many arrivals (A1)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import Entry
from contexts.constraints import Violations
from contexts.constraints.counting import CountedViolations
from contexts.grouping import Key

from ...algebra import Multiplicity
from ...events import Cause
from ...rules.trees import LeafNode, OperatorNode
from ..grouping import grouping_of
from ..setting import Setting
from ..timers import MEASURE
from ..values import Values
from .choosing import reach
from .state import OperatorState


def violations_of(operand: OperatorNode | LeafNode, setting: Setting, tree: int, *, flat: bool) -> Violations:
    """Where the events of a negated operand are kept."""
    if isinstance(operand, LeafNode) or not operand.counts:
        return Violations(one_is_enough=not setting.general)
    definition, window = operand.definition, operand.window
    assert isinstance(definition, Multiplicity)
    within = None if window is None else (reach(window), MEASURE[window.unit])
    program = setting.programs[tree][operand.index]
    group_of = grouping_of(operand, program, 0, flat=flat).key_of
    admit = Values(program, setting).admitter()
    return CountedViolations(definition.lower, definition.upper, group_of, within, admit)


class NegatedMultiplicityState(OperatorState):
    """A negated multiplicity: hands its arrivals up as they are, to be counted where they lie; it raises nothing by
    itself (A1)."""

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        self.outbox += arrivals
