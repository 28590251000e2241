"""What a negated operand forbids (A1): the events of it that occur, or, of a multiplicity, so many arrivals (Z5)."""

from __future__ import annotations

from collections.abc import Sequence

from contexts import Entry
from contexts.constraints import Violations
from contexts.constraints.counting import CountedViolations
from contexts.entry import EVENT
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
        return Violations()
    definition, window = operand.definition, operand.window
    assert isinstance(definition, Multiplicity)
    within = None if window is None else (reach(window), MEASURE[window.unit])
    program = setting.programs[tree][operand.index]
    group_of = grouping_of(operand, program, flat=flat).key_of
    admit = Values(program, setting).admitter()
    return CountedViolations(definition.lower, definition.upper, group_of, within, admit)


class NegatedMultiplicityState(OperatorState):
    """A negated multiplicity: hands its arrivals up as they are, to be counted where they lie; it raises nothing by
    itself (Z5)."""

    def arrive(self, child: int, key: Key, arrivals: Sequence[Entry], cause: Cause) -> None:
        self.outbox += [entry for entry in arrivals if self._lies_above(entry)]

    def _lies_above(self, entry: Entry) -> bool:
        """Whether what it would raise of an arrival has a place in the sequence (H1): it is at this multiplicity's node
        (T4), which may lie above those that the sequence is about."""
        assert self.parent is not None
        return self.parent.grouping.place(*self.composer.place(entry[EVENT])) is not None

    def forget(self, key: Key) -> None:
        pass

    def size(self) -> int:
        return 0
